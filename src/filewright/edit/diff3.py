"""Merging three texts, line by line.

The classic three-way merge over what both sides change (S. Khanna, K. Kunal, B. C. Pierce, "A formal
investigation of diff3", 2007): changes of both sides that touch are a conflict unless they are the same change.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import astuple, dataclass
from typing import Generic, Literal, TypeVar

from filewright.edit.linediff import LineChange, changes

Item = TypeVar("Item", bound=Hashable)
Kind = Literal["same", "ours", "theirs", "both", "conflict"]


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
        return not self.conflicts

    @property
    def lines(self) -> list[Item]:
        """The merged lines; at a conflict, ours."""
        result: list[Item] = []
        for chunk in self.chunks:
            result += (
                self.theirs[slice(*chunk.theirs)] if chunk.kind == "theirs" else self.ours[slice(*chunk.ours)]
            )
        return result


def slid(found: list[LineChange], left: Sequence[Hashable], right: Sequence[Hashable]) -> list[LineChange]:
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
        text, first, last = (left, here.start, here.end) if gone else (right, here.new_start, here.new_end)
        room = (below.start if below else len(left)) - here.end
        down = up = 0
        while gone != come and down < room and text[first + down] == text[last + down]:
            down += 1
        if down and down == room and below:
            result[index : index + 2] = [
                LineChange(here.start + down, below.end, here.new_start + down, below.new_end)
            ]
            continue
        room = here.start - (above.end if above else 0)
        while gone != come and up < room and text[last - 1 - up] == text[first - 1 - up]:
            up += 1
        if up and up == room and above:
            index -= 1
            result[index : index + 2] = [
                LineChange(above.start, here.end - up, above.new_start, here.new_end - up)
            ]
            continue
        result[index] = LineChange(*(line + down for line in astuple(here)))
        index += 1
    return result


def merge3(base: Sequence[Item], ours: Sequence[Item], theirs: Sequence[Item]) -> Merged[Item]:
    """Merge two changes of `base`, line by line; the lines carry their terminators or not, as given.

    Pure and bounded: about n log n in the number of lines. Changes that touch one another are a
    conflict unless both sides made the same one.
    """
    mine, other = (slid(changes(base, text), base, text) for text in (ours, theirs))
    return merged(base, ours, theirs, mine, other)


def merged(
    base: Sequence[Item],
    ours: Sequence[Item],
    theirs: Sequence[Item],
    our_changes: Sequence[LineChange],
    their_changes: Sequence[LineChange],
) -> Merged[Item]:
    """Merge two sides that changed `base` as said, which is known better than two texts tell it."""
    changed = [(change, side) for side, made in enumerate((our_changes, their_changes)) for change in made]
    # Changes that touch, as lines of the base, and by how many lines each side grows there.
    groups: list[list[int]] = []
    for change, side in sorted(changed, key=lambda one: (one[0].start, one[0].end)):
        if not groups or change.start > groups[-1][1]:
            groups.append([change.start, change.end, 0, 0])
        groups[-1][1] = max(groups[-1][1], change.end)
        groups[-1][2 + side] += change.new_end - change.new_start - (change.end - change.start)
    chunks: list[Chunk] = []
    at = mine = other = 0  # how many lines further the sides are than the base
    for start, stop, more, another in [*groups, [len(base), len(base), 0, 0]]:
        if at < start:
            chunks.append(Chunk("same", (at, start), (at + mine, start + mine), (at + other, start + other)))
        if start < stop or more or another:
            spans = (start, stop), (start + mine, stop + mine + more), (start + other, stop + other + another)
            one, two, three = (
                text[slice(*span)] for text, span in zip((base, ours, theirs), spans, strict=True)
            )
            kind: Kind = (
                "both" if two == three else "theirs" if two == one else "ours" if three == one else "conflict"
            )
            chunks.append(Chunk(kind, *spans))
        at, mine, other = stop, mine + more, other + another
    return Merged(tuple(chunks), ours, theirs)
