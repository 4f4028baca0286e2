"""`Changes`: commit, history, undo and recovery of one workspace."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from filewright.boundary import Boundary, Location, quote
from filewright.changes.blobs import BlobStore
from filewright.changes.collector import Collector
from filewright.changes.commit import Committer
from filewright.changes.contents import Contents
from filewright.changes.flushing import Flusher
from filewright.changes.journal import Journal
from filewright.changes.locks import WorkspaceLock
from filewright.changes.record import ChangeRecord, Entry, Place
from filewright.changes.recordfile import RecordFile, TornError
from filewright.changes.recovery import Recoverer, Recovery
from filewright.changes.show import diff_of_change_set, diff_of_record
from filewright.changes.slots import OpenFolders
from filewright.changes.state import StateFolder
from filewright.changes.steps import Steps
from filewright.changes.tree import Tree
from filewright.changes.undo import Reversal, undo_of
from filewright.edit.changeset import ChangeSet
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.progress import Task
from filewright.settings import Settings

_SETTLE_ABOVE = 16
_COLLECT_EVERY = 64


@dataclass(frozen=True, slots=True)
class Withheld:
    """The places of an unfinished change that cannot be settled here, and its intent as it was `seen`."""

    seen: tuple[int, int, int]
    places: frozenset[Place]


class Changes:
    """The only code that changes what is below the roots. Thread-safe.

    Nothing is made on the disk before the first change. Every method that writes raises
    `read_only` in a read-only workspace and `permission_denied` with a hint where the state folder
    cannot be written.
    """

    def __init__(self, boundary: Boundary, settings: Settings, state: StateFolder | None = None) -> None:
        self._boundary = boundary
        self._settings = settings
        self.state = state or StateFolder.of(boundary, settings)
        self._flusher = Flusher(enabled=settings.flush)
        self._lock = WorkspaceLock(boundary, settings.lock_seconds)
        self._journal = Journal(self.state, self._flusher)
        self._blobs = BlobStore(self.state, self._flusher)
        self._recoverer = Recoverer(boundary, settings, self.state, self._journal, self._blobs, self._flusher)
        self._committer = Committer(
            boundary, settings, self.state, self._journal, self._blobs, self._flusher, self._recoverer
        )
        self._collector = Collector(settings, self._journal, self._blobs)
        self._committed = 0
        self._found: list[Recovery] = []
        self._told = 0
        self._opening = threading.Lock()
        self._withheld: Withheld | None = None
        boundary.before_reading = self._refuse_withheld
        self._settle_at_opening()

    @property
    def flushes(self) -> int:
        """How many flushes this object has asked the system for; for measuring."""
        return self._flusher.count

    # Changing

    def commit(self, change_set: ChangeSet, *, task: Task | None = None) -> ChangeRecord:
        """Make every step of a change set, or none.

        Raises `stale_version` naming the file if a step was made against other content, and
        `no_change`, `already_exists`, `not_found`, `hard_linked`, `in_use`, `permission_denied`,
        `too_large`, `no_space`, `timeout`, `cancelled` … In every case nothing was changed.
        """
        task = task or Task()
        with self.writing(task):
            # What a recovery just before has met belongs into the answer, not only to the next doctor.
            met = [
                note for found in self._found[self._told :] for note in (*found.conflicts, *found.unsettled)
            ]
            record = self._committer.commit(change_set, task, met)
            self._told = len(self._found)
            if self._committed % _COLLECT_EVERY == 0:
                self._collect()
            self._committed += 1
            return record

    def check(self, change_set: ChangeSet) -> None:
        """Raise what `commit` would raise before it reads a file's content; changes nothing."""
        folders = OpenFolders(self._boundary)
        try:
            Steps(Tree(self._boundary, folders), change_set).take()
        finally:
            folders.close()

    def _collect(self) -> list[str]:
        try:
            return self._collector.collect()
        except OSError:
            return []  # The change itself is made; the next run collects what is left.

    @contextmanager
    def writing(self, task: Task | None = None) -> Iterator[None]:
        """Hold the workspace alone: for reading, deciding and committing as one step.

        What an earlier process left is recovered first. Nested calls of the same thread are free.
        """
        self._open()
        with self._lock.exclusive(task) as fresh:
            if fresh:
                self._note(self._recover(_SETTLE_ABOVE))
            yield

    @contextmanager
    def reading(self, task: Task | None = None) -> Iterator[None]:
        """Hold off changes by other processes while several files are opened as of one moment."""
        with self._lock.shared(task):
            yield

    def settle(self) -> None:
        """Settle what a dead process left, if there is anything: asked before every read, one look.

        Where that cannot be done (the workspace is read-only, the state folder cannot be written)
        reading the files of the unfinished change is refused with `in_use` until it is.
        """
        seen = self._journal.intent_seen()
        if seen is None or (self._withheld is not None and self._withheld.seen == seen):
            self._withheld = self._withheld if seen is not None else None
            return
        self._settle(seen)

    def _settle_at_opening(self) -> None:
        if self._journal.intent_seen() is not None or self._journal.done_paths():
            self._settle(None)

    def _settle(self, seen: tuple[int, int, int] | None) -> None:
        """Recover unless somebody alive is at work, who has the lock."""
        try:
            with self._lock.exclusive(wait=False) as fresh:
                if not fresh:
                    return
                if not self._settings.read_only:
                    self._open()
                    self._note(self._recover(_SETTLE_ABOVE))
                if (left := self._journal.intent_seen()) is not None:
                    self._withheld = self._withhold(left)
        except FilewrightError as error:
            if error.code is Code.TIMEOUT:
                return
            self._withheld = self._withhold(seen) if seen is not None else None

    def _withhold(self, seen: tuple[int, int, int]) -> Withheld | None:
        path = self._journal.intent_path()
        try:
            self.state.open()
            plan = RecordFile.read(path, self.state.key).plan if path is not None else None
        except (FilewrightError, TornError, OSError):
            return None  # Nothing of a change that was still being saved is in the workspace.
        return Withheld(seen, frozenset(plan.places)) if plan is not None else None

    def _refuse_withheld(self, where: Location) -> None:
        withheld = self._withheld
        if withheld is None:
            return
        place = self.place(where)
        for depth in range(len(place.parts), 0, -1):
            if Place(place.root, place.parts[:depth]) in withheld.places:
                raise FilewrightError(
                    Code.IN_USE,
                    f"{where.asked} is part of a change that a crash interrupted and that is not settled yet",
                    hint=f"open {quote(place.root)} once without --read-only (filewright doctor does), "
                    "which settles it",
                    details={"path": where.asked, "root": quote(place.root)},
                )

    def _note(self, found: Recovery) -> None:
        if not found.clean:
            self._found.append(found)

    def recover(self) -> Recovery:
        """Settle whatever is unfinished; what was found since the last call is reported too."""
        self._open()
        with self._lock.exclusive() as fresh:
            found = self._recover(0, again=True) if fresh else Recovery()
            if fresh:
                self._collect()
        for earlier in self._found:
            found.taken_back[:0] = earlier.taken_back
            found.set_aside[:0] = earlier.set_aside
            found.conflicts[:0] = earlier.conflicts
            found.finished[:0] = earlier.finished
            found.unsettled += [each for each in earlier.unsettled if each not in found.unsettled]
        self._found.clear()
        self._told = 0
        return found

    def _recover(self, settle_above: int, *, again: bool = False) -> Recovery:
        try:
            return self._recoverer.recover(settle_above=settle_above, again=again)
        except OSError as error:
            raise from_os_error(error, "the workspace", doing="recover") from error

    def _open(self) -> None:
        if self._settings.read_only:
            raise FilewrightError(
                Code.READ_ONLY,
                "the workspace is served read-only",
                hint="ask the user to start the server without --read-only",
            )
        with self._opening:
            self.state.open()

    # Looking back

    def history(
        self, *, location: Location | None = None, limit: int = 20, before: str | None = None
    ) -> list[ChangeRecord]:
        """Committed changes, newest first: at most `limit`, older than the change `before`.

        With `location`, those that touched it or something below it, also under an earlier name.
        """
        found: list[ChangeRecord] = []
        wanted = [self.place(location)] if location is not None else []
        for identifier in self._journal.ids() if self._readable() else ():
            if len(found) >= limit:
                break
            if before is not None and not wanted and identifier >= before:
                continue
            try:
                record = self._file(identifier).record
            except FilewrightError:
                continue
            if wanted:
                touched = any(record.touches(place) for place in wanted)
                wanted += [e.was for e in record.entries if e.was is not None and e.place in wanted]
                if not touched or (before is not None and identifier >= before):
                    continue
            found.append(record)
        return found

    def record(self, change_id: str) -> ChangeRecord:
        """One change. Raises `not_found` if there is none with that id."""
        return self._file(change_id).record

    # Undoing and showing

    def revert(self, change_id: str, *, force: bool = False, task: Task | None = None) -> Reversal:
        """The change set that undoes a change, merged where files have moved on; commits nothing.

        `force` gives each file its earlier content over whatever is there, instead of merging or
        refusing. Raises `not_found`, `unsupported` (made with undoable=false), `no_change`,
        `path_escape`, and `stale_version` with the conflicts in its details.
        """
        task = task or Task()
        reversal = self._reversal(change_id, force, task)
        with _told_as_undo(change_id):
            self.check(reversal.change_set)
        return reversal

    def undo(
        self,
        change_id: str,
        *,
        force: bool = False,
        only: Callable[[ChangeSet], ChangeSet] | None = None,
        task: Task | None = None,
    ) -> tuple[ChangeRecord, Reversal]:
        """Undo a change as one step, with nothing in between; `only` may leave out some of it.

        Raises as `revert` and `commit` do; in every case nothing was changed.
        """
        task = task or Task()
        with self.writing(task):
            reversal = self._reversal(change_id, force, task)
            change_set = reversal.change_set
            with _told_as_undo(change_id):
                return self.commit(only(change_set) if only else change_set, task=task), reversal

    def _reversal(self, change_id: str, force: bool, task: Task) -> Reversal:
        return undo_of(
            self._boundary,
            self._settings,
            self.contents(change_id),
            locate=self._located,
            show=partial(
                diff_of_change_set,
                self._boundary,
                self._settings,
                max_lines=self._settings.diff_lines,
                task=task,
            ),
            force=force,
            task=task,
        )

    def diff(self, change_id: str, *, max_lines: int | None = None, task: Task | None = None) -> str:
        """What a committed change did, as a git-style diff of at most about `max_lines` lines.

        It ends where the time of `task` does, and says what it left out.
        """
        return diff_of_record(
            self._boundary,
            self._settings,
            self.contents(change_id),
            locate=self.location,
            max_lines=max_lines or self._settings.diff_lines,
            task=task or Task(),
        )

    def contents(self, change_id: str) -> Contents:
        """What a change's files held before and after, as far as that was kept."""
        return Contents(self._blobs, self._file(change_id), small=self._settings.hold_bytes)

    def close(self) -> None:
        """Let go of the folders above the roots, which are held for locking."""
        self._lock.close()

    @property
    def not_locked(self) -> tuple[str, ...]:
        """The folders above the roots that cannot be locked: a workspace there is not kept apart."""
        return tuple(dict.fromkeys(self._lock.skipped))

    # Places

    def place(self, location: Location) -> Place:
        """How history names a location."""
        return Place(location.root.resolved or location.root.path, location.parts)

    def location(self, place: Place) -> Location | None:
        """The location a place in history stands for; None if its root is not served now."""
        for root in self._boundary.roots:
            if (root.resolved or root.path) == place.root:
                where = Location(root, place.parts)
                return Location(root, place.parts, where.shown)
        return None

    def _located(self, place: Place) -> Location:
        where = self.location(place)
        if where is None:
            raise FilewrightError(
                Code.PATH_ESCAPE,
                f"that change reaches beyond the roots: {place.shown} is below {quote(place.root)}",
                hint="serve that folder as a root too, then undo it",
                details={"root": quote(place.root), "path": place.shown},
            )
        return where

    def _readable(self) -> bool:
        if not self.state.exists:
            return False
        self.state.open()
        return True

    def _file(self, change_id: str) -> RecordFile:
        path = self._journal.find(change_id) if self._readable() else None
        try:
            if path is not None:
                return RecordFile.read(path, self.state.key)
        except (TornError, OSError) as error:
            raise FilewrightError(
                Code.IO_ERROR,
                f"the record of the change {change_id} is damaged: {error}",
                hint="run filewright doctor",
                details={"change_id": change_id},
            ) from error
        raise FilewrightError(
            Code.NOT_FOUND,
            f"there is no change {change_id}",
            hint="get_history lists the changes that can still be undone",
            details={"change_id": change_id},
        )

    def entry_at(self, record: ChangeRecord, location: Location) -> Entry | None:
        """What a change did at one place."""
        place = self.place(location)
        return next((entry for entry in record.entries if entry.place == place), None)


@contextmanager
def _told_as_undo(change_id: str) -> Iterator[None]:
    """What is in the way of an undo is told as what became of the files since the change."""
    try:
        yield
    except FilewrightError as error:
        if error.code not in (Code.ALREADY_EXISTS, Code.NOT_FOUND, Code.NOT_A_DIRECTORY, Code.INVALID_INPUT):
            raise
        raise FilewrightError(
            Code.STALE_VERSION,
            f"the change {change_id} cannot be undone as things are now: {error.message}",
            hint="undo the later changes of these files first (get_history lists them)",
            details={"change_id": change_id, **error.details},
        ) from error
