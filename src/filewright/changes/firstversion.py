"""Records as the first version wrote them: one JSON object a frame. They are read, and never written.

Folders are named by every path where each may be, and kept contents by a table of sections.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from filewright.changes.operations import CommitPlan, FolderRef, Leaves, Slot, SlotOperation
from filewright.changes.record import ChangeRecord, Entry, Place, Side, Spans
from filewright.changes.rows import folder_of, name_of, operation_of, side_of, tree_of

Frame = Mapping[str, Any]


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
        always = (value[name] for name in ("kind", "mode", "uid", "gid"))
        file = (value.get("mtime", 0), value.get("size", 0), value.get("digest"), where(value.get("blob")))
        return side_of([*always, *file, value.get("target"), value.get("attributes", {})])

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
        folder_of(folder["inode"], folder.get("root"), folder.get("made", False), *folder["slots"])
        for folder in value["folders"]
    )
    return CommitPlan(folders, operations)


def _place(value: Sequence[str]) -> Place:
    root, *parts = value
    return Place(os.fsencode(root), tuple(map(name_of, parts)))


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


def _seal(value: Mapping[str, Any]) -> list[Any]:
    """A seal as a row of today."""
    return [value.get(name) for name in ("kind", "size", "digest", "target", "inode", "mtime_ns")]


def _tree(rows: Sequence[Any]) -> Leaves:
    found: list[list[Any]] = []
    for row in rows:
        if isinstance(row[0], list):  # As the first version wrote it: the whole path, and the seal.
            row = [len(row[0]), row[0][-1] if row[0] else "", row[1]]
        if row[0]:
            found.append([row[0], row[1], *_seal(row[2])])
    return tree_of(found)


def _operation(value: Mapping[str, Any]) -> SlotOperation:
    if "put" in value:
        before = _seal(value["before"]) if value["before"] else None
        slots = (value["put"], value["place"], value["spare"])
        trees = [_tree(value["tree"]), _tree(value["displaced"])]
        return operation_of(["put", *slots, value["staged"], _seal(value["after"]), before], trees)
    if "take" in value:
        row = ["take", value["take"], value["aside"], _seal(value["before"])]
        return operation_of(row, [_tree(value["tree"])])
    attributes = (value["mode"], value["uid"], value["gid"])
    return operation_of(["alter", value["alter"], _seal(value["seal"]), *attributes], [])
