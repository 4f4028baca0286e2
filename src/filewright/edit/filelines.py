"""The lines of one snapshot by number, as placing hunks and line-anchored edits needs them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from filewright.progress import Task
from filewright.text import Line, Snapshot

_WINDOW = 1 << 18
#: Of a longer line in a file that is not held nothing is compared: it matches no row.
_LONG = 1 << 24
_UNMATCHABLE = b"\n"  # no line's body holds its terminator


class FileLines:
    """Lines counted from 0, without terminators.

    A window of bounded size is split, wherever it is asked for, so going forward costs one pass and
    memory does not grow with the file. Long work on them is cancelled by `task`.
    """

    def __init__(self, snapshot: Snapshot, task: Task | None = None) -> None:
        self.snapshot = snapshot
        self.task = task or Task()
        self.count = snapshot.lines.counted(task)
        self._first = 0
        self._bodies: list[bytes] = []
        self._ends: list[bytes] = []
        self._offsets: list[int] = [snapshot.start]

    def bodies(self, at: int, count: int) -> Sequence[bytes]:
        """The bodies of `count` lines from line `at`; fewer at the end of the file."""
        low, high = at - self._first, at - self._first + count
        if low >= 0 and high <= len(self._bodies):
            return self._bodies[low:high]
        result: list[bytes] = []
        while len(result) < count and at < self.count:
            self._move(at)
            low = at - self._first
            more = self._bodies[low : low + count - len(result)]
            result += more
            at += len(more)
        return result

    def rows(self, at: int, count: int) -> tuple[Line, ...]:
        """`count` lines from line `at`, as they are in the file."""
        low = at - self._first
        if low >= 0 and low + count <= len(self._bodies) and self._ends:
            return tuple(
                Line(self._offsets[i], self._bodies[i], self._ends[i], self._offsets[i + 1])
                for i in range(low, low + count)
            )
        return tuple(self.snapshot.lines.since(self.offset(at), self.offset(at + count))) if count else ()

    def offset(self, at: int) -> int:
        """The byte offset where line `at` begins; the size of the file for the line past the last."""
        if at >= self.count:
            return self.snapshot.size
        self._move(at)
        return self._offsets[at - self._first]

    def index_of(self, offset: int) -> int:
        """The line that holds the byte at `offset`."""
        if self._offsets[0] <= offset < self._offsets[-1]:
            return self._first + bisect_right(self._offsets, offset) - 1
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
                self._first, self._bodies, self._ends = at, [_UNMATCHABLE], []
                self._offsets = [offset, self.snapshot.lines.offset_of(at + 2)]
                return
            length *= 4
        self._first = at
        self._bodies = data.splitlines()[: len(pieces)]
        self._ends = [piece[len(body) :] for piece, body in zip(pieces, self._bodies, strict=True)]
        self._offsets = list(accumulate(map(len, pieces), initial=offset))
