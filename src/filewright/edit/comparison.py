"""The forms of a text in which lines are compared, and the lines of a request as they are compared."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from filewright.text.spelling import PLAIN_CHARACTERS

WHITESPACE = " \t\f\v"
"""What may trail, indent or separate. Other white space is text."""


_FOLD = {ord(char): plain for char, plain in PLAIN_CHARACTERS.items()}


_WORDS = re.compile(r"\w+|\s+|.")


_LONG_RUN = re.compile(r"\s{257,}")


# Runs that no fold changes: without whitespace, quotes and dashes, and without a letter that a
# combining mark may follow.
_VERBATIM = re.compile(r"[!#-&(-,./0-~]+(?![^\x00-\x7f])")


#: Characters without a shape of their own: soft hyphens, joiners, marks of direction, variation selectors.
_INVISIBLE = re.compile(
    "[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff"
    "\U000e0000-\U000e01ef]"
)


def is_invisible(character: str) -> bool:
    """Return True for a character without a shape of its own."""
    return _INVISIBLE.match(character) is not None


def has_invisible(text: str) -> bool:
    """Return True if a text holds a character that cannot be seen."""
    return not text.isascii() and _INVISIBLE.search(text) is not None


def fold(text: str) -> str:
    """Return `text` composed (NFC), with plain quotes, dashes and spaces, without invisible characters."""
    if text.isascii():
        return text
    return _INVISIBLE.sub("", unicodedata.normalize("NFC", text)).translate(_FOLD)


def is_typographic(text: str) -> bool:
    """Whether `text` holds a quote, a dash or a space that has a plain form."""
    return not text.isascii() and any(char in PLAIN_CHARACTERS for char in text)


def collapse(line: str) -> str:
    """A line as the loosest whole-line tier compares it: folded, trimmed, single spaces in it.

    A run of more than 256 spaces is no slip of the pen: it stays.
    """
    text = fold(line)
    if len(text) > 256 and _LONG_RUN.search(text.strip()):
        return text.strip()
    return " ".join(text.split())


def word_set(text: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(text.split())


def word_similarity(one: str, other: str) -> float:
    """How much of two lines is the same words, 0 to 1: the one similarity that a decision looks at."""
    mine, theirs = (Counter(split_words(line.strip())) for line in (one, other))
    return 2 * (mine & theirs).total() / ((mine.total() + theirs.total()) or 1)


def split_words(text: str) -> list[str]:
    """The words, blanks and signs of a text, in order: the one tokeniser of comparing and merging."""
    return _WORDS.findall(text)


def leading_whitespace(line: str) -> str:
    """The whitespace a line begins with."""
    return line[: len(line) - len(line.lstrip(WHITESPACE))]


def indent_width(line: str) -> int:
    """The columns a line is indented by."""
    return len(leading_whitespace(line).expandtabs(4))


def verbatim_runs(line: str) -> list[str]:
    """The stretches of a line that stand unchanged, as ASCII bytes, in every line that folds alike."""
    return _VERBATIM.findall(line)


def is_blank(line: str) -> bool:
    """Whether nothing but white space is on the line."""
    return not line.strip()


@dataclass(frozen=True)
class RequestLines:
    """Lines of a request as whole-line matching sees them: the solid (non-blank) lines in order.

    `solid` are their texts, `blank[i]` the blank lines between solid lines i and i + 1, `before`
    and `after` those at the edges (the terminator of the last line is none).
    """

    solid: tuple[str, ...]
    blank: tuple[tuple[str, ...], ...]
    before: tuple[str, ...]
    after: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> RequestLines:
        """The block of a text; its final newline ends the last line and begins none."""
        lines = text.split("\n")
        if not lines[-1]:
            lines.pop()
        return cls.of_lines(lines)

    @classmethod
    def of_lines(cls, lines: list[str] | tuple[str, ...]) -> RequestLines:
        """The block of lines without terminators."""
        solid: list[str] = []
        gaps: list[tuple[str, ...]] = []
        run: list[str] = []
        for line in lines:
            if is_blank(line):
                run.append(line)
                continue
            gaps.append(tuple(run))
            run = []
            solid.append(line)
        return cls(tuple(solid), tuple(gaps[1:]), gaps[0] if gaps else (), tuple(run))

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """All lines from the first solid to the last."""
        result: list[str] = []
        for index, line in enumerate(self.solid):
            if index:
                result += self.blank[index - 1]
            result.append(line)
        return tuple(result)

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The solid lines as the loosest whole-line tier compares them."""
        return tuple(map(collapse, self.solid))
