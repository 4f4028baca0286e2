"""The lines of one snapshot by number, held or not, as placing hunks needs them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from filewright.progress import Task
from filewright.text.snapshot import Snapshot

_WINDOW = 1 << 18
#: Of a longer line in a file that is not held nothing is compared: it matches no row.
_LONG = 1 << 24
_UNMATCHABLE = b"\n"  # no line's body holds its terminator


class FileLines:
    """Lines counted from 0, without terminators.

    Held content is split once; of a larger file a window of bounded size is, wherever it is asked
    for, so going forward costs one pass. Long work on them is cancelled by `task`.
    """

    def __init__(self, snapshot: Snapshot, task: Task | None = None) -> None:
        self.snapshot = snapshot
        self.task = task or Task()
        self._first = 0
        self._bodies: list[bytes] = []
        self._offsets: list[int] = [snapshot.start]
        if snapshot.held is not None:
            data = snapshot.held[snapshot.start :]
            self._bodies = data.splitlines()
            lengths = map(len, data.splitlines(keepends=True))
            self._offsets = list(accumulate(lengths, initial=snapshot.start))
            self.count = len(self._bodies)
        else:
            self.count = snapshot.lines.counted(task)

    def bodies(self, at: int, count: int) -> Sequence[bytes]:
        """The bodies of `count` lines from line `at`; fewer at the end of the file."""
        low, high = at - self._first, at - self._first + count
        if self.snapshot.held is not None or (low >= 0 and high <= len(self._bodies)):
            return self._bodies[low:high]
        result: list[bytes] = []
        while len(result) < count and at < self.count:
            self._move(at)
            low = at - self._first
            more = self._bodies[low : low + count - len(result)]
            result += more
            at += len(more)
        return result

    def offset(self, at: int) -> int:
        """The byte offset where line `at` begins; the size of the file for the line past the last."""
        if at >= self.count:
            return self.snapshot.size
        self._move(at)
        return self._offsets[at - self._first]

    def piece(self, at: int) -> bytes:
        """The bytes of line `at`, its terminator included."""
        start = self.offset(at)
        return self.snapshot.read(start, self.offset(at + 1) - start)

    def terminator(self, at: int) -> bytes:
        """The terminator of line `at`, b"" if it is the last and has none."""
        end = self.offset(at + 1)
        tail = self.snapshot.read(max(self.offset(at), end - 2), min(2, end - self.offset(at)))
        if tail == b"\r\n":
            return tail
        return tail[-1:] if tail[-1:] in (b"\n", b"\r") else b""

    def index_of(self, offset: int) -> int:
        """The line that holds the byte at `offset`."""
        if self.snapshot.held is not None:
            return bisect_right(self._offsets, offset, hi=max(1, self.count)) - 1
        return self.snapshot.lines.line_at(offset) - 1

    def windows(self) -> Iterator[tuple[int, Sequence[bytes]]]:
        """(number of the first line, bodies) of consecutive stretches of the file."""
        at = 0
        while at < self.count:
            self.task.check()
            self._move(at)
            yield at, self._bodies
            at = self._first + len(self._bodies)

    def _move(self, at: int) -> None:
        """Make the window hold line `at`."""
        if self._first <= at < self._first + len(self._bodies) or at >= self.count:
            return
        if self._bodies and at == self._first + len(self._bodies):
            offset = self._offsets[-1]
        else:
            offset = self.snapshot.lines.offset_of(at + 1)
        length = _WINDOW
        while True:
            data = self.snapshot.read(offset, length)
            pieces = data.splitlines(keepends=True)
            if offset + len(data) < self.snapshot.size and pieces and not data.endswith(b"\n"):
                pieces.pop()  # an unended line, or a "\r" whose "\n" may follow
            if pieces:
                break
            if length >= _LONG:
                self._first, self._bodies = at, [_UNMATCHABLE]
                self._offsets = [offset, self.snapshot.lines.offset_of(at + 2)]
                return
            length *= 4
        self._first = at
        self._bodies = [piece.rstrip(b"\r\n") for piece in pieces]
        self._offsets = list(accumulate(map(len, pieces), initial=offset))
