"""Single characters of a pattern, as RE2 and as `rg` read them.

RE2 reads text in UTF-8 with ``\\n`` terminators. `rg` reads the raw bytes of files in any
encoding: its form of a character matches the character's bytes in each of them, and
some other bytes besides.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from filewright.search.regex_engine import compile_re2
from filewright.text.spelling import INVISIBLE_RANGES, equivalent_spellings


@dataclass(frozen=True, slots=True)
class EngineForms:
    """A character as each engine reads it."""

    re2: str
    rg: str


ANY_CHARACTER_BYTES = r"(?-u:[\x80-\xFF][\x30-\xFF]{0,3})"
"""One character outside ASCII in any encoding, for `rg`: a high byte, up to three more."""

_ASCII = bytes(range(128))
_PUNCTUATION_WRITTEN_PLAINLY = frozenset(" _\"'`,;:@=%/!<>")
_FOLDED_TO_ASCII = {"s": "\u017f", "k": "\u212a"}
"""The characters outside ASCII that differ from an ASCII letter in case alone."""


def _invisible_class() -> str:
    ranges = []
    for low, high in INVISIBLE_RANGES:
        ranges.append(rf"\x{{{ord(low):X}}}-\x{{{ord(high):X}}}")
    return "".join(ranges)


_INVISIBLE_CLASS = _invisible_class()


def write_character(character: str) -> str:
    """Return one character as both engines read it, inside and outside a class."""
    if character.isascii() and (
        character.isalnum() or character in _PUNCTUATION_WRITTEN_PLAINLY
    ):
        return character
    return rf"\x{{{ord(character):X}}}"


def write_raw_character(character: str, *, fold: bool = False) -> str:
    """Return `rg`'s form of one character, in either case if `fold`."""
    if character == "\n":
        return r"(?:\r\n|\n|\r)"
    pattern = write_character(character)
    if not character.isascii():
        if not fold:
            return ANY_CHARACTER_BYTES
        # LATIN SMALL LETTER LONG S is also s, and the KELVIN SIGN is also k.
        return write_raw_class(
            f"(?i:{pattern})", is_beyond_ascii=True, multiline=False
        )
    if not fold:
        return pattern
    # `rg` itself folds these characters in UTF-8. GB 18030 is the only other encoding
    # that has them.
    folded = _FOLDED_TO_ASCII.get(character.lower(), "").encode("gb18030")
    return f"(?:{character}|{escape_bytes(folded)})" if folded else pattern


def write_spellings(character: str, *, look_alikes: bool) -> EngineForms:
    """Return one character in any of its spellings, as each engine reads it.

    Invisible characters may follow it. Characters that look alike count as the same
    with `look_alikes`.
    """
    if character == "\n":
        return EngineForms(
            re2=write_character(character), rg=write_raw_character(character)
        )
    spellings = equivalent_spellings(character, look_alikes=look_alikes)
    alternatives = []
    for spelling in spellings:
        alternatives.append("".join(map(write_character, spelling)))
    starts = sorted({spelling[0] for spelling in spellings})
    raw_alternatives = []
    for start in starts:
        if start.isascii():
            raw_alternatives.append(write_character(start))
    raw_alternatives.append(ANY_CHARACTER_BYTES)
    return EngineForms(
        re2=f"(?:(?:{'|'.join(alternatives)})[{_INVISIBLE_CLASS}]*)",
        rg=f"(?:(?:{'|'.join(raw_alternatives)})(?:{ANY_CHARACTER_BYTES})*)",
    )


@lru_cache(64)
def write_raw_class(
    pattern: str, is_beyond_ascii: bool, multiline: bool
) -> str:
    """Return `rg`'s form of a class of characters, for a file of any encoding.

    `is_beyond_ascii` says that the class has characters outside ASCII. RE2 takes a while
    to answer for a class, and a pattern repeats few, so the last ones are cached.
    """
    # RE2 is asked which ASCII characters are in the class.
    regexp = compile_re2(f"(?:{pattern})+", multiline=multiline)
    runs = [match.span() for match in regexp.finditer(_ASCII)]
    alternatives = []
    if multiline and any(low <= ord("\n") < stop for low, stop in runs):
        alternatives.append(r"\r\n")
        runs.append((ord("\r"), ord("\r") + 1))
    if runs:
        ranges = [f"\\x{low:02X}-\\x{stop - 1:02X}" for low, stop in runs]
        alternatives.append(f"(?-u:[{''.join(ranges)}])")
    if is_beyond_ascii or not alternatives:
        alternatives.append(ANY_CHARACTER_BYTES)
    return f"(?:{'|'.join(alternatives)})"


def escape_bytes(literal: bytes) -> str:
    """Return `rg`'s pattern for exactly these bytes."""
    parts = []
    for byte in literal:
        if byte < 0x80 and chr(byte).isalnum():
            parts.append(chr(byte))
        else:
            parts.append(rf"(?-u:\x{byte:02X})")
    return "".join(parts)
