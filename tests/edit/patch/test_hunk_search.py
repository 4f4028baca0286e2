"""The places of hunks: the strictest comparison that finds any, and no looser one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

H = "--- a/x\n+++ b/x\n"


def test_refuses_lost_space(
    tree: Callable[..., Any],
) -> None:
    files = {"x": b"class A:\n    def f(self):\n        x = 1\n"}
    error = tree(files).refusal(
        H + "@@ -2,2 +2,3 @@\n    def f(self):\n        x = 1\n+       y = 2\n"
    )
    assert error.details["reason"] == "no_match"


def test_keeps_undecodable_context(
    tree: Callable[..., object],
) -> None:
    files = {"x": b"a\nb\xff\nc\n"}
    shown = H + "@@ -1,3 +1,3 @@\n-a\n+A\n b\ufffd\n c\n"
    assert tree(files).patched(shown) == {"x": b"A\nb\xff\nc\n"}  # type: ignore[attr-defined]
    removed = H + "@@ -1,3 +1,3 @@\n a\n-b\ufffd\n+B\n c\n"
    assert tree(files).refusal(removed).code == "patch_failed"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "line",
    [
        "short",
        "a line long enough to be looked for",
        "a line that is everywhere",
    ],
)
def test_finds_hunks_in_large_file(
    line: str, tree: Callable[..., object]
) -> None:
    rows = ["top", f"x{line}", f"{line}y", line, "bottom"] + [
        "a line that is everywhere"
    ] * 900
    files = {"x": "".join(f"{row}\r\n" for row in rows).encode()}
    patch = H + f"@@ -500,3 +500,3 @@\n {line}y\n {line}\n-bottom\n+end\n"
    wanted = {"x": files["x"].replace(b"bottom", b"end")}
    assert tree(files, held=False).patched(patch) == wanted  # type: ignore[attr-defined]
    assert tree(files, held=True).patched(patch) == wanted  # type: ignore[attr-defined]


FOUND = {
    "exactly": (b"a\nb\nc\n", ["b", "c"], (2, "exact")),
    "trailing blanks": (b"a\nb \nc\n", ["b", "c"], (2, "trailing")),
    "the strictest of several": (b"x\n  b\nx\nb  \nb\n", ["b"], (5, "exact")),
    "blank lines at the edges": (b"a\n\nb \n", ["", "b"], (2, "trailing")),
    "blank lines that are not there": (
        b"a\nb\n",
        ["", "b"],
        (2, "blank_lines"),
    ),
    "blank lines past the file's beginning": (
        b"b\nc\n",
        ["", "b"],
        (1, "blank_lines"),
    ),
    "blank lines past the file's end": (
        b"a\nb\n",
        ["b", "", ""],
        (2, "blank_lines"),
    ),
}


@pytest.mark.parametrize("held", [True, False], ids=["held", "windowed"])
@pytest.mark.parametrize("name", FOUND)
def test_finds_hunk_by_strictest_tier(
    name: str, held: bool, tree: Callable[..., object]
) -> None:
    content, lines, expected = FOUND[name]
    rows = "".join(
        f"-{line}\n+{line.upper()}\n" if line else " \n" for line in lines
    )
    (file,) = tree({"x": content}, held=held).plan(f"{H}@@ @@\n{rows}")  # type: ignore[attr-defined]
    assert [(hunk.line, hunk.tier) for hunk in file.result.hunks] == [expected]
