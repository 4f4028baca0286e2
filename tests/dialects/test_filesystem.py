"""The dialect `filesystem` at its interface: every tool, default, refusal and shape."""

from __future__ import annotations

import pytest
from tests.samples import in_part

DIALECT = "filesystem"

CRLF = b"one\r\ntwo\r\nthree\r\n"
MIXED = b"\xef\xbb\xbfone\r\ntwo\nthree \xff\r\nfour"
PY = "def f():\n    x = 1\n    return x\n"


def starts(prefix):
    return lambda value: isinstance(value, str) and value.startswith(prefix)


def holds(*parts):
    return lambda value: (
        isinstance(value, str) and all(part in value for part in parts)
    )


STATS = {"isFile": True, "isDirectory": False, "isSymbolicLink": False, "size": 3, "mode": ...,
         "uid": ..., "gid": ..., "atime": ..., "mtime": ..., "ctime": ...}  # fmt: skip
NOT_FOUND = "Path not found: <>/no (resolved to '"


def given(**case):
    """A case of the table; conftest says what its fields mean."""
    return case


TABLE = [
    # list_files
    given(name="list: names, folders end in /", files={"a.txt": "x", "sub/b.txt": "y", ".h": ""},
         call=("list_files", {"path": "<>"}), json=["<>/.h", "<>/a.txt", "<>/sub/"]),
    given(name="list: recursive", files={"a.txt": "x", "sub/b.txt": "y"},
         call=("list_files", {"path": "<>", "recursive": True}), json=["<>/a.txt", "<>/sub/", "<>/sub/b.txt"]),
    given(name="list: an ignored file is listed", files={".gitignore": "*.log\n", "a.log": ""},
         call=("list_files", {"path": "<>"}), json=["<>/.gitignore", "<>/a.log"]),
    given(name="list: with stats", files={"a.txt": "abc"},
         call=("list_files", {"path": "<>", "include_stats": True}),
         json=[{"path": "<>/a.txt", "stats": {"path": "<>/a.txt", **STATS}}]),
    given(name="list: a file gives its stats", files={"a.txt": "abc"},
         call=("list_files", {"path": "<>/a.txt"}), json={"path": "<>/a.txt", **STATS}),
    given(name="list: an empty folder", files={"e": None}, call=("list_files", {"path": "<>/e"}), json=[]),
    given(name="list: missing", call=("list_files", {"path": "<>/no"}), error=True, says=[NOT_FOUND, "project root '"]),
    given(name="list: absolute", call=("list_files", {"path": "/etc"}), error=True,
         text="-32602 Absolute paths are not allowed: /etc"),
    given(name="list: absolute on Windows", call=("list_files", {"path": "C:\\x"}), error=True,
         text="-32602 Absolute paths are not allowed: C:\\x"),
    given(name="list: traversal", call=("list_files", {"path": "../x"}), error=True,
         says=["-32600 Path traversal detected: ../x (resolved to '"]),
    given(name="list: unknown argument", call=("list_files", {"recursiv": True}), error=True,
         says=["-32602", "'recursiv'", "did you mean 'recursive'?"]),
    given(name="list: wrong type", call=("list_files", {"path": 3}), error=True, says=["-32602", "'path'"]),
    # stat_items
    given(name="stat: in order, also repeated, each on its own", files={"a.txt": "abc"},
         call=("stat_items", {"paths": ["<>/a.txt", "<>/no", "<>/a.txt"]}),
         json=[{"path": "<>/a.txt", "status": "success", "stats": STATS},
               {"path": "<>/no", "status": "error", "error": starts(NOT_FOUND)},
               {"path": "<>/a.txt", "status": "success", "stats": STATS}]),
    given(name="stat: a link is a link", files={"a.txt": "abc", "l": ("link", "a.txt")},
         call=("stat_items", {"paths": ["<>/l"]}),
         json=[{"status": "success", "stats": {"isSymbolicLink": True, "isFile": False, "target": "a.txt"}}]),
    given(name="stat: a folder", files={"d": None}, call=("stat_items", {"paths": ["<>/d"]}),
         json=[{"stats": {"isDirectory": True, "isFile": False}}]),
    given(name="stat: a FIFO does not hang", files={"p": ("fifo",)}, call=("stat_items", {"paths": ["<>/p"]}),
         json=[{"stats": {"isDirectory": False, "isFile": False}}]),
    given(name="stat: absolute and relative together", files={"a.txt": "abc"},
         call=("stat_items", {"paths": ["/etc/passwd", "<>/a.txt"]}),
         json=[{"path": "/etc/passwd", "status": "error", "error": "-32602 Absolute paths are not allowed: /etc/passwd"},
               {"status": "success"}]),
    given(name="stat: only absolute", call=("stat_items", {"paths": ["/etc/passwd"]}), error=True,
         json=[{"status": "error", "error": "-32602 Absolute paths are not allowed: /etc/passwd"}]),
    given(name="stat: only traversal", call=("stat_items", {"paths": ["../../etc"]}), error=True,
         json=[{"status": "error", "error": starts("-32600 Path traversal detected: ../../etc")}]),
    given(name="stat: no paths", call=("stat_items", {"paths": []}), error=True, says=["-32602", "'paths'"]),
    # read_content
    given(name="read: raw, whole", files={"a.txt": "one\ntwo\n", "b.txt": "x"},
         call=("read_content", {"paths": ["<>/a.txt", "<>/b.txt"]}),
         json=[{"path": "<>/a.txt", "content": "one\ntwo\n"}, {"path": "<>/b.txt", "content": "x"}]),
    given(name="read: no stray CR, no mark", files={"a.txt": b"\xef\xbb\xbfone\r\ntwo\r\n"},
         call=("read_content", {"paths": ["<>/a.txt"]}), json=[{"content": "one\ntwo\n"}]),
    given(name="read: a range", files={"a.txt": "1\n2\n3\n4\n"},
         call=("read_content", {"paths": ["<>/a.txt"], "start_line": 2, "end_line": 3, "format": "raw"}), json=[{"content": "2\n3"}]),
    given(name="read: a range is of line objects unless asked otherwise", files={"a.txt": "1\n2\n3\n"},
         call=("read_content", {"paths": ["<>/a.txt"], "start_line": 2, "end_line": 2}),
         json=[{"content": [{"lineNumber": 2, "content": "2"}]}]),
    given(name="read: line ends that are not shown are named", files={"a.txt": b"1\r\n2\r\n"},
         call=("read_content", {"paths": ["<>/a.txt"]}), json=[{"content": "1\n2\n", "line_ending": "crlf"}]),
    given(name="read: line objects, no phantom last line", files={"a.txt": CRLF},
         call=("read_content", {"paths": ["<>/a.txt"], "format": "lines", "start_line": 2}),
         json=[{"content": [{"lineNumber": 2, "content": "two"}, {"lineNumber": 3, "content": "three"}]}]),
    given(name="read: an empty file", files={"e": ""}, call=("read_content", {"paths": ["<>/e"], "format": "lines"}),
         json=[{"path": "<>/e", "content": []}]),
    given(name="read: one failure fails nothing else", files={"a.txt": "x", "d": None, "b.bin": b"\0\1"},
         call=("read_content", {"paths": ["<>/d", "<>/no", "<>/b.bin", "<>/a.txt"]}),
         json=[{"error": holds("not_a_file", "resolved to", "project root")}, {"error": starts(NOT_FOUND)},
               {"error": starts("is_binary")}, {"path": "<>/a.txt", "content": "x"}]),
    given(name="read: past the end", files={"a.txt": "1\n2\n"},
         call=("read_content", {"paths": ["<>/a.txt"], "start_line": 9}), json=[{"error": holds("2 lines")}]),
    given(name="read: end before start", call=("read_content", {"paths": ["a"], "start_line": 3, "end_line": 2}),
         error=True, says=["-32602", "end_line must not be before start_line"]),
    given(name="read: a link out", files={"l": ("link", "/etc/passwd")},
         call=("read_content", {"paths": ["<>/l"]}), error=True,
         json=[{"error": starts("-32600 Path traversal detected: <>/l")}]),
    given(name="read: a huge file is cut and says where to go on", held=True, files={"a.txt": "line of text\n" * 20_000},
         call=("read_content", {"paths": ["<>/a.txt"]}),
         json=[{"truncated": True, "total_lines": 20_000, "next_start_line": lambda n: n > 1_000}]),
    # write_content
    given(name="write: verbatim, parents made", call=("write_content", {"items": [{"path": "<>/n/x", "content": "a\r\nb"}]}),
         json=[{"path": "<>/n/x", "success": True, "operation": "written"}], after={"n/x": b"a\r\nb"}),
    given(name="write: overwrite", files={"a": "old"}, call=("write_content", {"items": [{"path": "<>/a", "content": "new"}]}),
         json=[{"success": True, "operation": "written"}], after={"a": b"new"}),
    given(name="write: appends keep their order",
         call=("write_content", {"items": [{"path": "<>/a", "content": c, "append": True} for c in "123"]}),
         json=[{"operation": "appended"}] * 3, after={"a": b"123"}),
    given(name="write: a failing item fails alone", files={"d": None},
         call=("write_content", {"items": [{"path": "<>/d", "content": ""}, {"path": "<>/a", "content": "x"},
                                           {"path": "/abs", "content": ""}]}),
         json=[{"success": False, "error": holds("not_a_file")}, {"success": True},
               {"success": False, "error": "-32602 Absolute paths are not allowed: /abs"}], after={"a": b"x"}),
    given(name="write: null is refused, the word is not", files={"a": "x"},
         call=("write_content", {"items": [{"path": "<>/a", "content": None}]}), error=True, says=["-32602"]),
    given(name="write: the word null is text", call=("write_content", {"items": [{"path": "<>/a", "content": "null"}]}),
         json=[{"success": True}], after={"a": b"null"}),
    given(name="write: to a link", files={"t": "x", "l": ("link", "t")},
         call=("write_content", {"items": [{"path": "<>/l", "content": "y"}]}),
         json=[{"success": False, "error": starts("symlink")}]),
    # folders, deleting, moving, copying
    given(name="mkdir: parents, existing, a file in the way", files={"f": "x", "d": None},
         call=("create_directories", {"paths": ["<>/p/q", "<>/d", "<>/f"]}),
         json=[{"path": "<>/p/q", "success": True}, {"success": True, "note": "Directory already exists"},
               {"success": False, "error": starts("not_a_directory")}]),
    given(name="delete: files, folders, what is not there", files={"f": "x", "d/e/g": "y"},
         call=("delete_items", {"paths": ["<>/f", "<>/d", "<>/no"]}),
         json=[{"path": "<>/f", "success": True}, {"success": True},
               {"success": True, "note": "Path not found, nothing to delete"}],
         after={"f": None, "d": None, "d/e": None, "d/e/g": None}),
    given(name="delete: a link, not its target", files={"t/x": "x", "l": ("link", "t")},
         call=("delete_items", {"paths": ["<>/l"]}), json=[{"success": True}], after={"l": None}),
    given(name="delete: never the root", call=("delete_items", {"paths": ["."]}),
         json=[{"success": False, "error": starts("permission_denied")}]),
    given(name="move: parents made", files={"a": "x"},
         call=("move_items", {"operations": [{"source": "<>/a", "destination": "<>/p/b"}]}),
         json=[{"source": "<>/a", "destination": "<>/p/b", "success": True}], after={"a": None, "p/b": b"x"}),
    given(name="move: no overwriting unasked", files={"a": "x", "b": "y"},
         call=("move_items", {"operations": [{"source": "<>/a", "destination": "<>/b"}]}),
         json=[{"success": False, "error": starts("already_exists")}]),
    given(name="move: overwriting", files={"a": "x", "b": "y"},
         call=("move_items", {"operations": [{"source": "<>/a", "destination": "<>/b"}], "overwrite": True}),
         json=[{"success": True}], after={"a": None, "b": b"x"}),
    given(name="move: missing and escaping", files={"a": "x"},
         call=("move_items", {"operations": [{"source": "<>/no", "destination": "<>/b"},
                                             {"source": "<>/a", "destination": "../../b"}]}),
         json=[{"success": False, "error": starts(NOT_FOUND)},
               {"success": False, "error": starts("-32600 Path traversal detected: ../../b")}]),
    given(name="copy: a folder", files={"d/x": b"\0\xff"},
         call=("copy_items", {"operations": [{"source": "<>/d", "destination": "<>/e"}]}),
         json=[{"success": True}], after={"e": None, "e/x": b"\0\xff"}),
    given(name="copy: no overwriting unasked", files={"a": "x", "b": "y"},
         call=("copy_items", {"operations": [{"source": "<>/a", "destination": "<>/b"}]}),
         json=[{"success": False, "error": starts("already_exists")}]),
    given(name="copy: into itself", files={"d/x": "x"},
         call=("copy_items", {"operations": [{"source": "<>/d", "destination": "<>/d/e"}]}),
         json=[{"success": False, "error": starts("invalid_input")}]),
    given(name="chmod", files={"a": "x"}, call=("chmod_items", {"paths": ["<>/a", "<>/no"], "mode": "600"}),
         json=[{"path": "<>/a", "success": True, "mode": "600"}, {"success": False, "error": starts(NOT_FOUND)}]),
    given(name="chmod: not octal", files={"a": "x"}, call=("chmod_items", {"paths": ["<>/a"], "mode": "u+x"}),
         error=True, says=["-32602", "'mode'"]),
    given(name="chown: as it is", files={"a": "x"}, call=("chown_items", {"paths": ["<>/no"], "uid": 0, "gid": 0}),
         json=[{"success": False, "error": starts(NOT_FOUND)}]),
    given(name="chown: negative", call=("chown_items", {"paths": ["<>/a"], "uid": -1, "gid": 0}), error=True, says=["'uid'"]),
    # search_files
    given(name="search: with context", files={"a.txt": "1\n2\nhit\n4\n5\n6\n"},
         call=("search_files", {"path": "<>", "regex": "h.t"}),
         json=[{"type": "match", "file": "<>/a.txt", "line": 3, "match": "hit", "context": ["1", "2", "hit", "4", "5"]}]),
    given(name="search: flags", files={"a.txt": "HIT\n"}, call=("search_files", {"path": "<>", "regex": "/hit/gi"}),
         json=[{"match": "HIT", "line": 1}]),
    given(name="search: every match of a line", files={"a.txt": "ab ab\n"}, call=("search_files", {"path": "<>", "regex": "ab"}),
         json=[{"line": 1}, {"line": 1}]),
    given(name="search: recursive by file pattern", files={"a.txt": "x\n", "s/b.py": "x\n"},
         call=("search_files", {"path": "<>", "regex": "x", "file_pattern": "*.py"}), json=[{"file": "<>/s/b.py"}]),
    given(name="search: one file", files={"a.txt": "x\n"}, call=("search_files", {"path": "<>/a.txt", "regex": "x"}),
         json=[{"file": "<>/a.txt", "line": 1}]),
    given(name="search: nothing", files={"a.txt": "x\n"}, call=("search_files", {"path": "<>", "regex": "y"}), json=[]),
    given(name="search: a bad path", call=("search_files", {"path": "<>/no", "regex": "y"}), error=True, says=[NOT_FOUND]),
    given(name="search: a bad regex", call=("search_files", {"path": "<>", "regex": "("}), error=True, says=["-32602", "never closed"]),
    # replace_content
    given(name="replace: all, in order, literal is literal", held=True, files={"a": "x.x $\n", "b": "none"},
         call=("replace_content", {"paths": ["<>/a", "<>/b", "<>/no"],
                                   "operations": [{"search": ".", "replace": "$&"}, {"search": "x", "replace": "y"}]}),
         json=[{"file": "<>/a", "replacements": 3, "modified": True}, {"file": "<>/b", "replacements": 0, "modified": False},
               {"file": "<>/no", "modified": False, "error": starts(NOT_FOUND)}], after={"a": b"y$&y $\n"}),
    given(name="replace: regex groups", files={"a": "k=v\n"},
         call=("replace_content", {"paths": ["<>/a"],
                                   "operations": [{"search": r"(\w)=(\w)", "replace": "$2=$1 [$&]", "use_regex": True}]}),
         json=[{"replacements": 1}], after={"a": b"v=k [k=v]\n"}),
    given(name="replace: ignoring case", files={"a": "Ab aB\n"},
         call=("replace_content", {"paths": ["<>/a"], "operations": [{"search": "ab", "replace": "-", "ignore_case": True}]}),
         json=[{"replacements": 2}], after={"a": b"- -\n"}),
    given(name="replace: other bytes stay", files={"a": MIXED},
         call=("replace_content", {"paths": ["<>/a"], "operations": [{"search": "two", "replace": "2"}]}),
         json=[{"modified": True}], after={"a": MIXED.replace(b"two", b"2")}),
    # apply_diff
    given(name="diff: replaces and inserts from the bottom up", files={"a": CRLF},
         call=("apply_diff", {"changes": [{"path": "<>/a", "diffs": [
             {"search": "one", "replace": "1\nI", "start_line": 1, "end_line": 1},
             {"search": "three\n", "replace": "3\n", "start_line": 3, "end_line": 3},
             {"search": "", "replace": "new", "start_line": 3, "end_line": 2, "operation": "insert"}]}]}),
         json=[{"path": "<>/a", "success": True}], after={"a": b"1\r\nI\r\ntwo\r\nnew\r\n3\r\n"}),
    given(name="diff: a block that does not match leaves its file, the others go on", files={"a": "1\n2\n", "b": "x\n"},
         call=("apply_diff", {"changes": [
             {"path": "<>/a", "diffs": [{"search": "1", "replace": "I", "start_line": 1, "end_line": 1},
                                        {"search": "9", "replace": "IX", "start_line": 2, "end_line": 2}]},
             {"path": "<>/b", "diffs": [{"search": "x", "replace": "y", "start_line": 1, "end_line": 1}]}]}),
         json=[{"success": False, "error": starts("no_match"), "context": "2"}, {"success": True}], after={"b": b"y\n"}),
    given(name="diff: overlapping blocks", files={"a": "1\n2\n"},
         call=("apply_diff", {"changes": [{"path": "<>/a", "diffs": [
             {"search": "1\n2", "replace": "x", "start_line": 1, "end_line": 2},
             {"search": "2", "replace": "y", "start_line": 2, "end_line": 2}]}]}),
         json=[{"success": False, "error": starts("overlap")}]),
    given(name="diff: a path twice", call=("apply_diff", {"changes": [
             {"path": "<>/a", "diffs": [{"search": "1", "replace": "2", "start_line": 1, "end_line": 1}]}] * 2}),
         error=True, says=["-32602", "only once"]),
    given(name="diff: a path twice by another spelling", files={"a": "1\n"}, call=("apply_diff", {"changes": [
             {"path": path, "diffs": [{"search": "1", "replace": "2", "start_line": 1, "end_line": 1}]}
             for path in ("<>/a", "./<>/a")]}), error=True, says=["-32602", "named twice"]),
    given(name="diff: bad lines", call=("apply_diff", {"changes": [
             {"path": "<>/a", "diffs": [{"search": "1", "replace": "2", "start_line": 3, "end_line": 2}]}]}),
         error=True, says=["-32602", "end_line"]),
    given(name="diff: bytes outside the block survive", files={"a": MIXED},
         call=("apply_diff", {"changes": [{"path": "<>/a", "diffs": [
             {"search": "two", "replace": "2", "start_line": 2, "end_line": 2}]}]}),
         json=[{"success": True}], after={"a": MIXED.replace(b"two", b"2")}),
    # edit_file
    given(name="edit: replaces, looking past the indentation and keeping it", files={"a.py": PY},
         call=("edit_file", {"changes": [{"path": "<>/a.py", "start_line": 1, "search_pattern": "x = 1",
                                          "replace_content": "x = 2\ny = 3"}]}),
         json=[{"path": "<>/a.py", "status": "success", "message": "File <>/a.py modified successfully."}],
         after={"a.py": PY.replace("x = 1", "x = 2\n    y = 3").encode()}),
    given(name="edit: inserts with the indentation of the line before", files={"a.py": PY},
         call=("edit_file", {"changes": [{"path": "<>/a.py", "start_line": 3, "replace_content": "y = 2"}]}),
         json=[{"status": "success"}], after={"a.py": PY.replace("x = 1\n", "x = 1\n    y = 2\n").encode()}),
    given(name="edit: deletes the nth", files={"a": "x\ny\nx\nx\n"},
         call=("edit_file", {"changes": [{"path": "<>/a", "start_line": 1, "search_pattern": "x", "match_occurrence": 2}]}),
         json=[{"status": "success"}], after={"a": b"x\ny\nx\n"}),
    given(name="edit: from the start line on", files={"a": "x\ny\nx\n"},
         call=("edit_file", {"changes": [{"path": "<>/a", "start_line": 2, "search_pattern": "x", "replace_content": "z"}]}),
         json=[{"status": "success"}], after={"a": b"x\ny\nz\n"}),
    given(name="edit: a regex", files={"a": "k = 1\n"},
         call=("edit_file", {"changes": [{"path": "<>/a", "start_line": 1, "search_pattern": r"(\w) = (\d)",
                                          "replace_content": "$2 = $1", "use_regex": True}]}),
         json=[{"status": "success"}], after={"a": b"1 = k\n"}),
    given(name="edit: leading spaces matter if asked", files={"a": "  x\n"},
         call=("edit_file", {"changes": [{"path": "<>/a", "start_line": 1, "search_pattern": "\tx", "replace_content": "y",
                                          "ignore_leading_whitespace": False}]}),
         json=[{"status": "failed", "message": starts("no_match")}]),
    given(name="edit: a dry run with a diff", files={"a": "x\n"},
         call=("edit_file", {"changes": [{"path": "<>/a", "start_line": 1, "search_pattern": "x", "replace_content": "y"}],
                             "dry_run": True, "output_diff": True}),
         json=[{"status": "success", "message": "File <>/a changes calculated (dry run).", "diff": holds("-x", "+y")}]),
    given(name="edit: a refused change leaves its file", files={"a": "x\ny\n", "b": "x\n"},
         call=("edit_file", {"changes": [{"path": "<>/a", "start_line": 1, "search_pattern": "x", "replace_content": "1"},
                                         {"path": "<>/a", "start_line": 1, "search_pattern": "zz", "replace_content": "2"},
                                         {"path": "<>/b", "start_line": 1, "search_pattern": "x", "replace_content": "3"}]}),
         json=[{"status": "skipped"}, {"status": "failed"}, {"status": "success"}], after={"b": b"3\n"}),
    given(name="edit: neither search nor replacement", call=("edit_file", {"changes": [{"path": "<>/a", "start_line": 1}]}),
         error=True, says=["-32602", "search_pattern or replace_content"]),
    given(name="edit: line 0", call=("edit_file", {"changes": [{"path": "<>/a", "start_line": 0, "replace_content": ""}]}),
         error=True, says=["-32602", "start_line"]),
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


def test_table_is_whole():
    from filewright.dialects.providers import find_provider

    assert len(TABLE) >= 60
    assert {tool.name for tool in find_provider(DIALECT).tools()} == {
        case["call"][0] for case in TABLE
    }
