"""Strings, comments and brackets, and the steps it takes to find them."""

from __future__ import annotations

import re
import sys
from collections import Counter
from types import FrameType

import pytest

from filewright.languages import Language
from filewright.search.code_tokens import TokenKind, scan_tokens


def strings(text: bytes, language: Language) -> list[bytes]:
    """Return the strings of a text."""
    tokens = scan_tokens(text, language)
    return [
        text[start:end]
        for start, end, kind in zip(
            tokens.starts, tokens.ends, tokens.kinds, strict=True
        )
        if kind == TokenKind.STRING
    ]


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        pytest.param(b"a <<X; (\n1\n  X\n<<X\n2\nX\nX\n", Language.BASH, [b"\n1\n  X", b"\n2\nX"], id="here-documents"),
        pytest.param(b"a <<X\nXY\nX Y\nX", Language.RUBY, [b"\nXY\nX Y\nX"], id="to the end"),
        pytest.param(b"f(<<<X\n1\n X, 2)", Language.PHP, [b"\n1\n X"], id="code behind the word"),
        pytest.param(b"a <<X\nb <<Y\nY\n", Language.BASH, [b"\nY"], id="one without an end"),
        pytest.param(b"R\"(a)x)\" R\"x(b)\")x\"", Language.CPP, [b"R\"(a)x)\"", b"R\"x(b)\")x\""], id="raw strings"),
        pytest.param(b"$a$b$ $b$ $a$ $$ $$", Language.SQL, [b"$a$b$ $b$ $a$", b"$$ $$"], id="dollars"),
        pytest.param(b"$a$b$ $b$", Language.SQL, [b"$b$ $b$"], id="overlapping dollars"),
    ],
)  # fmt: skip
def test_finds_strings(
    text: bytes, language: Language, found: list[bytes]
) -> None:
    assert strings(text, language) == found


@pytest.mark.parametrize(
    ("opening", "language"),
    [
        pytest.param("<<w%d\n", Language.BASH, id="here-document"),
        pytest.param('R"w%d(\n', Language.CPP, id="raw string"),
        pytest.param("$w%d$\n", Language.SQL, id="dollars"),
    ],
)
def test_work_is_bounded(opening: str, language: Language) -> None:
    """A search to the end of the text, by an expression or a word of its own."""

    def count_searches(size: int) -> Counter[str]:
        text = "".join(opening % number for number in range(size)).encode()
        expressions: set[str] = set()
        searches: Counter[str] = Counter()

        def profile(_frame: FrameType, event: str, function: object) -> None:
            if event != "c_call":
                return
            subject = getattr(function, "__self__", None)
            if isinstance(subject, re.Pattern):
                expressions.add(subject.pattern)
            elif isinstance(subject, bytes):
                name = getattr(function, "__name__", "")
                searches[name] += name == "find" and language != Language.BASH

        sys.setprofile(profile)
        try:
            scan_tokens(text, language)
        finally:
            sys.setprofile(None)
        searches["expressions"] = len(expressions)
        return searches

    assert count_searches(20) == count_searches(80)
