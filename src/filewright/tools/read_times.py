"""Reads of a log between two times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from filewright.boundary.location import Location
from filewright.errors import FilewrightError, invalid
from filewright.logs.time_range import LogTimes, find_time_range
from filewright.text.snapshot import Snapshot
from filewright.tools.context import Context
from filewright.tools.line_range import LineRange
from filewright.tools.read_arguments import ReadArguments

_COUNTED_BYTES = 64 << 20
"""Lines before a place are counted if they take no more bytes."""


def choose_time_range(
    context: Context,
    snapshot: Snapshot,
    arguments: ReadArguments,
    last: float | None = None,
) -> LineRange:
    """Return the lines between the times of a call.

    Relative times are before `last`, by default the last entry of the file.

    Raises `invalid_input` for a log whose times are not in their order.
    """
    task = context.task
    times, time_range = find_time_range(
        snapshot, arguments.since, arguments.until, task, last
    )
    if not time_range.is_sorted:
        raise invalid(
            f"{snapshot.requested_path}: the times are not in order, so no range of lines has them",
            "search_content with since and until finds the lines",
            argument="since" if arguments.since else "until",
        )
    start, stop = snapshot.start, None
    if arguments.since is not None:
        start = times.find(time_range.since)
    if arguments.until is not None:
        stop = times.find(time_range.end)
    if (stop is not None and stop <= start) or not snapshot.has_byte(start):
        raise _no_entries(times, snapshot)
    line = 1
    notes: tuple[str, ...] = ()
    if snapshot.lines.can_count_to(start, _COUNTED_BYTES):
        line = snapshot.lines.line_at(start, task)
        is_counted = True
    else:
        is_counted = False
        notes = (
            "lines are numbered from the first shown: those before it were not counted",
        )
    return LineRange(
        line, start, arguments.limit, stop, notes=notes, is_counted=is_counted
    )


def _no_entries(times: LogTimes, snapshot: Snapshot) -> FilewrightError:
    """Return the error for times between which a log has no entries."""
    first, last = times.first(), times.last()
    hint = "give other times"
    if first is not None and last is not None:
        hint = (
            f"its entries are from {times.clock.format(first.seconds)} "
            f"to {times.clock.format(last.seconds)}"
        )
    return invalid(
        f"{snapshot.requested_path} has no entries between these times",
        hint,
        argument="since",
    )


@dataclass(frozen=True, slots=True)
class Period:
    """The first and the last time of a log, as its clock shows them."""

    first: str
    last: str


def find_period(context: Context, members: Sequence[Location]) -> Period | None:
    """Return the times between which a log has entries, or None without times."""
    first = None
    for member in members:
        with context.open_page(member) as snapshot:
            times = LogTimes.of(snapshot, context.task)
            probe = None if times is None else times.first()
            if times is not None and probe is not None:
                first = times.clock.format_with_zone(probe.seconds)
                break
    last = None
    for member in reversed(members):
        with context.open_page(member) as snapshot:
            times = LogTimes.of(snapshot, context.task)
            probe = None if times is None else times.last()
            if times is not None and probe is not None:
                last = times.clock.format_with_zone(probe.seconds)
                break
    if first is None or last is None:
        return None
    return Period(first, last)


def last_time(context: Context, members: Sequence[Location]) -> float | None:
    """Return the time of the last entry of a rotated log, or None without one."""
    for member in reversed(members):
        with context.open_page(member) as snapshot:
            if snapshot.binary_type is not None:
                continue
            times = LogTimes.of(snapshot, context.task)
            last = None if times is None else times.last()
            if last is not None:
                return last.seconds
    return None
