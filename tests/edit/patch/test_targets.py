"""Files that a patch names: found, compared with one another, or refused before any hunk."""

from __future__ import annotations

from collections.abc import Callable

import pytest

H = "--- a/x\n+++ b/x\n"
ABC = b"a\nb\nc\nd\ne\nf\ng\nh\n"
EDIT = "@@ -1,2 +1,2 @@\n-a\n+A\n b\n"


def envelope(body: str) -> str:
    return f"*** Begin Patch\n{body}*** End Patch\n"


RENAME = (
    "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n"
)


NAMES = [
    (
        "create over a file",
        "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+1\n",
        "invalid_input",
        "create x, which exists",
    ),
    (
        "add over a file",
        envelope("*** Add File: x\n+1\n"),
        "invalid_input",
        "create x, which exists",
    ),
    (
        "rename onto a file",
        RENAME,
        "invalid_input",
        "rename to y, which exists",
    ),
    (
        "copy onto a file",
        RENAME.replace("rename", "copy"),
        "invalid_input",
        "copy to y, which exists",
    ),
    (
        "move onto a file",
        envelope("*** Update File: x\n*** Move to: y\n"),
        "invalid_input",
        "which exists",
    ),
    (
        "rename onto itself",
        RENAME.replace("to y", "to ./x"),
        "invalid_input",
        "same file",
    ),
    (
        "one file twice",
        H + EDIT + H + EDIT,
        "invalid_input",
        "one file twice: x",
    ),
    (
        "one file twice, spelled otherwise",
        H + EDIT + "--- ./x\n+++ ./x\n" + EDIT,
        "invalid_input",
        "one file twice: x and ./x",
    ),
    (
        "one new file twice",
        envelope("*** Add File: n\n+1\n*** Add File: d/../n\n+2\n").replace(
            "d/../n", "./n"
        ),
        "invalid_input",
        "one file twice: n and ./n",
    ),
    (
        "renamed to a name that is also changed",
        RENAME.replace(" y", " z").replace("b/y", "b/z")
        + "diff --git a/z b/z\n--- a/z\n+++ b/z\n"
        + EDIT,
        "invalid_input",
        "twice",
    ),
    (
        "a path that climbs",
        "--- a/../../etc/x\n+++ b/../../etc/x\n" + EDIT,
        "path_escape",
        "../../etc/x",
    ),
    (
        "a new path that climbs",
        "--- /dev/null\n+++ b/../n\n@@ -0,0 +1 @@\n+1\n",
        "path_escape",
        "../n",
    ),
    (
        "a rename that climbs",
        RENAME.replace("to y", "to ../y"),
        "path_escape",
        "../y",
    ),
    (
        "a later block that climbs",
        H
        + "@@ -1,2 +1,2 @@\n-not there\n+A\n b\n--- a/../y\n+++ b/../y\n"
        + EDIT,
        "path_escape",
        "../y",
    ),
    (
        "an update of nothing",
        "--- a/none\n+++ b/none\n" + EDIT,
        "not_found",
        "none does not exist",
    ),
    (
        "a delete of nothing",
        envelope("*** Delete File: none\n"),
        "not_found",
        "none does not exist",
    ),
]


@pytest.mark.parametrize(("name", "patch", "code", "said"), NAMES)
def test_checks_names_before_hunks(
    name: str, patch: str, code: str, said: str, tree: Callable[..., object]
) -> None:
    error = tree({"x": ABC, "y": ABC}).refusal(patch)  # type: ignore[attr-defined]
    assert (error.code, said in error.message) == (code, True), error
