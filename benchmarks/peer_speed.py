"""The same work on a large log by filewright and by published servers: time and peak memory of each process.

    python -m benchmarks.peer_speed [MEGABYTES] [--into FOLDER]

The peers are `largefile` from PyPI and `@modelcontextprotocol/server-filesystem` from npm, as published.
Every call goes over stdio; what a peer has no tool for is left out.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

from benchmarks.large_log import RARE, make_log
from benchmarks.peers import LARGEFILE, install

OFFICIAL = "@modelcontextprotocol/server-filesystem"
Call = tuple[str, str, dict[str, Any]]

NEW = "ERROR checksum mismatch (repaired)"


def native(path: Path) -> list[Call]:
    """The work in filewright's own tools."""
    name = path.name
    return [
        ("overview", "get_overview", {"path": name}),
        ("search a rare line", "search_content", {"path": name, "pattern": RARE}),
        ("tail 1,000 lines", "read_content", {"path": name, "mode": "tail", "limit": 1000}),
        ("edit one line", "edit_content", {"path": name, "edits": [{"search": RARE, "replace": NEW}]}),
    ]


def largefile(path: Path) -> list[Call]:
    """The work in `largefile`'s tools."""
    where = {"absolute_file_path": str(path)}
    edit = {"changes": [{"search": RARE, "replace": NEW, "fuzzy": False}], "preview": False}
    return [
        ("overview", "get_overview", where),
        ("search a rare line", "search_content", {**where, "pattern": RARE, "fuzzy": False}),
        ("tail 1,000 lines", "read_content", {**where, "mode": "tail", "limit": 1000}),
        ("edit one line", "edit_content", {**where, **edit}),
    ]


def official(path: Path) -> list[Call]:
    """The work in the official filesystem server's tools; it cannot search inside files."""
    where = {"path": str(path)}
    return [
        ("tail 1,000 lines", "read_text_file", {**where, "tail": 1000}),
        ("edit one line", "edit_file", {**where, "edits": [{"oldText": RARE, "newText": NEW}]}),
    ]


async def timed(server: StdioServerParameters, calls: Sequence[Call]) -> dict[str, str]:
    """Seconds for each call, or why it failed; and the peak resident size of the server's processes."""
    found: dict[str, str] = {}
    async with Client(server, mode="legacy", read_timeout_seconds=300) as client:
        await client.list_tools()
        for what, tool, arguments in calls:
            begun = time.perf_counter()
            try:
                result = await client.call_tool(tool, arguments)
                took = time.perf_counter() - begun
                found[what] = "refused" if result.is_error else f"{took:.2f} s"
            except (
                MCPError,
                OSError,
                RuntimeError,
                ValueError,
            ) as error:
                found[what] = f"failed ({type(error).__name__})"
        found["peak memory"] = f"{_peak() / (1 << 20):,.0f} MB"
    return found


def _peak() -> int:
    """The sum of the peaks of this process's children and theirs, in bytes."""
    total, pending = 0, [os.getpid()]
    while pending:
        pid = pending.pop()
        try:
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            status = Path(f"/proc/{pid}/status").read_text()
        except OSError:
            continue
        if pid != os.getpid():
            total += (
                next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) * 1024
            )
        pending += map(int, children)
    return total


def main() -> None:
    """Print a table: a row for each kind of work, a column for each server."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peer_speed", description=__doc__)
    parser.add_argument("megabytes", nargs="?", type=int, default=200)
    parser.add_argument("--into", type=Path)
    chosen = parser.parse_args()
    base = Path(tempfile.mkdtemp(prefix="filewright-peers-"))
    into = (chosen.into or base / "packages").absolute()
    try:
        started = install(into)
        node, npm = shutil.which("node"), shutil.which("npm")
        servers: dict[str, tuple[Any, Any]] = {
            "filewright": (
                lambda root: StdioServerParameters(
                    command=sys.executable,
                    args=["-m", "filewright", "serve", "--log-level", "error", str(root)],
                    env={**os.environ, "FILEWRIGHT_STATE_DIR": str(base / "state")},
                ),
                native,
            ),
            "largefile": (started[LARGEFILE], largefile),
        }
        if node is not None and npm is not None:
            package = into / "node_modules" / OFFICIAL
            if not package.exists():
                subprocess.run(
                    [npm, "install", "--silent", "--prefix", str(into), OFFICIAL],
                    check=True,
                    stdout=subprocess.DEVNULL,
                )
            servers["server-filesystem"] = (
                lambda root: StdioServerParameters(
                    command=node, args=[str(package / "dist" / "index.js"), str(root)]
                ),
                official,
            )
        columns: dict[str, dict[str, str]] = {}
        for name, (start, calls) in servers.items():
            root = base / name
            root.mkdir()
            make_log(root / "big.log", chosen.megabytes << 20)
            columns[name] = asyncio.run(timed(start(root), calls(root / "big.log")))
        rows = list(columns["filewright"])
        print(f"| {chosen.megabytes} MB | " + " | ".join(columns) + " |\n|---|" + "---:|" * len(columns))
        for row in rows:
            print(f"| {row} | " + " | ".join(column.get(row, "–") for column in columns.values()) + " |")
    finally:
        shutil.rmtree(base)


if __name__ == "__main__":
    main()
