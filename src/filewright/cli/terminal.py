"""Output for a terminal: colours, the pager, questions and progress.

A pipe or a file gets the same text without any of these.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from filewright.cli import write
from filewright.cli.columns import count_rows
from filewright.hints import for_shell
from filewright.wording import escape_surrogates

if TYPE_CHECKING:
    from filewright.errors import FilewrightError
    from filewright.progress import Task

PROGRESS_DELAY_SECONDS = 0.5
"""The time after which the progress of a call is shown."""

_ERASE_LINE = "\x1b[K"
"""The control sequence that erases the line from the cursor to its end."""
_DIFF_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def has_colours() -> bool:
    """Return True if output is a terminal that shows colours, and may."""
    # https://no-color.org: any value switches colours off.
    return (
        sys.stdout.isatty()
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM") != "dumb"
    )


def get_width() -> int:
    """Return the columns of the terminal."""
    return shutil.get_terminal_size().columns


def write_json(values: Any) -> None:
    """Write values as JSON, in ASCII, which every terminal and pipe carries."""
    write(json.dumps(values, indent=2, default=str))


def write_coloured(text: str) -> None:
    """Write a text; in a terminal, the lines of a diff are in colour."""
    if has_colours():
        text = _colour_diff(text)
    write(text)


def write_paged(text: str) -> None:
    """Write a text as `write_coloured`, through the pager if it does not fit."""
    # Long lines take several rows of the terminal.
    if (
        sys.stdout.isatty()
        and count_rows(click.unstyle(text), get_width())
        >= shutil.get_terminal_size().lines
    ):
        # The options that git gives to less: exit if the text fits one screen, show
        # colours, and leave the text on the screen.
        os.environ.setdefault("LESS", "FRX")
        if has_colours():
            text = _colour_diff(text)
        click.echo_via_pager(escape_surrogates(text), color=True)
    else:
        write_coloured(text)


def _colour_diff(text: str) -> str:
    """Return a text with colours for the lines of diffs in it."""
    lines = []
    for line in text.split("\n"):
        colour = _DIFF_COLOURS.get(line[:1])
        if line.startswith(("+++", "---")):
            line = click.style(line, bold=True)
        elif colour is not None:
            line = click.style(line, fg=colour)
        lines.append(line)
    return "\n".join(lines)


def confirm_or_exit(question: str) -> None:
    """Ask before a change; end the command with status 1 if the answer is no."""
    if not click.confirm(question, err=True):
        write("nothing was changed", to_error=True)
        sys.exit(1)


def render_for_shell(error: FilewrightError) -> str:
    """Return the text of an error, with commands in it instead of tools."""
    return for_shell(str(error))


@contextlib.contextmanager
def show_progress(title: str, seconds: float) -> Iterator[Task]:
    """Yield a task with a time limit; show its progress on a terminal."""
    from filewright.progress import Task

    if not sys.stderr.isatty():
        yield Task(seconds=seconds)
        return
    start = time.monotonic()

    def report(done: float, total: float | None, message: str) -> None:
        if time.monotonic() - start < PROGRESS_DELAY_SECONDS:
            return
        count = f"{done:,.0f}"
        if total:
            count += f" of {total:,.0f}"
        sys.stderr.write(f"\r{title} {message}: {count}{_ERASE_LINE}")
        sys.stderr.flush()

    try:
        yield Task(seconds=seconds, report=report)
    finally:
        sys.stderr.write(f"\r{_ERASE_LINE}")
