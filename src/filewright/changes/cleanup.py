"""The clean-up after a commit: displaced files are removed.

A displaced file that another program still writes to stays, and is tried again by the
next recovery. One that was written to late is kept in the state folder.
"""

from __future__ import annotations

from contextlib import suppress

from filewright.boundary.names import is_temporary
from filewright.changes.disposal import Disposal
from filewright.changes.log import Log
from filewright.changes.model import ChangeRecord, FileState
from filewright.changes.outcome import Outcome, describe_error
from filewright.changes.plan_folders import FolderMissingError
from filewright.changes.rename_plan import OperationKind, RenameOperation, Slot
from filewright.changes.slots import PlanSlots
from filewright.errors import FilewrightError

_MANY_ENTRIES = 1000


def clean_up(slots: PlanSlots, log: Log, record: ChangeRecord) -> Outcome:
    """Remove the files that a committed change displaced, and note that in the log."""
    outcome = Outcome()
    disposal = Disposal(slots, log, outcome)
    for operation in slots.plan.operations:
        # Each displaced file has a temporary name of its own: none depends on another.
        try:
            _clean_up_operation(slots, disposal, outcome, operation)
        except (OSError, FilewrightError) as error:
            display_path = slots.display_path(operation.visible_slot)
            outcome.unsettled.append(f"{display_path}: {describe_error(error)}")
    if not (outcome.waiting or outcome.unsettled):
        _note_clean(slots, log, record)
    if outcome.conflicts:
        try:
            log.add_notes(record.number, outcome.conflicts)
        except (OSError, FilewrightError) as error:
            outcome.conflicts.append(
                f"this could not be written to the history: {error}"
            )
    return outcome


def _note_clean(slots: PlanSlots, log: Log, record: ChangeRecord) -> None:
    if len(record.file_changes) <= _MANY_ENTRIES:
        log.cleaned_up.add(record.number)
        return
    # A large change is settled at once: to read its plan again later, with those of
    # others, would hold up a later call.
    with suppress(OSError, FilewrightError):
        slots.flush_folders(log.flusher)
        log.mark_cleaned_up((record.number,))


def _clean_up_operation(
    slots: PlanSlots,
    disposal: Disposal,
    outcome: Outcome,
    operation: RenameOperation,
) -> None:
    displaced = _displaced_slots(operation)
    if displaced is None:
        return
    candidates, state = displaced
    # A folder that was deleted with all that was in it leaves nothing to be removed.
    with suppress(FolderMissingError):
        for slot in candidates:
            # A name that users know may have a new file of theirs by now.
            if not is_temporary(slot.name):
                continue
            if state.kind == "file":
                disposal.remove_file(
                    slots.folder(slot), slot.name, state, operation
                )
            elif slots.status(slot) is not None:
                outcome.cleaned_files += 1
                if state.kind == "folder":
                    disposal.remove_tree(slot, state, operation)
                else:
                    slots.unlink(slot)


def _displaced_slots(
    operation: RenameOperation,
) -> tuple[list[Slot], FileState] | None:
    """Return the slots in which a displaced file may be, and its state; or None."""
    match operation.kind:
        case OperationKind.DELETED:
            return [operation.target], operation.after
        case OperationKind.RIGHTS:
            return None
        case OperationKind.STAGED | OperationKind.MOVED:
            if operation.before is None:
                return None
            return [operation.backup, operation.source], operation.before
