"""Cursors: the position from which a list or a search continues.

A cursor is opaque to the caller. It holds the tool, the kind of result and the position as
compressed JSON, so that a cursor of another call is refused.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from functools import reduce
from typing import Any

from filewright.boundary.location import Location
from filewright.errors import invalid

# A small cursor could unpack to gigabytes.
MAX_UNPACKED_BYTES = 1 << 20


def encode_cursor(tool: str, kind: str, position: list[Any]) -> str:
    """Return a cursor of `tool` for a `position` (JSON values) in a result of that kind."""
    text = json.dumps([tool, kind, position], separators=(",", ":"))
    packed = base64.urlsafe_b64encode(zlib.compress(text.encode(), 9))
    return packed.decode().rstrip("=")


def decode_cursor(
    cursor: str, tool: str, kind: str, *, noun: str, types: tuple[type, ...]
) -> list[Any]:
    """Return the position in a cursor of `tool`, whose values have these `types`.

    Raises `invalid_input` for any other text, and for a cursor that was returned for
    another `kind`; `noun` says what differs then.
    """
    try:
        cursor_tool, cursor_kind, position = json.loads(_unpack(cursor))
        is_valid = cursor_tool == tool and _types_of(position) == types
    except (
        ValueError,
        TypeError,
        UnicodeError,
        binascii.Error,
        zlib.error,
        RecursionError,
    ):
        # Any text may be sent as a cursor, also JSON that is nested too deeply.
        is_valid = False
    if not is_valid:
        raise invalid(
            "the cursor is not one that this tool gave",
            "leave it out to start from the beginning",
            argument="cursor",
        )
    if cursor_kind != kind:
        raise invalid(
            f"the cursor belongs to another {noun}",
            "call again with the arguments of the call that gave it",
            argument="cursor",
        )
    values: list[Any] = position
    return values


def _unpack(cursor: str) -> bytes:
    """Return the JSON in a cursor."""
    padded = cursor + "=" * (-len(cursor) % 4)
    packed = base64.urlsafe_b64decode(padded.encode("ascii"))
    return zlib.decompressobj().decompress(packed, MAX_UNPACKED_BYTES)


def _types_of(values: list[Any]) -> tuple[type, ...]:
    """Return the type of each value."""
    return tuple(type(value) for value in values)


def encode_path(top: Location, location: Location) -> str:
    """Return the path from `top` to a location in the form for a cursor.

    A character stands for each byte, since a name need not be valid text.
    """
    return b"/".join(location.parts[len(top.parts) :]).decode("latin-1")


def decode_path(top: Location, path: str) -> Location:
    """Return the location of a path that `encode_path` made."""
    parts = path.encode("latin-1", "replace").split(b"/") if path else []
    return reduce(Location.child, parts, top)
