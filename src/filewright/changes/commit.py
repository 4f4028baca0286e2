"""One change set from draft to done.

draft → check and save → intent, flushed → stage, flushed → (prepared, flushed) → publish, folders
flushed → done, flushed → clean up. Until the intent is on the disk nothing of the change is in the
workspace; from then on the task is not asked whether it is cancelled.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import xxhash

from filewright.boundary import Boundary
from filewright.changes.blobs import BlobStore
from filewright.changes.draft import Draft
from filewright.changes.entries import Historian
from filewright.changes.flushing import Flusher
from filewright.changes.ground import Ground
from filewright.changes.identifiers import id_of
from filewright.changes.journal import Journal
from filewright.changes.operations import Plan
from filewright.changes.planner import Planner
from filewright.changes.publish import Publisher
from filewright.changes.record import ChangeRecord
from filewright.changes.recordfile import RecordFile, Writer
from filewright.changes.recovery import Recoverer, Recovery
from filewright.changes.save import Saved, Saver
from filewright.changes.stage import Stager
from filewright.changes.state import StateFolder
from filewright.changes.steps import Steps
from filewright.changes.survey import Survey
from filewright.edit.changeset import ChangeSet
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.progress import Task
from filewright.settings import MB, Settings

_AHEAD = 1 * MB


class CrossDeviceError(Exception):
    """A rename was refused with `EXDEV`, as layered file systems do; the change was taken back."""


@dataclass(slots=True)
class _Attempt:
    """What one attempt has made so far."""

    draft: Draft
    survey: Survey
    planner: Planner
    plan: Plan
    record: ChangeRecord
    ground: Ground
    adopted: list[str]


class Committer:
    """Commits change sets of one workspace; needs the workspace lock, with recovery done."""

    def __init__(
        self,
        boundary: Boundary,
        settings: Settings,
        state: StateFolder,
        journal: Journal,
        blobs: BlobStore,
        flusher: Flusher,
        recoverer: Recoverer,
    ) -> None:
        self._boundary = boundary
        self._settings = settings
        self._state = state
        self._journal = journal
        self._blobs = blobs
        self._flusher = flusher
        self._recoverer = recoverer

    def commit(self, change_set: ChangeSet, task: Task) -> ChangeRecord:
        """Commit it whole, or raise and leave everything as it was."""
        try:
            try:
                return self._commit(change_set, task, copy_moves=False)
            except CrossDeviceError:
                return self._commit(change_set, task, copy_moves=True)
        except OSError as error:
            named = (
                os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else "the workspace"
            )
            raise from_os_error(error, named, doing="work on") from error

    def _commit(self, change_set: ChangeSet, task: Task, *, copy_moves: bool) -> ChangeRecord:
        draft = Draft(self._boundary)
        try:
            steps = Steps(draft, change_set, copy_moves=copy_moves)
            steps.take()
            task.check()
            survey = Survey.of(draft)
            if survey.empty:
                raise FilewrightError(
                    Code.NO_CHANGE, "the change would leave everything as it is", hint="nothing to do"
                )
            with self._intent() as writer:
                return self._write(change_set, steps, draft, survey, writer, task)
        finally:
            draft.close()

    @contextmanager
    def _intent(self) -> Iterator[Writer]:
        try:
            try:
                writer = self._journal.begin()
            except OSError as error:
                raise self._state_error(error) from error
            yield writer
        finally:
            self._journal.close()

    def _write(
        self,
        change_set: ChangeSet,
        steps: Steps,
        draft: Draft,
        survey: Survey,
        writer: Writer,
        task: Task,
    ) -> ChangeRecord:
        number = self._journal.next_number()
        identifier = id_of(number)
        saver = Saver(
            draft,
            self._settings,
            writer,
            self._blobs,
            identifier,
            undoable=change_set.undoable,
            task=task,
        )
        try:
            saved = {id(node): saver.node(node) for node in survey.displaced}
            saved.update(saver.inside)
            _digest_ahead(survey)
            planner = Planner(draft, survey, saved)
            historian = Historian(draft, survey, saver)
            plan = planner.plan()
            record = ChangeRecord(
                id=identifier,
                time_ns=number,
                tool=change_set.tool,
                summary=change_set.summary,
                entries=historian.entries(saved, {}),
                reverts=change_set.reverts,
                undoable=change_set.undoable,
                hard_links=steps.hard_links,
            )
            if saver.adopted:
                self._blobs.flush_adopted()
            task.check()
            writer.intent(record, plan)
            self._journal.flush()
        except OSError as error:
            self._forget(saver.adopted)
            raise self._state_error(error) from error
        except BaseException:
            self._forget(saver.adopted)
            raise
        ground = Ground(self._boundary, plan, planner.folders)
        attempt = _Attempt(draft, survey, planner, plan, record, ground, saver.adopted)
        return self._make(attempt, writer, saved, historian, task)

    def _make(
        self, attempt: _Attempt, writer: Writer, saved: dict[int, Saved], historian: Historian, task: Task
    ) -> ChangeRecord:
        """From the intent on: complete, or taken back."""
        stager = Stager(attempt.planner, saved, self._flusher, task)
        try:
            stager.stage()
            known = attempt.plan.complete
            if not known:
                attempt.plan = attempt.plan.sealed(stager.seals, stager.before)
                digests = _digests(attempt, stager)
                attempt.record = replace(attempt.record, entries=historian.entries(saved, digests))
                attempt.ground = Ground(self._boundary, attempt.plan, attempt.planner.folders)
                try:
                    writer.prepared(attempt.record, attempt.plan)
                    self._journal.flush()
                except OSError as error:
                    raise self._state_error(error) from error
            self._publisher(attempt).publish()
            try:
                path, confirmed = self._journal.done(attempt.record.id)
            except OSError as error:
                raise self._state_error(error) from error
        except BaseException as error:
            self._take_back(attempt, error)
            raise
        if not confirmed:
            note = "the disk did not confirm this change: it may be gone after a power cut"
            attempt.record = replace(attempt.record, notes=(note,))
        return self._clean_up(attempt, path, writer)

    def _publisher(self, attempt: _Attempt) -> Publisher:
        return Publisher(
            attempt.plan,
            attempt.ground,
            self._flusher,
            lambda _folder, _name, _shown: None,
            hash_up_to=self._settings.identity_bytes,
        )

    def _take_back(self, attempt: _Attempt, cause: BaseException) -> None:
        """Undo what was begun. If that fails too, the intent stays, and the next recovery goes on."""
        try:
            conflicts = self._recoverer.take_back(attempt.plan, attempt.ground)
            self._forget(attempt.adopted)
            if conflicts:
                self._journal.set_aside(self._state.at(b"journal", b"intent"))
            else:
                self._journal.forget_intent()
        except (OSError, FilewrightError) as error:
            if isinstance(cause, FilewrightError):
                cause.hint = (
                    f"what was begun could not be taken back at once ({error}); the next change or "
                    "`filewright doctor` does it"
                )
            return
        if isinstance(cause, FilewrightError):
            if conflicts:
                cause.details["conflicts"] = conflicts
            if isinstance(cause.__cause__, OSError) and cause.__cause__.errno == errno.EXDEV:
                raise CrossDeviceError from cause

    def _clean_up(self, attempt: _Attempt, path: bytes, writer: Writer) -> ChangeRecord:
        """The change is made; whatever happens from here on, it is not reported as failed."""
        file = RecordFile(path, attempt.record, attempt.plan, writer.sections, writer.size)
        found = Recovery()
        for _ in range(2):
            found.waiting.clear()
            try:
                self._recoverer.clean_up(file, found, attempt.ground)
            except FilewrightError as error:
                found.waiting.append(error.message)
            if not found.waiting:
                break
        return replace(attempt.record, notes=(*attempt.record.notes, *found.conflicts))

    def _forget(self, adopted: list[str]) -> None:
        for name in adopted:
            self._blobs.drop(name)
        if self._journal.intent_path() is not None:
            self._journal.forget_intent()

    @staticmethod
    def _state_error(error: OSError) -> FilewrightError:
        return from_os_error(error, "the state folder", doing="write to")


def _digest_ahead(survey: Survey) -> None:
    """Work out what small new files will hold, so that the intent is complete and needs no second flush."""
    for node in survey.fresh:
        if node.content is None or node.content.size > _AHEAD:
            continue
        state = xxhash.xxh3_128()
        for block in node.content.blocks():
            state.update(block)
        node.digest = state.hexdigest()


def _digests(attempt: _Attempt, stager: Stager) -> dict[int, str]:
    """The digests of all new files, by node."""
    found: dict[int, str] = {}
    for staging in attempt.planner.staging:
        for parts, seal in stager.seals[staging.carrier].items():
            node = staging.node
            for part in parts:
                below = getattr(node, "entries")[part]  # noqa: B009
                assert below is not None
                node = below
            if seal.digest is not None:
                found[id(node)] = seal.digest
    return found
