"""The sparse line index: how many terminators stand before each block of a file.

One count per 256 KB block (about 30 KB per GB), built in one pass when a line number is first
needed, and extended no further than asked. A terminator belongs to the block its last byte is in.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from filewright.progress import Task
from filewright.text.terminators import Terminators, counted, counted_in_bulk, joined

BLOCK = 256 << 10
BULK = 32 << 20
"""Above this size counting is worth an import of numpy."""

Read = Callable[[int, int], bytes]


@dataclass(frozen=True, slots=True)
class Line:
    """One line: byte `offset`, its `body` without and its `terminator` (b"" on an unended last line)."""

    offset: int
    body: bytes
    terminator: bytes

    @property
    def end(self) -> int:
        """The offset past the terminator."""
        return self.offset + len(self.body) + len(self.terminator)


class LineIndex:
    """Line numbers and offsets of one file's bytes from `start` (past a byte-order mark) to `size`.

    `before[k]` is the number of terminators that end at or before the start of block k.
    Thread-safe: building is idempotent and only ever appends.
    """

    def __init__(self, read: Read, start: int, size: int, width: int = 1, codec: str = "utf-8") -> None:
        self._read = read
        self._start = start
        self._size = size
        self._width = width
        self._codec = codec
        self._before = [0]
        self._kinds = Terminators()

    @property
    def nbytes(self) -> int:
        """An estimate of its memory."""
        return 200 + 40 * len(self._before)

    @property
    def complete(self) -> bool:
        """Whether the whole file was counted."""
        return self._start + (len(self._before) - 1) * BLOCK >= self._size

    def rebound(self, read: Read) -> LineIndex:
        """The same index reading through another snapshot of the same file."""
        other = LineIndex(read, self._start, self._size, self._width, self._codec)
        other._before, other._kinds = self._before, self._kinds
        return other

    def build(self, task: Task | None = None, *, until: Callable[[int, int], bool] | None = None) -> None:
        """Count on to the end, or until `until(offset, terminators so far)` says enough."""
        while not self.complete:
            known = len(self._before)
            offset = self._start + (known - 1) * BLOCK
            if until is not None and until(offset, self._before[-1]):
                return
            if task is not None and known % 16 == 0:
                task.check()
                task.report(offset, self._size, "counting lines")
            found = self._count(offset)
            if len(self._before) == known:  # another thread may have been faster
                self._kinds = joined(self._kinds, found)
                self._before.append(self._before[-1] + found.total)

    def _count(self, offset: int) -> Terminators:
        length = min(BLOCK, self._size - offset)
        if self._width == 1:
            count = counted_in_bulk if self._size > BULK else counted
            block = self._read(offset, length)
            if block.endswith(b"\r") and offset + length < self._size:
                following = self._read(offset + length, 1) == b"\n"
            else:
                following = False
            if following:
                # The pair ends in the next block and is counted there.
                block = block[:-1]
            if block.startswith(b"\n") and offset > self._start and self._read(offset - 1, 1) == b"\r":
                return joined(Terminators(crlf=1, first=b"\r\n"), count(block[1:]))
            return count(block)
        text = self._text(offset, length)
        if text.startswith("\n") and offset > self._start and self._text(offset - 2, 2) == "\r":
            return joined(Terminators(crlf=1, first=b"\r\n"), counted(text[1:].encode("utf-8", "replace")))
        return counted(text.encode("utf-8", "replace"))

    def _text(self, offset: int, length: int) -> str:
        """A block of UTF-16, less a ``\\r`` whose ``\\n`` is in the next."""
        text = self._read(offset, length).decode(self._codec, "replace")
        if length > 2 and text.endswith("\r") and offset + length + 2 <= self._size:
            after = self._read(offset + length, 2).decode(self._codec, "replace")
            return text[:-1] if after == "\n" else text
        return text

    @property
    def terminators(self) -> Terminators:
        """The counts of the whole file (builds the index)."""
        self.build()
        return self._kinds

    @property
    def count(self) -> int:
        """Lines of the file; a last line without terminator counts, an empty file has none."""
        return self.counted(None)

    def counted(self, task: Task | None) -> int:
        """`count`, cancellable."""
        self.build(task)
        total = self._before[-1]
        if self._size <= self._start:
            return 0
        return total + (0 if self.ends_in_terminator() else 1)

    def ends_in_terminator(self) -> bool:
        last = self._read(self._size - self._width, self._width)
        if self._width == 2:
            return last.decode(self._codec, "replace") in ("\n", "\r")
        return last in (b"\n", b"\r")

    def has_line(self, line: int, task: Task | None = None) -> bool:
        """Whether the file has a line `line`, counting no further than needed."""
        if line <= 1:
            return line == 1 and self._size > self._start
        return self.offset_of(line, task) < self._size

    def offset_of(self, line: int, task: Task | None = None) -> int:
        """The byte offset where 1-based `line` begins; `size` for any line past the last."""
        if line <= 1:
            return self._start
        wanted = line - 1
        self.build(task, until=lambda _, before: before >= wanted)
        if self._before[-1] < wanted:
            return self._size
        block = bisect_left(self._before, wanted) - 1
        offset = self._start + block * BLOCK
        return self._nth_end(offset, wanted - self._before[block])

    def line_at(self, offset: int, task: Task | None = None) -> int:
        """The 1-based number of the line that holds the byte at `offset`."""
        offset = max(self._start, min(offset, self._size))
        block = (offset - self._start) // BLOCK
        self.build(task, until=lambda reached, _: reached >= self._start + block * BLOCK)
        block = min(block, len(self._before) - 1)
        begin = self._start + block * BLOCK
        return 1 + self._before[block] + sum(1 for end in self.ends(begin, offset) if end <= offset)

    def _nth_end(self, offset: int, n: int) -> int:
        for end in self.ends(offset, min(offset + BLOCK, self._size)):
            n -= 1
            if n == 0:
                return end
        return self._size

    def ends(self, offset: int, stop: int) -> Iterator[int]:
        """Offsets just past the terminators that end in (offset, stop], in order."""
        width = self._width
        # One unit back and forth tells a pair from its halves.
        low = max(self._start, offset - width)
        data = self._read(low, min(self._size, stop + width) - low)
        if width == 1:
            position = low
            for piece in data.splitlines(keepends=True):
                position += len(piece)
                if offset < position <= stop and piece[-1:] in (b"\n", b"\r"):
                    yield position
            return
        position = low
        text = data.decode(self._codec, "replace")
        for index, char in enumerate(text):
            position += 4 if char > "\uffff" else 2
            ends = char == "\n" or (char == "\r" and text[index + 1 : index + 2] != "\n")
            if ends and offset < position <= stop:
                yield position
