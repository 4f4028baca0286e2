"""`filewright log`, `show`, `undo`, `redo`, `rewind` and `restore`: what was changed, and taking it back."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from filewright.changes.selection import find_healed_edit, place_healings
from filewright.cli import open_workspace, write
from filewright.cli.options import (
    ANY_PATH,
    dry_run_option,
    workspace_command,
    yes_option,
)
from filewright.cli.terminal import confirm_or_exit, write_paged
from filewright.errors import Code, FilewrightError, invalid
from filewright.recording.damage import GuardSentence
from filewright.wording import join_limited, pluralize, to_one_line

if TYPE_CHECKING:
    from filewright.changes.model import ChangeRecord
    from filewright.changes.selection import Scope
    from filewright.tools.revert import RevertResult
    from filewright.workspace import Workspace

_SHOWN_LINES = 100_000
_STAT_FILES = 1_000


_of_workspace = workspace_command(allow_write=ANY_PATH)


def _completing(
    names: Callable[[Workspace], Iterable[str | None]],
) -> Callable[..., list[str]]:
    """What a shell is offered: those of some names of the workspace that go on from what is begun."""

    def complete(
        context: click.Context, _parameter: click.Parameter, begun: str
    ) -> list[str]:
        given = context.params
        with open_workspace(
            given.get("roots") or (), state_dir=given.get("state_dir")
        ) as workspace:
            return [
                name
                for name in names(workspace)
                if name and name.startswith(begun)
            ]

    return complete


_changes = _completing(
    lambda workspace: [record.id for record in workspace.history(limit=50)]
)
_sessions = _completing(
    lambda workspace: [
        "last",
        *(each.session for each in workspace.sessions(limit=50).sessions),
    ]
)


# Looking


_of_session = click.option(
    "--session",
    metavar="SESSION",
    shell_complete=_sessions,
    help="Of one session; last is the newest.",
)
_since = click.option(
    "--since",
    metavar="WHEN",
    help="After a time (2026-11-22T10:00, 10:00, 20 min ago) or a change.",
)
_with_path = click.option(
    "--path",
    metavar="PATH",
    help="Only of this file, or of what is below this folder.",
)
_change = click.argument("change", required=False, shell_complete=_changes)


@click.command(
    epilog="""\b
Examples:
  filewright log                       the newest changes of this folder
  filewright log src/app.py -p         of one file, each with its diff
  filewright log --sessions            the sessions, with what is left of each
  filewright log --session last --stat
  filewright log --since "2 hours ago" --client claude"""
)
@click.argument("path", required=False)
@click.option(
    "-n",
    "--limit",
    default=20,
    show_default=True,
    type=click.IntRange(1, 1000),
    help="How many.",
)
@click.option(
    "--cursor",
    metavar="CHANGE",
    help="Go on after this change (or session, with --sessions).",
)
@_of_session
@click.option(
    "--client", metavar="NAME", help="Of clients whose name begins so."
)
@_since
@click.option(
    "--sessions",
    "by_session",
    is_flag=True,
    help="List sessions instead of changes.",
)
@click.option(
    "--stat",
    is_flag=True,
    help="With the files of each change and the lines added and removed.",
)
@click.option(
    "-p", "--patch", is_flag=True, help="With the diff of each change."
)
@_of_workspace
def log(
    workspace: Workspace,
    *,
    path: str | None,
    limit: int,
    cursor: str | None,
    by_session: bool,
    stat: bool,
    patch: bool,
    **filters: str | None,
) -> None:
    """List the newest changes, all or those of PATH, in local time."""
    rows: list[str] = []
    if by_session:
        if path or stat or patch or any(filters.values()):
            raise click.UsageError(
                "--sessions goes with --limit and --cursor only"
            )
        found = workspace.sessions(limit=limit, cursor=cursor)
        rows += map(_session_row, found.sessions)
        if found.next_cursor:
            rows.append(
                f"more: filewright log --sessions --cursor {found.next_cursor}"
            )
    else:
        before = workspace.record(cursor).id if cursor is not None else None
        records = workspace.history(
            path, limit=limit + 1, before=before, **filters
        )
        listed: set[str] = set()
        for record in place_healings(records[:limit]):
            listed.add(record.id)
            if find_healed_edit(record) in listed:
                rows.append(_healing_row(record))
            else:
                rows.append(_row(record))
            rows += _guard_notes(record)
            if stat:
                rows += [f"    {row}" for row in _stat(workspace, record.id)]
            if patch:
                rows.append(
                    workspace.diff(record.id, max_lines=_SHOWN_LINES).text
                )
        if len(records) > limit:
            rows.append(f"more: add --cursor {records[limit - 1].id}")
    write_paged(
        "\n".join(rows)
        or f"no changes{f' of {path}' if path is not None else ''} are recorded"
    )


def show_status() -> None:
    """In five lines: the folder and where its history is, the newest changes, the clients, and what to do next."""
    from filewright.changes.state_dir import state_base_folder
    from filewright.cli.clients import find_configured_titles

    clients = find_configured_titles()
    with open_workspace(()) as workspace:
        folders = ", ".join(os.fsdecode(root.path) for root in workspace.roots)
        write(f"{folders}; history: {state_base_folder(workspace.settings)}")
        write(
            "\n".join(map(_row, workspace.history(limit=3)))
            or "no changes are recorded"
        )
        if not clients:
            following = (
                "filewright setup CLIENT (claude-code, codex, cursor, ...)"
            )
        elif workspace.newest_undoable() is not None:
            following = "filewright review shows the changes; filewright undo takes the newest back"
        else:
            following = "filewright setup --check tries them; then let one change a file"
    write(
        f"clients: {join_limited(clients, 4) or 'none is configured'}; next: {following}"
    )


def _row(record: ChangeRecord) -> str:
    from filewright.tools.history import ago

    turn = f"turn {record.turn}" if record.turn else None
    who = " ".join(
        to_one_line(part)
        for part in (record.client, record.session, turn)
        if part
    )
    undo = ""
    if record.reverts:
        undo = f"  [undoes {'some of ' if record.partial else ''}{join_limited(record.reverts, 1)}]"
    when = f"{record.time.astimezone():%Y-%m-%d %H:%M:%S} ({ago(record.time)})"
    return f"{record.id}  {when}  {to_one_line(record.summary)}{undo}{f'  [{who}]' if who else ''}"


def _healing_row(record: ChangeRecord) -> str:
    """Return the row of a healing below the row of its edit."""
    return f"  {to_one_line(record.summary)}  [{record.id}, undone with it]"


def _guard_notes(record: ChangeRecord) -> list[str]:
    """Return a row for each damage of a change that was not healed."""
    rows = []
    for note in record.notes:
        if GuardSentence.parse(note) is not None:
            rows.append(f"    [{to_one_line(note)}]")
    return rows


def _session_row(each: Any) -> str:
    from datetime import datetime

    first, last = (
        datetime.fromisoformat(moment).astimezone()
        for moment in (each.first, each.last)
    )
    undone = f" ({each.undone} undone)" if each.undone else ""
    left = (
        f", {pluralize(each.files, 'file')} +{each.added} -{each.removed}"
        if each.files is not None
        else ""
    )
    return (
        f"{each.session or '(unknown)'}  {first:%Y-%m-%d %H:%M:%S} to {last:%H:%M:%S}  "
        f"{pluralize(each.changes, 'change')}{undone}{left}  {to_one_line(each.client or '')}".rstrip()
    )


def _stat(workspace: Workspace, scope: Scope | str) -> list[str]:
    """A row for each file with its lines."""
    found = workspace.changed_files(scope, limit=_STAT_FILES)
    rows = []
    for file in found.files:
        lines = "" if file.added is None else f"  +{file.added} -{file.removed}"
        renamed = f"{file.was} → " if file.was is not None else ""
        rows.append(f"{file.action:<10} {renamed}{file.path}{lines}")
    if found.next_offset is not None:
        rows.append(f"and {found.file_count - found.next_offset:,} more files")
    return rows


@click.command(
    epilog="""\b
Examples:
  filewright show                      the newest change
  filewright show @~1                  the one before
  filewright show --session last       all that is left of a session, as one diff
  filewright show --since 14:00        all since then, as one diff"""
)
@_change
@_of_session
@_since
@_with_path
@click.option(
    "--stat",
    is_flag=True,
    help="The files and their lines instead of the diff.",
)
@_of_workspace
def show(
    workspace: Workspace,
    *,
    change: str | None,
    session: str | None,
    since: str | None,
    path: str | None,
    stat: bool,
) -> None:
    """Show one CHANGE with its diff, or several together as one."""
    if [change, session, since].count(None) < 2:
        raise click.UsageError("give a CHANGE, --session or --since")
    one = change or ("@" if session is None and since is None else None)
    scope = workspace.scope(one, session=session, since=since, path=path)
    record = workspace.record(scope)
    head = (
        [_row(record), *(f"[{note}]" for note in record.notes)]
        if one
        else [record.summary]
    )
    if stat:
        head += _stat(workspace, scope)
    else:
        head.append(workspace.diff(scope, max_lines=_SHOWN_LINES).text)
    write_paged("\n".join(head))


# Taking back


_TakingBack = tuple[str, Callable[[bool], "RevertResult"]]
"""What to ask before, and what to do; with True it is only shown."""


def _taking_back(command: Callable[..., _TakingBack]) -> Callable[..., None]:
    """Show what a command would take back, ask, and do it; with the options to do without either."""

    @wraps(command)
    def asked(
        workspace: Workspace, *, yes: bool, dry_run: bool, **given: Any
    ) -> None:
        question, act = command(workspace, **given)
        if dry_run or not yes:
            write_paged(act(True).text)
            if dry_run:
                return
            confirm_or_exit(question)
        write_paged(act(False).text)

    return dry_run_option(yes_option(_of_workspace(asked)))


_force = click.option(
    "--force", is_flag=True, help="Even over what others have changed since."
)
_in_part = click.option(
    "--partial",
    is_flag=True,
    help="Leave what others have changed in the same place, and show both sides of that.",
)
_include_shared = click.option(
    "--include-shared",
    is_flag=True,
    help="Also what another command that ran at the same time may have changed.",
)


@click.command(
    epilog="""\b
Examples:
  filewright undo                      the newest change, after asking; again: the one before
  filewright undo CHANGE --yes         a certain one, without asking
  filewright undo @~2 --path a.txt     of the third newest only what it did to a file
  filewright undo CHANGE --path a.txt --hunk 2"""
)
@_change
@_with_path
@click.option(
    "--hunk",
    type=click.IntRange(min=1),
    help="Only this hunk of one file, as `show` counts them.",
)
@_force
@_in_part
@_include_shared
@_taking_back
def undo(
    workspace: Workspace, *, change: str | None, **how: Any
) -> _TakingBack:
    """Take back CHANGE, or the newest one that is not undone.

    Files changed since are merged, or it is refused; with --partial the rest is undone.
    """
    if change is None:
        newest = workspace.newest_undoable()
        if newest is None:
            hint = "`filewright log` lists the changes; `filewright redo` takes back the newest undo or rewind"
            raise FilewrightError(
                Code.NOT_FOUND, "there is no change to undo", hint
            )
        change = newest.id
    return f"Undo {change}?", lambda preview: workspace.revert_edit(
        change, preview=preview, **how
    )


@click.command(
    epilog="\b\nExample:\n  filewright redo                      what was undone or rewound last"
)
@_change
@_taking_back
def redo(workspace: Workspace, *, change: str | None) -> _TakingBack:
    """Take back the undo or rewind CHANGE, or the newest one."""
    return "Do it again?", lambda preview: workspace.redo(
        change, preview=preview
    )


@click.command(
    epilog="""\b
Examples:
  filewright rewind last               the newest session that changed something
  filewright rewind 3f9c12ab           a session (filewright log --sessions)
  filewright rewind "20 min ago"       everything since, whoever did it
  filewright rewind 14:30              everything since that time of today
  filewright rewind CHANGE             everything after that change; CHANGE^: that one too"""
)
@click.argument("target", shell_complete=_sessions)
@_with_path
@_force
@_in_part
@_include_shared
@_taking_back
def rewind(workspace: Workspace, *, target: str, **how: Any) -> _TakingBack:
    """Take back all of a session, or everything since a time or a change, as one change.

    What others have changed since stays: it is merged, or all of it is refused. A rewind is undone like
    any change.
    """
    scope = workspace.scope(named=target)
    return "Rewind?", lambda preview: workspace.revert_edit(
        session=scope.session, since=scope.since, preview=preview, **how
    )


@click.command(
    epilog="""\b
Examples:
  filewright restore a.txt CHANGE      as it was right after a change
  filewright restore a.txt CHANGE^     as it was right before it
  filewright restore src "1 hour ago"  a folder, also what was deleted in it"""
)
@click.argument("path")
@click.argument("when")
@_taking_back
def restore(workspace: Workspace, *, path: str, when: str) -> _TakingBack:
    """Give PATH the content it had at a time or right after a change, over what is there now."""
    if workspace.scope(named=when).since is None:
        raise invalid(
            f"{when} names a session, and a file is restored as it was at a time or a change",
            "filewright rewind SESSION --path PATH takes back what a session did to it",
        )
    return f"Restore {path}?", lambda preview: workspace.restore(
        path, when, preview=preview
    )
