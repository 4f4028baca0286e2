"""The judge tells what became of a file."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.case import Asked, Case, File, Replace, Verdict, judge, named_lines

BEFORE = b"# caf\xe9\nport = 80\nsize = 10\nhost = one\n"
EXPECTED = b"# caf\xe9\nport = 8080\nsize = 10\nhost = one\n"
REQUEST = Replace("port = 80", "port = 8080")


def make_case(*expected: bytes, asked: Asked | None = None) -> Case:
    file = File("a.txt", BEFORE)
    return Case(0, "edit", file, REQUEST, expected, asked=asked)


@pytest.mark.parametrize(
    ("after", "verdict"),
    [
        (EXPECTED, Verdict.LANDED),
        (BEFORE, Verdict.REFUSED),
        (EXPECTED.replace(b"\xe9", b"\xef\xbf\xbd"), Verdict.OTHER_BYTES),
        (EXPECTED.replace(b"\n", b"\r\n"), Verdict.OTHER_BYTES),
        (EXPECTED.replace(b"8080", b"80 "), Verdict.WRONG),
        (BEFORE.replace(b"10", b"8080"), Verdict.WRONG),
        (EXPECTED[:20], Verdict.LOST),
        (b"", Verdict.LOST),
        (None, Verdict.LOST),
    ],
    ids=[
        "as asked",
        "untouched",
        "replaced bytes",
        "line ends",
        "other words",
        "another place",
        "cut",
        "empty",
        "deleted",
    ],
)
def test_judges_content(
    after: bytes | None, verdict: Verdict, tmp_path: Path
) -> None:
    path = tmp_path / "a.txt"
    if after is not None:
        path.write_bytes(after)
        path.chmod(0o644)
    assert judge(make_case(EXPECTED), path).verdict is verdict


def test_a_lost_mode_is_not_what_was_asked(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(EXPECTED)
    path.chmod(0o600)
    judgement = judge(make_case(EXPECTED), path)
    assert judgement.verdict is Verdict.OTHER_BYTES
    assert judgement.detail == "mode"


def test_an_edit_that_was_to_be_refused_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(EXPECTED)
    assert judge(make_case(), path).verdict is Verdict.WRONG


def test_what_a_call_names_lands_whatever_its_task_wanted(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(EXPECTED)
    path.chmod(0o644)
    asked = named_lines(["size", "port = 80"], ["size", "port = 8080"])
    case = make_case(b"something else", asked=asked)
    assert judge(case, path).verdict is Verdict.LANDED


def test_lines_that_move_land(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"# caf\xe9\nsize = 10\nport = 80\nhost = one\n")
    path.chmod(0o644)
    asked = named_lines(["size = 10"], ["size = 10"])
    case = make_case(b"something else", asked=asked)
    assert judge(case, path).verdict is Verdict.LANDED


@pytest.mark.parametrize(
    ("after", "verdict"),
    [
        (EXPECTED, Verdict.WRONG),
        (EXPECTED[:-7], Verdict.LOST),
        (EXPECTED + b"a = 1\n" + b"b = 2\n" * 9, Verdict.LOST),
    ],
    ids=["half of it", "cut in old lines", "cut in new lines"],
)
def test_half_of_a_request_is_no_loss(
    after: bytes, verdict: Verdict, tmp_path: Path
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(after)
    path.chmod(0o644)
    more = EXPECTED + b"a = 1\n" + b"b = 2\n" * 20
    assert judge(make_case(more), path).verdict is verdict
