"""What whole-line matching looks past: whitespace, typography, Unicode normalisation.

Folding only ever compares; what is written are the file's own bytes or the caller's words.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

from filewright.text import PLAIN

WHITESPACE = " \t\f\v"
"""What may trail, indent or separate. Other white space is text."""

_FOLD = {ord(char): plain for char, plain in PLAIN.items()}
#: What a word processor puts for plain characters, besides all punctuation that is not ASCII.
_CORRECTED = "→←⇒⇐↔≤≥≠×÷±©®™½¼¾ﬁﬂ"
_WORDS = re.compile(r"\w+|\s+|.")
_LONG_RUN = re.compile(r"\s{257,}")

# Runs that no fold changes: without whitespace, quotes and dashes, and without a letter that a
# combining mark may follow.
_VERBATIM = re.compile(r"[!#-&(-,./0-~]+(?![^\x00-\x7f])")


def folded(text: str) -> str:
    """`text` composed (NFC), with plain quotes, dashes and spaces."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", text).translate(_FOLD)


def is_typographic(text: str) -> bool:
    """Whether `text` holds a quote, a dash or a space that has a plain form."""
    return not text.isascii() and any(char in PLAIN for char in text)


def plain_but_for(text: str, own: str) -> tuple[str, str]:
    """`text` with plain quotes, dashes and spaces, but for the characters in `own`; and what has no plain form.

    The second string holds the characters of `text` that a word processor may have put there, that
    are not in `own`, and for which nobody can say what was typed.
    """
    if text.isascii():
        return text, ""
    result = "".join(PLAIN.get(char, char) if char not in own else char for char in text)
    unclear = [char for char in result if not char.isascii() and char not in own and _is_corrected(char)]
    return result, "".join(unclear)


def _is_corrected(char: str) -> bool:
    return char in _CORRECTED or unicodedata.category(char)[0] in "PZ" or unicodedata.category(char) == "Cf"


def collapsed(line: str) -> str:
    """A line as the loosest whole-line tier compares it: folded, trimmed, single spaces in it.

    A run of more than 256 spaces is no slip of the pen: it stays.
    """
    text = folded(line)
    if len(text) > 256 and _LONG_RUN.search(text.strip()):
        return text.strip()
    return " ".join(text.split())


def word_set(text: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(text.split())


def words_shared(one: str, other: str) -> float:
    """How much of two lines is the same words, 0 to 1: the one similarity that a decision looks at."""
    return shared(words_of(one), words_of(other))


def words_of(line: str) -> Counter[str]:
    """The words, blanks and signs of a line, and how often each is there."""
    return Counter(_WORDS.findall(line.strip()))


def shared(one: Counter[str], other: Counter[str]) -> float:
    """How much of the words of two lines is the same, 0 to 1."""
    return 2 * (one & other).total() / ((one.total() + other.total()) or 1)


def indent_of(line: str) -> str:
    """The whitespace a line begins with."""
    return line[: len(line) - len(line.lstrip(WHITESPACE))]


def width_of(line: str) -> int:
    """The columns a line is indented by."""
    return len(indent_of(line).expandtabs(4))


def verbatim_runs(line: str) -> list[str]:
    """The stretches of a line that stand unchanged, as ASCII bytes, in every line that folds alike."""
    return _VERBATIM.findall(line)
