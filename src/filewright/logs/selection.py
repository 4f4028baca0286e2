"""The lines of a log that a call asks for: by their time, and by their fields."""

from __future__ import annotations

from dataclasses import dataclass

from filewright.logs.time_range import LogTimes, TimeRange, find_time_range
from filewright.progress import Task
from filewright.rows.conditions import Condition
from filewright.rows.fields import MAX_ENTRY_BYTES, parse_entry
from filewright.text.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Selection:
    """The conditions of a call on the entries of a log.

    Without `has_pattern` every line that fits them is a hit. Relative times are before
    `last_seconds`, by default the last entry of each file.
    """

    since: str | None = None
    until: str | None = None
    conditions: tuple[Condition, ...] = ()
    has_pattern: bool = True
    last_seconds: float | None = None

    @property
    def has_time(self) -> bool:
        """Return True if the entries of a part of the time are selected."""
        return self.since is not None or self.until is not None

    @property
    def is_empty(self) -> bool:
        """Return True if every line is selected."""
        return not self.has_time and not self.conditions


@dataclass
class SelectedLines:
    """The selection in one file: the bytes that may hold lines of it, and a test of each.

    `broken_count` counts lines that are no JSON objects.
    """

    selection: Selection
    start: int
    stop: int
    times: LogTimes | None = None
    time_range: TimeRange | None = None
    broken_count: int = 0

    @classmethod
    def of(
        cls, snapshot: Snapshot, selection: Selection, task: Task
    ) -> SelectedLines:
        """Return the selection in a file. Raises as `find_time_range`."""
        if not selection.has_time:
            return cls(selection, snapshot.start, 1 << 62)
        times, time_range = find_time_range(
            snapshot,
            selection.since,
            selection.until,
            task,
            selection.last_seconds,
        )
        return cls(
            selection, time_range.start, time_range.stop, times, time_range
        )

    def may_have_entries(self, snapshot: Snapshot) -> bool:
        """Return False if fields are compared, and the first line is no JSON object."""
        if not self.selection.conditions or not snapshot.has_byte(self.start):
            return True
        line = snapshot.lines.read_line(snapshot.start, MAX_ENTRY_BYTES)
        return parse_entry(line.body) is not None

    def accepts(self, offset: int, body: bytes) -> bool:
        """Return True if the line at an offset is selected."""
        if self.selection.conditions:
            entry = parse_entry(body)
            if entry is None:
                if body.strip():
                    self.broken_count += 1
                return False
            for condition in self.selection.conditions:
                if not condition.accepts(entry):
                    return False
        return self._is_in_time(offset, body)

    def _is_in_time(self, offset: int, body: bytes) -> bool:
        if self.times is None or self.time_range is None:
            return True
        seconds = self.times.time_of_line(offset, body)
        if seconds is None:
            return False
        return self.time_range.since <= seconds < self.time_range.end
