"""One change set, from what was asked to done.

plan → save what undo needs → intent, flushed → stage, flushed → (prepared, flushed) → publish, folders
flushed → done, flushed → clean up. Until the intent is on the disk nothing of the change is in the
workspace; from then on the task is not asked whether it is cancelled.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from filewright.changes.entries import entries
from filewright.changes.operations import CommitPlan
from filewright.changes.plan import Difference, plan_of
from filewright.changes.publish import publish
from filewright.changes.record import ChangeRecord, id_of
from filewright.changes.recordfile import RecordFile
from filewright.changes.recovery import Recovery
from filewright.changes.save import Attempt, save
from filewright.changes.settle import Findings
from filewright.changes.slots import OpenFolders, Slots
from filewright.changes.stage import digest_ahead, stage
from filewright.changes.steps import take_steps
from filewright.changes.store import Store
from filewright.changes.tree import Tree
from filewright.edit import ChangeSet, Modify
from filewright.errors import Code, FilewrightError, from_os_error, unsettled
from filewright.progress import Caller, Task

_TRIES = 12


class _RolledBackError(Exception):
    """The change was begun and rolled back, for a reason that another attempt may not meet."""

    def __init__(self, cause: FilewrightError) -> None:
        super().__init__(cause.message)
        self.cause = cause


def commit(
    store: Store,
    change_set: ChangeSet,
    task: Task,
    notes: Sequence[str],
    caller: Caller,
) -> ChangeRecord:
    """Commit it whole, or raise and leave everything as it was. `notes` and `caller` go into its record.

    Needs the workspace lock, with recovery done. Tried again when a layered file system refused a
    rename (then things are moved by copying), and when somebody wrote between the look and the
    exchange to a file that may have grown. Conflicts met on the way are in the record, or in the error.
    """
    copy_moves = False
    met: list[str] = []
    follows = any(isinstance(step, Modify) and step.follow for step in change_set.steps)
    for left in reversed(range(_TRIES)):
        folders = OpenFolders(store.boundary)
        try:
            return _attempt(store, folders, change_set, task, (*notes, *met), caller, copy_moves=copy_moves)
        except FilewrightError as error:
            raise _with_conflicts(error, met) from error.__cause__
        except _RolledBackError as error:
            met += error.cause.details.get("conflicts", ())
            crossed = error.cause.code is not Code.STALE_VERSION
            if not left or (copy_moves if crossed else not follows):
                raise _with_conflicts(error.cause, met) from error
            copy_moves = copy_moves or crossed
        except OSError as error:
            named = error.filename if isinstance(error.filename, str | bytes) else "the workspace"
            raise from_os_error(error, os.fsdecode(named), doing="work on") from error
        finally:
            folders.close()
    raise AssertionError("unreachable")


def _attempt(
    store: Store,
    folders: OpenFolders,
    change_set: ChangeSet,
    task: Task,
    notes: Sequence[str],
    caller: Caller,
    *,
    copy_moves: bool,
) -> ChangeRecord:
    # Plan: what each step means, and what is refused.
    tree = Tree(store.boundary, folders)
    remarks = take_steps(tree, change_set, task, copy_moves=copy_moves)
    difference = Difference.of(tree)
    if difference.empty:
        raise _nothing()
    task.check()

    begun: CommitPlan | None = None
    with _state_errors():
        intent = store.journal.begin()
    number = intent.number
    attempt = Attempt(store, folders, task, number, change_set.undoable, intent.writer)
    try:
        # Save what undo needs.
        with _state_errors():
            save(attempt, difference)
        digest_ahead(difference)
        plan, staging = plan_of(tree, difference)
        record = ChangeRecord(
            id=id_of(number),
            time_ns=number,
            tool=change_set.tool,
            summary=change_set.summary,
            entries=entries(difference),
            session=caller.session,
            client=caller.client,
            turn=caller.turn,
            reverts=change_set.reverts or (),
            partial=change_set.partial,
            undoable=change_set.undoable,
            hard_links=remarks.hard_links,
            notes=(*notes, *remarks.notes),
        )
        _refuse_unsettled(store, record, intent.unsettled)
        task.check()

        # Intent: from here on a crash is recovered.
        with _state_errors():
            if attempt.adopted:
                store.blobs.flush_adopted()
            attempt.writer.intent(record, plan)
            store.journal.flush()
        begun = plan

        # Stage everything new under temporary names.
        begun = stage(attempt, plan, staging)
        if not plan.sealed:
            record = replace(record, entries=entries(difference))
            with _state_errors():
                attempt.writer.prepared(record, begun)
                store.journal.flush()

        # Publish: readers see the change. Done: it is never rolled back.
        slots = Slots(folders, begun, hash_up_to=store.settings.identity_bytes)
        publish(slots, store.flusher)
        with _state_errors():
            path, confirmed = store.journal.done(record.id)
    except BaseException as error:
        # An interrupt may come while the last flush waits for the disk: then the change is made already.
        if begun is None or store.journal.find(id_of(number)) is None:
            _roll_back(attempt, begun, error)
        raise
    finally:
        store.journal.close()

    # The change is made; whatever happens from here on, it is not reported as failed.
    if not confirmed:
        note = "the disk did not confirm this change: it may be gone after a power cut"
        record = replace(record, notes=(*record.notes, note))
    file = attempt.writer.written(path, record, begun)
    notes = _clean_up(store, file, slots)
    return replace(file.record, notes=(*record.notes, *notes)) if notes else file.record


def _refuse_unsettled(store: Store, record: ChangeRecord, paths: Sequence[bytes]) -> None:
    """A change that could not be rolled back is in the way of its own files only."""
    blocked = store.recoverer.blocked(paths) if paths else {}
    for entry in record.entries if blocked else ():
        for place in (entry.place, entry.was):
            if place in blocked:
                raise unsettled(place.shown, blocked[place])


def _roll_back(attempt: Attempt, begun: CommitPlan | None, cause: BaseException) -> None:
    """Undo what was begun. What cannot be undone now is kept in the intent for the next recovery."""
    store = attempt.store
    findings = Findings()
    try:
        if begun is not None:
            findings = store.recoverer.roll_back(begun, attempt.folders)
        if findings.unsettled:
            raise OSError(0, "; ".join(findings.unsettled))
        for name in attempt.adopted:
            store.blobs.drop(name)
        if findings.conflicts or findings.waiting:
            store.journal.set_aside(store.state.at(b"journal", b"intent"))
        elif store.journal.intent_path() is not None:
            store.journal.forget()
    except (OSError, FilewrightError) as error:
        if isinstance(cause, FilewrightError):
            why = error.message if isinstance(error, FilewrightError) else error.strerror
            cause.hint = (
                f"what was begun could not be taken back at once ({why}); the next change or "
                "`filewright doctor` does it"
            )
        return
    if not isinstance(cause, FilewrightError):
        return
    _with_conflicts(cause, findings.conflicts)
    crossed = isinstance(cause.__cause__, OSError) and cause.__cause__.errno == errno.EXDEV
    if begun is not None and (crossed or cause.code is Code.STALE_VERSION):
        raise _RolledBackError(cause) from cause


def _with_conflicts(error: FilewrightError, met: Sequence[str]) -> FilewrightError:
    if met:
        error.details["conflicts"] = list(met)
        error.hint = "; ".join(met)
    return error


def _clean_up(store: Store, file: RecordFile, slots: Slots) -> tuple[str, ...]:
    """Remove what was displaced; what stays is reported, and tried again by the next recovery."""
    found = Recovery()
    for pause in (0.0, 0.001, 0.004, 0.016, 0.064):
        if pause:
            time.sleep(pause)  # A program that saves just now closes the file in a moment.
        slots.search_anew()
        found.waiting.clear()
        found.unsettled.clear()
        try:
            store.recoverer.clean_up(file, found, slots)
        except (OSError, FilewrightError) as error:
            found.unsettled.append(str(error))
        if not (found.waiting or found.unsettled):
            break
    held = (
        f"{shown}: another program has it open as it was before this change; what it writes there is kept "
        "once it closes it, and `filewright doctor` names where"
        for shown in found.waiting
    )
    return (*found.conflicts, *held)


@contextmanager
def _state_errors() -> Iterator[None]:
    """Errors inside are the state folder's."""
    try:
        yield
    except OSError as error:
        raise from_os_error(error, "the state folder", doing="write to") from error


def _nothing() -> FilewrightError:
    return FilewrightError(Code.NO_CHANGE, "the change would leave everything as it is", hint="nothing to do")
