"""The line diff: applying it gives the other text, and its work is bounded."""

from __future__ import annotations

import difflib
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from filewright.edit.linediff import (
    LineChange,
    align,
    diff_lines,
    find_line_splices,
)
from filewright.text.splice import apply_splices, sort_splices

lines = st.lists(st.sampled_from([b"a", b"b", b"c", b"d", b""]), max_size=14)


PIECES = st.lists(
    st.sampled_from([b"a", b"b", b"cc", b"\n", b"\r", b"\r\n"]), max_size=16
).map(b"".join)


@given(head=PIECES, tail=PIECES, before=PIECES, after=PIECES)
@examples(34, derandomize=True)
def test_line_splices_give_the_other_text(
    head: bytes, tail: bytes, before: bytes, after: bytes
) -> None:
    old, new = head + before + tail, head + after + tail
    splices = find_line_splices(old, new)
    assert sort_splices(splices, len(old)) == splices
    assert apply_splices(old, splices) == new


@given(
    st.lists(st.integers(0, 5), max_size=30),
    st.lists(st.integers(0, 5), max_size=30),
)
@examples(34, derandomize=True)
def test_lines_outside_changes_are_equal(
    before: list[int], after: list[int]
) -> None:
    result: list[int] = []
    position = 0
    for change in diff_lines(before, after):
        result += (
            before[position : change.start]
            + after[change.new_start : change.new_end]
        )
        assert len(result) == change.new_end
        position = change.end
    assert result + before[position:] == after


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("abc", "abc", []),
        ("abc", "axc", [LineChange(1, 2, 1, 2)]),
        ("", "a", [LineChange(0, 0, 0, 1)]),
        ("abcabba", "cbabac", None),
    ],
)
def test_changes_of_short_texts(
    before: str, after: str, expected: list[LineChange] | None
) -> None:
    found = diff_lines(before, after)
    if expected is not None:
        assert found == expected
    else:
        cost = sum(c.end - c.start + c.new_end - c.new_start for c in found)
        assert cost == 5  # the shortest script of Myers' own example


def test_changes_of_similar_texts_are_shortest() -> None:
    pick = random.Random(7)
    for _ in range(200):
        before = [pick.randrange(4) for _ in range(12)]
        after = [pick.randrange(4) for _ in range(12)]
        cost = sum(
            c.end - c.start + c.new_end - c.new_start
            for c in diff_lines(before, after)
        )
        rows = [[0] * 13 for _ in range(13)]
        for i in range(12):
            for j in range(12):
                same = rows[i][j] + 1 if before[i] == after[j] else 0
                rows[i + 1][j + 1] = max(same, rows[i][j + 1], rows[i + 1][j])
        if not set(before).isdisjoint(after):
            assert cost == 24 - 2 * rows[12][12]


@pytest.mark.parametrize(
    "kind", ["disjoint", "shuffled", "few words", "reversed"]
)
def test_large_texts_take_bounded_work(kind: str) -> None:
    pick = random.Random(1)
    before = [f"line {i}" for i in range(20_000)]
    after = {
        "disjoint": [f"other {i}" for i in range(20_000)],
        "shuffled": pick.sample(before, len(before)),
        "few words": [f"line {pick.randrange(20)}" for _ in range(20_000)],
        "reversed": before[::-1],
    }[kind]
    result: list[str] = []
    position = 0
    for change in diff_lines(before, after):
        result += (
            before[position : change.start]
            + after[change.new_start : change.new_end]
        )
        position = change.end
    assert result + before[position:] == after


def test_unique_lines_divide_large_regions() -> None:
    before, after = list("abcdefgh"), list("xbydzfwh")
    assert diff_lines(before, after, max_pairs=1) == [
        LineChange(at, at + 1, at, at + 1) for at in (0, 2, 4, 6)
    ]


def test_undivided_region_is_one_change() -> None:
    assert diff_lines(list("aabbab"), list("bbaaba"), max_pairs=1) == [
        LineChange(0, 6, 0, 6)
    ]


@examples(25, derandomize=True)
@given(lines, lines)
def test_alignment_is_longest(left: list[bytes], right: list[bytes]) -> None:
    i = j = total = 0
    for match in align(left, right):
        assert match.left >= i
        assert match.right >= j
        i, j = match.left + match.length, match.right + match.length
        assert left[match.left : i] == right[match.right : j]
        total += match.length
    best = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for x, one in enumerate(left):
        for y, two in enumerate(right):
            best[x + 1][y + 1] = (
                best[x][y] + 1
                if one == two
                else max(best[x][y + 1], best[x + 1][y])
            )
    assert total == best[-1][-1]
    matcher = difflib.SequenceMatcher(None, left, right, autojunk=False)
    assert total >= sum(block.size for block in matcher.get_matching_blocks())
