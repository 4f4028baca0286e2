"""Arguments and options of the commands that show or undo changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import click

from filewright.cli import open_workspace
from filewright.cli.options import ANY_PATH, workspace_command
from filewright.errors import Code, FilewrightError

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
    list_names: Callable[[Workspace], Iterable[str]],
) -> Callable[..., list[str]]:
    """Return a shell completion of names from the workspace of the command line."""

    def complete(
        context: click.Context, _parameter: click.Parameter, prefix: str
    ) -> list[str]:
        with open_workspace(
            context.params.get("roots") or (),
            state_dir=context.params.get("state_dir"),
        ) as workspace:
            return [
                name
                for name in list_names(workspace)
                if name.startswith(prefix)
            ]

    return complete


def _list_changes(workspace: Workspace) -> list[str]:
    """Return the ids of the newest changes."""
    return [record.id for record in workspace.history(limit=MAX_COMPLETIONS)]


def _list_sessions(workspace: Workspace) -> list[str]:
    """Return "last" and the names of the newest sessions."""
    names = ["last"]
    for summary in workspace.sessions(limit=MAX_COMPLETIONS).sessions:
        if summary.session:
            names.append(summary.session)
    return names


def no_history(workspace: Workspace, path: str) -> FilewrightError:
    """Return the error for a path that no change has touched."""
    from filewright.progress import Task
    from filewright.tools.suggestions import suggest

    boundary = workspace.context.boundary
    hint = suggest(boundary, path, Task(seconds=SUGGESTION_SECONDS)).hint
    return FilewrightError(
        Code.NOT_FOUND,
        f"{path} has no history",
        hint or "filewright log lists the changes here",
        path=path,
    )


complete_change = _completion(_list_changes)
complete_session = _completion(_list_sessions)

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
    help="Only changes after a time (2026-11-22T10:00, 10:00, 20 min ago) or a change.",
)
path_option = click.option(
    "--path",
    metavar="PATH",
    help="Only changes of this file, or of files below this folder.",
)
