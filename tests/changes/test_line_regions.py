"""Lines that are followed back through versions."""

from __future__ import annotations

import random

import pytest

from filewright.changes.line_regions import LineRegion, divide_regions
from filewright.edit.linediff import LineChange

CHANGED = LineChange(1, 2, 1, 2)
INSERTED = LineChange(2, 2, 2, 5)
DELETED = LineChange(2, 5, 2, 2)


def rows(regions: list[LineRegion]) -> list[tuple[int, int, int]]:
    return [(region.start, region.length, region.newest) for region in regions]


@pytest.mark.parametrize(
    ("change", "unchanged", "changed"),
    [
        (CHANGED, [(0, 1, 10), (2, 4, 12)], [(1, 1, 11)]),
        (INSERTED, [(0, 2, 10), (2, 1, 15)], [(2, 3, 12)]),
        (DELETED, [(0, 2, 10), (5, 4, 12)], []),
        (LineChange(0, 0, 6, 8), [(0, 6, 10)], []),
    ],
    ids=["changed", "inserted", "deleted", "behind"],
)
def test_divides_region(
    change: LineChange,
    unchanged: list[tuple[int, int, int]],
    changed: list[tuple[int, int, int]],
) -> None:
    divided = divide_regions([LineRegion(0, 6, 10)], [change])
    assert rows(divided.unchanged) == unchanged
    assert rows(divided.changed) == changed


def test_no_change_keeps_all() -> None:
    regions = [LineRegion(3, 2, 0), LineRegion(0, 1, 7)]
    assert divide_regions(regions, []).unchanged == regions


def test_regions_within_one_change() -> None:
    change = LineChange(0, 1, 0, 4)
    regions = [LineRegion(3, 3, 0), LineRegion(0, 2, 9)]
    divided = divide_regions(regions, [change])
    assert rows(divided.changed) == [(0, 2, 9), (3, 1, 0)]
    assert rows(divided.unchanged) == [(1, 2, 1)]


@pytest.mark.parametrize("seed", range(5))
def test_follows_every_line(seed: int) -> None:
    """Lines are numbers here: those of the earlier version are known."""
    chance = random.Random(seed)
    earlier: list[int] = []
    later: list[int] = []
    changes = []
    for _ in range(4):
        earlier_start, later_start = len(earlier), len(later)
        removed, added = chance.randrange(3), chance.randrange(3)
        earlier += [-1] * removed
        later += [-2] * added
        if removed or added:
            changes.append(
                LineChange(earlier_start, len(earlier), later_start, len(later))
            )
        for _ in range(1 + chance.randrange(3)):
            number = len(earlier) * 100 + len(later)
            earlier.append(number)
            later.append(number)
    regions = [LineRegion(line, 1, line) for line in range(len(later))]
    divided = divide_regions(regions, changes)
    assert len(divided.unchanged) + len(divided.changed) == len(later)
    for region in divided.unchanged:
        assert earlier[region.start] == later[region.newest]
    for region in divided.changed:
        assert later[region.newest] == -2
