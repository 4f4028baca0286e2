"""Cursors: the position from which a list or a search continues.

A cursor is opaque to the caller. It holds the tool, the kind of result and the position in
few bytes, with a checksum, so that a cursor of another call is refused.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any

import xxhash

from filewright.boundary.location import Location
from filewright.errors import invalid

MAX_WHOLE_PATH_BYTES = 15
"""A longer path is held as the marks of its names."""

MARKS_SIGN = "\0"
MARK_BYTES = 3
TOOL_BYTES = 1
CHECKSUM_BYTES = 2


def encode_cursor(tool: str, kind: str, position: list[Any]) -> str:
    """Return a cursor of `tool` for a `position` in a result of that kind.

    Its values are numbers and texts of characters up to U+00FF.
    """
    types = tuple(type(value) for value in position)
    content = _head(tool, types, kind) + b"".join(map(_pack, position))
    packed = base64.urlsafe_b64encode(content + _mark(content, CHECKSUM_BYTES))
    return packed.decode().rstrip("=")


def decode_cursor(
    cursor: str, tool: str, kind: str, *, noun: str, types: tuple[type, ...]
) -> list[Any]:
    """Return the position in a cursor of `tool`, whose values have these `types`.

    Raises `invalid_input` for any other text, and for a cursor that was returned for
    another `kind`; `noun` says what differs then.
    """
    content = _unpack(cursor)
    head = _head(tool, types, kind)
    if content[:TOOL_BYTES] != head[:TOOL_BYTES]:
        raise invalid(
            "this tool did not give that cursor",
            "leave it out to start from the beginning",
            argument="cursor",
        )
    if content[TOOL_BYTES : len(head)] != head[TOOL_BYTES:]:
        raise invalid(
            f"the cursor belongs to another {noun}",
            "repeat the arguments of the call that gave the cursor",
            argument="cursor",
        )
    return _read_values(content[len(head) :], types)


def _head(tool: str, types: tuple[type, ...], kind: str) -> bytes:
    """Return a byte for the tool and its values, and a mark of the kind of result."""
    names = " ".join([tool, *(value_type.__name__ for value_type in types)])
    return _mark(names.encode(), TOOL_BYTES) + _mark(kind.encode(), MARK_BYTES)


def _mark(content: bytes, size: int) -> bytes:
    """Return bytes by which a content is recognised."""
    return xxhash.xxh3_64_digest(content)[:size]


def _unpack(cursor: str) -> bytes:
    """Return the bytes in a cursor without their checksum, or b"" if that is wrong."""
    padded = cursor + "=" * (-len(cursor) % 4)
    try:
        content = base64.b64decode(
            padded.encode("ascii"), altchars=b"-_", validate=True
        )
    except (UnicodeError, binascii.Error):
        return b""
    content, checksum = content[:-CHECKSUM_BYTES], content[-CHECKSUM_BYTES:]
    return content if checksum == _mark(content, CHECKSUM_BYTES) else b""


def _pack(value: Any) -> bytes:
    """Return the bytes of a number, or of a text behind its length."""
    if isinstance(value, str):
        content = value.encode("latin-1")
        return _pack_number(len(content)) + content
    # The lowest bit is the sign.
    return _pack_number(value << 1 if value >= 0 else ~value << 1 | 1)


def _pack_number(number: int) -> bytes:
    """Return a number in groups of seven bits, the lowest first."""
    content = bytearray()
    while number > 0x7F:
        content.append(number & 0x7F | 0x80)
        number >>= 7
    content.append(number)
    return bytes(content)


def _read_values(content: bytes, types: tuple[type, ...]) -> list[Any]:
    """Return the values of these types that a checked cursor holds."""
    values: list[Any] = []
    offset = 0
    for value_type in types:
        number = shift = 0
        has_more = True
        while has_more and offset < len(content):
            byte = content[offset]
            number |= (byte & 0x7F) << shift
            has_more = bool(byte & 0x80)
            shift += 7
            offset += 1
        if value_type is str:
            text = content[offset : offset + number].decode("latin-1")
            values.append(text)
            offset += number
        else:
            values.append(~(number >> 1) if number & 1 else number >> 1)
    return values


def encode_path(top: Location, location: Location) -> str:
    """Return the path from `top` to a location in the form for a cursor.

    A character stands for each byte, since a name need not be valid text.
    """
    return b"/".join(location.parts[len(top.parts) :]).decode("latin-1")


def decode_path(top: Location, path: str) -> Location:
    """Return the location of a path that `encode_path` made."""
    parts = path.encode("latin-1", "replace").split(b"/") if path else []
    return reduce(Location.child, parts, top)


def shorten_path(top: Location, location: Location) -> str:
    """Return the path from `top` to a location, or marks of its names if it is long."""
    path = encode_path(top, location)
    if len(path) <= MAX_WHOLE_PATH_BYTES:
        return path
    marks = [
        _mark(name, MARK_BYTES) for name in location.parts[len(top.parts) :]
    ]
    marked_path = MARKS_SIGN + b"".join(marks).decode("latin-1")
    return min(path, marked_path, key=len)


def find_path(
    top: Location,
    path: str,
    list_folder: Callable[[Location], Iterable[Location]],
) -> Location | None:
    """Return the location of a path that `shorten_path` made.

    None if no name in a folder has the mark, or several have it.
    """
    if not path.startswith(MARKS_SIGN):
        return decode_path(top, path)
    marks = path[len(MARKS_SIGN) :].encode("latin-1")
    location = top
    for start in range(0, len(marks), MARK_BYTES):
        mark = marks[start : start + MARK_BYTES]
        matches = []
        for entry in list_folder(location):
            if _mark(entry.parts[-1], MARK_BYTES) == mark:
                matches.append(entry)
        if len(matches) != 1:
            return None
        (location,) = matches
    return location
