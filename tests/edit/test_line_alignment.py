"""Lines and blank lines of a replacement that stay those of the file."""

from __future__ import annotations

import pytest

from filewright.edit.line_alignment import align_rows, find_moved_lines
from filewright.edit.matchers import lines
from filewright.edit.model import HunkPart, LinesPart
from filewright.edit.request import TextEdit
from filewright.edit.source import Source
from filewright.text.snapshot import Snapshot


def aligned(content: str, search: str, replace: str) -> HunkPart:
    """Return the rows of the only loose match of a request."""
    source = Source(Snapshot(content.encode()))
    (reading,) = lines.match(source, TextEdit(search, replace)).readings
    ((part,),) = reading.candidates
    assert isinstance(part, LinesPart)
    return align_rows(part)


@pytest.mark.parametrize(
    ("content", "search", "replace", "new", "kept"),
    [
        pytest.param(
            "a \nb \nc\n",
            "a\nb\n",
            "a\nx\nb\n",
            ("a", "x", "b"),
            {0: 0, 2: 1},
            id="a new line",
        ),
        pytest.param(
            "a \nb\n", "a\nb\n", "b\na\n", ("b", "a"), {0: 1, 1: 0}, id="moved"
        ),
        pytest.param(
            "a \n\n\nb\n",
            "a\n\nb\n",
            "a\n\nc\n",
            ("a", "", "", "c"),
            {0: 0, 1: 1, 2: 2},
            id="blank lines stay those of the file",
        ),
        pytest.param(
            "a \n\nb\n",
            "a\n\nb\n",
            "a\n\n\nb\n",
            ("a", "", "", "b"),
            {0: 0, 1: 1, 3: 2},
            id="an added blank line",
        ),
        pytest.param("a \nb\n", "a\nb\n", "", (), {}, id="deletion"),
    ],
)
def test_rows(
    content: str,
    search: str,
    replace: str,
    new: tuple[str, ...],
    kept: dict[int, int],
) -> None:
    part = aligned(content, search, replace)
    assert part.new == new
    assert part.kept == kept


def test_moved_lines_are_taken_once() -> None:
    old, new = ["a", "b", "", "b"], ["b", "", "b", "b", "a"]
    assert find_moved_lines(old, new, {}) == {0: 1, 2: 3, 4: 0}
    assert find_moved_lines(old, new, {4: 0}) == {0: 1, 2: 3}
