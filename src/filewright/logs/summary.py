"""The summary of a log: its period, the rate of its entries, and the kinds of its lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from filewright.logs.time_range import LogTimes, Probe
from filewright.logs.timestamps import LogClock
from filewright.progress import Task
from filewright.rows.fields import find_value, parse_entry
from filewright.text.snapshot import Snapshot

_BARS = "▁▂▃▄▅▆▇█"
_MAX_BARS = 40
"""Bars of a rate, which a reader sees on one line."""

_MAX_COUNTED_BYTES = 2 << 20
"""The entries of a log up to this size are counted; longer ones are estimated."""

_PROBES = 160
"""Places at which the time of a long log is read, to estimate its rate."""

_PROBES_IN_COMPRESSED = 32
"""Fewer of them: the text up to each place must be decoded."""

_SHOWN_KINDS = 5
"""Kinds of lines that are named, of the frequent and of the rare ones."""

_MAX_KIND_CHARS = 110
_MESSAGE_FIELDS = ("msg", "message", "event", "log", "error")
_VARIABLE = re.compile(
    r"\b(?=[0-9a-fA-F-]*[0-9])[0-9a-fA-F]{4}[0-9a-fA-F-]*\b|[0-9]+"
)
_BUCKET_MINUTES = (1, 2, 5, 10, 15, 30, 60, 120, 240, 480, 720, 1440)


@dataclass(frozen=True, slots=True)
class LineKind:
    """Lines that differ only in numbers: how many there are, and one of them."""

    text: str
    count: int


@dataclass(frozen=True, slots=True)
class LogRate:
    """The number of entries in each bucket of some minutes, from a first time on."""

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
    """The facts of a log that need its times, and the kinds of its sampled lines.

    `first` and `last` are in the zone of the log. `rate` is "" for times out of order.
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
    shown = kinds[:_SHOWN_KINDS]
    rare = kinds[_SHOWN_KINDS:][-_SHOWN_KINDS:]
    return LogSummary(
        form=times.clock.form.name,
        first=times.clock.format(first.seconds),
        last=times.clock.format(last.seconds),
        rate="" if rate is None else _describe_rate(rate, times.clock),
        frequent=tuple(shown),
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
    """Return the number of entries over time, counted or estimated from samples.

    None if the times are not in order.
    """
    minutes = _bucket_minutes(last.seconds - first.seconds)
    width = minutes * 60
    start = first.seconds // width * width
    bucket_count = int((last.seconds - start) // width) + 1
    if bucket_count < 1 or bucket_count > _MAX_BARS + 1:
        return None
    buckets = _Buckets(start, width, [0.0] * bucket_count)
    if snapshot.size <= _MAX_COUNTED_BYTES:
        for line in snapshot.lines.read_lines(limit=512, task=task):
            seconds = times.clock.read(line.body)
            if seconds is not None:
                buckets.count(seconds)
        return LogRate(start, minutes, tuple(buckets.counts), is_estimate=False)
    probe_count = _PROBES
    if snapshot.compression and snapshot.content is None:
        probe_count = _PROBES_IN_COMPRESSED
    lines_per_byte = line_count / snapshot.size
    for probe, following in pairwise([*times.sample(probe_count), last]):
        if following.seconds < probe.seconds:
            return None
        lines = (following.offset - probe.offset) * lines_per_byte
        buckets.spread(probe.seconds, following.seconds, lines)
    return LogRate(start, minutes, tuple(buckets.counts), is_estimate=True)


@dataclass(frozen=True, slots=True)
class _Buckets:
    """Counts of entries in spans of `width` seconds, from `start` on."""

    start: float
    width: int
    counts: list[float]

    def count(self, seconds: float) -> None:
        """Count the entry of a time."""
        bucket = int((seconds - self.start) // self.width)
        # A log that is not quite in order has entries outside of its first and last.
        if 0 <= bucket < len(self.counts):
            self.counts[bucket] += 1

    def spread(
        self, first_seconds: float, last_seconds: float, lines: float
    ) -> None:
        """Add lines evenly to the buckets between two times."""
        low = (first_seconds - self.start) / self.width
        high = (last_seconds - self.start) / self.width
        # Entries of one moment would divide by nothing.
        span = max(high - low, 1e-9)
        for bucket in range(int(low), min(int(high) + 1, len(self.counts))):
            part = min(high, bucket + 1) - max(low, bucket)
            self.counts[bucket] += lines * max(part, 0.0) / span


def _bucket_minutes(seconds: float) -> int:
    """Return the round number of minutes that divides a period into few buckets."""
    for minutes in _BUCKET_MINUTES:
        if seconds / 60 / minutes < _MAX_BARS:
            return minutes
    return max(1, int(seconds / 60 / _MAX_BARS) + 1)


def _describe_rate(rate: LogRate, clock: LogClock) -> str:
    """Return the bars, with the peak in entries a minute."""
    peak = max(range(len(rate.counts)), key=lambda index: rate.counts[index])
    time_of_peak = clock.format(rate.start + peak * rate.minutes * 60)
    a_minute = rate.counts[peak] / rate.minutes
    about = "about " if rate.is_estimate else ""
    per_bar = "minute" if rate.minutes == 1 else f"{rate.minutes} minutes"
    return (
        f"{rate.bars} ({per_bar} a bar; most at {time_of_peak[:-3]}: "
        f"{about}{a_minute:,.0f} a minute)"
    )


def _count_kinds(lines: Iterable[str], clock: LogClock) -> list[LineKind]:
    """Return the kinds of lines, the most frequent first."""
    counts: Counter[str] = Counter()
    examples: dict[str, str] = {}
    for line in lines:
        text = _message(line, clock)
        if not text:
            continue
        key = _VARIABLE.sub("0", text)
        counts[key] += 1
        examples.setdefault(key, text)
    return [
        LineKind(examples[key], count) for key, count in counts.most_common()
    ]


def _message(line: str, clock: LogClock) -> str:
    """Return the part of a line that says what happened: without its time."""
    if line.startswith("{"):
        entry = parse_entry(line.encode("utf-8", "replace"))
        for name in _MESSAGE_FIELDS:
            value = None if entry is None else find_value(entry, name)
            if isinstance(value, str):
                return value[:_MAX_KIND_CHARS]
    pattern = clock.form.pattern
    # One byte for each character, so that the offsets of both are the same.
    match = pattern.search(line.encode("latin-1", "replace"))
    if match is None:
        # A line of a trace belongs to the entry before it.
        return ""
    without_time = line[: match.start()] + line[match.end() :]
    return without_time.strip(" []\t-")[:_MAX_KIND_CHARS]
