"""Random access to lines for finding blocks: of bytes in memory or of a snapshot, a window at a time."""

from __future__ import annotations

from itertools import islice
from typing import Final

from filewright.text import Snapshot

_WINDOW: Final = 512
_LINE_BYTES: Final = 4096


class TextLines:
    """Lines by 1-based number, decoded and cut after a few thousand bytes; None past the end.

    Costs the lines looked at and, in a file, the line index up to them.
    """

    def __init__(self, source: bytes | Snapshot) -> None:
        self._snapshot = source if isinstance(source, Snapshot) else Snapshot.of_bytes(source)
        self._windows: dict[int, list[str]] = {}

    def __getitem__(self, line: int) -> str | None:
        if line < 1:
            return None
        window, place = divmod(line - 1, _WINDOW)
        lines = self._windows.get(window)
        if lines is None:
            lines = self._windows[window] = self._read(window * _WINDOW + 1)
        return lines[place] if place < len(lines) else None

    def _read(self, first: int) -> list[str]:
        snapshot = self._snapshot
        codec = snapshot.encoding.name
        index = snapshot.lines
        if not index.has_line(first):
            return []
        lines = islice(index.since(index.offset_of(first), limit=_LINE_BYTES), _WINDOW)
        return [line.body.decode(codec, "replace") for line in lines]
