"""Lines of a text: where they start and end, their numbers and their terminators.

A line ends with ``\\n``, ``\\r\\n`` or a lone ``\\r``. U+2028, U+0085, form feed and
vertical tab end no line. UTF-16 text has the same terminators, in units of two bytes.

`LineIndex` is an immutable count: the number of terminators before each block of a
file. Counting further makes a new index, which replaces the old one. `Lines` answers
questions about one text: it finds line numbers with the index, and the start and end of
a line by searching near an offset. No method holds a whole long line in memory.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from filewright.progress import Task
from filewright.text.codec import Encoding, cut_at_character

MAX_INDEX_ENTRIES = 1 << 18
PAGE_BYTES = 64 << 10
LONG_LINE_BYTES = 1 << 20
"""The default limit for the body of a line."""

MAX_LINE_SEARCH_BYTES = 256 << 20
"""How far to search for the end of a line whose start alone is shown."""

_LONG_NEEDLE_BYTES = 256
# Within this distance of a known line start, lines are counted from there.
_NEAR_LINES = 2000
_ALL_TERMINATORS = 1 << 62
_END = 1 << 62
"""An offset behind the end of every text."""

_MAX_NOTED_LINES = 10_000
# A thread that waits for another one's counting checks its own task in this interval.
_WAIT_SECONDS = 0.05

# Translation tables for counting: 1 for the terminator, 0 for all other bytes.
_IS_LF, _IS_CR = (
    bytes(byte == unit for byte in range(256)) for unit in b"\n\r"
)


@dataclass(frozen=True, slots=True)
class Terminators:
    """The number of terminators, of ``\\r\\n`` and lone ``\\r`` among them, and the first.

    `first` is b"" if there are none.
    """

    total: int = 0
    crlf: int = 0
    cr: int = 0
    first: bytes = b""

    @property
    def lf(self) -> int:
        """Return the number of line feeds that do not follow a carriage return."""
        return self.total - self.crlf - self.cr

    @property
    def dominant(self) -> bytes:
        """Return the most frequent terminator, on a tie the first, or ``\\n``."""
        counts = (b"\n", self.lf), (b"\r\n", self.crlf), (b"\r", self.cr)
        return max(
            counts, key=lambda count: (count[1], count[0] == self.first)
        )[0]

    @property
    def name(self) -> str:
        """Return ``lf``, ``crlf``, ``cr``, ``mixed`` or ``none``."""
        if not self.crlf and not self.cr:
            return "lf" if self.total else "none"
        if max(self.crlf, self.cr) < self.total:
            return "mixed"
        return "crlf" if self.crlf else "cr"

    def counts(self) -> dict[str, int]:
        """Return the number of each terminator by its name."""
        return {"lf": self.lf, "crlf": self.crlf, "cr": self.cr}

    def __add__(self, later: Terminators) -> Terminators:
        """Return the counts of this part of a text and the part after it."""
        return Terminators(
            self.total + later.total,
            self.crlf + later.crlf,
            self.cr + later.cr,
            self.first or later.first,
        )


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file.

    - `offset`, `end`: byte offsets; `end` is past the terminator.
    - `body`: the line without its terminator, cut at the limit of the caller.
    - `terminator`: its bytes in the file, b"" for a last line without one.
    - `is_unfinished`: True if the search stopped at `end` before the end of the line.
    """

    offset: int
    body: bytes
    terminator: bytes
    end: int
    is_unfinished: bool = False

    @property
    def length(self) -> int:
        """Return the number of bytes of the whole body."""
        return self.end - self.offset - len(self.terminator)

    @property
    def body_end(self) -> int:
        """Return the offset past the whole body."""
        return self.end - len(self.terminator)

    @property
    def is_whole(self) -> bool:
        """Return True if `body` is not cut."""
        return not self.is_unfinished and len(self.body) == self.length


@dataclass(frozen=True, slots=True)
class LineIndex:
    """The number of terminators before each block of a text, up to `reached`.

    - `block`: the number of bytes of a block; the first starts where the text starts.
    - `reached`: the offset up to which terminators were counted.
    - `before`: `before[k]` is the number of terminators before block k.
    - `terminators`: the counts up to `reached`.
    - `anchor`: offset and number of a line that was counted in another way, if any.
    """

    block: int
    reached: int
    before: tuple[int, ...] = (0,)
    terminators: Terminators = Terminators()
    anchor: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class ReadSizes:
    """The numbers of bytes that `Lines` reads at once. All are even, for UTF-16.

    - `block`: between two entries of the index; doubled for very large files.
    - `page`: for lines that are read one after the other.
    - `first`: the first read of a search for the start or the end of a line. Each
      further one is four times as long, up to `longest`.
    - `longest`: the limit of a single read, apart from `block`.
    - `near`: from a known line start, lines within this distance are counted.
    """

    block: int = 256 << 10
    page: int = PAGE_BYTES
    first: int = 4 << 10
    longest: int = 1 << 20
    near: int = 4 << 20

    def block_for(self, text_bytes: int) -> int:
        """Return the block with which the index of a text stays small."""
        block = self.block
        while text_bytes > block * MAX_INDEX_ENTRIES:
            block *= 2
        return block


class Readable(Protocol):
    """A source of text: a `Snapshot`, or a snapshot with edits applied."""

    @property
    def size(self) -> int: ...

    @property
    def encoding(self) -> Encoding: ...

    @property
    def known_size(self) -> int | None: ...

    def clip(self, offset: int, /) -> int: ...

    def read(self, offset: int, length: int, /) -> bytes: ...

    def peek(self, offset: int, length: int, /) -> bytes: ...


class Lines:
    """The lines of one text; numbers start at 1. Thread-safe.

    `index` is an earlier count to begin with; `keep` is called with each new index.
    `read_sizes` changes the speed and the memory that it takes, never an answer.
    """

    def __init__(
        self,
        source: Readable,
        index: LineIndex | None = None,
        keep: Callable[[LineIndex], None] | None = None,
        read_sizes: ReadSizes = ReadSizes(),
    ) -> None:
        self._source = source
        self._encoding = source.encoding
        self._width = self._encoding.unit_bytes
        name = self._encoding.name
        self._terminator_bytes = {
            b"\n": "\n".encode(name),
            b"\r\n": "\r\n".encode(name),
            b"\r": "\r".encode(name),
        }
        self._start = len(self._encoding.bom)
        self._known_size = source.known_size
        if index is None:
            # Where the size is not known yet, the blocks are as small as can be.
            text_bytes = (self._known_size or 0) - self._start
            index = LineIndex(read_sizes.block_for(text_bytes), self._start)
        self._read_sizes = read_sizes
        self._index = index
        self._keep = keep
        self._counting = threading.Lock()
        # A line start and its number, from which nearby lines are counted.
        self._last = (self._start, 1)
        self._noted: dict[int, int] = {}

    @property
    def _size(self) -> int:
        if self._known_size is not None:
            return max(self._start, self._known_size)
        return max(self._start, self._source.size)

    def _clip(self, offset: int) -> int:
        """Return `offset`, or the size of the text if that is less."""
        if self._known_size is not None:
            return min(offset, self._size)
        return min(offset, max(self._start, self._source.clip(offset)))

    # Answers by counting

    @property
    def is_complete(self) -> bool:
        """Return True if the whole text was counted."""
        reached = self._index.reached
        if self._known_size is None and self._source.known_size is None:
            return False
        return reached == self._size

    @property
    def terminators(self) -> Terminators:
        """Return the terminators of the whole text."""
        return self._count_until(self._size, _ALL_TERMINATORS, None).terminators

    def count_lines(self, task: Task | None = None) -> int:
        """Return the number of lines; a last line without terminator counts too."""
        index = self._count_until(self._size, _ALL_TERMINATORS, task)
        if self._size <= self._start or self.ends_in_terminator():
            return index.before[-1]
        return index.before[-1] + 1

    def ends_in_terminator(self) -> bool:
        """Return True if the last line ends in a terminator."""
        size = self._size - self._start
        if size == 0 or size % self._width:
            return False
        return self._read_units(self._size - self._width, self._size) in (
            b"\n",
            b"\r",
        )

    def has_line(self, line: int, task: Task | None = None) -> bool:
        """Return True if there is a line `line`, counting only as far as needed."""
        if line < 1:
            return False
        offset = self.offset_of(line, task)
        return self._clip(offset + 1) > offset

    def offset_of(self, line: int, task: Task | None = None) -> int:
        """Return the offset where `line` starts; the size for a line past the last."""
        if line <= 1:
            return self._start
        anchor = self._index.anchor
        if anchor is not None:
            offset, number = anchor
            if abs(line - number) < _NEAR_LINES:
                for _ in range(number, line):
                    offset = self.line_end(offset, task)
                return self.line_start_before(number - line, task, offset)
        terminators_before = line - 1
        index = self._count_until(_END, terminators_before, task)
        if index.before[-1] < terminators_before:
            return self._size
        block = bisect_left(index.before, terminators_before) - 1
        block_start = self._start + block * index.block
        units = self._read_units(
            block_start, block_start + index.block + self._width
        )
        lines = units.splitlines(keepends=True)
        skipped_lines = lines[: terminators_before - index.before[block]]
        return block_start + sum(map(len, skipped_lines)) * self._width

    def can_count_to(self, offset: int, max_bytes: int) -> bool:
        """Return True if no more than `max_bytes` must be counted up to an offset."""
        return offset - self._index.reached <= max_bytes

    def count_to(self, offset: int, task: Task | None = None) -> None:
        """Count the lines up to a block before `offset`, while the text is at hand."""
        if offset - self._index.block > self._index.reached:
            self._count_until(
                offset - self._index.block, _ALL_TERMINATORS, task
            )

    def line_at(self, offset: int, task: Task | None = None) -> int:
        """Return the number of the line that contains the byte at `offset`."""
        offset = max(self._start, self._clip(offset))
        offset -= (offset - self._start) % self._width
        noted_line = self._noted.get(offset)
        if noted_line is not None:
            return noted_line
        return self._find_line(offset, self._source.read, task)

    def note_line(
        self, offset: int, line: int | None = None, task: Task | None = None
    ) -> int:
        """Return the line at `offset`, and note it while the text is at hand."""
        if line is None:
            line = self._find_line(offset, self._source.peek, task)
        if len(self._noted) < _MAX_NOTED_LINES:
            self._noted[offset] = line
        return line

    def _find_line(
        self,
        offset: int,
        read: Callable[[int, int], bytes],
        task: Task | None,
    ) -> int:
        known_offset, line = self._last
        index = self._index
        # Beyond the index, counting from a known line is cheaper even if it is far.
        reach = self._read_sizes.near if index.reached < offset else index.block
        if not known_offset <= offset <= known_offset + reach:
            index = self._count_until(
                offset - index.block, _ALL_TERMINATORS, task
            )
            block = min(
                (offset - self._start) // index.block, len(index.before) - 1
            )
            known_offset = self._start + block * index.block
            line = 1 + index.before[block]
        for start in range(known_offset, offset, self._read_sizes.longest):
            stop = min(start + self._read_sizes.longest, offset)
            line += self._count(start, stop, read).total
        self._last = (offset, line)
        return line

    def count_terminators(self, start: int, stop: int) -> Terminators:
        """Return the terminators that end in the bytes (start, stop], read at once."""
        return self._count(start, stop, self._source.read)

    def _count(
        self, start: int, stop: int, read: Callable[[int, int], bytes]
    ) -> Terminators:
        low = max(self._start, start - self._width)
        units = read(low, stop + self._width - low)
        if self._width > 1:
            units = self.to_units(units)
        return count_terminators(
            units, (start - low) // self._width, (stop - low) // self._width
        )

    def _count_until(
        self, offset: int, terminator_count: int, task: Task | None
    ) -> LineIndex:
        """Count until the index reaches `offset` or `terminator_count`; return it.

        One thread counts at a time. Its count is stored even if it is cancelled.
        """
        while True:
            index = self._index
            if index.reached >= offset or index.before[-1] >= terminator_count:
                return index
            if self._clip(index.reached + 1) == index.reached:
                return index
            if self._counting.acquire(timeout=_WAIT_SECONDS):
                try:
                    self._extend_index(offset, terminator_count, task)
                finally:
                    self._counting.release()
                    if self._keep is not None:
                        self._keep(self._index)
            elif task is not None:
                task.check()

    def _extend_index(
        self, offset: int, terminator_count: int, task: Task | None
    ) -> None:
        index = self._index
        reached, terminators = index.reached, index.terminators
        before = list(index.before)
        stored_entries = len(before)
        try:
            while reached < offset and before[-1] < terminator_count:
                if task is not None and len(before) % 16 == 0:
                    task.check()
                    task.report(reached, self._known_size, "counting lines")
                stop = self._clip(reached + index.block)
                if stop == reached:
                    break
                terminators += self._count(reached, stop, self._source.peek)
                before.append(terminators.total)
                reached = stop
                # Threads that wait for less than all of it can go on earlier.
                if len(before) >= 2 * stored_entries:
                    stored_entries = len(before)
                    self._index = replace(
                        index,
                        reached=reached,
                        before=tuple(before),
                        terminators=terminators,
                    )
        finally:
            self._index = replace(
                index,
                reached=reached,
                before=tuple(before),
                terminators=terminators,
            )

    def remember_line(self, offset: int, line: int) -> None:
        """Remember that line `line` starts at `offset`, as another count has shown."""
        self._last = offset, line
        anchor_offset, _ = self._index.anchor or (0, 0)
        counted_offset = max(anchor_offset, self._index.reached)
        if counted_offset + self._read_sizes.near < offset:
            self._index = replace(self._index, anchor=self._last)
            if self._keep is not None:
                self._keep(self._index)

    # Answers by searching near an offset

    def line_start(self, offset: int, task: Task | None = None) -> int:
        """Return the start of the line that contains the byte at `offset`."""
        high = self._clip(offset)
        high -= (high - self._start) % self._width
        length = self._read_sizes.first
        while high > self._start:
            low = max(self._start, high - length)
            units = self._read_units(low, high + self._width)
            stop = (high - low) // self._width
            if units[stop - 1 : stop + 1] == b"\r\n":
                # No line starts between a carriage return and its line feed.
                stop -= 1
            terminator = max(
                units.rfind(b"\n", 0, stop), units.rfind(b"\r", 0, stop)
            )
            if terminator >= 0:
                return low + (terminator + 1) * self._width
            if task is not None:
                task.check()
            high, length = low, min(length * 4, self._read_sizes.longest)
        return self._start

    def line_end(
        self, offset: int, task: Task | None = None, stop: int | None = None
    ) -> int:
        """Return the offset past the line that contains the byte at `offset`.

        This is the start of the next line. Return `stop` (default: the size) if the
        terminator does not start before it.
        """
        stop = _END if stop is None else stop
        offset -= (offset - self._start) % self._width
        length = self._read_sizes.first
        while (read_end := self._clip(min(stop, offset + length))) > offset:
            read_bytes = read_end - offset
            # One unit more, for the line feed after a carriage return at the end.
            units = self._read_units(offset, offset + read_bytes + self._width)
            unit_count = -(-read_bytes // self._width)
            line_feed = units.find(b"\n", 0, unit_count)
            # Only a carriage return before the line feed can be the terminator.
            search_stop = unit_count if line_feed < 0 else line_feed
            carriage_return = units.find(b"\r", 0, search_stop)
            terminator = carriage_return if carriage_return >= 0 else line_feed
            if terminator >= 0:
                is_pair = units[terminator : terminator + 2] == b"\r\n"
                return offset + (terminator + 1 + is_pair) * self._width
            if task is not None:
                task.check()
            offset, length = (
                offset + read_bytes,
                min(length * 4, self._read_sizes.longest),
            )
        return max(offset, self._clip(stop))

    def read_line(
        self,
        offset: int,
        limit: int = LONG_LINE_BYTES,
        *,
        reach: int | None = None,
        task: Task | None = None,
    ) -> Line:
        """Return the line that starts at `offset`, with at most `limit` bytes of it.

        Its end is searched for within `reach` bytes, if given.
        """
        stop = None if reach is None else self._clip(offset + reach)
        end = self.line_end(offset, task, stop)
        # Only whole units: half a unit at the end of the text is no terminator.
        unit_count = (end - offset) // self._width
        last_offset = offset + max(0, unit_count - 2) * self._width
        last_units = self._read_units(last_offset, end)
        terminator = self._terminator_bytes.get(last_units)
        if not terminator:
            terminator = self._terminator_bytes.get(last_units[-1:], b"")
        body_bytes = end - len(terminator) - offset
        # A few bytes beyond the limit show whether a character would be cut.
        body = self._source.read(offset, min(body_bytes, limit + 8))
        return Line(
            offset=offset,
            body=cut_at_character(body, limit, self._encoding),
            terminator=terminator,
            end=end,
            is_unfinished=not terminator and self._clip(end + 1) > end,
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
        """Yield the lines that start in [offset, stop), at most `limit` bytes of each.

        `offset` is the start of a line. A line without an end within `reach` bytes is
        the last one.
        """
        position = self._start if offset is None else offset
        stop = _END if stop is None else stop
        width = self._width
        while position < stop:
            if task is not None:
                task.check()
            page_bytes = min(self._read_sizes.page, stop - position)
            page = self._source.read(position, page_bytes)
            if not page:
                return
            page_start = position
            units = page if width == 1 else self.to_units(page)
            pieces = units.splitlines(keepends=True)
            page_end = page_start + len(page)
            is_last_page = self._clip(page_end + 1) <= page_end
            if pieces and not is_last_page and not pieces[-1].endswith(b"\n"):
                # It may go on: a line, or a carriage return before its line feed.
                pieces.pop()
            if not pieces:
                # No line ends in this page: search for its end without holding it.
                line = self.read_line(position, limit, reach=reach, task=task)
                yield line
                if line.is_unfinished:
                    return
                position = line.end
            for piece in pieces:
                if position >= stop:
                    return
                ending = piece[-2:] if piece.endswith(b"\r\n") else piece[-1:]
                terminator = self._terminator_bytes.get(ending, b"")
                end = position + len(piece) * width
                if not terminator:
                    # Half a unit at the end of the text belongs to the last line.
                    end = self._size
                body_end = end - len(terminator)
                body = page[position - page_start : body_end - page_start]
                yield Line(
                    position,
                    cut_at_character(body, limit, self._encoding),
                    terminator,
                    end,
                )
                position = end

    def line_start_before(
        self,
        line_count: int,
        task: Task | None = None,
        offset: int | None = None,
    ) -> int:
        """Return the start of the line that is `line_count` lines before `offset`.

        `offset` defaults to the end of the text. The lines before it are not counted.
        """
        offset = self._size if offset is None else offset
        while line_count > 0 and offset > self._start:
            offset, line_count = (
                self.line_start(offset - 1, task),
                line_count - 1,
            )
        return offset

    # UTF-16: the methods above count units, which these reduce to one byte each

    def _read_units(self, start: int, stop: int) -> bytes:
        # The source clips the end itself.
        data = self._source.read(start, max(0, stop - start))
        return data if self._width == 1 else self.to_units(data)

    def to_units(self, data: bytes) -> bytes:
        """Return UTF-16 text with one byte for each unit.

        The byte is that of a terminator only if the unit is one.
        """
        count, low = len(data) // 2, int(self._encoding.name.endswith("be"))
        low_bytes = data[low : 2 * count : 2]
        high_bytes = data[1 - low : 2 * count : 2]
        if high_bytes.count(0) == count:
            return low_bytes
        units = bytearray(low_bytes)
        # The bytes of a unit such as U+0A0D look like terminators.
        for terminator in (b"\n", b"\r"):
            position = low_bytes.find(terminator)
            while position >= 0:
                if high_bytes[position]:
                    units[position] = 0xFF
                position = low_bytes.find(terminator, position + 1)
        return bytes(units)


def count_terminators(
    units: bytes, start: int = 0, stop: int | None = None
) -> Terminators:
    """Return the terminators that end in [start, stop) of a text with one byte a unit.

    ``\\r\\n`` across an edge is counted where its ``\\n`` is, so the units beside the
    range are looked at.
    """
    from stringzilla import bytesum, count, translate

    stop = len(units) if stop is None else stop
    # Searching for them one by one takes a hundred times as long if all bytes are.
    lf = int(bytesum(translate(units, _IS_LF, start=start, end=stop)))
    before = units[start - 1 : start] if start else b""
    if before != b"\r" and units.find(b"\r", start, stop) < 0:
        return Terminators(lf, first=b"\n" if lf else b"")

    cr = int(bytesum(translate(units, _IS_CR, start=start, end=stop)))
    pairs = int(count(units, b"\r\n", start, stop))
    starts_before = int(before == b"\r" and units.startswith(b"\n", start))
    ends_after = int(units[stop - 1 : stop + 1] == b"\r\n" and start < stop)
    first_cr = units.find(b"\r", start, stop - ends_after)
    first_lf = units.find(b"\n", start, stop - ends_after)
    if starts_before:
        first = b"\r\n"
    elif first_cr >= 0 and (first_lf < 0 or first_cr < first_lf):
        first = b"\r\n" if first_lf == first_cr + 1 else b"\r"
    else:
        first = b"\n" if first_lf >= 0 else b""
    return Terminators(
        total=lf + cr - pairs - ends_after,
        crlf=pairs + starts_before,
        cr=cr - pairs - ends_after,
        first=first,
    )


FindFunction = Callable[[bytes, int], int]
"""Returns the index of the next occurrence at or after an index, or -1."""


def find_function(needle: bytes) -> FindFunction:
    """Return the fastest safe function that finds `needle`.

    `stringzilla` searches at memory speed, but compares byte by byte at each candidate:
    a long needle of few different bytes is left to `bytes.find`, which stays linear.
    """
    if len(needle) > _LONG_NEEDLE_BYTES:
        return lambda text, index: text.find(needle, index)

    from stringzilla import find

    return lambda text, index: int(find(text, needle, index))
