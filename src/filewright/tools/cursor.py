"""Cursors: opaque to callers, plain inside, refused when they are not ours."""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any

from filewright.errors import invalid


def encode(tool: str, kind: str, key: list[Any]) -> str:
    """A cursor of `tool` that holds `kind` and `key` (JSON values)."""
    text = json.dumps([tool, kind, key], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def decode(cursor: str, tool: str) -> tuple[str, list[Any]]:
    """The kind and key of a cursor of `tool`. Raises `invalid_input`."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        named, kind, key = json.loads(base64.urlsafe_b64decode(padded.encode("ascii")))
        if named != tool or not isinstance(kind, str) or not isinstance(key, list):
            raise ValueError(named)
    except (ValueError, TypeError, UnicodeError, binascii.Error, RecursionError) as error:
        raise invalid(
            "the cursor is not one that this tool gave",
            "leave it out to start from the beginning",
            argument="cursor",
        ) from error
    return kind, key
