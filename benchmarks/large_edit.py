"""The whole edit of a large file through the server, and its undo, against `cp` and a flush.

Made so that it cannot flatter. Copies, edits and undos take turns, with a copy before and after each pair. Before
each of them the disk is at rest (`sync`), the file is in the page cache as a whole (warm) or not at all (cold), and as
much memory as a new file needs has just been used and freed: where a virtual machine's host takes free memory back,
the first touch of a page costs more than copying into it, and whoever came right after a deleted gigabyte looked four
times as fast. The edit is never the same twice. What a step leaves to be done is measured, too: the time of a `sync`
right after it counts in the rows "until the disk is at rest". Of the rounds the median is given, and the one with the
worst ratio.
"""

from __future__ import annotations

import mmap
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchmarks.large_log import RARE, Server, make_log
from benchmarks.row import Row

Cache = Literal["warm", "cold"]
GOAL = 1.3
_BLOCK = 1 << 20
_SPARE = 256 << 20


@dataclass(frozen=True)
class Step:
    """Seconds until the answer, and until the disk had nothing to do any more."""

    answered: float
    at_rest: float


@dataclass(frozen=True)
class Round:
    """One turn of each; `copy` is the mean of the copy before and the one after."""

    copy: Step
    edit: Step
    undo: Step


def settle(path: Path, cache: Cache) -> None:
    """The disk at rest, the file in the page cache or not, and memory for another at hand."""
    os.sync()
    descriptor = os.open(path, os.O_RDONLY)
    try:
        if cache == "cold":
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        else:
            while os.read(descriptor, _BLOCK):
                pass
        touch(os.fstat(descriptor).st_size + _SPARE)
    finally:
        os.close(descriptor)


def touch(size: int) -> None:
    """Use so much memory once, and free it."""
    with mmap.mmap(-1, size) as memory:
        for start in range(0, size, mmap.PAGESIZE):
            memory[start] = 1


def timed(work: Callable[[], object]) -> Step:
    """How long some work takes, and a `sync` after it."""
    begun = time.perf_counter()
    work()
    answered = time.perf_counter()
    os.sync()
    return Step(answered - begun, time.perf_counter() - begun)


def copied(source: Path, target: Path) -> Step:
    """`cp` and a flush of the copy."""

    def work() -> None:
        subprocess.run(["cp", str(source), str(target)], check=True)
        descriptor = os.open(target, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)

    step = timed(work)
    target.unlink()
    return step


def measured(folder: Path, size: int, cache: Cache, rounds: int) -> list[Round]:
    """The rounds on a log of `size` bytes."""
    root = folder / "root"
    root.mkdir()
    log, target = root / "big.log", folder / "copy"
    make_log(log, size)
    server = Server(root, folder / "state")

    def call(tool: str, **arguments: object) -> Step:
        settle(log, cache)
        return timed(lambda: server.call(tool, path="big.log", **arguments))

    def copy() -> Step:
        settle(log, cache)
        return copied(log, target)

    found: list[Round] = []
    try:
        server.call("list_files")
        server.call("search_content", pattern="no such line", path="big.log")
        for number in range(rounds):
            before = copy()
            edit = call(
                "edit_content",
                edits=[{"search": RARE, "replace": f"ERROR repaired {number}"}],
            )
            undo = call("revert_edit")
            after = copy()
            mean = Step(
                (before.answered + after.answered) / 2,
                (before.at_rest + after.at_rest) / 2,
            )
            found.append(Round(mean, edit, undo))
    finally:
        server.close()
    return found


def rows(*, quick: bool = False) -> Iterator[Row]:
    """Yield edit and undo, warm and cold, against `cp` and a flush: the median and the worst round."""
    megabytes, rounds = (4, 1) if quick else (1024, 5)
    size = megabytes << 20
    caches: tuple[Cache, ...] = ("cold",) if quick else ("warm", "cold")
    for cache in caches:
        with tempfile.TemporaryDirectory(prefix="filewright-edit-") as name:
            done = measured(Path(name), size, cache, rounds)
        for what in ("edit", "undo"):
            for until in ("answered", "at_rest"):
                pairs = [
                    (
                        getattr(getattr(each, what), until),
                        getattr(each.copy, until),
                    )
                    for each in done
                ]
                words = f"{what} of {megabytes} MB through the server, {cache}"
                words += (
                    "" if until == "answered" else ", until the disk is at rest"
                )
                ours = statistics.median(pair[0] for pair in pairs)
                copy = statistics.median(pair[1] for pair in pairs)
                yield Row(
                    f"{words}: median of {rounds}, against cp + fsync",
                    ours,
                    copy,
                    GOAL,
                )
                worst = max(pairs, key=lambda pair: pair[0] / pair[1])
                yield Row(f"{words}: worst of {rounds}", *worst, 1.5 * GOAL)
