"""Numbers in texts, with a decimal point or a decimal comma.

Some texts are a number in both forms: ``1.234`` and ``1,234``. What they mean is taken
from other texts of their column, and never guessed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

FindForm = Callable[[], str | None]
"""Returns the form that other values of a column show, or None if they show none."""

_MAX_EXACT_FLOAT = 2**53
_BLANKS_AND_APOSTROPHES = " \u00a0\u2009\u202f'\u2019"


def _compile(decimal_sign: str, thousands_sign: str) -> re.Pattern[str]:
    """Return a pattern of the numbers with a decimal sign; groups have three digits."""
    marks = re.escape(thousands_sign) + _BLANKS_AND_APOSTROPHES
    grouped = rf"[1-9]\d{{0,2}}([{marks}])\d{{3}}(?:\1\d{{3}})*"
    decimals = rf"{re.escape(decimal_sign)}\d+"
    return re.compile(
        rf"[-+]?(?:(?:{grouped}|\d+)(?:{decimals})?|{decimals})", re.ASCII
    )


_WITH_COMMA = _compile(",", ".")
_WITH_POINT = _compile(".", ",")
_THOUSANDS_BESIDE_COMMA = str.maketrans("", "", f".{_BLANKS_AND_APOSTROPHES}")
_THOUSANDS_BESIDE_POINT = str.maketrans("", "", f",{_BLANKS_AND_APOSTROPHES}")


_LIKE_NUMBER = re.compile(r"\W*\d[\d\W]*[^\W\d_]{0,3}\W*")
"""Digits and signs with a short unit, such as ``5 kg`` or ``1.2.3``."""


def to_number(value: Any) -> float | None:
    """Return a value as a number, also that of a text; None if it is none.

    An integer may be larger than any float.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value
    # Python alone takes 1_000 for a number.
    if isinstance(value, str) and "_" not in value:
        try:
            number = float(value)
        except ValueError:
            return None
        if abs(number) >= _MAX_EXACT_FLOAT:
            # Ids of 64 bits differ in digits that a float does not have.
            with suppress(ValueError):
                return int(value)
        return number
    return None


def is_finite(number: float) -> bool:
    """Return True unless a number is NaN, infinite, or too large for a float."""
    try:
        return math.isfinite(number)
    except OverflowError:
        return False


def read_with_comma(text: str) -> float | None:
    """Return the number in ``1.234,5`` or ``1 234,5``; None if it is none."""
    text = text.strip()
    if _WITH_COMMA.fullmatch(text) is None:
        return None
    return to_number(text.translate(_THOUSANDS_BESIDE_COMMA).replace(",", "."))


def read_with_point(text: str) -> float | None:
    """Return the number in ``1234.5``, ``1,234.5`` or ``1 234.5``; None if it is none."""
    number = to_number(text)
    if number is not None:
        return number
    text = text.strip()
    if _WITH_POINT.fullmatch(text) is None:
        return None
    return to_number(text.translate(_THOUSANDS_BESIDE_POINT))


def find_decimal_sign(text: str) -> str | None:
    """Return the decimal sign of a text that is a number in one form alone, or None."""
    has_comma = read_with_comma(text) is not None
    has_point = read_with_point(text) is not None
    if has_comma == has_point:
        return None
    return "," if has_comma else "."


def is_like_number(text: str) -> bool:
    """Return True for a text whose order is not that of its characters."""
    return _LIKE_NUMBER.fullmatch(text) is not None


def read_number(value: Any, find_sign: FindForm) -> float | None:
    """Return a value as a number in the form that is certain; None if it is none.

    Without other evidence, a point is a decimal point, and a comma nothing.
    """
    if not isinstance(value, str):
        return to_number(value)
    with_comma, with_point = read_with_comma(value), read_with_point(value)
    if with_comma is None or with_comma == with_point:
        return with_point
    if with_point is None:
        return with_comma
    match find_sign():
        case ",":
            return with_comma
        case ".":
            return with_point
        case _:
            return to_number(value)
