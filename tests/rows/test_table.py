"""Rows of tables: their bytes, against the parser of Python."""

from __future__ import annotations

import csv
import io
import random
from dataclasses import replace

import pytest

from filewright.progress import Task
from filewright.rows.conditions import parse_conditions
from filewright.rows.table import Table
from filewright.text.snapshot import Snapshot

PIECES = (
    "a",
    "AT",
    "19,0",
    "",
    '"',
    '""',
    ";",
    ",",
    "\t",
    "\n",
    "\r\n",
    " ",
    "ü",
)


def random_table(seed: int) -> tuple[str, list[list[str]]]:
    """Return a table as a program writes it, and its values."""
    chance = random.Random(seed)
    delimiter = chance.choice(",;\t|")
    ending = chance.choice(["\n", "\r\n"])
    rows = [["x1", "x2", "x3"]]
    for _ in range(chance.randrange(1, 30)):
        rows.append(
            [
                "".join(chance.choices(PIECES, k=chance.randrange(3)))
                for _ in "123"
            ]
        )
    text = io.StringIO(newline="")
    quoting = chance.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
    writer = csv.writer(
        text, delimiter=delimiter, lineterminator=ending, quoting=quoting
    )
    writer.writerows(rows)
    return text.getvalue(), rows[1:]


def require_same_rows(seed: int, where: dict[str, object]) -> None:
    text, values = random_table(seed)
    snapshot = Snapshot(text.encode("utf-8"), encoding="utf-8")
    delimiter = next(character for character in text if character in ",;\t|")
    table = replace(Table.of(snapshot, ["x1"], delimiter), block_bytes=7 + seed)
    conditions = parse_conditions(where, ignores_case=False)
    rows = list(table.iterate_rows(conditions, ["x1", "x2", "x3"], Task()))
    found = [
        [row.fields[name].value for name in ("x1", "x2", "x3")] for row in rows
    ]
    expected = []
    for row in values:
        normal = [value.replace("\r\n", "\n") for value in row]
        entry = dict(
            zip(
                ("x1", "x2", "x3"),
                [value or None for value in normal],
                strict=True,
            )
        )
        if all(
            condition.accepts(entry)
            for condition in parse_conditions(where, ignores_case=False)
        ):
            expected.append(normal)
    assert found == expected


@pytest.mark.parametrize(
    "where", [{}, {"x2": "AT"}, {"x1": "!=a", "x3": "*19*"}, {"x2": None}]
)
@pytest.mark.parametrize("decade", range(6))
def test_same_rows_as_python(decade: int, where: dict[str, object]) -> None:
    for seed in range(10 * decade, 10 * decade + 10):
        require_same_rows(seed, where)
