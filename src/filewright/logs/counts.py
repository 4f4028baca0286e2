"""Counts of log entries by fields, by groups of a pattern, or by time.

The numbers in some fields can be summarized for every count.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from filewright.errors import invalid
from filewright.logs.clock import LogClock
from filewright.logs.timestamps import DAY_SECONDS, UNIT_SECONDS
from filewright.rows.fields import MISSING, find_value, show_value
from filewright.rows.numbers import is_finite, read_number

MAX_COUNTED_VALUES = 60_000
"""Values with a count of their own; entries with further values are counted together."""

MAX_SAMPLED_NUMBERS = 1_000_000
"""The numbers held for percentiles; beyond it, every second one is dropped."""

_SPAN_TEXT = re.compile(r"(\d+)([smhd])")
_GROUP_TEXT = re.compile(r"\$(\w+)")
_NO_VALUE = "-"
_MIN_GAP_RATIO = 10
"""A gap is reported if it is this many times the mean time between entries."""

KeyValue = str | float


@dataclass(frozen=True, slots=True)
class KeyPart:
    """One part of the key by which entries are counted.

    It is the `path` of a field, a `group` of the pattern, or a `span` of time in seconds.
    """

    path: str = ""
    group: str = ""
    span: int = 0

    @property
    def name(self) -> str:
        """Return the name that the caller gave it; "" for a span of time."""
        return f"${self.group}" if self.group else self.path

    def read(self, line: CountedLine) -> KeyValue:
        """Return the value of this part in a line: for a span, its first second."""
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

    def show(self, key_value: KeyValue, clock: LogClock | None) -> str:
        """Return a value of this part as a column of a result."""
        if isinstance(key_value, str):
            return key_value
        if clock is None or math.isinf(key_value):
            return _NO_VALUE
        formatted_time = clock.format(key_value)
        # Hours or seconds that are zero in every row are left out.
        if self.span % DAY_SECONDS == 0:
            return formatted_time.partition("T")[0]
        return formatted_time[:-3] if self.span % 60 == 0 else formatted_time


@dataclass(frozen=True, slots=True)
class CountedLine:
    """A line to count: its fields, the groups of its match, and its time.

    `groups` are the texts of the pattern's groups by number and name. `seconds` is None
    for a line without a time. `offset` is its place in its file.
    """

    entry: Mapping[str, Any] | None = None
    groups: Mapping[str, str | None] = field(default_factory=dict)
    seconds: float | None = None
    utc_offset: int = 0
    offset: int = 0


@dataclass(slots=True)
class LargestNumber:
    """The largest number of a field in the entries with one value, and its line.

    The line is known when the file is counted whole; until then it is 0, and its `offset`
    is known.
    """

    number: float = -math.inf
    offset: int = -1
    path: str = ""
    line: int = 0


@dataclass(slots=True)
class CountedValue:
    """The entries with one value: their count, their times, and the place of the first.

    `numbers` and `largest` have an item for each field whose numbers are summarized.
    """

    key_values: tuple[KeyValue, ...]
    count: int = 0
    path: str = ""
    line: int = 0
    first_seconds: float | None = None
    last_seconds: float | None = None
    numbers: tuple[array[float], ...] = ()
    largest: tuple[LargestNumber, ...] = ()

    def add_time(self, seconds: float | None) -> bool:
        """Record the time of an entry; return True if it is the earliest."""
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
    largest: LargestNumber


@dataclass(slots=True)
class UnreadNumbers:
    """The number of texts in a field that are no certain numbers, and the first."""

    example: str
    count: int = 0


@dataclass(frozen=True, slots=True)
class Gap:
    """The longest time without an entry, in seconds since 1970."""

    start: float
    end: float

    @property
    def seconds(self) -> float:
        """Return the length of the gap."""
        return self.end - self.start


def parse_key(by: str) -> tuple[KeyPart, ...]:
    """Return the parts of a key such as ``host``, ``err.code,10m`` or ``$1``.

    Raise `invalid_input` for an empty part, and for a span of no time.
    """
    parts = []
    for piece in by.split(","):
        text = piece.strip()
        span, group = _SPAN_TEXT.fullmatch(text), _GROUP_TEXT.fullmatch(text)
        if not text or (span is not None and not int(span[1])):
            raise invalid(
                f"by={by!r} has a part without a name",
                'give fields ("host,err.code"), a time ("10m") or a group of the regex ("$1")',
                argument="by",
            )
        if span is not None:
            parts.append(KeyPart(span=int(span[1]) * UNIT_SECONDS[span[2]]))
        elif group is not None:
            parts.append(KeyPart(group=group[1]))
        else:
            parts.append(KeyPart(path=text))
    return tuple(parts)


class EntryCounts:
    """The entries of a log, counted by a key, with the numbers of some fields.

    After `MAX_COUNTED_VALUES` values, entries with others are counted in `other_count`.
    `broken_count` is the number of lines that are no JSON objects.
    """

    def __init__(
        self, key_parts: Sequence[KeyPart], number_parts: Sequence[KeyPart] = ()
    ) -> None:
        self.key_parts = tuple(key_parts)
        self.number_parts = tuple(number_parts)
        self.other_count = 0
        self.broken_count = 0
        self._gap: Gap | None = None
        self._covered_seconds = 0.0
        self._values: dict[tuple[KeyValue, ...], CountedValue] = {}
        self._last_seconds: float | None = None
        self._unplaced: dict[int, LargestNumber] = {}
        self._number_count = 0
        self._stride = 1
        self._unread: dict[str, UnreadNumbers] = {}
        self._decimal_sign_of: Callable[[str], str | None] = lambda _: None

    def __len__(self) -> int:
        return len(self._values)

    @property
    def has_fields(self) -> bool:
        """Return True if the lines must be parsed for their fields."""
        return any(part.path for part in (*self.key_parts, *self.number_parts))

    @property
    def is_by_field(self) -> bool:
        """Return True if a field is a part of the key."""
        return any(part.path for part in self.key_parts)

    @property
    def groups(self) -> tuple[str, ...]:
        """Return the groups of the pattern whose texts are needed."""
        parts = (*self.key_parts, *self.number_parts)
        return tuple(part.group for part in parts if part.group)

    @property
    def is_by_time(self) -> bool:
        """Return True if the time is a part of the key."""
        return any(part.span for part in self.key_parts)

    @property
    def is_sampled(self) -> bool:
        """Return True if the percentiles are of a sample of the numbers."""
        return self._stride > 1

    @property
    def total(self) -> int:
        """Return the number of entries in all counts."""
        return sum(value.count for value in self._values.values())

    @property
    def gap(self) -> Gap | None:
        """Return the longest time without an entry if it is unusually long."""
        if self._gap is None:
            return None
        mean = self._covered_seconds / max(1, self.total - 1)
        return self._gap if self._gap.seconds > _MIN_GAP_RATIO * mean else None

    def add(self, line: CountedLine) -> CountedValue | None:
        """Count a line; return its value if the line is the earliest with it so far."""
        if self.is_by_field and line.entry is None:
            self.broken_count += 1
            return None
        self._record_gap(line.seconds)
        key_values = tuple(part.read(line) for part in self.key_parts)
        counted = self._values.get(key_values)
        is_first = counted is None
        if counted is None:
            if len(self._values) >= MAX_COUNTED_VALUES:
                self.other_count += 1
                return None
            counted = CountedValue(key_values)
            counted.numbers = tuple(array("d") for _ in self.number_parts)
            counted.largest = tuple(LargestNumber() for _ in self.number_parts)
            self._values[key_values] = counted
        counted.count += 1
        # The files of a folder are not in the order of time.
        is_first = counted.add_time(line.seconds) or is_first
        self._add_numbers(counted, line)
        return counted if is_first else None

    def begin_file(self) -> None:
        """Begin a file that does not continue the one before: no gap is between them."""
        self._last_seconds = None

    def take_unplaced(self) -> list[LargestNumber]:
        """Return the largest numbers in the last file, in the order of their lines."""
        unplaced = sorted(
            self._unplaced.values(), key=lambda largest: largest.offset
        )
        self._unplaced.clear()
        return unplaced

    def _record_gap(self, seconds: float | None) -> None:
        """Record the time since the last entry if it is the longest so far."""
        if seconds is None:
            return
        last_seconds, self._last_seconds = self._last_seconds, seconds
        # An entry that is out of order ends no gap.
        if last_seconds is None or seconds <= last_seconds:
            return
        self._covered_seconds += seconds - last_seconds
        if self._gap is None or seconds - last_seconds > self._gap.seconds:
            self._gap = Gap(last_seconds, seconds)

    def _add_numbers(self, counted: CountedValue, line: CountedLine) -> None:
        is_sampled = not counted.count % self._stride
        for index, part in enumerate(self.number_parts):
            number = self._read_finite_number(part, line)
            if number is None:
                continue
            largest = counted.largest[index]
            if number > largest.number:
                largest.number, largest.offset = number, line.offset
                self._unplaced[id(largest)] = largest
            # A rare value keeps at least one number, and so has percentiles.
            if is_sampled or not counted.numbers[index]:
                counted.numbers[index].append(number)
                self._number_count += 1
        if self._number_count > MAX_SAMPLED_NUMBERS and self._can_drop_half():
            self._drop_half()

    def read_numbers_by(
        self, decimal_sign_of: Callable[[str], str | None]
    ) -> None:
        """Read numbers from now on with the decimal signs that fields of a file show.

        `decimal_sign_of` returns that of the field at a path, or None.
        """
        self._decimal_sign_of = decimal_sign_of

    @property
    def unread(self) -> Mapping[str, UnreadNumbers]:
        """Return the texts that are no certain numbers, by the names of their fields."""
        return self._unread

    def _read_finite_number(
        self, part: KeyPart, line: CountedLine
    ) -> float | None:
        """Return the number of a field or group in a line; count a text that is none."""
        value: Any = MISSING
        if part.group:
            value = line.groups.get(part.group)
        elif part.path and line.entry is not None:
            value = find_value(line.entry, part.path)
        number = read_number(value, lambda: self._decimal_sign_of(part.path))
        if number is not None:
            return number if is_finite(number) else None
        if isinstance(value, str) and value.strip() not in ("", _NO_VALUE):
            unread = self._unread.setdefault(part.name, UnreadNumbers(value))
            unread.count += 1
        return None

    def _can_drop_half(self) -> bool:
        """Return True if dropping half makes room: each value keeps a number in any case."""
        return self._number_count > 2 * len(self) * len(self.number_parts)

    def _drop_half(self) -> None:
        """Drop every second number, and from now on sample half as often."""
        self._stride *= 2
        self._number_count = 0
        for counted in self._values.values():
            counted.numbers = tuple(
                numbers[1::2] or numbers for numbers in counted.numbers
            )
            self._number_count += sum(map(len, counted.numbers))

    def ranked(self) -> list[CountedValue]:
        """Return the values: in the order of time, or else the most frequent first."""
        values = list(self._values.values())
        if self.is_by_time:
            return sorted(values, key=lambda value: value.key_values)
        return sorted(values, key=lambda value: -value.count)

    def show_key(self, counted: CountedValue, clock: LogClock | None) -> str:
        """Return the key of a value as columns."""
        columns = [
            part.show(key_value, clock)
            for part, key_value in zip(
                self.key_parts, counted.key_values, strict=True
            )
        ]
        return "\t".join(columns)

    @property
    def paths_without_numbers(self) -> tuple[str, ...]:
        """Return the fields that had no number in any entry."""
        paths = []
        for index, part in enumerate(self.number_parts):
            if not any(value.numbers[index] for value in self._values.values()):
                paths.append(part.name)
        return tuple(paths)

    def summarize(self, counted: CountedValue) -> tuple[NumberSummary, ...]:
        """Return the distribution of each field's numbers for one value."""
        summaries = []
        for index, numbers in enumerate(counted.numbers):
            if not numbers:
                continue
            sorted_numbers = sorted(numbers)
            summaries.append(
                NumberSummary(
                    path=self.number_parts[index].name,
                    p50=_percentile(sorted_numbers, 50),
                    p95=_percentile(sorted_numbers, 95),
                    largest=counted.largest[index],
                )
            )
        return tuple(summaries)


def percentile_of(
    value: CountedValue, index: int, percent: int
) -> float | None:
    """Return a percentile of the numbers in a field; None without a number."""
    if not value.numbers[index]:
        return None
    return _percentile(sorted(value.numbers[index]), percent)


def _percentile(numbers: Sequence[float], percent: int) -> float:
    """Return the percentile of sorted numbers, by the nearest rank."""
    rank = math.ceil(len(numbers) * percent / 100)
    return numbers[max(0, rank - 1)]
