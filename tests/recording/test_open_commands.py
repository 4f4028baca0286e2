"""Open commands are read back as they were written, and close where nobody will end them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests import processes

from filewright import Workspace, system
from filewright.recording import open_commands
from filewright.recording.session import new_command
from filewright.system import own_process_key, process_namespace


@pytest.mark.parametrize(
    ("known", "stays"),
    [
        ({}, True),
        ({"process": own_process_key(), "space": process_namespace()}, True),
        (
            {"process": f"{os.getpid()}-1", "space": process_namespace()},
            not Path("/proc/self/stat").exists(),
        ),
        ({"process": f"{os.getpid()}-1", "space": "another machine's"}, True),
        ({"begun_ns": 1}, False),
    ],
    ids=["unknown", "running", "gone", "elsewhere", "old"],
)
def test_closes_stale_commands(
    tmp_path: Path, known: dict[str, object], stays: bool
) -> None:
    command = new_command(
        "1", "shell: make", session="s", turn="t", paths=("/a",)
    )._replace(**known)
    with system.open_folder(os.fsencode(tmp_path)) as folder:
        open_commands.add(folder, command)
        assert open_commands.read_open(folder) == [command]
        open_commands.close_stale(folder, except_identifier="1")
        assert open_commands.has_open(os.fsencode(tmp_path))
        open_commands.close_stale(folder, except_identifier="")
        assert bool(open_commands.read_open(folder)) is stays
        assert (open_commands.remove(folder, "1") is not None) is stays
        assert not open_commands.has_open(os.fsencode(tmp_path))


def test_closes_nothing_without_proc(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a server that is confined to its roots."""

    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    command = new_command(
        "1", "shell: make", process="1-1", space=process_namespace()
    )
    monkeypatch.setattr("filewright.system.processes._read_process", refused)
    with system.open_folder(os.fsencode(tmp_path)) as folder:
        open_commands.add(folder, command)
        open_commands.close_stale(folder, except_identifier="")
        assert open_commands.read_open(folder) == [command]


def test_server_closes_no_command_of_a_hook(tmp_path: Path) -> None:
    """The command of a hook is ended although a confined server has changed something meanwhile."""
    root, state = tmp_path / "work", tmp_path / "state"
    root.mkdir()
    environment = {**os.environ, "FILEWRIGHT_STATE_DIR": str(state)}
    given = {
        "session_id": "s",
        "tool_use_id": "1",
        "tool_name": "Bash",
        "cwd": str(root),
    }
    call = json.dumps({**given, "tool_input": {"command": "make"}})

    def hook(name: str) -> str:
        done = processes.run(
            [*processes.FILEWRIGHT, "snapshot", name, "--hook"],
            given=call,
            env=environment,
        )
        return done.stderr

    with Workspace(root, state_dir=state):
        assert hook("begin") == ""
        (root / "made").write_text("x\n")
        asked = [
            {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}},
            {"jsonrpc": "2.0", "method": "notifications/initialized", "params": {}},
            {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
                "name": "write_content", "arguments": {"items": [{"path": "tool", "content": "t\n"}]}}},
        ]  # fmt: skip
        served = processes.run(
            [*processes.FILEWRIGHT, "serve", str(root)],
            given="".join(json.dumps(each) + "\n" for each in asked),
            env=environment,
            timeout=60,
        )
        assert "1 file" in served.stdout or "tool" in served.stdout
        assert hook("end") == ""
    with Workspace(root, state_dir=state) as workspace:
        assert [record.tool for record in workspace.history()] == [
            "write_content",
            "shell",
        ]
