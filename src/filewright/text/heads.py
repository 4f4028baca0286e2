"""Lines cut to what is shown, found without ever holding a whole long line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from filewright.progress import Task
from filewright.text import codec
from filewright.text.lines import BLOCK
from filewright.text.snapshot import Snapshot

PATIENCE = 256 << 20
"""How far the end of one line is looked for, in bytes."""


@dataclass(frozen=True, slots=True)
class LineHead:
    """The first bytes of a line: `offset`, `head`, the `length` in bytes of the whole body, its `end`.

    `end` is past the terminator, `terminator` b"" on an unended last line. If `goes_on`, the line is
    longer than was looked, and `length` is how far that was.
    """

    offset: int
    head: bytes
    length: int
    terminator: bytes
    goes_on: bool = False

    @property
    def end(self) -> int:
        """The offset past the terminator: where the next line begins."""
        return self.offset + self.length + len(self.terminator)

    @property
    def whole(self) -> bool:
        """Whether `head` is all of the line."""
        return len(self.head) == self.length and not self.goes_on


def heads(
    snapshot: Snapshot, offset: int, limit: int, stop: int | None = None, *, task: Task | None = None
) -> Iterator[LineHead]:
    """The lines from the one that begins at byte `offset` to `stop`, at most `limit` bytes of each.

    A line longer than `PATIENCE` is the last one given.
    """
    stop = snapshot.size if stop is None else min(stop, snapshot.size)
    start = offset
    for position in range(offset, stop, BLOCK):
        if task is not None:
            task.check()
        if position - start > PATIENCE:
            yield replace(_head(snapshot, start, position, limit, ended=False), goes_on=True)
            return
        for end in snapshot.lines.ends(position, min(position + BLOCK, stop)):
            yield _head(snapshot, start, end, limit, ended=True)
            start = end
    if start < stop:
        yield _head(snapshot, start, stop, limit, ended=False)


def _head(snapshot: Snapshot, start: int, end: int, limit: int, *, ended: bool) -> LineHead:
    terminator = b""
    width = snapshot.encoding.width
    if ended:
        terminator = snapshot.read(end - width, width)
        if end - start >= 2 * width:
            pair = snapshot.read(end - 2 * width, 2 * width)
            if pair == "\r\n".encode(snapshot.encoding.name):
                terminator = pair
    length = end - start - len(terminator)
    return LineHead(
        start,
        codec.cut(snapshot.read(start, min(length, limit + 8)), limit, snapshot.encoding),
        length,
        terminator,
    )
