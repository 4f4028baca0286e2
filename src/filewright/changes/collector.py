"""Keeping history within its limits: by age, by size, whichever leaves less.

Runs under the workspace lock. A record goes before the contents that only it needed, so a crash in
between leaves contents nobody asks for, which the next run removes.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection

from filewright.changes.blobs import BlobStore
from filewright.changes.journal import Journal, number_of
from filewright.changes.recordfile import RecordFile, TornError
from filewright.changes.state import StateFolder
from filewright.settings import Settings

_DAY_NS = 86_400 * 10**9


class Collector:
    """Collects one state folder."""

    def __init__(self, settings: Settings, state: StateFolder, journal: Journal, blobs: BlobStore) -> None:
        self._settings = settings
        self._state = state
        self._journal = journal
        self._blobs = blobs

    def collect(self, *, pinned: Collection[str] = (), now_ns: int | None = None) -> list[str]:
        """Drop what is past the limits; returns the ids of the changes dropped.

        Kept whatever their age: the newest change, those in `pinned` (being reverted to at this
        moment), and those that still have something to clean up.
        """
        now = time.time_ns() if now_ns is None else now_ns
        oldest = now - self._settings.history_days * _DAY_NS
        sizes = dict(self._blobs.names())
        needed: set[str] = set()
        dropped: list[str] = []
        total = 0
        torn = False
        for position, identifier in enumerate(self._journal.ids()):
            path = self._journal.find(identifier)
            if path is None:
                continue
            try:
                file = RecordFile.read(path, self._state.key)
            except (TornError, OSError):
                torn = True
                continue
            names = {name for entry in file.record.entries for name in entry.blobs if name in sizes}
            total += file.size + sum(sizes[name] for name in names - needed)
            number = number_of(identifier) or 0
            within = total <= self._settings.history_bytes and number >= oldest
            unsettled = path.endswith(b".done")
            if position == 0 or within or unsettled or identifier in pinned:
                needed |= names
            else:
                os.unlink(path)
                dropped.append(identifier)
        # A record that cannot be read may need any of them.
        if not torn and self._journal.intent_path() is None:
            for name in sizes.keys() - needed:
                self._blobs.drop(name)
            self._blobs.sweep_unfinished()
        return dropped
