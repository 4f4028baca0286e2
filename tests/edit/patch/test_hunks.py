"""Hunks of a patch, read by their lines and by the counts in their headers."""

from __future__ import annotations

from collections.abc import Callable

from filewright.errors import FilewrightError

H = "--- a/x\n+++ b/x\n"
ABC = b"a\nb\nc\nd\ne\nf\ng\nh\n"


def test_refuses_truncated_patches(
    tree: Callable[..., object],
) -> None:
    """A patch cut anywhere never changes a file otherwise than the whole patch does."""
    whole = (
        "diff --git a/x b/x\nindex 1234567..89abcde 100644\n"
        + H
        + "@@ -1,5 +1,5 @@\n a\n-b\n+bee\n c\n d\n e\n@@ -7,2 +7,3 @@\n g\n+gee\n h\n"
        + "diff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -1,4 +1,4 @@\n 1\n-2\n+two\n 3\n 4\n"
    )
    files = {"x": ABC, "y": b"1\n2\n3\n4\n5\n"}
    first = ABC.replace(b"b\n", b"bee\n")
    allowed = [files["x"], first, first.replace(b"g\n", b"g\ngee\n")]
    for end in range(len(whole)):
        try:
            after = tree(files).patched(whole[:end])  # type: ignore[attr-defined]
        except FilewrightError:
            continue
        assert after["x"] in allowed, whole[:end]
        assert after["y"] in (files["y"], b"1\ntwo\n3\n4\n5\n"), whole[:end]
