"""Changes of rows by `replace_content`: their arguments, and why no row fits."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from filewright.boundary.location import Location
from filewright.edit.row_values import RowChange, check_values, list_keys
from filewright.edit.source import Source
from filewright.errors import invalid
from filewright.logs.selection import EntrySelection
from filewright.rows.conditions import parse_conditions
from filewright.rows.table import Table
from filewright.search.file_rows import open_rows
from filewright.tools.best_effort import best_effort
from filewright.tools.context import Context
from filewright.wording import closest_matches, join_limited

MAX_LISTED_KEYS = 30
_SAMPLE_ROWS = 100


def select_rows(
    where: Mapping[str, Any] | None, case: str
) -> EntrySelection | None:
    """Return the conditions on rows, or None if there are none."""
    if where is None:
        return None
    ignores_case = None if case == "smart" else case == "insensitive"
    conditions = parse_conditions(where, ignores_case=ignores_case)
    return EntrySelection(conditions=conditions, has_pattern=False)


def build_row_change(
    selection: EntrySelection | None, values: Mapping[str, Any] | None
) -> RowChange | None:
    """Return the change of rows that a call asks for, or None without values."""
    if values is None:
        return None
    if selection is None:
        raise invalid(
            "set needs where, which is missing",
            'give where: {"column or key": value}; where: {} changes every row',
            argument="where",
        )
    return RowChange(selection.conditions, check_values(values))


def describe_row_change(
    where: Mapping[str, Any] | None, values: Mapping[str, Any]
) -> str:
    """Return a change of rows as a part of a line of history."""
    new = json.dumps(values, ensure_ascii=False)
    return f"{new} where {json.dumps(where, ensure_ascii=False)}"


def explain_no_row(
    context: Context, location: Location, selection: EntrySelection
) -> str:
    """Return why no row of a file fits, or "" if that is not found in a short time.

    It is a key that no row has, with the nearest one, or else the number of rows that
    fit each condition alone.
    """
    parts: list[str] = []
    with (
        best_effort(context.task) as task,
        context.open_page(location, headings=False, text=True) as snapshot,
    ):
        source = Source(snapshot, task)
        reader = open_rows(source.snapshot, selection.paths)
        if reader is None or not selection.conditions:
            return ""
        if not isinstance(reader, Table):
            keys: dict[str, None] = {}
            rows = reader.iterate_rows((), (), task)
            for _, row in zip(range(_SAMPLE_ROWS), rows, strict=False):
                keys |= dict.fromkeys(
                    list_keys(source.read(row.offset, row.end))
                )
            for path in selection.paths:
                nearest = closest_matches(path, keys)
                if path not in keys and nearest:
                    return f"is {path!r} meant to be {nearest[0]!r}?"
        for condition in selection.conditions:
            fitting = reader.iterate_rows((condition,), (), task)
            count = sum(1 for _ in fitting)
            parts.append(f"{condition.path}: {count:,}")
    if len(parts) < len(selection.conditions):
        return ""
    return f"rows that fit each condition alone: {join_limited(parts, 10)}"
