"""Other spellings of a text: invisible characters, and characters that look alike.

A comparison of bytes tells a no-break space from a space, and a decomposed letter from
a composed one; a reader of the screen cannot. These tables say which characters look
like which, so that an answer can name the difference. They never change written text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import permutations
from typing import Final

SPACES: Final = "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
PLAIN_CHARACTERS: Final = {
    character: plain
    for plain, family in {
        '"': "“”„‟〝〞″＂",
        "'": "‘’‚‛′ʼ＇",
        "-": "‐‑‒–—―−﹘﹣－",
        " ": SPACES,
    }.items()
    for character in family
}
"""Typographic quotes, dashes and spaces, with the plain character for each."""

INVISIBLE_RANGES: Final = (
    ("\u00ad", "\u00ad"),  # soft hyphen
    ("\u034f", "\u034f"),  # combining grapheme joiner
    ("\u061c", "\u061c"),  # direction marks, here and below
    ("\u115f", "\u1160"),  # Hangul fillers, here and below
    ("\u17b4", "\u17b5"),
    ("\u180b", "\u180f"),  # Mongolian selectors and vowel separator
    ("\u200b", "\u200f"),  # zero-width space and joiners, direction marks
    ("\u202a", "\u202e"),
    ("\u2060", "\u206f"),
    ("\u2800", "\u2800"),  # blank Braille pattern
    ("\u3164", "\u3164"),
    ("\ufe00", "\ufe0f"),  # variation selectors
    ("\ufeff", "\ufeff"),  # byte-order mark
    ("\uffa0", "\uffa0"),
    ("\ufff9", "\ufffb"),
    ("\U000e0000", "\U000e0fff"),  # tags and more variation selectors
)
"""Invisible characters: the first and the last of each range."""

_LOOK_ALIKE_LETTERS: Final = {
    # Cyrillic
    "А": "A", "В": "B", "Е": "E", "К": "K", "М": "M", "Н": "H", "О": "O", "Р": "P", "С": "C", "Т": "T",
    "У": "Y", "Х": "X", "Ѕ": "S", "І": "I", "Ј": "J", "Ԛ": "Q", "Ԝ": "W", "Ү": "Y", "Ӏ": "I",
    "а": "a", "е": "e", "о": "o", "р": "p", "с": "c", "у": "y", "х": "x", "ѕ": "s", "і": "i", "ј": "j",
    "ԁ": "d", "һ": "h", "ԛ": "q", "ԝ": "w", "ѵ": "v", "ӏ": "l", "ү": "y",
    # Greek
    "Α": "A", "Β": "B", "Ε": "E", "Ζ": "Z", "Η": "H", "Ι": "I", "Κ": "K", "Μ": "M", "Ν": "N", "Ο": "O",
    "Ρ": "P", "Τ": "T", "Υ": "Y", "Χ": "X", "ο": "o", "ν": "v", "ρ": "p", "ι": "i", "ϲ": "c", "ϳ": "j",
    # Armenian, Latin extensions, signs
    "օ": "o", "ս": "u", "հ": "h", "ո": "n", "ց": "g", "ı": "i", "ɡ": "g", "ɩ": "i", "ℓ": "l", "ǃ": "!",
    "⁄": "/", "∕": "/", "╱": "/", "⧸": "/", "∖": "\\", "⧵": "\\", "∗": "*", "∣": "|", "ǀ": "|", "∶": ":",
    "։": ":", "׃": ":", "ː": ":", "\u037e": ";", "‹": "<", "›": ">", "˂": "<", "˃": ">", "ꓸ": ".", "․": ".",
    "·": ".", "٫": ",", "٬": ",", "…": "...", "‥": "..", "〔": "(", "〕": ")", "❨": "(", "❩": ")", "˜": "~",
    "∼": "~", "˄": "^", "ˋ": "`", "ʹ": "'", "＿": "_", "‗": "_", "꞊": "=", "᐀": "=", "＋": "+",
}  # fmt: skip
_LOOK_ALIKES: Final = {**_LOOK_ALIKE_LETTERS, **PLAIN_CHARACTERS}

# Ranges of characters that Unicode maps to one other character: singletons, and wide
# and narrow forms.
_EQUIVALENT_RANGES: Final = (
    (0x0340, 0x0380), (0x0387, 0x0388), (0x1F71, 0x1FFE), (0x2000, 0x200B), (0x202F, 0x2030), (0x205F, 0x2060),
    (0x2126, 0x212C), (0x2329, 0x232B), (0x3000, 0x3001), (0xF900, 0xFB00), (0xFF01, 0xFFEF), (0x2F800, 0x2FA1E),
    (0x00A0, 0x00A1),
)  # fmt: skip

_MAX_MARKS = 3
"""The orders of at most so many marks of one letter are tried."""


def is_invisible(character: str) -> bool:
    """Return True if a character is invisible and not a space, tab or line end."""
    if character.isascii():
        return (
            unicodedata.category(character) == "Cc"
            and character not in "\t\n\r\f"
        )
    if unicodedata.category(character) in ("Cc", "Cf"):
        return True
    return any(first <= character <= last for first, last in INVISIBLE_RANGES)


def plain_character(character: str) -> str:
    """Return the plain character that a character looks like, "" if invisible."""
    if is_invisible(character):
        return ""
    if character in _LOOK_ALIKES:
        return _LOOK_ALIKES[character]
    compatible = unicodedata.normalize("NFKC", character)
    # A ligature or a fraction becomes several characters, which a reader tells apart.
    return compatible if len(compatible) == 1 else character


def is_peculiar(character: str) -> bool:
    """Return True if a character is invisible or looks like another one."""
    if character.isascii():
        return is_invisible(character)
    return (
        plain_character(character) != character
        or character in "\u0085\u2028\u2029"
    )


def peculiar_characters(text: str) -> tuple[str, ...]:
    """Return the invisible and look-alike characters of `text`, each once, in order."""
    if text.isascii() and text.isprintable():
        return ()
    return tuple(
        character for character in dict.fromkeys(text) if is_peculiar(character)
    )


def visible_form(text: str) -> str:
    """Return the text that a reader sees.

    It is composed, without invisible characters, and with plain ones for look-alikes.
    """
    if text.isascii() and text.isprintable():
        return re.sub(" {2,}", " ", text)
    composed = unicodedata.normalize("NFC", text)
    plain = unicodedata.normalize(
        "NFC", "".join(map(plain_character, composed))
    )
    return re.sub(" {2,}", " ", plain)


@cache
def equivalent_spellings(
    character: str, *, look_alikes: bool = False
) -> tuple[str, ...]:
    """Return the spellings of a character, itself first.

    They are composed and decomposed forms, wide and narrow forms, and other spaces for
    a space; with `look_alikes` also quotes, dashes and letters of other scripts.
    """
    # A dictionary keeps the order in which the spellings are found.
    spellings = {character: None}
    composed = unicodedata.normalize("NFC", character)
    base, *marks = list(unicodedata.normalize("NFD", character))
    for spelling in _decomposed_spellings(base, marks, composed):
        spellings[spelling] = None
    equivalents = _equivalents()
    for equivalent in equivalents.get(composed, ()):
        spellings[equivalent] = None
    parts = (base, *marks)
    if marks and all(part in equivalents for part in parts):
        # Narrow katakana, whose marks are narrow characters of their own.
        spellings["".join(equivalents[part][-1] for part in parts)] = None
    if look_alikes:
        for look_alike, plain in _LOOK_ALIKES.items():
            if plain == character:
                spellings[look_alike] = None
    return tuple(spellings)


def _decomposed_spellings(
    base: str, marks: list[str], composed: str
) -> Iterator[str]:
    """Yield the spellings in which some of the marks follow a composed letter.

    The marks of a letter may come in several orders. Only those that Unicode composes
    to the same character are spellings of it.
    """
    if len(marks) > _MAX_MARKS:
        return
    for order in permutations(marks):
        for composed_count in range(len(order) + 1):
            letter = base + "".join(order[:composed_count])
            separate_marks = "".join(order[composed_count:])
            spelling = unicodedata.normalize("NFC", letter) + separate_marks
            if unicodedata.normalize("NFC", spelling) == composed:
                yield spelling


@cache
def _equivalents() -> dict[str, list[str]]:
    """Return, for a character, those that Unicode maps to it."""
    equivalents: dict[str, list[str]] = {}
    for start, stop in _EQUIVALENT_RANGES:
        for character in map(chr, range(start, stop)):
            plain = unicodedata.normalize("NFKC", character)
            if len(plain) == 1 and plain != character:
                equivalents.setdefault(plain, []).append(character)
    return equivalents
