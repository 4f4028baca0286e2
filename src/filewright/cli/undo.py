"""The commands `undo`, `redo`, `rewind` and `restore`, which undo changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from filewright.cli.history_options import (
    change_argument,
    complete_session,
    path_option,
    person_command,
)
from filewright.cli.options import dry_run_option, yes_option
from filewright.cli.terminal import confirm_or_exit, write_paged
from filewright.errors import Code, FilewrightError, invalid

if TYPE_CHECKING:
    from filewright.tools.revert import RevertResult
    from filewright.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Reversal:
    """A change of the files that undoes others, and the question to ask before it.

    `revert` is called with True for a preview, and with False to make the change.
    """

    question: str
    revert: Callable[[bool], RevertResult]


def _confirmed(command: Callable[..., Reversal]) -> Callable[..., None]:
    """Return a command that shows the preview of a reversal, asks, and makes it.

    It has the options to leave out the question, or to show the preview alone.
    """

    @wraps(command)
    def run(
        workspace: Workspace, *, yes: bool, dry_run: bool, **arguments: Any
    ) -> None:
        reversal = command(workspace, **arguments)
        if dry_run or not yes:
            write_paged(reversal.revert(True).text)
        if dry_run:
            return
        if not yes:
            confirm_or_exit(reversal.question)
        write_paged(reversal.revert(False).text)

    return dry_run_option(yes_option(person_command(run)))


_force_option = click.option(
    "--force", is_flag=True, help="Undo even if this discards later changes."
)
_partial_option = click.option(
    "--partial",
    is_flag=True,
    help="Undo the rest where later changes conflict, and show both sides of each conflict.",
)
_shared_option = click.option(
    "--include-shared",
    is_flag=True,
    help="Undo also changes that another command, running at the same time, may have made.",
)


@click.command(
    short_help="Undo a change, a file of it or a hunk",
    epilog="""\b
Examples:
  filewright undo                      the newest change, after asking
  filewright undo CHANGE --yes         this change, without asking
  filewright undo @~2 --path a.txt     one file of the third newest change
  filewright undo CHANGE --path a.txt --hunk 2""",
)
@change_argument
@path_option
@click.option(
    "--hunk",
    type=click.IntRange(min=1),
    help="Only this hunk of one file, counted as in `show`.",
)
@_force_option
@_partial_option
@_shared_option
@_confirmed
def undo(
    workspace: Workspace, *, change: str | None, **options: Any
) -> Reversal:
    """Undo CHANGE (default: the newest that is not undone).

    Later changes to the same files are kept; if they conflict, nothing is undone, or
    with --partial only the rest.
    """
    if change is None:
        newest = workspace.newest_undoable()
        if newest is None:
            hint = "`filewright log` lists the changes; `filewright redo` undoes the newest undo or rewind"
            raise FilewrightError(
                Code.NOT_FOUND, "there is no change to undo", hint
            )
        change = newest.id
    change_id = change

    def revert(preview: bool) -> RevertResult:
        return workspace.revert_edit(change_id, preview=preview, **options)

    return Reversal(f"Undo {change_id}?", revert)


@click.command(
    short_help="Redo what an undo or rewind undid",
    epilog="\b\nExample:\n  filewright redo             redo the newest undo or rewind",
)
@change_argument
@_confirmed
def redo(workspace: Workspace, *, change: str | None) -> Reversal:
    """Redo what the undo or rewind CHANGE (default: the newest) undid."""

    def revert(preview: bool) -> RevertResult:
        return workspace.redo(change, preview=preview)

    return Reversal("Redo?", revert)


@click.command(
    short_help="Undo a prompt, a session, or all since a time",
    epilog="""\b
Examples:
  filewright rewind last          the newest session that changed something
  filewright rewind 3f9c12ab      a session (filewright log --sessions)
  filewright rewind "20 min ago"  all changes since then, by any client
  filewright rewind CHANGE        all changes after it; CHANGE^: with it""",
)
@click.argument("target", shell_complete=complete_session)
@path_option
@_force_option
@_partial_option
@_shared_option
@_confirmed
def rewind(workspace: Workspace, *, target: str, **options: Any) -> Reversal:
    """Undo a session, or all changes since a time or a change, as one change.

    Later changes to the same files are kept; if they conflict, nothing is undone, or
    with --partial only the rest. `filewright redo` undoes a rewind.
    """
    scope = workspace.scope(named=target)

    def revert(preview: bool) -> RevertResult:
        return workspace.revert_edit(
            session=scope.session, since=scope.since, preview=preview, **options
        )

    return Reversal("Rewind?", revert)


@click.command(
    short_help="Give a file or folder the content it had earlier",
    epilog="""\b
Examples:
  filewright restore a.txt CHANGE      the file right after a change
  filewright restore a.txt CHANGE^     the file right before it
  filewright restore src "1 hour ago"  a folder, with files deleted since""",
)
@click.argument("path")
@click.argument("when")
@_confirmed
def restore(workspace: Workspace, *, path: str, when: str) -> Reversal:
    """Restore the content that PATH had at a time, or right after a change."""
    if workspace.scope(named=when).since is None:
        raise invalid(
            f"{when} is a session, and a file is restored to a time or a change",
            "filewright rewind SESSION --path PATH undoes what a session did to a file",
        )

    def revert(preview: bool) -> RevertResult:
        return workspace.restore(path, when, preview=preview)

    return Reversal(f"Restore {path}?", revert)
