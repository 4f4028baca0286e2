"""Rows of JSON documents: their bytes, against the parser of Python."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.rows.conditions import parse_conditions
from filewright.rows.json_document import JsonDocument
from filewright.text.snapshot import Snapshot

KEYS = ("a", "b.c", "b", "ü", "1", 'q"')
SCALARS = (None, True, 1, -2.5, "x", "ü\\", 'a "b" {', "[1,", "")
PATHS = ("a", "b.c", "b", "ü", "a.1", "b.a", "a.b", 'q"', "a.0.a")


def random_value(chance: random.Random, depth: int = 0) -> Any:
    kind = chance.randrange(4) if depth < 3 else 3
    if kind == 0:
        keys = chance.sample(KEYS, chance.randrange(4))
        return {key: random_value(chance, depth + 1) for key in keys}
    if kind == 1:
        return [
            random_value(chance, depth + 1) for _ in range(chance.randrange(3))
        ]
    return chance.choice(SCALARS)


def read(
    data: bytes,
    where: dict[str, Any],
    paths: tuple[str, ...],
    block_bytes: int = 1 << 20,
):
    document = JsonDocument(Snapshot(data, encoding="utf-8"), block_bytes)
    conditions = parse_conditions(where, ignores_case=False)
    return list(document.iterate_rows(conditions, paths, Task()))


def require_same_rows(seed: int, where: dict[str, Any]) -> None:
    chance = random.Random(seed)
    values = [random_value(chance) for _ in range(chance.randrange(8))]
    indent = chance.choice([None, 2])
    data = json.dumps(
        values, indent=indent, ensure_ascii=chance.random() < 0.5
    ).encode()
    # A path to two values is refused: `b.c`, and `c` in `b`.
    rows = read(data, where, ("a", "ü", 'q"'), block_bytes=5 + seed)
    expected = []
    for value in values:
        conditions = parse_conditions(where, ignores_case=False)
        if isinstance(value, dict) and all(
            condition.accepts(value) for condition in conditions
        ):
            expected.append(value)
    assert [json.loads(data[row.offset : row.end]) for row in rows] == expected
    for row, value in zip(rows, expected, strict=True):
        assert {path: field.value for path, field in row.fields.items()} == {
            path: value[path] for path in ("a", "ü", 'q"') if path in value
        }
        for field in row.fields.values():
            assert json.loads(data[field.start : field.end]) == field.value


@pytest.mark.parametrize("where", [{}, {"a": "x"}, {"b.c": "!=1"}, {"ü": None}])
@pytest.mark.parametrize("decade", range(6))
def test_same_rows_as_python(decade: int, where: dict[str, Any]) -> None:
    for seed in range(10 * decade, 10 * decade + 10):
        require_same_rows(seed, where)


@pytest.mark.parametrize(
    ("data", "path", "text"),
    [
        (b'// x\n{"a": /* 1 */ 2, // "a": 3\n}', "a", b"2"),
        (b'{"a": {"b": [1, {"c": "}"}]}}', "a.b.1.c", b'"}"'),
        (b'{"a.b": {"c.d": 1}}', "a.b.c.d", b"1"),
        (b'{"a": {"a": 1}, "b": {"a": 2}}', "b.a", b"2"),
        (b'{"\\u0061": 1}', "a", b"1"),
    ],
)
def test_member(data: bytes, path: str, text: bytes) -> None:
    (row,) = read(data, {}, (path,))
    field = row.fields[path]
    assert data[field.start : field.end] == text


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b'{"a": 1,\n"a": 2}', 2),
        (b'{"b": {"a": 1}, "b": 2, "a": 1}\n{"c": 1}', 2),
        (b'{"a": 1', 1),
        (b'[{"a": 1}\n{"a": 2}]', 2),
        (b'[{"a": 1}, {"a": ]}]', 1),
        (b"plain", 1),
    ],
)
def test_refused(data: bytes, line: int) -> None:
    with pytest.raises(FilewrightError) as refusal:
        read(data, {}, ("a",))
    assert refusal.value.code == Code.UNSUPPORTED
    assert f"line {line}" in refusal.value.message


def test_empty() -> None:
    assert read(b"", {}, ("a",)) == []
