"""Which lines of a replacement are lines of the search text, and so of the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher

from filewright.edit.comparison import RequestLines
from filewright.edit.linediff import align
from filewright.edit.model import HunkPart, LinesPart

#: Pairs of lines of search and replacement that are aligned longest run first.
_MOST_COMPARED = 160_000


def align_rows(part: LinesPart) -> HunkPart:
    """Lines that mean a region, as the rows they are: with blank lines as the file has them, where they stay."""
    region, search, replace = part.region, part.search, part.replace
    same, gap_of = _paired(part)
    kept: dict[int, int] = {}
    new = [*replace.before[len(search.before) :]]
    for index, text in enumerate(replace.solid):
        if index:
            wanted, gap = replace.blank[index - 1], gap_of.get(index - 1, -1)
            rows, stays = range(0), 0
            if gap >= 0:
                rows, asked = (
                    range(region.solid[gap] + 1, region.solid[gap + 1]),
                    search.blank[gap],
                )
                beside = same.get(index - 1) == gap or same.get(index) == gap + 1
                if wanted == asked and (beside or len(rows) == len(asked)):
                    wanted, stays = ("",) * len(rows), len(rows)
                elif len(wanted) != len(asked):
                    stays = min(len(wanted), len(rows))
            kept |= enumerate(rows[:stays], len(new))
            new += wanted
        if index in same:
            kept[len(new)] = region.solid[same[index]]
        new.append(text)
    new += replace.after[len(search.after) :]
    if not replace.solid:
        new = [""] * max(0, len(replace.after) - len(search.before) - len(search.after))
    old = [""] * len(region.rows)
    for at, text in zip(region.solid, search.solid, strict=True):
        old[at] = text
    blanks = frozenset(text for texts in search.blank for text in texts)
    return HunkPart(
        region.rows,
        part.span,
        tuple(old),
        tuple(new),
        kept,
        region.indentation,
        ended=bool(region.rows[-1].terminator),
        blanks=blanks,
    )


def _paired(part: LinesPart) -> tuple[dict[int, int], dict[int, int]]:
    """Of the solid lines of the replacement, and of the gaps between them, which they are of the search text."""
    search, replace = part.search, part.replace
    mine, theirs = _places(search), _places(replace)
    same: dict[int, int] = {}
    gap_of: dict[int, int] = {}
    runs: Sequence[tuple[int, int, int]]
    if len(search.lines) * len(replace.lines) > _MOST_COMPARED:
        runs = [
            (run.left, run.right, run.length)
            for run in align(search.lines, replace.lines)
        ]
    else:  # how a person reads a change
        runs = SequenceMatcher(
            None, search.lines, replace.lines, autojunk=False
        ).get_matching_blocks()
    for left, right, length in runs:
        for (at, solid), (to, _) in zip(
            mine[left : left + length], theirs[right : right + length], strict=True
        ):
            (same if solid else gap_of)[to] = at
    same |= find_moved_lines(search.solid, replace.solid, same)
    taken = {*gap_of.values()}
    # Gaps without a blank line in common go with the gap beside the lines they lie between.
    for index in reversed(range(len(replace.blank))):
        beside = same.get(index + 1, 0) - 1, same.get(index, -1)
        free = [
            gap for gap in beside if 0 <= gap < len(search.blank) and gap not in taken
        ]
        if free and index not in gap_of:
            # The one the caller left as it was; of two, the one with more blank lines in the file;
            # of equals, the one before the line that follows.
            unchanged = [
                gap for gap in free if search.blank[gap] == replace.blank[index]
            ] or free[:1]
            places = part.region.solid
            gap_of[index] = max(
                unchanged, key=lambda gap: places[gap + 1] - places[gap]
            )
            taken.add(gap_of[index])
    return same, gap_of


def _places(block: RequestLines) -> list[tuple[int, bool]]:
    """For each line of `block.lines`: the number of the solid line, or of the gap, that it is (in)."""
    result: list[tuple[int, bool]] = []
    for index in range(len(block.solid)):
        if index:
            result += [(index - 1, False)] * len(block.blank[index - 1])
        result.append((index, True))
    return result


def find_moved_lines(
    old: Sequence[str], new: Sequence[str], same: Mapping[int, int]
) -> dict[int, int]:
    """The new lines that are old ones elsewhere, beside the `same`: a line that is moved stays itself."""
    free: dict[str, list[int]] = {}
    taken = set(same.values())
    for index, text in enumerate(old):
        if index not in taken and text.strip():
            free.setdefault(text, []).append(index)
    return {
        index: free[text].pop(0)
        for index, text in enumerate(new)
        if index not in same and free.get(text)
    }
