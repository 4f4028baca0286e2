"""One change set, from what was asked to done.

plan → save what undo needs → intent, flushed → stage, flushed → (prepared, flushed) → publish, folders
flushed → done, flushed → clean up. Until the intent is on the disk nothing of the change is in the
workspace; from then on the task is not asked whether it is cancelled.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import xxhash

from filewright.boundary import Boundary
from filewright.changes.blobs import BlobStore
from filewright.changes.entries import entries
from filewright.changes.flushing import Flusher
from filewright.changes.identifiers import id_of
from filewright.changes.journal import Journal
from filewright.changes.operations import CommitPlan
from filewright.changes.plan import CommitPlanner, Difference
from filewright.changes.publish import publish
from filewright.changes.record import ChangeRecord
from filewright.changes.recordfile import RecordFile
from filewright.changes.recovery import Recoverer, Recovery
from filewright.changes.save import Saver
from filewright.changes.settle import Findings
from filewright.changes.slots import OpenFolders, Slots
from filewright.changes.stage import Stager
from filewright.changes.state import StateFolder
from filewright.changes.steps import Steps
from filewright.changes.tree import Tree
from filewright.edit.changeset import ChangeSet, Modify
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.progress import Task
from filewright.settings import MB, Settings

_AHEAD = 1 * MB
_TRIES = 12


class _TakenBackError(Exception):
    """The change was begun and taken back, for a reason that another attempt may meet differently."""

    def __init__(self, cause: FilewrightError) -> None:
        super().__init__(cause.message)
        self.cause = cause


@dataclass(frozen=True, slots=True)
class Committer:
    """Commits change sets of one workspace; needs the workspace lock, with recovery done."""

    boundary: Boundary
    settings: Settings
    state: StateFolder
    journal: Journal
    blobs: BlobStore
    flusher: Flusher
    recoverer: Recoverer

    def commit(self, change_set: ChangeSet, task: Task, notes: Sequence[str] = ()) -> ChangeRecord:
        """Commit it whole, or raise and leave everything as it was. `notes` go into its record.

        Tried again when a layered file system refused a rename (then things are moved by copying),
        and when somebody wrote between the look and the exchange to a file that may have grown.
        """
        copy_moves = False
        follows = any(isinstance(step, Modify) and step.follow for step in change_set.steps)
        try:
            for left in reversed(range(_TRIES)):
                try:
                    return self._attempt(change_set, task, notes, copy_moves=copy_moves)
                except _TakenBackError as error:
                    crossed = error.cause.code is not Code.STALE_VERSION
                    if not left or (copy_moves if crossed else not follows):
                        raise error.cause from error
                    copy_moves = copy_moves or crossed
        except OSError as error:
            named = (
                os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else "the workspace"
            )
            raise from_os_error(error, named, doing="work on") from error
        raise AssertionError("unreachable")

    def _attempt(
        self, change_set: ChangeSet, task: Task, notes: Sequence[str], *, copy_moves: bool
    ) -> ChangeRecord:
        folders = OpenFolders(self.boundary)
        adopted: list[str] = []
        begun: CommitPlan | None = None
        try:
            # CommitPlan: what each step means, and what is refused.
            tree = Tree(self.boundary, folders)
            steps = Steps(tree, change_set, copy_moves=copy_moves)
            steps.take()
            task.check()
            difference = Difference.of(tree)
            if difference.empty:
                raise _nothing()

            # Save what undo needs.
            number = self.journal.next_number()
            change_id = id_of(number)
            with _state_errors():
                writer = self.journal.begin()
                undoable = change_set.undoable
                saver = Saver(
                    self.boundary,
                    folders,
                    self.settings,
                    writer,
                    self.blobs,
                    change_id,
                    undoable=undoable,
                    task=task,
                )
                adopted = saver.adopted
                saver.save(difference.displaced)
                saver.keep_new(difference.fresh)
            _digest_ahead(difference)
            planner = CommitPlanner(tree, difference)
            plan = planner.plan()
            record = ChangeRecord(
                id=change_id,
                time_ns=number,
                tool=change_set.tool,
                summary=change_set.summary,
                entries=entries(difference),
                reverts=change_set.reverts,
                undoable=undoable,
                hard_links=steps.hard_links,
                notes=(*notes, *steps.notes),
            )
            self._refuse_unsettled(record)

            # Intent: from here on a crash is recovered.
            task.check()
            with _state_errors():
                if adopted:
                    self.blobs.flush_adopted()
                writer.intent(record, plan)
                self.journal.flush()
            begun = plan

            # Stage everything new under temporary names.
            begun = Stager(folders, self.flusher, task).stage(planner, plan)
            if not plan.sealed:
                record = replace(record, entries=entries(difference))
                with _state_errors():
                    writer.prepared(record, begun)
                    self.journal.flush()

            # Publish: readers see the change. Done: it is never taken back.
            publish(Slots(folders, begun, hash_up_to=self.settings.identity_bytes), self.flusher)
            with _state_errors():
                path, confirmed = self.journal.done(record.id)
        except BaseException as error:
            try:
                self._take_back(begun, folders, adopted, error)
            finally:
                folders.close()
            raise
        finally:
            self.journal.close()

        # The change is made; whatever happens from here on, it is not reported as failed.
        try:
            if not confirmed:
                note = "the disk did not confirm this change: it may be gone after a power cut"
                record = replace(record, notes=(*record.notes, note))
            file = RecordFile(path, record, begun, writer.sections, writer.size)
            return replace(record, notes=(*record.notes, *self._clean_up(file, folders)))
        finally:
            folders.close()

    def _refuse_unsettled(self, record: ChangeRecord) -> None:
        """A change that could not be taken back stands in the way of its own files only."""
        blocked = self.recoverer.blocked()
        for entry in record.entries if blocked else ():
            for place in (entry.place, entry.was):
                if place in blocked:
                    raise FilewrightError(
                        Code.IN_USE,
                        f"{place.shown}: the unfinished change {blocked[place]} could not be taken back here",
                        hint="run filewright doctor, which says what is in the way",
                        details={"path": place.shown, "change_id": blocked[place]},
                    )

    def _take_back(
        self, plan: CommitPlan | None, folders: OpenFolders, adopted: Sequence[str], cause: BaseException
    ) -> None:
        """Undo what was begun. What cannot be undone now is kept in the intent for the next recovery."""
        findings = Findings()
        try:
            if plan is not None:
                findings = self.recoverer.roll_back(plan, folders)
            if findings.unsettled:
                raise OSError(0, "; ".join(findings.unsettled))
            for name in adopted:
                self.blobs.drop(name)
            if findings.conflicts or findings.waiting:
                self.journal.set_aside(self.state.at(b"journal", b"intent"))
            elif self.journal.intent_path() is not None:
                self.journal.forget()
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
        if findings.conflicts:
            cause.details["conflicts"] = findings.conflicts
            cause.hint = "; ".join(findings.conflicts)
        crossed = isinstance(cause.__cause__, OSError) and cause.__cause__.errno == errno.EXDEV
        if plan is not None and (crossed or cause.code is Code.STALE_VERSION):
            raise _TakenBackError(cause) from cause

    def _clean_up(self, file: RecordFile, folders: OpenFolders) -> tuple[str, ...]:
        """Remove what was displaced; what stays is told, and tried again by the next recovery."""
        found = Recovery()
        for _ in range(2):
            found.waiting.clear()
            try:
                self.recoverer.clean_up(file, found, folders)
            except (OSError, FilewrightError) as error:
                found.waiting.append(str(error))
            if not found.waiting:
                break
        return tuple(found.conflicts)


@contextmanager
def _state_errors() -> Iterator[None]:
    """Errors inside are the state folder's."""
    try:
        yield
    except OSError as error:
        raise from_os_error(error, "the state folder", doing="write to") from error


def _nothing() -> FilewrightError:
    return FilewrightError(Code.NO_CHANGE, "the change would leave everything as it is", hint="nothing to do")


def _digest_ahead(difference: Difference) -> None:
    """Work out what small new files will hold, so that the intent is complete and needs no second flush."""
    for node in difference.fresh:
        if node.content is not None and node.content.size <= _AHEAD:
            state = xxhash.xxh3_128()
            for block in node.content.blocks():
                state.update(block)
            node.digest = state.hexdigest()
