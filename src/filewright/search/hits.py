"""Hits: the lines of one snapshot that match, with their numbers and columns."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from filewright.progress import Task
from filewright.rows.fields import MAX_ENTRY_BYTES
from filewright.search.matches import (
    Match,
    Span,
    find_matches,
    iterate_windows,
)
from filewright.search.pattern import Pattern
from filewright.search.selected_lines import (
    SelectedLines,
    iterate_selected_lines,
)
from filewright.search.window import NO_TIMEOUT, WINDOW_SIZES, WindowSizes
from filewright.text.snapshot import Snapshot

_MAX_HIT_BYTES = 400
"""Bytes of a line, from the first match of a hit on, whose matches belong to the hit."""

_MAX_SUBMATCHES = 1000
_DECODED_BLOCK_BYTES = 64 << 10


@dataclass(frozen=True, slots=True)
class Hit:
    """One line of a result.

    Bytes [offset, end) of the file are the first match (of an inverted search: the line;
    of a fuzzy search: the region). `line` is 1-based, `column` is the 1-based character
    of `offset` in the line, and `line_offset` the byte where the line begins.
    `submatches` are the ranges of all matches that an excerpt of the line can show
    together, with the first one. Further matches in a long line are hits of their own.
    `score` is the similarity, 1.0 unless the search is fuzzy.
    """

    offset: int
    end: int
    line: int
    column: int
    line_offset: int
    submatches: tuple[Span, ...] = ()
    score: float = 1.0


@dataclass(frozen=True, slots=True)
class FileHits:
    """The hits of one file, and how far it was searched.

    `hits` are in order of their offsets; those of a fuzzy search by similarity, then
    offset. `reason` says why the search ended before the end of the file, and
    `stopped_at` is the byte from which it can go on (None: a fuzzy search). `count` is
    the number of hits, also where `hits` has none of them. Of a fuzzy search,
    `runner_up` is the best similarity among the regions left out, and `tied` is the
    number of regions that share the best one.
    """

    hits: tuple[Hit, ...]
    stopped_at: int | None = None
    count: int = 0
    reason: str = ""
    runner_up: float | None = None
    tied: int = 0

    @property
    def complete(self) -> bool:
        """Return True if the whole file was searched."""
        return not self.reason


def search_snapshot(  # noqa: PLR0913  each is a choice of the caller
    snapshot: Snapshot,
    pattern: Pattern,
    *,
    limit: int,
    start: int | None = None,
    invert: bool = False,
    windows: WindowSizes = WINDOW_SIZES,
    selected: SelectedLines | None = None,
    task: Task = NO_TIMEOUT,
) -> FileHits:
    """Return the first `limit` hits from byte `start` on, of the selected lines.

    `start` is the `stopped_at` of an earlier search. A hit is a line that matches, or a
    part of a long line; of a multiline pattern each match is a hit. With `invert`, a hit
    is a line that does not match. Binary content must not be searched: see
    `Snapshot.binary_type`.

    Raises `cancelled`, `timeout`, `io_error`.
    """
    iterator = iterate_hits(
        snapshot,
        pattern,
        start=max(snapshot.start, start or 0),
        invert=invert,
        windows=windows,
        selected=selected,
        task=task,
    )
    # One more hit tells if the file was searched to its end, and where to go on.
    hits = list(islice(iterator, limit + 1))
    if len(hits) <= limit:
        return FileHits(tuple(hits), count=len(hits))
    next_hit = hits.pop()
    return FileHits(
        tuple(hits),
        stopped_at=next_hit.offset,
        count=limit,
        reason=f"stopped after {limit} hits",
    )


def iterate_hits(
    snapshot: Snapshot,
    pattern: Pattern,
    *,
    start: int,
    invert: bool = False,
    windows: WindowSizes = WINDOW_SIZES,
    selected: SelectedLines | None = None,
    task: Task = NO_TIMEOUT,
) -> Iterator[Hit]:
    """Yield the hits from byte `start` on, as `search_snapshot` returns them."""
    stop = None
    if selected is not None:
        start, stop = max(start, selected.start), selected.stop
        if not selected.selection.has_pattern:
            yield from _hit_per_selected_line(snapshot, selected, start, task)
            return
    matches = find_matches(
        snapshot,
        pattern,
        start=start,
        stop=stop,
        once=invert and not pattern.multiline,
        windows=windows,
        task=task,
    )
    if invert:
        hits = _iterate_other_lines(snapshot, matches, start, stop, task)
    elif pattern.multiline:
        hits = _hit_per_match(snapshot, matches, task)
    else:
        hits = _hit_per_line(snapshot, matches, task)
    if selected is None:
        yield from hits
        return
    for hit in hits:
        line = snapshot.lines.read_line(
            hit.line_offset, MAX_ENTRY_BYTES, task=task
        )
        if selected.accepts(line.offset, line.body):
            yield hit


def _hit_per_selected_line(
    snapshot: Snapshot, selected: SelectedLines, start: int, task: Task
) -> Iterator[Hit]:
    """Yield a hit for every selected line."""
    for line in iterate_selected_lines(snapshot, selected, start, task):
        number = snapshot.lines.line_at(line.offset, task)
        yield Hit(line.offset, line.body_end, number, 1, line.offset)


def count_hits(
    snapshot: Snapshot,
    pattern: Pattern,
    *,
    invert: bool = False,
    windows: WindowSizes = WINDOW_SIZES,
    selected: SelectedLines | None = None,
    task: Task = NO_TIMEOUT,
) -> int:
    """Count the lines that match, the matches of a multiline pattern, or the other lines."""
    if selected is not None:
        return _count_selected(snapshot, pattern, invert, selected, task)
    if pattern.selector is not None:
        hits = iterate_hits(
            snapshot,
            pattern,
            start=snapshot.start,
            invert=invert,
            windows=windows,
            task=task,
        )
        if pattern.multiline and not invert:
            return sum(1 for _ in hits)
        return _count_lines(hits)
    # A match may span lines, so the number of matches says nothing of the other lines.
    if invert and pattern.multiline:
        matches = find_matches(snapshot, pattern, windows=windows, task=task)
        other_lines = _iterate_other_lines(
            snapshot, matches, snapshot.start, None, task
        )
        return sum(1 for _ in other_lines)
    candidates = iterate_windows(
        snapshot,
        pattern,
        0,
        windows=windows,
        task=task,
        once=not pattern.multiline,
    )
    count = sum(1 for _ in candidates)
    if invert:
        return snapshot.lines.count_lines(task) - count
    return count


def _hit_per_match(
    snapshot: Snapshot, matches: Iterator[Match], task: Task
) -> Iterator[Hit]:
    """Yield a hit for every match."""
    builder = HitBuilder(snapshot, task)
    line_start = line_end = 0
    for match in matches:
        if match.offset >= line_end:
            line_start, line_end = _line_around(snapshot, match.offset, task)
        yield builder.build(line_start, [(match.offset, match.end)])


def _hit_per_line(
    snapshot: Snapshot, matches: Iterator[Match], task: Task
) -> Iterator[Hit]:
    """Yield a hit for the matches of a line that an excerpt can show together."""
    builder = HitBuilder(snapshot, task)
    line_start = line_end = 0
    spans: list[Span] = []
    for match in matches:
        if spans:
            is_same_hit = (
                match.offset < line_end
                and match.end - spans[0][0] <= _MAX_HIT_BYTES
            )
            if is_same_hit and len(spans) < _MAX_SUBMATCHES:
                spans.append((match.offset, match.end))
                continue
            yield builder.build(line_start, spans)
        if match.offset >= line_end:
            line_start, line_end = _line_around(snapshot, match.offset, task)
        spans = [(match.offset, match.end)]
    if spans:
        yield builder.build(line_start, spans)


def _line_around(snapshot: Snapshot, offset: int, task: Task) -> Span:
    """Return where the line that holds `offset` begins, and where it ends."""
    start = snapshot.lines.line_start(offset, task)
    end = snapshot.lines.line_end(offset, task)
    if not snapshot.has_byte(end):
        # An empty match at the very end is in the last line.
        end += 1
    return start, end


def _count_selected(
    snapshot: Snapshot,
    pattern: Pattern,
    invert: bool,
    selected: SelectedLines,
    task: Task,
) -> int:
    """Count the selected lines that match, or that do not."""
    if not selected.selection.has_pattern:
        lines = iterate_selected_lines(snapshot, selected, snapshot.start, task)
        return sum(1 for _ in lines)
    hits = iterate_hits(
        snapshot,
        pattern,
        start=snapshot.start,
        invert=invert,
        selected=selected,
        task=task,
    )
    return _count_lines(hits)


def _count_lines(hits: Iterator[Hit]) -> int:
    """Return the number of lines with hits: a long line may have several in a row."""
    count = 0
    last_offset = -1
    for hit in hits:
        if hit.line_offset != last_offset:
            count += 1
            last_offset = hit.line_offset
    return count


def _iterate_other_lines(
    snapshot: Snapshot,
    matches: Iterator[Match],
    start: int,
    stop: int | None,
    task: Task,
) -> Iterator[Hit]:
    """Yield the lines from `start`, a line's beginning, that hold no part of a match."""
    first = 1
    if snapshot.has_byte(start):
        first = snapshot.lines.line_at(start, task)
    match = next(matches, None)
    lines = snapshot.lines.read_lines(start, stop, limit=0, task=task)
    for number, line in enumerate(lines, first):
        while (
            match is not None
            and match.offset < line.offset
            and match.end <= line.offset
        ):
            match = next(matches, None)
        if match is None or match.offset > line.body_end:
            yield Hit(line.offset, line.body_end, number, 1, line.offset)


class HitBuilder:
    """A builder of hits in one snapshot, in rising order.

    The characters before a hit are counted from the hit before it in the same line: a
    line of gigabytes may have a million hits.
    """

    def __init__(self, snapshot: Snapshot, task: Task) -> None:
        self._snapshot = snapshot
        self._task = task
        self._last_line_start = -1
        self._last_offset = 0
        self._last_column = 1

    def build(
        self, line_start: int, spans: list[Span], score: float = 1.0
    ) -> Hit:
        """Return the hit of the matches `spans`, in the line that begins at `line_start`."""
        offset, end = spans[0]
        column = self._find_column(line_start, offset)
        return Hit(
            offset,
            end,
            line=self._snapshot.lines.line_at(line_start, self._task),
            column=column,
            line_offset=line_start,
            submatches=tuple(spans),
            score=score,
        )

    def _find_column(self, line_start: int, offset: int) -> int:
        """Return the 1-based column of the character at `offset`."""
        position, column = line_start, 1
        if self._last_line_start == line_start and offset >= self._last_offset:
            position, column = self._last_offset, self._last_column
        snapshot = self._snapshot
        # A block may end inside a character.
        decoder_class = codecs.getincrementaldecoder(snapshot.encoding.name)
        decoder = decoder_class("replace")
        for block_start in range(position, offset, _DECODED_BLOCK_BYTES):
            self._task.check()
            length = min(_DECODED_BLOCK_BYTES, offset - block_start)
            is_last = block_start + length >= offset
            characters = decoder.decode(
                snapshot.read(block_start, length), final=is_last
            )
            column += len(characters)
        self._last_line_start = line_start
        self._last_offset = offset
        self._last_column = column
        return column
