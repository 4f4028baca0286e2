"""Plans over the workspace of a bench, without a commit."""

from __future__ import annotations

from typing import Any

from filewright.boundary.names import temporary_name
from filewright.changes.model import FileState
from filewright.changes.rename_plan import (
    OperationKind,
    PlanFolder,
    RenameOperation,
    RenamePlan,
    Slot,
)

ROOT, FOLDER = 0, 1
"""The numbers of the root and of its folder `f` in a plan."""


def file_state(bench: Any, path: str) -> FileState:
    """Return the state of a file of the workspace, its content not read."""
    return FileState.from_status(bench.boundary.stat(bench.at(path)))


def make_plan(bench: Any, *operations: RenameOperation) -> RenamePlan:
    """Return a plan of the root and its folder `f`."""
    (root,) = bench.boundary.roots
    _, root_inode = root.identity
    inode = (bench.root / "f").stat().st_ino
    folders = (
        PlanFolder(root_inode, root.resolved_path, is_new=False, slot=None),
        PlanFolder(inode, None, is_new=False, slot=Slot(ROOT, b"f")),
    )
    return RenamePlan(folders, operations)


def move_folder(bench: Any, name: bytes) -> RenameOperation:
    """Return the operation that moves the folder `f` to a name."""
    return RenameOperation(
        OperationKind.MOVED,
        source=Slot(ROOT, b"f"),
        target=Slot(ROOT, name),
        backup=Slot(ROOT, temporary_name()),
        after=file_state(bench, "f"),
    )
