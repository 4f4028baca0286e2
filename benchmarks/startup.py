"""Process start to the first answer of `tools/list`, against a bare server of the same SDK.

The bare server is the low-level one of the SDK over its own stdio transport, with as many tools as
filewright lists, each with one string argument. Runs alternate and the fastest of each counts, so that
what else the machine does weighs on both or on neither.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

GOAL = 0.4
RUNS = 9

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

_HANDSHAKE = (
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


def rows() -> Iterator[tuple[str, float, float, float]]:
    """Ours and the bare server's seconds from start to the list of tools."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        root = folder / "root"
        root.mkdir()
        environment = {**os.environ, "FILEWRIGHT_STATE_DIR": str(folder / "state")}
        ours = [sys.executable, "-m", "filewright", "serve", str(root), "--log-level", "error"]
        _, tools = until_listed(ours, environment)
        bare_server = folder / "bare.py"
        bare_server.write_text(_BARE.replace("COUNT", str(tools)))
        bare = [sys.executable, str(bare_server)]
        until_listed(bare, environment)
        pairs = [
            (until_listed(ours, environment)[0], until_listed(bare, environment)[0]) for _ in range(RUNS)
        ]
    mine, reference = (min(times) for times in zip(*pairs, strict=True))
    yield f"start to tools/list, {tools} tools", mine, reference, GOAL


def until_listed(command: Sequence[str], environment: dict[str, str]) -> tuple[float, int]:
    """Seconds from starting `command` to its list of tools, and how many those are."""
    messages = b"".join(json.dumps(message).encode() + b"\n" for message in _HANDSHAKE)
    begun = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(messages)
        process.stdin.flush()
        for line in process.stdout:
            answer = json.loads(line)
            if answer.get("id") == 2:
                taken = time.perf_counter() - begun
                process.stdin.close()
                return taken, len(answer["result"]["tools"])
    raise RuntimeError(f"{command[0]} ended without listing its tools")


if __name__ == "__main__":
    for what, own, other, goal in rows():
        print(f"{what}: {own:.3f} s, bare {other:.3f} s, ratio {own / other:.2f} (goal {goal})")
