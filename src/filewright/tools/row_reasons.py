"""Why no row of a file fits the conditions of a call."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from filewright.boundary.location import Location
from filewright.edit.row_values import list_keys
from filewright.edit.source import Source
from filewright.logs.selection import EntrySelection
from filewright.rows.column_condition import compare_column
from filewright.rows.conditions import Condition
from filewright.rows.fields import MISSING
from filewright.rows.row import Row
from filewright.rows.table import Table
from filewright.search.file_rows import open_rows
from filewright.tools.best_effort import best_effort
from filewright.tools.context import Context
from filewright.wording import closest_matches, join_limited

_SAMPLE_ROWS = 100
_WORK_SECONDS = 2
_MAX_LISTED_CONDITIONS = 10
_MAX_CACHED_VERDICTS = 10_000
_LIKE_PATTERN = re.compile(r"/.*/\w*|\^.*|.*\$|.*(?:\\[a-zA-Z.]|\.[*+]|\?).*")


def explain_no_row(
    context: Context, location: Location, selection: EntrySelection
) -> str:
    """Return why no row of a file fits, or "" if no row is read in a short time.

    It is a key that no row has, with the nearest one, or else the number of rows that
    fit each condition: of the first rows if all of them take long.
    """
    if not selection.conditions:
        return ""
    counts: list[_FittingRows] = []
    keys: dict[str, None] = {}
    row_count = 0
    with (
        best_effort(context.task, _WORK_SECONDS) as task,
        context.open_page(location, headings=False, text=True) as snapshot,
    ):
        source = Source(snapshot, task)
        reader = open_rows(source.snapshot, selection.paths)
        if reader is None:
            return ""
        conditions = selection.conditions
        if isinstance(reader, Table):
            conditions = tuple(map(compare_column, conditions))
        counts = [_FittingRows(condition) for condition in conditions]
        for row in reader.iterate_rows((), selection.paths, task):
            row_count += 1
            if not isinstance(reader, Table) and row_count <= _SAMPLE_ROWS:
                keys |= dict.fromkeys(
                    list_keys(source.read(row.offset, row.end))
                )
            for fitting in counts:
                fitting.add(row)
    for path in selection.paths:
        nearest = closest_matches(path, keys)
        if path not in keys and nearest:
            return f"is {path!r} meant to be {nearest[0]!r}?"
    if not row_count:
        return ""
    first = "the first " if task.ran_out else ""
    return f"of {first}{row_count:,} rows, {_describe_counts(counts)}"


class _FittingRows:
    """The number of rows that certainly fit a condition."""

    def __init__(self, condition: Condition) -> None:
        self.condition = condition
        self.count = 0
        # A column often has few values.
        self._verdicts: dict[str, bool] = {}

    def add(self, row: Row) -> None:
        """Count a row if it fits."""
        field = row.fields.get(self.condition.path)
        value: Any = MISSING if field is None else field.value
        verdict = self._verdicts.get(value) if isinstance(value, str) else None
        if verdict is None:
            verdict = self.condition.accepts_value(value)
            is_cached = len(self._verdicts) < _MAX_CACHED_VERDICTS
            if isinstance(value, str) and is_cached:
                self._verdicts[value] = verdict
        self.count += verdict

    @property
    def is_like_pattern(self) -> bool:
        """Return True if the condition is written like a regex, and fits no row."""
        if self.count or self.condition.sign != "=":
            return False
        return any(
            isinstance(value, str) and _LIKE_PATTERN.fullmatch(value)
            for value in self.condition.expected
        )


def _describe_counts(counts: Sequence[_FittingRows]) -> str:
    """Return how many rows fit each condition, and that they take no regex."""
    parts: list[str] = []
    patterns: list[str] = []
    for fitting in counts:
        path = fitting.condition.path
        verb = " fits" if not parts else ""
        parts.append(f"{path}{verb} {fitting.count:,}")
        if fitting.is_like_pattern:
            patterns.append(path)
    text = join_limited(parts, _MAX_LISTED_CONDITIONS)
    if patterns:
        names = join_limited(patterns, _MAX_LISTED_CONDITIONS)
        text += f"; in {names}, * is the only wildcard"
    return text
