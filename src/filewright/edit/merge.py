"""Writing an edit: search is the base, the file is ours, replace is theirs.

Lines that search and replace share keep the file's own bytes: blanks, typography, terminators.
Changed and new lines are the caller's, in the file's indentation and with its dominant terminator;
where the file is plain ASCII and the request typographic, they are folded back. What comes out are
splices of the lines that really differ, so nothing else can change.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from filewright.edit.diff3 import Match, align
from filewright.edit.locate.fold import BLANKS, FAMILIES, indent_of
from filewright.edit.locate.indentation import Indentation
from filewright.edit.locate.located import Insertion, Lines, Literal, Located, Merge
from filewright.edit.locate.request import Block, Tier
from filewright.edit.locate.source import Row, Source
from filewright.edit.locate.whole_lines import Region
from filewright.text.codec import encoded
from filewright.text.splice import Splice

_TERMINATOR = re.compile(rb"\r\n|\n|\r")
_MOST_COMPARED = 160_000
"""Pairs of lines of search and replace that are aligned longest run first."""
_TOKEN = re.compile(r"\w+|\s+|.")


def write_exact(source: Source, start: int, end: int, search: str, replace: str) -> tuple[Splice, ...]:
    """The splices that put `replace` where `search` stands literally in [start, end).

    Lines equal in both keep their terminators. Raises `unencodable`.
    """
    if "\n" not in search and "\n" not in replace:
        return _single(source, start, end, _in_file(source, replace))
    old = source.read(start, end)
    theirs = _in_file(source, replace).split(b"\n")
    ends = [match.span() for match in _TERMINATOR.finditer(old)] if "\n" in search else []
    begins = [0, *(stop for _, stop in ends)]
    bodies = [old[begin : stop[0]] for begin, stop in zip(begins, ends, strict=False)]
    bodies.append(old[begins[-1] :])
    # The last piece has no terminator of its own, so it never equals one that has.
    left = [(body, index < len(ends)) for index, body in enumerate(bodies)]
    right = [(body, index < len(theirs) - 1) for index, body in enumerate(theirs)]
    begins.append(len(old))
    dominant = source.snapshot.dominant if len(theirs) > 1 else b"\n"
    result: list[Splice] = []
    i = j = 0
    for match in [*align(left, right), None]:
        to_i, to_j = (match.left, match.right) if match else (len(left), len(right))
        if i < to_i or j < to_j:
            new = b"".join(body + (dominant if more else b"") for body, more in right[j:to_j])
            result += _single(source, start + begins[i], start + begins[to_i], new)
        if match:
            i, j = match.left + match.length, match.right + match.length
    return tuple(result)


def _single(source: Source, start: int, end: int, new: bytes) -> tuple[Splice, ...]:
    return () if source.read(start, end) == new else (Splice(start, end - start, new),)


def _in_file(source: Source, text: str) -> bytes:
    return encoded(text, source.encoding, argument="replace")


def insert_before(source: Source, line: int, text: str) -> tuple[Splice, ...]:
    """The splice that puts `text` as whole lines before 1-based `line`; the line past the last appends."""
    lines = source.snapshot.lines
    offset = lines.offset_of(line)
    dominant = source.snapshot.dominant
    body = text.removesuffix("\n").replace("\n", dominant.decode("ascii"))
    new = body.encode(source.encoding.name) if body.isascii() else _encoded_keeping(source, body)
    if offset < source.size or offset == source.start:
        return (Splice(offset, 0, new + dominant),)
    unended = source.read(offset - 1, offset) not in (b"\n", b"\r")
    return (Splice(offset, 0, dominant + new if unended else new + dominant),)


def _encoded_keeping(source: Source, text: str) -> bytes:
    """`text` encoded, its terminators as they are."""
    parts = re.split("(\r\n|\r|\n)", text)
    return b"".join(
        part.encode("ascii") if index % 2 else _in_file(source, part) for index, part in enumerate(parts)
    )


@dataclass(frozen=True, slots=True)
class _New:
    """A line of the result: a kept row of the region, or new text."""

    kept: int
    text: str


def write_lines(
    source: Source, region: Region, search: Block, replace: Block, *, soft: bool = False
) -> tuple[Splice, ...]:
    """The splices that carry the change from `search` to `replace` over to `region`.

    With `soft`, words of the region differ from those of `search`, and the file's are kept.
    Raises `unencodable`.
    """
    if not replace.solid:
        blanks = max(0, len(replace.after) - len(search.before) - len(search.after))
        return _spliced(source, region, [_New(-1, "")] * blanks)
    writer = _Writer(region, search, replace, soft=soft)
    result = [_New(-1, text) for text in replace.before[len(search.before) :]]
    for index in range(len(replace.solid)):
        if index:
            result += writer.gap(index - 1)
        result.append(writer.line(index))
    result += [_New(-1, text) for text in replace.after[len(search.after) :]]
    return _spliced(source, region, result)


class _Writer:
    """Carries lines and gaps of the replacement over to one region.

    `partner[j]` is the solid line of search that line j of replace is or comes from (-1: new),
    `same[j]` whether it is it, `gap_of[j]` the gap of search that gap j of replace is (-1: none).
    """

    def __init__(self, region: Region, search: Block, replace: Block, *, soft: bool) -> None:
        self._region = region
        self._search = search
        self._replace = replace
        self._soft = soft
        self._partner = [-1] * len(replace.solid)
        self._same = [False] * len(replace.solid)
        self._gap_of = [-1] * len(replace.blank)
        self._pair()
        self._indentation: Indentation | None = region.indentation
        if region.indentation.same or self._is_in_place():
            self._indentation = None
        self._plain = _plain_where(search.solid, region.texts)

    def _pair(self) -> None:
        mine, theirs = _places(self._search), _places(self._replace)
        left, right = self._search.lines, self._replace.lines
        i = j = 0
        for match in [*_longest_first(left, right), Match(len(left), len(right), 0)]:
            self._pair_changed(
                [index for index, solid in mine[i : match.left] if solid],
                [index for index, solid in theirs[j : match.right] if solid],
            )
            for step in range(match.length):
                (one, solid), (other, _) = mine[match.left + step], theirs[match.right + step]
                if solid:
                    self._partner[other], self._same[other] = one, True
                else:
                    self._gap_of[other] = one
            i, j = match.left + match.length, match.right + match.length
        self._pair_gaps()

    def _pair_changed(self, left: list[int], right: list[int]) -> None:
        """A changed stretch: lines go with the ones they share most words with, in order."""
        if not left or not right:
            return
        one = [_words(self._search.solid[index]) for index in left]
        other = [_words(self._replace.solid[index]) for index in right]
        if len(left) == len(right) and all(_shared(a, b) > 0.4 for a, b in zip(one, other, strict=True)):
            pairs = [(index, index) for index in range(len(left))]
        else:
            pairs = _alike(one, other)
        for at, to in pairs:
            self._partner[right[to]] = left[at]

    def _pair_gaps(self) -> None:
        """Gaps without a blank line in common go with the gap beside the lines they lie between."""
        taken = {gap for gap in self._gap_of if gap >= 0}
        for index in reversed(range(len(self._gap_of))):
            before, after = self._partner[index], self._partner[index + 1]
            if self._gap_of[index] >= 0:
                continue
            beside = (after - 1 if after > 0 else -1, before)
            free = [gap for gap in beside if 0 <= gap < len(self._search.blank) and gap not in taken]
            if free:
                # The one the caller left as it was; of two, the one with more blank lines in the file;
                # of equals, the one before the line that follows.
                unchanged = [gap for gap in free if self._search.blank[gap] == self._replace.blank[index]]
                self._gap_of[index] = max(unchanged, key=self._rows_in) if unchanged else free[0]
                taken.add(self._gap_of[index])

    def _rows_in(self, gap: int) -> int:
        return self._region.solid[gap + 1] - self._region.solid[gap]

    def _is_in_place(self) -> bool:
        """Whether the replacement already has the file's indentation, though the search text had not."""
        moved = [
            (indent_of(self._replace.solid[index]), self._search.solid[mine], self._region.texts[mine])
            for index, mine in enumerate(self._partner)
            if mine >= 0 and self._replace.solid[index].strip() == self._search.solid[mine].strip()
        ]
        moved = [(r, s, f) for r, s, f in moved if indent_of(s) != indent_of(f)]
        return bool(moved) and all(r == indent_of(f) for r, _, f in moved)

    def line(self, index: int) -> _New:
        """A line of the replacement: the file's own, or the caller's in its indentation and typography."""
        mine = self._partner[index]
        if self._same[index]:
            return _New(self._region.solid[mine], "")
        return _New(-1, self._adapted(self._replace.solid[index], mine))

    def _adapted(self, text: str, mine: int = -1) -> str:
        indent, body = indent_of(text), text[len(indent_of(text)) :]
        if self._indentation is not None:
            indent = self._indentation.apply(indent)
        if mine >= 0 and self._soft:
            body = _with_words_of_file(self._search.solid[mine], self._region.texts[mine], body)
        for plain, family in self._plain:
            body = re.sub(f"[{family}]", plain, body)
        return indent + body

    def gap(self, index: int) -> list[_New]:
        """The blank lines after line `index` of the replacement, merged three ways."""
        wanted, at = self._replace.blank[index], self._gap_of[index]
        if at < 0:
            return [_New(-1, self._adapted(text) if text else "") for text in wanted]
        asked = self._search.blank[at]
        rows = range(self._region.solid[at] + 1, self._region.solid[at + 1])
        beside = self._partner[index] == at or self._partner[index + 1] == at + 1
        if wanted == asked and (beside or len(rows) == len(asked)):
            return [_New(row, "") for row in rows]
        if len(wanted) == len(asked):
            return [_New(-1, self._adapted(text) if text else "") for text in wanted]
        kept = [_New(row, "") for row in rows[: len(wanted)]]
        return kept + [_New(-1, self._adapted(text) if text else "") for text in wanted[len(kept) :]]


def _places(block: Block) -> list[tuple[int, bool]]:
    """For each line of `block.lines`: the number of the solid line, or of the gap, that it is (in)."""
    result: list[tuple[int, bool]] = []
    for index in range(len(block.solid)):
        if index:
            result += [(index - 1, False)] * len(block.blank[index - 1])
        result.append((index, True))
    return result


def _longest_first(left: Sequence[str], right: Sequence[str]) -> list[Match]:
    """Equal runs, the longest first: how a person reads a change. Bounded where lines are many."""
    if len(left) * len(right) > _MOST_COMPARED:
        return align(left, right)
    blocks = SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks()
    return [Match(*block) for block in blocks if block.size]


def _words(line: str) -> Counter[str]:
    return Counter(_TOKEN.findall(line.strip()))


def _shared(one: Counter[str], other: Counter[str]) -> float:
    """How much of two lines is the same words, 0 to 1."""
    return 2 * (one & other).total() / ((one.total() + other.total()) or 1)


def _alike(left: Sequence[Counter[str]], right: Sequence[Counter[str]]) -> list[tuple[int, int]]:
    """Pairs, in order, that share more than half of their words."""
    if len(left) * len(right) > 400:
        return []
    pairs: list[tuple[int, int]] = []
    after = 0
    for other, theirs in enumerate(right):
        best, best_score = -1, 0.5
        for one in range(after, len(left)):
            score = _shared(left[one], theirs)
            if score > best_score:
                best, best_score = one, score
        if best >= 0:
            pairs.append((best, other))
            after = best + 1
    return pairs


def _plain_where(search: Sequence[str], found: Sequence[str]) -> list[tuple[str, str]]:
    """Families of typographic characters that the request used where the file has plain ones."""
    result: list[tuple[str, str]] = []
    asked = "".join(search)
    if asked.isascii():
        return result
    there = "".join(found)
    for plain, family in FAMILIES.items():
        if any(char in asked for char in family) and not any(char in there for char in family):
            result.append((plain, family))
    return result


def _with_words_of_file(search: str, found: str, replace: str) -> str:
    """A changed line in which the words it shares with `search` are those of the file."""
    search, found = search.strip(BLANKS), found.strip(BLANKS)
    base, ours, theirs = _TOKEN.findall(search), _TOKEN.findall(found), _TOKEN.findall(replace)
    if len(base) != len(ours):
        return replace
    for match in align(base, theirs):
        theirs[match.right : match.right + match.length] = ours[match.left : match.left + match.length]
    return "".join(theirs)


def _spliced(source: Source, region: Region, result: list[_New]) -> tuple[Splice, ...]:
    """The splices from the region's rows to the result's lines."""
    rows = region.rows
    dominant = source.snapshot.dominant
    bodies = [rows[new.kept].body if new.kept >= 0 else _in_file(source, new.text) for new in result]
    kept = _kept(rows, result, bodies)
    splices: list[Splice] = []
    i = j = 0
    last_new = len(bodies) - 1
    for at_row, at_new in [*kept, (len(rows), len(bodies))]:
        start = rows[i].offset if i < len(rows) else region.end
        end = rows[at_row].offset if at_row < len(rows) else region.end
        new = b""
        for index in range(j, at_new):
            final = index == last_new and rows[-1].terminator == b""
            new += bodies[index] + (b"" if final else dominant)
        if new and i and rows[i - 1].terminator == b"":
            new = dominant + new  # the line before was the file's unended last one
        if new or start < end:
            splices += _single(source, start, end, new)
        if at_row < len(rows):
            row = rows[at_row]
            if at_new == last_new and row.terminator and rows[-1].terminator == b"":
                # The kept line becomes the file's last, which had no terminator.
                splices += _single(source, row.body_end, row.end, b"")
        i, j = at_row + 1, at_new + 1
    return tuple(splice for splice in splices if splice.length or splice.replacement)


def _kept(rows: Sequence[Row], result: list[_New], bodies: list[bytes]) -> list[tuple[int, int]]:
    """Pairs (row, line of the result) that stay: those meant to, and equal ones between them."""
    pairs: list[tuple[int, int]] = []
    i = j = 0
    meant = [(new.kept, index) for index, new in enumerate(result) if new.kept >= 0]
    for at_row, at_new in [*meant, (len(rows), len(bodies))]:
        if at_row < i:
            continue
        there = [row.body for row in rows[i:at_row]]
        for match in align(there, bodies[j:at_new]) if there and at_new > j else ():
            pairs += [(i + match.left + step, j + match.right + step) for step in range(match.length)]
        if at_row < len(rows):
            pairs.append((at_row, at_new))
        i, j = at_row + 1, at_new + 1
    return pairs


def written(source: Source, located: Located) -> tuple[Splice, ...]:
    """The splices of a located edit, in order; none if it changes nothing. Raises `unencodable`."""
    result: list[Splice] = []
    for part in located.parts:
        match part:
            case Literal():
                result += write_exact(source, part.span.start, part.span.end, part.search, part.replace)
            case Lines():
                soft = located.tier is Tier.SOFT
                result += write_lines(source, part.region, part.search, part.replace, soft=soft)
            case Insertion():
                result += insert_before(source, part.line, part.text)
            case Merge():
                result += part.splices
    return tuple(result)
