"""The choice of one candidate, or the reason why there is none."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from filewright.edit.matchers.exact import MAX_LISTED_PLACES, find_occurrences
from filewright.edit.matchers.lines import find_regions
from filewright.edit.model import (
    ByteRange,
    Candidates,
    EditMatch,
    LinesPart,
    NotLocated,
    Part,
    Reading,
    TextPart,
    Tier,
)
from filewright.edit.request import TextEdit
from filewright.edit.source import Source
from filewright.errors import Code


def choose(
    source: Source, edit: TextEdit, candidates: Candidates
) -> EditMatch | NotLocated:
    """Return the only candidate. Several are a refusal: no candidate is a better one.

    If the request can be read in several ways, each reading must have one candidate, and
    all of them must have it at the same place.
    """
    matches: list[EditMatch] = []
    for reading in candidates.readings:
        match = _choose_candidate(source, edit, candidates.tier, reading)
        if isinstance(match, NotLocated):
            return match
        matches.append(match)
    if not matches:
        return NotLocated(edit, Code.NO_MATCH, candidates.tier)
    first, *alternatives = matches
    for alternative in alternatives:
        if alternative.span != first.span:
            return several_readings(first, alternative)
    match = replace(first, alternatives=tuple(alternatives))
    # Each stretch of a request with omitted text is only a part of the replacement, which
    # says nothing of whether the whole was applied.
    if match.tier is Tier.ELISION:
        return match
    return _require_not_applied(source, match)


def several_readings(match: EditMatch, alternative: EditMatch) -> NotLocated:
    """Return the refusal of a request that has two readings."""
    spans = [part.span for part in (*match.parts, *alternative.parts)]
    spans.sort(key=lambda span: span.start)
    return NotLocated(
        match.edit, Code.AMBIGUOUS_MATCH, Tier.REPAIRED, tuple(spans)
    )


def _choose_candidate(
    source: Source, edit: TextEdit, tier: Tier, reading: Reading
) -> EditMatch | NotLocated:
    """Return the only candidate of a reading, or the one at the start line of the edit."""
    remaining, line = [*reading.candidates], edit.start_line
    # Where the search ended early, one candidate need not be the only one.
    has_more = reading.has_more or len(remaining) > MAX_LISTED_PLACES
    if len(remaining) > 1 and line is not None:
        if has_more:
            remaining = _candidates_at_line(source, remaining, line)
        line_start, line_end = source.offset(line - 1), source.offset(line)
        at_line = [
            parts
            for parts in remaining
            if line_start <= parts[0].span.start < line_end
        ]
        if len(at_line) == 1:
            remaining = at_line
    if len(remaining) > 1 or (has_more and line is None):
        listed = tuple(parts[0].span for parts in remaining[:MAX_LISTED_PLACES])
        return NotLocated(edit, Code.AMBIGUOUS_MATCH, tier, listed, has_more)
    return EditMatch(
        edit, tier, remaining[0], reading.inner_tier, reading.repairs
    )


def _candidates_at_line(
    source: Source, candidates: list[tuple[Part, ...]], line: int
) -> list[tuple[Part, ...]]:
    """Return the candidates that begin at `line`, when the search ended before that line.

    All candidates are returned if there are none, or if they are not of a literal text.
    """
    part = candidates[0][0]
    if not isinstance(part, TextPart):
        return candidates
    spans = find_occurrences(
        source, part.search, MAX_LISTED_PLACES + 1, line=line
    )
    at_line: list[tuple[Part, ...]] = [
        (replace(part, span=span),) for span in spans
    ]
    return at_line or candidates


def _require_not_applied(
    source: Source, match: EditMatch
) -> EditMatch | NotLocated:
    """Return the match, or a refusal if the file already has the replacement there.

    A caller that sends an insertion twice sends the search text of the file before it.
    That text still matches loosely, and the lines would be inserted a second time.
    """
    part = match.parts[0]
    if not isinstance(part, LinesPart):
        return match
    if _lost_a_line(source, part):
        return NotLocated(match.edit, Code.NO_MATCH, match.tier)
    # A replacement that adds no lines cannot repeat any.
    if len(part.replace.solid) <= len(part.search.solid):
        return match
    edges = (part.region.start, part.region.end)
    for region in find_regions(source, part.replace).regions:
        if any(region.start < edge < region.end for edge in edges):
            span = ByteRange(region.start, region.end)
            return NotLocated(
                match.edit, Code.ALREADY_APPLIED, match.tier, (span,)
            )
    return match


def _lost_a_line(source: Source, part: LinesPart) -> bool:
    """Return True if the search text has a blank line at its edge for a line with text.

    The blank line of the request is indented, as a line is whose text was lost, or the
    replacement adds the text of that line of the file. The replacement would be written
    beside the line instead of in its place, and the file would have the line twice.
    """
    search, replacement = part.search, part.replace
    edges = (
        (search.before, replacement.before, False),
        (search.after, replacement.after, True),
    )
    for search_blank, replacement_blank, is_below in edges:
        # The replacement keeps these blank lines: nothing is written in their place.
        if len(search_blank) <= len(replacement_blank):
            continue
        row = part.region.rows[0]
        if is_below:
            rows = source.rows_from(part.region.end)
        else:
            rows = source.rows_before(row)
        text, blank_count = source.first_solid_row(rows)
        if not text or len(search_blank) <= blank_count:
            continue
        added = Counter(map(str.strip, replacement.solid))
        added -= Counter(map(str.strip, search.solid))
        if "".join(search_blank) or text.strip() in added:
            return True
    return False
