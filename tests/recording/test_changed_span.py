"""The lines in which two contents differ."""

from __future__ import annotations

import random

import pytest

from filewright.recording.changed_span import find_changed_span

CASES = {
    "equal": (b"a\nb\n", b"a\nb\n"),
    "first line": (b"a\nb\nc\n", b"x\nb\nc\n"),
    "last line": (b"a\nb\nc\n", b"a\nb\nx\n"),
    "no final newline": (b"a\nb", b"a\nb\n"),
    "crlf to lf": (b"a\r\nb\r\nc\r\n", b"a\nb\nc\n"),
    "one is empty": (b"", b"a\n"),
    "inserted": (b"a\na\na\n", b"a\na\na\na\n"),
}


def require_span(content: bytes, other: bytes) -> None:
    span = find_changed_span(content, other)
    assert content[: span.start] == other[: span.start]
    assert content[span.end :] == other[span.other_end :]
    assert span.start <= span.end
    assert span.start <= span.other_end
    for text, end in ((content, span.end), (other, span.other_end)):
        assert span.start == 0 or text[span.start - 1 : span.start] == b"\n"
        assert end == len(text) or text[end - 1 : end] == b"\n"


@pytest.mark.parametrize("name", CASES)
def test_span(name: str) -> None:
    content, other = CASES[name]
    require_span(content, other)
    require_span(other, content)


@pytest.mark.parametrize("seed", range(5))
def test_random_contents(seed: int) -> None:
    dice = random.Random(seed)
    for _ in range(400):
        content = bytes(dice.choices(b"ab\r\n\n", k=dice.randrange(12)))
        other = bytes(dice.choices(b"ab\r\n\n", k=dice.randrange(12)))
        require_span(content, other)
