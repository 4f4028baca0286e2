"""The bound on how many values JSON text may hold, counted before anything is built of it."""

from __future__ import annotations

import json
import re
from typing import Any

MAX_VALUES = 200_000
"""Members of lists and objects in one message. Each takes a hundred bytes or more once it is parsed, so a message of
ten megabytes of `{},` would take gigabytes."""

# Everything up to the next sign that begins or separates members, strings passed over as a whole. A string without an
# end goes to the end of the text. Nothing is ever tried again, so that time grows with the length alone.
_NEXT_SIGN = re.compile(
    rb'(?:[^",{\[]++|"(?:[^"\\]++|\\.)*+(?:"|\\?\Z))*+[,{\[]', re.DOTALL
)
_SIGNS = (b",", b"{", b"[")


class TooManyValuesError(ValueError):
    """A JSON text with more values than are built of one message."""


def has_too_many_values(text: bytes) -> bool:
    """Return True if JSON text has more than `MAX_VALUES` members of lists and objects, by its raw bytes.

    Only of UTF-8 are strings left out: in UTF-16 the byte of a quote may be half of a letter.
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

    Raises `ValueError` for any other text, `RecursionError` for deep nesting, and `TooManyValuesError`.
    """
    if has_too_many_values(text):
        raise TooManyValuesError(f"more than {MAX_VALUES} values")
    return json.loads(text)


def _count_signs(text: bytes) -> int:
    """Return how many signs begin or separate the members of lists and objects."""
    return sum(text.count(sign) for sign in _SIGNS)
