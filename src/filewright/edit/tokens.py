"""Tokens of a line, and the tokens of the file that those of a request stand for.

A search text that was matched loosely differs from the file in whitespace, quotes,
dashes, composed letters and invisible characters. Both sides are split alike: they have
the same tokens in the same order, and each token of the request is paired with the
file's own spelling of it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from filewright.edit.comparison import fold, is_invisible

LINE_END = "\n"
# Whitespace between two tokens, or before the end of the line.
_GAP = re.compile(r"\s+")
# A character of a word; every other one is a token by itself.
_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Token:
    """A word or sign with the whitespace before it.

    `units` are its characters, each with the marks that belong to it. The token that
    ends a line has the text `LINE_END`, and its gap is the trailing whitespace.
    """

    gap: str
    units: tuple[str, ...]

    @property
    def text(self) -> str:
        """The characters of the token."""
        return "".join(self.units)

    @property
    def ends_line(self) -> bool:
        """Return True for the token that ends a line."""
        return self.units == (LINE_END,)


@dataclass(frozen=True, slots=True)
class TokenPair:
    """A token of the search text, and the token of the file that it stands for."""

    request: Token
    file: Token


def tokenize(body: str) -> list[Token]:
    """Split a line without its indentation; the last token ends it."""
    return _group_units(_split_units(body))


def pair_tokens(request_line: str, file_line: str) -> list[TokenPair] | None:
    """Pair the tokens of two lines; None if the lines do not compare as equal.

    Both lines come without their indentation.
    """
    if request_line == file_line:
        return [TokenPair(token, token) for token in tokenize(request_line)]
    request_units = _split_units_and_end(request_line)
    file_units = _split_units_and_end(file_line)
    # Keys are as many as units, so that each token of the request has its pair.
    if [*map(_comparison_key, request_units)] != [
        *map(_comparison_key, file_units)
    ]:
        return None
    pairs: list[TokenPair] = []
    position = 0
    for token in _group_units(request_units):
        # A gap is one unit on both sides, however wide. The end of a line always has
        # one, which is empty where nothing trails.
        file_gap = ""
        if token.gap or token.ends_line:
            file_gap = file_units[position]
            position += 1
        if token.ends_line:
            pairs.append(TokenPair(token, Token(file_gap, token.units)))
            continue
        end = position + len(token.units)
        pairs.append(
            TokenPair(token, Token(file_gap, tuple(file_units[position:end])))
        )
        position = end
    return pairs


def _comparison_key(unit: str) -> str:
    """Return the form in which two units compare."""
    if not unit or unit.isspace():
        return " "
    return fold(unit)


def _split_units_and_end(text: str) -> list[str]:
    """Split a text into units; the last is its trailing whitespace, or empty."""
    units = _split_units(text)
    if not units[-1].isspace():
        units.append("")
    return units


def _split_units(text: str) -> list[str]:
    """Split a text into characters with their marks, and runs of whitespace."""
    if text.isascii():
        return re.findall(r"\s+|\S", text) or [""]
    units: list[str] = []
    for character in text:
        if units and _belongs_to(units[-1], character):
            units[-1] += character
        else:
            units.append(character)
    # An invisible character at the beginning has nothing before it to belong to.
    if len(units) > 1 and all(map(is_invisible, units[0])):
        units[:2] = [units[0] + units[1]]
    return units or [""]


def _belongs_to(unit: str, character: str) -> bool:
    """Return True if a character is part of the unit before it."""
    if character.isspace() or unit.isspace():
        return character.isspace() and unit.isspace()
    # No mark is in ASCII. Most characters need no look-up.
    if character.isascii():
        return False
    if is_invisible(character) or unicodedata.combining(character):
        return True
    # The letters of a Korean syllable combine, and are not of a combining class.
    composed = unicodedata.normalize("NFC", unit + character)
    return len(composed) <= len(unicodedata.normalize("NFC", unit))


def _group_units(units: Sequence[str]) -> list[Token]:
    """Group units into words, signs and the end of the line, each with its gap."""
    tokens: list[Token] = []
    gap = ""
    word: list[str] = []
    for unit in units:
        if _WORD.match(unit):
            word.append(unit)
            continue
        if word:
            tokens.append(Token(gap, tuple(word)))
            gap, word = "", []
        if not unit or _GAP.fullmatch(unit):
            gap = unit
        else:
            tokens.append(Token(gap, (unit,)))
            gap = ""
    if word:
        tokens.append(Token(gap, tuple(word)))
        gap = ""
    tokens.append(Token(gap, (LINE_END,)))
    return tokens
