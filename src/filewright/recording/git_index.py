"""A reader of git's index file, in its versions 2 to 4."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

_HEADER = struct.Struct(">4sII")
"""The signature, the version, and the number of entries."""
_ENTRY = struct.Struct(">10I20sH")
"""Two times, device, inode, mode, user, group, size, object, flags."""
_EXTENDED_FLAG = 0x4000
_STAGE_BITS = 0x3000


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """One file of an index, with its state when git last read it."""

    path: bytes
    inode: int
    size: int
    mtime_ns: int
    object_id: str
    is_conflict: bool


def iter_entries(data: bytes) -> Iterator[IndexEntry]:
    """Yield the entries of an index; none of another file.

    Raises `struct.error`, `ValueError` or `IndexError` where the index is
    damaged.
    """
    signature, version, count = _HEADER.unpack_from(data)
    if signature != b"DIRC" or version not in (2, 3, 4):
        return
    offset, path = _HEADER.size, b""
    for _ in range(count):
        fields = _ENTRY.unpack_from(data, offset)
        seconds, nanoseconds, inode, size = (
            fields[2],
            fields[3],
            fields[5],
            fields[9],
        )
        object_name, flags = fields[10], fields[11]
        path_start = offset + _ENTRY.size
        if version > 2 and flags & _EXTENDED_FLAG:
            path_start += 2
        # Version 4 replaces only the end of the previous path.
        dropped_length = len(path)
        if version == 4:
            dropped_length, path_start = _read_offset(data, path_start)
        path_end = data.index(b"\0", path_start)
        path = path[: len(path) - dropped_length] + data[path_start:path_end]
        if version == 4:
            offset = path_end + 1
        else:
            # Padded with one to eight zeros, to a multiple of eight.
            offset += (path_end - offset + 8) // 8 * 8
        yield IndexEntry(
            path=path,
            inode=inode,
            size=size,
            mtime_ns=seconds * 10**9 + nanoseconds,
            object_id=object_name.hex(),
            is_conflict=bool(flags & _STAGE_BITS),
        )


def _read_offset(data: bytes, position: int) -> tuple[int, int]:
    """Return a number in the encoding of git's pack offsets, and its end."""
    value = data[position] & 0x7F
    while data[position] & 0x80:
        position += 1
        value = (value + 1 << 7) | (data[position] & 0x7F)
    return value, position + 1
