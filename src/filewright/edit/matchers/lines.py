"""The matcher of whole lines, which may differ in whitespace and typography.

Every line of the search text is in the region, letter by letter but for whitespace and
typography, in the same order and number; no percentage decides anything. The differences
are never written: unchanged lines keep the bytes of the file.

Each looser comparison accepts all that the stricter ones accept. So the file is searched
once by the loosest key (folded, spaces collapsed, blank lines skipped), and each region is
then classified by the strictest tier that accepts it. Candidates are the lines with the
rarest stretch of the search text that no folding changes. If there is no such stretch, or
it is everywhere, one pass of the Knuth-Morris-Pratt algorithm over the keys of all lines
finds the regions.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from filewright.edit.comparison import (
    WHITESPACE,
    RequestLines,
    collapse,
    fold,
    is_blank,
    leading_whitespace,
    verbatim_runs,
)
from filewright.edit.indentation import Indentation
from filewright.edit.matchers.exact import find_occurrences
from filewright.edit.model import Candidates, LinesPart, Reading, Region, Tier
from filewright.edit.repairs.diff_signs import repair_diff_signs
from filewright.edit.request import TextEdit
from filewright.edit.source import Source
from filewright.text.lines import Line

MAX_REGIONS = 200
"""Regions after which the search ends: the answer is that they are ambiguous."""

_MAX_CLASSIFIED_ROWS = 60_000
"""Rows classified, past which the search ends if there is more than one region."""

_MAX_COMPARED_ROWS = 60_000
"""Rows compared around candidates before the single pass takes over."""

_LONG_ROW_BYTES = 1 << 16
_SAMPLE_BYTES = 1 << 20
_SMALL_FILE_BYTES = 4 << 20

# The form in which each tier compares a line, strictest first.
_COMPARED_FORMS: tuple[tuple[Tier, Callable[[str], str]], ...] = (
    (Tier.EXACT, str),
    (Tier.TRAILING, lambda line: line.rstrip(WHITESPACE)),
    (Tier.INDENT, lambda line: line.strip(WHITESPACE)),
    (Tier.TYPOGRAPHY, lambda line: fold(line).strip(WHITESPACE)),
)


@dataclass(frozen=True, slots=True)
class Regions:
    """The regions that match some lines, in order of offset.

    With `has_more` the search ended early, and there may be others.
    """

    regions: tuple[Region, ...] = ()
    has_more: bool = False

    @property
    def strictest(self) -> list[Region]:
        """Return the regions of the strictest tier.

        If none of these has the indentation of the request, return also the looser ones
        that have it. A text with the same quotes at another depth may be a copy in
        another function; it is no better a match than one with other quotes at this depth.
        """
        best = min((region.tier.rank for region in self.regions), default=-1)
        strict = [region for region in self.regions if region.tier.rank == best]
        if any(region.indentation.same for region in strict):
            return strict
        return [
            region
            for region in self.regions
            if region.tier.rank == best or region.indentation.same
        ]


def match(source: Source, edit: TextEdit) -> Candidates:
    """Find the regions of the search text by the strictest whole-line tier."""
    search, replacement = (
        RequestLines.of(edit.search),
        RequestLines.of(edit.replace),
    )
    all_regions = find_regions(source, search)
    regions = all_regions.strictest
    if _is_text_of_signed_lines(source, edit, regions):
        regions = []
    if not regions:
        return Candidates(Tier.TRAILING)
    # The exact matcher has failed before, so equal lines differ in blank lines at their
    # edges: they are no exact match.
    tiers = (Tier.TRAILING, *(region.tier for region in regions))
    tier = max(tiers, key=lambda tier: tier.rank)
    is_telling = any(map(str.isalnum, "".join(search.solid)))
    if tier is not Tier.TRAILING and not is_telling:
        # Lines of brackets alone match at any depth, and looser matchers would guess.
        return Candidates(tier, is_final=True)
    candidates = tuple(
        (LinesPart(region, search, replacement),) for region in regions
    )
    return Candidates(tier, (Reading(candidates, all_regions.has_more),))


def _is_text_of_signed_lines(
    source: Source, edit: TextEdit, regions: Sequence[Region]
) -> bool:
    """Return True if the search text is lines of a diff, which occur without their signs.

    The context lines of a diff begin with a space. They match as lines indented by one
    column more, and the replacement would write the signs `+` and `-` into the file.
    """
    if not any(region.tier is Tier.INDENT for region in regions):
        return False
    unsigned = repair_diff_signs(edit.search, edit.replace)
    if unsigned is None:
        return False
    return bool(find_occurrences(source, unsigned.search.strip("\n"), 1))


def find_regions(source: Source, lines: RequestLines) -> Regions:
    """Return the regions that `lines` match by any whole-line tier.

    Blank lines at their edges are left out. The search ends early, with more than one
    region, where very many or very long ones are alike.
    """
    if not lines.solid:
        return Regions()
    # The explanation of a refusal searches for the same lines with each suggestion.
    remembered = source.memo.get(lines)
    if isinstance(remembered, Regions):
        return remembered
    regions: dict[int, Region] = {}
    classified_rows = 0
    has_more = False
    for rows in _candidate_rows(source, lines):
        if rows[0].offset in regions:
            continue
        region = classify_region(source, lines, rows)
        if region is None:
            continue
        regions[region.start] = region
        classified_rows += len(rows)
        has_more = len(regions) >= MAX_REGIONS or (
            classified_rows > _MAX_CLASSIFIED_ROWS and len(regions) > 1
        )
        if has_more:
            break
    in_order = sorted(regions.values(), key=lambda region: region.start)
    result = Regions(tuple(in_order), has_more)
    source.remember(lines, result)
    return result


def classify_region(
    source: Source, lines: RequestLines, rows: Sequence[Line]
) -> Region | None:
    """Return rows as a region by the strictest tier that accepts them, or None."""
    bodies = [source.text(row.body) for row in rows]
    solid = tuple(
        index for index, body in enumerate(bodies) if not is_blank(body)
    )
    file_lines = tuple(bodies[index] for index in solid)
    pairs = list(zip(lines.solid, file_lines, strict=True))
    indentation = Indentation.of(
        (
            leading_whitespace(fold(request_line)),
            leading_whitespace(fold(file_line)),
        )
        for request_line, file_line in pairs
    )
    if indentation is None:
        return None
    tier = Tier.BLANK_LINES
    blank_counts = [after - before - 1 for before, after in pairwise(solid)]
    if [len(gap) for gap in lines.blank] == blank_counts:
        tier = _strictest_tier(pairs)
    return Region(tuple(rows), solid, file_lines, tier, indentation)


def _strictest_tier(pairs: Sequence[tuple[str, str]]) -> Tier:
    """Return the strictest tier by which all pairs of lines are equal."""
    for tier, form in _COMPARED_FORMS:
        if all(
            form(request_line) == form(file_line)
            for request_line, file_line in pairs
        ):
            return tier
    return Tier.BLANKS


def _candidate_rows(
    source: Source, lines: RequestLines
) -> Iterator[list[Line]]:
    """Yield rows whose keys are those of the lines, found by a rare stretch of text."""
    keys = lines.keys
    budget = _MAX_COMPARED_ROWS + 4 * len(keys)
    rarest = _rarest_run(source, lines.solid)
    if rarest is None:
        yield from _rows_by_one_pass(source, keys)
        return
    needle, index = rarest
    for row in rows_with(source, needle):
        rows, compared_count = _rows_around(source, keys, index, row)
        if rows:
            yield rows
        budget -= compared_count
        if budget < 0:
            # The stretch is everywhere: one pass over the file is cheaper.
            yield from _rows_by_one_pass(source, keys)
            return


def rows_with(source: Source, needle: bytes) -> Iterator[Line]:
    """Yield the lines that hold `needle`, each once, in order."""
    row_end = source.start
    occurrences = source.occurrences(needle)
    while (offset := next(occurrences, None)) is not None:
        if offset < row_end:
            continue
        row = source.row_holding(offset)
        yield row
        row_end = row.end
        if row_end - offset > _LONG_ROW_BYTES:
            # Pass over the rest of a long line at once.
            occurrences = source.occurrences(needle, row_end)


def _rarest_run(
    source: Source, lines: Sequence[str]
) -> tuple[bytes, int] | None:
    """Return the rarest long stretch of `lines` that folding leaves alone, and its line.

    None if no line has one.
    """
    line_of_run: dict[str, int] = {}
    for index in range(0, len(lines), 1 + len(lines) // 1000):
        runs = verbatim_runs(lines[index])
        if runs:
            line_of_run.setdefault(max(runs, key=len), index)
    if len(line_of_run) == 1:
        (index,) = line_of_run.values()
        line_of_run = dict.fromkeys(verbatim_runs(lines[index]), index)
    # Counting reads the whole file for each stretch: in a large one only a few.
    counted = 8 if source.size < _SMALL_FILE_BYTES else 3
    longest = sorted(line_of_run, key=len, reverse=True)[:counted]
    if not longest:
        return None
    rarest = min(longest, key=lambda run: _estimate_count(source, run.encode()))
    return rarest.encode(), line_of_run[rarest]


def _estimate_count(source: Source, needle: bytes) -> int:
    """Count the occurrences of `needle`; in a file too large for memory, in samples."""
    if source.held is not None:
        return source.held.count(needle)
    last_sample = max(source.start, source.size - _SAMPLE_BYTES)
    offsets = {
        source.start,
        source.size // 3,
        2 * source.size // 3,
        last_sample,
    }
    return sum(
        source.read(offset, offset + _SAMPLE_BYTES).count(needle)
        for offset in offsets
    )


def _rows_around(
    source: Source, keys: Sequence[str], index: int, row: Line
) -> tuple[list[Line], int]:
    """Return the rows with the keys if `row` has the key `index`; or none.

    The second value counts the rows that were compared.
    """
    if key_of(source, row, keys[index]) != keys[index]:
        return [], 1
    before, has_keys = _rows_with_keys(
        source, source.rows_before(row), reversed(keys[:index])
    )
    if not has_keys:
        return [], len(before) + 1
    after, has_keys = _rows_with_keys(
        source, source.rows_from(row.end), keys[index + 1 :]
    )
    rows = [*reversed(before), row, *after]
    return (rows if has_keys else []), len(rows)


def _rows_with_keys(
    source: Source, rows: Iterator[Line], keys: Iterable[str]
) -> tuple[list[Line], bool]:
    """Return the next rows as far as their solid ones have the keys, and whether all do."""
    compared: list[Line] = []
    for key in keys:
        row_key = ""
        while not row_key:
            row = next(rows, None)
            if row is None:
                return compared, False
            compared.append(row)
            row_key = key_of(source, row, key)
        if row_key != key:
            return compared, False
    return compared, True


def key_of(source: Source, row: Line, similar: str) -> str:
    """Return the form in which a line is compared with the key `similar`."""
    # A line that is far too long to be equal is not folded: it may have gigabytes.
    if not row.is_whole or len(row.body) > 4096 + 200 * len(similar):
        return "\n"  # No key has a newline.
    return collapse(source.text(row.body))


def _rows_by_one_pass(
    source: Source, keys: Sequence[str]
) -> Iterator[list[Line]]:
    """Yield every run of rows whose keys are `keys` (Knuth, Morris, Pratt 1977)."""
    borders = [-1]
    length = -1
    for key in keys:
        while length >= 0 and key != keys[length]:
            length = borders[length]
        length += 1
        borders.append(length)
    recent_offsets: deque[int] = deque(maxlen=len(keys))
    matched = 0
    longest_key = max(keys, key=len)
    for row in source.rows():
        key = key_of(source, row, longest_key)
        if not key:
            continue
        recent_offsets.append(row.offset)
        while matched >= 0 and (matched == len(keys) or key != keys[matched]):
            matched = borders[matched]
        matched += 1
        if matched == len(keys):
            yield _rows_between(source, recent_offsets[0], row)


def _rows_between(source: Source, start: int, last: Line) -> list[Line]:
    """Return the rows from offset `start` to the row `last`."""
    rows: list[Line] = []
    for row in source.rows_from(start):
        if row.offset >= last.offset:
            break
        rows.append(row)
    return [*rows, last]
