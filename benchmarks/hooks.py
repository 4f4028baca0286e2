"""`filewright snapshot begin` and `end` around a command in trees of 10,000 and 100,000 files, as hooks call them.

Processes of their own, with all that starting them takes, in processor time; compiled, as an installed package is.
The first call has nothing to go by and spends its whole budget on keeping what the files hold.
The others are what every further command costs once that is kept, which goes on in the background: one that changes
nothing, as most do, and one that changes a file.

Of `filewright log` and `undo` it is the processor time until their work begins: the workspace is open.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.row import Row

FILES = 100
RUNS = 7
LIMITS = {100: 0.25, 1000: 0.9}
"""By folders: the seconds of processor time that `begin` and `end` together may take."""
FIRST = 1.0
BEGINS = 0.1
_BEGUN = """
import sys, time
from filewright.cli import main
from filewright.workspace import Workspace

def opened(*given, real=Workspace.__init__, **named):
    real(*given, **named)
    sys.stderr.write(f"{time.process_time()}\\n")

Workspace.__init__ = opened
main()
"""


def rows(*, quick: bool = False) -> Iterator[Row]:
    """Yield the seconds of the first `begin`, and of the cheapest `begin` with its `end`, against their limits."""
    runs = 1 if quick else RUNS
    limits = {3: 0.25} if quick else LIMITS
    for folders, limit in limits.items():
        with tempfile.TemporaryDirectory() as place:
            first, unchanged, changed = _measured(Path(place), folders, runs)
        count = f"{folders * FILES:,} files"
        yield Row(
            f"the first snapshot begin in {count}, against a second",
            first,
            FIRST,
            1.0,
        )
        yield Row(
            f"snapshot begin and end in {count}, nothing changed, against {limit:g} s",
            unchanged,
            limit,
            1.0,
        )
        yield Row(
            f"snapshot begin and end in {count}, a file changed, against {limit:g} s",
            changed,
            limit,
            1.0,
        )
    with tempfile.TemporaryDirectory() as place:
        for words, begins in _begun(Path(place), runs):
            yield Row(
                f"processor time until filewright {words} begins, against {BEGINS:g} s",
                begins,
                BEGINS,
                1.0,
            )


def _begun(place: Path, runs: int) -> Iterator[tuple[str, float]]:
    (place / "root").mkdir()
    begun = [sys.executable, "-c", _BEGUN]

    def said(*words: str) -> str:
        given = {
            "cwd": place / "root",
            "env": _environment(place),
            "check": True,
            "text": True,
        }
        return subprocess.run(
            [*begun, *words], capture_output=True, **given
        ).stderr

    said(
        "call",
        "write_content",
        '{"items": [{"path": "a.txt", "content": "a"}]}',
    )
    yield "log", min(float(said("log").split()[0]) for _ in range(runs))
    undone = [
        float(said(word, "--yes").split()[0])
        for _ in range(runs)
        for word in ("undo", "redo")
    ]
    yield "undo", min(undone[::2])


def _environment(place: Path) -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if name != "PYTHONDONTWRITEBYTECODE"
    }
    return kept | {
        "FILEWRIGHT_STATE_DIR": str(place / "state"),
        "PYTHONPYCACHEPREFIX": str(place / "compiled"),
    }


def _measured(
    place: Path, folders: int, runs: int
) -> tuple[float, float, float]:
    root = place / "root"
    for folder in range(folders):
        below = root / f"package{folder // 25}" / f"module{folder}"
        below.mkdir(parents=True)
        for file in range(FILES):
            (below / f"file{file}.py").write_text(
                f"# {folder} {file}\nx = {folder * file}\n" * 8
            )
    environment = _environment(place)
    program = [
        sys.executable,
        "-c",
        "from filewright.cli import main; main()",
        "snapshot",
    ]

    def timed(name: str, number: int) -> float:
        call = {
            "session_id": "s",
            "cwd": str(root),
            "tool_name": "Bash",
            "tool_use_id": str(number),
        }
        given = json.dumps(
            call | {"tool_input": {"command": "make all"}}
        ).encode()
        begun = os.times()
        subprocess.run(
            [*program, name, "--hook"],
            input=given,
            env=environment,
            check=True,
            capture_output=True,
        )
        ended = os.times()
        taken = ended.children_user + ended.children_system
        return taken - begun.children_user - begun.children_system

    def both(number: int, *, change: bool) -> float:
        taken = timed("begin", number)
        if change:
            (root / "package0" / "module1" / "file7.py").write_text(
                f"x = {number}\n"
            )
        return taken + timed("end", number)

    (place / "empty").mkdir()
    for words in (
        ["--help"],
        ["keep", "--root", str(place / "empty")],
    ):  # compiles what the first would
        subprocess.run(
            [*program, *words], env=environment, check=True, capture_output=True
        )
    first = timed("begin", 0)
    timed("end", 0)
    subprocess.run(
        [*program, "keep", "--root", str(root)], env=environment, check=True
    )
    both(1, change=True)
    both(2, change=False)
    unchanged = min(both(3 + run, change=False) for run in range(runs))
    return (
        first,
        unchanged,
        min(both(3 + runs + run, change=True) for run in range(runs)),
    )
