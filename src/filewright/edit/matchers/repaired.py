"""The matcher of a request that is damaged as a whole.

Line numbers, code fences, escapes and the like are removed from search and replacement
alike. The repaired search text must match exactly or by whole lines.
"""

from __future__ import annotations

from filewright.edit.comparison import RequestLines
from filewright.edit.matchers.exact import MAX_LISTED_PLACES, find_occurrences
from filewright.edit.matchers.lines import find_regions
from filewright.edit.model import (
    Candidates,
    LinesPart,
    Reading,
    Region,
    TextPart,
    Tier,
)
from filewright.edit.repairs.model import RepairedRequest
from filewright.edit.repairs.propose import propose_repairs
from filewright.edit.repairs.wrappers import fence_at_edge
from filewright.edit.request import TextEdit
from filewright.edit.source import Source


def match(source: Source, edit: TextEdit) -> Candidates:
    """Find the repaired requests that match by the strictest tier of all repairs."""
    # Several repairs may fit by the same tier. All are readings, which must agree on the
    # place and the result.
    readings: dict[Tier, list[Reading]] = {}
    for repaired in propose_repairs(edit.search, edit.replace):
        reading = read_repaired(source, repaired)
        if reading is not None and reading.inner_tier is not None:
            readings.setdefault(reading.inner_tier, []).append(reading)
    if not readings:
        return Candidates(Tier.REPAIRED)
    strictest = min(readings, key=lambda tier: tier.rank)
    return Candidates(Tier.REPAIRED, tuple(readings[strictest]))


def read_repaired(source: Source, repaired: RepairedRequest) -> Reading | None:
    """Return the candidates of a repaired request, or None if it has none."""
    repairs = (repaired.description,)
    if not repaired.whole_lines:
        spans = find_occurrences(source, repaired.search, MAX_LISTED_PLACES + 1)
        if spans:
            texts = tuple(
                (TextPart(span, repaired.search, repaired.replace),)
                for span in spans
            )
            return Reading(texts, inner_tier=Tier.EXACT, repairs=repairs)
    search = RequestLines.of(repaired.search)
    replacement = RequestLines.of(repaired.replace)
    all_regions = find_regions(source, search)
    if not all_regions.regions:
        return None
    regions = all_regions.strictest
    if repaired.first_number is not None:
        # The line numbers of the request must fit one of the places. They never choose
        # between equal ones: they may be of an older version of the file.
        number = repaired.first_number + len(search.before)
        if number not in (
            source.line_number(region.start) for region in regions
        ):
            return None
    has_fence = any(_has_fence_beside(source, region) for region in regions)
    if "fence" in repaired.description and has_fence:
        # The fences of the request may be those of the file around the text.
        return None
    lines = tuple(
        (LinesPart(region, search, replacement),) for region in regions
    )
    return Reading(lines, all_regions.has_more, regions[0].tier, repairs)


def _has_fence_beside(source: Source, region: Region) -> bool:
    """Return True if the nearest line with text above or below a region is a fence."""
    above, _ = source.first_solid_row(source.rows_before(region.rows[0]))
    below, _ = source.first_solid_row(source.rows_from(region.end))
    return bool(fence_at_edge(above) or fence_at_edge(below))
