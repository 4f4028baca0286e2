"""The ends of members in a compressed file, as far as they are known before it is decoded.

bgzip writes the length of each member into its header, the blocks of zstd have theirs,
and the streams of a parallel bzip2 begin with a text of ten bytes. An end that is wrong
does no harm: the members before it cannot be decoded to exactly that place.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from filewright.text.compression import Compression, ReadAt

_MIN_SEGMENT_BYTES: Final = 256 << 10
_MAX_SEGMENT_MEMBERS: Final = 128
_MAX_BLOCKS: Final = 64
"""Blocks of a frame of zstd, each of 128 KB at most."""

_MAX_WINDOW_BYTES: Final = 8 << 20
_SEARCHED_BYTES: Final = 1 << 20
_ZSTD_FRAME: Final = b"\x28\xb5\x2f\xfd"
_BZIP2_STREAM = re.compile(rb"BZh[1-9]1AY&SY")


@dataclass(frozen=True, slots=True)
class Segment:
    """Whole members that are decoded at once: the bytes [start, end) of the file."""

    start: int
    end: int


def find_segment(
    compression: Compression, read: ReadAt, start: int
) -> Segment | None:
    """Return the members from an offset on, or None if their end is not known."""
    find_end = _FIND_END.get(compression.name)
    if find_end is None:
        return None
    end = start
    for _ in range(_MAX_SEGMENT_MEMBERS):
        member_end = find_end(read, end)
        if member_end is None:
            break
        end = member_end
        if end - start >= _MIN_SEGMENT_BYTES:
            break
    return Segment(start, end) if end > start else None


def _find_gzip_end(read: ReadAt, start: int) -> int | None:
    """Return the end of a member that bgzip wrote."""
    header = read(start, 18)
    has_length = header[:4] == b"\x1f\x8b\x08\x04" and (
        header[10:16] == b"\x06\0BC\x02\0"
    )
    if not has_length:
        return None
    return start + int.from_bytes(header[16:18], "little") + 1


def _find_zstd_end(read: ReadAt, start: int) -> int | None:
    """Return the end of a frame, by the lengths of its blocks."""
    header = read(start, 8)
    if len(header) < 8:
        return None
    if header[1:4] == b"\x2a\x4d\x18":
        return start + 8 + int.from_bytes(header[4:8], "little")
    if not header.startswith(_ZSTD_FRAME):
        return None
    descriptor, window = header[4], header[5]
    size_flag, is_single = descriptor >> 6, bool(descriptor & 0x20)
    if not is_single and (1 << (10 + (window >> 3))) >= _MAX_WINDOW_BYTES * 2:
        return None
    dictionary_bytes = (0, 1, 2, 4)[descriptor & 3]
    size_bytes = (int(is_single), 2, 4, 8)[size_flag]
    offset = start + 5 + (not is_single) + dictionary_bytes + size_bytes
    for _ in range(_MAX_BLOCKS):
        block = int.from_bytes(read(offset, 3), "little")
        kind, length = block >> 1 & 3, block >> 3
        # A block of one repeated byte holds that byte.
        offset += 3 + (1 if kind == 1 else length)
        if block & 1:
            return offset + (4 if descriptor & 4 else 0)
    return None


def _find_bzip2_end(read: ReadAt, start: int) -> int | None:
    """Return the beginning of the next stream."""
    match = _BZIP2_STREAM.search(read(start + 4, _SEARCHED_BYTES))
    return None if match is None else start + 4 + match.start()


_FIND_END: Final[dict[str, Callable[[ReadAt, int], int | None]]] = {
    "gzip": _find_gzip_end,
    "zstd": _find_zstd_end,
    "bzip2": _find_bzip2_end,
}
