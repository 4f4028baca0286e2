"""What a transaction costs: flushes and time against bare write-flush-rename, and one edit in 1 GB.

The reference of an edit is what a careful program does without any journal: write a temporary,
flush it, rename it over the file, flush the folder; two flushes. The reference of an edit in a large
file is `cp` and a flush of the copy. All of it runs on the disk of the temporary folder (`TMPDIR`).
"""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.large_edit import settle
from benchmarks.row import Row
from filewright.boundary.boundary import Boundary
from filewright.changes.changes import Changes
from filewright.changes.log import Log
from filewright.edit.changeset import ChangeSet, ExpectedState, Modify
from filewright.settings import Settings
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice

_SMALL = 8_000


class Bench:
    """A workspace on the disk to be measured."""

    def __init__(self, base: Path) -> None:
        self.root = base / "work"
        self.root.mkdir(exist_ok=True)
        self.settings = Settings(state_dir=base / "state")
        self.boundary = Boundary([self.root], self.settings)
        self.changes = Changes(self.boundary, self.settings)

    def modify(self, name: str, *splices: Splice) -> Modify:
        """An edit of a file as it is now."""
        where = self.boundary.locate(name)
        with Snapshot.of_file(
            self.boundary.open_file(where), where, self.settings
        ) as snapshot:
            return Modify(where, ExpectedState.from_snapshot(snapshot), splices)

    def commit(self, *steps: Modify) -> Any:
        """Commit them as one change."""
        return self.changes.commit(ChangeSet("bench", "a change", steps))

    def state_bytes(self) -> int:
        """What history takes."""
        return sum(
            f.stat().st_size
            for f in Path(os.fsdecode(self.changes.state.at())).rglob("*")
            if f.is_file()
        )


@contextmanager
def _bench() -> Iterator[Bench]:
    with tempfile.TemporaryDirectory(prefix="filewright-bench-") as folder:
        bench = Bench(Path(folder))
        yield bench
        bench.boundary.close()


def _bare(path: Path, content: bytes) -> int:
    """Write, flush, rename, flush the folder; returns the flushes."""
    temporary = path.with_name(path.name + ".new")
    descriptor = os.open(
        temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644
    )
    os.write(descriptor, content)
    os.fsync(descriptor)
    os.close(descriptor)
    os.rename(temporary, path)
    folder = os.open(path.parent, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)
    return 2


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def small_edit(rounds: int) -> tuple[float, float, float]:
    """Flushes of one small edit, its median time, and the median time of a bare one."""
    ours: list[float] = []
    bare: list[float] = []
    with _bench() as bench:
        content = os.urandom(_SMALL // 2).hex().encode()
        for name in ("a.txt", "b.txt"):
            (bench.root / name).write_bytes(content)
        bench.commit(bench.modify("a.txt", Splice(0, 1, b"z")))
        before = bench.changes.flush_count
        for number in range(rounds):
            # In turns, so that a busy moment of the disk meets both.
            text = b"%02d" % number
            ours.append(
                _timed(
                    lambda t=text: bench.commit(
                        bench.modify("a.txt", Splice(100, 2, t))
                    )
                )
            )
            bare.append(
                _timed(
                    lambda t=text: _bare(bench.root / "b.txt", t + content[2:])
                )
            )
        flushes = (bench.changes.flush_count - before) / rounds
    return flushes, statistics.median(ours), statistics.median(bare)


def many_files(count: int) -> tuple[float, float, float, float]:
    """Times of a change of many files, of as many bare ones, of recovering it at two stages."""
    with _bench() as bench:
        content = os.urandom(_SMALL // 2).hex().encode()
        for number in range(count):
            folder = bench.root / f"d{number % 10}"
            folder.mkdir(exist_ok=True)
            (folder / f"{number}.txt").write_bytes(content)
        # The first change of a workspace makes its state folder.
        (bench.root / "first.txt").write_bytes(content)
        bench.commit(bench.modify("first.txt", Splice(0, 1, b"z")))
        os.sync()
        names = [f"d{number % 10}/{number}.txt" for number in range(count)]
        bare = _timed(
            lambda: [_bare(bench.root / name, content) for name in names]
        )
        ours = _timed(
            lambda: bench.commit(
                *(bench.modify(name, Splice(9, 3, b"new")) for name in names)
            )
        )
        back = _recovery(bench, names, "done")
        forward = _recovery(bench, names, "settled")
    return ours, bare, back, forward


def _recovery(bench: Bench, names: list[str], stage: str) -> float:
    """Kill a commit of all files just before or just after it is done, and time what follows."""
    child = os.fork()
    if child == 0:
        real = Log.mark_done

        def stopped(log: Log, number: int) -> None:
            if stage == "settled":
                real(log, number)
            os.kill(os.getpid(), signal.SIGKILL)

        Log.mark_done = stopped  # type: ignore[method-assign]
        try:
            bench.commit(
                *(bench.modify(name, Splice(9, 3, b"NEW")) for name in names)
            )
        finally:
            os._exit(1)
    os.waitpid(child, 0)
    found = []
    # Opening settles it already; `recover` says what was found.
    taken = _timed(
        lambda: found.append(Changes(bench.boundary, bench.settings).recover())
    )
    assert found[0].rolled_back or found[0].finished
    assert not found[0].conflicts
    return taken


def large_edit(megabytes: int, rounds: int) -> tuple[float, float, float, int]:
    """Times of one edit in the middle, of undoing it, of `cp` and a flush; bytes of history."""
    with _bench() as bench:
        path = bench.root / "large.log"
        line = b"2026-01-01T00:00:00 INFO a line of a large log, as long as such lines are\n"
        block = line * (1_000_000 // len(line))
        with path.open("wb") as file:
            for _ in range(megabytes):
                file.write(block)
            file.flush()
            os.fsync(file.fileno())
        middle = path.stat().st_size // 2

        copies: list[float] = []
        edits: list[float] = []
        undos: list[float] = []

        copy = bench.root.parent / "copy"

        def copied() -> None:
            subprocess.run(["cp", path, copy], check=True)
            descriptor = os.open(copy, os.O_RDONLY)
            os.fsync(descriptor)
            os.close(descriptor)

        bench.changes.recover()
        history = bench.state_bytes()
        record = None

        def edit() -> None:
            nonlocal record
            record = bench.commit(
                bench.modify("large.log", Splice(middle, 4, b"changed"))
            )

        def undo() -> None:
            assert record is not None
            bench.changes.commit(
                bench.changes.undo(record.id, preview=True)[1].change_set
            )

        for turn in range(rounds):
            for times, work in ((copies, copied), (edits, edit), (undos, undo)):
                # Each begins alike: what the one before displaced is gone, from memory and disk.
                copy.unlink(missing_ok=True)
                settle(path, "warm")
                times.append(_timed(work))
                if turn == 0 and work is edit:
                    history = bench.state_bytes() - history
        return (
            statistics.median(edits),
            statistics.median(undos),
            statistics.median(copies),
            history,
        )


def rows(*, quick: bool = False) -> Iterator[Row]:
    """Yield each piece of work against the bare one."""
    flushes, ours, bare = small_edit(3 if quick else 40)
    yield Row(
        "small edit, in flushes, against write-flush-rename",
        flushes if flushes % 1 else int(flushes),
        2,
        2.5,
    )
    # Where a flush is almost free, it is our own work that is seen.
    yield Row(
        "small edit, in time, against write-flush-rename", ours, bare, 3.5
    )
    count = 20 if quick else 500
    ours, bare, back, forward = many_files(count)
    yield Row(
        f"change of {count} files, against {count} write-flush-renames",
        ours,
        bare,
        1.5,
    )
    yield Row(
        f"taking back {count} files after a crash, against the same",
        back,
        bare,
        1.5,
    )
    yield Row(
        f"finishing {count} files after a crash, against the same",
        forward,
        bare,
        1.5,
    )
    megabytes = 4 if quick else 1000
    edited, undone, copied, history = large_edit(megabytes, 1 if quick else 5)
    yield Row(
        f"one edit in {megabytes} MB, against cp and flush ({history:,} bytes of history)",
        edited,
        copied,
        1.3,
    )
    yield Row(
        f"undo of it in {megabytes} MB, against cp and flush",
        undone,
        copied,
        1.3,
    )
