"""`filewright review`: what the agent did, in a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from filewright.cli import write
from filewright.cli.options import ANYTHING, in_workspace, of_settings, roots_argument

if TYPE_CHECKING:
    from filewright.workspace import Workspace


@click.command(
    short_help="See what was changed in a browser, and take it back.",
    epilog="""\b
Examples:
  filewright review                  of this folder
  filewright review ~/site --port 8765 --no-open

The address opens the page once; the terminal shows another for the next browser. End with Ctrl-C.""",
)
@roots_argument
@click.option("--port", type=click.IntRange(0, 65_535), default=0, help="Default: any that is free.")
@click.option("--no-open", is_flag=True, help="Do not open a browser.")
@click.option("--read-only", is_flag=True, default=None, help="Show changes, and offer to undo none.")
@of_settings("state_dir")
@in_workspace("read_only", status=2, allow_write=ANYTHING)
def review(workspace: Workspace, *, port: int, no_open: bool) -> None:
    """Show the changes of the folders ROOT on a page of this machine's own (default: the current folder)."""
    from filewright.page import Review

    def entered() -> None:
        write(f"for another browser: {page.link()}", to_error=True)

    page = Review(workspace, port=port, entered=entered)
    link = page.link()
    write(link)
    if not no_open:
        click.launch(link)
    page.serve()
