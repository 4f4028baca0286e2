"""The files of a rotated log that may hold entries of the times of a search.

Each file of a rotated log ends where the next begins, so most need not be read.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from filewright.boundary.location import Location
from filewright.logs.clock import LogClock
from filewright.logs.log_times import LogTimes
from filewright.logs.selection import EntrySelection
from filewright.logs.time_range import TimeBounds, parse_bounds
from filewright.progress import Task
from filewright.search.searcher import Searcher, Unavailable

_MARGIN_SECONDS = 3600
"""How far entries of several writers may be out of order, over the end of a file."""


@dataclass(frozen=True, slots=True)
class _FirstEntry:
    """The time of the first entry of a file, and its clock."""

    seconds: float
    clock: LogClock


def choose_members(
    searcher: Searcher,
    members: Sequence[Location],
    selection: EntrySelection,
    task: Task,
) -> tuple[Location, ...]:
    """Return the files between the times of a selection, the oldest first.

    All files are returned if their first entries are not in the order of their names.
    Raises as `parse_bounds`.
    """
    chosen: list[Location] = []
    bounds = TimeBounds(-math.inf, math.inf)
    # The first entry of the next newer file: the end of a file is not read, since it is
    # about there.
    following = math.inf
    for member in reversed(members):
        first = _find_first(searcher, member, task)
        if first is None:
            # It may hold anything, so it is searched.
            chosen.append(member)
            continue
        if first.seconds > following + _MARGIN_SECONDS:
            return tuple(members)
        if math.isinf(following):
            # Times without a date or zone are read as the newest file writes them.
            bounds = parse_bounds(
                first.clock,
                selection.since,
                selection.until,
                selection.last_seconds,
            )
        following = first.seconds
        if first.seconds <= bounds.until + _MARGIN_SECONDS:
            chosen.append(member)
        if first.seconds < bounds.since - _MARGIN_SECONDS:
            break
    # Without a file, the oldest one tells which times the log has.
    return tuple(reversed(chosen)) or tuple(members[:1])


def _find_first(
    searcher: Searcher, member: Location, task: Task
) -> _FirstEntry | None:
    """Return the first entry of a file, or None if it has no times or cannot be read."""
    snapshot = searcher.open(member, task)
    if isinstance(snapshot, Unavailable):
        return None
    with snapshot:
        if snapshot.binary_type is not None:
            return None
        times = LogTimes.of(snapshot, task)
        first = None if times is None else times.find_first()
        if times is None or first is None:
            return None
        return _FirstEntry(first.seconds, times.clock)
