"""Tables of which the suite runs a part, and the sweep all."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pytest


def one_in(share: int, rows: Collection[Any]) -> list[Any]:
    """Return the rows for `parametrize`; all but one in `share` belong to the sweep.

    A row is a value, a tuple of values or a `pytest.param`.
    """
    sampled = []
    for number, row in enumerate(rows):
        if number % share == 0:
            sampled.append(row)
        elif hasattr(row, "values") and hasattr(row, "marks"):
            marks = [*row.marks, pytest.mark.sweep]
            sampled.append(pytest.param(*row.values, marks=marks, id=row.id))
        else:
            values = row if type(row) is tuple else (row,)
            sampled.append(pytest.param(*values, marks=pytest.mark.sweep))
    return sampled


def in_part(share: int) -> pytest.MarkDecorator:
    """Give the test its `share`: one in so many of its cases, in the sweep each."""
    everything = pytest.param(1, marks=pytest.mark.sweep, id="all")
    return pytest.mark.parametrize(
        "share", [pytest.param(share, id="part"), everything]
    )
