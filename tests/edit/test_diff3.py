"""Alignment and three-way merge of lines: tables, invariants, bounds."""

from __future__ import annotations

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from filewright.edit.diff3 import merge_lines
from filewright.edit.linediff import align

lines = st.lists(st.sampled_from([b"a", b"b", b"c", b"d", b""]), max_size=14)


def split(text: str) -> list[bytes]:
    return [line.encode() for line in text.split()]


MERGES = {
    "only theirs": ("a b c", "a b c", "a X c", "a X c"),
    "only ours": ("a b c", "a X c", "a b c", "a X c"),
    "apart": ("a b c d e", "A b c d e", "a b c d E", "A b c d E"),
    "same change": ("a b c", "a X c", "a X c", "a X c"),
    "same insertion": ("a c", "a b c", "a b c", "a b c"),
    "both sides of a kept line": ("a b c", "A b c", "a b C", "A b C"),
    "ours deletes, theirs elsewhere": ("a b c d e", "a c d e", "a b c d E", "a c d E"),
    "insertions apart": ("a b c", "x a b c", "a b c y", "x a b c y"),
    "empty base": ("", "", "a", "a"),
}
CONFLICTS = {
    "same line": ("a b c", "a X c", "a Y c"),
    "touching": ("a b", "A b", "a B"),
    "two insertions at one place": ("a b", "a x b", "a y b"),
    "deleted and changed": ("a b c", "a c", "a X c"),
}


@pytest.mark.parametrize("name", MERGES)
def test_clean_merge_has_both_changes(name: str) -> None:
    base, ours, theirs, expected = map(split, MERGES[name])
    merged = merge_lines(base, ours, theirs)
    assert merged.clean
    assert merged.lines == expected


@pytest.mark.parametrize("name", CONFLICTS)
def test_touching_changes_conflict(name: str) -> None:
    base, ours, theirs = map(split, CONFLICTS[name])
    merged = merge_lines(base, ours, theirs)
    assert not merged.clean
    assert merged.lines == ours


@examples(50, derandomize=True)
@given(lines, lines, lines)
def test_chunks_cover_all_texts(
    base: list[bytes], ours: list[bytes], theirs: list[bytes]
) -> None:
    merged = merge_lines(base, ours, theirs)
    for side, length in (
        ("base", len(base)),
        ("ours", len(ours)),
        ("theirs", len(theirs)),
    ):
        at = 0
        for chunk in merged.chunks:
            start, end = getattr(chunk, side)
            assert start == at
            at = end
        assert at == length
    result = list(ours)
    for chunk in reversed(merged.chunks):
        if chunk.kind == "theirs":
            result[slice(*chunk.ours)] = theirs[slice(*chunk.theirs)]
    assert result == merged.lines


@examples(33, derandomize=True)
@given(lines, lines)
def test_unchanged_side_gives_the_other(base: list[bytes], other: list[bytes]) -> None:
    assert merge_lines(base, base, other).lines == other
    assert merge_lines(base, other, base).lines == other
    assert merge_lines(base, other, other).lines == other


@examples(50, derandomize=True)
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
                best[x][y] + 1 if one == two else max(best[x][y + 1], best[x + 1][y])
            )
    assert total == best[-1][-1]
    matcher = difflib.SequenceMatcher(None, left, right, autojunk=False)
    assert total >= sum(block.size for block in matcher.get_matching_blocks())


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ([b"x"] * 20_000, [b"x"] * 19_000),
        ([b"x"] * 20_000, [b"y"] * 20_000),
        ([b"%d" % i for i in range(20_000)], [b"%d" % i for i in range(20_000, 0, -1)]),
        (
            [b"%d" % i for i in range(20_000)],
            [b"%d" % i for i in range(20_000) if i % 7],
        ),
        ([b"x", b"y"] * 10_000, [b"y", b"x", b"z"] * 7_000),
    ],
    ids=[
        "all equal",
        "all different",
        "reversed",
        "every seventh gone",
        "few distinct",
    ],
)
def test_large_merges_take_bounded_work(left: list[bytes], right: list[bytes]) -> None:
    matched = sum(match.length for match in align(left, right))
    assert 0 <= matched <= min(len(left), len(right))
