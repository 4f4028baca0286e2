"""What was done, for a person who looks back: the sessions, and what a scope of changes did file by file."""

from __future__ import annotations

import time
from dataclasses import dataclass

from filewright.changes import Entry, FileDifference, Scope
from filewright.errors import Code, FilewrightError, invalid
from filewright.tools.context import Context
from filewright.tools.result import Page, ToolResult
from filewright.visible import visible
from filewright.wording import counted

_COUNTING_SECONDS = 2.0
_PAGE_LINES = 4_000


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """One session: times in ISO 8601 (UTC), how many changes it made and how many of those are undone.

    What is left of it is `files`, with the lines `added` and `removed` in them; each None if that was not
    counted. `session` is None for the changes of which no session is known.
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


@dataclass(frozen=True, kw_only=True)
class SessionsResult(ToolResult):
    """The sessions, the one that changed something last first; from `next_cursor` on there are more."""

    sessions: tuple[SessionSummary, ...]
    next_cursor: str | None


@dataclass(frozen=True, kw_only=True)
class ChangedFiles(ToolResult):
    """What some changes did together, file by file; the text is their net diff, git style.

    `what` names the changes, `change_ids` are theirs, newest first. `files` begins at `offset` of
    `file_count`, and from `next_offset` on there are more.
    """

    what: str
    change_ids: tuple[str, ...]
    files: tuple[FileDifference, ...]
    offset: int
    file_count: int
    next_offset: int | None


def scope_of(
    context: Context,
    tool: str,
    change_id: str | None,
    session: str | None,
    since: str | None,
    path: str | None = None,
    hunk: int | None = None,
    prompt: str | None = None,
) -> Scope:
    """What arguments mean. Raises `invalid_input` unless a change, a session, a moment or a prompt is given."""
    if sum(given is not None for given in (change_id, session, since, prompt)) != 1:
        raise invalid(
            f"{tool} takes one of change_id, session and since",
            "change_id for one change (get_history lists them), session for all of a session, since for "
            "everything after a change or a time",
        )
    location = context.boundary.locate(path) if path is not None else None
    return Scope(change_id, session, since, location, hunk, prompt)


def sessions(context: Context, limit: int, cursor: str | None) -> SessionsResult:
    """The sessions that changed something, from the one after `cursor` on.

    Raises `invalid_input` for a cursor that is none.
    """
    groups = context.changes.sessions()
    undone = context.changes.undone()
    begin = 0
    if cursor is not None:
        begin = next((at for at, group in enumerate(groups, 1) if (group.name or "") == cursor), 0)
        if not begin:
            raise invalid(
                "the cursor is not one that this tool gave, or the session it names is no longer kept",
                "leave it out to start from the newest session",
                argument="cursor",
            )
    made: list[SessionSummary] = []
    page = Page(context.settings.page_chars)
    deadline = time.monotonic() + _COUNTING_SECONDS
    for group in groups[begin : begin + limit]:
        counts = _counts(context, group.name) if time.monotonic() < deadline else (None, None, None)
        summary = SessionSummary(
            group.name,
            group.client,
            group.begun.isoformat(),
            group.ended.isoformat(),
            group.changes,
            len(undone & context.changes.made_in(group.name)) if undone else 0,
            *counts,
        )
        row = _row(summary)
        if made and not page.fits(row, reserve=120):
            break
        page.add(row)
        made.append(summary)
    more = begin + len(made) < len(groups)
    following = (made[-1].session or "") if made and more else None
    if not made:
        page.add("[no changes are recorded]")
    elif more:
        page.add(f"[{counted(len(groups) - begin - len(made), 'more session')}: cursor={following}]")
    return SessionsResult(page.text(), sessions=tuple(made), next_cursor=following)


def _counts(context: Context, session: str | None) -> tuple[int | None, int | None, int | None]:
    """Files, lines added and removed by what is left of a session."""
    if session is None:
        return None, None, None
    try:
        record = context.changes.select(Scope(session=session), inside=True, task=context.task).record
    except FilewrightError as error:
        if error.code is Code.NO_CHANGE:
            return 0, 0, 0
        raise
    files = [entry for entry in record.entries if not _is_folder(entry)]
    added = removed = 0
    for entry in files:
        context.task.check()
        found = context.changes.difference(entry, max_lines=0)
        added += found.added or 0
        removed += found.removed or 0
    return len(files), added, removed


def _row(summary: SessionSummary) -> str:
    undone = f", {summary.undone} undone" if summary.undone else ""
    files = f", {counted(summary.files, 'file')}" if summary.files is not None else ""
    lines = f" +{summary.added} -{summary.removed}" if summary.added is not None else ""
    return (
        f"{summary.session or '(unknown)'}  {summary.last[:19].replace('T', ' ')}Z  "
        f"{visible(summary.client or '')}  {counted(summary.changes, 'change')}{undone}{files}{lines}"
    )


def changed_files(context: Context, scope: Scope, offset: int, limit: int) -> ChangedFiles:
    """What a scope of changes did, file by file: the net of them. Raises as `Changes.select` does."""
    selected = context.changes.select(scope, inside=True, task=context.task)
    entries = [entry for entry in selected.record.entries if not _is_folder(entry)]
    files: list[FileDifference] = []
    left = _PAGE_LINES
    for entry in entries[offset : offset + limit]:
        if left <= 0 and files:
            break
        context.task.check()
        lines = min(context.settings.diff_lines, max(left, 10))
        files.append(context.changes.difference(entry, max_lines=lines))
        left -= sum(diff.rows + 4 for diff in files[-1].diffs)
    end = offset + len(files)
    page = Page(context.settings.page_chars)
    page.add_diff("".join(file.diff for file in files))
    if end < len(entries):
        page.add(f"[{counted(len(entries) - end, 'more file')}: offset={end}]")
    return ChangedFiles(
        page.text(),
        what=selected.what,
        change_ids=selected.ids,
        files=tuple(files),
        offset=offset,
        file_count=len(entries),
        next_offset=end if end < len(entries) else None,
    )


def _is_folder(entry: Entry) -> bool:
    return any(side is not None and side.kind == "folder" for side in (entry.before, entry.after))
