"""One file searched: from matches to hits, the lines without any, and how many there are."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from filewright.progress import Task
from filewright.search import engine
from filewright.search.engine import WINDOWS, Windows
from filewright.search.hit import Found, Hit, Match, Span
from filewright.search.pattern import Pattern
from filewright.search.places import Columns
from filewright.text import Snapshot

_REACH = 400
"""Bytes of a line, from the first match on, whose further matches belong to the same hit."""

_MOST_SUBMATCHES = 1000


def search_snapshot(
    snapshot: Snapshot,
    pattern: Pattern,
    *,
    limit: int,
    start: int | None = None,
    invert: bool = False,
    windows: Windows = WINDOWS,
    task: Task | None = None,
) -> Found:
    """The first `limit` hits from byte `start` on (the `stopped_at` of an earlier search).

    A hit is a line that matches (in a long line: a part of it; multiline: a match); inverted, a line
    that does not. The text must be text: ask `snapshot.binary` first. Raises `cancelled`, `timeout`,
    `io_error`.
    """
    checked = task or Task()
    begin = snapshot.start if start is None else max(start, snapshot.start)
    once = invert and not pattern.multiline
    seen = (engine.matching_lines if once else engine.matches)(
        snapshot, pattern, start=begin, windows=windows, task=checked
    )
    if invert:
        hits = _other_lines(snapshot, seen, begin, checked)
    else:
        hits = _hits(snapshot, seen, checked, each=pattern.multiline)
    found = list(islice(hits, limit + 1))
    if len(found) <= limit:
        return Found(tuple(found), complete=True, count=len(found))
    return Found(
        tuple(found[:limit]),
        complete=False,
        stopped_at=found[limit].offset,
        count=limit,
        reason=f"stopped after {limit} hits",
    )


def count_hits(
    snapshot: Snapshot,
    pattern: Pattern,
    *,
    invert: bool = False,
    windows: Windows = WINDOWS,
    task: Task | None = None,
) -> int:
    """How many lines match (multiline: how many matches there are; inverted: how many lines do not)."""
    checked = task or Task()
    if not invert:
        return engine.count(snapshot, pattern, windows=windows, task=checked)
    if pattern.multiline:
        seen = engine.matches(snapshot, pattern, windows=windows, task=checked)
        return sum(1 for _ in _other_lines(snapshot, seen, snapshot.start, checked))
    return snapshot.lines.counted(checked) - engine.count(snapshot, pattern, windows=windows, task=checked)


def _hits(snapshot: Snapshot, found: Iterator[Match], task: Task, *, each: bool) -> Iterator[Hit]:
    """Matches of one line within reach of its first one are one hit; with `each`, every match is."""
    columns = Columns(snapshot, task)
    first: Match | None = None
    begin = end = 0
    spans: list[Span] = []
    for match in found:
        if first is not None:
            together = not each and match.offset < end and match.end - first.offset <= _REACH
            if together and len(spans) < _MOST_SUBMATCHES:
                spans.append((match.offset, match.end))
                continue
            yield hit_of(columns, begin, spans, task)
        if first is None or match.offset >= end:
            begin = snapshot.lines.begin(match.offset, task)
            end = snapshot.lines.end(match.offset, task)
            if end >= snapshot.size:
                end = snapshot.size + 1  # a match of nothing at the very end is in the last line
        first, spans = match, [(match.offset, match.end)]
    if first is not None:
        yield hit_of(columns, begin, spans, task)


def hit_of(columns: Columns, begin: int, spans: list[Span], task: Task, score: float = 1.0) -> Hit:
    """The hit of some matches that begin in the line at `begin`."""
    return Hit(
        offset=spans[0][0],
        end=spans[0][1],
        line=columns.snapshot.lines.line_at(begin, task),
        column=columns.column(begin, spans[0][0]),
        line_offset=begin,
        submatches=tuple(spans),
        score=score,
    )


def _other_lines(snapshot: Snapshot, found: Iterator[Match], start: int, task: Task) -> Iterator[Hit]:
    """The lines from `start` (a line's beginning) on that hold no part of a match."""
    first = snapshot.lines.line_at(start, task) if start < snapshot.size else 1
    ahead = next(found, None)
    for number, line in enumerate(snapshot.lines.since(start, limit=0, task=task), first):
        while ahead is not None and ahead.offset < line.offset and ahead.end <= line.offset:
            ahead = next(found, None)
        if ahead is None or ahead.offset > line.body_end:
            yield Hit(line.offset, line.body_end, number, 1, line.offset)
