"""The lines of a text by number, for searches up and down from a line."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from filewright.text.snapshot import Snapshot

MAX_SEARCHED_LINES: Final = 5_000
"""Lines that are read, up or down, to find where a block begins or ends."""

_WINDOW_LINES: Final = 512
"""Lines that are read and kept together."""

_MAX_LINE_BYTES: Final = 4096
"""The beginning of a line by which it is judged: its indentation, mark or timestamp."""


def is_blank(text: str | None) -> bool:
    """Return True for a line without text, and for a number outside of the text."""
    return text is None or not text.strip()


class TextLines:
    """The lines of a text by 1-based number, decoded, and cut after 4 KB.

    A number outside of the text has None. Only windows around the requested lines are
    read.
    """

    def __init__(self, source: bytes | Snapshot) -> None:
        if isinstance(source, bytes):
            source = Snapshot(source)
        self._snapshot = source
        self._windows: dict[int, list[str]] = {}

    def __getitem__(self, line: int) -> str | None:
        if line < 1:
            return None
        window, index = divmod(line - 1, _WINDOW_LINES)
        lines = self._windows.get(window)
        if lines is None:
            lines = self._read(window * _WINDOW_LINES + 1)
            self._windows[window] = lines
        return lines[index] if index < len(lines) else None

    def iterate(self, line: int, step: int = 1) -> Iterator[tuple[int, str]]:
        """Yield the lines from `line` on, down or up, with their numbers."""
        for number in range(line, line + step * MAX_SEARCHED_LINES, step):
            text = self[number]
            if text is None:
                return
            yield number, text

    def skip_blank(self, line: int, step: int) -> int:
        """Return the first line with text, from `line` on.

        If no line has text, return the one before `line`.
        """
        for number, text in self.iterate(line, step):
            if text.strip():
                return number
        return line - step

    def nearest_text(self, line: int) -> int:
        """Return `line`, or for a blank line the next one with text.

        If there is none below, it is the last one above.
        """
        if not is_blank(self[line]):
            return line
        for step in (1, -1):
            number = self.skip_blank(line, step)
            if not is_blank(self[number]):
                return number
        return line

    def _read(self, first: int) -> list[str]:
        """Return the lines of the window that begins with line `first`."""
        snapshot = self._snapshot
        if not snapshot.lines.has_line(first):
            return []
        start = snapshot.lines.offset_of(first)
        lines = snapshot.lines.read_lines(start, limit=_MAX_LINE_BYTES)
        codec = snapshot.encoding.name
        return [
            line.body.decode(codec, "replace")
            for line in islice(lines, _WINDOW_LINES)
        ]
