"""The bytes of a snapshot as locating reads them: occurrences, and lines around an offset.

The same calls serve held content and files far larger than memory; of the latter only pages of
bounded size are held.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from filewright.progress import Task
from filewright.text.codec import Encoding, is_boundary

PAGE = 256 << 10
LONG_LINE = 1 << 20
"""Of a longer line in a file that is not held only so much is compared: it matches no request."""


class Lines(Protocol):
    """What is needed of a line index."""

    @property
    def count(self) -> int: ...

    def line_at(self, offset: int) -> int: ...

    def offset_of(self, line: int) -> int: ...


class Readable(Protocol):
    """What locating needs of a `Snapshot`; a result of earlier edits offers it too."""

    @property
    def size(self) -> int: ...

    @property
    def held(self) -> bytes | None: ...

    @property
    def encoding(self) -> Encoding: ...

    @property
    def start(self) -> int: ...

    @property
    def dominant(self) -> bytes: ...

    @property
    def lines(self) -> Lines: ...

    def read(self, offset: int, length: int, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the file: byte `offset`, `body`, `terminator` (b"" on an unended last line)."""

    offset: int
    body: bytes
    terminator: bytes
    end: int

    @property
    def body_end(self) -> int:
        """The offset past the body."""
        return self.end - len(self.terminator)


class Source:
    """A snapshot with the ways of reading it that locating needs."""

    def __init__(self, snapshot: Readable, task: Task | None = None) -> None:
        self.snapshot = snapshot
        self.task = task
        self.encoding = snapshot.encoding
        self.start = snapshot.start
        self.size = snapshot.size
        self.held = snapshot.held
        self._page = b""
        self._page_at = 0
        self._returns = self.held is not None and b"\r" in self.held
        self._line = 1
        self._line_offset = self.start

    def line_number(self, offset: int) -> int:
        """The 1-based number of the line that holds `offset`."""
        if self.held is None or self._returns or self.encoding.width != 1:
            return self.snapshot.lines.line_at(offset)
        if offset < self._line_offset:
            self._line, self._line_offset = 1, self.start
        self._line += self.held.count(b"\n", self._line_offset, offset)
        self._line_offset = offset
        return self._line

    def text(self, body: bytes) -> str:
        """The bytes of a line as text; undecodable ones become lone surrogates, which match nothing."""
        return body.decode(self.encoding.name, "surrogateescape")

    def read(self, start: int, end: int) -> bytes:
        """The bytes [start, end), clipped to the text."""
        start = max(start, self.start)
        if self.held is not None:
            return self.held[start:end]
        return self.snapshot.read(start, max(0, min(end, self.size) - start))

    def occurrences(self, needle: bytes, start: int | None = None) -> Iterator[int]:
        """Offsets of `needle`, overlapping ones too, in order; character boundaries are not looked at."""
        position = self.start if start is None else start
        if self.held is not None:
            at = self.held.find(needle, position)
            while at >= 0:
                yield at
                at = self.held.find(needle, at + 1)
            return
        length = max(1 << 20, 2 * len(needle))
        while position + len(needle) <= self.size:
            if self.task is not None:
                self.task.check()
                self.task.report(position, self.size, "searching")
            block = self.snapshot.read(position, length + len(needle) - 1)
            at = block.find(needle)
            while at >= 0:
                yield position + at
                at = block.find(needle, at + 1)
            position += length

    def on_boundary(self, offset: int, end: int) -> bool:
        """Whether [offset, end) begins and ends between characters."""
        if not self.encoding.multibyte:
            return True
        row = self.row_at(offset)
        return is_boundary(self.read(row.offset, offset), self.encoding) and is_boundary(
            self.read(row.offset, end), self.encoding
        )

    def row_at(self, offset: int) -> Row:
        """The line that holds the byte at `offset`."""
        data, base = self._around(offset)
        at, low = offset - base, max(self.start - base, 0)
        if at > low and data[at - 1 : at + 1] == b"\r\n":
            at -= 1  # between the halves of a pair
        begin = max(data.rfind(b"\n", low, at) + 1, low)
        if self._returns or self.held is None:
            begin = max(data.rfind(b"\r", begin, at) + 1, begin)
        if begin == low and base > self.start:
            return self._row(self._far_begin(base))
        return self._row(begin + base)

    def row_from(self, offset: int) -> Row | None:
        """The line that begins at `offset`; None at the end."""
        return self._row(offset) if offset < self.size else None

    def row_before(self, row: Row) -> Row | None:
        """The line before `row`; None before the first."""
        return self.row_at(row.offset - 1) if row.offset > self.start else None

    def rows(self) -> Iterator[Row]:
        """All lines in order."""
        row = self.row_from(self.start)
        count = 0
        while row is not None:
            count += 1
            if self.task is not None and count % 4096 == 0:
                self.task.check()
            yield row
            row = self.row_from(row.end)

    def _around(self, offset: int) -> tuple[bytes, int]:
        """Held bytes round `offset` and where they begin."""
        if self.held is not None:
            return self.held, 0
        margin = PAGE >> 2
        low, high = self._page_at, self._page_at + len(self._page)
        early = offset < low + margin and low > self.start
        late = offset >= high - margin and high < self.size
        if not self._page or early or late or not low <= offset <= high:
            self._page_at = max(self.start, offset - PAGE // 2)
            self._page = self.snapshot.read(self._page_at, PAGE)
        return self._page, self._page_at

    def _far_begin(self, offset: int) -> int:
        """Where a line that began before `offset` begins."""
        while offset > self.start:
            low = max(self.start, offset - PAGE)
            block = self.snapshot.read(low, offset - low)
            at = max(block.rfind(b"\n"), block.rfind(b"\r"))
            if at >= 0:
                return low + at + 1
            offset = low
        return self.start

    def _row(self, offset: int) -> Row:
        data, base = self._around(offset)
        begin = offset - base
        end = data.find(b"\n", begin)
        if self._returns or self.held is None:
            stop = end if end >= 0 else len(data)
            back = data.find(b"\r", begin, stop)
            if back >= 0:
                width = 2 if data[back + 1 : back + 2] == b"\n" else 1
                if back + 1 < len(data) or base + len(data) >= self.size:
                    return Row(offset, data[begin:back], data[back : back + width], base + back + width)
                end = -1
        if end >= 0:
            return Row(offset, data[begin:end], b"\n", base + end + 1)
        if base + len(data) >= self.size:
            return Row(offset, data[begin:], b"", self.size)
        return self._long_row(offset)

    def _long_row(self, offset: int) -> Row:
        parts: list[bytes] = []
        kept = 0
        position = offset
        while position < self.size:
            block = self.snapshot.read(position, PAGE)
            ends = [at for at in (block.find(b"\n"), block.find(b"\r")) if at >= 0]
            if ends:
                at = min(ends)
                pair = self.snapshot.read(position + at, 2)
                terminator = b"\r\n" if pair == b"\r\n" else pair[:1]
                parts.append(block[: min(at, LONG_LINE - kept)])
                return Row(offset, b"".join(parts), terminator, position + at + len(terminator))
            if kept < LONG_LINE:
                parts.append(block[: LONG_LINE - kept])
                kept += len(parts[-1])
            position += len(block)
        return Row(offset, b"".join(parts), b"", self.size)
