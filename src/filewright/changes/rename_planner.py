"""From the difference of a tree to operations on names, in an order that always works.

Every folder is in its final place before something is put into it. A file in the way is
exchanged if it goes, and moved aside to a temporary name if it moves on. Deleted files
are taken away last, so that moves out of them come first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from filewright.boundary.names import temporary_name
from filewright.changes.model import MAX_HELD_VALUES, FileState
from filewright.changes.plan_folders import KnownFolder, KnownFolders
from filewright.changes.rename_plan import (
    OperationKind,
    PlanFolder,
    RenameOperation,
    RenamePlan,
    Slot,
)
from filewright.changes.tree_diff import TreeDiff
from filewright.changes.tree_node import Position, TreeNode
from filewright.packed_sequence import Fields, PackedSequence


@dataclass(frozen=True, slots=True)
class PlannedOperation:
    """An operation on names, by the nodes it brings and replaces, without states."""

    kind: OperationKind
    source: Slot
    target: Slot
    backup: Slot
    node: TreeNode
    replaced: TreeNode | None = None


class PackedOperations(PackedSequence[PlannedOperation]):
    """Planned operations, of which kinds and slots are packed."""

    def __init__(self) -> None:
        super().__init__()
        self._nodes: list[TreeNode] = []
        self._replaced: list[TreeNode | None] = []

    def pack(self, value: PlannedOperation) -> Fields:
        """Return the fields of an operation, in which its nodes are a number."""
        self._nodes.append(value.node)
        self._replaced.append(value.replaced)
        source, target, backup = value.source, value.target, value.backup
        return (
            len(self._nodes) - 1,
            value.kind.value,
            (source.folder, source.name),
            (target.folder, target.name),
            (backup.folder, backup.name),
        )

    def unpack(self, fields: Any) -> PlannedOperation:
        """Return the operation with these fields."""
        number, kind, source, target, backup = fields
        return PlannedOperation(
            OperationKind(kind),
            Slot(*source),
            Slot(*target),
            Slot(*backup),
            self._nodes[number],
            self._replaced[number],
        )


@dataclass(frozen=True, slots=True)
class RenameOrder:
    """The operations of a change, in order, and the folders in which they act."""

    folders: tuple[TreeNode, ...]
    folder_slots: tuple[Slot | None, ...]
    operations: PackedOperations

    @property
    def known_folders(self) -> KnownFolders:
        """The folders that are on the disk, by number."""
        known_folders: dict[int, KnownFolder] = {}
        for number, folder in enumerate(self.folders):
            if folder.original is not None:
                original = folder.original
                known_folders[number] = KnownFolder(
                    original.location, original.status.identity
                )
        return known_folders

    def build_plan(
        self,
        originals: Mapping[TreeNode, FileState],
        created: Mapping[TreeNode, FileState],
    ) -> RenamePlan:
        """Return the plan, by the states of displaced files and of those to be made."""
        folders: list[PlanFolder] = []
        for folder, slot in zip(self.folders, self.folder_slots, strict=True):
            folders.append(_plan_folder(folder, slot, created))
        operations: Sequence[RenameOperation] = _LazyOperations(
            self.operations, originals, created
        )
        if len(operations) <= MAX_HELD_VALUES:
            operations = tuple(operations)
        return RenamePlan(tuple(folders), operations)


@dataclass(frozen=True, slots=True)
class _LazyOperations(Sequence[RenameOperation]):
    """Operations whose states are looked up when an operation is asked for.

    An operation takes the same time in any order: a rollback begins with the last.
    """

    planned: PackedOperations
    originals: Mapping[TreeNode, FileState]
    created: Mapping[TreeNode, FileState]

    def __len__(self) -> int:
        return len(self.planned)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return tuple(map(self._with_states, self.planned[index]))
        return self._with_states(self.planned[index])

    def _with_states(self, planned: PlannedOperation) -> RenameOperation:
        """Return an operation with the states of the files it brings and replaces."""
        node, before = planned.node, None
        if planned.replaced is not None:
            before = self.originals[planned.replaced]
        match planned.kind:
            case OperationKind.STAGED:
                after = self.created[node]
            case OperationKind.DELETED:
                after = self.originals[node]
            case OperationKind.MOVED:
                after = _state_by_inode(node)
            case OperationKind.RIGHTS:
                after = _state_by_inode(node)
                assert node.original is not None
                status = node.original.status
                before = replace(
                    after, mode=status.mode, uid=status.uid, gid=status.gid
                )
        return RenameOperation(
            kind=planned.kind,
            source=planned.source,
            target=planned.target,
            backup=planned.backup,
            after=after,
            before=before,
        )


def order_renames(diff: TreeDiff) -> RenameOrder:
    """Return the operations of a change, in order."""
    planner = _Planner(diff)
    for folder in diff.folder_locations:
        for name, node in sorted(folder.children.items()):
            if node is None:
                continue
            position = Position(folder, name)
            if node.needs_new_inode:
                # A child of a new folder is staged with that folder.
                if folder.original is not None:
                    planner.bring_new(node, position)
            elif node.position != node.original_position:
                planner.bring_moved(node, position)
    # Last, so that files have moved out of a folder before it is taken away.
    for node in diff.displaced:
        planner.delete(node)
    for node in diff.rights_changed:
        planner.change_rights(node)
    return planner.finish()


class _Planner:
    """Collects the operations of one change, and the numbers of their folders."""

    def __init__(self, diff: TreeDiff) -> None:
        self._diff = diff
        self._folders: list[TreeNode] = []
        self._numbers: dict[TreeNode, int] = {}
        self._operations = PackedOperations()
        self._aside: dict[TreeNode, Slot] = {}
        """The temporary names of files that were moved aside."""
        self._handled: set[TreeNode] = set()
        """Files on the disk that have left their position, or are displaced."""

    def bring_new(self, node: TreeNode, position: Position) -> None:
        """Bring a staged file to its position."""
        source = self._slot(Position(position.folder, temporary_name()))
        self._bring(OperationKind.STAGED, source, position, node)

    def bring_moved(self, node: TreeNode, position: Position) -> None:
        """Bring a file that is on the disk to its position."""
        original_position = node.original_position
        assert original_position is not None
        occupant = position.folder.original_children.get(position.name)
        # No system exchanges a folder with a file below it.
        if (
            occupant is not None
            and not self._diff.is_moved(occupant)
            and occupant not in self._handled
            and node not in self._aside
            and original_position.folder.was_within(occupant)
        ):
            self._move_aside(node, position.folder)
        source = self._aside.get(node) or self._slot(original_position)
        self._bring(OperationKind.MOVED, source, position, node)
        self._handled.add(node)

    def delete(self, node: TreeNode) -> None:
        """Bring a file that goes to a temporary name, unless another displaces it."""
        if node in self._handled:
            return
        position = node.original_position
        assert position is not None
        temporary = self._slot(Position(position.folder, temporary_name()))
        self._operations.append(
            PlannedOperation(
                OperationKind.DELETED,
                self._slot(position),
                temporary,
                temporary,
                node,
            )
        )

    def change_rights(self, node: TreeNode) -> None:
        """Change mode and owner of a file in its position."""
        assert node.position is not None
        slot = self._slot(node.position)
        self._operations.append(
            PlannedOperation(OperationKind.RIGHTS, slot, slot, slot, node)
        )

    def finish(self) -> RenameOrder:
        """Return the order, with the slot of every folder."""
        folder_slots: list[Slot | None] = []
        # The slot of a folder may be in a folder that has no number yet, which is
        # added.
        while len(folder_slots) < len(self._folders):
            folder = self._folders[len(folder_slots)]
            position = folder.original_position or folder.position
            if position is None:
                folder_slots.append(None)
            else:
                folder_slots.append(self._slot(position))
        return RenameOrder(
            tuple(self._folders), tuple(folder_slots), self._operations
        )

    def _slot(self, position: Position) -> Slot:
        folder, name = position
        if folder not in self._numbers:
            self._numbers[folder] = len(self._folders)
            self._folders.append(folder)
        return Slot(self._numbers[folder], name)

    def _bring(
        self,
        kind: OperationKind,
        source: Slot,
        position: Position,
        node: TreeNode,
    ) -> None:
        occupant = position.folder.original_children.get(position.name)
        # It has left already, or another operation displaces it.
        if occupant in self._handled:
            occupant = None
        if occupant is not None:
            if self._diff.is_moved(occupant):
                # An exchange would bring it to a name that is not its own.
                self._move_aside(occupant, position.folder)
                occupant = None
            else:
                self._handled.add(occupant)
        target = self._slot(position)
        backup = self._slot(Position(position.folder, temporary_name()))
        self._operations.append(
            PlannedOperation(kind, source, target, backup, node, occupant)
        )

    def _move_aside(self, node: TreeNode, folder: TreeNode) -> None:
        """Move a file out of the way or of a folder that goes, to a temporary name."""
        original_position = node.original_position
        assert original_position is not None
        aside = self._slot(Position(folder, temporary_name()))
        backup = self._slot(Position(folder, temporary_name()))
        self._aside[node] = aside
        self._operations.append(
            PlannedOperation(
                OperationKind.MOVED,
                self._slot(original_position),
                aside,
                backup,
                node,
            )
        )
        self._handled.add(node)


def _state_by_inode(node: TreeNode) -> FileState:
    """Return the state of a file that keeps its inode, by which it is recognised."""
    assert node.original is not None
    return FileState(
        node.kind,
        *node.rights,
        link_target=node.target,
        inode=node.original.status.inode,
    )


def _plan_folder(
    folder: TreeNode, slot: Slot | None, created: Mapping[TreeNode, FileState]
) -> PlanFolder:
    if folder.original is None:
        return PlanFolder(
            inode=created[folder].inode, root=None, is_new=True, slot=slot
        )
    original = folder.original
    root = original.location.root.resolved_path if slot is None else None
    return PlanFolder(
        inode=original.status.inode, root=root, is_new=False, slot=slot
    )
