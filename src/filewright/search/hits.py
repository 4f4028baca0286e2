"""hits."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from filewright.progress import Task
from filewright.search.matches import (
    WINDOW_SIZES,
    Match,
    Span,
    WindowSizes,
    _places,
    find_matches,
)
from filewright.search.pattern import Pattern
from filewright.search.window import (
    NO_TIMEOUT,
)
from filewright.text.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Hit:
    """What one line of a result is.

    Bytes [offset, end) of the file are the first match (inverted: the line; fuzzy: the region);
    `line` is 1-based, `column` the 1-based character of `offset` in it, `line_offset` the byte where
    that line begins. `submatches` are the byte ranges of every match on the line that an excerpt
    can show together, the first one included; further ones in a long line are hits of their own.
    `score` is the similarity, 1.0 unless fuzzy.
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
    """What a search of one file came to.

    `hits` in order of offset (fuzzy: similarity, then offset). `reason` says why not the whole file was
    searched, and `stopped_at` is then the byte offset to go on from (None: fuzzy). `count` is the
    number of hits seen, also where none were kept. Fuzzy: `runner_up` is the best similarity among
    what is not in `hits`, and `tied` how many are as good as the best.
    """

    hits: tuple[Hit, ...]
    stopped_at: int | None = None
    count: int = 0
    reason: str = ""
    runner_up: float | None = None
    tied: int = 0

    @property
    def complete(self) -> bool:
        """Whether the whole file was searched."""
        return not self.reason


_REACH = 400
"""Bytes of a line, from the first match on, whose further matches belong to the same hit."""

_MOST_SUBMATCHES = 1000
_STEP = 64 << 10


# From matches to hits


def search_snapshot(
    snapshot: Snapshot,
    pattern: Pattern,
    *,
    limit: int,
    start: int | None = None,
    invert: bool = False,
    windows: WindowSizes = WINDOW_SIZES,
    task: Task = NO_TIMEOUT,
) -> FileHits:
    """The first `limit` hits from byte `start` on (the `stopped_at` of an earlier search).

    A hit is a line that matches (in a long line: a part of it; multiline: a match); inverted, a line
    that does not. The text must be text: ask `snapshot.binary` first. Raises `cancelled`, `timeout`,
    `io_error`.
    """
    begin = max(snapshot.start, start or 0)
    once = invert and not pattern.multiline
    seen = find_matches(
        snapshot, pattern, start=begin, once=once, windows=windows, task=task
    )
    if invert:
        hits = _other_lines(snapshot, seen, begin, task)
    else:
        hits = _hits(snapshot, seen, task, each=pattern.multiline)
    found = list(islice(hits, limit + 1))
    if len(found) <= limit:
        return FileHits(tuple(found), count=len(found))
    stopped = found.pop().offset
    return FileHits(tuple(found), stopped, limit, f"stopped after {limit} hits")


def count_hits(
    snapshot: Snapshot,
    pattern: Pattern,
    *,
    invert: bool = False,
    windows: WindowSizes = WINDOW_SIZES,
    task: Task = NO_TIMEOUT,
) -> int:
    """How many lines match (multiline: how many matches there are; inverted: how many lines do not)."""
    once = not pattern.multiline
    if invert and pattern.multiline:
        seen = find_matches(snapshot, pattern, windows=windows, task=task)
        return sum(
            1 for _ in _other_lines(snapshot, seen, snapshot.start, task)
        )
    found = sum(
        1 for _ in _places(snapshot, pattern, 0, windows, task, once=once)
    )
    return snapshot.lines.count_lines(task) - found if invert else found


def _hits(
    snapshot: Snapshot, found: Iterator[Match], task: Task, *, each: bool
) -> Iterator[Hit]:
    """Matches of one line within reach of its first one are one hit; with `each`, every match is."""
    hits = HitBuilder(snapshot, task)
    begin = end = 0
    spans: list[Span] = []
    for match in found:
        if spans:
            together = (
                not each
                and match.offset < end
                and match.end - spans[0][0] <= _REACH
            )
            if together and len(spans) < _MOST_SUBMATCHES:
                spans.append((match.offset, match.end))
                continue
            yield hits.build(begin, spans)
        if match.offset >= end:
            begin = snapshot.lines.line_start(match.offset, task)
            end = snapshot.lines.line_end(match.offset, task)
            if end >= snapshot.size:
                end = (
                    snapshot.size + 1
                )  # a match of nothing at the very end is in the last line
        spans = [(match.offset, match.end)]
    if spans:
        yield hits.build(begin, spans)


def _other_lines(
    snapshot: Snapshot, found: Iterator[Match], start: int, task: Task
) -> Iterator[Hit]:
    """The lines from `start` (a line's beginning) on that hold no part of a match."""
    first = snapshot.lines.line_at(start, task) if start < snapshot.size else 1
    match = next(found, None)
    for number, line in enumerate(
        snapshot.lines.read_lines(start, limit=0, task=task), first
    ):
        while (
            match is not None
            and match.offset < line.offset
            and match.end <= line.offset
        ):
            match = next(found, None)
        if match is None or match.offset > line.body_end:
            yield Hit(line.offset, line.body_end, number, 1, line.offset)


@dataclass
class HitBuilder:
    """Makes hits of places in one snapshot, in rising order: characters are counted on from the last one.

    `last` is a line, a place in it, and its column.
    """

    snapshot: Snapshot
    task: Task
    last: tuple[int, int, int] = (-1, 0, 1)

    def build(self, begin: int, spans: list[Span], score: float = 1.0) -> Hit:
        """The hit of some matches that begin in the line at `begin`."""
        snapshot, task = self.snapshot, self.task
        offset, end = spans[0]
        line, known, column = self.last
        if line != begin or offset < known:
            known, column = begin, 1
        decoder = codecs.getincrementaldecoder(snapshot.encoding.name)(
            "replace"
        )
        for position in range(known, offset, _STEP):
            task.check()
            length = min(_STEP, offset - position)
            column += len(
                decoder.decode(
                    snapshot.read(position, length),
                    final=position + length >= offset,
                )
            )
        self.last = (begin, offset, column)
        return Hit(
            offset,
            end,
            snapshot.lines.line_at(begin, task),
            column,
            begin,
            tuple(spans),
            score,
        )
