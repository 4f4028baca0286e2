"""A placed hunk as an edit: which lines of the file it keeps, and which it writes."""

from __future__ import annotations

from filewright.edit.comparison import RequestLines
from filewright.edit.linediff import align
from filewright.edit.model import ByteRange, EditMatch, HunkPart, LinesPart, Tier
from filewright.edit.patch.model import HunkLines, PatchHunk
from filewright.edit.patch.placement import HunkPlace
from filewright.edit.request import TextEdit
from filewright.edit.source import Source


def to_edit_match(
    source: Source, hunk: PatchHunk, place: HunkPlace, *, has_returns: bool
) -> EditMatch:
    """Return a placed hunk as the match of an edit.

    `has_returns`: the patch writes carriage returns out. A hunk that is exactly where
    its header says is written as it is.
    """
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
    return EditMatch(edit, place.tier, (_to_rows(source, hunk, place, has_returns),))


def _to_rows(
    source: Source, hunk: PatchHunk, place: HunkPlace, has_returns: bool
) -> HunkPart:
    """Return the lines of the file at a place, each with the line of the hunk it is."""
    old, new = hunk.lines.old, hunk.lines.new
    kept = _map_kept_lines(hunk.lines)
    start, line_count = place.start, place.end - place.start
    if line_count == 0 and start > 0:
        # An insertion behind the last line: that line may have to be ended first.
        start, line_count = start - 1, 1
        last_line = source.text(source.bodies(start, 1)[0])
        old, new = (last_line,), (last_line, *new)
        kept = {0: 0}
    rows = source.rows_at(start, line_count)
    offset = rows[0].offset if rows else source.start
    end = rows[-1].end if rows else offset

    old_ends, new_ends = hunk.lines.old_ends, hunk.lines.new_ends
    terminators = None
    if has_returns and _agree(old_ends, [row.terminator for row in rows]):
        terminators = tuple(new_ends)
    # The hunk says whether the last line is ended, unless both sides are not.
    was_ended, is_ended = b"" not in old_ends, b"" not in new_ends
    is_said = was_ended != is_ended
    if not was_ended and not rows[-1].terminator:
        is_said = True
    return HunkPart(
        rows,
        ByteRange(offset, end),
        old,
        new,
        kept,
        indentation=place.region.indentation if place.region is not None else None,
        ended=is_ended if is_said else None,
        terminators=terminators,
    )


def _agree(patch_ends: list[bytes], file_ends: list[bytes]) -> bool:
    """Return True if the line ends of a patch are those of the file.

    The last line of the file may have none without the patch saying so.
    """
    if patch_ends == file_ends:
        return True
    if not patch_ends or not file_ends or file_ends[-1]:
        return False
    return patch_ends == [*file_ends[:-1], patch_ends[-1]]


def _map_kept_lines(lines: HunkLines) -> dict[int, int]:
    """Map the new lines of a hunk that stay to its old lines.

    Lines that it removes and adds again stay too: models repeat more than they change.
    """
    old = [*zip(lines.old, lines.old_ends, strict=True)]
    new = [*zip(lines.new, lines.new_ends, strict=True)]
    old_context = [i for i, (sign, _) in enumerate(lines.signed_old) if sign == " "]
    new_context = [i for i, (sign, _) in enumerate(lines.signed_new) if sign == " "]
    old_stops, new_stops = [*old_context, len(old)], [*new_context, len(new)]
    kept: dict[int, int] = {}
    old_start = new_start = 0
    for old_stop, new_stop in zip(old_stops, new_stops, strict=True):
        # Between two lines of context, equal lines on both sides are kept.
        for run in align(old[old_start:old_stop], new[new_start:new_stop]):
            for step in range(run.length):
                kept[new_start + run.right + step] = old_start + run.left + step
        if old_stop < len(old):
            kept[new_stop] = old_stop
        old_start, new_start = old_stop + 1, new_stop + 1
    return kept
