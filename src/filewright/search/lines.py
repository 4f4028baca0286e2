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
from filewright.text import Snapshot

_STEP = 64 << 10
_NEAR = 4 << 20
_MOST_SUBMATCHES = 1000


@dataclass(frozen=True, slots=True)
class ContextLine:
    """A line beside a hit: its number, its beginning as shown, and whether more of it follows."""

    line: int
    text: str
    cut: bool


class Columns:
    """Counts characters in one snapshot, asked in rising order; keeps where it was."""

    def __init__(self, snapshot: Snapshot, task: Task) -> None:
        self.snapshot = snapshot
        self._task = task
        self._column = (snapshot.start, snapshot.start, 1)

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
    columns = Columns(snapshot, task)
    first: Match | None = None
    begin = end = 0
    rest: list[Span] = []
    for match in found:
        if first is not None:
            together = not multiline and match.offset < end and match.end - first.offset <= reach
            if together and len(rest) < _MOST_SUBMATCHES:
                rest.append((match.offset, match.end))
                continue
            yield _hit(columns, first, begin, rest, task)
        if first is None or multiline or match.offset >= end:
            begin = snapshot.lines.begin(match.offset, task)
            end = snapshot.lines.end(match.offset, task)
            if end >= snapshot.size:
                end = snapshot.size + 1  # a match of nothing at the very end is in the last line
        first, rest = match, [(match.offset, match.end)]
    if first is not None:
        yield _hit(columns, first, begin, rest, task)


def _hit(columns: Columns, first: Match, begin: int, spans: list[Span], task: Task) -> Hit:
    lines = columns.snapshot.lines
    if first.line:
        lines.know(begin, first.line)
    return Hit(
        offset=first.offset,
        end=first.end,
        line=lines.line_at(begin, task),
        column=columns.column(begin, first.offset),
        line_offset=begin,
        submatches=tuple(spans),
    )


def other_lines(snapshot: Snapshot, found: Iterator[Match], start: int, *, task: Task) -> Iterator[Hit]:
    """The lines from `start` (a line's beginning) on that hold no match: an inverted search."""
    first = snapshot.lines.line_at(start, task) if start < snapshot.size else 1
    ahead = next(found, None)
    for number, line in enumerate(snapshot.lines.since(start, limit=0, task=task), first):
        while ahead is not None and ahead.offset < line.offset and ahead.end <= line.offset:
            ahead = next(found, None)
        if ahead is None or ahead.offset > line.body_end:
            yield Hit(line.offset, line.body_end, number, 1, line.offset)


def excerpt(snapshot: Snapshot, hit: Hit, chars: int) -> Excerpt:
    """The piece of the hit's (first) line that shows its submatches, at most `chars` characters.

    A line that fits is shown whole. A match longer than `chars` is cut; its beginning is always shown.
    """
    encoding = snapshot.encoding
    room = chars * 4
    low = hit.line_offset
    if hit.offset - low > room:
        low = character_at(snapshot, hit.offset - room, hit.line_offset)
    before = snapshot.read(low, hit.offset - low).decode(encoding.name, "replace")
    rest = snapshot.lines.starting(hit.offset, room, reach=room + 2)
    reached_end = rest.whole
    after = rest.body.decode(encoding.name, "replace" if reached_end else "ignore")
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
        line = snapshot.lines.begin(offset) if encoding.multibyte else snapshot.start
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
    lines = snapshot.lines
    above: list[ContextLine] = []
    position = hit.line_offset
    while len(above) < before and position > snapshot.start:
        position = lines.begin(position - snapshot.encoding.width, task)
        above.append(_context_line(snapshot, position, hit.line - len(above) - 1, chars))
    below: list[ContextLine] = []
    last = lines.begin(max(hit.offset, hit.end - 1), task) if hit.end > hit.offset else hit.line_offset
    number = hit.line if last == hit.line_offset else lines.line_at(last, task)
    position = lines.end(last, task)
    while len(below) < after and position < snapshot.size:
        number += 1
        below.append(_context_line(snapshot, position, number, chars))
        position = lines.end(position, task)
    return tuple(reversed(above)), tuple(below)


def _context_line(snapshot: Snapshot, begin: int, number: int, chars: int) -> ContextLine:
    line = snapshot.lines.starting(begin, chars * 4, reach=chars * 4 + 2)
    text = line.body.decode(snapshot.encoding.name, "replace" if line.whole else "ignore")
    return ContextLine(number, text[:chars], len(text) > chars or not line.whole)
