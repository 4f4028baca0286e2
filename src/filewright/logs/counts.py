"""Counts of log entries: by fields, by groups of a pattern, by time, and their numbers."""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from filewright.errors import invalid
from filewright.logs.timestamps import LogClock
from filewright.rows.conditions import is_finite, to_number
from filewright.rows.fields import MISSING, find_value, show_value

MAX_COUNTED_VALUES = 60_000
"""Values that are told apart; entries with further values are counted together."""

MAX_SAMPLED_NUMBERS = 1_000_000
"""After so many numbers, every second one of them is dropped."""

_WIDTH = re.compile(r"(\d+)([smhd])")
_GROUP = re.compile(r"\$(\w+)")
_UNIT_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_NO_VALUE = "-"
_MIN_GAP_RATIO = 10
"""A gap is worth a note if it is so much longer than the mean time between entries."""

KeyValue = str | float


@dataclass(frozen=True, slots=True)
class CountKey:
    """One part of a key: a field, a group of the pattern, or a span of time in seconds."""

    path: str = ""
    group: str = ""
    span: int = 0

    @property
    def name(self) -> str:
        """Return the name as the caller wrote it; "" for a span of time."""
        return f"${self.group}" if self.group else self.path

    def read(self, line: CountedLine) -> KeyValue:
        """Return the value of a line: of a span of time, its beginning in seconds."""
        if self.span:
            if line.seconds is None:
                return -math.inf
            # A day begins at midnight in the zone of the log.
            offset = line.utc_offset
            return (line.seconds + offset) // self.span * self.span - offset
        if self.group:
            return show_value(line.groups.get(self.group) or _NO_VALUE)
        if line.entry is None:
            return _NO_VALUE
        return show_value(find_value(line.entry, self.path))

    def show(self, value: KeyValue, clock: LogClock | None) -> str:
        """Return a value as a column of a result."""
        if isinstance(value, str):
            return value
        if clock is None or math.isinf(value):
            return _NO_VALUE
        text = clock.format(value)
        # Hours or seconds that are zero in every row are left out.
        if self.span % 86400 == 0:
            return text.partition("T")[0]
        return text[:-3] if self.span % 60 == 0 else text


@dataclass(frozen=True, slots=True)
class CountedLine:
    """The facts of a line by which it is counted.

    `groups` are the texts of the pattern's groups by number and name. `seconds` is None
    for a line without a time.
    """

    entry: Mapping[str, Any] | None = None
    groups: Mapping[str, str | None] = field(default_factory=dict)
    seconds: float | None = None
    utc_offset: int = 0


@dataclass(slots=True)
class CountedValue:
    """The entries with one value: their count, their times, and the place of the first."""

    key: tuple[KeyValue, ...]
    count: int = 0
    path: str = ""
    line: int = 0
    first_seconds: float | None = None
    last_seconds: float | None = None
    numbers: tuple[array[float], ...] = ()
    largest: array[float] = field(default_factory=lambda: array("d"))

    def add_time(self, seconds: float | None) -> bool:
        """Note the time of an entry; return True if it is the earliest."""
        if seconds is None:
            return False
        if self.last_seconds is None or seconds > self.last_seconds:
            self.last_seconds = seconds
        if self.first_seconds is None or seconds < self.first_seconds:
            self.first_seconds = seconds
            return True
        return False


@dataclass(frozen=True, slots=True)
class NumberSummary:
    """The distribution of the numbers in a field: percentiles, and the largest."""

    path: str
    p50: float
    p95: float
    largest: float


@dataclass(frozen=True, slots=True)
class Gap:
    """The longest time without an entry, in seconds since 1970."""

    start: float
    end: float

    @property
    def seconds(self) -> float:
        """Return the length."""
        return self.end - self.start


def parse_keys(by: str) -> tuple[CountKey, ...]:
    """Return the parts of a key such as ``host``, ``err.code,10m`` or ``$1``.

    Raise `invalid_input` for an empty part.
    """
    keys = []
    for part in by.split(","):
        text = part.strip()
        width, group = _WIDTH.fullmatch(text), _GROUP.fullmatch(text)
        if not text or (width is not None and not int(width[1])):
            raise invalid(
                f"by={by!r} has a part without a name",
                'give fields ("host,err.code"), a time ("10m") or a group of the regex ("$1")',
                argument="by",
            )
        if width is not None:
            keys.append(CountKey(span=int(width[1]) * _UNIT_SECONDS[width[2]]))
        elif group is not None:
            keys.append(CountKey(group=group[1]))
        else:
            keys.append(CountKey(path=text))
    return tuple(keys)


class EntryCounts:
    """The number of entries by their keys, with the numbers of some fields.

    After `MAX_COUNTED_VALUES` values, entries with others are counted in `others`.
    `broken` counts lines that are no JSON objects.
    """

    def __init__(
        self, keys: Sequence[CountKey], numbers: Sequence[CountKey] = ()
    ) -> None:
        self.keys = tuple(keys)
        self.number_keys = tuple(numbers)
        self.others = 0
        self.broken = 0
        self._gap: Gap | None = None
        self._covered_seconds = 0.0
        self._values: dict[tuple[KeyValue, ...], CountedValue] = {}
        self._last_seconds: float | None = None
        self._number_count = 0
        self._stride = 1

    def __len__(self) -> int:
        return len(self._values)

    @property
    def has_entries(self) -> bool:
        """Return True if fields of JSON lines are needed."""
        return any(key.path for key in (*self.keys, *self.number_keys))

    @property
    def has_fields(self) -> bool:
        """Return True if a field of JSON lines is a part of the key."""
        return any(key.path for key in self.keys)

    @property
    def groups(self) -> tuple[str, ...]:
        """Return the groups of the pattern that are needed."""
        keys = (*self.keys, *self.number_keys)
        return tuple(key.group for key in keys if key.group)

    @property
    def has_spans(self) -> bool:
        """Return True if the time is a part of the key."""
        return any(key.span for key in self.keys)

    @property
    def is_sampled(self) -> bool:
        """Return True if the percentiles are those of a part of the numbers."""
        return self._stride > 1

    @property
    def total(self) -> int:
        """Return the number of entries whose values were counted."""
        return sum(value.count for value in self._values.values())

    @property
    def gap(self) -> Gap | None:
        """Return the longest time without an entry if it is unusually long."""
        if self._gap is None:
            return None
        mean = self._covered_seconds / max(1, self.total - 1)
        return self._gap if self._gap.seconds > _MIN_GAP_RATIO * mean else None

    def add(self, line: CountedLine) -> CountedValue | None:
        """Count a line. Return its value if the line is the earliest with it so far."""
        if self.has_fields and line.entry is None:
            self.broken += 1
            return None
        self._note_gap(line.seconds)
        key = tuple(part.read(line) for part in self.keys)
        value = self._values.get(key)
        is_first = value is None
        if value is None:
            if len(self._values) >= MAX_COUNTED_VALUES:
                self.others += 1
                return None
            value = CountedValue(key)
            value.numbers = tuple(array("d") for _ in self.number_keys)
            value.largest.extend([-math.inf] * len(self.number_keys))
            self._values[key] = value
        value.count += 1
        # The files of a folder are not in the order of time.
        is_first = value.add_time(line.seconds) or is_first
        self._add_numbers(value, line)
        return value if is_first else None

    def begin_file(self) -> None:
        """Note that the next line does not follow the last one."""
        self._last_seconds = None

    def _note_gap(self, seconds: float | None) -> None:
        """Note the time since the last entry if it is the longest so far."""
        if seconds is None:
            return
        last, self._last_seconds = self._last_seconds, seconds
        # An entry that is out of order ends no gap.
        if last is None or seconds <= last:
            return
        self._covered_seconds += seconds - last
        if self._gap is None or seconds - last > self._gap.seconds:
            self._gap = Gap(last, seconds)

    def _add_numbers(self, value: CountedValue, line: CountedLine) -> None:
        is_sampled = not value.count % self._stride
        for index, key in enumerate(self.number_keys):
            number = _read_number(key, line)
            if number is None:
                continue
            value.largest[index] = max(value.largest[index], number)
            # A rare value has one number at least, and so a distribution.
            if is_sampled or not value.numbers[index]:
                value.numbers[index].append(number)
                self._number_count += 1
        if self._number_count > MAX_SAMPLED_NUMBERS and self._can_drop_half():
            self._drop_half()

    def _can_drop_half(self) -> bool:
        """Return True if values have more numbers than the one that each always has."""
        return self._number_count > 2 * len(self) * len(self.number_keys)

    def _drop_half(self) -> None:
        """Drop every second number, and from now on take half as many."""
        self._stride *= 2
        self._number_count = 0
        for value in self._values.values():
            value.numbers = tuple(
                numbers[1::2] or numbers for numbers in value.numbers
            )
            self._number_count += sum(map(len, value.numbers))

    def ranked(self) -> list[CountedValue]:
        """Return the values, the most frequent first; with a time in the order of keys."""
        values = list(self._values.values())
        if self.has_spans:
            return sorted(values, key=lambda value: value.key)
        return sorted(values, key=lambda value: -value.count)

    def show_key(self, value: CountedValue, clock: LogClock | None) -> str:
        """Return the key of a value as columns."""
        parts = [
            key.show(part, clock)
            for key, part in zip(self.keys, value.key, strict=True)
        ]
        return "\t".join(parts)

    @property
    def paths_without_numbers(self) -> tuple[str, ...]:
        """Return the fields that were no numbers in any entry."""
        paths = []
        for index, key in enumerate(self.number_keys):
            if not any(value.numbers[index] for value in self._values.values()):
                paths.append(key.name)
        return tuple(paths)

    def summarize(self, value: CountedValue) -> tuple[NumberSummary, ...]:
        """Return the distributions of the numbers of a value."""
        summaries = []
        for index, sample in enumerate(value.numbers):
            if not sample:
                continue
            numbers = sorted(sample)
            summaries.append(
                NumberSummary(
                    path=self.number_keys[index].name,
                    p50=_percentile(numbers, 50),
                    p95=_percentile(numbers, 95),
                    largest=value.largest[index],
                )
            )
        return tuple(summaries)


def _read_number(key: CountKey, line: CountedLine) -> float | None:
    """Return the finite number of a line, or None if it is no number."""
    value: Any = MISSING
    if key.group:
        value = line.groups.get(key.group)
    elif key.path and line.entry is not None:
        value = find_value(line.entry, key.path)
    number = to_number(value)
    if number is None or not is_finite(number):
        return None
    return number


def _percentile(numbers: Sequence[float], percent: int) -> float:
    """Return the smallest of sorted numbers that is not below `percent` of them."""
    rank = math.ceil(len(numbers) * percent / 100)
    return numbers[max(0, rank - 1)]
