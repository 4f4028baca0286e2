"""Lines of a file that are followed back through its versions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from filewright.edit.linediff import LineChange


@dataclass(frozen=True, slots=True)
class LineRegion:
    """Consecutive lines of a version, and where they are in the newest one.

    `start` is the first line in the version and `newest` the first in the newest
    version, both counted from 0.
    """

    start: int
    length: int
    newest: int

    @property
    def end(self) -> int:
        """The line after the last."""
        return self.start + self.length


@dataclass(frozen=True, slots=True)
class DividedRegions:
    """Regions of a version, divided by what is in an earlier one.

    `unchanged` are in lines of the earlier version, `changed` in those of the later.
    """

    unchanged: list[LineRegion]
    changed: list[LineRegion]


def divide_regions(
    regions: Iterable[LineRegion], changes: Sequence[LineChange]
) -> DividedRegions:
    """Divide regions of a version by the changes that led to it, which are in order."""
    if not changes:
        return DividedRegions([*regions], [])
    divided = DividedRegions([], [])
    index = growth = 0
    for region in sorted(regions, key=attrgetter("start")):
        # A region may begin within the change in which the one before it ended.
        while index < len(changes) and changes[index].new_end <= region.start:
            growth += changes[index].growth
            index += 1
        _divide_region(region, changes, index, growth, divided)
    return divided


def _divide_region(
    region: LineRegion,
    changes: Sequence[LineChange],
    index: int,
    growth: int,
    divided: DividedRegions,
) -> None:
    """Add the parts of a region. The changes from an index on end behind its start.

    `growth` is that of the changes before the index.
    """
    position = region.start
    while position < region.end:
        next_start = region.end
        next_end = region.end
        if index < len(changes):
            next_start = min(max(changes[index].new_start, position), next_end)
            next_end = min(changes[index].new_end, next_end)
        newest = region.newest + position - region.start
        if next_start > position:
            length = next_start - position
            divided.unchanged.append(
                LineRegion(position - growth, length, newest)
            )
            position = next_start
            continue
        if next_end > position:
            divided.changed.append(
                LineRegion(position, next_end - position, newest)
            )
            position = next_end
        if index < len(changes) and changes[index].new_end <= position:
            growth += changes[index].growth
            index += 1
