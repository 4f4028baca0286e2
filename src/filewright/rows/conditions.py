"""Conditions on the fields of rows: plain comparisons with their values."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from filewright.errors import invalid
from filewright.rows.fields import MISSING, find_value, to_text

_COMPARISON = re.compile(r"\s*(>=|<=|!=|>|<|=)\s*(.*)", re.DOTALL)
_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}
_PLAIN_TEXT = re.compile(r"[A-Za-z0-9 _.:@/,;()#%*!?$\[\]-]+")
"""Text that encoders of JSON write as it is; some write a slash as ``\\/``."""

_NUMBER_WITH_STARS = re.compile(r"[\d.eE+*-]*\*[\d.eE+*-]*")
_MAX_EXACT_FLOAT = 2**53


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison of one field: `sign` is one of ``= != > >= < <=``.

    `expected` has the alternatives of ``=`` and ``!=``, and one value otherwise.
    """

    path: str
    sign: str
    expected: tuple[Any, ...]
    ignores_case: bool = False

    def accepts(self, entry: Mapping[str, Any]) -> bool:
        """Return True if the field of an entry fits."""
        return self.accepts_value(find_value(entry, self.path))

    def accepts_value(self, value: Any) -> bool:
        """Return True if a value fits, which is `MISSING` if there is no field."""
        if self.sign in ("=", "!="):
            is_equal = any(
                self._equals(value, expected) for expected in self.expected
            )
            return is_equal == (self.sign == "=")
        compare = _OPERATORS[self.sign]
        (expected,) = self.expected
        number, expected_number = to_number(value), to_number(expected)
        if number is not None and expected_number is not None:
            return compare(number, expected_number)
        if isinstance(value, str):
            return compare(value, str(expected))
        return False

    def _equals(self, value: Any, expected: Any) -> bool:
        if expected is None:
            return value is None or value is MISSING
        if value is MISSING or value is None:
            return False
        if isinstance(value, bool | int | float) and _fits_numbers(expected):
            return _fits_wildcards(to_text(value), expected)
        if isinstance(value, bool) or isinstance(expected, bool):
            return to_text(value).lower() == to_text(expected).lower()
        if isinstance(value, int | float):
            return to_number(expected) == value
        if not isinstance(value, str):
            return to_text(value) == to_text(expected)
        text = to_text(expected)
        if self.ignores_case:
            value, text = value.lower(), text.lower()
        if "*" in text:
            return _fits_wildcards(value, text)
        return str(value) == text

    @property
    def text_pattern(self) -> str | None:
        """Return a regex that each line with a fitting entry matches, or None."""
        if self.sign != "=":
            return None
        patterns = []
        for expected in self.expected:
            pattern = self._pattern_of(expected)
            if pattern is None:
                return None
            patterns.append(pattern)
        prefix = "(?i)" if self.ignores_case else ""
        return f"{prefix}(?:{'|'.join(patterns)})"

    @staticmethod
    def _pattern_of(expected: Any) -> str | None:
        """Return a regex of an alternative as it is written in JSON, or None."""
        if str(expected).lower() in ("true", "false"):
            return f"(?i:{expected})"
        if not isinstance(expected, str) or to_number(expected) is not None:
            return None
        if not _PLAIN_TEXT.fullmatch(expected) or _fits_numbers(expected):
            return None
        if expected.startswith("["):
            # An array is compared with its text, which has no quotes around it.
            return None
        # A star stands for any characters of the value, also escaped quotes.
        # Where lines end in carriage returns, they are not parts of the value.
        text = re.escape(expected).replace("/", r"\\?/")
        text = text.replace(r"\*", r"[^\r\n]*")
        # The sign of the unit kelvin is a letter K too.
        text = re.sub("[kK]", r"(?:\g<0>|\\xe2\\x84\\xaa)", text)
        return f'"{text}"'

    @property
    def number_pattern(self) -> NumberPattern | None:
        """Return the pattern of the numbers that this compares, or None."""
        compare = _OPERATORS.get(self.sign)
        if self.sign == "=":
            compare = operator.eq
        if compare is None:
            return None
        numbers = []
        for expected in self.expected:
            number = to_number(expected)
            if number is None or not is_finite(number):
                return None
            numbers.append(number)
        key = self.path.rpartition(".")[2]
        # An index of an array is no key, and a strange key may be written as escapes.
        if key.isdecimal() or "/" in key or not _PLAIN_TEXT.fullmatch(key):
            return None
        name = re.escape(key.encode())
        # A text that is no number is compared as text. A key may hold a dot itself.
        pattern = re.compile(
            # The key comes before its quote: `re` finds a pattern that begins with
            # letters five times as fast.
            rb'%s(?<=[".]%s)"\s*:\s*(?:"(?!-?\d+(?:\.\d+)?")|-?I|"?(-?\d[\d.eE+-]*))'
            % (name, name)
        )
        return NumberPattern(pattern, compare, tuple(numbers))


@dataclass(frozen=True, slots=True)
class NumberPattern:
    """A field and its number, as they are written in JSON."""

    pattern: re.Pattern[bytes]
    compare: Callable[[Any, Any], bool]
    expected: tuple[float, ...]

    def find(self, page: bytes) -> Iterator[int]:
        """Yield the offsets in a page of the fields whose numbers may fit."""
        for match in self.pattern.finditer(page):
            number = match[1]
            if number is None or self._fits(number):
                yield match.start()

    def _fits(self, text: bytes) -> bool:
        """Return True if a number fits, or may fit since it is read otherwise."""
        try:
            number: float = float(text)
        except ValueError:
            return True
        if abs(number) >= _MAX_EXACT_FLOAT:
            number = to_number(text.decode()) or number
        # A loop takes half the time of a generator, and this runs once a line.
        for expected in self.expected:  # noqa: SIM110
            if self.compare(number, expected):
                return True
        return False


def to_number(value: Any) -> float | None:
    """Return the number that a value is, or that its text is, or None.

    An integer may be larger than any float.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value
    # Only Python reads 1_000 as a number.
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
    """Return True for a number that is neither infinite as a float nor NaN."""
    try:
        return math.isfinite(number)
    except OverflowError:
        return False


def parse_conditions(
    where: Mapping[str, Any], *, ignores_case: bool | None = None
) -> tuple[Condition, ...]:
    """Return the conditions of a caller: ``{"level": "error", "ms": ">500"}``.

    Case is ignored if the value is in lower case, unless `ignores_case` says it. Raises
    `invalid_input`.
    """
    conditions = []
    for path, wanted in where.items():
        sign, expected = "=", wanted
        if isinstance(wanted, str):
            comparison = _COMPARISON.fullmatch(wanted)
            if comparison is not None:
                sign, expected = comparison[1], comparison[2]
                if sign in ("=", "!=") and expected == "null":
                    expected = None
        alternatives = expected if isinstance(expected, list) else [expected]
        if any(isinstance(value, dict) for value in alternatives):
            raise invalid(
                f"where: {path} is compared with an object",
                'name an inner field with dots: {"err.code": 5}; compare with ">500"',
                argument="where",
            )
        is_lower = all(
            value == value.lower()
            for value in alternatives
            if isinstance(value, str)
        )
        conditions.append(
            Condition(
                path,
                sign,
                tuple(alternatives),
                is_lower if ignores_case is None else ignores_case,
            )
        )
    return tuple(conditions)


def _fits_numbers(expected: Any) -> bool:
    """Return True for a text such as ``5*``, which numbers fit too."""
    return isinstance(expected, str) and bool(
        _NUMBER_WITH_STARS.fullmatch(expected)
    )


def _fits_wildcards(value: str, text: str) -> bool:
    """Return True if a value fits a text in which a star is any characters."""
    *parts, end = text.split("*")
    start = parts[0]
    if not value.startswith(start) or not value[len(start) :].endswith(end):
        return False
    position, stop = len(start), len(value) - len(end)
    for part in parts[1:]:
        index = value.find(part, position, stop)
        if index < 0:
            return False
        position = index + len(part)
    return True
