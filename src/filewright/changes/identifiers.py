"""Names of changes: their number, nanoseconds since the epoch, in thirteen digits that sort as it does."""

from __future__ import annotations

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_ID_LENGTH = 13


def id_of(number: int) -> str:
    """A change's id from its number (nanoseconds since the epoch): ids sort as their numbers do."""
    digits = []
    for _ in range(_ID_LENGTH):
        number, digit = divmod(number, 32)
        digits.append(_ALPHABET[digit])
    return "".join(reversed(digits))


def number_of(identifier: str) -> int | None:
    """The number behind an id, or None if it is not one."""
    if len(identifier) != _ID_LENGTH or any(digit not in _ALPHABET for digit in identifier):
        return None
    number = 0
    for digit in identifier:
        number = number * 32 + _ALPHABET.index(digit)
    return number
