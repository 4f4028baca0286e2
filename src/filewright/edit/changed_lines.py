"""The lines that splices change, grouped into hunks.

A splice says where a file changes, so only the lines it touches are read. The cost
follows the change, never the size of the file: one changed line of a log of 10 GB is
shown at once. Lines count from 1 here, as results show them, and offsets are in bytes.
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
"""Unchanged bytes within a hunk; changes further apart are two hunks however few lines."""
_MAX_REGION_SPLICES = 10_000
"""Splices that are compared as one text, where it can be cut between two lines."""
_LEAD_BYTES = 200
"""Bytes shown before the first splice of a region that is too large to compare."""


@dataclass(frozen=True, slots=True)
class ChangedLines:
    """Consecutive old lines, and the new ones in their place.

    `offset` and `end` are those of the old lines in the file, in bytes. `line` and
    `new_line` are the first lines before and after (from 1). `old` and `new` are the
    lines with their line ends; of a region that is too large, only its first ones. The
    counts are of all lines. `hunk_number` is the number (from 1) of the hunk that the
    lines are shown in.
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
    """Return the lines that `splices` change, a list for each hunk of their diff."""
    changes = find_changed_lines(before, splices)
    return [
        list(hunk)
        for _, hunk in groupby(changes, key=lambda lines: lines.hunk_number)
    ]


def find_changed_lines(
    before: Snapshot, splices: Iterable[Splice]
) -> Iterator[ChangedLines]:
    """Yield the lines that ordered splices change, in order."""
    previous: ChangedLines | None = None
    hunk_number = line_growth = 0
    for region in _find_regions(before, splices):
        for changed in _compare_region(before, region):
            if previous is None or not _is_same_hunk(previous, changed):
                hunk_number += 1
            previous = replace(
                changed,
                new_line=changed.line + line_growth,
                hunk_number=hunk_number,
            )
            yield previous
            line_growth += changed.new_count - changed.old_count


@dataclass(slots=True)
class _Region:
    """Whole lines of the old file from offset `start` to `end`, and the splices there."""

    start: int
    end: int
    splices: list[Splice]

    @property
    def compared_bytes(self) -> int:
        """The size in bytes of the old lines and of the inserted text."""
        new_bytes = sum(len(splice.replacement) for splice in self.splices)
        return self.end - self.start + new_bytes


def _is_same_hunk(previous: ChangedLines, changed: ChangedLines) -> bool:
    unchanged_lines = changed.line - previous.line - previous.old_count
    if unchanged_lines > 2 * CONTEXT_LINES:
        return False
    return changed.offset - previous.end <= _MAX_GAP_BYTES


def _find_regions(
    before: Snapshot, splices: Iterable[Splice]
) -> Iterator[_Region]:
    """Yield the lines that splices touch; lines without a gap are one region.

    They are compared as one text, so that a diff shows what differs, and not how the
    change was cut into splices.
    """
    region: _Region | None = None
    for splice in splices:
        if region is not None and splice.offset > region.end:
            yield region
            region = None
        elif region is not None and _can_cut(before, region, splice):
            region.end = splice.offset
            yield region
            region = _Region(splice.offset, splice.offset, [])
        if region is None:
            # Offset - 1, because an insertion where a line begins may also change the
            # line above: it may be a "\n" behind a "\r". The first line starts behind
            # the byte-order mark, which a splice may change too: hence the minimum.
            start = min(
                before.lines.line_start(splice.offset - 1), splice.offset
            )
            region = _Region(start, splice.offset, [])
        region.splices.append(splice)
        # Lines are looked for only where a splice leaves those of the region: a long
        # line may have very many splices.
        if splice.end >= region.end:
            region.end = max(region.end, before.lines.line_end(splice.end))
    if region is not None:
        yield region


def _can_cut(before: Snapshot, region: _Region, splice: Splice) -> bool:
    """Return True if a long region may end where the next splice begins.

    A line must begin there in the old text and in the new one. A lone return above is
    not enough: a newline that is inserted behind it belongs to its line.
    """
    if len(region.splices) < _MAX_REGION_SPLICES:
        return False
    last = region.splices[-1]
    if last.end == splice.offset and not last.replacement.endswith(b"\n"):
        return False
    return before.read(splice.offset - 1, 1) == b"\n"


def _compare_region(
    before: Snapshot, region: _Region
) -> Iterator[ChangedLines]:
    """Yield the changed lines of a region."""
    first_line = before.lines.line_at(region.start)
    if region.compared_bytes > _MAX_COMPARED_BYTES:
        yield _peek(before, region, first_line)
        return
    old_text = before.read(region.start, region.end - region.start)
    new_text = apply_splices(
        old_text,
        [
            replace(splice, offset=splice.offset - region.start)
            for splice in region.splices
        ],
    )
    start_offset, bom = region.start, before.encoding.bom
    # The mark is no part of the first line, unless the change adds or removes it.
    if (
        start_offset == 0
        and old_text.startswith(bom)
        and new_text.startswith(bom)
    ):
        old_text, new_text, start_offset = (
            old_text[len(bom) :],
            new_text[len(bom) :],
            len(bom),
        )
    for change in find_replacements(old_text, new_text):
        offset = start_offset + change.offset
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
    """Return the first old and new lines of a region that is too large to compare.

    The counts take all its lines as changed.
    """
    first_splice = region.splices[0]
    # A region of one very long line begins far before the change. The excerpt begins
    # shortly before it.
    start_offset = max(region.start, first_splice.offset - _LEAD_BYTES)
    lead_text = before.read(start_offset, first_splice.offset - start_offset)
    old_text = before.read(
        start_offset, min(region.end - start_offset, PEEK_BYTES)
    )
    old_lines = _split_ended(old_text, before.dominant_terminator)
    new_lines = _split_ended(
        lead_text + first_splice.replacement[:PEEK_BYTES],
        before.dominant_terminator,
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
        old=old_lines,
        new=new_lines,
        old_count=max(old_count, len(old_lines)),
        new_count=max(new_count, len(new_lines)),
    )


def _split_ended(text: bytes, terminator: bytes) -> list[bytes]:
    """Return the lines of a text that was cut, the last one ended like the others.

    Otherwise a diff would say that the file has no newline at its end.
    """
    lines = text.splitlines(keepends=True)
    return [
        line if line.endswith((b"\n", b"\r")) else line + terminator
        for line in lines
    ]


def _may_change_line_count(before: Snapshot, splice: Splice) -> bool:
    """Return True if a splice may remove or insert a line end.

    Most splices do not, and finding the lines of a hundred thousand splices within one
    long line would take minutes.
    """
    if splice.length > PEEK_BYTES:
        return True
    old = before.read(splice.offset, splice.length)
    return any(
        end in splice.replacement or end in old for end in (b"\n", b"\r")
    )
