"""The list of changes: by session and, in it, by prompt, as far as somebody has looked."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from filewright.changes.model import ChangeRecord
from filewright.changes.selection import (
    GUARD_TOOL,
    find_healed_edit,
    find_undone,
    group_by_prompt,
    place_healings,
)
from filewright.errors import FilewrightError
from filewright.page.titles import (
    Deed,
    deeds_of,
    healing_title,
    is_folder,
    sentence,
    title_of,
)
from filewright.progress import Task
from filewright.wording import pluralize, to_one_line
from filewright.workspace import Workspace

ROWS = 50
"""Changes of one page of the list."""
_PATHS = 20
"""Paths of a change that a filter looks at, and the list knows of."""
_DEEDS = 200
"""What is kept of what a change did, for the title of its prompt."""
_HELD = 2_000
"""Rows that are held as values."""
_SEARCHED = 2_000
"""Changes that one request looks through for a filter; the next goes on there."""
_TITLED = 30
"""Changes of a prompt that its title is made of."""
_UNDOS = 50
"""How far back the change is looked for that was undone and redone."""
_COUNTED_FILES, _COUNTED_BYTES, _COUNTED_SECONDS = 5, 256 << 10, 0.2
"""The lines of a change are counted if it has up to so many files of such a size, as long as a page has time."""


@dataclass(frozen=True, slots=True)
class Listing:
    """One change as the list shows it: its record without entries (`head`).

    `undone` names the change that took it back, if one did entirely.
    `lines` are those added and removed, where they were counted (`countable`: they may be).
    A healing is listed below the edit that it belongs to; `healings` are those of this change.
    """

    head: ChangeRecord
    title: str
    paths: tuple[str, ...]
    files: int
    countable: bool
    deeds: tuple[Deed, ...]
    undone: str | None = None
    lines: tuple[int, int] | None = None
    is_healing: bool = False
    healings: tuple[str, ...] = ()

    def matches(self, words: Sequence[str]) -> bool:
        """Whether it has all the words in it."""
        head = self.head
        named = (
            head.id,
            head.tool,
            self.title,
            head.summary,
            head.session or "",
            head.client or "",
            *self.paths,
        )
        text = " ".join(named).lower()
        return all(word in text for word in words)


@dataclass(frozen=True, slots=True)
class Prompt:
    """The changes that came of one prompt: their `ids`, newest first.

    `change_count` is their number without the healings among them.
    """

    ids: tuple[str, ...]
    change_count: int
    session: str
    client: str
    turn: str
    begun: datetime

    @property
    def id(self) -> str:
        """The change by which it is named: its first, so that it keeps its name while it goes on."""
        return self.ids[-1]


@dataclass(frozen=True, slots=True)
class ListPage:
    """Some changes, each with its prompt and the prompt's title; from `cursor` on there may be more.

    They follow a change of the prompt `after`, whose heading is there already.
    """

    rows: tuple[tuple[Prompt, str, Listing], ...]
    cursor: str | None
    after: Prompt | None


class ChangeLog:
    """What is known of the changes of a workspace. Thread-safe.

    The session that changed something last comes first, with all its changes below one heading, however
    sessions interleave.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._lock = threading.RLock()
        self._newest: str | None = None
        self._order: list[str] = []
        self._prompts: dict[str, Prompt] = {}
        self._rows: dict[str, Listing] = {}
        self._undone: dict[str, str] = {}
        self._healings: dict[str, list[str]] = {}
        self._lines: dict[str, tuple[int, int] | None] = {}

    def page(self, *, before: str | None = None, text: str = "") -> ListPage:
        """The rows after the row `before` (None: from the first) that match every word of `text`."""
        words = text.lower().split()
        found: list[tuple[Prompt, str, Listing]] = []
        cursor = None
        clock = Task(seconds=_COUNTED_SECONDS)
        with self._lock:
            self._refresh()
            last: str | None = None
            for count, name in enumerate(self._from(before)):
                if len(found) == ROWS or count == _SEARCHED:
                    cursor = last
                    break
                last = name
                row = self._row(name)
                if row is not None and row.matches(words):
                    prompt = self._prompts[name]
                    title = (
                        found[-1][1]
                        if found and found[-1][0] is prompt
                        else self._title(prompt)
                    )
                    found.append((prompt, title, self._counted(row, clock)))
            return ListPage(
                tuple(found), cursor, self._prompts.get(before or "")
            )

    def row(self, record: ChangeRecord) -> Listing:
        """A record as it is listed."""
        with self._lock:
            self._refresh()
            return self._row(record.id) or self._listing(record)

    def prompt(self, change_id: str) -> tuple[Prompt, str] | None:
        """The prompt that a change came of, with its title."""
        with self._lock:
            self._refresh()
            found = self._prompts.get(change_id)
            return (found, self._title(found)) if found is not None else None

    def _title(self, prompt: Prompt) -> str:
        """What its changes did, as one sentence; a client's own words where it gives the turn some."""
        if " " in prompt.turn:
            return prompt.turn
        rows = [
            row
            for name in prompt.ids[:_TITLED]
            if (row := self._row(name)) is not None
        ]
        done = [row for row in rows if row.deeds]
        if len(done) <= 1 or any(len(row.deeds) == _DEEDS for row in done):
            more = ""
            if prompt.change_count > 1:
                more = f" and {prompt.change_count - 1:,} more"
            return (done or rows)[0].title + more if rows else ""
        return sentence(deed for row in reversed(done) for deed in row.deeds)

    def _counted(self, row: Listing, clock: Task) -> Listing:
        """The row with its lines, if they are known or there is time to count them."""
        if (
            row.countable
            and row.head.id not in self._lines
            and not clock.expired
        ):
            try:
                files = self._workspace.changed_files(
                    row.head.id, limit=_COUNTED_FILES
                ).files
            except FilewrightError:
                files = ()
            texts = [
                (file.added, file.removed)
                for file in files
                if file.added is not None
            ]
            self._lines[row.head.id] = (
                (
                    sum(added for added, _ in texts),
                    sum(removed or 0 for _, removed in texts),
                )
                if texts
                else None
            )
        return replace(row, lines=self._lines.get(row.head.id))

    def _from(self, before: str | None) -> Iterator[str]:
        if before is None:
            return iter(self._order)
        if before not in self._prompts:
            return iter(())
        return iter(self._order[self._order.index(before) + 1 :])

    def _refresh(self) -> None:
        """Put what was changed since the last look where it belongs."""
        newest = self._workspace.newest()
        if newest == self._newest and self._order:
            return
        heads = list(self._workspace.changes.heads())
        sessions: dict[str | None, list[str]] = {}
        self._prompts = {}
        for group in group_by_prompt(heads):
            head = group[0]
            session, client, turn = (
                to_one_line(name or "")
                for name in (head.session, head.client, head.turn)
            )
            healed_edits = [find_healed_edit(each) for each in group]
            prompt = Prompt(
                tuple(each.id for each in group),
                healed_edits.count(None),
                session,
                client,
                turn,
                group[-1].time.astimezone(),
            )
            order = sessions.setdefault(head.session, [])
            order += [record.id for record in place_healings(group)]
            self._prompts.update(dict.fromkeys(prompt.ids, prompt))
        self._order = [name for order in sessions.values() for name in order]
        # From the newest: what takes back an undo makes the change that the undo took back count again.
        self._undone = find_undone(heads)
        self._healings = {}
        for head in heads:
            edit_id = find_healed_edit(head)
            if edit_id is not None:
                self._healings.setdefault(edit_id, []).append(head.id)
        self._newest = newest

    def _row(self, name: str) -> Listing | None:
        """A change as it is listed; None for one that cannot be read."""
        if name not in self._rows:
            try:
                made = self._listing(self._workspace.record(name))
            except FilewrightError:
                return None
            while len(self._rows) >= _HELD:
                self._rows.pop(next(iter(self._rows)))
            self._rows[name] = made
        return replace(
            self._rows[name],
            undone=self._undone.get(name),
            healings=tuple(self._healings.get(name, ())),
        )

    def _listing(self, record: ChangeRecord) -> Listing:
        # A path is listed once, however many entries name it; of a large change only the first are read.
        first = record.file_changes[:_PATHS]
        paths = tuple(dict.fromkeys(entry.path.display_path for entry in first))
        deeds = deeds_of(record) if not record.reverts else []
        folders = sum(is_folder(entry) for entry in first)
        sides = [
            side
            for entry in first
            for side in (entry.before, entry.after)
            if side is not None
        ]
        small = len(record.file_changes) <= _COUNTED_FILES and all(
            side.size <= _COUNTED_BYTES for side in sides
        )
        return Listing(
            replace(record, file_changes=()),
            self._title_of(record, deeds),
            paths,
            len(record.file_changes) - folders or folders,
            small,
            tuple(deeds[:_DEEDS]),
            is_healing=find_healed_edit(record) is not None,
        )

    def _title_of(self, record: ChangeRecord, deeds: Sequence[Deed]) -> str:
        """Return the title of a change, of a healing, or of an undo."""
        if record.tool == GUARD_TOOL:
            return healing_title(record)
        return self._undo(record) if record.reverts else title_of(record, deeds)

    def _undo(self, record: ChangeRecord) -> str:
        """The title of an undo: of what, and whether it was the undo of an undo."""
        if len(record.reverts) > 1:
            return f"Undid {len(record.reverts):,} changes"
        verb = "Undid some of" if record.partial else "Undid"
        for step in range(_UNDOS):
            try:
                record = self._workspace.record(record.reverts[0])
            except FilewrightError:
                return f"{verb} an earlier change"
            if len(record.reverts) != 1 or record.partial:
                break
            if not verb.endswith("of"):
                verb = "Undid" if step % 2 else "Redid"
        title = (
            f"Undid {pluralize(len(record.reverts), 'change')}"
            if record.reverts
            else title_of(record, deeds_of(record))
        )
        return f"{verb} “{title}”"
