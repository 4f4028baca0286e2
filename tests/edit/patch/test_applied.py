"""Hunks that are applied already: passed over or refused, and never applied twice."""

from __future__ import annotations

from collections.abc import Callable

import pytest

H = "--- a/x\n+++ b/x\n"
ABC = b"a\nb\nc\nd\ne\nf\ng\nh\n"
EDIT = "@@ -1,2 +1,2 @@\n-a\n+A\n b\n"


def test_refuses_applied_patch(
    tree: Callable[..., object],
) -> None:
    patch = (
        H
        + EDIT
        + "@@ -4,3 +4,3 @@\n d\n-e\n+E\n f\n"
        + "--- a/y\n+++ b/y\n@@ -1,2 +1,3 @@\n 1\n+2\n 3\n"
    )
    before = {"x": ABC, "y": b"1\n3\n"}
    after = tree(before).patched(patch)  # type: ignore[attr-defined]
    error = tree(after).refusal(patch)  # type: ignore[attr-defined]
    assert error.code == "already_applied"
    assert error.details["files"] == [
        {"path": "x", "line": 1},
        {"path": "y", "line": 1},
    ]
    half = tree({**before, "x": after["x"]})
    assert half.patched(patch) == after  # type: ignore[attr-defined]


def test_passes_over_applied_hunk(tree: Callable[..., object]) -> None:
    patch = H + EDIT + "@@ -5,2 +5,2 @@\n-e\n+E\n f\n"
    half = tree({"x": ABC.replace(b"a", b"A")})
    planned = half.plan(patch)  # type: ignore[attr-defined]
    tiers = [hunk.tier for hunk in planned[0].result.hunks]
    assert tiers == ["already_applied", "exact"]
    other = patch + "@@ -7,2 +7,2 @@\n-gone = 1\n+G\n h\n"
    error = half.refusal(other)  # type: ignore[attr-defined]
    assert error.details["hunk"] == 3
    assert "\nhunk 1 is applied already, at line 1" in error.message


def test_inserts_only_once(
    tree: Callable[..., object],
) -> None:
    error = tree({"x": ABC}).refusal(H + "@@ -1,1 +1,2 @@\n a\n+b\n")  # type: ignore[attr-defined]
    assert error.code == "already_applied"
    both = "@@ -1,1 +1,2 @@\n a\n+b\n@@ -5,2 +6,2 @@\n-e\n+E\n f\n"
    error = tree({"x": ABC}).refusal(H + both)  # type: ignore[attr-defined]
    assert (error.code, error.details["reason"]) == (
        "patch_failed",
        "already_applied",
    )


@pytest.mark.parametrize(
    ("lines", "hunk"),
    [
        pytest.param(
            "{ a\n}\n", "@@ -1,2 +1,4 @@\n { a\n+}\n+{ b\n }\n", id="at"
        ),
        pytest.param(
            "{ a\n}\n", "@@ -9,2 +9,4 @@\n { a\n+}\n+{ b\n }\n", id="off"
        ),
        pytest.param(
            "u\nz\n\nc\n",
            "@@ -2,2 +2,5 @@\n z\n+a\n+z\n+c\n \n",
            id="in another spelling",
        ),
    ],
)
def test_inserts_only_once_before_lines_that_begin_as_the_new_ones(
    lines: str, hunk: str, tree: Callable[..., object]
) -> None:
    once = tree({"x": lines.encode()}).patched(H + hunk)  # type: ignore[attr-defined]
    error = tree(once).refusal(H + hunk)  # type: ignore[attr-defined]
    assert error.code == "already_applied"
    more = H + hunk + "@@ -50,2 +55,2 @@\n-e\n+E\n f\n"
    text = once["x"] + b"-\n" * 40 + b"e\nf\n"
    done = tree({"x": text}).patched(more)  # type: ignore[attr-defined]
    assert done == {"x": text.replace(b"e\nf", b"E\nf")}


def test_changes_nothing_inside_of_its_result(
    tree: Callable[..., object],
) -> None:
    patch = H + "@@ -2,3 +2,5 @@\n \n-a\n+if x:\n+    a\n+y\n \n"
    once = tree({"x": b"-\n\na\n\n-\n"}).patched(patch)  # type: ignore[attr-defined]
    assert once == {"x": b"-\n\nif x:\n    a\ny\n\n-\n"}
    assert tree(once).refusal(patch).code == "already_applied"  # type: ignore[attr-defined]


def test_changes_no_twin_of_applied_hunk(
    tree: Callable[..., object],
) -> None:
    item, new = "{\n  a\n}\n", "{\n  b\n  c\n}\n"
    patch = (
        H
        + "@@ -1,3 +1,4 @@\n {\n-  a\n+  b\n+  c\n }\n"
        + "@@ -5,3 +6,4 @@\n {\n-  a\n+  b\n+  c\n }\n"
    )
    begun = tree({"x": (item + "-\n" + item + "-\n" + item).encode()})
    done = begun.patched(patch)  # type: ignore[attr-defined]
    assert done == {"x": (new + "-\n" + new + "-\n" + item).encode()}
    assert tree(done).refusal(patch).code == "already_applied"  # type: ignore[attr-defined]
    half = tree({"x": (new + "-\n" + item + "-\n" + item).encode()})
    assert half.patched(patch) == done  # type: ignore[attr-defined]
