"""What is loaded when a client has listed the tools, and that the real server says what it should."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests import processes
from tests.platforms.unix_only import ON_WINE, not_on_wine

from filewright.listening import on_exit_signal, record_exit_signals

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
def test_imports_heavy_modules_late(tmp_path: Path) -> None:
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


def test_list_of_tools(tmp_path: Path) -> None:
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
def test_leaves_tools_out(
    tmp_path: Path, arguments: tuple[str, ...], present: str, absent: str
) -> None:
    answers, _, _ = session(tmp_path, *arguments)
    names = [tool["name"] for tool in answers[2]["tools"]]
    assert present in names
    assert absent not in names
    assert absent not in answers[1]["instructions"]


@pytest.mark.extra
@pytest.mark.parametrize(
    "waits",
    [(0.25, 0.4), pytest.param((0.2, 0.3) * 5, marks=pytest.mark.sweep)],
)
def test_client_leaves_while_it_loads(
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


@not_on_wine("what was started from Linux has no console to send Ctrl+Break by")
def test_finishes_a_change_before_it_ends(client: Any, tmp_path: Path) -> None:
    target = tmp_path / "f"
    client.begin("commit", {"path": str(target)})
    client.hears("commit begun")
    client.interrupt()
    assert client.process.wait(30) == 0
    assert target.read_text() == "committed"


@not_on_wine("what was started from Linux has no console to send Ctrl+Break by")
@pytest.mark.parametrize(
    "number",
    [signal.SIGTERM, signal.SIGINT, getattr(signal, "SIGHUP", signal.SIGTERM)],
)
def test_ends_at_a_signal(client: Any, number: int) -> None:
    client.interrupt(number)
    assert client.process.wait(30) == 0
    client.hears("closed")


# Wine at times says of a socket with room that it is full, and what waits wakes up all the same.
@pytest.mark.filterwarnings("ignore:.*signal wakeup fd" if ON_WINE else "error")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"])
@pytest.mark.parametrize("early", [False, True])
def test_earlier_signal_ends_it_too(name: str, early: bool) -> None:
    if not hasattr(signal, name):
        pytest.skip(f"this system has no {name}")
    number = getattr(signal, name)

    async def wait() -> None:
        asked = asyncio.Event()
        on_exit_signal(asked.set, noted)
        if not early:
            await asyncio.to_thread(signal.raise_signal, number)
        await asyncio.wait_for(asked.wait(), 30)

    before = {each: signal.getsignal(each) for each in signal.valid_signals()}
    try:
        noted = record_exit_signals()
        if early:
            signal.raise_signal(number)
        asyncio.run(wait())
    finally:
        for each, handler in before.items():
            if signal.getsignal(each) != handler:
                signal.signal(each, handler)
