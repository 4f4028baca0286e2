"""Tokens of a line, and which characters of the file a line of a request stands for.

A search text that was found loosely differs from the file in whitespace, quotes, dashes, composed letters and
characters that cannot be seen. Split alike, both sides have the same tokens in the same order, and each token of the
request has the file's own spelling beside it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from filewright.edit.comparison import fold, is_invisible

LINE_END = "\n"
_GAP = re.compile(r"\s+")
_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Token:
    """A word or sign with the whitespace before it. The token that ends a line has the text ``LINE_END``.

    `units` are its characters, each with the marks that belong to it.
    """

    gap: str
    units: tuple[str, ...]

    @property
    def text(self) -> str:
        """The characters of the token."""
        return "".join(self.units)

    @property
    def ends_line(self) -> bool:
        """Return True for the end of a line; its gap is what trails."""
        return self.units == (LINE_END,)


@dataclass(frozen=True, slots=True)
class TokenPair:
    """A token of the request and the same one in the file."""

    asked: Token
    there: Token


def tokenize(body: str) -> list[Token]:
    """Split a line without its indentation; the last token ends it."""
    return _grouped(_units(body))


def pair_tokens(asked: str, there: str) -> list[TokenPair] | None:
    """Split two lines that compare as equal, without their indentation; None if they are not equal."""
    if asked == there:
        return [TokenPair(token, token) for token in tokenize(asked)]
    asked_units, their_units = _units(asked), _units(there)
    if not asked_units[-1].isspace():
        asked_units.append("")  # nothing trails
    if not their_units[-1].isspace():
        their_units.append("")
    if [*map(_key, asked_units)] != [*map(_key, their_units)]:
        return None
    result: list[TokenPair] = []
    at = 0
    for token in _grouped(asked_units):
        # A gap is one unit, wherever there is one; the end of the line has one always.
        has_gap = bool(token.gap) or token.ends_line
        gap = their_units[at] if has_gap else ""
        count = 0 if token.ends_line else len(token.units)
        at += has_gap
        units = (LINE_END,) if token.ends_line else tuple(their_units[at : at + count])
        at += count
        result.append(TokenPair(token, Token(gap, units)))
    return result


def _key(unit: str) -> str:
    """Return the form in which two units compare."""
    return " " if not unit or unit.isspace() else fold(unit)


def _units(text: str) -> list[str]:
    """Split a text into characters with their marks, and runs of whitespace."""
    if text.isascii():
        return re.findall(r"\s+|\S", text) or [""]
    units: list[str] = []
    for character in text:
        last = units[-1] if units else ""
        if _belongs_to(last, character):
            units[-1] += character
        else:
            units.append(character)
    # An invisible character at the beginning belongs to what follows it.
    if len(units) > 1 and all(map(is_invisible, units[0])):
        units[:2] = [units[0] + units[1]]
    return units or [""]


def _belongs_to(last: str, character: str) -> bool:
    """Return True if a character is part of the unit before it."""
    if not last:
        return False
    if character.isspace() or last.isspace():
        return character.isspace() and last.isspace()
    if character.isascii():
        return False
    if is_invisible(character) or unicodedata.combining(character):
        return True
    # Korean syllables are composed of letters that combine without a class of their own.
    return len(unicodedata.normalize("NFC", last + character)) <= len(
        unicodedata.normalize("NFC", last)
    )


def _grouped(units: Sequence[str]) -> list[Token]:
    """Group units into words, signs and the end of the line, each with the gap before it."""
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
