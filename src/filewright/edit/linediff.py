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


class _Differ:
    def __init__(self, old: list[int], new: list[int], budget: int) -> None:
        self.old = old
        self.new = new
        self.budget = budget

    def run(self) -> list[LineChange]:
        found: list[LineChange] = []
        ranges = [(0, len(self.old), 0, len(self.new))]
        while ranges:
            a, b, c, d = self._trimmed(*ranges.pop())
            if a == b or c == d:
                if a < b or c < d:
                    found.append(LineChange(a, b, c, d))
                continue
            parts = self._divided(a, b, c, d)
            if parts is None:
                found.append(LineChange(a, b, c, d))
            else:
                ranges.extend(reversed(parts))
        return _joined(found)

    def _trimmed(self, a: int, b: int, c: int, d: int) -> tuple[int, int, int, int]:
        old, new = self.old, self.new
        while a < b and c < d and old[a] == new[c]:
            a += 1
            c += 1
        while a < b and c < d and old[b - 1] == new[d - 1]:
            b -= 1
            d -= 1
        return a, b, c, d

    def _divided(self, a: int, b: int, c: int, d: int) -> list[tuple[int, int, int, int]] | None:
        """Smaller ranges that leave out lines now known to correspond; None to give the range up."""
        self.budget -= (b - a) + (d - c)
        if self.budget <= 0:
            return None
        if set(self.old[a:b]).isdisjoint(self.new[c:d]):
            return None
        anchors = self._shortest(a, b, c, d, _NEAR) or self._unique(a, b, c, d)
        if not anchors and (b - a) + (d - c) > _NEAR:
            anchors = self._shortest(a, b, c, d, _FAR) or []
        if not anchors:
            return None
        parts = []
        x, y = a, c
        for i, j in anchors:
            if x < i or y < j:
                parts.append((x, i, y, j))
            x, y = i + 1, j + 1
        if x < b or y < d:
            parts.append((x, b, y, d))
        return parts

    def _shortest(self, a: int, b: int, c: int, d: int, limit: int) -> list[tuple[int, int]] | None:
        """The pairs of a shortest edit script of at most `limit` differences, else None."""
        old, new = self.old, self.new
        n, m = b - a, d - c
        limit = min(limit, n + m)
        middle = limit + 1
        reach = [0] * (2 * limit + 3)
        trace: list[list[int]] = []
        for step in range(limit + 1):
            self.budget -= step + 1
            if self.budget <= 0:
                return None
            for k in range(-step, step + 1, 2):
                if k == -step or (k != step and reach[middle + k - 1] < reach[middle + k + 1]):
                    x = reach[middle + k + 1]
                else:
                    x = reach[middle + k - 1] + 1
                y = x - k
                while x < n and 0 <= y < m and old[a + x] == new[c + y]:
                    x += 1
                    y += 1
                reach[middle + k] = x
                if x >= n and y >= m:
                    trace.append(reach[middle - step - 1 : middle + step + 2])
                    return self._walked(a, c, n, m, trace)
            trace.append(reach[middle - step - 1 : middle + step + 2])
        return None

    def _walked(self, a: int, c: int, n: int, m: int, trace: list[list[int]]) -> list[tuple[int, int]]:
        """The pairs on the path whose furthest reaches are in `trace`, from the end back."""
        pairs: list[tuple[int, int]] = []
        x, y = n, m
        for step in range(len(trace) - 1, 0, -1):
            reach, middle = trace[step - 1], step
            k = x - y
            if k == -step or (k != step and _at(reach, middle + k - 1) < _at(reach, middle + k + 1)):
                from_k = k + 1
            else:
                from_k = k - 1
            from_x = reach[middle + from_k]
            start_x = from_x if from_k > k else from_x + 1
            while x > start_x:
                x -= 1
                y -= 1
                pairs.append((a + x, c + y))
            x, y = from_x, from_x - from_k
        while x > 0 and y > 0:
            x -= 1
            y -= 1
            pairs.append((a + x, c + y))
        pairs.reverse()
        return pairs

    def _unique(self, a: int, b: int, c: int, d: int) -> list[tuple[int, int]]:
        """Pairs of lines that occur once on either side, the longest run of them in order."""
        here = _once(self.old, a, b)
        there = _once(self.new, c, d)
        pairs = [(i, there[line]) for line, i in here.items() if line in there]
        pairs.sort()
        tails: list[int] = []
        at: list[int] = []
        previous: list[int] = []
        for index, (_, j) in enumerate(pairs):
            place = bisect_left(tails, j)
            previous.append(at[place - 1] if place else -1)
            if place == len(tails):
                tails.append(j)
                at.append(index)
            else:
                tails[place] = j
                at[place] = index
        chosen: list[tuple[int, int]] = []
        index = at[-1] if at else -1
        while index >= 0:
            chosen.append(pairs[index])
            index = previous[index]
        chosen.reverse()
        return chosen


def _at(values: list[int], index: int) -> int:
    return values[index] if 0 <= index < len(values) else -1


def _once(lines: list[int], start: int, end: int) -> dict[int, int]:
    seen: dict[int, int] = {}
    for index in range(start, end):
        seen[lines[index]] = -1 if lines[index] in seen else index
    return {line: index for line, index in seen.items() if index >= 0}


def _joined(found: list[LineChange]) -> list[LineChange]:
    result: list[LineChange] = []
    for change in found:
        if result and result[-1].end == change.start and result[-1].new_end == change.new_start:
            last = result.pop()
            change = LineChange(last.start, change.end, last.new_start, change.new_end)
        result.append(change)
    return result


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
