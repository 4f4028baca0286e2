"""The bytes of a rename plan, as the log stores it.

A plan is lines of JSON, compressed, so that a large plan is never held as text: the
count of folders and each folder; then each operation, followed by its states. A state
of a folder is followed by those of its descendants. The log stores a large plan in
several blocks, so that its bytes are not held either.
"""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Iterator
from itertools import islice
from typing import Any

from filewright.changes.model import PLAN_COLUMNS, FileState
from filewright.changes.packed_states import PackedStates
from filewright.changes.rename_plan import (
    OperationKind,
    PlanFolder,
    RenameOperation,
    RenamePlan,
    Slot,
)

BLOCK_BYTES = 64 << 10
_GZIP = 31  # The `wbits` of zlib that stand for the gzip format.

Line = dict[str, Any]


def encode_plan(plan: RenamePlan) -> Iterator[bytes]:
    """Yield the bytes of a plan, in blocks of about `BLOCK_BYTES`."""
    packer = zlib.compressobj(1, wbits=_GZIP)
    block = b""
    for line in _plan_lines(plan):
        text = json.dumps(line, separators=(",", ":"))
        block += packer.compress(text.encode() + b"\n")
        if len(block) >= BLOCK_BYTES:
            yield block
            block = b""
    yield block + packer.flush()


def _plan_lines(plan: RenamePlan) -> Iterator[Line]:
    yield {"folders": len(plan.folders)}
    for folder in plan.folders:
        yield {
            "inode": folder.inode,
            "root": _to_text(folder.root) if folder.root is not None else None,
            "is_new": folder.is_new,
            "slot": _slot_line(folder.slot)
            if folder.slot is not None
            else None,
        }
    for operation in plan.operations:
        yield {
            "kind": operation.kind,
            "source": _slot_line(operation.source),
            "target": _slot_line(operation.target),
            "backup": _slot_line(operation.backup),
            "has_before": operation.before is not None,
        }
        yield from _state_lines(operation.after)
        if operation.before is not None:
            yield from _state_lines(operation.before)


def _slot_line(slot: Slot) -> Line:
    return {"folder": slot.folder, "name": _to_text(slot.name)}


def _state_lines(state: FileState) -> Iterator[Line]:
    yield {
        "state": state.to_row(PLAN_COLUMNS),
        "descendants": len(state.descendants),
    }
    for path, descendant in state.descendants.items():
        yield {"path": _to_text(path), "state": descendant.to_row(PLAN_COLUMNS)}


def decode_plan(data: bytes) -> RenamePlan:
    """Return the plan of bytes that `encode_plan` has made.

    Other bytes raise one of several errors, so check a seal before.
    """
    lines = (
        json.loads(line) for line in gzip.GzipFile(fileobj=io.BytesIO(data))
    )
    folder_count = next(lines)["folders"]
    folders = tuple(_to_folder(line) for line in islice(lines, folder_count))
    operations: list[RenameOperation] = []
    for line in lines:
        # The states of an operation are the lines after it: `_read_state` takes them
        # from the same iterator, so `after` has to be read first.
        operations.append(
            RenameOperation(
                kind=OperationKind(line["kind"]),
                source=_to_slot(line["source"]),
                target=_to_slot(line["target"]),
                backup=_to_slot(line["backup"]),
                after=_read_state(lines),
                before=_read_state(lines) if line["has_before"] else None,
            )
        )
    return RenamePlan(folders, tuple(operations))


def _to_folder(line: Line) -> PlanFolder:
    root, slot = line["root"], line["slot"]
    return PlanFolder(
        inode=line["inode"],
        root=_to_bytes(root) if root is not None else None,
        is_new=line["is_new"],
        slot=_to_slot(slot) if slot is not None else None,
    )


def _to_slot(line: Line) -> Slot:
    return Slot(folder=line["folder"], name=_to_bytes(line["name"]))


def _read_state(lines: Iterator[Line]) -> FileState:
    """Read a state and those of its descendants."""
    line = next(lines)
    descendants: PackedStates[bytes] = PackedStates()
    for below in islice(lines, line["descendants"]):
        path = _to_bytes(below["path"])
        descendants[path] = FileState.from_row(below["state"])
    return FileState.from_row(line["state"]).with_descendants(descendants)


def _to_text(name: bytes) -> str:
    """Return a name for JSON: bytes that are no UTF-8 become lone surrogates."""
    return name.decode("utf-8", "surrogateescape")


def _to_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
