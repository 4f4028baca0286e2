"""The rollback of a plan: every operation is reversed as far as it came, last first.

The contents of an operation's slots alone decide, never how far anything came. So the
same code serves a commit that fails and the recovery after a crash, and may itself be
interrupted and repeated. A file that is neither the original nor ours belongs to
another program: it stays in its place, or returns to it. An operation that cannot be
settled is left alone and named, with those that share a slot with it; the rest is
settled.
"""

from __future__ import annotations

import errno
from contextlib import suppress
from dataclasses import replace

from filewright.boundary.names import is_temporary
from filewright.changes.blobs import BlobSource, compute_digest, content_after
from filewright.changes.disposal import Disposal
from filewright.changes.file_match import FileMatch
from filewright.changes.log import Log
from filewright.changes.model import ChangeRecord, FileState
from filewright.changes.outcome import Outcome, RestoredContent, describe_error
from filewright.changes.rename_plan import OperationKind, RenameOperation, Slot
from filewright.changes.rights import restore_rights
from filewright.changes.rollback_table import (
    EXCHANGE_BACK_TABLE,
    ROLLBACK_TABLE,
    ExchangeBackAction,
    RollbackAction,
    SlotContent,
    classify_slot,
)
from filewright.changes.slots import PlanSlots
from filewright.errors import FilewrightError

_EDITED = (
    "has neither the content from before the change nor that of the change: "
    "it stays"
)
_NEW_AND_EDITED = (
    "was created by the change and then edited by another program: it stays"
)
_SAVED_TWICE = (
    "was saved twice by another program during the change: the later version "
    "stays"
)
_MADE_AGAIN = "was created again by another program: it stays"
_MOVED_ON = (
    "was moved there by the change and then moved again by another program: "
    "it stays where it is"
)
_OLD_NAME_TAKEN = (
    "stays under its new name, since another file has its old name now"
)
_LOST = "its earlier content is only in the undo data"


def roll_back(slots: PlanSlots, log: Log, record: ChangeRecord) -> Outcome:
    """Take back every operation, last first, and remove temporaries.

    The log then forgets the change, or sets it aside if there were conflicts. It keeps
    the change as unfinished if an operation could not be settled.
    """
    outcome = Outcome()
    rollback = _Rollback(slots, log, record, outcome)
    unsettled_slots: set[Slot] = set()
    is_complete = slots.plan.is_complete
    for operation in reversed(slots.plan.operations):
        # An operation that shares a slot with an unsettled one is left alone too.
        if unsettled_slots.isdisjoint(operation.slots):
            try:
                if is_complete:
                    rollback.take_back(operation)
                else:
                    # Nothing was published before the plan was complete.
                    rollback.discard_staged(operation)
                continue
            except (OSError, FilewrightError) as error:
                display_path = slots.display_path(operation.visible_slot)
                outcome.unsettled.append(
                    f"{display_path}: {describe_error(error)}"
                )
        unsettled_slots.update(operation.slots)
    try:
        slots.flush_folders(log.flusher, rolled_back=True)
    except (OSError, FilewrightError) as error:
        outcome.unsettled.append(
            f"the disk did not confirm it: {describe_error(error)}"
        )
    # A file that another program may still write to stays under its temporary name
    # until a recovery finds it closed.
    for display_path in outcome.waiting:
        outcome.unsettled.append(f"{display_path}: another program has it open")
    if not outcome.unsettled:
        if outcome.conflicts:
            outcome.set_aside_as = log.mark_unresolved(record.number, "aside")
        else:
            log.delete_rolled_back(record.number)
    return outcome


class _Rollback:
    """Takes operations of a plan back, and notes results in an outcome."""

    def __init__(
        self, slots: PlanSlots, log: Log, record: ChangeRecord, outcome: Outcome
    ) -> None:
        self._slots = slots
        self._log = log
        self._record = record
        self._outcome = outcome
        self._disposal = Disposal(slots, log, outcome)

    def discard_staged(self, operation: RenameOperation) -> None:
        """Remove the temporary of a new file that was never published."""
        if operation.kind is OperationKind.STAGED:
            # Its folder may be gone, and the temporary with it.
            with suppress(FileNotFoundError):
                self._slots.discard_temporary(operation.source)

    def take_back(self, operation: RenameOperation) -> None:
        """Take an operation back as far as it was done."""
        if (
            operation.before is not None
            and operation.kind is not OperationKind.RIGHTS
        ):
            self._take_back_replacement(operation, operation.before)
            return
        match operation.kind:
            case OperationKind.RIGHTS:
                restore_rights(self._slots, self._log.flusher, operation)
            case OperationKind.STAGED:
                self._take_back_new_file(operation)
            case OperationKind.MOVED:
                self._take_back_move(operation)
            case OperationKind.DELETED:
                self._take_back_deletion(operation)

    # Where nothing was displaced

    def _take_back_new_file(self, operation: RenameOperation) -> None:
        """Remove a file or folder that the change has put where none was."""
        target, after = operation.target, operation.after
        match self._slots.match(target, after):
            case FileMatch.MISSING | FileMatch.DIFFERENT | FileMatch.EQUAL:
                # Not published, or removed since: the file there now is not ours.
                self._slots.discard_temporary(operation.source)
            case FileMatch.SAME | FileMatch.APPENDED | FileMatch.MODIFIED if (
                after.kind == "folder"
            ):
                self._disposal.remove_tree(target, after, operation)
                self._note_rolled_back(target, "removed")
            case FileMatch.SAME:
                self._slots.discard_temporary(operation.source)
                self._withdraw_new_file(operation)
            case FileMatch.APPENDED | FileMatch.MODIFIED:
                self._slots.discard_temporary(operation.source)
                self._report_edited_new_file(operation)

    def _withdraw_new_file(self, operation: RenameOperation) -> None:
        """Remove a new file, but no edit of another program.

        The file goes out of sight first and is compared again: an edit that came in
        between is still found.
        """
        source, target, _ = operation.slots
        self._slots.rename(target, source)
        if self._slots.match(source, operation.after).is_same_content:
            self._discard_ours(operation, source)
            self._note_rolled_back(target, "removed")
            return
        try:
            self._slots.rename(source, target)
        except FileExistsError:
            self._disposal.keep_as_sibling(source, target)
        else:
            self._report_edited_new_file(operation)

    def _report_edited_new_file(self, operation: RenameOperation) -> None:
        self._outcome.partially_applied.append(
            self._slots.display_path(operation.visible_slot)
        )
        self._disposal.report_conflict(operation, _NEW_AND_EDITED)

    def _take_back_move(self, operation: RenameOperation) -> None:
        """Move a file back to where it was, unless its old name is taken."""
        source, target, _ = operation.slots
        was_at_source = self._slots.status(source) is not None
        if not self._slots.match(target, operation.after).is_same_inode:
            if not was_at_source and not self._slots.is_known_inode_anywhere(
                operation.after
            ):
                self._disposal.report_conflict(operation, _MOVED_ON)
        elif self._slots.is_half_renamed(source, target):
            self._slots.unlink(target)
        else:
            self._discard_ours(operation, target)
            self._note_rolled_back(operation.visible_slot, "moved back")

    def _take_back_deletion(self, operation: RenameOperation) -> None:
        """Rename a file that was to be removed back to its name."""
        source, target, _ = operation.slots
        is_name_taken = self._slots.status(source) is not None
        if self._slots.status(target) is None:
            if not is_name_taken:
                raise OSError(0, _LOST)
        elif self._slots.is_half_renamed(source, target):
            self._slots.unlink(target)
        elif not is_name_taken:
            self._discard_ours(operation, target)
            self._note_rolled_back(operation.visible_slot, "moved back")
        else:
            match = self._slots.match(target, operation.after)
            if match.is_same_inode or match.is_same_content:
                self._disposal.keep_slot(target, operation, _MADE_AGAIN)
            else:
                self._disposal.keep_as_sibling(target, source)

    # Replacements

    def _take_back_replacement(
        self, operation: RenameOperation, before: FileState
    ) -> None:
        """Take a replacement back, by the rollback table."""
        source, target, spare = operation.slots
        self._finish_half_renames(operation, before)
        # The displaced file is in the temporary name if the names could not be
        # exchanged.
        backup, other = source, spare
        if self._slots.status(spare) is not None:
            backup, other = spare, source
        at_target = self._classify(target, operation, before)
        in_backup = self._classify_backup(backup, operation, before)
        action = ROLLBACK_TABLE[at_target][in_backup]
        match action:
            case RollbackAction.NOTHING:
                pass
            case RollbackAction.DISCARD_OURS:
                self._discard_ours(operation, backup)
            case RollbackAction.EXCHANGE:
                self._note_restored_content(operation, backup)
                self._note_rolled_back(operation.visible_slot, "as before")
                self._exchange_back(operation, before, backup, other)
            case RollbackAction.RESTORE:
                self._slots.rename(backup, target)
                self._discard_ours(operation, other)
            case RollbackAction.KEEP_ORIGINAL:
                self._disposal.keep_slot(backup, operation, _EDITED)
                self._discard_ours(operation, other)
            case RollbackAction.KEEP_BACKUP:
                # A name that users know keeps its file.
                if is_temporary(backup.name):
                    self._disposal.keep_slot(backup, operation, _SAVED_TWICE)
            case RollbackAction.REPORT_EDITED:
                self._disposal.report_conflict(operation, _EDITED)
            case RollbackAction.REPORT_LOST:
                raise OSError(0, _LOST)
        if action.leaves_target and at_target is not SlotContent.MISSING:
            self._outcome.partially_applied.append(
                self._slots.display_path(target)
            )

    def _finish_half_renames(
        self, operation: RenameOperation, before: FileState
    ) -> None:
        """Remove the second name that an interrupted rename by link has left."""
        source, target, backup = operation.slots
        slots = self._slots
        backup_is_target = slots.is_half_renamed(backup, target)
        backup_is_source = slots.is_half_renamed(backup, source)
        is_one_file = _is_one_file(operation.after, before)
        if is_one_file:
            # Source and target were its names before the change: only a third is ours.
            is_half_renamed = backup_is_target and backup_is_source
        else:
            is_half_renamed = backup_is_target or backup_is_source
        if is_half_renamed:
            slots.discard_temporary(backup)
            if slots.status(backup) is not None:
                # Windows before 10 keeps the name until the other program closes the
                # file.
                raise OSError(errno.ETXTBSY, "another program has it open")
        if not is_one_file and slots.is_half_renamed(source, target):
            slots.unlink(source)

    def _exchange_back(
        self,
        operation: RenameOperation,
        before: FileState,
        backup: Slot,
        other: Slot,
    ) -> None:
        """Give the target the displaced file, and discard ours.

        A save that came between the comparison and the exchange returns to the target.
        """
        target = operation.target
        ours = self._slots.exchange(backup, target, other)
        if operation.stages_file:
            displaced = self._classify(ours, operation, before)
            if displaced not in (SlotContent.OURS, SlotContent.OURS_APPENDED):
                spare = backup if ours == other else other
                ours = self._slots.exchange(ours, target, spare)
                match EXCHANGE_BACK_TABLE[
                    self._classify(ours, operation, before)
                ]:
                    case ExchangeBackAction.KEEP_ORIGINAL:
                        self._disposal.keep_slot(ours, operation, _EDITED)
                        self._outcome.partially_applied.append(
                            self._slots.display_path(target)
                        )
                        return
                    case ExchangeBackAction.KEEP_AS_SIBLING:
                        self._disposal.keep_as_sibling(ours, target)
                        return
                    case ExchangeBackAction.DISCARD_OURS:
                        pass
        self._discard_ours(operation, ours)

    def _classify(
        self, slot: Slot, operation: RenameOperation, before: FileState
    ) -> SlotContent:
        after = operation.after
        return classify_slot(
            original=self._slots.match(slot, before),
            ours=self._slots.match(slot, after),
            is_staged_file=operation.stages_file,
            keeps_content=before.digest is not None
            and before.digest == after.digest,
        )

    def _classify_backup(
        self, slot: Slot, operation: RenameOperation, before: FileState
    ) -> SlotContent:
        content = self._classify(slot, operation, before)
        if (
            content is SlotContent.FOREIGN
            and operation.kind is OperationKind.STAGED
            and self._is_unfinished(slot, operation.after)
        ):
            return SlotContent.UNFINISHED
        return content

    # Our file

    def _discard_ours(self, operation: RenameOperation, slot: Slot) -> None:
        """Move a moved file back; remove a new file, but no edit of another program."""
        is_staged = operation.kind is OperationKind.STAGED
        if slot == operation.source and not is_staged:
            # A moved file that is where it was.
            return
        if self._slots.status(slot) is None:
            return
        if not is_staged:
            self._move_back(operation, slot)
        elif operation.after.kind == "folder":
            self._disposal.remove_tree(slot, operation.after, operation)
        elif operation.after.digest is None or self._is_unfinished(
            slot, operation.after
        ):
            self._slots.discard_temporary(slot)
        else:
            self._disposal.remove_file(
                self._slots.folder(slot), slot.name, operation.after, operation
            )

    def _move_back(self, operation: RenameOperation, slot: Slot) -> None:
        try:
            self._slots.rename(slot, operation.source)
        except FileExistsError:
            if is_temporary(slot.name):
                self._disposal.keep_slot(slot, operation, _OLD_NAME_TAKEN)
            else:
                self._disposal.report_conflict(operation, _OLD_NAME_TAKEN)

    def _is_unfinished(self, slot: Slot, after: FileState) -> bool:
        """Return True if a temporary holds only a part of the staged file.

        An error or a kill ends the writing anywhere. A power cut loses blocks of it:
        they are zeros or missing then.
        """
        status = self._slots.status(slot)
        # We write from the start to the end, so a part is never longer.
        if status is None or status.kind != "file" or status.size > after.size:
            return False
        if after.inode not in (None, status.inode):
            # A save of another program that begins as our file does.
            return False
        if not status.size:
            return after.size > 0
        if self._slots.match(slot, after).is_same_content:
            return False
        whole = self._staged_content(after)
        if whole is None:
            return False
        with self._slots.folder(slot).open(slot.name) as file:
            content = b"".join(file.blocks())
        if len(content) > len(whole):
            # Another program adds to it while it is read.
            return False
        if content == whole[: len(content)]:
            return True
        return all(
            byte in (0, whole_byte)
            for byte, whole_byte in zip(content, whole, strict=False)
        )

    def _staged_content(self, after: FileState) -> bytes | None:
        """Return the content that was to be staged, or None if it was not kept."""
        keeper = BlobSource(
            self._log.contents, self._record.id, self._log.settings.hold_bytes
        )
        # Damaged undo data tells nothing.
        with suppress(FilewrightError):
            for entry in self._record.file_changes:
                if (
                    entry.after is not None
                    and entry.after.digest == after.digest
                ):
                    return content_after(replace(entry, blobs=keeper))
        return None

    # Notes

    def _note_rolled_back(self, slot: Slot, result: str) -> None:
        display_path = self._slots.display_path(slot)
        self._outcome.rolled_back_files.append(f"{display_path} {result}")

    def _note_restored_content(
        self, operation: RenameOperation, backup: Slot
    ) -> None:
        """Note the content that a target gets back.

        Another program may have read the change there, and save it later.
        """
        if (
            operation.kind is OperationKind.STAGED
            and operation.after.kind == "file"
        ):
            folder = self._slots.folder(backup)
            with folder.open(backup.name, known_file=True) as file:
                size = file.status().size
                path = self._slots.recorded_path(operation.target)
                self._outcome.restored[path] = RestoredContent(
                    size, compute_digest(file, size=size)
                )


def _is_one_file(state: FileState, other_state: FileState) -> bool:
    """Return True for the states of one file, which has two names."""
    return state.inode is not None and state.inode == other_state.inode
