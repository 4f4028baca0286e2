"""Untouched and new lines have the file's terminators, and lines are counted right, whoever asks at once."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.promises import outside

from filewright import FilewrightError, Settings, Workspace


@pytest.fixture
def place() -> Iterator[Path]:
    with outside.folder() as folder:
        yield folder


SMALL = {"hold_bytes": 1 << 20, "identity_bytes": 1 << 20}
"""Files above a megabyte are treated as large ones, so that the tests need none."""


def test_a_line_inserted_after_a_far_read_ends_as_the_line_above(
    place: Path,
) -> None:
    data = b"".join(
        b"lf line number %06d ..........\n" % n for n in range(20_000)
    )
    data += b"".join(
        b"crlf line %07d ..............\r\n" % n for n in range(200_000)
    )
    path = place / "work" / "f.txt"
    path.write_bytes(data)
    with Workspace(
        place / "work", settings=Settings(state_dir=place / "state", **SMALL)
    ) as workspace:
        workspace.read("f.txt", start=500, limit=3)
        edit = {
            "search": "NOT THERE",
            "replace": "x",
            "start_line": 219_990,
            "end_line": 219_990,
        }
        with pytest.raises(FilewrightError):
            workspace.edit("f.txt", [edit])
        workspace.get_overview("f.txt")
        workspace.edit(
            "f.txt", [{"search": "", "replace": "NEW LINE", "start_line": 3}]
        )
    with path.open("rb") as file:
        assert b"\nNEW LINE\n" in file.read(4000)


def _counted_at_once(place: Path, rounds: int) -> None:
    """Four threads that ask for the lines of one fresh large file at once, at its end and in its middle."""
    lines = 1_200_000
    block = b"".join(b"%011d xxxxxxxxxxxx\n" % n for n in range(1, lines + 1))
    path = place / "work" / "f.txt"
    asked = [lines, lines - 1, lines - 2, lines // 2]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with (
            Workspace(
                place / "work",
                settings=Settings(
                    state_dir=place / "state", hold_bytes=0, identity_bytes=0
                ),
            ) as workspace,
            ThreadPoolExecutor(4) as pool,
        ):
            for _ in range(rounds):
                path.unlink(missing_ok=True)
                path.write_bytes(block)
                workspace.read(
                    "f.txt", start=7, limit=1
                )  # begins the index that all go on with
                answers = list(
                    pool.map(
                        lambda n: (
                            workspace.read("f.txt", start=n, limit=1).text
                        ),
                        asked,
                    )
                )
                answers += [
                    workspace.read("f.txt", start=n, limit=1).text
                    for n in asked
                ]
                for number, text in zip(asked * 2, answers, strict=True):
                    assert f"{number:011d} " in text, (number, text)
    finally:
        sys.setswitchinterval(before)


def test_threads_that_count_the_lines_of_one_file_at_once_agree(
    place: Path,
) -> None:
    _counted_at_once(place, 4)


@pytest.mark.sweep
def test_threads_agree_in_a_thousand_rounds(place: Path) -> None:
    _counted_at_once(place, 1000)
