"""The strings of a notebook: their text, and the bytes between their quotes."""

from __future__ import annotations

import json


class NotANotebookError(Exception):
    """The bytes are not a notebook that can be shown by its cells."""


def encode_string(line: bytes, ascii_only: bool) -> bytes:
    """Return text as it is written inside a JSON string."""
    text = line.decode("utf-8", "surrogatepass")
    encoded = json.dumps(text, ensure_ascii=ascii_only or has_surrogate(text))
    return encoded[1:-1].encode()


def decode_string(literal: bytes) -> bytes:
    try:
        return str(json.loads(b'"' + literal + b'"')).encode(
            "utf-8", "surrogatepass"
        )
    except ValueError as error:
        raise NotANotebookError from error


def has_surrogate(text: str) -> bool:
    """Return True if a text has half a surrogate pair, which only an escape writes."""
    return any("\ud800" <= character <= "\udfff" for character in text)
