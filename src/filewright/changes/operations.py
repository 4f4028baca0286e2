"""What a commit does to names, in order: the part of an intent that recovery reads.

Whatever a change set asked for is reduced to three operations on slots, a slot being a name in a
folder. Each can be recognised as done or not from what is in its slots, can be rolled back, and can
be finished. A folder is known by its inode and by the slots where it may be found at any step, so a
chain of renames costs a slot for each, and a folder that somebody moves meanwhile is found again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from filewright.boundary import is_temporary
from filewright.changes.record import Place, json_items


@dataclass(frozen=True, slots=True)
class Slot:
    """A name in one of the plan's folders, by its number in `CommitPlan.folders`."""

    folder: int
    name: bytes

    def to_json(self) -> list[Any]:
        """Folder number and name."""
        return [self.folder, os.fsdecode(self.name)]

    @classmethod
    def from_json(cls, value: Any) -> Slot:
        """The inverse; raises `ValueError` for a name that is not one name."""
        return cls(int(value[0]), _name(value[1]))


@dataclass(frozen=True, slots=True)
class Seal:
    """How a thing is recognised: kind, and what is known of content or inode.

    `digest` (xxh3_128, hex) and `size` of a file, `target` of a link; `inode` where the thing
    existed before the change. For a file too large to be hashed twice, `mtime_ns`.
    """

    kind: str
    size: int | None = None
    digest: str | None = None
    target: bytes | None = None
    inode: int | None = None
    mtime_ns: int | None = None

    @property
    def known(self) -> bool:
        """Whether its content is known, not only its inode."""
        return self.kind != "file" or self.digest is not None

    def to_json(self) -> dict[str, Any]:
        """A plain dict; what is unknown is left out."""
        value: dict[str, Any] = {"kind": self.kind}
        for name in ("size", "digest", "inode", "mtime_ns"):
            if getattr(self, name) is not None:
                value[name] = getattr(self, name)
        if self.target is not None:
            value["target"] = os.fsdecode(self.target)
        return value

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Seal:
        """The inverse of `to_json`."""
        target = value.get("target")
        return cls(
            kind=str(value["kind"]),
            size=value.get("size"),
            digest=value.get("digest"),
            target=None if target is None else os.fsencode(target),
            inode=value.get("inode"),
            mtime_ns=value.get("mtime_ns"),
        )


@dataclass(frozen=True, slots=True)
class Leaf:
    """One thing in a folder that is displaced or made, and for a folder what is in it."""

    seal: Seal
    below: Leaves | None = None


Leaves = Mapping[bytes, Leaf]
"""What is in a folder, by name."""


@dataclass(frozen=True, slots=True)
class Put:
    """Bring what is in `carrier` to `place`.

    With `before`, the two are exchanged and the carrier then holds what was displaced; without,
    nothing may be at `place`. A `staged` carrier is a temporary of ours, else something that is
    moved. `spare` is a temporary name beside `place`, used where nothing can be exchanged.
    `tree` is what a staged folder holds, and `displaced` what a displaced folder held.
    """

    carrier: Slot
    place: Slot
    spare: Slot
    staged: bool
    after: Seal
    before: Seal | None = None
    tree: Leaves = field(default_factory=dict)
    displaced: Leaves = field(default_factory=dict)

    @property
    def slots(self) -> tuple[Slot, ...]:
        """Every slot it touches."""
        return (self.carrier, self.place, self.spare)

    @property
    def sealed(self) -> bool:
        """Whether what it stages can be recognised: nothing is published before that is on disk.

        A file that replaces another is known by its digest, with the displaced one beside it. What
        is put where nothing was is known by its inode too: somebody may make the same file.
        """
        return not self.staged or (
            self.after.known
            and (self.after.inode is not None or (self.before is not None and self.after.kind != "folder"))
        )


@dataclass(frozen=True, slots=True)
class Take:
    """Rename what is at `place` to the temporary `aside`; `tree` is what a folder held."""

    place: Slot
    aside: Slot
    before: Seal
    tree: Leaves = field(default_factory=dict)

    @property
    def slots(self) -> tuple[Slot, ...]:
        """Every slot it touches."""
        return (self.place, self.aside)


@dataclass(frozen=True, slots=True)
class Alter:
    """Set mode, user and group of the thing with that inode at `place`: (before, after) of each."""

    place: Slot
    seal: Seal
    mode: tuple[int, int]
    uid: tuple[int, int]
    gid: tuple[int, int]

    @property
    def slots(self) -> tuple[Slot, ...]:
        """Every slot it touches."""
        return (self.place,)


Operation = Put | Take | Alter


@dataclass(frozen=True, slots=True)
class FolderRef:
    """A folder the operations act in: its inode (None until a new one is staged), and where it may be.

    `root` is the path of a root, which is in no slot; `made` says that the change makes it.
    """

    inode: int | None
    slots: tuple[Slot, ...] = ()
    root: bytes | None = None
    made: bool = False

    def to_json(self) -> dict[str, Any]:
        """A plain dict."""
        value: dict[str, Any] = {"inode": self.inode, "slots": [slot.to_json() for slot in self.slots]}
        if self.root is not None:
            value["root"] = os.fsdecode(self.root)
        if self.made:
            value["made"] = True
        return value

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> FolderRef:
        """The inverse of `to_json`."""
        root = value.get("root")
        slots = tuple(Slot.from_json(slot) for slot in value["slots"])
        return cls(
            value["inode"], slots, None if root is None else os.fsencode(root), bool(value.get("made"))
        )


@dataclass(frozen=True, slots=True)
class CommitPlan:
    """Folders, operations in order, and every temporary name that may ever exist."""

    folders: tuple[FolderRef, ...]
    operations: tuple[Operation, ...]

    @property
    def sealed(self) -> bool:
        """Whether everything that is staged can be recognised."""
        return all(not isinstance(operation, Put) or operation.sealed for operation in self.operations)

    def place(self, slot: Slot) -> Place:
        """The path of a slot, by the first place of each folder above it."""
        names, number = [slot.name], slot.folder
        for _ in self.folders:
            folder = self.folders[number]
            if folder.root is not None:
                return Place(folder.root, tuple(reversed(names)))
            if not folder.slots:
                break
            names.append(folder.slots[0].name)
            number = folder.slots[0].folder
        raise ValueError("a folder that is below no root")

    def relocated(self, moved: Mapping[bytes, bytes]) -> CommitPlan:
        """The same with its roots where they are now."""
        folders = tuple(
            replace(f, root=moved.get(f.root, f.root)) if f.root is not None else f for f in self.folders
        )
        return replace(self, folders=folders)

    def json_pieces(self) -> Iterator[str]:
        """Its JSON object in pieces: a row of a tree each, at most an operation."""
        yield '{"folders":['
        yield from json_items(folder.to_json() for folder in self.folders)
        yield '],"operations":['
        comma = ""
        for operation in self.operations:
            yield comma + json.dumps(_operation_to_json(operation), separators=(",", ":"))[:-1]
            for name in ("tree", "displaced"):
                tree = getattr(operation, name, None)
                if tree is not None:
                    yield f',"{name}":['
                    yield from json_items(_rows(tree))
                    yield "]"
            yield "}"
            comma = ","
        yield "]}"

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> CommitPlan:
        """The inverse; raises `ValueError`, `KeyError` or `TypeError` for anything else."""
        operations = tuple(_operation_from_json(operation) for operation in value["operations"])
        if any("places" in folder for folder in value["folders"]):
            return cls(_folders_by_path(value["folders"]), operations)
        plan = cls(tuple(FolderRef.from_json(folder) for folder in value["folders"]), operations)
        numbers = range(len(plan.folders))
        slots = [slot for folder in plan.folders for slot in folder.slots]
        for slot in (*slots, *(slot for operation in operations for slot in operation.slots)):
            if slot.folder not in numbers:
                raise ValueError("a slot in no folder")
        return plan


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
        places = [Place.from_json(place) for place in value["places"]]
        if places and not places[0].parts:
            found[number] = FolderRef(None, (), places[0].root)
            continue
        slots = tuple(Slot(numbered(Place(p.root, p.parts[:-1])), p.parts[-1]) for p in places)
        found[number] = FolderRef(value["inode"], slots, made=value["inode"] is None)
    return tuple(found)


def _seal(value: Any) -> Seal:
    if not isinstance(value, Seal):  # They are made while the text is read.
        raise TypeError("not a seal")
    return value


def _name(value: str) -> bytes:
    name = os.fsencode(value)
    if not name or name in (b".", b"..") or b"/" in name or b"\0" in name:
        raise ValueError("not a name")
    return name


def _rows(tree: Leaves) -> Iterator[list[Any]]:
    """Depth, name and seal of everything, a folder before what is in it: no recursion, however deep."""
    open_folders = [iter(tree.items())]
    while open_folders:
        for name, leaf in open_folders[-1]:
            yield [len(open_folders), os.fsdecode(name), leaf.seal.to_json()]
            if leaf.below is not None:
                open_folders.append(iter(leaf.below.items()))
                break
        else:
            open_folders.pop()


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


def leaves(tree: Leaves) -> Iterator[Leaf]:
    """Every leaf of a tree."""
    pending = [tree]
    while pending:
        for leaf in pending.pop().values():
            yield leaf
            if leaf.below:
                pending.append(leaf.below)


def _operation_to_json(operation: Operation) -> dict[str, Any]:
    match operation:
        case Put():
            return {
                "put": operation.carrier.to_json(),
                "place": operation.place.to_json(),
                "spare": operation.spare.to_json(),
                "staged": operation.staged,
                "after": operation.after.to_json(),
                "before": operation.before.to_json() if operation.before else None,
            }
        case Take():
            return {
                "take": operation.place.to_json(),
                "aside": operation.aside.to_json(),
                "before": operation.before.to_json(),
            }
        case Alter():
            return {
                "alter": operation.place.to_json(),
                "seal": operation.seal.to_json(),
                "mode": operation.mode,
                "uid": operation.uid,
                "gid": operation.gid,
            }


def _operation_from_json(value: Mapping[str, Any]) -> Operation:
    if "put" in value:
        put = Put(
            carrier=Slot.from_json(value["put"]),
            place=Slot.from_json(value["place"]),
            spare=Slot.from_json(value["spare"]),
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
            place=Slot.from_json(value["take"]),
            aside=Slot.from_json(value["aside"]),
            before=_seal(value["before"]),
            tree=_tree(value["tree"]),
        )
        if not is_temporary(take.aside.name):
            raise ValueError("a temporary has a name that is not ours")
        return take
    mode, uid, gid = ((int(pair[0]), int(pair[1])) for pair in (value["mode"], value["uid"], value["gid"]))
    return Alter(Slot.from_json(value["alter"]), _seal(value["seal"]), mode, uid, gid)
