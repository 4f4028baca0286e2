"""Excerpts: the piece of a line that shows a hit, and the lines around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from filewright.progress import Task
from filewright.search.hits import Hit
from filewright.search.matches import Span
from filewright.search.window import NO_TIMEOUT, character_start
from filewright.text.codec import decode
from filewright.text.snapshot import Snapshot

_MAX_CHARACTER_BYTES = 4
"""Bytes of one character at most, in every encoding."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The piece of a line around a hit, decoded, without a terminator.

    `column` is the 1-based character of the line where `text` begins. `is_cut_before`
    and `is_cut_after` are True if the line has more text there. `ranges` are the
    submatches as character ranges of `text`. Of a match that is too long to be shown
    whole, `match_end` is the end, and `has_more` is True if the line goes on behind it.
    """

    text: str
    column: int
    is_cut_before: bool
    is_cut_after: bool
    ranges: tuple[Span, ...]
    match_end: str = ""
    has_more: bool = False

    @property
    def row(self) -> str:
        """The text, with an ellipsis for each part of the line that is left out."""
        row = self.text
        if self.is_cut_before:
            row = f"…{row}"
        if self.is_cut_after:
            row = f"{row}…"
        row += self.match_end
        return f"{row}…" if self.has_more else row


@dataclass(frozen=True, slots=True)
class ContextLine:
    """A line near a hit: its number, and its text, cut at the end if `cut`."""

    line: int
    text: str
    cut: bool


@dataclass(frozen=True, slots=True)
class HitContext:
    """The lines around a hit, and those that its match covers after its first.

    `inside_count` is the number of lines that the match covers after its first, of which
    `inside` may hold only some.
    """

    above: tuple[ContextLine, ...]
    inside: tuple[ContextLine, ...]
    below: tuple[ContextLine, ...]
    inside_count: int


@dataclass(frozen=True, slots=True)
class _LineText:
    """The decoded text of a line before and after the start of a hit.

    `is_from_start` and `is_to_end` are True if it begins and ends with the line.
    """

    before: str
    after: str
    is_from_start: bool
    is_to_end: bool

    def fits(self, max_characters: int) -> bool:
        """Return True if the whole line has at most so many characters."""
        is_whole = self.is_from_start and self.is_to_end
        return is_whole and len(self.before) + len(self.after) <= max_characters


@dataclass(frozen=True, slots=True)
class _Sides:
    """The characters of an excerpt to the left of its hit, and from the hit on."""

    left: int
    right: int

    def fit(self, max_characters: int, match_characters: int) -> _Sides:
        """Return the sides within `max_characters` together.

        The text around the matches gets the characters that these leave, half on each
        side, or more on one side if the other has less text.
        """
        spare = max(0, max_characters - match_characters)
        right = min(self.right, max_characters - min(self.left, spare // 2))
        return _Sides(min(self.left, max_characters - right), right)


def build_excerpt(snapshot: Snapshot, hit: Hit, max_characters: int) -> Excerpt:
    """Return the piece of the hit's first line that shows its submatches.

    A line of at most `max_characters` is shown whole. Of a longer match the beginning
    and the end are shown.
    """
    max_bytes = max_characters * _MAX_CHARACTER_BYTES
    line = _read_around(snapshot, hit, max_bytes)
    spans = [span for span in hit.submatches if span[0] >= hit.offset]
    match_end = ""
    sides = _Sides(len(line.before), len(line.after))
    if not line.fits(max_characters):
        match_end = _end_of_long_match(snapshot, hit, max_characters)
        last_end = spans[-1][1] if spans else hit.end
        visible_end = min(hit.offset + max_bytes, last_end)
        match_text = _decode_range(snapshot, hit.offset, visible_end)
        sides = sides.fit(max_characters - len(match_end), len(match_text))
    text = (
        line.before[len(line.before) - sides.left :] + line.after[: sides.right]
    )
    if not spans and hit.submatches:
        spans = [(hit.offset, hit.end)]
    has_more = False
    if match_end:
        # A few bytes tell if the line goes on; the rest of it may be gigabytes.
        following = snapshot.lines.read_line(hit.end, 8, reach=16)
        has_more = bool(following.body)
    return Excerpt(
        text=text,
        column=hit.column - sides.left,
        is_cut_before=not line.is_from_start or sides.left < len(line.before),
        is_cut_after=not line.is_to_end or sides.right < len(line.after),
        ranges=_to_ranges(snapshot, hit, spans, sides.left, len(text)),
        match_end=match_end,
        has_more=has_more,
    )


def _to_ranges(
    snapshot: Snapshot,
    hit: Hit,
    spans: Sequence[Span],
    left_characters: int,
    text_characters: int,
) -> tuple[Span, ...]:
    """Return ranges of bytes as ranges of characters of an excerpt.

    The hit is at `left_characters` in the excerpt, which has `text_characters`. Matches
    behind its end are left out.
    """
    # One more character shows that a match goes on behind the excerpt.
    max_bytes = (text_characters + 1) * _MAX_CHARACTER_BYTES
    ranges = []
    for start, stop in spans:
        begin = left_characters + len(
            _decode_range(snapshot, hit.offset, start)
        )
        visible_stop = min(stop, start + max_bytes)
        end = begin + len(_decode_range(snapshot, start, visible_stop))
        is_empty_at_end = begin == end == text_characters
        if begin < text_characters or is_empty_at_end:
            ranges.append((begin, min(end, text_characters)))
    return tuple(ranges)


def _read_around(snapshot: Snapshot, hit: Hit, max_bytes: int) -> _LineText:
    """Return the text of the hit's line, at most `max_bytes` on each side of its start."""
    start = hit.line_offset
    if hit.offset - start > max_bytes:
        start = character_start(
            snapshot, hit.offset - max_bytes, hit.line_offset
        )
    rest = snapshot.lines.read_line(hit.offset, max_bytes, reach=max_bytes + 2)
    return _LineText(
        before=_decode_range(snapshot, start, hit.offset),
        after=_decode_body(snapshot, rest.body, is_whole=rest.is_whole),
        is_from_start=start == hit.line_offset,
        is_to_end=rest.is_whole,
    )


def _decode_range(snapshot: Snapshot, start: int, stop: int) -> str:
    """Return the text of the bytes [start, stop)."""
    return snapshot.read(start, stop - start).decode(
        snapshot.encoding.name, "replace"
    )


def _decode_body(snapshot: Snapshot, body: bytes, *, is_whole: bool) -> str:
    """Return the text of a line that may be cut, without a torn character at its end."""
    errors = "replace" if is_whole else "ignore"
    return body.decode(snapshot.encoding.name, errors)


def count_match_characters(snapshot: Snapshot, hit: Hit, max_count: int) -> int:
    """Return the number of characters of the first match in its first line.

    At most `max_count` are counted.
    """
    max_bytes = max_count * _MAX_CHARACTER_BYTES
    content = snapshot.read(hit.offset, min(hit.end - hit.offset, max_bytes))
    first_line = decode(content, snapshot.encoding).partition("\n")[0]
    return min(len(first_line), max_count)


def _end_of_long_match(
    snapshot: Snapshot, hit: Hit, max_characters: int
) -> str:
    """Return the end of a match that is longer than `max_characters`, a third of these.

    Empty for a shorter match, and for one of several lines.
    """
    if hit.end - hit.offset <= max_characters:
        return ""
    start = character_start(
        snapshot,
        max(hit.offset, hit.end - max_characters * _MAX_CHARACTER_BYTES),
        hit.line_offset,
    )
    text = _decode_range(snapshot, start, hit.end)
    if start <= hit.offset and len(text) <= max_characters:
        return ""
    last_byte = hit.end - snapshot.encoding.unit_bytes
    if snapshot.lines.line_start(last_byte) != hit.line_offset:
        return ""
    return text[-(max_characters // 3) :]


def read_context(
    snapshot: Snapshot,
    hit: Hit,
    *,
    before: int,
    after: int,
    max_characters: int,
    max_inside: int = 0,
    task: Task = NO_TIMEOUT,
) -> HitContext:
    """Return the lines around a hit, each cut to `max_characters`.

    These are up to `before` lines above its first line, up to `after` below its last,
    and at most `max_inside` of those between.
    """
    unit_bytes = snapshot.encoding.unit_bytes
    last_line, inside_count = hit.line_offset, 0
    if hit.end > hit.offset:
        last_line = snapshot.lines.line_start(hit.end - unit_bytes, task)
        if last_line != hit.line_offset:
            last_number = snapshot.lines.line_at(last_line, task)
            inside_count = last_number - hit.line
    reader = _ContextReader(snapshot, max_characters, task)
    return HitContext(
        above=reader.read_above(hit.line_offset, hit.line, before),
        inside=reader.read_below(
            hit.line_offset, hit.line, min(max_inside, inside_count)
        ),
        below=reader.read_below(last_line, hit.line + inside_count, after),
        inside_count=inside_count,
    )


@dataclass(frozen=True, slots=True)
class _ContextReader:
    """A reader of the lines around a line."""

    snapshot: Snapshot
    max_characters: int
    task: Task

    def read_above(
        self, line_start: int, number: int, max_lines: int
    ) -> tuple[ContextLine, ...]:
        """Return at most `max_lines` lines before the one at `line_start`, in order."""
        snapshot = self.snapshot
        lines: list[ContextLine] = []
        while len(lines) < max_lines and line_start > snapshot.start:
            line_start = snapshot.lines.line_start(
                line_start - snapshot.encoding.unit_bytes, self.task
            )
            number -= 1
            lines.append(self._read_line(line_start, number))
        return tuple(reversed(lines))

    def read_below(
        self, line_start: int, number: int, max_lines: int
    ) -> tuple[ContextLine, ...]:
        """Return at most `max_lines` lines after the one at `line_start`."""
        snapshot = self.snapshot
        lines: list[ContextLine] = []
        while len(lines) < max_lines:
            line_start = snapshot.lines.line_end(line_start, self.task)
            if not snapshot.has_byte(line_start):
                break
            number += 1
            lines.append(self._read_line(line_start, number))
        return tuple(lines)

    def _read_line(self, line_start: int, number: int) -> ContextLine:
        max_bytes = self.max_characters * _MAX_CHARACTER_BYTES
        line = self.snapshot.lines.read_line(
            line_start, max_bytes, reach=max_bytes + 2
        )
        text = _decode_body(self.snapshot, line.body, is_whole=line.is_whole)
        is_cut = len(text) > self.max_characters or not line.is_whole
        return ContextLine(number, text[: self.max_characters], is_cut)
