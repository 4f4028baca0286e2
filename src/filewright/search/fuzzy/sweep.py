"""The full comparison: every window of a file against the needle, by their longest common subsequence.

A window of one and a half needles (and room for changed indentation) at every half needle holds any
region whole; the common subsequence does not mind what else the window holds. C speed, about 10 ms
a megabyte for a line.
"""

from __future__ import annotations

import heapq
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
        offsets = _Offsets(text, position, view.stop, view.raw_at, view.begin)
        for _, common, k in sorted(found, key=lambda item: item[2]):
            entry = (int(common), offsets.at(begins[k]), offsets.at(begins[k] + span))
            if len(best) < keep:
                heapq.heappush(best, entry)
            elif entry[0] > best[0][0]:
                heapq.heapreplace(best, entry)
        if view.last:
            break
        # The end of a window and the beginning of the next may share a region.
        back = offsets.at(max(0, len(text) - span))
        position = back if back > position else view.stop
    return sorted(best, key=lambda e: (-e[0], e[1]))


class _Offsets:
    """Byte offsets of characters of a window's text, asked in nearly rising order."""

    def __init__(self, text: str, begin: int, stop: int, raw_at: Any, shift: int) -> None:
        self._text = text
        self._begin = begin
        self._stop = stop
        self._raw_at = raw_at
        self._shift = shift
        self._ascii = text.isascii()
        self._known = (0, 0)

    def at(self, character: int) -> int:
        """The offset in the file of a character of the text; the window's end if it has fewer."""
        if character >= len(self._text):
            return self._stop
        if self._ascii:
            return int(self._raw_at(self._shift + character))
        known, length = self._known if character >= self._known[0] else (0, 0)
        length += len(self._text[known:character].encode("utf-8", "surrogateescape"))
        self._known = (character, length)
        return min(self._stop, int(self._raw_at(self._shift + length)))
