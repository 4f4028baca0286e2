"""The list of changes: read once, newest first, as far as somebody has looked."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from filewright.changes import ChangeRecord, Side
from filewright.errors import FilewrightError
from filewright.progress import Task
from filewright.visible import one_line
from filewright.workspace import Workspace

ROWS = 50
"""Changes of one page of the list."""
_PATHS = 20
"""Paths of a change that a filter looks at, and the list knows of."""
_READ = 200
_SEARCHED = 2_000
"""Changes that one request looks through for a filter; the next goes on there."""
_COUNTED_FILES, _COUNTED_BYTES, _COUNTED_SECONDS = 5, 256 << 10, 0.2
"""The lines of a change are counted if it has up to so many files of such a size, as long as a page has time."""


@dataclass(frozen=True, slots=True)
class Listing:
    """One change as the list shows it; `undone` names the change that took it back, if one did entirely.

    `lines` are those added and removed, where they were counted (`countable`: they may be).
    """

    id: str
    time: datetime
    tool: str
    summary: str
    session: str
    client: str
    turn: str
    paths: tuple[str, ...]
    files: int
    undoable: bool
    reverts: tuple[str, ...]
    partial: bool
    countable: bool
    undone: str | None = None
    lines: tuple[int, int] | None = None

    def matches(self, words: Sequence[str]) -> bool:
        """Whether it has all the words in it."""
        named = (self.id, self.tool, self.summary, self.session, self.client, self.turn, *self.paths)
        text = " ".join(named).lower()
        return all(word in text for word in words)


@dataclass(frozen=True, slots=True)
class ListPage:
    """Some rows; from `cursor` on there may be more."""

    rows: tuple[Listing, ...]
    cursor: str | None


class ChangeLog:
    """What is known of the changes of a workspace. Thread-safe.

    A change is undone by a newer one, so the list is always read from the newest on.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._lock = threading.Lock()
        self._rows: list[Listing] = []
        self._ended = False
        self._undone: dict[str, str] = {}
        self._lines: dict[str, tuple[int, int] | None] = {}

    def page(self, *, before: str | None = None, text: str = "") -> ListPage:
        """The rows after the row `before` (None: from the newest) that match every word of `text`."""
        words = text.lower().split()
        found: list[Listing] = []
        cursor = None
        with self._lock:
            self._refresh()
            last: str | None = None
            for count, row in enumerate(self._from(before)):
                if len(found) == ROWS or count == _SEARCHED:
                    cursor = last
                    break
                last = row.id
                if row.matches(words):
                    found.append(self._marked(row))
        clock = Task(seconds=_COUNTED_SECONDS)
        return ListPage(tuple(self._counted(row, clock) for row in found), cursor)

    def _counted(self, row: Listing, clock: Task) -> Listing:
        """The row with its lines, if they are known or there is time to count them."""
        if row.countable and row.id not in self._lines and not clock.expired:
            try:
                files = self._workspace.changed_files(row.id, limit=_COUNTED_FILES).files
            except FilewrightError:
                files = ()
            texts = [(file.added, file.removed) for file in files if file.added is not None]
            self._lines[row.id] = (
                (sum(added for added, _ in texts), sum(removed or 0 for _, removed in texts))
                if texts
                else None
            )
        return replace(row, lines=self._lines.get(row.id))

    def row(self, record: ChangeRecord) -> Listing:
        """A record as it is listed."""
        with self._lock:
            self._refresh()
            for row in self._from(None):  # what undid it is newer
                if row.id <= record.id:
                    break
            return self._marked(_listing(record))

    def _marked(self, row: Listing) -> Listing:
        undone = self._undone.get(row.id)
        if undone is None:
            return row
        return replace(row, undone=undone)

    def _from(self, before: str | None) -> Iterator[Listing]:
        at = 0
        while True:
            if at == len(self._rows) and not self._extend():
                return
            row = self._rows[at]
            at += 1
            if before is None or row.id < before:
                yield row

    def _refresh(self) -> None:
        """Put what was changed since the last look on top."""
        newest = self._rows[0].id if self._rows else ""
        fresh: list[Listing] = []
        before: str | None = None
        while self._rows:
            records = self._workspace.history(limit=_READ if before else 5, before=before)
            new = [_listing(record) for record in records if record.id > newest]
            fresh += new
            if len(new) < len(records) or not records:
                break
            before = records[-1].id
        if fresh:
            self._rows[:0] = fresh
            self._undone.clear()
            self._note(self._rows)

    def _extend(self) -> bool:
        if self._ended:
            return False
        before = self._rows[-1].id if self._rows else None
        records = self._workspace.history(limit=_READ if before else ROWS, before=before)
        rows = [_listing(record) for record in records]
        self._ended = bool(self._rows) and not rows
        self._note(rows)
        self._rows += rows
        return bool(rows)

    def _note(self, rows: Sequence[Listing]) -> None:
        # From the newest: what takes back an undo makes the change that the undo took back count again.
        for row in rows:
            if row.id not in self._undone and not row.partial:
                for earlier in row.reverts:
                    self._undone.setdefault(earlier, row.id)


_NO_SIDE = Side("other", 0, 0, 0)


def _listing(record: ChangeRecord) -> Listing:
    # A path is listed once, however many entries name it; of a large change only the first are read.
    first = record.entries[:_PATHS]
    paths = tuple(dict.fromkeys(entry.place.shown for entry in first))
    folders = sum((entry.after or entry.before or _NO_SIDE).kind == "folder" for entry in first)
    return Listing(
        record.id,
        record.time.astimezone(),
        record.tool,
        one_line(record.summary),
        record.session or "",
        one_line(record.client or ""),
        one_line(record.turn or ""),
        paths,
        len(record.entries) - folders if len(record.entries) > folders else folders,
        record.undoable,
        record.reverts,
        record.partial,
        len(record.entries) <= _COUNTED_FILES
        and all(
            side.size <= _COUNTED_BYTES for entry in first for side in (entry.before, entry.after) if side
        ),
    )
