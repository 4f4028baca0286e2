"""The part of a log between two times, found by bisection where its times rise.

A line without a timestamp, such as one of a trace, belongs to the entry before it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import NamedTuple

from filewright.errors import invalid
from filewright.logs.timestamps import (
    LogClock,
    find_clock,
    is_time_of_day,
)
from filewright.progress import Task
from filewright.text.snapshot import Snapshot

_PROBE_COUNT = 48
"""Places of a log at which times are compared to see if they rise."""

_PROBE_BYTES = 64 << 10
"""How far behind an offset an entry with a time is searched for."""

_SAMPLE_BYTES = 32 << 10
"""The beginning of a log, by which the form of its times is recognised."""

_LINE_BYTES = 512
"""The beginning of a line, in which its time is."""

_LINEAR_SEARCH_BYTES = 16 << 10
"""The size of a part in which lines are read one by one instead of bisected."""

_MARGIN_BYTES = 256 << 10
"""How far entries of several writers may be out of order in a log that rises."""

_LATE_SECONDS = 2 * 86400
"""How much later than the last change of their file entries may be.

The change is in UTC, and the entries may be in any zone.
"""

_DAY_SECONDS = 86400
_LARGEST_OFFSET_SECONDS = 14 * 3600
"""The largest offset from UTC, in the zone where a year begins first."""

_MAX_TRACE_BYTES = 256 << 10
"""How far before a line its entry is searched for."""


@dataclass(frozen=True, slots=True)
class Probe:
    """An entry with a time: its offset, and its time in seconds since 1970."""

    offset: int
    seconds: float


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


@dataclass(frozen=True, slots=True)
class _LineTime:
    """The time of the entry to which the line at an offset belongs."""

    offset: int
    seconds: float | None


class LogTimes:
    """The times of the entries in one log."""

    def __init__(self, snapshot: Snapshot, clock: LogClock, task: Task) -> None:
        self.clock = clock
        self._snapshot = snapshot
        self._task = task
        self._offsets: dict[float, int] = {}
        self._last_line: _LineTime | None = None

    @classmethod
    def of(cls, snapshot: Snapshot, task: Task) -> LogTimes | None:
        """Return the times of a log, or None if its lines have none."""
        sample = snapshot.read(snapshot.start, _SAMPLE_BYTES)
        modified_seconds = time.time()
        if snapshot.status is not None:
            modified_seconds = snapshot.status.st_mtime_ns / 1e9
        # East of Greenwich the year begins up to 14 hours earlier.
        year = datetime.fromtimestamp(
            modified_seconds + _LARGEST_OFFSET_SECONDS, UTC
        ).year
        latest_seconds = modified_seconds + _LATE_SECONDS
        clock = find_clock(sample.splitlines()[:400], year, latest_seconds)
        return None if clock is None else cls(snapshot, clock, task)

    def probe(self, offset: int, stop: int | None = None) -> Probe | None:
        """Return the first entry with a time that begins at or after an offset."""
        lines = self._snapshot.lines
        if offset > self._snapshot.start:
            offset = lines.line_end(offset - 1, self._task)
        search_stop = offset + _PROBE_BYTES if stop is None else stop
        for line in lines.read_lines(
            offset, search_stop, limit=_LINE_BYTES, task=self._task
        ):
            seconds = self.clock.read(line.body)
            if seconds is not None:
                return Probe(line.offset, seconds)
        return None

    def find_first(self) -> Probe | None:
        """Return the first entry with a time."""
        return self.probe(self._snapshot.start)

    def find_last(self) -> Probe | None:
        """Return the last entry with a time."""
        # Most logs end with an entry; a dump behind it takes a longer search.
        for byte_count in (
            _PROBE_BYTES // 8,
            4 * _PROBE_BYTES,
            64 * _PROBE_BYTES,
        ):
            last = self._last_within(byte_count)
            if last is not None:
                return last
        return None

    def _last_within(self, byte_count: int) -> Probe | None:
        """Return the last entry with a time in the last bytes of the log."""
        size = self._snapshot.size
        start = max(self._snapshot.start, size - byte_count)
        start = self._snapshot.lines.line_start(start, self._task)
        last = None
        for line in self._snapshot.lines.read_lines(
            start, limit=_LINE_BYTES, task=self._task
        ):
            seconds = self.clock.read(line.body)
            if seconds is not None:
                last = Probe(line.offset, seconds)
        return last

    def sample(self, count: int = _PROBE_COUNT) -> list[Probe]:
        """Return entries at even distances, in the order of the log."""
        start, size = self._snapshot.start, self._snapshot.size
        return self._sample_between(start, size, (size - start) // count)

    def _sample_between(
        self, start: int, stop: int, distance: int
    ) -> list[Probe]:
        probes: list[Probe] = []
        for offset in range(start, stop, max(1, distance)):
            if probes and offset <= probes[-1].offset:
                continue
            probe = self.probe(offset)
            if probe is not None:
                probes.append(probe)
        return probes

    def is_sorted(self) -> bool:
        """Return True if the times of entries at even distances never fall."""
        return _are_sorted(self.sample())

    def is_sorted_around(self, offset: int) -> bool:
        """Return True if the times near an offset never fall either.

        In autumn the clock goes back an hour, which entries days apart do not show.
        """
        start, size = self._snapshot.start, self._snapshot.size
        distance = (size - start) // _PROBE_COUNT
        if distance <= _MARGIN_BYTES:
            return True
        near_distance = max(_MARGIN_BYTES // 2, 2 * distance // _PROBE_COUNT)
        near_start = max(start, offset - distance - near_distance)
        near_stop = min(size, offset + distance + near_distance)
        return _are_sorted(
            self._sample_between(near_start, near_stop, near_distance)
        )

    def find(self, seconds: float) -> int:
        """Return the offset of the first entry at or after a time, in a sorted log."""
        offset = self._offsets.get(seconds)
        if offset is None:
            offset = self._offsets[seconds] = self._search(seconds)
        return offset

    def _search(self, seconds: float) -> int:
        """Find the entry by halving the log, then line by line in the last part."""
        search_start, search_stop = self._snapshot.start, self._snapshot.size
        offset = search_stop
        while search_stop - search_start > _LINEAR_SEARCH_BYTES:
            middle = (search_start + search_stop) // 2
            # If a long trace has no time up to `high`, the entry is before the middle.
            probe = self.probe(middle, search_stop)
            if probe is None:
                search_stop = middle
            elif probe.seconds >= seconds:
                search_stop, offset = middle, probe.offset
            else:
                search_start = probe.offset
        for line in self._snapshot.lines.read_lines(
            search_start, offset, limit=_LINE_BYTES, task=self._task
        ):
            line_seconds = self.clock.read(line.body)
            if line_seconds is not None and line_seconds >= seconds:
                return line.offset
        return offset

    def time_of_line(self, offset: int, body: bytes) -> float | None:
        """Return the time of the entry to which the line at an offset belongs."""
        last_line = self._last_line
        if last_line is not None and last_line.offset == offset:
            return last_line.seconds
        seconds = self.clock.read(body)
        if seconds is None:
            seconds = self._time_before(offset)
        self._last_line = _LineTime(offset, seconds)
        return seconds

    def _time_before(self, offset: int) -> float | None:
        """Return the time of the last entry before an offset.

        Callers pass the lines of a log in order. So the search goes back at most to the
        line of the last call, and reads no trace twice.
        """
        known_line = _LineTime(self._snapshot.start, None)
        if self._last_line is not None and self._last_line.offset < offset:
            known_line = self._last_line
        byte_count = 4 << 10
        while byte_count <= _MAX_TRACE_BYTES:
            start = max(known_line.offset, offset - byte_count)
            lines = self._snapshot.read(start, offset - start).splitlines()
            if start > known_line.offset:
                lines = lines[1:]
            for line in reversed(lines):
                seconds = self.clock.read(line)
                if seconds is not None:
                    return seconds
            if start == known_line.offset:
                return known_line.seconds
            byte_count *= 4
        return None


def _are_sorted(probes: Sequence[Probe]) -> bool:
    """Return True if no entry is earlier than the one before it."""
    return all(
        earlier.seconds <= later.seconds for earlier, later in pairwise(probes)
    )


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
            since_seconds -= _DAY_SECONDS
        if is_time_of_day(until):
            whole_days = (until_seconds - since_seconds) // _DAY_SECONDS
            until_seconds -= whole_days * _DAY_SECONDS
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
        start = max(snapshot.start, start - _MARGIN_BYTES)
        stop = min(snapshot.size, stop + _MARGIN_BYTES)
        start = snapshot.lines.line_start(start, task)
        stop = snapshot.lines.line_end(stop, task)
    else:
        start, stop = snapshot.start, snapshot.size
    time_range = TimeRange(
        times.clock, bounds.since, bounds.until, start, stop, is_sorted
    )
    return TimedPart(times, time_range)
