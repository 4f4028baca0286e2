"""Writing to the terminal: colours where a person looks, plain bytes where a program reads."""

from __future__ import annotations

import sys
from typing import TextIO

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
