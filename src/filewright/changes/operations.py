"""What a commit does to names, in order: the part of an intent that recovery reads.

Whatever a change set asked for is reduced to two operations on slots, a slot being a name in a
folder: something is put there, or its rights are altered. Each can be recognised as done or not from
what is in its slots, can be rolled back, and can be finished. A folder is known by its inode and by the
slots where it may be found at any step, so a chain of renames costs a slot for each, and a folder that
somebody moves meanwhile is found again.

On the disk a plan is lines of JSON arrays, packed, so that no plan is ever held as text::

    counts    [folders, operations]
    folder    [inode, root, made, slot …]
    operation [how, carrier, place, spare, after, before], or ["altered", place, stamp, mode, uid, gid]
    stamp     [kind, size, digest, target, inode, mtime, how many], then as many lines: [path, stamp …]
    slot      [folder, name]

What is unset at the end of a stamp is left out. Undecodable names become lone surrogates.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Literal

from filewright.boundary import is_temporary
from filewright.changes.record import Place
from filewright.system import Status

How = Literal["made", "moved", "gone"]
_PIECE = 1 << 18
_DECODER = json.JSONDecoder()
_ENCODER = json.JSONEncoder(separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Slot:
    """A name in one of the plan's folders, by its number in `CommitPlan.folders`."""

    folder: int
    name: bytes


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a thing was at one moment, as far as it is known and matters.

    `digest` (xxh3_128, hex) and `size` of a file, `target` of a link; `inode` where the thing
    existed before the change. For a file too large to be hashed twice, `mtime_ns`. `inside` is everything
    in a folder that is displaced or made, by its path from there, a folder before what is in it.
    """

    kind: str
    size: int | None = None
    digest: str | None = None
    target: bytes | None = None
    inode: int | None = None
    mtime_ns: int | None = None
    inside: Mapping[bytes, Stamp] | None = field(default=None, compare=False)

    @property
    def known(self) -> bool:
        """Whether its content is known, not only its inode."""
        return self.kind != "file" or self.digest is not None

    def below(self, path: bytes) -> Stamp | None:
        """That of something inside."""
        return self.inside.get(path) if self.inside else None

    def untouched(self, status: Status) -> bool:
        """Whether a status is that of the very thing, and by its size and time nobody has written to it."""
        return status.inode == self.inode and (
            self.kind != "file"
            or self.size is None
            or (status.size, status.mtime_ns) == (self.size, self.mtime_ns)
        )


@dataclass(frozen=True, slots=True)
class Put:
    """Bring what is in `carrier` to `place`.

    With `before`, the two are exchanged and the carrier then holds what was displaced; without,
    nothing may be at `place`. `how` says what is brought: what was `made` under a temporary name, something
    that is `moved`, or what is `gone` for good, whose place is a temporary name. `spare` is a temporary
    name beside `place`, used where nothing can be exchanged.
    """

    how: How
    carrier: Slot
    place: Slot
    spare: Slot
    after: Stamp
    before: Stamp | None = None

    @property
    def slots(self) -> tuple[Slot, ...]:
        """Every slot it touches."""
        return (self.carrier, self.place, self.spare)

    @property
    def named(self) -> Slot:
        """The slot by which people know it."""
        return self.carrier if is_temporary(self.place.name) else self.place


@dataclass(frozen=True, slots=True)
class Alter:
    """Set mode, user and group of the thing with that inode at `place`: (before, after) of each."""

    place: Slot
    stamp: Stamp
    mode: tuple[int, int]
    uid: tuple[int, int]
    gid: tuple[int, int]

    @property
    def slots(self) -> tuple[Slot, ...]:
        """Every slot it touches."""
        return (self.place,)

    @property
    def named(self) -> Slot:
        """The slot by which people know it."""
        return self.place


@dataclass(frozen=True, slots=True)
class FolderRef:
    """A folder the operations act in: its inode (None until a new one is staged), and where it may be.

    `root` is the path of a root, which is in no slot; `made` says that the change makes it.
    """

    inode: int | None
    root: bytes | None = None
    made: bool = False
    slots: tuple[Slot, ...] = ()


@dataclass(frozen=True, slots=True)
class CommitPlan:
    """Folders, operations in order, and every temporary name that may ever exist."""

    folders: tuple[FolderRef, ...]
    operations: tuple[Put | Alter, ...]

    @property
    def sealed(self) -> bool:
        """Whether everything that is made can be recognised: nothing is published before that is on the disk.

        A file that replaces another is known by its digest, with the displaced one beside it. What
        is put where nothing was is known by its inode too: somebody may make the same file.
        """
        for each in self.operations:
            if isinstance(each, Put) and each.how == "made":
                replaces = each.before is not None and each.after.kind != "folder"
                if not each.after.known or (each.after.inode is None and not replaces):
                    return False
        return True

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
            replace(each, root=moved.get(each.root, each.root)) if each.root is not None else each
            for each in self.folders
        )
        return replace(self, folders=folders)


# On the disk


def plan_bytes(plan: CommitPlan) -> bytes:
    """A plan, packed, made in pieces."""
    packer = zlib.compressobj(1)
    lines = (packer.compress(_ENCODER.encode(row).encode() + b"\n") for row in _rows(plan))
    return b"".join((*filter(None, lines), packer.flush()))


def _rows(plan: CommitPlan) -> Iterator[list[Any]]:
    yield [len(plan.folders), len(plan.operations)]
    for folder in plan.folders:
        root = os.fsdecode(folder.root) if folder.root is not None else None
        yield [folder.inode, root, folder.made, *map(_slot_row, folder.slots)]
    for each in plan.operations:
        slots = [*map(_slot_row, each.slots)]
        if isinstance(each, Alter):
            yield ["altered", *slots, _stamp_row(each.stamp), each.mode, each.uid, each.gid]
            continue
        stamps = (each.after,) if each.before is None else (each.after, each.before)
        yield [each.how, *slots, *map(_stamp_row, stamps)]
        for stamp in stamps:
            for path, below in (stamp.inside or {}).items():
                yield [os.fsdecode(path), *_stamp_row(below)]


def _slot_row(slot: Slot) -> list[Any]:
    return [slot.folder, os.fsdecode(slot.name)]


def _stamp_row(stamp: Stamp) -> list[Any]:
    target = os.fsdecode(stamp.target) if stamp.target is not None else None
    count = len(stamp.inside) if stamp.inside else None
    row = [stamp.kind, stamp.size, stamp.digest, target, stamp.inode, stamp.mtime_ns, count]
    while row[-1] is None:
        row.pop()
    return row


def plan_of_bytes(data: bytes) -> CommitPlan:
    """The inverse, of what is known to be sealed by us. For anything else it raises whatever comes of that."""
    rows = (_DECODER.raw_decode(line.decode())[0] for line in _unpacked(data))
    folder_count, operation_count = next(rows)
    folders = tuple(
        FolderRef(
            inode, os.fsencode(root) if root is not None else None, bool(made), tuple(map(_slot, slots))
        )
        for inode, root, made, *slots in islice(rows, folder_count)
    )
    return CommitPlan(folders, tuple(_operation(next(rows), rows) for _ in range(operation_count)))


def _unpacked(packed: bytes) -> Iterator[bytes]:
    unpacker = zlib.decompressobj()
    left, rest = b"", packed
    while rest:
        *lines, left = (left + unpacker.decompress(rest, _PIECE)).split(b"\n")
        rest = unpacker.unconsumed_tail
        yield from lines


def _operation(row: list[Any], rows: Iterator[list[Any]]) -> Put | Alter:
    how, first, *more = row
    if how == "altered":
        stamp, *numbers = more
        return Alter(_slot(first), _stamp(*stamp), *map(tuple, numbers))
    place, spare, *stamps = more
    whole = [_whole(stamp, rows) for stamp in stamps]
    return Put(how, _slot(first), _slot(place), _slot(spare), *whole)


def _whole(row: list[Any], rows: Iterator[list[Any]]) -> Stamp:
    """A stamp with what is inside, whose rows are the next ones."""
    count = row[6] if len(row) > 6 else 0
    inside = {b"/".join(map(_name, path.split("/"))): _stamp(*below) for path, *below in islice(rows, count)}
    return replace(_stamp(*row[:6]), inside=inside or None)


def _stamp(kind: str, size: int | None = None, digest: str | None = None, *more: Any) -> Stamp:
    target, *rest = more or (None,)
    return Stamp(kind, size, digest, os.fsencode(target) if target is not None else None, *rest)


def _slot(row: list[Any]) -> Slot:
    return Slot(int(row[0]), _name(row[1]))


def _name(value: str) -> bytes:
    """A name from a row. Raises `ValueError` for what is none."""
    if not value or value in (".", "..") or "/" in value or "\0" in value:
        raise ValueError("not a name")
    return os.fsencode(value)
