"""Alignment and three-way merge of lines: tables, invariants, bounds."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from filewright.edit.diff3 import LineMerge, merge_lines
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
    "ours deletes, theirs elsewhere": (
        "a b c d e",
        "a c d e",
        "a b c d E",
        "a c d E",
    ),
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


@examples(25, derandomize=True)
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


@examples(17, derandomize=True)
@given(lines, lines)
def test_unchanged_side_gives_the_other(
    base: list[bytes], other: list[bytes]
) -> None:
    assert merge_lines(base, base, other).lines == other
    assert merge_lines(base, other, base).lines == other
    assert merge_lines(base, other, other).lines == other


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ([b"x"] * 20_000, [b"x"] * 19_000),
        ([b"x"] * 20_000, [b"y"] * 20_000),
        (
            [b"%d" % i for i in range(20_000)],
            [b"%d" % i for i in range(20_000, 0, -1)],
        ),
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
def test_large_merges_take_bounded_work(
    left: list[bytes], right: list[bytes]
) -> None:
    matched = sum(match.length for match in align(left, right))
    assert 0 <= matched <= min(len(left), len(right))


GIT_LINES = ["a", "b", "c", "d", "e", "{", "}", "", "end"]


def lines_of_text(merged: LineMerge[bytes]) -> list[bytes]:
    """The merged lines; at a conflict, ours."""
    return [
        line
        for chunk in merged.chunks
        for line in (
            merged.theirs[slice(*chunk.theirs)]
            if chunk.kind == "theirs"
            else merged.ours[slice(*chunk.ours)]
        )
    ]


def varied(base: list[str], chance: random.Random) -> list[str]:
    result = list(base)
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(result) + 1)
        kind = chance.random()
        if kind < 0.4 or not result:
            result[at:at] = [
                chance.choice([*GIT_LINES, "new", "newer"])
                for _ in range(chance.randint(1, 2))
            ]
        elif kind < 0.7:
            result[min(at, len(result) - 1)] = chance.choice(["X", "Y", "}"])
        else:
            del result[min(at, len(result) - 1)]
    return result


@pytest.mark.parametrize("seed", range(60))
def test_merges_like_git(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    base = [chance.choice(GIT_LINES) for _ in range(chance.randint(4, 20))]
    ours, theirs = varied(base, chance), varied(base, chance)
    for name, lines in (("ours", ours), ("base", base), ("theirs", theirs)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    done = subprocess.run(
        ["git", "merge-file", "-p", "ours", "base", "theirs"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    merged = merge_lines(
        *([line.encode() for line in side] for side in (base, ours, theirs))
    )
    if done.returncode == 0:
        assert merged.clean
        assert (
            b"".join(line + b"\n" for line in lines_of_text(merged))
            == done.stdout
        )
    else:
        assert not merged.clean
