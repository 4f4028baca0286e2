"""Writing to the terminal: colours where a person looks, plain bytes where a program reads."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from filewright.progress import Task

QUIET = 0.5
"""Seconds of work before a person is shown that it goes on."""

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
    if not is_terminal(sys.stdout):
        write(text)
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    for line in text.splitlines():
        heading = line.startswith(("+++", "---"))
        style = "bold" if heading else _DIFF_STYLES.get(line[:1], "")
        console.print(Text(line, style=style))


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
