"""The merge of the tokens of one change."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import pairwise

from filewright.edit.file_spelling import Spelling, is_plain
from filewright.edit.linediff import align
from filewright.edit.model import AmbiguousWriteError
from filewright.edit.tokens import LINE_END, Token, TokenPair
from filewright.text.spelling import PLAIN

#: Pairs of tokens of one change that are compared. Of larger ones only lines in the same place are.
_MOST_COMPARED = 40_000


_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class _Body:
    """A merged line without its indentation; `row` is the file's line whose beginning it has."""

    text: str
    row: int | None
    unproven: tuple[str, ...]


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
