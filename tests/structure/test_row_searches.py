"""Searches of JSON lines with the fields that they have."""

from __future__ import annotations

import json
from typing import Any

import pytest

from filewright.rows.conditions import parse_conditions
from filewright.structure.row_searches import RowSearches, propose_searches
from filewright.structure.sample import read_sample
from filewright.text.snapshot import Snapshot


def propose(rows: list[dict[str, Any]]) -> RowSearches:
    text = "".join(json.dumps(row) + "\n" for row in rows)
    return propose_searches(read_sample(Snapshot(text.encode())))


def requests(level: str) -> list[dict[str, Any]]:
    return [
        {
            "ts": 1_795_861_230 + number,
            "level": level if number == 7 else "INFO",
            "service": ["gateway", "auth"][number % 2],
            "http": {"route": f"/api/{number % 5}", "status": 200},
            "timing": {"self_ms": 3, "total_ms": number},
            "trace": {"id": f"{number:016x}"},
            "items": number,
            "ok": True,
        }
        for number in range(60)
    ]


@pytest.mark.parametrize(
    ("level", "where"),
    [
        ("ERROR", {"level": "error"}),
        ("Warning", {"level": "warning"}),
        ("DEBUG", {"http.route": "/api/0"}),
    ],
)
def test_fields_of_requests(level: str, where: dict[str, str]) -> None:
    rows = requests(level)
    searches = propose(rows)
    assert searches == RowSearches(
        where, "http.route", "timing.total_ms", "trace.id"
    )
    (condition,) = parse_conditions(where)
    assert any(map(condition.accepts, rows))


@pytest.mark.parametrize(
    "rows",
    [[{"a": 1}, {"b": [2]}], [{"message": f"{n} and {n}"} for n in range(90)]],
    ids=["numbers", "texts"],
)
def test_fields_without_a_use(rows: list[dict[str, Any]]) -> None:
    assert propose(rows) == RowSearches()
