"""Writing to the terminal: colours where a person looks, plain bytes where a program reads."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from filewright.cli import write

if TYPE_CHECKING:
    from filewright.errors import FilewrightError
    from filewright.progress import Task

QUIET = 0.5
"""Seconds of work before a person is shown that it goes on."""

_COMMANDS = {
    "get_history with change_id": "filewright show CHANGE",
    "get_history": "filewright log",
    "revert_edit": "filewright undo",
    "give force=true": "give --force",
    "give partial=true": "give --partial",
}
"""What a hint calls a tool or an argument, and what that is on the command line."""
_DIFF_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def write_coloured(text: str) -> None:
    """Write `text`, the lines of a diff in colour if standard output is a terminal."""
    write(_coloured(text) if sys.stdout.isatty() else text)


def write_paged(text: str) -> None:
    """The same, through the user's pager where a terminal has fewer lines."""
    import shutil

    if (
        sys.stdout.isatty()
        and text.count("\n") >= shutil.get_terminal_size().lines - 1
    ):
        # As git does: less ends by itself at one screen, shows colours, and leaves the text there.
        os.environ.setdefault("LESS", "FRX")
        click.echo_via_pager(
            _coloured(text).encode("utf-8", "backslashreplace").decode(),
            color=True,
        )
    else:
        write_coloured(text)


def _coloured(text: str) -> str:
    lines = []
    for line in text.split("\n"):
        heading = line.startswith(("+++", "---"))
        colour = None if heading else _DIFF_STYLES.get(line[:1])
        lines.append(
            click.style(line, fg=colour, bold=heading or None)
            if heading or colour
            else line
        )
    return "\n".join(lines)


def confirm_or_exit(question: str) -> None:
    """Ask before something is changed; a no ends the command."""
    if not click.confirm(question, err=True):
        write("nothing was changed", to_error=True)
        sys.exit(1)


def render_for_shell(error: FilewrightError) -> str:
    """An error whose hint names the commands instead of the tools."""
    hint = error.hint or ""
    for tool, command in _COMMANDS.items():
        hint = hint.replace(tool, command)
    return f"{error.code}: {error.message}" + (
        f"\nhint: {hint}" if hint else ""
    )


@contextlib.contextmanager
def show_progress(title: str, seconds: float) -> Iterator[Task]:
    """The task of a call that may take `seconds`; a person at the terminal sees how far it is."""
    from filewright.progress import Task

    begun = time.monotonic()

    def report(done: float, total: float | None, message: str) -> None:
        if time.monotonic() - begun >= QUIET:
            how_far = (
                f"{done:,.0f} of {total:,.0f}" if total else f"{done:,.0f}"
            )
            sys.stderr.write(
                f"\r{title} {message}: {how_far}\x1b[K"
            )  # over the line before, to its end
            sys.stderr.flush()

    shown = sys.stderr.isatty()
    try:
        yield Task(seconds=seconds, report=report if shown else None)
    finally:
        if shown:
            sys.stderr.write("\r\x1b[K")
