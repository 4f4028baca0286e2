"""The one path of every call: bad input gets its code and a hint, and changes nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.method_tools import call_tool
from tests.tools.conftest import list_contents, write_odd_files

from filewright import (
    Code,
    Workspace,
)

SEARCH = {"search": "x", "replace": "y"}


CASES = [
    # tool, arguments, code, what the message must say
    ("edit_content", {"path": 5, "edits": [SEARCH]}, "invalid_input", "'path'"),
    ("edit_content", {"path": "a.txt", "edits": "x"}, "invalid_input", "'edits'"),
    ("edit_content", {"path": "a.txt", "edits": []}, "invalid_input", "'edits'"),
    ("edit_content", {"path": "a.txt"}, "invalid_input", "'edits' is missing"),
    ("edit_content", {"path": "a.txt", "edits": [{"search": None, "replace": "y"}]}, "invalid_input", "no text and no place"),
    ("edit_content", {"path": "a.txt", "edits": [{"search": "a", "replace": None}]}, "invalid_input", "replace' is missing"),
    ("edit_content", {"path": "a.txt", "edits": [{**SEARCH, "replaceall": True}]}, "invalid_input", "replaceall"),
    ("edit_content", {"path": "a.txt", "edits": [SEARCH], "fuzy": True}, "invalid_input", "fuzy"),
    ("edit_content", {"path": "a.txt", "edits": [SEARCH], "fuzzy": "perhaps"}, "invalid_input", "'fuzzy'"),
    ("edit_content", {"path": "a.txt", "edits": [{"search": "", "replace": "y"}]}, "invalid_input", "empty"),
    ("edit_content", {"path": "a.txt", "edits": [{"search": "\ud83d", "replace": "y"}]}, "invalid_input", "surrogate"),
    ("edit_content", {"path": "a.txt", "edits": [{"search": "one", "replace": "\ude00"}]}, "invalid_input", "surrogate"),
    ("edit_content", {"path": "a.txt", "edits": [{"search": "nowhere", "replace": "y"}]}, "no_match", "a.txt"),
    ("edit_content", {"path": "a.txt", "edits": [{"search": "twice", "replace": "y"}]}, "ambiguous_match", "2, 3"),
    ("edit_content", {"path": "a.txt", "edits": [{"search": "one", "replace": "one"}]}, "no_change", ""),
    ("edit_content", {"path": "a.txt", "edits": [{"search": "one", "replace": "1"}], "expected_version": "0" * 16}, "stale_version", "a.txt"),
    ("edit_content", {"path": "gone.txt", "edits": [SEARCH]}, "not_found", "gone.txt"),
    ("edit_content", {"path": "folder", "edits": [SEARCH]}, "not_a_file", "folder"),
    ("edit_content", {"path": "link.txt", "edits": [SEARCH]}, "symlink", "link.txt"),
    ("edit_content", {"path": "pipe", "edits": [SEARCH]}, "not_a_file", "pipe"),
    ("edit_content", {"path": "binary", "edits": [SEARCH]}, "is_binary", "binary"),
    ("edit_content", {"path": "utf16.txt", "edits": [SEARCH]}, "is_binary", "odd number of bytes"),
    ("edit_content", {"path": "latin.txt", "edits": [{"search": "caf\xe9", "replace": "\u65e5"}]}, "unencodable", "\u65e5"),
    ("edit_content", {"path": "../out.txt", "edits": [SEARCH]}, "path_escape", "../out.txt"),
    ("edit_content", {"path": "/etc/passwd", "edits": [SEARCH]}, "path_escape", "/etc/passwd"),
    ("edit_content", {"path": "a\0b", "edits": [SEARCH]}, "invalid_input", "NUL"),
    ("read_content", {}, "invalid_input", "either path or paths"),
    ("read_content", {"path": "a.txt", "paths": ["a.txt"]}, "invalid_input", "either path or paths"),
    ("read_content", {"path": "a.txt", "start": 0}, "invalid_input", "start=0"),
    ("read_content", {"path": "a.txt", "start": 99}, "invalid_input", "3 lines"),
    ("read_content", {"path": "empty.txt", "start": 2}, "invalid_input", "0 lines"),
    ("read_content", {"path": "a.txt", "limit": 0}, "invalid_input", "'limit'"),
    ("read_content", {"path": "a.txt", "line": 1, "column": 99}, "invalid_input", "column=99"),
    ("read_content", {"path": "a.txt", "encoding": "klingon"}, "invalid_input", "klingon"),
    ("read_content", {"path": "a.txt", "start": "one"}, "invalid_input", "'start'"),
    ("read_content", {"path": "a.txt", "start": True}, "invalid_input", "'start'"),
    ("read_content", {"path": "binary"}, "is_binary", "binary"),
    ("read_content", {"path": "utf32.txt"}, "is_binary", "UTF-32"),
    ("read_content", {"path": "utf32.txt"}, "is_binary", "convert it first"),
    ("read_content", {"path": "pipe"}, "not_a_file", "pipe"),
    ("read_content", {"path": "socket"}, "not_a_file", "socket"),
    ("read_content", {"path": "outlink"}, "path_escape", "outlink"),
    ("read_content", {"path": "a.txt/"}, "not_a_directory", "a.txt/"),
    ("read_content", {"path": "a.txt/b"}, "not_a_directory", "a.txt/b"),
    ("list_files", {"path": "a.txt"}, "not_a_directory", "a.txt"),
    ("list_files", {"path": "gone"}, "not_found", "gone"),
    ("list_files", {"cursor": "rubbish"}, "invalid_input", "cursor"),
    ("list_files", {"sort": "colour"}, "invalid_input", "'sort'"),
    ("search_content", {"pattern": ""}, "invalid_input", "pattern"),
    ("search_content", {"pattern": "(", "mode": "regex"}, "invalid_input", "("),
    ("search_content", {"pattern": r"\pL{500}\pN{500}", "mode": "regex"}, "invalid_input", "make the pattern smaller"),
    ("search_content", {"pattern": "x", "path": "gone"}, "not_found", "gone"),
    ("search_content", {"pattern": "x", "path": "../.."}, "path_escape", "../.."),
    ("search_content", {"pattern": "x", "cursor": "bad"}, "invalid_input", "cursor"),
    ("search_content", {"pattern": "x", "without": "y", "invert": True}, "invalid_input", "invert"),
    ("write_content", {"items": [{"path": "a.txt", "content": "new"}]}, "already_exists", "a.txt"),
    ("write_content", {"items": [{"path": "n.txt", "content": None}]}, "invalid_input", "null"),
    ("write_content", {"items": [{"path": "n.txt", "content": "\ud800"}]}, "invalid_input", "surrogate"),
    ("write_content", {"items": [{"path": "n.txt"}]}, "invalid_input", "content"),
    ("write_content", {"items": [{"path": "folder", "content": "x", "mode": "overwrite"}]}, "not_a_file", "folder"),
    ("write_content", {"items": [{"path": "a.txt/b", "content": "x"}]}, "not_a_directory", "a.txt/b"),
    ("write_content", {"items": [{"path": "link.txt", "content": "x", "mode": "overwrite"}]}, "symlink", "link.txt"),
    ("write_content", {"items": [{"path": "../x", "content": "x"}]}, "path_escape", "../x"),
    ("write_content", {"items": [{"path": ".git/config", "content": "x"}]}, "permission_denied", ".git"),
    ("write_content", {"items": [{"path": "a.txt", "content": "x", "mode": "overwrite", "expected_version": "feed"}]}, "stale_version", "a.txt"),
    ("write_content", {"items": [{"path": "ok.txt", "content": "x"}, {"path": "a.txt", "content": "x"}]}, "already_exists", "item 2 of 2"),
    ("get_history", {"change_id": "no-such-change"}, "not_found", "no-such-change"),
    ("get_history", {"path": "../x"}, "path_escape", "../x"),
    ("revert_edit", {}, "invalid_input", "one of change_id, session and since"),
    ("revert_edit", {"change_id": "../../etc/passwd"}, "not_found", ""),
    ("revert_edit", {"path": "a.txt"}, "not_found", "a.txt"),
    ("stat_items", {"paths": ["gone"]}, "not_found", "gone"),
    ("move_items", {"items": [{"source": "folder", "destination": "folder/in"}]}, "invalid_input", "itself"),
    ("move_items", {"items": [{"source": "a.txt", "destination": "latin.txt"}]}, "already_exists", "latin.txt"),
    ("move_items", {"items": [{"source": "gone", "destination": "x"}], "copy": True}, "not_found", "gone"),
    ("delete_items", {"paths": ["gone"]}, "not_found", "gone"),
    ("delete_items", {"paths": ["folder"]}, "not_a_file", "recursive"),
    ("delete_items", {"paths": ["."], "recursive": True}, "permission_denied", "root"),
    ("create_directories", {"paths": ["a.txt"]}, "not_a_directory", "a.txt"),
    ("set_permissions", {"paths": ["a.txt"]}, "invalid_input", "mode"),
    ("set_permissions", {"paths": ["a.txt"], "mode": "999"}, "invalid_input", "999"),
    ("set_permissions", {"paths": ["a.txt"], "mode": "4755"}, "permission_denied", "set"),
    ("set_permissions", {"paths": ["a.txt"], "owner": "nobody-of-that-name"}, "invalid_input", "nobody-of-that-name"),
    ("replace_content", {"pattern": "x*", "replacement": "y", "mode": "regex"}, "invalid_input", "empty"),
    ("apply_patch", {"patch": "not a patch"}, "invalid_input", ""),
    ("edit_content", {"path": "a.txt", "edits": [{"at": {"after": "9" * 5000}, "replace": "x"}]}, "invalid_input", "no line 999"),
    ("edit_content", {"path": "a.txt", "edits": [{"start_line": 10**5000, "end_line": 1, "replace": "x"}]}, "invalid_input", "'edits[0].start_line'"),
    ("read_content", {"path": "a.txt", "start": -(10**30)}, "invalid_input", "'start'"),
    ("read_content", {"path": "a.txt", "line": 10**5000}, "invalid_input", "'line'"),
    ("replace_content", {"path": "a.txt", "pattern": "x", "replacement": "y", "expected_count": 10**5000}, "invalid_input", "'expected_count'"),
    ("edit_content", {"path": "n.ipynb", "cell": "9" * 5000, "edits": [SEARCH]}, "not_found", "cell"),
    ("set_permissions", {"paths": ["a.txt"], "owner": "9" * 5000}, "invalid_input", "owner"),
    ("no_such_tool", {}, "invalid_input", "no_such_tool"),
]  # fmt: skip


@pytest.fixture(scope="module")
def odd_root(tmp_path_factory):
    """Return a root with files of every kind, and what it contains."""
    root = tmp_path_factory.mktemp("odd") / "root"
    root.mkdir()
    write_odd_files(root)
    return root, list_contents(root)


@pytest.fixture(scope="module")
def odd_workspace(odd_root, tmp_path_factory):
    """Return a workspace over that root, which refuses every call."""
    root, _ = odd_root
    state = tmp_path_factory.mktemp("state")
    with Workspace(root, state_dir=state) as opened:
        yield opened


@pytest.mark.parametrize(("tool", "arguments", "code", "says"), CASES)
def test_bad_input_changes_nothing(
    odd_root, odd_workspace, tool, arguments, code, says
):
    root, before = odd_root
    result = call_tool(odd_workspace, tool, arguments)
    assert result.is_error, result.text
    assert result.code == code, result.text
    assert result.text.startswith(f"{code}: ") or tool == "stat_items"
    assert says in result.text
    assert "hint: " in result.text or tool == "stat_items"
    assert list_contents(root) == before
    result.text.encode("utf-8")


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "hint"),
    [
        (
            "read_content",
            {"path": "src/mian.py"},
            "not_found",
            "did you mean src/main.py?",
        ),
        (
            "read_content",
            {"path": "scr/main.py"},
            "not_found",
            "did you mean src/main.py?",
        ),
        (
            "read_content",
            {"path": "a/b/c.py"},
            "not_found",
            "there is no a; list . to see what is there",
        ),
        (
            "list_files",
            {"path": "src/main.py"},
            "not_a_directory",
            "read the file",
        ),
        (
            "read_content",
            {"path": "src/main.py", "limit": 0},
            "invalid_input",
            "an integer from 1",
        ),
        (
            "edit_content",
            {"path": "src/main.py", "old": "x"},
            "invalid_input",
            "at least one object {search, replace,",
        ),
        (
            "read_content",
            {"path": "src/main.py", "line": 1, "symbol": "f"},
            "invalid_input",
            "give one of",
        ),
        (
            "read_content",
            {"path": "src/main.py", "mode": "tail", "start": 2},
            "invalid_input",
            "give one of",
        ),
        (
            "read_content",
            {"path": "src/main.py", "line": 1, "column": 90},
            "invalid_input",
            "a column from 1 to 8",
        ),
        (
            "write_content",
            {"items": [{"path": "new/", "content": "x"}]},
            "invalid_input",
            "leave out the /",
        ),
        ("get_history", {"cursor": "zzz"}, "invalid_input", "leave it out"),
        (
            "get_history",
            {"change_id": "x", "client": "c"},
            "invalid_input",
            "leave out change_id, or cursor, session, client and since",
        ),
        (
            "get_history",
            {"change_id": "../../x"},
            "not_found",
            "get_history lists",
        ),
        ("revert_edit", {}, "invalid_input", "change_id for one change"),
        (
            "revert_edit",
            {"change_id": "\ud800"},
            "not_found",
            "get_history lists",
        ),
        (
            "revert_edit",
            {"path": "src/main.py"},
            "not_found",
            "get_history lists",
        ),
        ("read_content", {"path": "src"}, "not_a_file", "list the folder"),
    ],
)
def test_hints(root, workspace, tool, arguments, code, hint):
    (root / "src").mkdir()
    (root / "src/main.py").write_text("def f():\n    pass\n")
    result = workspace.call(tool, arguments)
    assert result.code == code, result.text
    assert hint in result.text.partition("\nhint: ")[2], result.text
    json.dumps(dict(result.data))


WORKING = [
    ("write_content", {"items": [{"path": "n/m", "content": "x"}, {"path": "a", "content": "x", "mode": "overwrite"}]}),
    ("create_directories", {"paths": ["x/y", "x/z", "dir"]}),
    ("move_items", {"items": [{"source": "a", "destination": "p/q/a"}, {"source": "dir", "destination": "moved"}]}),
    ("move_items", {"items": [{"source": "a", "destination": "b"}], "overwrite": True}),
    ("move_items", {"items": [{"source": "a", "destination": "t"}, {"source": "b", "destination": "a"}, {"source": "t", "destination": "b"}]}),
    ("move_items", {"items": [{"source": "dir", "destination": "copy"}, {"source": "a", "destination": "copy/a"}], "copy": True}),
    ("move_items", {"items": [{"source": "a", "destination": "b"}], "overwrite": True, "copy": True}),
    ("delete_items", {"paths": ["a", "dir"], "recursive": True}),
    ("delete_items", {"paths": ["gone", "a"], "missing_ok": True}),
    ("set_permissions", {"paths": ["a", "run.sh"], "mode": "u+x"}),
    ("set_permissions", {"paths": ["dir"], "mode": "0700"}),
]  # fmt: skip


def test_read_only_workspace(entries, tmp_path, contents):
    before = contents()
    with Workspace(
        entries, read_only=True, state_dir=tmp_path / "s"
    ) as workspace:
        names = {tool.name for tool in workspace.tools()}
        assert names == {
            "list_files",
            "get_overview",
            "search_content",
            "read_content",
            "get_history",
        }
        for tool, arguments in WORKING:
            assert call_tool(workspace, tool, arguments).code == "read_only"
    assert contents() == before
    assert not (tmp_path / "s").exists()


def test_calls_offered_tools_only(workspace: Workspace, root: Path) -> None:
    reading = workspace.offer(toolsets=["read"])
    written = reading.call(
        "write_content", {"items": [{"path": "new.txt", "content": "x"}]}
    )
    assert written.code == Code.INVALID_INPUT
    assert "unknown tool 'write_content'" in written.text
    assert not (root / "new.txt").exists()
