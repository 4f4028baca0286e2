"""The journal: at most one intent, and the committed changes whose cleaning up may not be over.

::

    journal/intent       empty, or the change being made; its name is on the disk before it is needed
    journal/ID.done      committed; displaced files may still stand beside their targets
    journal/ID.settled   committed and cleaned up; moved to history/ID.settled in batches
    journal/ID.unsettled an intent that could not be taken back entirely; it waits for somebody to look

A change is committed by the one rename from `intent` to `ID.done`, followed by a flush of the
folder. Since the empty `intent` for the next change is made before that flush, the next change
does not have to flush the folder for its intent's name: a commit flushes the folder once.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from filewright import system
from filewright.changes.flushing import Flusher
from filewright.changes.record import id_of, number_of
from filewright.changes.recordfile import Writer
from filewright.changes.state import StateFolder
from filewright.system import File, Folder

_INTENT = b"intent"
DONE, SETTLED, UNSETTLED = b".done", b".settled", b".unsettled"
_FOLD_ABOVE, _FOLD_LEAVE = 64, 8


@dataclass(frozen=True, slots=True)
class Intent:
    """The intent of a change that begins: the change's number, and what writes it.

    `unsettled` are the paths of changes that could not be taken back entirely, oldest first.
    """

    number: int
    writer: Writer
    unsettled: list[bytes]


class Journal:
    """The journal of one state folder; every method but the readers' needs the workspace lock."""

    def __init__(self, state: StateFolder, flusher: Flusher) -> None:
        self._state = state
        self._flusher = flusher
        self._intent: File | None = None
        self._folder: Folder | None = None

    # Looking

    def intent_path(self) -> bytes | None:
        """The path of the intent, or None if no change is being made."""
        path = self._state.at(b"journal", _INTENT)
        try:
            return path if system.status_of(path).size else None
        except FileNotFoundError:
            return None

    def unfinished(self) -> tuple[object, ...] | None:
        """What tells one set of changes that are not settled from another; None if there are none."""
        seen = None
        try:
            with self._state.folder(b"journal") as journal:
                waiting = tuple(name for name in journal.names() if name.endswith(UNSETTLED))
                with suppress(FileNotFoundError):
                    status = journal.stat(_INTENT)
                    seen = (status.inode, status.size, status.mtime_ns) if status.size else None
        except (FileNotFoundError, NotADirectoryError):
            return None  # No change was made yet.
        return (seen, waiting) if seen is not None or waiting else None

    def done_paths(self) -> list[bytes]:
        """Committed changes that are not known to be cleaned up, oldest first."""
        return self._paths(self._names(), DONE)

    def unsettled_paths(self) -> list[bytes]:
        """Changes that could not be taken back entirely, oldest first."""
        return self._paths(self._names(), UNSETTLED)

    def kept_paths(self) -> list[bytes]:
        """What conflicts have left: others' versions, and records that were set aside."""
        return [
            self._state.at(folder, name) for folder in (b"kept", b"aside") for name in self._listed(folder)
        ]

    def is_known(self, identifier: str) -> bool:
        """Whether a change was committed, or is still to be taken back: its undo data is needed."""
        return self.find(identifier) is not None or os.path.exists(
            self._state.at(b"journal", identifier.encode() + UNSETTLED)
        )

    def find(self, identifier: str) -> bytes | None:
        """The path of a committed change's record, or None."""
        if number_of(identifier) is None:
            return None
        name = identifier.encode()
        # A record only ever moves down this list, so looking in this order cannot miss it.
        for folder, ending in ((b"journal", DONE), (b"journal", SETTLED), (b"history", SETTLED)):
            path = self._state.at(folder, name + ending)
            if os.path.exists(path):
                return path
        return None

    def ids(self) -> Iterator[str]:
        """Ids of all committed changes, newest first."""
        seen = {name.split(b".")[0] for name in self._names() if name.endswith((DONE, SETTLED))}
        seen |= {name.split(b".")[0] for name in self._listed(b"history")}
        for name in sorted(seen, reverse=True):
            text = name.decode("ascii", "replace")
            if number_of(text) is not None:
                yield text

    def newest(self) -> str | None:
        """The id of the newest committed change; the newest few are in the journal, if any are."""
        here = (
            name.split(b".")[0].decode("ascii", "replace")
            for name in self._names()
            if name.endswith((DONE, SETTLED))
        )
        known = [name for name in here if number_of(name) is not None]
        return max(known) if known else next(self.ids(), None)

    def _paths(self, names: list[bytes], ending: bytes) -> list[bytes]:
        above = self._state.at(b"journal", b"")
        return [above + name for name in names if name.endswith(ending)]

    def _names(self) -> list[bytes]:
        return self._listed(b"journal")

    def _listed(self, folder: bytes) -> list[bytes]:
        try:
            with self._state.folder(folder) as opened:
                return opened.names()
        except (FileNotFoundError, NotADirectoryError):
            return []

    # Changing

    def begin(self) -> Intent:
        """Open the intent for writing, until `close`."""
        self._folder = self._state.folder(b"journal")
        try:
            names = self._folder.names()
            try:
                self._intent = self._folder.open(_INTENT, write=True)
            except FileNotFoundError:
                self._intent = self._folder.create(_INTENT)
                self._flusher.one(self._folder)
            writer = Writer(self._intent, self._state.key)
            return Intent(self._next_number(names), writer, self._paths(names, UNSETTLED))
        except BaseException:
            self.close()
            raise

    def _next_number(self, names: list[bytes]) -> int:
        """The number of the next change: the time, or one more than the newest if the clock went back."""
        names = [name for name in names if name != _INTENT] or self._listed(b"history")
        newest = number_of(names[-1].split(b".")[0].decode("ascii", "replace")) if names else None
        return max(time.time_ns(), (newest or 0) + 1)

    def flush(self) -> None:
        """Flush the intent."""
        assert self._intent is not None
        self._flusher.one(self._intent)

    def close(self) -> None:
        """Let go of the intent."""
        if self._intent is not None:
            self._intent.close()
            self._intent = None
        if self._folder is not None:
            self._folder.close()
            self._folder = None

    def done(self, identifier: str) -> tuple[bytes, bool]:
        """Commit: the intent becomes `ID.done`. Returns its path, and whether the disk confirmed it.

        Raises `OSError` only if nothing was committed: after the rename there is no way back.
        """
        assert self._folder is not None
        name = identifier.encode() + DONE
        self._folder.rename(_INTENT, self._folder, name, "replace")
        # No room for an empty file: the next change makes it, or says why it cannot.
        with suppress(OSError):
            self._folder.create(_INTENT).close()
        try:
            self._flusher.one(self._folder)
            confirmed = True
        except OSError:
            confirmed = False
        return self._state.at(b"journal", name), confirmed

    def keep_unsettled(self, path: bytes, identifier: str) -> None:
        """Put an intent that could not be taken back entirely where the next change does not meet it."""
        before, name = os.path.basename(path), identifier.encode() + UNSETTLED
        if before != name:
            with self._state.folder(b"journal") as journal:
                journal.rename(before, journal, name, "replace")
                self._flusher.one(journal)

    def forget(self, path: bytes | None = None) -> None:
        """The change was taken back: nothing of it is left to be done."""
        name = _INTENT if path is None else os.path.basename(path)
        with self._state.folder(b"journal") as journal:
            if name != _INTENT:
                journal.remove(name)
                return
            with journal.open(_INTENT, write=True) as intent:
                intent.truncate(0)
                self._flusher.one(intent)

    def settled(self, paths: Iterable[bytes]) -> None:
        """Committed changes are cleaned up. Not flushed: cleaning up twice does no harm."""
        with self._state.folder(b"journal") as journal:
            for path in paths:
                name = os.path.basename(path)
                journal.rename(name, journal, name.removesuffix(DONE) + SETTLED, "replace")

    def set_aside(self, path: bytes) -> bytes:
        """Put a record that is torn, forged or in conflict where it does no harm and can be looked at."""
        name = os.path.basename(path)
        target = id_of(time.time_ns()).encode() + b"-" + name
        with self._state.folder(b"journal") as journal, self._state.folder(b"aside") as aside:
            journal.rename(name, aside, target, "replace")
            self._flusher.one(aside)
            self._flusher.one(journal)
        return self._state.at(b"aside", target)

    def fold(self) -> None:
        """Move settled changes to the history once there are many."""
        names = [name for name in self._names() if name.endswith(SETTLED)]
        if len(names) <= _FOLD_ABOVE:
            return
        moved = names[:-_FOLD_LEAVE]
        with self._state.folder(b"journal") as journal, self._state.folder(b"history") as history:
            for name in moved:
                with suppress(FileExistsError):
                    journal.link(name, history, name)
            self._flusher.one(history)
            for name in moved:
                journal.remove(name)

    def drop(self, identifier: str) -> None:
        """Remove a committed change's record."""
        path = self.find(identifier)
        if path is not None:
            folder, name = os.path.split(path)
            with system.open_folder(folder) as opened:
                opened.remove(name)
