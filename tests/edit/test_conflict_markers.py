"""Merge conflicts: found by their marker lines, and refused if they are not whole."""

from __future__ import annotations

import pytest

from filewright.edit.conflict_markers import (
    ConflictMarkers,
    ConflictSide,
    iterate_conflicts,
)
from filewright.errors import FilewrightError
from filewright.text.snapshot import Snapshot

MERGE = "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> topic\nd\n"
DIFF3 = "<<<<<<<\nb\n||||||| base\n0\n=======\nc\n>>>>>>>\n"


def conflicts(text: str, encoding: str = "utf-8") -> list[ConflictMarkers]:
    snapshot = Snapshot(text.encode(encoding))
    return [*iterate_conflicts(snapshot, "f")]


def test_finds_conflicts() -> None:
    assert conflicts(MERGE + DIFF3) == [
        ConflictMarkers(2, None, 4, 6, "HEAD", "topic"),
        ConflictMarkers(8, 10, 12, 14),
    ]
    assert conflicts(MERGE.replace("\n", "\r\n")) == conflicts(MERGE)
    assert conflicts(MERGE, "utf-16") == conflicts(MERGE)


@pytest.mark.parametrize(
    "text", ["Title\n=======\n", "x = '<<<<<<< HEAD'\n", "<<<<<<<<\n", ""]
)
def test_other_text_is_no_conflict(text: str) -> None:
    assert not conflicts(text)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("<<<<<<< a\nb\n", 1),
        ("<<<<<<< a\n<<<<<<< b\n", 2),
        ("<<<<<<< a\n>>>>>>> b\n", 2),
        ("a\n>>>>>>> b\n", 2),
        ("<<<<<<< a\n=======\n||||||| c\n", 3),
        ("<<<<<<< a\n=======\n=======\n", 3),
    ],
)
def test_refuses_half_conflicts(text: str, line: int) -> None:
    with pytest.raises(FilewrightError) as caught:
        conflicts(text)
    assert caught.value.code == "invalid_input"
    assert caught.value.details["line"] == line


@pytest.mark.parametrize(
    ("text", "side", "left"),
    [
        (MERGE, "ours", "a\nb\nd\n"),
        (MERGE, "theirs", "a\nc\nd\n"),
        (MERGE, "both", "a\nb\nc\nd\n"),
        (DIFF3, "ours", "b\n"),
        (DIFF3, "theirs", "c\n"),
        (DIFF3, "both", "b\nc\n"),
    ],
)
def test_keeps_a_side(text: str, side: ConflictSide, left: str) -> None:
    (markers,) = conflicts(text)
    lines = text.splitlines(keepends=True)
    for first, last in reversed(markers.lines_without(side)):
        del lines[first - 1 : last]
    assert "".join(lines) == left


def test_describes_side() -> None:
    (markers,) = conflicts(MERGE)
    assert markers.describe("ours") == ("ours = HEAD, the first side",)
    (markers,) = conflicts(DIFF3)
    assert markers.describe("both") == (
        "ours = unnamed, the first side",
        "theirs = unnamed, the second side",
        "both = without the base",
    )
