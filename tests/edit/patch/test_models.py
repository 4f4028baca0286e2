"""Patches as coding models really write them: each applied right, or refused with what to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter

import pytest

from filewright.errors import Code, FilewrightError

ABC = b"a\nb\nc\n"
APP = b"import os\n\n\ndef load(path):\n    with open(path) as file:\n        return file.read()\n\n\ndef main():\n    print(load('x'))\n"
HEAD = "--- a/x\n+++ b/x\n"
HUNK = "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"
DONE = {"x": b"a\nB\nc\n"}


@dataclass(frozen=True)
class Case:
    """Files, a patch, and the files after it; or part of the refusal's text."""

    name: str
    patch: str
    after: dict[str, bytes] | None = None
    files: tuple[tuple[str, bytes], ...] = (("x", ABC),)
    refused: str = ""


def envelope(body: str) -> str:
    return f"*** Begin Patch\n{body}*** End Patch\n"


UPDATE = "*** Update File: x\n"
POOL = b"def f(\n  kind,\n  inst,\n):\n  call(\n    kind,\n    inst,\n  )\n  return new(\n     kind,\n     inst,\n  )\n"
CALL = "@@\n call(\n kind,\n"
NEW = "@@ return new(\n kind,\n"
RENAME = "@@\n-  inst,\n+  target,\n"

UNIFIED = [
    Case("plain", HEAD + HUNK, DONE),
    Case("no prefixes", "--- x\n+++ x\n" + HUNK, DONE),
    Case("a prefix on one side", "--- a/x\n+++ x\n" + HUNK, DONE),
    Case("counts too small", HEAD + HUNK.replace("3 +1,3", "2 +1,2"), DONE),
    Case("counts too large", HEAD + HUNK.replace("3 +1,3", "9 +1,9"), DONE),
    Case("counts of one side wrong", HEAD + HUNK.replace("+1,3", "+1,4"), DONE),
    Case("no counts", HEAD + "@@ -1 +1 @@\n a\n-b\n+B\n c\n", DONE),
    Case("no numbers", HEAD + "@@ @@\n a\n-b\n+B\n c\n", DONE),
    Case("two at signs", HEAD + "@@\n a\n-b\n+B\n c\n", DONE),
    Case("three dots for numbers", HEAD + "@@ ... @@\n a\n-b\n+B\n c\n", DONE),
    Case("numbers far off", HEAD + HUNK.replace("-1,3 +1,3", "-101,3 +101,3"), DONE),
    Case("numbers from zero", HEAD + HUNK.replace("-1,3 +1,3", "-0,3 +0,3"), DONE),
    Case("a heading behind the numbers", HEAD + HUNK.replace("@@\n", "@@ def something():\n", 1), DONE),
    Case("in a fence", f"```diff\n{HEAD}{HUNK}```\n", DONE),
    Case("in a fence of another name", f"```patch\n{HEAD}{HUNK}```\n", DONE),
    Case("talk before", f"Here is the patch:\n\n{HEAD}{HUNK}", DONE),
    Case("talk behind", f"{HEAD}{HUNK}\nThis changes b.\n", DONE),
    Case("talk before and a fence", f"Here it is:\n\n```diff\n{HEAD}{HUNK}```\n", DONE),
    Case("a closing fence alone", f"{HEAD}{HUNK}```\n", DONE),
    Case("git's line", f"diff --git a/x b/x\nindex 1234567..89abcde 100644\n{HEAD}{HUNK}", DONE),
    Case("git's line without an index", f"diff --git a/x b/x\n{HEAD}{HUNK}", DONE),
    Case("an index line of Subversion", f"Index: x\n{'=' * 67}\n--- x\t(revision 1)\n+++ x\t(working copy)\n{HUNK}", DONE),
    Case("times behind the names", "--- x\t2024-01-01 10:00:00\n+++ x\t2024-01-02 10:00:00\n" + HUNK, DONE),
    Case("a mail", f"From: A <a@b.c>\nSubject: change\n\n---\n x | 2 +-\n\ndiff --git a/x b/x\n{HEAD}{HUNK}-- \n2.40.0\n", DONE),
    Case("ends in returns", (HEAD + HUNK).replace("\n", "\r\n"), DONE),
    Case("a file with returns", HEAD + HUNK, {"x": b"a\r\nB\r\nc\r\n"}, (("x", b"a\r\nb\r\nc\r\n"),)),
    Case("both with returns", (HEAD + HUNK).replace("\n", "\r\n"), {"x": b"a\r\nB\r\nc\r\n"}, (("x", b"a\r\nb\r\nc\r\n"),)),
    Case("an empty line of context without its space", HEAD + "@@ -1,3 +1,3 @@\n a\n\n-b\n+B\n", {"x": b"a\n\nB\n"}, (("x", b"a\n\nb\n"),)),
    Case("no newline at the end of the patch", (HEAD + HUNK).removesuffix("\n"), DONE),
    Case("no newline at the end of the file", HEAD + HUNK, {"x": b"a\nB\nc"}, (("x", b"a\nb\nc"),)),
    Case("the remark about the last line", HEAD + "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+B\n\\ No newline at end of file\n",
         {"x": b"a\nB"}, (("x", b"a\nb"),)),
    Case("adds the last newline", HEAD + "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n", {"x": b"a\nb\n"}, (("x", b"a\nb"),)),
    Case("trailing blanks in the file", HEAD + HUNK, {"x": b"a  \nB\nc\n"}, (("x", b"a  \nb\nc\n"),)),
    Case("two hunks, wrong counts in the first", HEAD + "@@ -1,9 +1,9 @@\n-a\n+A\n@@ -3 +3 @@\n-c\n+C\n", {"x": b"A\nb\nC\n"}),
    Case("two files", HEAD + HUNK + "--- a/y\n+++ b/y\n@@ -1 +1 @@\n-1\n+2\n", {**DONE, "y": b"2\n"}, (("x", ABC), ("y", b"1\n"))),
    Case("two files, one in git's form", HEAD + HUNK + "diff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-1\n+2\n",
         {**DONE, "y": b"2\n"}, (("x", ABC), ("y", b"1\n"))),
    Case("a new file", "--- /dev/null\n+++ b/d/n\n@@ -0,0 +1,2 @@\n+1\n+2\n", {"x": ABC, "d/n": b"1\n2\n"}),
    Case("a new file with wrong counts", "--- /dev/null\n+++ b/n\n@@ -0,0 +1,7 @@\n+1\n+2\n", {"x": ABC, "n": b"1\n2\n"}),
    Case("a new file of git", "diff --git a/n b/n\nnew file mode 100644\nindex 0000000..1234567\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+1\n",
         {"x": ABC, "n": b"1\n"}),
    Case("a new empty file", "diff --git a/n b/n\nnew file mode 100644\nindex 0000000..e69de29\n", {"x": ABC, "n": b""}),
    Case("a deleted file", "--- a/x\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-a\n-b\n-c\n", {}),
    Case("a deleted file of git", "diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-a\n-b\n-c\n", {}),
    Case("a rename", "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n", {"y": ABC}),
    Case("a rename and a change", f"diff --git a/x b/y\nsimilarity index 80%\nrename from x\nrename to y\n--- a/x\n+++ b/y\n{HUNK}", {"y": b"a\nB\nc\n"}),
    Case("a quoted name", '--- "a/\\303\\244"\n+++ "b/\\303\\244"\n' + HUNK, {"ä": b"a\nB\nc\n"}, (("ä", ABC),)),
    Case("a name with a space", "--- a/my file\n+++ b/my file\n" + HUNK, {"my file": b"a\nB\nc\n"}, (("my file", ABC),)),
    Case("a dot before the name", "--- ./x\n+++ ./x\n" + HUNK, DONE),
    Case("a removed line that looks like a header", HEAD + "@@ -1,2 +1 @@\n--- a\n b\n", {"x": b"b\n"}, (("x", b"-- a\nb\n"),)),
    Case("tabs for spaces", "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n if a:\n-\tgo()\n+\tgone()\n", {"x": b"if a:\n    gone()\n"}, (("x", b"if a:\n    go()\n"),)),
    Case("a hunk without rows", "*** Begin Patch\n*** Update File: x\n@@\n-b\n+B\n@@\n*** End Patch\n", {"x": b"a\nB\nc\n"}),
    Case("a hunk of context alone", "*** Begin Patch\n*** Update File: x\n@@\n a\n@@\n-b\n+B\n*** End Patch\n", {"x": b"a\nB\nc\n"}),
    Case("a hunk of a diff that keeps all", HEAD + "@@ -1,1 +1,1 @@\n a\n@@ -2,2 +2,2 @@\n-b\n+B\n c\n", {"x": b"a\nB\nc\n"}),
    # Refused.
    Case("a context line that is not there", HEAD + HUNK.replace(" c", " d"), None, refused="'c', where the hunk has 'd'"),
    Case("a context line without its space", HEAD + "@@ -1,3 +1,3 @@\na\n-b\n+B\n c\n", None, refused="neither a space, '-' nor '+'"),
    Case("nothing changes", HEAD + "@@ -1,3 +1,3 @@\n a\n b\n c\n", None, refused="changes nothing"),
    Case("no header", HUNK, None, refused="before any file header"),
    Case("cut off", HEAD + "@@ -1,9 +1,9 @@\n a\n-b\n", None, (("x", ABC + b"d\n" * 9),), refused="the patch seems cut off"),
    Case("a new file that is there", "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+1\n", None, refused="which exists already"),
    Case("a deleted file that holds more", "--- a/x\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n", None, refused="deletes x but leaves"),
    Case("only line numbers", HEAD + "@@ -1,0 +2 @@\n+new\n", None, refused="no kept or removed line"),
    Case("a place among equals", HEAD + "@@ @@\n-a\n+A\n", None, (("x", b"a\na\n"),), refused="more than once, at lines 1, 2"),
    Case("applied already", HEAD + HUNK, None, (("x", b"a\nB\nc\n"),), refused="applied already"),
    Case("a file twice", HEAD + HUNK + HEAD + HUNK, None, refused="names one file twice"),
    Case("a file that is not there", "--- a/z\n+++ b/z\n" + HUNK, None, refused="z does not exist"),
    Case("binary", "diff --git a/x b/x\nGIT binary patch\nliteral 3\n", None, refused="binary patch"),
    Case("a context diff", "*** x\n--- x\n***************\n*** 1,3 ****\n", None, refused="context diff"),
    Case("hunks out of order", HEAD + "@@ -3 +3 @@\n-c\n+C\n@@ -1 +1 @@\n-a\n+A\n", None, refused="before the end of an earlier hunk"),
    Case("a good file and a bad one", HEAD + HUNK + "--- a/y\n+++ b/y\n@@ -1 +1 @@\n-0\n+2\n", None, (("x", ABC), ("y", b"1\n")), refused="hunk 1 of y"),
]  # fmt: skip

ENVELOPES = [
    Case("plain", envelope(UPDATE + "@@\n a\n-b\n+B\n c\n"), DONE),
    Case("blanks behind the marks", "*** Begin Patch  \n*** Update File: x  \n@@  \n-b\n+B\n*** End Patch  \n", DONE),
    Case("a unified header inside", envelope(UPDATE + "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"), DONE),
    Case("line numbers behind @@", envelope(UPDATE + "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"), DONE),
    Case("wrong line numbers behind @@", envelope(UPDATE + "@@ -71,9 +71,2 @@\n a\n-b\n+B\n c\n"), DONE),
    Case("in a fence", f"```\n{envelope(UPDATE + '@@' + chr(10) + '-b' + chr(10) + '+B' + chr(10))}```\n", DONE),
    Case("talk behind", envelope(UPDATE + "@@\n-b\n+B\n") + "\nI changed b.\n", DONE),
    Case("talk before", "Here is the patch:\n\n" + envelope(UPDATE + "@@\n-b\n+B\n"), DONE),
    Case("a heading in a new file", envelope("*** Add File: n\n@@\n+1\n\n+2\n"), {"x": ABC, "n": b"1\n\n2\n"}),
    Case("no mark at the beginning", (UPDATE + "@@\n-b\n+B\n*** End Patch\n"), DONE),
    Case("a here-document", "apply_patch <<'EOF'\n" + envelope(UPDATE + "@@\n-b\n+B\n") + "EOF\n", DONE),
    Case("returns", envelope(UPDATE + "@@\n-b\n+B\n").replace("\n", "\r\n"), DONE),
    Case("a heading", envelope("*** Update File: app.py\n@@ def main():\n-    print(load('x'))\n+    print(load('y'))\n"),
         {"app.py": APP.replace(b"'x'", b"'y'")}, (("app.py", APP),)),
    Case("a heading with the end of a hunk's", envelope("*** Update File: app.py\n@@ def main(): @@\n-    print(load('x'))\n+    print(load('y'))\n"),
         {"app.py": APP.replace(b"'x'", b"'y'")}, (("app.py", APP),)),
    Case("an empty line without its space", envelope("*** Update File: app.py\n@@\n import os\n\n\n-def load(path):\n+def load(name):\n"),
         {"app.py": APP.replace(b"load(path)", b"load(name)")}, (("app.py", APP),)),
    Case("several hunks", envelope("*** Update File: app.py\n@@\n-import os\n+import sys\n@@ def main():\n-    print(load('x'))\n+    print(1)\n"),
         {"app.py": APP.replace(b"os", b"sys").replace(b"load('x')", b"1")}, (("app.py", APP),)),
    Case("add, update, move, delete", envelope(
        "*** Add File: n\n+1\n*** Update File: x\n@@\n-b\n+B\n*** Update File: y\n*** Move to: d/y\n*** Delete File: z\n"),
        {**DONE, "n": b"1\n", "d/y": b"1\n"}, (("x", ABC), ("y", b"1\n"), ("z", b"0\n"))),
    Case("at the end of the file", envelope(UPDATE + "@@\n c\n+d\n*** End of File\n"), {"x": b"a\nb\nc\nd\n"}),
    Case("appends with nothing but the mark of the end", envelope(UPDATE + "@@\n+d\n*** End of File\n"), {"x": b"a\nb\nc\nd\n"}),
    Case("a file without a final newline", envelope(UPDATE + "@@\n-c\n+C\n"), {"x": b"a\nb\nC"}, (("x", b"a\nb\nc"),)),
    Case("a file with returns", envelope(UPDATE + "@@\n-b\n+B\n+B2\n"), {"x": b"a\r\nB\r\nB2\r\nc\r\n"}, (("x", b"a\r\nb\r\nc\r\n"),)),
    Case("curly quotes in the context", envelope(UPDATE + "@@\n say(“hi”)\n-go\n+gone\n"), {"x": b'say("hi")\ngone\n'}, (("x", b'say("hi")\ngo\n'),)),
    Case("a heading in prose", envelope(UPDATE + "@@ the second letter\n-b\n+B\n"), DONE),
    Case("a heading of a number", envelope(UPDATE + "@@ line 39-46\n a\n-b\n+B\n"), DONE),
    Case("a heading and no rows", envelope(UPDATE + "@@ the second letter\n@@\n-b\n+B\n"), DONE),
    Case("context alone, behind its place", envelope(UPDATE + "@@\n-b\n+B\n@@\n a\n"), DONE),
    Case("context alone, twice in the file", envelope(UPDATE + "@@\n a\n@@\n-b\n+B\n"), {"x": b"a\na\nB\n"}, (("x", b"a\na\nb\n"),)),
    Case("context alone, with other blanks", envelope(UPDATE + "@@\n a\n\n   b\n@@\n-c\n+C\n"), {"x": b"a\nb\nC\n"}),
    Case("context alone chooses among equal places", envelope(UPDATE + "@@\n 2\n@@\n-b\n+B\n"), {"x": b"1\nb\n2\nz\nB\n"}, (("x", b"1\nb\n2\nz\nb\n"),)),
    Case("context alone, right above at another depth", envelope(UPDATE + CALL + RENAME), {"x": POOL.replace(b"\n    inst,", b"\n    target,")}, (("x", POOL),)),
    Case("context alone, twice, each right above", envelope(UPDATE + CALL + RENAME + NEW + RENAME),
         {"x": POOL.replace(b"   inst,", b"   target,")}, (("x", POOL),)),
    Case("context alone that shows the exact place", envelope(UPDATE + "@@\n def f(\n kind,\n inst,\n ):\n" + RENAME),
         {"x": POOL.replace(b"\n  inst,", b"\n  target,")}, (("x", POOL),)),
    Case("lines that are removed and added again, at two places", envelope(UPDATE + "@@\n-a\n+A\n@@\n-  c  \n+  c  \n"),
         {"x": b"A\r\n  c  \r\n\tc\r\n  c  \r\n"}, (("x", b"a\r\n  c  \r\n\tc\r\n  c  \r\n"),)),
    Case("lines that are removed and added again, at two depths", envelope(UPDATE + "@@\n-a\n+A\n@@\n-c\n+c\n"),
         {"x": b"A\n  c \n\tc"}, (("x", b"a\n  c \n\tc"),)),
    Case("context alone with the line of each change", envelope(UPDATE + "@@\n a\n x\n@@\n-x\n+1\n@@\n b\n x\n@@\n-x\n+2\n"), {"x": b"a\n1\nb\n2\n"}, (("x", b"a\nx\nb\nx\n"),)),
    Case("context without its sign, above a removed line", envelope("*** Update File: app.py\n@@ def load(path):\n    with open(path) as file:\n-        return file.read()\n+        return file.readline()\n"),
         {"app.py": APP.replace(b"read()", b"readline()")}, (("app.py", APP),)),
    Case("one line of context without its sign", envelope("*** Update File: app.py\n@@\n def load(path):\n    with open(path) as file:\n-        return file.read()\n+        return file.readline()\n\n \n"),
         {"app.py": APP.replace(b"read()", b"readline()")}, (("app.py", APP),)),
    # Refused.
    Case("context without its sign, and a removed line at another depth", envelope("*** Update File: app.py\n@@ def load(path):\n    with open(path) as file:\n-     return file.read()\n+     return 1\n"), None, (("app.py", APP),), refused="its old lines are not in the file"),
    Case("context without its sign, an added line between two depths", envelope("*** Update File: app.py\n@@ def load(path):\n    with open(path) as file:\n-        return file.read()\n+       return 1\n"), None, (("app.py", APP),), refused="its old lines are not in the file"),
    Case("context without its sign, twice", envelope("*** Update File: app.py\n@@\n    with open(path) as file:\n-        return file.read()\n+        return 1\n"), None, (("app.py", APP + APP),), refused="more than once, at lines 5, 15"),
    Case("lines that are added again around an ambiguous change", envelope(UPDATE + "@@\n-c\n+c\n@@\n-a\n+A\n"), None, (("x", b"c\na\nc\na\n"),), refused="more than once, at lines 2, 4"),
    Case("context alone of another place", envelope(UPDATE + "@@\n call(\n" + RENAME), None, (("x", POOL),), refused="more than once, at lines 3, 7, 11"),
    Case("context alone that repeats the line", envelope(UPDATE + "@@\n call(\n kind,\n inst,\n" + RENAME), None, (("x", POOL),), refused="more than once, at lines 3, 7, 11"),
    Case("context alone, one of two changes shown at another depth", envelope(UPDATE + RENAME + NEW + RENAME), None, (("x", POOL),), refused="more than once, at lines 3, 7, 11"),
    Case("context alone in many places, then in one", envelope(UPDATE + "@@\n kind,\n" + RENAME + NEW + RENAME), None, (("x", POOL),), refused="more than once, at lines 3, 7, 11"),
    Case("context alone, one change twice", envelope(UPDATE + CALL + RENAME + CALL + RENAME), None, (("x", POOL),), refused="before the end of an earlier hunk"),
    Case("context alone that shows a place of two", envelope(UPDATE + "@@\n def f(\n kind,\n inst,\n ):\n" + RENAME + NEW + RENAME), None, (("x", POOL),), refused="more than once, at lines 3, 7, 11"),
    Case("a heading in prose, two places", envelope(UPDATE + "@@ the second letter\n-b\n+B\n"), None, (("x", b"b\nb\n"),), refused="its heading"),
    Case("a heading in prose, a place that is alike", envelope(UPDATE + "@@ the second letter\n-b\n+B\n"), None, (("x", b"a\n  b\n"),), refused="its heading"),
    Case("a heading in prose below its hunk", envelope(UPDATE + "@@ the second letter\n-b\n+B\n"), None, (("x", b"b\nthe second letter\n"),), refused="its heading"),
    Case("a heading of a declaration", envelope(UPDATE + "@@ class Letter\n-b\n+B\n"), None, refused="its heading"),
    Case("context alone that is not there", envelope(UPDATE + "@@\n x\n@@\n-b\n+B\n"), None, refused="hunk 1 of x (line 3 of the patch) does not apply: its old lines"),
    Case("context alone that is there in parts", envelope(UPDATE + "@@\n a\n c\n@@\n-b\n+B\n"), None, refused="its old lines"),
    Case("context alone of a new file", "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+1\n@@ -1 +2 @@\n 1\n", None, refused="cannot have kept"),
    Case("another patch before the mark", "-a\n+A\n" + envelope(UPDATE + "@@\n-b\n+B\n"), None, refused="does not begin with"),
    Case("moved twice", envelope(UPDATE + "*** Move to: y\n*** Move to: z\n"), None, refused="begins with neither"),
    Case("no end", "*** Begin Patch\n" + UPDATE + "@@\n-b\n+B\n", None, refused="no '*** End Patch'"),
    Case("adds a file that is there", envelope("*** Add File: x\n+1\n"), None, refused="which exists already"),
    Case("an old line that is not there", envelope(UPDATE + "@@\n a\n-bb\n+B\n"), None, refused="'b', where the hunk has 'bb'"),
    Case("a place among equals", envelope(UPDATE + "@@\n-a\n+A\n"), None, (("x", b"a\nb\na\n"),), refused="more than once, at lines 1, 3"),
    Case("a heading that is not there", envelope(UPDATE + "@@ def f():\n-b\n+B\n"), None, refused="its heading"),
    Case("moves onto a file", envelope(UPDATE + "*** Move to: y\n"), None, (("x", ABC), ("y", b"1\n")), refused="which exists already"),
    Case("deletes what is not there", envelope("*** Delete File: z\n"), None, refused="z does not exist"),
    Case("no sign before a line", envelope(UPDATE + "@@\na\n-b\n+B\n"), None, refused="neither a space, '-' nor '+'"),
    Case("adds has no kept or removed line", envelope(UPDATE + "@@\n+new\n"), None, refused="has no kept or removed line"),
    Case("two envelopes", envelope(UPDATE + "@@\n-b\n+B\n") + envelope(UPDATE + "@@\n-c\n+C\n"), None, refused="follows '*** End Patch'"),
]  # fmt: skip


@pytest.mark.parametrize(
    "case",
    [*UNIFIED, *ENVELOPES],
    ids=attrgetter("name"),
)
def test_applies_or_refuses_patches_of_models(
    case: Case, tree: Callable[..., object]
) -> None:
    files = tree(dict(case.files))
    if case.after is not None:
        assert files.patched(case.patch) == case.after  # type: ignore[attr-defined]
        return
    with pytest.raises(FilewrightError) as refused:
        files.patched(case.patch)  # type: ignore[attr-defined]
    assert case.refused in f"{refused.value.message}"
    # There is no step after a patch that is applied already.
    assert refused.value.hint or refused.value.code is Code.ALREADY_APPLIED
    assert refused.value.code is not Code.INTERNAL
