"""The delimiter and the columns of a table, as its first lines show them."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

DELIMITERS: Final = (",", "\t", ";", "|")
_MAX_SAMPLED_ROWS: Final = 100
_MAX_NAMES: Final = 100
_MAX_NAME_CHARACTERS: Final = 200
_MAX_SAMPLE_CHARACTERS: Final = 1000


@dataclass(frozen=True, slots=True)
class TableFacts:
    """The delimiter and the number of columns of a table, its header, and a row.

    `names` has at most 100 names of columns. It is None if there is no header, or if two
    columns have the same name or one has none. In the last two cases `has_header` may be
    True. `sample_row` is the first line below the header as it is, or "".
    """

    delimiter: str
    columns: int
    names: tuple[str, ...] | None
    has_header: bool
    sample_row: str = ""


def summarize_table(
    first_lines: Sequence[str], delimiter: str | None = None
) -> TableFacts | None:
    """Return the facts of a table by its first lines; None if it has no two columns."""
    lines = first_lines[:_MAX_SAMPLED_ROWS]
    delimiters = (delimiter,) if delimiter else DELIMITERS
    best_facts: TableFacts | None = None
    best_share = 0.0
    for candidate in delimiters:
        rows = _read_rows(lines, candidate)
        if not rows:
            continue
        column_count, row_count = Counter(map(len, rows)).most_common(1)[0]
        column_share = row_count / len(rows)
        if column_count < 2:
            continue
        # The right delimiter divides most rows into the same number of columns.
        if best_facts is None or (column_share, column_count) > (
            best_share,
            best_facts.columns,
        ):
            best_share = column_share
            names = _read_header(rows)
            has_header = names is not None or _has_numbers_below_text(rows)
            best_facts = TableFacts(
                delimiter=candidate,
                columns=column_count,
                names=names,
                has_header=has_header,
                sample_row=_find_sample_row(lines, has_header=has_header),
            )
    return best_facts


def _find_sample_row(lines: Sequence[str], *, has_header: bool) -> str:
    """Return the first line of a row, clipped: it shows the forms of the values."""
    rows = [line for line in lines if line.strip()]
    row = "".join(rows[1:2] if has_header else rows[:1])
    return row.rstrip("\r\n")[:_MAX_SAMPLE_CHARACTERS]


def _read_rows(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    """Return the rows of a table without empty ones; no rows if it is malformed."""
    try:
        return [row for row in csv.reader(lines, delimiter=delimiter) if row]
    except csv.Error:
        return []


def _read_header(rows: list[list[str]]) -> tuple[str, ...] | None:
    """Return the names of the columns, or None if the first row is no full header.

    A full header has distinct texts in all columns, and no number.
    """
    cells = [cell.strip() for cell in rows[0]]
    is_distinct = len(set(cells)) == len(cells)
    if not is_distinct or not all(cells) or any(map(_is_number, cells)):
        return None
    return tuple(cell[:_MAX_NAME_CHARACTERS] for cell in cells[:_MAX_NAMES])


def _has_numbers_below_text(rows: list[list[str]]) -> bool:
    """Return True if the first row is text, with a column of numbers below it.

    Without a name, only the first column counts: it may be the index of the rows.
    """
    cells = [cell.strip() for cell in rows[0]]
    if any(map(_is_number, cells)):
        return False
    for column, cell in enumerate(cells):
        is_index = column == 0 and "" not in cells[1:]
        cells_below = [row[column] for row in rows[1:] if column < len(row)]
        if (
            (cell or is_index)
            and cells_below
            and all(map(_is_number, cells_below))
        ):
            return True
    return False


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
