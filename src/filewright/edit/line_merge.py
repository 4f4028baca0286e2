"""The three-way merge of an edit: search text, replacement and the file's own lines.

The search text is the base, the file's lines are ours, the replacement is theirs. One function serves every tier
and the hunks of patches. Whatever is equal in search and replacement stays as the file has it: whole lines, and
inside a changed line the words, quotes, letters and whitespace that the request leaves alone. Only the difference
is applied. New text takes the form that the match itself proves: the file's quotes for the request's quotes, its
tabs for the request's spaces, its indentation. Where the match proves nothing, text is written as it is sent. A
difference that fits at two places is refused.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from itertools import pairwise

from filewright.edit.linediff import align
from filewright.edit.locate.request import (
    AmbiguousWriteError,
    Rows,
    folded,
    indent_of,
    is_blank,
)
from filewright.edit.reindent import map_indents, require_explained_depths
from filewright.edit.tokens import LINE_END, Token, TokenPair, pair_tokens, tokenize
from filewright.text.spelling import PLAIN

#: Pairs of tokens of one change that are compared. Of larger ones only lines in the same place are.
_MOST_COMPARED = 40_000
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class MergedLine:
    """A line to write: `row` is the file's line that stays as it is, None for a line that is changed or new.

    `unproven` are characters of it that the file spells in another way, and the match does not show in which.
    """

    text: str
    row: int | None = None
    unproven: tuple[str, ...] = ()


def merge_matched_lines(
    part: Rows,
    there: Sequence[str],
    same: Mapping[int, int],
    *,
    file_unit: str,
    is_prose: bool = False,
    is_numbered: bool = False,
) -> list[MergedLine]:
    """Return the lines that take the place of the matched ones.

    `there` are the file's lines, row by row, and `same` says of lines of the replacement which row they are.
    Raises `AmbiguousWriteError` where the difference fits at two places or can be indented in two ways.
    """
    indentation = part.indentation
    moves = indentation is not None and not indentation.same
    indents = (
        map_indents(indentation, part, there, same, file_unit)
        if moves and indentation
        else {}
    )
    new = _plainly_indented(part, there)
    bodies = _merged_bodies(part, new, there, same, is_prose=is_prose)
    result: list[MergedLine] = []
    for index, text in enumerate(new):
        row = same.get(index)
        if row is not None:
            result.append(MergedLine(there[row], row))
        elif index in bodies:
            result.append(_indented(part, text, bodies[index], there, indents))
        elif not text or (text in part.blanks and text not in there):
            result.append(MergedLine(""))
        else:
            forms = indentation.extended([text])[text] if moves and indentation else ()
            result.append(MergedLine((*forms, text)[0]))
    if indentation is not None:
        require_explained_depths(
            part,
            indentation,
            [line.text for line in result],
            file_unit,
            is_numbered=is_numbered,
        )
    return result


def _plainly_indented(part: Rows, there: Sequence[str]) -> Sequence[str]:
    """Return the new lines, with common spaces before them where the search text shows that the file has those."""
    if all(_lead(old) == indent_of(old) for old in part.old) or any(
        _lead(text) != indent_of(text) for text in there
    ):
        return part.new
    return [folded(_lead(text)) + text.lstrip() for text in part.new]


def _lead(line: str) -> str:
    """Return all whitespace before a line, no-break spaces too."""
    return line[: len(line) - len(line.lstrip())]


@dataclass(frozen=True, slots=True)
class _Body:
    """A merged line without its indentation; `row` is the file's line whose beginning it has."""

    text: str
    row: int | None
    unproven: tuple[str, ...]


def _indented(
    part: Rows, text: str, body: _Body, there: Sequence[str], indents: Mapping[str, str]
) -> MergedLine:
    """Put the indentation before a merged line: the file's own where the request leaves it alone."""
    indent = indent_of(text)
    if indent != _lead(text):
        return MergedLine(
            _lead(text) + body.text, None, body.unproven
        )  # wide spaces, as they are sent
    lead = indents.get(indent, indent)
    if body.row is not None and indent == indent_of(part.old[body.row]):
        own = _lead(there[body.row])
        lead = own if folded(own) == lead else lead
    return MergedLine(lead + body.text, None, body.unproven)


# Inside lines


def _merged_bodies(
    part: Rows,
    new: Sequence[str],
    there: Sequence[str],
    same: Mapping[int, int],
    *,
    is_prose: bool,
) -> dict[int, _Body]:
    """Return the changed and new lines, by their number, without indentation."""
    changed = [
        index for index, text in enumerate(new) if index not in same and text.strip()
    ]
    if not changed:
        return {}
    pairs: dict[int, list[TokenPair]] = {}
    differs = False
    for row, (asked, text) in enumerate(zip(part.old, there, strict=False)):
        if not is_blank(asked):
            tokens = pair_tokens(asked.lstrip(), text.lstrip())
            if tokens is not None:
                pairs[row] = tokens
                differs = differs or asked.lstrip() != text.lstrip()
    result: dict[int, _Body] = {}
    spelling = Spelling(pairs.values(), is_prose=is_prose) if differs else None
    for rows, lines in _blocks(changed, same, len(part.old), len(new)):
        base_rows = [row for row in rows if not is_blank(part.old[row])]
        if spelling is None:
            first_row = base_rows[0] if base_rows else None
            for line in lines:
                result[line] = _Body(
                    new[line].lstrip(), first_row if len(lines) == 1 else None, ()
                )
            continue
        if any(row not in pairs for row in base_rows):
            raise AmbiguousWriteError(
                "the search text and the file differ in more than whitespace and typography",
                "send search and replace exactly as the file has the text",
            )
        theirs = [tokenize(new[line].lstrip()) for line in lines]
        for line, body in zip(
            lines, _merged_block(base_rows, pairs, theirs, spelling), strict=True
        ):
            result[line] = body
    return result


def _blocks(
    changed: Sequence[int], same: Mapping[int, int], rows: int, lines: int
) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the file's rows and the new lines between two lines that stay."""
    stay, wanted = set(same.values()), set(changed)
    anchors = [(-1, -1), *sorted(same.items()), (lines, rows)]
    for (line, row), (next_line, next_row) in pairwise(anchors):
        between = [index for index in range(line + 1, next_line) if index in wanted]
        if between:
            yield (
                [index for index in range(row + 1, next_row) if index not in stay],
                between,
            )


def _merged_block(
    rows: Sequence[int],
    pairs: Mapping[int, list[TokenPair]],
    theirs: Sequence[list[Token]],
    spelling: Spelling,
) -> list[_Body]:
    """Merge the lines of one change. Raises `AmbiguousWriteError` if the difference fits at two places."""
    count, wanted = sum(len(pairs[row]) for row in rows), sum(map(len, theirs))
    if count * wanted > _MOST_COMPARED and len(rows) + len(theirs) > 2:
        result: list[_Body] = []
        for index, line in enumerate(theirs):
            same = rows[index : index + 1] if len(rows) == len(theirs) else ()
            result += _merged_block(same, pairs, [line], spelling)
        return result
    block = _Block(
        [pair.asked for row in rows for pair in pairs[row]],
        [pair.there for row in rows for pair in pairs[row]],
        [row for row in rows for _ in pairs[row]],
        [token for line in theirs for token in line],
        spelling,
    )
    first, second = (
        block.written(block.aligned(from_end=from_end)) for from_end in (False, True)
    )
    # Where a word occurs twice and one of them goes, either can be meant. That matters only if the file spells
    # the two in different ways: then the texts differ.
    if [body.text for body in first] == [body.text for body in second]:
        return first
    result = []
    for one, other, line in zip(first, second, theirs, strict=True):
        text = one.text.rstrip()
        if text != other.text.rstrip():
            raise AmbiguousWriteError(
                "the search text differs from the file in its spelling, and what changes fits at two places of it",
                "send search and replace exactly as the file has the text",
                readings=tuple(
                    "\n".join(body.text for body in bodies)
                    for bodies in (first, second)
                ),
            )
        # Of whitespace that trails two lines either may be meant: it is written as it is sent.
        result.append(
            one if one.text == other.text else replace(one, text=text + line[-1].gap)
        )
    return result


@dataclass(frozen=True, slots=True)
class _Block:
    """The tokens of one change: asked for, as the file has them (with their rows), and wanted."""

    base: Sequence[Token]
    ours: Sequence[Token]
    rows: Sequence[int]
    theirs: Sequence[Token]
    spelling: Spelling

    def aligned(self, *, from_end: bool) -> dict[int, int]:
        """Map each token of the replacement that the request keeps to its number in the search text.

        Of several alignments the first is preferred, or the last.
        """
        base = [token.text for token in self.base]
        theirs = [token.text for token in self.theirs]
        if from_end:
            mirrored = _alignment(base[::-1], theirs[::-1])
            kept = {
                len(theirs) - 1 - index: len(base) - 1 - at
                for index, at in mirrored.items()
            }
        else:
            kept = _alignment(base, theirs)
        ends = self._ends(kept)
        rewritten = self._rewritten_lines()
        lines = _line_numbers(self.theirs)
        kept = {
            index: at
            for index, at in kept.items()
            if not self.theirs[index].ends_line and lines[index] not in rewritten
        }
        return kept | ends

    def _rewritten_lines(self) -> set[int]:
        """Return the lines that are like none of several lines asked for: their words are new, wherever from."""
        asked = self.asked_lines()[:-1]
        if len(asked) < 2:
            return set()
        wanted = "".join(token.gap + token.text for token in self.theirs).split(
            LINE_END
        )
        return {
            number
            for number, line in enumerate(wanted)
            if line and not any(_shares_words(line, other) for other in asked)
        }

    def asked_lines(self) -> list[str]:
        """Return the lines of the search text, without their indentation."""
        return "".join(token.gap + token.text for token in self.base).split(LINE_END)

    def _ends(self, kept: Mapping[int, int]) -> dict[int, int]:
        """Map the end of each new line to the end of the line that it has most of."""
        base, theirs = _line_numbers(self.base), _line_numbers(self.theirs)
        shared = Counter(
            (theirs[index], base[at])
            for index, at in kept.items()
            if not self.theirs[index].ends_line
        )
        base_ends = [at for at, token in enumerate(self.base) if token.ends_line]
        their_ends = [
            index for index, token in enumerate(self.theirs) if token.ends_line
        ]
        if len(base_ends) == len(their_ends):
            # Line by line, unless words went from one to another.
            for number in range(len(base_ends)):
                shared[number, number] += 1
        result: dict[int, int] = {}
        taken: set[int] = set()
        for (line, old), _ in sorted(
            shared.items(), key=lambda item: (-item[1], item[0])
        ):
            if their_ends[line] not in result and old not in taken:
                result[their_ends[line]] = base_ends[old]
                taken.add(old)
        return result

    def written(self, alignment: Mapping[int, int]) -> list[_Body]:
        """Write the replacement in the file's spelling, line by line."""
        bodies: list[_Body] = []
        text = ""
        unproven: list[str] = []
        row: int | None = None
        used: set[int] = set()
        places = self._places(alignment)
        leaves = self._leaving_comments(alignment)
        base_ends, their_ends = (
            sum(token.ends_line for token in side) for side in (self.base, self.theirs)
        )
        is_reflowed = base_ends != their_ends
        for index, token in enumerate(self.theirs):
            source = alignment.get(index)
            if _starts_line(self.theirs, index):
                is_first = source is not None and _starts_line(self.base, source)
                row = self.rows[source] if source is not None and is_first else None
            else:
                gap = self._kept_gap(index, places, used, is_reflowed=is_reflowed)
                if gap is None:
                    gap = (
                        token.gap
                        if token.ends_line
                        else self.spelling.gap(token.gap, unproven)
                    )
                text += gap
            if token.ends_line:
                bodies.append(_Body(text, row, tuple(dict.fromkeys(unproven))))
                text, unproven, row = "", [], None
            elif source is not None and (
                index not in leaves or self.ours[source].text not in PLAIN
            ):
                text += self.ours[source].text
            else:
                text += self.spelling.text(self.theirs, index, unproven)
        return bodies

    def _leaving_comments(self, alignment: Mapping[int, int]) -> set[int]:
        """Return the tokens that were in a comment line and are in code: a quote of another shape is none there."""
        if self.spelling.is_prose:
            return set()
        comments = [_is_comment(line) for line in self.asked_lines()]
        wanted = "".join(token.gap + token.text for token in self.theirs).split(
            LINE_END
        )
        code = [not _is_comment(line) for line in wanted]
        base, theirs = _line_numbers(self.base), _line_numbers(self.theirs)
        return {
            index
            for index, at in alignment.items()
            if comments[base[at]] and code[theirs[index]]
        }

    def _places(self, alignment: Mapping[int, int]) -> dict[int, int]:
        """Map tokens to those of the search text in whose place they are, one by one where as many are replaced."""
        result = dict(alignment)
        known = [
            (-1, -1),
            *sorted(alignment.items()),
            (len(self.theirs), len(self.base)),
        ]
        for (index, at), (next_index, next_at) in pairwise(known):
            if 0 < next_index - index - 1 == next_at - at - 1:
                result |= zip(
                    range(index + 1, next_index), range(at + 1, next_at), strict=True
                )
        return result

    def _kept_gap(
        self,
        index: int,
        places: Mapping[int, int],
        used: set[int],
        *,
        is_reflowed: bool,
    ) -> str | None:
        """Return the file's whitespace before a token if the request leaves it alone.

        It belongs to the token before it, or else to the one behind it, and is written once.
        """
        token = self.theirs[index]
        if token.ends_line and not self.spelling.is_prose:
            return None  # what trails a line of code means nothing; in prose it may be a break, or an empty cell
        before, source = places.get(index - 1), places.get(index)
        for at in (None if before is None else before + 1, source):
            if (
                at is None
                or at in used
                or at >= len(self.base)
                or _starts_line(self.base, at)
            ):
                continue
            if (
                self.base[at].gap == token.gap
                and self.base[at].ends_line == token.ends_line
            ):
                used.add(at)
                gap = self.ours[at].gap
                # A line that became two holds its words together anew.
                return gap if is_plain(gap) or not is_reflowed else None
        return None


def _shares_words(line: str, other: str) -> bool:
    """Return whether a line has as many words of another as words of its own."""
    words, others = Counter(_WORD.findall(line)), Counter(_WORD.findall(other))
    return 2 * (words & others).total() >= min(words.total(), others.total())


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith(("#", "//", "/*", "*", "--", ";", "%", "<!--"))


def _line_numbers(tokens: Sequence[Token]) -> list[int]:
    """Return the number of the line that each token is in."""
    numbers: list[int] = []
    line = 0
    for token in tokens:
        numbers.append(line)
        line += token.ends_line
    return numbers


def _starts_line(tokens: Sequence[Token], index: int) -> bool:
    return index == 0 or tokens[index - 1].ends_line


def _alignment(base: Sequence[str], theirs: Sequence[str]) -> dict[int, int]:
    """Map the items of `theirs` that are kept to those of `base`; equal beginnings are paired first."""
    start = 0
    while start < min(len(base), len(theirs)) and base[start] == theirs[start]:
        start += 1
    result = {index: index for index in range(start)}
    stop = 0
    most = min(len(base), len(theirs)) - start
    while stop < most and base[-1 - stop] == theirs[-1 - stop]:
        stop += 1
        result[len(theirs) - stop] = len(base) - stop
    left, right = base[start : len(base) - stop], theirs[start : len(theirs) - stop]
    if len(left) * len(right) > _MOST_COMPARED:
        runs = [
            (run.left, run.right, run.length) for run in align(left, right)
        ]  # a very long line
    else:
        matcher = SequenceMatcher(None, left, right, autojunk=False)
        runs = [
            (match.a, match.b, match.size) for match in matcher.get_matching_blocks()
        ]
    for at, index, length in runs:
        for step in range(length):
            result[start + index + step] = start + at + step
    return result


# The spelling that a match proves


@dataclass
class _Forms:
    """The file's forms of each piece of a request."""

    known: dict[object, dict[str, None]] = field(default_factory=dict)

    def add(self, piece: object, form: str) -> None:
        """Add a pair that the match compared as equal."""
        self.known.setdefault(piece, {})[form] = None

    def of(self, piece: object) -> tuple[str, ...]:
        """Return the forms of a piece, in order of the file."""
        return tuple(self.known.get(piece, ()))


def is_plain(gap: str) -> bool:
    """Return whether whitespace has no character wider or narrower than common ones."""
    return not gap.strip(" \t\f\v")


class Spelling:
    """The file's spelling of the request's characters and gaps, as a match shows it."""

    def __init__(
        self, lines: Iterable[Sequence[TokenPair]], *, is_prose: bool = False
    ) -> None:
        # In code a quote of another shape is no quote: new text has one only where the language is prose.
        self.is_prose = is_prose
        self._units, self._placed, self._gaps = _Forms(), _Forms(), _Forms()
        for line in lines:
            asked = [pair.asked for pair in line]
            for index, pair in enumerate(line):
                for unit, form in zip(pair.asked.units, pair.there.units, strict=True):
                    self._units.add(unit, form)
                    self._placed.add((unit, *_beside(asked, index)), form)
                # Whitespace at the end of a line says nothing of whitespace inside.
                if index and not pair.asked.ends_line:
                    self._gaps.add(pair.asked.gap, pair.there.gap)
        self._plain_families = self._families()

    def _families(self) -> set[str]:
        """Return the families of typographic characters that the request has where the file is plain."""
        plain: set[str] = set()
        typographic: set[str] = set()
        for unit, forms in self._units.known.items():
            if isinstance(unit, str) and unit in PLAIN:
                (plain if [*forms] == [PLAIN[unit]] else typographic).add(_family(unit))
        return plain - typographic

    def text(self, tokens: Sequence[Token], index: int, unproven: list[str]) -> str:
        """Return a new token as the file spells it; what is not proven is added to `unproven`."""
        pieces: list[str] = []
        for unit in tokens[index].units:
            forms = self._units.of(unit)
            placed = self._placed.of((unit, *_beside(tokens, index)))
            known = placed if len(placed) == 1 else forms
            if len(known) == 1 and (self.is_prose or known[0] not in PLAIN):
                pieces.append(known[0])
            elif not forms and unit in PLAIN and _family(unit) in self._plain_families:
                pieces.append(PLAIN[unit])
            else:
                pieces.append(unit)
                if (forms and unit not in forms) or (
                    not forms and unit in PLAIN and self._plain_families
                ):
                    unproven.append(unit)
        return "".join(pieces)

    def gap(self, gap: str, unproven: list[str]) -> str:
        """Return whitespace inside a line as the file writes it: tabs for spaces, or the other way round.

        How many spaces there are shows how columns are aligned, and proves nothing of other lines.
        """
        forms = self._gaps.of(gap)
        if not gap or all(
            ("\t" in form) == ("\t" in gap) and is_plain(form) for form in forms
        ):
            return (
                folded(gap) if gap not in forms and not is_plain(gap) and forms else gap
            )
        if len(forms) == 1 and is_plain(forms[0]):
            return forms[0]
        if gap not in forms:
            unproven.append(gap)
        return gap


def _family(character: str) -> str:
    return "quote" if PLAIN[character] in "\"'" else PLAIN[character]


def _beside(tokens: Sequence[Token], index: int) -> tuple[bool, bool]:
    """Return whether a word touches a token on its left, and on its right: it tells an apostrophe from a quote."""
    left = index > 0 and not tokens[index].gap and tokens[index - 1].text[-1:].isalnum()
    following = tokens[index + 1] if index + 1 < len(tokens) else None
    right = following is not None and not following.gap and following.text[:1].isalnum()
    return left, right
