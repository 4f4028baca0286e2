"""Characters: which one of its line an offset is, and where one begins."""

from __future__ import annotations

import codecs

from filewright.progress import Task
from filewright.text import Snapshot

_STEP = 64 << 10
_NEAR = 4 << 20


class Columns:
    """Counts characters in one snapshot, asked in rising order; keeps where it was."""

    def __init__(self, snapshot: Snapshot, task: Task) -> None:
        self.snapshot = snapshot
        self._task = task
        self._column = (snapshot.start, snapshot.start, 1)

    def column(self, begin: int, offset: int) -> int:
        """The 1-based character of `offset` in the line that begins at `begin`."""
        line, known, column = self._column
        if line != begin or offset < known:
            known, column = begin, 1
        decoder = codecs.getincrementaldecoder(self.snapshot.encoding.name)("replace")
        for position in range(known, offset, _STEP):
            self._task.check()
            length = min(_STEP, offset - position)
            column += len(
                decoder.decode(self.snapshot.read(position, length), final=position + length >= offset)
            )
        self._column = (begin, offset, column)
        return column


def character_at(snapshot: Snapshot, offset: int, line: int | None = None) -> int:
    """The beginning of a character at or a little after `offset`; `line` is where its line begins."""
    encoding = snapshot.encoding
    if line is None:
        line = snapshot.lines.begin(offset) if encoding.multibyte else snapshot.start
    if encoding.is_utf8:
        following = snapshot.read(offset, 4)
        return offset + next((i for i, byte in enumerate(following) if byte & 0xC0 != 0x80), 0)
    if encoding.width == 2:
        offset += (offset - line) % 2
        unit = snapshot.read(offset, 2).decode(encoding.name, "surrogatepass")
        return offset + 2 if "\udc00" <= unit[:1] <= "\udfff" else offset
    if encoding.multibyte and offset - line <= _NEAR:
        decoder = codecs.getincrementaldecoder(encoding.name)("replace")
        decoder.decode(snapshot.read(line, offset - line))
        return offset - len(decoder.getstate()[0])
    return offset
