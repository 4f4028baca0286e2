"""Text that is like a hunk, nearer to its number than its place."""

from __future__ import annotations

import pytest
from tests.edit.patch.hunks import read_hunks, source_of

from filewright.edit.patch.hunk_search import HunkSearch
from filewright.edit.patch.placement import HunkPlace
from filewright.edit.patch.similar_text import ExpectedLines, SimilarText

HUNK = "@@ -1,4 +1,4 @@\n a\n b\n-x\n+X\n c\n"


@pytest.mark.parametrize(
    ("above", "expected"),
    [
        pytest.param("1\n2\n3\n4\n5\n6\n", False, id="other text"),
        pytest.param("1\na\nb\nold\nc\n6\n", True, id="a line has changed"),
        pytest.param("1\na\nb\nX\nc\n6\n", True, id="the result"),
        pytest.param("1\na\nb\n4\n5\n6\n", True, id="half of it"),
        pytest.param("a\nb\nmore\nx\nc\n6\n", True, id="a line more"),
        pytest.param("1\na\n3\n4\n5\n6\n", False, id="one line alone"),
    ],
)
def test_has_nearer(above: str, expected: bool) -> None:
    hunks = read_hunks(HUNK)
    source = source_of(f"{above}a\nb\nx\nc\n")
    similar = SimilarText(HunkSearch(hunks, source), source)
    has_nearer = similar.has_nearer(
        hunks[0], HunkPlace(6, 10), ExpectedLines((0,), 0, 10)
    )
    assert has_nearer is expected


@pytest.mark.parametrize(("line", "expected"), [(12, True), (4, False)])
def test_looks_within_twice_the_distance(line: int, expected: bool) -> None:
    rows = [str(number) for number in range(24)] + ["a", "b", "x", "c"]
    rows[line : line + 4] = ["a", "b", "old", "c"]
    hunks = read_hunks(HUNK)
    source = source_of("".join(f"{row}\n" for row in rows))
    similar = SimilarText(HunkSearch(hunks, source), source)
    room = ExpectedLines((20,), 0, 28)
    assert similar.has_nearer(hunks[0], HunkPlace(24, 28), room) is expected


def test_looks_in_its_room_alone() -> None:
    hunks = read_hunks(HUNK)
    source = source_of("a\nb\nold\nc\n5\n6\na\nb\nx\nc\n")
    similar = SimilarText(HunkSearch(hunks, source), source)
    room = ExpectedLines((5,), 4, 10)
    assert not similar.has_nearer(hunks[0], HunkPlace(6, 10), room)
