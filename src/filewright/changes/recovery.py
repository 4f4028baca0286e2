"""Finishing or rolling back what an earlier process left, under the lock, before anything else.

An intent goes back: its caller never heard of success. A committed change goes forward, which by
then only means removing what was displaced. A record that is torn or not sealed with our key is set
aside. What cannot be settled is kept, named, and is in the way of nothing but its own files.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

from filewright import system
from filewright.boundary import quote
from filewright.changes.content import copy_blocks
from filewright.changes.operations import CommitPlan
from filewright.changes.record import Place, id_of
from filewright.changes.recordfile import RecordFile, TornError, UnfinishedError
from filewright.changes.settle import Findings, clean_up, roll_back
from filewright.changes.slots import FolderSearch, OpenFolders, Slots, denials, located
from filewright.errors import FilewrightError
from filewright.system import Folder

if TYPE_CHECKING:
    from filewright.changes.store import Store


_KEPT = 1_000
"""Operations of the plans, without trees, that are kept until their changes are settled; others are read again."""
_LEFT = "something that rules keep from agents is left of an earlier change; `filewright doctor` names it"


class _BeyondError(Exception):
    """A change reaches beyond the roots that are served, into `root`."""

    def __init__(self, file: RecordFile, root: str) -> None:
        super().__init__(root)
        self.file = file
        self.root = root


@dataclass(slots=True)
class Recovery:
    """What a recovery found: ids `rolled_back` and `finished`, files `set_aside`, `conflicts` to be
    reported, paths `waiting` for a program to close them, and what is `unsettled` and why.

    `secret` are those conflicts and reasons that may name what is denied: they are not for agents.
    """

    rolled_back: list[str] = field(default_factory=list)
    finished: list[str] = field(default_factory=list)
    set_aside: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    unsettled: list[str] = field(default_factory=list)
    secret: set[str] = field(default_factory=set)

    @property
    def notes(self) -> list[str]:
        """What an agent may know of it."""
        said = [*self.conflicts, *self.unsettled]
        shown = [note for note in said if note not in self.secret]
        return shown if len(shown) == len(said) else [*shown, _LEFT]

    @classmethod
    def of_all(cls, found: Iterable[Recovery]) -> Recovery:
        """What several recoveries found, one after the other."""
        whole = cls()
        for each in found:
            for name in ("rolled_back", "finished", "set_aside", "conflicts"):
                getattr(whole, name).extend(getattr(each, name))
            whole.waiting = each.waiting
            whole.secret |= each.secret
            whole.unsettled += [why for why in each.unsettled if why not in whole.unsettled]
        return whole

    @property
    def clean(self) -> bool:
        """Whether there was nothing to do."""
        return not any(getattr(self, each.name) for each in fields(self))


class Recoverer:
    """Recovers one store; `cleaned` are the committed changes this process has cleaned up after, by their
    records' paths, each with its plan if there is little in it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._journal = store.journal
        self._search = FolderSearch(store.boundary)
        self.cleaned: dict[bytes, CommitPlan | None] = {}

    def recover(self, *, settle_above: int, again: bool = False) -> Recovery:
        """Settle the intent and every committed change; needs the workspace lock.

        With `again`, also what an earlier recovery could not settle.
        """
        found = Recovery()
        intent = self._journal.intent_path()
        unsettled = self._journal.unsettled_paths() if again else []
        intents = (*unsettled, *([intent] if intent is not None else []))
        done = self._journal.done_paths()
        if intents or not self.cleaned.keys() >= set(done):
            self._search = FolderSearch(self._store.boundary)
        for path in intents:
            self._intent(path, found)
        for path in done:
            if path not in self.cleaned:
                self._committed(path, found)
        if len(done) > settle_above:
            self.settle_done()
        return found

    # Intents

    def _intent(self, path: bytes, found: Recovery) -> None:
        try:
            file = self._read(path, found)
        except UnfinishedError:
            self._store.blobs.sweep_unfinished(self._journal.is_known)
            self._journal.forget(path)
            return
        except _BeyondError as error:
            if error.file.path == self._journal.intent_path() and self._store.own:
                self._journal.keep_unsettled(path, error.file.record.id)
            found.unsettled.append(
                f"change {error.file.record.id}: it reaches into {error.root}: open that too"
            )
            return
        if file is None:
            # It never was whole on the disk, so nothing of its change is in the workspace, and nothing needs its
            # undo data: a second name of a file would keep that from being replaced.
            self._store.blobs.sweep_unfinished(self._journal.is_known)
            return
        with self._kept_secret(file, found):
            self._take_back(path, file, found)

    def _take_back(self, path: bytes, file: RecordFile, found: Recovery) -> None:
        findings = self.roll_back(file.plan)
        identifier = file.record.id
        found.conflicts += findings.conflicts
        if findings.unsettled:
            self._journal.keep_unsettled(path, identifier)
            found.unsettled += [f"change {identifier}: {why}" for why in findings.unsettled]
            return
        for name in _adopted(file):
            self._store.blobs.drop(name)
        found.rolled_back.append(identifier)
        if findings.conflicts or findings.waiting:
            found.conflicts += [f"{shown} could not be settled yet" for shown in findings.waiting]
            aside = self._journal.set_aside(path)
            found.conflicts.append(f"what that change would have done is kept as {quote(aside)}")
        else:
            self._journal.forget(path)

    @contextmanager
    def _kept_secret(self, file: RecordFile, found: Recovery) -> Iterator[None]:
        """What is found meanwhile is secret if the change touched something that is denied."""
        before = len(found.conflicts), len(found.unsettled)
        yield
        said = {*found.conflicts[before[0] :], *found.unsettled[before[1] :]}
        if said:
            denied = denials(self._store.boundary)
            if any(denied(p) for e in file.record.entries for p in (e.place, e.was) if p is not None):
                found.secret |= said

    def roll_back(self, plan: CommitPlan, folders: OpenFolders | None = None) -> Findings:
        """Roll a plan back; `folders` are given while its change is being made."""
        with self._slots(plan, folders) as slots:
            return roll_back(slots, self._store.flusher, self._keep)

    def blocked(self, paths: Iterable[bytes]) -> dict[Place, str]:
        """The places of changes that could not be settled, by the paths of their records; each with the change's id."""
        found: dict[Place, str] = {}
        for path in paths:
            try:
                record = self._store.read(path).record
            except (TornError, OSError):
                continue
            for entry in record.entries:
                for place in (entry.place, entry.was):
                    if place is not None:
                        found[place] = record.id
        return found

    def unfinished_places(self) -> set[Place]:
        """The places of changes here that others can still settle: reading them would show a torn tree.

        Of what could not be settled though all its roots are open, each file may be read as it is.
        """
        found: set[Place] = set()
        intent = self._journal.intent_path()
        for path in (*self._journal.unsettled_paths(), *([intent] if intent is not None else [])):
            try:
                file = self._store.read(path)
                beyond = self._beyond(file.plan)
            except (TornError, OSError):
                continue  # Nothing of a change that was still being saved is in the workspace.
            if path != intent and beyond is None:
                continue
            for entry in file.record.entries:
                found |= {place for place in (entry.place, entry.was) if place is not None}
        return found

    @contextmanager
    def _slots(self, plan: CommitPlan, folders: OpenFolders | None = None) -> Iterator[Slots]:
        own = folders or OpenFolders(self._store.boundary)
        try:
            yield Slots(own, plan, hash_up_to=self._store.settings.identity_bytes, search=self._search)
        finally:
            if folders is None:
                own.close()

    def _read(self, path: bytes, found: Recovery) -> RecordFile | None:
        try:
            file = self._store.read(path)
            beyond = self._beyond(file.plan)
        except UnfinishedError:
            raise
        except TornError:
            found.set_aside.append(quote(self._journal.set_aside(path)))
            return None
        if beyond is not None:
            raise _BeyondError(file, quote(beyond))
        return file

    def _beyond(self, plan: CommitPlan) -> bytes | None:
        """A root that a plan reaches into and that is not open: nothing is written beyond the roots."""
        for folder in plan.folders:
            if folder.root is not None and located(self._store.boundary, Place(folder.root, ())) is None:
                return folder.root
        return None

    # Committed changes

    def _committed(self, path: bytes, found: Recovery) -> None:
        try:
            file = self._read(path, found)
        except UnfinishedError:
            found.set_aside.append(quote(self._journal.set_aside(path)))
            return
        except _BeyondError:
            return  # It is made; whoever opens all of its roots cleans up.
        if file is None:
            return
        with self._kept_secret(file, found), self._slots(file.plan) as slots:
            cleaned = self.clean_up(file, found, slots)
        if cleaned:
            found.finished.append(file.record.id)

    def clean_up(self, file: RecordFile, found: Recovery, slots: Slots) -> bool:
        """Remove what a committed change displaced; whether anything of it was still there."""
        findings = clean_up(slots, self._store.flusher, self._keep)
        if not (findings.waiting or findings.unsettled):
            operations = file.plan.operations
            kept = sum(len(plan.operations) for plan in self.cleaned.values() if plan is not None)
            little = kept + len(operations) <= _KEPT and not any(any(each.trees) for each in operations)
            self.cleaned[file.path] = file.plan if little else None
        found.waiting += findings.waiting
        found.unsettled += findings.unsettled
        if findings.conflicts:
            found.conflicts += findings.conflicts
            try:
                file.annotate(self._store.state.key, findings.conflicts)
            except (OSError, TornError) as error:
                found.conflicts.append(f"this could not be written to the history: {error}")
        return bool(findings.cleaned)

    def settle_done(self) -> None:
        """Flush the folders that were cleaned up, then call those changes settled."""
        ready = [path for path in self._journal.done_paths() if path in self.cleaned]
        folders = OpenFolders(self._store.boundary)
        flushed: set[tuple[int, int]] = set()
        try:
            for path in ready:
                try:
                    plan = self.cleaned[path] or self._store.read(path).plan
                except (TornError, FileNotFoundError):
                    continue
                # What rules have closed since cannot be flushed: after a power cut, temporaries may be back in it.
                with suppress(FilewrightError), self._slots(plan, folders) as slots:
                    slots.flush(self._store.flusher, flushed)
        finally:
            folders.close()
        self._journal.settled(ready)
        for path in ready:
            self.cleaned.pop(path, None)
        self._journal.fold()

    # Keeping

    def _keep(self, folder: Folder, name: bytes, shown: str) -> str | None:
        last = os.fsencode(shown.rsplit("/", 1)[-1])[:100].replace(b'"', b"")
        kept_as = id_of(time.time_ns()).encode() + b"-" + last
        try:
            with system.open_folder(self._store.state.at(b"kept")) as kept:
                try:
                    folder.rename(name, kept, kept_as, "keep")
                except OSError as error:
                    if error.errno not in (errno.EXDEV, errno.EPERM, errno.EACCES):
                        raise
                    _move_by_copying(folder, name, kept, kept_as)
                self._store.flusher.one(kept)
        except OSError:
            return None  # No room: it stays under its temporary name, and the next recovery tries again.
        return quote(self._store.state.at(b"kept", kept_as))


def _move_by_copying(folder: Folder, name: bytes, to: Folder, to_name: bytes) -> None:
    """Move a file, link or folder to another file system."""
    kind = folder.stat(name).kind
    if kind == "folder":
        to.make(to_name, 0o700)
        with folder.folder(name) as source, to.folder(to_name) as made:
            for below in source.names():
                _move_by_copying(source, below, made, below)
            made.set_own_mode(source.status().mode)
        folder.remove_folder(name)
        return
    if kind == "link":
        to.make_link(to_name, folder.read_link(name))
    elif kind == "file":
        with folder.open(name) as file, to.create(to_name) as fresh:
            try:
                copy_blocks(file, fresh)
                fresh.set_own_mode(file.status().mode)
            except OSError:
                to.remove(to_name)
                raise
    folder.remove(name)


def _adopted(file: RecordFile) -> set[str]:
    return {name for entry in file.record.entries for name in entry.blobs if name.startswith("=")}
