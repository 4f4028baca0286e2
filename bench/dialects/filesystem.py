"""The calls compared with the batch server for Node, and why some answers differ."""

from __future__ import annotations

from typing import Any

from bench.dialects.case import CHOICE, DEFECT, Case, in_order, only, whole

PACKAGE = "@shtse8/filesystem-mcp@0.5.8"

_PY = "def f():\n    x = 1\n    return x\n"
_ITEM = only(
    "path",
    "success",
    "error",
    "source",
    "destination",
    "operation",
    "file",
    "replacements",
    "modified",
    "status",
)
_STAT = only("path", "status", "error")


def _replace(
    path: str, search: str, replace: str, **more: Any
) -> list[tuple[str, Any]]:
    operation = {"search": search, "replace": replace, **more}
    return [("replace_content", {"paths": [path], "operations": [operation]})]


def _edit(**change: Any) -> list[tuple[str, Any]]:
    return [
        (
            "edit_file",
            {
                "changes": [{"path": "<>/a", "start_line": 1, **change}],
                "output_diff": False,
            },
        )
    ]


CASES = (
    Case(
        "list_files",
        [("list_files", {"path": "<>"})],
        in_order,
        {"a": "x", "s/b": "y", ".h": ""},
    ),
    Case(
        "list_files, recursive",
        [("list_files", {"path": "<>", "recursive": True})],
        in_order,
        {"a": "x", "s/b": "y"},
    ),
    Case(
        "list_files of a file",
        [("list_files", {"path": "<>/a"})],
        only("path", "isFile", "size", "mode"),
        {"a": "x"},
    ),
    Case("list_files, missing", [("list_files", {"path": "<>/no"})], whole),
    Case("list_files, absolute", [("list_files", {"path": "/etc"})], whole),
    Case("list_files, unknown argument", [("list_files", {"pth": "."})], whole),
    Case(
        "stat_items",
        [("stat_items", {"paths": ["<>/a", "<>/no"]})],
        _STAT,
        {"a": "x"},
    ),
    Case(
        "stat_items, a path twice",
        [("stat_items", {"paths": ["<>/a", "<>/no", "<>/a"]})],
        _STAT,
        {"a": "x"},
        "the third answer comes second",
        "answers in the order asked",
        DEFECT + "answers are sorted by the first index of their path",
    ),
    Case(
        "stat_items of a link",
        [("stat_items", {"paths": ["<>/l"]})],
        lambda a: a[0]["stats"]["isSymbolicLink"],
        {"a": "x", "l": ("link", "a")},
        "reported as its target",
        "reported as a link",
        DEFECT + "`isSymbolicLink` is never true",
    ),
    Case(
        "read_content",
        [("read_content", {"paths": ["<>/a", "<>/s", "<>/no"]})],
        only("path", "content", "error"),
        {"a": "x\ny\n", "s": None},
    ),
    Case(
        "read_content, CRLF and a byte-order mark",
        [("read_content", {"paths": ["<>/a"]})],
        only("content"),
        {"a": b"\xef\xbb\xbfx\r\ny\r\n"},
        "the mark and CR are part of the text",
        "neither is",
        CHOICE
        + "shown text has `\\n` only, and is matched so; the bytes stay in the file",
    ),
    Case(
        "read_content, binary",
        [("read_content", {"paths": ["<>/a"]})],
        only("path", "content", "error"),
        {"a": b"\0\1\xff"},
        "U+FFFD and controls",
        "`is_binary`",
        DEFECT + "what is shown is not what is there",
    ),
    Case(
        "read_content through a link that leads out",
        [("read_content", {"paths": ["<>/l"]})],
        only("content", "error"),
        {"../../secret.txt": "secret", "l": ("link", "../secret.txt")},
        "the outside text",
        "refused",
        DEFECT + "links are followed out of the root",
    ),
    Case(
        "read_content in a folder whose name begins with the root's",
        [("read_content", {"paths": ["../root-other/a"]})],
        only("content", "error"),
        {"../../root-other/a": "secret"},
        "the outside text",
        "refused",
        DEFECT + "paths are compared as strings",
    ),
    Case(
        "write_content",
        [
            (
                "write_content",
                {"items": [{"path": "<>/n/a", "content": "x\r\ny"}]},
            )
        ],
        _ITEM,
    ),
    Case(
        "write_content, append",
        [
            (
                "write_content",
                {"items": [{"path": "<>/a", "content": "y", "append": True}]},
            )
        ],
        _ITEM,
        {"a": "x"},
    ),
    Case(
        "create_directories",
        [("create_directories", {"paths": ["<>/n/m"]})],
        only("path", "success"),
    ),
    Case(
        "create_directories over a file",
        [("create_directories", {"paths": ["<>/a"]})],
        only("path", "success"),
        {"a": "x"},
    ),
    Case(
        "delete_items",
        [("delete_items", {"paths": ["<>/a", "<>/s", "<>/no"]})],
        _ITEM,
        {"a": "x", "s/b": "y"},
    ),
    Case(
        "delete_items of the root", [("delete_items", {"paths": ["."]})], _ITEM
    ),
    Case(
        "move_items",
        [
            (
                "move_items",
                {"operations": [{"source": "<>/a", "destination": "<>/n/b"}]},
            )
        ],
        _ITEM,
        {"a": "x"},
    ),
    Case(
        "move_items, missing",
        [
            (
                "move_items",
                {"operations": [{"source": "<>/no", "destination": "<>/b"}]},
            )
        ],
        _ITEM,
    ),
    Case(
        "move_items onto a file",
        [
            (
                "move_items",
                {"operations": [{"source": "<>/a", "destination": "<>/b"}]},
            )
        ],
        _ITEM,
        {"a": "x", "b": "y"},
        "the file there is lost",
        "`already_exists`, or `overwrite=true`",
        DEFECT + "what is there is overwritten unasked",
    ),
    Case(
        "copy_items",
        [
            (
                "copy_items",
                {"operations": [{"source": "<>/s", "destination": "<>/t"}]},
            )
        ],
        _ITEM,
        {"s/b": "y"},
    ),
    Case(
        "copy_items onto a file",
        [
            (
                "copy_items",
                {"operations": [{"source": "<>/a", "destination": "<>/b"}]},
            )
        ],
        _ITEM,
        {"a": "x", "b": "y"},
        "the file there is lost",
        "`already_exists`, or `overwrite=true`",
        DEFECT + "what is there is overwritten unasked",
    ),
    Case(
        "chmod_items",
        [("chmod_items", {"paths": ["<>/a", "<>/no"], "mode": "600"})],
        _ITEM,
        {"a": "x"},
    ),
    Case(
        "chmod_items, not octal",
        [("chmod_items", {"paths": ["<>/a"], "mode": "rw"})],
        whole,
        {"a": "x"},
    ),
    Case(
        "search_files",
        [("search_files", {"path": "<>", "regex": "h.t"})],
        only("file", "line", "match"),
        {"a": "1\nhit\n"},
    ),
    Case(
        "search_files in subfolders",
        [("search_files", {"path": "<>", "regex": "hit"})],
        only("file", "line", "match"),
        {"s/a": "hit\n"},
        "nothing",
        "the match",
        DEFECT + "`*` looks at the top folder alone",
    ),
    Case(
        "search_files, two matches on a line",
        [("search_files", {"path": "<>", "regex": "h.t"})],
        only("line", "match"),
        {"a": "hit hat\n"},
        "the first",
        "both",
        DEFECT + "without the flag `g` the rest of the line is not looked at",
    ),
    Case(
        "search_files in one file",
        [("search_files", {"path": "<>/a", "regex": "hit"})],
        only("file", "line", "match"),
        {"a": "hit\n"},
        "nothing",
        "the match",
        DEFECT + "a file as path finds nothing",
    ),
    Case(
        "search_files, missing",
        [("search_files", {"path": "<>/no", "regex": "hit"})],
        whole,
        {},
        "nothing found",
        "an error",
        DEFECT + "a bad path looks like a search without matches",
    ),
    Case(
        "search_files, bad regex",
        [("search_files", {"path": "<>", "regex": "("})],
        whole,
    ),
    Case(
        "replace_content", _replace("<>/a", "x", "y"), _ITEM, {"a": "x x\r\n"}
    ),
    Case(
        "replace_content, regex",
        _replace("<>/a", r"(\w)=(\w)", "$2=$1", use_regex=True),
        _ITEM,
        {"a": "k=v\n"},
    ),
    Case(
        "replace_content, nothing there",
        _replace("<>/a", "q", "y"),
        _ITEM,
        {"a": "x"},
    ),
    Case(
        "replace_content, `$&` in a literal replacement",
        _replace("<>/a", "x", "[$&]"),
        _ITEM,
        {"a": "x"},
        "`[x]`",
        "`[$&]`",
        DEFECT + "a literal replacement is expanded",
    ),
    Case(
        "replace_content in a file with invalid UTF-8",
        _replace("<>/a", "x", "y"),
        _ITEM,
        {"a": b"x \xff\n"},
        "the other bytes become U+FFFD",
        "they stay",
        DEFECT + "the file is decoded and encoded again",
    ),
    Case(
        "edit_file",
        _edit(search_pattern="x = 1", replace_content="x = 2"),
        _ITEM,
        {"a": _PY},
    ),
    Case(
        "edit_file, inserting",
        _edit(start_line=3, replace_content="y = 2"),
        _ITEM,
        {"a": _PY},
    ),
    Case(
        "edit_file, deleting", _edit(search_pattern="x = 1"), _ITEM, {"a": _PY}
    ),
    Case(
        "edit_file in a CRLF file",
        _edit(search_pattern="two", replace_content="2"),
        _ITEM,
        {"a": b"one\r\ntwo\r\n"},
        "not found, and called skipped",
        "replaced, CRLF kept",
        DEFECT + "lines are split at `\\n`, so CR is part of them",
    ),
    Case(
        "edit_file, an empty line in the replacement",
        _edit(search_pattern="x = 1", replace_content="x = 2\n\ny = 3"),
        _ITEM,
        {"a": _PY},
        "spaces on the empty line",
        "an empty line",
        DEFECT + "trailing spaces nobody asked for",
    ),
    Case(
        "edit_file, regex",
        _edit(
            search_pattern=r"x = \d", replace_content="x = 2", use_regex=True
        ),
        _ITEM,
        {"a": _PY},
        "skipped",
        "replaced",
        DEFECT + "not implemented",
    ),
    Case(
        "edit_file, not there",
        _edit(search_pattern="absent", replace_content="x"),
        _ITEM,
        {"a": _PY},
        "`skipped`",
        "`failed`, with the reason",
        CHOICE + "a change that could not be made is a failure",
    ),
)
