"""The guard around an edit of one line in a file of 1 MB: what it adds to the hook after the edit.

Each end of the hook is a process of its own, in processor time, compiled, as an installed package is. The rows compare
the median with the guard to the median without it and 20 ms more. An undamaged file costs a comparison; a damaged
one is written again, as a change of its own.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.row import Row

RUNS = 15
QUICK_RUNS = 1
LIMIT = 0.020
"""The seconds that the guard may add."""
_LINES = 24_000
_LINE = "the quick brown fox jumps over the lazy dog {}\n"


def rows(*, quick: bool = False) -> Iterator[Row]:
    """Yield the median seconds of a hook with the guard, against those without it and the limit."""
    runs = QUICK_RUNS if quick else RUNS
    for kind in ("undamaged", "damaged"):
        with tempfile.TemporaryDirectory() as folder:
            plain, guarded = _measure(Path(folder), runs, kind == "damaged")
        yield Row(
            f"hook after an edit of 1 MB, {kind}, with the guard, "
            f"against {plain * 1000:.0f} ms without it and {LIMIT * 1000:.0f} ms",
            guarded,
            plain + LIMIT,
            1.0,
        )


def _measure(folder: Path, runs: int, is_damaged: bool) -> tuple[float, float]:
    """Return the median seconds of the hook without the guard and with it."""
    seconds: dict[str, list[float]] = {"off": [], "heal": []}
    # In turn, so that both see the same machine; the first of each compiles.
    warm = 1 if runs > 1 else 0
    for number in range(2 * (runs + warm)):
        mode = ("off", "heal")[number % 2]
        run = _edit(folder, number, mode, is_damaged)
        if number >= 2 * warm:
            seconds[mode].append(run)
    return statistics.median(seconds["off"]), statistics.median(seconds["heal"])


def _edit(folder: Path, number: int, mode: str, is_damaged: bool) -> float:
    """Edit a file between two hooks; return the seconds of the second one."""
    project = folder / "project"
    project.mkdir(exist_ok=True)
    path = project / "large.txt"
    before = "caf\xe9\n" + "".join(map(_LINE.format, range(_LINES)))
    before += f"port = {number}\n"
    path.write_bytes(before.encode("cp1252"))
    use = {
        "session_id": "s1",
        "prompt_id": "t1",
        "cwd": str(project),
        "tool_name": "Edit",
        "tool_use_id": f"u{number}",
        "tool_input": {
            "file_path": str(path),
            "old_string": f"port = {number}",
            "new_string": "port = 8080",
        },
    }
    _run(folder, ["begin"], {**use, "hook_event_name": "PreToolUse"})
    after = before.replace(f"port = {number}", "port = 8080").encode("cp1252")
    # A tool that reads every file as UTF-8 writes U+FFFD for the rest.
    damaged = after.decode("utf-8", "replace").encode() if is_damaged else after
    path.write_bytes(damaged)
    started = _children_seconds()
    words = ["end", "--actor", "claude-code", "--guard", mode]
    _run(folder, words, {**use, "hook_event_name": "PostToolUse"})
    seconds = _children_seconds() - started
    expected = after if mode == "heal" else damaged
    assert path.read_bytes() == expected, f"{mode}: not the expected bytes"
    return seconds


def _run(folder: Path, words: list[str], told: dict[str, object]) -> None:
    environment = {
        **os.environ,
        "FILEWRIGHT_STATE_DIR": str(folder / "state"),
        "PYTHONPYCACHEPREFIX": str(folder / "compiled"),
    }
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    subprocess.run(
        [sys.executable, "-m", "filewright", "snapshot", *words, "--hook"],
        input=json.dumps(told).encode(),
        env=environment,
        cwd=folder / "project",
        capture_output=True,
        check=True,
    )


def _children_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
