"""The matcher of whole lines: where lines occur in a file, by ever looser comparison."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

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
from filewright.edit.model import Region, Tier
from filewright.edit.source import Source
from filewright.text.lines import Line

MOST_REGIONS = 200
"""Regions found before the search ends; any answer is ambiguous by then."""


_ROWS_GRADED = 60_000
"""Lines of candidates graded; with more than one region found by then, the answer is ambiguous."""


_ROWS_COMPARED = 60_000
"""Lines compared around candidates before the single pass takes over."""


_LONG_ROW = 1 << 16


@dataclass(frozen=True, slots=True)
class Regions:
    """The regions of a block, in order of offset; with `more` the search ended early, and there may be others."""

    regions: tuple[Region, ...] = ()
    more: bool = False

    @property
    def strictest(self) -> list[Region]:
        """Those found by the strictest tier; if none of these stands as deep as asked for, also the others that do.

        A text at another depth is no nearer than one with other characters.
        """
        best = min((region.tier.rank for region in self.regions), default=-1)
        found = [each for each in self.regions if each.tier.rank == best]
        moved = not any(each.indentation.same for each in found)
        return [
            each
            for each in self.regions
            if each.tier.rank == best or (moved and each.indentation.same)
        ]


def find_regions(source: Source, block: RequestLines) -> Regions:
    """Regions that `block` means by any whole-line tier, less the blank lines at its edges; none if it has no other.

    Ends early, with more than one region, where very many (200) or very long ones are alike.
    """
    if not block.solid:
        return Regions()
    if block in source.found:  # a refusal asks again for each choice that it may offer
        return source.found[block]
    found: dict[int, Region] = {}
    graded_rows = 0
    more = False
    for rows in _candidates(source, block):
        if (
            rows[0].offset not in found
            and (region := classify_region(source, block, rows)) is not None
        ):
            found[region.start] = region
            graded_rows += len(rows)
            more = len(found) >= MOST_REGIONS or (
                graded_rows > _ROWS_GRADED and len(found) > 1
            )
            if more:
                break
    if len(source.found) > 3:
        source.found.clear()
    ordered = tuple(sorted(found.values(), key=lambda region: region.start))
    known = source.found[block] = Regions(ordered, more)
    return known


def classify_region(
    source: Source, block: RequestLines, rows: list[Line]
) -> Region | None:
    """The region of candidate rows, by the strictest tier that accepts it; None if none does."""
    bodies = [source.text(row.body) for row in rows]
    places = tuple(index for index, body in enumerate(bodies) if not is_blank(body))
    texts = tuple(bodies[index] for index in places)
    pairs = list(zip(block.solid, texts, strict=True))
    indentation = Indentation.of(
        (leading_whitespace(fold(s)), leading_whitespace(fold(f))) for s, f in pairs
    )
    if indentation is None:
        return None
    tier = Tier.BLANK_LINES
    if [*map(len, block.blank)] == [
        after - before - 1 for before, after in pairwise(places)
    ]:
        tier = next(
            tier
            for tier, seen in _SEEN
            if tier is Tier.BLANKS or all(seen(s) == seen(f) for s, f in pairs)
        )
    return Region(tuple(rows), places, texts, tier, indentation)


_SEEN: tuple[tuple[Tier, Callable[[str], str]], ...] = (
    (Tier.EXACT, str),
    (Tier.TRAILING, lambda line: line.rstrip(WHITESPACE)),
    (Tier.INDENT, lambda line: line.strip(WHITESPACE)),
    (Tier.TYPOGRAPHY, lambda line: fold(line).strip(WHITESPACE)),
    (Tier.BLANKS, collapse),
)
"""What a tier sees of a line, strictest first."""


def _candidates(source: Source, block: RequestLines) -> Iterator[list[Line]]:
    keys = block.keys
    budget = _ROWS_COMPARED + 4 * len(keys)
    rarest = _rarest_run(source, block.solid)
    if rarest is None:
        yield from _one_pass(source, keys)
        return
    needle, index = rarest
    for row in rows_with(source, needle):
        rows, compared = _rows_around(source, keys, index, row)
        if rows:
            yield rows
        budget -= compared
        if budget < 0:
            # The run is everywhere: one pass over the file is cheaper.
            yield from _one_pass(source, keys)
            return


def rows_with(source: Source, needle: bytes) -> Iterator[Line]:
    """The lines that hold `needle`, each once, in order."""
    done = source.start
    hits = source.occurrences(needle)
    while (at := next(hits, None)) is not None:
        if at >= done:
            row = source.row_holding(at)
            yield row
            done = row.end
            if done - at > _LONG_ROW:
                hits = source.occurrences(
                    needle, done
                )  # the rest of the line is passed over


def _rarest_run(source: Source, lines: Sequence[str]) -> tuple[bytes, int] | None:
    """Return the rarest long stretch of `lines` that folding leaves alone, and its line.

    None if no line has one.
    """
    longest: dict[str, int] = {}
    for index in range(0, len(lines), 1 + len(lines) // 1000):
        runs = verbatim_runs(lines[index])
        if runs:
            longest.setdefault(max(runs, key=len), index)
    if len(longest) == 1:
        (index,) = longest.values()
        longest = dict.fromkeys(verbatim_runs(lines[index]), index)
    chosen = sorted(longest, key=len, reverse=True)[: 8 if source.size < 4 << 20 else 3]
    if not chosen:
        return None
    rarest = min(chosen, key=lambda run: _count(source, run.encode()))
    return rarest.encode(), longest[rarest]


def _count(source: Source, needle: bytes) -> int:
    """How often a stretch occurs; in a file that is not held, in samples of it."""
    if source.held is not None:
        return source.held.count(needle)
    length = 1 << 20
    last = max(source.start, source.size - length)
    places = {source.start, source.size // 3, 2 * source.size // 3, last}
    return sum(source.read(at, at + length).count(needle) for at in places)


def _rows_around(
    source: Source, keys: Sequence[str], index: int, row: Line
) -> tuple[list[Line], int]:
    """Return the rows of the region whose solid line `index` is `row`, or none.

    The second value counts the rows that were compared.
    """
    if key_of(source, row, keys[index]) != keys[index]:
        return [], 1
    before, is_region = _rows_with_keys(
        source, source.rows_before(row), reversed(keys[:index])
    )
    if not is_region:
        return [], len(before) + 1
    after, is_region = _rows_with_keys(
        source, source.rows_from(row.end), keys[index + 1 :]
    )
    rows = [*reversed(before), row, *after]
    return (rows if is_region else []), len(rows)


def _rows_with_keys(
    source: Source, rows: Iterator[Line], keys: Iterable[str]
) -> tuple[list[Line], bool]:
    """Return the next rows as far as their solid ones have the keys, and whether all do."""
    compared: list[Line] = []
    for key in keys:
        text = ""
        while not text:
            row = next(rows, None)
            if row is None:
                return compared, False
            compared.append(row)
            text = key_of(source, row, key)
        if text != key:
            return compared, False
    return compared, True


def key_of(source: Source, row: Line, like: str) -> str:
    """A line as it is compared with a key of the length of `like`; a line far too long is not read."""
    if not row.whole or len(row.body) > 4096 + 200 * len(like):
        return "\n"  # no key holds one
    return collapse(source.text(row.body))


def _one_pass(source: Source, keys: Sequence[str]) -> Iterator[list[Line]]:
    """Every run of rows whose keys are `keys`, in one pass (Knuth, Morris, Pratt 1977)."""
    borders = [-1]
    length = -1
    for key in keys:
        while length >= 0 and key != keys[length]:
            length = borders[length]
        length += 1
        borders.append(length)
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
            yield [
                *takewhile(
                    lambda one: one.offset < row.offset,  # noqa: B023
                    source.rows_from(recent[0]),
                ),
                row,
            ]
