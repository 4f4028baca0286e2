"""How operations are packed: what they did to each place, as rows of the log; and their plans, as bytes.

Both are JSON, in which bytes that are no text become lone surrogates. A stamp is a list of its fields, without what
is unset at its end. A plan is lines of JSON, compressed, so that no plan is ever held as text: how many folders there
are, then each of them, then each operation, followed by what is inside of its stamps.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence
from itertools import islice

from filewright.annotations import Any
from filewright.changes.contents import Keeper
from filewright.changes.plan import CommitPlan, FolderRef, Put, Slot
from filewright.changes.record import ChangeRecord, Entry, Place, Stamp

_KEPT = Stamp._fields[:10]
_SEEN = "kind", "inode", "mode", "uid", "gid", "size", "mtime_ns", "digest", "target"
_RARE = {"reverts": False, "partial": False, "undoable": True, "hard_links": False, "notes": False}
"""What few changes have, and whether the others have it."""


def _plain(value: bytes) -> object:
    """What JSON does not know."""
    return {"": value.decode("utf-8", "surrogateescape")}


def _bytes(value: dict[str, Any]) -> object:
    return value[""].encode("utf-8", "surrogateescape") if "" in value else value


_ENCODER = json.JSONEncoder(separators=(",", ":"), default=_plain)
_DECODER = json.JSONDecoder(object_hook=_bytes)


def _row(stamp: Stamp, names: Sequence[str]) -> list[object]:
    row = [getattr(stamp, name) for name in names]
    while not row[-1]:
        row.pop()
    return row


def _stamp(row: Any, names: Sequence[str], **more: Any) -> Stamp:
    return Stamp(**dict(zip(names, row, strict=False)), **more)


# Rows of the log; what comes out of them otherwise than it went in raises whatever comes of that


def packed_entry(entry: Entry) -> tuple[bool, str, bytes | None]:
    """Whether an entry deletes; and what else there is to it than places, as text, and its spans."""
    sides = [side and _row(side, _KEPT) for side in (entry.before, entry.after)]
    text = _ENCODER.encode([*sides, entry.removed, entry.inserted])
    return entry.after is None, text, zlib.compress(entry.spliced, 1) if entry.spliced else None


def unpacked_entry(place: Place, was: Place | None, text: str, spans: bytes | None, keeper: Keeper) -> Entry:
    """An entry from its places, the last two, and by whom its contents are kept."""
    before, after, *contents = _DECODER.decode(text)
    sides = before and _stamp(before, _KEPT), after and _stamp(after, _KEPT)
    spliced = zlib.decompress(spans) if spans is not None else b""
    removed, inserted = contents
    return Entry(place, *sides, was, spliced, removed, inserted, keeper=keeper)


def packed_rest(record: ChangeRecord) -> str | None:
    """What few changes say of themselves."""
    said = {name: getattr(record, name) for name, usual in _RARE.items()}
    said = {name: value for name, value in said.items() if bool(value) is not _RARE[name]}
    return _ENCODER.encode(said) if said else None


def unpacked_rest(text: str | None) -> dict[str, Any]:
    """The same as fields of a record."""
    said = _DECODER.decode(text) if text else {}
    return {name: tuple(value) if isinstance(value, list) else value for name, value in said.items()}


# Plans


def packed_plan(plan: CommitPlan) -> bytes:
    """A plan as bytes, made in pieces."""
    packer = zlib.compressobj(1, wbits=31)
    lines = (packer.compress(_ENCODER.encode(row).encode() + b"\n") for row in _rows(plan))
    return b"".join((*filter(None, lines), packer.flush()))


def _rows(plan: CommitPlan) -> Iterator[object]:
    yield len(plan.folders)
    yield from plan.folders
    for each in plan.operations:
        stamps = [_row(stamp, _SEEN) for stamp in each.stamps]
        yield (*each[:4], *stamps, [len(stamp.inside) for stamp in each.stamps])
        for stamp in each.stamps:
            for path, below in stamp.inside.items():
                yield path, _row(below, _SEEN)


def unpacked_plan(data: bytes) -> CommitPlan:
    """The inverse, of what is known to be sealed by us. For anything else it raises whatever comes of that."""
    import gzip
    import io

    rows = (_DECODER.decode(line.decode()) for line in gzip.GzipFile(fileobj=io.BytesIO(data)))
    folders = tuple(
        FolderRef(inode, root, made, slot and Slot(*slot))
        for inode, root, made, slot in islice(rows, next(rows))
    )
    return CommitPlan(folders, tuple(_operation(row, rows) for row in rows))


def _operation(row: Any, rows: Iterator[Any]) -> Put:
    how, carrier, place, spare, *values, counts = row
    stamps = (
        _stamp(stamp, _SEEN, inside={path: _stamp(below, _SEEN) for path, below in islice(rows, count)})
        for stamp, count in zip(values, counts, strict=False)  # Without what is displaced, there is none.
    )
    return Put(how, Slot(*carrier), Slot(*place), Slot(*spare), *stamps)
