"""The lines of a replacement that are lines of the search text, and so of the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import chain

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
    """Blank lines of the result. The first of them stay the file's own `rows`."""

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
    staying_rows: dict[int, int] = {}
    new_lines = [*replace.before[len(search.before) :]]
    for index, text in enumerate(replace.solid):
        if index:
            blank_lines = _choose_blank_lines(part, alignment, index - 1)
            for row in blank_lines.rows:
                staying_rows[len(new_lines) + row - blank_lines.rows[0]] = row
            new_lines += blank_lines.texts
        if index in alignment.lines:
            staying_rows[len(new_lines)] = region.solid[alignment.lines[index]]
        new_lines.append(text)
    new_lines += replace.after[len(search.after) :]
    if not replace.solid:
        edge_count = len(search.before) + len(search.after)
        new_lines = [""] * max(0, len(replace.after) - edge_count)
    old_lines = [""] * len(region.rows)
    for row, text in zip(region.solid, search.solid, strict=True):
        old_lines[row] = text
    return HunkPart(
        region.rows,
        part.span,
        tuple(old_lines),
        tuple(new_lines),
        staying_rows,
        region.indentation,
        ended=bool(region.rows[-1].terminator),
        blanks=frozenset(chain.from_iterable(search.blank)),
    )


def _choose_blank_lines(
    part: LinesPart, alignment: _Alignment, gap: int
) -> _BlankLines:
    """Return the blank lines of the result for a gap of the replacement."""
    new_blanks = part.replace.blank[gap]
    old_gap = alignment.gaps.get(gap)
    if old_gap is None:
        return _BlankLines(new_blanks)
    old_blanks = part.search.blank[old_gap]
    solid_rows = part.region.solid
    rows = range(solid_rows[old_gap] + 1, solid_rows[old_gap + 1])
    has_kept_neighbour = (
        alignment.lines.get(gap) == old_gap
        or alignment.lines.get(gap + 1) == old_gap + 1
    )
    if new_blanks == old_blanks and (
        has_kept_neighbour or len(rows) == len(old_blanks)
    ):
        # The request leaves them alone: they stay, even if the file has more or fewer.
        return _BlankLines([""] * len(rows), rows)
    if len(new_blanks) != len(old_blanks):
        # Lines are added or removed: what remains of the file's own lines stays.
        return _BlankLines(new_blanks, rows[: len(new_blanks)])
    return _BlankLines(new_blanks)


def _align_blocks(part: LinesPart) -> _Alignment:
    """Align the lines and gaps of search text and replacement."""
    search, replace = part.search, part.replace
    search_places, replace_places = _place_lines(search), _place_lines(replace)
    lines: dict[int, int] = {}
    gaps: dict[int, int] = {}
    for old_start, new_start, length in _matching_runs(
        search.lines, replace.lines
    ):
        for step in range(length):
            old_place, new_place = (
                search_places[old_start + step],
                replace_places[new_start + step],
            )
            if old_place.is_gap:
                gaps[new_place.number] = old_place.number
            else:
                lines[new_place.number] = old_place.number
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
    # From the end: if one gap became two, the one before the line that follows stays.
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
    part: LinesPart, free_gaps: Sequence[int], new_blanks: Sequence[str]
) -> int:
    """Return the gap of the search text that a gap of the replacement is.

    Prefer the gap that the caller left as it was, then the one with more blank lines in
    the file, then the one before the line that follows.
    """
    unchanged = [
        gap for gap in free_gaps if part.search.blank[gap] == new_blanks
    ]
    rows = part.region.solid
    return max(
        unchanged or free_gaps[:1], key=lambda gap: rows[gap + 1] - rows[gap]
    )


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
    old: Sequence[str], new: Sequence[str], staying: Mapping[int, int]
) -> dict[int, int]:
    """Map new lines to equal old ones elsewhere, except for those that are `staying`.

    A line that the request moves stays itself, with the characters of the file.
    """
    staying_rows = set(staying.values())
    free_lines: dict[str, list[int]] = {}
    for index, text in enumerate(old):
        if index not in staying_rows and text.strip():
            free_lines.setdefault(text, []).append(index)
    moves: dict[int, int] = {}
    for index, text in enumerate(new):
        if index not in staying and free_lines.get(text):
            moves[index] = free_lines[text].pop(0)
    return moves
