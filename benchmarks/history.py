"""The cost of a long history: `python -m benchmarks history [CHANGES]` (100,000, some ten minutes).

Each change replaces one line of one of 2,000 small files, in sessions of a thousand. Then, in turns, small edits of
a file in that project and in one without history; `log` of a path, the list of sessions; and one rewind of all of it,
with the memory it takes beyond idle, after which every file must be as it was first.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filewright import Workspace
from filewright.progress import Caller, Task

LINES = 60


@dataclass(frozen=True, slots=True)
class Size:
    """The changes of a history, its files, and the edits that are measured."""

    changes: int
    files: int = 2_000
    edits: int = 600


def report(words: Sequence[str], *, quick: bool = False) -> None:
    """Make a history of so many changes and print the cost of each question."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks history", description=__doc__
    )
    parser.add_argument("changes", nargs="?", type=int, default=100_000)
    size = Size(parser.parse_args(words).changes)
    if quick:
        size = Size(changes=20, files=10, edits=3)
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        roots = {which: place / which for which in ("long", "empty")}
        for root in roots.values():
            root.mkdir()
            (root / "counted.txt").write_text("number 0\n")
        for number in range(size.files):
            (roots["long"] / f"f{number}.txt").write_text(_content(number))
        opened = {
            which: Workspace(root, state_dir=place / f"{which}.state")
            for which, root in roots.items()
        }
        _fill(opened["long"], size)
        _edits(opened, size.edits)
        _asked("log of one path", lambda: opened["long"].history("f7.txt"))
        _asked("the list of sessions", opened["long"].sessions)
        held = sum(
            path.stat().st_size for path in (place / "long.state").rglob("*")
        )
        print(
            f"state: {held / (size.changes + size.edits):.0f} bytes a change, with contents"
        )
        _rewind(opened["long"], roots["long"], size.files)
        for workspace in opened.values():
            workspace.close()


def _content(number: int) -> str:
    return "".join(f"line {line} of {number}\n" for line in range(LINES))


def _fill(workspace: Workspace, size: Size) -> None:
    for change in range(size.changes):
        if change % 1_000 == 0:
            session = workspace.under(
                Task(
                    caller=Caller(
                        f"session{change // 1_000:04d}", "benchmark", None
                    )
                )
            )
        number, line = change % size.files, change // size.files % LINES
        wanted = {
            "search": f"line {line} of {number}\n",
            "replace": f"LINE {line} of {number}\n",
        }
        session.edit(f"f{number}.txt", [wanted])


def _edits(opened: dict[str, Workspace], count: int) -> None:
    taken: dict[str, list[float]] = {which: [] for which in opened}
    for number in range(count):
        for which, workspace in opened.items():
            begun = time.perf_counter()
            workspace.edit(
                "counted.txt",
                [
                    {
                        "search": f"number {number}",
                        "replace": f"number {number + 1}",
                    }
                ],
            )
            taken[which].append(time.perf_counter() - begun)
    for which, times in taken.items():
        print(
            f"small edit, history {which}: {statistics.median(times) * 1e3:.2f} ms in the middle"
        )


def _asked(what: str, ask: Callable[[], Any]) -> None:
    ask()
    begun = time.perf_counter()
    ask()
    print(f"{what}: {(time.perf_counter() - begun) * 1e3:.1f} ms")


def _rewind(workspace: Workspace, root: Path, files: int) -> None:
    oldest = workspace.history("f0.txt", limit=1_000)[-1].id
    (idle,) = _memory("VmRSS")
    Path("/proc/self/clear_refs").write_text(
        "5"
    )  # the highest so far begins anew
    begun = time.perf_counter()
    workspace.revert_edit(since=f"{oldest}^")
    taken = time.perf_counter() - begun
    (most,) = _memory("VmHWM")
    wrong = [
        n
        for n in range(files)
        if (root / f"f{n}.txt").read_text() != _content(n)
    ]
    print(
        f"rewind of all: {taken:.1f} s, {most - idle:.0f} MB beyond idle, {len(wrong)} files not as before"
    )


def _memory(*names: str) -> list[float]:
    lines = Path("/proc/self/status").read_text().splitlines()
    return [
        int(line.split()[1]) / 1_000 for line in lines if line.startswith(names)
    ]
