"""The one writer: a located edit as splices. Search is the base, the file is ours, replace is theirs.

Lines that search and replace share keep the file's own bytes: whitespace, typography, terminators.
Changed and new lines are the caller's, in the file's indentation and with its dominant terminator.
What was looked past to find the place is looked past in the whole replacement, or the edit is refused:
`UnclearError`. What comes out are splices of the lines that really differ, so nothing else can change.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from filewright.edit.filetext import FileText
from filewright.edit.find import ByteRange, Literal, Merge, Part, Rows, UnclearError, WholeLines, find_exact
from filewright.edit.linediff import Run, align
from filewright.edit.locate.indentation import Indentation
from filewright.edit.locate.request import (
    WHITESPACE,
    RequestLines,
    indent_of,
    is_blank,
    is_typographic,
    plain_but_for,
    shared,
    words_of,
)
from filewright.errors import Code
from filewright.text import Line, Splice, encoded

_TERMINATOR = re.compile(rb"\r\n|\n|\r")
_MOST_COMPARED = 160_000
"""Pairs of lines of search and replace that are aligned longest run first."""


def written(source: FileText, parts: Iterable[Part]) -> tuple[Splice, ...]:
    """The splices of the parts of an edit, in order; none if it changes nothing.

    Raises `unencodable`, and `UnclearError` where the replacement can be read in several ways.
    """
    result: list[Splice] = []
    for part in parts:
        match part:
            case Literal():
                result += write_exact(source, part.span.start, part.span.end, part.search, part.replace)
            case WholeLines():
                result += _rows(source, row_by_row(part))
            case Rows():
                result += _rows(source, part)
            case Merge():
                result += part.splices
    return tuple(parted(source, result))


def parted(source: FileText, splices: Iterable[Splice]) -> Iterator[Splice]:
    """The ordered splices, none of which writes half of a line end, or a second byte-order mark.

    A newline written right behind a lone return would be one line end with it: it becomes a return too. One
    that a deletion brings there stays what it is, since it is outside of what was to be changed.
    """
    bom = source.encoding.bom
    last: Splice | None = None
    for splice in splices:
        new = splice.replacement
        if last is None and bom and splice.offset == source.start:
            new = new.removeprefix(bom)
        if new.startswith(b"\n") and not source.has_no_returns:
            before = source.read(splice.offset - 1, splice.offset)
            if last is not None and last.end == splice.offset and last.replacement:
                before = last.replacement[-1:]
            if before == b"\r":
                body = new.lstrip(b"\n")
                new = b"\r" * (len(new) - len(body)) + body
        last = splice if new is splice.replacement else Splice(splice.offset, splice.length, new)
        yield last


def write_exact(source: FileText, start: int, end: int, search: str, replace: str) -> tuple[Splice, ...]:
    """The splices that put `replace` where `search` is literally in [start, end).

    Lines equal in both keep their terminators. Raises `unencodable`.
    """
    theirs = _in_file(source, replace)
    if "\n" not in search and "\n" not in replace:
        return single(source, start, end, theirs)
    # The last piece has no terminator of its own, so it never equals one that has.
    old = source.read(start, end)
    ends = [match.span() for match in _TERMINATOR.finditer(old)] if "\n" in search else []
    begins = [0, *(stop for _, stop in ends), len(old)]
    left = [(old[begin:stop], True) for begin, (stop, _) in zip(begins, ends, strict=False)]
    left.append((old[begins[-2] :], False))
    *bodies, unended = theirs.split(b"\n")
    right = [*((body, True) for body in bodies), (unended, False)]
    dominant = source.dominant if bodies else b"\n"
    result: list[Splice] = []
    i = j = 0
    for run in [*align(left, right), Run(len(left), len(right), 0)]:
        if i < run.left or j < run.right:
            new = b"".join(body + (dominant if ended else b"") for body, ended in right[j : run.right])
            result += single(source, start + begins[i], start + begins[run.left], new)
        i, j = run.left + run.length, run.right + run.length
    return tuple(result)


def single(source: FileText, start: int, end: int, new: bytes) -> tuple[Splice, ...]:
    """The splice that puts `new` at [start, end); none if it is there."""
    return () if source.read(start, end) == new else (Splice(start, end - start, new),)


def _in_file(source: FileText, text: str) -> bytes:
    return encoded(text, source.encoding, argument="replace")


def inserted(source: FileText, offset: int, text: str) -> Merge:
    """Whole lines put before the line that begins at `offset`; past the last line, behind it."""
    new, dominant = (
        encoded(text.removesuffix("\n"), source.encoding, source.dominant, argument="replace"),
        source.dominant,
    )
    unended = offset > source.start and source.read(offset - 1, offset) not in (b"\n", b"\r")
    new = dominant + new if unended else new + dominant
    return Merge(ByteRange(offset, offset), (Splice(offset, 0, new),))


class _Out(NamedTuple):
    """A line of the result: row number `kept` of the region, or new text."""

    kept: int
    text: str = ""
    terminator: bytes | None = None


def row_by_row(part: WholeLines) -> Rows:
    """Lines that mean a region, as the rows they are: with blank lines as the file has them, where they stay."""
    region, search, replace = part.region, part.search, part.replace
    same, gap_of = _paired(part)
    kept: list[tuple[int, int]] = []
    new = [*replace.before[len(search.before) :]]
    for index, text in enumerate(replace.solid):
        if index:
            wanted, gap = replace.blank[index - 1], gap_of.get(index - 1, -1)
            rows, stays = range(0), 0
            if gap >= 0:
                rows, asked = range(region.solid[gap] + 1, region.solid[gap + 1]), search.blank[gap]
                beside = same.get(index - 1) == gap or same.get(index) == gap + 1
                if wanted == asked and (beside or len(rows) == len(asked)):
                    wanted, stays = ("",) * len(rows), len(rows)
                elif len(wanted) != len(asked):
                    stays = min(len(wanted), len(rows))
            kept += [(row, len(new) + step) for step, row in enumerate(rows[:stays])]
            new += wanted
        if index in same:
            kept.append((region.solid[same[index]], len(new)))
        new.append(text)
    new += replace.after[len(search.after) :]
    if not replace.solid:
        new = [""] * max(0, len(replace.after) - len(search.before) - len(search.after))
    old = [""] * len(region.rows)
    for at, text in zip(region.solid, search.solid, strict=True):
        old[at] = text
    blanks = frozenset(text for texts in search.blank for text in texts)
    return Rows(
        region.rows,
        part.span,
        tuple(old),
        tuple(new),
        tuple(range(len(old))),
        tuple(kept),
        region.indentation,
        ended=bool(region.rows[-1].terminator),
        blanks=blanks,
    )


def _paired(part: WholeLines) -> tuple[dict[int, int], dict[int, int]]:
    """Of the solid lines of the replacement, and of the gaps between them, which they are of the search text."""
    search, replace = part.search, part.replace
    mine, theirs = _places(search), _places(replace)
    same: dict[int, int] = {}
    gap_of: dict[int, int] = {}
    for run in _longest_first(search.lines, replace.lines):
        for step in range(run.length):
            (at, solid), (to, _) = mine[run.left + step], theirs[run.right + step]
            (same if solid else gap_of)[to] = at
    same |= _moved(search.solid, replace.solid, same)
    # Gaps without a blank line in common go with the gap beside the lines they lie between.
    for index in reversed(range(len(replace.blank))):
        beside = same.get(index + 1, 0) - 1, same.get(index, -1)
        free = [gap for gap in beside if 0 <= gap < len(search.blank) and gap not in gap_of.values()]
        if free and index not in gap_of:
            # The one the caller left as it was; of two, the one with more blank lines in the file;
            # of equals, the one before the line that follows.
            unchanged = [gap for gap in free if search.blank[gap] == replace.blank[index]] or free[:1]
            places = part.region.solid
            gap_of[index] = max(unchanged, key=lambda gap: places[gap + 1] - places[gap])
    return same, gap_of


def _places(block: RequestLines) -> list[tuple[int, bool]]:
    """For each line of `block.lines`: the number of the solid line, or of the gap, that it is (in)."""
    result: list[tuple[int, bool]] = []
    for index in range(len(block.solid)):
        if index:
            result += [(index - 1, False)] * len(block.blank[index - 1])
        result.append((index, True))
    return result


def _longest_first(left: Sequence[str], right: Sequence[str]) -> list[Run]:
    """Equal runs, the longest first: how a person reads a change. Bounded where lines are many."""
    if len(left) * len(right) > _MOST_COMPARED:
        return align(left, right)
    blocks = SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks()
    return [Run(*block) for block in blocks if block.size]


def _moved(old: Sequence[str], new: Sequence[str], same: Mapping[int, int]) -> dict[int, int]:
    """The new lines that are old ones elsewhere, beside the `same`: a line that is moved stays itself."""
    free: dict[str, list[int]] = {}
    taken = set(same.values())
    for index, text in enumerate(old):
        if index not in taken and not is_blank(text):
            free.setdefault(text, []).append(index)
    return {
        index: free[text].pop(0) for index, text in enumerate(new) if index not in same and free.get(text)
    }


def _rows(source: FileText, part: Rows) -> list[Splice]:
    """The splices that make the new lines of rows: those that stay, as they are; others as the file writes them."""
    texts = [source.text(row.body) for row in part.rows]
    there = [None if at is None else texts[at] for at in part.found]
    same = {new: old for old, new in part.kept}
    if part.terminators is None:
        same |= _moved(part.old, part.new, same)
    own = "".join(text for text in there if text is not None)
    folds = is_typographic("".join({*"".join(part.old)} - {*own}))
    indentation = part.indentation if part.indentation is not None and not part.indentation.same else None
    forms: dict[str, str] = {}
    if indentation is not None:
        pairs = {new: old for old, new in _changed_pairs(part)} | same
        told = [(part.old[old], there[old], part.new[new]) for new, old in pairs.items()]
        forms = _forms(source, indentation, part, [text for text in there if text is not None], told)

    def fresh(text: str) -> str:
        if is_blank(text):
            if not text or (text in part.blanks and text not in texts):
                return ""
            return text if indentation is None else (*indentation.extended([text])[text], text)[0]
        indent = indent_of(text)
        body = text[len(indent) :]
        return forms.get(indent, indent) + (_plain(source, body, own) if folds else body)

    result: list[_Out] = []
    for index, text in enumerate(part.new):
        at = part.found[same[index]] if index in same else -1
        if at is not None:  # a blank line that stays, and that the file lacks
            ending = part.terminators[index] if part.terminators else None
            result.append(_Out(at) if at >= 0 else _Out(-1, fresh(text), ending))
    return _spliced(source, part, result)


def _plain(source: FileText, body: str, own: str) -> str:
    """New text in plain characters, but for those that the file's lines have."""
    body, unclear = plain_but_for(body, own)
    if any(not find_exact(source, char, 1) for char in unclear):
        raise UnclearError(
            Code.NO_MATCH,
            "the search text is there in plain characters, and the replacement holds "
            f"{unclear[0]!r} (U+{ord(unclear[0]):04X}), for which nobody can say what was typed",
            "send search and replace in the characters that the file has",
        )
    return body


def _changed_pairs(part: Rows) -> list[tuple[int, int]]:
    """Of each stretch that changed, the lines that belong together: those that share most words, in order."""
    old, new = part.old, part.new
    result: list[tuple[int, int]] = []
    i = j = 0
    for to_i, to_j in [*part.kept, (len(old), len(new))]:
        left = [(at, words_of(old[at])) for at in range(i, to_i) if not is_blank(old[at])]
        right = [(at, words_of(new[at])) for at in range(j, to_j) if not is_blank(new[at])]
        pairs = list(zip(left, right, strict=False))
        if len(left) != len(right) or not all(shared(a, b) > 0.4 for (_, a), (_, b) in pairs):
            pairs = _alike(left, right)
        result += [(one, other) for (one, _), (other, _) in pairs]
        i, j = to_i + 1, to_j + 1
    return result


_Words = tuple[int, "Counter[str]"]


def _alike(left: Sequence[_Words], right: Sequence[_Words]) -> list[tuple[_Words, _Words]]:
    """Pairs, in order, that share more than half of their words."""
    pairs: list[tuple[_Words, _Words]] = []
    after = 0
    for theirs in right if len(left) * len(right) <= 400 else ():
        scores = [shared(mine[1], theirs[1]) for mine in left[after:]]
        best = max(scores, default=0.0)
        if best > 0.5:
            after += scores.index(best) + 1
            pairs.append((left[after - 1], theirs))
    return pairs


def _forms(
    source: FileText,
    indentation: Indentation,
    part: Rows,
    found: Sequence[str],
    told: Sequence[tuple[str, str | None, str]],
) -> dict[str, str]:
    """What each indent of the replacement becomes, none where it is the file's. `told` are lines that belong
    together: as asked for, as found, as wanted.

    The replacement is written in the request's indentation, and is mapped as the search text was; or in
    the file's already. Lines that stay by their text tell which, where they are moved in one of the two:
    all of them must say the same. What a line that is new opens a block for is moved in any case.
    """
    asked, solid = ([line for line in lines if not is_blank(line)] for lines in (part.old, part.new))
    if not solid:
        return {}
    known = indentation.known
    indents = {indent_of(line) for line in solid}
    base, first = min(indents, key=len), min(known, key=len)
    either = {indent: (known.get(indent, indent), indent) for indent in indents}
    moved = [
        _Moved(indent_of(mine), indent_of(there), indent_of(wanted), wanted.strip())
        for mine, there, wanted in told
        if there is not None and mine.strip() == wanted.strip() and indent_of(mine) != indent_of(there)
    ]
    inside = _opened(solid, {wanted.strip() for _, _, wanted in told})
    outside = [one for one in moved if one.text not in inside]
    mapped = any(one.wanted == one.asked for one in moved)
    # Where it begins and ends as the search text does, indents and all, it is written as that is. In the file's own
    # indentation it would move both by just what the search text is wrong by, below no line that opens a block.
    frames = min(len(solid), len(asked)) > 1 and (solid[0], solid[-1]) == (asked[0], asked[-1])
    if mapped and not frames:
        as_asked = [one for one in outside if one.wanted == one.asked]
        # A closing bracket may be another one.
        tells = len({one.asked for one in as_asked}) > 1 or any(
            re.search(r"\w", one.text) for one in as_asked
        )
        # Spaces where the file has tabs, or the other way round, are never the file's own indentation.
        alike = ("\t" in "".join(known.values())) == ("\t" in "".join(indents))
        if (
            (len(outside) < len(moved) and not tells and alike)
            or any(one.wanted == one.found for one in outside)
            or _in_common(found, solid) >= _in_common(asked, solid)
        ):
            raise _unclear(part.new, either)
    if moved and not mapped:
        # A line before the others may open a block for them. And where the first indent is the same in
        # both, one line may be in the file's by being moved there.
        given = all(one.wanted == one.found for one in moved)
        given = given and solid[0].strip() in {one.text for one in moved}
        if given and base == known[first] and (base != first or len({one.asked for one in moved}) > 1):
            return {}
        raise _unclear(part.new, either)
    readings = indentation.extended(indents, "" if indents <= known.keys() else source.indent_unit)
    if base != first and not (mapped and solid[0].rstrip() == asked[0].rstrip()):
        # Nothing says in which indentation the replacement is written.
        readings = {indent: tuple(dict.fromkeys((*forms, indent))) for indent, forms in readings.items()}
    clipped = [indent for indent in readings if indent and indent not in known and "" in readings[indent]]
    if len(clipped) > ("" not in known.values()) or any(len(forms) != 1 for forms in readings.values()):
        raise _unclear(part.new, readings)
    return {indent: forms[0] for indent, forms in readings.items()}


class _Moved(NamedTuple):
    """The indents of a line that stays by its text: in the search text, in the file and in the replacement."""

    asked: str
    found: str
    wanted: str
    text: str


def _unclear(new: Sequence[str], readings: Mapping[str, tuple[str, ...]]) -> UnclearError:
    texts = [
        "\n".join((readings.get(indent_of(line)) or ("",))[place] + line.lstrip(WHITESPACE) for line in new)
        for place in (0, -1)
    ]
    if texts[0] == texts[1]:
        texts[1] = "\n".join(new)
    return UnclearError(
        Code.AMBIGUOUS_MATCH,
        "the search text is indented otherwise than the file, and the indentation of the replacement "
        "can be read in several ways",
        "send search and replace with the file's own indentation",
        tuple(texts),
    )


def _opened(new: Sequence[str], known: set[str]) -> set[str]:
    """Of the lines that are `known`, those that stand deeper below a line that is new."""
    result: set[str] = set()
    opening: str | None = None
    for line in new:
        text = line.strip()
        if text not in known:
            opening = indent_of(line)
        elif opening is not None and len(indent_of(line)) > len(opening):
            result.add(text)
        else:
            opening = None
    return result


def _in_common(one: Sequence[str], other: Sequence[str]) -> int:
    solid = [[line.rstrip() for line in lines if not is_blank(line)] for lines in (one, other)]
    return sum(match.length for match in align(*solid))


def _spliced(source: FileText, part: Rows, result: Sequence[_Out]) -> list[Splice]:
    """The splices from the rows to the result's lines.

    At the end of the file the last line has a terminator as the part says, or as it was before; where all lines
    go there, the terminator before them goes too, if the file's last has none.
    """
    rows, start, end, dominant = part.rows, part.span.start, part.span.end, source.dominant
    bodies = [rows[out.kept].body if out.kept >= 0 else _in_file(source, out.text) for out in result]
    endings = [(rows[out.kept].terminator if out.kept >= 0 else out.terminator) or dominant for out in result]
    was_ended = not rows or bool(rows[-1].terminator)
    if end == source.size and result:
        last, ended = result[-1].kept, part.ended
        if ended is None:
            ended = bool(rows[last].terminator) if last >= 0 else was_ended
        endings[-1] = endings[-1] if ended else b""
    elif end == source.size and not was_ended and start > source.start and not part.ended:
        start -= 2 if source.read(start - 2, start) == b"\r\n" else 1
    splices: list[Splice] = []
    i = j = 0
    for at, to in [*_kept(rows, result, bodies), (len(rows), len(result))]:
        begin = start if i == 0 else rows[i].offset if i < len(rows) else end
        stop = rows[at].offset if at < len(rows) else end
        new = b"".join(map(bytes.__add__, bodies[j:to], endings[j:to]))
        if new or begin < stop:
            splices += single(source, begin, stop, new)
        # A line that stays keeps its own terminator, unless it gets or loses one.
        if at < len(rows) and bool(rows[at].terminator) != bool(endings[to]):
            splices += single(source, rows[at].body_end, rows[at].end, endings[to])
        i, j = at + 1, to + 1
    return _merged(splices)


def _merged(splices: Sequence[Splice]) -> list[Splice]:
    """Splices that touch, as one."""
    result: list[Splice] = []
    for splice in splices:
        if result and result[-1].end == splice.offset:
            last = result.pop()
            both = last.replacement + splice.replacement
            splice = Splice(last.offset, last.length + splice.length, both)
        if splice.length or splice.replacement:
            result.append(splice)
    return result


def _kept(rows: Sequence[Line], result: Sequence[_Out], bodies: Sequence[bytes]) -> list[tuple[int, int]]:
    """Pairs (row, line of the result) that stay: those meant to, and equal ones between them."""
    pairs: list[tuple[int, int]] = []
    i = j = 0
    spelled = any(out.terminator is not None for out in result)
    meant = [(out.kept, index) for index, out in enumerate(result) if out.kept >= 0]
    for at_row, at_new in [*meant, (len(rows), len(bodies))]:
        if at_row < i:
            continue
        there = [(row.body, row.terminator if spelled else b"") for row in rows[i:at_row]]
        here = [(bodies[at], result[at].terminator or b"") for at in range(j, at_new)]
        for match in align(there, here) if not set(there).isdisjoint(here) else ():
            pairs += [(i + match.left + step, j + match.right + step) for step in range(match.length)]
        if at_row < len(rows):
            pairs.append((at_row, at_new))
        i, j = at_row + 1, at_new + 1
    return pairs
