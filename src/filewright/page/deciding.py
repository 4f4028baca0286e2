"""Deciding: the person accepts content, or takes back all that is not accepted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from filewright.changes.model import FileChange, parent_paths
from filewright.errors import Code, FilewrightError
from filewright.mailbox.marks import ACCEPTED
from filewright.page.cards import HunkKey, find_hunk_keys
from filewright.page.context import PageContext
from filewright.page.decisions import Decisions, file_key
from filewright.page.parts import Subject
from filewright.page.requests import DecisionRequest
from filewright.page.titles import is_folder
from filewright.progress import Task
from filewright.tools.best_effort import ExtraTask
from filewright.wording import pluralize

_COUNTING_SECONDS = 0.3
"""The time for counting the hunks of a view."""
_FILE_SECONDS = 1.0
"""The time for finding the hunks of one file that is undone."""
_MARKING_SECONDS = 5.0
"""The time for finding the hunks of the files that are accepted together."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The hunks of a view, and those that are open: neither accepted nor undone.

    A file without hunks counts as one. `is_complete`: all were counted.
    """

    open: int
    total: int
    is_complete: bool

    @property
    def text(self) -> str:
        """The numbers in words: "7 of 23 hunks open"."""
        total = pluralize(self.total, "hunk")
        if not self.open:
            return f"All {total} decided" if self.total > 1 else "Decided"
        at_least = "" if self.is_complete else "at least "
        return f"{at_least}{self.open:,} of {total} open"


class Deciding:
    """The decisions of the person about the content of views."""

    def __init__(self, context: PageContext) -> None:
        self._context = context
        self._workspace = context.workspace

    def routes(self) -> Sequence[Route]:
        """Return the address of a decision."""
        return [self._context.post("/decide", DecisionRequest, self._decide)]

    def show_bar(self, request: Request, subject: Subject) -> Response:
        """Return the bar of a view: how much is open, and what to do with the rest."""
        return self._context.html(
            "bar.html", request, subject, progress=self._count(subject)
        )

    def open_parts(self, subject: Subject) -> list[dict[str, Any]] | None:
        """Return the files and hunks of a view that are open, for an undo.

        Return None if all of it is open.
        """
        decisions = self._context.decisions()
        parts: list[dict[str, Any]] = []
        is_decided = False
        kept_folders: set[object] = set()
        folders: list[FileChange] = []
        for change in subject.record.file_changes:
            if is_folder(change):
                folders.append(change)
                continue
            open_hunks = self._find_open_hunks(change, decisions)
            if decisions.of(file_key(change)) or open_hunks == []:
                is_decided = True
                kept_folders.update(parent_paths(change.path))
                continue
            part: dict[str, Any] = {"path": self._display_path(change)}
            if open_hunks is not None:
                is_decided = True
                kept_folders.update(parent_paths(change.path))
                part["hunks"] = open_hunks
            parts.append(part)
        if not is_decided:
            return None
        for folder in folders:
            # What the person accepted in a folder keeps the folder.
            if folder.path not in kept_folders:
                parts.append({"path": self._display_path(folder)})
        return parts

    def mark_undone(self, keys: Mapping[str, str], undo_id: str) -> None:
        """Mark contents, given by their keys and paths, as undone by a change."""
        if keys:
            self._context.marks.decide(keys, undo_id)

    def keys_of_file(
        self, subject: Subject, path: str, hunk: int | None
    ) -> dict[str, str]:
        """Return the keys of a file, or of one of its hunks, each with the path of the file."""
        for change in subject.record.file_changes:
            if self._display_path(change) == path:
                task = Task(seconds=_FILE_SECONDS)
                return self._find_keys(change, task, hunk)
        return {}

    def keys_of_open(self, subject: Subject) -> dict[str, str]:
        """Return the keys of all that is open in a view, with the paths."""
        decisions = self._context.decisions()
        keys: dict[str, str] = {}
        task = Task(seconds=_MARKING_SECONDS)
        for change in subject.record.file_changes:
            if decisions.of(file_key(change)):
                continue
            for key, path in self._find_keys(change, task).items():
                if not decisions.of(key):
                    keys[key] = path
        return keys

    def _decide(self, _request: Request, body: DecisionRequest) -> str:
        """Accept hunks, files, or all of a view; or open them again."""
        context = self._context
        subject = context.select(body.kind, body.name)
        keys = self._keys_of(body, subject)
        if not body.accept:
            context.marks.reopen(keys)
            return "Open again."
        context.marks.decide(keys, ACCEPTED)
        if body.kind == "new":
            self._advance(subject)
        return "Accepted."

    def _keys_of(
        self, body: DecisionRequest, subject: Subject
    ) -> dict[str, str]:
        """Return the keys of the contents that a decision is about, with their paths.

        Raise `stale_version` if a file, or the view, is not as the person saw it.
        """
        if body.hunks:
            return dict.fromkeys(body.hunks, body.path or "")
        if not body.files:
            if body.newest != self._workspace.newest():
                raise _changed_meanwhile()
            return self.keys_of_open(subject)
        wanted_keys = set(body.files)
        keys: dict[str, str] = {}
        task = Task(seconds=_MARKING_SECONDS)
        for change in subject.record.file_changes:
            if file_key(change) in wanted_keys:
                keys |= self._find_keys(change, task)
        if not wanted_keys.issubset(keys):
            raise _changed_meanwhile()
        return keys

    def _advance(self, subject: Subject) -> None:
        """Begin the next view of news here, if all of this one is decided."""
        progress = self._count(subject)
        if progress.is_complete and not progress.open:
            newest = max(subject.selection.change_ids)
            self._context.marks.set_decided_until(newest)

    def _find_keys(
        self, change: FileChange, task: Task, hunk: int | None = None
    ) -> dict[str, str]:
        """Return the keys of a file and of its hunks, or of one hunk, with the path."""
        path = change.path.display_path
        hunk_keys = find_hunk_keys(self._workspace, change, task) or []
        if hunk is not None:
            return {
                hunk_key.key: path
                for hunk_key in hunk_keys
                if hunk_key.number == hunk
            }
        keys = {file_key(change): path}
        for hunk_key in hunk_keys:
            keys[hunk_key.key] = path
        return keys

    def _find_open_hunks(
        self, change: FileChange, decisions: Decisions
    ) -> list[int] | None:
        """Return the numbers of open hunks; None if no hunk is decided."""
        if change.path.display_path not in decisions.paths:
            return None
        # Without a time limit: an accepted hunk must never be undone.
        hunk_keys = find_hunk_keys(self._workspace, change, Task()) or []
        decided_numbers = {
            hunk_key.number
            for hunk_key in hunk_keys
            if decisions.of(hunk_key.key)
        }
        if not decided_numbers:
            return None
        numbers = dict.fromkeys(hunk_key.number for hunk_key in hunk_keys)
        return [number for number in numbers if number not in decided_numbers]

    def _display_path(self, change: FileChange) -> str:
        """Return the path by which a request names the file."""
        location = change.path.locate(self._workspace.roots)
        return (location or change.path).display_path

    def _count(self, subject: Subject) -> Progress:
        """Count the hunks of a view, as far as the time goes."""
        decisions = self._context.decisions()
        task = ExtraTask(Task(), _COUNTING_SECONDS)
        open_count = total_count = 0
        is_complete = True
        for hunk_keys, content_key in self._iter_keys(subject, task):
            if hunk_keys is None:
                is_complete = False
            numbers = {hunk_key.number for hunk_key in hunk_keys or ()}
            decided_numbers = {
                hunk_key.number
                for hunk_key in hunk_keys or ()
                if decisions.of(hunk_key.key)
            }
            hunk_count = len(numbers) or 1
            total_count += hunk_count
            if not decisions.of(content_key):
                open_count += hunk_count - len(decided_numbers)
        return Progress(open_count, total_count, is_complete)

    def _iter_keys(
        self, subject: Subject, task: Task
    ) -> Iterator[tuple[list[HunkKey] | None, str]]:
        """Yield the keys of hunks, and of the file, for each file of a view."""
        for change in subject.record.file_changes:
            if not is_folder(change):
                keys = find_hunk_keys(self._workspace, change, task)
                yield keys, file_key(change)


def _changed_meanwhile() -> FilewrightError:
    return FilewrightError(
        Code.STALE_VERSION,
        "This has changed since you looked: look again before you accept it.",
    )
