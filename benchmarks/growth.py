"""How the cost of changes grows with their size: ten times the work is to take at most twelve times the time.

Processor time, since that is the program's own whatever else runs; memory is the highest beyond idle.
An undo is measured against the change it undoes too: it may take twice its time.
"""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.row import Row
from filewright import Settings, Workspace

MB = 1 << 20
Call = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Measured:
    """Processor seconds and bytes beyond idle of a change and of its undo."""

    change: float
    undo: float
    change_bytes: int
    undo_bytes: int


def _tree(work: Path, count: int) -> None:
    for number in range(count // 6):
        folder = work / "tree" / f"{number // 70:03d}" / f"d{number}"
        folder.mkdir(parents=True)
        for file in range(6):
            (folder / f"f{file}").write_bytes(
                b"file %d of %d\n" % (file, number)
            )


def _lines(work: Path, count: int) -> None:
    with (work / "f.txt").open("wb") as file:
        for start in range(0, 10 * count, 100_000):
            rows = range(start, min(10 * count, start + 100_000))
            file.write(b"".join(b"%08d\n" % row for row in rows))


ROWS: dict[str, tuple[Callable[[Path, int], None], Call, int]] = {
    "delete a tree of files, six in a folder": (
        _tree,
        ("delete_items", {"paths": ["tree"], "recursive": True}),
        30_000,
    ),
    "copy it": (
        _tree,
        (
            "move_items",
            {
                "items": [{"source": "tree", "destination": "copy"}],
                "copy": True,
            },
        ),
        30_000,
    ),
    "move it": (
        _tree,
        ("move_items", {"items": [{"source": "tree", "destination": "moved"}]}),
        30_000,
    ),
    "replacements in one file": (
        _lines,
        (
            "replace_content",
            {
                "pattern": "7\n",
                "replacement": "seven\n",
                "path": "f.txt",
                "preview": False,
            },
        ),
        100_000,
    ),
}


def _kilobytes(row: str) -> int:
    found = re.search(row + r":\s+(\d+)", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1])


def _timed(
    workspace: Workspace, tool: str, arguments: dict[str, Any]
) -> tuple[float, int]:
    idle = _kilobytes("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    begun = time.process_time()
    answer = workspace.call(tool, arguments)
    spent = time.process_time() - begun
    assert not answer.is_error, answer.text
    return spent, (_kilobytes("VmHWM") - idle) * 1024


def measured(
    plant: Callable[[Path, int], None], call: Call, count: int
) -> Measured:
    """A change of that many things, and its undo, in a workspace of their own."""
    with tempfile.TemporaryDirectory(prefix="filewright-growth-") as name:
        folder = Path(name)
        (folder / "work").mkdir()
        plant(folder / "work", count)
        (folder / "work" / "warm.txt").write_text("warm\n")
        settings = Settings(state_dir=folder / "state", call_seconds=3600)
        with Workspace(folder / "work", settings=settings) as workspace:
            workspace.edit("warm.txt", [{"search": "warm", "replace": "hot"}])
            workspace.undo()
            change, change_bytes = _timed(workspace, *call)
            undoing = {"change_id": workspace.history(limit=1)[0].id}
            undo, undo_bytes = _timed(workspace, "revert_edit", undoing)
    return Measured(change, undo, change_bytes, undo_bytes)


def rows(*, quick: bool = False) -> Iterator[Row]:
    """Yield each change against a tenth of it, and its undo against the change.

    The rows of memory are megabytes beyond idle, against 64.
    """
    for work, (plant, call, count) in ROWS.items():
        if quick:
            count //= 300
        small = measured(plant, call, count // 10)
        large = measured(plant, call, count)
        name = f"{work}: {count:,}"
        yield Row(
            f"{name}, against a tenth of it", large.change, small.change, 12.0
        )
        yield Row(f"{name}, undo of both", large.undo, small.undo, 12.0)
        yield Row(
            f"{name}, undo against the change", large.undo, large.change, 2.0
        )
        most = max(large.change_bytes, large.undo_bytes)
        yield Row(f"{name}, megabytes beyond idle", most // MB, 64, 1.0)
