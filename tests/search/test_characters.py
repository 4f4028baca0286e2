"""Single characters of a pattern, for each engine."""

import re

import pytest

from filewright.search.characters import (
    ANY_CHARACTER_BYTES,
    escape_bytes,
    write_character,
    write_raw_character,
    write_raw_class,
    write_spellings,
)
from filewright.search.regex_engine import compile_re2

CODECS = ("utf-8", "cp1252", "gb18030", "utf-16-le")


def as_python(pattern: str) -> re.Pattern[bytes]:
    """Return a pattern of `rg` for bytes, as Python writes it."""
    plain = re.sub(r"\(\?-u:((?:[^()]|\[[^]]*\])*)\)", r"(?:\1)", pattern)
    return re.compile(plain.encode())


@pytest.mark.parametrize("character", [*"a0 _.*[]\\^-é日", "\n", "\U0001f600"])
def test_character_matches_itself(character: str) -> None:
    regexp = compile_re2(write_character(character))
    assert regexp.fullmatch(character.encode()) is not None
    inside = compile_re2(f"[{write_character(character)}]")
    assert inside.fullmatch(character.encode()) is not None


@pytest.mark.parametrize("character", ["é", "日"])
@pytest.mark.parametrize("codec", ["utf-8", "gb18030"])
def test_raw_form_matches_every_encoding(character: str, codec: str) -> None:
    assert write_raw_character(character) == ANY_CHARACTER_BYTES
    form = as_python(ANY_CHARACTER_BYTES)
    assert form.fullmatch(character.encode(codec)) is not None


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_raw_line_feed_is_any_terminator(end: bytes) -> None:
    assert as_python(write_raw_character("\n")).fullmatch(end) is not None


def test_kelvin_sign_is_a_folded_k() -> None:
    assert write_raw_character("k", fold=True).startswith("(?:k|")
    assert write_raw_character("a", fold=True) == "a"


@pytest.mark.parametrize(
    ("text", "is_beyond_ascii", "expected"),
    [
        (r"\d", False, r"(?:(?-u:[\x30-\x39]))"),
        ("[^a-z]", True, ANY_CHARACTER_BYTES),
        ("[é]", True, rf"(?:{ANY_CHARACTER_BYTES})"),
    ],
)
def test_raw_class(text: str, is_beyond_ascii: bool, expected: str) -> None:
    form = write_raw_class(
        text, is_beyond_ascii=is_beyond_ascii, multiline=False
    )
    assert expected in form


def test_raw_class_with_line_feed() -> None:
    form = write_raw_class(r"[\s]", is_beyond_ascii=False, multiline=True)
    assert form.startswith(r"(?:\r\n|")


@pytest.mark.parametrize(
    ("spelling", "look_alikes", "expected"),
    [
        ("'", False, True),
        ("\u2019", False, False),
        ("\u2019", True, True),
        ("'\u200b", True, True),
    ],
    ids=["itself", "exact", "look-alike", "invisible"],
)
def test_spellings(spelling: str, look_alikes: bool, expected: bool) -> None:
    forms = write_spellings("'", look_alikes=look_alikes)
    regexp = compile_re2(forms.re2)
    assert (regexp.fullmatch(spelling.encode()) is not None) is expected


@pytest.mark.parametrize("literal", [b"aZ0", b"\xff\x00", b".*"])
def test_escaped_bytes(literal: bytes) -> None:
    assert as_python(escape_bytes(literal)).fullmatch(literal) is not None
