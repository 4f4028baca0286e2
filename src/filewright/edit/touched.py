"""The lines that splices touch, old and new: what a diff is made of, and nothing else is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from filewright.edit.linediff import changes
from filewright.text import Snapshot, Splice, terminators_in

#: Regions above this many bytes (old and new) are given by their beginnings, not compared.
_COMPARED = 8 << 20
#: What is read of such a region, and the most that is read of one line of context.
PEEK = 1 << 15


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


def touched(before: Snapshot, splices: Sequence[Splice]) -> Iterator[Touched]:
    """The changed lines of each region that splices touch, in order."""
    index = 0
    while index < len(splices):
        first = splices[index]
        start = min(before.lines.begin(max(first.offset - 1, 0)), first.offset)
        end = _region_end(before, first)
        group = [first]
        index += 1
        # Lines are asked for where a splice leaves those of the group, not at every splice of a long line.
        while index < len(splices) and max(splices[index].offset - 1, 0) < end:
            group.append(splices[index])
            if splices[index].end >= end:
                end = max(end, _region_end(before, splices[index]))
            index += 1
        fresh = sum(len(splice.replacement) for splice in group)
        number = before.lines.line_at(start)
        if end - start + fresh > _COMPARED:
            yield _glimpse(before, group, start, end, number)
        else:
            yield from _compared(before, group, start, end, number)


def _region_end(before: Snapshot, splice: Splice) -> int:
    return before.lines.end(splice.end) if splice.end < before.size else before.size


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
    gone = before.lines.line_at(end) - number
    come = gone
    for splice in group:
        come += terminators_in(splice.replacement).total
        come -= _lines_in(before, splice)
    return Touched(start, end, number, old, new, max(gone, len(old)), max(come, len(new)))


def _lines_in(before: Snapshot, splice: Splice) -> int:
    """How many lines end in what a splice replaces."""
    if splice.length <= PEEK:
        return terminators_in(before.read(splice.offset, splice.length)).total
    return before.lines.line_at(splice.end) - before.lines.line_at(splice.offset)


def _ended(line: bytes, terminator: bytes) -> bytes:
    return line if line.endswith((b"\n", b"\r")) else line + terminator
