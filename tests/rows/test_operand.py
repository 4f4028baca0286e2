"""Operands of ordered comparisons."""

from __future__ import annotations

import operator

import pytest

from filewright import FilewrightError
from filewright.rows.conditions import parse_conditions
from filewright.rows.dates import DAY_FIRST, MONTH_FIRST
from filewright.rows.operand import read_operand, write_with_comma


@pytest.mark.parametrize(
    ("comparison", "text", "form", "verdict"),
    [
        (">=1000,00", "215,15", None, False),
        (">=1000,00", "1.211,18", None, True),
        (">=1000,00", "1000", None, True),
        (">=2,5", "1.234", None, True),
        (">=2,5", "1.234", ".", None),
        (">=2,5", "215.15", None, None),
        (">=1000", "1211,18", None, None),
        (">=1000", "1,211.18", None, True),
        (">=1000", "1.234", None, False),
        (">=1000", "1.234", ",", None),
        # The number fits in both forms.
        (">1", "1.234", ",", True),
        # The operand itself may be 1000.
        (">=1.000", "215", None, True),
        (">=1.000", "215", ",", None),
        (">=1000", "1,234", None, None),
        (">=1000", "1,234", ".", True),
        (">=1,000.00", "1,234", None, True),
        (">=1,000.00", "1,234", ",", None),
        (">5", "5 kg", None, None),
        (">5", " ", None, False),
        (">24.05.2025", "01.06.2025", None, True),
        (">24.05.2025", "2025-05-23", None, False),
        (">24.05.2025", "offen", None, None),
        (">2025-05-24", "01.06.2024", None, False),
        (">2025-05-24", "06/01/2025", None, None),
        (">2025-05-24", "06/01/2025", MONTH_FIRST, True),
        (">2025-05-24", "06/01/2025", DAY_FIRST, False),
        (">24/05/2025", "25.05.2025", None, True),
        (">2025-05", "2025-05-01", None, True),
        ("<9:30", "10:00", None, False),
        ("<9:30", "offen", None, None),
        (">M", "Wien", None, True),
    ],
)
def test_judges(
    comparison: str, text: str, form: str | None, verdict: bool | None
) -> None:
    (condition,) = parse_conditions({"x": comparison})
    assert condition.judge(text, lambda: form) is verdict


@pytest.mark.parametrize(
    ("comparison", "text", "reason"),
    [
        (
            ">=1000",
            "215,15",
            'with a decimal comma (compare with ">=1000,0")',
        ),
        (">2,5", "215.15", 'with a decimal point (compare with ">2.5")'),
        (
            ">=1.000",
            "215",
            'that may have a decimal comma (compare with ">=1000,0")',
        ),
        (">5", "5 kg", "without a number"),
        (
            ">2025-05-24",
            "06/01/2025",
            "with a date that may have its day or its month first",
        ),
        (">2025-05-24", "offen", "without a date"),
        (">9:30", "offen", "without a time of day"),
    ],
)
def test_explains(comparison: str, text: str, reason: str) -> None:
    (condition,) = parse_conditions({"x": comparison})
    assert condition.explain(text) == reason


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1,234", '">=1234" or, with a decimal comma, ">=1,2340"'),
        ("1 000", '">=1000" or, with a decimal comma, ">=1000,0"'),
        ("05/04/2025", ">=2026-01-31"),
        ("31.02.2025", "no number and no date"),
        ("1000 EUR", "no number and no date"),
        ("\u20ac 5", "no number and no date"),
        ("1.2.3", "no number and no date"),
        ("100,<200", "no number and no date"),
    ],
)
def test_refuses_unclear_operands(text: str, words: str) -> None:
    with pytest.raises(FilewrightError) as caught:
        parse_conditions({"x": f">={text}"})
    assert words in str(caught.value)


@pytest.mark.parametrize("number", [1000, 0.5, 1.234, 1234567.5, 1e300])
def test_comma_is_certain(number: float) -> None:
    read = read_operand("x", ">", write_with_comma(number))
    assert read is not None
    assert read.judge("0,5", operator.le, lambda: None)
