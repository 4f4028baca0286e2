"""Which lines of two texts correspond: a line diff whose work is bounded.

Myers' shortest edit script ("An O(ND) Difference Algorithm and Its Variations", 1986) answers while
the texts are near one another; where they are not, lines that occur once on both sides divide the
problem (the patience diff); what neither settles within the budget is one replaced region. So a
rewrite of 20,000 lines costs a pass, where a quadratic diff takes minutes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from filewright.text import Splice

#: Differences Myers may search for before the range is divided, and when nothing divides it.
_NEAR, _FAR = 128, 1024
#: Elementary steps one diff may take (about a second of work) before the rest is one region.
BUDGET = 2_000_000
_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class LineChange:
    """Lines [start, end) of the one text became lines [new_start, new_end) of the other; 0-based."""

    start: int
    end: int
    new_start: int
    new_end: int


@dataclass(frozen=True, slots=True)
class Run:
    """`length` equal items from `left` in the first and `right` in the second sequence."""

    left: int
    right: int
    length: int


def changes(
    before: Sequence[Hashable], after: Sequence[Hashable], *, budget: int = BUDGET
) -> list[LineChange]:
    """The changes that turn `before` into `after`, in order, none touching the next.

    The elements are whole lines (or any values that compare equal where nothing changed).
    """
    names: dict[Hashable, int] = {}
    old = [names.setdefault(line, len(names)) for line in before]
    new = [names.setdefault(line, len(names)) for line in after]
    return _Differ(old, new, budget).run()


def align(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[Run]:
    """The matching runs of two sequences, in order, none touching the next on both sides."""
    found: list[Run] = []
    at = over = 0
    for change in [*changes(left, right), LineChange(len(left), len(left), len(right), len(right))]:
        if change.start > at:
            found.append(Run(at, over, change.start - at))
        at, over = change.end, change.new_end
    return found


_Path: TypeAlias = "tuple[_Path | None, int, int, int]"
"""A run of lines that correspond: those before it, where it ends in the old ones, its length, its diagonal."""


class _Differ:
    def __init__(self, old: list[int], new: list[int], budget: int) -> None:
        self.old = old
        self.new = new
        self.budget = budget

    def run(self) -> list[LineChange]:
        old, new = self.old, self.new
        found: list[LineChange] = []
        ranges = [(0, len(old), 0, len(new))]
        while ranges:
            a, b, c, d = ranges.pop()
            while a < b and c < d and old[a] == new[c]:
                a, c = a + 1, c + 1
            while a < b and c < d and old[b - 1] == new[d - 1]:
                b, d = b - 1, d - 1
            anchors = self._anchors(a, b, c, d) if a < b and c < d else []
            if not anchors and (a < b or c < d):
                found.append(LineChange(a, b, c, d))
            for i, j in reversed(anchors):
                if i + 1 < b or j + 1 < d:
                    ranges.append((i + 1, b, j + 1, d))
                b, d = i, j
            if anchors:
                ranges.append((a, b, c, d))
        return found

    def _anchors(self, a: int, b: int, c: int, d: int) -> list[tuple[int, int]]:
        """Pairs of lines that correspond, in order; none to give the range up."""
        self.budget -= (b - a) + (d - c)
        if self.budget <= 0 or set(self.old[a:b]).isdisjoint(self.new[c:d]):
            return []
        found = self._shortest(a, b, c, d, _NEAR) or self._unique(a, b, c, d)
        if not found and (b - a) + (d - c) > _NEAR:
            found = self._shortest(a, b, c, d, _FAR)
        return found

    def _shortest(self, a: int, b: int, c: int, d: int, limit: int) -> list[tuple[int, int]]:
        """The pairs of a shortest edit script of at most `limit` differences; none if there is no such script."""
        old, new = self.old, self.new
        n, m = b - a, d - c
        limit = min(limit, n + m)
        # How far each diagonal reaches, and what corresponds on the way.
        reach = [0] * (2 * limit + 3)
        paths: list[_Path | None] = [None] * (2 * limit + 3)
        for step in range(limit + 1):
            self.budget -= step + 1
            if self.budget <= 0:
                return []
            for k in range(-step, step + 1, 2):
                at = limit + 1 + k
                if k == -step or (k != step and reach[at - 1] < reach[at + 1]):
                    x, path = reach[at + 1], paths[at + 1]
                else:
                    x, path = reach[at - 1] + 1, paths[at - 1]
                start, y = x, x - k
                while x < n and 0 <= y < m and old[a + x] == new[c + y]:
                    x += 1
                    y += 1
                reach[at] = x
                if x > start:
                    path = (path, x, x - start, k)
                paths[at] = path
                if x >= n and y >= m:
                    pairs: list[tuple[int, int]] = []
                    while path is not None:
                        path, end, length, diagonal = path
                        pairs += [(a + i, c + i - diagonal) for i in range(end - 1, end - length - 1, -1)]
                    return pairs[::-1]
        return []

    def _unique(self, a: int, b: int, c: int, d: int) -> list[tuple[int, int]]:
        """Pairs of lines that occur once on either side, the longest run of them in order (patience sorting)."""
        here, there = _once(self.old, a, b), _once(self.new, c, d)
        tails: list[int] = []
        piles: list[int] = []
        chain: dict[int, tuple[int, int]] = {}
        for line, i in here.items():
            j = there.get(line)
            if j is None:
                continue
            place = bisect_left(tails, j)
            if place == len(tails):
                tails.append(j)
                piles.append(i)
            else:
                tails[place] = j
                piles[place] = i
            chain[i] = (j, piles[place - 1] if place else -1)
        chosen: list[tuple[int, int]] = []
        i = piles[-1] if piles else -1
        while i >= 0:
            j, before = chain[i]
            chosen.append((i, j))
            i = before
        return chosen[::-1]


def _once(lines: list[int], start: int, end: int) -> dict[int, int]:
    """The lines that occur once in a range, in order, with their indexes."""
    seen: dict[int, int] = {}
    for index in range(start, end):
        seen[lines[index]] = -1 if lines[index] in seen else index
    return {line: index for line, index in seen.items() if index >= 0}


def line_splices(before: bytes, after: bytes, *, budget: int = BUDGET) -> tuple[Splice, ...]:
    """The splices of whole lines that turn `before` into `after`: ordered, not touching.

    Lines end with ``\\n``, ``\\r\\n`` or a lone ``\\r``; a line that differs only in its terminator
    is replaced. `apply(before, line_splices(before, after)) == after`, always.
    """
    if before == after:
        return ()
    head = _common_head(before, after)
    tail = _common_tail(before, after, head)
    old = before[head : len(before) - tail].splitlines(keepends=True)
    new = after[head : len(after) - tail].splitlines(keepends=True)
    result: list[Splice] = []
    offset, line = head, 0
    for change in changes(old, new, budget=budget):
        offset += sum(map(len, old[line : change.start]))
        length = sum(map(len, old[change.start : change.end]))
        result.append(Splice(offset, length, b"".join(new[change.new_start : change.new_end])))
        offset, line = offset + length, change.end
    return tuple(result)


def _common_head(before: bytes, after: bytes) -> int:
    """Length of equal blocks at the beginning, cut back to where a line begins on both sides."""
    size, at = min(len(before), len(after)), 0
    while at + _BLOCK <= size and before[at : at + _BLOCK] == after[at : at + _BLOCK]:
        at += _BLOCK
    return before.rfind(b"\n", 0, at) + 1


def _common_tail(before: bytes, after: bytes, head: int) -> int:
    """Length of equal blocks at the end, past `head`, cut forward to where a line begins on both sides."""
    a, b = len(before), len(after)
    size, at = min(a, b) - head, 0
    while at + _BLOCK <= size and before[a - at - _BLOCK : a - at] == after[b - at - _BLOCK : b - at]:
        at += _BLOCK
    newline = before.find(b"\n", a - at)
    return a - newline - 1 if newline >= 0 else 0
