"""What a commit does to names, in order: the part of an intent that recovery reads.

Whatever a change set asked for is reduced to four operations on (folder, name) slots. Each can be
recognised as done or not from what stands in its slots, can be taken back, and can be finished.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from filewright.changes.record import Place


@dataclass(frozen=True, slots=True)
class Slot:
    """A name in one of the plan's folders, by its number in `Plan.folders`."""

    folder: int
    name: bytes

    def to_json(self) -> list[Any]:
        """Folder number and name."""
        return [self.folder, os.fsdecode(self.name)]

    @classmethod
    def from_json(cls, value: Any) -> Slot:
        """The inverse; raises `ValueError` for a name that is not one name."""
        name = os.fsencode(value[1])
        if not name or name in (b".", b"..") or b"/" in name or b"\0" in name:
            raise ValueError("not a name")
        return cls(int(value[0]), name)


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
    """One thing in a folder tree, by its path below the tree's top; `()` is the top itself."""

    parts: tuple[bytes, ...]
    seal: Seal

    def to_json(self) -> list[Any]:
        """Path and seal."""
        return [[os.fsdecode(part) for part in self.parts], self.seal.to_json()]

    @classmethod
    def from_json(cls, value: Any) -> Leaf:
        """The inverse; raises `ValueError` for parts that are not names."""
        parts = tuple(os.fsencode(part) for part in value[0])
        if any(not part or part in (b".", b"..") or b"/" in part or b"\0" in part for part in parts):
            raise ValueError("not a path")
        return cls(parts, Seal.from_json(value[1]))


@dataclass(frozen=True, slots=True)
class Put:
    """Bring what is in `carrier` to `place`.

    With `before`, the two are exchanged and the carrier then holds what was displaced; without,
    nothing may be at `place`. A `staged` carrier is a temporary of ours, else something that is
    moved. `spare` is a temporary name used instead of the exchange where there is none.
    `tree` lists what a staged folder holds, and `displaced` what a displaced folder held.
    """

    carrier: Slot
    place: Slot
    spare: Slot
    staged: bool
    after: Seal
    before: Seal | None = None
    tree: tuple[Leaf, ...] = ()
    displaced: tuple[Leaf, ...] = ()


@dataclass(frozen=True, slots=True)
class Take:
    """Rename what is at `place` to the temporary `aside`; `tree` lists what a folder held."""

    place: Slot
    aside: Slot
    before: Seal
    tree: tuple[Leaf, ...] = ()


@dataclass(frozen=True, slots=True)
class Alter:
    """Set mode, user and group of the thing with that inode at `place`."""

    place: Slot
    seal: Seal
    mode: tuple[int, int]
    uid: tuple[int, int]
    gid: tuple[int, int]


Operation = Put | Take | Alter


@dataclass(frozen=True, slots=True)
class FolderRef:
    """A folder the operations act in: where it may be found at any step, and its inode if it is old."""

    places: tuple[Place, ...]
    inode: int | None


@dataclass(frozen=True, slots=True)
class Plan:
    """Folders, operations in order, and every temporary name that may ever exist."""

    folders: tuple[FolderRef, ...]
    operations: tuple[Operation, ...]

    @property
    def complete(self) -> bool:
        """Whether everything staged can be recognised: nothing is published before that is on disk.

        A file that replaces another is told by its digest, with the displaced one beside it. What
        is put where nothing was is told by its inode too: somebody may make the same file.
        """
        for operation in self.operations:
            if isinstance(operation, Put) and operation.staged:
                if operation.before is None and operation.after.inode is None:
                    return False
                seals = (operation.after, *(leaf.seal for leaf in operation.tree))
                if any(seal.kind == "file" and seal.digest is None for seal in seals):
                    return False
        return True

    @property
    def places(self) -> Iterator[Place]:
        """Every place whose content the operations may have changed, wherever its folder stands by now."""
        for operation in self.operations:
            for folder in self.folders[operation.place.folder].places:
                yield Place(folder.root, (*folder.parts, operation.place.name))

    def to_json(self) -> dict[str, Any]:
        """A plain dict."""
        return {
            "folders": [
                {"places": [place.to_json() for place in folder.places], "inode": folder.inode}
                for folder in self.folders
            ],
            "operations": [_operation_to_json(operation) for operation in self.operations],
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Plan:
        """The inverse; raises `ValueError`, `KeyError` or `TypeError` for anything else."""
        folders = tuple(
            FolderRef(tuple(Place.from_json(place) for place in folder["places"]), folder["inode"])
            for folder in value["folders"]
        )
        operations = tuple(_operation_from_json(operation) for operation in value["operations"])
        return cls(folders, operations)

    def sealed(
        self, digests: Mapping[Slot, Mapping[tuple[bytes, ...], Seal]], before: Mapping[Seal, str]
    ) -> Plan:
        """The plan with what staging found out: by carrier, seals of new things by their path below
        it; by the seal of a file that was there before, its digest."""
        operations: list[Operation] = []
        for operation in self.operations:
            found = digests.get(operation.carrier) if isinstance(operation, Put) else None
            if isinstance(operation, Put) and found and operation.after.digest and operation.before:
                found = None  # Complete already.
            if isinstance(operation, Put) and found:
                tree = tuple(Leaf(leaf.parts, found.get(leaf.parts, leaf.seal)) for leaf in operation.tree)
                operation = replace(operation, after=found.get((), operation.after), tree=tree)
            old = None if isinstance(operation, Alter) else operation.before
            if old is not None and old in before and not isinstance(operation, Alter):
                operation = replace(operation, before=replace(old, digest=before[old]))
            operations.append(operation)
        return Plan(self.folders, tuple(operations))


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
                "tree": [leaf.to_json() for leaf in operation.tree],
                "displaced": [leaf.to_json() for leaf in operation.displaced],
            }
        case Take():
            return {
                "take": operation.place.to_json(),
                "aside": operation.aside.to_json(),
                "before": operation.before.to_json(),
                "tree": [leaf.to_json() for leaf in operation.tree],
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
        return Put(
            carrier=Slot.from_json(value["put"]),
            place=Slot.from_json(value["place"]),
            spare=Slot.from_json(value["spare"]),
            staged=bool(value["staged"]),
            after=Seal.from_json(value["after"]),
            before=Seal.from_json(value["before"]) if value["before"] else None,
            tree=tuple(Leaf.from_json(leaf) for leaf in value["tree"]),
            displaced=tuple(Leaf.from_json(leaf) for leaf in value["displaced"]),
        )
    if "take" in value:
        return Take(
            place=Slot.from_json(value["take"]),
            aside=Slot.from_json(value["aside"]),
            before=Seal.from_json(value["before"]),
            tree=tuple(Leaf.from_json(leaf) for leaf in value["tree"]),
        )
    mode, uid, gid = ((int(pair[0]), int(pair[1])) for pair in (value["mode"], value["uid"], value["gid"]))
    return Alter(Slot.from_json(value["alter"]), Seal.from_json(value["seal"]), mode, uid, gid)
