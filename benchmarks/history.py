"""What a long history costs: `python -m benchmarks.history [CHANGES]` (100,000, some ten minutes).

Each change replaces one line of one of 2,000 small files, in sessions of a thousand. Then, in turns, small edits of
a file in that project and in one without history; `log` of a path, the list of sessions; and one rewind of all of it,
with the memory it takes beyond idle, after which every file must be as it was first.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from filewright import Workspace
from filewright.progress import Caller, Task

FILES = 2_000
LINES = 60
EDITS = 600


def main(changes: int) -> None:
    """Make the history and print what is asked of it."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        roots = {which: place / which for which in ("long", "empty")}
        for root in roots.values():
            root.mkdir()
            (root / "counted.txt").write_text("number 0\n")
        for number in range(FILES):
            (roots["long"] / f"f{number}.txt").write_text(_content(number))
        opened = {
            which: Workspace(root, state_dir=place / f"{which}.state")
            for which, root in roots.items()
        }
        _fill(opened["long"], changes)
        _edits(opened)
        _asked("log of one path", lambda: opened["long"].history("f7.txt"))
        _asked("the list of sessions", opened["long"].sessions)
        held = sum(
            path.stat().st_size for path in (place / "long.state").rglob("*")
        )
        print(
            f"state: {held / (changes + EDITS):.0f} bytes a change, with contents"
        )
        _rewind(opened["long"], roots["long"])
        for workspace in opened.values():
            workspace.close()


def _content(number: int) -> str:
    return "".join(f"line {line} of {number}\n" for line in range(LINES))


def _fill(workspace: Workspace, changes: int) -> None:
    for change in range(changes):
        if change % 1_000 == 0:
            session = workspace.under(
                Task(
                    caller=Caller(
                        f"session{change // 1_000:04d}", "benchmark", None
                    )
                )
            )
        number, line = change % FILES, change // FILES % LINES
        wanted = {
            "search": f"line {line} of {number}\n",
            "replace": f"LINE {line} of {number}\n",
        }
        session.edit(f"f{number}.txt", [wanted])


def _edits(opened: dict[str, Workspace]) -> None:
    taken: dict[str, list[float]] = {which: [] for which in opened}
    for count in range(EDITS):
        for which, workspace in opened.items():
            begun = time.perf_counter()
            workspace.edit(
                "counted.txt",
                [
                    {
                        "search": f"number {count}",
                        "replace": f"number {count + 1}",
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


def _rewind(workspace: Workspace, root: Path) -> None:
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
        for n in range(FILES)
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


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 100_000)
