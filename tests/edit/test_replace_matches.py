"""Replacing every match: templates in regex mode only, nothing else touched."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from filewright.edit.replacements import compile_replacement, replace_matches
from filewright.errors import FilewrightError
from filewright.search.pattern import compile as compile_pattern
from filewright.text.snapshot import Snapshot
from filewright.text.splice import apply_splices, sort_splices
from filewright.tools.replace import check_expected


def replaced(
    content: bytes,
    pattern: str,
    new: str,
    *,
    encoding: str | None = None,
    **options: Any,
) -> tuple[bytes, int]:
    compiled = compile_pattern(pattern, **{"case": "sensitive", **options})
    snapshot = Snapshot(content, encoding=encoding)
    made = replace_matches(snapshot, compiled, compile_replacement(new, compiled))
    assert made.splices == sort_splices(made.splices, snapshot.size)
    return apply_splices(content, made.splices), made.count


def refused(
    pattern: str, new: str, content: bytes = b"abc\n", **options: Any
) -> FilewrightError:
    with pytest.raises(FilewrightError) as caught:
        replaced(content, pattern, new, **options)
    return caught.value


@pytest.mark.parametrize(
    ("content", "pattern", "new", "expected", "count"),
    [
        (b"a b a\n", "a", "x", b"x b x\n", 2),
        (b"aaa\n", "aa", "b", b"ba\n", 1),
        (b"a.b axb\n", "a.b", "c", b"c axb\n", 1),
        (b"cost\n", "cost", "$1 $& ${x} \\1 $$", b"$1 $& ${x} \\1 $$\n", 1),
        (b"a\r\nb\r\nc\n", "a\nb", "a\nx\nb", b"a\r\nx\r\nb\r\nc\n", 1),
        (b"a\nb\r\nc\n", "a\nb\nc", "a\nb\nC", b"a\nb\r\nC\n", 1),
        (b"x\r\ny\r\n", "x", "1\n2", b"1\r\n2\r\ny\r\n", 1),
        (
            b"\xef\xbb\xbfa\xff a\n",
            "a",
            "\u00e4",
            b"\xef\xbb\xbf\xc3\xa4\xff \xc3\xa4\n",
            2,
        ),
        (b"abc\n", "b", "", b"ac\n", 1),
        (b"abc\n", "q", "x", b"abc\n", 0),
        (b"abc\n", "b", "b", b"abc\n", 1),
    ],
)
def test_literal(
    content: bytes, pattern: str, new: str, expected: bytes, count: int
) -> None:
    assert replaced(content, pattern, new) == (expected, count)


@pytest.mark.parametrize(
    ("content", "pattern", "new", "expected"),
    [
        (b"foo(1, 2)\n", r"foo\((\d+), (\d+)\)", "bar($2, $1)", b"bar(2, 1)\n"),
        (b"ab\n", r"(?P<x>a)(?P<y>b)", "${y}${x}", b"ba\n"),
        (b"ab\n", r"(a)(b)", "${2}1$1", b"b1a\n"),
        (b"ab\n", r"a", "$0$0", b"aab\n"),
        (b"ab\n", r"a", "$$1", b"$1b\n"),
        (b"ab\n", r"a", "$x ${ $", b"$x ${ $b\n"),
        (b"ab\n", r"a", "\\n", b"\\nb\n"),
        (b"ac\n", r"a(b)?c", "[$1]", b"[]\n"),
        (b"a\xffb\n", r"(a).", "$1", b"a\xffb\n"),
        (b"one\r\ntwo\r\n", r"(\w+)", "<$1>", b"<one>\r\n<two>\r\n"),
        (b"one\r\ntwo\r\n", r"one", "1\n1", b"1\r\n1\r\ntwo\r\n"),
    ],
)
def test_regex(content: bytes, pattern: str, new: str, expected: bytes) -> None:
    assert replaced(content, pattern, new, mode="regex")[0] == expected


def test_a_group_brings_the_bytes_of_the_file() -> None:
    content = b"k = a\r\nb;\n"
    after, _ = replaced(
        content, r"(?s)k = (.*?);", "v = $1;", mode="regex", multiline=True
    )
    assert after == b"v = a\r\nb;\n"


def test_other_encodings_are_matched_and_written_in_their_own() -> None:
    content = "größe und maß\n".encode("cp1252")
    assert replaced(content, "maß", "größe", encoding="cp1252")[
        0
    ] == "größe und größe\n".encode("cp1252")
    content = "表示 表\n".encode("shift_jis")
    assert replaced(content, r"(表)", "<$1>", mode="regex", encoding="shift_jis")[
        0
    ] == ("<表>示 <表>\n".encode("shift_jis"))


@pytest.mark.parametrize(
    ("pattern", "new", "options", "code", "said"),
    [
        ("b*", "x", {"mode": "regex"}, "invalid_input", "empty string"),
        (r"\b", "x", {"mode": "regex"}, "invalid_input", "empty string"),
        ("(b)", "$2", {"mode": "regex"}, "invalid_input", "$2"),
        ("(b)", "$10", {"mode": "regex"}, "invalid_input", "$10"),
        ("(b)", "${name}", {"mode": "regex"}, "invalid_input", "${name}"),
        ("(b)", "$99999999999999999999", {"mode": "regex"}, "invalid_input", "group"),
        ("b", "\ud83d", {}, "invalid_input", "surrogate"),
        ("b", "日", {"encoding": "cp1252"}, "unencodable", "日"),
        ("", "x", {}, "invalid_input", "empty"),
    ],
)
def test_what_is_refused(
    pattern: str, new: str, options: dict[str, Any], code: str, said: str
) -> None:
    error = refused(pattern, new, **options)
    assert error.code == code
    assert said in error.message
    assert error.hint


def test_binary_files_are_refused() -> None:
    assert refused("a", "b", b"a\0b").code == "is_binary"


def test_too_many_matches_are_refused() -> None:
    pattern = compile_pattern("a")
    with pytest.raises(FilewrightError) as caught:
        replace_matches(
            Snapshot(b"a" * 50),
            pattern,
            compile_replacement("b", pattern),
            max_matches=49,
        )
    assert caught.value.code == "too_large"


@pytest.mark.parametrize(
    ("counts", "expected", "code"),
    [
        ({"a": 2, "b": 3}, None, None),
        ({"a": 2, "b": 3}, 5, None),
        ({"a": 2, "b": 3}, 4, "invalid_input"),
        ({"a": 0}, None, "no_match"),
        ({}, None, "no_match"),
        ({}, 3, "invalid_input"),
    ],
)
def test_counts_guard_against_surprises(
    counts: dict[str, int], expected: int | None, code: str | None
) -> None:
    if code is None:
        assert check_expected(counts, expected) == 5
        return
    with pytest.raises(FilewrightError) as caught:
        check_expected(counts, expected)
    assert caught.value.code == code


@given(
    st.lists(
        st.sampled_from(["a", "b", "ab", "ä", "\n", "\r\n", "x"]), max_size=30
    ).map("".join),
    st.sampled_from(["a", "ab", "ä", "b"]),
    st.sampled_from(["", "a", "xy", "ä$1"]),
)
@examples(50, derandomize=True)
def test_literal_replacement_is_that_of_the_text(
    text: str, pattern: str, new: str
) -> None:
    assert (
        replaced(text.encode(), pattern, new)[0] == text.replace(pattern, new).encode()
    )
