"""The syntax of regular expressions: accepted forms, their meaning, and refusals."""

import pytest
from tests.search.patterns import found

from filewright.errors import Code, FilewrightError
from filewright.search.pattern import compile_pattern


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("a.c", "abc a\nc aéc", ["abc", "aéc"]),
        (r"\w+", "café x_1", ["caf", "x_1"]),  # \w is ASCII
        (r"[\p{L}]+", "café x_1", ["café", "x"]),
        (r"\d+", "٣ 42", ["42"]),
        (r"\bfoo\b", "foo foobar xfoo", ["foo"]),
        (r"^b$", "a\r\nb\rb\nb", ["b", "b", "b"]),
        (r"a{2,3}", "aaaa", ["aaa"]),
        (r"a{2}?", "aaaa", ["aa", "aa"]),
        (r"a{x", "a{x", ["a{x"]),  # a brace that repeats nothing is itself
        (r"(?i)straße", "STRASSE Straße", ["Straße"]),
        (r"(?i:a)b", "Ab AB", ["Ab"]),
        (r"[^a-c\d]", "ab1x", ["x"]),
        (r"[]a]", "]a", ["]", "a"]),
        (r"[[]", "[", ["["]),
        (r"[[:upper:][:digit:]]+", "aB2c", ["B2"]),
        (r"[^[:^digit:]]+", "a12", ["12"]),
        (r"\x41\x{42}\u0043", "ABC", ["ABC"]),
        (r"(?<year>\d{4})-(?P<month>\d\d)", "2026-11", ["2026-11"]),
        (r"\S+", "a b\tc", ["a", "b", "c"]),
        (r"\s", "a\vb", ["\v"]),
        (r"x*", "axb", ["", "x", ""]),
        ("a|", "ba", ["", "a"]),
        (r"[\w-]+", "a-b c", ["a-b", "c"]),
        (r"\p{Greek}+", "abΩλ", ["Ωλ"]),
        (r"\P{L}+", "ab12", ["12"]),
        (r"\/\-\#\ ", "/-# ", ["/-# "]),
        (r"\Aa|b", "a\na b\na", ["a", "b"]),
        (r"\A\Ba", "a\na", []),
        (r"(?:\Aa)?c", "\ufeffac\nac", ["ac", "c"]),
    ],
)
def test_meaning(pattern, text, matches):
    assert found(pattern, text) == matches


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        (r"a\nb", "a\r\nb a\rb a\nb", ["a\r\nb", "a\rb", "a\nb"]),
        (r"a\r\nb", "a\nb", ["a\nb"]),
        (r"a\r?\nb", "a\r\nb", ["a\r\nb"]),
        (r"a[^x]b", "a\r\nb", ["a\r\nb"]),
        (r"(?s)a.b", "a\nb", ["a\nb"]),
        (r"a.b", "a\nb", []),
        (r"a$\n^b", "a\rb", ["a\rb"]),
        (r"a\s+b", "a\r\n\r\n b", ["a\r\n\r\n b"]),
        (r"\A\s*(a)", "\n a\n a", ["\n a"]),
        (r"a\z", "a\na", ["a"]),
        (r"a\z", "a\na\r\n", []),
        (r"a\n?\z", "a\na\r\n", ["a\r\n"]),
        (r"\n*\z", "a\n\n", ["\n\n"]),
    ],
)
def test_multiline(pattern, text, matches):
    assert found(pattern, text, multiline=True) == matches


@pytest.mark.parametrize(
    ("pattern", "multiline"),
    [
        (r"a\nb", True),
        ("a\nb", True),
        (r"a(x|\n)", True),
        (r"a[\r\n]", True),
        (r"\n?\z", True),
        (r"a\z", True),
        (r"[^\n]*", False),
        (r"(?s)a.b", True),
        (r"(?s:a)b.", False),
        (r"a\s+b", False),
        (r"a$", False),
    ],
)
def test_names_line_endings(pattern, multiline):
    assert compile_pattern(pattern, mode="regex").multiline is multiline


@pytest.mark.parametrize(
    "pattern",
    [
        "(?=a)",
        "(?!a)",
        "(?<=a)b",
        "(?<!a)b",
        r"(a)\1",
        r"\0",
        "a{1001}",
        "a{2,1}",
        "(?x)a",
        "(?U)a",
        "(?>a)",
        "[a&&b]",
        "[a--b]",
        "[a~~b]",
        r"a\Z",
        "a++",
        "a**",
        "*a",
        "(",
        ")",
        "[",
        "[z-a]",
        r"\r",
        "a{,3}",
        "{2}",
        r"\b+",
        "^*",
        "(?:a{900}){900}",
        r"\p{Nonsense}",
        r"\p{l}",
        "\\",
        r"\R",
        r"\K",
        r"\X",
        r"\Q",
        r"\x{110000}",
        r"\ud800",
        "(?<n>a)(?<n>b)",
        "(?<>a)",
        "(?P=n)",
        "[[:no:]]",
        r"[a-\d]",
        r"[\b]",
        r"\b{start}",
        "(?",
        "(?i",
        "[a",
        r"\x4",
        "(" * 200 + ")" * 200,
        chr(0xD800),
    ],
)
def test_refuses_with_a_hint(
    pattern,
):
    with pytest.raises(FilewrightError) as caught:
        compile_pattern(pattern, mode="regex")
    assert caught.value.code is Code.INVALID_INPUT
    assert caught.value.hint
    assert caught.value.details["argument"] == "pattern"
