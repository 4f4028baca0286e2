"""Giving one file its earlier content back: by splices, by a merge, or whole."""

from __future__ import annotations

import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field

import xxhash

from filewright.boundary import Location
from filewright.changes.contents import Contents, Kept
from filewright.changes.record import Entry, Side
from filewright.edit.changeset import Expected, Modify, Restore
from filewright.edit.diff3 import merge3
from filewright.edit.linediff import line_splices
from filewright.progress import Task
from filewright.settings import Settings
from filewright.text import Snapshot, Splice

_LINES = re.compile(rb"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")


@dataclass(frozen=True, slots=True)
class Conflict:
    """Why a path cannot be given back, and at which lines of the file as it is now."""

    path: str
    why: str
    lines: tuple[int, int] | None = None


@dataclass(slots=True)
class Outcome:
    """What came up on the way: conflicts, notes for a person, and paths that were merged."""

    conflicts: list[Conflict] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    merged: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class FileToInvert:
    """One rewritten file: its entry with both sides, the file `now`, and `where` it is to be written."""

    entry: Entry
    before: Side
    after: Side
    now: Snapshot
    where: Location
    shown: str


class ContentInverse:
    """Works for one change; adds to `outcome` what it has to tell."""

    def __init__(
        self, settings: Settings, contents: Contents, outcome: Outcome, *, wholly: bool, task: Task
    ) -> None:
        self._settings = settings
        self._contents = contents
        self._outcome = outcome
        self._wholly = wholly
        self._task = task

    def step(self, file: FileToInvert) -> Modify | Restore | None:
        """The step that gives the file its earlier content; None if there is none, or a conflict."""
        most = max(file.now.size, file.before.size, file.after.size)
        if file.now.held is not None and most <= self._settings.hold_bytes:
            return self._small(file, file.now.held)
        return self._large(file)

    def _conflict(self, file: FileToInvert, why: str, lines: tuple[int, int] | None = None) -> None:
        self._outcome.conflicts.append(Conflict(file.shown, why, lines))

    # Files that are held

    def _small(self, file: FileToInvert, current: bytes) -> Modify | None:
        if file.now.digest.hex() == file.after.digest:
            splices = self._contents.backward(file.entry)
            if splices is not None:
                return self._modify(file, splices)
        earlier = self._earlier(file)
        if earlier is None:
            self._conflict(file, "was not kept as it was before")
            return None
        if self._wholly or file.now.digest.hex() == file.after.digest:
            return self._modify(file, line_splices(current, earlier))
        made = self._contents.after(file.entry)
        if made is None:
            self._conflict(file, "has changed since, and what the change made of it was not kept")
            return None
        return self._merge(file, made, current, earlier)

    def _merge(self, file: FileToInvert, made: bytes, current: bytes, earlier: bytes) -> Modify | None:
        """What the change made is the base; the file now and the file before are the two sides."""
        ours = _LINES.findall(current)
        merge = merge3(_LINES.findall(made), ours, _LINES.findall(earlier))
        if not merge.clean:
            start, stop = merge.conflicts[0].ours
            self._conflict(file, "has changed since in the same place", (start + 1, max(start + 1, stop)))
            return None
        offsets = [0]
        for line in ours:
            offsets.append(offsets[-1] + len(line))
        splices = tuple(
            Splice(offsets[start], offsets[stop] - offsets[start], b"".join(lines))
            for start, stop, lines in merge.changes()
        )
        if not splices:
            self._outcome.notes.append(f"{file.shown} already holds what undoing would make of it")
            return None
        self._outcome.merged.append(file.shown)
        self._outcome.notes.append(f"{file.shown} has changed since; the later changes stay (merged)")
        return self._modify(file, splices)

    def _earlier(self, file: FileToInvert) -> bytes | None:
        stream = self._contents.stream(file.before)
        return stream.read() if stream is not None else None

    @staticmethod
    def _modify(file: FileToInvert, splices: Sequence[Splice]) -> Modify | None:
        return Modify(file.where, Expected.of(file.now), tuple(splices)) if splices else None

    # Files that are not

    def _large(self, file: FileToInvert) -> Modify | Restore | None:
        now, after = file.now, file.after
        splices = self._contents.backward(file.entry)
        if splices is None:
            stream = self._contents.stream(file.before)
            if stream is None:
                self._conflict(file, "is too large to be undone from what was kept")
            elif now.size != after.size and not self._wholly:
                self._conflict(file, "has changed since, and is too large to be merged")
            else:
                return self._whole(file, stream)
            return None
        if now.size == after.size and after.digest is not None:
            # The commit's copy loop hashes the file anyway, and refuses if it is another.
            expected = Expected(now.size, now.identity, bytes.fromhex(after.digest))
            return Modify(file.where, expected, splices)
        if now.size > after.size and self._begins_as(now, after):
            self._outcome.merged.append(file.shown)
            self._outcome.notes.append(f"{file.shown} has grown at its end since; what was added stays")
            return Modify(file.where, Expected(now.size, now.identity, None), splices)
        self._conflict(file, "has changed since, and is too large to be merged")
        return None

    def _begins_as(self, now: Snapshot, after: Side) -> bool:
        state = xxhash.xxh3_128()
        for _, block in now.blocks(0, after.size):
            self._task.check()
            state.update(block)
        return state.hexdigest() == after.digest

    def _whole(self, file: FileToInvert, stream: Kept) -> Restore:
        digest = bytes.fromhex(file.after.digest) if file.after.digest and not self._wholly else None
        status = file.now.status
        assert status is not None
        return Restore(
            file.where,
            stream,
            stat.S_IMODE(status.st_mode),
            status.st_uid,
            status.st_gid,
            file.before.mtime_ns,
            replace=True,
            expected=Expected(file.now.size, file.now.identity, digest),
        )
