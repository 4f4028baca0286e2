"""Cursors: opaque to callers, plain inside, refused when they are not ours."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from functools import reduce
from typing import Any

from filewright.boundary import Location
from filewright.errors import invalid

_MOST = 1 << 20


def encode(tool: str, kind: str, key: list[Any]) -> str:
    """A cursor of `tool` that holds `kind` and `key` (JSON values)."""
    text = json.dumps([tool, kind, key], separators=(",", ":"))
    return base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")


def decode(cursor: str, tool: str, kind: str, what: str, types: tuple[type, ...]) -> list[Any]:
    """The key of a cursor of `tool`, which is of such `types`.

    Raises `invalid_input` for any other text, and for a cursor that was given for another `kind` of `what` it does.
    """
    try:
        packed = base64.urlsafe_b64decode((cursor + "=" * (-len(cursor) % 4)).encode("ascii"))
        named, of, key = json.loads(zlib.decompressobj().decompress(packed, _MOST))
        if named != tool or [*map(type, key)] != [*types]:
            raise ValueError(named)
    except (ValueError, TypeError, UnicodeError, binascii.Error, zlib.error, RecursionError) as error:
        raise invalid(
            "the cursor is not one that this tool gave",
            "leave it out to start from the beginning",
            argument="cursor",
        ) from error
    if of != kind:
        raise invalid(
            f"the cursor belongs to another {what}",
            "call again with the arguments of the call that gave it",
            argument="cursor",
        )
    found: list[Any] = key
    return found


def below(top: Location, location: Location) -> str:
    """A place below `top` as a cursor holds it: each byte of its path a character."""
    return b"/".join(location.parts[len(top.parts) :]).decode("latin-1")


def place(top: Location, path: str) -> Location:
    """The place that `below` has named."""
    parts = path.encode("latin-1", "replace").split(b"/") if path else []
    return reduce(Location.child, parts, top)
