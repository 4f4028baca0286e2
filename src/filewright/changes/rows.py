"""Sides as JSON arrays, and spans packed::

    side      [kind, mode, uid, gid, mtime, size, digest, blob, target, attributes]

What is unset at the end of an array is left out. Undecodable names become lone surrogates.
"""

from __future__ import annotations

import json
import os
import zlib
from array import array

from filewright.changes.record import NO_SPANS, Side, Spans

_DECODER = json.JSONDecoder()
_ENCODER = json.JSONEncoder(separators=(",", ":"))


def side_text(side: Side | None) -> str | None:
    """A side as text."""
    if side is None:
        return None
    carried = {name: data.hex() for name, data in side.attributes.items()} if side.attributes else None
    size = side.size if side.kind == "file" else None
    target = os.fsdecode(side.target) if side.target is not None else None
    row = [
        side.kind,
        side.mode,
        side.uid,
        side.gid,
        side.mtime_ns,
        size,
        side.digest,
        side.blob,
        target,
        carried,
    ]
    while row[-1] is None:
        row.pop()
    return _ENCODER.encode(row)


def side_of(text: str | None) -> Side | None:
    """The inverse. Raises `ValueError` or `TypeError` for anything else."""
    if text is None:
        return None
    row = _DECODER.decode(text)
    if len(row) <= 8:
        kind, mode, uid, gid, time, *file = row
        return Side(kind, mode, uid, gid, file[0] if file else 0, time, *file[1:])
    kind, mode, uid, gid, time, size, digest, blob, target, *carried = row
    attributes = {name: bytes.fromhex(data) for name, data in carried[0].items()} if carried else {}
    linked = os.fsencode(target) if target is not None else None
    return Side(kind, mode, uid, gid, size or 0, time, digest, blob, linked, attributes)


def span_bytes(spans: Spans) -> bytes | None:
    """Spans, packed; None for none."""
    return zlib.compress(spans.numbers.tobytes(), 1) if spans else None


def spans_of(data: bytes | None) -> Spans:
    """The inverse."""
    if data is None:
        return NO_SPANS
    numbers = array("q")
    numbers.frombytes(zlib.decompress(data))
    return Spans(numbers)
