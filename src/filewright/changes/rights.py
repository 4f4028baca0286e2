"""The change of mode, owner and group of one file."""

from __future__ import annotations

import errno

from filewright.changes.database import Flusher
from filewright.changes.model import RECORDED_KINDS, FileState
from filewright.changes.rename_plan import RenameOperation
from filewright.changes.slots import PlanSlots
from filewright.system import File, Folder, Status

_CHANGED_WITHOUT_RIGHTS = 0o1777
"""The mode bits that a change of the owner leaves: it clears setuid and setgid."""


def change_rights(
    slots: PlanSlots, flusher: Flusher, operation: RenameOperation
) -> bool:
    """Set mode, owner and group; return False if the file is missing or has changed."""
    assert operation.before is not None
    return _set_rights(
        slots, flusher, operation, operation.before, operation.after
    )


def restore_rights(
    slots: PlanSlots, flusher: Flusher, operation: RenameOperation
) -> bool:
    """Set mode, owner and group back; return False if the file is not as expected.

    Nothing is done if they were never changed: a user who may not set a mode may not
    set it back either.
    """
    assert operation.before is not None
    return _set_rights(
        slots, flusher, operation, operation.after, operation.before
    )


def _set_rights(
    slots: PlanSlots,
    flusher: Flusher,
    operation: RenameOperation,
    old_state: FileState,
    new_state: FileState,
) -> bool:
    assert operation.before is not None
    folder, name = slots.folder(operation.target), operation.target.name
    owner, new_owner = (
        (old_state.uid, old_state.gid),
        (new_state.uid, new_state.gid),
    )
    try:
        status = folder.stat(name)
        # Another file may have its name by now.
        if (status.inode, RECORDED_KINDS[status.kind]) != (
            new_state.inode,
            new_state.kind,
        ):
            return False
        owner_now = status.uid, status.gid
        if (status.mode, owner_now) == (new_state.mode, new_owner):
            return True
        # A change of the owner that was interrupted has cleared bits of the mode.
        modes = old_state.mode, operation.before.mode & _CHANGED_WITHOUT_RIGHTS
        if owner_now not in (owner, new_owner) or status.mode not in modes:
            return False
        # The owner first: to change it clears setuid and setgid.
        if owner_now != new_owner:
            folder.set_owner(name, *new_owner, expected=status)
        folder.set_mode(name, new_state.mode, expected=status)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ESTALE):
            return False
        raise
    _flush(folder, name, status, flusher)
    return True


def _flush(
    folder: Folder, name: bytes, status: Status, flusher: Flusher
) -> None:
    handle: File | Folder
    try:
        if status.kind == "folder":
            handle = folder.open_folder(name)
        else:
            handle = folder.open(name)
    except OSError:
        # Not readable to us: its rights reach the disk with the next flush of its
        # folder.
        return
    with handle:
        flusher.one(handle)
