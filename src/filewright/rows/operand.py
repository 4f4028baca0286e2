"""The operands of ordered comparisons: numbers, dates and times of day.

The form of an operand decides how values are read. Numbers and dates are never compared by
their characters, in which 215,15 would be more than 1000,00.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from filewright.errors import invalid
from filewright.rows.dates import (
    find_day_order,
    is_unclear_date,
    read_date,
    read_time,
)
from filewright.rows.numbers import (
    FindForm,
    find_decimal_sign,
    read_with_comma,
    read_with_point,
    to_number,
)

Compare = Callable[[Any, Any], bool]

_NUMBER_START = re.compile(r"\W*\d")


class Operand(Protocol):
    """An operand by which texts are ordered; `key` is what they are compared with."""

    @property
    def key(self) -> Any: ...

    def judge(
        self, text: str, compare: Compare, find_form: FindForm
    ) -> bool | None:
        """Return True if a text fits, or None if it is uncertain.

        `find_form` returns the form that other texts of its column show.
        """
        ...

    def find_form(self, text: str) -> str | None:
        """Return the form that a text is certainly in, or None."""
        ...

    def explain(self, text: str, sign: str) -> str:
        """Return why a text is uncertain: "without a number"."""
        ...


@dataclass(frozen=True, slots=True)
class NumberOperand:
    """A number; `decimal_sign` is the one that its own form shows, or None.

    `other_key` is the number if its text is read with the other decimal sign.
    """

    key: float
    other_key: float
    decimal_sign: str | None

    @classmethod
    def of(cls, text: str) -> NumberOperand | None:
        """Return the number in a text, or None if there is none, or it may be two."""
        with_comma, with_point = read_with_comma(text), read_with_point(text)
        number = to_number(text)
        if number is not None:
            other = number if with_comma is None else with_comma
            return cls(number, other, None)
        if with_comma is None and with_point is not None:
            return cls(with_point, with_point, ".")
        if with_comma is not None and with_point is None:
            return cls(with_comma, with_comma, ",")
        return None

    def judge(
        self, text: str, compare: Compare, find_form: FindForm
    ) -> bool | None:
        """Return True if the number in a text fits, or None if it is uncertain."""
        number, other_number = read_with_point(text), read_with_comma(text)
        if self.decimal_sign == ",":
            number, other_number = other_number, number
        if number is None:
            return None
        verdict = compare(number, self.key)
        if other_number is None:
            return verdict
        other_verdicts = (
            compare(other_number, self.key),
            compare(other_number, self.other_key),
        )
        if other_verdicts == (verdict, verdict):
            return verdict
        decimal_sign = find_form() or self.decimal_sign
        if decimal_sign is None and to_number(text) is not None:
            decimal_sign = "."
        return verdict if decimal_sign == (self.decimal_sign or ".") else None

    def find_form(self, text: str) -> str | None:
        """Return the decimal sign that a text certainly has, or None."""
        return find_decimal_sign(text)

    def explain(self, text: str, sign: str) -> str:
        """Return why a text is uncertain, with the operand that reads it."""
        number, other_number = read_with_point(text), read_with_comma(text)
        mark, other_operand = "comma", write_with_comma(self.other_key)
        if self.decimal_sign == ",":
            number, other_number = other_number, number
            mark, other_operand = "point", write_with_point(self.other_key)
        if other_number is None:
            return "without a number"
        certainty = "with" if number is None else "that may have"
        return f'{certainty} a decimal {mark} (compare with "{sign}{other_operand}")'


@dataclass(frozen=True, slots=True)
class DateOperand:
    """A date or a date with a time, as `read_date` returns it."""

    key: str

    def judge(
        self, text: str, compare: Compare, find_form: FindForm
    ) -> bool | None:
        """Return True if the date in a text fits, or None if it is uncertain."""
        key = read_date(text, find_form)
        return None if key is None else compare(key, self.key)

    def find_form(self, text: str) -> str | None:
        """Return whether the day or the month is first in a date, or None."""
        return find_day_order(text)

    def explain(self, text: str, _sign: str) -> str:
        """Return why a text is uncertain."""
        if is_unclear_date(text):
            return "with a date that may have its day or its month first"
        return "without a date"


@dataclass(frozen=True, slots=True)
class TimeOperand:
    """A time of day, as `read_time` returns it."""

    key: str

    def judge(
        self, text: str, compare: Compare, _find_form: FindForm
    ) -> bool | None:
        """Return True if the time in a text fits, or None if it is uncertain."""
        key = read_time(text)
        return None if key is None else compare(key, self.key)

    def find_form(self, _text: str) -> str | None:
        """Return None: a time of day has one form."""
        return None

    def explain(self, _text: str, _sign: str) -> str:
        """Return why a text is uncertain."""
        return "without a time of day"


def read_operand(path: str, sign: str, text: str) -> Operand | None:
    """Return the operand of an ordered comparison, or None if texts are compared.

    Raise `invalid_input` for one that begins like a number or a date and is unclear.
    """
    number = NumberOperand.of(text)
    if number is not None:
        return number
    date = read_date(text, lambda: None)
    if date is not None:
        return DateOperand(date)
    time = read_time(text)
    if time is not None:
        return TimeOperand(time)
    with_comma, with_point = read_with_comma(text), read_with_point(text)
    if with_comma is not None and with_point is not None:
        raise invalid(
            f"where: {path} is compared with {text!r}, which may have a decimal comma "
            "or not",
            f'write "{sign}{write_with_point(with_point)}" or, with a decimal comma, '
            f'"{sign}{write_with_comma(with_comma)}"',
            argument="where",
        )
    if is_unclear_date(text):
        raise invalid(
            f"where: {path} is compared with {text}, whose first number may be the "
            "day or the month",
            f'write the year first: "{sign}2026-01-31"',
            argument="where",
        )
    if _NUMBER_START.match(text) is not None:
        raise invalid(
            f"where: {path} is compared with {text!r}, which is no number and no date",
            f'compare with "{sign}5", "{sign}5,0" (decimal commas), '
            f'"{sign}2026-01-31" or "{sign}9:30"',
            argument="where",
        )
    return None


def write_with_point(number: float) -> str:
    """Return a number with a decimal point, or without one if it is whole."""
    return str(number).removesuffix(".0")


def write_with_comma(number: float) -> str:
    """Return a number with a decimal comma, which no reader takes for another mark."""
    text = str(number)
    if "e" in text or "n" in text:
        return "1000,0"
    whole, _, decimals = text.partition(".")
    if len(decimals) in (0, 3):
        decimals += "0"
    return f"{whole},{decimals}"
