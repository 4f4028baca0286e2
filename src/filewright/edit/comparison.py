"""The forms in which lines are compared, and the lines of a request in these forms.

A folded text is compared, never written: the file gets only bytes that it had, or words of
the caller.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from filewright.text.spelling import PLAIN_CHARACTERS

WHITESPACE = " \t\f\v"
"""Whitespace that trails, indents or separates. Any other whitespace is text."""

_FOLD = {ord(char): plain for char, plain in PLAIN_CHARACTERS.items()}
_WORDS = re.compile(r"\w+|\s+|.")
_LONG_RUN = re.compile(r"\s{257,}")

# Text that no folding changes, so that it can be searched for as bytes: without
# whitespace, quotes and dashes, and without a letter that a combining mark may follow.
_VERBATIM = re.compile(r"[!#-&(-,./0-~]+(?![^\x00-\x7f])")


# Soft hyphens, joiners, marks of direction, variation selectors and the like.
_INVISIBLE = re.compile(
    "[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f"
    "\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef]"
)


def is_invisible(character: str) -> bool:
    """Return True for a character without a shape of its own."""
    return _INVISIBLE.match(character) is not None


def has_invisible(text: str) -> bool:
    """Return True if a text has an invisible character."""
    return not text.isascii() and _INVISIBLE.search(text) is not None


def fold(text: str) -> str:
    """Return `text` composed (NFC) and plain.

    Quotes, dashes and spaces are plain ones, and invisible characters are left out.
    """
    if text.isascii():
        return text
    return _INVISIBLE.sub("", unicodedata.normalize("NFC", text)).translate(
        _FOLD
    )


def is_typographic(text: str) -> bool:
    """Return True if a text has a quote, a dash or a space that has a plain form."""
    return not text.isascii() and any(char in PLAIN_CHARACTERS for char in text)


def collapse(line: str) -> str:
    """Return a line folded and trimmed, with single spaces: the loosest comparison."""
    text = fold(line)
    # Hundreds of spaces are no slip but the layout of a table, or data.
    if len(text) > 256 and _LONG_RUN.search(text.strip()):
        return text.strip()
    return " ".join(text.split())


def word_set(text: str) -> frozenset[str]:
    """Return the words of a list as a set."""
    return frozenset(text.split())


def word_similarity(line: str, other_line: str) -> float:
    """Return the share of words that two lines have in common, 0 to 1."""
    words = Counter(split_words(line.strip()))
    other_words = Counter(split_words(other_line.strip()))
    total = words.total() + other_words.total()
    return 2 * (words & other_words).total() / (total or 1)


def split_words(text: str) -> list[str]:
    """Return the words, runs of whitespace and signs of a text, in order."""
    return _WORDS.findall(text)


def leading_whitespace(line: str) -> str:
    """Return the whitespace that a line begins with."""
    return line[: len(line) - len(line.lstrip(WHITESPACE))]


def indent_width(line: str) -> int:
    """Return the number of columns that a line is indented by."""
    return len(leading_whitespace(line).expandtabs(4))


def verbatim_runs(line: str) -> list[str]:
    """Return the texts that any line equal to this one after folding has unchanged."""
    return _VERBATIM.findall(line)


def is_blank(line: str) -> bool:
    """Return True if a line has nothing but whitespace."""
    return not line.strip()


@dataclass(frozen=True)
class RequestLines:
    """The lines of a request: the solid ones (not blank), and the blank lines beside them.

    `blank[i]` are the blank lines between the solid lines i and i + 1, `before` and
    `after` those at the edges.
    """

    solid: tuple[str, ...]
    blank: tuple[tuple[str, ...], ...]
    before: tuple[str, ...]
    after: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> RequestLines:
        """Return the lines of a text; a final newline ends the last line and begins none."""
        lines = text.split("\n")
        if not lines[-1]:
            lines.pop()
        return cls.of_lines(lines)

    @classmethod
    def of_lines(cls, lines: list[str] | tuple[str, ...]) -> RequestLines:
        """Return lines without terminators as the lines of a request."""
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
        return cls(
            tuple(solid), tuple(gaps[1:]), gaps[0] if gaps else (), tuple(run)
        )

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """Return all lines from the first solid one to the last."""
        result: list[str] = []
        for index, line in enumerate(self.solid):
            if index:
                result += self.blank[index - 1]
            result.append(line)
        return tuple(result)

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """Return the solid lines in the form of the loosest comparison."""
        return tuple(map(collapse, self.solid))
