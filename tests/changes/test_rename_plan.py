"""Plans as values: when they are complete, and the paths of their slots."""

from __future__ import annotations

from dataclasses import replace

import pytest

from filewright.boundary.names import temporary_name
from filewright.changes.model import FileState, RecordedPath
from filewright.changes.rename_plan import (
    OperationKind,
    PlanFolder,
    RenameOperation,
    RenamePlan,
    Slot,
)

_SLOTS = (Slot(0, b".fw~new"), Slot(0, b"a.txt"), Slot(0, b".fw~old"))
_FILE = FileState("file", digest="d")


@pytest.mark.parametrize(
    ("after", "before", "is_complete"),
    [
        pytest.param(FileState("file"), _FILE, False, id="content not known"),
        pytest.param(_FILE, _FILE, True, id="replaces a file"),
        pytest.param(_FILE, None, False, id="new, inode not known"),
        pytest.param(
            replace(_FILE, inode=7), None, True, id="new, inode known"
        ),
        pytest.param(
            FileState("folder"), _FILE, False, id="folder, inode not known"
        ),
        pytest.param(FileState("folder", inode=7), None, True, id="folder"),
        pytest.param(FileState("link"), _FILE, True, id="link over a file"),
    ],
)
def test_is_complete(
    after: FileState, before: FileState | None, is_complete: bool
) -> None:
    staged = RenameOperation(OperationKind.STAGED, *_SLOTS, after, before)
    assert RenamePlan((), (staged,)).is_complete is is_complete


def test_moves_are_complete() -> None:
    moved = RenameOperation(OperationKind.MOVED, *_SLOTS, FileState("file"))
    assert RenamePlan((), (moved,)).is_complete


def test_paths_of_slots_and_moved_roots() -> None:
    root = PlanFolder(inode=1, root=b"/work", is_new=False, slot=None)
    folder = PlanFolder(inode=2, root=None, is_new=False, slot=Slot(0, b"f"))
    plan = RenamePlan((root, folder))
    slot = Slot(1, b"a.txt")
    assert plan.recorded_path(slot) == RecordedPath(b"/work", (b"f", b"a.txt"))
    moved = plan.with_moved_roots({b"/work": b"/there", b"/other": b"/else"})
    assert moved.recorded_path(slot) == RecordedPath(
        b"/there", (b"f", b"a.txt")
    )


def test_users_know_no_temporary_name() -> None:
    known, temporary = Slot(0, b"a.txt"), Slot(0, temporary_name())
    staged = RenameOperation(
        OperationKind.STAGED, temporary, known, temporary, _FILE
    )
    deleted = RenameOperation(
        OperationKind.DELETED, known, temporary, temporary, _FILE
    )
    assert staged.visible_slot == known
    assert deleted.visible_slot == known
