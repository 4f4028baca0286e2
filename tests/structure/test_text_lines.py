"""The lines of a text by number."""

from __future__ import annotations

import pytest

from filewright.structure.text_lines import TextLines, is_blank

LINES = TextLines(b"\none\n\n \nfour\n\n")


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, None), (1, ""), (2, "one"), (5, "four"), (7, None)],
)
def test_line(number: int, text: str | None) -> None:
    assert LINES[number] == text


@pytest.mark.parametrize(
    ("line", "step", "expected"),
    [(3, 1, 5), (3, -1, 2), (6, 1, 5), (1, -1, 2)],
    ids=["down", "up", "none below", "none above"],
)
def test_skip_blank(line: int, step: int, expected: int) -> None:
    assert LINES.skip_blank(line, step) == expected


@pytest.mark.parametrize(("line", "expected"), [(2, 2), (3, 5), (6, 5)])
def test_nearest_text(line: int, expected: int) -> None:
    assert LINES.nearest_text(line) == expected


def test_blank_text_has_no_nearest_line() -> None:
    assert TextLines(b"\n\n").nearest_text(2) == 2


def test_lines_are_cut_and_read_in_windows() -> None:
    text = b"".join(b"%d%s\n" % (number, b"x" * 5_000) for number in range(600))
    lines = TextLines(text)
    assert (lines[600] or "")[:3] == "599"
    assert len(lines[1] or "") == 4096


@pytest.mark.parametrize("text", [None, "", " \t"])
def test_blank(text: str | None) -> None:
    assert is_blank(text)
