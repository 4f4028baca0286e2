"""Searching one snapshot: which engine, how many hits, and where it stopped."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from filewright.progress import Task
from filewright.search import engine
from filewright.search.hit import Found, Hit, Match
from filewright.search.lines import hits, other_lines
from filewright.search.pattern import Pattern
from filewright.search.scan import matches
from filewright.text import Snapshot

REACH = 400
"""Bytes of a line, from the first match on, whose further matches belong to the same hit."""


def search_snapshot(
    snapshot: Snapshot,
    pattern: Pattern,
    *,
    limit: int,
    start: int | None = None,
    invert: bool = False,
    task: Task | None = None,
) -> Found:
    """The first `limit` hits from byte `start` on (the `stopped_at` of an earlier search).

    A hit is a line that matches (in a long line: a part of it; multiline: a match); inverted, a line
    that does not. The text must be text: ask `snapshot.binary` first. Raises `cancelled`, `timeout`,
    `io_error`.
    """
    checked = task or Task()
    begin = snapshot.start if start is None else max(start, snapshot.start)
    found = list(islice(_hits(snapshot, pattern, begin, invert, checked), limit + 1))
    if len(found) <= limit:
        return Found(tuple(found), complete=True, count=len(found))
    kept = found[:limit]
    return Found(
        tuple(kept),
        complete=False,
        stopped_at=found[limit].offset,
        count=limit,
        reason=f"stopped after {limit} hits",
    )


def count_hits(
    snapshot: Snapshot, pattern: Pattern, *, invert: bool = False, task: Task | None = None
) -> int:
    """How many lines match (multiline: how many matches; inverted: how many lines do not)."""
    checked = task or Task()
    if invert:
        return snapshot.lines.counted(checked) - count_hits(snapshot, pattern, task=checked)
    if engine.suits(snapshot, pattern, snapshot.start):
        counted = engine.count(snapshot, pattern, checked)
        if counted is not None:
            return counted
    found = _matches(snapshot, pattern, snapshot.start, checked)
    if pattern.multiline:
        return sum(1 for _ in found)
    total, end = 0, -1
    for match in found:
        if match.offset >= end:
            total += 1
            end = snapshot.lines.end(match.offset, checked)
            if end >= snapshot.size:
                end = snapshot.size + 1
    return total


def _hits(snapshot: Snapshot, pattern: Pattern, start: int, invert: bool, task: Task) -> Iterator[Hit]:
    found = _matches(snapshot, pattern, start, task)
    if invert:
        return other_lines(snapshot, found, start, task=task)
    return hits(snapshot, found, multiline=pattern.multiline, reach=REACH, task=task)


def _matches(snapshot: Snapshot, pattern: Pattern, start: int, task: Task) -> Iterator[Match]:
    if engine.suits(snapshot, pattern, start):
        return engine.matches(snapshot, pattern, start, task)
    return matches(snapshot, pattern, start=start, task=task)
