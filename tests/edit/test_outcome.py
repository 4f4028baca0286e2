"""The outcome of an edit, in words and as plain values."""

from __future__ import annotations

import json

import pytest

from filewright.edit.model import Tier
from filewright.edit.notes import Note
from filewright.edit.outcome import EditOutcome

BASE = {"index": 1, "new_first": 3, "new_last": 3, "places": 1}


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({}, "edit 2: line 3, found by exact"),
        ({"last": 5}, "edit 2: lines 3-5, found by exact"),
        ({"places": 4}, "edit 2: 4 places from line 3, found by exact"),
        ({"places": 0}, "edit 2: line 3, found by exact changes nothing"),
        (
            {"tier": Tier.REPAIRED, "inner": Tier.INDENT, "repairs": ("a", "b")},
            "edit 2: line 3, found by repaired (indent) after a and b",
        ),
        ({"similarity": 0.5}, "edit 2: line 3, found by exact 50.0% alike"),
        ({"note": "see"}, "edit 2: line 3, found by exact; see"),
        ({"named": "by its number"}, "edit 2: line 3, by its number"),
        (
            {"named": "f", "places": 0},
            "edit 2: line 3, f, changes nothing",
        ),
    ],
)  # fmt: skip
def test_text(fields: dict[str, object], text: str) -> None:
    values = {"tier": Tier.EXACT, "first": 3, "last": 3, **BASE, **fields}
    assert EditOutcome(**values).text == text  # type: ignore[arg-type]


def test_data_is_json() -> None:
    outcome = EditOutcome(
        0, Tier.DRIFT, 1, 2, 1, 3, 1, 1 / 3, notes=(Note(1, "is odd"),)
    )
    data = outcome.data()
    assert json.loads(json.dumps(data)) == data
    assert data["tier"] == "drift"
    assert data["lines_after"] == [1, 3]
    assert data["similarity"] == 0.3333
    assert data["notes"] == [{"line": 1, "text": "is odd"}]
