"""The summary of a log: its period, the rate of its entries, and the kinds of its lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from filewright.logs.clock import LogClock
from filewright.logs.log_times import LogTimes, Probe
from filewright.progress import Task
from filewright.rows.fields import find_value, parse_entry
from filewright.text.snapshot import Snapshot

_BARS = "▁▂▃▄▅▆▇█"
_MAX_BARS = 40
"""Bars of a rate: as many as fit on one line."""

_MAX_COUNTED_BYTES = 2 << 20
"""The largest log whose entries are counted; those of a larger one are estimated."""

_PROBE_COUNT = 160
"""Places of a long log at which a time is read to estimate its rate."""

_COMPRESSED_PROBE_COUNT = 32
"""Fewer places in a compressed log: the text up to each must be decompressed."""

_LISTED_KINDS = 5
"""The frequent kinds of lines that are listed, and as many rare ones."""

_MAX_MESSAGE_CHARS = 110
_MESSAGE_FIELDS = ("msg", "message", "event", "log", "error")
_NUMBERS = re.compile(
    r"\b(?=[0-9a-fA-F-]*[0-9])[0-9a-fA-F]{4}[0-9a-fA-F-]*\b|[0-9]+"
)
_BUCKET_MINUTES = (1, 2, 5, 10, 15, 30, 60, 120, 240, 480, 720, 1440)


@dataclass(frozen=True, slots=True)
class LineKind:
    """Lines that differ only in numbers: one of them as `text`, and their number."""

    text: str
    count: int


@dataclass(frozen=True, slots=True)
class LogRate:
    """The number of entries in each bucket of `minutes`, from `start` on."""

    start: float
    minutes: int
    counts: tuple[float, ...]
    is_estimate: bool

    @property
    def bars(self) -> str:
        """Return a bar for each bucket; a space for one without entries."""
        peak = max(self.counts)
        bars = ""
        for count in self.counts:
            if count <= 0:
                bars += " "
            else:
                # Just below the number of bars, so that the peak has the last one.
                bars += _BARS[int(count / peak * 7.999)]
        return bars


@dataclass(frozen=True, slots=True)
class LogSummary:
    """The form of a log's times, its period, its rate, and the kinds of its lines.

    `first` and `last` are in the zone of the log. `rate` is "" for times out of order.
    `members` are the files of a rotated log.
    """

    form: str
    first: str
    last: str
    rate: str
    frequent: tuple[LineKind, ...]
    rare: tuple[LineKind, ...]
    members: tuple[str, ...] = ()


def summarize(
    snapshot: Snapshot,
    sampled_lines: Sequence[str],
    line_count: int,
    members: Sequence[str],
    task: Task,
) -> LogSummary | None:
    """Return the summary of a log, or None if its lines have no times."""
    times = LogTimes.of(snapshot, task)
    if times is None:
        return None
    first, last = times.find_first(), times.find_last()
    if first is None or last is None:
        return None
    rate = _measure_rate(snapshot, times, first, last, line_count, task)
    kinds = _count_kinds(sampled_lines, times.clock)
    frequent = kinds[:_LISTED_KINDS]
    rare = kinds[_LISTED_KINDS:][-_LISTED_KINDS:]
    return LogSummary(
        form=times.clock.form.name,
        first=times.clock.format(first.seconds),
        last=times.clock.format(last.seconds),
        rate="" if rate is None else _describe_rate(rate, times.clock),
        frequent=tuple(frequent),
        rare=tuple(reversed(rare)),
        members=tuple(members),
    )


def _measure_rate(
    snapshot: Snapshot,
    times: LogTimes,
    first: Probe,
    last: Probe,
    line_count: int,
    task: Task,
) -> LogRate | None:
    """Return the number of entries over time, or None if the times are not in order.

    The entries of a short log are counted, and those of a long one estimated.
    """
    minutes = _choose_bucket_minutes(last.seconds - first.seconds)
    bucket_seconds = minutes * 60
    start = first.seconds // bucket_seconds * bucket_seconds
    bucket_count = int((last.seconds - start) // bucket_seconds) + 1
    if bucket_count < 1 or bucket_count > _MAX_BARS + 1:
        return None
    buckets = _Buckets(start, bucket_seconds, [0.0] * bucket_count)
    if snapshot.size <= _MAX_COUNTED_BYTES:
        for line in snapshot.lines.read_lines(limit=512, task=task):
            seconds = times.clock.read(line.body)
            if seconds is not None:
                buckets.count(seconds)
        return LogRate(start, minutes, tuple(buckets.counts), is_estimate=False)
    probe_count = _PROBE_COUNT
    if snapshot.compression and snapshot.content is None:
        probe_count = _COMPRESSED_PROBE_COUNT
    lines_per_byte = line_count / snapshot.size
    for earlier, later in pairwise([*times.sample(probe_count), last]):
        if later.seconds < earlier.seconds:
            return None
        entry_count = (later.offset - earlier.offset) * lines_per_byte
        buckets.spread(earlier.seconds, later.seconds, entry_count)
    return LogRate(start, minutes, tuple(buckets.counts), is_estimate=True)


@dataclass(frozen=True, slots=True)
class _Buckets:
    """Counts of entries in spans of `width` seconds, from `start` on."""

    start: float
    width: int
    counts: list[float]

    def count(self, seconds: float) -> None:
        """Count an entry by its time."""
        index = int((seconds - self.start) // self.width)
        # A log that is not quite in order has entries before its first or after its last.
        if 0 <= index < len(self.counts):
            self.counts[index] += 1

    def spread(
        self, first_seconds: float, last_seconds: float, entry_count: float
    ) -> None:
        """Add entries evenly to the buckets between two times."""
        first_position = (first_seconds - self.start) / self.width
        last_position = (last_seconds - self.start) / self.width
        # Between two entries of one moment there is no time to divide by.
        length = max(last_position - first_position, 1e-9)
        for index in range(
            int(first_position), min(int(last_position) + 1, len(self.counts))
        ):
            overlap = min(last_position, index + 1) - max(first_position, index)
            self.counts[index] += entry_count * max(overlap, 0.0) / length


def _choose_bucket_minutes(seconds: float) -> int:
    """Return the smallest round number of minutes that gives few enough buckets."""
    for minutes in _BUCKET_MINUTES:
        if seconds / 60 / minutes < _MAX_BARS:
            return minutes
    return max(1, int(seconds / 60 / _MAX_BARS) + 1)


def _describe_rate(rate: LogRate, clock: LogClock) -> str:
    """Return the bars of a rate, with the time and the height of its peak."""
    peak_index = max(
        range(len(rate.counts)), key=lambda index: rate.counts[index]
    )
    peak_time = clock.format(rate.start + peak_index * rate.minutes * 60)
    entries_per_minute = rate.counts[peak_index] / rate.minutes
    qualifier = "about " if rate.is_estimate else ""
    bar_width = "minute" if rate.minutes == 1 else f"{rate.minutes} minutes"
    return (
        f"{rate.bars} ({bar_width} a bar; most at {peak_time[:-3]}: "
        f"{qualifier}{entries_per_minute:,.0f} a minute)"
    )


def _count_kinds(lines: Iterable[str], clock: LogClock) -> list[LineKind]:
    """Return the kinds of lines, the most frequent first."""
    counts: Counter[str] = Counter()
    examples: dict[str, str] = {}
    for line in lines:
        message = _find_message(line, clock)
        if not message:
            continue
        pattern = _NUMBERS.sub("0", message)
        counts[pattern] += 1
        examples.setdefault(pattern, message)
    return [
        LineKind(examples[pattern], count)
        for pattern, count in counts.most_common()
    ]


def _find_message(line: str, clock: LogClock) -> str:
    """Return the message of a line, or "" for a line of a stack trace.

    In JSON it is in one of some fields; in text, it is the line without its time.
    """
    if line.startswith("{"):
        entry = parse_entry(line.encode("utf-8", "replace"))
        for field_name in _MESSAGE_FIELDS:
            value = None if entry is None else find_value(entry, field_name)
            if isinstance(value, str):
                return value[:_MAX_MESSAGE_CHARS]
    pattern = clock.form.pattern
    # One byte for each character, so that the offsets of both are the same.
    match = pattern.search(line.encode("latin-1", "replace"))
    if match is None:
        # A line of a trace belongs to the entry before it.
        return ""
    without_time = line[: match.start()] + line[match.end() :]
    return without_time.strip(" []\t-")[:_MAX_MESSAGE_CHARS]
