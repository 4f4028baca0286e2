"""Writing an edit: search is the base, the file is ours, replace is theirs.

Lines that search and replace share keep the file's own bytes: blanks, typography, terminators.
Changed and new lines are the caller's, in the file's indentation and with its dominant terminator;
where the file is plain ASCII and the request typographic, they are folded back. What comes out are
splices of the lines that really differ, so nothing else can change.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from filewright.edit.diff3 import align
from filewright.edit.locate.fold import BLANKS, FAMILIES, folded, indent_of
from filewright.edit.locate.indentation import Indentation
from filewright.edit.locate.located import Insertion, Lines, Literal, Located, Merge
from filewright.edit.locate.request import Block
from filewright.edit.locate.source import Row, Source
from filewright.edit.locate.whole_lines import Region
from filewright.text.codec import encoded
from filewright.text.splice import Splice

_TERMINATOR = re.compile(rb"\r\n|\n|\r")
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


def write_lines(source: Source, region: Region, search: Block, replace: Block) -> tuple[Splice, ...]:
    """The splices that carry the change from `search` to `replace` over to `region`.

    Raises `unencodable`.
    """
    if not replace.solid:
        blanks = max(0, replace.lead - search.lead - search.trail)
        return _spliced(source, region, [_New(-1, "")] * blanks)
    partner, same = _partners(search.solid, replace.solid)
    writer = _Writer(region, search, replace, partner)
    result = [_New(-1, "")] * max(0, replace.lead - search.lead)
    for index, text in enumerate(replace.solid):
        mine = partner[index]
        if index:
            result += writer.gap(index)
        if mine >= 0 and same[index]:
            result.append(_New(region.solid[mine], ""))
        else:
            result.append(_New(-1, writer.line(text, mine)))
    result += [_New(-1, "")] * max(0, replace.trail - search.trail)
    return _spliced(source, region, result)


def _partners(search: Sequence[str], replace: Sequence[str]) -> tuple[list[int], list[bool]]:
    """For each line of replace the line of search it is or comes from (-1: new), and whether it is it.

    In a changed stretch with as many lines on both sides they go together in order; else each goes
    with the one it shares most words with, in order.
    """
    left, right = list(search), list(replace)
    partner = [-1] * len(right)
    same = [False] * len(right)
    i = j = 0
    for match in [*align(left, right), None]:
        to_i, to_j = (match.left, match.right) if match else (len(left), len(right))
        if to_i - i == to_j - j:
            for step in range(to_i - i):
                partner[j + step] = i + step
        elif i < to_i and j < to_j:
            for one, other in _alike(left[i:to_i], right[j:to_j]):
                partner[j + other] = i + one
        if match:
            for step in range(match.length):
                partner[match.right + step] = match.left + step
                same[match.right + step] = True
            i, j = match.left + match.length, match.right + match.length
    return partner, same


def _alike(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of lines, in order, that share more than half of their words."""
    if len(left) * len(right) > 400:
        return []
    words = [set(_TOKEN.findall(line.strip())) for line in left]
    pairs: list[tuple[int, int]] = []
    after = 0
    for other, line in enumerate(right):
        mine = set(_TOKEN.findall(line.strip()))
        best, best_score = -1, 0.5
        for one in range(after, len(left)):
            score = 2 * len(mine & words[one]) / (len(mine) + len(words[one]) or 1)
            if score > best_score:
                best, best_score = one, score
        if best >= 0:
            pairs.append((best, other))
            after = best + 1
    return pairs


class _Writer:
    """Carries lines and gaps of the replacement over to one region."""

    def __init__(self, region: Region, search: Block, replace: Block, partner: list[int]) -> None:
        self._region = region
        self._search = search
        self._replace = replace
        self._partner = partner
        self._indentation: Indentation | None = region.indentation
        if region.indentation.same or self._is_in_place():
            self._indentation = None
        self._plain = _plain_where(search.solid, region.texts)
        self._gap_done: set[int] = set()

    def _is_in_place(self) -> bool:
        """Whether the replacement already has the file's indentation, though the search text had not."""
        moved = [
            (indent_of(self._replace.solid[index]), self._search.solid[mine], self._region.texts[mine])
            for index, mine in enumerate(self._partner)
            if mine >= 0 and self._replace.solid[index].strip() == self._search.solid[mine].strip()
        ]
        moved = [(r, s, f) for r, s, f in moved if indent_of(s) != indent_of(f)]
        return bool(moved) and all(r == indent_of(f) for r, _, f in moved)

    def line(self, text: str, mine: int) -> str:
        """A changed or new line in the file's indentation and typography."""
        indent, body = indent_of(text), text[len(indent_of(text)) :]
        if self._indentation is not None:
            indent = self._indentation.apply(indent)
        if mine >= 0:
            body = _merged(self._search.solid[mine], self._region.texts[mine], body)
        for plain, family in self._plain:
            body = re.sub(f"[{family}]", plain, body)
        return indent + body

    def gap(self, index: int) -> list[_New]:
        """The blank lines before line `index` of the replacement, merged three ways."""
        before, after = self._partner[index - 1], self._partner[index]
        wanted = self._replace.gaps[index - 1]
        if before >= 0 and after == before + 1:
            at = before
        elif before >= 0 and before < len(self._search.gaps):
            at = before
        elif after > 0:
            at = after - 1
        else:
            return [_New(-1, "")] * wanted
        asked = self._search.gaps[at]
        rows = range(self._region.solid[at] + 1, self._region.solid[at + 1])
        if wanted != asked:
            return [_New(row, "") for row in rows[:wanted]] + [_New(-1, "")] * (wanted - len(rows))
        if at in self._gap_done:
            return [_New(-1, "")] * min(wanted, len(rows))
        self._gap_done.add(at)
        return [_New(row, "") for row in rows]


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


def _merged(search: str, found: str, replace: str) -> str:
    """A changed line in which the words it shares with `search` are those of the file."""
    search, found = search.strip(BLANKS), found.strip(BLANKS)
    if search == found:
        return replace
    base, ours, theirs = _TOKEN.findall(search), _TOKEN.findall(found), _TOKEN.findall(replace)
    if len(base) != len(ours) or any(
        " ".join(folded(s).split()) != " ".join(folded(f).split()) for s, f in zip(base, ours, strict=True)
    ):
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
                result += write_lines(source, part.region, part.search, part.replace)
            case Insertion():
                result += insert_before(source, part.line, part.text)
            case Merge():
                result += part.splices
    return tuple(result)
