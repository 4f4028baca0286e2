"""Hunks that change nothing, as the context of the hunk behind them.

Models show where a change belongs by a section of context alone, and write the change
in the section below it. Where the context is in the file once, it decides between
places of the change. It never takes a change to a place that is not there anyway. All
lines count from 0.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter

from filewright.edit.patch.model import FilePatch, PatchHunk
from filewright.edit.patch.placement import LineBudget
from filewright.edit.source import Source


@dataclass(frozen=True, slots=True)
class ContextAbove:
    """The only lines of the file that a hunk without changes can mean.

    `start` is the first of them and `end` the line behind the last. `is_repeated`: the
    hunk that follows has some of these lines too, so its change may be among them.
    """

    start: int
    end: int
    is_repeated: bool


def find_absent(hunks: Sequence[PatchHunk], source: Source) -> PatchHunk | None:
    """Return the first hunk whose old lines are nowhere in the file, or None.

    Blank lines and whitespace at the edges of lines do not count, nor do order,
    headings and line numbers: the hunks change nothing, so it is enough that the file
    has their lines.
    """
    for hunk in hunks:
        old_lines = solid_lines(hunk.lines.old)
        if (
            old_lines
            and next(find_solid_lines(source, old_lines), None) is None
        ):
            return hunk
    return None


def find_idle_above(
    hunk: PatchHunk, file: FilePatch, changed_hunks: Sequence[PatchHunk]
) -> tuple[PatchHunk, ...]:
    """Return the hunks without changes right above a hunk, as the patch has them.

    None of their lines is one that `changed_hunks` remove, so that they are still in
    the file after these are applied.
    """
    first_line = 0
    for other_hunk in file.hunks:
        if other_hunk.patch_line < hunk.patch_line:
            first_line = max(first_line, other_hunk.patch_line)
    removed_lines: set[str] = set()
    for changed_hunk in changed_hunks:
        lines = changed_hunk.lines
        removed_lines |= {*solid_lines(lines.old)} - {*solid_lines(lines.new)}
    idle_hunks: list[PatchHunk] = []
    for idle_hunk in file.idle_hunks:
        is_above = first_line < idle_hunk.patch_line < hunk.patch_line
        if is_above and removed_lines.isdisjoint(
            solid_lines(idle_hunk.lines.old)
        ):
            idle_hunks.append(idle_hunk)
    return tuple(idle_hunks)


def find_contexts(
    hunks: Sequence[PatchHunk], idle_hunks: Sequence[PatchHunk], source: Source
) -> Mapping[int, ContextAbove]:
    """Return the context above hunks, by their index in `hunks`.

    Only a hunk that names neither a line nor a heading has one, and only if the hunk
    before it in the patch changes nothing and is in the file once.
    """
    indices = {hunk.patch_line: index for index, hunk in enumerate(hunks)}
    # A section without a line shows nothing.
    solid_idle_hunks = [
        hunk for hunk in idle_hunks if solid_lines(hunk.lines.old)
    ]
    in_order = sorted([*hunks, *solid_idle_hunks], key=attrgetter("patch_line"))
    contexts: dict[int, ContextAbove] = {}
    budget = LineBudget()
    for idle_hunk, hunk in pairwise(in_order):
        index = indices.get(hunk.patch_line)
        if idle_hunk.patch_line in indices or index is None:
            continue
        names_place = hunk.start is not None or hunk.headings or hunk.at_end
        if names_place or budget.remaining < 0:
            continue
        place = _find_only_place(idle_hunk, source, budget)
        if place is not None:
            idle_lines = [*idle_hunk.headings, *idle_hunk.lines.old]
            is_repeated = not set(solid_lines(idle_lines)).isdisjoint(
                solid_lines(hunk.lines.old)
            )
            contexts[index] = ContextAbove(place.start, place.stop, is_repeated)
    return contexts


def _find_only_place(
    hunk: PatchHunk, source: Source, budget: LineBudget
) -> range | None:
    """Return the lines that a hunk without changes is about, None if unclear.

    Its heading is often the line above it.
    """
    old_lines = solid_lines(hunk.lines.old)
    for lines in (solid_lines(hunk.headings) + old_lines, old_lines):
        budget.remaining -= source.count
        places = find_solid_lines(source, lines)
        place = next(places, None)
        if place is not None and next(places, None) is None:
            return place
    return None


def solid_lines(lines: Sequence[str]) -> list[str]:
    """Return lines without the whitespace at their edges, and no blank ones."""
    return [line.strip() for line in lines if line.strip()]


def find_solid_lines(source: Source, lines: Sequence[str]) -> Iterator[range]:
    """Yield where the stripped `lines` follow each other in the stripped file.

    Blank lines of the file do not count, and `lines` has none. This is the search of
    Knuth, Morris and Pratt, so that its time is linear.
    """
    # For each number of matched lines, how many match still if the next one does not.
    fallbacks = [0] * len(lines)
    matched = 0
    for index, line in enumerate(lines[1:], 1):
        while matched and line != lines[matched]:
            matched = fallbacks[matched - 1]
        matched += line == lines[matched]
        fallbacks[index] = matched
    matched = 0
    solid_numbers: deque[int] = deque(maxlen=len(lines))
    for first, bodies in source.windows():
        for number, body in enumerate(bodies, first):
            line = source.text(body).strip()
            if not line:
                continue
            solid_numbers.append(number)
            while matched and line != lines[matched]:
                matched = fallbacks[matched - 1]
            matched += line == lines[matched]
            if matched == len(lines):
                yield range(solid_numbers[0], number + 1)
                matched = fallbacks[matched - 1]
