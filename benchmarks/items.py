"""Whole files and folders through the library: a copy of 1 GB against `cp`, 10,000 moves in one transaction.

Both copies are flushed; before each the disk is at rest, the file is in the page cache, and as much memory as a
copy needs has just been used (`large_edit.settle` says why). The moves are measured against
10,000 bare renames with one flush of the folder, which promise nothing.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from benchmarks.large_edit import settle
from benchmarks.row import Row
from filewright import Workspace


def _copies(folder: Path, size: int, rounds: int) -> tuple[float, float]:
    root = folder / "root"
    root.mkdir()
    block = os.urandom(1 << 20)
    with (root / "big").open("wb") as file:
        for _ in range(size >> 20):
            file.write(block)
        os.fsync(file.fileno())
    ours, reference = [], []
    with Workspace(root, state_dir=folder / "state") as workspace:
        for turn in range(rounds):
            settle(root / "big", "warm")
            begun = time.perf_counter()
            workspace.copy("big", f"copy{turn}")
            ours.append(time.perf_counter() - begun)
            (root / f"copy{turn}").unlink()
            settle(root / "big", "warm")
            begun = time.perf_counter()
            subprocess.run(
                ["cp", "-p", root / "big", root / "plain"], check=True
            )
            with (root / "plain").open("rb+") as file:
                os.fsync(file.fileno())
            reference.append(time.perf_counter() - begun)
            (root / "plain").unlink()
    return statistics.median(ours), statistics.median(reference)


def _moves(folder: Path, count: int) -> tuple[float, float]:
    root = folder / "many"
    (root / "from").mkdir(parents=True)
    (root / "to").mkdir()
    for n in range(count):
        (root / "from" / f"{n:05}").write_bytes(b"%d" % n)
    with Workspace(root, state_dir=folder / "state2") as workspace:
        items = [
            {"source": f"from/{n:05}", "destination": f"to/{n:05}"}
            for n in range(count)
        ]
        begun = time.perf_counter()
        result = workspace.call("move_items", {"items": items})
        ours = time.perf_counter() - begun
        assert not result.is_error, result.text
    assert len(list((root / "to").iterdir())) == count
    begun = time.perf_counter()
    for n in range(count):
        os.rename(root / "to" / f"{n:05}", root / "from" / f"{n:05}")
    descriptor = os.open(root / "from", os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)
    return ours, time.perf_counter() - begun


def rows(*, quick: bool = False) -> list[Row]:
    """Return the measurements; they need some 3 GB of disk."""
    megabytes, count = (4, 100) if quick else (1024, 10_000)
    with tempfile.TemporaryDirectory(prefix="filewright-items-") as name:
        folder = Path(name)
        copied, plain = _copies(folder, megabytes << 20, 1 if quick else 5)
        moved, renamed = _moves(folder, count)
    return [
        Row(
            f"copy a file of {megabytes} MB, against cp -p + fsync",
            copied,
            plain,
            1.1,
        ),
        Row(
            f"move {count:,} files as one transaction, against bare renames",
            moved,
            renamed,
        ),
    ]
