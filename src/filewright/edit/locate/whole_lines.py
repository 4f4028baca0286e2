"""Tier 2: the search text as whole lines, by ever looser comparison.

Why it cannot be wrong: every line of the search text is in the region, letter by letter but for
whitespace and typography; the lines' order and number are the same; and no other region of the file
is like it by the same or a stricter comparison. What differs is never written: lines that stay keep
the file's bytes, and lines that change take its whitespace and typography, or the edit is refused.

Each looser comparison accepts what the stricter ones accept, so the file is looked through once by
the loosest key (folded, spaces collapsed, blank lines skipped) and every region found is then graded
by the strictest tier that accepts it. Candidates come from the rarest stretch of the search text
that every folding leaves alone; where there is none, or it is everywhere, from one pass of the
Knuth-Morris-Pratt algorithm over the lines' keys.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise, takewhile

from filewright.edit.locate.fold import WHITESPACE, collapsed, folded, indent_of, verbatim_runs
from filewright.edit.locate.indentation import Indentation
from filewright.edit.locate.request import RequestLines, Tier, is_blank
from filewright.edit.locate.source import FileText
from filewright.text import Line

MOST_REGIONS = 200
"""Regions found before the search ends; any answer is ambiguous by then."""
_LONG_ROW = 1 << 16
_ROWS_COMPARED = 60_000
"""Lines compared around candidates before the single pass takes over."""
_ROWS_GRADED = 60_000
"""Lines of candidates graded; with more than one region found by then, the answer is ambiguous."""


@dataclass(frozen=True, slots=True)
class Region:
    """Lines of the file that a block of lines means.

    `rows` are all its lines, first and last solid; `solid` the places of the solid ones among them;
    `texts` their texts; `tier` the strictest comparison that accepts it (`exact`: nothing was
    looked past but edge blank lines); `indentation` the map of indents.
    """

    rows: tuple[Line, ...]
    solid: tuple[int, ...]
    texts: tuple[str, ...]
    tier: Tier
    indentation: Indentation

    @property
    def start(self) -> int:
        """The byte offset of its first line."""
        return self.rows[0].offset

    @property
    def end(self) -> int:
        """The byte offset past its last line's terminator."""
        return self.rows[-1].end


def find_lines(source: FileText, lines: Sequence[str]) -> tuple[Region, ...]:
    """Every region that the given lines (without terminators) mean, in order of offset.

    Compare `region.tier` to rank them: `exact` first, then the tiers of tier 2 in order. Blank
    lines at the edges must be there too, except by `blank_lines`, which skips them; they are not
    part of the region. Lines that are all blank mean nothing. At most 200 are returned.
    """
    block = RequestLines.of_lines(tuple(lines))
    result: list[Region] = []
    for region in find_regions(source, block):
        before, after = source.rows_before(region.rows[0]), source.rows_from(region.end)
        beside = ((before, len(block.before)), (after, len(block.after)))
        if not all(_blank_lines(source, rows, most=count) == count for rows, count in beside):
            region = replace(region, tier=Tier.BLANK_LINES)
        result.append(region)
    return tuple(result)


def _blank_lines(source: FileText, rows: Iterator[Line], *, most: int) -> int:
    """How many of the next rows are blank, up to `most`."""
    return sum(1 for _ in takewhile(lambda row: is_blank(source.text(row.body)), islice(rows, most)))


def find_regions(source: FileText, block: RequestLines) -> list[Region]:
    """Regions that `block` means by any whole-line tier, in order of offset.

    Ends early, with more than one region, where very many or very long ones are alike.
    """
    if not block.solid:
        return []
    known = source.remembered(block)
    if known is None:
        # A refusal asks again for each choice that it may offer.
        known = _regions(source, block)
        source.remember(block, known)
    return list(known)


def _regions(source: FileText, block: RequestLines) -> list[Region]:
    found: dict[int, Region] = {}
    rows_found = 0
    for rows in _candidates(source, block):
        if rows[0].offset not in found:
            region = graded(source, block, rows)
            if region is not None:
                found[region.start] = region
                rows_found += len(rows)
        if len(found) >= MOST_REGIONS or (rows_found > _ROWS_GRADED and len(found) > 1):
            break
    return sorted(found.values(), key=lambda region: region.start)


def cut_short(regions: Sequence[Region]) -> bool:
    """Whether `find_regions` ended before the end of the file: there may be more."""
    return len(regions) >= MOST_REGIONS or (
        len(regions) > 1 and sum(len(region.rows) for region in regions) > _ROWS_GRADED
    )


def strictest(regions: Iterable[Region]) -> list[Region]:
    """Those of the regions found by the strictest tier."""
    listed = list(regions)
    best = min((region.tier.rank for region in listed), default=-1)
    return [region for region in listed if region.tier.rank == best]


def graded(source: FileText, block: RequestLines, rows: list[Line]) -> Region | None:
    """The region of candidate rows, by the strictest tier that accepts it; None if none does."""
    bodies = [source.text(row.body) for row in rows]
    places = tuple(index for index, body in enumerate(bodies) if not is_blank(body))
    texts = tuple(bodies[index] for index in places)
    gaps = tuple(after - before - 1 for before, after in pairwise(places))
    if block.solid == texts:  # as most requests are
        own = {indent_of(folded(text)) for text in texts}
        tier = Tier.EXACT if gaps == block.gaps else Tier.BLANK_LINES
        return Region(tuple(rows), places, texts, tier, Indentation({indent: indent for indent in own}))
    pairs = list(zip(block.solid, texts, strict=True))
    indentation = Indentation.of((indent_of(folded(s)), indent_of(folded(f))) for s, f in pairs)
    if indentation is None:
        return None
    tier = _grade(pairs) if gaps == block.gaps else Tier.BLANK_LINES
    return Region(tuple(rows), places, texts, tier, indentation)


def _grade(pairs: list[tuple[str, str]]) -> Tier:
    if all(s.rstrip(WHITESPACE) == f.rstrip(WHITESPACE) for s, f in pairs):
        return Tier.TRAILING
    if all(s.strip(WHITESPACE) == f.strip(WHITESPACE) for s, f in pairs):
        return Tier.INDENT
    if all(folded(s).strip(WHITESPACE) == folded(f).strip(WHITESPACE) for s, f in pairs):
        return Tier.TYPOGRAPHY
    return Tier.BLANKS


def _candidates(source: FileText, block: RequestLines) -> Iterator[list[Line]]:
    keys = block.keys
    anchor = rarest_run(source, block.solid)
    if anchor is None:
        yield from _one_pass(source, keys)
        return
    needle, index = anchor
    if not needle:
        return
    budget = _ROWS_COMPARED + 4 * len(keys)
    for row in rows_with(source, needle):
        same = key_of(source, row, keys[index]) == keys[index]
        rows, compared = rows_around(source, keys, index, row, 0 if same else -1)
        if rows:
            yield rows
        budget -= compared
        if budget < 0:
            yield from _one_pass(source, keys)
            return


def rows_with(source: FileText, needle: bytes) -> Iterator[Line]:
    """The lines that hold `needle`, each once, in order."""
    done = source.start
    if source.held is None:
        hits = source.occurrences(needle)
        while (at := next(hits, None)) is not None:
            if at < done:
                continue
            row = source.row_at(at)
            yield row
            done = row.end
            if done - at > _LONG_ROW:
                hits = source.occurrences(needle, done)  # the rest of the line is passed over
        return
    while (at := source.held.find(needle, done)) >= 0:
        row = source.row_at(at)
        yield row
        done = max(row.end, at + 1)


def rarest_run(source: FileText, lines: Sequence[str]) -> tuple[bytes, int] | None:
    """The rarest stretch of `lines` that folding leaves alone, and the line it is in.

    None if there is no such stretch; an empty stretch if one of them is nowhere in the file.
    """
    step = 1 + len(lines) // 1000
    longest: dict[str, int] = {}
    for index in range(0, len(lines), step):
        runs = verbatim_runs(lines[index])
        if runs:
            longest.setdefault(max(runs, key=len), index)
    if not longest:
        return None
    few = sorted(longest, key=len, reverse=True)[: 8 if source.size < 4 << 20 else 3]
    best: tuple[int, bytes, int] | None = None
    for run in few:
        needle = run.encode(source.encoding.name)
        count = _count(source, needle)
        if count == 0 and source.held is not None:
            return b"", 0
        if best is None or count < best[0]:
            best = (count, needle, longest[run])
        if count == 1 and source.held is not None:
            break
    assert best is not None
    return best[1], best[2]


def _count(source: FileText, needle: bytes) -> int:
    if source.held is not None:
        return source.held.count(needle)
    length = 1 << 20
    last = max(source.start, source.size - length)
    places = {source.start, source.size // 3, 2 * source.size // 3, last}
    return sum(source.read(at, at + length).count(needle) for at in places)


def rows_around(
    source: FileText, keys: Sequence[str], index: int, row: Line, left: int
) -> tuple[list[Line], int]:
    """The rows of the region whose solid line `index` is `row`, or none; and how many were compared.

    Of the other solid lines at most `left` may be otherwise than `keys`, and those by a word only.
    """
    before, left = _rows_like(source, source.rows_before(row), reversed(keys[:index]), left)
    after, left = _rows_like(source, source.rows_from(row.end), keys[index + 1 :], left)
    rows = [*reversed(before), row, *after]
    return (rows if left >= 0 else []), len(rows)


def _rows_like(
    source: FileText, rows: Iterator[Line], keys: Iterable[str], left: int
) -> tuple[list[Line], int]:
    """The next rows, as far as their solid ones are like `keys`; how many may still differ (below 0: none could)."""
    found: list[Line] = []
    for key in keys:
        text = ""
        while not text:
            row = next(rows, None) if left >= 0 else None
            if row is None:
                return found, -1
            found.append(row)
            text = key_of(source, row, key)
        left -= lines_apart(text, key)
    return found, left


def lines_apart(one: str, other: str) -> int:
    """How many lines differ where these two are one: none, one, or too many for a word's one letter."""
    return int(one != other) if abs(len(one) - len(other)) < 2 else 2


def key_of(source: FileText, row: Line, like: str) -> str:
    """A line as it is compared with a key of the length of `like`; a line far too long is not read."""
    if not row.whole or len(row.body) > 4096 + 200 * len(like):
        return "\n"  # no key holds one
    return collapsed(source.text(row.body))


def _one_pass(source: FileText, keys: Sequence[str]) -> Iterator[list[Line]]:
    """Every run of rows whose keys are `keys`, in one pass (Knuth, Morris, Pratt 1977)."""
    borders = [0] * (len(keys) + 1)
    borders[0] = -1
    length = -1
    for index, key in enumerate(keys):
        while length >= 0 and key != keys[length]:
            length = borders[length]
        length += 1
        borders[index + 1] = length
    recent: deque[int] = deque(maxlen=len(keys))
    matched = 0
    longest = max(keys, key=len)
    for row in source.rows():
        key = key_of(source, row, longest)
        if not key:
            continue
        recent.append(row.offset)
        while matched >= 0 and (matched == len(keys) or key != keys[matched]):
            matched = borders[matched]
        matched += 1
        if matched == len(keys):
            yield _rows_of(source, recent[0], row)


def _rows_of(source: FileText, start: int, last: Line) -> list[Line]:
    return [*takewhile(lambda row: row.offset < last.offset, source.rows_from(start)), last]
