"""The choice of one candidate, or the reason why there is none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from filewright.edit.matchers.exact import find_occurrences
from filewright.edit.matchers.lines import find_regions
from filewright.edit.model import (
    ByteRange,
    EditMatch,
    LinesPart,
    NotLocated,
    Part,
    Region,
    TextPart,
    Tier,
)
from filewright.edit.request import Edit
from filewright.edit.source import Source
from filewright.errors import Code

MAX_LISTED_PLACES = 50
"""Equal regions counted before an ambiguous answer says «more»."""


def require_not_applied(
    source: Source, found: EditMatch | NotLocated
) -> EditMatch | NotLocated:
    """`found`, unless the replacement is at that place already and reaches beyond it.

    A loosely matched text may be what a change left of it: the lines that an insertion follows.
    """
    if isinstance(found, NotLocated) or not isinstance(found.parts[0], LinesPart):
        return found
    part = found.parts[0]
    if _lost_a_line(source, part):
        return NotLocated(found.edit, Code.NO_MATCH, found.tier)
    if len(part.replace.solid) <= len(part.search.solid):
        return found
    for region in find_regions(source, part.replace).regions:
        if any(
            region.start < edge < region.end
            for edge in (part.region.start, part.region.end)
        ):
            return NotLocated(
                found.edit,
                Code.ALREADY_APPLIED,
                found.tier,
                (ByteRange(region.start, region.end),),
            )
    return found


def _lost_a_line(source: Source, part: LinesPart) -> bool:
    """Whether the search text has a blank line at its edge in the place of a line of the file.

    It is indented, as lines are that lost their text; or the replacement adds that line of the file. What the
    replacement puts there would come beside the line, and not in its place.
    """
    search, replace = part.search, part.replace
    for asked, wanted, ahead in (
        (search.before, replace.before, False),
        (search.after, replace.after, True),
    ):
        if len(asked) <= len(wanted):
            continue
        text, between = solid_line_beside(source, part.region, ahead=ahead)
        if not text or len(asked) <= between:
            continue
        added = Counter(map(str.strip, replace.solid)) - Counter(
            map(str.strip, search.solid)
        )
        if "".join(asked) or text.strip() in added:
            return True
    return False


def solid_line_beside(
    source: Source, region: Region, *, ahead: bool
) -> tuple[str, int]:
    """The text of the first line with text behind a region, or before it; and how many blank ones lie between."""
    rows = source.rows_from(region.end) if ahead else source.rows_before(region.rows[0])
    return source.first_solid_row(rows)


def choose_candidate(
    source: Source,
    edit: Edit,
    tier: Tier,
    parts: Sequence[Part],
    *,
    more: bool = False,
) -> EditMatch | NotLocated:
    """The one region; of several the one at the start line, if it was given.

    With `more` the file was not looked through to its end, and one region is not the only one.
    """
    chosen, line = list(parts), edit.start_line
    more = more or len(chosen) > MAX_LISTED_PLACES
    if len(chosen) > 1 and line is not None:
        part = chosen[0]
        if more and isinstance(part, TextPart):  # not all of them are known
            spans = find_occurrences(
                source, part.search, MAX_LISTED_PLACES + 1, line=line
            )
            chosen = [replace(part, span=span) for span in spans] or chosen
        begin, end = source.offset(line - 1), source.offset(line)
        at_line = [part for part in chosen if begin <= part.span.start < end]
        chosen = at_line if len(at_line) == 1 else chosen
    if len(chosen) > 1 or (more and line is None):
        listed = tuple(part.span for part in chosen[:MAX_LISTED_PLACES])
        return NotLocated(edit, Code.AMBIGUOUS_MATCH, tier, listed, more)
    return EditMatch(edit, tier, (chosen[0],))
