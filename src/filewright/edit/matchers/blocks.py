"""Where blocks of whole lines occur in a file exactly, terminators aside.

The many hunks of a patch are looked for together: a file far larger than memory is read
twice, not once for each hunk.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from filewright.edit.source import Source

_MAX_PLACES = 30_000_000
"""Places compared for many blocks, past which the blocks are too similar to compare."""

_FEW_BLOCKS = 8
"""Blocks that are looked for as bytes in a file too large for memory."""

_MAX_OCCURRENCES = 400
"""Occurrences of the longest line of such a block that are compared."""

_MIN_LINE_BYTES = 8

Block = tuple[bytes, ...]


def find_blocks(
    source: Source, blocks: Iterable[Block]
) -> dict[Block, list[int]] | None:
    """Return the lines, from 0, at which each block occurs.

    The file is read twice at most. None if there are too many places to compare.
    """
    searched = set(blocks)
    if source.held is None and len(searched) <= _FEW_BLOCKS:
        few_blocks = _find_few_blocks(source, searched)
        if few_blocks is not None:
            return few_blocks
    counts = _count_lines(source, searched)
    # A block is compared only where its rarest line is: a file may have a million `}`.
    rarest: dict[Block, int] = {}
    for block in searched:
        rarest[block] = min(
            range(len(block)), key=lambda index: counts[block[index]]
        )
    place_count = sum(counts[block[index]] for block, index in rarest.items())
    if place_count > _MAX_PLACES:
        return None
    blocks_of: dict[bytes, list[tuple[Block, int]]] = {}
    for block, index in rarest.items():
        blocks_of.setdefault(block[index], []).append((block, index))
    result: dict[Block, list[int]] = {block: [] for block in rarest}
    # In the order of the file: in that of the blocks, each comparison could be in
    # another window than the one before, and would read the file there again.
    for first, bodies in source.windows():
        for line, body in enumerate(bodies, first):
            for block, index in blocks_of.get(body, ()):
                if has_block_at(source, block, line - index):
                    result[block].append(line - index)
    return result


def _count_lines(source: Source, blocks: Iterable[Block]) -> dict[bytes, int]:
    """Return for each line of the blocks how many lines of the file are equal to it."""
    counts = dict.fromkeys((body for block in blocks for body in block), 0)
    for _, bodies in source.windows():
        for body in bodies:
            if body in counts:
                counts[body] += 1
    return counts


def has_block_at(source: Source, block: Block, line: int) -> bool:
    """Return True if the lines from `line` on, counted from 0, are those of a block."""
    return line >= 0 and tuple(source.bodies(line, len(block))) == block


def _find_few_blocks(
    source: Source, blocks: Iterable[Block]
) -> dict[Block, list[int]] | None:
    """Return the lines of each block, or None if one cannot be looked for as bytes."""
    result: dict[Block, list[int]] = {}
    for block in blocks:
        lines = _find_by_longest_line(source, block)
        if lines is None:
            return None
        result[block] = lines
    return result


def _find_by_longest_line(source: Source, block: Block) -> list[int] | None:
    """Return the lines of a block, or None if its longest line is short or everywhere."""
    longest = max(range(len(block)), key=lambda index: len(block[index]))
    if len(block[longest]) < _MIN_LINE_BYTES:
        return None
    occurrences = list(
        islice(source.occurrences(block[longest]), _MAX_OCCURRENCES + 1)
    )
    if len(occurrences) > _MAX_OCCURRENCES:
        return None
    # Several occurrences on one line are one place.
    lines = dict.fromkeys(
        source.line_number(offset) - 1 - longest for offset in occurrences
    )
    return [line for line in lines if has_block_at(source, block, line)]
