"""Counts of matching lines by the keys of a call: fields, groups of the regex, or times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from filewright.errors import invalid
from filewright.logs.clock import LogClock
from filewright.logs.counts import (
    CountedLine,
    CountedValue,
    EntryCounts,
    KeyPart,
    parse_key,
)
from filewright.logs.log_times import LogTimes
from filewright.progress import Task
from filewright.rows.fields import parse_entry, parse_pairs
from filewright.rows.numbers import find_decimal_sign
from filewright.search.matches import Span
from filewright.search.pattern import Pattern
from filewright.search.selected_lines import (
    MatchingLine,
    SelectedLines,
    iterate_matching_lines,
)
from filewright.text.snapshot import Snapshot
from filewright.tools.bounded_text import CharacterBudget, clip
from filewright.tools.search.count_matrix import (
    MAX_ROWS,
    CountMatrix,
    build_matrix,
    describe_matrix,
    render_matrix,
)
from filewright.tools.search.notes import display_path
from filewright.tools.search.rendering import render_value
from filewright.tools.search.result import ValueCount, ValueNumbers
from filewright.wording import pluralize

MAX_SPANS = 500
MAX_EXAMPLE_CHARS = 40
SHOWN_SINGLE_VALUES = 3


class LineCounter:
    """The counts of the lines that a search has found, over any number of files."""

    def __init__(self, by: str, fields: Sequence[str] | None) -> None:
        numbers: list[KeyPart] = []
        for path in fields or ():
            numbers += parse_key(path)
        self._by = by
        self._counts = EntryCounts(parse_key(by), numbers)
        self._clock: LogClock | None = None

    def __len__(self) -> int:
        return len(self._counts)

    def require_groups(self, pattern: Pattern) -> None:
        """Raise `invalid_input` for a group that the pattern does not have."""
        find_groups(self._counts.groups, pattern)

    def add_file(
        self,
        snapshot: Snapshot,
        pattern: Pattern,
        selected: SelectedLines | None,
        task: Task,
        *,
        is_continued: bool,
    ) -> None:
        """Count the lines of a file that match.

        `is_continued` is True if the file follows the one before, as in a rotated log.
        """
        if not is_continued:
            self._counts.begin_file()
        group_numbers = find_groups(self._counts.groups, pattern)
        times = None if selected is None else selected.times
        if times is None:
            times = LogTimes.of(snapshot, task)
        if self._clock is None and times is not None:
            # The files of one log may be in summer time and in winter time.
            self._clock = times.clock

        @cache
        def find_sign(field_path: str) -> str | None:
            if selected is None or not field_path:
                return None
            return selected.find_form(field_path, find_decimal_sign, task)

        self._counts.read_numbers_by(find_sign)
        path = display_path(snapshot)
        for match in iterate_matching_lines(snapshot, pattern, selected, task):
            line = match.line
            seconds = None
            if times is not None:
                seconds = times.time_of_line(line.offset, line.body)
            value = self._counts.add(
                CountedLine(
                    entry=self._read_entry(snapshot, selected, line.body),
                    groups=read_groups(snapshot, match, group_numbers),
                    seconds=seconds,
                    utc_offset=0
                    if self._clock is None
                    else self._clock.utc_offset,
                    offset=line.offset,
                )
            )
            if value is not None:
                value.path = path
                value.line = snapshot.lines.line_at(line.offset, task)
        for largest in self._counts.take_unplaced():
            largest.path = path
            largest.line = snapshot.lines.line_at(largest.offset, task)

    def _read_entry(
        self,
        snapshot: Snapshot,
        selected: SelectedLines | None,
        body: bytes,
    ) -> Mapping[str, object] | None:
        """Return the fields of a line if the call names a field."""
        if not self._counts.has_fields:
            return None
        return read_line_fields(snapshot, selected, body)

    def rows(
        self, budget: CharacterBudget, max_rows: int | None
    ) -> tuple[ValueCount, ...]:
        """Return the counts that fit on the page: the most frequent, or in order of time."""
        if max_rows is None:
            max_rows = MAX_SPANS if self._counts.is_by_time else MAX_ROWS
        rows: list[ValueCount] = []
        for value in self._values_to_list()[:max_rows]:
            row = self._row(value)
            if not budget.take(len(render_value(row, with_path=True)) + 1):
                break
            rows.append(row)
        return tuple(rows)

    def matrix(
        self, budget: CharacterBudget, max_rows: int | None
    ) -> CountMatrix | None:
        """Return the counts as a matrix that fits on the page, or None for a list."""
        step = self._by.rpartition(",")[2].strip()
        matrix = build_matrix(self._counts, step, self._clock, max_rows)
        if matrix is None:
            return None
        chars = _count_chars(matrix)
        room = budget.remaining - budget.reserve
        if chars > room:
            # As many rows as fit if they were equally long; the head takes one of them.
            max_rows = max(1, len(matrix.rows) * room // chars - 1)
            matrix = build_matrix(self._counts, step, self._clock, max_rows)
        if matrix is not None:
            budget.take(_count_chars(matrix))
        return matrix

    def matrix_values(self, matrix: CountMatrix) -> tuple[ValueCount, ...]:
        """Return the counts behind the cells of a matrix."""
        return tuple(
            self._row(value) for row in matrix.rows for value in row.values
        )

    def _values_to_list(self) -> list[CountedValue]:
        """Return the values in order; few of those that occur once, if others are frequent."""
        ranked = self._counts.ranked()
        repeated = [value for value in ranked if value.count > 1]
        if self._counts.is_by_time or not repeated:
            return ranked
        return ranked[: len(repeated) + SHOWN_SINGLE_VALUES]

    def _row(self, value: CountedValue) -> ValueCount:
        first, last = value.first_seconds, value.last_seconds
        clock = self._clock
        has_times = not self._counts.is_by_time
        numbers = [
            ValueNumbers(
                field=summary.path,
                p50=summary.p50,
                p95=summary.p95,
                largest=summary.largest.number,
                largest_path=summary.largest.path,
                # A search that ran out of time did not place it.
                largest_line=summary.largest.line or None,
            )
            for summary in self._counts.summarize(value)
        ]
        return ValueCount(
            self._counts.show_key(value, clock),
            value.count,
            value.path,
            value.line,
            first=_show_time(first, clock) if has_times else None,
            last=_show_time(last, clock) if has_times else None,
            numbers=tuple(numbers),
            is_span=self._counts.is_by_time,
        )

    def summary(
        self, rows: Sequence[ValueCount], matrix: CountMatrix | None = None
    ) -> tuple[str, ...]:
        """Return how many values and entries there are, and what is not shown."""
        counts = self._counts
        values = pluralize(len(counts), "value")
        entries = pluralize(counts.total, "entry")
        notes = [f"{values} of {self._by} in {entries}"]
        if matrix is not None:
            key = self._by.rpartition(",")[0].strip()
            notes += describe_matrix(matrix, key)
        elif len(rows) < len(counts):
            which = "first" if counts.is_by_time else "most frequent"
            rest = counts.total - sum(row.count for row in rows)
            notes[0] += f", the {len(rows)} {which} shown"
            notes.append(
                f"{pluralize(rest, 'entry')} with other values not shown"
            )
        if counts.other_count:
            notes.append(f"{counts.other_count:,} entries with other values")
        if counts.broken_count:
            notes.append(f"{pluralize(counts.broken_count, 'line')} not JSON")
        missing = counts.paths_without_numbers
        if missing:
            notes.append(
                f"no number in {', '.join(missing)}: in text, name a group "
                'of the regex (fields=["$1"])'
            )
        for name, unread in counts.unread.items():
            if name in missing:
                continue
            entries = pluralize(unread.count, "entry")
            example = clip(unread.example, MAX_EXAMPLE_CHARS)
            notes.append(
                f"{entries} without a certain number in {name}, such as "
                f"{example!r}"
            )
        clock = self._clock
        if counts.is_by_time and clock is not None and clock.utc_offset:
            notes.append(f"times in {clock.zone}")
        if counts.is_sampled:
            notes.append("percentiles of a sample")
        if counts.is_by_time:
            notes += self._describe_gap()
        return tuple(notes)

    @property
    def advice(self) -> str:
        """Return what to try if no line that matches has fields, or ""."""
        if len(self._counts) or not self._counts.broken_count:
            return ""
        lines = pluralize(self._counts.broken_count, "matching line")
        return (
            f"{lines} without {self._by}: count text by a time (by=10m) or by a "
            "group of the regex (mode=regex, by=$1)"
        )

    def _describe_gap(self) -> list[str]:
        """Return a note on the longest time without an entry, if it is unusual."""
        gap, clock = self._counts.gap, self._clock
        if gap is None or clock is None:
            return []
        return [
            f"longest time without an entry: {gap.seconds:,.0f} s, "
            f"{clock.format(gap.start)} to {clock.format(gap.end)}"
        ]


def _count_chars(matrix: CountMatrix) -> int:
    """Return how many characters a matrix takes on the page."""
    return sum(len(row) + 1 for row in render_matrix(matrix, with_path=True))


def find_groups(names: Sequence[str], pattern: Pattern) -> dict[str, int]:
    """Return the numbers of groups by their names. Raise `invalid_input` for an unknown one."""
    numbers = {}
    for name in names:
        number = pattern.group_numbers.get(name, 0)
        if name.isdecimal():
            number = int(name)
        if not 1 <= number <= pattern.group_count:
            raise invalid(
                f"the pattern has no group ${name}",
                'give a regex with groups: mode="regex", pattern "status=(\\d+)", by "$1"',
                argument="by",
            )
        numbers[name] = number
    return numbers


def read_line_fields(
    snapshot: Snapshot, selected: SelectedLines | None, body: bytes
) -> Mapping[str, object] | None:
    """Return the fields of a line: of a row, or of pairs such as rt=0.5 in text."""
    if selected is not None and selected.rows is not None:
        return selected.read_entry(body)
    entry = parse_entry(body)
    if entry is None and not body.lstrip().startswith(b"{"):
        text = body.decode(snapshot.encoding.name, "replace")
        return parse_pairs(text)
    return entry


def read_groups(
    snapshot: Snapshot, match: MatchingLine, numbers: dict[str, int]
) -> dict[str, str | None]:
    """Return the texts of the groups of a match that are needed."""
    groups: dict[str, str | None] = {}
    for name, number in numbers.items():
        span: Span | None = match.groups[number - 1]
        text = None
        if span is not None:
            low, high = span
            offset = match.line.offset
            body = match.line.body[low - offset : high - offset]
            text = body.decode(snapshot.encoding.name, "replace")
        groups[name] = text
    return groups


def _show_time(seconds: float | None, clock: LogClock | None) -> str | None:
    if seconds is None or clock is None:
        return None
    return clock.format(seconds)
