"""The calls compared with the large-file server, and why some answers differ."""

from __future__ import annotations

from typing import Any

from bench.dialects.case import (
    CHOICE,
    DEFECT,
    Case,
    PlayedTests,
    only,
    results,
    whole,
)

PACKAGE = "largefile==0.3.0"

_PY = "def f():\n    x = 1\n    return x\n"


def _backup_id(answer: Any) -> str:
    """The id of a backup: ours is one; theirs is the middle of a file's name."""
    made = str(answer["backup_created"])
    return made.rsplit(".", 2)[-2] if "/" in made else made


def _at(name: str, **more: Any) -> dict[str, Any]:
    return {"absolute_file_path": f"<>/{name}", **more}


def _search(pattern: str, **more: Any) -> list[tuple[str, Any]]:
    return [("search_content", _at("a", pattern=pattern, **more))]


def _read(**more: Any) -> list[tuple[str, Any]]:
    return [("read_content", _at("a", **more))]


def _change(*pairs: tuple[str, str]) -> tuple[str, Any]:
    changes = [{"search": old, "replace": new} for old, new in pairs]
    return ("edit_content", _at("a", changes=changes, preview=False))


_HIT = results("line_number", "match", "similarity_score", "truncated")
_TEXT = only(
    "content", "start_line", "end_line", "lines_returned", "total_lines", "mode"
)
_DONE = only("success", "changes_applied", "changes_failed")
_LOG = "start of the log\nconnection refused by the host\nall is well\n"
_GO = "package a\n\nfunc F() {\n}\n"


def _names(answer: Any) -> list[str]:
    return sorted(item["name"] for item in answer["outline"])


CASES = (
    Case(
        "get_overview",
        [("get_overview", _at("a"))],
        only("line_count", "file_size", "encoding", "is_binary"),
        {"a": _LOG},
    ),
    Case(
        "get_overview, outline of a method",
        [("get_overview", _at("a.py"))],
        _names,
        {"a.py": "class C:\n    def f(self):\n        pass\n"},
        "class and method side by side",
        "the method under `children` of its class",
        CHOICE + "the outline is a tree",
    ),
    Case(
        "get_overview of a Go file",
        [("get_overview", _at("a.go"))],
        lambda a: len(a["outline"]),
        {"a.go": _GO},
        "no outline",
        "its functions",
        DEFECT + "the outline of Go is always empty",
    ),
    Case(
        "get_overview of text that begins with BM",
        [("get_overview", _at("a"))],
        only("is_binary"),
        {"a": "BM and more text\n"},
        "binary",
        "text",
        DEFECT + "two letters do not make a bitmap",
    ),
    Case(
        "get_overview, one invalid byte",
        [("get_overview", _at("a"))],
        only("line_count"),
        {"a": b"ok\n" * 50 + b"bad \xff\n" + "é\n".encode() * 50},
        "refused",
        "101 lines",
        DEFECT + "one byte shuts the file to every tool",
    ),
    Case("get_overview, missing", [("get_overview", _at("no"))], whole),
    Case(
        "get_overview outside the root",
        [("get_overview", {"absolute_file_path": "/etc/passwd"})],
        lambda _: "read",
        {},
        "any file of the system",
        "`path_escape`",
        DEFECT + "there is no boundary",
    ),
    Case("search_content", _search("all is well"), _HIT, {"a": _LOG}),
    Case(
        "search_content, count_only",
        _search("log", count_only=True, fuzzy=False),
        only("count"),
        {"a": _LOG},
    ),
    Case(
        "search_content, not fuzzy",
        _search("well", fuzzy=False),
        _HIT,
        {"a": _LOG},
    ),
    Case(
        "search_content, a typo in part of a line",
        _search("conection refusd"),
        lambda a: len(a["results"]),
        {"a": _LOG},
        "nothing",
        "line 2 at 0.89",
        DEFECT + "similarity is taken of the whole line",
    ),
    Case(
        "search_content, part of a line", _search("refused"), _HIT, {"a": _LOG}
    ),
    Case(
        "search_content, regex=true",
        _search("w.ll", regex=True),
        _HIT,
        {"a": _LOG},
        "an error",
        "line 3",
        DEFECT + "works only with `fuzzy=false` as well",
    ),
    Case(
        "search_content, invert",
        _search("connection refused by the host", invert=True),
        lambda a: sorted(r["line_number"] for r in a["results"]),
        {
            "a": "x\nconnection refused by the host\nconnection refused by the host, again and again and again\n"
        },
        "also a line that holds the text",
        "the lines without it",
        DEFECT + "fuzzy and invert together mean something else",
    ),
    Case(
        "search_content, a hit past column 500",
        _search("needle", fuzzy=False),
        lambda a: "needle" in a["results"][0]["match"],
        {"a": "y" * 900 + "needle"},
        "a line without the hit",
        "the text around the hit",
        DEFECT + "the line is cut before it",
    ),
    Case("read_content", _read(offset=2, limit=1), _TEXT, {"a": _LOG}),
    Case("read_content, tail", _read(mode="tail", limit=2), _TEXT, {"a": _LOG}),
    Case("read_content, head", _read(mode="head", limit=2), _TEXT, {"a": _LOG}),
    Case(
        "read_content past the end",
        _read(offset=99),
        whole,
        {"a": _LOG},
        "an empty success",
        "an error with the line count",
        DEFECT + "an empty answer reads as an empty file",
    ),
    Case(
        "read_content, form feed and U+2028",
        _read(),
        only("total_lines"),
        {"a": "a\fb\u2028c\nd\n"},
    ),
    Case(
        "read_content, a line of 100,000 characters",
        _read(),
        lambda a: len(a["content"]),
        {"a": "x" * 100_000},
        "all of it",
        "1,000 characters, and it says so",
        DEFECT + "one line can fill a context",
    ),
    Case(
        "read_content, CRLF",
        _read(limit=1),
        only("content"),
        {"a": b"one\r\ntwo\r\n"},
    ),
    Case(
        "read_enclosing",
        [("read_enclosing", _at("a.py", line=2))],
        only("start_line", "end_line", "mode"),
        {"a.py": _PY},
    ),
    Case(
        "edit_content, preview",
        [
            (
                "edit_content",
                _at("a", changes=[{"search": "all", "replace": "ALL"}]),
            )
        ],
        _DONE,
        {"a": _LOG},
    ),
    Case("edit_content", [_change(("all is", "all was"))], _DONE, {"a": _LOG}),
    Case(
        "edit_content, text that occurs twice",
        [_change(("x = 1", "x = 2"))],
        _DONE,
        {"a": "x = 1\ny\nx = 1\n"},
        "the first is changed",
        "refused, both listed",
        DEFECT + "a guess at which was meant",
    ),
    Case(
        "edit_content, one of two fails",
        [_change(("all is", "all was"), ("nowhere at all to be found", "y"))],
        _DONE,
        {"a": _LOG},
        "half is written",
        "nothing is",
        DEFECT + "a failed call leaves the file between two states",
    ),
    Case(
        "edit_content in a file with an invalid byte",
        [_change(("two", "2"))],
        _DONE,
        {"a": b"two \xff\n" + "é\n".encode() * 50},
        "refused",
        "done, the byte stays",
        DEFECT + "one byte shuts the file to every tool",
    ),
    Case(
        "revert_edit right after an edit",
        [_change(("all is", "all was")), ("revert_edit", _at("a"))],
        only("success"),
        {"a": _LOG},
        "success, but the edit stays",
        "the state before it",
        DEFECT + "the backup made by reverting overwrites the one reverted to",
    ),
    Case(
        "revert_edit to the first of two quick edits",
        [
            _change(("all", "1")),
            _change(("1 is", "2 is")),
            (
                "revert_edit",
                lambda said: _at("a", backup_id=_backup_id(said[0])),
            ),
        ],
        only("success"),
        {"a": "all is well\n"},
        "the state after the first edit",
        "the state before it",
        DEFECT + "backups are named by the second and overwrite each other",
    ),
    Case(
        "list_directory",
        [("list_directory", {"absolute_dir_path": "<>"})],
        lambda a: a["entries"],
        {"b": "abc", "z/x": "", ".h": ""},
    ),
    Case(
        "list_directory, deeper",
        [("list_directory", {"absolute_dir_path": "<>", "max_depth": 2})],
        lambda a: a["entries"],
        {"b": "", "z/x": "1"},
    ),
    Case(
        "search_directory",
        [("search_directory", {"absolute_dir_path": "<>", "pattern": "hit"})],
        lambda a: [
            (f["file"], [m["line_number"] for m in f["matches"]])
            for f in a["results"]
        ],
        {"a": "hit\n", "s/b": "no\nhit\n"},
    ),
)

PLAYED = (
    PlayedTests(
        "edit_content and revert_edit, where a backup is",
        frozenset(
            {
                "test_actual_file_editing",
                "test_backup_and_restore",
                "test_revert_preserves_current_state",
            }
        ),
        "the path of a copy",
        "the id of a change in the history",
        CHOICE
        + "revert_edit takes the id; a copy beside is one more file to protect",
    ),
    PlayedTests(
        "edit_content, three lines that hold the text",
        frozenset({"test_multiple_occurrence_edits"}),
        "the first is changed",
        "refused, all listed",
        DEFECT + "a guess at which was meant",
    ),
    PlayedTests(
        "edit_content, spaces inside brackets that have none",
        frozenset({"test_fuzzy_matching_edits"}),
        "the line is changed",
        "refused, with the nearest line",
        CHOICE
        + "more or fewer spaces are looked past, but not spaces where there are none",
    ),
    PlayedTests(
        "edit_content, a preview of which a part cannot be made",
        frozenset(
            {"test_partial_success_response", "test_per_change_fuzzy_override"}
        ),
        "`success`, with the part that could",
        "no `success`, and which change is refused",
        CHOICE + "a preview says what the same call would do, which is nothing",
    ),
    PlayedTests(
        "get_overview of plain text",
        frozenset({"test_get_overview_with_changed_lines_simple_outline"}),
        "lines that begin with TODO or NOTE, of the first fifty",
        "no outline; `search_hints` finds them in all lines",
        CHOICE + "they are no structure",
    ),
    PlayedTests(
        "search_content, regex=true and fuzzy=true",
        frozenset({"test_search_error_handler"}),
        "an error",
        "the regex is searched for",
        DEFECT + "`fuzzy` is true where nothing is given",
    ),
)
"""What of its published tests does not pass here, by the names of the tests."""

TESTS = (
    "integration",
    "unit/test_tools.py",
    "unit/test_tools_list_directory.py",
    "unit/test_tools_search_directory.py",
    "unit/test_revert_edit.py",
    "unit/test_editor.py",
)
"""Its published tests that call tools."""
