"""The same work on a large log and a large tree by filewright and by published servers: time, answers, memory.

    python -m benchmarks.peer_speed [MEGABYTES] [--into FOLDER] [--chart FILE.svg]

The peers are, as published, `largefile` from PyPI, `@modelcontextprotocol/server-filesystem` and Desktop Commander
from npm, and `rust-mcp-filesystem` from crates.io, which is compiled; where Node or Cargo is missing they are left out.
Every call goes over stdio; what a peer has no tool for is left out. Answers are looked at: the lines of the
tail one by one, what is found by its number. What a server answers wrongly is said beside its time.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

from benchmarks.large_log import RARE, make_log
from benchmarks.peers import LARGEFILE, OFFICIAL, install
from benchmarks.scaling import COLOURS
from benchmarks.searching import make_tree

NEW = "ERROR checksum mismatch (repaired)"
LINES, NAMES, FOUND = 1000, 50, 6
COMMANDER = "@wonderwhy-er/desktop-commander@0.2.52"
RUST = "rust-mcp-filesystem@0.4.5"
_PATIENCE = 300.0
_NUMBERED = re.compile(r"^ *(\d+)\t(.*)$", re.MULTILINE)

Ask = Callable[[str, dict[str, Any]], Awaitable[str]]
Act = Callable[[Ask], Awaitable[bool]]
"""One piece of work; whether its answer was right."""


@dataclass(frozen=True)
class Outcome:
    """What came of a piece of work: the seconds it took, whether the answer was right, and that in words."""

    seconds: float
    right: bool
    said: str


def native(log: Path) -> dict[str, Act]:
    """The work in filewright's own tools."""

    async def overview(ask: Ask) -> bool:
        return "lines" in await ask("get_overview", {"path": log.name})

    async def search(ask: Ask) -> bool:
        return RARE in await ask(
            "search_content", {"path": log.name, "pattern": RARE}
        )

    async def tail(ask: Ask) -> bool:
        wanted, rows = _tail(log), list[tuple[str, str]]()
        start = -LINES
        while len(rows) < LINES:
            page = _NUMBERED.findall(
                await ask(
                    "read_content",
                    {
                        "path": log.name,
                        "start": start,
                        "limit": LINES - len(rows),
                    },
                )
            )
            if not page:
                break
            rows += page
            start = int(rows[-1][0]) + 1
        return [text for _, text in rows] == wanted

    async def edit(ask: Ask) -> bool:
        await ask(
            "edit_content",
            {"path": log.name, "edits": [{"search": RARE, "replace": NEW}]},
        )
        return _holds(log, NEW)

    async def names(ask: Ask) -> bool:
        return (
            await ask(
                "list_files", {"path": "tree", "glob": "**/mod07/file07.py"}
            )
        ).count("file07.py") == NAMES

    async def tree(ask: Ask) -> bool:
        found = await ask(
            "search_content",
            {"path": "tree", "pattern": "needle_rare", "context": 0},
        )
        return found.count("needle_rare is here") == FOUND

    return {
        "overview": overview,
        "search a rare line": search,
        "tail 1,000 lines": tail,
        "edit one line": edit,
        "names in a tree of 50,000 files": names,
        "text in a tree of 50,000 files": tree,
    }


def largefile(log: Path) -> dict[str, Act]:
    """The work in `largefile`'s tools."""
    where = {"absolute_file_path": str(log)}

    async def overview(ask: Ask) -> bool:
        return "line_count" in await ask("get_overview", where)

    async def search(ask: Ask) -> bool:
        return RARE in await ask(
            "search_content", {**where, "pattern": RARE, "fuzzy": False}
        )

    async def tail(ask: Ask) -> bool:
        answer = json.loads(
            await ask("read_content", {**where, "mode": "tail", "limit": LINES})
        )
        return str(answer["content"]).splitlines() == _tail(log)

    async def edit(ask: Ask) -> bool:
        change = {"search": RARE, "replace": NEW, "fuzzy": False}
        await ask(
            "edit_content", {**where, "changes": [change], "preview": False}
        )
        return _holds(log, NEW)

    async def tree(ask: Ask) -> bool:
        folder = {"absolute_dir_path": str(log.parent / "tree")}
        return (
            await ask("search_directory", {**folder, "pattern": "needle_rare"})
        ).count("needle_rare is here") >= FOUND

    return {
        "overview": overview,
        "search a rare line": search,
        "tail 1,000 lines": tail,
        "edit one line": edit,
        "text in a tree of 50,000 files": tree,
    }


def edited_by_file(log: Path) -> Act:
    """The edit in the official server's words, which others have taken over."""

    async def edit(ask: Ask) -> bool:
        await ask(
            "edit_file",
            {"path": str(log), "edits": [{"oldText": RARE, "newText": NEW}]},
        )
        return _holds(log, NEW)

    return edit


def official(log: Path) -> dict[str, Act]:
    """The work in the official filesystem server's tools; it cannot search inside files."""
    where = {"path": str(log)}

    async def tail(ask: Ask) -> bool:
        return (
            await ask("read_text_file", {**where, "tail": LINES})
        ).splitlines()[-LINES:] == _tail(log)

    async def names(ask: Ask) -> bool:
        tree = {
            "path": str(log.parent / "tree"),
            "pattern": "**/mod07/file07.py",
        }
        return (await ask("search_files", tree)).count("file07.py") == NAMES

    return {
        "tail 1,000 lines": tail,
        "edit one line": edited_by_file(log),
        "names in a tree of 50,000 files": names,
    }


def desktop_commander(log: Path) -> dict[str, Act]:
    """The work in Desktop Commander's tools; its searches run aside and are asked for what they have found."""
    tree = {"path": str(log.parent / "tree")}

    async def searched(ask: Ask, **arguments: Any) -> str:
        answer = await ask(
            "start_search",
            {**arguments, "contextLines": 0, "literalSearch": True},
        )
        session = answer.partition("session: ")[2].split()[0]
        while "COMPLETED" not in answer:
            await asyncio.sleep(0.02)
            answer = await ask(
                "get_more_search_results", {"sessionId": session}
            )
        return answer

    async def search(ask: Ask) -> bool:
        folder = str(log.parent)
        found = await searched(
            ask,
            path=folder,
            filePattern=log.name,
            pattern=RARE,
            searchType="content",
        )
        return f" - {RARE}" in found

    async def tail(ask: Ask) -> bool:
        answer = await ask("read_file", {"path": str(log), "offset": -LINES})
        return answer.rstrip("\n").splitlines()[-LINES:] == _tail(log)

    async def edit(ask: Ask) -> bool:
        await ask(
            "edit_block",
            {"file_path": str(log), "old_string": RARE, "new_string": NEW},
        )
        return _holds(log, NEW)

    async def names(ask: Ask) -> bool:
        found = await searched(
            ask, **tree, pattern="**/mod07/file07.py", searchType="files"
        )
        return found.count("file07.py") >= NAMES

    async def text(ask: Ask) -> bool:
        found = await searched(
            ask, **tree, pattern="needle_rare is here", searchType="content"
        )
        return found.count(" - needle_rare is here") == FOUND

    return {
        "search a rare line": search,
        "tail 1,000 lines": tail,
        "edit one line": edit,
        "names in a tree of 50,000 files": names,
        "text in a tree of 50,000 files": text,
    }


def rust_filesystem(log: Path) -> dict[str, Act]:
    """The work in `rust-mcp-filesystem`'s tools."""
    where, tree = {"path": str(log)}, {"path": str(log.parent / "tree")}

    async def search(ask: Ask) -> bool:
        folder = {
            "path": str(log.parent),
            "pattern": log.name,
            "excludePatterns": ["tree", "tree/**"],
        }
        return RARE in await ask(
            "search_files_content", {**folder, "query": RARE}
        )

    async def tail(ask: Ask) -> bool:
        return (
            await ask("tail_file", {**where, "lines": LINES})
        ).splitlines() == _tail(log)

    async def names(ask: Ask) -> bool:
        found = await ask(
            "search_files", {**tree, "pattern": "**/mod07/file07.py"}
        )
        return found.count("file07.py") == NAMES

    async def text(ask: Ask) -> bool:
        found = await ask(
            "search_files_content",
            {**tree, "pattern": "**/*", "query": "needle_rare"},
        )
        return found.count("needle_rare is here") == FOUND

    return {
        "search a rare line": search,
        "tail 1,000 lines": tail,
        "edit one line": edited_by_file(log),
        "names in a tree of 50,000 files": names,
        "text in a tree of 50,000 files": text,
    }


def _tail(log: Path) -> list[str]:
    with log.open("rb") as file:
        file.seek(-(1 << 20), os.SEEK_END)
        return file.read().decode().splitlines()[-LINES:]


def _holds(log: Path, text: str) -> bool:
    middle, found = log.stat().st_size // 2, text.encode()
    with log.open("rb") as file:
        file.seek(middle - (4 << 20))
        return found in file.read(8 << 20)


def others(into: Path) -> dict[str, Callable[[Path], StdioServerParameters]]:
    """How the peers that only this compares are started over a root, once they are installed in `into`."""
    started: dict[str, Callable[[Path], StdioServerParameters]] = {}
    node, npm, cargo = map(shutil.which, ("node", "npm", "cargo"))
    if node is not None and npm is not None:
        prefix = into / "commander"
        # Its scripts fetch a program for searching, which may be on the PATH already.
        options = "--silent", "--ignore-scripts", "--prefix", str(prefix)
        subprocess.run(
            [npm, "install", *options, COMMANDER],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        entry = (
            prefix
            / "node_modules"
            / COMMANDER.rpartition("@")[0]
            / "dist"
            / "index.js"
        )
        home = prefix / "home" / ".claude-server-commander"
        home.mkdir(parents=True, exist_ok=True)
        (home / "config.json").write_text(
            '{"allowedDirectories": ["/"], "telemetryEnabled": false}'
        )
        environment = {**os.environ, "HOME": str(home.parent)}
        started["Desktop Commander"] = lambda root: StdioServerParameters(
            command=node, args=[str(entry)], cwd=root, env=environment
        )
    if cargo is not None:
        package, _, version = RUST.partition("@")
        program = into / "bin" / package
        if not program.exists():
            options = (
                "--quiet",
                "--locked",
                "--root",
                str(into),
                "--version",
                version,
            )
            subprocess.run([cargo, "install", *options, package], check=True)
        started[package] = lambda root: StdioServerParameters(
            command=str(program), args=["--allow-write", str(root)], cwd=root
        )
    return started


async def timed(
    server: StdioServerParameters, works: dict[str, Act]
) -> tuple[dict[str, Outcome], int]:
    """What came of each piece of work, and the peak resident bytes of the server's processes."""
    found: dict[str, Outcome] = {}
    async with Client(
        server, mode="legacy", read_timeout_seconds=_PATIENCE
    ) as client:
        await client.list_tools()

        async def ask(tool: str, arguments: dict[str, Any]) -> str:
            result = await client.call_tool(tool, arguments)
            text = "".join(getattr(part, "text", "") for part in result.content)
            if result.is_error:
                raise ValueError(text)
            return text

        for what, act in works.items():
            os.sync()  # nobody pays for what was written before
            begun = time.perf_counter()
            failure, right = "", False
            try:
                right = await act(ask)
            except (
                MCPError,
                OSError,
                RuntimeError,
                ValueError,
                KeyError,
            ) as error:
                failure = f"failed ({type(error).__name__})"
            took = time.perf_counter() - begun
            if failure and took >= _PATIENCE:
                failure = f"none in {took:.0f} s"
            found[what] = Outcome(
                took,
                right,
                failure or f"{took:.2f} s{'' if right else ' (wrong)'}",
            )
        return found, _peak()


def _peak() -> int:
    """The sum of the peaks of this process's children and theirs, in bytes."""
    total, pending = 0, [os.getpid()]
    while pending:
        pid = pending.pop()
        try:
            children = (
                Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            )
            status = Path(f"/proc/{pid}/status").read_text()
        except OSError:
            continue
        if pid != os.getpid():
            total += (
                next(
                    int(line.split()[1])
                    for line in status.splitlines()
                    if line.startswith("VmHWM")
                )
                * 1024
            )
        pending += map(int, children)
    return total


def table(
    size: str, columns: dict[str, dict[str, Outcome]], peaks: dict[str, int]
) -> str:
    """A row for each kind of work, a column for each server, as Markdown."""
    lines = [
        f"| {size} | " + " | ".join(columns) + " |",
        "|---|" + "---:|" * len(columns),
    ]
    for row in next(iter(columns.values())):
        cells = [
            column[row].said if row in column else "–"
            for column in columns.values()
        ]
        lines.append(f"| {row} | " + " | ".join(cells) + " |")
    lines.append(
        "| peak memory | "
        + " | ".join(f"{peak / (1 << 20):,.0f} MB" for peak in peaks.values())
        + " |"
    )
    return "\n".join(lines) + "\n"


def chart(size: str, columns: dict[str, dict[str, Outcome]]) -> str:
    """The times as bars on a logarithmic scale, as SVG; without an answer, a hollow bar and what was wrong."""
    works = list(next(iter(columns.values())))
    width, left, right, top, bar, between = 920, 220, 90, 44, 13, 14
    group = bar * len(columns) + between
    height = top + group * len(works) + 30
    low, high = -2.0, math.log10(_PATIENCE)  # powers of ten of a second

    def x(seconds: float) -> float:
        share = (math.log10(max(seconds, 10**low)) - low) / (high - low)
        return left + min(share, 1.0) * (width - left - right)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        ' font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        f'<text x="{left - 10}" y="24" text-anchor="end" font-weight="bold">{size}</text>',
    ]
    for power in range(math.ceil(low), math.floor(high) + 1):
        at = x(10.0**power)
        name = f"{10**power} s" if power >= 0 else f"{10 ** (power + 3)} ms"
        parts.append(
            f'<line x1="{at:.1f}" y1="{top}" x2="{at:.1f}" y2="{height - 30}" stroke="#dee2e6"/>'
        )
        parts.append(
            f'<text x="{at:.1f}" y="{height - 12}" text-anchor="middle" fill="#495057">{name}</text>'
        )
    for number, (server, outcomes) in enumerate(columns.items()):
        colour = COLOURS[number % len(COLOURS)]
        at = left + 140 * number
        parts.append(
            f'<rect x="{at}" y="14" width="12" height="12" fill="{colour}"/>'
        )
        parts.append(f'<text x="{at + 18}" y="24">{server}</text>')
        for row, work in enumerate(works):
            if work not in outcomes:
                continue
            outcome, y = outcomes[work], top + group * row + bar * number
            end = x(outcome.seconds)
            fill = (
                f'fill="{colour}"'
                if outcome.right
                else f'fill="#fff" stroke="{colour}"'
            )
            parts.append(
                f'<rect x="{left}" y="{y + 1}" width="{end - left:.1f}" height="{bar - 2}" {fill}/>'
            )
            parts.append(
                f'<text x="{end + 5:.1f}" y="{y + bar - 2}" font-size="11" fill="#495057">{outcome.said}</text>'
            )
    for row, work in enumerate(works):
        y = top + group * row + (group - between) / 2 + 4
        parts.append(
            f'<text x="{left - 10}" y="{y:.1f}" text-anchor="end">{work}</text>'
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


def main() -> None:
    """Measure, print the table, draw the chart if asked."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.peer_speed", description=__doc__
    )
    parser.add_argument("megabytes", nargs="?", type=int, default=200)
    parser.add_argument("--into", type=Path)
    parser.add_argument("--chart", type=Path)
    chosen = parser.parse_args()
    base = Path(tempfile.mkdtemp(prefix="filewright-peers-"))
    try:
        into = (chosen.into or base / "packages").absolute()
        started = {**install(into), **others(into)}
        started["filewright"] = lambda root: StdioServerParameters(
            command=sys.executable,
            args=[
                "-m",
                "filewright",
                "serve",
                "--log-level",
                "error",
                str(root),
            ],
            env={**os.environ, "FILEWRIGHT_STATE_DIR": str(base / "state")},
        )
        work = {
            "filewright": native,
            LARGEFILE: largefile,
            OFFICIAL: official,
            "Desktop Commander": desktop_commander,
            "rust-mcp-filesystem": rust_filesystem,
        }
        columns: dict[str, dict[str, Outcome]] = {}
        peaks: dict[str, int] = {}
        for name, works in work.items():
            if name not in started:
                continue
            root, log = base / name, base / name / "big.log"
            (root / "tree").mkdir(parents=True)
            make_log(log, chosen.megabytes << 20)
            make_tree(str(root / "tree"))
            called = "server-filesystem" if name == OFFICIAL else name
            columns[called], peaks[called] = asyncio.run(
                timed(started[name](root), works(log))
            )
        size = (
            f"{chosen.megabytes} MB"
            if chosen.megabytes % 1024
            else f"{chosen.megabytes >> 10} GB"
        )
        print(table(size, columns, peaks))
        if chosen.chart:
            chosen.chart.write_text(chart(size, columns), encoding="utf-8")
    finally:
        shutil.rmtree(base)


if __name__ == "__main__":
    main()
