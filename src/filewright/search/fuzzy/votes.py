"""Where several pieces of a needle are placed as in the needle.

A piece found at `offset` that is at `place` in the needle says that the needle begins at
`offset - place`: a vote for that diagonal. Edits shift diagonals a little, so votes are gathered in
buckets; a place's votes are the different pieces of its bucket and the next.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator


def elected(votes: Iterable[tuple[int, int, int]], length: int, keep: int) -> list[tuple[int, int]]:
    """The `keep` best places: (votes, estimated beginning), from (offset, place, piece) in rising offset.

    Memory is bounded by `keep` and by what lies within one needle's `length`.
    """
    width = max(16, length // 8)
    best: list[tuple[int, int]] = []
    for count, diagonal in _places(votes, length, width):
        entry = (count, -diagonal)
        if len(best) < keep:
            heapq.heappush(best, entry)
        elif entry > best[0]:
            heapq.heapreplace(best, entry)
    return sorted(((count, -negative) for count, negative in best), key=lambda e: (-e[0], e[1]))


def _places(votes: Iterable[tuple[int, int, int]], length: int, width: int) -> Iterator[tuple[int, int]]:
    active: dict[int, tuple[int, int]] = {}  # bucket: (pieces as bits, lowest diagonal)
    settled = 0
    for offset, place, piece in votes:
        diagonal = offset - place
        key = diagonal // width
        bits, lowest = active.get(key, (0, diagonal))
        active[key] = (bits | 1 << piece, min(lowest, diagonal))
        # A bucket two needles back gets no more votes.
        if offset - settled > 4 * length + 4096:
            done = (offset - 2 * length) // width - 2
            yield from _settle(active, done)
            settled = offset
    yield from _settle(active, None)


def _settle(active: dict[int, tuple[int, int]], until: int | None) -> Iterator[tuple[int, int]]:
    for key in sorted(active):
        if until is not None and key > until:
            break
        bits, lowest = active[key]
        following = active.get(key + 1, (0, 0))[0]
        yield (bits | following).bit_count(), lowest
    for key in [k for k in active if until is not None and k <= until]:
        del active[key]
