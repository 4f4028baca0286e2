"""Strings of a notebook: their text, and the bytes between their quotes."""

from __future__ import annotations

import pytest

from filewright.text.notebook_strings import (
    NotANotebookError,
    decode_string,
    encode_string,
    has_surrogate,
)


@pytest.mark.parametrize(
    ("text", "ascii_only", "literal"),
    [
        ('a "b"\n', False, rb"a \"b\"\n"),
        ("\u00e9\t", False, "\u00e9\\t".encode()),
        ("\u00e9", True, rb"\u00e9"),
        ("\U0001f600", True, rb"\ud83d\ude00"),
        ("\ud83d", False, rb"\ud83d"),
    ],
    ids=["quotes", "plain", "escaped", "pair", "half a pair"],
)
def test_strings(text: str, ascii_only: bool, literal: bytes) -> None:
    line = text.encode("utf-8", "surrogatepass")
    assert encode_string(line, ascii_only) == literal
    assert decode_string(literal) == line
    assert has_surrogate(text) is (text == "\ud83d")


@pytest.mark.parametrize("literal", [rb"\x", b'"', b"\n", b"\xff"])
def test_refuses_other_literals(literal: bytes) -> None:
    with pytest.raises(NotANotebookError):
        decode_string(literal)
