"""`filewright demo`: a scratch project, two agents at work, and a first step to try."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

import click

from filewright.cli import open_workspace, write
from filewright.cli.options import report_refusals
from filewright.cli.setup.launch import find_own_program

if TYPE_CHECKING:
    from filewright.cli.demo_story import Stage
    from filewright.workspace import Workspace

HUNK = 2
"""The hunk of the first edit that the first step takes back: the one not asked for."""


@click.command(
    short_help="Try it: agents change a scratch project, you take a part back",
    epilog="""\b
Examples:
  filewright demo               watch, then review the changes in a browser
  filewright demo --no-open     watch, and end""",
)
@click.option(
    "--no-open", is_flag=True, help="Neither open a browser nor wait for you."
)
@report_refusals()
def demo(*, no_open: bool) -> None:
    """Let two scripted agents change a scratch project, and review what they did.

    The project and its history are in a temporary folder, and are deleted at the end.
    """
    is_interactive = sys.stdin.isatty() and sys.stdout.isatty()
    with tempfile.TemporaryDirectory(
        prefix="filewright-demo-", ignore_cleanup_errors=True
    ) as folder:
        from filewright.cli.demo_story import Stage

        # Links in the path, as of macOS's /tmp, would be shown in every path.
        place = Path(os.path.realpath(folder))
        stage = Stage(project=place / "project", state=place / "state")
        stage.make_project()
        write(f"A small project, in {stage.project}, and two agents:\n")
        try:
            asyncio.run(stage.play(write))
        except (OSError, subprocess.SubprocessError) as error:
            write(f"filewright demo: {error}", to_error=True)
            sys.exit(1)
        write("")
        write(_render_healing(stage))
        write("")
        with open_workspace(
            [str(stage.project)], state_dir=str(stage.state)
        ) as workspace:
            if no_open or not is_interactive:
                write(_FIRST_STEP_ON_PAGE)
                write("\n`filewright demo` in a terminal opens that page.")
            elif _has_browser():
                _review(workspace)
            else:
                _undo_in_terminal(workspace, stage)
    write("The project and its history are deleted.", to_error=True)


def _render_healing(stage: Stage) -> str:
    """Return what became of the file that the client's own tool damaged."""
    from filewright.cli.demo_story import PRICES, PRICES_AFTER

    if (stage.project / PRICES).read_bytes() != PRICES_AFTER:
        return f"{PRICES} is damaged, and the guard did not put it back."
    return (
        f"The agent's own tool read {PRICES} as UTF-8, though it is Latin-1, and\n"
        "overwrote each é. The guard put those bytes back and kept the edit."
    )


_FIRST_STEP_ON_PAGE = (
    "A first step: the agent was asked to round the total, and has also changed how\n"
    "the cart is cleared. On the review page, choose “Round the total to cents…” and\n"
    f"press “Undo” at hunk {HUNK} of shop/cart.py. Everything else stays."
)


def _has_browser() -> bool:
    """Return True if a browser with windows can be opened."""
    if sys.platform not in ("win32", "darwin") and not (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    ):
        return False
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True


def _review(workspace: Workspace) -> None:
    """Open the review page, and wait until the user stops it."""
    from filewright.cli.serve import show_review

    write(_FIRST_STEP_ON_PAGE)
    write("\nCtrl-C ends the demo and deletes the project. The page is at:")
    show_review(workspace, opens_browser=True)


def _undo_in_terminal(workspace: Workspace, stage: Stage) -> None:
    """Show the changes, and offer to undo one hunk of the first edit."""
    from filewright.cli.demo_story import CART

    program = find_own_program()
    environment = {**os.environ, "FILEWRIGHT_STATE_DIR": str(stage.state)}
    first_edit = workspace.history()[-1].id
    commands = (
        (["log"], "$ filewright log"),
        (
            ["undo", first_edit, "--path", CART, "--hunk", str(HUNK)],
            "A first step: the agent was asked to round the total, and has also\n"
            "changed how the cart is cleared. Undo that hunk, and keep the rest:\n\n"
            f"$ filewright undo {first_edit} --path {CART} --hunk {HUNK}",
        ),
        (["show"], "$ filewright show"),
    )
    for arguments, title in commands:
        write(f"{title}\n")
        subprocess.run(
            [*program, *arguments],
            cwd=stage.project,
            env=environment,
            check=False,
        )
        write("")
