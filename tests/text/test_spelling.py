"""Other spellings: invisible characters and characters that look alike."""

import unicodedata

import pytest

from filewright.text.spelling import (
    equivalent_spellings,
    is_invisible,
    peculiar_characters,
)


@pytest.mark.parametrize(
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
    ids=[
        "ascii",
        "letters",
        "no-break-spaces",
        "zero-width",
        "variation-selector",
        "cyrillic",
        "quotes",
        "wide",
        "control",
        "filler",
    ],
)
def test_finds_peculiar_characters(text: str, peculiar: str) -> None:
    assert peculiar_characters(text) == tuple(peculiar)


@pytest.mark.parametrize(
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
    ids=[
        "accent",
        "two-accents",
        "hangul",
        "voiced-katakana",
        "space",
        "wide-letter",
        "angstrom",
        "narrow-katakana",
    ],
)
def test_finds_other_spellings(character: str, others: list[str]) -> None:
    spellings = equivalent_spellings(character)
    assert spellings[0] == character
    assert set(others) <= set(spellings)


def test_spellings_are_compatible() -> None:
    for character in map(chr, [*range(0x20, 0x3000), *range(0xAC00, 0xAD00)]):
        if unicodedata.category(character) in ("Cn", "Cs"):
            continue
        plain = unicodedata.normalize("NFKC", character)
        for spelling in equivalent_spellings(character):
            assert unicodedata.normalize("NFKC", spelling) == plain, (
                character,
                spelling,
            )


def test_look_alikes_are_optional() -> None:
    assert "а" not in equivalent_spellings("a")
    assert "а" in equivalent_spellings("a", look_alikes=True)
    assert "”" in equivalent_spellings('"', look_alikes=True)
    assert not is_invisible(" ")
