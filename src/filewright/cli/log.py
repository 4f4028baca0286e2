"""The commands `log` and `show`, which show changes and their diffs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from filewright.cli.content_search import (
    GREP_SECONDS,
    describe_hits,
    list_hits,
)
from filewright.cli.history_options import (
    change_argument,
    complete_client,
    no_history,
    path_option,
    person_command,
    session_option,
    since_option,
)
from filewright.cli.log_entries import LogEntry, LogEntryReader
from filewright.cli.log_view import (
    NOTHING_YET,
    render_change,
    render_changed_files,
    render_entry,
    render_groups,
    render_guard_notes,
    render_session,
    render_session_row,
)
from filewright.cli.options import json_option, stat_option
from filewright.cli.terminal import (
    get_width,
    has_colours,
    write_json,
    write_paged,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from filewright.changes.content_search import HistorySearch
    from filewright.changes.selection import Scope
    from filewright.workspace import Workspace

MAX_DIFF_LINES = 100_000
MAX_LISTED_FILES = 1_000
"""The most files that `--stat` lists of a change."""


@click.command(
    short_help="List the changes, by prompt",
    epilog="""\b
Examples:
  filewright log                       the newest changes in this folder
  filewright log src/app.py -p         the changes of a file, with their diffs
  filewright log --sessions            the sessions instead of the changes
  filewright log --session last --stat
  filewright log --grep "total ="      changes that added or removed the text
  filewright log --since "2 hours ago" --client claude""",
)
@click.argument("path", type=click.Path(), required=False)
@click.option(
    "-n",
    "--limit",
    default=20,
    show_default=True,
    type=click.IntRange(1, 1000),
    help="The number of changes or sessions.",
)
@click.option(
    "--cursor",
    metavar="CHANGE",
    help="Continue after this change (with --sessions: after this session).",
)
@session_option
@click.option(
    "--client",
    metavar="NAME",
    shell_complete=complete_client,
    help="Only changes of clients whose names begin with NAME.",
)
@since_option
@click.option(
    "--sessions",
    "by_session",
    is_flag=True,
    help="List sessions instead of changes.",
)
@stat_option
@click.option(
    "-p", "--patch", "has_diff", is_flag=True, help="Show each change's diff."
)
@click.option(
    "--grep",
    metavar="TEXT",
    help="Search added and removed lines for TEXT. Case matters if TEXT has capitals.",
)
@click.option(
    "--full",
    "is_full",
    is_flag=True,
    help="Show ids, times, sessions and turns whole, as in a pipe.",
)
@json_option
@person_command
def log(
    workspace: Workspace,
    *,
    path: str | None,
    limit: int,
    cursor: str | None,
    by_session: bool,
    has_files: bool,
    has_diff: bool,
    grep: str | None,
    is_full: bool,
    as_json: bool,
    **filters: str | None,
) -> None:
    """List changes, newest first. With PATH, only changes of that file or folder.

    A terminal shows them by prompt. In a pipe each change has a line, with the whole
    id first.
    """
    if by_session:
        if path or has_files or has_diff or grep or any(filters.values()):
            raise click.UsageError(
                "--sessions goes with --limit and --cursor only"
            )
        _write_sessions(workspace, limit, cursor, as_json=as_json)
        return
    before = None
    if cursor is not None:
        before = workspace.record(cursor).id
    if grep is not None:
        result = workspace.search_history(
            grep,
            path,
            limit=limit,
            before=before,
            seconds=GREP_SECONDS,
            **filters,
        )
        _write_hits(workspace, grep, result, as_json=as_json)
        return
    # One change beyond the limit tells that there are more.
    records = workspace.history(path, limit=limit + 1, before=before, **filters)
    if not records and path is not None and not any(filters.values()):
        raise no_history(workspace, path)
    reader = LogEntryReader(workspace)
    entries = reader.entries(records[:limit])
    next_cursor = records[limit - 1].id if len(records) > limit else None
    if as_json:
        changes = [entry.to_json() for entry in entries]
        write_json({"changes": changes, "next_cursor": next_cursor})
        return
    details: dict[str, list[str]] = {}
    for entry in entries:
        details[entry.record.id] = _list_details(
            workspace, entry, has_files=has_files, has_diff=has_diff
        )
    lines = _render_entries(reader, entries, details, is_full=is_full)
    if next_cursor is not None:
        lines.append(f"more: add --cursor {next_cursor}")
    if not records:
        is_filtered = path is not None or any(filters.values())
        lines.append("no change matches" if is_filtered else NOTHING_YET)
    write_paged("\n".join(lines))


def _render_entries(
    reader: LogEntryReader,
    entries: Sequence[LogEntry],
    details: Mapping[str, Sequence[str]],
    *,
    is_full: bool,
) -> list[str]:
    """Return the lines of changes, by prompt on a terminal, with their details."""
    if sys.stdout.isatty() and not is_full:
        return render_groups(
            reader.groups(entries),
            get_width(),
            has_colours=has_colours(),
            details=details,
        )
    lines: list[str] = []
    for entry in entries:
        lines += [render_entry(entry), *details[entry.record.id]]
    return lines


def _write_hits(
    workspace: Workspace, text: str, result: HistorySearch, *, as_json: bool
) -> None:
    """Write the hits of a search in contents."""
    if as_json:
        write_json(describe_hits(result))
    else:
        write_paged(list_hits(workspace, text, result))


def _write_sessions(
    workspace: Workspace, limit: int, cursor: str | None, *, as_json: bool
) -> None:
    """Write the newest sessions."""
    result = workspace.sessions(limit=limit, cursor=cursor)
    if as_json:
        from filewright.tools.result import plain

        write_json(plain(result))
        return
    lines: list[str] = []
    for summary in result.sessions:
        if sys.stdout.isatty():
            lines.append(
                render_session_row(
                    summary, get_width(), has_colours=has_colours()
                )
            )
        else:
            lines.append(render_session(summary))
    if result.next_cursor:
        lines.append(
            f"more: filewright log --sessions --cursor {result.next_cursor}"
        )
    write_paged("\n".join(lines) or NOTHING_YET)


def _list_details(
    workspace: Workspace, entry: LogEntry, *, has_files: bool, has_diff: bool
) -> list[str]:
    """Return the lines below the line of a change: notes, files and diff."""
    lines = render_guard_notes(entry.record)
    if has_files:
        for line in _list_files(workspace, entry.record.id):
            lines.append(f"    {line}")
    if has_diff:
        lines.append(_read_diff(workspace, entry.record.id))
    return lines


def _list_files(workspace: Workspace, scope: Scope | str) -> list[str]:
    """Return a line for each file that the changes of a scope changed."""
    changed = workspace.changed_files(scope, limit=MAX_LISTED_FILES)
    return render_changed_files(changed)


def _read_diff(workspace: Workspace, scope: Scope | str) -> str:
    """Return the diff of a scope as text."""
    return workspace.diff(scope, max_lines=MAX_DIFF_LINES).text


@click.command(
    short_help="Show a change with its diff, or several as one",
    epilog="""\b
Examples:
  filewright show                 the newest change
  filewright show @~1             the change before it
  filewright show --session last  a session's changes that remain, as one
  filewright show --since 14:00   all changes since then, as one diff""",
)
@change_argument
@session_option
@since_option
@path_option
@stat_option
@json_option
@person_command
def show(
    workspace: Workspace,
    *,
    change: str | None,
    session: str | None,
    since: str | None,
    path: str | None,
    has_files: bool,
    as_json: bool,
) -> None:
    """Show CHANGE (default: the newest) with its diff, or several changes as one."""
    if [change, session, since].count(None) < 2:
        raise click.UsageError("give a CHANGE, --session or --since")
    if session is None and since is None:
        change = change or "@"
    scope = workspace.scope(change, session=session, since=since, path=path)
    record = workspace.record(scope)
    entry = None
    if change:
        entry = LogEntryReader(workspace).entries([record])[0]
    if as_json:
        write_json(_show_json(workspace, scope, entry))
        return
    lines = [record.summary]
    if entry is not None:
        lines = render_change(entry, is_full=not sys.stdout.isatty())
    if has_files:
        lines += _list_files(workspace, scope)
    else:
        lines.append(_read_diff(workspace, scope))
    write_paged("\n".join(lines))


def _show_json(
    workspace: Workspace, scope: Scope, entry: LogEntry | None
) -> dict[str, Any]:
    """Return a change, or several as one, with files and diff, as JSON values."""
    from filewright.tools.result import plain

    changed = workspace.changed_files(scope, limit=MAX_LISTED_FILES)
    files: list[dict[str, Any]] = []
    for file in changed.files:
        values = plain(file)
        del values["diffs"]
        files.append(values)
    return {
        "change": None if entry is None else entry.to_json(),
        "change_ids": list(changed.change_ids),
        "files": files,
        "file_count": changed.file_count,
        "diff": _read_diff(workspace, scope),
    }
