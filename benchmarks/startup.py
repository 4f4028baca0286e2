"""Process start to the first answers, against a bare server of the same SDK that lists its tools.

The bare server is the low-level one of the SDK over its own stdio transport, with as many tools as
filewright lists, each with one string argument. Runs alternate and the fastest of each counts, so that
what else the machine does weighs on both or on neither. The first row is the plainest client; the others send all
that the real clients send before their first tool call (`tests/server/first_messages.json`), and wait for every answer.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.row import Row

GOAL = 0.4
RUNS = 9
CLIENT_RUNS = 3

_BARE = """
import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import CallToolResult, ListToolsResult, TextContent, Tool

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
TOOLS = [Tool(name=f"tool_{n}", description="A trivial tool.", input_schema=SCHEMA) for n in range(COUNT)]


async def list_tools(context, params):
    return ListToolsResult(tools=TOOLS)


async def call_tool(context, params):
    return CallToolResult(content=[TextContent(text="done")])


async def main():
    server = Server("bare", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


anyio.run(main)
"""

Messages = Sequence[Mapping[str, Any]]

_HANDSHAKE: Messages = (
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "benchmark", "version": "0"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
)
_RECORDED = Path(__file__).parent.parent / "tests/server/first_messages.json"


def rows(*, quick: bool = False) -> Iterator[Row]:
    """Yield the seconds from start to the first answers against a bare server."""
    clients: dict[str, Messages] = {"a plain client": _HANDSHAKE}
    if not quick:
        clients.update(json.loads(_RECORDED.read_text("utf-8")))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        root = folder / "root"
        root.mkdir()
        environment = {
            **os.environ,
            "FILEWRIGHT_STATE_DIR": str(folder / "state"),
        }
        ours = [
            sys.executable,
            "-m",
            "filewright",
            "serve",
            str(root),
            "--log-level",
            "error",
        ]
        _, answers = until_answered(ours, environment, _HANDSHAKE)
        tools = len(answers[2]["result"]["tools"])
        bare_server = folder / "bare.py"
        bare_server.write_text(_BARE.replace("COUNT", str(tools)))
        bare = [sys.executable, str(bare_server)]
        if not quick:
            until_answered(bare, environment, _HANDSHAKE)
        for name, messages in clients.items():
            pairs = []
            runs = RUNS if messages is _HANDSHAKE else CLIENT_RUNS
            for _ in range(1 if quick else runs):
                own, _ = until_answered(ours, environment, messages)
                reference, _ = until_answered(bare, environment, _HANDSHAKE)
                pairs.append((own, reference))
            mine, reference = (min(times) for times in zip(*pairs, strict=True))
            yield Row(
                f"start to the first answers for {name}, {tools} tools",
                mine,
                reference,
                GOAL,
            )


def until_answered(
    command: Sequence[str], environment: Mapping[str, str], messages: Messages
) -> tuple[float, dict[Any, Any]]:
    """Return the seconds from starting `command` to its last answer to `messages`, and the answers by id.

    As clients do, it waits for the answer to the first message before it sends the others.
    """
    waiting = {message["id"] for message in messages if "id" in message}
    first, *others = [
        json.dumps(message).encode() + b"\n" for message in messages
    ]
    answers = {}
    begun = time.perf_counter()
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(first)
        process.stdin.flush()
        for line in process.stdout:
            answer = json.loads(line)
            answers[answer["id"]] = answer
            waiting.discard(answer["id"])
            if not waiting:
                seconds = time.perf_counter() - begun
                process.stdin.close()
                return seconds, answers
            if others:
                process.stdin.write(b"".join(others))
                process.stdin.flush()
                others.clear()
    raise RuntimeError(f"{command[0]} ended without answering {waiting}")
