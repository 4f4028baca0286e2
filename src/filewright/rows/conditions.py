"""Conditions on the fields of rows: comparisons of a field with given values."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from filewright.errors import invalid
from filewright.rows.fields import MISSING, find_value, to_text
from filewright.rows.numbers import FindForm, is_finite, to_number
from filewright.rows.operand import NumberOperand, Operand, read_operand

_COMPARISON_TEXT = re.compile(r"\s*(>=|<=|!=|>|<|=)\s*(.*)", re.DOTALL)
_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}
_UNESCAPED_TEXT = re.compile(r"[A-Za-z0-9 _.:@/,;()#%*!?$\[\]-]+")
"""Text that JSON writers do not escape, but for the slash: some write ``\\/``."""


def _find_no_form() -> str | None:
    """Return None: other values are not looked at."""
    return None


_NUMBER_WITH_STARS = re.compile(r"[\d.eE+*-]*\*[\d.eE+*-]*")
_MAX_EXACT_FLOAT = 2**53


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison of the field at a path: `sign` is one of ``= != > >= < <=``.

    `expected` has one value, or several alternatives for ``=`` and ``!=``. The value of
    an ordered comparison is also an `operand`, unless it is compared as text.
    """

    path: str
    sign: str
    expected: tuple[Any, ...]
    ignores_case: bool = False
    operand: Operand | None = None

    def accepts(self, entry: Mapping[str, Any]) -> bool:
        """Return True if an entry fulfils the condition."""
        return self.accepts_value(find_value(entry, self.path))

    def accepts_value(self, value: Any) -> bool:
        """Return True if a value certainly fulfils the condition.

        The value of a field that an entry does not have is `MISSING`.
        """
        return self.judge(value) is True

    def judge(
        self, value: Any, find_form: FindForm = _find_no_form
    ) -> bool | None:
        """Return True if a value fulfils the condition, or None if it is uncertain.

        `find_form` returns the form of numbers or dates that other values of the field
        show, by `find_form` of the operand.
        """
        if self.sign in ("=", "!="):
            is_equal = any(
                self._equals(value, expected) for expected in self.expected
            )
            return is_equal == (self.sign == "=")
        compare = _OPERATORS[self.sign]
        if isinstance(value, str):
            if self.operand is None:
                return compare(value, str(self.expected[0]))
            if not value.strip():
                return False
            return self.operand.judge(value, compare, find_form)
        number = to_number(value)
        if number is None or not isinstance(self.operand, NumberOperand):
            return False
        return compare(number, self.operand.key)

    def explain(self, value: Any) -> str:
        """Return why it is uncertain whether a value fits: "without a number"."""
        assert self.operand is not None
        return self.operand.explain(value, self.sign)

    def _equals(self, value: Any, expected: Any) -> bool:
        if expected is None or value is None or value is MISSING:
            is_absent = value is None or value is MISSING
            return expected is None and is_absent
        if isinstance(value, str) and not isinstance(expected, bool):
            return self._equals_text(value, to_text(expected))
        is_scalar = isinstance(value, bool | int | float)
        if is_scalar and _has_stars_in_number(expected):
            return _matches_wildcards(to_text(value), expected)
        if isinstance(value, bool) or isinstance(expected, bool):
            return to_text(value).lower() == to_text(expected).lower()
        if is_scalar:
            return bool(to_number(expected) == value)
        return to_text(value) == to_text(expected)

    def _equals_text(self, value: str, expected: str) -> bool:
        if self.ignores_case:
            value, expected = value.lower(), expected.lower()
        if "*" in expected:
            return _matches_wildcards(value, expected)
        return value == expected

    @property
    def text_pattern(self) -> str | None:
        """Return a regex that matches every line of JSON that fulfils this, or None.

        Other lines may match it too.
        """
        if self.sign != "=":
            return None
        patterns = []
        for expected in self.expected:
            pattern = self._build_json_pattern(expected)
            if pattern is None:
                return None
            patterns.append(pattern)
        prefix = "(?i)" if self.ignores_case else ""
        return f"{prefix}(?:{'|'.join(patterns)})"

    @staticmethod
    def _build_json_pattern(expected: Any) -> str | None:
        """Return a regex of one alternative in JSON, or None if there are many spellings."""
        if str(expected).lower() in ("true", "false"):
            return f"(?i:{expected})"
        if not isinstance(expected, str) or to_number(expected) is not None:
            return None
        if not _UNESCAPED_TEXT.fullmatch(expected) or _has_stars_in_number(
            expected
        ):
            return None
        if expected.startswith("["):
            # An array is compared by its text, which has no quotes around it.
            return None
        # A star stands for any characters of the value, escaped quotes too, but not for
        # the carriage return at the end of a line.
        pattern = re.escape(expected).replace("/", r"\\?/")
        pattern = pattern.replace(r"\*", r"[^\r\n]*")
        # The sign of the unit kelvin, U+212A, is a K too where case is ignored.
        pattern = re.sub("[kK]", r"(?:\g<0>|\\xe2\\x84\\xaa)", pattern)
        return f'"{pattern}"'

    @property
    def number_pattern(self) -> NumberPattern | None:
        """Return the pattern of the field and its number in JSON, or None."""
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
        last_key = self.path.rpartition(".")[2]
        # An index of an array is no key, and other keys may be written with escapes.
        if (
            last_key.isdecimal()
            or "/" in last_key
            or not _UNESCAPED_TEXT.fullmatch(last_key)
        ):
            return None
        escaped_key = re.escape(last_key.encode())
        # A quoted text that is no number may be uncertain, so it counts as a match.
        # A key may hold a dot itself.
        pattern = re.compile(
            # The key comes before its quote: `re` finds a pattern that begins with
            # letters five times as fast.
            rb'%s(?<=[".]%s)"\s*:\s*(?:"(?!-?\d+(?:\.\d+)?")|-?I|"?(-?\d[\d.eE+-]*))'
            % (escaped_key, escaped_key)
        )
        return NumberPattern(pattern, compare, tuple(numbers))


@dataclass(frozen=True, slots=True)
class NumberPattern:
    """A pattern of a field with its number in JSON, and the comparison of that number."""

    pattern: re.Pattern[bytes]
    compare: Callable[[Any, Any], bool]
    expected: tuple[float, ...]

    def find(self, buffer: bytes) -> Iterator[int]:
        """Yield the offsets in a buffer of the fields whose numbers may fit."""
        for match in self.pattern.finditer(buffer):
            number_text = match[1]
            if number_text is None or self._fits(number_text):
                yield match.start()

    def _fits(self, number_text: bytes) -> bool:
        """Return True if a number fits, or cannot be read and so may fit."""
        try:
            number: float = float(number_text)
        except ValueError:
            return True
        if abs(number) >= _MAX_EXACT_FLOAT:
            number = to_number(number_text.decode()) or number
        # A loop takes half the time of a generator, and this runs once a line.
        for expected in self.expected:  # noqa: SIM110
            if self.compare(number, expected):
                return True
        return False


def parse_conditions(
    where: Mapping[str, Any], *, ignores_case: bool | None = None
) -> tuple[Condition, ...]:
    """Return the conditions of a caller: ``{"level": "error", "ms": ">500"}``.

    Without `ignores_case`, case is ignored if the value is in lower case. Raise
    `invalid_input` for a comparison with an object.
    """
    conditions = []
    for path, comparison in where.items():
        sign, expected = "=", comparison
        operand = None
        if isinstance(comparison, str):
            sign, expected = _split_comparison(comparison)
        if sign in _OPERATORS:
            operand = read_operand(path, sign, str(expected))
        alternatives = expected if isinstance(expected, list) else [expected]
        if any(isinstance(value, dict) for value in alternatives):
            raise invalid(
                f"where: {path} is compared with an object",
                'name an inner field with dots: {"err.code": 5}; compare with ">500"',
                argument="where",
            )
        is_case_ignored = ignores_case
        if is_case_ignored is None:
            is_case_ignored = _is_lower_case(alternatives)
        conditions.append(
            Condition(path, sign, tuple(alternatives), is_case_ignored, operand)
        )
    return tuple(conditions)


def _split_comparison(comparison: str) -> tuple[str, str | None]:
    """Return the sign of a text such as ">500", and the value; None for "=null"."""
    match = _COMPARISON_TEXT.fullmatch(comparison)
    if match is None:
        return "=", comparison
    sign, expected = match.groups()
    if sign in ("=", "!=") and expected == "null":
        return sign, None
    return sign, expected


def _is_lower_case(values: Sequence[Any]) -> bool:
    texts = [value for value in values if isinstance(value, str)]
    return texts == [text.lower() for text in texts]


def _has_stars_in_number(expected: Any) -> bool:
    """Return True for a text such as ``5*``, which is compared with numbers too."""
    return isinstance(expected, str) and bool(
        _NUMBER_WITH_STARS.fullmatch(expected)
    )


def _matches_wildcards(value: str, pattern: str) -> bool:
    """Return True if a value matches a pattern in which a star is any characters."""
    *parts, suffix = pattern.split("*")
    prefix = parts[0]
    if not value.startswith(prefix) or not value[len(prefix) :].endswith(
        suffix
    ):
        return False
    position, stop = len(prefix), len(value) - len(suffix)
    for part in parts[1:]:
        index = value.find(part, position, stop)
        if index < 0:
            return False
        position = index + len(part)
    return True
