"""Writing to the terminal: colours where a person looks, plain bytes where a program reads."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

import click

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from filewright.errors import FilewrightError
    from filewright.progress import Task

QUIET = 0.5
"""Seconds of work before a person is shown that it goes on."""

_COMMANDS = (
    (r"get_history with change_id", "filewright show CHANGE"),
    (r"get_history", "filewright log"),
    (r"revert_edit", "filewright undo"),
    (r"give force=true", "give --force"),
)
"""What a hint calls a tool or an argument, and what that is on the command line."""
_DIFF_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def write(text: str, *, to_error: bool = False) -> None:
    """Write `text` and a line feed as UTF-8, whatever the locale; what cannot be encoded is spelled out."""
    stream = sys.stderr if to_error else sys.stdout
    data = (text if text.endswith("\n") else f"{text}\n").encode("utf-8", "backslashreplace")
    stream.flush()
    stream.buffer.write(data)
    stream.buffer.flush()


def write_coloured(text: str) -> None:
    """Write `text`, the lines of a diff in colour if standard output is a terminal."""
    write(_coloured(text) if is_terminal(sys.stdout) else text)


def write_paged(text: str) -> None:
    """The same, through the user's pager where a terminal has fewer lines."""
    if is_terminal(sys.stdout) and text.count("\n") >= shutil.get_terminal_size().lines - 1:
        # As git does: less ends by itself at one screen, shows colours, and leaves the text there.
        os.environ.setdefault("LESS", "FRX")
        click.echo_via_pager(_coloured(text).encode("utf-8", "backslashreplace").decode(), color=True)
    else:
        write_coloured(text)


def _coloured(text: str) -> str:
    lines = []
    for line in text.split("\n"):
        heading = line.startswith(("+++", "---"))
        colour = None if heading else _DIFF_STYLES.get(line[:1])
        lines.append(click.style(line, fg=colour, bold=heading or None) if heading or colour else line)
    return "\n".join(lines)


def for_shell(error: FilewrightError) -> str:
    """An error whose hint names the commands instead of the tools."""
    hint = error.hint or ""
    for tool, command in _COMMANDS:
        hint = re.sub(tool, command, hint)
    return f"{error.code}: {error.message}" + (f"\nhint: {hint}" if hint else "")


def is_terminal(stream: TextIO) -> bool:
    """Whether a person looks at `stream`."""
    return stream.isatty()


@contextlib.contextmanager
def working(title: str, seconds: float) -> Iterator[Task]:
    """The task of a call that may take `seconds`; a person at the terminal sees how far it is."""
    from filewright.progress import Task

    if not is_terminal(sys.stderr):
        yield Task(seconds=seconds)
        return
    bar = _Bar(title)
    try:
        yield Task(seconds=seconds, report=bar.report)
    finally:
        bar.stop()


class _Bar:
    """A progress bar that appears once the work has taken a while."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._begun = time.monotonic()
        self._shown: tuple[Progress, TaskID] | None = None

    def report(self, done: float, total: float | None, message: str) -> None:
        """Show `done` of `total`, or that something happens if the total is not known."""
        if time.monotonic() - self._begun < QUIET:
            return
        if self._shown is None:
            from rich.console import Console
            from rich.progress import Progress

            progress = Progress(console=Console(stderr=True), transient=True)
            self._shown = progress, progress.add_task(self._title, total=None)
            progress.start()
        progress, row = self._shown
        progress.update(row, completed=done, total=total, description=f"{self._title} {message}".strip())

    def stop(self) -> None:
        """Take the bar away."""
        if self._shown is not None:
            self._shown[0].stop()
