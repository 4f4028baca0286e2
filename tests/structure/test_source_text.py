"""The text of a syntax tree."""

from __future__ import annotations

import pytest

from filewright.structure.source_text import SourceText, truncate


@pytest.mark.parametrize("codec", ["utf-8", "utf-16-le"])
def test_reads_by_bytes(codec: str) -> None:
    width = len("a".encode(codec))
    source = SourceText("a  b\nc".encode(codec), codec)
    assert source.read(0, 4 * width, 99) == "a  b"
    assert source.read(0, 6 * width, 2 * width) == "a "
    assert source.read_collapsed(0, 6 * width, 99) == "a b c"
    assert source.count_line_ends(0, 6 * width) == 1
    assert source.last_character(0, 5 * width) == 4 * width
    assert source.last_character(2, 2) == 2


@pytest.mark.parametrize(
    ("text", "expected"), [("abc", "abc"), ("abcd", "ab…")]
)
def test_truncate(text: str, expected: str) -> None:
    assert truncate(text, 3) == expected
