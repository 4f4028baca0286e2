"""What a commit does to names, in order: values only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from filewright.boundary.location import is_temporary
from filewright.changes.model import FileState, RecordedPath

# What a commit does to names, in order: the part of an intent that recovery reads. Whatever a change set asked for is
# reduced to two operations on slots, a slot being a name in a folder: something is put there, or its rights are
# altered. Each can be recognised as done or not from what is in its slots, can be rolled back, and can be finished. A
# folder is known by its inode: it is in the slot where it was at first, or in one of the operations that bring it, and
# one that somebody moves meanwhile is found again.

OperationKind = Literal["made", "moved", "gone", "altered"]


class Slot(NamedTuple):
    """A name in one of the plan's folders, by its number in `CommitPlan.folders`."""

    folder: int
    name: bytes


class RenameOperation(NamedTuple):
    """Bring what is in `carrier` to `place`.

    With `before`, that is displaced: it is then in the carrier, or in `spare`, a temporary name beside the place, if
    names cannot be exchanged or the carrier is none of ours; without, nothing may be at `place`. `how` says what is
    brought: what was `made` under a temporary name, something that is `moved`, or what is `gone` for good, whose place
    is a temporary name. What is `altered` stays in its one slot: it gets mode, user and group of `after`, and had those
    of `before`.
    """

    how: OperationKind
    carrier: Slot
    place: Slot
    spare: Slot
    after: FileState
    before: FileState | None = None

    @property
    def slots(self) -> tuple[Slot, ...]:
        """Every slot it touches."""
        return self[1:4]

    @property
    def named(self) -> Slot:
        """The slot by which people know it."""
        return self.carrier if is_temporary(self.place.name) else self.place


class PlanFolder(NamedTuple):
    """A folder the operations act in: its inode (None until a new one is staged), and its slot at first.

    `root` is the path of a root, which is in no slot; `made` says that the change makes it.
    """

    inode: int | None
    root: bytes | None
    made: bool
    slot: Slot | None


class RenamePlan(NamedTuple):
    """Folders, operations in order, and every temporary name that may ever exist."""

    folders: tuple[PlanFolder, ...] = ()
    operations: tuple[RenameOperation, ...] = ()

    @property
    def sealed(self) -> bool:
        """Whether everything that is made can be recognised: nothing is published before that is on the disk.

        A file that replaces another is known by its digest, with the displaced one beside it. What
        is put where nothing was is known by its inode too: somebody may make the same file.
        """
        for how, _, _, _, after, before in self.operations:
            known = after.digest is not None or after.kind != "file"
            replaces = before is not None and after.kind != "folder"
            if how == "made" and not (known and (replaces or after.inode is not None)):
                return False
        return True

    def place(self, slot: Slot) -> RecordedPath:
        """The path of a slot, by the first slot of each folder above it."""
        names = [slot.name]
        folder = self.folders[slot.folder]
        while folder.slot is not None and len(names) <= len(self.folders):
            names.append(folder.slot.name)
            folder = self.folders[folder.slot.folder]
        if folder.root is None:
            raise ValueError("a folder that is below no root")
        return RecordedPath(folder.root, tuple(reversed(names)))

    def with_moved_roots(self, moved: Mapping[bytes, bytes]) -> RenamePlan:
        """The same with its roots where they are now."""
        folders = (
            each._replace(root=moved.get(each.root or b"", each.root))
            for each in self.folders
        )
        return self._replace(folders=tuple(folders))
