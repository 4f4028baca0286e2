"""Patches as values: sides of hunks, parts of patches, and names elsewhere."""

from __future__ import annotations

import pytest

from filewright.edit.patch.model import (
    HunkLines,
    PatchFilePart,
    PatchHunkPart,
)
from filewright.edit.patch.reader import parse_patch
from filewright.errors import FilewrightError

LINES = HunkLines(" -+", ("a", "b"), ("a", "c"), (b"\n", b"\n", b""))
GIT = (
    "--- a/d/x\n+++ b/d/x\n@@ -2,2 +2,2 @@\n a\n-b\n+c\n@@ -9 +9 @@\n-d\n+e\n"
    "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+1\n"
)
ENVELOPE = (
    "*** Begin Patch\n*** Update File: x\n-a\n+b\n@@ f\n-c\n+d\n*** End Patch\n"
)


def test_sides_of_lines() -> None:
    assert LINES.has_changes
    assert LINES.signed_old == [(" ", "a"), ("-", "b")]
    assert LINES.signed_new == [(" ", "a"), ("+", "c")]
    assert (LINES.old_ends, LINES.new_ends) == ([b"\n", b"\n"], [b"\n", b""])
    assert LINES.reverse().signed_new == [(" ", "a"), ("+", "b")]
    assert LINES.reverse().reverse() == LINES


@pytest.mark.parametrize(
    ("new", "ends", "repeats"),
    [("a", b"\n", True), ("a", b"", False), ("b", b"\n", False)],
)
def test_repeated_lines(new: str, ends: bytes, repeats: bool) -> None:
    lines = HunkLines("-+", ("a",), (new,), (b"\n", ends))
    assert lines.repeats_lines is repeats


def test_extracts_files_and_hunks() -> None:
    patch = parse_patch(GIT)
    first, new = patch.files
    assert patch.extract(GIT, [PatchFilePart(new)]) == GIT[GIT.index("--- /") :]
    part = PatchHunkPart(first.hunks[1], line_shift=3)
    assert patch.extract(GIT, [PatchFilePart(first, (part,))]) == (
        "--- a/d/x\n+++ b/d/x\n@@ -12 +9 @@\n-d\n+e\n"
    )
    part = PatchHunkPart(first.hunks[0], context={0: "A"})
    assert patch.extract(GIT, [PatchFilePart(first, (part,))]) == (
        "--- a/d/x\n+++ b/d/x\n@@ -2,2 +2,2 @@\n A\n-b\n+c\n"
    )


def test_extracts_envelope() -> None:
    patch = parse_patch(ENVELOPE)
    (file,) = patch.files
    part = PatchFilePart(file, (PatchHunkPart(file.hunks[0]),))
    assert patch.extract(ENVELOPE, [part]) == (
        "*** Begin Patch\n*** Update File: x\n@@\n-a\n+b\n*** End Patch\n"
    )


@pytest.mark.parametrize(
    ("folder", "strip", "paths"),
    [
        ("", 0, ["d/x", "n"]),
        (".", 1, ["d/x", "n"]),
        ("sub/", 0, ["sub/d/x", "sub/n"]),
    ],
)
def test_relocates(folder: str, strip: int, paths: list[str]) -> None:
    patch = parse_patch(GIT).relocate(folder, strip)
    assert [file.path for file in patch.files] == paths


def test_refuses_names_without_parts() -> None:
    with pytest.raises(FilewrightError, match="strip=2 removes all of n"):
        parse_patch(GIT).relocate("", 2)
