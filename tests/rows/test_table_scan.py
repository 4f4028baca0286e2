"""Scans of tables, block by block."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.rows.column_condition import ColumnCondition
from filewright.rows.conditions import parse_conditions
from filewright.rows.table_scan import TableScan, UncertainRows
from filewright.rows.table_syntax import TableSyntax
from filewright.text.snapshot import Snapshot

TABLE = b'x,y\n1,one\n2,"two, or\nmore"\nthree,3\n4\n5,five,5\n'


def scan(
    data: bytes, where: Mapping[str, Any], block_bytes: int = 1 << 20
) -> TableScan:
    """Return the scan of a table with the columns x and y."""
    snapshot = Snapshot(data, encoding="utf-8")
    syntax = TableSyntax.of(b",")
    columns = {"x": 0, "y": 1}
    conditions = []
    for condition in parse_conditions(dict(where), ignores_case=False):
        index = columns[condition.path]
        conditions.append(
            ColumnCondition.of(
                condition, index, syntax, snapshot.encoding, lambda: None
            )
        )
    return TableScan(
        snapshot,
        syntax,
        len(columns),
        data.index(b"\n") + 1,
        block_bytes,
        conditions,
        columns,
        UncertainRows(),
    )


@pytest.mark.parametrize("block_bytes", [1, 7, 1 << 20])
def test_rows(block_bytes: int) -> None:
    rows = list(scan(TABLE, {}, block_bytes).iterate_rows(Task()))
    values = [[field.value for field in row.fields.values()] for row in rows]
    assert values == [["1", "one"], ["2", "two, or\nmore"], ["three", "3"]]
    for row in rows:
        for field in row.fields.values():
            text = TABLE[field.start : field.end].decode()
            assert text.strip('"') == field.value
        assert TABLE[row.end : row.end + 1] == b"\n"


@pytest.mark.parametrize(
    ("where", "lines", "uncertain"),
    [
        ({"y": "one"}, ["1,one"], [0, 0]),
        ({"x": ">1"}, ['2,"two, or\nmore"'], [2, 1, 0]),
        ({"x": "5"}, [], [1, 0]),
        ({"x": "1", "y": "3"}, [], [0, 0]),
    ],
)
def test_conditions(
    where: dict[str, Any], lines: list[str], uncertain: list[int]
) -> None:
    table_scan = scan(TABLE, where)
    rows = list(table_scan.iterate_rows(Task()))
    assert [TABLE[row.offset : row.end].decode() for row in rows] == lines
    counts = [count.count for count in table_scan.uncertain.counts]
    assert counts == uncertain


def test_quote_behind_blank_is_uncertain() -> None:
    table_scan = scan(b'x,y\na, "b\n', {"x": "a"})
    assert list(table_scan.iterate_rows(Task())) == []
    assert table_scan.uncertain.with_open_quote.first_offset == 4


@pytest.mark.parametrize("block_bytes", [3, 1 << 20])
def test_quote_without_end(block_bytes: int) -> None:
    table_scan = scan(b'x,y\n1,a\n2,"b\n', {}, block_bytes)
    rows = table_scan.iterate_rows(Task())
    assert next(rows).fields["x"].value == "1"
    with pytest.raises(FilewrightError, match="in line 3") as caught:
        next(rows)
    assert caught.value.code is Code.UNSUPPORTED
