"""The dialect `agent-tools` at its interface: every tool, default, bound, order of errors, footer."""

from __future__ import annotations

import json
import os

import pytest
from tests.samples import in_part

from filewright import Workspace
from filewright.settings import Settings

DIALECT = "agent-tools"

PY = "def f():\n    x = 1\n    return x\n"
MIXED = b"\xef\xbb\xbfone\r\ntwo\nthree \xff\r\nfour"
TEN = "".join(f"line {n}\n" for n in range(1, 11))
NEW = "--- /dev/null\n+++ b/<>/n.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n"
CHANGE = (
    "--- a/<>/a.txt\n+++ b/<>/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"
)


def row(number, text):
    return f"{number:>6}\t{text}"


def edit(path="<>/a.txt", old="two", new="2", **more):
    return (
        "edit_file",
        {"path": path, "old_string": old, "new_string": new, **more},
    )


def given(**case):
    """A case of the table; conftest says what its fields mean."""
    return case


TABLE = [
    # read_file
    given(name="read: numbered rows", files={"a.txt": "one\ntwo\n"}, call=("read_file", {"path": "<>/a.txt"}),
         text=f"{row(1, 'one')}\n{row(2, 'two')}"),
    given(name="read: offset and limit, the next offset", files={"a.txt": TEN},
         call=("read_file", {"path": "<>/a.txt", "offset": 3, "limit": 2}),
         text=f"{row(3, 'line 3')}\n{row(4, 'line 4')}\n[... 2 of 10 lines shown; continue with offset=5 ...]"),
    given(name="read: the last lines", held=True, files={"a.txt": TEN}, call=("read_file", {"path": "<>/a.txt", "offset": -2}),
         text=f"{row(9, 'line 9')}\n{row(10, 'line 10')}"),
    given(name="read: more last lines than there are", files={"a.txt": "x\n"},
         call=("read_file", {"path": "<>/a.txt", "offset": -50}), text=row(1, "x")),
    given(name="read: offset 0", files={"a.txt": TEN}, call=("read_file", {"path": "<>/a.txt", "offset": 0}),
         error="invalid_input", json={"line_count": 10, "message": lambda m: m.startswith("offset=0")}),
    given(name="read: past the end", files={"a.txt": TEN}, call=("read_file", {"path": "<>/a.txt", "offset": 11}),
         error="invalid_input", json={"line_count": 10, "argument": "offset"}),
    given(name="read: an empty file", files={"e": ""}, call=("read_file", {"path": "<>/e"}), text="(empty file)"),
    given(name="read: a long line is cut", files={"a.txt": "ü" * 3000 + "\nend\n"}, call=("read_file", {"path": "<>/a.txt"}),
         text=f"{row(1, 'ü' * 2000)} [... line truncated ...]\n{row(2, 'end')}\n(lines cut; read on with offset=1 and column=2001)"),
    given(name="read: on in a long line", files={"a.txt": "ü" * 3000 + "\nend\n"},
         call=("read_file", {"path": "<>/a.txt", "column": 2999}), text=row(1, "üü")),
    given(name="read: on in a line that is not there", files={"a.txt": TEN},
         call=("read_file", {"path": "<>/a.txt", "offset": 11, "column": 1}), error="invalid_input",
         json={"argument": "offset", "line_count": 10, "message": lambda m: m.startswith("offset=11")}),
    given(name="read: names the encoding and the lines with bytes that are none", files={"a.txt": b"ok\nbad \xff\n"},
         call=("read_file", {"path": "<>/a.txt"}), says=["shown as \ufffd, in lines 2)"]),
    given(name="read: takes an encoding", files={"a.txt": "grün\n".encode("latin-1")},
         call=("read_file", {"path": "<>/a.txt", "encoding": "latin-1"}), says=["grün", "(encoding: "]),
    given(name="read: a folder", files={"d": None}, call=("read_file", {"path": "<>/d"}), error="not_a_file"),
    given(name="read: missing", call=("read_file", {"path": "<>/no"}), error="not_found", json={"path": "<>/no"}),
    given(name="read: binary", files={"b": b"\0\1"}, call=("read_file", {"path": "<>/b"}), error="is_binary"),
    given(name="read: an image is binary", files={"i.png": b"\x89PNG\r\n\x1a\n" + bytes(30)},
         call=("read_file", {"path": "<>/i.png"}), error="is_binary"),
    given(name="read: out", call=("read_file", {"path": "../../etc/passwd"}), error="path_escape", json={"root": ...}),
    given(name="read: out before the offset is looked at", call=("read_file", {"path": "../x", "offset": 0}),
         error="path_escape"),
    given(name="read: missing before the offset is looked at", call=("read_file", {"path": "<>/no", "offset": 0}),
         error="not_found"),
    given(name="read: binary before the offset is looked at", files={"b": b"\0"},
         call=("read_file", {"path": "<>/b", "offset": 0}), error="is_binary"),
    given(name="read: too large before binary", files={"b": b"\0" * 20_000_001}, call=("read_file", {"path": "<>/b"}),
         error="too_large", json={"size": 20_000_001, "limit": 20_000_000}),
    given(name="read: a FIFO", files={"p": ("fifo",)}, call=("read_file", {"path": "<>/p"}), error="not_a_file"),
    given(name="read: a link out", files={"l": ("link", "/etc/passwd")}, call=("read_file", {"path": "<>/l"}),
         error="path_escape"),
    given(name="read: an unknown argument is passed over and named", files={"a.txt": "one\n"},
         call=("read_file", {"path": "<>/a.txt", "lines": 3}),
         text=f"{row(1, 'one')}\n(unknown arguments were passed over: lines)"),
    given(name="read: limit 0 is the default", files={"a.txt": "one\n"}, call=("read_file", {"path": "<>/a.txt", "limit": 0}),
         text=row(1, "one")),
    given(name="image: none", files={"a.txt": "one\n"}, call=("read_image", {"path": "<>/a.txt"}), error="not_an_image"),
    given(name="read: a big file is cut and says where to go on", held=True, files={"a.txt": "some line of text\n" * 9000},
         call=("read_file", {"path": "<>/a.txt", "limit": 9000}), says=["of 9000 lines shown; continue with offset="]),
    # read_files
    given(name="read many: failures in their place", files={"a.txt": "one\n", "e": ""},
         call=("read_files", {"paths": ["<>/a.txt", "<>/no", "<>/e"]}),
         says=[f"==> <>/a.txt <==\n{row(1, 'one')}\n==> <>/no — not_found: ", " <==\n==> <>/e <==\n(empty file)"]),
    given(name="read many: at most 64", call=("read_files", {"paths": ["a"] * 65}), error="invalid_input", says=["64"]),
    given(name="read many: at least one", call=("read_files", {"paths": []}), error="invalid_input"),
    # list_dir, glob, tree
    given(name="list: folders first, then sizes", files={"b.txt": "abc", "a.txt": "", "z": None, ".h": "x"},
         call=("list_dir", {"path": "<>"}), text="z/\n.h\t1\na.txt\t0\nb.txt\t3"),
    given(name="list: empty", files={"d": None}, call=("list_dir", {"path": "<>/d"}), text="(empty directory)"),
    given(name="list: a file", files={"a": ""}, call=("list_dir", {"path": "<>/a"}), error="invalid_input",
         json={"native_code": "not_a_directory"}),
    given(name="glob: files at any depth, hidden too", files={"a.py": "", "s/.b.py": "", "s/c.txt": "", "d.py": None},
         call=("glob", {"pattern": "*.py", "path": "<>"}), says=["<>/a.py", "<>/s/.b.py"], lacks=["c.txt", "d.py"]),
    given(name="glob: ignored files only if asked", files={".gitignore": "x.py\n", "x.py": ""},
         call=("glob", {"pattern": "*.py", "path": "<>"}), text="(no matches)"),
    given(name="glob: without the ignore rules", files={".gitignore": "x.py\n", "x.py": ""},
         call=("glob", {"pattern": "*.py", "path": "<>", "respect_gitignore": False}), text="<>/x.py"),
    given(name="glob: climbing", call=("glob", {"pattern": "../*"}), error="path_escape"),
    given(name="tree: marks and sizes; a linked folder is not entered",
         files={"a.txt": "abc", "s/b": "x", "l": ("link", "s")}, call=("tree", {"path": "<>"}),
         text="<>\n├── s/\n│   └── b\t1\n├── a.txt\t3\n└── l@"),
    given(name="tree: depth", files={"a/b/c": "x"}, call=("tree", {"path": "<>", "depth": 2}), text="<>\n└── a/\n    └── b/"),
    given(name="tree: empty", files={"d": None}, call=("tree", {"path": "<>/d"}), text="<>/d\n(no entries)"),
    given(name="tree: a margin for each level, the last of it without a line",
         files={"a/b/c": "x", "a/d": "", "e/f": ""}, call=("tree", {"path": "<>"}),
         text="<>\n├── a/\n│   ├── b/\n│   │   └── c\t1\n│   └── d\t0\n└── e/\n    └── f\t0"),
    # grep
    given(name="grep: files, sorted", files={"b.txt": "hit\n", "a.txt": "hit\nhit\n", "c": "no\n"},
         call=("grep", {"pattern": "h.t", "path": "<>"}), text="<>/a.txt\n<>/b.txt"),
    given(name="grep: counts", files={"b.txt": "hit\n", "a.txt": "hit\nhit\n"},
         call=("grep", {"pattern": "hit", "path": "<>", "output_mode": "count"}), text="<>/a.txt:2\n<>/b.txt:1"),
    given(name="grep: lines", files={"a.txt": "1\nhit\n3\n"},
         call=("grep", {"pattern": "hit", "path": "<>", "output_mode": "content"}), text="<>/a.txt:2:hit"),
    given(name="grep: context and groups", files={"a.txt": "1\nhit\n3\n4\n5\n6\nhit\n"},
         call=("grep", {"pattern": "hit", "path": "<>", "output_mode": "content", "context": 1}),
         text="<>/a.txt-1-1\n<>/a.txt:2:hit\n<>/a.txt-3-3\n--\n<>/a.txt-6-6\n<>/a.txt:7:hit"),
    given(name="grep: context that meets is one group", files={"a.txt": "hit\n2\nhit\n"},
         call=("grep", {"pattern": "hit", "path": "<>", "output_mode": "content", "after_context": 1}),
         text="<>/a.txt:1:hit\n<>/a.txt-2-2\n<>/a.txt:3:hit"),
    given(name="grep: before only", files={"a.txt": "1\n2\nhit\n4\n"},
         call=("grep", {"pattern": "hit", "path": "<>", "output_mode": "content", "before_context": 1}),
         text="<>/a.txt-2-2\n<>/a.txt:3:hit"),
    given(name="grep: ignoring case", files={"a.txt": "HIT\n"},
         call=("grep", {"pattern": "hit", "path": "<>", "ignore_case": True}), text="<>/a.txt"),
    given(name="grep: case matters otherwise", files={"a.txt": "HIT\n"}, call=("grep", {"pattern": "hit", "path": "<>"}),
         text="(no matches)"),
    given(name="grep: a glob", files={"a.txt": "hit\n", "a.py": "hit\n"},
         call=("grep", {"pattern": "hit", "path": "<>", "glob": "*.py"}), text="<>/a.py"),
    given(name="grep: one file", files={"a.txt": "hit\n"}, call=("grep", {"pattern": "hit", "path": "<>/a.txt"}), text="<>/a.txt"),
    given(name="grep: multiline", files={"a.txt": "one\ntwo\n"},
         call=("grep", {"pattern": "one\\ntwo", "path": "<>", "multiline": True, "output_mode": "count"}), text="<>/a.txt:1"),
    given(name="grep: the first page", files={"a.txt": "hit 1\nhit 2\nhit 3\n"},
         call=("grep", {"pattern": "hit", "path": "<>", "output_mode": "content", "head_limit": 2}),
         text="<>/a.txt:1:hit 1\n<>/a.txt:2:hit 2\n[... showing 0..2 of 3; call again with offset=2 for more ...]"),
    given(name="grep: the last page", files={"a.txt": "hit 1\nhit 2\nhit 3\n"},
         call=("grep", {"pattern": "hit", "path": "<>", "output_mode": "content", "head_limit": 2, "offset": 2}),
         text="<>/a.txt:3:hit 3"),
    given(name="grep: pages of files", files={"a": "hit\n", "b": "hit\n", "c": "hit\n"},
         call=("grep", {"pattern": "hit", "path": "<>", "head_limit": 1, "offset": 1}),
         text="<>/b\n[... showing 1..2 of 3; call again with offset=2 for more ...]"),
    given(name="grep: past the last page", files={"a": "hit\n"}, call=("grep", {"pattern": "hit", "path": "<>", "offset": 5}),
         text="(no results at offset 5; 1 total)"),
    given(name="grep: a bad pattern", call=("grep", {"pattern": "("}), error="invalid_input"),
    given(name="grep: missing", call=("grep", {"pattern": "x", "path": "<>/no"}), error="not_found"),
    # facts
    given(name="stat", files={"a.txt": "abc"}, call=("file_stat", {"path": "<>/a.txt"}),
         json={"path": "<>/a.txt", "type": "file", "size": 3, "mode": "0644", "binary": False, "mime": None}),
    given(name="stat: a link of itself", files={"a.txt": "abc", "l": ("link", "a.txt")}, call=("file_stat", {"path": "<>/l"}),
         json={"type": "symlink", "symlink_target": "a.txt"}),
    given(name="stat: missing", call=("file_stat", {"path": "<>/no"}), error="not_found"),
    given(name="outline", files={"a.py": PY}, call=("outline", {"path": "<>/a.py"}), text="1-3 function f"),
    given(name="outline: none", files={"a.py": "print()\n"}, call=("outline", {"path": "<>/a.py"}), text="(no symbols found)"),
    given(name="outline: no grammar", files={"a.xyz": "text\n"}, call=("outline", {"path": "<>/a.xyz"}), error="invalid_input"),
    given(name="syntax: fine", files={"a.py": PY}, call=("check_syntax", {"path": "<>/a.py"}), json={"language": "python", "ok": True, "errors": [], "error_count": 0}),
    given(name="syntax: broken", files={"a.py": "def f(:\n    pass\n"}, call=("check_syntax", {"path": "<>/a.py"}),
         json={"ok": False, "errors": lambda found: found[0]["line"] == 1}),
    given(name="syntax: no grammar", files={"a.xyz": "text\n"}, call=("check_syntax", {"path": "<>/a.xyz"}),
         error="invalid_input", says=["<>/a.xyz: there is no grammar"]),
    given(name="syntax: near an error is its line, near what is missing the token", files={"a.ts": "let a = = 1;\nf(1;\n"},
         call=("check_syntax", {"path": "<>/a.ts"}),
         json={"errors": lambda found: [(e["kind"], e["near"]) for e in found] == [("error", "let a = = 1;"), ("missing", ")")]}),
    given(name="diff: line ends alone are none", held=True, files={"a": "one\ntwo\n", "b": b"one\r\ntwo\r\n"},
         call=("diff", {"from": "<>/a", "to": "<>/b"}), text="(no differences)"),
    given(name="diff: lone carriage returns", held=True, files={"a": "one\rtwo\r", "b": "one\ntwo\n"},
         call=("diff", {"from": "<>/a", "to": "<>/b"}), text="(no differences)"),
    given(name="diff: one line of other line ends", held=True,
         files={"a": "one\ntwo\n", "b": "one\r\n2\r\n".encode("utf-16")}, call=("diff", {"from": "<>/a", "to": "<>/b"}),
         says=["@@ -1,2 +1,2 @@\n one\n-two\n+2"]),
    given(name="diff", held=True, files={"a": "one\ntwo\n", "b": "one\n2\n"}, call=("diff", {"from": "<>/a", "to": "<>/b"}),
         says=["--- a/<>/a\n+++ b/<>/b\n", "\n-two\n+2"]),
    given(name="diff: none", held=True, files={"a": "x", "b": "x"}, call=("diff", {"from": "<>/a", "to": "<>/b"}), text="(no differences)"),
    given(name="diff: missing", files={"a": "x"}, call=("diff", {"from": "<>/a", "to": "<>/no"}), error="not_found"),
    # edit_file
    given(name="edit: the one place", files={"a.txt": "one\ntwo\n"}, call=edit(),
         says=["Replaced 1 occurrence in <>/a.txt.\n", "-two\n+2"], after={"a.txt": b"one\n2\n"}),
    given(name="edit: other bytes stay", files={"a.txt": MIXED}, call=edit(), says=["Replaced 1 occurrence"],
         after={"a.txt": MIXED.replace(b"two", b"2")}),
    given(name="edit: several places", files={"a.txt": "two\nx\ntwo\n"}, call=edit(), error="ambiguous_match",
         json={"lines": [1, 3], "hint": lambda h: "replace_all" in h and "start_line" not in h}),
    given(name="edit: at most twenty lines are listed", files={"a.txt": "two\n" * 30}, call=edit(), error="ambiguous_match",
         json={"lines": list(range(1, 21))}),
    given(name="edit: all of them", files={"a.txt": "two\nx\ntwo\n"}, call=edit(replace_all=True),
         says=["Replaced 2 occurrences"], after={"a.txt": b"2\nx\n2\n"}),
    given(name="edit: identical", files={"a.txt": "two\n"}, call=edit(new="two"), error="invalid_input", says=["identical"]),
    given(name="edit: empty old", files={"a.txt": "two\n"}, call=edit(old=""), error="invalid_input", says=["empty"]),
    given(name="edit: not there", files={"a.txt": "one\n"}, call=edit(old="completely absent"), error="no_match"),
    given(name="edit: tolerant, and it says so", files={"a.py": PY},
         call=edit("<>/a.py", "def f():\n  x = 1", "def f():\n  x = 2"), says=["note: old_string was not there exactly; matched by indent"],
         after={"a.py": PY.replace("1", "2").encode()}),
    given(name="edit: not tolerant with replace_all", files={"a.py": PY},
         call=edit("<>/a.py", "def f():\n  x = 1", "def f():\n  x = 2", replace_all=True), error="no_match"),
    given(name="edit: applied already", files={"a.txt": "the new text\n"}, call=edit(old="the old text", new="the new text"),
         error="no_match", json={"native_code": "already_applied"}),
    given(name="edit: applied already in two places", files={"a.txt": "the new\ntext\nx\nthe new\ntext\n"},
         call=edit(old="the old\ntext", new="the new\ntext"), error="no_match", json={"native_code": "already_applied"}),
    given(name="edit: a warning if it no longer parses", held=True, files={"a.py": PY}, call=edit("<>/a.py", "x = 1", "x = ("),
         says=["warning: python syntax error in <>/a.py at line "], after={"a.py": PY.replace("x = 1", "x = (").encode()}),
    given(name="edit: a link", files={"t": "two\n", "l": ("link", "t")}, call=edit("<>/l"), error="invalid_input",
         json={"native_code": "symlink"}),
    given(name="edit: null is refused", files={"a.txt": "two\n"}, call=edit(new=None), error="invalid_input", says=["new_string"]),
    given(name="edit: alike in two places but for whitespace", held=True, files={"a.txt": "  a\n    b\nx\n  a\n    b\n"}, call=edit(old="a\nb"),
         error="ambiguous_match", says=["more than once, but for whitespace: lines 1, 4"], json={"lines": [1, 4]}),
    given(name="edit: alike in two places, of which all are asked for", files={"a.txt": "  a\n    b\nx\n  a\n    b\n"},
         call=edit(old="a\nb", replace_all=True), error="no_match"),
    # multi_edit
    given(name="multi: each on the result of the one before", files={"a.txt": "one\n"},
         call=("multi_edit", {"path": "<>/a.txt", "edits": [{"old_string": "one", "new_string": "two three"},
                                                            {"old_string": "two", "new_string": "2"}]}),
         says=["Applied 2 edits to <>/a.txt."], after={"a.txt": b"2 three\n"}),
    given(name="multi: ambiguous only through an earlier edit", files={"a.txt": "a b\n"},
         call=("multi_edit", {"path": "<>/a.txt", "edits": [{"old_string": "a", "new_string": "b"},
                                                            {"old_string": "b", "new_string": "c"}]}),
         error="ambiguous_match", says=["edit[1]: "]),
    given(name="multi: all or nothing", files={"a.txt": "one\ntwo\n"},
         call=("multi_edit", {"path": "<>/a.txt", "edits": [{"old_string": "one", "new_string": "1"},
                                                            {"old_string": "absent text", "new_string": "x"}]}),
         error="no_match", json={"message": lambda m: m.startswith("edit[1]: "), "edit": 1}),
    given(name="multi: no edits", files={"a.txt": "x"}, call=("multi_edit", {"path": "<>/a.txt", "edits": []}), error="invalid_input"),
    # apply_patch
    given(name="patch: a change", files={"a.txt": "one\ntwo\nthree\n"}, call=("apply_patch", {"patch": CHANGE}),
         text="Applied patch:\n  M <>/a.txt", after={"a.txt": b"one\n2\nthree\n"}),
    given(name="patch: a new file", call=("apply_patch", {"patch": NEW}), says=["  A <>/n.txt"], after={"n.txt": b"one\ntwo\n"}),
    given(name="patch: a deletion", files={"a.txt": "x\n"},
         call=("apply_patch", {"patch": "--- a/<>/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"}), says=["  D <>/a.txt"],
         after={"a.txt": None}),
    given(name="patch: a rename without hunks", files={"a.txt": "x\n"},
         call=("apply_patch", {"patch": "diff --git a/<>/a.txt b/<>/b.txt\nsimilarity index 100%\n"
                                        "rename from <>/a.txt\nrename to <>/b.txt\n"}),
         says=["  R <>/a.txt -> <>/b.txt"], after={"a.txt": None, "b.txt": b"x\n"}),
    given(name="patch: no newline at the end", files={"a.txt": "x"},
         call=("apply_patch", {"patch": "--- a/<>/a.txt\n+++ b/<>/a.txt\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y\n"
                                        "\\ No newline at end of file\n"}), says=["  M <>/a.txt"], after={"a.txt": b"y"}),
    given(name="patch: create over what is there", files={"n.txt": "x"}, call=("apply_patch", {"patch": NEW}), error="invalid_input"),
    given(name="patch: rename onto what is there", files={"a.txt": "x\n", "b.txt": "y\n"},
         call=("apply_patch", {"patch": "diff --git a/<>/a.txt b/<>/b.txt\nrename from <>/a.txt\nrename to <>/b.txt\n"}),
         error="invalid_input"),
    given(name="patch: the same file twice, by an alias", files={"a.txt": "one\ntwo\nthree\n"},
         call=("apply_patch", {"patch": CHANGE + CHANGE.replace("<>/a.txt", "./<>/a.txt")}), error="invalid_input"),
    given(name="patch: a hunk that does not apply changes nothing", files={"a.txt": "nothing alike\n"},
         call=("apply_patch", {"patch": NEW + CHANGE}), error="patch_failed", json={"path": "<>/a.txt", "file": "<>/a.txt", "hunk": 1}),
    given(name="patch: two names rename", files={"a.txt": "one\n"}, call=("apply_patch", {"patch": "--- a/<>/a.txt\n+++ b/<>/b.txt\n"}),
         says=["  R <>/a.txt -> <>/b.txt"], after={"a.txt": None, "b.txt": b"one\n"}),
    given(name="patch: two names and a hunk rename and change, hunks' lines being text",
         files={"a.txt": "-- a/x\n++ b/y\none\n"},
         call=("apply_patch", {"patch": "--- a/<>/a.txt\n+++ b/<>/b.txt\n@@ -1,3 +1,3 @@\n--- a/x\n-++ b/y\n+++ b/z\n+-- a/w\n one\n"}),
         after={"a.txt": None, "b.txt": b"++ b/z\n-- a/w\none\n"}),
    given(name="patch: the same file by another spelling is changed", files={"a.txt": "one\n"},
         call=("apply_patch", {"patch": "--- a/<>/a.txt\n+++ b/<>/./a.txt\n@@ -1 +1 @@\n-one\n+1\n"}), after={"a.txt": b"1\n"}),
    given(name="patch: a deletion of a part", files={"a.txt": "one\ntwo\n"},
         call=("apply_patch", {"patch": "--- a/<>/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n"}), error="invalid_input"),
    given(name="patch: applied already", files={"a.txt": "one\n2\nthree\n"}, call=("apply_patch", {"patch": CHANGE}), error="patch_failed"),
    given(name="patch: a new file that does not parse is warned of",
         call=("apply_patch", {"patch": "--- /dev/null\n+++ b/<>/a.py\n@@ -0,0 +1 @@\n+def f(:\n"}),
         says=["warning: python syntax error in <>/a.py at line 1"], after={"a.py": b"def f(:\n"}),
    given(name="multi edit: the index of the one refused", files={"a.txt": "one\n"},
         call=("multi_edit", {"path": "<>/a.txt", "edits": [{"old_string": "one", "new_string": "1"}, {"old_string": "zzz", "new_string": "x"}]}),
         error="no_match", json={"index": 1}),
    given(name="list: a linked folder, a broken link", files={"d/x": "1", "l": ("link", "d"), "gone": ("link", "nowhere")},
         call=("list_dir", {"path": "<>"}), text="d/\nl/\ngone\t0"),
    given(name="tree: depth 0 is the default", files={"a/b/c.txt": "x"}, call=("tree", {"path": "<>", "depth": 0}), says=["c.txt"]),
    given(name="read many: none can be read", call=("read_files", {"paths": ["<>/no", "<>/no2"]}), says=["<>/no — not_found"]),
    given(name="grep: a binary file has no matches", files={"b": b"\0a\1"}, call=("grep", {"pattern": "a", "path": "<>/b"}), text="(no matches)"),
    given(name="grep: head_limit 0 is no limit", files={"a.txt": "x\nx\n"},
         call=("grep", {"pattern": "x", "path": "<>", "head_limit": 0, "output_mode": "count"}), text="<>/a.txt:2"),
    given(name="grep: multiline lets a dot match a line end, and numbers go on after it", files={"a.txt": "A\nx1\nB\nx2\n"},
         call=("grep", {"pattern": "A.*B", "path": "<>", "output_mode": "content", "multiline": True, "after_context": 1}),
         text="<>/a.txt:1:A\n<>/a.txt:2:x1\n<>/a.txt:3:B\n<>/a.txt-4-x2"),
    given(name="grep: a multiline match of nothing is none", files={"a.txt": "abc\ndef\n"},
         call=("grep", {"pattern": "q*", "path": "<>", "output_mode": "content", "multiline": True}), text="(no matches)"),
    given(name="grep: multiline counts a match once", files={"a.txt": "foobar\nbazqux\n"},
         call=("grep", {"pattern": "bar\\nbaz", "path": "<>", "output_mode": "count", "multiline": True}), text="<>/a.txt:1"),
    given(name="grep: multiline counts lines, whatever is on them", files={"a.txt": "ab ab\nab\n"},
         call=("grep", {"pattern": "ab", "path": "<>", "output_mode": "count", "multiline": True}), text="<>/a.txt:2"),
    given(name="patch: out", call=("apply_patch", {"patch": NEW.replace("<>", "../..")}), error="path_escape"),
    # whole files
    given(name="write: a new file gets newlines alone, folders are made",
         call=("write_file", {"path": "<>/d/a.txt", "content": "a\r\nb\rc"}),
         text="Wrote 5 bytes to <>/d/a.txt (created).", after={"d/a.txt": b"a\nb\nc"}),
    given(name="write: verbatim over what is there", files={"a.txt": "old\n"},
         call=("write_file", {"path": "<>/a.txt", "content": "a\r\nb\rc"}), says=["overwritten"], after={"a.txt": b"a\r\nb\rc"}),
    given(name="write: over what is there", files={"a.txt": "old"}, call=("write_file", {"path": "<>/a.txt", "content": "new"}),
         says=["Wrote 3 bytes to <>/a.txt (overwritten).\n", "\n-old\n", "\n+new\n"], after={"a.txt": b"new"}),
    given(name="write: a warning if it does not parse", call=("write_file", {"path": "<>/a.py", "content": "def (\n"}),
         says=["warning: python syntax error in <>/a.py at line 1"], after={"a.py": b"def (\n"}),
    given(name="write: a folder is there", files={"d": None}, call=("write_file", {"path": "<>/d", "content": ""}), error="not_a_file"),
    given(name="replace: a dry run", files={"a.txt": "k1 k2\n"},
         call=("replace", {"pattern": r"k(\d)", "replacement": "$1", "path": "<>"}),
         says=["2 replacement(s) across 1 file(s) (dry run", "\n  M <>/a.txt (2 replacements)\n"]),
    given(name="replace: written", files={"a.txt": "k1\n", "b.py": "k2\n"},
         call=("replace", {"pattern": r"K(\d)", "replacement": "$1", "path": "<>", "glob": "*.txt", "ignore_case": True, "dry_run": False}),
         says=["Replaced 1 occurrence(s) in 1 file(s):\n  M <>/a.txt (1 replacement)"], after={"a.txt": b"1\n"}),
    given(name="replace: neither path nor glob", call=("replace", {"pattern": "q", "replacement": ""}), error="invalid_input",
         says=["path or glob"]),
    given(name="replace: nothing", files={"a.txt": "x\n"}, call=("replace", {"pattern": "q", "replacement": "", "path": "<>"}),
         text="(no matches)"),
    given(name="replace: the empty match", files={"a.txt": "x\n"}, call=("replace", {"pattern": "q*", "replacement": "", "path": "<>"}),
         error="invalid_input"),
    # entries
    given(name="move", files={"a": "x"}, call=("move", {"source": "<>/a", "destination": "<>/d/b"}), text="Moved <>/a → <>/d/b.",
         after={"a": None, "d/b": b"x"}),
    given(name="move: onto what is there", files={"a": "x", "b": "y"}, call=("move", {"source": "<>/a", "destination": "<>/b"}),
         error="invalid_input", json={"native_code": "already_exists"}),
    given(name="move: overwriting", files={"a": "x", "b": "y"},
         call=("move", {"source": "<>/a", "destination": "<>/b", "overwrite": True}), after={"a": None, "b": b"x"}),
    given(name="move: a link", files={"a": "x", "l": ("link", "a")}, call=("move", {"source": "<>/l", "destination": "<>/m"}),
         error="invalid_input", json={"native_code": "symlink"}),
    given(name="move: a folder", files={"d": None}, call=("move", {"source": "<>/d", "destination": "<>/e"}), error="not_a_file"),
    given(name="copy", files={"a": b"\0\xff"}, call=("copy", {"source": "<>/a", "destination": "<>/b"}), text="Copied <>/a → <>/b.",
         after={"b": b"\0\xff"}),
    given(name="copy: onto a link", files={"a": "x", "t": "y", "l": ("link", "t")},
         call=("copy", {"source": "<>/a", "destination": "<>/l", "overwrite": True}), error="invalid_input"),
    given(name="copy: missing", call=("copy", {"source": "<>/no", "destination": "<>/b"}), error="not_found"),
    given(name="mkdir", call=("mkdir", {"path": "<>/d/e"}), text="Created directory <>/d/e."),
    given(name="mkdir: there already", files={"d": None}, call=("mkdir", {"path": "<>/d"}), text="Directory already exists: <>/d."),
    given(name="mkdir: a file in the way", files={"f": "x"}, call=("mkdir", {"path": "<>/f/g"}), error="invalid_input",
         json={"native_code": "not_a_directory"}),
    given(name="remove", files={"a": "x"}, call=("remove", {"path": "<>/a"}), text="Removed <>/a.", after={"a": None}),
    given(name="remove: a folder", files={"d/x": "x"}, call=("remove", {"path": "<>/d"}), error="not_a_file"),
    given(name="remove: a link", files={"a": "x", "l": ("link", "a")}, call=("remove", {"path": "<>/l"}), error="invalid_input"),
    given(name="remove: the root", call=("remove", {"path": "."}), error="denied", json={"native_code": "permission_denied"}),
    given(name="remove: protected", call=("write_file", {"path": "<>/.git/config", "content": ""}), error="denied"),
]  # fmt: skip


@pytest.mark.parametrize("case", TABLE)
def test_case(case, in_process):
    in_process(case)


WINDOWED = [case for case in TABLE if not case.get("held")]


@pytest.mark.parametrize("case", WINDOWED)
def test_case_in_windows(case, in_windows):
    in_windows(case)


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["legacy", "auto"])
@in_part(12)
async def test_table_over_the_protocol(mode, share, over_the_protocol):
    assert await over_the_protocol(mode, TABLE, share) == {}


def test_an_image_is_shown(tmp_path):
    (tmp_path / "root").mkdir()
    content = b"\x89PNG\r\n\x1a\n" + bytes(30)
    (tmp_path / "root" / "i.png").write_bytes(content)
    with Workspace(
        tmp_path / "root", state_dir=tmp_path / "state"
    ) as workspace:
        answer = workspace.offer(DIALECT).call("read_image", {"path": "i.png"})
    assert [(image.mime, image.data) for image in answer.images] == [
        ("image/png", content)
    ]


def test_a_tree_of_another_root_and_of_a_folder_whose_name_is_quoted(tmp_path):
    quoted = "a\nb" if os.name == "posix" else "a b"
    for folder in (f"one/{quoted}", "two/k"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "f").write_text("x")
    with Workspace(
        tmp_path / "one", tmp_path / "two", state_dir=tmp_path / "state"
    ) as workspace:
        dialect = workspace.offer(DIALECT)
        drawn = [
            dialect.call("tree", {"path": str(tmp_path / root)}).text
            for root in ("one", "two")
        ]
    assert [text.split("\n")[0] for text in drawn] == [".", "two:"]
    assert [text.split("\n")[2] for text in drawn] == ["    └── f\t1"] * 2


def test_table_is_whole():
    from filewright.dialects.providers import find_provider

    assert len(TABLE) >= 60
    assert {tool.name for tool in find_provider(DIALECT).tools()} == {
        case["call"][0] for case in TABLE
    }


@pytest.mark.parametrize("cap", [1024, 4000])
def test_the_output_cap_is_in_bytes_and_keeps_one_row(cap, tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_text("ü" * 3000 + "\n" + "é\n" * 2000)
    settings = Settings(agent_output_bytes=cap)
    with Workspace(
        root, state_dir=tmp_path / "state", settings=settings
    ) as workspace:
        dialect = workspace.offer(DIALECT)
        for tool, arguments in [
            ("read_file", {"path": "a.txt"}),
            ("read_file", {"path": "a.txt", "offset": 2}),
            ("grep", {"pattern": "é", "output_mode": "content"}),
            ("grep", {"pattern": "ü", "output_mode": "content"}),
        ]:
            text = dialect.call(tool, arguments).text
            assert len(text.encode()) <= cap
            assert text.split("\n")[0].strip()


def test_pages_of_a_read_join_to_the_file(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    lines = [f"{n} " + "x" * (n % 150) for n in range(1, 3001)]
    (root / "a.txt").write_text("\n".join(lines) + "\n")
    settings = Settings(agent_output_bytes=3000)
    with Workspace(
        root, state_dir=tmp_path / "state", settings=settings
    ) as workspace:
        dialect = workspace.offer(DIALECT)
        seen: list[str] = []
        offset = 1
        for _ in range(len(lines)):
            *rows, footer = dialect.call(
                "read_file", {"path": "a.txt", "offset": offset}
            ).text.split("\n")
            if "offset=" not in footer:
                seen += [*rows, footer]
                break
            seen += rows
            offset = int(footer.rsplit("offset=", 1)[1].split()[0])
        assert [row.split("\t", 1)[1] for row in seen] == lines


def test_the_input_cap_is_a_setting(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_text("x" * 101)
    with Workspace(
        root, state_dir=tmp_path / "s", settings=Settings(agent_input_bytes=100)
    ) as workspace:
        dialect = workspace.offer(DIALECT)
        for tool, arguments in [
            ("read_file", {"path": "a.txt"}),
            ("write_file", {"path": "b.txt", "content": "x" * 101}),
            (
                "edit_file",
                {"path": "a.txt", "old_string": "x", "new_string": "y"},
            ),
        ]:
            body = json.loads(dialect.call(tool, arguments).text)
            assert (body["error"], body["size"], body["limit"]) == (
                "too_large",
                101,
                100,
            )
