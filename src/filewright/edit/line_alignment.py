"""The lines of a replacement that are lines of the search text, and so of the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from filewright.edit.comparison import RequestLines
from filewright.edit.linediff import align
from filewright.edit.model import HunkPart, LinesPart

# difflib pairs lines as a person does, and is quadratic: above so many pairs of lines
# the line diff, whose work is bounded, does.
_MAX_COMPARED_LINE_PAIRS = 160_000


@dataclass(frozen=True, slots=True)
class _Alignment:
    """The solid lines of the replacement that stay, and the gaps between them.

    `lines` maps solid lines of the replacement to those of the search text, `gaps` maps
    gaps, the blank lines between two solid ones, in the same way.
    """

    lines: Mapping[int, int]
    gaps: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class _BlankLines:
    """Blank lines of the result, the first of which are the given rows of the file."""

    texts: Sequence[str]
    rows: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class _LinePlace:
    """The solid line, or with `is_gap` the gap, that a line of a block belongs to."""

    number: int
    is_gap: bool


def align_rows(part: LinesPart) -> HunkPart:
    """Return a matched region row by row, as a hunk of a patch names it.

    Blank lines that the request leaves alone are those of the file, however many.
    """
    region, search, replace = part.region, part.search, part.replace
    alignment = _align_blocks(part)
    kept: dict[int, int] = {}
    new = [*replace.before[len(search.before) :]]
    for index, text in enumerate(replace.solid):
        if index:
            blank_lines = _choose_blank_lines(part, alignment, index - 1)
            for row in blank_lines.rows:
                kept[len(new) + row - blank_lines.rows[0]] = row
            new += blank_lines.texts
        if index in alignment.lines:
            kept[len(new)] = region.solid[alignment.lines[index]]
        new.append(text)
    new += replace.after[len(search.after) :]
    if not replace.solid:
        edge_count = len(search.before) + len(search.after)
        new = [""] * max(0, len(replace.after) - edge_count)
    old = [""] * len(region.rows)
    for row, text in zip(region.solid, search.solid, strict=True):
        old[row] = text
    return HunkPart(
        region.rows,
        part.span,
        tuple(old),
        tuple(new),
        kept,
        region.indentation,
        ended=bool(region.rows[-1].terminator),
        blanks=frozenset(text for gap in search.blank for text in gap),
    )


def _choose_blank_lines(
    part: LinesPart, alignment: _Alignment, gap: int
) -> _BlankLines:
    """Return the blank lines of the result for a gap of the replacement."""
    wanted = part.replace.blank[gap]
    old_gap = alignment.gaps.get(gap)
    if old_gap is None:
        return _BlankLines(wanted)
    asked = part.search.blank[old_gap]
    solid_rows = part.region.solid
    rows = range(solid_rows[old_gap] + 1, solid_rows[old_gap + 1])
    has_kept_neighbour = (
        alignment.lines.get(gap) == old_gap
        or alignment.lines.get(gap + 1) == old_gap + 1
    )
    if wanted == asked and (has_kept_neighbour or len(rows) == len(asked)):
        # The request leaves them alone: they stay, even if the file has more or fewer.
        return _BlankLines([""] * len(rows), rows)
    if len(wanted) != len(asked):
        # Lines are added or removed: what remains of the file's own lines stays.
        return _BlankLines(wanted, rows[: len(wanted)])
    return _BlankLines(wanted)


def _align_blocks(part: LinesPart) -> _Alignment:
    """Align the lines and gaps of search text and replacement."""
    search, replace = part.search, part.replace
    search_places, replace_places = _place_lines(search), _place_lines(replace)
    lines: dict[int, int] = {}
    gaps: dict[int, int] = {}
    for left, right, length in _matching_runs(search.lines, replace.lines):
        for step in range(length):
            old, new = search_places[left + step], replace_places[right + step]
            if old.is_gap:
                gaps[new.number] = old.number
            else:
                lines[new.number] = old.number
    lines |= find_moved_lines(search.solid, replace.solid, lines)
    _align_other_gaps(part, lines, gaps)
    return _Alignment(lines, gaps)


def _matching_runs(
    old: Sequence[str], new: Sequence[str]
) -> Sequence[tuple[int, int, int]]:
    """Return the runs of equal lines: first old line, first new line, length."""
    if len(old) * len(new) > _MAX_COMPARED_LINE_PAIRS:
        return [(run.left, run.right, run.length) for run in align(old, new)]
    return SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()


def _align_other_gaps(
    part: LinesPart, lines: Mapping[int, int], gaps: dict[int, int]
) -> None:
    """Add the gaps that have no blank line in common to `gaps`.

    Such a gap is the one beside the kept lines that it lies between.
    """
    search, replace = part.search, part.replace
    used_gaps = {*gaps.values()}
    for gap in reversed(range(len(replace.blank))):
        if gap in gaps:
            continue
        free_gaps = [
            old_gap
            for old_gap in (lines.get(gap + 1, 0) - 1, lines.get(gap, -1))
            if 0 <= old_gap < len(search.blank) and old_gap not in used_gaps
        ]
        if free_gaps:
            gaps[gap] = _choose_gap(part, free_gaps, replace.blank[gap])
            used_gaps.add(gaps[gap])


def _choose_gap(
    part: LinesPart, free_gaps: Sequence[int], wanted: Sequence[str]
) -> int:
    """Return the gap of the search text that a gap of the replacement is.

    That is the one which the caller left as it was; of two, the one with more blank
    lines in the file; of equals, the one before the line that follows.
    """
    unchanged = [gap for gap in free_gaps if part.search.blank[gap] == wanted]
    rows = part.region.solid
    return max(unchanged or free_gaps[:1], key=lambda gap: rows[gap + 1] - rows[gap])


def _place_lines(block: RequestLines) -> list[_LinePlace]:
    """Return for each line of a block the solid line or gap that it belongs to."""
    places: list[_LinePlace] = []
    for index in range(len(block.solid)):
        if index:
            gap = _LinePlace(index - 1, is_gap=True)
            places += [gap] * len(block.blank[index - 1])
        places.append(_LinePlace(index, is_gap=False))
    return places


def find_moved_lines(
    old: Sequence[str], new: Sequence[str], kept: Mapping[int, int]
) -> dict[int, int]:
    """Map new lines to equal old ones elsewhere, except for those that are `kept`.

    A line that the request moves stays itself, with the characters of the file.
    """
    kept_lines = set(kept.values())
    free_lines: dict[str, list[int]] = {}
    for index, text in enumerate(old):
        if index not in kept_lines and text.strip():
            free_lines.setdefault(text, []).append(index)
    moved: dict[int, int] = {}
    for index, text in enumerate(new):
        if index not in kept and free_lines.get(text):
            moved[index] = free_lines[text].pop(0)
    return moved
