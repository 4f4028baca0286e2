"""A matrix of counted entries: a row for each key, a column for each span of time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from filewright.logs.clock import LogClock
from filewright.logs.counts import (
    CountedValue,
    EntryCounts,
    KeyValue,
    LargestNumber,
    percentile_of,
)
from filewright.wording import escape_controls, pluralize

MIN_VALUES = 25
"""Fewer values are shown one in a row, with all of their numbers."""

MAX_COLUMNS = 60
MAX_ROWS = 40

MIN_JUMP = math.log(1.3)
USUAL_STEPS = 4
"""A cell stands out if it differs from the cell before it by a factor of 1.3, and by so
many times the usual step of its row."""


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """The measure of the entries of one key in one span of time; None without an entry."""

    measure: float | None
    stands_out: bool = False


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """The cells of one key, and the number of its entries in all spans of time.

    `largest` is the largest number with its place, None for counts. `values` are the
    counts behind the cells, in the order of time.
    """

    key: str
    count: int
    cells: tuple[MatrixCell, ...]
    largest: LargestNumber | None
    values: tuple[CountedValue, ...]


@dataclass(frozen=True, slots=True)
class CountMatrix:
    """The most frequent keys, and the first spans of time.

    `field` is the field whose 95th percentiles the cells have, or "" for counts. `first`
    is the beginning of the first span, `step` the length of each as the caller wrote it.
    `row_count` and `column_count` are those of the whole matrix, `hidden_entries` the
    entries of the keys that are not shown, and `untimed_entries` those without a time.
    """

    field: str
    step: str
    first: str
    row_count: int
    column_count: int
    rows: tuple[MatrixRow, ...]
    hidden_entries: int
    untimed_entries: int


def build_matrix(
    counts: EntryCounts,
    step: str,
    clock: LogClock | None,
    max_rows: int | None = None,
) -> CountMatrix | None:
    """Return the counts as a matrix, or None if they are to be listed.

    A matrix needs a key and a span of time, in this order, and enough values. Entries that
    are rare in time are listed, since most of the cells would be empty.
    """
    has_columns = len(counts.key_parts) == 2 and bool(counts.key_parts[1].span)
    if not has_columns or counts.key_parts[0].span or len(counts) < MIN_VALUES:
        return None
    values_by_key: dict[KeyValue, dict[float, CountedValue]] = {}
    untimed_entries = 0
    for value in counts.ranked():
        key, start = value.key_values
        if isinstance(start, str) or math.isinf(start):
            untimed_entries += value.count
        else:
            values_by_key.setdefault(key, {})[start] = value
    starts = set[float]().union(*values_by_key.values())
    if len(starts) < 2:
        return None
    first, span = min(starts), counts.key_parts[1].span
    column_count = round((max(starts) - first) / span) + 1
    if column_count > MAX_COLUMNS and len(starts) < column_count // 2:
        return None
    columns = [
        first + span * index for index in range(min(column_count, MAX_COLUMNS))
    ]
    ranked = sorted(
        values_by_key,
        key=lambda key: _count_entries(values_by_key[key]),
        reverse=True,
    )
    max_rows = max_rows or MAX_ROWS
    shown = {key: values_by_key[key] for key in ranked[:max_rows]}
    hidden = [values_by_key[key] for key in ranked[max_rows:]]
    rows = []
    # The keys are in their own order, so that a caller finds one.
    for key, values in values_by_key.items():
        if key in shown:
            rows.append(_build_row(counts, str(key), values, columns))
    has_numbers = any(
        value.numbers and value.numbers[0]
        for values in shown.values()
        for value in values.values()
    )
    return CountMatrix(
        field=counts.number_parts[0].name if has_numbers else "",
        step=step,
        first=counts.key_parts[1].show(first, clock),
        row_count=len(values_by_key),
        column_count=column_count,
        rows=tuple(rows),
        hidden_entries=sum(map(_count_entries, hidden)),
        untimed_entries=untimed_entries,
    )


def _count_entries(values: Mapping[float, CountedValue]) -> int:
    """Return the number of entries of a key in all spans of time."""
    return sum(value.count for value in values.values())


def _build_row(
    counts: EntryCounts,
    key: str,
    values: dict[float, CountedValue],
    columns: Sequence[float],
) -> MatrixRow:
    """Return the row of a key."""
    measures: list[float | None] = []
    for start in columns:
        measure: float | None = None
        if start in values:
            measure = float(values[start].count)
        if counts.number_parts and measure is not None:
            measure = percentile_of(values[start], 0, 95)
        measures.append(measure)
    marks = find_jumps(measures)
    largest: LargestNumber | None = None
    if counts.number_parts:
        largest = max(
            (value.largest[0] for value in values.values()),
            key=lambda candidate: candidate.number,
        )
    return MatrixRow(
        key=key,
        count=_count_entries(values),
        cells=tuple(map(MatrixCell, measures, marks)),
        largest=largest,
        values=tuple(values[start] for start in columns if start in values),
    )


def find_jumps(measures: Sequence[float | None]) -> list[bool]:
    """Return True for each measure that is far from the one before it.

    A row that varies much needs larger steps for that than a steady one.
    """
    steps: list[float | None] = []
    previous: float | None = None
    for measure in measures:
        step = None
        if measure is not None:
            if previous and measure > 0 and previous > 0:
                step = abs(math.log(measure / previous))
            previous = measure
        steps.append(step)
    known = [step for step in steps if step is not None]
    if not known:
        return [False] * len(measures)
    limit = max(MIN_JUMP, USUAL_STEPS * median(known))
    return [step is not None and step > limit for step in steps]


def render_matrix(matrix: CountMatrix, *, with_path: bool) -> Iterator[str]:
    """Yield the head of a matrix and its rows."""
    measure = f"p95 of {matrix.field}" if matrix.field else "entries"
    columns = pluralize(min(matrix.column_count, MAX_COLUMNS), "column")
    yield escape_controls(
        f"{measure}: {columns} of {matrix.step}, the first from {matrix.first}"
    )
    for row in matrix.rows:
        cells = " ".join(map(_render_cell, row.cells))
        largest = ""
        if row.largest is not None and row.largest.line:
            # Not rounded: the caller may search for the line by it.
            number = f"{row.largest.number:.15g}"
            place = render_place(
                row.largest.path, row.largest.line, with_path=with_path
            )
            largest = f"; max {number} at {place}"
        yield f"{row.count:,} {escape_controls(row.key)}: {cells}{largest}"


def render_place(path: str, line: int, *, with_path: bool) -> str:
    """Return the place of a line: ``line 5``, or ``app.log:5`` among several files."""
    if with_path:
        return f"{escape_controls(path)}:{line}"
    return f"line {line}"


def _render_cell(cell: MatrixCell) -> str:
    """Return a cell, with a star if it stands out."""
    if cell.measure is None:
        return "-"
    text = show_number(cell.measure)
    return f"{text}*" if cell.stands_out else text


def show_number(number: float) -> str:
    """Return a number with four digits, or with all digits before the point."""
    text = f"{number:.4g}"
    return f"{number:.0f}" if "e+" in text else text


def describe_matrix(matrix: CountMatrix, key: str) -> list[str]:
    """Return notes on a matrix: its signs, the rest of it, and how to see all numbers."""
    notes: list[str] = []
    hidden_rows = matrix.row_count - len(matrix.rows)
    if hidden_rows:
        notes.append(
            f"the {len(matrix.rows)} most frequent keys shown; "
            f"{hidden_rows:,} others have {pluralize(matrix.hidden_entries, 'entry')}"
        )
    if matrix.column_count > MAX_COLUMNS:
        notes.append(
            f"the first {MAX_COLUMNS} of {matrix.column_count:,} columns shown: "
            "a longer time shows all"
        )
    if matrix.untimed_entries:
        entries = pluralize(matrix.untimed_entries, "entry")
        notes.append(f"{entries} without a time left out")
    cells = [cell for row in matrix.rows for cell in row.cells]
    if any(cell.stands_out for cell in cells):
        notes.append("* far from the previous cell")
    if any(cell.measure is None for cell in cells):
        notes.append("- no entry")
    if matrix.field:
        choice = "a pattern for" if key.startswith("$") else "where of"
        notes.append(f"by {matrix.step} and {choice} one {key}: p50, p95, max")
    return notes
