"""Readings of a file."""

from __future__ import annotations

import codecs

import pytest

from filewright.recording.readings import (
    FileReading,
    read_as_utf8,
    read_as_utf16,
    read_bytes,
    read_in,
    read_like,
    read_with_new_text,
    split_characters,
)
from filewright.text.codec import Encoding

LATIN = Encoding("cp1252")
UTF16 = Encoding("utf-16-le", bom=codecs.BOM_UTF16_LE)
WIDE = codecs.BOM_UTF16_LE + "\u0a0d\r\nb".encode("utf-16-le")


def require(reading: FileReading | None) -> FileReading:
    assert reading is not None
    return reading


@pytest.mark.parametrize(
    ("reading", "texts"),
    [
        pytest.param(read_as_utf8(b"a\r\nb\rc"), ["a", "b", "c"], id="ends"),
        pytest.param(
            read_as_utf8(b"a\x0c\xe2\x80\xa8b"), ["a\x0c\u2028b"], id="feed"
        ),
        pytest.param(read_as_utf8(b"caf\xe9\n"), ["caf\ufffd"], id="lenient"),
        pytest.param(read_bytes(b"caf\xe9\n"), ["caf\udce9"], id="bytes"),
        pytest.param(read_in(b"caf\xe9\n", LATIN), ["café"], id="latin"),
        pytest.param(read_in(WIDE, UTF16), ["\u0a0d", "b"], id="utf-16"),
        pytest.param(read_as_utf16(WIDE), ["\u0a0d", "b"], id="mark"),
        pytest.param(read_as_utf8(b""), [], id="empty"),
    ],
)
def test_lines(reading: FileReading | None, texts: list[str]) -> None:
    assert require(reading).texts == texts
    assert len(require(reading).lines) == len(texts)


@pytest.mark.parametrize(
    "content", [b"", b"a\n", b"\xef\xbb\xbfa\r\n\xff", b"\n\r\n\r"]
)
def test_keeps_bytes(content: bytes) -> None:
    for reading in (
        read_as_utf8(content),
        read_bytes(content),
        require(read_in(content, LATIN)),
    ):
        assert reading.content == content
        assert read_like(content, reading).content == content


def test_line_ends() -> None:
    reading = require(read_in(WIDE, UTF16))
    assert reading.ending(0) == "\r\n".encode("utf-16-le")
    assert reading.body(1) == b"b\0"
    assert not reading.is_ended
    assert reading.text == "\u0a0d\nb"
    assert read_as_utf8(b"a\n").text == "a\n"


def test_half_a_character_of_utf16() -> None:
    assert read_in(WIDE + b"x", UTF16) is None
    assert read_as_utf16(b"a") is None


def test_characters() -> None:
    pairs = [
        (unit.text, unit.content)
        for unit in split_characters(b"\xe2\x82\xc3\xa9x\xff", "utf-8")
    ]
    assert pairs == [
        ("\ufffd", b"\xe2\x82"),
        ("é", b"\xc3\xa9"),
        ("x", b"x"),
        ("\ufffd", b"\xff"),
    ]


def test_units_have_terminators() -> None:
    units = read_bytes(b"\xe9\r\na").units(0, 2)
    assert [(unit.text, unit.content) for unit in units] == [
        ("\udce9", b"\xe9"),
        ("\n", b"\r\n"),
        ("a", b"a"),
    ]


def test_new_text_has_own_encoding() -> None:
    reading = read_with_new_text(b"\xe9 \xe9\n", [(2, 3)], LATIN)
    assert reading.texts == ["\ufffd é"]


@pytest.mark.parametrize(
    ("content", "encoding", "is_certain"),
    [
        (b"caf\xe9", Encoding("cp1252", is_guess=True), True),
        ("café".encode(), Encoding("cp1252", is_guess=True), False),
        ("café".encode(), Encoding("cp1252"), True),
    ],
)
def test_certainty(
    content: bytes, encoding: Encoding, is_certain: bool
) -> None:
    reading = require(read_in(content, encoding))
    assert reading.is_certain(encoding) is is_certain
