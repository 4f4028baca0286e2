"""One change set, from what was asked to done.

plan → save what undo needs → intent, flushed → stage, flushed → (prepared, flushed) → publish, folders
flushed → done, flushed → clean up. Until the intent is on the disk nothing of the change is in the
workspace; from then on the task is not asked whether it is cancelled.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Sequence

from filewright import errors
from filewright.changes.cleanup import clean_up
from filewright.changes.log import Log
from filewright.changes.model import ChangeRecord
from filewright.changes.open_folders import OpenFolders
from filewright.changes.outcome import Outcome, describe_error
from filewright.changes.prepare import Planning, Preparation
from filewright.changes.publish import publish
from filewright.changes.recovery import refuse_unsettled
from filewright.changes.rename_plan import RenamePlan
from filewright.changes.rollback import roll_back
from filewright.changes.slots import PlanSlots
from filewright.changes.tree import ChangeTree
from filewright.edit.changeset import ChangeSet
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.progress import Caller, Task


class _CrossedError(Exception):
    """The change was begun and rolled back, since the file system refused a rename."""


def commit(
    log: Log,
    change_set: ChangeSet,
    task: Task,
    notes: Sequence[str],
    caller: Caller,
) -> ChangeRecord:
    """Commit it whole, or raise and leave everything as it was. `notes` and `caller` go into its record.

    Needs the workspace lock, with recovery done. Tried again, with things moved by copying, when a layered
    file system refused a rename. Conflicts met on the way are in the record, or in the error.
    """
    met: list[str] = []
    for copy_moves in (False, True):
        try:
            with OpenFolders(log.boundary) as folders:
                return _attempt(
                    log,
                    folders,
                    change_set,
                    task,
                    notes,
                    caller,
                    met,
                    copy_moves=copy_moves,
                )
        except _CrossedError:
            continue
        except FilewrightError as error:
            if met:
                error.details["conflicts"] = [*met, *error.details.get("conflicts", ())]
                ways = (
                    [errors.saved_meanwhile("").hint]
                    if "stays" in error.details
                    else []
                )
                error.hint = "; ".join([*met, *filter(None, ways)])
            raise
        except OSError as error:
            named = (
                error.filename
                if isinstance(error.filename, str | bytes)
                else "the workspace"
            )
            raise from_os_error(error, os.fsdecode(named), doing="work on") from error
    raise AssertionError("unreachable")


def _attempt(
    log: Log,
    folders: OpenFolders,
    change_set: ChangeSet,
    task: Task,
    notes: Sequence[str],
    caller: Caller,
    met: list[str],
    *,
    copy_moves: bool,
) -> ChangeRecord:
    """What taking it back has `met` of others' saves is added to that."""
    # Plan: what each step means, and what is refused.
    tree = ChangeTree(log.boundary, folders, change_set, task, copy_moves=copy_moves)
    tree.take()
    if not (tree.displaced or tree.fresh or tree.moved or tree.altered):
        raise FilewrightError(
            Code.NO_CHANGE,
            "the change would leave everything as it is",
            hint="nothing to do",
        )
    task.check()

    begun: RenamePlan | None = None
    preparation = Preparation(tree, log.settings, log.flusher, task)
    try:
        # At the end of this block the intent is on the disk: from there on a crash is recovered.
        with log.begin(task) as intent:
            # Save what undo needs.
            preparation.save(intent if change_set.undoable else None)
            planning = Planning(tree)
            plan = planning.plan(preparation)
            record = ChangeRecord(
                number=intent.number,
                tool=change_set.tool,
                summary=change_set.summary,
                file_changes=preparation.entries(),
                **caller._asdict(),
                reverts=change_set.reverts or (),
                partial=change_set.partial,
                undoable=change_set.undoable,
                hard_links=tree.hard_links,
                notes=(*notes, *met, *tree.notes),
            )
            if unsettled := log.list_unfinished("unsettled", certain=True):
                refuse_unsettled(log, unsettled, record)
            task.check()
            log.write(record, plan)
        begun = plan

        # Stage everything new under temporary names.
        preparation.stage(planning)
        begun = planning.plan(preparation)
        if not plan.is_complete:
            before = record.file_changes
            record = record._replace(file_changes=preparation.entries())
            log.write(record, begun, entries=record.file_changes != before)

        # Publish: readers see the change. Done: it is never rolled back.
        slots = PlanSlots(folders, begun, known=planning.known)
        publish(slots, log.flusher, hash_up_to=log.settings.identity_bytes)
        log.mark_done(record.number)
    except BaseException as error:
        # Interrupted after the last flush, it is made all the same.
        if begun is not None and not _is_made(log, record):
            is_undone = _roll_back(log, folders, record, begun, error, met, task)
            refused = (
                isinstance(error.__cause__, OSError)
                and error.__cause__.errno == errno.EXDEV
            )
            if is_undone and refused and not copy_moves:
                raise _CrossedError from error
        raise

    # The change is made; whatever happens from here on, it is not reported as failed.
    return record._replace(notes=(*record.notes, *_clean_up(slots, log, record)))


def _is_made(log: Log, record: ChangeRecord) -> bool:
    try:
        return log.read_record(record.number, made=True) is not None
    except FilewrightError:
        return False


def _roll_back(
    log: Log,
    folders: OpenFolders,
    record: ChangeRecord,
    plan: RenamePlan,
    cause: BaseException,
    met: list[str],
    task: Task,
) -> bool:
    """Undo what was begun. False if it cannot be undone now: that is left to the next recovery."""
    try:
        findings = roll_back(PlanSlots(folders, plan), log, record)
        if findings.unsettled:
            raise OSError(0, "; ".join(findings.unsettled))
    except (OSError, FilewrightError) as error:
        if isinstance(cause, FilewrightError):
            cause.hint = (
                f"what was begun could not be taken back at once ({describe_error(error)}); the next change or "
                "`filewright doctor` does it"
            )
        return False
    met += findings.conflicts
    task.restored_contents.update(findings.restored)
    if findings.partially_applied and isinstance(cause, FilewrightError):
        cause.details["stays"] = True  # Tried again, it would be made twice.
        cause.message = errors.saved_meanwhile(findings.partially_applied[0]).message
    return True


def _clean_up(slots: PlanSlots, log: Log, record: ChangeRecord) -> tuple[str, ...]:
    """Remove what was displaced; what stays is reported, and tried again by the next recovery."""
    conflicts: list[str] = []
    for pause in (0.0, 0.001, 0.004, 0.016, 0.064):
        time.sleep(pause)  # A program that saves just now closes the file in a moment.
        slots.search_again()
        try:
            found = clean_up(slots, log, record)
        except (OSError, FilewrightError) as error:
            found = Outcome(unsettled=[str(error)])
        conflicts += found.conflicts
        if not (found.waiting or found.unsettled):
            break
    for shown in found.waiting:
        conflicts.append(
            f"{shown}: another program has it open as it was before this change; what it writes there is kept "
            "once it closes it, and `filewright doctor` names where"
        )
    return tuple(conflicts)
