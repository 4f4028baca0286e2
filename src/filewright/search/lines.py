"""From matches to hits: lines, columns, excerpts and the lines round them.

Everything is read near the hit; a line of any length costs one pass over it at most, and further
hits in the same line go on from the one before.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass

from filewright.progress import Task
from filewright.search.hit import Excerpt, Hit, Match, Span
from filewright.text import Encoding, Snapshot
from filewright.text.terminators import counted

_STEP = 64 << 10
_NEAR = 4 << 20
_MOST_SUBMATCHES = 1000


@dataclass(frozen=True, slots=True)
class ContextLine:
    """A line beside a hit: its number, its beginning as shown, and whether more of it follows."""

    line: int
    text: str
    cut: bool


class Lines:
    """Finds lines round offsets of one snapshot, asked in rising order; keeps where it was."""

    def __init__(self, snapshot: Snapshot, task: Task) -> None:
        self.snapshot = snapshot
        self._task = task
        self._units = _units(snapshot.encoding)
        self._line = (1, snapshot.start)
        self._column = (snapshot.start, snapshot.start, 1)

    def begin(self, offset: int) -> int:
        """Where the line that holds the byte at `offset` begins."""
        floor, high = self.snapshot.start, offset
        length = 1024
        while high > floor:
            low = max(floor, high - length)
            low -= (low - floor) % self.snapshot.encoding.width
            block = self.snapshot.read(low, high - low)
            at = self._last_end(block, low, offset)
            if at is not None:
                return at
            self._task.check()
            high, length = low, min(length * 4, _STEP)
        return floor

    def _last_end(self, block: bytes, base: int, offset: int) -> int | None:
        """The last end of a line in `block` that is no later than `offset`."""
        line_feed, carriage_return = self._units
        width = len(line_feed)
        a, b = _rfind(block, line_feed), _rfind(block, carriage_return)
        at = max(a, b)
        while at >= 0:
            end = base + at + width
            # Between a carriage return and its line feed no line begins.
            if not (at == b and self.snapshot.read(end, width) == line_feed):
                return end if end <= offset else None
            block = block[:at]
            a, b = _rfind(block, line_feed), _rfind(block, carriage_return)
            at = max(a, b)
        return None

    def end(self, offset: int) -> int:
        """Where the text of the line that holds `offset` ends: before its terminator."""
        position, size = offset, self.snapshot.size
        while position < size:
            block = self.snapshot.read(position, _STEP)
            found = [at for unit in self._units if (at := _find(block, unit)) >= 0]
            if found:
                return position + min(found)
            self._task.check()
            position += len(block)
        return size

    def rest(self, offset: int, room: int) -> tuple[bytes, bool]:
        """What follows `offset` in its line, at most `room` bytes, and whether that is all of it."""
        width = self.snapshot.encoding.width
        room -= room % width
        block = self.snapshot.read(offset, room + width)
        found = [at for unit in self._units if (at := _find(block, unit)) >= 0]
        if found:
            return block[: min(found)], True
        return block[:room], offset + len(block) >= self.snapshot.size and len(block) <= room

    def after(self, offset: int) -> int:
        """Where the line after the one that holds `offset` begins; the size if there is none."""
        end = self.end(offset)
        width = self.snapshot.encoding.width
        tail = self.snapshot.read(end, 2 * width)
        return end + (2 * width if tail == self._units[1] + self._units[0] else min(width, len(tail)))

    def know(self, line: int, begin: int) -> None:
        """Take it from the caller that line number `line` begins at `begin`."""
        self._line = (line, begin)

    def number(self, begin: int) -> int:
        """The number of the line that begins at `begin`."""
        line, known = self._line
        if begin < known or begin - known > _NEAR:
            line = self.snapshot.lines.line_at(begin, self._task)
        else:
            encoding = self.snapshot.encoding
            for position in range(known, begin, _STEP):
                block = self.snapshot.read(position, min(_STEP, begin - position))
                if encoding.width == 2:
                    block = block.decode(encoding.name, "replace").encode("utf-8", "replace")
                line += counted(block).total
                pair = self._units[1] + self._units[0]
                if (
                    position + _STEP < begin
                    and self.snapshot.read(position + _STEP - len(pair) // 2, len(pair)) == pair
                ):
                    line -= 1  # counted as a carriage return here and as a line feed there
        self._line = (line, begin)
        return line

    def column(self, begin: int, offset: int) -> int:
        """The 1-based character of `offset` in the line that begins at `begin`."""
        line, known, column = self._column
        if line != begin or offset < known:
            known, column = begin, 1
        decoder = codecs.getincrementaldecoder(self.snapshot.encoding.name)("replace")
        for position in range(known, offset, _STEP):
            self._task.check()
            length = min(_STEP, offset - position)
            column += len(
                decoder.decode(self.snapshot.read(position, length), final=position + length >= offset)
            )
        self._column = (begin, offset, column)
        return column


def hits(
    snapshot: Snapshot, found: Iterator[Match], *, multiline: bool, reach: int, task: Task
) -> Iterator[Hit]:
    """The hits of `found` matches, which are in order.

    Matches of one line within `reach` bytes of its first one are one hit; in a multiline search
    every match is a hit.
    """
    lines = Lines(snapshot, task)
    first: Match | None = None
    begin = end = 0
    rest: list[Span] = []
    for match in found:
        if first is not None:
            together = not multiline and match.offset < end and match.end - first.offset <= reach
            if together and len(rest) < _MOST_SUBMATCHES:
                rest.append((match.offset, match.end))
                continue
            yield _hit(lines, first, begin, rest)
        if first is None or multiline or match.offset >= end:
            begin = lines.begin(match.offset)
            end = lines.after(match.offset)
            if end >= snapshot.size:
                end = snapshot.size + 1  # a match of nothing at the very end is in the last line
        first, rest = match, [(match.offset, match.end)]
    if first is not None:
        yield _hit(lines, first, begin, rest)


def _hit(lines: Lines, first: Match, begin: int, spans: list[Span]) -> Hit:
    if first.line:
        lines.know(first.line, begin)
    return Hit(
        offset=first.offset,
        end=first.end,
        line=lines.number(begin),
        column=lines.column(begin, first.offset),
        line_offset=begin,
        submatches=tuple(spans),
    )


def other_lines(snapshot: Snapshot, found: Iterator[Match], start: int, *, task: Task) -> Iterator[Hit]:
    """The lines from `start` (a line's beginning) on that hold no match: an inverted search."""
    lines = Lines(snapshot, task)
    number = lines.number(start) if start < snapshot.size else 1
    position = start
    ahead = next(found, None)
    while position < snapshot.size:
        end = lines.end(position)
        while ahead is not None and ahead.offset < position and ahead.end <= position:
            ahead = next(found, None)
        if ahead is None or ahead.offset > end:
            yield Hit(position, end, number, 1, position)
        position, number = lines.after(position), number + 1
        if number % 64 == 0:
            task.check()


def excerpt(snapshot: Snapshot, hit: Hit, chars: int) -> Excerpt:
    """The piece of the hit's (first) line that shows its submatches, at most `chars` characters.

    A line that fits is shown whole. A match longer than `chars` is cut; its beginning is always shown.
    """
    encoding = snapshot.encoding
    lines = Lines(snapshot, Task())
    room = chars * 4
    low = hit.line_offset
    if hit.offset - low > room:
        low = character_at(snapshot, hit.offset - room, hit.line_offset)
    before = snapshot.read(low, hit.offset - low).decode(encoding.name, "replace")
    after_raw, reached_end = lines.rest(hit.offset, room)
    after = after_raw.decode(encoding.name, "replace" if reached_end else "ignore")
    spans = [s for s in hit.submatches if s[0] >= hit.offset]
    last = spans[-1][1] if spans else hit.end
    needed = min(
        chars, len(snapshot.read(hit.offset, min(room, last - hit.offset)).decode(encoding.name, "replace"))
    )
    reached_start = low == hit.line_offset
    if reached_start and reached_end and len(before) + len(after) <= chars:
        left, right = len(before), len(after)
    else:
        spare = chars - needed
        left = min(len(before), spare // 2)
        right = min(len(after), chars - left)
        left = min(len(before), chars - right)
    text = before[len(before) - left :] + after[:right]
    ranges = []
    for a, b in spans or ([(hit.offset, hit.end)] if hit.submatches else []):
        begin = left + _length(snapshot, hit.offset, a)
        stop = begin + _length(snapshot, a, min(b, a + room))
        if begin < len(text) or (begin == stop == len(text)):
            ranges.append((begin, min(stop, len(text))))
    return Excerpt(
        text=text,
        column=hit.column - left,
        cut_before=not reached_start or left < len(before),
        cut_after=not reached_end or right < len(after),
        ranges=tuple(ranges),
    )


def _length(snapshot: Snapshot, start: int, stop: int) -> int:
    return len(snapshot.read(start, stop - start).decode(snapshot.encoding.name, "replace"))


def character_at(snapshot: Snapshot, offset: int, line: int | None = None) -> int:
    """The beginning of a character at or a little after `offset`; `line` is where its line begins."""
    encoding = snapshot.encoding
    if line is None:
        line = Lines(snapshot, Task()).begin(offset) if encoding.multibyte else snapshot.start
    if encoding.is_utf8:
        following = snapshot.read(offset, 4)
        return offset + next((i for i, byte in enumerate(following) if byte & 0xC0 != 0x80), 0)
    if encoding.width == 2:
        offset += (offset - line) % 2
        unit = snapshot.read(offset, 2).decode(encoding.name, "surrogatepass")
        return offset + 2 if "\udc00" <= unit[:1] <= "\udfff" else offset
    if encoding.multibyte and offset - line <= _NEAR:
        decoder = codecs.getincrementaldecoder(encoding.name)("replace")
        decoder.decode(snapshot.read(line, offset - line))
        return offset - len(decoder.getstate()[0])
    return offset


def context(
    snapshot: Snapshot, hit: Hit, before: int, after: int, chars: int, *, task: Task | None = None
) -> tuple[tuple[ContextLine, ...], tuple[ContextLine, ...]]:
    """Up to `before` lines above the hit's first and `after` below its last, cut to `chars` characters."""
    lines = Lines(snapshot, task or Task())
    above: list[ContextLine] = []
    position = hit.line_offset
    while len(above) < before and position > snapshot.start:
        position = lines.begin(position - snapshot.encoding.width)
        above.append(_context_line(snapshot, lines, position, hit.line - len(above) - 1, chars))
    below: list[ContextLine] = []
    last = lines.begin(max(hit.offset, hit.end - 1)) if hit.end > hit.offset else hit.line_offset
    number = hit.line if last == hit.line_offset else lines.number(last)
    position = lines.after(last)
    while len(below) < after and position < snapshot.size:
        number += 1
        below.append(_context_line(snapshot, lines, position, number, chars))
        position = lines.after(position)
    return tuple(reversed(above)), tuple(below)


def _context_line(snapshot: Snapshot, lines: Lines, begin: int, number: int, chars: int) -> ContextLine:
    raw, whole = lines.rest(begin, chars * 4)
    text = raw.decode(snapshot.encoding.name, "replace" if whole else "ignore")
    return ContextLine(number, text[:chars], len(text) > chars or not whole)


def _units(encoding: Encoding) -> tuple[bytes, bytes]:
    return ("\n".encode(encoding.name), "\r".encode(encoding.name)) if encoding.width == 2 else (b"\n", b"\r")


def _find(block: bytes, unit: bytes) -> int:
    at = block.find(unit)
    while len(unit) == 2 and at > 0 and at % 2:
        at = block.find(unit, at + 1)
    return at


def _rfind(block: bytes, unit: bytes) -> int:
    at = block.rfind(unit)
    while len(unit) == 2 and at > 0 and at % 2:
        at = block.rfind(unit, 0, at + 1)
    return at
