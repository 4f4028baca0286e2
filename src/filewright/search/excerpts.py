"""What is shown of a hit: the piece of its line around it, its other lines, and the lines beside it."""

from __future__ import annotations

from dataclasses import dataclass

from filewright.progress import Task
from filewright.search.hit import Hit, ShownLine
from filewright.search.window import character_at
from filewright.text import Snapshot


@dataclass(frozen=True, slots=True)
class ContextLine:
    """A line beside a hit: its number, its beginning as shown, and whether more of it follows."""

    line: int
    text: str
    cut: bool


def excerpt(snapshot: Snapshot, hit: Hit, chars: int) -> ShownLine:
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
    return ShownLine(
        text=text,
        column=hit.column - left,
        cut_before=not reached_start or left < len(before),
        cut_after=not reached_end or right < len(after),
        ranges=tuple(ranges),
    )


def _length(snapshot: Snapshot, start: int, stop: int) -> int:
    return len(snapshot.read(start, stop - start).decode(snapshot.encoding.name, "replace"))


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
    last = _last_line(snapshot, hit, task)
    number = hit.line if last == hit.line_offset else lines.line_at(last, task)
    below = _lines_from(snapshot, lines.end(last, task), number + 1, after, chars, task)
    return tuple(reversed(above)), below


def continuation(
    snapshot: Snapshot, hit: Hit, most: int, chars: int, *, task: Task | None = None
) -> tuple[tuple[ContextLine, ...], int]:
    """The lines after its first that a match reaches into, at most `most`, and how many there are."""
    last = _last_line(snapshot, hit, task)
    if last == hit.line_offset:
        return (), 0
    count = snapshot.lines.line_at(last, task) - hit.line
    begin = snapshot.lines.end(hit.line_offset, task)
    return _lines_from(snapshot, begin, hit.line + 1, min(most, count), chars, task), count


def _last_line(snapshot: Snapshot, hit: Hit, task: Task | None) -> int:
    """Where the last line of a hit begins."""
    if hit.end <= hit.offset:
        return hit.line_offset
    return snapshot.lines.begin(hit.end - snapshot.encoding.width, task)


def _lines_from(
    snapshot: Snapshot, position: int, number: int, most: int, chars: int, task: Task | None
) -> tuple[ContextLine, ...]:
    found: list[ContextLine] = []
    while len(found) < most and position < snapshot.size:
        found.append(_context_line(snapshot, position, number + len(found), chars))
        position = snapshot.lines.end(position, task)
    return tuple(found)


def _context_line(snapshot: Snapshot, begin: int, number: int, chars: int) -> ContextLine:
    line = snapshot.lines.starting(begin, chars * 4, reach=chars * 4 + 2)
    text = line.body.decode(snapshot.encoding.name, "replace" if line.whole else "ignore")
    return ContextLine(number, text[:chars], len(text) > chars or not line.whole)
