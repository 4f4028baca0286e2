"""What is refused, with which code, and what the refusal says. A refused patch plans nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from filewright.edit.patch.reader import parse_patch
from filewright.errors import FilewrightError

H = "--- a/x\n+++ b/x\n"
ABC = b"a\nb\nc\nd\ne\nf\ng\nh\n"
EDIT = "@@ -1,2 +1,2 @@\n-a\n+A\n b\n"


def envelope(body: str) -> str:
    return f"*** Begin Patch\n{body}*** End Patch\n"


UNREADABLE = [
    ("", "empty"),
    ("   \n\n", "empty"),
    ("garbage", "no file header was found (line 1"),
    ("just\nwords\n", "no file header was found"),
    (EDIT, "comes before any file header"),
    (H + EDIT + "wibble\n", "belongs to no hunk (line 7"),
    (H + "@@ -1,2 +1,2 @@\n-a\nA\n b\n", "belongs to no hunk (line 5"),
    (H, "are missing"),
    ("--- a/x\n", "ends inside a file header"),
    ("diff --git a/x b/x\n", "are missing"),
    (H + EDIT + "-- \ndiff --git a/y b/y\n", "the hunks of y are missing"),
    ("diff --git a/x b/x\nindex 1234567..89abcde 100644\n", "are missing"),
    (
        "diff --git a/x b/x\nnew file mode 100644\nindex 0000000..1234567\n",
        "are missing",
    ),
    (
        "diff --git a/x b/y\nsimilarity index 80%\nrename from x\nrename to y\n",
        "are missing",
    ),
    (
        "diff --git a/x b/y\nsimilarity index 100%\nrename from x\n",
        "names only one file",
    ),
    (H + "@@ -1,3 +1,3 @@\n a\n-b\n", "changes nothing|cut|is missing"),
    (H + "@@ -1,9 +1,9 @@\n a\n-b\n+B", "ends in the middle of a hunk"),
    (H + "@@ -1,2 +1,2 @@\n a\n b\n", "changes nothing"),
    (H + "@@ -1,2 +1,2\n-a\n+A\n b\n", "cannot be read"),
    (
        H + "@@ -1,9 +1,9 @@\n-a\n+A\n--- a\n+++ b\n c\n",
        "may be a file header or changed lines",
    ),
    (
        H + "@@ -1,3 +1,3 @@\n a\n\\ No newline at end of file\n-b\n+B\n",
        "follows the one that has no newline",
    ),
    (
        H + "@@ -1,2 +1,2 @@\n\\ No newline at end of file\n-a\n+A\n b\n",
        "no line above this remark",
    ),
    ("--- a/x\n+++ b/y\n" + EDIT, "name different files"),
    (
        "diff --git a/x b/y\nrename from x\nrename to y\n--- a/x\n+++ b/z\n"
        + EDIT,
        "does not name the file of the lines above",
    ),
    ("--- /dev/null\n+++ /dev/null\n" + EDIT, "both sides are /dev/null"),
    (
        "--- /dev/null\n+++ b/n\n@@ -1,1 +1,2 @@\n a\n+b\n",
        "new file cannot have kept",
    ),
    (
        "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+1\n@@ -0,0 +2 @@\n+2\n",
        "new file has one hunk",
    ),
    (
        "diff --git a/x b/x\nindex 1..2\nGIT binary patch\nliteral 3\nKabc\n",
        "binary patch",
    ),
    (
        "diff --git a/x b/x\nindex 1234..5678\nBinary files a/x and b/x differ\n",
        "binary patch",
    ),
    ("Binary files a/x and b/x differ\n", "binary patch"),
    ('--- "a/x\\q"\n+++ "b/x\\q"\n' + EDIT, "quoted"),
    ("*** Begin Patch\n*** Update File: x\n@@\n-a\n+A\n", "no '*** End Patch'"),
    ("*** Begin Patch\n", "no '*** End Patch'"),
    (envelope(""), "names no file"),
    (envelope("*** Update File: x\n"), "the hunks of x are missing"),
    (envelope("*** Update File:\n@@\n-a\n+A\n"), "file name is missing"),
    (envelope("*** Update File: x\n*** Move to:\n"), "file name is missing"),
    (
        envelope("*** Update File: x\n@@\n-a\nA\n"),
        "begins with neither (line 5",
    ),
    (envelope("*** Update File: x\n@@\n a\n"), "changes nothing"),
    (envelope("*** Add File: n\n+1\n2\n"), "begins with neither (line 4"),
    (envelope("*** Delete File: x\n-a\n"), "a deleted file has no lines"),
    (envelope("*** Delete File: x\nGIT binary patch\n"), "binary patch"),
    (envelope("*** Frobnicate File: x\n"), "belongs to no file"),
    (
        envelope("*** Update File: x\n@@\n-a\n+A\n") + "-more\n",
        "follows '*** End Patch'",
    ),
]


@pytest.mark.parametrize(("patch", "said"), UNREADABLE)
def test_refuses_unreadable_patches(
    patch: str, said: str, tree: Callable[..., object]
) -> None:
    error = tree({"x": ABC}).refusal(patch)  # type: ignore[attr-defined]
    if said != "changes nothing|cut|is missing":
        assert error.code == "invalid_input", error
        for part in said.split(" ("):
            assert part in error.message
    else:
        assert error.code == "patch_failed"
        assert "the end of the patch is missing" in error.message
    assert error.hint


@pytest.mark.parametrize(
    ("patch", "said"),
    [
        (
            "diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+y\n",
            "symbolic link",
        ),
        (
            "diff --git a/x b/x\nindex 1234567..89abcde 160000\n--- a/x\n+++ b/x\n"
            + EDIT,
            "submodule",
        ),
        (
            "diff --cc x\n--- a/x\n+++ b/x\n@@@ -1,2 -1,2 +1,2 @@@\n- a\n -b\n",
            "combined diff",
        ),
        (
            "*** x\t2026\n--- y\t2026\n***************\n*** 1,2 ****\n! a\n",
            "context diff",
        ),
    ],
)
def test_refuses_unsupported_changes(
    patch: str, said: str, tree: Callable[..., object]
) -> None:
    error = tree({}).refusal(patch)  # type: ignore[attr-defined]
    assert error.code == "unsupported"
    assert said in error.message


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
    assert error.message.endswith("\nalso: applied already, passed over: y")


CODE_OF_TODAY = (
    b"def f(ctx):\n    if ctx.on:\n        values['a'] = ctx.a\n"
    b"    return values\n\ndef g(ctx):\n    pass\n"
)
RENAMED = (
    H + "@@ -2,3 +2,4 @@\n     if ctx.on:\n         rv['a'] = ctx.a\n"
    "+        rv['b'] = rv\n     return rv\n"
)


@pytest.mark.parametrize(
    ("content", "patch", "names"),
    [
        pytest.param(
            CODE_OF_TODAY,
            RENAMED.replace("     return rv\n", ""),
            {"rv": "values"},
            id="one name",
        ),
        pytest.param(
            CODE_OF_TODAY.replace(b"def g", b"values = 0\n\ndef g"),
            H + "@@ -1,3 +1,4 @@\n def f(ctx):\n     if ctx.on:\n"
            "         rv['a'] = ctx.a\n+        rv['b'] = 1\n",
            {"rv": "values"},
            id="in its place",
        ),
        pytest.param(
            CODE_OF_TODAY * 2,
            RENAMED.replace("     return rv\n", ""),
            None,
            id="two places",
        ),
        pytest.param(
            CODE_OF_TODAY.replace(b"ctx.a\n", b"ctx.a + rv\n"),
            RENAMED.replace("ctx.a\n", "ctx.a + rv\n"),
            None,
            id="two meanings",
        ),
        pytest.param(
            b"one line\nthe cat sat\n",
            H + "@@ -1,2 +1,3 @@\n one line\n the dog sat\n+more\n",
            None,
            id="prose",
        ),
        pytest.param(
            b"a = 1\nb = 2\n",
            H + "@@ -1,2 +1,2 @@\n a = 1\n-b = 3\n+b = 4\n",
            None,
            id="a number",
        ),
        pytest.param(
            b"a = 1\nif b:\n",
            H + "@@ -1,2 +1,3 @@\n a = 1\n while b:\n+  c()\n",
            None,
            id="a keyword",
        ),
        pytest.param(
            b"same()\nx = f(x)\n",
            H + "@@ -1,2 +1,3 @@\n same()\n y = f(z)\n+more\n",
            None,
            id="two names for one",
        ),
    ],
)
def test_suggests_other_names(
    content: bytes,
    patch: str,
    names: dict[str, str] | None,
    tree: Callable[..., object],
) -> None:
    error = tree({"x": content}).refusal(patch)  # type: ignore[attr-defined]
    assert error.details.get("names") == names
    if names is not None:
        assert "with values for rv it fits at line" in error.message
        assert "+        values['b'] = " in error.message
        assert 'names={"rv": "values"}' in error.hint


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


def test_refuses_patch_without_changes(tree: Callable[..., object]) -> None:
    error = tree({"x": ABC}).refusal(H + "@@ -1,2 +1,2 @@\n-a\n+a\n b\n")  # type: ignore[attr-defined]
    assert error.code == "no_change"


def test_only_renames_binary_files(
    tree: Callable[..., object],
) -> None:
    files = {"x": b"\0\1\2", "u": "a\nb\n".encode("utf-16") + b"x"}
    assert tree(files).refusal(H + EDIT).code == "is_binary"  # type: ignore[attr-defined]
    wide = "--- a/u\n+++ b/u\n" + EDIT
    assert tree(files).refusal(wide).code == "is_binary"  # type: ignore[attr-defined]
    assert tree(files).patched(RENAME) == {"y": b"\0\1\2", "u": files["u"]}  # type: ignore[attr-defined]


def test_refuses_unencodable_characters(tree: Callable[..., object]) -> None:
    made = tree({"x": "é\nb\n".encode("cp1252")}, encoding="cp1252")
    error = made.refusal(H + "@@ -1,2 +1,2 @@\n é\n-b\n+日\n")  # type: ignore[attr-defined]
    assert error.code == "unencodable"


def test_refuses_lone_surrogates() -> None:
    with pytest.raises(FilewrightError) as caught:
        parse_patch(H + "@@ -1,2 +1,2 @@\n-a\n+\ud83d\n b\n")
    assert caught.value.code == "invalid_input"


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


def test_refuses_lost_space(
    tree: Callable[..., Any],
) -> None:
    files = {"x": b"class A:\n    def f(self):\n        x = 1\n"}
    error = tree(files).refusal(
        H + "@@ -2,2 +2,3 @@\n    def f(self):\n        x = 1\n+       y = 2\n"
    )
    assert error.details["reason"] == "no_match"


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
    number = re.search(r"write '@@ -(\d+)' if line", error.hint)
    assert number
    # The last hunk is the one that is refused.
    above, _, refused = hunk.rpartition("@@ -")
    corrected = f"{above}@@ -{number[1]}{refused[1:]}"
    assert tree({"x": content}).patched(H + corrected) == {"x": result}
