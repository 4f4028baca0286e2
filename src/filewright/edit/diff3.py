"""Merging two changed versions of a text, line by line.

The merge is the classic one (S. Khanna, K. Kunal, B. C. Pierce, "A formal investigation
of diff3", 2007): changes of both sides that touch are a conflict unless they are equal.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from filewright.edit.linediff import LineChange, diff_lines

LineT = TypeVar("LineT", bound=Hashable)
ChunkKind = Literal["same", "ours", "theirs", "both", "conflict"]


@dataclass(frozen=True, slots=True)
class MergeChunk:
    """A part of a merge: the lines it is about in each text, and which side changed it.

    Ranges are of a first line and the line past the last one. `both` is the same change
    made by both sides.
    """

    kind: ChunkKind
    base: tuple[int, int]
    ours: tuple[int, int]
    theirs: tuple[int, int]


@dataclass(frozen=True, slots=True)
class LineMerge(Generic[LineT]):
    """The chunks of a merge, in order. Together they cover all three texts."""

    chunks: tuple[MergeChunk, ...]
    ours: Sequence[LineT]
    theirs: Sequence[LineT]

    @property
    def conflicts(self) -> tuple[MergeChunk, ...]:
        """The chunks that both sides changed differently."""
        return tuple(chunk for chunk in self.chunks if chunk.kind == "conflict")

    @property
    def clean(self) -> bool:
        """True if there is no conflict."""
        return not self.conflicts

    @property
    def lines(self) -> list[LineT]:
        """The merged lines; at a conflict, ours."""
        lines: list[LineT] = []
        for chunk in self.chunks:
            if chunk.kind == "theirs":
                lines += self.theirs[slice(*chunk.theirs)]
            else:
                lines += self.ours[slice(*chunk.ours)]
        return lines


@dataclass(slots=True)
class _ChangeGroup:
    """Changes of both sides that touch: their lines of the base.

    Each side is longer by its growth there.
    """

    start: int
    end: int
    our_growth: int = 0
    their_growth: int = 0


def merge_lines(
    base: Sequence[LineT],
    ours: Sequence[LineT],
    theirs: Sequence[LineT],
    *,
    touching: bool = False,
) -> LineMerge[LineT]:
    """Merge two changed versions of `base`; lines have their ends or not, as given.

    The work is bounded: about n log n in the number of lines. Changes that touch are a
    conflict unless both sides made the same one. With `touching`, only changes that
    overlap or insert at the same place are.
    """
    our_changes = slide_changes(diff_lines(base, ours), base, ours)
    their_changes = slide_changes(diff_lines(base, theirs), base, theirs)
    return merge_changes(
        base, ours, theirs, our_changes, their_changes, touching=touching
    )


def merge_changes(
    base: Sequence[LineT],
    ours: Sequence[LineT],
    theirs: Sequence[LineT],
    our_changes: Sequence[LineChange],
    their_changes: Sequence[LineChange],
    *,
    touching: bool = False,
) -> LineMerge[LineT]:
    """Merge two versions of `base` by their changes, as `merge_lines` does.

    Use it where the changes are known better than two texts tell them.
    """
    chunks: list[MergeChunk] = []
    base_line = our_line = their_line = 0
    for group in _group_changes(our_changes, their_changes, touching=touching):
        unchanged = group.start - base_line
        if unchanged > 0:
            chunks.append(_same_chunk(base_line, our_line, their_line, unchanged))
            our_line, their_line = our_line + unchanged, their_line + unchanged
        length = group.end - group.start
        our_end = our_line + length + group.our_growth
        their_end = their_line + length + group.their_growth
        if length or group.our_growth or group.their_growth:
            kind = _classify(
                base[group.start : group.end],
                ours[our_line:our_end],
                theirs[their_line:their_end],
            )
            chunks.append(
                MergeChunk(
                    kind,
                    base=(group.start, group.end),
                    ours=(our_line, our_end),
                    theirs=(their_line, their_end),
                )
            )
        base_line, our_line, their_line = group.end, our_end, their_end
    unchanged = len(base) - base_line
    if unchanged > 0:
        chunks.append(_same_chunk(base_line, our_line, their_line, unchanged))
    return LineMerge(tuple(chunks), ours, theirs)


def _same_chunk(
    base_line: int, our_line: int, their_line: int, length: int
) -> MergeChunk:
    return MergeChunk(
        "same",
        base=(base_line, base_line + length),
        ours=(our_line, our_line + length),
        theirs=(their_line, their_line + length),
    )


def _classify(
    base: Sequence[LineT], ours: Sequence[LineT], theirs: Sequence[LineT]
) -> ChunkKind:
    if ours == theirs:
        return "both"
    if ours == base:
        return "theirs"
    if theirs == base:
        return "ours"
    return "conflict"


def _group_changes(
    our_changes: Sequence[LineChange],
    their_changes: Sequence[LineChange],
    *,
    touching: bool,
) -> list[_ChangeGroup]:
    """Return the changes of both sides in groups that touch, in order."""
    changes = [(change, True) for change in our_changes]
    changes += [(change, False) for change in their_changes]
    changes.sort(key=lambda pair: (pair[0].start, pair[0].end))
    groups: list[_ChangeGroup] = []
    for change, is_ours in changes:
        if not groups or _begins_group(change, groups[-1], touching=touching):
            groups.append(_ChangeGroup(change.start, change.end))
        group = groups[-1]
        group.end = max(group.end, change.end)
        if is_ours:
            group.our_growth += change.growth
        else:
            group.their_growth += change.growth
    return groups


def _begins_group(change: LineChange, group: _ChangeGroup, *, touching: bool) -> bool:
    """Return True if a change does not belong to the group before it."""
    if change.start > group.end:
        return True
    if not touching or change.start < group.end:
        return False
    # The order of two changes that touch is known unless both insert there.
    return group.start < group.end or change.start < change.end


def slide_changes(
    changes: list[LineChange], before: Sequence[Hashable], after: Sequence[Hashable]
) -> list[LineChange]:
    """Return changes with each pure insertion or deletion moved to where git has it.

    That is next to another change, as one with it, if it can slide that far; else as
    far down as it can slide.
    """
    result = [*changes]
    index = 0
    while index < len(result):
        change = result[index]
        if not change.only_inserts_or_deletes:
            index += 1
            continue
        text, first, end = after, change.new_start, change.new_end
        if change.start < change.end:
            text, first, end = before, change.start, change.end

        # To slide down by a line, the first changed line must equal the one below.
        below = result[index + 1] if index + 1 < len(result) else None
        room = (below.start if below else len(before)) - change.end
        down = 0
        while down < room and text[first + down] == text[end + down]:
            down += 1
        if below and down and down == room:
            joined = LineChange(
                change.start + down, below.end, change.new_start + down, below.new_end
            )
            result[index : index + 2] = [joined]
            continue

        above = result[index - 1] if index > 0 else None
        room = change.start - (above.end if above else 0)
        up = 0
        while up < room and text[end - 1 - up] == text[first - 1 - up]:
            up += 1
        if above and up and up == room:
            joined = LineChange(
                above.start, change.end - up, above.new_start, change.new_end - up
            )
            index -= 1
            result[index : index + 2] = [joined]
            continue

        result[index] = change.shift(down)
        index += 1
    return result
