"""The lines that splices touch, old and new: what a diff is made of, and nothing else is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from filewright.edit.linediff import changes
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice
from filewright.text.terminators import counted

#: Regions above this many bytes (old and new) are given by their beginnings, not compared.
_COMPARED = 8 << 20
#: What is read of such a region, and the most that is read of one line of context.
PEEK = 1 << 15
_WINDOW = 1 << 12


@dataclass(frozen=True, slots=True)
class Touched:
    """Consecutive old lines replaced by new ones. `offset`, `end`: the old bytes; lines 1-based."""

    offset: int
    end: int
    line: int
    old: list[bytes]
    new: list[bytes]
    old_count: int
    new_count: int


class LineEnds:
    """Finds line ends round an offset, and counts lines between two places going forward."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._offset = snapshot.start
        self._line = 1

    def start_of(self, offset: int) -> int:
        """Where the line that holds the byte at `offset` begins."""
        stop = offset
        following = self.snapshot.read(offset, 1)
        window = _WINDOW
        while stop > 0:
            low = max(0, stop - window)
            block = self.snapshot.read(low, stop - low)
            if following == b"\n" and block.endswith(b"\r"):
                block = block[:-1]
            found = max(block.rfind(b"\n"), block.rfind(b"\r"))
            if found >= 0:
                return low + found + 1
            following = self.snapshot.read(low, 1)
            stop, window = low, min(window * 8, 1 << 20)
        return 0

    def end_of(self, offset: int) -> int:
        """Just past the terminator of the line that holds the byte at `offset`."""
        window = _WINDOW
        position = offset
        while position < self.snapshot.size:
            block = self.snapshot.read(position, window)
            found = min((at for at in (block.find(b"\n"), block.find(b"\r")) if at >= 0), default=-1)
            if found >= 0:
                end = position + found + 1
                pair = block[found : found + 1] == b"\r" and self.snapshot.read(end, 1) == b"\n"
                return end + 1 if pair else end
            position, window = position + len(block), min(window * 8, 1 << 20)
        return self.snapshot.size

    def number(self, offset: int) -> int:
        """The 1-based line that begins at `offset`; offsets asked for only ever grow."""
        offset = max(offset, self._offset)
        if self.snapshot.held is None and offset - self._offset > 4 << 20:
            self._line = self.snapshot.lines.line_at(offset)
        else:
            self._line += _count(self.snapshot, self._offset, offset)
        self._offset = offset
        return self._line


def _count(snapshot: Snapshot, start: int, stop: int) -> int:
    """Terminators in [start, stop), both where lines begin or end."""
    total = 0
    while start < stop:
        block = snapshot.read(start, min(1 << 20, stop - start))
        if block.endswith(b"\r") and start + len(block) < stop:
            block += snapshot.read(start + len(block), 1)
        total += counted(block).total
        start += len(block)
    return total


def touched(before: Snapshot, splices: Sequence[Splice]) -> Iterator[Touched]:
    """The changed lines of each region that splices touch, in order."""
    lines = LineEnds(before)
    index = 0
    while index < len(splices):
        first = splices[index]
        start = lines.start_of(max(first.offset - 1, 0))
        end = _region_end(lines, first)
        group = [first]
        index += 1
        while index < len(splices) and lines.start_of(max(splices[index].offset - 1, 0)) < end:
            group.append(splices[index])
            end = max(end, _region_end(lines, splices[index]))
            index += 1
        fresh = sum(len(splice.replacement) for splice in group)
        number = lines.number(start)
        if end - start + fresh > _COMPARED:
            yield _glimpse(before, group, start, end, number)
        else:
            yield from _compared(before, group, start, end, number)


def _region_end(lines: LineEnds, splice: Splice) -> int:
    return lines.end_of(splice.end) if splice.end < lines.snapshot.size else lines.snapshot.size


def _compared(
    before: Snapshot, group: Sequence[Splice], start: int, end: int, number: int
) -> Iterator[Touched]:
    data = before.read(start, end - start)
    parts: list[bytes] = []
    position = start
    for splice in group:
        parts += (data[position - start : splice.offset - start], splice.replacement)
        position = splice.end
    parts.append(data[position - start :])
    fresh = b"".join(parts)
    bom = before.encoding.bom
    if start == 0 and bom and data.startswith(bom) and fresh.startswith(bom):
        data, fresh, start = data[len(bom) :], fresh[len(bom) :], len(bom)
    old, new = data.splitlines(keepends=True), fresh.splitlines(keepends=True)
    offset, line = start, 0
    for change in changes(old, new):
        offset += sum(map(len, old[line : change.start]))
        gone, come = old[change.start : change.end], new[change.new_start : change.new_end]
        line = change.end
        stop = offset + sum(map(len, gone))
        yield Touched(offset, stop, number + change.start, gone, come, len(gone), len(come))
        offset = stop


def _glimpse(before: Snapshot, group: Sequence[Splice], start: int, end: int, number: int) -> Touched:
    """A region too large to compare: the beginnings of its first old and new lines."""
    near = max(start, group[0].offset - 200)
    lead = before.read(near, group[0].offset - near)
    ended = before.dominant
    old = [_ended(line, ended) for line in before.read(near, min(end - near, PEEK)).splitlines(keepends=True)]
    new = [_ended(line, ended) for line in (lead + group[0].replacement[:PEEK]).splitlines(keepends=True)]
    gone = _count(before, start, end)
    come = gone
    for splice in group:
        come += counted(splice.replacement).total - _count(before, splice.offset, splice.end)
    return Touched(start, end, number, old, new, max(gone, len(old)), max(come, len(new)))


def _ended(line: bytes, terminator: bytes) -> bytes:
    return line if line.endswith((b"\n", b"\r")) else line + terminator
