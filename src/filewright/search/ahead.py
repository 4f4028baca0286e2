"""Through a large file ahead of the engine: `rg` as a child names the lines worth a window.

It says only where lines begin that hold what its form of the pattern asks for, which is never
stricter than ours. Where it cannot run, or ends early, every window is looked at.
"""

from __future__ import annotations

import io
import select
import threading
from collections.abc import Iterator, Sequence
from typing import Final

from filewright.boundary import Child, program
from filewright.errors import FilewrightError
from filewright.progress import Task
from filewright.search.pattern import Pattern
from filewright.search.syntax import escaped
from filewright.text import Snapshot

MEMORY: Final = 48 << 20
"""Bytes that `rg` may allocate: it holds a line whole, and is ended by a longer one."""

_LOOK = 50  # milliseconds between two looks at the cancel token

AHEAD_BYTES = 32 << 20
"""From this much text on a child process pays."""

_END = 5.0  # seconds to end once it has said everything


class Ahead:
    """A running `rg` on the snapshot's own file; without `forms` (its patterns) none is started.

    The child gets the open file as its input, never a path of the user's, and opens that anew: so it
    reads exactly the file that is open here, at a position of its own.
    """

    def __init__(self, snapshot: Snapshot, forms: Sequence[str], task: Task) -> None:
        self.running = False
        self._task = task
        self._size = snapshot.size
        self._child = _started(snapshot, forms, task) if forms else None
        if self._child is None:
            return
        self.running = True
        self._shift = len(snapshot.encoding.bom)  # `rg` counts from behind the byte-order mark
        self._offsets = self._named(self._child)
        # A hit needs its line's number: lines are counted on the other core meanwhile.
        self._quiet = Task(seconds=task.remaining)
        self._counting = threading.Thread(
            target=_count_lines, args=(snapshot, self._quiet), name="line index", daemon=True
        )
        self._counting.start()

    def next_line(self, position: int) -> int:
        """Where the next line from `position` on (a line's beginning) begins that may match."""
        for offset in self._offsets:
            if offset >= position:
                self._stop_counting()
                return offset
        return self._size if self.running else position

    def _named(self, child: Child) -> Iterator[int]:
        assert child.stdout is not None
        rest = b""
        for block in read_output(child.stdout, self._task):
            *rows, rest = (rest + block).split(b"\n")
            for row in rows:
                yield int(row.partition(b":")[0]) + self._shift
        # What it did not get to, because it declined or was killed, is looked at here.
        try:
            self.running = child.wait(_END) in (0, 1)
        except FilewrightError:
            self.running = False

    def _stop_counting(self) -> None:
        self._quiet.cancel()
        self._counting.join()  # before the descriptor it reads from may be closed

    def close(self) -> None:
        """End the child if it still runs."""
        if self._child is not None:
            self._stop_counting()
            self._child.close()


def ahead_of(snapshot: Snapshot, pattern: Pattern, start: int, task: Task) -> Ahead:
    """The child that runs ahead, where it pays and finds every line there is."""
    pays = snapshot.size - start >= AHEAD_BYTES and start <= snapshot.size // 2
    able = not pattern.multiline and not pattern.matches_empty and snapshot.encoding.is_utf8
    forms = pattern.for_rg if pattern.plain is None else (escaped(pattern.plain.encode()),)
    return Ahead(snapshot, forms if pays and able else (), task)


def _started(snapshot: Snapshot, forms: Sequence[str], task: Task) -> Child | None:
    """The child; None if it cannot read this file: something newer is held of it, or nothing confines it."""
    launcher = snapshot.location.root.launcher if snapshot.location is not None else None
    engine, descriptor = program("rg"), snapshot.descriptor
    if launcher is None or engine is None or descriptor is None or snapshot.held is not None:
        return None
    # A line is named by its offset alone: its text is left out by `--max-columns`, and `--mmap`
    # keeps it out of the child's memory, so that a line of any length costs nothing.
    argv = [engine, "--no-config", "--no-messages", "-a", "--mmap", "--color=never", "-I", "-N", "-b"]
    argv += ["--max-columns=1", *(part for form in forms for part in ("-e", form)), "--", "/proc/self/fd/0"]
    try:
        return launcher.start(argv, stdin=descriptor, stderr=False, memory=MEMORY, seconds=task.remaining)
    except (FilewrightError, OSError):
        return None  # every window is looked at here


def _count_lines(snapshot: Snapshot, task: Task) -> None:
    try:
        snapshot.lines.build(task)
    except FilewrightError:
        return  # cancelled, or the file is gone: who asks for a line hears of it


def read_output(output: io.FileIO, task: Task, patience: Task | None = None) -> Iterator[bytes]:
    """What a child writes, block by block, until its end or until `patience` expires.

    The cancel token of `task` is looked at all the while.
    """
    ready = select.poll()  # `select` cannot wait for descriptors above 1,023
    ready.register(output, select.POLLIN | select.POLLHUP)
    while patience is None or not patience.expired:
        if ready.poll(_LOOK):
            block = output.read(1 << 16)
            if not block:
                return
            yield block
        task.check()
