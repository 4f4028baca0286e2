"""The lines that splices change, grouped into hunks.

A splice says where a file changes, so only the lines it touches are read. The cost
follows the change, never the size of the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from filewright.edit.linediff import find_replacements
from filewright.text.lines import count_terminators
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice, apply_splices

CONTEXT_LINES = 3
"""Lines shown around changes; changes with less than twice as many between are one hunk."""
PEEK_BYTES = 1 << 15
"""Bytes that are read of a region too large to compare, and of one line of context."""
_MAX_COMPARED_BYTES = 8 << 20
"""Regions with more bytes, old and new, are shown by their beginnings."""
_MAX_GAP_BYTES = 1 << 20
_LEAD_BYTES = 200


@dataclass(frozen=True, slots=True)
class ChangedLines:
    """Consecutive old lines, and the new ones in their place.

    `offset` and `end` are those of the old bytes. `line` and `new_line` are the first
    lines before and after, from 1. The lists of a region that is too large have only
    its first lines; the counts are of all. `hunk_number` is that of its hunk, from 1.
    """

    offset: int
    end: int
    line: int
    old: list[bytes]
    new: list[bytes]
    old_count: int
    new_count: int
    new_line: int = 0
    hunk_number: int = 0


def group_into_hunks(
    before: Snapshot, splices: Sequence[Splice]
) -> list[list[ChangedLines]]:
    """Return the lines that `splices` change, by the hunks in which a diff shows them."""
    changes = find_changed_lines(before, splices)
    return [
        list(hunk) for _, hunk in groupby(changes, key=lambda lines: lines.hunk_number)
    ]


def find_changed_lines(
    before: Snapshot, splices: Iterable[Splice]
) -> Iterator[ChangedLines]:
    """Yield the lines that ordered splices change, in order."""
    last: ChangedLines | None = None
    hunk_number = growth = 0
    for region in _find_regions(before, splices):
        for lines in _compare_region(before, region):
            if last is None or not _is_same_hunk(last, lines):
                hunk_number += 1
            last = replace(lines, new_line=lines.line + growth, hunk_number=hunk_number)
            yield last
            growth += lines.new_count - lines.old_count


@dataclass(slots=True)
class _Region:
    """Whole lines from `start` to `end` in bytes, and the splices within them."""

    start: int
    end: int
    splices: list[Splice]

    @property
    def compared_bytes(self) -> int:
        """The size of the old lines and of the new text."""
        new_bytes = sum(len(splice.replacement) for splice in self.splices)
        return self.end - self.start + new_bytes


def _is_same_hunk(last: ChangedLines, lines: ChangedLines) -> bool:
    unchanged_lines = lines.line - last.line - last.old_count
    if unchanged_lines > 2 * CONTEXT_LINES:
        return False
    return lines.offset - last.end <= _MAX_GAP_BYTES


def _find_regions(before: Snapshot, splices: Iterable[Splice]) -> Iterator[_Region]:
    """Yield the lines that splices touch, those that are connected as one region."""
    region: _Region | None = None
    for splice in splices:
        if region is not None and splice.offset > region.end:
            yield region
            region = None
        if region is None:
            start = min(before.lines.line_start(splice.offset - 1), splice.offset)
            region = _Region(start, splice.offset, [])
        region.splices.append(splice)
        # Lines are looked for only where a splice leaves those of the region: a long
        # line may have very many splices.
        if splice.end >= region.end:
            region.end = max(region.end, before.lines.line_end(splice.end))
    if region is not None:
        yield region


def _compare_region(before: Snapshot, region: _Region) -> Iterator[ChangedLines]:
    """Yield the changed lines of a region."""
    first_line = before.lines.line_at(region.start)
    if region.compared_bytes > _MAX_COMPARED_BYTES:
        yield _peek(before, region, first_line)
        return
    old = before.read(region.start, region.end - region.start)
    new = apply_splices(
        old,
        [
            replace(splice, offset=splice.offset - region.start)
            for splice in region.splices
        ],
    )
    start, mark = region.start, before.encoding.bom
    if start == 0 and old.startswith(mark) and new.startswith(mark):
        old, new, start = old[len(mark) :], new[len(mark) :], len(mark)
    for change in find_replacements(old, new):
        offset = start + change.offset
        yield ChangedLines(
            offset=offset,
            end=offset + change.old_bytes,
            line=first_line + change.line,
            old=change.old,
            new=change.new,
            old_count=len(change.old),
            new_count=len(change.new),
        )


def _peek(before: Snapshot, region: _Region, first_line: int) -> ChangedLines:
    """Return the first old and new lines of a region that is too large to compare."""
    first = region.splices[0]
    # In a long line, the text just before the first splice.
    start = max(region.start, first.offset - _LEAD_BYTES)
    lead = before.read(start, first.offset - start)
    old_text = before.read(start, min(region.end - start, PEEK_BYTES))
    old = _split_ended(old_text, before.dominant_terminator)
    new = _split_ended(
        lead + first.replacement[:PEEK_BYTES], before.dominant_terminator
    )

    line_at = before.lines.line_at
    old_count = line_at(region.end) - first_line
    new_count = old_count
    for splice in region.splices:
        if _may_change_line_count(before, splice):
            new_count += count_terminators(splice.replacement).total
            new_count -= line_at(splice.end) - line_at(splice.offset)
    return ChangedLines(
        offset=region.start,
        end=region.end,
        line=first_line,
        old=old,
        new=new,
        old_count=max(old_count, len(old)),
        new_count=max(new_count, len(new)),
    )


def _split_ended(text: bytes, terminator: bytes) -> list[bytes]:
    """Return the lines of a text that was cut, the last one ended like the others."""
    lines = text.splitlines(keepends=True)
    return [
        line if line.endswith((b"\n", b"\r")) else line + terminator for line in lines
    ]


def _may_change_line_count(before: Snapshot, splice: Splice) -> bool:
    """Return True if a line end may be removed or inserted.

    To find the lines of very many splices of a long line would take long.
    """
    if splice.length > PEEK_BYTES:
        return True
    old = before.read(splice.offset, splice.length)
    return any(end in splice.replacement or end in old for end in (b"\n", b"\r"))
