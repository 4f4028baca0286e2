"""Locating an edit: one matcher after the other, then the choice of one candidate."""

from __future__ import annotations

from dataclasses import replace

from filewright.edit.choose import (
    MAX_LISTED_PLACES,
    choose_candidate,
    require_not_applied,
)
from filewright.edit.comparison import (
    RequestLines,
    has_invisible,
    is_invisible,
)
from filewright.edit.matchers.elision import find_elided
from filewright.edit.matchers.exact import find_occurrences
from filewright.edit.matchers.lines import find_regions
from filewright.edit.matchers.named_lines import match_at_lines, match_lines
from filewright.edit.matchers.repaired import match_repaired, match_strictly
from filewright.edit.model import (
    ByteRange,
    EditMatch,
    LinesPart,
    NotLocated,
    Part,
    TextPart,
    Tier,
)
from filewright.edit.repairs.diff_signs import repair_diff_signs
from filewright.edit.repairs.propose import remove_characters
from filewright.edit.request import Edit, validate_edit
from filewright.edit.source import Source
from filewright.errors import Code, FilewrightError

MOST_REPLACED = 1_000_000
"""Occurrences one `replace_all` takes."""


def locate(source: Source, request: Edit) -> EditMatch | NotLocated:
    """Where `request` goes in `source`, or why nowhere.

    Pure: reads the snapshot, nothing else. The drift tier
    needs what the caller was shown: see `filewright.edit.drift`. Raises `invalid_input`,
    `is_binary`, `too_large`.
    """
    edit = validate_edit(request)
    if edit.named or not (edit.search or edit.end_line):
        return match_lines(source, edit)
    if edit.start_line is not None and edit.end_line is not None:
        return match_at_lines(source, edit, edit.start_line, edit.end_line)
    if edit.replace_all:
        return _all(edit, find_occurrences(source, edit.search, MOST_REPLACED + 1))
    exact = find_occurrences(source, edit.search, MAX_LISTED_PLACES + 1)
    if len(exact) == 1:
        return EditMatch(
            edit, Tier.EXACT, (TextPart(exact[0], edit.search, edit.replace),)
        )
    if exact:
        return choose_candidate(
            source,
            edit,
            Tier.EXACT,
            [TextPart(span, edit.search, edit.replace) for span in exact],
        )
    if not edit.fuzzy:
        return NotLocated(edit, Code.NO_MATCH, Tier.EXACT)
    return _tolerant(source, edit)


def _tolerant(source: Source, edit: Edit) -> EditMatch | NotLocated:
    unseen = (
        {char for char in edit.search if is_invisible(char)}
        if has_invisible(edit.search)
        else set()
    )
    missing = {char for char in unseen if not find_occurrences(source, char, 1)}
    if missing:
        better = remove_characters(edit.search, edit.replace, missing)
        strict = match_strictly(source, better) if better.search.strip() else None
        if strict is not None:
            tier, parts, more = strict
            answer = choose_candidate(source, edit, Tier.REPAIRED, parts, more=more)
            if isinstance(answer, EditMatch):
                answer = replace(answer, inner=tier, repairs=(better.description,))
            return require_not_applied(source, answer)
    block, wanted = RequestLines.of(edit.search), RequestLines.of(edit.replace)
    if not block.solid:
        return NotLocated(edit, Code.NO_MATCH, Tier.EXACT)
    found = find_regions(source, block)
    regions = found.strictest
    signed = repair_diff_signs(edit.search, edit.replace)
    if signed is not None and any(region.tier is Tier.INDENT for region in regions):
        # Lines with the sign of a diff before them look as if they were indented by one more.
        is_signed = find_occurrences(source, signed.search.strip("\n"), 1)
        regions = [] if is_signed else regions
    if regions:
        tier = max(
            Tier.TRAILING,
            *(region.tier for region in regions),
            key=lambda tier: tier.rank,
        )
        if tier is not Tier.TRAILING and not any(
            map(str.isalnum, "".join(block.solid))
        ):
            return NotLocated(
                edit, Code.NO_MATCH, tier
            )  # brackets alone say nothing of their place
        parts = [LinesPart(region, block, wanted) for region in regions]
        return require_not_applied(
            source, choose_candidate(source, edit, tier, parts, more=found.more)
        )
    elided = find_elided(source, edit.search, edit.replace)
    if elided is not None:
        inner = max((part.region.tier for part in elided), key=lambda tier: tier.rank)
        return EditMatch(edit, Tier.ELISION, tuple(elided), inner)
    repaired = match_repaired(source, edit)
    if repaired is not None:
        return require_not_applied(source, repaired)
    return NotLocated(edit, Code.NO_MATCH, Tier.REPAIRED)


def _all(edit: Edit, spans: list[ByteRange]) -> EditMatch | NotLocated:
    if not spans:
        return NotLocated(edit, Code.NO_MATCH, Tier.EXACT)
    if len(spans) > MOST_REPLACED:
        message = f"the search text occurs more than {MOST_REPLACED} times"
        raise FilewrightError(Code.TOO_LARGE, message, "search for a longer text")
    parts: list[Part] = []
    end = -1
    for span in spans:
        if span.start >= end:
            parts.append(TextPart(span, edit.search, edit.replace))
            end = span.end
    return EditMatch(edit, Tier.EXACT, tuple(parts))
