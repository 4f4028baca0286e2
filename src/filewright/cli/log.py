"""The commands `log` and `show`, which show changes and their diffs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from filewright.changes.selection import find_healed_edit, place_healings
from filewright.cli.content_search import list_hits
from filewright.cli.history_options import (
    change_argument,
    path_option,
    person_command,
    session_option,
    since_option,
)
from filewright.cli.log_view import (
    render_change,
    render_changed_files,
    render_guard_notes,
    render_healing,
    render_notes,
    render_session,
)
from filewright.cli.terminal import write_paged

if TYPE_CHECKING:
    from collections.abc import Sequence

    from filewright.changes.model import ChangeRecord
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
@click.argument("path", required=False)
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
    help="Only changes of clients whose names begin with NAME.",
)
@since_option
@click.option(
    "--sessions",
    "by_session",
    is_flag=True,
    help="List sessions instead of changes.",
)
@click.option(
    "--stat",
    "has_files",
    is_flag=True,
    help="Show the files of each change, and the lines added and removed.",
)
@click.option(
    "-p", "--patch", "has_diff", is_flag=True, help="Show each change's diff."
)
@click.option(
    "--grep",
    metavar="TEXT",
    help="Search added and removed lines for TEXT; without capitals in any case.",
)
@person_command
def log(  # noqa: PLR0913  a parameter for each option
    workspace: Workspace,
    *,
    path: str | None,
    limit: int,
    cursor: str | None,
    by_session: bool,
    has_files: bool,
    has_diff: bool,
    grep: str | None,
    **filters: str | None,
) -> None:
    """List changes, newest first. With PATH, only changes of that file or folder."""
    if by_session:
        if path or has_files or has_diff or grep or any(filters.values()):
            raise click.UsageError(
                "--sessions goes with --limit and --cursor only"
            )
        write_paged(_list_sessions(workspace, limit, cursor))
        return
    before = None
    if cursor is not None:
        before = workspace.record(cursor).id
    if grep is not None:
        write_paged(
            list_hits(
                workspace, grep, path, limit=limit, before=before, **filters
            )
        )
        return
    # A change more than the limit shows that there are more.
    records = workspace.history(path, limit=limit + 1, before=before, **filters)
    lines = _render_records(
        workspace, records[:limit], has_files=has_files, has_diff=has_diff
    )
    if len(records) > limit:
        lines.append(f"more: add --cursor {records[limit - 1].id}")
    if not records:
        subject = "" if path is None else f" of {path}"
        lines.append(f"no changes{subject} are recorded")
    write_paged("\n".join(lines))


def _list_sessions(workspace: Workspace, limit: int, cursor: str | None) -> str:
    """Return the lines of the newest sessions."""
    result = workspace.sessions(limit=limit, cursor=cursor)
    lines = [render_session(summary) for summary in result.sessions]
    if result.next_cursor:
        lines.append(
            f"more: filewright log --sessions --cursor {result.next_cursor}"
        )
    return "\n".join(lines) or "no changes are recorded"


def _render_records(
    workspace: Workspace,
    records: Sequence[ChangeRecord],
    *,
    has_files: bool,
    has_diff: bool,
) -> list[str]:
    """Return the lines of changes; each healing follows its edit."""
    lines = []
    listed_ids: set[str] = set()
    for record in place_healings(records):
        listed_ids.add(record.id)
        # A healing whose edit is not on this page has a full line of its own.
        if find_healed_edit(record) in listed_ids:
            lines.append(render_healing(record))
        else:
            lines.append(render_change(record))
        lines += render_guard_notes(record)
        if has_files:
            for line in _list_files(workspace, record.id):
                lines.append(f"    {line}")
        if has_diff:
            lines.append(_read_diff(workspace, record.id))
    return lines


def _list_files(workspace: Workspace, scope: Scope | str) -> list[str]:
    """Return the lines of the files that changes of a scope changed together."""
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
@click.option(
    "--stat",
    "shows_files",
    is_flag=True,
    help="List the files and their numbers of lines instead of the diff.",
)
@person_command
def show(
    workspace: Workspace,
    *,
    change: str | None,
    session: str | None,
    since: str | None,
    path: str | None,
    shows_files: bool,
) -> None:
    """Show CHANGE (default: the newest) with its diff, or several changes as one."""
    if [change, session, since].count(None) < 2:
        raise click.UsageError("give a CHANGE, --session or --since")
    if session is None and since is None:
        change = change or "@"
    scope = workspace.scope(change, session=session, since=since, path=path)
    record = workspace.record(scope)
    lines = [record.summary]
    if change:
        lines = [render_change(record), *render_notes(record.notes)]
    if shows_files:
        lines += _list_files(workspace, scope)
    else:
        lines.append(_read_diff(workspace, scope))
    write_paged("\n".join(lines))
