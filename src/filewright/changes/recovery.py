"""Finishing or taking back what an earlier process left, under the lock, before anything else.

An intent goes back: its caller was never told of success. A committed change goes forward, which by
then only means removing what was displaced. A record that is torn or not sealed with our key is set
aside. Everything is decided from what stands in the slots, so recovery may be interrupted anywhere
and repeated.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from filewright.boundary import Boundary, kernel
from filewright.boundary.names import quote
from filewright.changes.blobs import BlobStore
from filewright.changes.cleanup import CleanUp
from filewright.changes.content import listed, read_blocks
from filewright.changes.flushing import Flusher
from filewright.changes.ground import Ground
from filewright.changes.identifiers import id_of
from filewright.changes.journal import Journal
from filewright.changes.operations import Plan, Put, Take
from filewright.changes.planner import is_temporary
from filewright.changes.recordfile import RecordFile, TornError, UnfinishedError
from filewright.changes.state import StateFolder, write_all
from filewright.changes.takeback import TakeBack
from filewright.errors import FilewrightError
from filewright.settings import Settings


@dataclass(slots=True)
class Recovery:
    """What a recovery found: ids `taken_back` and `finished`, files `set_aside`, `conflicts` to be
    told, and paths `waiting` for a program to close them."""

    taken_back: list[str] = field(default_factory=list)
    finished: list[str] = field(default_factory=list)
    set_aside: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)

    @property
    def clean(self) -> bool:
        """Whether there was nothing to do."""
        return not (self.taken_back or self.finished or self.set_aside or self.conflicts or self.waiting)


class Recoverer:
    """Recovers one workspace; `cleaned` are the committed changes this process has cleaned up after."""

    def __init__(
        self,
        boundary: Boundary,
        settings: Settings,
        state: StateFolder,
        journal: Journal,
        blobs: BlobStore,
        flusher: Flusher,
    ) -> None:
        self._boundary = boundary
        self._settings = settings
        self._state = state
        self._journal = journal
        self._blobs = blobs
        self._flusher = flusher
        self.cleaned: set[bytes] = set()

    def recover(self, *, settle_above: int) -> Recovery:
        """Settle the intent and every committed change; needs the workspace lock."""
        found = Recovery()
        path = self._journal.intent_path()
        if path is not None:
            self._intent(path, found)
        done = self._journal.done_paths()
        for path in done:
            if path not in self.cleaned:
                self._committed(path, found)
        if len(done) > settle_above:
            self._settle(done)
        return found

    # Intents

    def _intent(self, path: bytes, found: Recovery) -> None:
        try:
            file = self._read(path, found)
        except UnfinishedError:
            self._blobs.sweep_unfinished(lambda identifier: self._journal.find(identifier) is not None)
            self._journal.forget_intent()
            return
        if file is None:
            return
        conflicts = self.take_back(file.plan)
        for name in _adopted(file):
            self._blobs.drop(name)
        found.taken_back.append(file.record.id)
        found.conflicts += conflicts
        if conflicts:
            aside = self._journal.set_aside(path)
            found.conflicts.append(f"what that change would have done is kept as {quote(aside)}")
        else:
            self._journal.forget_intent()

    def take_back(self, plan: Plan, ground: Ground | None = None) -> list[str]:
        """Take a plan back; returns the conflicts. `ground` is given while its change is being made."""
        own = ground is None
        ground = ground or Ground(self._boundary, plan)
        work = TakeBack(plan, ground, self._flusher, self._keeper(), hash_up_to=self._settings.identity_bytes)
        try:
            work.take_back()
        finally:
            if own:
                ground.close()
        return work.findings.conflicts + [
            f"{path} could not be settled yet" for path in work.findings.waiting
        ]

    def _read(self, path: bytes, found: Recovery) -> RecordFile | None:
        try:
            file = RecordFile.read(path, self._state.key)
            self._check(file.plan)
        except UnfinishedError:
            raise
        except (TornError, FilewrightError):
            found.set_aside.append(quote(self._journal.set_aside(path)))
            return None
        return file

    def _check(self, plan: Plan) -> None:
        """A plan that names places outside of the roots, or temporaries unlike ours, is not ours."""
        ground = Ground(self._boundary, plan)
        for folder in plan.folders:
            for place in folder.places:
                ground.location(place)
        for operation in plan.operations:
            slots = [operation.place]
            match operation:
                case Put():
                    slots += [operation.carrier, operation.spare]
                    if not is_temporary(operation.spare.name) or (
                        operation.staged and not is_temporary(operation.carrier.name)
                    ):
                        raise TornError("a temporary has a name that is not ours")
                case Take():
                    slots.append(operation.aside)
                    if not is_temporary(operation.aside.name):
                        raise TornError("a temporary has a name that is not ours")
                case _:
                    pass
            if any(not 0 <= slot.folder < len(plan.folders) for slot in slots):
                raise TornError("a slot is in no folder")

    # Committed changes

    def _committed(self, path: bytes, found: Recovery) -> None:
        try:
            file = self._read(path, found)
        except UnfinishedError:
            found.set_aside.append(quote(self._journal.set_aside(path)))
            return
        if file is None:
            return
        if self.clean_up(file, found):
            found.finished.append(file.record.id)

    def clean_up(self, file: RecordFile, found: Recovery, ground: Ground | None = None) -> bool:
        """Remove what a committed change displaced; whether anything of it was still there."""
        own = ground is None
        ground = ground or Ground(self._boundary, file.plan)
        work = CleanUp(
            file.plan, ground, self._flusher, self._keeper(), hash_up_to=self._settings.identity_bytes
        )
        try:
            work.clean_up()
        except OSError as error:
            work.findings.waiting.append(f"{file.record.summary}: {error.strerror}")
        finally:
            if own:
                ground.close()
        if not work.findings.waiting:
            self.cleaned.add(file.path)
        found.waiting += work.findings.waiting
        if work.findings.conflicts:
            found.conflicts += work.findings.conflicts
            notes = (*file.record.notes, *work.findings.conflicts)
            try:
                file.annotate(self._state.key, notes)
            except OSError as error:
                found.conflicts.append(f"this could not be written to the history: {error.strerror}")
        return bool(work.findings.cleaned)

    def _settle(self, done: list[bytes]) -> None:
        """Flush the folders that were cleaned up, then call those changes settled."""
        ready = [path for path in done if path in self.cleaned]
        folders: set[int] = set()
        grounds: list[Ground] = []
        try:
            for path in ready:
                try:
                    plan = RecordFile.read(path, self._state.key).plan
                except (TornError, FileNotFoundError):
                    continue
                ground = Ground(self._boundary, plan)
                grounds.append(ground)
                for number in range(len(plan.folders)):
                    descriptor = ground.fd(number)
                    if descriptor is not None:
                        folders.add(descriptor)
            unique = {(s.st_dev, s.st_ino): fd for fd in folders for s in (os.fstat(fd),)}
            self._flusher.all(unique.values())
        finally:
            for ground in grounds:
                ground.close()
        for path in ready:
            self._journal.settled(path)
            self.cleaned.discard(path)
        self._journal.fold()

    # Keeping

    def _keeper(self) -> Callable[[int, bytes, str], str | None]:
        def keep(folder: int, name: bytes, shown: str) -> str | None:
            last = os.fsencode(shown.rsplit("/", 1)[-1])[:100].replace(b'"', b"")
            target = self._state.at(b"kept", id_of(time.time_ns()).encode() + b"-" + last)
            try:
                try:
                    kernel.rename_noreplace(folder, name, kernel.AT_FDCWD, target)
                except OSError as error:
                    if error.errno not in (errno.EXDEV, errno.EPERM, errno.EACCES):
                        raise
                    _copy_out(folder, name, target)
                self._flusher.folder(self._state.at(b"kept"))
            except OSError:
                return None  # No room: it stays under its temporary name, and the next recovery tries again.
            return quote(target)

        return keep


def _copy_out(folder: int, name: bytes, target: bytes) -> None:
    """Copy a file, link or folder into the state folder and remove it where it was."""
    status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if stat.S_ISDIR(status.st_mode):
        os.mkdir(target, 0o700)
        source = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        try:
            for below in listed(source):
                _copy_out(source, below, os.path.join(target, below))
        finally:
            os.close(source)
        os.rmdir(name, dir_fd=folder)
        return
    if stat.S_ISLNK(status.st_mode):
        os.symlink(os.readlink(name, dir_fd=folder), target)
    elif stat.S_ISREG(status.st_mode):
        _copy_file(folder, name, target)
    os.unlink(name, dir_fd=folder)


def _copy_file(folder: int, name: bytes, target: bytes) -> None:
    source = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    try:
        fresh = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            offset = 0
            for block in read_blocks(source):
                write_all(fresh, block, offset)
                offset += len(block)
            os.fsync(fresh)
        except OSError:
            os.unlink(target)
            raise
        finally:
            os.close(fresh)
    finally:
        os.close(source)


def _adopted(file: RecordFile) -> set[str]:
    return {name for entry in file.record.entries for name in entry.blobs if name.startswith("=")}
