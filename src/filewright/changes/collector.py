"""Keeping history within its limits: by age, by size, whichever leaves less.

Runs under the workspace lock. Nothing is read but names, sizes and times: every content carries, as
its modification time, the number of the newest change that needs it, so one cut through time says
what goes. Records go before contents, so a crash in between leaves contents nobody asks for, which
the next cut removes.
"""

from __future__ import annotations

import os
import time

from filewright.changes.blobs import BlobStore
from filewright.changes.identifiers import number_of
from filewright.changes.journal import DONE, Journal
from filewright.settings import Settings

_DAY_NS = 86_400 * 10**9
# Cut a little more than asked, so that a full history is not cut at every change.
_LEAVE = 0.95


class Collector:
    """Collects one state folder."""

    def __init__(self, settings: Settings, journal: Journal, blobs: BlobStore) -> None:
        self._settings = settings
        self._journal = journal
        self._blobs = blobs

    def collect(self, *, now_ns: int | None = None) -> list[str]:
        """Drop what is past the limits; returns the ids of the changes dropped.

        Kept whatever their age: the newest change, those that still have something to clean up, and
        all that is newer than these. A change that is being undone is safe: collecting needs the
        lock that its undo holds from the reading of the record to the commit.
        """
        now = time.time_ns() if now_ns is None else now_ns
        records: dict[int, tuple[str, bytes, int]] = {}
        keep: set[int] = set()
        for identifier in self._journal.ids():
            path, number = self._journal.find(identifier), number_of(identifier)
            if path is not None and number is not None:
                records[number] = (identifier, path, os.stat(path).st_size)
                if path.endswith(DONE):
                    keep.add(number)
        if not records:
            return []
        blobs = list(self._blobs.stamped())
        cut = self._cut(
            [(number, size) for number, (_, _, size) in records.items()]
            + [(stamp, size) for _, stamp, size in blobs],
            now,
        )
        cut = min(cut, max(records), *keep)
        dropped = sorted(number for number in records if number < cut)
        for number in dropped:
            os.unlink(records[number][1])
        if dropped and self._journal.intent_path() is None:
            for name, stamp, _ in blobs:
                if stamp < cut:
                    self._blobs.drop(name)
            self._blobs.sweep_unfinished(lambda name: self._journal.find(name) is not None)
        return [records[number][0] for number in dropped]

    def _cut(self, sizes: list[tuple[int, int]], now: int) -> int:
        """The number below which everything goes."""
        oldest = now - self._settings.history_days * _DAY_NS
        limit = self._settings.history_bytes
        if sum(size for _, size in sizes) <= limit:
            return oldest
        total = 0
        for number, size in sorted(sizes, reverse=True):
            total += size
            if total > limit * _LEAVE:
                return max(oldest, number + 1)
        return oldest
