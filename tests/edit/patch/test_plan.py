"""Plans of whole patches: unified diffs, plain and git's, do what they say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from operator import attrgetter

import pytest

from filewright.edit.patch.plan import plan_patch
from filewright.edit.patch.reader import parse_patch
from filewright.errors import FilewrightError
from filewright.progress import Task

H = "--- a/x\n+++ b/x\n"
ABC = b"a\nb\nc\nd\ne\nf\ng\nh\n"


@dataclass
class Case:
    """Files, a patch, and the files after it (None: gone)."""

    name: str
    files: dict[str, bytes]
    patch: str
    after: dict[str, bytes | None]
    modes: dict[str, int] = field(default_factory=dict)


METHOD = b"class A:\n    def f(self):\n        x = 1\n"

CASES = [
    Case(
        "context that lost the space before it",
        {"x": METHOD},
        H
        + "@@ -2,2 +2,3 @@\n    def f(self):\n        x = 1\n+        y = 2\n",
        {"x": METHOD + b"        y = 2\n"},
    ),
    Case(
        "context of an envelope that lost the space before it",
        {"x": METHOD},
        "*** Begin Patch\n*** Update File: x\n@@\n    def f(self):\n        x = 1\n+        y = 2\n*** End Patch\n",
        {"x": METHOD + b"        y = 2\n"},
    ),
    Case(
        "a kept line that is the last one, without its newline",
        {"x": b"a\nb\nc"},
        H
        + "@@ -1,3 +1 @@\n-a\n-b\n-c\n\\ No newline at end of file\n+a\n\\ No newline at end of file\n",
        {"x": b"a"},
    ),
    Case(
        "a created file with carriage returns",
        {},
        "--- /dev/null\n+++ b/new\n@@ -0,0 +1,2 @@\n+a\r\n+b\r\n",
        {"new": b"a\r\nb\r\n"},
    ),
    Case(
        "a created file in a patch with returns throughout",
        {"x": b"a\nb\nc\n"},
        (
            H
            + "@@ -1 +1 @@\n-a\n+A\n--- /dev/null\n+++ b/new\n@@ -0,0 +1,2 @@\n+a\n+b\n"
        ).replace("\n", "\r\n"),
        {"x": b"A\nb\nc\n", "new": b"a\r\nb\r\n"},
    ),
    Case(
        "a created file in such a patch without its last newline",
        {},
        "--- /dev/null\r\n+++ b/new\r\n@@ -0,0 +1,2 @@\r\n+a\r\n+b\r\n\\ No newline at end of file\r\n",
        {"new": b"a\r\nb"},
    ),
    Case(
        "an added file of an envelope with a carriage return",
        {},
        "*** Begin Patch\n*** Add File: new\n+a\r\n+b\n*** End Patch\n",
        {"new": b"a\r\nb\n"},
    ),
    Case(
        "counts one too high before the next file",
        {"x": b"a\nb\nc\n", "y": b"1\n"},
        H
        + "@@ -1,4 +1,4 @@\n a\n-b\n+B\n c\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-1\n+2\n",
        {"x": b"a\nB\nc\n", "y": b"2\n"},
    ),
    Case(
        "counts one too high before the next file, without context",
        {"x": b"a\nb\nc\n", "y": b"1\n"},
        H + "@@ -2,2 +2,2 @@\n-b\n+B\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-1\n+2\n",
        {"x": b"a\nB\nc\n", "y": b"2\n"},
    ),
    Case(
        "counts that are right where lines behind the first change look like a header",
        {"x": b"a\n-- a/y\nc\nd\n"},
        H + "@@ -1,2 +1,2 @@\n-a\n+A\n--- a/y\n+++ b/y\n@@ -4 +4 @@\n-d\n+D\n",
        {"x": b"A\n++ b/y\nc\nD\n"},
    ),
    Case(
        "counts that are right where changed lines look like a header",
        {"x": b"-- a/y\nb\nc\nd\n"},
        H + "@@ -1 +1 @@\n--- a/y\n+++ b/y\n@@ -4 +4 @@\n-d\n+D\n",
        {"x": b"++ b/y\nb\nc\nD\n"},
    ),
    Case(
        "modify",
        {"x": ABC},
        H + "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n",
        {"x": ABC.replace(b"b", b"B")},
    ),
    Case(
        "a result near the number, where the hunk below is off by as many lines",
        {"x": b"1\n2\n3\n(\n  b\n  c\n)\n\n(\n  c\n)\nlast\n"},
        H + "@@ -5,3 +5,4 @@\n (\n+  b\n   c\n )\n@@ -8 +9 @@\n-last\n+end\n",
        {
            "x": b"1\n2\n3\n(\n  b\n  c\n)\n\n(\n  b\n  c\n)\nend\n",
        },
    ),
    Case(
        "in a here-document",
        {"x": ABC},
        "cat <<'EOF' | git apply\n"
        + H
        + "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\nEOF\necho done\n",
        {"x": ABC.replace(b"b", b"B")},
    ),
    Case(
        "modify without prefixes",
        {"x": ABC},
        "--- x\n+++ x\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n",
        {"x": ABC.replace(b"b", b"B")},
    ),
    Case(
        "git header and index line",
        {"x": ABC},
        "diff --git a/x b/x\nindex 01234..56789 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@ f():\n-a\n+A\n b\n",
        {"x": ABC.replace(b"a", b"A")},
    ),
    Case(
        "mnemonic prefixes",
        {"x": ABC},
        "--- i/x\n+++ w/x\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n",
        {"x": ABC.replace(b"a", b"A")},
    ),
    Case(
        "a folder named a",
        {"a/x": ABC},
        "diff --git a/x a/x\n--- a/x\n+++ a/x\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n",
        {"a/x": ABC.replace(b"a", b"A")},
    ),
    Case(
        "times behind a tab",
        {"x": ABC},
        "--- x\t2026-01-01 10:00:00 +0100\n+++ x\t2026-01-02 10:00:00 +0100\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n",
        {"x": ABC.replace(b"a", b"A")},
    ),
    Case(
        "times behind a blank",
        {"x": ABC},
        "--- a/x 2026-01-01 10:00:00 +0100\n+++ b/x 2026-01-02 10:00:00\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n",
        {"x": ABC.replace(b"a", b"A")},
    ),
    Case(
        "a prefix on one side only",
        {"x": ABC},
        "--- x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n",
        {"x": ABC.replace(b"a", b"A")},
    ),
    Case(
        "a backup's name",
        {"x": ABC},
        "--- x.orig\n+++ x\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n",
        {"x": ABC.replace(b"a", b"A")},
    ),
    Case(
        "text before the first header",
        {"x": ABC},
        "From: me\nSubject: fix\n\nBecause.\n---\n x | 2 +-\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n"
        "@@ -1,2 +1,2 @@\n-a\n+A\n b\n-- \n2.39.5\n\n",
        {"x": ABC.replace(b"a", b"A")},
    ),
    Case(
        "an svn index line",
        {"x": ABC},
        "Index: x\n"
        + "=" * 67
        + "\n--- x\t(revision 1)\n+++ x\t(working copy)\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n",
        {"x": ABC.replace(b"a", b"A")},
    ),
    Case(
        "a code fence round it",
        {"x": ABC},
        "```diff\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n```\n",
        {"x": ABC.replace(b"a", b"A")},
    ),
    Case(
        "quoted names",
        {'t\tb"ü': ABC},
        '--- "a/t\\tb\\"\\303\\274"\n+++ "b/t\\tb\\"\\303\\274"\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n',
        {'t\tb"ü': ABC.replace(b"a", b"A")},
    ),
    Case(
        "quoted names behind their prefixes",
        {"t\tb": ABC},
        'diff --git a/"t\\tb" b/"t\\tb"\n--- a/"t\\tb"\n+++ b/"t\\tb"\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n',
        {"t\tb": ABC.replace(b"a", b"A")},
    ),
    Case(
        "quoted names of a rename with a hunk",
        {'t"x': ABC},
        'diff --git "a/t\\"x" "b/\\303\\274y"\nrename from "t\\"x"\nrename to "\\303\\274y"\n--- "a/t\\"x"\n'
        '+++ "b/\\303\\274y"\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n',
        {'t"x': None, "üy": ABC.replace(b"a", b"A")},
    ),
    Case(
        "spaces in a name",
        {"my file": ABC},
        "--- a/my file\t\n+++ b/my file\t\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n",
        {"my file": ABC.replace(b"a", b"A")},
    ),
    Case(
        "several hunks",
        {"x": ABC},
        H + "@@ -1,2 +1,3 @@\n+0\n a\n b\n@@ -7,2 +8,2 @@\n g\n-h\n+H\n",
        {"x": b"0\na\nb\nc\nd\ne\nf\ng\nH\n"},
    ),
    Case(
        "several files",
        {"x": ABC, "y": ABC},
        H
        + "@@ -1,2 +1,2 @@\n-a\n+A\n b\n--- a/y\n+++ b/y\n@@ -1,2 +1,2 @@\n-a\n+Y\n b\n",
        {"x": ABC.replace(b"a", b"A"), "y": ABC.replace(b"a", b"Y")},
    ),
    Case(
        "removed lines that look like headers",
        {"x": b"-- a/x\n++ b/x\nz\n"},
        H + "@@ -1,3 +1,2 @@\n--- a/x\n-++ b/x\n+++ c\n z\n",
        {"x": b"++ c\nz\n"},
    ),
    Case(
        "create",
        {},
        "--- /dev/null\n+++ b/d/n\n@@ -0,0 +1,2 @@\n+1\n+2\n",
        {"d/n": b"1\n2\n"},
    ),
    Case(
        "create by git",
        {},
        "diff --git a/n b/n\nnew file mode 100755\nindex 0000000..1234567\n--- /dev/null\n"
        "+++ b/n\n@@ -0,0 +1 @@\n+#!/bin/sh\n",
        {"n": b"#!/bin/sh\n"},
        {"n": 0o755},
    ),
    Case(
        "create an empty file",
        {},
        "diff --git a/n b/n\nnew file mode 100644\nindex 0000000..e69de29\n",
        {"n": b""},
    ),
    Case(
        "create without final newline",
        {},
        "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+1\n\\ No newline at end of file\n",
        {"n": b"1"},
    ),
    Case(
        "create by the time of the epoch",
        {},
        "--- n\t1970-01-01 00:00:00.000000000 +0000\n+++ n\t2026-01-01 00:00:00 +0000\n@@ -0,0 +1 @@\n+1\n",
        {"n": b"1\n"},
    ),
    Case(
        "delete",
        {"x": b"1\n2\n"},
        "--- a/x\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-1\n-2\n",
        {"x": None},
    ),
    Case(
        "delete by git",
        {"x": b"1\n2"},
        "diff --git a/x b/x\ndeleted file mode 100644\nindex 1234567..0000000\n--- a/x\n"
        "+++ /dev/null\n@@ -1,2 +0,0 @@\n-1\n-2\n\\ No newline at end of file\n",
        {"x": None},
    ),
    Case(
        "delete an empty file",
        {"x": b""},
        "diff --git a/x b/x\ndeleted file mode 100644\nindex e69de29..0000000\n",
        {"x": None},
    ),
    Case(
        "empty a file but keep it",
        {"x": b"1\n"},
        H + "@@ -1 +0,0 @@\n-1\n",
        {"x": b""},
    ),
    Case(
        "fill an empty file",
        {"x": b""},
        H + "@@ -0,0 +1,2 @@\n+1\n+2\n",
        {"x": b"1\n2\n"},
    ),
    Case(
        "rename",
        {"x": ABC},
        "diff --git a/x b/d/y\nsimilarity index 100%\nrename from x\nrename to d/y\n",
        {"x": None, "d/y": ABC},
    ),
    Case(
        "rename with a hunk",
        {"x": ABC},
        "diff --git a/x b/y\nsimilarity index 90%\nrename from x\nrename to y\nindex 12345..89abc 100644\n"
        "--- a/x\n+++ b/y\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n",
        {"x": None, "y": ABC.replace(b"a", b"A")},
    ),
    Case(
        "rename with a hunk that names the new file",
        {"x": ABC},
        "diff --git a/x b/y\nrename from x\nrename to y\n--- a/y\n+++ b/y\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n",
        {"x": None, "y": ABC.replace(b"a", b"A")},
    ),
    Case(
        "copy",
        {"x": ABC},
        "diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\n",
        {"x": ABC, "y": ABC},
    ),
    Case(
        "copy with a hunk, the source changed too",
        {"x": ABC},
        "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+X\n b\n"
        "diff --git a/x b/y\nsimilarity index 90%\ncopy from x\ncopy to y\n--- a/x\n+++ b/y\n"
        "@@ -1,2 +1,2 @@\n-a\n+Y\n b\n",
        {"x": ABC.replace(b"a", b"X"), "y": ABC.replace(b"a", b"Y")},
    ),
    Case(
        "mode",
        {"x": ABC},
        "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n",
        {"x": ABC},
        {"x": 0o755},
    ),
    Case(
        "mode and hunk",
        {"x": ABC},
        "diff --git a/x b/x\nold mode 100644\nnew mode 100755\nindex 1..2\n--- a/x\n+++ b/x\n"
        "@@ -1,2 +1,2 @@\n-a\n+A\n b\n".replace("1..2", "1111..2222"),
        {"x": ABC.replace(b"a", b"A")},
        {"x": 0o755},
    ),
    Case(
        "mode and rename",
        {"x": ABC},
        "diff --git a/x b/y\nold mode 100644\nnew mode 100755\nsimilarity index 100%\n"
        "rename from x\nrename to y\n",
        {"x": None, "y": ABC},
        {"y": 0o755},
    ),
    Case(
        "the last line gets a newline",
        {"x": b"a\nb"},
        H + "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n",
        {"x": b"a\nb\n"},
    ),
    Case(
        "the last line gets a newline, and has other blanks than the patch says",
        {"x": b"a\nb"},
        H + "@@ -2 +2 @@\n-b  \n\\ No newline at end of file\n+b\n",
        {"x": b"a\nb\n"},
    ),
    Case(
        "the last line loses its newline",
        {"x": b"a\nb\n"},
        H + "@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n",
        {"x": b"a\nb"},
    ),
    Case(
        "a missing newline stays missing",
        {"x": b"a\nb"},
        H + "@@ -1,2 +1,2 @@\n a\n-b\n+B\n",
        {"x": b"a\nB"},
    ),
    Case(
        "lines behind an unended line",
        {"x": b"a\nb"},
        H + "@@ -1,2 +1,3 @@\n a\n b\n+c\n",
        {"x": b"a\nb\nc"},
    ),
    Case(
        "a newline the patch does not know of stays",
        {"x": b"a\nb\n"},
        H
        + "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n",
        {"x": b"a\nc\n"},
    ),
    Case(
        "a line feed patch for a CRLF file",
        {"x": b"a\r\nb\r\nc\r\n"},
        H + "@@ -1,3 +1,4 @@\n a\n-b\n+B\n+B2\n c\n",
        {"x": b"a\r\nB\r\nB2\r\nc\r\n"},
    ),
    Case(
        "a CRLF patch for a line feed file",
        {"x": ABC},
        "--- a/x\r\n+++ b/x\r\n@@ -1,3 +1,3 @@\r\n a\r\n-b\r\n+B\r\n c\r\n",
        {"x": ABC.replace(b"b", b"B")},
    ),
    Case(
        "git's patch of a CRLF file",
        {"x": b"a\r\nb\r\nc\r\n"},
        H + "@@ -1,3 +1,3 @@\n a\r\n-b\r\n+B\r\n c\r\n",
        {"x": b"a\r\nB\r\nc\r\n"},
    ),
    Case(
        "returns that the file does not have are not written",
        {"x": b"a\nb\nc\n"},
        H + "@@ -1,3 +1,3 @@\n a\r\n-b\n+B\r\n c\n",
        {"x": b"a\nB\nc\n"},
    ),
    Case(
        "a change of terminators only",
        {"x": b"a\r\nb\r\nc\r\n"},
        H + "@@ -1,3 +1,3 @@\n a\r\n-b\r\n+b\n c\r\n",
        {"x": b"a\r\nb\nc\r\n"},
    ),
    Case(
        "mixed terminators stay",
        {"x": b"a\r\nb\nc\rd\r\ne\r\n"},
        H + "@@ -1,4 +1,4 @@\n a\n b\n-c\n+C\n d\n",
        {"x": b"a\r\nb\nC\rd\r\ne\r\n"},
    ),
    Case(
        "a line removed and added again keeps its terminator",
        {"x": b"a\r\nb\nc\r\n"},
        H + "@@ -1,3 +1,3 @@\n-a\n-b\n-c\n+a\n+b\n+C\n",
        {"x": b"a\r\nb\nC\r\n"},
    ),
    Case(
        "a file of lone returns",
        {"x": b"a\rb\rc\r"},
        H + "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n",
        {"x": b"a\rB\rc\r"},
    ),
    Case(
        "git's patch that gives a file of lone returns a newline",
        {"x": b"a\rb\rc"},
        H + "@@ -1 +1 @@\n-a\rb\rc\n\\ No newline at end of file\n+a\rB\rc\n",
        {"x": b"a\rB\rc\n"},
    ),
    Case(
        "git's patch of a file of lone returns",
        {"x": b"a\rb\rc"},
        H
        + "@@ -1 +1 @@\n-a\rb\rc\n\\ No newline at end of file\n+a\rB\rc\n\\ No newline at end of file\n",
        {"x": b"a\rB\rc"},
    ),
    Case(
        "the byte-order mark stays",
        {"x": b"\xef\xbb\xbfa\nb\n"},
        H + "@@ -1,2 +1,2 @@\n-a\n+A\n b\n",
        {"x": b"\xef\xbb\xbfA\nb\n"},
    ),
    Case(
        "a byte-order mark that the patch takes away",
        {"x": b"\xef\xbb\xbf" + ABC},
        H
        + "@@ -1,3 +1,3 @@\n-\ufeffa\n+a\n b\n c\n@@ -7,2 +7,2 @@\n g\n-h\n+H\n",
        {"x": ABC.replace(b"h", b"H")},
    ),
    Case(
        "a byte-order mark that goes with all lines",
        {"x": b"\xef\xbb\xbfa\n"},
        H + "@@ -1 +0,0 @@\n-\ufeffa\n",
        {"x": b""},
    ),
    Case(
        "a byte-order mark that goes on to the next line",
        {"x": b"\xef\xbb\xbfa\nb\n"},
        H + "@@ -1,2 +1 @@\n-\ufeffa\n-b\n+\ufeffb\n",
        {"x": b"\xef\xbb\xbfb\n"},
    ),
    Case(
        "a byte-order mark in the patch",
        {"x": b"\xef\xbb\xbfa\nb\n"},
        H + "@@ -1,2 +1,2 @@\n-\ufeffa\n+\ufeffA\n b\n",
        {"x": b"\xef\xbb\xbfA\nb\n"},
    ),
    Case(
        "invalid bytes elsewhere stay",
        {"x": b"a\nb\nc\nd\ne\xff\n"},
        H + "@@ -1,2 +1,2 @@\n-a\n+ä\n b\n",
        {"x": b"\xc3\xa4\nb\nc\nd\ne\xff\n"},
    ),
    Case(
        "an inner line separator is no line",
        {"x": "a\u2028b\nc\x0cd\ne\n".encode()},
        H + "@@ -1,3 +1,3 @@\n a\u2028b\n-c\x0cd\n+C\n e\n",
        {"x": "a\u2028b\nC\ne\n".encode()},
    ),
    Case(
        "wrong counts, too small",
        {"x": ABC},
        H + "@@ -1,2 +1,2 @@\n a\n-b\n+B\n c\n d\n",
        {"x": ABC.replace(b"b", b"B")},
    ),
    Case(
        "wrong counts, too large",
        {"x": ABC},
        H + "@@ -1,9 +1,12 @@\n a\n-b\n+B\n c\n",
        {"x": ABC.replace(b"b", b"B")},
    ),
    Case(
        "wrong counts before another hunk",
        {"x": ABC},
        H + "@@ -1,9 +1,9 @@\n a\n-b\n+B\n@@ -7,2 +7,2 @@\n g\n-h\n+H\n",
        {"x": b"a\nB\nc\nd\ne\nf\ng\nH\n"},
    ),
    Case(
        "wrong counts before another file",
        {"x": ABC, "y": ABC},
        H
        + "@@ -1,9 +1,9 @@\n a\n-b\n+B\n c\n--- a/y\n+++ b/y\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n",
        {"x": ABC.replace(b"b", b"B"), "y": ABC.replace(b"a", b"A")},
    ),
    Case(
        "an empty line of context without its space",
        {"x": b"a\n\nb\nc\n"},
        H + "@@ -1,4 +1,4 @@\n a\n\n-b\n+B\n c\n",
        {"x": b"a\n\nB\nc\n"},
    ),
    Case(
        "a wrong line number",
        {"x": ABC},
        H + "@@ -100,3 +100,3 @@\n c\n-d\n+D\n e\n",
        {"x": ABC.replace(b"d", b"D")},
    ),
    Case(
        "no line numbers at all",
        {"x": ABC},
        H + "@@ ... @@\n c\n-d\n+D\n e\n",
        {"x": ABC.replace(b"d", b"D")},
    ),
    Case(
        "the number chooses among equals",
        {"x": b"k\nv\n" * 9},
        H + "@@ -9,2 +9,2 @@\n k\n-v\n+V\n",
        {"x": b"k\nv\n" * 4 + b"k\nV\n" + b"k\nv\n" * 4},
    ),
    Case(
        "the next hunk's drift helps to choose",
        {"x": b"k\nv\n" + b"new\n" * 9 + b"k\nv\nend\n"},
        H + "@@ -9,2 +9,2 @@\n k\n-v\n+V\n@@ -11 +11 @@\n-end\n+END\n",
        {"x": b"k\nv\n" + b"new\n" * 9 + b"k\nV\nEND\n"},
    ),
    Case(
        "an earlier hunk's drift helps to choose",
        {"x": b"new\n" * 4 + b"top\n" + b"k\nv\n" * 9},
        H + "@@ -1 +1 @@\n-top\n+TOP\n@@ -4,2 +4,2 @@\n k\n-v\n+V\n k\n",
        {"x": b"new\n" * 4 + b"TOP\nk\nv\nk\nV\n" + b"k\nv\n" * 7},
    ),
    Case(
        "the order of hunks settles the rest",
        {"x": b"k\nv\nmid\nk\nv\n"},
        H + "@@ @@\n k\n-v\n+1\n@@ @@\n-mid\n+MID\n@@ @@\n k\n-v\n+2\n",
        {"x": b"k\n1\nMID\nk\n2\n"},
    ),
    Case(
        "trailing blanks lost in the patch",
        {"x": b"a  \nb\nc\t\n"},
        H + "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n",
        {"x": b"a  \nB\nc\t\n"},
    ),
    Case(
        "another indentation",
        {"x": b"  def f():\n      return 1\n  # end\n"},
        H
        + "@@ -1,3 +1,4 @@\n def f():\n-    return 1\n+    if x:\n+        return 2\n # end\n",
        {"x": b"  def f():\n      if x:\n          return 2\n  # end\n"},
    ),
    Case(
        "curly quotes in the context",
        {"x": b'say("hi")\nb\nc\n'},
        H + "@@ -1,3 +1,3 @@\n say(“hi”)\n-b\n+say(“you”)\n c\n",
        {"x": b'say("hi")\nsay("you")\nc\n'},
    ),
    Case(
        "blank lines the hunk does not have",
        {"x": b"one\n\n\ntwo\nthree\n"},
        H + "@@ -1,3 +1,3 @@\n one\n two\n-three\n+3\n",
        {"x": b"one\n\n\ntwo\n3\n"},
    ),
    Case(
        "changes without context",
        {"x": ABC},
        H + "@@ -4 +4 @@\n-d\n+D\n",
        {"x": ABC.replace(b"d", b"D")},
    ),
]


@pytest.mark.parametrize("held", [True, False], ids=["held", "windowed"])
@pytest.mark.parametrize("case", CASES, ids=attrgetter("name"))
def test_applies_unified_diffs(
    case: Case, held: bool, tree: Callable[..., object]
) -> None:
    made = tree(case.files, held=held)
    expected = {
        **case.files,
        **{k: v for k, v in case.after.items() if v is not None},
    }
    expected = {
        k: v for k, v in expected.items() if case.after.get(k, v) is not None
    }
    assert made.patched(case.patch) == expected  # type: ignore[attr-defined]
    for name, mode in case.modes.items():
        assert made.modes[name] == mode  # type: ignore[attr-defined]


def test_cancels_planning(tree: Callable[..., object]) -> None:
    task = Task()
    task.cancel()
    with pytest.raises(FilewrightError, match="cancelled"):
        list(
            plan_patch(
                parse_patch(H + "@@ -1,2 +1,2 @@\n-a\n+A\n b\n"),
                tree({"x": ABC}).look,
                task=task,
            )
        )  # type: ignore[attr-defined]


def test_diff_of_plan_is_equivalent_patch(
    tree: Callable[..., object],
) -> None:
    files = {"x": ABC, "y": b"1\n2\n", "z": b"gone\n"}
    patch = (
        "diff --git a/x b/moved\nsimilarity index 80%\nrename from x\nrename to moved\n"
        "--- a/x\n+++ b/moved\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n"
        "--- a/y\n+++ b/y\n@@ -1,2 +1,3 @@\n 1\n 2\n+3\n"
        "--- a/z\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+new\n"
    )
    after = tree(files).patched(patch)  # type: ignore[attr-defined]
    assert tree(files).patched(tree(files).diff(patch)) == after  # type: ignore[attr-defined]
