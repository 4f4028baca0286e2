"""The step of a commit that readers see: the operations of a plan, done in order."""

from __future__ import annotations

import errno
from contextlib import suppress

from filewright.changes.database import Flusher
from filewright.changes.file_match import match_name
from filewright.changes.model import FileState
from filewright.changes.rename_plan import OperationKind, RenameOperation, Slot
from filewright.changes.rights import change_rights
from filewright.changes.slots import PlanSlots
from filewright.errors import (
    FilewrightError,
    appeared_meanwhile,
    changed_since_read,
    from_os_error,
)


def publish(slots: PlanSlots, flusher: Flusher, *, hash_up_to: int) -> None:
    """Do every operation of a plan in order, then flush the folders.

    Raise on the first operation that cannot be done; nothing is rolled back here.
    Displaced files larger than `hash_up_to` bytes are compared by inode, size and time.
    """
    displaced_folders: dict[Slot, FileState] = {}
    for operation in slots.plan.operations:
        try:
            if operation.kind is OperationKind.RIGHTS:
                if not change_rights(slots, flusher, operation):
                    raise changed_since_read(
                        slots.display_path(operation.visible_slot)
                    )
            else:
                slot = _move(slots, operation, hash_up_to)
                state = _displaced_state(operation)
                if state is not None and state.kind == "folder":
                    displaced_folders[slot] = state
        except OSError as error:
            raise _refusal(
                error, slots.display_path(operation.visible_slot)
            ) from error
    # Folders are compared only now: all that moves out of them has left.
    for slot, state in displaced_folders.items():
        if not slots.matches_tree(slot, state):
            raise changed_since_read(slots.display_path(slot))
    slots.flush_folders(flusher)


def _move(
    slots: PlanSlots, operation: RenameOperation, hash_up_to: int
) -> Slot:
    """Bring a file to its target; return the displaced or moved file's slot."""
    source, target, backup = operation.slots
    if operation.before is None:
        slots.rename(source, target)
        if operation.kind is not OperationKind.STAGED:
            _require_meant(
                slots, operation, target, operation.after, hash_up_to
            )
        return target
    slot = slots.exchange(source, target, backup)
    _require_meant(slots, operation, slot, operation.before, hash_up_to)
    if operation.kind is OperationKind.MOVED and slot == source:
        # The displaced file must not stay under a name that users know.
        slots.rename(source, backup)
        return backup
    return slot


def _require_meant(
    slots: PlanSlots,
    operation: RenameOperation,
    slot: Slot,
    state: FileState,
    hash_up_to: int,
) -> None:
    """Raise `stale_version` unless the file that was renamed is the one that was meant.

    A rename cannot be made conditional on a content, so it is done first and compared
    afterwards, as in a compare-and-swap.
    """
    match = match_name(
        slots.folder(slot), slot.name, state, hash_up_to=hash_up_to
    )
    if match.is_same_content:
        return
    if operation.before is None:
        # Another program's save of a moment ago goes back to where it was made.
        with suppress(FileExistsError):
            slots.rename(operation.target, operation.source)
    raise changed_since_read(slots.display_path(operation.visible_slot))


def _displaced_state(operation: RenameOperation) -> FileState | None:
    """Return the state of the file that the operation takes away, or None."""
    if operation.kind is OperationKind.DELETED:
        return operation.after
    return operation.before


def _refusal(error: OSError, display_path: str) -> FilewrightError:
    # Both were checked before the intent: another program has been faster.
    if error.errno == errno.EEXIST:
        return appeared_meanwhile(display_path)
    if error.errno == errno.ENOENT:
        return changed_since_read(display_path)
    return from_os_error(error, display_path, doing="replace")
