"""Changes of rows by `replace_content`: their arguments."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from filewright.edit.row_values import RowChange, check_values
from filewright.errors import invalid
from filewright.logs.selection import EntrySelection
from filewright.rows.conditions import parse_conditions


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
