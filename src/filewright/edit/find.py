"""The finder: where a text, or whole lines, occur in a file, by ever looser comparison.

Each tier is a function from what is looked for and the file's lines to candidates; which of them is
meant is decided by who asks. Nothing here writes, and no percentage decides anything.

*Exactly* (`find_exact`, `find_blocks`): the text itself, any terminator at each newline. It cannot be wrong: it is
what was asked for.

*As whole lines* (`find_regions`). Why it cannot be wrong: every line of the search text is in the region,
letter by letter but for whitespace and typography; the lines' order and number are the same; and no other
region of the file is like it by the same or a stricter comparison. What differs is never written: lines that
stay keep the file's bytes, and lines that change take its whitespace and typography, or the edit is refused.

Each looser comparison accepts what the stricter ones accept, so the file is looked through once by
the loosest key (folded, spaces collapsed, blank lines skipped) and every region found is then graded
by the strictest tier that accepts it. Candidates come from the rarest stretch of the search text
that every folding leaves alone; where there is none, or it is everywhere, from one pass of the
Knuth-Morris-Pratt algorithm over the lines' keys.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice, pairwise, takewhile

from filewright.edit.filetext import FileText
from filewright.edit.locate.indentation import Indentation
from filewright.edit.locate.request import (
    WHITESPACE,
    Edit,
    RequestLines,
    Tier,
    collapsed,
    folded,
    indent_of,
    is_blank,
    verbatim_runs,
)
from filewright.errors import Code, FilewrightError
from filewright.text import Line, Splice

MOST_STREAMED = 8 << 20
"""Bytes of a search text that is looked for in a file that is not held."""
MOST_REGIONS = 200
"""Regions found before the search ends; any answer is ambiguous by then."""
_ROWS_GRADED = 60_000
"""Lines of candidates graded; with more than one region found by then, the answer is ambiguous."""
_ROWS_COMPARED = 60_000
"""Lines compared around candidates before the single pass takes over."""
_LONG_ROW = 1 << 16
_MOST_PLACES = 30_000_000
"""Lines compared for many blocks before they are called too alike."""
_FEW, _LOOKS = 8, 400
"""Blocks that are looked for as bytes in a file that is not held, and how many hits of their lines are looked at."""


@dataclass(frozen=True, slots=True)
class ByteRange:
    """A half-open byte range."""

    start: int
    end: int


def find_exact(source: FileText, search: str, limit: int, *, line: int | None = None) -> list[ByteRange]:
    """Up to `limit` places where `search` (not empty) is, overlapping ones too, in order; those at a `line` alone.

    Raises `too_large` for a search text of more than 8 MB in a file that is not held.
    """
    try:
        needle = search.encode(source.encoding.name)
    except UnicodeEncodeError:
        return []  # a character the file cannot hold
    if len(needle) > source.size:
        return []
    if source.held is None and len(needle) > MOST_STREAMED:
        raise FilewrightError(
            Code.TOO_LARGE,
            f"the search text has {len(needle)} bytes, too many to look for in a file of {source.size}",
            "search for less, with a start_line and an end_line",
        )
    if b"\n" in needle and not source.has_no_returns:
        spans = _with_any_terminators(source, needle.split(b"\n"))
    else:
        spans = (ByteRange(at, at + len(needle)) for at in source.occurrences(needle))
    if line is not None:
        begin, end = source.offset(line - 1), source.offset(line)
        spans = (span for span in takewhile(lambda span: span.start < end, spans) if span.start >= begin)
    return list(islice((span for span in spans if source.on_boundary(span.start)), limit))


def _with_any_terminators(source: FileText, pieces: list[bytes]) -> Iterator[ByteRange]:
    """Occurrences where each newline may be any terminator, found through the longest line."""
    anchor = max(range(len(pieces)), key=lambda index: len(pieces[index]))
    hits = map(source.index_of, source.occurrences(pieces[anchor]))
    for at, _ in groupby(hits if pieces[anchor] else range(source.count)):
        rows = source.rows_at(max(0, at - anchor), len(pieces))
        bodies = [row.body for row in rows]
        if len(rows) == len(pieces) - 1 and rows[-1].terminator:
            bodies.append(b"")  # what is behind the last line's end
        if (
            at >= anchor
            and len(bodies) == len(pieces)
            and bodies[0].endswith(pieces[0])
            and bodies[1:-1] == pieces[1:-1]
            and bodies[-1].startswith(pieces[-1])
        ):
            last = rows[-1].offset if len(rows) == len(pieces) else source.size
            yield ByteRange(rows[0].body_end - len(pieces[0]), last + len(pieces[-1]))


def find_blocks(
    source: FileText, blocks: Iterable[tuple[bytes, ...]]
) -> dict[tuple[bytes, ...], list[int]] | None:
    """The lines (from 0) at which each of many blocks of lines is, terminators aside.

    Two passes over the file at most. None if there are too many places to compare.
    """
    wanted = set(blocks)
    if source.held is None and len(wanted) <= _FEW:
        sought = {block: _sought(source, block) for block in wanted}
        if None not in sought.values():
            return {block: places for block, places in sought.items() if places is not None}
    counts = dict.fromkeys((body for block in wanted for body in block), 0)
    for _, bodies in source.windows():
        for body in bodies:
            if body in counts:
                counts[body] += 1
    rarest = {block: min(range(len(block)), key=lambda index: counts[block[index]]) for block in wanted}
    places: dict[bytes, list[int]] = {block[index]: [] for block, index in rarest.items()}
    for first, bodies in source.windows():
        for index, body in enumerate(bodies, first):
            if body in places:
                places[body].append(index)
    if sum(len(places[block[index]]) for block, index in rarest.items()) > _MOST_PLACES:
        return None
    return {
        block: [at - index for at in places[block[index]] if stands(source, block, at - index)]
        for block, index in rarest.items()
    }


def stands(source: FileText, block: tuple[bytes, ...], at: int) -> bool:
    """Whether the lines from line `at` (from 0) are those of a block."""
    return at >= 0 and tuple(source.bodies(at, len(block))) == block


def _sought(source: FileText, block: tuple[bytes, ...]) -> list[int] | None:
    """The places of a block, by looking for its longest line as bytes; None where that is no help."""
    index = max(range(len(block)), key=lambda at: len(block[at]))
    if len(block[index]) < 8:
        return None
    hits = list(islice(source.occurrences(block[index]), _LOOKS + 1))
    if len(hits) > _LOOKS:
        return None
    lines = dict.fromkeys(source.index_of(hit) - index for hit in hits)
    return [at for at in lines if stands(source, block, at)]


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
        return [each for each in self.regions if each.tier.rank == best or (moved and each.indentation.same)]


def find_regions(source: FileText, block: RequestLines) -> Regions:
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
        if rows[0].offset not in found and (region := graded(source, block, rows)) is not None:
            found[region.start] = region
            graded_rows += len(rows)
            more = len(found) >= MOST_REGIONS or (graded_rows > _ROWS_GRADED and len(found) > 1)
            if more:
                break
    if len(source.found) > 3:
        source.found.clear()
    ordered = tuple(sorted(found.values(), key=lambda region: region.start))
    known = source.found[block] = Regions(ordered, more)
    return known


def graded(source: FileText, block: RequestLines, rows: list[Line]) -> Region | None:
    """The region of candidate rows, by the strictest tier that accepts it; None if none does."""
    bodies = [source.text(row.body) for row in rows]
    places = tuple(index for index, body in enumerate(bodies) if not is_blank(body))
    texts = tuple(bodies[index] for index in places)
    pairs = list(zip(block.solid, texts, strict=True))
    indentation = Indentation.of((indent_of(folded(s)), indent_of(folded(f))) for s, f in pairs)
    if indentation is None:
        return None
    tier = Tier.BLANK_LINES
    if block.gaps == tuple(after - before - 1 for before, after in pairwise(places)):
        tier = next(
            tier for tier, seen in _SEEN if tier is Tier.BLANKS or all(seen(s) == seen(f) for s, f in pairs)
        )
    return Region(tuple(rows), places, texts, tier, indentation)


_SEEN: tuple[tuple[Tier, Callable[[str], str]], ...] = (
    (Tier.EXACT, str),
    (Tier.TRAILING, lambda line: line.rstrip(WHITESPACE)),
    (Tier.INDENT, lambda line: line.strip(WHITESPACE)),
    (Tier.TYPOGRAPHY, lambda line: folded(line).strip(WHITESPACE)),
    (Tier.BLANKS, collapsed),
)
"""What a tier sees of a line, strictest first."""


def _candidates(source: FileText, block: RequestLines) -> Iterator[list[Line]]:
    keys = block.keys
    budget = _ROWS_COMPARED + 4 * len(keys)
    for count, needle, index in rare_runs(source, block.solid)[:1]:
        for row in rows_with(source, needle) if count or source.held is None else ():
            same = key_of(source, row, keys[index]) == keys[index]
            rows, compared = rows_around(source, keys, index, row, 0 if same else -1)
            if rows:
                yield rows
            budget -= compared
            if budget < 0:
                break
        else:
            return
    yield from _one_pass(source, keys)


def rows_with(source: FileText, needle: bytes) -> Iterator[Line]:
    """The lines that hold `needle`, each once, in order."""
    done = source.start
    hits = source.occurrences(needle)
    while (at := next(hits, None)) is not None:
        if at >= done:
            row = source.row_at(at)
            yield row
            done = row.end
            if done - at > _LONG_ROW:
                hits = source.occurrences(needle, done)  # the rest of the line is passed over


def rare_runs(source: FileText, lines: Sequence[str]) -> list[tuple[int, bytes, int]]:
    """Long stretches of `lines` that folding leaves alone, the rarest first: how often one is there, and its line.

    They are of different lines where more than one line has any.
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
    counted = [(_count(source, run.encode()), run.encode(), longest[run]) for run in chosen]
    return sorted(counted, key=lambda one: one[0])


def _count(source: FileText, needle: bytes) -> int:
    """How often a stretch occurs; in a file that is not held, in samples of it."""
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
            yield [*takewhile(lambda one: one.offset < row.offset, source.rows_from(recent[0])), row]  # noqa: B023


# What an edit means by it


@dataclass(frozen=True, slots=True)
class Literal:
    """`search` is literally at `span`; `replace` takes its place."""

    span: ByteRange
    search: str
    replace: str


@dataclass(frozen=True, slots=True)
class WholeLines:
    """The lines of `search` mean `region`; the change to `replace` is carried over."""

    region: Region
    search: RequestLines
    replace: RequestLines

    @property
    def span(self) -> ByteRange:
        """The bytes of its lines."""
        return ByteRange(self.region.start, self.region.end)


@dataclass(frozen=True, slots=True)
class NewLines:
    """Whole lines that are put in place of those in `span`, whatever these hold: what is written is known."""

    span: ByteRange
    splices: tuple[Splice, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """Lines of the file, each with the line of the request it is: what a hunk of a patch means.

    Line i of `old` is row i; `kept` says of lines of `new` which of `old` they are. `indentation` maps the
    request's indents (None: as they are). `ended`: whether the last line has a terminator afterwards (None: as
    before). `terminators` are those of `new`, where the patch spells them out. `blanks` are lines that stand for
    an empty one.
    """

    rows: tuple[Line, ...]
    span: ByteRange
    old: tuple[str, ...]
    new: tuple[str, ...]
    kept: Mapping[int, int]
    indentation: Indentation | None = None
    ended: bool | None = None
    terminators: tuple[bytes, ...] | None = None
    blanks: frozenset[str] = frozenset()


Part = Literal | WholeLines | Rows | NewLines


@dataclass(frozen=True, slots=True)
class Located:
    """Where an edit goes: its parts in order of offset, and how they were found.

    `inner` is the tier a repaired request matched by; `repairs` what was repaired, in words.
    """

    edit: Edit
    tier: Tier
    parts: tuple[Part, ...]
    inner: Tier | None = None
    repairs: tuple[str, ...] = ()

    @property
    def span(self) -> ByteRange:
        """From the first byte of its parts to the last."""
        return ByteRange(self.parts[0].span.start, self.parts[-1].span.end)


@dataclass(eq=False)
class UnclearError(Exception):
    """The place is certain, and what is to be written there is not: a message, what to do, the code.

    `readings` are the texts the region may become, where there are several.
    """

    message: str
    hint: str
    code: Code = Code.AMBIGUOUS_MATCH
    readings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Missed:
    """Why an edit goes nowhere: the code, how far the cascade came, and what was found instead.

    `spans` are the equal regions of an ambiguous text, the one place an anchored text is
    really at, or where edit number `other` overlaps it; `more` when they are not all. `conflicts` are stretches that
    both the edit and someone else changed: as `shown`, as it is `there`, as it is `wanted`. `unclear` says why of an
    edit with a place nobody can say what it writes there.
    """

    edit: Edit
    code: Code
    reached: Tier | None = None
    spans: tuple[ByteRange, ...] = ()
    more: bool = False
    conflicts: tuple[dict[str, str], ...] = ()
    other: int | None = None
    unclear: UnclearError | None = None
