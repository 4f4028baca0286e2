"""Arguments and options of the commands that show or undo changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from filewright.cli import open_workspace
from filewright.cli.options import ANY_PATH, workspace_command
from filewright.errors import Code, FilewrightError
from filewright.wording import format_age, pluralize

if TYPE_CHECKING:
    from filewright.workspace import Workspace

SUGGESTION_SECONDS = 0.5
MAX_PREVIEW_LINES = 200_000
MAX_COMPLETIONS = 50
"""The most names that a shell is offered."""

person_command = workspace_command(allow_write=ANY_PATH)
"""The decorator of commands with a workspace in which a person may change any file."""
preview_command = workspace_command(
    allow_write=ANY_PATH, diff_lines=MAX_PREVIEW_LINES
)
"""The same for commands with a preview, which is not cut as it is for a model."""


def _completion(
    list_items: Callable[[Workspace], Iterable[CompletionItem]],
) -> Callable[..., list[CompletionItem]]:
    """Return a shell completion from the workspace of the command line."""

    def complete(
        context: click.Context, _parameter: click.Parameter, prefix: str
    ) -> list[CompletionItem]:
        with open_workspace(
            context.params.get("roots") or (),
            state_dir=context.params.get("state_dir"),
        ) as workspace:
            return [
                item
                for item in list_items(workspace)
                if item.value.startswith(prefix)
            ]

    return complete


def _list_changes(workspace: Workspace) -> Iterator[CompletionItem]:
    """Yield the ids of the newest changes, with age and sentence."""
    from filewright.cli.log_entries import LogEntryReader

    records = workspace.history(limit=MAX_COMPLETIONS)
    for entry in LogEntryReader(workspace).entries(records):
        age = format_age(entry.record.time)
        yield CompletionItem(entry.record.id, help=f"{age}  {entry.title}")


def _list_sessions(workspace: Workspace) -> Iterator[CompletionItem]:
    """Yield "last" and the names of the newest sessions, with client and age."""
    yield CompletionItem("last", help="the newest session with something left")
    for summary in workspace.sessions(limit=MAX_COMPLETIONS).sessions:
        if summary.session:
            age = format_age(datetime.fromisoformat(summary.last))
            counts = pluralize(summary.changes, "change")
            yield CompletionItem(
                summary.session,
                help=f"{age}  {summary.client or ''}  {counts}",
            )


def _list_clients(workspace: Workspace) -> Iterator[CompletionItem]:
    """Yield the names of the clients of the newest sessions."""
    clients: dict[str, str] = {}
    for summary in workspace.sessions(limit=MAX_COMPLETIONS).sessions:
        name = (summary.client or "").partition(" ")[0]
        if name:
            age = format_age(datetime.fromisoformat(summary.last))
            clients.setdefault(name, age)
    for name, age in clients.items():
        yield CompletionItem(name, help=age)


def no_history(workspace: Workspace, path: str) -> FilewrightError:
    """Return the error for a path that no change has touched."""
    from filewright.progress import Task
    from filewright.tools.suggestions import suggest

    hint = "filewright log lists the changes here"
    (status,) = workspace.stat(path).results
    if status.error is None:
        hint = f"no change of this file was recorded: {hint}"
    else:
        # A path that is there now is meant more often than a deleted one.
        boundary = workspace.context.boundary
        task = Task(seconds=SUGGESTION_SECONDS)
        hint = suggest(boundary, path, task).hint or hint
    return FilewrightError(
        Code.NOT_FOUND, f"{path} has no history", hint, path=path
    )


complete_change = _completion(_list_changes)
complete_session = _completion(_list_sessions)
complete_client = _completion(_list_clients)

change_argument = click.argument(
    "change", required=False, shell_complete=complete_change
)
session_option = click.option(
    "--session",
    metavar="SESSION",
    shell_complete=complete_session,
    help="Only changes of this session; last is the newest.",
)
since_option = click.option(
    "--since",
    metavar="WHEN",
    shell_complete=complete_change,
    help="Only changes after a time (14:30, 20 min ago, yesterday, 2026-11-22) or a change.",
)
path_option = click.option(
    "--path",
    type=click.Path(),
    metavar="PATH",
    help="Only changes of this file, or of files below this folder.",
)
