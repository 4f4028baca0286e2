"""A placed hunk as an edit: which lines of the file it keeps, and which it writes.

Edits and hunks are written by the same code, so that both treat line ends, indentation
and characters alike. All indices of lines count from 0.
"""

from __future__ import annotations

from filewright.edit.comparison import RequestLines
from filewright.edit.linediff import align
from filewright.edit.model import (
    ByteRange,
    EditMatch,
    HunkPart,
    LinesPart,
    Tier,
)
from filewright.edit.patch.model import HunkLines, PatchHunk
from filewright.edit.patch.placement import HunkPlace
from filewright.edit.request import TextEdit
from filewright.edit.source import Source


def to_edit_match(
    source: Source, hunk: PatchHunk, place: HunkPlace, *, has_returns: bool
) -> EditMatch:
    """Return a placed hunk as the match of an edit.

    `has_returns`: some line of the patch for this file ends with a carriage return, so
    the patch shows line ends as they are.
    """
    # Added lines are adapted to the lines of the file, in their indentation for example,
    # because a model may have written the hunk from memory. One that is exactly where
    # its header says was made from the file, and is written as it is.
    is_confirmed = (
        place.tier is Tier.EXACT
        and hunk.start is not None
        and place.start == hunk.start_index
    )
    edit = TextEdit("", "", fuzzy=not is_confirmed)
    if place.region is not None and place.tier is Tier.BLANK_LINES:
        whole_lines = LinesPart(
            place.region,
            RequestLines.of_lines(hunk.lines.old),
            RequestLines.of_lines(hunk.lines.new),
        )
        return EditMatch(edit, place.tier, (whole_lines,))
    return EditMatch(
        edit, place.tier, (_to_hunk_part(source, hunk, place, has_returns),)
    )


def _to_hunk_part(
    source: Source, hunk: PatchHunk, place: HunkPlace, has_returns: bool
) -> HunkPart:
    """Return the lines of the file at a place, each with the line of the hunk it is.

    Lines that a hunk keeps are not written: their bytes in the file may differ from the
    hunk's text where a looser comparison found them.
    """
    old_lines, new_lines = hunk.lines.old, hunk.lines.new
    kept_lines = _map_kept_lines(hunk.lines)
    start_line, line_count = place.start, place.end - place.start
    if line_count == 0 and start_line > 0:
        # An insertion behind the last line: that line may have to be ended first.
        start_line, line_count = start_line - 1, 1
        last_line = source.text(source.bodies(start_line, 1)[0])
        old_lines, new_lines = (last_line,), (last_line, *new_lines)
        kept_lines = {0: 0}
    rows = source.rows_at(start_line, line_count)
    start_offset = rows[0].offset if rows else source.start
    end_offset = rows[-1].end if rows else start_offset

    old_ends, new_ends = hunk.lines.old_ends, hunk.lines.new_ends
    # Line ends are taken from the hunk only if its old lines have those of the file. A
    # patch that went through a mail or a model has lost them.
    terminators = None
    if has_returns and _have_same_ends(
        old_ends, [row.terminator for row in rows]
    ):
        terminators = tuple(new_ends)
    # The hunk says whether the last line is ended, unless both sides are not.
    was_ended, is_ended = b"" not in old_ends, b"" not in new_ends
    states_ending = was_ended != is_ended
    if not was_ended and not rows[-1].terminator:
        states_ending = True
    return HunkPart(
        rows,
        ByteRange(start_offset, end_offset),
        old_lines,
        new_lines,
        kept_lines,
        indentation=place.region.indentation
        if place.region is not None
        else None,
        ended=is_ended if states_ending else None,
        terminators=terminators,
    )


def _have_same_ends(patch_ends: list[bytes], file_ends: list[bytes]) -> bool:
    """Return True if the line ends of a patch are those of the file.

    The last line of the file may have none: models leave out git's remark about it.
    """
    if patch_ends == file_ends:
        return True
    if not patch_ends or not file_ends or file_ends[-1]:
        return False
    return patch_ends == [*file_ends[:-1], patch_ends[-1]]


def _map_kept_lines(lines: HunkLines) -> dict[int, int]:
    """Map the new lines of a hunk that stay to its old lines, both as indices.

    Lines that it removes and adds again stay too: models repeat more than they change,
    and each line that is not rewritten keeps its bytes.
    """
    old_lines = [*zip(lines.old, lines.old_ends, strict=True)]
    new_lines = [*zip(lines.new, lines.new_ends, strict=True)]
    old_context = [
        index for index, (sign, _) in enumerate(lines.signed_old) if sign == " "
    ]
    new_context = [
        index for index, (sign, _) in enumerate(lines.signed_new) if sign == " "
    ]
    old_stops, new_stops = (
        [*old_context, len(old_lines)],
        [*new_context, len(new_lines)],
    )
    old_by_new: dict[int, int] = {}
    old_start = new_start = 0
    for old_stop, new_stop in zip(old_stops, new_stops, strict=True):
        # Between two lines of context, equal lines on both sides are kept.
        for run in align(
            old_lines[old_start:old_stop], new_lines[new_start:new_stop]
        ):
            for distance in range(run.length):
                old_by_new[new_start + run.right + distance] = (
                    old_start + run.left + distance
                )
        if old_stop < len(old_lines):
            old_by_new[new_stop] = old_stop
        old_start, new_start = old_stop + 1, new_stop + 1
    return old_by_new
