"""The promises of the native tools, through each dialect: bytes, boundary, crashes, undo, read-only, bounds."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from tests import processes

from filewright import Workspace
from filewright.changes.log import Log
from filewright.dialects.providers import DIALECT_NAMES, find_provider
from filewright.errors import Code, FilewrightError
from filewright.progress import Task

STRANGE = {
    "crlf": b"one\r\ntwo\r\nthree\r\n",
    "mixed": b"one\r\ntwo\nthree\rfour\n",
    "mark": b"\xef\xbb\xbftwo\nthree\n",
    "invalid": b"one \xff\xfe\ntwo\nthree \x80",
    "no newline": b"one\ntwo",
    "latin": "déjà vu, très bien, café\ntwo\n".encode("latin-1"),
    "nul": b"x" * 9000 + b"\n\0\ntwo\n" + b"x" * 9000,
    "separators": "one\u2028\x0c\x85\ntwo\n".encode(),
}


def edits(root: Path, name: str, old: str, new: str):
    """How each dialect changes a text that occurs once in a file."""
    return {
        "agent-tools": (
            "edit_file",
            {"path": name, "old_string": old, "new_string": new},
        ),
        "largefile": (
            "edit_content",
            {
                "absolute_file_path": str(root / name),
                "search_text": old,
                "replace_text": new,
                "preview": False,
            },
        ),
        "filesystem": (
            "replace_content",
            {"paths": [name], "operations": [{"search": old, "replace": new}]},
        ),
        "official": (
            "edit_file",
            {"path": name, "edits": [{"oldText": old, "newText": new}]},
        ),
        "text-editor": (
            "str_replace_based_edit_tool",
            str_replace(name, old, new),
        ),
        "text-editor-20250124": (
            "str_replace_editor",
            str_replace(name, old, new),
        ),
        "memory": ("memory", str_replace(f"/memories/{name}", old, new)),
        "apply-patch": (
            "apply_patch",
            {
                "operation": {
                    "type": "update_file",
                    "path": name,
                    "diff": f"@@\n-{old}\n+{new}",
                }
            },
        ),
        "gemini": (
            "replace",
            {"file_path": name, "old_string": old, "new_string": new},
        ),
    }


def str_replace(path: str, old: str, new: str):
    """The command of a text editor that replaces a text."""
    return {
        "command": "str_replace",
        "path": path,
        "old_str": old,
        "new_str": new,
    }


EDITING_DIALECTS = [
    name
    for name in DIALECT_NAMES
    if any(tool.writes for tool in find_provider(name).tools())
]


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def workspace(root, tmp_path):
    with Workspace(root, state_dir=tmp_path / "state") as opened:
        yield opened


@pytest.mark.parametrize("name", EDITING_DIALECTS)
@pytest.mark.parametrize("kind", STRANGE)
def test_an_edit_changes_only_its_own_bytes(name, kind, root, workspace):
    (root / "f").write_bytes(STRANGE[kind])
    (root / "f").chmod(0o640)
    result = workspace.offer(name).call(*edits(root, "f", "two", "2")[name])
    assert not result.is_error, result.text
    assert (root / "f").read_bytes() == STRANGE[kind].replace(b"two", b"2")
    assert (root / "f").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("name", EDITING_DIALECTS)
def test_what_a_dialect_did_can_be_undone(name, root, workspace):
    (root / "f").write_bytes(STRANGE["mixed"])
    workspace.offer(name).call(*edits(root, "f", "two", "2")[name])
    workspace.undo()
    assert (root / "f").read_bytes() == STRANGE["mixed"]


def test_a_call_under_other_limits_takes_nothing_from_the_workspace(
    root, workspace
):
    """What is told of each change, and the processes that parse and search, are the workspace's all the time."""
    context = workspace.context
    told, outlines, searcher = (
        context.changes.after_commit,
        context.outlines,
        context.searcher,
    )
    other = context.under(context.settings.replace(page_chars=1_000))
    assert (context.settings.page_chars, other.settings.page_chars) == (
        12_000,
        1_000,
    )
    assert context.changes.after_commit == told
    assert (other.outlines, other.searcher, other.seen) == (
        outlines,
        searcher,
        context.seen,
    )


@pytest.mark.parametrize("name", EDITING_DIALECTS)
def test_a_rehearsal_shows_what_an_edit_would_do_and_does_nothing(
    name, root, workspace
):
    (root / "f").write_bytes(b"one\ntwo\n")
    task = Task()
    task.preview_diffs = []
    result = workspace.offer(name).call(
        *edits(root, "f", "two", "2")[name], task=task
    )
    assert result.is_error
    assert (root / "f").read_bytes() == b"one\ntwo\n"
    assert not workspace.history()
    (diff,) = task.preview_diffs
    assert "-two\n+2\n" in diff.text


@pytest.mark.needs("lease")
@pytest.mark.parametrize("name", ["native", *EDITING_DIALECTS])
def test_another_programs_save_is_reported_in_the_answer(
    name, root, workspace, monkeypatch
):
    """An editor has opened the file before the change displaced it, and saves afterwards."""
    (root / "f").write_bytes(b"one\ntwo\n")
    done = Log.mark_done
    editors = []

    def opened_just_before(log, number):
        [displaced] = [path for path in root.iterdir() if path.name != "f"]
        editors.append(open(displaced, "r+b", buffering=0))  # noqa: SIM115
        return done(log, number)

    monkeypatch.setattr(Log, "mark_done", opened_just_before)
    offer = workspace.offer(None if name == "native" else name)
    native = (
        "edit_content",
        {"path": "f", "edits": [{"search": "two", "replace": "2"}]},
    )
    call = native if name == "native" else edits(root, "f", "two", "2")[name]
    result = offer.call(*call)
    assert not result.is_error
    assert "another program has the previous file open" in "".join(
        result.notices
    )
    if name in ("filesystem", "largefile"):
        json.loads(result.text)
    else:
        assert result.notices[0] in result.text
    editors[0].write(b"saved ")
    editors[0].close()
    monkeypatch.undo()
    workspace.write("g", "so that the clean-up is tried again\n")
    [kept] = workspace.changes.kept_versions
    assert Path(kept).read_bytes() == b"saved o\n"


@pytest.mark.parametrize("name", EDITING_DIALECTS)
@pytest.mark.parametrize(
    "way", ["link to a file", "link to a folder", "dots", "hard link"]
)
def test_nothing_outside_is_changed(name, way, root, workspace, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "f").write_text("two\n")
    path = {
        "link to a file": "l",
        "link to a folder": "d/f",
        "dots": "../outside/f",
        "hard link": "h",
    }[way]
    (root / "l").symlink_to(outside / "f")
    (root / "d").symlink_to(outside)
    os.link(outside / "f", root / "h")
    result = workspace.offer(name).call(*edits(root, path, "two", "2")[name])
    said = json.loads(result.text) if result.text.startswith(("{", "[")) else {}
    refused = result.is_error or (isinstance(said, list) and "error" in said[0])
    assert refused, result.text
    assert (outside / "f").read_text() == "two\n"


@pytest.mark.parametrize("name", EDITING_DIALECTS)
def test_a_read_only_workspace_offers_and_makes_no_change(name, root, tmp_path):
    (root / "f").write_text("two\n")
    with Workspace(
        root, state_dir=tmp_path / "state", read_only=True
    ) as workspace:
        dialect = workspace.offer(name)
        assert not any(tool.writes for tool in dialect.tools())
        tool, arguments = edits(root, "f", "two", "2")[name]
        result = dialect.call(tool, arguments)
        assert result.is_error
        assert result.code == Code.READ_ONLY
    assert (root / "f").read_text() == "two\n"


@pytest.mark.parametrize("name", EDITING_DIALECTS)
def test_toolsets_narrow_a_dialect(name, workspace, root):
    reading = workspace.offer(name, ["read"])
    # A single tool whose commands read and write is not offered for reading only.
    if len(find_provider(name).tools()) > 1:
        assert reading.tools()
    assert not any(tool.writes for tool in reading.tools())
    tool, arguments = edits(root, "f", "two", "2")[name]
    (root / "f").write_text("two\n")
    result = reading.call(tool, arguments)
    assert result.is_error
    assert result.code == Code.INVALID_INPUT
    assert (root / "f").read_text() == "two\n"


@pytest.mark.parametrize("name", DIALECT_NAMES)
def test_schemas_are_strict_and_plain(name, workspace):
    for tool in find_provider(name).tools():
        schema = tool.schema
        assert schema["type"] == "object"
        assert schema["additionalProperties"] is False
        assert "$ref" not in json.dumps(schema)
        assert not {"anyOf", "oneOf", "allOf"} & schema.keys()
        assert tool.description
        assert len(tool.description) < 1000
    assert len(workspace.offer(name).instructions) < 1500


@pytest.mark.parametrize("name", DIALECT_NAMES)
def test_the_workspace_lists_the_tools_of_a_dialect(name, workspace):
    tools = workspace.tools(dialect=name)
    assert tools == workspace.offer(name).tools()
    assert workspace.tools(["read"], dialect=name) == tuple(
        tool for tool in tools if tool.toolset == "read"
    )


def test_an_unknown_dialect_is_refused_by_name():
    with pytest.raises(
        FilewrightError, match="there is no dialect 'nope'"
    ) as refused:
        find_provider("nope")
    assert "largefile" in (refused.value.hint or "")


HOSTILE = [
    {},
    {"path": 3, "paths": "x", "absolute_file_path": None},
    {"path": "\ud800", "paths": ["\ud800"], "absolute_file_path": "/\ud800"},
    {"path": "a\0b", "paths": ["a\0b"], "absolute_file_path": "/a\0b"},
    {
        "path": "x" * 5000,
        "paths": ["x" * 5000],
        "absolute_file_path": "/" + "x" * 5000,
    },
]


@pytest.mark.parametrize("name", DIALECT_NAMES)
@pytest.mark.parametrize(
    "arguments", HOSTILE, ids=["nothing", "types", "surrogate", "nul", "long"]
)
def test_bad_arguments_are_answered(name, arguments, workspace):
    dialect = workspace.offer(name)
    for tool in dialect.tools():
        known = {
            key: value
            for key, value in arguments.items()
            if key in tool.schema["properties"]
        }
        result = dialect.call(tool.name, known)
        assert result.code != Code.INTERNAL, (tool.name, result.text)
        result.text.encode()
        assert len(result.text) <= workspace.settings.hard_chars


@pytest.mark.extra
@pytest.mark.parametrize("name", DIALECT_NAMES)
def test_results_are_bounded_and_stay_json(name, root, workspace):
    (root / "big").write_bytes(
        b'"\\\t\x01' * 20_000 + b"\n" + b'"quoted" text\n' * 8_000
    )
    for number in range(1500):
        (
            root / f"a rather long name of an empty file, number {number:05}"
        ).touch()
    most = workspace.settings.hard_chars
    assert len("\n".join(os.listdir(root))) > 1.5 * most
    assert (root / "big").read_bytes().count(b'"quoted" text') * 13 > 1.5 * most
    dialect = workspace.offer(name)
    big, here = (
        (str(root / "big"), str(root)) if name == "largefile" else ("big", ".")
    )
    calls = {
        "agent-tools": [
            ("read_file", {"path": big}),
            ("read_files", {"paths": [big] * 5}),
            ("list_dir", {}),
            (
                "grep",
                {"pattern": "quoted", "output_mode": "content", "context": 5},
            ),
        ],
        "largefile": [
            ("read_content", {"absolute_file_path": big, "limit": 100_000}),
            ("get_overview", {"absolute_file_path": big}),
            (
                "search_content",
                {
                    "absolute_file_path": big,
                    "pattern": "quoted",
                    "max_results": 100,
                    "context_lines": 20,
                },
            ),
            (
                "list_directory",
                {"absolute_dir_path": here, "max_entries": 5000},
            ),
        ],
        "filesystem": [
            ("read_content", {"paths": [big] * 5}),
            (
                "read_content",
                {"paths": [big], "format": "lines", "start_line": 2},
            ),
            ("list_files", {}),
            ("list_files", {"include_stats": True}),
            ("search_files", {"regex": "quoted"}),
        ],
        "official": [
            ("read_text_file", {"path": big}),
            ("read_text_file", {"path": big, "tail": 100_000}),
            ("read_multiple_files", {"paths": [big] * 5}),
            ("list_directory", {"path": here}),
            ("directory_tree", {"path": here}),
            ("search_files", {"path": here, "pattern": "**"}),
        ],
        "text-editor": [
            ("str_replace_based_edit_tool", {"command": "view", "path": big}),
            ("str_replace_based_edit_tool", {"command": "view", "path": here}),
        ],
        "text-editor-20250124": [
            ("str_replace_editor", {"command": "view", "path": big}),
        ],
        "memory": [
            ("memory", {"command": "view", "path": "/memories/big"}),
            ("memory", {"command": "view", "path": "/memories"}),
        ],
        "apply-patch": [
            (
                "apply_patch",
                {
                    "operation": {
                        "type": "create_file",
                        "path": "new",
                        "diff": "\n".join(["+new"] * 20_000),
                    }
                },
            ),
        ],
        "gemini": [
            ("read_file", {"file_path": big}),
            ("list_directory", {"dir_path": here}),
            ("glob", {"pattern": "**"}),
            ("search_file_content", {"pattern": "quoted"}),
        ],
    }[name]
    for tool, arguments in calls:
        result = dialect.call(tool, arguments)
        assert not result.is_error, result.text
        assert len(result.text) <= workspace.settings.hard_chars, tool
        if name in ("largefile", "filesystem"):
            json.loads(result.text)


KILLED = """
import os, signal, sys
from filewright import Workspace
from filewright.system import open_folder
import json

name, root, state, tool, arguments, last = sys.argv[1:]
arguments, last = json.loads(arguments), int(last)
for step in range(1, last + 1):
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        with Workspace(root, state_dir=state) as workspace:
            workspace.recover()
        print(json.dumps({f: open(os.path.join(root, f)).read() for f in sorted(os.listdir(root))}))
        continue
    count = 0

    def dying(real):
        def call(*given):
            global count
            count += 1
            if count == step:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*given)
        return call

    with open_folder("/") as folder:
        type(folder).rename = dying(type(folder).rename)
    with Workspace(root, state_dir=state) as workspace:
        workspace.offer(name).call(tool, arguments)
    os._exit(0)
"""

PATCH = "".join(
    f"--- a/f{n}\n+++ b/f{n}\n@@ -1 +1 @@\n-two\n+2\n" for n in range(3)
)


@pytest.mark.parametrize("name", EDITING_DIALECTS)
def test_a_kill_leaves_each_change_whole_or_unmade(name, root, tmp_path):
    files = [f"f{n}" for n in range(3)]
    for file in files:
        (root / file).write_text("two\n")
    tool, arguments = {
        **edits(root, "f0", "two", "2"),
        "agent-tools": ("apply_patch", {"patch": PATCH}),
        "filesystem": (
            "replace_content",
            {"paths": files, "operations": [{"search": "two", "replace": "2"}]},
        ),
    }[name]
    command = [
        sys.executable,
        "-c",
        KILLED,
        name,
        str(root),
        str(tmp_path / "state"),
        tool,
        json.dumps(arguments),
        "3",
    ]
    done = processes.run(command)
    states = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(states) == 3
    for state in states:
        assert sorted(state) == files, "a temporary file was left"
        assert set(state.values()) <= {"two\n", "2\n"}
        if name == "agent-tools":
            assert len(set(state.values())) == 1, "a patch was made in part"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "agent-tools",
            '{"error": "aborted", "message": "m", "native_code": "cancelled", "hint": "h"}',
        ),
        ("largefile", "cancelled: m\n\nSuggestion: h"),
        ("filesystem", "-32600 m\nhint: h"),
        ("official", "m\nhint: h"),
        ("text-editor", "Error: m\nh"),
        ("text-editor-20250124", "Error: m\nh"),
        ("memory", "m"),
        ("apply-patch", "Error: m\nh"),
        ("gemini", "Error: m\nh"),
    ],
)
def test_what_fails_outside_a_tool_is_told_in_the_dialects_way(
    name, said, workspace
):
    result = workspace.offer(name).refuse(
        FilewrightError(Code.CANCELLED, "m", hint="h")
    )
    assert result.is_error
    assert result.text == said
