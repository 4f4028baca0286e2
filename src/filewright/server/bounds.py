"""The bound on how much a message may build before anything is built of it."""

from __future__ import annotations

import re

MAX_VALUES = 200_000
"""Members of lists and objects in one message. Each takes a hundred bytes or more once it is parsed, so a message of
ten megabytes of `{},` would take gigabytes."""

_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_SIGNS = (b",", b"{", b"[")


def has_too_many_values(message: bytes) -> bool:
    """Return True if a JSON message has more than `MAX_VALUES` members of lists and objects, by its raw bytes."""
    if _count_signs(message) <= MAX_VALUES:
        return False
    return _count_signs(_STRING.sub(b"", message)) > MAX_VALUES


def _count_signs(text: bytes) -> int:
    """Return how many signs begin or separate the members of lists and objects."""
    return sum(text.count(sign) for sign in _SIGNS)
