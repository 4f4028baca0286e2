"""Keeping history within its limits: by age, by size, whichever leaves less.

Runs under the workspace lock. Nothing is read but names, sizes and times: every content carries, as
its modification time, the number of the newest change that needs it, so one cut through time says
what goes. Records go before contents, so a crash in between leaves contents nobody asks for, which
the next cut removes.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from filewright import system
from filewright.changes.journal import DONE
from filewright.changes.record import number_of
from filewright.system import File

if TYPE_CHECKING:
    from filewright.changes.store import Store

_DAY_NS = 86_400 * 10**9
_COARSE = ((10**9, 2 * 10**9), (10**6, 10**6), (10**3, 10**3), (100, 100))
# Cut a little more than asked, so that a full history is not cut at every change.
_LEAVE = 0.95
_NEWEST = 50
"""Changes that no date expires. Of the others the age counts from the oldest of these, not from the clock: one
that jumps ahead expires nothing."""
_USAGE = 41
"""Bytes of the file that keeps what all changes take, and the number of the oldest."""


class Collector:
    """Collects one store."""

    def __init__(self, store: Store) -> None:
        self._settings = store.settings
        self._state = store.state
        self._journal = store.journal
        self._blobs = store.blobs
        self._counted = 0

    def within_limits(self, change_id: str | None) -> bool:
        """Whether the history stays within its limits with a change that was just made; None: count it all.

        What all changes take, and the number of the oldest, are kept in a file between them, so that
        whoever makes a change knows without looking at every one.
        """
        added, self._counted = self._blobs.added - self._counted, self._blobs.added
        path = self._journal.find(change_id) if change_id is not None else None
        with self._usage() as usage:
            try:
                if path is None:
                    raise ValueError("no change to add to what is known")
                total, oldest = map(int, usage.read(0, _USAGE).split())
                total += added + system.status_of(path).size
            except (FileNotFoundError, ValueError):
                total, oldest = self._count()
            _note(usage, total, oldest)
        return (
            total <= self._settings.history_bytes
            and oldest >= time.time_ns() - self._settings.history_days * _DAY_NS
        )

    def _count(self) -> tuple[int, int]:
        """What all changes take, and the number of the oldest."""
        sizes = {number: size for number, (_, _, size) in self._records().items()}
        total = sum(sizes.values()) + sum(size for _, _, size in self._blobs.stamped())
        return total, min(sizes, default=time.time_ns())

    def _records(self) -> dict[int, tuple[str, bytes, int]]:
        """Id, path and size of every committed change, by its number."""
        found = {}
        for identifier in self._journal.ids():
            path, number = self._journal.find(identifier), number_of(identifier)
            if path is not None and number is not None:
                found[number] = identifier, path, system.status_of(path).size
        return found

    def _usage(self) -> File:
        with self._state.folder() as folder:
            try:
                return folder.open(b"usage", write=True)
            except FileNotFoundError:
                return folder.create(b"usage")

    def collect(self, *, now_ns: int | None = None) -> list[str]:
        """Drop what is past the limits; returns the ids of the changes dropped.

        Kept whatever their age: the newest change, those that still have something to clean up, and
        all that is newer than these. A change that is being undone is safe: collecting needs the
        lock that its undo holds from the reading of the record to the commit.
        """
        now = time.time_ns() if now_ns is None else now_ns
        records = self._records()
        keep = {number for number, (_, path, _) in records.items() if path.endswith(DONE)}
        if not records:
            with self._usage() as usage:
                _note(usage, 0, now)
            return []
        blobs = [(name, _latest(stamp), size) for name, stamp, size in self._blobs.stamped()]
        newest = sorted(records)[-_NEWEST:]
        cut = self._cut(
            [(number, size) for number, (_, _, size) in records.items()]
            + [(stamp, size) for _, stamp, size in blobs],
            min(now, newest[0]) if len(newest) == _NEWEST else 0,
        )
        cut = min(cut, max(records), *keep)
        dropped = sorted(number for number in records if number < cut)
        for number in dropped:
            self._journal.drop(records[number][0])
        if dropped and self._journal.intent_path() is None:
            for name, stamp, _ in blobs:
                if stamp < cut:
                    self._blobs.drop(name)
            self._blobs.sweep_unfinished(lambda name: self._journal.find(name) is not None)
        left = [size for number, (_, _, size) in records.items() if number >= cut]
        left += [size for _, stamp, size in blobs if stamp >= cut]
        with self._usage() as usage:
            _note(usage, sum(left), min(number for number in records if number >= cut))
        return [records[number][0] for number in dropped]

    def _cut(self, sizes: list[tuple[int, int]], counted_from: int) -> int:
        """The number below which everything goes."""
        oldest = counted_from - self._settings.history_days * _DAY_NS
        limit = self._settings.history_bytes
        if sum(size for _, size in sizes) <= limit:
            return oldest
        total = 0
        for number, size in sorted(sizes, reverse=True):
            total += size
            if total > limit * _LEAVE:
                return max(oldest, number + 1)
        return oldest


def _note(usage: File, total: int, oldest: int) -> None:
    # Not flushed: what a power cut leaves of it is no number, and all is counted again.
    usage.write(b"%020d %020d" % (total, oldest), 0)


def _latest(stamp: int) -> int:
    """The latest number that a time read from the disk can mean: file systems cut times short."""
    return next((stamp + coarse for unit, coarse in _COARSE if stamp % unit == 0), stamp)
