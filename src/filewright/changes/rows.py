"""Plans and sides as JSON arrays, a line for each thing, so that no change is ever held as text.

::

    folder    [inode, root, made, slot …] of a plan
    operation ["put", carrier, place, spare, staged, after, before],
              ["take", place, aside, before] or
              ["alter", place, seal, mode, uid, gid]
    side      [kind, mode, uid, gid, mtime, size, digest, blob, target, attributes]
    seal      [kind, size, digest, target, inode, mtime, how many], then as many rows: [path, seal …]
    slot      [folder, name]

What is unset at the end of an array is left out. Undecodable names become lone surrogates.
"""

from __future__ import annotations

import json
import os
import zlib
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from filewright.boundary import is_temporary
from filewright.changes.operations import (
    Alter,
    CommitPlan,
    FolderRef,
    Put,
    Seal,
    Slot,
    SlotOperation,
    Take,
)
from filewright.changes.record import NO_SPANS, Side, Spans

_PIECE = 1 << 18
_DECODER = json.JSONDecoder()
_ENCODER = json.JSONEncoder(separators=(",", ":"))


def line(row: Sequence[Any]) -> bytes:
    """A row as a line of JSON without spaces."""
    return _ENCODER.encode(row).encode() + b"\n"


def _loads(text: bytes) -> Any:
    return _DECODER.raw_decode(text.decode())[0]


def _trimmed(row: list[Any]) -> list[Any]:
    while row[-1] is None:
        row.pop()
    return row


def name_of(value: str) -> bytes:
    """A name from a row. Raises `ValueError` for what is none."""
    if not value or value in (".", "..") or "/" in value or "\0" in value:
        raise ValueError("not a name")
    return os.fsencode(value)


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
    return _ENCODER.encode(_trimmed(row))


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


# Plans


def plan_bytes(plan: CommitPlan) -> bytes:
    """A plan, packed, made in pieces."""
    packer = zlib.compressobj(1)
    packed = [len(plan.folders).to_bytes(8, "big"), len(plan.operations).to_bytes(8, "big")]
    packed += filter(None, map(packer.compress, plan_lines(plan)))
    return b"".join((*packed, packer.flush()))


def plan_of_bytes(data: bytes) -> CommitPlan:
    """The inverse. For anything else it raises whatever comes of that."""
    folders, operations = (int.from_bytes(data[at : at + 8], "big") for at in (0, 8))
    return plan_of(_unpacked_lines(memoryview(data)[16:]), folders, operations)


def _unpacked_lines(packed: memoryview) -> Iterator[bytes]:
    unpacker = zlib.decompressobj()
    left, rest = b"", bytes(packed)
    while rest:
        *lines, left = (left + unpacker.decompress(rest, _PIECE)).split(b"\n")
        rest = unpacker.unconsumed_tail
        yield from lines


def plan_lines(plan: CommitPlan) -> Iterator[bytes]:
    """The lines of a plan: its folders, then its operations."""
    for folder in plan.folders:
        root = os.fsdecode(folder.root) if folder.root is not None else None
        yield line([folder.inode, root, folder.made, *map(_slot_row, folder.slots)])
    for operation in plan.operations:
        seals: list[Seal] = []
        row: list[Any]
        match operation:
            case Put():
                seals = [operation.after, *([operation.before] if operation.before is not None else [])]
                slots = map(_slot_row, operation.slots)
                after = _seal_row(operation.after)
                before = _seal_row(operation.before) if operation.before is not None else None
                row = ["put", *slots, operation.staged, after, before]
            case Take():
                seals = [operation.before]
                row = ["take", *map(_slot_row, operation.slots), _seal_row(operation.before)]
            case Alter():
                seal = _seal_row(operation.seal)
                row = [
                    "alter",
                    _slot_row(operation.place),
                    seal,
                    operation.mode,
                    operation.uid,
                    operation.gid,
                ]
        yield line(row)
        for each in seals:
            for path, below in each.inside.items():
                yield line([os.fsdecode(path), *_seal_row(below)])


def plan_of(lines: Iterator[bytes], folder_count: int, operation_count: int) -> CommitPlan:
    """The inverse. Raises `ValueError`, `TypeError` or `LookupError` for anything else."""
    rows = map(_loads, islice(lines, folder_count))
    folders = tuple(
        FolderRef(
            inode, tuple(map(_slot_of, slots)), os.fsencode(root) if root is not None else None, bool(made)
        )
        for inode, root, made, *slots in rows
    )
    operations = tuple(_next_operation(lines) for _ in range(operation_count))
    slots = (slot for each in (*folders, *operations) for slot in each.slots)
    if any(not 0 <= slot.folder < folder_count for slot in slots):
        raise ValueError("a slot in no folder")
    return CommitPlan(folders, operations)


def _next_operation(lines: Iterator[bytes]) -> SlotOperation:
    def whole(row: list[Any]) -> Seal:
        """A seal, with what is inside, whose rows are the next ones."""
        count = row[6] if len(row) > 6 else 0
        rows = map(_loads, islice(lines, count))
        return replace(seal_of(*row[:6]), inside={_path_of(path): seal_of(*below) for path, *below in rows})

    return operation_of(_loads(next(lines)), whole)


def seal_of(
    kind: str,
    size: int | None = None,
    digest: str | None = None,
    target: str | None = None,
    inode: int | None = None,
    mtime_ns: int | None = None,
) -> Seal:
    """A seal from its row."""
    return Seal(kind, size, digest, os.fsencode(target) if target is not None else None, inode, mtime_ns)


def operation_of(row: list[Any], whole: Callable[[list[Any]], Seal]) -> SlotOperation:
    """An operation from its row."""
    match row:
        case ["put", carrier, place, spare, staged, after, before]:
            put = Put(
                carrier=_slot_of(carrier),
                place=_slot_of(place),
                spare=_slot_of(spare),
                staged=bool(staged),
                after=whole(after),
                before=whole(before) if before is not None else None,
            )
            return _checked(put, [put.spare, put.carrier] if put.staged else [put.spare])
        case ["take", place, aside, before]:
            take = Take(_slot_of(place), _slot_of(aside), whole(before))
            return _checked(take, [take.aside])
        case ["alter", place, seal, mode, uid, gid]:
            return Alter(_slot_of(place), seal_of(*seal), tuple(mode), tuple(uid), tuple(gid))
    raise ValueError("not an operation")


def _checked(operation: SlotOperation, temporaries: list[Slot]) -> SlotOperation:
    if not all(is_temporary(slot.name) for slot in temporaries):
        raise ValueError("a temporary has a name that is not ours")
    return operation


def _slot_row(slot: Slot) -> list[Any]:
    return [slot.folder, os.fsdecode(slot.name)]


def _slot_of(row: list[Any]) -> Slot:
    return Slot(int(row[0]), name_of(row[1]))


def _seal_row(seal: Seal) -> list[Any]:
    target = os.fsdecode(seal.target) if seal.target is not None else None
    count = len(seal.inside) or None
    return _trimmed([seal.kind, seal.size, seal.digest, target, seal.inode, seal.mtime_ns, count])


def _path_of(value: str) -> bytes:
    return b"/".join(map(name_of, value.split("/")))
