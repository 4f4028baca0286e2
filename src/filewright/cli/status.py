"""The command `status`: the state of a folder, and a next step."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from filewright.changes.state_dir import state_base_folder
from filewright.cli import write
from filewright.cli.history_options import person_command
from filewright.cli.log_entries import LogEntryReader
from filewright.cli.log_view import (
    NOTHING_YET,
    render_entry,
    render_groups,
)
from filewright.cli.setup.clients import find_configured_titles
from filewright.cli.terminal import get_width, has_colours
from filewright.wording import join_limited

if TYPE_CHECKING:
    from collections.abc import Sequence

    from filewright.workspace import Workspace

SHOWN_CHANGES = 3
MAX_SHOWN_CLIENTS = 4


@click.command(
    short_help="Show this folder, its newest changes and its clients",
    epilog="\b\nExample:\n  filewright status --root ~/project",
)
@person_command
def status(workspace: Workspace) -> None:
    """Show the folder, its history, the newest changes, the clients and a next step.

    `filewright` without a command shows the same in a terminal.
    """
    clients = find_configured_titles()
    folders = ", ".join(os.fsdecode(root.path) for root in workspace.roots)
    write(f"{folders}; history: {state_base_folder(workspace.settings)}")
    for line in _list_changes(workspace):
        write(line)
    next_step = _suggest_next_step(workspace, clients)
    client_names = join_limited(clients, MAX_SHOWN_CLIENTS)
    write(f"clients: {client_names or 'none is configured'}")
    write(f"next: {next_step}")


def _list_changes(workspace: Workspace) -> list[str]:
    """Return the lines of the newest changes."""
    records = workspace.history(limit=SHOWN_CHANGES)
    if not records:
        return [NOTHING_YET]
    reader = LogEntryReader(workspace)
    entries = reader.entries(records)
    if not sys.stdout.isatty():
        return [render_entry(entry) for entry in entries]
    return render_groups(
        reader.groups(entries), get_width(), has_colours=has_colours()
    )


def _suggest_next_step(workspace: Workspace, clients: Sequence[str]) -> str:
    """Return the command that helps the user most in this state."""
    if not clients:
        return "filewright setup connects your agents"
    if workspace.newest_undoable() is None:
        return "filewright setup --check tests them; then let one change a file"
    return "filewright review shows the changes, filewright rewind undoes some"
