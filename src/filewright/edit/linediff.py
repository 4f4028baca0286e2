"""Which lines of two texts correspond: a line diff whose work is bounded; and three texts merged by it.

What both begin and end with is set aside. What is left is compared for its longest common subsequence ("Bit-parallel
LCS-length computation revisited", Hyyrö 2004) where a bit for each pair of lines is not too many; where it is, lines
that occur once on both sides divide it (the patience diff); what they do not divide is one replaced region. So a
rewrite of 20,000 lines costs a pass, where a quadratic diff takes minutes.

The merge is the classic one over what both sides change (S. Khanna, K. Kunal, B. C. Pierce, "A formal
investigation of diff3", 2007): changes of both sides that touch are a conflict unless they are the same change.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import astuple, dataclass
from itertools import pairwise
from typing import Generic, Literal, NamedTuple, TypeAlias, TypeVar

from filewright.text.splice import Splice

Item = TypeVar("Item", bound=Hashable)
Kind = Literal["same", "ours", "theirs", "both", "conflict"]

MAX_COMPARED_PAIRS = 1 << 27
"""Pairs of lines that are compared, in a bit each (16 MB)."""
_PASSES = 32
"""How often lines are looked through to divide them."""
_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class LineChange:
    """Lines [start, end) of the one text became lines [new_start, new_end) of the other; 0-based."""

    start: int
    end: int
    new_start: int
    new_end: int


class EqualRun(NamedTuple):
    """`length` equal items from `left` in the first and `right` in the second sequence."""

    left: int
    right: int
    length: int


_Chain: TypeAlias = "tuple[int, int, _Chain | None]"
"""A pair of lines that correspond, and those before it."""


def diff_lines(
    before: Sequence[Hashable],
    after: Sequence[Hashable],
    *,
    pairs: int = MAX_COMPARED_PAIRS,
) -> list[LineChange]:
    """The changes that turn `before` into `after`, in order, none touching the next.

    The elements are whole lines (or any values that compare equal where nothing changed).
    """
    work = _PASSES * (len(before) + len(after))
    found: list[LineChange] = []
    ranges = [(0, len(before), 0, len(after))]
    while ranges:
        a, b, c, d = ranges.pop()
        while a < b and c < d and before[a] == after[c]:
            a, c = a + 1, c + 1
        while a < b and c < d and before[b - 1] == after[d - 1]:
            b, d = b - 1, d - 1
        left, right = before[a:b], after[c:d]
        work -= len(left) + len(right)
        if work < 0 or set(left).isdisjoint(right):
            found += [LineChange(a, b, c, d)] if left or right else []
        elif len(left) * len(right) <= pairs:
            from rapidfuzz.distance import LCSseq

            at, over = a, c
            # It compares hashes, of which only those of numbers differ whenever the lines do.
            numbers: dict[Hashable, int] = {}
            old, new = (
                [numbers.setdefault(line, len(numbers)) for line in lines]
                for lines in (left, right)
            )
            for run in LCSseq.opcodes(old, new).as_matching_blocks():
                if a + run.a > at or c + run.b > over:
                    found.append(LineChange(at, a + run.a, over, c + run.b))
                at, over = a + run.a + run.size, c + run.b + run.size
        elif anchors := _unique(left, right):
            ends = [(-1, -1), *anchors, (len(left), len(right))]
            ranges += reversed(
                [
                    (a + i + 1, a + k, c + j + 1, c + m)
                    for (i, j), (k, m) in pairwise(ends)
                ]
            )
        else:
            found.append(LineChange(a, b, c, d))
    return found


def align(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[EqualRun]:
    """The matching runs of two sequences, in order, none touching the next on both sides."""
    found: list[EqualRun] = []
    at = over = 0
    for change in [
        *diff_lines(left, right),
        LineChange(len(left), len(left), len(right), len(right)),
    ]:
        if change.start > at:
            found.append(EqualRun(at, over, change.start - at))
        at, over = change.end, change.new_end
    return found


def _unique(
    left: Sequence[Hashable], right: Sequence[Hashable]
) -> list[tuple[int, int]]:
    """Pairs of lines that occur once on either side, the longest run of them in order (patience sorting)."""
    counts, others = Counter(left), Counter(right)
    there = {
        line: j for j, line in enumerate(right) if others[line] == counts[line] == 1
    }
    piles: list[_Chain] = []
    for i, line in enumerate(left):
        if (j := there.get(line)) is not None:
            place = bisect_left(piles, j, key=lambda one: one[1])
            piles[place : place + 1] = [(i, j, piles[place - 1] if place else None)]
    chosen: list[tuple[int, int]] = []
    chain = piles[-1] if piles else None
    while chain is not None:
        i, j, chain = chain
        chosen.append((i, j))
    return chosen[::-1]


def find_replacements(
    before: bytes, after: bytes
) -> Iterator[tuple[int, int, list[bytes], list[bytes]]]:
    """Which lines of one text became which of the other: the first (from 0), its offset, the old and the new ones.

    Lines end with ``\\n``, ``\\r\\n`` or a lone ``\\r``, which is part of the line.
    """
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    offset = line = 0
    for change in diff_lines(old, new):
        gone = old[change.start : change.end]
        offset += sum(map(len, old[line : change.start]))
        yield change.start, offset, gone, new[change.new_start : change.new_end]
        offset, line = offset + sum(map(len, gone)), change.end


def find_line_splices(
    before: bytes, after: bytes, start: int = 0
) -> tuple[Splice, ...]:
    """The splices of whole lines that turn `before`, which is at offset `start`, into `after`: ordered, not touching.

    Lines end with ``\\n``, ``\\r\\n`` or a lone ``\\r``; a line that differs only in its terminator
    is replaced. `apply(before, line_splices(before, after)) == after`, always.
    """
    if before == after:
        return ()
    # Equal blocks at both ends are set aside, up to where a line begins on both sides.
    a, b = len(before), len(after)
    head = tail = 0
    while (
        head + _BLOCK <= min(a, b)
        and before[head : head + _BLOCK] == after[head : head + _BLOCK]
    ):
        head += _BLOCK
    head = before.rfind(b"\n", 0, head) + 1
    most = min(a, b) - head - _BLOCK
    while (
        tail <= most
        and before[a - tail - _BLOCK : a - tail] == after[b - tail - _BLOCK : b - tail]
    ):
        tail += _BLOCK
    newline = before.find(b"\n", a - tail)
    tail = a - newline - 1 if newline >= 0 else 0
    splices: list[Splice] = []
    for _, offset, gone, come in find_replacements(
        before[head : a - tail], after[head : b - tail]
    ):
        splices.append(
            Splice(start + head + offset, sum(map(len, gone)), b"".join(come))
        )
    return tuple(splices)


def splices_to_line_changes(
    splices: Sequence[Splice], before: Sequence[int], after: Sequence[int]
) -> list[LineChange]:
    """The lines that ordered splices change; `before` and `after` are the offsets of lines, and the size at last."""
    result: list[LineChange] = []
    starts = set(after)
    shift = 0
    for splice in splices:
        first = bisect_right(before, splice.offset) - 1
        while before[first] + shift not in starts:
            first -= 1
        shift += len(splice.replacement) - splice.length
        last = bisect_left(before, splice.end)
        while before[last] + shift not in starts:
            last += 1
        new_last = bisect_left(after, before[last] + shift)
        if result and first < result[-1].end:
            result[-1] = LineChange(
                result[-1].start, last, result[-1].new_start, new_last
            )
        else:
            more = result[-1].new_end - result[-1].end if result else 0
            result.append(LineChange(first, last, first + more, new_last))
    return result


# Three texts merged


@dataclass(frozen=True, slots=True)
class MergeChunk:
    """One stretch of a merge: half-open line ranges of the three texts, and who changed it.

    `both` is the same change made by both sides.
    """

    kind: Kind
    base: tuple[int, int]
    ours: tuple[int, int]
    theirs: tuple[int, int]


@dataclass(frozen=True, slots=True)
class LineMerge(Generic[Item]):
    """The chunks of a three-way merge, in order; together they cover all three texts."""

    chunks: tuple[MergeChunk, ...]
    ours: Sequence[Item]
    theirs: Sequence[Item]

    @property
    def conflicts(self) -> tuple[MergeChunk, ...]:
        """The chunks both sides changed differently; empty when the merge is clean."""
        return tuple(chunk for chunk in self.chunks if chunk.kind == "conflict")

    @property
    def clean(self) -> bool:
        """Whether there is no conflict."""
        return not self.conflicts

    @property
    def lines(self) -> list[Item]:
        """The merged lines; at a conflict, ours."""
        result: list[Item] = []
        for chunk in self.chunks:
            result += (
                self.theirs[slice(*chunk.theirs)]
                if chunk.kind == "theirs"
                else self.ours[slice(*chunk.ours)]
            )
        return result


def slide_changes(
    found: list[LineChange], left: Sequence[Hashable], right: Sequence[Hashable]
) -> list[LineChange]:
    """The same changes with each pure insertion or deletion moved where git has it.

    That is together with the change next to it, if it can go that far; else as far down as it goes.
    """
    result = [*found]
    index = 0
    while index < len(result):
        here = result[index]
        above = result[index - 1] if index else None
        below = result[index + 1] if index + 1 < len(result) else None
        gone, come = here.start < here.end, here.new_start < here.new_end
        text, first, last = (
            (left, here.start, here.end)
            if gone
            else (right, here.new_start, here.new_end)
        )
        room = (below.start if below else len(left)) - here.end
        down = up = 0
        while gone != come and down < room and text[first + down] == text[last + down]:
            down += 1
        if down and down == room and below:
            result[index : index + 2] = [
                LineChange(
                    here.start + down, below.end, here.new_start + down, below.new_end
                )
            ]
            continue
        room = here.start - (above.end if above else 0)
        while (
            gone != come and up < room and text[last - 1 - up] == text[first - 1 - up]
        ):
            up += 1
        if up and up == room and above:
            index -= 1
            result[index : index + 2] = [
                LineChange(
                    above.start, here.end - up, above.new_start, here.new_end - up
                )
            ]
            continue
        result[index] = LineChange(*(line + down for line in astuple(here)))
        index += 1
    return result


def merge_lines(
    base: Sequence[Item],
    ours: Sequence[Item],
    theirs: Sequence[Item],
    *,
    touching: bool = False,
) -> LineMerge[Item]:
    """Merge two changes of `base`, line by line; the lines carry their terminators or not, as given.

    Pure and bounded: about n log n in the number of lines. Changes that touch one another are a
    conflict unless both sides made the same one. With `touching` only those are that overlap, or insert at one place.
    """
    mine, other = (
        slide_changes(diff_lines(base, text), base, text) for text in (ours, theirs)
    )
    return merge_changes(base, ours, theirs, mine, other, touching=touching)


def merge_changes(
    base: Sequence[Item],
    ours: Sequence[Item],
    theirs: Sequence[Item],
    our_changes: Sequence[LineChange],
    their_changes: Sequence[LineChange],
    *,
    touching: bool = False,
) -> LineMerge[Item]:
    """Merge two sides that changed `base` as said, which is known better than two texts tell it."""
    changed = [
        (change, side)
        for side, made in enumerate((our_changes, their_changes))
        for change in made
    ]
    # Changes that touch, as lines of the base, and by how many lines each side grows there.
    groups: list[list[int]] = []
    for change, side in sorted(changed, key=lambda one: (one[0].start, one[0].end)):
        begins = not groups or change.start > groups[-1][1]
        if touching and not begins:
            # Of two that touch, the place of each is known unless both insert there.
            begins = change.start == groups[-1][1] and (
                groups[-1][0] < groups[-1][1] or change.start < change.end
            )
        if begins:
            groups.append([change.start, change.end, 0, 0])
        groups[-1][1] = max(groups[-1][1], change.end)
        groups[-1][2 + side] += (
            change.new_end - change.new_start - (change.end - change.start)
        )
    chunks: list[MergeChunk] = []
    at = mine = other = 0  # how many lines further the sides are than the base
    for start, stop, more, another in [*groups, [len(base), len(base), 0, 0]]:
        if at < start:
            chunks.append(
                MergeChunk(
                    "same",
                    (at, start),
                    (at + mine, start + mine),
                    (at + other, start + other),
                )
            )
        if start < stop or more or another:
            spans = (
                (start, stop),
                (start + mine, stop + mine + more),
                (start + other, stop + other + another),
            )
            one, two, three = (
                text[slice(*span)]
                for text, span in zip((base, ours, theirs), spans, strict=True)
            )
            kind: Kind = (
                "both"
                if two == three
                else "theirs"
                if two == one
                else "ours"
                if three == one
                else "conflict"
            )
            chunks.append(MergeChunk(kind, *spans))
        at, mine, other = stop, mine + more, other + another
    return LineMerge(tuple(chunks), ours, theirs)
