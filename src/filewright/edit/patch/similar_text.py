"""Text that is like a hunk, as if the lines that the hunk means had changed there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from filewright.edit.patch.hunk_search import HunkSearch
from filewright.edit.patch.model import PatchHunk
from filewright.edit.patch.placement import HunkPlace, LineBudget
from filewright.edit.source import Source

_MAX_LINE_CHANGE = 2
"""Lines that text like a hunk may be longer or shorter than the hunk."""


@dataclass(frozen=True, slots=True)
class ExpectedLines:
    """The lines at which a hunk is expected, and the room that it has.

    It lies from line `first` to before `last`.
    """

    lines: Sequence[int]
    first: int
    last: int


class SimilarText:
    """Finds text that is like a hunk, and nearer to its number than a place of it."""

    def __init__(self, search: HunkSearch, source: Source) -> None:
        self._search = search
        self._source = source
        self._budget = LineBudget()

    def has_nearer(
        self, hunk: PatchHunk, place: HunkPlace, expected: ExpectedLines
    ) -> bool:
        """Return True if text that is like a hunk is nearer to its number than a place.

        Text is nearer if it is within twice the distance. The hunk may be meant for it,
        and it may have changed since. Return True too if there is too much text to compare.
        """
        distance = min(abs(place.start - line) for line in expected.lines)
        reach = 2 * distance + _MAX_LINE_CHANGE
        first = max(expected.first, min(expected.lines) - reach)
        last = min(expected.last, max(expected.lines) + reach)
        blocks: list[tuple[bytes, ...]] = []
        for lines in (hunk.lines.old, hunk.lines.new):
            block = self._search.encode(lines)
            if block is not None and any(line.strip() for line in block):
                blocks.append(block)
        length = max(len(block) for block in blocks) if blocks else 0
        self._budget.remaining -= (last - first + length) * (length + 1)
        if not blocks or self._budget.remaining < 0:
            return True
        parts = [(first, place.start), (place.end, last)]
        for part_first, part_last in parts:
            if part_last <= part_first:
                continue
            # The lines of the place itself are left out.
            bodies = self._source.bodies(part_first, part_last - part_first)
            for block in blocks:
                if _is_like_any(bodies, block):
                    return True
        return False


def _is_like_any(bodies: Sequence[bytes], block: Sequence[bytes]) -> bool:
    """Return True if some of the lines are like a block, as if it had changed there.

    They are if at least half of its lines that are not blank are the same, in order,
    from the first or the last one on or at the same distances.
    """
    needed = sum(1 for line in block if line.strip())
    for start in range(len(bodies)):
        rows = bodies[start : start + len(block)]
        same = 0
        for line, body in zip(block, rows, strict=False):
            same += line == body and bool(line.strip())
        if 2 * same >= needed:
            return True
        before = _count_same(block, rows)
        for change in range(-_MAX_LINE_CHANGE, _MAX_LINE_CHANGE + 1):
            end = start + len(block) + change
            rows_behind = bodies[max(start, end - len(block)) : end]
            behind = _count_same(block[::-1], rows_behind[::-1])
            if 2 * (before + behind) >= needed:
                return True
    return False


def _count_same(block: Iterable[bytes], bodies: Iterable[bytes]) -> int:
    """Return the number of lines that are the same up to the first that is not."""
    same = 0
    for line, body in zip(block, bodies, strict=False):
        if line != body:
            break
        same += bool(line.strip())
    return same
