"""The sessions of a workspace, and the files that changes changed together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from filewright.changes.diffs import FileDifference
from filewright.changes.model import ChangeRecord, FileChange
from filewright.changes.selection import Scope
from filewright.errors import Code, FilewrightError
from filewright.tools.best_effort import ExtraTask
from filewright.tools.context import Context
from filewright.tools.history import unknown_cursor

MAX_COUNTED_CHANGES = 200
"""The changes of a session up to which its files and lines are counted."""

COUNTING_SECONDS = 0.25
"""The time to count the files and lines of all sessions of a list."""

MAX_DIFF_ROWS = 4_000
"""The rows of all diffs of one list of files."""

MIN_DIFF_ROWS = 10
"""Rows of each diff on a page, even if the others have used up all rows."""

_HEADER_ROWS = 4
"""Rows of a diff before its first hunk."""


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """A session: its times (ISO 8601, UTC), its changes, and how many of them are undone.

    `files`, `added` and `removed` count the files and lines of its changes that are not
    undone; None if they were not counted. `session` is None for the changes of which no
    session is known.
    """

    session: str | None
    client: str | None
    first: str
    last: str
    changes: int
    undone: int
    files: int | None
    added: int | None
    removed: int | None


@dataclass(frozen=True, slots=True)
class SessionsResult:
    """The sessions, the latest first; with `next_cursor` there are more."""

    sessions: tuple[SessionSummary, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class ChangedFiles:
    """The files that some changes changed together, each with its diff.

    `what` names the changes, `change_ids` are theirs, newest first. `files` begins at
    `offset` of `file_count`; with `next_offset` there are more.
    """

    what: str
    change_ids: tuple[str, ...]
    files: tuple[FileDifference, ...]
    offset: int
    file_count: int
    next_offset: int | None


@dataclass(frozen=True, slots=True)
class _Counts:
    """The files and lines that a session changed; None if they were not counted."""

    files: int | None = None
    added: int | None = None
    removed: int | None = None


def list_sessions(
    context: Context, limit: int, cursor: str | None
) -> SessionsResult:
    """Return the sessions that changed something, from the one after `cursor` on.

    Raise `invalid_input` for a cursor that names no session.
    """
    groups = context.changes.sessions()
    undone_numbers = context.changes.undone_numbers()
    start = 0
    if cursor is not None:
        names = [group.name or "" for group in groups]
        if cursor not in names:
            raise unknown_cursor("session")
        start = names.index(cursor) + 1
    summaries: list[SessionSummary] = []
    # One limit for all sessions: when it has passed, the others are listed uncounted.
    counting = context.at(ExtraTask(context.task, COUNTING_SECONDS))
    for group in groups[start : start + limit]:
        context.task.check()
        undone = 0
        if undone_numbers:
            numbers = context.changes.numbers_of_session(group.name)
            undone = len(undone_numbers & numbers)
        counts = _Counts()
        if group.name is not None and group.changes <= MAX_COUNTED_CHANGES:
            counts = _count_lines(counting, group.name)
        summaries.append(
            SessionSummary(
                session=group.name,
                client=group.client,
                first=group.begun.isoformat(),
                last=group.ended.isoformat(),
                changes=group.changes,
                undone=undone,
                files=counts.files,
                added=counts.added,
                removed=counts.removed,
            )
        )
    next_cursor = None
    if summaries and start + len(summaries) < len(groups):
        next_cursor = summaries[-1].session or ""
    return SessionsResult(tuple(summaries), next_cursor)


def _count_lines(context: Context, session: str) -> _Counts:
    """Count the files and lines of the changes of a session that are not undone."""
    added = removed = 0
    try:
        selection = context.changes.select(
            Scope(session=session), inside=True, task=context.task
        )
        changes = _changes_of_files(selection.record)
        for change in changes:
            context.task.check()
            difference = context.changes.file_difference(change, max_lines=0)
            added += difference.added or 0
            removed += difference.removed or 0
    except FilewrightError as error:
        # Every change of the session is undone.
        if error.code is Code.NO_CHANGE:
            return _Counts(0, 0, 0)
        return _Counts()
    return _Counts(len(changes), added, removed)


def list_changed_files(
    context: Context, scope: Scope | str, offset: int, limit: int
) -> ChangedFiles:
    """Return the net change of a scope, file by file. Raise as `Changes.select`."""
    selection = context.changes.select(scope, inside=True, task=context.task)
    changes = _changes_of_files(selection.record)
    files: list[FileDifference] = []
    rows_left = MAX_DIFF_ROWS
    for change in changes[offset : offset + limit]:
        # A page without a file could not be continued, so the first is always shown.
        if rows_left <= 0 and files:
            break
        context.task.check()
        max_rows = min(
            context.settings.diff_lines, max(rows_left, MIN_DIFF_ROWS)
        )
        difference = context.changes.file_difference(change, max_lines=max_rows)
        files.append(difference)
        for diff in difference.diffs:
            rows_left -= diff.row_count + _HEADER_ROWS
    end = offset + len(files)
    return ChangedFiles(
        what=selection.description,
        change_ids=selection.change_ids,
        files=tuple(files),
        offset=offset,
        file_count=len(changes),
        next_offset=end if end < len(changes) else None,
    )


def _changes_of_files(record: ChangeRecord) -> Sequence[FileChange]:
    """Return the changes of files and links, without those of folders."""
    changes: list[FileChange] = []
    for change in record.file_changes:
        states = (change.before, change.after)
        if not any(state and state.kind == "folder" for state in states):
            changes.append(change)
    return changes
