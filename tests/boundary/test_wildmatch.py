"""Wildcards as git reads them."""

from __future__ import annotations

import pytest

from filewright.boundary.wildmatch import MalformedError, bracket, translate


@pytest.mark.parametrize(
    ("pattern", "matches", "others"),
    [
        ("*.b", ["a.b", ".b"], ["a.bc", "x/a.b"]),
        ("a?c", ["abc"], ["ac", "a/c", "aéc"]),
        ("**/a", ["a", "x/a", "x/y/a"], ["xa", "x/ba"]),
        ("a/**", ["a/b", "a/b/c"], ["a", "b/a/b"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["ab", "a/xb"]),
        ("a**b", ["ab", "axb"], ["a/b"]),
        ("*a*b", ["ab", "xaybzb"], ["ba", "a/b"]),
        ("*a*a", ["aa", "xaya"], ["a", "ba"]),
        ("[a-c]x", ["ax", "cx"], ["dx", "-x"]),
        ("[!a]", ["b", "]"], ["a", "/"]),
        ("[]a]", ["]", "a"], ["b"]),
        ("[[:digit:]x]", ["7", "x"], ["a", ":"]),
        ("[+--]", ["+", ",", "-"], ["."]),
        ("\\*", ["*"], ["a"]),
        ("a.b", ["a.b"], ["axb"]),
        ("[c-a]", ["c"], ["a", "b", "-"]),
    ],
)
def test_matches(pattern: str, matches: list[str], others: list[str]) -> None:
    expression = translate(pattern.encode())
    for text in matches:
        assert expression.fullmatch(text.encode()), text
    for text in others:
        assert not expression.fullmatch(text.encode()), text


def test_question_mark_of_characters() -> None:
    expression = translate(b"a?c", characters=True)
    assert expression.fullmatch("aéc".encode())
    assert expression.fullmatch(b"a\xffc")
    assert not expression.fullmatch(b"a/c")


@pytest.mark.parametrize("pattern", [b"[a", b"[", b"a\\", b"[[:no:]]", b"[a\\"])
def test_malformed(pattern: bytes) -> None:
    with pytest.raises(MalformedError):
        translate(pattern)


def test_bracket() -> None:
    assert bracket(b"x[a/]y", 1) == (frozenset(b"a"), 5)
    members, _ = bracket(b"[^a]", 0)
    assert members == frozenset(range(256)) - {ord("a"), ord("/")}
