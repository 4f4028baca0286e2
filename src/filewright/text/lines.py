"""Where lines begin and end: terminators, the one line type, the one index, and every question about lines.

A line ends with ``\\n``, ``\\r\\n`` or a lone ``\\r``. U+2028, U+0085, form feed and vertical tab end
nothing. UTF-16 text has the same three, two bytes a unit.

`LineIndex` is what was counted: how many terminators end before each block of a file. It is
immutable; whoever counts further makes a new one, which replaces the old one whole. `Lines` answers
for one snapshot: numbers and offsets by the index, what is near an offset by looking there. Nothing
here ever holds a whole long line, and held and windowed content take the same way.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from filewright.progress import Task
from filewright.text.codec import Encoding, cut_at_character

BLOCK_BYTES = 256 << 10
"""Bytes between two entries of the index; more in files of which that would make very many."""

MAX_INDEX_ENTRIES = 1 << 18
PAGE_BYTES = 64 << 10
LONG_LINE_BYTES = 1 << 20
"""Bytes of a line that are given unless the caller wants more or less."""

MAX_LINE_SEARCH_BYTES = 256 << 20
"""How far the end of a line is looked for where only its beginning is shown."""

_LONG_NEEDLE = 256
_NEAR = 4 << 20
_AROUND = 2000  # lines around one that is known which are found from there
_SMALL = 4 << 10
_ALL = 1 << 62  # more ends than a file has
_LOOK = 0.05  # seconds a thread waits for another one's counting before it looks at its own task

_LF, _CR = (bytes(byte == unit for byte in range(256)) for unit in b"\n\r")
"""Tables that make a 1 of a terminator and a 0 of all else, for counting."""


@dataclass(frozen=True, slots=True)
class Terminators:
    """How many terminators there are, of them ``\\r\\n`` and lone ``\\r``, and which came first (b"" if none)."""

    total: int = 0
    crlf: int = 0
    cr: int = 0
    first: bytes = b""

    @property
    def lf(self) -> int:
        """Line feeds that stand alone."""
        return self.total - self.crlf - self.cr

    @property
    def dominant(self) -> bytes:
        """The most frequent one; on a tie the first seen; ``\\n`` in a file with none."""
        counts = (b"\n", self.lf), (b"\r\n", self.crlf), (b"\r", self.cr)
        return max(counts, key=lambda each: (each[1], each[0] == self.first))[0]

    @property
    def name(self) -> str:
        """``lf``, ``crlf``, ``cr``, ``mixed`` or ``none``."""
        if not self.crlf and not self.cr:
            return "lf" if self.total else "none"
        if max(self.crlf, self.cr) < self.total:
            return "mixed"
        return "crlf" if self.crlf else "cr"

    def counts(self) -> dict[str, int]:
        """The counts by name."""
        return {"lf": self.lf, "crlf": self.crlf, "cr": self.cr}

    def __add__(self, later: Terminators) -> Terminators:
        """The counts of this stretch and the one that follows it."""
        return Terminators(
            self.total + later.total,
            self.crlf + later.crlf,
            self.cr + later.cr,
            self.first or later.first,
        )


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file.

    `offset` and `end` in bytes, `end` past the terminator; `body` without the terminator and at most
    as long as was asked for; `terminator` as it is in the file, b"" on an unended last line. If
    `goes_on`, no end was found as far as was looked, which is `end`.
    """

    offset: int
    body: bytes
    terminator: bytes
    end: int
    is_unfinished: bool = False

    @property
    def length(self) -> int:
        """Bytes of the whole body."""
        return self.end - self.offset - len(self.terminator)

    @property
    def body_end(self) -> int:
        """The offset past the body."""
        return self.end - len(self.terminator)

    @property
    def is_whole(self) -> bool:
        """Whether `body` is all of it."""
        return (
            self.offset + len(self.body) + len(self.terminator) == self.end
            and not self.is_unfinished
        )


@dataclass(frozen=True, slots=True)
class LineIndex:
    """How many terminators end at or before each multiple of `block` bytes from the text's start.

    `before[k]` counts those up to block k; `terminators` are all that were counted, which is up to the
    offset `reached`. `known` is where another line begins, and its number, which another has counted.
    """

    block: int
    reached: int
    before: tuple[int, ...] = (0,)
    terminators: Terminators = Terminators()
    known: tuple[int, int] | None = None


class Readable(Protocol):
    """Bytes that have lines: a `Snapshot`, or what edits would make of one."""

    @property
    def size(self) -> int: ...

    @property
    def encoding(self) -> Encoding: ...

    def read(self, offset: int, length: int, /) -> bytes: ...


class Lines:
    """The lines of one source, from `start` (past a byte-order mark) to `size`. Thread-safe.

    Numbers are 1-based. `index` is what is known already; `keep` is handed each new index.
    """

    def __init__(
        self,
        source: Readable,
        index: LineIndex | None = None,
        keep: Callable[[LineIndex], None] | None = None,
    ) -> None:
        self._source = source
        self._encoding = source.encoding
        self._width = self._encoding.unit_bytes
        name = self._encoding.name  # How the file writes each terminator.
        self._written = {
            b"\n": "\n".encode(name),
            b"\r\n": "\r\n".encode(name),
            b"\r": "\r".encode(name),
        }
        self._start = len(self._encoding.bom)
        self._size = max(self._start, source.size)
        if index is None:
            block = BLOCK_BYTES
            while self._size - self._start > block * MAX_INDEX_ENTRIES:
                block *= 2
            index = LineIndex(block, self._start)
        self._index = index
        self._keep = keep
        self._counting = threading.Lock()
        self._last = (
            self._start,
            1,
        )  # a line's beginning and its number: where counting goes on nearby

    # What is known by counting

    @property
    def is_complete(self) -> bool:
        """Whether the whole file was counted."""
        return self._index.reached == self._size

    @property
    def terminators(self) -> Terminators:
        """How often each terminator occurs in the whole file."""
        return self._counted_until(self._size, _ALL, None).terminators

    def count_lines(self, task: Task | None = None) -> int:
        """Lines of the file; a last line without terminator counts, an empty file has none."""
        index = self._counted_until(self._size, _ALL, task)
        return index.before[-1] + (
            0 if self._size <= self._start or self.ends_in_terminator() else 1
        )

    def ends_in_terminator(self) -> bool:
        """Whether the last line ends in one."""
        last = self._units(max(self._start, self._size - self._width), self._size)
        return not (self._size - self._start) % self._width and last in (b"\n", b"\r")

    def has_line(self, line: int, task: Task | None = None) -> bool:
        """Whether the file has a line `line`, counting no further than needed."""
        return line >= 1 and self.offset_of(line, task) < self._size

    def offset_of(self, line: int, task: Task | None = None) -> int:
        """The byte offset where `line` begins; `size` for any line past the last."""
        if line <= 1:
            return self._start
        offset, number = self._index.known or (0, -_AROUND)
        if abs(line - number) < _AROUND:
            for _ in range(number, line):
                offset = self.line_end(offset, task)
            return self.line_start_before(number - line, task, offset)
        wanted = line - 1
        index = self._counted_until(self._size, wanted, task)
        if index.before[-1] < wanted:
            return self._size
        block = bisect_left(index.before, wanted) - 1
        begin, left = self._start + block * index.block, wanted - index.before[block]
        lines = self._units(begin, begin + index.block + self._width).splitlines(
            keepends=True
        )
        return begin + sum(map(len, lines[:left])) * self._width

    def line_at(self, offset: int, task: Task | None = None) -> int:
        """The number of the line that holds the byte at `offset`."""
        offset = max(self._start, min(offset, self._size))
        offset -= (offset - self._start) % self._width
        near, line = self._last
        index = self._index
        if (
            not near
            <= offset
            <= near + (_NEAR if index.reached < offset else index.block)
        ):
            index = self._counted_until(offset - index.block, _ALL, task)
            block = min((offset - self._start) // index.block, len(index.before) - 1)
            near, line = self._start + block * index.block, 1 + index.before[block]
        for at in range(near, offset, LONG_LINE_BYTES):
            line += self.count_terminators(at, min(at + LONG_LINE_BYTES, offset)).total
        self._last = (offset, line)
        return line

    def count_terminators(self, start: int, stop: int) -> Terminators:
        """The terminators that end in bytes (start, stop], read at once."""
        low = max(self._start, start - self._width)
        units = self._units(low, stop + self._width)
        return count_terminators(
            units, (start - low) // self._width, (stop - low) // self._width
        )

    def _counted_until(self, offset: int, ends: int, task: Task | None) -> LineIndex:
        """The index, counted on until it reaches an offset or has so many ends, whichever comes first.

        One thread counts at a time; whatever happens, what it counted is kept.
        """
        while (index := self._index).reached < offset and index.before[-1] < ends:
            if not self._counting.acquire(timeout=_LOOK):
                if task is not None:
                    task.check()
                continue
            index = self._index
            reached, before, terminators = (
                index.reached,
                list(index.before),
                index.terminators,
            )
            kept = len(before)
            try:
                while reached < offset and before[-1] < ends:
                    if task is not None and len(before) % 16 == 0:
                        task.check()
                        task.report(reached, self._size, "counting lines")
                    stop = min(reached + index.block, self._size)
                    terminators += self.count_terminators(reached, stop)
                    before.append(terminators.total)
                    reached = stop
                    if (
                        len(before) >= 2 * kept
                    ):  # those who wait for a little need not wait for all
                        kept = len(before)
                        self._index = LineIndex(
                            index.block,
                            reached,
                            tuple(before),
                            terminators,
                            index.known,
                        )
            finally:
                self._index = LineIndex(
                    index.block, reached, tuple(before), terminators, index.known
                )
                self._counting.release()
                if self._keep is not None:
                    self._keep(self._index)
        return index

    def remember_line(self, offset: int, line: int) -> None:
        """Line number `line` begins at `offset`: somebody else has counted."""
        self._last = offset, line
        known, _ = self._index.known or (0, 0)
        if max(known, self._index.reached) + _NEAR < offset:
            self._index = replace(self._index, known=self._last)
            if self._keep is not None:
                self._keep(self._index)

    # What is found by looking near an offset

    def line_start(self, offset: int, task: Task | None = None) -> int:
        """Where the line that holds the byte at `offset` begins."""
        high = min(offset, self._size)
        high -= (high - self._start) % self._width
        length = _SMALL
        while high > self._start:
            low = max(self._start, high - length)
            units = self._units(low, high + self._width)
            stop = (high - low) // self._width
            if units[stop - 1 : stop + 1] == b"\r\n":
                stop -= 1  # between a carriage return and its line feed no line begins
            at = max(units.rfind(b"\n", 0, stop), units.rfind(b"\r", 0, stop))
            if at >= 0:
                return low + (at + 1) * self._width
            if task is not None:
                task.check()
            high, length = low, min(length * 4, LONG_LINE_BYTES)
        return self._start

    def line_end(
        self, offset: int, task: Task | None = None, stop: int | None = None
    ) -> int:
        """Past the terminator of the line that holds the byte at `offset`: where the next one begins.

        One that begins at `stop` or later is not looked for; if there is none before, that is the end.
        """
        stop = self._size if stop is None else stop
        offset -= (offset - self._start) % self._width
        length = _SMALL
        while offset < stop:
            here = min(length, stop - offset)
            units = self._units(offset, offset + here + self._width)
            held = -(-here // self._width)
            feed = units.find(b"\n", 0, held)
            last = units.find(b"\r", 0, held if feed < 0 else feed)
            last = feed if last < 0 else last
            if last >= 0:
                return (
                    offset
                    + (last + 1 + (units[last : last + 2] == b"\r\n")) * self._width
                )
            if task is not None:
                task.check()
            offset, length = offset + here, min(length * 4, LONG_LINE_BYTES)
        return stop

    def read_line(
        self,
        offset: int,
        limit: int = LONG_LINE_BYTES,
        *,
        reach: int | None = None,
        task: Task | None = None,
    ) -> Line:
        """The line that begins at `offset`, at most `limit` bytes of it.

        Its end is looked for no further than `reach` bytes, if given.
        """
        stop = self._size if reach is None else min(self._size, offset + reach)
        end = self.line_end(offset, task, stop)
        # Of the line's last whole units, since half a one at the end of the text ends no line.
        last = self._units(
            offset + max(0, (end - offset) // self._width - 2) * self._width, end
        )
        terminator = self._written.get(last) or self._written.get(last[-1:], b"")
        body = self._source.read(offset, min(end - len(terminator) - offset, limit + 8))
        return Line(
            offset,
            cut_at_character(body, limit, self._encoding),
            terminator,
            end,
            not terminator and end < self._size,
        )

    def read_lines(
        self,
        offset: int | None = None,
        stop: int | None = None,
        *,
        limit: int = LONG_LINE_BYTES,
        reach: int | None = None,
        task: Task | None = None,
    ) -> Iterator[Line]:
        """The lines that begin in [offset, stop), in order, at most `limit` bytes of each.

        `offset` is a line's beginning. A line without an end within `reach` bytes is the last given.
        """
        position = self._start if offset is None else offset
        stop = self._size if stop is None else min(stop, self._size)
        width = self._width
        while position < stop:
            if task is not None:
                task.check()
            data = self._source.read(position, min(PAGE_BYTES, stop - position))
            pieces = (data if width == 1 else self.to_units(data)).splitlines(
                keepends=True
            )
            base = position
            if (
                base + len(data) < self._size
                and pieces
                and not pieces[-1].endswith(b"\n")
            ):
                pieces.pop()  # an unended line, or a carriage return whose line feed may follow
            if not pieces:
                line = self.read_line(position, limit, reach=reach, task=task)
                yield line
                if line.is_unfinished:
                    return
                position = line.end
            for piece in pieces:
                if position >= stop:
                    return
                kind = piece[-2:] if piece.endswith(b"\r\n") else piece[-1:]
                terminator = self._written.get(kind, b"")
                end = position + len(piece) * width
                if not terminator:
                    end = (
                        self._size
                    )  # half a unit at the very end belongs to the last line
                body = data[position - base : end - len(terminator) - base]
                yield Line(
                    position,
                    cut_at_character(body, limit, self._encoding),
                    terminator,
                    end,
                )
                position = end

    def line_start_before(
        self, count: int, task: Task | None = None, offset: int | None = None
    ) -> int:
        """Where the `count`-th line before `offset` (None: the end) begins, found from there without counting."""
        offset = self._size if offset is None else offset
        while count > 0 and offset > self._start:
            offset, count = self.line_start(offset - 1, task), count - 1
        return offset

    # UTF-16: everything above counts units, a byte each

    def _units(self, start: int, stop: int) -> bytes:
        data = self._source.read(start, max(0, min(stop, self._size) - start))
        return data if self._width == 1 else self.to_units(data)

    def to_units(self, data: bytes) -> bytes:
        """UTF-16 with one byte a unit: a terminator's where the unit is one, else another."""
        count, low = len(data) // 2, int(self._encoding.name.endswith("be"))
        units, high = data[low : 2 * count : 2], data[1 - low : 2 * count : 2]
        if high.count(0) == count:
            return units
        made = bytearray(units)
        for ending in (
            b"\n",
            b"\r",
        ):  # such as U+0A0D, whose bytes are those of two terminators
            at = units.find(ending)
            while at >= 0:
                if high[at]:
                    made[at] = 0xFF
                at = units.find(ending, at + 1)
        return bytes(made)


def count_terminators(
    units: bytes, start: int = 0, stop: int | None = None
) -> Terminators:
    """The terminators that end in [start, stop) of a text that is given one byte a unit.

    What is beside is looked at: a pair across an edge is counted where its ``\\n`` is.
    """
    from stringzilla import bytesum, count, translate

    stop = len(units) if stop is None else stop
    # Looking for one after the other takes a hundred times as long where every byte is one.
    lf = int(bytesum(translate(units, _LF, start=start, end=stop)))
    before = units[start - 1 : start] if start else b""
    if before != b"\r" and units.find(b"\r", start, stop) < 0:
        return Terminators(lf, first=b"\n" if lf else b"")

    cr = int(bytesum(translate(units, _CR, start=start, end=stop)))
    pairs = int(count(units, b"\r\n", start, stop))
    begun_before = int(before == b"\r" and units.startswith(b"\n", start))
    ending_after = int(units[stop - 1 : stop + 1] == b"\r\n" and start < stop)
    at, feed = (units.find(each, start, stop - ending_after) for each in (b"\r", b"\n"))
    first = b"\n" if feed >= 0 else b""
    if at >= 0 and (feed < 0 or at < feed):
        first = b"\r\n" if feed == at + 1 else b"\r"
    return Terminators(
        lf + cr - pairs - ending_after,
        pairs + begun_before,
        cr - pairs - ending_after,
        b"\r\n" if begun_before else first,
    )


Finder = Callable[[bytes, int], int]
"""The index of the next occurrence in some bytes from an index on, or -1."""


def find_function(needle: bytes) -> Finder:
    """The fastest safe way to find `needle`: by `stringzilla` at memory speed.

    That compares byte by byte where it suspects a match, so a long needle of few different bytes goes
    to `bytes.find`, which never degrades.
    """
    if len(needle) > _LONG_NEEDLE:
        return lambda text, index: text.find(needle, index)

    from stringzilla import find

    return lambda text, index: int(find(text, needle, index))
