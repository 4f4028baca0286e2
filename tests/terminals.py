"""A command of filewright in a pseudo-terminal, as a person starts it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import termios
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests import processes

COLUMNS = 80
ROWS = 30
TIMEOUT_SECONDS = 60
_CONTROL = re.compile(
    r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[()][0-9A-Z]|\x1b[=>78M]|\x1b\][^\x07]*\x07"
)
"""The control sequences of colours, cursors and modes."""


@dataclass(frozen=True)
class Session:
    """What a terminal showed, and the exit status of the command."""

    raw: str
    status: int

    @property
    def text(self) -> str:
        """The text without colours and other control sequences."""
        return plain(self.raw)

    @property
    def lines(self) -> list[str]:
        """The lines of the text, without blanks at their ends."""
        return [line.rstrip() for line in self.text.splitlines()]


def plain(text: str) -> str:
    """Return a text of a terminal without control sequences."""
    return re.sub("\r+\n|\r", "\n", _CONTROL.sub("", text))


def run(
    *words: str,
    program: Sequence[str] = processes.FILEWRIGHT,
    keys: Sequence[tuple[str, str]] = (),
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    columns: int = COLUMNS,
    rows: int = ROWS,
) -> Session:
    """Run `filewright`, or another program, in a terminal, and return what it showed.

    `keys` are pairs: a text to wait for, and the keys that are then typed.
    """
    ours, theirs = pty.openpty()
    size = struct.pack("HHHH", rows, columns, 0, 0)
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, size)
    environment = {
        **os.environ,
        "TERM": "xterm-256color",
        "PAGER": "cat",
        # Nothing answers a question for the position of the cursor here.
        "PROMPT_TOOLKIT_NO_CPR": "1",
    }
    for name in ("NO_COLOR", "COLUMNS", "LINES"):
        environment.pop(name, None)
    environment.update(env or {})
    process = processes.start_with(
        [*program, *words],
        (theirs, theirs, theirs),
        env=environment,
        cwd=cwd,
    )
    os.close(theirs)
    raw = ""
    start = 0
    pending = list(keys)
    end = time.monotonic() + TIMEOUT_SECONDS
    try:
        while time.monotonic() < end:
            if pending and pending[0][0] in plain(raw[start:]):
                start = len(raw)
                os.write(ours, pending.pop(0)[1].encode())
            if not select.select([ours], [], [], 0.2)[0]:
                continue
            try:
                piece = os.read(ours, 65536)
            except OSError:  # Linux reports the end of a terminal so.
                break
            if not piece:
                break
            raw += piece.decode(errors="replace")
        status = process.wait(TIMEOUT_SECONDS)
    finally:
        process.kill()
        os.close(ours)
    assert not pending, f"{pending[0][0]!r} was not shown:\n{plain(raw)}"
    return Session(raw, status)
