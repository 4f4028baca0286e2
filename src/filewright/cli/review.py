"""`filewright review`: what the agent did, in a browser."""

from __future__ import annotations

from pathlib import Path

import click

from filewright.cli.options import ANYTHING, of_settings, open_workspace, roots_argument
from filewright.cli.terminal import write


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
def review(
    *, roots: tuple[str, ...], port: int, no_open: bool, read_only: bool | None, state_dir: Path | None
) -> None:
    """Show the changes of the folders ROOT on a page of this machine's own (default: the current folder)."""
    from filewright.page import Review

    with open_workspace(roots, state_dir=state_dir, read_only=read_only, allow_write=ANYTHING) as workspace:
        page = Review(
            workspace, port=port, entered=lambda: write(f"for another browser: {page.link()}", to_error=True)
        )
        link = page.link()
        write(link)
        if not no_open:
            click.launch(link)
        page.serve()
