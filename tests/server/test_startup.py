"""What is loaded when a client has listed the tools, and that the real server says what it should."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from tests import processes

HEAVY = {
    *(
        "rapidfuzz",
        "stringzilla",
        "re2",
        "chardet",
        "tree_sitter",
        "pathspec",
        "edlib",
    ),
    "sqlite3",
}
LIST_LIMIT = 12_000

MESSAGES = (
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "0"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
)


def session(
    tmp_path: Path, *arguments: str, flags: tuple[str, ...] = ()
) -> tuple[dict[int, Any], str, str]:
    """The answers to a handshake and `tools/list` by id, the raw list, and standard error."""
    root = tmp_path / "root"
    root.mkdir(exist_ok=True)
    done = processes.run(
        [
            sys.executable,
            *flags,
            "-m",
            "filewright",
            "serve",
            str(root),
            *arguments,
        ],
        given="".join(json.dumps(message) + "\n" for message in MESSAGES),
        env={**os.environ, "FILEWRIGHT_STATE_DIR": str(tmp_path / "state")},
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    answers = {
        message["id"]: message["result"] for message in map(json.loads, lines)
    }
    return (
        answers,
        next(line for line in lines if json.loads(line)["id"] == 2),
        done.stderr,
    )


@pytest.mark.extra
def test_heavy_modules_wait_for_their_first_use(tmp_path: Path) -> None:
    _, _, stderr = session(tmp_path, flags=("-X", "importtime"))
    loaded = {
        line.rsplit("|", 1)[1].strip()
        for line in stderr.splitlines()
        if line.startswith("import time:")
    }
    assert "mcp.server.lowlevel.server" in loaded
    tops = {name.partition(".")[0] for name in loaded}
    assert HEAVY & tops == set()
    assert not {top for top in tops if top.startswith("tree_sitter")}


def test_the_list_of_tools_is_short_and_complete(tmp_path: Path) -> None:
    answers, line, _ = session(tmp_path)
    tools = answers[2]["tools"]
    assert len(tools) == 12
    assert (
        len(
            json.dumps(
                {"tools": tools}, ensure_ascii=False, separators=(",", ":")
            )
        )
        <= LIST_LIMIT
    )
    assert len(answers[1]["instructions"]) <= 1500
    for tool in tools:
        schema = tool["inputSchema"]
        assert schema["type"] == "object"
        assert schema.get("additionalProperties", True), (
            "more is accepted than is listed"
        )
        assert not {"anyOf", "oneOf", "allOf"} & set(schema)
        assert "title" not in schema
        assert set(tool["annotations"]) == {
            "readOnlyHint",
            "destructiveHint",
            "idempotentHint",
            "openWorldHint",
        }
        assert len(tool["description"]) < 2000
    again, second, _ = session(tmp_path)
    assert second == line
    assert again[1]["instructions"] == answers[1]["instructions"]


@pytest.mark.parametrize(
    ("arguments", "present", "absent"),
    [
        (("--read-only",), "read_content", "edit_content"),
        (("--tools", "edit"), "edit_content", "list_files"),
        (("--tools", "read,history"), "get_history", "write_content"),
    ],
)
def test_tools_can_be_left_out(
    tmp_path: Path, arguments: tuple[str, ...], present: str, absent: str
) -> None:
    answers, _, _ = session(tmp_path, *arguments)
    names = [tool["name"] for tool in answers[2]["tools"]]
    assert present in names
    assert absent not in names
    assert absent not in answers[1]["instructions"]


@pytest.mark.skipif(
    sys.platform != "linux", reason="nothing confines the server here"
)
def test_the_server_says_what_confines_it(tmp_path: Path) -> None:
    _, _, stderr = session(tmp_path)
    assert "confined" in stderr
    _, _, without = session(tmp_path, "--no-landlock")
    assert "confined by Landlock" not in without


@pytest.mark.extra
def test_what_the_first_calls_need_is_loaded_while_nothing_is_asked(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.py").write_text("def f():\n    return 1\n")
    code = """
import sys, threading
from types import SimpleNamespace
from filewright import Workspace
from filewright.server.preloading import preload

with Workspace(sys.argv[1], state_dir=sys.argv[2]) as workspace:
    preload(SimpleNamespace(idle=True), workspace, threading.Event(), idle_seconds=0)
    tools = workspace.offer()
    before = {*sys.modules}
    for name, arguments in (
        ("list_files", {}),
        ("read_content", {"path": "a.py"}),
        ("edit_content", {"path": "a.py", "edits": [{"search": "return 1", "replace": "return 2"}]}),
        ("get_history", {}),
        ("search_content", {"pattern": "return"}),
        ("get_overview", {"path": "a.py"}),
    ):
        assert not tools.call(name, arguments).is_error
needed = ("filewright.tools", "filewright.search", "filewright.structure", "pydantic", "sqlite3", "re2", "subprocess")
print(*(name for name in {*sys.modules} - before if name.startswith(needed)))
"""
    words = [sys.executable, "-c", code, str(tmp_path), str(tmp_path / "state")]
    done = subprocess.run(
        words, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "\n"


@pytest.mark.extra
def test_whoever_leaves_waits_for_no_more_than_one_module_to_load(
    tmp_path: Path,
) -> None:
    """What ends the interpreter while an extension is loaded in a thread aborts the process."""
    from filewright.server.preloading import preload

    leave, asked = threading.Event(), list[int]()

    class Calls:
        @property
        def idle(self) -> bool:
            asked.append(1)
            if len(asked) == 3:
                leave.set()
            return True

    class Unprepared:
        def prepare(self) -> None:
            raise AssertionError("a process was started for nobody")

    preload(Calls(), Unprepared(), leave, idle_seconds=0)
    assert len(asked) == 3


@pytest.mark.extra
@pytest.mark.parametrize(
    "waits",
    [(0.25, 0.4), pytest.param((0.2, 0.3) * 5, marks=pytest.mark.sweep)],
)
def test_a_server_that_is_left_while_it_loads_ends_in_order(
    tmp_path: Path, waits: tuple[float, ...]
) -> None:
    for wait in waits:
        with subprocess.Popen(
            [
                sys.executable,
                "-m",
                "filewright",
                "serve",
                str(tmp_path),
                "--state-dir",
                str(tmp_path / "state"),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        ) as server:
            assert server.stdin is not None
            assert server.stderr is not None
            server.stderr.readline()
            time.sleep(wait)
            server.stdin.close()
            assert server.wait(30) == 0, server.stderr.read()
