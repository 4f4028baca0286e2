"""The full comparison: every window of a file against the needle, by their longest common subsequence.

A window of one and a half needles (and room for changed indentation) at every half needle holds any
region whole; the common subsequence does not mind what else the window holds. C speed, about 10 ms
a megabyte for a line.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from typing import Any

from filewright.progress import Task
from filewright.search.window import window
from filewright.text import Snapshot

_LENGTH = 256 << 10


def sweep(snapshot: Snapshot, needle: str, keep: int, task: Task) -> list[tuple[int, int, int]]:
    """The `keep` most promising windows as (common characters, first byte, past the last byte)."""
    from rapidfuzz import process
    from rapidfuzz.distance import LCSseq

    half = max(8, len(needle) // 2)
    span = 3 * half + len(needle) // 4 + 16
    least = max(2, len(needle) // 2)
    best: list[tuple[int, int, int]] = []
    position = snapshot.start
    while position < snapshot.size:
        task.check()
        task.report(position, snapshot.size, "comparing")
        view = window(snapshot, position, snapshot.size, length=_LENGTH, longest=_LENGTH)
        text = view.text[view.begin :].decode("utf-8", "surrogateescape")
        begins = range(0, max(1, len(text) - half), half)
        pieces = [text[begin : begin + span] for begin in begins]
        cutoff = max(least, best[0][0]) if len(best) >= keep else least
        found: list[Any] = process.extract(
            needle, pieces, scorer=LCSseq.similarity, score_cutoff=cutoff, limit=keep
        )
        # The end of a window and the beginning of the next may share a region.
        overlap = max(0, len(text) - span)
        places = _bytes_before(
            text, [overlap, *(begins[k] + more for _, _, k in found for more in (0, span))]
        )
        for _, common, k in sorted(found, key=lambda item: item[2]):
            begin, end = (view.raw_at(view.begin + places[begins[k] + more]) for more in (0, span))
            entry = (int(common), begin, end)
            if len(best) < keep:
                heapq.heappush(best, entry)
            elif entry[0] > best[0][0]:
                heapq.heapreplace(best, entry)
        if view.last:
            break
        back = view.raw_at(view.begin + places[overlap])
        position = back if back > position else view.stop
    return sorted(best, key=lambda e: (-e[0], e[1]))


def _bytes_before(text: str, characters: Iterable[int]) -> dict[int, int]:
    """How many bytes of UTF-8 are before each of some characters of a text; past its end, all of them."""
    places, known, length = {}, 0, 0
    for character in sorted(characters):
        length += len(text[known:character].encode("utf-8", "surrogateescape"))
        places[character], known = length, character
    return places
