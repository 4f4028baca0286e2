"""prefilter."""

from __future__ import annotations

import io
import select
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from filewright.boundary.launcher import Child, find_program
from filewright.errors import FilewrightError
from filewright.progress import Task
from filewright.search.characters import escape_bytes
from filewright.search.pattern import Pattern
from filewright.system import Closable
from filewright.text.cache import BoundedCache
from filewright.text.codec import (
    try_encode,
)
from filewright.text.snapshot import Snapshot

RG_MEMORY_BYTES = 48 << 20
"""Bytes that `rg` may allocate: it holds a line whole, and is ended by a longer one."""

_LOOK = 50  # milliseconds between two looks at the cancel token

MIN_PREFILTER_BYTES = 32 << 20
"""From this much text on a child process pays."""

_END = 5.0  # seconds to end once it has said everything

_FAR = (
    8 << 20
)  # bytes that are counted here as quickly as another process says that it may count them
_LONE_RETURN = r"(?-u:\r[^\n])"

_MOST_KEPT = 1000
_heard: BoundedCache[tuple[list[bytes], int]] = BoundedCache(4 << 20)
"""By a file's identity and what was looked for: the rows of a child that saw all; how far their numbers are ours."""

NextLine = Callable[[int], int]
"""Where the next line that may match begins, from an offset on; the offset itself where that is not known."""


class RgPrefilter(Closable):
    """A child that looks for some patterns of `rg`'s in the snapshot's own file, if that can be read by one.

    It gets the open file as its input, never a path of the user's, and opens that anew: so it reads exactly the
    file that is open here, at a position of its own. None runs without `forms`, where something newer is held of
    the file, and where nothing confines it. `whole`: it was heard to the end, and has seen all.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        forms: Sequence[str],
        task: Task,
        *options: str,
    ) -> None:
        self.whole = False
        self._task = task
        self._child: Child | None = None
        where, engine, source = (
            snapshot.location,
            find_program("rg"),
            snapshot.descriptor,
        )
        if (
            not forms
            or where is None
            or engine is None
            or source is None
            or snapshot.content is not None
        ):
            return
        # `--mmap` keeps lines out of the child's memory, so that one of any length costs nothing.
        argv = [
            engine,
            "--no-config",
            "--no-messages",
            "-a",
            "--mmap",
            "--color=never",
            "-I",
            "-b",
            *options,
        ]
        argv += [
            *(part for form in forms for part in ("-e", form)),
            "--",
            "/proc/self/fd/0",
        ]
        with suppress(FilewrightError, OSError):
            self._child = where.root.launcher.start(
                argv,
                stdin=source,
                memory=RG_MEMORY_BYTES,
                seconds=task.remaining,
            )

    def rows(self) -> Iterator[bytes]:
        """What the child writes of what it finds, in order; nothing if none runs. Its offsets are from `start` on."""
        if self._child is None:
            return
        rest = b""
        for block in read_child_output(self._child.stdout, self._task):
            *rows, rest = (rest + block).split(b"\n")
            yield from rows
        with suppress(FilewrightError):
            self.whole = self._child.wait(_END) in (0, 1)

    def close(self) -> None:
        """End the child."""
        if self._child is not None:
            self._child.close()


@contextmanager
def candidate_lines(
    snapshot: Snapshot, pattern: Pattern, start: int, task: Task
) -> Iterator[NextLine]:
    """What a running `rg` says of the lines from `start` on that may match.

    None is started where it does not pay, or would pass lines over. The snapshot learns their numbers too, as far as
    a second `rg` finds no carriage return that ends a line for us alone.
    """
    pays = (
        snapshot.size - start >= MIN_PREFILTER_BYTES
        and start <= snapshot.size // 2
    )
    encoding = snapshot.encoding
    # A byte of one character is never part of another's there, and a line ends where `rg` sees it end.
    is_plain = encoding.is_utf8 or (
        encoding.contains_ascii and not encoding.is_multibyte
    )
    needle = (
        try_encode(encoding.name, pattern.plain_text)
        if pattern.plain_text is not None
        else None
    )
    if not pays or pattern.multiline or pattern.matches_empty or not is_plain:
        yield int  # Nothing is known: an offset stands for itself.
        return
    forms: Sequence[str] = (
        pattern.rg_patterns if needle is None else (escape_bytes(needle),)
    )
    # Lines are named by number and offset alone: their text is left out.
    options = "-n", "--max-columns=1"
    key = snapshot.identity, snapshot.size, *forms
    heard = _heard.get(key)
    forms, lone_forms = ((), ()) if heard else (forms, [_LONE_RETURN])
    with (
        RgPrefilter(snapshot, forms, task, *options) as child,
        RgPrefilter(snapshot, lone_forms, task, *options) as lone,
    ):
        rows, unshifted = (
            (iter(heard[0]), heard[1]) if heard else (child.rows(), -1)
        )
        kept: list[bytes] = []

        def next_line(position: int) -> int:
            nonlocal unshifted
            if (
                position > snapshot.start
                and snapshot.read(position - 1, 1) != b"\n"
            ):
                return position  # a line that was begun is never passed over
            for row in rows:
                number, offset = _numbered(row, snapshot)
                kept[_MOST_KEPT:] = [row]
                if offset >= position:
                    if unshifted < 0 and offset - position > _FAR:
                        found = next(lone.rows(), None)
                        unseen = snapshot.size if lone.whole else 0
                        unshifted = (
                            unseen
                            if found is None
                            else _numbered(found, snapshot)[1]
                        )
                    if offset <= unshifted:
                        snapshot.lines.remember_line(offset, number)
                    return offset
            if child.whole and len(kept) <= _MOST_KEPT and snapshot.is_stable:
                _heard.put(key, (kept, unshifted), 100 * (len(kept) + len(key)))
            # What it did not get to, because it declined or was killed, is looked at here.
            return snapshot.size if heard or child.whole else position

        yield next_line


def _numbered(row: bytes, snapshot: Snapshot) -> tuple[int, int]:
    """The number and the offset of a line that `rg` names, which counts from behind the byte-order mark."""
    number, offset, _ = row.split(b":", 2)
    return int(number), snapshot.start + int(offset)


def read_child_output(
    output: io.FileIO, task: Task, patience: Task | None = None
) -> Iterator[bytes]:
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
