"""The plan of a commit: operations on names, in order, as plain values.

Whatever a change set asks for is reduced to operations on slots, a slot being a name in
a folder: a file is brought to a slot, or the rights of the file in a slot are changed.
The contents of its slots tell whether an operation is done, so each can be rolled back
or finished at any time. The plan is the part of an intent that recovery reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from filewright.boundary.names import is_temporary
from filewright.changes.model import FileState, RecordedPath


class OperationKind(StrEnum):
    """The kind of an operation; the values are those in the log."""

    STAGED = "made"
    """A new file is made under a temporary name, then brought to its target."""
    MOVED = "moved"
    """A file that is there is renamed."""
    DELETED = "gone"
    """A file that is there is renamed to a temporary name, and removed in the end."""
    RIGHTS = "altered"
    """Mode, owner and group of a file are changed; it stays in its slot."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A name in a folder of the plan, by its number in `RenamePlan.folders`."""

    folder: int
    name: bytes


@dataclass(frozen=True, slots=True)
class RenameOperation:
    """One step of a plan: the file in `source` is brought to `target`.

    `after` is the state of the target afterwards, `before` that of the file there which
    is displaced. It is then in `source`, or in `backup`, a temporary name in the
    target's folder, if names cannot be exchanged or the source is a name that users
    know. Without `before`, the target must be free. For `OperationKind.RIGHTS` the
    three slots are the same, and the states differ in mode, owner and group.
    """

    kind: OperationKind
    source: Slot
    target: Slot
    backup: Slot
    after: FileState
    before: FileState | None = None

    @property
    def slots(self) -> tuple[Slot, Slot, Slot]:
        """The slots that the operation touches."""
        return self.source, self.target, self.backup

    @property
    def visible_slot(self) -> Slot:
        """The slot by which users know the file, for messages."""
        return self.source if is_temporary(self.target.name) else self.target

    @property
    def stages_file(self) -> bool:
        """Return True if a new file or link is brought, not a folder and not a move."""
        return self.kind is OperationKind.STAGED and self.after.kind != "folder"


@dataclass(frozen=True, slots=True)
class PlanFolder:
    """A folder in which operations act.

    A folder is known by its inode (None until a new folder is staged). It is in `slot`
    at first, then in a slot of an operation that brings it; a folder that another
    process moves meanwhile is searched for. A root is in no slot: `root` is its path.
    """

    inode: int | None
    root: bytes | None
    is_new: bool
    slot: Slot | None


@dataclass(frozen=True, slots=True)
class RenamePlan:
    """Folders, operations in order, and with them every temporary name of a change.

    Many operations are not held: each is made again when it is asked for.
    """

    folders: tuple[PlanFolder, ...] = ()
    operations: Sequence[RenameOperation] = ()

    @property
    def is_complete(self) -> bool:
        """Return True if every new file can be recognised.

        Nothing is published before a complete plan is on the disk. A file that replaces
        another is recognised by its digest. A file that is put where none was needs its
        inode too: another process may make the same file.
        """
        for operation in self.operations:
            if operation.kind is not OperationKind.STAGED:
                continue
            after = operation.after
            if after.kind == "file" and after.digest is None:
                return False
            # Folders are recognised by inode in any case: they have no digest.
            replaces_file = (
                operation.before is not None and after.kind != "folder"
            )
            if not replaces_file and after.inode is None:
                return False
        return True

    def recorded_path(self, slot: Slot) -> RecordedPath:
        """Return the path of a slot, by the first slot of each folder above it."""
        names = [slot.name]
        folder = self.folders[slot.folder]
        # The count ends the loop should the folders of a damaged plan form a circle.
        while folder.slot is not None and len(names) <= len(self.folders):
            names.append(folder.slot.name)
            folder = self.folders[folder.slot.folder]
        if folder.root is None:
            raise ValueError("a folder outside of every root")
        return RecordedPath(folder.root, tuple(reversed(names)))

    def with_moved_roots(self, new_paths: Mapping[bytes, bytes]) -> RenamePlan:
        """Return the plan with the present paths of roots, by their recorded paths."""
        folders: list[PlanFolder] = []
        for folder in self.folders:
            if folder.root is not None and folder.root in new_paths:
                folder = replace(folder, root=new_paths[folder.root])
            folders.append(folder)
        return replace(self, folders=tuple(folders))
