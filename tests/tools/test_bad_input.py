"""Bad input gets the right code and a hint, and changes nothing."""

import os
import socket

import pytest
from tests.method_tools import call_tool

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


@pytest.fixture
def place(root, tmp_path):
    (root / "a.txt").write_bytes(b"one\ntwice\ntwice\n")
    (root / "empty.txt").write_bytes(b"")
    (root / "folder").mkdir()
    (root / "folder/inside").write_bytes(b"x")
    (root / "link.txt").symlink_to("a.txt")
    (tmp_path / "out.txt").write_bytes(b"secret")
    (root / "outlink").symlink_to("../out.txt")
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(str(root / "socket"))
    (root / "binary").write_bytes(b"\0\1\2")
    (root / "utf16.txt").write_bytes("x = 1\n".encode("utf-16") + b"x")
    (root / "utf32.txt").write_bytes("x = 1\n".encode("utf-32"))
    (root / "n.ipynb").write_text(
        '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
    )
    (root / "latin.txt").write_bytes("# caf\xe9 au lait\n".encode("latin-1"))
    (root / ".git").mkdir()
    (root / ".git/config").write_bytes(b"[core]\n")
    return root


@pytest.mark.parametrize(("tool", "arguments", "code", "says"), CASES)
def test_bad_input_changes_nothing(
    place, workspace, contents, tool, arguments, code, says
):
    before = contents()
    result = call_tool(workspace, tool, arguments)
    assert result.is_error, result.text
    assert result.code == code, result.text
    assert result.text.startswith(f"{code}: ") or tool == "stat_items"
    assert says in result.text
    assert contents() == before
    result.text.encode("utf-8")


def test_text_is_taken_literally(workspace, root):
    for content in ("null", "[1,2]", "123", "true", '{"a": 1}', "$1 \\1 $&"):
        result = workspace.call(
            "write_content",
            {"items": [{"path": "t", "content": content, "mode": "overwrite"}]},
        )
        assert not result.is_error, result.text
        assert (root / "t").read_text() == content


def test_every_error_has_a_hint(place, workspace):
    without = [
        (tool, arguments)
        for tool, arguments, *_ in CASES
        if "hint: " not in call_tool(workspace, tool, arguments).text
        and tool != "stat_items"
    ]
    assert without == []


def test_the_item_of_a_malformed_argument_is_a_field(workspace):
    edits = [{"search": "a", "replace": "b"}, {"search": 1, "replace": "b"}]
    answer = workspace.call("edit_content", {"path": "a.txt", "edits": edits})
    assert answer.error.details["index"] == 1


def test_a_batch_reports_each_failure_and_fails_nothing_else(place, workspace):
    result = workspace.call(
        "read_content", {"paths": ["a.txt", "gone", "binary", "latin.txt"]}
    )
    assert not result.is_error
    assert "caf\xe9" in result.text
    assert "not_found" in result.text
    assert "is_binary" in result.text
    kinds = [file.get("code") for file in result.data["files"]]
    assert kinds == [None, "not_found", "is_binary", None]


@pytest.mark.parametrize(
    "half",
    [
        "one\n\ud800\n".encode("utf-16", "surrogatepass"),
        "one\nt".encode("utf-16") + b"w",
        b"one\n\xff\n",
    ],
)
@pytest.mark.parametrize("target", ["wide.txt", "returns.txt"])
def test_invalid_bytes_that_cannot_be_moved_as_they_are_are_named_by_their_file(
    place, workspace, half, target
):
    (place / "half.txt").write_bytes(half)
    (place / "wide.txt").write_bytes("a\n".encode("utf-16"))
    (place / "returns.txt").write_bytes(b"a\r\n")
    source = {
        "path": "half.txt",
        "start_line": 2,
        "end_line": 2,
        "expected_version": workspace.read("half.txt").version,
    }
    made = workspace.call(
        "edit_content",
        {
            "edits": [
                {
                    "path": target,
                    "at": {"after": "0"},
                    "from": source,
                    "copy": True,
                }
            ]
        },
    )
    assert made.code == "invalid_input"
    assert "invalid bytes in lines 2-2 of half.txt" in made.text


def nested(levels):
    value = {}
    for _ in range(levels):
        value = {"from": value}
    return value


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("edit_content", ["a.txt"]),
        ("edit_content", {"path": "a.txt", "edits": [nested(20_000)]}),
        (
            "get_overview",
            {
                "path": "a.txt",
                "changed_lines": [[1, 1]],
                "changed_kinds": ["added", "added"],
            },
        ),
    ],
)
def test_also_what_is_no_call_at_all_is_told_what_to_do(
    place, workspace, tool, arguments
):
    made = call_tool(workspace, tool, arguments)
    assert made.code == "invalid_input"
    assert "\nhint: " in made.text
