"""The lines at which each of many blocks of lines occurs as it is."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass
from filewright.edit.source import Source

#: Lines compared for many blocks before they are called too alike.
_MOST_PLACES = 30_000_000


#: Blocks that are looked for as bytes in a file that is not held, and how many hits of their lines are looked at.
_FEW, _LOOKS = 8, 400


def find_blocks(
    source: Source, blocks: Iterable[tuple[bytes, ...]]
) -> dict[tuple[bytes, ...], list[int]] | None:
    """The lines (from 0) at which each of many blocks of lines is, terminators aside.

    Two passes over the file at most. None if there are too many places to compare.
    """
    wanted = set(blocks)
    if source.held is None and len(wanted) <= _FEW:
        sought = {block: _sought(source, block) for block in wanted}
        if None not in sought.values():
            return {
                block: places for block, places in sought.items() if places is not None
            }
    counts = dict.fromkeys((body for block in wanted for body in block), 0)
    for _, bodies in source.windows():
        for body in bodies:
            if body in counts:
                counts[body] += 1
    rarest = {
        block: min(range(len(block)), key=lambda index: counts[block[index]])
        for block in wanted
    }
    places: dict[bytes, list[int]] = {
        block[index]: [] for block, index in rarest.items()
    }
    for first, bodies in source.windows():
        for index, body in enumerate(bodies, first):
            if body in places:
                places[body].append(index)
    if sum(len(places[block[index]]) for block, index in rarest.items()) > _MOST_PLACES:
        return None
    return {
        block: [
            at - index
            for at in places[block[index]]
            if has_block_at(source, block, at - index)
        ]
        for block, index in rarest.items()
    }


def has_block_at(source: Source, block: tuple[bytes, ...], at: int) -> bool:
    """Whether the lines from line `at` (from 0) are those of a block."""
    return at >= 0 and tuple(source.bodies(at, len(block))) == block


def _sought(source: Source, block: tuple[bytes, ...]) -> list[int] | None:
    """The places of a block, by looking for its longest line as bytes; None where that is no help."""
    index = max(range(len(block)), key=lambda at: len(block[at]))
    if len(block[index]) < 8:
        return None
    hits = list(islice(source.occurrences(block[index]), _LOOKS + 1))
    if len(hits) > _LOOKS:
        return None
    lines = dict.fromkeys(source.line_number(hit) - 1 - index for hit in hits)
    return [at for at in lines if has_block_at(source, block, at)]
