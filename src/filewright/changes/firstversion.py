"""Records as the first version wrote them: one JSON object a frame. They are read, and never written.

Folders are named by every path where each may be, and kept contents by a table of sections.
"""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from filewright.boundary import is_temporary
from filewright.changes.operations import (
    Alter,
    CommitPlan,
    FolderRef,
    Leaf,
    Put,
    Seal,
    Slot,
    SlotOperation,
    Take,
)
from filewright.changes.record import ChangeRecord, Entry, Place, Side, Spans

Frame = Mapping[str, Any]


def frame_of(payload: bytes) -> Frame:
    """A frame's JSON object. Raises `ValueError`."""
    value: Frame = json.loads(payload)
    return value


def record_of(
    frame: Frame, intent: Frame, notes: Sequence[str] | None, moved: Mapping[bytes, bytes]
) -> ChangeRecord:
    """The record in a frame, whose contents are where the intent's table says."""
    value, sections = frame["record"], intent["sections"]

    def where(name: str | None) -> str | None:
        return content_name(name, *sections[name]) if name is not None and name in sections else name

    def place(value: Sequence[str]) -> Place:
        found = _place(value)
        return replace(found, root=moved.get(found.root, found.root))

    def side(value: Mapping[str, Any] | None) -> Side | None:
        if value is None:
            return None
        target = value.get("target")
        return Side(
            kind=value["kind"],
            mode=int(value["mode"]),
            uid=int(value["uid"]),
            gid=int(value["gid"]),
            size=int(value.get("size", 0)),
            mtime_ns=int(value.get("mtime", 0)),
            digest=value.get("digest"),
            blob=where(value.get("blob")),
            target=None if target is None else os.fsencode(target),
            attributes={name: bytes.fromhex(data) for name, data in value.get("attributes", {}).items()},
        )

    entries = tuple(
        Entry(
            place=place(entry["place"]),
            was=place(entry["was"]) if entry["was"] else None,
            before=side(entry["before"]),
            after=side(entry["after"]),
            spans=Spans(array("q", (int(number) for span in entry["spans"] for number in span))),
            removed=where(entry["removed"]),
            inserted=where(entry["inserted"]),
        )
        for entry in value["entries"]
    )
    return ChangeRecord(
        id=str(value["id"]),
        time_ns=int(value["time"]),
        tool=str(value["tool"]),
        summary=str(value["summary"]),
        entries=entries,
        reverts=reverts_of(value["reverts"]),
        undoable=bool(value["undoable"]),
        hard_links={str(path): int(count) for path, count in value["hard_links"].items()},
        notes=tuple(value["notes"] if notes is None else notes),
    )


def reverts_of(value: str | Sequence[str] | None) -> tuple[str, ...]:
    """The changes that one undid, of which there was at most one at first."""
    return (value,) if isinstance(value, str) else tuple(map(str, value or ()))


def content_name(digest: str, offset: int, length: int, codec: int) -> str:
    """How an entry names a content in its own record file: by its SHA-256, and where it is."""
    return f"{digest}@{offset}+{length}{'z' if codec else ''}"


def plan_of(frame: Frame) -> CommitPlan:
    """The plan in a frame. Raises `ValueError`, `LookupError` or `TypeError`."""
    value = frame["plan"]
    operations = tuple(map(_operation, value["operations"]))
    if any("places" in folder for folder in value["folders"]):
        return CommitPlan(_folders_by_path(value["folders"]), operations)
    folders = tuple(
        FolderRef(
            folder["inode"],
            tuple(map(_slot, folder["slots"])),
            os.fsencode(folder["root"]) if folder.get("root") is not None else None,
            bool(folder.get("made")),
        )
        for folder in value["folders"]
    )
    return CommitPlan(folders, operations)


def _place(value: Sequence[str]) -> Place:
    root, *parts = value
    return Place(os.fsencode(root), tuple(map(_name, parts)))


def _name(value: str) -> bytes:
    name = os.fsencode(value)
    if not name or name in (b".", b"..") or b"/" in name or b"\0" in name:
        raise ValueError("not a name")
    return name


def _slot(value: Sequence[Any]) -> Slot:
    return Slot(int(value[0]), _name(value[1]))


def _seal(value: Mapping[str, Any]) -> Seal:
    target = value.get("target")
    return Seal(
        kind=str(value["kind"]),
        size=value.get("size"),
        digest=value.get("digest"),
        target=None if target is None else os.fsencode(target),
        inode=value.get("inode"),
        mtime_ns=value.get("mtime_ns"),
    )


def _folders_by_path(values: Sequence[Mapping[str, Any]]) -> tuple[FolderRef, ...]:
    """Folders as the first version named them: by every path where each may be."""
    found = [FolderRef(value["inode"]) for value in values]
    numbers: dict[Place, int] = {}

    def numbered(place: Place) -> int:
        if place not in numbers:
            slots = (
                (Slot(numbered(Place(place.root, place.parts[:-1])), place.parts[-1]),) if place.parts else ()
            )
            found.append(FolderRef(None, slots, None if place.parts else place.root))
            numbers[place] = len(found) - 1
        return numbers[place]

    for number, value in enumerate(values):
        places = [_place(place) for place in value["places"]]
        if places and not places[0].parts:
            found[number] = FolderRef(None, (), places[0].root)
            continue
        slots = tuple(Slot(numbered(Place(p.root, p.parts[:-1])), p.parts[-1]) for p in places)
        found[number] = FolderRef(value["inode"], slots, made=value["inode"] is None)
    return tuple(found)


def _tree(rows: Sequence[Any]) -> dict[bytes, Leaf]:
    open_folders: list[dict[bytes, Leaf]] = [{}]
    for row in rows:
        if isinstance(row[0], list):  # As the first version wrote it: the whole path, and the seal.
            row = [len(row[0]), row[0][-1] if row[0] else "", row[1]]
        depth, name, seal = int(row[0]), str(row[1]), _seal(row[2])
        if depth == 0:
            continue
        if not 1 <= depth <= len(open_folders):
            raise ValueError("not a tree")
        del open_folders[depth:]
        leaf = Leaf(seal, {} if seal.kind == "folder" else None)
        open_folders[-1][_name(name)] = leaf
        if isinstance(leaf.below, dict):
            open_folders.append(leaf.below)
    return open_folders[0]


def _operation(value: Mapping[str, Any]) -> SlotOperation:
    if "put" in value:
        put = Put(
            carrier=_slot(value["put"]),
            place=_slot(value["place"]),
            spare=_slot(value["spare"]),
            staged=bool(value["staged"]),
            after=_seal(value["after"]),
            before=_seal(value["before"]) if value["before"] else None,
            tree=_tree(value["tree"]),
            displaced=_tree(value["displaced"]),
        )
        if not is_temporary(put.spare.name) or (put.staged and not is_temporary(put.carrier.name)):
            raise ValueError("a temporary has a name that is not ours")
        return put
    if "take" in value:
        take = Take(
            place=_slot(value["take"]),
            aside=_slot(value["aside"]),
            before=_seal(value["before"]),
            tree=_tree(value["tree"]),
        )
        if not is_temporary(take.aside.name):
            raise ValueError("a temporary has a name that is not ours")
        return take
    mode, uid, gid = ((int(pair[0]), int(pair[1])) for pair in (value["mode"], value["uid"], value["gid"]))
    return Alter(_slot(value["alter"]), _seal(value["seal"]), mode, uid, gid)
