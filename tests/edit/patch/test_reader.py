"""Patches as text: envelopes as models write them, and what cannot be read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter

import pytest

from filewright.edit.patch.reader import parse_patch
from filewright.errors import FilewrightError

CODE = (
    b"class A:\n    def run(self):\n        return 1\n\n    def stop(self):\n        return 2\n\n\n"
    b"class B:\n    def run(self):\n        return 1\n\n    def stop(self):\n        return 3\n"
)


@dataclass
class Case:
    """Files, the lines between the marks, and the files after them."""

    name: str
    files: dict[str, bytes]
    body: str
    after: dict[str, bytes]


UPDATE = "*** Update File: x\n"
ABC = b"a\nb\nc\n"

CASES = [
    Case(
        "update",
        {"x": ABC},
        UPDATE + "@@\n a\n-b\n+B\n c\n",
        {"x": b"a\nB\nc\n"},
    ),
    Case(
        "update without @@",
        {"x": ABC},
        UPDATE + " a\n-b\n+B\n",
        {"x": b"a\nB\nc\n"},
    ),
    Case("add", {}, "*** Add File: d/n\n+1\n+\n+2\n", {"d/n": b"1\n\n2\n"}),
    Case(
        "add with a lost plus",
        {},
        "*** Add File: n\n+1\n\n+2\n\n",
        {"n": b"1\n\n2\n"},
    ),
    Case("add an empty file", {}, "*** Add File: n\n", {"n": b""}),
    Case(
        "delete", {"x": ABC, "y": b"1\n"}, "*** Delete File: x\n", {"y": b"1\n"}
    ),
    Case("move", {"x": ABC}, UPDATE + "*** Move to: y\n", {"y": ABC}),
    Case(
        "move and update",
        {"x": ABC},
        UPDATE + "*** Move to: y\n@@\n-b\n+B\n",
        {"y": b"a\nB\nc\n"},
    ),
    Case(
        "heading",
        {"x": CODE},
        UPDATE
        + "@@ class B:\n     def run(self):\n-        return 1\n+        return 9\n",
        {"x": CODE[:100] + CODE[100:].replace(b"1", b"9")},
    ),
    Case(
        "headings in one another",
        {"x": CODE},
        UPDATE
        + "@@ class A:\n@@     def run(self):\n-        return 1\n+        return 9\n",
        {"x": CODE.replace(b"1", b"9", 1)},
    ),
    Case(
        "a heading without its end",
        {"x": CODE},
        UPDATE
        + "@@ class B\n     def run(self):\n-        return 1\n+        return 9\n",
        {"x": CODE[:100] + CODE[100:].replace(b"1", b"9")},
    ),
    Case(
        "a heading that is also the first row",
        {"x": CODE},
        UPDATE
        + "@@ class B:\n class B:\n-    def run(self):\n+    def go(self):\n",
        {"x": CODE[:100] + CODE[100:].replace(b"run", b"go")},
    ),
    Case(
        "a heading closed by @@",
        {"x": CODE},
        UPDATE
        + "@@ class B: @@\n     def run(self):\n-        return 1\n+        return 9\n",
        {"x": CODE[:100] + CODE[100:].replace(b"1", b"9")},
    ),
    Case(
        "a heading that another one begins with",
        {
            "x": b"class C(A):\n    x = 1\n\nclass D:\n    y = 1\n\nclass C(B):\n    y = 1\n"
        },
        UPDATE
        + "@@ class C(A):\n-    x = 1\n+    x = 2\n@@ class C\n-    y = 1\n+    y = 2\n",
        {
            "x": b"class C(A):\n    x = 2\n\nclass D:\n    y = 1\n\nclass C(B):\n    y = 2\n"
        },
    ),
    Case(
        "line numbers",
        {"x": b"k\nv\n" * 3},
        UPDATE + "@@ -3,2 +3,2 @@\n k\n-v\n+V\n",
        {"x": b"k\nv\nk\nV\nk\nv\n"},
    ),
    Case(
        "end of file",
        {"x": b"k\nv\n" * 3},
        UPDATE + "@@\n k\n-v\n+V\n*** End of File\n",
        {"x": b"k\nv\nk\nv\nk\nV\n"},
    ),
    Case(
        "append at the end of file",
        {"x": ABC},
        UPDATE + "@@\n+d\n*** End of File\n",
        {"x": b"a\nb\nc\nd\n"},
    ),
    Case(
        "append to an unended file",
        {"x": b"a"},
        UPDATE + "@@\n+d\n*** End of File\n",
        {"x": b"a\nd"},
    ),
    Case(
        "append lines that spell their ends to an unended file",
        {"x": b"a\r\nb"},
        UPDATE + "@@\n+d\r\n+e\n*** End of File\n",
        {"x": b"a\r\nb\r\nd\r\ne"},
    ),
    Case(
        "several hunks",
        {"x": b"a\nb\nc\nd\ne\n"},
        UPDATE + "@@\n-b\n+B\n@@\n-d\n+D\n",
        {"x": b"a\nB\nc\nD\ne\n"},
    ),
    Case(
        "hunks with an empty line between",
        {"x": b"a\nb\nc\nd\ne\n"},
        UPDATE + "@@\n-b\n+B\n\n@@\n-d\n+D\n\n",
        {"x": b"a\nB\nc\nD\ne\n"},
    ),
    Case(
        "an empty line of context",
        {"x": b"a\n\nb\n"},
        UPDATE + "@@\n a\n\n-b\n+B\n",
        {"x": b"a\n\nB\n"},
    ),
    Case(
        "several files",
        {"x": ABC, "y": ABC},
        UPDATE + "@@\n-b\n+X\n*** Update File: y\n@@\n-b\n+Y\n",
        {"x": b"a\nX\nc\n", "y": b"a\nY\nc\n"},
    ),
    Case(
        "a CRLF file",
        {"x": b"a\r\nb\r\nc\r\n"},
        UPDATE + "@@\n a\n-b\n+B\n+B\n",
        {"x": b"a\r\nB\r\nB\r\nc\r\n"},
    ),
    Case(
        "a file with a byte-order mark",
        {"x": b"\xef\xbb\xbf" + ABC},
        UPDATE + "@@\n-a\n+A\n",
        {"x": b"\xef\xbb\xbfA\nb\nc\n"},
    ),
    Case(
        "another indentation",
        {"x": b"if a:\n\tb()\n\tc()\n"},
        UPDATE + "@@\n if a:\n-    b()\n+    d()\n     c()\n",
        {"x": b"if a:\n\td()\n\tc()\n"},
    ),
    Case(
        "spaces in a name",
        {"my file": ABC},
        "*** Update File: my file \n@@\n-b\n+B\n",
        {"my file": b"a\nB\nc\n"},
    ),
    Case(
        "a list of removed marks",
        {"x": b"-- a\n+ b\n"},
        UPDATE + "@@\n--- a\n++++ c\n + b\n",
        {"x": b"+++ c\n+ b\n"},
    ),
]


@pytest.mark.parametrize("held", [True, False], ids=["held", "windowed"])
@pytest.mark.parametrize("case", CASES, ids=attrgetter("name"))
def test_applies_envelopes(
    case: Case, held: bool, tree: Callable[..., object]
) -> None:
    patch = f"*** Begin Patch\n{case.body}*** End Patch\n"
    assert tree(case.files, held=held).patched(patch) == case.after  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "wrapped",
    [
        "*** Begin Patch\n{}*** End Patch",
        "\n\n*** Begin Patch\n{}*** End Patch\n\n",
        "{}*** End Patch\n",
        "```\n*** Begin Patch\n{}*** End Patch\n```\n",
        "apply_patch <<'EOF'\n*** Begin Patch\n{}*** End Patch\nEOF\n",
        "<<EOF\n*** Begin Patch\n{}*** End Patch\nEOF",
    ],
)
def test_ignores_text_around_an_envelope(
    wrapped: str, tree: Callable[..., object]
) -> None:
    body = "*** Update File: x\n@@\n-b\n+B\n"
    assert tree({"x": ABC}).patched(wrapped.format(body)) == {"x": b"a\nB\nc\n"}  # type: ignore[attr-defined]


def test_reads_crlf_envelopes(tree: Callable[..., object]) -> None:
    patch = "*** Begin Patch\n*** Update File: x\n@@\n a\n-b\n+B\n*** Add File: n\n+1\n*** End Patch\n"
    after = tree({"x": ABC}).patched(patch.replace("\n", "\r\n"))  # type: ignore[attr-defined]
    assert after == {"x": b"a\nB\nc\n", "n": b"1\n"}


@pytest.mark.parametrize(
    "patch",
    [
        "*** Begin Patch\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n*** End Patch\n",
        "*** Begin Patch\n*** Update File: x\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n*** End Patch",
        "So:\n\n*** Begin Patch\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n*** End Patch\n\nThat is all.\n",
    ],
)
def test_reads_unified_diff_in_envelope(
    patch: str, tree: Callable[..., object]
) -> None:
    assert tree({"x": ABC}).patched(patch) == {"x": b"a\nB\nc\n"}  # type: ignore[attr-defined]


@pytest.mark.parametrize("margin", ["  ", "\t", "    "])
def test_removes_margin_of_envelope(
    margin: str, tree: Callable[..., object]
) -> None:
    patch = f"*** Begin Patch\n{UPDATE}@@\n a\n-b\n+B\n c\n*** Add File: n\n+1\n\n+2\n*** End Patch\n"
    wrapped = "".join(
        f"{margin}{line}" if line.strip() else line
        for line in patch.splitlines(keepends=True)
    )
    assert tree({"x": ABC}).patched(wrapped) == {
        "x": b"a\nB\nc\n",
        "n": b"1\n\n2\n",
    }  # type: ignore[attr-defined]


GIT_LINES = [
    "index 3bd1f0e..9c59e24 100644\n",
    "diff --git a/x b/x\nindex 3bd1f0e..9c59e24 100644\n",
    "diff --git a/x b/x\nindex 3bd1f0e..9c59e24 100644\n--- a/x\n+++ b/x\n",
]


@pytest.mark.parametrize("lines", GIT_LINES)
def test_skips_git_lines_in_envelope(
    lines: str, tree: Callable[..., object]
) -> None:
    patch = f"*** Begin Patch\n*** Update File: x\n{lines}@@ -1,2 +1,2 @@\n a\n-b\n+B\n*** End Patch\n"
    assert tree({"x": ABC}).patched(patch) == {"x": b"a\nB\nc\n"}  # type: ignore[attr-defined]


def test_skips_git_lines_of_new_file(tree: Callable[..., object]) -> None:
    patch = "*** Begin Patch\n*** Add File: n\nnew file mode 100644\nindex 0000000..3bd1f0e\n+1\n*** End Patch\n"
    assert tree({"x": ABC}).patched(patch) == {"x": ABC, "n": b"1\n"}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "body",
    [
        "@@\n a\nindex 3bd1f0e..9c59e24 100644\n-b\n+B\n",
        "old mode 100644\nnew mode 100755\n@@\n-b\n+B\n",
        "rename from x\nrename to y\n@@\n-b\n+B\n",
    ],
)
def test_names_other_git_lines(body: str) -> None:
    with pytest.raises(FilewrightError, match="a git header") as caught:
        parse_patch(
            f"*** Begin Patch\n*** Update File: x\n{body}*** End Patch\n"
        )
    assert "space before" not in caught.value.hint


H = "--- a/x\n+++ b/x\n"
LETTERS = b"a\nb\nc\nd\ne\nf\ng\nh\n"
EDIT = "@@ -1,2 +1,2 @@\n-a\n+A\n b\n"


def envelope(body: str) -> str:
    return f"*** Begin Patch\n{body}*** End Patch\n"


UNREADABLE = [
    ("", "empty"),
    ("   \n\n", "empty"),
    ("garbage", "the patch has no file header (line 1"),
    ("just\nwords\n", "the patch has no file header"),
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
        "may be a file header or a changed line",
    ),
    (
        H + "@@ -1,3 +1,3 @@\n a\n\\ No newline at end of file\n-b\n+B\n",
        "a line follows",
    ),
    (
        H + "@@ -1,2 +1,2 @@\n\\ No newline at end of file\n-a\n+A\n b\n",
        "has no line above it",
    ),
    ("--- a/x\n+++ b/y\n" + EDIT, "name different files"),
    (
        "diff --git a/x b/y\nrename from x\nrename to y\n--- a/x\n+++ b/z\n"
        + EDIT,
        "names another file than the git header",
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
    error = tree({"x": LETTERS}).refusal(patch)  # type: ignore[attr-defined]
    if said != "changes nothing|cut|is missing":
        assert error.code == "invalid_input", error
        for part in said.split(" ("):
            assert part in error.message
    else:
        assert error.code == "patch_failed"
        assert "the patch seems cut off" in error.message
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


def test_refuses_lone_surrogates() -> None:
    with pytest.raises(FilewrightError) as caught:
        parse_patch(H + "@@ -1,2 +1,2 @@\n-a\n+\ud83d\n b\n")
    assert caught.value.code == "invalid_input"
