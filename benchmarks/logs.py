"""Logs as they are on servers, as ratios against the programs of a shell in the same run.

Ours and the programs take turns, and the best of each counts. Ours is the call
of a tool in a new workspace each time, which knows nothing of the file.

    python -m benchmarks logs [--quick]

`zcat`, `zstdcat`, `rg` and `jq` are those on the PATH; a row whose programs are
missing is left out. The data take 13 GB below the temporary folder.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.row import Row, fastest_in_turns
from benchmarks.searching import RARE, make_log
from filewright import Workspace
from filewright.boundary.launcher import find_program

ROUNDS = 3
WINDOW_GOAL_SECONDS = 0.1
_LOG_START = datetime(2026, 11, 1, tzinfo=UTC)
_STAMP = b"0000-00-00T00:00:00Z"


def rows(*, quick: bool = False) -> Iterator[Row]:
    """Yield the rows of all comparisons."""
    size = 4 << 20 if quick else 1 << 30
    with tempfile.TemporaryDirectory(prefix="filewright-logs-") as folder:
        root = Path(folder, "root")
        root.mkdir()
        plain = root / "app.log"
        make_log(str(plain), size, count=20_000 if quick else 200_000)
        yield from _compressed_rows(root, plain)
        plain.unlink()
        yield from _json_rows(root, size)
        yield from _window_rows(root, 20 << 20 if quick else 10 << 30)


def _compressed_rows(root: Path, plain: Path) -> Iterator[Row]:
    """Yield searches in compressed files against a program piped to `rg`."""
    engine = find_program("rg")
    for name, pack, unpack in (
        ("gz", ["gzip", "-k", "-6"], "zcat"),
        ("zst", ["zstd", "-q", "-k", "-3"], "zstdcat"),
    ):
        if engine is None or not _has(pack[0], unpack):
            continue
        subprocess.run([*pack, str(plain)], check=True)
        path = plain.with_name(f"{plain.name}.{name}")
        arguments = {"path": path.name, "pattern": RARE}
        command = f"{unpack} {path} | {engine} -n {RARE!r}"
        ours, reference = fastest_in_turns(
            _call(root, "search_content", arguments, RARE),
            _shell(command),
            ROUNDS,
        )
        work = f"search in a .{name} of 1 GB of text, to `{unpack} | rg`"
        yield Row(work, ours, reference, goal=1.1)
        path.unlink()


def _json_rows(root: Path, size: int) -> Iterator[Row]:
    """Yield filters of JSON lines against `jq`."""
    if not _has("jq"):
        return
    path = root / "app.jsonl"
    _make_json_lines(path, size)
    for where, select in (
        (
            {"level": "error", "latency_ms": ">900"},
            '.level == "error" and .latency_ms > 900',
        ),
        ({"latency_ms": ">990"}, ".latency_ms > 990"),
    ):
        arguments = {"path": path.name, "where": where, "output": "counts"}
        ours, reference = fastest_in_turns(
            _call(root, "search_content", arguments, "matching line"),
            _shell(f"jq -c 'select({select})' {path} | wc -l"),
            1,
        )
        names = " and ".join(where)
        work = f"where on {names}, 1 GB of JSON lines, to `jq`"
        yield Row(work, ours, reference, goal=0.3)
    path.unlink()


def _window_rows(root: Path, size: int) -> Iterator[Row]:
    """Yield the read of a time window in a sorted log, in seconds of the goal."""
    path = root / "sorted.log"
    last = _make_sorted_log(path, size)
    middle = _LOG_START + (last - _LOG_START) / 2
    arguments = {
        "path": path.name,
        "since": middle.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "limit": 20,
    }
    ours, _ = fastest_in_turns(
        _call(root, "read_content", arguments, "request"), lambda: None, ROUNDS
    )
    yield Row(
        "read from a time on in a sorted log of 10 GB, to 0.1 s",
        ours,
        WINDOW_GOAL_SECONDS,
        goal=1.0,
    )


def _has(*programs: str) -> bool:
    return all(shutil.which(program) for program in programs)


def _shell(command: str) -> Callable[[], object]:
    """Return the function that runs a command, which must print something."""

    def run() -> None:
        output = subprocess.run(
            ["bash", "-c", command], check=True, stdout=subprocess.PIPE
        ).stdout
        assert output

    return run


def _call(
    root: Path, tool: str, arguments: Mapping[str, Any], expected: str
) -> Callable[[], object]:
    """Return the function that calls a tool in a workspace that is new to the file.

    It can be called as often as there are rounds.
    """
    # What is loaded once for all calls does not belong to the work.
    (root / "warm.log").write_text("2026-11-01T00:00:00Z x\n")
    workspaces = []
    for number in range(ROUNDS):
        workspace = Workspace(root, state_dir=root.parent / f"state{number}")
        workspace.call("search_content", {"path": "warm.log", "pattern": "x"})
        workspace.call("read_content", {"path": "warm.log"})
        workspaces.append(workspace)

    def run() -> None:
        # The file is another one now: nothing that was kept fits it.
        os.utime(root / arguments["path"])
        with workspaces.pop() as workspace:
            text = workspace.call(tool, dict(arguments)).text
        assert expected in text, text[:500]

    return run


def _make_json_lines(path: Path, size: int) -> None:
    """Write JSON lines of about `size` bytes."""
    chance = random.Random(5)
    entries = []
    for number in range(20_000):
        is_error = chance.random() < 0.02
        stamp = _LOG_START + timedelta(seconds=number)
        entry = {
            "ts": stamp.isoformat(),
            "level": "error" if is_error else chance.choice(["info", "debug"]),
            "service": chance.choice(["cart", "payment", "search", "user"]),
            "request": f"{chance.getrandbits(64):016x}",
            "latency_ms": chance.randrange(1000),
            "http": {"path": f"/api/{number}", "status": 500 * is_error or 200},
            "msg": "upstream timed out" if is_error else "request served",
        }
        entries.append(json.dumps(entry, separators=(",", ":")))
    block = ("\n".join(entries) + "\n").encode()
    with path.open("wb") as file:
        while file.tell() < size:
            file.write(block)


def _make_sorted_log(path: Path, size: int) -> datetime:
    """Write a log of about `size` bytes with rising times; return the last one."""
    line = _STAMP + b" INFO worker-07 request 4711 served in 17 ms" + b"." * 40
    block = (line + b"\n") * 10_000
    stamp = _LOG_START
    with open(path, "wb", buffering=0) as file:
        written = 0
        while written < size:
            stamp += timedelta(seconds=7)
            text = stamp.strftime("%Y-%m-%dT%H:%M:%SZ").encode()
            written += file.write(block.replace(_STAMP, text))
    os.sync()
    return stamp
