"""The times of the entries in one log, read at some places or found by bisection.

A line without a timestamp, such as one of a stack trace, belongs to the entry before it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise

from filewright.logs.clock import LogClock, find_clock
from filewright.logs.timestamps import DAY_SECONDS
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

MAX_DISORDER_BYTES = 256 << 10
"""How far entries of several writers may be out of order in a log that rises."""

_LATE_SECONDS = 2 * DAY_SECONDS
"""How much later than the last change of their file entries may be.

The change is in UTC, and the entries may be in any zone.
"""

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
        if distance <= MAX_DISORDER_BYTES:
            return True
        near_distance = max(
            MAX_DISORDER_BYTES // 2, 2 * distance // _PROBE_COUNT
        )
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
            # Without a time up to `search_stop`, as in a long trace, the entry is before the
            # middle.
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

        Callers pass the lines of a log in order. So the search goes back to the line of the
        last call at most, and never reads the lines of a stack trace twice.
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
