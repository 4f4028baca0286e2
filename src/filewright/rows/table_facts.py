"""The facts of a table that its first lines show: its delimiter and its columns."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

DELIMITERS: Final = (",", "\t", ";", "|")
_MAX_CSV_ROWS: Final = 100
_MAX_NAMES: Final = 100
_MAX_NAME_CHARACTERS: Final = 200


@dataclass(frozen=True, slots=True)
class CsvFacts:
    """The delimiter of a table, and its columns.

    `names` has at most 100 names of columns, None if the first row is no header or names
    not all of them differently. `has_header` is True in the second case too.
    """

    delimiter: str
    columns: int
    names: tuple[str, ...] | None
    has_header: bool


def summarize_csv(
    first_lines: Sequence[str], delimiter: str | None = None
) -> CsvFacts | None:
    """Return the facts of the first rows of a table.

    None if no delimiter divides them into columns.
    """
    lines = first_lines[:_MAX_CSV_ROWS]
    delimiters = (delimiter,) if delimiter else DELIMITERS
    best: CsvFacts | None = None
    best_share = 0.0
    for candidate in delimiters:
        rows = _read_rows(lines, candidate)
        if not rows:
            continue
        columns, count = Counter(map(len, rows)).most_common(1)[0]
        share = count / len(rows)
        if columns < 2:
            continue
        # The right delimiter divides most rows into the same number of columns.
        if best is None or (share, columns) > (best_share, best.columns):
            best_share = share
            names = _read_header(rows)
            has_header = names is not None or _has_numbers_below_text(rows)
            best = CsvFacts(candidate, columns, names, has_header)
    return best


def _read_rows(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    """Return the rows of a table that are not empty; none if it is malformed."""
    try:
        return [row for row in csv.reader(lines, delimiter=delimiter) if row]
    except csv.Error:
        return []


def _read_header(rows: list[list[str]]) -> tuple[str, ...] | None:
    """Return the names of the columns, or None if the first row is no header.

    A header has distinct texts in all columns, and no number.
    """
    cells = [cell.strip() for cell in rows[0]]
    is_distinct = len(set(cells)) == len(cells)
    if not is_distinct or not all(cells) or any(map(_is_number, cells)):
        return None
    return tuple(cell[:_MAX_NAME_CHARACTERS] for cell in cells[:_MAX_NAMES])


def _has_numbers_below_text(rows: list[list[str]]) -> bool:
    """Return True if the first row has text alone, and others numbers below it.

    The first column may be numbered without a name.
    """
    cells = [cell.strip() for cell in rows[0]]
    if any(map(_is_number, cells)):
        return False
    for column, cell in enumerate(cells):
        is_index = column == 0 and "" not in cells[1:]
        values = [row[column] for row in rows[1:] if column < len(row)]
        if (cell or is_index) and values and all(map(_is_number, values)):
            return True
    return False


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
