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

    def shown(start: int, stop: int) -> str:
        return snapshot.read(start, stop - start).decode(snapshot.encoding.name, "replace")

    room = chars * 4
    low = hit.line_offset
    if hit.offset - low > room:
        low = character_at(snapshot, hit.offset - room, hit.line_offset)
    before = shown(low, hit.offset)
    rest = snapshot.lines.starting(hit.offset, room, reach=room + 2)
    after = rest.body.decode(snapshot.encoding.name, "replace" if rest.whole else "ignore")
    spans = [span for span in hit.submatches if span[0] >= hit.offset]
    if low == hit.line_offset and rest.whole and len(before) + len(after) <= chars:
        left, right = len(before), len(after)
    else:
        last = spans[-1][1] if spans else hit.end
        spare = chars - min(chars, len(shown(hit.offset, min(hit.offset + room, last))))
        right = min(len(after), chars - min(len(before), spare // 2))
        left = min(len(before), chars - right)
    text = before[len(before) - left :] + after[:right]
    ranges = []
    for start, stop in spans or ([(hit.offset, hit.end)] if hit.submatches else []):
        begin = left + len(shown(hit.offset, start))
        end = begin + len(shown(start, min(stop, start + room)))
        if begin < len(text) or (begin == end == len(text)):
            ranges.append((begin, min(end, len(text))))
    return ShownLine(
        text=text,
        column=hit.column - left,
        cut_before=low != hit.line_offset or left < len(before),
        cut_after=not rest.whole or right < len(after),
        ranges=tuple(ranges),
    )


def context(
    snapshot: Snapshot, hit: Hit, before: int, after: int, chars: int, *, task: Task | None = None
) -> tuple[tuple[ContextLine, ...], tuple[ContextLine, ...]]:
    """Up to `before` lines above the hit's first and `after` below its last, cut to `chars` characters."""
    above: list[ContextLine] = []
    position = hit.line_offset
    while len(above) < before and position > snapshot.start:
        position = snapshot.lines.begin(position - snapshot.encoding.width, task)
        above.insert(0, _context_line(snapshot, position, hit.line - len(above) - 1, chars))
    last, number = _last_line(snapshot, hit, task)
    return tuple(above), _following(snapshot, last, number, after, chars, task)


def continuation(
    snapshot: Snapshot, hit: Hit, most: int, chars: int, *, task: Task | None = None
) -> tuple[tuple[ContextLine, ...], int]:
    """The lines after its first that a match reaches into, at most `most`, and how many there are."""
    count = _last_line(snapshot, hit, task)[1] - hit.line
    return _following(snapshot, hit.line_offset, hit.line, min(most, count), chars, task), count


def _last_line(snapshot: Snapshot, hit: Hit, task: Task | None) -> tuple[int, int]:
    """Where the last line of a hit begins, and its number."""
    last = hit.line_offset
    if hit.end > hit.offset:
        last = snapshot.lines.begin(hit.end - snapshot.encoding.width, task)
    return last, hit.line if last == hit.line_offset else snapshot.lines.line_at(last, task)


def _following(
    snapshot: Snapshot, position: int, number: int, most: int, chars: int, task: Task | None
) -> tuple[ContextLine, ...]:
    """At most `most` lines after the one at `position`, whose number is given."""
    found: list[ContextLine] = []
    while len(found) < most and (position := snapshot.lines.end(position, task)) < snapshot.size:
        found.append(_context_line(snapshot, position, number + len(found) + 1, chars))
    return tuple(found)


def _context_line(snapshot: Snapshot, begin: int, number: int, chars: int) -> ContextLine:
    line = snapshot.lines.starting(begin, chars * 4, reach=chars * 4 + 2)
    text = line.body.decode(snapshot.encoding.name, "replace" if line.whole else "ignore")
    return ContextLine(number, text[:chars], len(text) > chars or not line.whole)
