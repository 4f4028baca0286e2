"""Hunks that a patch has twice for the same place."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence

from filewright.edit.patch.model import HunkLines, PatchHunk


def find_repeated_hunks(hunks: Sequence[PatchHunk]) -> frozenset[int]:
    """Return the indices of hunks that repeat an earlier one.

    Both have the same lines, and the numbers in their headers name the same lines or
    some of them. Hunks without numbers may be meant for two places, one after the
    other.
    """
    repeated: set[int] = set()
    starts_by_lines: dict[HunkLines, list[int]] = {}
    for index, hunk in enumerate(hunks):
        if hunk.start is None:
            continue
        starts = starts_by_lines.setdefault(hunk.lines, [])
        # Hunks that are not repeated do not overlap: only the nearest ones can.
        position = bisect_left(starts, hunk.start)
        length = max(1, len(hunk.lines.old))
        around = starts[max(0, position - 1) : position + 1]
        if any(abs(start - hunk.start) < length for start in around):
            repeated.add(index)
        else:
            insort(starts, hunk.start)
    return frozenset(repeated)
