"""Signs that a hunk was applied already: its new lines are in the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from filewright.edit.matchers.blocks import has_block_at
from filewright.edit.patch.context import ContextAbove
from filewright.edit.patch.hunk_search import HunkSearch
from filewright.edit.patch.model import PatchHunk
from filewright.edit.patch.placement import NoPlace
from filewright.edit.source import Source


def search_results(
    hunks: Sequence[PatchHunk],
    source: Source,
    contexts: Mapping[int, ContextAbove],
) -> HunkSearch:
    """Return a search for the exact places where hunks are applied already.

    A hunk is applied where the hunk that undoes it would fit.
    """
    reverse_hunks = [
        replace(hunk, is_truncated=False, lines=hunk.lines.reverse())
        for hunk in hunks
    ]
    return HunkSearch(reverse_hunks, source, contexts, is_exact_only=True)


def find_places_elsewhere(
    hunks: Sequence[PatchHunk],
    source: Source,
    applied_starts: Sequence[int],
) -> list[int]:
    """Return where else the old lines of an applied hunk are, of the first that has such.

    `applied_starts` are the lines of the results of all hunks. The old lines inside of a
    result do not count.
    """
    search = HunkSearch(hunks, source, is_exact_only=True)
    for index, (hunk, applied_start) in enumerate(
        zip(hunks, applied_starts, strict=True)
    ):
        if hunk.start is None or not hunk.lines.old:
            continue
        starts = search.find_starts(index)
        if isinstance(starts, NoPlace):
            continue
        applied_end = applied_start + len(hunk.lines.new)
        elsewhere: list[int] = []
        for start in starts:
            is_apart = start + len(hunk.lines.old) <= applied_start
            if is_apart or start >= applied_end:
                elsewhere.append(start)
        if elsewhere:
            return elsewhere
    return []


def proves_application(hunk: PatchHunk) -> bool:
    """Return True if finding the new lines of a hunk means that it was applied.

    An added line proves it together with a line of context. The result of a removal is
    only context: it proves something if lines from both sides of the gap now touch.
    """
    signs = "".join(
        sign
        for sign, text in hunk.lines.signed_old
        if sign == "-" or text.strip()
    )
    if has_solid_addition(hunk):
        return " " in signs
    return "-" in signs and signs[0] == signs[-1] == " "


def has_solid_addition(hunk: PatchHunk) -> bool:
    """Return True if a hunk adds a line that is not blank."""
    return any(
        sign == "+" and text.strip() for sign, text in hunk.lines.signed_new
    )


def has_distinct_lines(hunk: PatchHunk) -> bool:
    """Return True if a hunk adds two lines or more that are no old ones.

    At the very line that its header names they prove that it was applied.
    """
    lines = set(hunk.lines.new) - set(hunk.lines.old)
    return sum(1 for line in lines if line.strip()) > 1


def is_distinct_insertion(hunk: PatchHunk) -> bool:
    """Return True if a hunk only adds lines, and some that it did not have before.

    Blank lines, and repetitions of its own context, may well be wanted twice.
    """
    if "-" in hunk.lines.signs:
        return False
    return any(
        line.strip() for line in set(hunk.lines.new) - set(hunk.lines.old)
    )


def has_telling_result(hunk: PatchHunk) -> bool:
    """Return True if the new lines of a hunk, wherever they are, tell that it is applied.

    A result such as a lone "}" is in every file.
    """
    if hunk.lines.repeats_lines or not proves_application(hunk):
        return False
    return "-" in hunk.lines.signs or is_distinct_insertion(hunk)


def find_repeated_insertion(
    hunk: PatchHunk, start: int, search: HunkSearch, source: Source
) -> int | None:
    """Return the line at which the result of an insertion is already, or None.

    Added lines at the edge of a hunk have no context beyond them, and others may begin
    as the context below them does. So the hunk still fits at line `start` after it was
    applied, and each call would add the lines once more.
    """
    new_lines = search.encode(hunk.lines.new)
    if not hunk.lines.old or not new_lines or not is_distinct_insertion(hunk):
        return None
    signs = hunk.lines.signs
    is_below_context = signs[0] == " " or signs[-1] == "+"
    if is_below_context and has_block_at(source, new_lines, start):
        return start
    start_before = start + len(hunk.lines.old) - len(new_lines)
    if signs[0] == "+" and has_block_at(source, new_lines, start_before):
        return start_before
    return None
