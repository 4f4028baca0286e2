"""Replacements of matches of code, byte for byte."""

from __future__ import annotations

import pytest
from tests.files import ROOT

from filewright.boundary.location import Location
from filewright.edit.replacements import compile_replacement, replace_matches
from filewright.errors import Code, FilewrightError
from filewright.search.pattern import compile_pattern
from filewright.text.snapshot import Snapshot
from filewright.text.splice import apply_splices


def replaced(
    content: bytes, pattern: str, replacement: str, name: bytes = b"a.ts"
) -> bytes:
    compiled = compile_pattern(pattern, mode="code", case="sensitive")
    snapshot = Snapshot(content, location=Location(ROOT, (name,)))
    outcome = replace_matches(
        snapshot, compiled, compile_replacement(replacement, compiled)
    )
    return apply_splices(content, tuple(outcome.splices))


@pytest.mark.parametrize(
    ("content", "pattern", "replacement", "result"),
    [
        pytest.param("f(a)", "f($$$A)", "g($$$A)", "g(a)", id="name"),
        pytest.param("f(a)", "f($$$A)", "f($$$A, b)", "f(a, b)", id="last argument"),
        pytest.param("f()", "f($$$A)", "f($$$A, b)", "f(b)", id="only argument"),
        pytest.param("f(a)", "f($$$A)", "f(b, $$$A)", "f(b, a)", id="first argument"),
        pytest.param("f( )", "f($$$A)", "f(b, $$$A)", "f(b )", id="first of none"),
        pytest.param("f(\n  a,\n  b,\n)", "f($$$A)", "g($$$A, c)", "g(\n  a,\n  b, c,\n)", id="last comma"),
        pytest.param("f(\n  a,\n  b\n)", "f($$$A)", "f(c, $$$A)", "f(\n  c, a,\n  b\n)", id="lines"),
        pytest.param("f(f(a), f(f(b)))", "f($$$A)", "g($$$A, 1)", "g(g(a, 1), g(g(b, 1), 1), 1)", id="nested"),
        pytest.param("f(a(1), f(b, c))", "f($X, $Y)", "f($Y, $X)", "f(f(c, b), a(1))", id="another order"),
        pytest.param("f(a, f(b, c))", "f($X, $Y)", "g($Y)", "g(g(c))", id="left out"),
        pytest.param("f(x)", "f($X)", "f($X, $X)", "f(x, x)", id="twice"),
        pytest.param("eq(a, b)\neq(a,\n  b)", "eq($A, $B)", "a = $A == $B", "a = a == b\na = a == b", id="without brackets"),
        pytest.param("if (a==b) {", "if ($A == $B) {", "if ($A === $B) {", "if (a === b) {", id="longer sign"),
        pytest.param("a(b ==\n  c)", "a($X == $Y)", "a($X != $Y)", "a(b !=\n  c)", id="line break stays"),
        pytest.param("f(a, b)", "f($$$A, $B)", "f($$$A)", "f(a)", id="last one less"),
        pytest.param("f(a)", "f($X)", "f($X, \\$X)", "f(a, $X)", id="escaped"),
        pytest.param("f(x)", "f($X)", "f($X, $y)", "f(x, $y)", id="no hole"),
        pytest.param("f(x)", "f($X)", "", "", id="nothing"),
        pytest.param("f(x)", "f($X)", "f($X)", "f(x)", id="unchanged"),
        pytest.param("f(1) + f(f(2))", "f($X)", "await f($X)", "await f(1) + await f(await f(2))", id="before"),
        pytest.param("f(1)(f(2))", "f($$$A)", "f($$$A)!", "f(1)!(f(2)!)", id="behind"),
    ],
)  # fmt: skip
def test_replaces(
    content: str, pattern: str, replacement: str, result: str
) -> None:
    assert replaced(content.encode(), pattern, replacement) == result.encode()


def test_keeps_all_other_bytes() -> None:
    content = b"x\r\n\xff f(\r\n\t\xe9 ,\n b ,\r)\xfe f(\xe9)\r"
    result = replaced(content, "f($$$A)", "g($$$A, 1)")
    assert result == b"x\r\n\xff g(\r\n\t\xe9 ,\n b, 1 ,\r)\xfe g(\xe9, 1)\r"


def test_lines_of_the_replacement_end_as_those_of_the_file() -> None:
    result = replaced(b"a\r\nf(x)\r\n", "f($X)", "f(\n  $X\n)")
    assert result == b"a\r\nf(\r\n  x\r\n)\r\n"


@pytest.mark.parametrize("encoding", ["utf-16", "shift_jis", "cp1252"])
def test_replaces_in_encodings(encoding: str) -> None:
    text = "f(ab, f(c)) // )\r\n" * 3
    if encoding == "shift_jis":
        text = "// 日本語の表示\r\n" + text
    result = replaced(text.encode(encoding), "f($$$A)", "g($$$A, 1)")
    expected = text.replace("f(c)", "g(c, 1)").replace("f(ab", "g(ab")
    assert result.decode(encoding) == expected.replace("1))", "1), 1)")


def test_refuses_an_unknown_hole() -> None:
    with pytest.raises(FilewrightError) as caught:
        replaced(b"f(x)", "f($X)", "f($Y)")
    assert caught.value.code == Code.INVALID_INPUT
    assert "$Y" in str(caught.value)


def test_refuses_matches_that_are_too_deep() -> None:
    deep = b"f(" * 300 + b")" * 300
    with pytest.raises(FilewrightError) as caught:
        replaced(deep, "f($$$A)", "g($$$A)")
    assert caught.value.code == Code.TOO_LARGE
