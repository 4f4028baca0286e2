"""The changes that `log` lists, by prompt, with their sentences and counts.

The sentences are those of the review page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from filewright.changes.names import shorten_ids
from filewright.changes.selection import (
    Scope,
    find_healed_edit,
    place_healings,
)
from filewright.errors import FilewrightError
from filewright.mailbox.prompts import PromptTexts, prompt_title
from filewright.page.changelog import ChangeLog
from filewright.page.titles import describe_files, is_folder, join_phrases
from filewright.progress import SETUP_CLIENT, Task
from filewright.wording import first_line, to_one_line
from filewright.workspace import REVIEW_CLIENT

if TYPE_CHECKING:
    from filewright.changes.model import ChangeRecord, FileChange
    from filewright.workspace import Workspace

COUNTING_SECONDS = 2.0
"""The time for counting the lines of all changes of a list."""
MAX_COMMAND_CHARS = 200
"""Characters of the first line of a shell command that its sentence has."""
MAX_COUNTED_FILES = 500
"""The most files of a change whose lines are counted."""
_TERMINAL_CLIENT = "filewright "
"""The beginning of the client's name in changes that a person made by commands."""


@dataclass(frozen=True, slots=True)
class Counts:
    """The files of some changes, and the lines added and removed, None if not counted."""

    files: int
    added: int | None = None
    removed: int | None = None


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A change in the list.

    `record` has all its files. `short_id` is the shortest end of its id that names it.
    `prompt` is the whole text of its prompt, "" if it is not known. `undone_by` is the
    id of the change that undid it. `is_healing` is True for a healing that is listed
    right after its edit.
    """

    record: ChangeRecord
    short_id: str
    title: str
    prompt: str
    counts: Counts
    undone_by: str | None
    is_healing: bool

    @property
    def words(self) -> str:
        """The first line of the prompt, "" if it is not known."""
        return prompt_title(self.prompt)

    def to_json(self) -> dict[str, Any]:
        """Return the change as JSON values: the fields that the tools return, and some more."""
        # The tools' models take longer to import than the list takes to be read.
        from filewright.tools.history import HistoryChange
        from filewright.tools.result import plain

        values: dict[str, Any] = plain(
            HistoryChange.from_record(self.record, None)
        )
        # Only a session knows which changes are its own.
        del values["by"]
        return {
            **values,
            "title": self.title,
            "prompt": self.prompt or None,
            "command": self.record.command or None,
            "undone_by": self.undone_by,
            "added": self.counts.added,
            "removed": self.counts.removed,
        }


@dataclass(frozen=True, slots=True)
class LogGroup:
    """The listed changes of one prompt, newest first.

    `words` are those of the person, "" if they are not known. `author` names the client,
    or the person. `counts` are of all that is left of the prompt; None if nothing is.
    """

    author: str
    words: str
    time: datetime
    entries: tuple[LogEntry, ...]
    counts: Counts | None


class LogEntryReader:
    """Reads entries and groups of a workspace's history, in a limited time."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._log = ChangeLog(workspace)
        self._prompt_texts = PromptTexts(workspace)
        self._counting = Task(seconds=COUNTING_SECONDS)

    def entries(self, records: Sequence[ChangeRecord]) -> list[LogEntry]:
        """Return the entries of changes, each healing after its edit."""
        all_ids = list(self._workspace.changes.ids())
        short_ids = shorten_ids([record.id for record in records], all_ids)
        entries: list[LogEntry] = []
        listed_ids: set[str] = set()
        for record in place_healings(records):
            listed_ids.add(record.id)
            row = self._log.row(record)
            entries.append(
                LogEntry(
                    record=record,
                    short_id=short_ids[record.id],
                    title=make_entry_title(record, row.title),
                    prompt=self._find_prompt(record),
                    counts=self.count(record.file_changes),
                    undone_by=row.undone_by,
                    is_healing=find_healed_edit(record) in listed_ids,
                )
            )
        return entries

    def _find_prompt(self, record: ChangeRecord) -> str:
        """Return the text of the prompt of a change, "" if it is not known."""
        text = self._prompt_texts.find(record.session, record.turn)
        if text is not None:
            return text
        # Some clients and scripts name a turn by the text of its prompt.
        turn = record.turn or ""
        return turn if " " in turn else ""

    def groups(self, entries: Iterable[LogEntry]) -> list[LogGroup]:
        """Return entries by prompt, in the order of each prompt's newest change.

        The commands that a person typed in a terminal are grouped by day.
        """
        entries_by_key: dict[object, list[LogEntry]] = {}
        for entry in entries:
            entries_by_key.setdefault(self._group_key(entry), []).append(entry)
        return [self._make_group(group) for group in entries_by_key.values()]

    def prompts(self, limit: int) -> list[LogGroup]:
        """Return the newest prompts of which something is left to undo."""
        groups: list[LogGroup] = []
        seen_prompts: set[str] = set()
        for head in self._workspace.changes.effective_changes():
            heading = self._log.prompt(head.id)
            if heading is None or heading.prompt.id in seen_prompts:
                continue
            # Of a prompt only its newest change is read: it stands for all of them.
            seen_prompts.add(heading.prompt.id)
            entry = replace(
                self.entries([self._workspace.record(head.id)])[0],
                title=heading.title,
            )
            group = self._make_group([entry])
            if group.counts is not None:
                groups.append(group)
            if len(groups) == limit:
                break
        return groups

    def _group_key(self, entry: LogEntry) -> object:
        record = entry.record
        if is_person(record.client):
            day = record.time.astimezone().date()
            return describe_author(record.client), day
        heading = self._log.prompt(record.id)
        return record.id if heading is None else heading.prompt.id

    def _make_group(self, entries: Sequence[LogEntry]) -> LogGroup:
        newest = entries[0].record
        counts: Counts | None
        if is_person(newest.client):
            # Each command is a session of its own: no selection has all of them.
            counts = _add_counts(entries)
        else:
            counts = self._count_prompt(newest.id)
        return LogGroup(
            author=describe_author(newest.client),
            words=entries[0].words,
            time=newest.time,
            entries=tuple(entries),
            counts=counts,
        )

    def _count_prompt(self, change_id: str) -> Counts | None:
        """Count what is left of the prompt of a change; None if nothing is."""
        try:
            selection = self._workspace.select(Scope(prompt=change_id))
        except FilewrightError:
            return None
        return self.count(selection.record.file_changes)

    def count(self, changes: Sequence[FileChange]) -> Counts:
        """Count the files of a change, and their lines if there is time."""
        files = [change for change in changes if not is_folder(change)]
        counts = Counts(len(files) or len(changes))
        if len(files) > MAX_COUNTED_FILES:
            return counts
        added_lines = removed_lines = 0
        is_text = False
        for change in files:
            # A list without some counts is better than one that a person waits for.
            if self._counting.expired:
                return counts
            try:
                difference = self._workspace.difference(change, max_lines=0)
            except FilewrightError:
                return counts
            if difference.added is not None:
                is_text = True
                added_lines += difference.added
                removed_lines += difference.removed or 0
        if not is_text:
            return counts
        return Counts(counts.files, added_lines, removed_lines)


def make_entry_title(record: ChangeRecord, title: str) -> str:
    """Return the title of a change; of a shell command its first line, after a `$`."""
    if record.reverts:
        return title.replace("“Shell: ", "“$ ")
    if record.tool != "shell":
        return title
    command = record.summary.removeprefix("shell: ")
    if command == record.summary:
        # A client's own tool for files, whose name is no sentence.
        sentence = join_phrases(describe_files(replace(record, tool="")))
        return sentence or title
    return f"$ {first_line(record.command or command, MAX_COMMAND_CHARS)}"


def is_person(client: str | None) -> bool:
    """Return True if a change was made by a person with filewright's own programs."""
    return (client or "").startswith(_TERMINAL_CLIENT)


def describe_author(client: str | None) -> str:
    """Return a client's name without its version, or in words who the person was."""
    if not client:
        return "an unnamed client"
    if client == REVIEW_CLIENT:
        return "you, on the review page"
    if client == SETUP_CLIENT:
        return SETUP_CLIENT
    if is_person(client):
        return "you, in the terminal"
    return re.sub(r"\s+v?\d\S*$", "", to_one_line(client))


def _add_counts(entries: Sequence[LogEntry]) -> Counts:
    """Return the sums of the counts of entries."""
    paths: set[str] = set()
    added_lines = removed_lines = 0
    is_counted = True
    for entry in entries:
        paths.update(entry.record.display_paths[:MAX_COUNTED_FILES])
        if entry.counts.added is None:
            is_counted = False
        added_lines += entry.counts.added or 0
        removed_lines += entry.counts.removed or 0
    if not is_counted:
        return Counts(len(paths))
    return Counts(len(paths), added_lines, removed_lines)
