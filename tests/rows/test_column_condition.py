"""Conditions on the columns of tables."""

from __future__ import annotations

from typing import Any

import pytest

from filewright.rows.column_condition import ColumnCondition
from filewright.rows.conditions import parse_conditions
from filewright.rows.table_syntax import TableSyntax
from filewright.text.codec import Encoding

UTF8 = Encoding("utf-8")


def condition_of(
    expected: Any, encoding: Encoding = UTF8, *, ignores_case: bool = False
) -> ColumnCondition:
    (condition,) = parse_conditions({"x": expected}, ignores_case=ignores_case)
    return ColumnCondition.of(
        condition, 0, TableSyntax.of(b","), encoding, lambda: None
    )


@pytest.mark.parametrize(
    ("expected", "field", "verdict"),
    [
        ("AT", b"AT", True),
        ("AT", b'"AT"', True),
        ("AT", b"DE", False),
        ("A*", b"AT", True),
        (["AT", "DE"], b"DE", True),
        ("!=AT", b"DE", True),
        (None, b"", True),
        (None, b"x", False),
        (">5", b"10", True),
        (">5", b'"4"', False),
        (">5", b"1,5 kg", None),
        (">5", b" ", False),
        ('a"b', b'"a""b"', True),
    ],
)
def test_judges(expected: Any, field: bytes, verdict: bool | None) -> None:
    condition = condition_of(expected)
    # The second verdict is that of the first.
    assert condition.judge(field) is verdict
    assert condition.judge(field) is verdict


@pytest.mark.parametrize(
    ("expected", "fields"),
    [
        ("AT", [b"AT", b'"AT"']),
        ("a*long*b", [b"axlongxb"]),
        (["AT", "DE"], [b"AT", b"DE"]),
        ("grün", ["grün".encode()]),
        (7, [b"7"]),
    ],
)
def test_needle_is_in_fitting_fields(
    expected: Any, fields: list[bytes]
) -> None:
    condition = condition_of(expected)
    assert condition.needle is not None
    for field in fields:
        assert condition.judge(field)
        assert condition.needle.search(field)
    assert not condition.needle.search(b"XYZ")


@pytest.mark.parametrize(
    ("expected", "ignores_case"),
    [
        ("!=AT", False),
        (">5", False),
        (None, False),
        ("*", False),
        ('a"b', False),
        ("a\nb", False),
        ("Kelvin", True),
        ("Grün", True),
    ],
)
def test_no_needle(expected: Any, ignores_case: bool) -> None:
    assert condition_of(expected, ignores_case=ignores_case).needle is None


def test_needle_in_encoding() -> None:
    latin = condition_of("grün", Encoding("latin-1")).needle
    assert latin is not None
    assert latin.search(b"gr\xfcn")
    assert condition_of("日", Encoding("latin-1")).needle is None
    assert condition_of("AT", Encoding("shift_jis")).needle is None
