"""Refusals of hunks: the code, the reason, and the hint that helps."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

H = "--- a/x\n+++ b/x\n"
ABC = b"a\nb\nc\nd\ne\nf\ng\nh\n"
EDIT = "@@ -1,2 +1,2 @@\n-a\n+A\n b\n"


def envelope(body: str) -> str:
    return f"*** Begin Patch\n{body}*** End Patch\n"


KV = b"k\nv\n" * 9
CODE = b"def a():\n    return 1\n\ndef b():\n    return 1\n"
UNPLACED = [
    ("no such text", ABC, H + "@@ -1,2 +1,2 @@\n-q\n+A\n b\n", "no_match"),
    (
        "one line of context differs",
        ABC,
        H + "@@ -1,3 +1,3 @@\n a\n-b\n+B\n x\n",
        "no_match",
    ),
    (
        "one character of code differs",
        b"a = 1\nb\n",
        H + "@@ -1,2 +1,2 @@\n-a = 2\n+a = 3\n b\n",
        "no_match",
    ),
    (
        "equal places without a number",
        KV,
        envelope("*** Update File: x\n@@\n k\n-v\n+V\n"),
        "ambiguous_match",
    ),
    (
        "equal places as near as one another",
        KV,
        H + "@@ -8,2 +8,2 @@\n k\n-v\n+V\n",
        "ambiguous_match",
    ),
    (
        "equal places out of reach",
        KV,
        H + "@@ -900,2 +900,2 @@\n k\n-v\n+V\n",
        "ambiguous_match",
    ),
    (
        "equal places out of reach, one of them much nearer",
        b"k\nv\n" + b"other\n" * 2_000 + b"k\nv\n",
        H + "@@ -400,2 +400,2 @@\n k\n-v\n+V\n",
        "ambiguous_match",
    ),
    (
        "a result nearer to the number than the old lines",
        b"1\n2\n3\n(\n  b\n  c\n)\n\n(\n  c\n)\n",
        H + "@@ -5,3 +5,4 @@\n (\n+  b\n   c\n )\n",
        "doubtful",
    ),
    (
        "a line near the number, and the end of the file",
        b"1\n2\n3\n4\n}\n5\n6\n7\n8\n9\n}\n",
        H + "@@ -4 +4,3 @@\n }\n+new\n+lines\n",
        "ambiguous_match",
    ),
    (
        "a last line to remove that has changed",
        b"1\n2\n3\nB\n",
        H + "@@ -1,4 +1,3 @@\n 1\n 2\n 3\n-b\n",
        "no_match",
    ),
    (
        "overlapping hunks",
        ABC,
        H + "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n@@ -3,2 +3,2 @@\n c\n-d\n+D\n",
        "overlap",
    ),
    (
        "hunks out of order",
        ABC,
        H + "@@ -5,2 +5,2 @@\n e\n-f\n+F\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n",
        "order",
    ),
    (
        "an insertion without context",
        ABC,
        H + "@@ -3,0 +4 @@\n+new\n",
        "no_context",
    ),
    (
        "an envelope's insertion without context",
        ABC,
        envelope("*** Update File: x\n@@\n+new\n"),
        "no_context",
    ),
    (
        "a creation's hunk for a file that is there",
        ABC,
        H + "@@ -0,0 +1 @@\n+new\n",
        "no_context",
    ),
    (
        "a heading that is nowhere",
        CODE,
        envelope(
            "*** Update File: x\n@@ def c():\n-    return 1\n+    return 2\n"
        ),
        "heading",
    ),
    (
        "a heading that comes later",
        ABC,
        envelope("*** Update File: x\n@@ d\n-b\n+B\n"),
        "heading",
    ),
    (
        "a heading of a place that has ended",
        b"def a():\n    pass\n\ndef b():\n    return 1\n\ndef c():\n    return 1\n",
        envelope(
            "*** Update File: x\n@@ def a():\n-    return 1\n+    return 2\n"
        ),
        "ambiguous_match",
    ),
    (
        "an indentation that could be read in several ways",
        b"    a = 1\n",
        H + "@@ -1 +1,2 @@\n+    if x:\n         a = 1\n",
        "unclear",
    ),
    (
        "not at the end",
        ABC,
        envelope("*** Update File: x\n@@\n-b\n+B\n*** End of File\n"),
        "not_at_end",
    ),
    (
        "no newline where there is more",
        ABC,
        H + "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+B\n",
        "not_at_end",
    ),
    (
        "a patch cut behind its change",
        ABC,
        H + "@@ -1,9 +1,9 @@\n a\n-b\n+B\n",
        "cut",
    ),
    (
        "an insertion at an edge that may be applied already",
        b"a\nA\nb\nc\nd\ne\nf\n",
        H + "@@ -1 +1,2 @@\n a\n+A\n@@ -5,2 +6,2 @@\n-e\n+E\n f\n",
        "already_applied",
    ),
    (
        "a deletion that leaves something",
        ABC,
        "--- a/x\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n",
        "not_empty",
    ),
    (
        "a search longer than the file",
        b"a\n",
        H + "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n",
        "no_match",
    ),
    ("an empty file", b"", H + EDIT, "no_match"),
]


@pytest.mark.parametrize("held", [True, False], ids=["held", "windowed"])
@pytest.mark.parametrize(("name", "content", "patch", "reason"), UNPLACED)
def test_refuses_hunk_without_certain_place(
    name: str,
    content: bytes,
    patch: str,
    reason: str,
    held: bool,
    tree: Callable[..., object],
) -> None:
    error = tree({"x": content}, held=held).refusal(patch)  # type: ignore[attr-defined]
    assert (error.code, error.details["reason"], error.details["path"]) == (
        "patch_failed",
        reason,
        "x",
    ), error
    assert error.hint
    assert "x" in error.message


def test_names_nearest_text(
    tree: Callable[..., object],
) -> None:
    patch = H + EDIT + "@@ -4,3 +4,3 @@\n d\n-  e\n+E\n f!\n"
    error = tree({"x": ABC}).refusal(patch)  # type: ignore[attr-defined]
    assert error.details["hunk"] == 2
    assert error.details["patch_line"] == 7
    assert error.details["nearest_line"] == 4
    assert error.details["nearest_text"] == "d\ne\nf"
    assert (
        error.details["difference"] == "line 5 is 'e', where the hunk has '··e'"
    )


def test_explains_each_hunk(tree: Callable[..., object]) -> None:
    patch = (
        H
        + "@@ -1,3 +1,3 @@\n a\n-b!\n+Q\n c\n"
        + "@@ -5,3 +5,3 @@\n e\n-f!\n+R\n g\n"
        + "--- a/y\n+++ b/y\n"
        + EDIT
    )
    files = {"x": ABC, "y": b"A\nb\n"}
    error = tree(files).refusal(patch)  # type: ignore[attr-defined]
    assert error.message.count("nearest text, from line") == 2
    assert "\nalso: hunk 2 of x (line 8 of the patch)" in error.message
    assert error.message.endswith("\nalso: skipped, as applied already: y")


FOLLOWED = {
    # content, hunk, the reason or code, what the message says, result
    "doubtful": (
        b"1\n2\n3\n(\n  b\n  c\n)\n\n(\n  c\n)\n",
        "@@ -5,3 +5,4 @@\n (\n+  b\n   c\n )\n",
        "its old lines are at line 9, but its new lines are at line 4, nearer",
        b"1\n2\n3\n(\n  b\n  c\n)\n\n(\n  b\n  c\n)\n",
    ),
    "applied": (
        b"f(\n  B\n)\nx\nf(\n  b\n)\n",
        "@@ -1,3 +1,3 @@\n f(\n-  b\n+  B\n )\n",
        "x at line 1 (its old lines are at line 5 too)",
        b"f(\n  B\n)\nx\nf(\n  B\n)\n",
    ),
    "doubtful below a hunk that is off": (
        b"0\n0\ntop\n1\n(\n  b\n  c\n)\n\n(\n  c\n)\n",
        "@@ -1 +1 @@\n-top\n+TOP\n@@ -4,3 +4,4 @@\n (\n+  b\n   c\n )\n",
        "its old lines are at line 10, but its new lines are at line 5, nearer",
        b"0\n0\nTOP\n1\n(\n  b\n  c\n)\n\n(\n  b\n  c\n)\n",
    ),
}


@pytest.mark.parametrize("case", FOLLOWED.values(), ids=FOLLOWED)
def test_hint_names_number_that_succeeds(
    case: tuple[bytes, str, str, bytes], tree: Callable[..., Any]
) -> None:
    content, hunk, message, result = case
    error = tree({"x": content}).refusal(H + hunk)
    assert message in error.message
    number = re.search(r"write '@@ -(\d+)' for line", error.hint)
    assert number
    # The last hunk is the one that is refused.
    above, _, refused = hunk.rpartition("@@ -")
    corrected = f"{above}@@ -{number[1]}{refused[1:]}"
    assert tree({"x": content}).patched(H + corrected) == {"x": result}
