"""The part of a log between two times, found by bisection where its times rise."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from filewright.errors import invalid
from filewright.logs.clock import LogClock, is_time_of_day
from filewright.logs.log_times import MAX_DISORDER_BYTES, LogTimes
from filewright.logs.timestamps import DAY_SECONDS
from filewright.progress import Task
from filewright.text.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class TimeRange:
    """A range of times, and the bytes [start, stop) of a log that may hold its entries.

    `since` and `until` are seconds since 1970, or infinite. Unless `is_sorted`, the bytes
    are those of the whole log.
    """

    clock: LogClock
    since: float
    until: float
    start: int
    stop: int
    is_sorted: bool

    @property
    def end(self) -> float:
        """Return the time at which the range is over.

        A range until a whole second includes all entries of that second.
        """
        if math.isinf(self.until) or self.until == int(self.until):
            return self.until + 1
        return math.nextafter(self.until, math.inf)


class TimedPart(NamedTuple):
    """The times of a log, and the range of them that a call selects."""

    times: LogTimes
    time_range: TimeRange


class TimeBounds(NamedTuple):
    """The bounds of a call in seconds since 1970, infinite where it names none."""

    since: float
    until: float


def parse_bounds(
    clock: LogClock,
    since: str | None,
    until: str | None,
    last_seconds: float | None,
) -> TimeBounds:
    """Return the bounds that a caller names.

    A `since` such as "10:30" is the last such time before the last entry; then an `until`
    such as "11:00" is the next one after it. Raise `invalid_input` for a text that is no
    time.
    """
    since_seconds, until_seconds = -math.inf, math.inf
    if since is not None:
        since_seconds = _parse_time(clock, "since", since, last_seconds)
    if until is not None:
        until_seconds = _parse_time(clock, "until", until, last_seconds)
    if last_seconds is not None and is_time_of_day(since):
        if since_seconds > last_seconds:
            since_seconds -= DAY_SECONDS
        if is_time_of_day(until):
            whole_days = (until_seconds - since_seconds) // DAY_SECONDS
            until_seconds -= whole_days * DAY_SECONDS
    return TimeBounds(since_seconds, until_seconds)


def _parse_time(
    clock: LogClock, argument: str, text: str, last_seconds: float | None
) -> float:
    """Return the time in an argument of a call; raise `invalid_input` if it has none."""
    seconds = clock.parse(text, last_seconds)
    if seconds is None:
        raise invalid(
            f"{argument}={text!r} is no time",
            'give "2026-11-29T10:30:00Z", "10:30" of the last day, or "15m" before the last entry',
            argument=argument,
        )
    return seconds


def find_time_range(
    snapshot: Snapshot,
    since: str | None,
    until: str | None,
    task: Task,
    last_seconds: float | None = None,
) -> TimedPart:
    """Return the part of a log between two times that a caller names.

    Relative times are before `last_seconds`, by default the last entry of the file. Raise
    `invalid_input` for a file without timestamps, and for a text that is no time.
    """
    path = snapshot.requested_path
    times = LogTimes.of(snapshot, task)
    if times is None:
        raise invalid(
            f"{path}: its lines have no timestamps",
            "leave out since and until; search_content finds text",
            argument="since" if since else "until",
        )
    if last_seconds is None:
        last_entry = times.find_last()
        last_seconds = None if last_entry is None else last_entry.seconds
    bounds = parse_bounds(times.clock, since, until, last_seconds)
    is_sorted = times.is_sorted()
    start, stop = snapshot.start, snapshot.size
    if is_sorted and since is not None:
        start = times.find(bounds.since)
        is_sorted = times.is_sorted_around(start)
    if is_sorted and until is not None:
        # A time in whole seconds means all of that second.
        stop = times.find(bounds.until + 1)
        is_sorted = times.is_sorted_around(stop)
    if is_sorted:
        # Several writers may have written their last entries in another order.
        start = max(snapshot.start, start - MAX_DISORDER_BYTES)
        stop = min(snapshot.size, stop + MAX_DISORDER_BYTES)
        start = snapshot.lines.line_start(start, task)
        stop = snapshot.lines.line_end(stop, task)
    else:
        start, stop = snapshot.start, snapshot.size
    time_range = TimeRange(
        times.clock, bounds.since, bounds.until, start, stop, is_sorted
    )
    return TimedPart(times, time_range)
