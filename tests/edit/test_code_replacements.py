"""Replacements of matches of code, byte for byte."""

from __future__ import annotations

import json

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
        pytest.param("f()", "f($$$A)", "f(x, $$$A, y)", "f(x, y)", id="none between two"),
        pytest.param("f(a)", "f($$$A)", "f(x, $$$A, y)", "f(x, a, y)", id="one between two"),
        pytest.param("f()", "f($$$A)", "f(x, $$$A, $$$A)", "f(x)", id="none twice"),
        pytest.param("f() + g()", "f($$$A) + g($$$B)", "h(x, $$$A, $$$B)", "h(x)", id="two of none at the end"),
        pytest.param("f() + g()", "f($$$A) + g($$$B)", "h(x, $$$A, $$$B, y)", "h(x, y)", id="two of none between"),
        pytest.param("f() + g(b)", "f($$$A) + g($$$B)", "h(x, $$$A, $$$B)", "h(x, b)", id="first of two is none"),
        pytest.param("f(\n  a // one\n);", "f($A)", "g($A)", "g(\n  a // one\n);", id="comment stays"),
        pytest.param("f(\n  a // one\n)\n;", "f($A)", "$A", "a // one\n;", id="comment ends the line"),
        pytest.param("f(\n  a // one\n) + 1;", "f($A)", "[$A\n]", "[a // one\n] + 1;", id="line break behind a comment"),
        pytest.param("f(a /* one */) + 1;", "f($A)", "$A", "a /* one */ + 1;", id="closed comment"),
        pytest.param('f("//") + 1;', "f($A)", "$A", '"//" + 1;', id="no comment"),
        pytest.param("f(a)\n", "f($A)", "f($A) // was $A", "f(a) // was a\n", id="comment of the replacement"),
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


def test_keeps_line_endings_of_file() -> None:
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


@pytest.mark.parametrize(
    ("content", "pattern", "replacement", "name"),
    [
        pytest.param("x = f(\n  a // one\n) + 1;", "f($A)", "$A", b"a.ts", id="code behind the match"),
        pytest.param("f(a, # 1\n  b, # 2\n)", "f($$$A)", "g($$$A, z)", b"a.py", id="argument behind a comment"),
        pytest.param("f(\n  // none\n)", "f($$$A)", "g($$$A, z)", b"a.ts", id="only a comment"),
        pytest.param("f(a, b // 2\n)", "f($A, $B)", "g($B, $A)", b"a.ts", id="another order"),
        pytest.param("f(f(\n  a // one\n))", "f($A)", "g($A, 1)", b"a.ts", id="nested"),
        pytest.param("f(a);", "f($A)", "f($A) // todo", b"a.ts", id="comment of the replacement"),
        pytest.param("f(\r\n  a // one\r\n) + 1;\r\n", "f($A)", "$A", b"a.ts", id="returns"),
    ],
)  # fmt: skip
def test_refuses_code_in_a_comment(
    content: str, pattern: str, replacement: str, name: bytes
) -> None:
    with pytest.raises(FilewrightError) as caught:
        replaced(b"\n" + content.encode(), pattern, replacement, name)
    assert caught.value.code == Code.INVALID_INPUT
    assert "line 2" in str(caught.value)
    assert "comment" in str(caught.value)


@pytest.mark.parametrize(
    ("content", "pattern", "replacement", "result"),
    [
        pytest.param("f(a, b)\r\n", "f($A, $B)", "g($B,\n$A)", "g(b,\r\na)\r\n", id="another order"),
        pytest.param("x\r\nf(a)", "f($A)", "g(\n  $A,\n  $A\n)", "x\r\ng(\r\n  a,\r\n  a\r\n)", id="last line"),
        pytest.param("f(f(a, b), c)\r\n", "f($A, $B)", "g(\n$B, $A)", "g(\r\nc, g(\r\nb, a))\r\n", id="nested"),
        pytest.param("f(\r\n  a\r\n)\r\n", "f($A)", "{\n$A\n}", "{\r\na\r\n}\r\n", id="other brackets"),
        pytest.param("f(a,\r\n  b)\r\n", "f($A, $B)", "g(\n  $A,\n  $B\n)", "g(\r\n  a,\r\n  b\r\n)\r\n", id="same order"),
        pytest.param("f(a)\nx\r\n", "f($A)", "g(\n$A, $A)", "g(\na, a)\nx\r\n", id="mixed"),
    ],
)  # fmt: skip
def test_ends_lines_as_the_file(
    content: str, pattern: str, replacement: str, result: str
) -> None:
    assert replaced(content.encode(), pattern, replacement) == result.encode()


@pytest.mark.parametrize(
    ("content", "replacement", "lines", "offer"),
    [
        pytest.param(b"f(a)\nf(a, # 1\n  b # 2\n)\nf(\n  c # 3\n)\n", "g($$$A, z)", [2, 5], "g($$$A\n, z)", id="in brackets"),
        pytest.param(b"f(a)\nx = f(\n  b # 2\n) + 1\n", "$$$A", [2], None, id="outside of brackets"),
        pytest.param(b"f(\n  a, # 1\n)\n", "g($$$A, z)", [1], None, id="a comma before the comment"),
        pytest.param(b"f(\n  # 1\n)\n", "g($$$A, z)", [1], None, id="only a comment"),
    ],
)  # fmt: skip
def test_a_refusal_names_its_matches_and_a_replacement_that_fits(
    content: bytes, replacement: str, lines: list[int], offer: str | None
) -> None:
    with pytest.raises(FilewrightError) as caught:
        replaced(content, "f($$$A)", replacement, b"a.py")
    error = caught.value
    assert error.details["lines"] == lines
    hint = error.hint or ""
    if offer is None:
        assert "which fits" not in hint
    else:
        assert f"give replacement={json.dumps(offer)}, which fits" in hint
        result = replaced(content, "f($$$A)", offer, b"a.py")
        compile(result, "a.py", "exec")
        assert result.count(b"g(") == 3
