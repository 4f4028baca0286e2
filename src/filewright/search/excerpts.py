"""excerpts."""

from __future__ import annotations

from dataclasses import dataclass

from filewright.progress import Task
from filewright.search.hits import Hit
from filewright.search.matches import Span
from filewright.search.window import (
    NO_TIMEOUT,
    character_start,
)
from filewright.text.codec import decode
from filewright.text.snapshot import Snapshot

# What is shown of a hit


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The piece of a line around a hit, as shown: decoded, without terminator.

    `column` is the 1-based character where `text` begins in its line; `cut_before` and `cut_after`
    say whether the line goes on; `ranges` are the submatches as character ranges of `text`. `match_end`
    is the end of a match of which `text` holds only the beginning; `goes_on` says whether the line has more behind it.
    """

    text: str
    column: int
    is_cut_before: bool
    is_cut_after: bool
    ranges: tuple[Span, ...]
    match_end: str = ""
    goes_on: bool = False

    @property
    def row(self) -> str:
        """The piece with an ellipsis for each part of the line that is left out."""
        begin = (
            f"{'…' * self.is_cut_before}{self.text}{'…' * self.is_cut_after}"
        )
        return f"{begin}{self.match_end}{'…' * self.goes_on}"


@dataclass(frozen=True, slots=True)
class ContextLine:
    """A line beside a hit: its number, its beginning as shown, and whether more of it follows."""

    line: int
    text: str
    cut: bool


_Lines = tuple[ContextLine, ...]


def build_excerpt(snapshot: Snapshot, hit: Hit, chars: int) -> Excerpt:
    """The piece of the hit's (first) line that shows its submatches, at most `chars` characters.

    A line that fits is shown whole. Of a match longer than `chars` the beginning and the end are shown.
    """

    def shown(start: int, stop: int) -> str:
        return snapshot.read(start, stop - start).decode(
            snapshot.encoding.name, "replace"
        )

    room = chars * 4
    low = hit.line_offset
    if hit.offset - low > room:
        low = character_start(snapshot, hit.offset - room, hit.line_offset)
    before, match_end = shown(low, hit.offset), ""
    rest = snapshot.lines.read_line(hit.offset, room, reach=room + 2)
    after = rest.body.decode(
        snapshot.encoding.name, "replace" if rest.is_whole else "ignore"
    )
    spans = [span for span in hit.submatches if span[0] >= hit.offset]
    if (
        low == hit.line_offset
        and rest.is_whole
        and len(before) + len(after) <= chars
    ):
        left, right = len(before), len(after)
    else:
        match_end = _end_of_long_match(snapshot, hit, chars)
        chars -= len(match_end)
        last = spans[-1][1] if spans else hit.end
        spare = chars - min(
            chars, len(shown(hit.offset, min(hit.offset + room, last)))
        )
        right = min(len(after), chars - min(len(before), spare // 2))
        left = min(len(before), chars - right)
    text = before[len(before) - left :] + after[:right]
    ranges = []
    for start, stop in spans or (
        [(hit.offset, hit.end)] if hit.submatches else []
    ):
        begin = left + len(shown(hit.offset, start))
        end = begin + len(shown(start, min(stop, start + room)))
        if begin < len(text) or (begin == end == len(text)):
            ranges.append((begin, min(end, len(text))))
    return Excerpt(
        text=text,
        column=hit.column - left,
        is_cut_before=low != hit.line_offset or left < len(before),
        is_cut_after=not rest.is_whole or right < len(after),
        ranges=tuple(ranges),
        match_end=match_end,
        goes_on=bool(match_end)
        and bool(snapshot.lines.read_line(hit.end, 8, reach=16).body),
    )


def count_match_characters(snapshot: Snapshot, hit: Hit, most: int) -> int:
    """Return the number of characters of the first match in its first line, at most `most`."""
    text = snapshot.read(hit.offset, min(hit.end - hit.offset, most * 4))
    line = decode(text, snapshot.encoding).partition("\n")[0]
    return min(len(line), most)


def _end_of_long_match(snapshot: Snapshot, hit: Hit, chars: int) -> str:
    """Return the end of a match within one line that is longer than `chars`, a third of so many; else an empty text."""
    if hit.end - hit.offset <= chars:
        return ""
    low = character_start(
        snapshot, max(hit.offset, hit.end - chars * 4), hit.line_offset
    )
    text = snapshot.read(low, hit.end - low).decode(
        snapshot.encoding.name, "replace"
    )
    is_long = low > hit.offset or len(text) > chars
    if (
        not is_long
        or snapshot.lines.line_start(hit.end - snapshot.encoding.unit_bytes)
        != hit.line_offset
    ):
        return ""
    return text[-(chars // 3) :]


def read_context(
    snapshot: Snapshot,
    hit: Hit,
    before: int,
    after: int,
    chars: int,
    *,
    most: int = 0,
    task: Task = NO_TIMEOUT,
) -> tuple[_Lines, _Lines, _Lines, int]:
    """The lines beside a hit, cut to `chars` characters: up to `before` above its first, and `after` below its last.

    Between those two, of the lines after its first that the match reaches into, at most `most`; and how many there are.
    """
    above: list[ContextLine] = []
    position = hit.line_offset
    while len(above) < before and position > snapshot.start:
        position = snapshot.lines.line_start(
            position - snapshot.encoding.unit_bytes, task
        )
        above.insert(
            0,
            _context_line(snapshot, position, hit.line - len(above) - 1, chars),
        )
    last, further = hit.line_offset, 0
    if hit.end > hit.offset:
        last = snapshot.lines.line_start(
            hit.end - snapshot.encoding.unit_bytes, task
        )
        further = (
            0
            if last == hit.line_offset
            else snapshot.lines.line_at(last, task) - hit.line
        )
    inside = _following(
        snapshot, hit.line_offset, hit.line, min(most, further), chars, task
    )
    below = _following(snapshot, last, hit.line + further, after, chars, task)
    return tuple(above), inside, below, further


def _following(
    snapshot: Snapshot,
    position: int,
    number: int,
    most: int,
    chars: int,
    task: Task,
) -> _Lines:
    """At most `most` lines after the one at `position`, whose number is given."""
    found: list[ContextLine] = []
    while (
        len(found) < most
        and (position := snapshot.lines.line_end(position, task))
        < snapshot.size
    ):
        found.append(
            _context_line(snapshot, position, number + len(found) + 1, chars)
        )
    return tuple(found)


def _context_line(
    snapshot: Snapshot, begin: int, number: int, chars: int
) -> ContextLine:
    line = snapshot.lines.read_line(begin, chars * 4, reach=chars * 4 + 2)
    text = line.body.decode(
        snapshot.encoding.name, "replace" if line.is_whole else "ignore"
    )
    return ContextLine(
        number, text[:chars], len(text) > chars or not line.is_whole
    )
