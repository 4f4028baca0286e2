"""The matcher of a request without the damage that all of it carries."""

from __future__ import annotations

from dataclasses import replace

from filewright.edit.choose import (
    MAX_LISTED_PLACES,
    choose_candidate,
    solid_line_beside,
)
from filewright.edit.comparison import (
    RequestLines,
)
from filewright.edit.matchers.exact import find_occurrences
from filewright.edit.matchers.lines import find_regions
from filewright.edit.merge import try_merge
from filewright.edit.model import (
    EditMatch,
    LinesPart,
    NotLocated,
    Part,
    TextPart,
    Tier,
)
from filewright.edit.repairs.model import RepairedRequest
from filewright.edit.repairs.propose import propose_repairs
from filewright.edit.repairs.wrappers import fence_at_edge
from filewright.edit.request import Edit
from filewright.edit.source import Source
from filewright.errors import Code


def match_repaired(source: Source, edit: Edit) -> EditMatch | NotLocated | None:
    """The repaired request where it matches by the strictest tier of all repairs.

    Two repairs that match equally well must mean the same: one place, and one text there.
    """
    found: dict[int, list[EditMatch | NotLocated]] = {}
    for better in propose_repairs(edit.search, edit.replace):
        strict = match_strictly(source, better)
        if strict is not None:
            tier, parts, more = strict
            answer = choose_candidate(source, edit, Tier.REPAIRED, parts, more=more)
            if isinstance(answer, EditMatch):
                answer = replace(answer, inner=tier, repairs=(better.description,))
            found.setdefault(tier.rank, []).append(answer)
    answers = found[min(found)] if found else []
    located = [answer for answer in answers if isinstance(answer, EditMatch)]
    if not located or len(located) < len(answers):
        return next(
            (answer for answer in answers if isinstance(answer, NotLocated)), None
        )
    first, *others = located
    made = try_merge(source, first) if others else None
    for other in others:
        # The same damage with and without a blank behind it: the blank is the damage's.
        alike = try_merge(source, other) == made or (
            made is not None and first.repairs == other.repairs
        )
        if not alike or first.span != other.span:
            spans = sorted(
                (part.span for part in (*first.parts, *other.parts)),
                key=lambda span: span.start,
            )
            return NotLocated(edit, Code.AMBIGUOUS_MATCH, Tier.REPAIRED, tuple(spans))
    return first


def match_strictly(
    source: Source, better: RepairedRequest
) -> tuple[Tier, list[Part], bool] | None:
    """What a repaired request means by tiers 1 and 2, and whether there may be more."""
    if not better.whole_lines:
        spans = find_occurrences(source, better.search, MAX_LISTED_PLACES + 1)
        if spans:
            return (
                Tier.EXACT,
                [TextPart(span, better.search, better.replace) for span in spans],
                False,
            )
    block, replace = RequestLines.of(better.search), RequestLines.of(better.replace)
    everything = find_regions(source, block)
    if not everything.regions:
        return None
    regions = everything.strictest
    if better.first_number is not None:
        # A number confirms a place. It never chooses between equals: it may be of an older text.
        number = better.first_number + len(block.before)
        if number not in (source.line_number(region.start) for region in regions):
            return None
    if "fence" in better.description and any(
        fence_at_edge(solid_line_beside(source, region, ahead=ahead)[0])
        for region in regions
        for ahead in (False, True)
    ):
        return None  # the block in which the text is has fences, of which these may be
    parts: list[Part] = [LinesPart(region, block, replace) for region in regions]
    return regions[0].tier, parts, everything.more
