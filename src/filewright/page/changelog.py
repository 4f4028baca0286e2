"""The list of changes, by session and by prompt.

A history may be long, so a change is read when its row is shown. Rows and counts of
lines are cached, because a recorded change stays the same.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping, Sequence
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
from filewright.mailbox.prompts import PromptTexts, prompt_title
from filewright.page.titles import (
    Phrase,
    count_files,
    describe_files,
    join_phrases,
    make_healing_title,
    make_title,
    name_files,
)
from filewright.page.words import UNNAMED_CLIENT
from filewright.progress import Task, client_family
from filewright.tools.best_effort import ExtraTask
from filewright.wording import pluralize, to_one_line
from filewright.workspace import REVIEW_CLIENT, Workspace

PAGE_ROWS = 50
"""Changes on one page of the list."""
MAX_FILTERED_CHANGES = 2_000
"""The most changes that one request filters; the next request continues there."""
_MAX_FILTERED_PATHS = 20
"""The most file changes of a change that a row looks at, and a filter compares."""
_MAX_PHRASES = 200
"""The most phrases of a change that are cached for the title of its prompt."""
_MAX_CACHED_ROWS = 2_000
_COMMAND_LINE_CLIENT = re.compile(r"filewright \d")
"""The name and version of the command line, as the client of a change."""
_MAX_TITLE_CHANGES = 30
"""The most changes that the title of a prompt is made of."""
_MAX_UNDO_STEPS = 50
"""The most undos of undos that are followed to the change that was undone first."""
_MAX_COUNTED_FILES = 5
"""Lines are counted for changes with at most this many files."""
_MAX_COUNTED_BYTES = 256 << 10
"""The size of the largest file whose lines are counted."""
_COUNTING_SECONDS = 0.2
"""The time for counting the lines of one page of changes."""


@dataclass(frozen=True, slots=True)
class LineCounts:
    """The numbers of added and removed lines."""

    added: int
    removed: int


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """One change in the list.

    `record` has no file changes; their number is `file_count`. `phrases` make up the
    title of the change's prompt. `undone_by` is the id of the change that undid all of
    it. `lines` is None if the lines are not counted. `is_healing` is True for a healing,
    which is listed below its edit; `healing_ids` are the healings of this change.
    """

    record: ChangeRecord
    title: str
    paths: tuple[str, ...]
    file_count: int
    can_count_lines: bool
    phrases: tuple[Phrase, ...]
    undone_by: str | None = None
    lines: LineCounts | None = None
    is_healing: bool = False
    healing_ids: tuple[str, ...] = ()

    def matches(self, words: Sequence[str]) -> bool:
        """Return True if all words occur in the texts of the change."""
        texts = (
            self.record.id,
            self.record.tool,
            self.title,
            self.record.summary,
            self.record.session or "",
            self.record.client or "",
            *self.paths,
        )
        all_texts = " ".join(texts).lower()
        return all(word in all_texts for word in words)


@dataclass(frozen=True, slots=True)
class Prompt:
    """The changes of one prompt, newest first.

    `change_count` is their number without healings.
    """

    change_ids: tuple[str, ...]
    change_count: int
    session: str
    client: str
    turn: str
    start: datetime
    end: datetime

    @property
    def id(self) -> str:
        """The id of its first change, which stays the same while changes are added."""
        return self.change_ids[-1]

    @property
    def newest_id(self) -> str:
        """The id of its newest change."""
        return self.change_ids[0]

    @property
    def day(self) -> str:
        """The day of its newest change."""
        return self.end.date().isoformat()

    @property
    def is_terminal(self) -> bool:
        """True for commands that the person typed in a terminal."""
        return _COMMAND_LINE_CLIENT.match(self.client) is not None

    @property
    def group(self) -> tuple[str, str]:
        """The heading that it is listed below: its session, or the terminal of a day."""
        if self.is_terminal:
            return ("terminal", self.day)
        return (self.session, client_family(self.client))

    def name_client(self, person: str) -> str:
        """Return the client in words; `person` is the client of the review page."""
        if self.client == person:
            return "You, on the review page"
        if self.is_terminal:
            return "You, in the terminal"
        return self.client or UNNAMED_CLIENT


@dataclass(frozen=True, slots=True)
class PromptHeading:
    """A prompt with its title: the first line of the person's words, if known.

    `deeds` is a sentence about the files; it is the title where no words are known.
    `words` are the stored words, if they are more than the title.
    """

    prompt: Prompt
    title: str
    deeds: str
    words: str = ""


@dataclass(frozen=True, slots=True)
class ListRow:
    """A change in the list, below the heading of its prompt."""

    heading: PromptHeading
    change: ChangeRow


@dataclass(frozen=True, slots=True)
class ChangeListPage:
    """Some rows of the list.

    With `cursor`, more rows may follow. `previous_prompt` is the prompt of the row before
    these, whose heading the reader has already.
    """

    rows: tuple[ListRow, ...]
    cursor: str | None
    previous_prompt: Prompt | None

    def find_place(self, change_id: str | None) -> str | None:
        """Return the first prompt that is not newer than a change, below newer ones."""
        if change_id is None:
            return None
        has_newer = (
            self.previous_prompt is not None
            and self.previous_prompt.newest_id > change_id
        )
        for row in self.rows:
            prompt = row.heading.prompt
            if prompt.newest_id > change_id:
                has_newer = True
            elif has_newer:
                return prompt.id
        return None


class ChangeLog:
    """The list of the changes of a workspace. Thread-safe.

    The session with the newest change comes first. All changes of a session have one
    heading, even if sessions interleave.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._prompt_texts = PromptTexts(workspace)
        # Requests run in threads, and a title may need the row of another change.
        self._lock = threading.RLock()
        self._newest_id: str | None = None
        self._order: list[str] = []
        self._prompts: dict[str, Prompt] = {}
        self._rows: dict[str, ChangeRow] = {}
        self._undone: dict[str, str] = {}
        self._healings: dict[str, list[str]] = {}
        self._lines: dict[str, LineCounts | None] = {}

    def page(
        self, *, before: str | None = None, text: str = ""
    ) -> ChangeListPage:
        """Return the rows below the row `before` that match every word of a text.

        Without `before`, they begin with the first row.
        """
        filter_words = text.lower().split()
        rows: list[ListRow] = []
        cursor: str | None = None
        counting = ExtraTask(Task(), _COUNTING_SECONDS)
        heading: PromptHeading | None = None
        last_id: str | None = None
        with self._lock:
            self._refresh()
            for index, change_id in enumerate(self._iter_ids(before)):
                if len(rows) == PAGE_ROWS or index == MAX_FILTERED_CHANGES:
                    cursor = last_id
                    break
                last_id = change_id
                row = self._find_row(change_id)
                if row is None or not row.matches(filter_words):
                    continue
                prompt = self._prompts[change_id]
                if heading is None or heading.prompt is not prompt:
                    heading = self._make_heading(prompt)
                rows.append(ListRow(heading, self._add_lines(row, counting)))
            previous_prompt = self._prompts.get(before or "")
        return ChangeListPage(tuple(rows), cursor, previous_prompt)

    def row(self, record: ChangeRecord) -> ChangeRow:
        """Return the row of a change."""
        with self._lock:
            self._refresh()
            return self._find_row(record.id) or self._make_row(record)

    def prompt(self, change_id: str) -> PromptHeading | None:
        """Return the prompt of a change, or None for an unknown change."""
        with self._lock:
            self._refresh()
            prompt = self._prompts.get(change_id)
            return None if prompt is None else self._make_heading(prompt)

    def undone(self) -> Mapping[str, str]:
        """Return the id of the undo of each change that is undone."""
        with self._lock:
            self._refresh()
            return self._undone

    def first_after(self, change_id: str) -> str | None:
        """Return the id of the first change since an id, or None without one."""
        with self._lock:
            self._refresh()
            later_ids = [
                known_id for known_id in self._order if known_id >= change_id
            ]
            return min(later_ids, default=None)

    def prompts_of(self, change_ids: Sequence[str]) -> list[Prompt | None]:
        """Return the prompt of each change, without its heading."""
        with self._lock:
            self._refresh()
            return [self._prompts.get(change_id) for change_id in change_ids]

    def newest_prompt(self) -> PromptHeading | None:
        """Return the prompt with the newest change that is not the person's own."""
        with self._lock:
            self._refresh()
            for change_id in sorted(self._order, reverse=True):
                prompt = self._prompts[change_id]
                is_own = prompt.client == REVIEW_CLIENT or prompt.is_terminal
                if not is_own and change_id not in self._undone:
                    return self._make_heading(prompt)
        return None

    # Prompts

    def _refresh(self) -> None:
        """Read the order and the prompts of all changes again if there is a new one."""
        newest_id = self._workspace.newest()
        if newest_id == self._newest_id and self._order:
            return
        record_heads = list(self._workspace.changes.heads())
        order_by_group: dict[tuple[str, str, str], list[str]] = {}
        self._prompts = {}
        for group in group_by_prompt(record_heads):
            prompt = _make_prompt(group)
            # A session that goes on over midnight is listed on both days.
            group_ids = order_by_group.setdefault(
                (prompt.day, *prompt.group), []
            )
            group_ids += [record.id for record in place_healings(group)]
            self._prompts.update(dict.fromkeys(prompt.change_ids, prompt))
        self._order = []
        # Days come newest first; within one, sessions by their newest change.
        for _, group_ids in sorted(
            order_by_group.items(), key=lambda item: item[0][0], reverse=True
        ):
            self._order += group_ids
        self._undone = find_undone(record_heads)
        self._healings = {}
        for record_head in record_heads:
            edit_id = find_healed_edit(record_head)
            if edit_id is not None:
                self._healings.setdefault(edit_id, []).append(record_head.id)
        self._newest_id = newest_id

    def _iter_ids(self, before: str | None) -> Iterator[str]:
        """Iterate over the ids of the rows below a row; none below an unknown row."""
        if before is None:
            return iter(self._order)
        if before not in self._prompts:
            return iter(())
        return iter(self._order[self._order.index(before) + 1 :])

    def _make_heading(self, prompt: Prompt) -> PromptHeading:
        deeds = self._describe_deeds(prompt)
        text = self._prompt_texts.find(prompt.session, prompt.turn)
        # A turn with a space is a text; others are ids.
        if text is None and " " in prompt.turn:
            text = prompt.turn
        if text is None:
            return PromptHeading(prompt, title=deeds, deeds=deeds)
        title = prompt_title(text)
        words = text if text.strip() != title else ""
        return PromptHeading(prompt, title, deeds, words)

    def _describe_deeds(self, prompt: Prompt) -> str:
        """Return a sentence about the files of a prompt."""
        rows: list[ChangeRow] = []
        for change_id in prompt.change_ids[:_MAX_TITLE_CHANGES]:
            row = self._find_row(change_id)
            if row is not None:
                rows.append(row)
        if not rows:
            return ""
        described_rows = [row for row in rows if row.phrases]
        # A sentence needs all phrases of each change.
        is_truncated = any(
            len(row.phrases) == _MAX_PHRASES for row in described_rows
        )
        if len(described_rows) <= 1 or is_truncated:
            title = (described_rows or rows)[0].title
            if prompt.change_count > 1:
                title += f" and {prompt.change_count - 1:,} more"
            return title
        phrases: list[Phrase] = []
        for row in reversed(described_rows):
            phrases += row.phrases
        return join_phrases(phrases)

    # Rows

    def _find_row(self, change_id: str) -> ChangeRow | None:
        """Return the row of a change, or None if the change cannot be read."""
        if change_id not in self._rows:
            try:
                row = self._make_row(self._workspace.record(change_id))
            except FilewrightError:
                return None
            # A dict keeps its order, so the first row is the one cached longest.
            while len(self._rows) >= _MAX_CACHED_ROWS:
                self._rows.pop(next(iter(self._rows)))
            self._rows[change_id] = row
        return replace(
            self._rows[change_id],
            undone_by=self._undone.get(change_id),
            healing_ids=tuple(self._healings.get(change_id, ())),
        )

    def _make_row(self, record: ChangeRecord) -> ChangeRow:
        """Return the row of a change; of a large one, only the first files are read."""
        changes = record.file_changes[:_MAX_FILTERED_PATHS]
        paths = [change.path.display_path for change in changes]
        can_count_lines = len(record.file_changes) <= _MAX_COUNTED_FILES
        for change in changes:
            for state in (change.before, change.after):
                if state is not None and state.size > _MAX_COUNTED_BYTES:
                    can_count_lines = False
        phrases: list[Phrase] = []
        if not record.reverts:
            phrases = describe_files(record)
        return ChangeRow(
            record=replace(record, file_changes=()),
            title=self._title_change(record, phrases),
            paths=tuple(dict.fromkeys(paths)),
            # A change of folders alone is counted by its folders.
            file_count=count_files(record),
            can_count_lines=can_count_lines,
            phrases=tuple(phrases[:_MAX_PHRASES]),
            is_healing=find_healed_edit(record) is not None,
        )

    def _add_lines(self, row: ChangeRow, counting: Task) -> ChangeRow:
        """Return a row with its lines, if they are known or there is time to count."""
        change_id = row.record.id
        is_known = change_id in self._lines
        if row.can_count_lines and not is_known and not counting.expired:
            self._lines[change_id] = self._count_lines(change_id)
        return replace(row, lines=self._lines.get(change_id))

    def _count_lines(self, change_id: str) -> LineCounts | None:
        """Count the lines of a change; return None if none of its files is text."""
        try:
            changed_files = self._workspace.changed_files(
                change_id, limit=_MAX_COUNTED_FILES
            )
        except FilewrightError:
            return None
        text_files = [
            file for file in changed_files.files if file.added is not None
        ]
        if not text_files:
            return None
        return LineCounts(
            added=sum(file.added or 0 for file in text_files),
            removed=sum(file.removed or 0 for file in text_files),
        )

    # Titles of changes

    def _title_change(
        self, record: ChangeRecord, phrases: Sequence[Phrase]
    ) -> str:
        """Return the title of a change, of a healing, or of an undo."""
        if record.tool == GUARD_TOOL:
            return make_healing_title(record)
        if record.reverts:
            return self._title_undo(record)
        return make_title(record, phrases)

    def _title_undo(self, record: ChangeRecord) -> str:
        """Return the title of an undo, such as "Undid …", or "Redid …" for an undo of one.

        An undo of a part names its files. An undo of an undo is followed to the change
        that was undone first.
        """
        verb = "Undid"
        for step in range(_MAX_UNDO_STEPS):
            if record.partial or len(record.reverts) != 1:
                break
            try:
                record = self._workspace.record(record.reverts[0])
            except FilewrightError:
                return f"{verb} an earlier change"
            if record.tool == GUARD_TOOL:
                return f"{verb} “{make_healing_title(record)}”"
            if not record.reverts:
                title = make_title(record, describe_files(record))
                return f"{verb} “{title}”"
            # The undo of an undo is a redo; the undo of that is an undo again.
            verb = "Undid" if step % 2 else "Redid"
        undone_title = self._title_undone(record.reverts)
        if record.partial:
            undone_title = f"{name_files(record)} of {undone_title}"
        return f"{verb} {undone_title}"

    def _title_undone(self, change_ids: Sequence[str]) -> str:
        """Return the title of the prompt that changes are of, or their number."""
        prompts: dict[str, Prompt] = {}
        for change_id in change_ids:
            prompt = self._prompts.get(change_id)
            if prompt is not None:
                prompts[prompt.id] = prompt
        if len(prompts) == 1:
            (prompt,) = prompts.values()
            heading = self._make_heading(prompt)
            if len(change_ids) > 1 or heading.title != heading.deeds:
                return f"“{heading.title}”"
        if len(change_ids) == 1:
            row = self._find_row(change_ids[0])
            return f"“{row.title}”" if row is not None else "an earlier change"
        return pluralize(len(change_ids), "change")


def _make_prompt(group: Sequence[ChangeRecord]) -> Prompt:
    """Return the prompt of some changes, which are newest first."""
    newest = group[0]
    healed_edits = [find_healed_edit(record) for record in group]
    return Prompt(
        change_ids=tuple(record.id for record in group),
        change_count=healed_edits.count(None),
        session=to_one_line(newest.session or ""),
        client=to_one_line(newest.client or ""),
        turn=to_one_line(newest.turn or ""),
        start=group[-1].time.astimezone(),
        end=newest.time.astimezone(),
    )
