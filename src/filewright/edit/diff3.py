"""Merging two changed versions of a text, line by line.

The merge is the classic one (S. Khanna, K. Kunal, B. C. Pierce, "A formal investigation
of diff3", 2007): changes of both sides that touch are a conflict unless they are equal.
"Ours" and "theirs" are the two versions, and "base" is the text that both come from.
All lines count from 0.
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
    """A part of a merge: its lines in each of the three texts, and which side changed it.

    A range is the first line (from 0) and the line behind the last one; both are equal
    where a text has no lines of the chunk. The kind `both` is the same change made by
    both sides.
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
    """Changes of both sides that touch, as lines `start` to `end` of the base.

    In place of these lines, our text has `our_growth` lines more than the base, and
    their text `their_growth`. Both are negative where a text has fewer.
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
    """Return the merge of two changed versions of `base`.

    Lines are compared as they are, so it is up to the caller whether they have their
    line ends. Changes of both sides that touch are a conflict unless they are the same.
    With `touching`, changes that only touch are merged, and a conflict is left where
    they overlap or insert at the same line. The work is bounded: about n log n in the
    number of lines.
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
    """Return the merge of two versions of `base` by their known changes.

    It is for callers who know the splices that were made: a diff of the texts may
    pair up other lines than those that were edited. See `merge_lines` for `touching`.
    """
    chunks: list[MergeChunk] = []
    base_line = our_line = their_line = 0
    for group in _group_changes(our_changes, their_changes, touching=touching):
        unchanged = group.start - base_line
        if unchanged > 0:
            chunks.append(
                _same_chunk(base_line, our_line, their_line, unchanged)
            )
            our_line, their_line = our_line + unchanged, their_line + unchanged
        length = group.end - group.start
        our_end = our_line + length + group.our_growth
        their_end = their_line + length + group.their_growth
        # A change that the caller knows may be empty: no chunk is about no lines.
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
    """Return the changes of both sides in groups that touch, in order.

    Within a group the lines of the three texts do not correspond one by one, so that
    it is merged as a whole.
    """
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


def _begins_group(
    change: LineChange, group: _ChangeGroup, *, touching: bool
) -> bool:
    """Return True if a change does not belong to the group before it."""
    if change.start > group.end:
        return True
    if not touching or change.start < group.end:
        return False
    # The change starts at the line where the group ends. A replacement and an insertion
    # have an order there. Two insertions have none: either could come first.
    return group.start < group.end or change.start < change.end


def slide_changes(
    changes: list[LineChange],
    before: Sequence[Hashable],
    after: Sequence[Hashable],
) -> list[LineChange]:
    """Return changes with each pure insertion or deletion moved to where git has it.

    One edit can be described at several lines. A text "a b" that becomes "a b a b" has
    got "a b" above its lines, below them, or "b a" between. Two diffs of one base may
    choose differently, and the merge would see two edits, or miss that edits touch. So
    a change slides, line by line, until it joins the next change below or above it; if
    it reaches neither, it goes as far down as possible.

    `changes` turn `before` into `after`. They are in order, and none of them touch.
    """
    result = [*changes]
    index = 0
    while index < len(result):
        change = result[index]
        if not change.only_inserts_or_deletes:
            index += 1
            continue
        # The side that has the lines of the change: they are inserted, or deleted.
        lines, first_line, end_line = after, change.new_start, change.new_end
        if change.start < change.end:
            lines, first_line, end_line = before, change.start, change.end

        # A change slides down by a line if its first line equals the line below it:
        # that line joins it at the end, and the first one leaves it.
        change_below = result[index + 1] if index + 1 < len(result) else None
        unchanged_lines = (
            change_below.start if change_below else len(before)
        ) - change.end
        down = 0
        while (
            down < unchanged_lines
            and lines[first_line + down] == lines[end_line + down]
        ):
            down += 1
        if change_below and down and down == unchanged_lines:
            joined_change = LineChange(
                change.start + down,
                change_below.end,
                change.new_start + down,
                change_below.new_end,
            )
            # The joined change is looked at again: it may slide on, if it still only
            # inserts or deletes.
            result[index : index + 2] = [joined_change]
            continue

        change_above = result[index - 1] if index > 0 else None
        unchanged_lines = change.start - (
            change_above.end if change_above else 0
        )
        up = 0
        while (
            up < unchanged_lines
            and lines[end_line - 1 - up] == lines[first_line - 1 - up]
        ):
            up += 1
        if change_above and up and up == unchanged_lines:
            joined_change = LineChange(
                change_above.start,
                change.end - up,
                change_above.new_start,
                change.new_end - up,
            )
            index -= 1
            result[index : index + 2] = [joined_change]
            continue

        result[index] = change.shift(down)
        index += 1
    return result
