"""The commit of one change set, from the request to the last step.

| step | if the process ends in it |
|---|---|
| check: apply the steps to a tree in memory | nothing was changed |
| save: what undo needs goes into a transaction of the log | the transaction never was |
| intent: the plan is flushed with the transaction | rolled back |
| stage: new files are made under temporary names, flushed | rolled back |
| publish: names are exchanged, folders flushed | rolled back |
| done: the log is flushed; this is the commit | the change stays |
| clean up: displaced files are removed | the next recovery removes them |

Until the intent is on the disk nothing of the change is in the workspace. From then on
the task is not asked whether it is cancelled.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from filewright import errors
from filewright.changes.backup import save_backup
from filewright.changes.change_tree import ChangeTree
from filewright.changes.cleanup import clean_up
from filewright.changes.file_changes import FileChanges
from filewright.changes.log import Log
from filewright.changes.model import (
    MAX_HELD_VALUES,
    ChangeRecord,
    FileChange,
)
from filewright.changes.open_folders import OpenFolders
from filewright.changes.outcome import Outcome, describe_error
from filewright.changes.publish import publish
from filewright.changes.recovery import refuse_unsettled
from filewright.changes.rename_plan import RenamePlan
from filewright.changes.rename_planner import order_renames
from filewright.changes.rollback import roll_back
from filewright.changes.slots import PlanSlots
from filewright.changes.staging import stage
from filewright.changes.tree_diff import apply_change_set
from filewright.edit.changeset import ChangeSet
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.hints import join_hints
from filewright.progress import Caller, Task

_CLEAN_UP_PAUSES = (0.0, 0.001, 0.004, 0.016, 0.064)


class _RolledBackError(Exception):
    """An attempt that failed and was rolled back, with its error and the outcome."""

    def __init__(self, error: BaseException, outcome: Outcome) -> None:
        super().__init__(str(error))
        self.error = error
        self.outcome = outcome

    @property
    def is_refused_rename(self) -> bool:
        """Return True if a layered file system refused a rename."""
        cause = self.error.__cause__
        return isinstance(cause, OSError) and cause.errno == errno.EXDEV


def commit(
    log: Log,
    change_set: ChangeSet,
    task: Task,
    notes: Sequence[str],
    caller: Caller,
) -> ChangeRecord:
    """Commit a change set whole, or raise and leave everything as it was.

    Needs the workspace lock, with recovery done. `notes` and `caller` go into the
    record. Conflicts with the saves of other programs are in the record, or in the
    error.
    """
    conflicts: list[str] = []
    # Where a file system refuses a rename, files are moved by copying.
    for copy_moves in (False, True):
        try:
            with (
                OpenFolders(log.boundary) as open_folders,
                ChangeTree(
                    log.boundary,
                    open_folders,
                    change_set,
                    task,
                    copy_moves=copy_moves,
                ) as tree,
            ):
                return _attempt(
                    log, open_folders, tree, [*notes, *conflicts], caller
                )
        except _RolledBackError as failure:
            conflicts += failure.outcome.conflicts
            task.restored_contents.update(failure.outcome.restored)
            if failure.is_refused_rename and not copy_moves:
                continue
            described = _described(failure.error, conflicts, failure.outcome)
            raise described from described.__cause__
        except (FilewrightError, OSError) as error:
            described = _described(error, conflicts)
            raise described from described.__cause__
    raise AssertionError("unreachable")


def _attempt(
    log: Log,
    open_folders: OpenFolders,
    tree: ChangeTree,
    notes: Sequence[str],
    caller: Caller,
) -> ChangeRecord:
    change_set, task = tree.change_set, tree.task
    # Check: apply the steps in memory, and refuse what cannot be done.
    diff = apply_change_set(tree)
    if diff.is_empty:
        raise FilewrightError(
            Code.NO_CHANGE,
            "the change would not alter any file",
        )
    task.check()

    # At the end of this block the intent is on the disk: a crash is recovered from.
    with log.begin(task) as intent:
        # Save: a crash here leaves an open transaction, which never was.
        blobs = intent if change_set.undoable else None
        backup = save_backup(diff, open_folders, log.settings, task, blobs)
        order = order_renames(diff)
        plan = order.build_plan(backup.originals, backup.created)
        changes = FileChanges(diff, backup)
        record = ChangeRecord(
            number=intent.number,
            tool=change_set.tool,
            summary=change_set.summary,
            file_changes=changes.build(),
            session=caller.session,
            client=caller.client,
            turn=caller.turn,
            reverts=change_set.reverts or (),
            partial=change_set.partial,
            undoable=change_set.undoable,
            hard_links=diff.hard_links,
            notes=(*notes, *diff.notes),
        )
        unsettled = log.list_unfinished("unsettled", certain=True)
        if unsettled:
            refuse_unsettled(log, unsettled, record)
        task.check()
        # Intent: a crash from here on is rolled back.
        log.write(record, plan)

    may_be_done = False
    try:
        # Stage: make everything new under temporary names, and flush it.
        # Asked before: staging completes the states from which plans are built.
        is_intent_complete = plan.is_complete
        has_new_facts = stage(order, backup, open_folders, log.flusher, task)
        plan = order.build_plan(backup.originals, backup.created)
        if not is_intent_complete:
            record = replace(record, file_changes=changes.build())
            log.write(record, plan, entries=has_new_facts)

        # Publish: readers see the change. A crash is still rolled back.
        slots = PlanSlots(open_folders, plan, known_folders=order.known_folders)
        publish(slots, log.flusher, hash_up_to=log.settings.identity_bytes)

        # Done: from the end of this flush on the change is never rolled back.
        may_be_done = True
        log.mark_done(record.number)
    except BaseException as error:
        # An interrupt after the last flush comes too late: the change is made.
        if not may_be_done or _is_not_done(log, record, error):
            outcome = _try_roll_back(log, open_folders, record, plan, error)
            if outcome is not None:
                raise _RolledBackError(error, outcome) from error
        raise

    # Clean up: the change is made, so nothing that fails here is reported as a failure.
    return replace(
        record,
        file_changes=_read_from_log(log, record),
        notes=(*record.notes, *_clean_up(slots, log, record)),
    )


def _read_from_log(log: Log, record: ChangeRecord) -> Sequence[FileChange]:
    """Return the file changes of a record that is committed.

    Many are read from the log when they are asked for: made from the tree they would
    keep that in memory. A log that cannot be read now is no failure of the change.
    """
    if len(record.file_changes) > MAX_HELD_VALUES:
        with suppress(OSError, FilewrightError):
            stored_record = log.read_record(record.number)
            if stored_record is not None:
                return stored_record.file_changes
    return tuple(record.file_changes)


def _is_not_done(log: Log, record: ChangeRecord, error: BaseException) -> bool:
    """Return True if the log says that an operation is not done.

    A log that cannot be read may say either: then the files stay as they are, as in a
    crash, and the next recovery decides.
    """
    try:
        return log.read_record(record.number, only_done=True) is None
    except (OSError, FilewrightError) as failure:
        if isinstance(error, FilewrightError):
            error.hint = (
                f"the log does not say if the change is made ({describe_error(failure)}); the next change or "
                "`filewright doctor` keeps it whole or takes it back"
            )
        return False


def _try_roll_back(
    log: Log,
    open_folders: OpenFolders,
    record: ChangeRecord,
    plan: RenamePlan,
    error: BaseException,
) -> Outcome | None:
    """Roll a failed attempt back; return None if that is left to the next recovery."""
    try:
        outcome = roll_back(PlanSlots(open_folders, plan), log, record)
        if outcome.unsettled:
            raise OSError(0, "; ".join(outcome.unsettled))
    except (OSError, FilewrightError) as failure:
        if isinstance(error, FilewrightError):
            error.hint = (
                "the unfinished change could not be taken back yet "
                f"({describe_error(failure)}); the next change or `filewright "
                "doctor` takes it back"
            )
        return None
    return outcome


def _described(
    error: BaseException,
    conflicts: Sequence[str],
    outcome: Outcome | None = None,
) -> BaseException:
    """Return the error of a commit, with the conflicts that its rollbacks met."""
    if isinstance(error, OSError):
        path = "the workspace"
        if isinstance(error.filename, str | bytes):
            path = os.fsdecode(error.filename)
        described = from_os_error(error, path, doing="work on")
        described.__cause__ = error
        return described
    if not isinstance(error, FilewrightError):
        return error
    if outcome is not None and outcome.partially_applied:
        # Tried again, the change would be made twice.
        error.details["stays"] = True
        error.summary = errors.saved_meanwhile(
            outcome.partially_applied[0]
        ).message
    if conflicts:
        hints = [*conflicts]
        way_out = errors.saved_meanwhile("").hint
        if "stays" in error.details and way_out is not None:
            hints.append(way_out)
        error.details["conflicts"] = [
            *conflicts,
            *error.details.get("conflicts", ()),
        ]
        error.hint = join_hints(hints)
    return error


def _clean_up(
    slots: PlanSlots, log: Log, record: ChangeRecord
) -> tuple[str, ...]:
    """Remove displaced files; return the conflicts, and the files that have to wait.

    The next recovery tries again to remove the files that wait.
    """
    conflicts: list[str] = []
    for pause in _CLEAN_UP_PAUSES:
        if pause:
            # A program that saves just now closes the file in a moment.
            time.sleep(pause)
        slots.search_again()
        try:
            outcome = clean_up(slots, log, record)
        except (OSError, FilewrightError) as error:
            outcome = Outcome(unsettled=[str(error)])
        conflicts += outcome.conflicts
        if not (outcome.waiting or outcome.unsettled):
            break
    for display_path in outcome.waiting:
        conflicts.append(
            f"{display_path}: another program has the previous file open; "
            "what it still writes is kept when it closes the file, and "
            "`filewright doctor` says where"
        )
    return tuple(conflicts)
