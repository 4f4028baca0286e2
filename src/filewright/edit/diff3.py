"""Aligning two sequences of lines, and merging three.

`align` finds what two sequences have in common: Myers' greedy algorithm (E. W. Myers, "An O(ND)
difference algorithm", 1986) where the range is small, patience anchors (lines that occur once in
each) where it is large, so that no input costs more than about n log n. `merge3` is the classic
three-way merge over it (S. Khanna, K. Kunal, B. C. Pierce, "A formal investigation of diff3",
2007): changes of both sides that touch are a conflict unless they are the same change.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

_SMALL = 512
"""Ranges whose summed length is at most this are aligned by Myers' algorithm alone."""
_MOST_DIFFERENCES = 400
"""Where no line is unique, give up aligning a range after this many differences."""

_MOST_PASSES = 32
"""Looking for anchors may read each line this many times in all."""

Kind = Literal["same", "ours", "theirs", "both", "conflict"]


@dataclass(frozen=True, slots=True)
class Match:
    """`length` equal items from `left` in the first and `right` in the second sequence."""

    left: int
    right: int
    length: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """One stretch of a merge: half-open line ranges of the three texts, and who changed it.

    `both` is the same change made by both sides.
    """

    kind: Kind
    base: tuple[int, int]
    ours: tuple[int, int]
    theirs: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Merged:
    """The chunks of a three-way merge, in order; together they cover all three texts."""

    chunks: tuple[Chunk, ...]
    ours: Sequence[bytes]
    theirs: Sequence[bytes]

    @property
    def conflicts(self) -> tuple[Chunk, ...]:
        """The chunks both sides changed differently; empty when the merge is clean."""
        return tuple(chunk for chunk in self.chunks if chunk.kind == "conflict")

    @property
    def clean(self) -> bool:
        """Whether there is no conflict."""
        return not any(chunk.kind == "conflict" for chunk in self.chunks)

    def changes(self) -> Iterator[tuple[int, int, Sequence[bytes]]]:
        """What the merge changes in ours: (first line, line past the last, the new lines)."""
        for chunk in self.chunks:
            if chunk.kind == "theirs":
                yield chunk.ours[0], chunk.ours[1], self.theirs[chunk.theirs[0] : chunk.theirs[1]]

    def lines(self) -> list[bytes]:
        """The merged lines; at a conflict, ours."""
        result: list[bytes] = []
        for chunk in self.chunks:
            side, (start, end) = (
                (self.theirs, chunk.theirs) if chunk.kind == "theirs" else (self.ours, chunk.ours)
            )
            result += side[start:end]
        return result


class _Area(NamedTuple):
    """A range of the first and a range of the second sequence."""

    low: int
    high: int
    start: int
    end: int


def align(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[Match]:
    """The matching runs of two sequences, in order, none touching the next on both sides."""
    pairs: list[Match] = []
    work = [(0, len(left), 0, len(right))]
    budget = _MOST_PASSES * (len(left) + len(right))
    while work:
        low, high, start, end = work.pop()
        head = 0
        while low + head < high and start + head < end and left[low + head] == right[start + head]:
            head += 1
        if head:
            pairs.append(Match(low, start, head))
            low, start = low + head, start + head
        tail = 0
        while low < high - tail and start < end - tail and left[high - tail - 1] == right[end - tail - 1]:
            tail += 1
        if tail:
            pairs.append(Match(high - tail, end - tail, tail))
            high, end = high - tail, end - tail
        if low == high or start == end:
            continue
        area = _Area(low, high, start, end)
        if high - low + end - start <= _SMALL:
            pairs += _greedy(left, right, area, _SMALL)
            continue
        budget -= high - low + end - start
        if budget < 0:
            continue
        anchors = _anchors(left, right, area)
        if not anchors:
            pairs += _greedy(left, right, area, _MOST_DIFFERENCES)
            continue
        for i, j in anchors:
            work.append((low, i, start, j))
            pairs.append(Match(i, j, 1))
            low, start = i + 1, j + 1
        work.append((low, high, start, end))
    return _joined(sorted(pairs, key=lambda match: match.left))


def _joined(pairs: list[Match]) -> list[Match]:
    result: list[Match] = []
    for match in pairs:
        last = result[-1] if result else None
        if last and last.left + last.length == match.left and last.right + last.length == match.right:
            result[-1] = Match(last.left, last.right, last.length + match.length)
        else:
            result.append(match)
    return result


def slid(matches: list[Match], left: Sequence[Hashable], right: Sequence[Hashable]) -> list[Match]:
    """The same alignment with each pure insertion or deletion moved where git has it.

    That is together with the change next to it, if it can go that far; else as far down as it goes.
    """
    result = [Match(0, 0, 0), *matches, Match(len(left), len(right), 0)]
    index = 0
    while index + 1 < len(result):
        here, following = result[index], result[index + 1]
        low, high = here.left + here.length, following.left
        start, end = here.right + here.length, following.right
        if (low < high) == (start < end):
            index += 1
            continue
        longer, first, last = (left, low, high) if low < high else (right, start, end)
        down = up = 0
        while down < following.length and longer[first + down] == longer[last + down]:
            down += 1
        while up < here.length and longer[last - 1 - up] == longer[first - 1 - up]:
            up += 1
        if down and down == following.length and index + 2 < len(result):
            result[index : index + 2] = [Match(here.left, here.right, here.length + down)]
            continue
        if up and up == here.length and index > 0 and _gap(result[index - 1], here):
            following = Match(following.left - up, following.right - up, following.length + up)
            result[index : index + 2] = [following]
            index -= 1
            continue
        result[index] = Match(here.left, here.right, here.length + down)
        rest = following.length - down
        result[index + 1] = Match(following.left + down, following.right + down, rest)
        index += 1
    return [match for match in result if match.length]


def _gap(one: Match, other: Match) -> bool:
    return one.left + one.length < other.left or one.right + one.length < other.right


def _anchors(left: Sequence[Hashable], right: Sequence[Hashable], area: _Area) -> list[tuple[int, int]]:
    """The longest rising run of pairs of items that occur once in each range."""
    low, high, start, end = area
    once: dict[Hashable, int] = {}
    for i in range(low, high):
        once[left[i]] = -1 if left[i] in once else i
    found: dict[Hashable, int] = {}
    for j in range(start, end):
        if once.get(right[j], -1) >= 0:
            found[right[j]] = -1 if right[j] in found else j
    pairs = sorted((once[item], j) for item, j in found.items() if j >= 0)
    tops: list[int] = []
    top_of: list[int] = []
    before: list[int] = []
    for index, (_, j) in enumerate(pairs):
        place = bisect_left(tops, j)
        before.append(top_of[place - 1] if place else -1)
        if place == len(tops):
            tops.append(j)
            top_of.append(index)
        else:
            tops[place], top_of[place] = j, index
    result: list[tuple[int, int]] = []
    index = top_of[-1] if top_of else -1
    while index >= 0:
        result.append(pairs[index])
        index = before[index]
    return result[::-1]


def _greedy(left: Sequence[Hashable], right: Sequence[Hashable], area: _Area, most: int) -> list[Match]:
    """Myers' shortest edit script of two ranges; nothing if it is longer than `most`."""
    low, high, start, end = area
    n, m = high - low, end - start
    reach = {1: 0}
    trace: list[dict[int, int]] = []
    for d in range(min(most, n + m) + 1):
        trace.append(dict(reach))
        for k in range(-d, d + 1, 2):
            if k < -m or k > n:
                continue
            down = k == -d or (k != d and reach.get(k - 1, -1) < reach.get(k + 1, -1))
            x = reach.get(k + 1, 0) if down else reach.get(k - 1, -1) + 1
            y = x - k
            while x < n and y < m and left[low + x] == right[start + y]:
                x, y = x + 1, y + 1
            reach[k] = x
            if x >= n and y >= m:
                return _traced(trace, n, m, low, start)
    return []


def _traced(trace: list[dict[int, int]], n: int, m: int, low: int, start: int) -> list[Match]:
    result: list[Match] = []
    x, y = n, m
    for d in range(len(trace) - 1, -1, -1):
        reach, k = trace[d], x - y
        down = k == -d or (k != d and reach.get(k - 1, -1) < reach.get(k + 1, -1))
        before = k + 1 if down else k - 1
        from_x = reach.get(before, 0) if d else 0
        from_y = from_x - before if d else 0
        middle_x = from_x if down or not d else from_x + 1
        length = x - middle_x
        if length > 0:
            result.append(Match(low + x - length, start + y - length, length))
        x, y = from_x, from_y
    return result


def merge3(base: Sequence[bytes], ours: Sequence[bytes], theirs: Sequence[bytes]) -> Merged:
    """Merge two changes of `base`, line by line; the lines carry their terminators or not, as given.

    Pure and bounded: about n log n in the number of lines. Changes that touch one another are a
    conflict unless both sides made the same one.
    """
    chunks: list[Chunk] = []
    b = o = t = 0
    mine = slid(align(base, ours), base, ours)
    other = slid(align(base, theirs), base, theirs)
    stable = [*_stable(mine, other), (len(base), len(ours), len(theirs), 0)]
    for base_at, ours_at, theirs_at, length in stable:
        if b < base_at or o < ours_at or t < theirs_at:
            kind = _changed_by(base[b:base_at], ours[o:ours_at], theirs[t:theirs_at])
            chunks.append(Chunk(kind, (b, base_at), (o, ours_at), (t, theirs_at)))
        b, o, t = base_at + length, ours_at + length, theirs_at + length
        if length:
            chunks.append(Chunk("same", (base_at, b), (ours_at, o), (theirs_at, t)))
    return Merged(tuple(chunks), ours, theirs)


def _changed_by(base: Sequence[bytes], ours: Sequence[bytes], theirs: Sequence[bytes]) -> Kind:
    if ours == theirs:
        return "both"
    if ours == base:
        return "theirs"
    return "ours" if theirs == base else "conflict"


def _stable(ours: list[Match], theirs: list[Match]) -> Iterator[tuple[int, int, int, int]]:
    """The runs of the base that both sides kept: (base, ours, theirs, length)."""
    i = j = 0
    while i < len(ours) and j < len(theirs):
        mine, other = ours[i], theirs[j]
        start = max(mine.left, other.left)
        end = min(mine.left + mine.length, other.left + other.length)
        if start < end:
            yield start, mine.right + start - mine.left, other.right + start - other.left, end - start
        if mine.left + mine.length < other.left + other.length:
            i += 1
        else:
            j += 1
