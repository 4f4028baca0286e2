"""Numbers with a decimal point or a decimal comma."""

from __future__ import annotations

import pytest

from filewright.rows.numbers import (
    find_decimal_sign,
    read_number,
    read_with_comma,
    read_with_point,
    to_number,
)


@pytest.mark.parametrize(
    ("text", "with_comma", "with_point"),
    [
        ("215", 215, 215),
        ("215,15", 215.15, None),
        (" -1.211,18 ", -1211.18, None),
        ("1.234.567", 1234567, None),
        ("1.234", 1234, 1.234),
        ("1,234", 1.234, 1234),
        ("0.123", None, 0.123),
        ("1234.567", None, 1234.567),
        ("1,234.5", None, 1234.5),
        ("1,234,567", None, 1234567),
        ("1 234,5", 1234.5, None),
        ("1\u202f234\u202f567", 1234567, 1234567),
        ("1'234.50", None, 1234.5),
        ("1.5e3", None, 1500),
        (",5", 0.5, None),
        ("1.23", None, 1.23),
        ("1.23,5", None, None),
        ("1.234 567,5", None, None),
        ("01.234,5", None, None),
        ("215,15 EUR", None, None),
        ("1,2,3", None, None),
        ("5,", None, None),
        ("", None, None),
    ],
)
def test_reads(
    text: str, with_comma: float | None, with_point: float | None
) -> None:
    assert read_with_comma(text) == with_comma
    assert read_with_point(text) == with_point
    sign = None
    if (with_comma is None) != (with_point is None):
        sign = "," if with_point is None else "."
    assert find_decimal_sign(text) == sign


@pytest.mark.parametrize(
    ("value", "sign", "number"),
    [
        (5, None, 5),
        (None, None, None),
        ("x", None, None),
        ("12,5", ".", 12.5),
        ("12.5", ",", 12.5),
        ("1.234", None, 1.234),
        ("1.234", ",", 1234),
        ("1,234", None, None),
        ("1,234", ".", 1234),
        ("1,234", ",", 1.234),
    ],
)
def test_reads_in_form_of_others(
    value: object, sign: str | None, number: float | None
) -> None:
    assert read_number(value, lambda: sign) == number


@pytest.mark.parametrize("text", ["1_000", "", "x", "1,5"])
def test_no_number(text: str) -> None:
    assert to_number(text) is None
