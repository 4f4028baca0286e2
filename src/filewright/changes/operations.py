"""What a commit does to names, in order: the part of an intent that recovery reads.

Whatever a change set asked for is reduced to three operations on slots, a slot being a name in a
folder. Each can be recognised as done or not from what is in its slots, can be rolled back, and can
be finished. A folder is known by its inode and by the slots where it may be found at any step, so a
chain of renames costs a slot for each, and a folder that somebody moves meanwhile is found again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from filewright.changes.record import Place


@dataclass(frozen=True, slots=True)
class Slot:
    """A name in one of the plan's folders, by its number in `CommitPlan.folders`."""

    folder: int
    name: bytes


@dataclass(frozen=True, slots=True)
class Seal:
    """How a thing is recognised: kind, and what is known of content or inode.

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
    inside: Mapping[bytes, Seal] = field(default_factory=lambda: _NOTHING, compare=False)

    @property
    def known(self) -> bool:
        """Whether its content is known, not only its inode."""
        return self.kind != "file" or self.digest is not None


_NOTHING: Mapping[bytes, Seal] = {}  # shared: a change may have a million seals


@dataclass(frozen=True, slots=True)
class Put:
    """Bring what is in `carrier` to `place`.

    With `before`, the two are exchanged and the carrier then holds what was displaced; without,
    nothing may be at `place`. A `staged` carrier is a temporary of ours, else something that is
    moved. `spare` is a temporary name beside `place`, used where nothing can be exchanged.
    """

    carrier: Slot
    place: Slot
    spare: Slot
    staged: bool
    after: Seal
    before: Seal | None = None

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
    """Rename what is at `place` to the temporary `aside`."""

    place: Slot
    aside: Slot
    before: Seal

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


SlotOperation = Put | Take | Alter


@dataclass(frozen=True, slots=True)
class FolderRef:
    """A folder the operations act in: its inode (None until a new one is staged), and where it may be.

    `root` is the path of a root, which is in no slot; `made` says that the change makes it.
    """

    inode: int | None
    slots: tuple[Slot, ...] = ()
    root: bytes | None = None
    made: bool = False


@dataclass(frozen=True, slots=True)
class CommitPlan:
    """Folders, operations in order, and every temporary name that may ever exist."""

    folders: tuple[FolderRef, ...]
    operations: tuple[SlotOperation, ...]

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
