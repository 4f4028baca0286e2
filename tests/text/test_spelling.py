"""Characters that a reader cannot tell apart, and how an answer names them."""

import unicodedata

from tests.rows import each_row

from filewright.text.spelling import (
    equivalent_spellings,
    is_invisible,
    peculiar_characters,
)
from filewright.wording import character_name


@each_row(
    ("character", "name"),
    [
        ("\u00a0", "NO-BREAK SPACE (U+00A0)"),
        ("\u200b", "ZERO WIDTH SPACE (U+200B)"),
        ("\ufeff", "BYTE ORDER MARK (U+FEFF)"),
        ("\ufe0f", "VARIATION SELECTOR-16 (U+FE0F)"),
        ("а", "CYRILLIC SMALL LETTER A (U+0430)"),
        ("\0", "NULL (U+0000)"),
        ("\x01", "control character (U+0001)"),
        ("\ud83d", "half of a surrogate pair (U+D83D)"),
        ("\ue000", "private use (U+E000)"),
        ("\U0001f600", "GRINNING FACE (U+1F600)"),
    ],
)
def test_names_a_character_by_code_point(character: str, name: str) -> None:
    assert character_name(character) == name


@each_row(
    ("text", "peculiar"),
    [
        ("plain text\n", ""),
        ("Größe 日本語", ""),
        ("a\u00a0b\u00a0c", "\u00a0"),
        ("\ufeffx\u200by", "\ufeff\u200b"),
        ("☂\ufe0f", "\ufe0f"),
        ("pаss", "а"),
        ("“x”", "“”"),
        ("ＡＢ", "ＡＢ"),
        ("a\x1bb\tc", "\x1b"),
        ("\u3164", "\u3164"),
    ],
)
def test_finds_what_a_reader_cannot_see(text: str, peculiar: str) -> None:
    assert peculiar_characters(text) == tuple(peculiar)


@each_row(
    ("character", "others"),
    [
        ("é", ["e\u0301"]),
        ("ệ", ["e\u0323\u0302", "ẹ\u0302", "ê\u0323", "e\u0302\u0323"]),
        ("한", ["\u1112\u1161\u11ab", "\ud558\u11ab"]),
        ("ガ", ["カ\u3099", "\uff76\uff9e"]),
        (" ", ["\u00a0", "\u3000", "\u202f"]),
        ("A", ["Ａ"]),
        ("Å", ["\u212b", "A\u030a"]),
        ("ー", ["ｰ"]),
    ],
)
def test_knows_the_other_spellings(character: str, others: list[str]) -> None:
    spellings = equivalent_spellings(character)
    assert spellings[0] == character
    assert set(others) <= set(spellings)


def test_every_spelling_is_compatible() -> None:
    for character in map(chr, [*range(0x20, 0x3000), *range(0xAC00, 0xAD00)]):
        if unicodedata.category(character) in ("Cn", "Cs"):
            continue
        plain = unicodedata.normalize("NFKC", character)
        for spelling in equivalent_spellings(character):
            assert unicodedata.normalize("NFKC", spelling) == plain, (
                character,
                spelling,
            )


def test_takes_look_alikes_only_where_asked() -> None:
    assert "а" not in equivalent_spellings("a")
    assert "а" in equivalent_spellings("a", look_alikes=True)
    assert "”" in equivalent_spellings('"', look_alikes=True)
    assert not is_invisible(" ")
