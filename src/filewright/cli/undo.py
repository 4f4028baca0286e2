"""The commands `undo` and `redo`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from filewright.changes.selection import find_undone
from filewright.cli import write
from filewright.cli.columns import truncate_to_width
from filewright.cli.history_options import (
    change_argument,
    no_history,
    path_option,
)
from filewright.cli.log_view import quote_title
from filewright.cli.picker import LIST_MARGIN, Option, choose_one
from filewright.cli.reversal import (
    ConfirmedReversal,
    choose_parts,
    confirmed,
    force_option,
    hunks_option,
    make_reversal,
    may_ask,
    partial_option,
    shared_option,
)
from filewright.cli.terminal import get_width
from filewright.errors import Code, FilewrightError
from filewright.wording import format_age

if TYPE_CHECKING:
    from filewright.changes.model import ChangeRecord
    from filewright.workspace import Workspace

MAX_SEARCHED_CHANGES = 1_000
"""The most changes of a path that are looked through for one to undo."""


@click.command(
    short_help="Undo a change, a file of it or a hunk",
    epilog="""\b
Examples:
  filewright undo                      the newest change, after asking
  filewright undo -p                   choose hunk by hunk
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
@hunks_option
@force_option
@partial_option
@shared_option
@confirmed
def undo(
    workspace: Workspace,
    *,
    change: str | None,
    path: str | None,
    hunk: int | None,
    by_hunk: bool,
    **options: bool,
) -> ConfirmedReversal:
    """Undo CHANGE (default: the newest that is not undone).

    Later changes to the same files are kept; if they conflict, nothing is undone, or
    with --partial only the rest.
    """
    if path is not None and not workspace.history(path, limit=1):
        raise no_history(workspace, path)
    target = ""
    if change is None:
        default = _choose_default(workspace, path)
        if default.is_redo:
            return _redo(workspace, default.record.id)
        change = default.record.id
        if default.is_older:
            target = (
                f"of the older change {_describe(workspace, default.record)}"
            )
    arguments = {"change_id": change, "path": path, "hunk": hunk, **options}
    if by_hunk:
        if hunk is not None:
            raise click.UsageError(
                "--patch asks for every hunk: leave --hunk out"
            )
        arguments = choose_parts(workspace, arguments)
    return make_reversal(
        workspace,
        "Undo",
        arguments,
        target=target,
        subject=_describe(workspace, workspace.record(change)),
    )


@dataclass(frozen=True, slots=True)
class _Default:
    """The change that `undo` is about where none is named.

    With `is_redo` it is an undo, to be taken back itself. With `is_older` it is not the
    newest change, which is an undo.
    """

    record: ChangeRecord
    is_redo: bool = False
    is_older: bool = False


def _choose_default(workspace: Workspace, path: str | None) -> _Default:
    """Return the change to undo where none is named; ask if the newest is an undo.

    A person who has just undone something may want that back: an older change is never
    undone without a word.
    """
    # Both are read before anything is asked: a question may have only one answer.
    older = _find_undoable(workspace, path)
    last_undo = _find_last_undo(workspace)
    if last_undo is None:
        if older is None:
            raise FilewrightError(
                Code.NOT_FOUND,
                "there is no change to undo",
                "filewright log lists the changes",
            )
        return _Default(older)
    undo_title = _describe(workspace, last_undo)
    if older is None:
        raise FilewrightError(
            Code.NOT_FOUND,
            "there is no change to undo",
            f"the newest change is an undo, {undo_title}; "
            "`filewright redo` takes it back",
        )
    if may_ask():
        older_title = _describe(workspace, older)
        answer = choose_one(
            "The newest change is an undo.",
            [
                Option(_fit(f"Take it back: redo {undo_title}"), "redo"),
                Option(_fit(f"Undo the older change {older_title}"), "older"),
            ],
        )
        if answer == "redo":
            return _Default(last_undo, is_redo=True)
    else:
        write(
            f"the newest change is an undo, {undo_title}; `filewright redo` "
            "takes it back. This is about an older change:",
            to_error=True,
        )
    return _Default(older, is_older=True)


def _find_undoable(
    workspace: Workspace, path: str | None
) -> ChangeRecord | None:
    """Return the newest change, of a path if it is named, that is not undone."""
    if path is None:
        return workspace.newest_undoable()
    # A path may have been left alone by the changes since.
    undo_by_change = find_undone(workspace.changes.list_undos())
    for record in workspace.history(path, limit=MAX_SEARCHED_CHANGES):
        is_undone = record.id in undo_by_change
        if record.undoable and not record.reverts and not is_undone:
            return record
    return None


def _find_last_undo(workspace: Workspace) -> ChangeRecord | None:
    """Return the newest change if it is an undo that can be redone."""
    redoable_id = workspace.changes.find_redoable()
    # Only the newest change matters: after another one, "undo" means that.
    for head in workspace.changes.heads():
        return head if head.id == redoable_id else None
    return None


def _describe(workspace: Workspace, record: ChangeRecord) -> str:
    """Return the sentence of a change with its age, for a question."""
    from filewright.cli.log_entries import LogEntryReader

    entry = LogEntryReader(workspace).entries([workspace.record(record.id)])[0]
    return f"{quote_title(entry.title)} ({entry.short_id}, {format_age(record.time)})"


def _fit(title: str) -> str:
    """Return the title of a row, as long as the list has room for it."""
    return truncate_to_width(title, get_width() - LIST_MARGIN)


@click.command(
    short_help="Redo what an undo or rewind undid",
    epilog="\b\nExample:\n  filewright redo             redo the newest undo or rewind",
)
@change_argument
@confirmed
def redo(workspace: Workspace, *, change: str | None) -> ConfirmedReversal:
    """Redo what the undo or rewind CHANGE (default: the newest) undid."""
    if change is None:
        change = workspace.changes.find_redoable()
    if change is None:
        raise FilewrightError(
            Code.NOT_FOUND,
            "there is no undo to take back",
            "filewright log lists the changes",
        )
    return _redo(workspace, change)


def _redo(workspace: Workspace, change: str) -> ConfirmedReversal:
    """Return the reversal of an undo or a rewind."""
    return make_reversal(
        workspace,
        "Redo",
        {"change_id": change},
        subject=_describe(workspace, workspace.record(change)),
        can_redo=False,
    )
