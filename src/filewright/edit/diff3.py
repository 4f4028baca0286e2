"""Aligning two sequences of lines, and merging three.

`align` is the other side of a line diff: what two sequences have in common. `merge3` is the classic
three-way merge over it (S. Khanna, K. Kunal, B. C. Pierce, "A formal investigation of diff3",
2007): changes of both sides that touch are a conflict unless they are the same change.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from filewright.edit.linediff import LineChange, changes

Item = TypeVar("Item", bound=Hashable)
Kind = Literal["same", "ours", "theirs", "both", "conflict"]


@dataclass(frozen=True, slots=True)
class Run:
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
class Merged(Generic[Item]):
    """The chunks of a three-way merge, in order; together they cover all three texts."""

    chunks: tuple[Chunk, ...]
    ours: Sequence[Item]
    theirs: Sequence[Item]

    @property
    def conflicts(self) -> tuple[Chunk, ...]:
        """The chunks both sides changed differently; empty when the merge is clean."""
        return tuple(chunk for chunk in self.chunks if chunk.kind == "conflict")

    @property
    def clean(self) -> bool:
        """Whether there is no conflict."""
        return not any(chunk.kind == "conflict" for chunk in self.chunks)

    def changes(self) -> Iterator[tuple[int, int, Sequence[Item]]]:
        """What the merge changes in ours: (first line, line past the last, the new lines)."""
        for chunk in self.chunks:
            if chunk.kind == "theirs":
                yield chunk.ours[0], chunk.ours[1], self.theirs[chunk.theirs[0] : chunk.theirs[1]]

    def lines(self) -> list[Item]:
        """The merged lines; at a conflict, ours."""
        result: list[Item] = []
        for chunk in self.chunks:
            side, (start, end) = (
                (self.theirs, chunk.theirs) if chunk.kind == "theirs" else (self.ours, chunk.ours)
            )
            result += side[start:end]
        return result


def align(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[Run]:
    """The matching runs of two sequences, in order, none touching the next on both sides."""
    found: list[Run] = []
    at = over = 0
    for change in [*changes(left, right), LineChange(len(left), len(left), len(right), len(right))]:
        if change.start > at:
            found.append(Run(at, over, change.start - at))
        at, over = change.end, change.new_end
    return found


def slid(matches: list[Run], left: Sequence[Hashable], right: Sequence[Hashable]) -> list[Run]:
    """The same alignment with each pure insertion or deletion moved where git has it.

    That is together with the change next to it, if it can go that far; else as far down as it goes.
    """
    result = [Run(0, 0, 0), *matches, Run(len(left), len(right), 0)]
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
            result[index : index + 2] = [Run(here.left, here.right, here.length + down)]
            continue
        if up and up == here.length and index > 0 and _gap(result[index - 1], here):
            following = Run(following.left - up, following.right - up, following.length + up)
            result[index : index + 2] = [following]
            index -= 1
            continue
        result[index] = Run(here.left, here.right, here.length + down)
        rest = following.length - down
        result[index + 1] = Run(following.left + down, following.right + down, rest)
        index += 1
    return [match for match in result if match.length]


def _gap(one: Run, other: Run) -> bool:
    return one.left + one.length < other.left or one.right + one.length < other.right


def merge3(base: Sequence[Item], ours: Sequence[Item], theirs: Sequence[Item]) -> Merged[Item]:
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


def _changed_by(base: Sequence[Hashable], ours: Sequence[Hashable], theirs: Sequence[Hashable]) -> Kind:
    if ours == theirs:
        return "both"
    if ours == base:
        return "theirs"
    return "ours" if theirs == base else "conflict"


def _stable(ours: list[Run], theirs: list[Run]) -> Iterator[tuple[int, int, int, int]]:
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
