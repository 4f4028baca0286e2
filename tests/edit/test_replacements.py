"""Replacements of all matches: templates, references to groups, empty matches, encodings."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from filewright.edit.replacements import compile_replacement, replace_matches
from filewright.errors import Code, FilewrightError
from filewright.search.pattern import compile_pattern
from filewright.text.snapshot import Snapshot
from filewright.text.splice import apply_splices, sort_splices


def _replaced(
    data: bytes, pattern: str, new: str, mode: str = "regex"
) -> tuple[bytes, int]:
    compiled = compile_pattern(pattern, mode=mode, case="sensitive")
    made = replace_matches(
        Snapshot(data), compiled, compile_replacement(new, compiled)
    )
    return apply_splices(data, made.splices), made.count


@pytest.mark.parametrize(
    ("pattern", "new", "hint"),
    [
        (r"a(b)c", r"[\1]", "write $1"),
        (r"first", r"[\0]", "write $0"),
        (r"a(b)c", r"\g<1>", "write $1"),
        (r"(?P<n>\w+) last", r"last \g<n>", "write ${n}"),
        (r"(?P<n>\w+) last", r"last \k<n>", "write ${n}"),
        (r"(?P<n>\w+) last", "last $n", "write ${n}"),
        (r"(?P<n>\w+) last", "last $<n>", "write ${n}"),
        (r"(\w)x", r"\U$1", "item"),
        (r"(\w)x", r"\u\1", "item"),
        (r"(\w)x", r"\L\g<1>\E", "item"),
        (r"a", "<$&>", "write $0"),
        (r"a(b)c", r"\\\1", "write $1"),
        (r"(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)", r"\10", "write ${10}"),
    ],
)
def test_refuses_references_of_other_dialects(
    pattern: str, new: str, hint: str
) -> None:
    with pytest.raises(FilewrightError) as caught:
        _replaced(b"abc first x", pattern, new)
    assert caught.value.code == Code.INVALID_INPUT
    assert hint in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("pattern", "new", "mode", "expected"),
    [
        ("abc", r"\1", "literal", rb"\1"),
        ("abc", r"\\1", "literal", rb"\\1"),
        ("abc", r"\g<1> $1 $n", "literal", rb"\g<1> $1 $n"),
        ("abc", r"\\1", "regex", rb"\\1"),
        ("abc", "$HOME/$this", "regex", b"$HOME/$this"),
        ("abc", r"C:\Users", "regex", rb"C:\Users"),
        ("abc", r"\n\t\u0041", "regex", rb"\n\t\u0041"),
        ("abc", "$$1 $$& $$n", "regex", b"$1 $& $n"),
        ("a(?P<n>b)c", "${n}$0${1}0", "regex", b"babcb0"),
    ],
)
def test_writes_what_is_no_reference(
    pattern: str, new: str, mode: str, expected: bytes
) -> None:
    assert _replaced(b"abc", pattern, new, mode) == (expected, 1)


TEXT = b"one\n\n  two \t\r\n \t\r\nthree"


@pytest.mark.parametrize(
    ("pattern", "new", "expected", "count"),
    [
        ("^", "// ", b"// one\n// \n//   two \t\r\n//  \t\r\n// three", 5),
        ("$", ";", b"one;\n;\n  two \t;\r\n \t;\r\nthree;", 5),
        ("^$", "BLANK", b"one\nBLANK\n  two \t\r\n \t\r\nthree", 1),
        (r"^\s*$", "-", b"one\n-\n  two \t\r\n-\r\nthree", 2),
        (r"[ \t]*$", "", b"one\n\n  two\r\n\r\nthree", 2),
        (r"\s*$", "", b"one\n\n  two\r\n\r\nthree", 2),
        (r"^[ \t]*", "", b"one\n\ntwo \t\r\n\r\nthree", 2),
        (r"^( *)", "$1# ", b"# one\n# \n  # two \t\r\n # \t\r\n# three", 5),
        (
            r"\A",
            "#!/bin/sh\n",
            b"#!/bin/sh\none\n\n  two \t\r\n \t\r\nthree",
            1,
        ),
        ("^(?:)", "> ", b"> one\n> \n>   two \t\r\n>  \t\r\n> three", 5),
        ("^|$", "|", b"|one|\n|\n|  two \t|\r\n| \t|\r\n|three|", 9),
    ],
)
def test_replaces_at_the_edges_of_lines(
    pattern: str, new: str, expected: bytes, count: int
) -> None:
    assert _replaced(TEXT, pattern, new) == (expected, count)


@pytest.mark.parametrize(
    "text", ["one\n\ntwo\n", "one\r\n\r\ntwo", "é\n\nï\n", "one\rtwo\r"]
)
def test_replaces_at_edges_in_every_encoding(text: str) -> None:
    for encoding in ("utf-8", "utf-16", "cp1252"):
        data = text.encode(encoding)
        compiled = compile_pattern("^", mode="regex")
        snapshot = Snapshot(
            data, encoding=encoding if encoding != "utf-16" else None
        )
        made = replace_matches(
            snapshot, compiled, compile_replacement("> ", compiled)
        )
        lines = text.splitlines(keepends=True)
        expected = "".join(f"> {line}" for line in lines)
        assert apply_splices(data, made.splices).decode(encoding) == expected


@pytest.mark.parametrize(
    ("pattern", "hint"),
    [
        ("x*", "'+' in place of '*'"),
        ("$|x*", "'+' in place of '*'"),
        ("a?", "tie it to a line's edge"),
        (r"\b", "put them back"),
        (r"\B", "put them back"),
        (r"^|\b", "put them back"),
        ("x|", "put them back"),
    ],
)
def test_refuses_what_matches_nothing_anywhere(pattern: str, hint: str) -> None:
    with pytest.raises(FilewrightError) as caught:
        _replaced(b"a b", pattern, "-")
    assert hint in (caught.value.hint or "")


def replace_in(
    content: bytes,
    pattern: str,
    new: str,
    *,
    encoding: str | None = None,
    **options: Any,
) -> tuple[bytes, int]:
    compiled = compile_pattern(pattern, **{"case": "sensitive", **options})
    snapshot = Snapshot(content, encoding=encoding)
    made = replace_matches(
        snapshot, compiled, compile_replacement(new, compiled)
    )
    assert made.splices == sort_splices(made.splices, snapshot.size)
    return apply_splices(content, made.splices), made.count


def refused(
    pattern: str, new: str, content: bytes = b"abc\n", **options: Any
) -> FilewrightError:
    with pytest.raises(FilewrightError) as caught:
        replace_in(content, pattern, new, **options)
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
    assert replace_in(content, pattern, new) == (expected, count)


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
        (b"a\r\nb", r"\n|b", "\n$0", b"a\r\n\r\n\r\nb"),
    ],
)
def test_regex(content: bytes, pattern: str, new: str, expected: bytes) -> None:
    assert replace_in(content, pattern, new, mode="regex")[0] == expected


def test_group_has_bytes_of_file() -> None:
    content = b"k = a\r\nb;\n"
    after, _ = replace_in(
        content, r"(?s)k = (.*?);", "v = $1;", mode="regex", multiline=True
    )
    assert after == b"v = a\r\nb;\n"


def test_other_encodings() -> None:
    content = "größe und maß\n".encode("cp1252")
    assert replace_in(content, "maß", "größe", encoding="cp1252")[
        0
    ] == "größe und größe\n".encode("cp1252")
    content = "表示 表\n".encode("shift_jis")
    assert replace_in(
        content, r"(表)", "<$1>", mode="regex", encoding="shift_jis"
    )[0] == ("<表>示 <表>\n".encode("shift_jis"))


@pytest.mark.parametrize(
    ("pattern", "new", "options", "code", "said"),
    [
        ("b*", "x", {"mode": "regex"}, "invalid_input", "empty string"),
        (r"\b", "x", {"mode": "regex"}, "invalid_input", "empty string"),
        ("(b)", "$2", {"mode": "regex"}, "invalid_input", "$2"),
        ("(b)", "$10", {"mode": "regex"}, "invalid_input", "$10"),
        ("(b)", "${name}", {"mode": "regex"}, "invalid_input", "${name}"),
        (
            "(b)",
            "$99999999999999999999",
            {"mode": "regex"},
            "invalid_input",
            "group",
        ),
        ("b", "\ud83d", {}, "invalid_input", "surrogate"),
        ("b", "日", {"encoding": "cp1252"}, "unencodable", "日"),
        ("", "x", {}, "invalid_input", "empty"),
    ],
)
def test_refuses(
    pattern: str, new: str, options: dict[str, Any], code: str, said: str
) -> None:
    error = refused(pattern, new, **options)
    assert error.code == code
    assert said in error.message
    assert error.hint


def test_refuses_binary_files() -> None:
    assert refused("a", "b", b"a\0b").code == "is_binary"


def test_refuses_too_many_matches() -> None:
    pattern = compile_pattern("a")
    with pytest.raises(FilewrightError) as caught:
        replace_matches(
            Snapshot(b"a" * 50),
            pattern,
            compile_replacement("b", pattern),
            max_matches=49,
        )
    assert caught.value.code == "too_large"


@given(
    st.lists(
        st.sampled_from(["a", "b", "ab", "ä", "\n", "\r\n", "x"]), max_size=30
    ).map("".join),
    st.sampled_from(["a", "ab", "ä", "b"]),
    st.sampled_from(["", "a", "xy", "ä$1"]),
)
@examples(25, derandomize=True)
def test_literal_equals_str_replace(text: str, pattern: str, new: str) -> None:
    assert (
        replace_in(text.encode(), pattern, new)[0]
        == text.replace(pattern, new).encode()
    )
