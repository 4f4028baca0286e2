"""`filewright log`, `show` and `undo`: what was changed, and taking it back."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from filewright.cli.options import open_workspace, workspace_options
from filewright.cli.terminal import write, write_coloured

if TYPE_CHECKING:
    from filewright.workspace import Workspace


def _changes(context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """The newest changes, for the shell."""
    workspace = open_workspace(context.params.get("roots") or (), state_dir=context.params.get("state_dir"))
    try:
        return [record.id for record in workspace.history(limit=50) if record.id.startswith(begun)]
    finally:
        workspace.close()


@click.command(
    epilog="""\b
Examples:
  filewright log                     the newest changes of this folder
  filewright log src/app.py -n 5     of one file"""
)
@click.argument("path", required=False)
@click.option("-n", "--limit", default=20, show_default=True, type=click.IntRange(1, 1000), help="How many.")
@workspace_options
def log(path: str | None, limit: int, roots: tuple[str, ...], state_dir: Path | None) -> None:
    """List the newest changes, all or those of PATH."""
    arguments: dict[str, object] = {"limit": limit}
    if path is not None:
        arguments["path"] = path
    workspace = open_workspace(roots, state_dir=state_dir)
    try:
        _print(workspace, "get_history", arguments)
    finally:
        workspace.close()


@click.command(epilog="\b\nExample:\n  filewright show CHANGE")
@click.argument("change", shell_complete=_changes)
@workspace_options
def show(change: str, roots: tuple[str, ...], state_dir: Path | None) -> None:
    """Show one CHANGE with its diff."""
    workspace = open_workspace(roots, state_dir=state_dir)
    try:
        _print(workspace, "get_history", {"change_id": change})
    finally:
        workspace.close()


@click.command(
    epilog="""\b
Examples:
  filewright undo                    the newest change, after asking; again: the one before
  filewright undo CHANGE --yes       a certain one, without asking"""
)
@click.argument("change", required=False, shell_complete=_changes)
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@workspace_options
def undo(change: str | None, yes: bool, roots: tuple[str, ...], state_dir: Path | None) -> None:
    """Take back CHANGE, or the newest one that still stands.

    Files changed since are merged, or it is refused.
    """
    workspace = open_workspace(roots, state_dir=state_dir)
    try:
        if change is None:
            newest = workspace.newest_undoable()
            if newest is None:
                write("filewright: there is no change to undo", to_error=True)
                sys.exit(1)
            change = newest.id
        if not yes:
            _print(workspace, "revert_edit", {"change_id": change, "preview": True})
            if not click.confirm(f"Undo {change}?", err=True):
                write("nothing was changed", to_error=True)
                sys.exit(1)
        _print(workspace, "revert_edit", {"change_id": change})
    finally:
        workspace.close()


def _print(workspace: Workspace, tool: str, arguments: dict[str, object]) -> None:
    result = workspace.call(tool, arguments)
    if result.is_error:
        write(result.text, to_error=True)
        sys.exit(1)
    write_coloured(result.text)
