"""The one writer: a located edit as splices. Search is the base, the file is ours, replace is theirs.

Lines that search and replace share keep the file's own bytes: whitespace, typography, terminators.
Changed and new lines are the caller's, in the file's indentation and with its dominant terminator;
where a word or the spacing of a line differs, a changed one keeps the file's of what stays. What was
looked past to find the place is looked past in the whole replacement, or the edit is refused:
`UnclearError`. What comes out are splices of the lines that really differ, so nothing else can change.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

from filewright.edit.diff3 import Run, align
from filewright.edit.filetext import FileText
from filewright.edit.find import ByteRange, find_exact
from filewright.edit.locate.fold import WHITESPACE, indent_of, is_typographic, plain_but_for
from filewright.edit.locate.indentation import Indentation
from filewright.edit.locate.located import Insertion, Literal, Located, Merge, Rows, UnclearError, WholeLines
from filewright.edit.locate.request import RequestLines, Tier, is_blank
from filewright.errors import Code
from filewright.text import Line, Splice, encoded

_TERMINATOR = re.compile(rb"\r\n|\n|\r")
_MOST_COMPARED = 160_000
"""Pairs of lines of search and replace that are aligned longest run first."""
_TOKEN = re.compile(r"\w+|\s+|.")


def written(source: FileText, located: Located) -> tuple[Splice, ...]:
    """The splices of a located edit, in order; none if it changes nothing.

    Raises `unencodable`, and `UnclearError` where the replacement can be read in several ways.
    """
    result: list[Splice] = []
    for part in located.parts:
        match part:
            case Literal():
                result += write_exact(source, part.span.start, part.span.end, part.search, part.replace)
            case WholeLines():
                result += _lines(source, part)
            case Rows():
                result += _rows(source, part)
            case Insertion():
                result += _inserted(source, part)
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
        meets = new.startswith(b"\n") and not source.has_no_returns
        if meets and _last_byte(source, last, splice.offset) == b"\r":
            body = new.lstrip(b"\n")
            new = b"\r" * (len(new) - len(body)) + body
        last = splice if new is splice.replacement else Splice(splice.offset, splice.length, new)
        yield last


def _last_byte(source: FileText, last: Splice | None, offset: int) -> bytes:
    """The byte before `offset` with the splices up to the `last` one made."""
    if last is not None and last.end == offset and last.replacement:
        return last.replacement[-1:]
    return source.read(offset - 1, offset) if offset > source.start else b""


def write_exact(source: FileText, start: int, end: int, search: str, replace: str) -> tuple[Splice, ...]:
    """The splices that put `replace` where `search` is literally in [start, end).

    WholeLines equal in both keep their terminators. Raises `unencodable`.
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
    dominant = source.dominant if len(theirs) > 1 else b"\n"
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


def _single(source: FileText, start: int, end: int, new: bytes) -> tuple[Splice, ...]:
    return () if source.read(start, end) == new else (Splice(start, end - start, new),)


def _in_file(source: FileText, text: str) -> bytes:
    return encoded(text, source.encoding, argument="replace")


def _inserted(source: FileText, part: Insertion) -> tuple[Splice, ...]:
    """The splice that puts whole lines before a line; the line past the last appends."""
    offset, dominant = part.span.start, source.dominant
    new = encoded(part.text.removesuffix("\n"), source.encoding, dominant, argument="replace")
    if offset < source.size or offset == source.start:
        return (Splice(offset, 0, new + dominant),)
    unended = source.read(offset - 1, offset) not in (b"\n", b"\r")
    return (Splice(offset, 0, dominant + new if unended else new + dominant),)


class _Out(NamedTuple):
    """A line of the result: row number `kept` of the region, or new text."""

    kept: int
    text: str = ""
    terminator: bytes | None = None


def _rows(source: FileText, part: Rows) -> list[Splice]:
    """A hunk: which line stays is said, line by line."""
    texts = [source.text(row.body) for row in part.rows]
    there = [None if at is None else texts[at] for at in part.found]
    same = {new: old for old, new in part.kept}
    if part.terminators is None:
        same |= _moved(part.old, part.new, same)
    adapter = _Adapter(source, part.indentation, part.old, [text for text in there if text is not None])
    if adapter.moves:
        pairs = (*part.kept, *_changed_pairs(part.old, part.new, part.kept))
        adapter.read([(part.old[i], there[i], part.new[j]) for i, j in pairs], part.new)
    result: list[_Out] = []
    for index, text in enumerate(part.new):
        old = same.get(index, -1)
        at = part.found[old] if old >= 0 else None
        if old >= 0:
            result += [] if at is None else [_Out(at)]
            continue
        result.append(_Out(-1, adapter.line(text), part.terminators[index] if part.terminators else None))
    ended = part.ended
    if ended is None and result and result[-1].kept >= 0:
        ended = bool(part.rows[result[-1].kept].terminator)
    return _spliced(source, part.rows, part.span, result, ended=ended)


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


def _changed_pairs(
    old: Sequence[str], new: Sequence[str], kept: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Of each stretch that changed, the lines that belong together."""
    result: list[tuple[int, int]] = []
    i = j = 0
    for to_i, to_j in [*kept, (len(old), len(new))]:
        left = [at for at in range(i, to_i) if not is_blank(old[at])]
        right = [at for at in range(j, to_j) if not is_blank(new[at])]
        result += _together(old, new, left, right)
        i, j = to_i + 1, to_j + 1
    return result


def _together(
    old: Sequence[str], new: Sequence[str], left: Sequence[int], right: Sequence[int]
) -> list[tuple[int, int]]:
    """A changed stretch: lines go with the ones they share most words with, in order."""
    if not left or not right:
        return []
    one = [_words(old[index]) for index in left]
    other = [_words(new[index]) for index in right]
    if len(left) == len(right) and all(_shared(a, b) > 0.4 for a, b in zip(one, other, strict=True)):
        return list(zip(left, right, strict=True))
    return [(left[at], right[to]) for at, to in _alike(one, other)]


def _lines(source: FileText, part: WholeLines) -> list[Splice]:
    """The splices that carry the change from `search` to `replace` over to the region."""
    region, search, replace = part.region, part.search, part.replace
    span = ByteRange(region.start, region.end)
    if not replace.solid:
        blanks = max(0, len(replace.after) - len(search.before) - len(search.after))
        return _spliced(source, region.rows, span, [_Out(-1)] * blanks, whole=not blanks)
    carry = _Carry(source, part)
    result = [_Out(-1, text) for text in replace.before[len(search.before) :]]
    for index in range(len(replace.solid)):
        if index:
            result += carry.gap(index - 1)
        result.append(carry.line(index))
    result += [_Out(-1, text) for text in replace.after[len(search.after) :]]
    return _spliced(source, region.rows, span, result)


class _Carry:
    """Carries lines and gaps of the replacement over to one region.

    `partner[j]` is the solid line of search that line j of replace is or comes from (-1: new),
    `same[j]` whether it is it, `gap_of[j]` the gap of search that gap j of replace is (-1: none).
    """

    def __init__(self, source: FileText, part: WholeLines) -> None:
        self._region = part.region
        self._search = part.search
        self._replace = part.replace
        self._partner = [-1] * len(part.replace.solid)
        self._same = [False] * len(part.replace.solid)
        self._gap_of = [-1] * len(part.replace.blank)
        self._pair()
        region, search, replace = part.region, part.search, part.replace
        self._adapter = _Adapter(source, region.indentation, search.solid, region.texts)
        there = {source.text(row.body) for row in region.rows}
        self._blanks = {"", *(text for gap in search.blank for text in gap if text not in there)}
        pairs = [
            (search.solid[mine], region.texts[mine], replace.solid[index])
            for index, mine in enumerate(self._partner)
            if mine >= 0
        ]
        self._adapter.read(pairs, replace.solid)

    def _pair(self) -> None:
        mine, theirs = _places(self._search), _places(self._replace)
        left, right = self._search.lines, self._replace.lines
        i = j = 0
        for match in [*_longest_first(left, right), Run(len(left), len(right), 0)]:
            one = [index for index, solid in mine[i : match.left] if solid]
            other = [index for index, solid in theirs[j : match.right] if solid]
            for at, to in _together(self._search.solid, self._replace.solid, one, other):
                self._partner[to] = at
            for step in range(match.length):
                (at, solid), (to, _) = mine[match.left + step], theirs[match.right + step]
                if solid:
                    self._partner[to], self._same[to] = at, True
                else:
                    self._gap_of[to] = at
            i, j = match.left + match.length, match.right + match.length
        kept = {index: self._partner[index] for index, same in enumerate(self._same) if same}
        for index, stays in _moved(self._search.solid, self._replace.solid, kept).items():
            self._partner[index], self._same[index] = stays, True
        self._pair_gaps()

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

    def line(self, index: int) -> _Out:
        """A line of the replacement: the file's own, or the caller's as the file writes it."""
        mine = self._partner[index]
        if self._same[index]:
            return _Out(self._region.solid[mine])
        text = self._replace.solid[index]
        if mine < 0 and self._region.tier is Tier.SOFT:
            alike = [at for at, line in enumerate(self._search.solid) if line.strip() == text.strip()]
            mine = alike[0] if alike else -1
        if mine < 0:
            return _Out(-1, self._adapter.line(text))
        asked, found = self._search.solid[mine], self._region.texts[mine]
        if self._region.tier is Tier.SOFT:
            text = indent_of(text) + _with_words_of_file(asked, found, text[len(indent_of(text)) :])
        return _Out(-1, self._adapter.line(text))

    def gap(self, index: int) -> list[_Out]:
        """The blank lines after line `index` of the replacement, merged three ways."""
        wanted, at = self._replace.blank[index], self._gap_of[index]
        fresh = [_Out(-1, "" if text in self._blanks else self._adapter.line(text)) for text in wanted]
        if at < 0:
            return fresh
        asked = self._search.blank[at]
        rows = range(self._region.solid[at] + 1, self._region.solid[at + 1])
        beside = self._partner[index] == at or self._partner[index + 1] == at + 1
        if wanted == asked and (beside or len(rows) == len(asked)):
            return [_Out(row) for row in rows]
        if len(wanted) == len(asked):
            return fresh
        kept = [_Out(row) for row in rows[: len(wanted)]]
        return kept + fresh[len(kept) :]


@dataclass(frozen=True, slots=True)
class _Moved:
    """The indents of a line that stays by its text: in the search text, in the file and in the replacement."""

    asked: str
    found: str
    wanted: str
    text: str

    @classmethod
    def of(cls, asked: str, found: str, wanted: str) -> _Moved:
        return cls(indent_of(asked), indent_of(found), indent_of(wanted), wanted.strip())


class _Adapter:
    """Writes a line of the replacement as the file writes the lines it means."""

    def __init__(
        self, source: FileText, indentation: Indentation | None, asked: Sequence[str], found: Sequence[str]
    ) -> None:
        self._source = source
        self._asked, self._found = asked, found
        self._indentation = None if indentation is None or indentation.same else indentation
        self._forms: dict[str, str] = {}
        asked_text, self._own = "".join(asked), "".join(found)
        self._folds = is_typographic("".join({*asked_text} - {*self._own}))

    @property
    def moves(self) -> bool:
        """Whether the request is indented otherwise than the file."""
        return self._indentation is not None

    def read(self, pairs: Sequence[tuple[str, str | None, str]], new: Sequence[str]) -> None:
        """Decide what indents mean, from (asked, found, wanted) lines that belong together.

        The replacement is written in the request's indentation, and is mapped as the search text was; or in
        the file's already. WholeLines that stay by their text tell which, where they are moved in one of the two:
        all of them must say the same. What a line that is new opens a block for is moved in any case.
        """
        solid = [line for line in new if not is_blank(line)]
        if self._indentation is None or not solid:
            return
        known = self._indentation.known
        indents = {indent_of(line) for line in solid}
        base, first = min(indents, key=len), min(known, key=len)
        moved = [
            _Moved.of(asked, found, wanted)
            for asked, found, wanted in pairs
            if found is not None and asked.strip() == wanted.strip() and indent_of(asked) != indent_of(found)
        ]
        inside = _opened(solid, {wanted.strip() for _, _, wanted in pairs})
        outside = [one for one in moved if one.text not in inside]
        mapped = any(one.wanted == one.asked for one in moved)
        either = {indent: (known.get(indent, indent), indent) for indent in indents}
        if mapped and not self._frames(solid):
            as_asked = [one for one in outside if one.wanted == one.asked]
            # A closing bracket may be another one.
            tells = len({one.asked for one in as_asked}) > 1 or any(
                re.search(r"\w", one.text) for one in as_asked
            )
            # Spaces where the file has tabs, or the other way round, are never the file's own indentation.
            alike = ("\t" in "".join(known.values())) == ("\t" in "".join(indents))
            if (len(outside) < len(moved) and not tells and alike) or any(
                one.wanted == one.found for one in outside
            ):
                raise self._unclear(new, either)
            if _in_common(self._found, new) >= _in_common(self._asked, new):
                raise self._unclear(new, either)
        if moved and not mapped:
            # A line before the others may open a block for them. And where the first indent is the same in
            # both, one line may be in the file's by being moved there.
            given = all(one.wanted == one.found for one in moved) and solid[0].strip() in {
                one.text for one in moved
            }
            if given and base == known[first] and (base != first or len({one.asked for one in moved}) > 1):
                return
            raise self._unclear(new, either)
        unknown = not indents <= known.keys()
        readings = self._indentation.extended(indents, self._source.indent_unit if unknown else "")
        if base != first and not (mapped and solid[0].rstrip() == self._asked[0].rstrip()):
            # Nothing says in which indentation the replacement is written.
            readings = {indent: tuple(dict.fromkeys((*forms, indent))) for indent, forms in readings.items()}
        clipped = [indent for indent in readings if indent and indent not in known and "" in readings[indent]]
        unclear = len(clipped) > ("" not in known.values())
        if unclear or any(len(forms) != 1 for forms in readings.values()):
            raise self._unclear(new, readings)
        self._forms = {indent: forms[0] for indent, forms in readings.items()}

    def _frames(self, new: Sequence[str]) -> bool:
        """Whether the replacement begins and ends as the search text does, indents and all.

        Then it is written as the search text is. In the file's own indentation it would move the first line
        and the last by just what the search text is wrong by, and no line before them opens a block.
        """
        asked = [line for line in self._asked if not is_blank(line)]
        return min(len(new), len(asked)) > 1 and (new[0], new[-1]) == (asked[0], asked[-1])

    def _unclear(self, new: Sequence[str], readings: Mapping[str, tuple[str, ...]]) -> UnclearError:
        texts = []
        for number in range(2):
            forms = {i: (each or (i,))[min(number, max(len(each) - 1, 0))] for i, each in readings.items()}
            texts.append("\n".join(forms.get(indent_of(line), "") + line.lstrip(WHITESPACE) for line in new))
        if texts[0] == texts[1]:
            texts[1] = "\n".join(new)
        return UnclearError(
            Code.AMBIGUOUS_MATCH,
            "the search text is indented otherwise than the file, and the indentation of the replacement "
            "can be read in several ways",
            "send search and replace with the file's own indentation",
            tuple(texts),
        )

    def line(self, text: str) -> str:
        """A new line in the file's indentation and typography."""
        indent = indent_of(text)
        body = text[len(indent) :]
        if self._folds:
            body, unclear = plain_but_for(body, self._own)
            if any(not find_exact(self._source, char, 1) for char in unclear):
                raise UnclearError(
                    Code.NO_MATCH,
                    "the search text is there in plain characters, and the replacement holds "
                    f"{unclear[0]!r} (U+{ord(unclear[0]):04X}), for which nobody can say what was typed",
                    "send search and replace in the characters that the file has",
                )
        if is_blank(text) and self._indentation is not None:
            return (*self._indentation.extended([indent])[indent], indent)[0] + body
        return self._forms.get(indent, indent) + body


def _opened(new: Sequence[str], known: set[str]) -> set[str]:
    """Of the lines that are `known`, those that stand deeper below a line that is new."""
    result: set[str] = set()
    opening: str | None = None
    for line in new:
        text = line.strip()
        if text and text not in known:
            opening = indent_of(line)
        elif text and opening is not None and len(indent_of(line)) > len(opening):
            result.add(text)
        elif text:
            opening = None
    return result


def _in_common(one: Sequence[str], other: Sequence[str]) -> int:
    solid = [[line.rstrip() for line in lines if not is_blank(line)] for lines in (one, other)]
    return sum(match.length for match in align(*solid))


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


def words_shared(one: str, other: str) -> float:
    """How much of two lines is the same words, 0 to 1."""
    return _shared(_words(one), _words(other))


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


def _with_words_of_file(search: str, found: str, replace: str) -> str:
    """A changed line in which the words it shares with `search` are those of the file."""
    search, found = search.strip(WHITESPACE), found.strip(WHITESPACE)
    if search == found:
        return replace
    base, ours, theirs = _TOKEN.findall(search), _TOKEN.findall(found), _TOKEN.findall(replace)
    if len(base) != len(ours):
        return replace
    for match in align(base, theirs):
        for step in range(match.length):
            # Spaces belong to what is on both sides of them.
            if not base[match.left + step].isspace() or 0 < step < match.length - 1:
                theirs[match.right + step] = ours[match.left + step]
    return "".join(theirs)


def _spliced(
    source: FileText,
    rows: Sequence[Line],
    span: ByteRange,
    result: Sequence[_Out],
    *,
    ended: bool | None = None,
    whole: bool = False,
) -> list[Splice]:
    """The splices from the rows to the result's lines.

    At the end of the file the last line has a terminator as before, or as `ended` says. With `whole`
    deleted lines take the terminator before them along, where the file's last has none.
    """
    dominant = source.dominant
    bodies = [rows[out.kept].body if out.kept >= 0 else _in_file(source, out.text) for out in result]
    pieces = [
        bodies[index] + (rows[out.kept].terminator if out.kept >= 0 else out.terminator or dominant)
        for index, out in enumerate(result)
    ]
    start, last = span.start, len(result) - 1
    at_end = span.end == source.size
    was_ended = not rows or bool(rows[-1].terminator)
    if at_end:
        final = was_ended if ended is None else ended
        for index, out in enumerate(result):
            if out.kept >= 0 and not rows[out.kept].terminator:
                pieces[index] = bodies[index] + dominant
        if result:
            end = pieces[last][len(bodies[last]) :]
            pieces[last] = bodies[last] + (end if final else b"")
        elif whole and not was_ended and start > source.start:
            pair = source.read(start - 2, start)
            start -= 2 if pair == b"\r\n" and start - 2 >= source.start else 1
    kept = _kept(rows, result, bodies)
    splices: list[Splice] = []
    i = j = 0
    for at_row, at_new in [*kept, (len(rows), len(result))]:
        begin = rows[i].offset if i < len(rows) else span.end
        end_at = rows[at_row].offset if at_row < len(rows) else span.end
        new = b"".join(pieces[j:at_new])
        if i == 0 and start < span.start:
            begin = start
        if new or begin < end_at:
            splices += _single(source, begin, end_at, new)
        if at_row < len(rows):
            row, piece = rows[at_row], pieces[at_new]
            wanted = piece[len(row.body) :]
            if wanted != row.terminator and (not wanted or not row.terminator):
                splices += _single(source, row.body_end, row.end, wanted)
        i, j = at_row + 1, at_new + 1
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
        if i < at_row and j < at_new:
            there = [(row.body, row.terminator if spelled else b"") for row in rows[i:at_row]]
            here = [(bodies[at], result[at].terminator or b"") for at in range(j, at_new)]
            for match in align(there, here) if not set(there).isdisjoint(here) else ():
                pairs += [(i + match.left + step, j + match.right + step) for step in range(match.length)]
        if at_row < len(rows):
            pairs.append((at_row, at_new))
        i, j = at_row + 1, at_new + 1
    return pairs
