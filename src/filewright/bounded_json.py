"""A parser of JSON that refuses texts with too many values before it builds any."""

from __future__ import annotations

import json
import re
from typing import Any

MAX_VALUES = 200_000
"""The most members of lists and objects that one message may have.

A parsed member takes a hundred bytes or more, so ten megabytes of `{},` would take
gigabytes of memory.
"""

# Everything up to the next sign that begins or separates members; a string is skipped
# as a whole, and one without an end reaches to the end of the text. The possessive
# quantifiers never backtrack, so the time grows only with the length of the text.
_NEXT_SIGN = re.compile(
    rb'(?:[^",{\[]++|"(?:[^"\\]++|\\.)*+(?:"|\\?\Z))*+[,{\[]', re.DOTALL
)
_SIGNS = (b",", b"{", b"[")


class TooManyValuesError(ValueError):
    """The error of a JSON text with more than `MAX_VALUES` values."""


def has_too_many_values(text: bytes) -> bool:
    """Return True if JSON text has more than `MAX_VALUES` members.

    The raw bytes are counted. In UTF-16 the byte of a quote may be half of a character,
    so the signs inside strings are only left out of the count in UTF-8.
    """
    if _count_signs(text) <= MAX_VALUES:
        return False
    if not json.detect_encoding(text).startswith("utf-8"):
        return True
    position = 0
    for _ in range(MAX_VALUES + 1):
        sign = _NEXT_SIGN.match(text, position)
        if sign is None:
            return False
        position = sign.end()
    return True


def parse_json(text: bytes) -> Any:
    """Return the value of JSON text.

    Raises `ValueError` for invalid JSON, `RecursionError` for deep nesting, and
    `TooManyValuesError`.
    """
    if has_too_many_values(text):
        raise TooManyValuesError(f"more than {MAX_VALUES} values")
    return json.loads(text)


def _count_signs(text: bytes) -> int:
    """Count the signs that begin or separate members, also those inside strings."""
    return sum(text.count(sign) for sign in _SIGNS)
