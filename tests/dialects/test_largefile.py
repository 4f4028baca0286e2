"""The dialect `largefile` at its interface: every tool, both styles, every field, backups."""

from __future__ import annotations

import json

import pytest
from tests.samples import in_part

from filewright import Workspace

DIALECT = "largefile"

PY = "class C:\n    def f(self):\n        x = 1\n        return x\n\n\ndef g():\n    pass\n"
MIXED = b"\xef\xbb\xbfone\r\ntwo\nthree \xff\r\nfour"
TEN = "".join(f"line {n}\n" for n in range(1, 11))
LOG = "start of the log\nconnection refused by the host\nall is well here\nERROR: disk full\n"


def at(name, **more):
    return {"absolute_file_path": f"<>/{name}", **more}


def in_folder(**more):
    return {"absolute_dir_path": "<>", **more}


def starts(prefix):
    return lambda value: isinstance(value, str) and value.startswith(prefix)


def holds(*parts):
    return lambda value: (
        isinstance(value, str) and all(part in value for part in parts)
    )


def hit(line, match, **more):
    return {"line_number": line, "match": match, **more}


def backup(said, index, name="a.txt"):
    """The arguments that bring back what the answer number `index` made a backup of."""
    return at(name, backup_id=json.loads(said[index])["backup_created"])


def applied(*pairs, name="a.txt"):
    changes = [{"search": old, "replace": new} for old, new in pairs]
    return ("edit_content", at(name, changes=changes, preview=False))


def given(**case):
    """A case of the table; conftest says what its fields mean."""
    return case


TABLE = [
    # get_overview
    given(name="overview: fields", files={"a.py": PY}, call=("get_overview", at("a.py")),
         json={"line_count": 8, "file_size": len(PY), "encoding": "utf-8", "is_binary": False, "has_long_lines": False,
               "long_lines": {"has_long_lines": False, "count": 0, "threshold": 1000},
               "outline": [{"name": "C", "type": "class", "line_number": 1, "end_line": 4, "line_count": 4,
                            "children": [{"name": "f", "type": "method", "line_number": 2, "end_line": 4, "children": []}]},
                           {"name": "g", "type": "function", "line_number": 7, "end_line": 8}],
               "search_hints": bool}),
    given(name="overview: long lines", files={"a.txt": "x" * 1001 + "\nshort\n"}, call=("get_overview", at("a.txt")),
         json={"has_long_lines": True, "long_lines": {"count": 1, "max_length": 1001}}),
    given(name="overview: empty", files={"e": ""}, call=("get_overview", at("e")), json={"line_count": 0, "file_size": 0, "outline": []}),
    given(name="overview: binary", files={"b": b"\0\1"}, call=("get_overview", at("b")),
         json={"is_binary": True, "encoding": None, "file_size": 2, "line_count": 0}),
    given(name="overview: text that begins like a bitmap or a song", files={"a": "BM is not a bitmap\n"},
         call=("get_overview", at("a")), json={"is_binary": False, "line_count": 1}),
    given(name="overview: one invalid byte", files={"a": b"ok\nbad \xff\n"}, call=("get_overview", at("a")), json={"line_count": 2}),
    given(name="overview: changed symbols", files={"a.py": PY},
         call=("get_overview", at("a.py", changed_lines=[[2, 4, "added"], [8, 8]])),
         json={"changed_symbols": 2,
               "outline": [{"name": "C", "changes": None, "children": [{"name": "f", "changes": "added"}]},
                           {"name": "g", "changes": "modified"}]}),
    given(name="overview: hints are plain texts that a search finds", files={"a.py": PY}, call=("get_overview", at("a.py")),
         json={"search_hints": lambda hints: "def " in hints and not any("\\" in hint for hint in hints)}),
    given(name="search: inverted hits say so", files={"a.txt": "x\ny\n"}, call=("search_content", at("a.txt", pattern="x", invert=True)),
         json={"results": [{"line_number": 2, "match_type": "exact_inverted"}]}),
    given(name="overview: nothing is said of changes where there is nothing to compare with", files={"a.py": PY},
         call=("get_overview", at("a.py")), lacks=["changed_symbols"]),
    given(name="overview: syntax errors are warned of", files={"a.py": "def f(:\n"}, call=("get_overview", at("a.py")),
         json={"warning": lambda text: "syntax error" in text}),
    given(name="search: a folder is refused", files={"d/a.txt": "x\n"}, call=("search_content", at("d", pattern="x")), error=True,
         says=["not_a_file"]),
    given(name="search directory: a file is refused", files={"a.txt": "x\n"},
         call=("search_directory", {"absolute_dir_path": "<>/a.txt", "pattern": "x"}), error=True, says=["not_a_directory"]),
    given(name="search: what looks like a regex and finds nothing", files={"a.txt": "FIXME\nTODO\n"},
         call=("search_content", at("a.txt", pattern="FIXME|TODO")), json={"hint": lambda hint: "regex=true" in hint}),
    given(name="search: a count says what it passes over", files={"a.txt": "x\n"},
         call=("search_content", at("a.txt", pattern="x", count_only=True, max_results=3)),
         json={"count": 1, "warnings": ["max_results ignored with count_only"]}),
    given(name="overview: removed lines", files={"a.py": PY}, call=("get_overview", at("a.py", changed_lines=[[8, 8, "removed"]])),
         json={"changed_symbols": 1, "outline": [..., {"name": "g", "changes": "removed"}]}),
    given(name="overview: a range in the wrong order", files={"a.py": PY}, call=("get_overview", at("a.py", changed_lines=[[4, 2]])),
         error=True, says=["invalid_input", "[4, 2]"]),
    given(name="overview: line 0", files={"a.py": PY}, call=("get_overview", at("a.py", changed_lines=[[0, 2]])), error=True),
    given(name="overview: an unknown kind of change", files={"a.py": PY},
         call=("get_overview", at("a.py", changed_lines=[[1, 2, "moved"]])), error=True, says=["changed_lines[0]: ", '"moved"']),
    given(name="overview: a relative path", call=("get_overview", {"absolute_file_path": "a.py"}), error=True,
         says=["invalid_input", "relative"]),
    given(name="overview: outside", call=("get_overview", {"absolute_file_path": "/etc/passwd"}), error=True,
         says=["path_escape", "/etc/passwd", "Suggestion: "]),
    given(name="overview: climbing out", call=("get_overview", at("../../x")), error=True, says=["path_escape"]),
    given(name="overview: missing", call=("get_overview", at("no")), error=True, says=["not_found"]),
    given(name="overview: a folder", files={"d": None}, call=("get_overview", at("d")), error=True, says=["not_a_file"]),
    given(name="overview: a FIFO", files={"p": ("fifo",)}, call=("get_overview", at("p")), error=True, says=["not_a_file"]),
    # search_content
    given(name="search: exact, ranked at 1.0, with context", files={"a.txt": LOG}, call=("search_content", at("a.txt", pattern="disk full")),
         json={"results": [{"line_number": 4, "match": "ERROR: disk full", "similarity_score": 1.0, "match_type": "exact", "truncated": False,
                            "context_before": ["connection refused by the host", "all is well here"], "context_after": [],
                            "submatches": [{"start": 7, "end": 16}], "semantic_context": "Line 4"}],
               "total_matches": 1, "fuzzy_enabled": True, "regex_enabled": False}),
    given(name="search: a typo", files={"a.txt": LOG}, call=("search_content", at("a.txt", pattern="conection refusd by")),
         json={"results": [hit(2, "connection refused by the host", match_type="fuzzy",
                               similarity_score=lambda score: 0.8 <= score < 1)], "total_matches": 1}),
    given(name="search: exact hits come before similar ones", files={"a.txt": "some phrase hare\nfiller line of text\nsome phrase here\n"},
         call=("search_content", at("a.txt", pattern="some phrase here")),
         json={"results": [hit(3, ..., similarity_score=1.0), hit(1, ..., match_type="fuzzy")]}),
    given(name="search: not fuzzy", files={"a.txt": LOG}, call=("search_content", at("a.txt", pattern="conection", fuzzy=False)),
         json={"results": [], "total_matches": 0}),
    given(name="search: nothing alike", files={"a.txt": LOG}, call=("search_content", at("a.txt", pattern="zzzzqqqq")),
         json={"results": [], "total_matches": 0}),
    given(name="search: regex wins over the fuzzy default", files={"a.txt": LOG}, call=("search_content", at("a.txt", pattern="d.sk", regex=True)),
         json={"results": [hit(4, ..., match_type="regex")], "fuzzy_enabled": False, "regex_enabled": True}),
    given(name="search: case does not matter", files={"a.txt": LOG}, call=("search_content", at("a.txt", pattern="error")),
         json={"results": [hit(4, ...)]}),
    given(name="search: case matters if asked", files={"a.txt": LOG},
         call=("search_content", at("a.txt", pattern="error", case_sensitive=True, fuzzy=False)), json={"results": []}),
    given(name="search: inverted", files={"a.txt": "a\nb\na\n"}, call=("search_content", at("a.txt", pattern="a", invert=True)),
         json={"results": [hit(2, "b")], "total_matches": 1, "inverted": True}),
    given(name="search: a count of lines", files={"a.txt": "x x\ny\nx\n"}, call=("search_content", at("a.txt", pattern="x", count_only=True)),
         json={"count": 2, "pattern": "x"}),
    given(name="search: the total beyond the results", files={"a.txt": "x\n" * 30}, call=("search_content", at("a.txt", pattern="x", max_results=5)),
         json={"results": [hit(n, "x") for n in range(1, 6)], "total_matches": 30}),
    given(name="search: twenty by default", files={"a.txt": "x\n" * 30}, call=("search_content", at("a.txt", pattern="x")),
         json={"results": lambda r: len(r) == 20}),
    given(name="search: a hit far into a long line is shown", files={"a.txt": "y" * 5000 + "needle" + "y" * 5000},
         call=("search_content", at("a.txt", pattern="needle")),
         json={"results": [{"truncated": True, "match": lambda m: "needle" in m and len(m) <= 500}]}),
    given(name="search: the enclosing definition", files={"a.py": PY}, call=("search_content", at("a.py", pattern="x = 1")),
         json={"results": [{"semantic_context": holds("C", "f")}]}),
    given(name="search: more than a hundred", files={"a.txt": "x"}, call=("search_content", at("a.txt", pattern="x", max_results=101)),
         error=True, says=["max_results"]),
    given(name="search: a bad regex", files={"a.txt": "x"}, call=("search_content", at("a.txt", pattern="(", regex=True)), error=True,
         says=["invalid_input"]),
    given(name="search: an empty pattern", files={"a.txt": "x"}, call=("search_content", at("a.txt", pattern="")), error=True, says=["pattern"]),
    given(name="search: binary", files={"b": b"\0"}, call=("search_content", at("b", pattern="x")), error=True, says=["is_binary"]),
    # read_content
    given(name="read: fields", files={"a.txt": TEN}, call=("read_content", at("a.txt", offset=3, limit=2)),
         json={"content": "line 3\nline 4\n", "start_line": 3, "end_line": 4, "lines_returned": 2, "total_lines": 10, "mode": "lines",
               "truncated": True}),
    given(name="read: a hundred lines by default", files={"a.txt": "x\n" * 150}, call=("read_content", at("a.txt")),
         json={"lines_returned": 100, "truncated": True}),
    given(name="read: whole, no newline at the end", files={"a.txt": "1\n2"}, call=("read_content", at("a.txt")),
         json={"content": "1\n2", "truncated": False}),
    given(name="read: empty", files={"e": ""}, call=("read_content", at("e")), json={"content": "", "lines_returned": 0, "total_lines": 0}),
    given(name="read: tail", held=True, files={"a.txt": TEN}, call=("read_content", at("a.txt", mode="tail", limit=2)),
         json={"content": "line 9\nline 10\n", "start_line": 9, "end_line": 10, "mode": "tail"}),
    given(name="read: head", files={"a.txt": TEN}, call=("read_content", at("a.txt", mode="head", limit=2)), json={"content": "line 1\nline 2\n"}),
    given(name="read: a warning for what is ignored", files={"a.txt": TEN}, call=("read_content", at("a.txt", mode="tail", limit=1, offset=3)),
         json={"warnings": ["offset ignored in tail mode"]}),
    given(name="read: around a pattern", files={"a.txt": TEN}, call=("read_content", at("a.txt", pattern="line 7", limit=3)),
         json={"match_line": 7, "content": holds("line 7")}),
    given(name="read: a pattern that is only similar", files={"a.txt": LOG}, call=("read_content", at("a.txt", pattern="conection refusd by", limit=1)),
         json={"match_line": 2, "content": holds("connection refused")}),
    given(name="read: a pattern that is nowhere", files={"a.txt": LOG}, call=("read_content", at("a.txt", pattern="zzzzqqqqxx")), error=True,
         says=["no_match"]),
    given(name="read: the definition around a pattern", files={"a.py": PY}, call=("read_content", at("a.py", pattern="x = 1", mode="semantic")),
         json={"start_line": 2, "end_line": 4, "mode": "semantic", "match_line": 3, "truncated": False}),
    given(name="read: the definition at an offset", files={"a.py": PY}, call=("read_content", at("a.py", offset=8, mode="semantic")),
         json={"start_line": 7, "end_line": 8}),
    given(name="read: target is a line", files={"a.txt": TEN}, call=("read_content", at("a.txt", target=9)), json={"start_line": 9, "end_line": 10}),
    given(name="read: target is a pattern", files={"a.txt": TEN}, call=("read_content", at("a.txt", target="line 7", limit=3)), json={"match_line": 7}),
    given(name="read: target is the number of last lines", files={"a.txt": TEN}, call=("read_content", at("a.txt", target=3, mode="tail")),
         json={"content": "line 8\nline 9\nline 10\n"}),
    given(name="read: target in a definition", files={"a.py": PY}, call=("read_content", at("a.py", target=3, mode="semantic")),
         json={"start_line": 2, "end_line": 4}),
    given(name="read: past the end", files={"a.txt": TEN}, call=("read_content", at("a.txt", offset=11)), error=True,
         says=["invalid_input", "offset=11", "10 lines"]),
    given(name="read: offset 0", files={"a.txt": TEN}, call=("read_content", at("a.txt", offset=0)), error=True, says=["offset"]),
    given(name="read: an unknown mode", files={"a.txt": TEN}, call=("read_content", at("a.txt", mode="middle")), error=True, says=["mode"]),
    given(name="read: a long line is cut", files={"a.txt": "x" * 100_000}, call=("read_content", at("a.txt")),
         json={"truncated": True, "content": "x" * 1000, "long_lines_cut": [1]}),
    given(name="read: a form feed is no line break", files={"a.txt": "a\fb\u2028c\nd\n"}, call=("read_content", at("a.txt")),
         json={"total_lines": 2}),
    # read_enclosing
    given(name="enclosing: the innermost", files={"a.py": PY}, call=("read_enclosing", at("a.py", line=3)),
         json={"start_line": 2, "end_line": 4, "mode": "enclosing", "enclosing_symbol": holds("f")}),
    given(name="enclosing: the one around it", files={"a.py": PY}, call=("read_enclosing", at("a.py", line=3, depth=2)),
         json={"start_line": 1, "end_line": 4, "enclosing_symbol": holds("C")}),
    given(name="enclosing: a window where there is none", files={"a.txt": TEN}, call=("read_enclosing", at("a.txt", line=5, context_lines=3)),
         json={"start_line": 4, "end_line": 6, "mode": "context_window", "enclosing_symbol": None}),
    given(name="enclosing: past the end", files={"a.py": PY}, call=("read_enclosing", at("a.py", line=99)), error=True, says=["8 lines"]),
    given(name="enclosing: line 0", files={"a.py": PY}, call=("read_enclosing", at("a.py", line=0)), error=True, says=["line"]),
    # edit_content
    given(name="edit: a preview writes nothing", files={"a.txt": "one\ntwo\n"}, call=("edit_content", at("a.txt", search_text="two", replace_text="2")),
         json={"success": True, "changes_made": 1, "line_number": 2, "similarity_used": 1.0, "changes_applied": 1, "changes_failed": 0,
               "preview": holds("-two", "+2"), "backup_created": None,
               "results": [{"index": 0, "success": True, "line_number": 2, "match_type": "exact", "similarity": 1.0}]}),
    given(name="edit: applied, with a backup", files={"a.txt": "one\ntwo\n"}, call=applied(("two", "2")),
         json={"success": True, "backup_created": bool}, after={"a.txt": b"one\n2\n"}),
    given(name="edit: other bytes stay", files={"a.txt": MIXED}, call=applied(("two", "2")), json={"success": True},
         after={"a.txt": MIXED.replace(b"two", b"2")}),
    given(name="edit: several", files={"a.txt": "one\ntwo\n"}, call=applied(("one", "1"), ("two", "2")),
         json={"changes_applied": 2, "results": [{"index": 0}, {"index": 1}]}, after={"a.txt": b"1\n2\n"}),
    given(name="edit: looks past indentation", files={"a.py": PY}, call=applied(("def f(self):\n  x = 1", "def f(self):\n  x = 2"), name="a.py"),
         json={"success": True, "match_type": "fuzzy"}, after={"a.py": PY.replace("1", "2").encode()}),
    given(name="edit: exact only", files={"a.py": PY},
         call=("edit_content", at("a.py", changes=[{"search": "def f(self):\n  x = 1", "replace": "", "fuzzy": False}])),
         json={"success": False, "results": [{"success": False, "error": starts("no_match"), "similar_matches": lambda m: 0 < len(m) <= 3}]}),
    given(name="edit: all or none", files={"a.txt": "one\ntwo\n"}, call=applied(("one", "1"), ("completely absent", "x")),
         json={"success": False, "changes_applied": 0, "changes_failed": 1, "backup_created": None,
               "results": [{"success": False, "error": holds("not applied")}, {"success": False, "error": starts("no_match")}]}),
    given(name="edit: several places are refused and listed", files={"a.txt": "x = 1\ny\nx = 1\n"}, call=applied(("x = 1", "x = 2")),
         json={"success": False, "results": [{"error": starts("ambiguous_match"),
                                              "similar_matches": [{"line": 1, "content": "x = 1", "similarity": 1.0},
                                                                  {"line": 3, "content": "x = 1", "similarity": 1.0}]}]}),
    given(name="edit: overlapping changes name each other", files={"a.txt": "one two three\n"}, call=applied(("one two", "a"), ("two three", "b")),
         json={"success": False, "results": [..., {"error": holds("overlap", "changes 0 and 1")}]}),
    given(name="edit: no changes", files={"a.txt": "x"}, call=("edit_content", at("a.txt", changes=[])), error=True, says=["changes"]),
    given(name="edit: more than fifty", files={"a.txt": "x"},
         call=("edit_content", at("a.txt", changes=[{"search": "x", "replace": "y"}] * 51)), error=True, says=["50"]),
    given(name="edit: both styles at once", files={"a.txt": "x"},
         call=("edit_content", at("a.txt", search_text="x", replace_text="y", changes=[{"search": "x", "replace": "y"}])), error=True),
    given(name="edit: half a style", files={"a.txt": "x"}, call=("edit_content", at("a.txt", search_text="x")), error=True, says=["replace_text"]),
    given(name="edit: an empty search", files={"a.txt": "x"}, call=("edit_content", at("a.txt", search_text="", replace_text="y")), error=True),
    given(name="edit: an unknown field", files={"a.txt": "x"},
         call=("edit_content", at("a.txt", changes=[{"search": "x", "replace": "y", "regex": True}])), error=True, says=["regex"]),
    given(name="edit: missing", call=applied(("x", "y")), error=True, says=["not_found"]),
    # revert_edit
    given(name="revert: the newest", files={"a.txt": "one\n"}, first=[applied(("one", "two"))], call=("revert_edit", at("a.txt")),
         json={"success": True, "reverted_to": {"id": ..., "timestamp": ..., "size": 4, "path": "<>/a.txt"}, "current_saved_as": {"id": ...},
               "available_backups": lambda b: len(b) == 2}, after={"a.txt": b"one\n"}),
    given(name="revert: an older one, entirely", files={"a.txt": "one\n"}, first=[applied(("one", "two")), applied(("two", "three"))],
         call=("revert_edit", lambda said: backup(said, 0)), json={"success": True}, after={"a.txt": b"one\n"}),
    given(name="revert: reverting is a backup itself", files={"a.txt": "one\n"}, first=[applied(("one", "two")), ("revert_edit", at("a.txt"))],
         call=("revert_edit", at("a.txt")), json={"available_backups": lambda b: len(b) == 3 and b[0]["id"] > b[1]["id"] > b[2]["id"]},
         after={"a.txt": b"two\n"}),
    given(name="revert: two edits at once have two backups", files={"a.txt": "one\n"}, first=[applied(("one", "two")), applied(("two", "three"))],
         call=("revert_edit", lambda said: backup(said, 1)), json={"available_backups": lambda b: len({each["id"] for each in b}) == 3},
         after={"a.txt": b"two\n"}),
    given(name="revert: nothing to revert to", files={"a.txt": "x"}, call=("revert_edit", at("a.txt")), error=True,
         says=["not_found", "only changes made through this workspace"]),
    given(name="revert: an unknown backup", files={"a.txt": "one\n"}, first=[applied(("one", "two"))],
         call=("revert_edit", at("a.txt", backup_id="nope")), error=True, says=["not_found", "nope"], after={"a.txt": b"two\n"}),
    # directories
    given(name="list: folders first", files={"b.txt": "abc", "z/x": "", ".h": "", "node_modules/y": ""}, call=("list_directory", in_folder()),
         json={"path": "<>", "entries": [{"name": "z", "type": "dir", "child_count": 1},
                                         {"name": "b.txt", "type": "file", "size_bytes": 3, "child_count": None}],
               "total_files": 1, "total_dirs": 1, "truncated": False}),
    given(name="list: deeper, and hidden", files={"z/x": "", ".h": ""}, call=("list_directory", in_folder(max_depth=2, include_hidden=True)),
         json={"entries": [{"name": "z"}, {"name": "z/x"}, {"name": ".h"}]}),
    given(name="list: at most so many", files={"a": "", "b": ""}, call=("list_directory", in_folder(max_entries=1)),
         json={"entries": [{"name": "a"}], "truncated": True, "truncated_at": "b"}),
    given(name="list: the path's other name", files={"a": ""}, call=("list_directory", {"absolute_file_path": "<>"}), json={"total_files": 1}),
    given(name="list: a file", files={"a": ""}, call=("list_directory", {"absolute_dir_path": "<>/a"}), error=True, says=["not_a_directory"]),
    given(name="list: a relative path", call=("list_directory", {"absolute_dir_path": "."}), error=True, says=["relative"]),
    given(name="search folder: by file", files={"a.txt": "hit\n", "s/b.txt": "no\nhit\n", ".h": "hit\n"}, call=("search_directory", in_folder(pattern="hit")),
         json={"total_matches": 2, "files_with_matches": 2, "truncated": False,
               "results": [{"file": "a.txt", "matches": [hit(1, "hit")]}, {"file": "s/b.txt", "matches": [hit(2, "hit")]}]}),
    given(name="search folder: a file pattern, ignored logs too", files={".gitignore": "*.log\n", "a.log": "hit\n", "a.txt": "hit\n"},
         call=("search_directory", in_folder(pattern="hit", include_pattern="*.log")), json={"results": [{"file": "a.log"}]}),
    given(name="search folder: hidden", files={".h": "hit\n"}, call=("search_directory", in_folder(pattern="hit", include_hidden=True)),
         json={"results": [{"file": ".h"}]}),
    given(name="search folder: regex, case, inverted", files={"a.txt": "A1\nb\n"},
         call=("search_directory", in_folder(pattern=r"A\d", regex=True, case_sensitive=True, invert=True)),
         json={"results": [{"matches": [hit(2, "b")]}]}),
    given(name="search folder: fuzzy", files={"a.txt": LOG}, call=("search_directory", in_folder(pattern="conection refusd by", fuzzy=True)),
         json={"results": [{"matches": [hit(2, ..., match_type="fuzzy")]}]}),
    given(name="search folder: at most so many", files={"a.txt": "x\n" * 9}, call=("search_directory", in_folder(pattern="x", max_results=3)),
         json={"total_matches": 3, "truncated": True, "truncated_at": "a.txt"}),
    given(name="search folder: missing", call=("search_directory", {"absolute_dir_path": "<>/no", "pattern": "x"}), error=True, says=["not_found"]),
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


def test_a_deleted_file_can_be_brought_back(tmp_path):
    from filewright import Workspace

    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_text("kept\n")
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        workspace.delete("a.txt")
        result = workspace.offer(DIALECT).call(
            "revert_edit", {"absolute_file_path": str(root / "a.txt")}
        )
        assert json.loads(result.text)["success"] is True
        assert (root / "a.txt").read_text() == "kept\n"


def test_half_a_surrogate_pair_where_a_line_belongs_is_refused(in_process):
    wanted = at("a.py", changed_lines=[["\ud800", 2]])
    in_process(
        {
            "files": {"a.py": PY},
            "call": ("get_overview", wanted),
            "error": True,
            "says": ["ud800"],
        }
    )


def test_a_file_deleted_since_comes_back(tmp_path):
    path = tmp_path / "root" / "a.txt"
    path.parent.mkdir()
    path.write_text("one\n")
    with Workspace(
        tmp_path / "root", state_dir=tmp_path / "state"
    ) as workspace:
        offer = workspace.offer(DIALECT)
        change = {"search": "one", "replace": "two"}
        offer.call(
            "edit_content",
            {
                "absolute_file_path": str(path),
                "changes": [change],
                "preview": False,
            },
        )
        path.unlink()
        answer = json.loads(
            offer.call("revert_edit", {"absolute_file_path": str(path)}).text
        )
    assert answer["success"]
    assert path.read_text() == "one\n"


def test_the_originals_environment_variables_are_honoured(
    tmp_path, monkeypatch
):
    path = tmp_path / "root" / "a.txt"
    path.parent.mkdir()
    path.write_text("hit\n" * 30 + "x" * 300 + "\n")
    monkeypatch.setenv("LARGEFILE_MAX_SEARCH_RESULTS", "7")
    monkeypatch.setenv("LARGEFILE_CONTEXT_LINES", "1")
    monkeypatch.setenv("LARGEFILE_MAX_LINE_LENGTH", "100")
    with Workspace(
        tmp_path / "root", state_dir=tmp_path / "state"
    ) as workspace:
        offer = workspace.offer(DIALECT)
        asked = {"absolute_file_path": str(path), "pattern": "hit"}
        found = json.loads(offer.call("search_content", asked).text)
        assert len(found["results"]) == 7
        assert len(found["results"][3]["context_before"]) == 1
        more = json.loads(
            offer.call("search_content", {**asked, "max_results": 9}).text
        )
        assert len(more["results"]) == 9
        overview = json.loads(
            offer.call("get_overview", {"absolute_file_path": str(path)}).text
        )
        assert overview["long_lines"] == {
            "has_long_lines": True,
            "count": 1,
            "max_length": 300,
            "threshold": 100,
        }
