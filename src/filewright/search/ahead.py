"""Through a large file ahead of the engine: `rg` as a child names the lines worth a window.

It says only where lines begin that hold what its form of the pattern asks for, which is never
stricter than ours. Where it cannot run, or ends early, every window is looked at.
"""

from __future__ import annotations

import io
import select
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from filewright.boundary import Child, program
from filewright.errors import FilewrightError
from filewright.progress import Task
from filewright.search.pattern import Pattern, escaped
from filewright.text import Snapshot

MEMORY: Final = 48 << 20
"""Bytes that `rg` may allocate: it holds a line whole, and is ended by a longer one."""

_LOOK = 50  # milliseconds between two looks at the cancel token

AHEAD_BYTES = 32 << 20
"""From this much text on a child process pays."""

_END = 5.0  # seconds to end once it has said everything

NextLine = Callable[[int], int]
"""Where the next line that may match begins, from an offset on; the offset itself where that is not known."""


def forms_ahead(snapshot: Snapshot, pattern: Pattern, start: int) -> Sequence[str]:
    """What a child is to look for from `start` on; nothing where it does not pay, or would pass lines over."""
    pays = snapshot.size - start >= AHEAD_BYTES and start <= snapshot.size // 2
    if not pays or pattern.multiline or pattern.matches_empty or not snapshot.encoding.is_utf8:
        return ()
    return pattern.for_rg if pattern.plain is None else (escaped(pattern.plain.encode()),)


@contextmanager
def lines_ahead(snapshot: Snapshot, forms: Sequence[str], task: Task) -> Iterator[NextLine]:
    """What a running `rg` says of the snapshot's own file; without `forms` (its patterns) none is started.

    The child gets the open file as its input, never a path of the user's, and opens that anew: so it
    reads exactly the file that is open here, at a position of its own.
    """
    child = _started(snapshot, forms, task) if forms else None
    if child is None:
        yield lambda position: position
        return
    named = _named(child, task)
    running = True

    def next_line(position: int) -> int:
        nonlocal running
        if not running or (position > snapshot.start and snapshot.read(position - 1, 1) != b"\n"):
            return position  # a line that was begun is never passed over
        for offset in named:
            offset += len(snapshot.encoding.bom)  # `rg` counts from behind the byte-order mark
            if offset >= position:
                return offset
        try:  # what it did not get to, because it declined or was killed, is looked at here
            running = child.wait(_END) in (0, 1)
        except FilewrightError:
            running = False
        return snapshot.size if running else position

    try:
        yield next_line
    finally:
        child.close()


def _named(child: Child, task: Task) -> Iterator[int]:
    assert child.stdout is not None
    rest = b""
    for block in read_output(child.stdout, task):
        *rows, rest = (rest + block).split(b"\n")
        for row in rows:
            yield int(row.partition(b":")[0])


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
