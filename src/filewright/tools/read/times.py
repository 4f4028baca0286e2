"""Reads of a log between two times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from filewright.boundary.location import Location
from filewright.errors import FilewrightError, invalid
from filewright.logs.log_times import LogTimes
from filewright.logs.time_range import TimedPart, find_time_range
from filewright.text.snapshot import Snapshot
from filewright.tools.context import Context
from filewright.tools.read.arguments import ReadArguments
from filewright.tools.read.line_range import LineRange

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
    part = find_time_range(
        snapshot, arguments.since, arguments.until, context.task, last
    )
    if not part.time_range.is_sorted:
        raise unsorted_error(snapshot.requested_path, arguments)
    line_range = _find_lines(context, snapshot, arguments, part)
    if line_range is None:
        raise _no_entries(part.times, snapshot)
    return line_range


@dataclass(frozen=True, slots=True)
class MemberPart:
    """The lines of one file of a rotated log that are between the times of a call.

    `line_range` is None if there are none, and if its times are not in order: `is_sorted`
    is then False.
    """

    line_range: LineRange | None = None
    is_sorted: bool = True


def choose_member_part(
    context: Context,
    snapshot: Snapshot,
    arguments: ReadArguments,
    last: float | None,
) -> MemberPart:
    """Return the lines of one file of a rotated log between the times of a call.

    Raises `invalid_input` for a text that is no time.
    """
    if LogTimes.of(snapshot, context.task) is None:
        return MemberPart()
    part = find_time_range(
        snapshot, arguments.since, arguments.until, context.task, last
    )
    if not part.time_range.is_sorted:
        return MemberPart(is_sorted=False)
    return MemberPart(_find_lines(context, snapshot, arguments, part))


def unsorted_error(path: str, arguments: ReadArguments) -> FilewrightError:
    """Return the error for a log whose times are not in order."""
    return invalid(
        f"{path}: its times are not in order, so they do not choose a range "
        "of lines",
        "search_content with since and until finds the lines",
        argument="since" if arguments.since else "until",
    )


def _find_lines(
    context: Context,
    snapshot: Snapshot,
    arguments: ReadArguments,
    part: TimedPart,
) -> LineRange | None:
    """Return the lines of a range of times, or None if there are none."""
    task = context.task
    start, stop = snapshot.start, None
    if arguments.since is not None:
        start = part.times.find(part.time_range.since)
    if arguments.until is not None:
        stop = part.times.find(part.time_range.end)
    if (stop is not None and stop <= start) or not snapshot.has_byte(start):
        return None
    line = 1
    notes: tuple[str, ...] = ()
    if snapshot.lines.can_count_to(start, _COUNTED_BYTES):
        line = snapshot.lines.line_at(start, task)
        is_counted = True
    else:
        is_counted = False
        notes = (
            "lines are numbered from the first shown line, not from the "
            "file's first",
        )
    return LineRange(
        line, start, arguments.limit, stop, notes=notes, is_counted=is_counted
    )


def _no_entries(times: LogTimes, snapshot: Snapshot) -> FilewrightError:
    """Return the error for times between which a log has no entries."""
    first, last = times.find_first(), times.find_last()
    hint = "give since and until within these times"
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
            probe = None if times is None else times.find_first()
            if times is not None and probe is not None:
                first = times.clock.format_with_zone(probe.seconds)
                break
    last = None
    for member in reversed(members):
        with context.open_page(member) as snapshot:
            times = LogTimes.of(snapshot, context.task)
            probe = None if times is None else times.find_last()
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
            last = None if times is None else times.find_last()
            if last is not None:
                return last.seconds
    return None
