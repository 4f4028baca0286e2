"""Conditions on the entries of a log."""

from __future__ import annotations

import pytest

from filewright.logs.selection import EntrySelection
from filewright.rows.conditions import Condition

LEVEL = Condition("level", "=", ("error",))


@pytest.mark.parametrize(
    ("selection", "has_time", "is_empty"),
    [
        (EntrySelection(), False, True),
        (EntrySelection(fields=("level",)), False, True),
        (EntrySelection(since="1h"), True, False),
        (EntrySelection(until="12:00"), True, False),
        (EntrySelection(conditions=(LEVEL,)), False, False),
    ],
)
def test_selects(
    selection: EntrySelection, has_time: bool, is_empty: bool
) -> None:
    assert (selection.has_time, selection.is_empty) == (has_time, is_empty)


def test_paths() -> None:
    selection = EntrySelection(conditions=(LEVEL,), fields=("user.name",))
    assert selection.paths == ("level", "user.name")
