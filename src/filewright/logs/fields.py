"""Fields of JSON lines: nested paths, and plain comparisons with their values."""

from __future__ import annotations

import json
import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from filewright.errors import invalid

MISSING = object()
"""The value of a field that an entry does not have."""

_COMPARISON = re.compile(r"\s*(>=|<=|!=|>|<|=)\s*(.*)", re.DOTALL)
_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}
_PLAIN_TEXT = re.compile(r"[A-Za-z0-9 _.:@-]+")
_MAX_VALUE_CHARS = 200


def parse_entry(line: bytes) -> dict[str, Any] | None:
    """Return the object in a line, or None if it is no JSON object."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def find_value(entry: Mapping[str, Any], path: str) -> Any:
    """Return the value at a path such as ``err.code``, or `MISSING`.

    A key that holds a dot itself comes first; a number is an index of an array.
    """
    if path in entry:
        return entry[path]
    value: Any = entry
    for part in path.split("."):
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdecimal():
            index = int(part)
            if index >= len(value):
                return MISSING
            value = value[index]
        else:
            return MISSING
    return value


def show_value(value: Any) -> str:
    """Return a value as a column of a result."""
    if value is MISSING:
        return "-"
    if isinstance(value, str):
        text = value
    else:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text[:_MAX_VALUE_CHARS]


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
        value = find_value(entry, self.path)
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
        if isinstance(value, bool) or isinstance(expected, bool):
            return show_value(value).lower() == show_value(expected).lower()
        if isinstance(value, int | float):
            return to_number(expected) == value
        if not isinstance(value, str):
            return show_value(value) == show_value(expected)
        text = show_value(expected)
        if self.ignores_case:
            return value.lower() == text.lower()
        return value == text

    @property
    def required_text(self) -> str:
        """Return text that each line with a fitting entry holds, or ""."""
        if self.sign != "=" or len(self.expected) != 1:
            return ""
        (expected,) = self.expected
        is_number = to_number(expected) is not None
        is_plain = isinstance(expected, str) and _PLAIN_TEXT.fullmatch(expected)
        is_word = str(expected).lower() in ("true", "false")
        if is_plain and not is_number and not is_word:
            return f'"{expected}"'
        return ""

    @property
    def number_pattern(self) -> NumberPattern | None:
        """Return the pattern of the numbers that this compares, or None."""
        compare = _OPERATORS.get(self.sign)
        if self.sign == "=" and len(self.expected) == 1:
            compare = operator.eq
        if compare is None:
            return None
        expected = to_number(self.expected[0])
        key = self.path.rpartition(".")[2]
        if expected is None or not math.isfinite(expected):
            return None
        # An index of an array is no key, and a strange key may be written as escapes.
        if key.isdecimal() or not _PLAIN_TEXT.fullmatch(key):
            return None
        # A text that is no number is compared as text. A key may hold a dot itself.
        pattern = re.compile(
            rb'[".]%s"\s*:\s*(?:"(?!-?\d+(?:\.\d+)?")|"?(-?\d[\d.eE+-]*))'
            % re.escape(key.encode())
        )
        return NumberPattern(pattern, compare, expected)


@dataclass(frozen=True, slots=True)
class NumberPattern:
    """A field and its number, as they are written in JSON."""

    pattern: re.Pattern[bytes]
    compare: Callable[[Any, Any], bool]
    expected: float

    def find_lines(self, page: bytes) -> Iterator[tuple[int, int]]:
        """Yield the beginnings and ends of the lines of a page that may fit."""
        compare, expected, last_end = self.compare, self.expected, -1
        for match in self.pattern.finditer(page):
            number = match[1]
            if number is not None:
                try:
                    if not compare(float(number), expected):
                        continue
                except ValueError:
                    pass
            start = match.start()
            if start < last_end:
                continue
            low = page.rfind(b"\n", 0, start) + 1
            last_end = page.find(b"\n", start)
            if last_end < 0:
                last_end = len(page)
            yield low, last_end


def to_number(value: Any) -> float | None:
    """Return the number that a value is, or that its text is, or None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return None
    return None


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


def show_fields(entry: Mapping[str, Any], fields: Sequence[str]) -> str:
    """Return the fields of an entry as columns, with tabs between them."""
    return "\t".join(show_value(find_value(entry, path)) for path in fields)
