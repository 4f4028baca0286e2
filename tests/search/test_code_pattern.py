"""Patterns of code: the text that a hole matches."""

from __future__ import annotations

import pytest

from filewright.errors import Code, FilewrightError
from filewright.languages import Language
from filewright.progress import Task
from filewright.search.code_pattern import compile_code_pattern


def find(
    pattern: str, text: str, language: Language | None = Language.TYPESCRIPT
) -> list[tuple[str, ...]]:
    """Return each match: its text, and that of its holes."""
    code = compile_code_pattern(pattern, ignore_case=False)
    data = text.encode()
    return [
        tuple(
            data[start:end].decode()
            for start, end in (match.span, *match.holes)
        )
        for match in code.find(data, language, Task())
    ]


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        pytest.param("f($$$A)", "f()", [("f()", "")], id="none"),
        pytest.param("f($$$A)", "f( a, b )", [("f( a, b )", "a, b")], id="several"),
        pytest.param("f($X)", "f(a, b); f(c)", [("f(c)", "c")], id="one"),
        pytest.param("f($X)", "f(g(a, b))", [("f(g(a, b))", "g(a, b)")], id="comma in brackets"),
        pytest.param("f($X, $Y)", "f('a,', [b, c])", [("f('a,', [b, c])", "'a,'", "[b, c]")], id="comma in a string"),
        pytest.param("f($$$A)", "f(\n  a,\n  b,\n)", [("f(\n  a,\n  b,\n)", "a,\n  b")], id="lines and a last comma"),
        pytest.param("f($$$A)", "f(f(f(x)))", [("f(f(f(x)))", "f(f(x))"), ("f(f(x))", "f(x)"), ("f(x)", "x")], id="inside of one another"),
        pytest.param("f($$$A)", 'f(")", x)', [('f(")", x)', '")", x')], id="bracket in a string"),
        pytest.param("f($$$A)", "f(x // )\n)", [("f(x // )\n)", "x // )")], id="bracket in a comment"),
        pytest.param("f($$$A)", "f(/[)]/, x)", [("f(/[)]/, x)", "/[)]/, x")], id="bracket in a regex"),
        pytest.param("f($$$A)", "f(a / b, (c) / d)", [("f(a / b, (c) / d)", "a / b, (c) / d")], id="division"),
        pytest.param("f($$$A)", "f(`)${f(`(`)}`)", [("f(`)${f(`(`)}`)", "`)${f(`(`)}`"), ("f(`(`)", "`(`")], id="template"),
        pytest.param("f($$$A)", "// f(x)\n'f(x)'\n/* f(x) */", [], id="only in comments"),
        pytest.param("f($$$A)", "ff(x) f_(x) äf(x)", [], id="part of a word"),
        pytest.param("f($$$A)", "f (x)\nf\n(y)", [("f (x)", "x"), ("f\n(y)", "y")], id="space before the bracket"),
        pytest.param("f($$$A)", "f(x", [], id="never closed"),
        pytest.param("f($$$A)", "f(x]", [], id="closed by another"),
        pytest.param("f($A, $$$B)", "f(a, b, c)", [("f(a, b, c)", "a", "b, c")], id="first and rest"),
        pytest.param("f($$$A, $B)", "f(a, b, c)", [("f(a, b, c)", "a, b", "c")], id="all and last"),
        pytest.param("$", "a$b", [("$", )], id="dollar sign"),
        pytest.param("f(\\$A)", "f($A)", [("f($A)",)], id="escaped"),
        pytest.param("eq($A, $A)", "eq(a, b) eq(b, b)", [("eq(b, b)", "b", "b")], id="same name"),
        pytest.param("eq($_, $_)", "eq(a, b)", [("eq(a, b)", "a", "b")], id="no name"),
        pytest.param("if ($A == $B) {", "if (a == b(1)) {\n}", [("if (a == b(1)) {", "a", "b(1)")], id="statement"),
        pytest.param("if ($A == $B) {", "if (a === b) {\n}", [], id="longer operator"),
        pytest.param("new A($$$X)", "new  A(1) newA(2)", [("new  A(1)", "1")], id="two words"),
        pytest.param("f($$$A) + f($$$B)", "f(1) + f(2) + f(3)", [("f(1) + f(2)", "1", "2")], id="overlapping"),
        pytest.param("t('k', $X)", "t('k', 1) t( 'k',2) t('K', 3)", [("t('k', 1)", "1"), ("t( 'k',2)", "2")], id="string in the pattern"),
    ],
)  # fmt: skip
def test_finds(pattern: str, text: str, matches: list[tuple[str, ...]]) -> None:
    assert find(pattern, text) == matches


@pytest.mark.parametrize(
    ("language", "text"),
    [
        pytest.param(Language.PYTHON, 'f(""")""", \')\')  # f(', id="python"),
        pytest.param(Language.RUST, "f('a', &'a str, r#\"\")\"#)", id="rust"),
        pytest.param(Language.GO, "f(`)`, ')')", id="go"),
        pytest.param(Language.CPP, 'f(R"x()y")x", \'"\')', id="c++"),
        pytest.param(Language.BASH, "f( ')' \\) )", id="bash"),
        pytest.param(Language.SQL, "f(')', 'it''s)', $$)$$)", id="sql"),
        pytest.param(Language.LUA, "f([==[)]==], ')') -- (", id="lua"),
        pytest.param(Language.RUBY, "f(')', <<~X)\n)\nX\n", id="ruby"),
        pytest.param(Language.CSHARP, 'f(@")""", \')\')', id="c#"),
        pytest.param(Language.PHP, "f(<<<A\n)\nA, '\n)') # (", id="php"),
        pytest.param(Language.SWIFT, 'f(#"")"#, ")")', id="swift"),
        pytest.param(Language.DART, "f(r'\\', ')')", id="dart"),
        pytest.param(None, "f(a, (b))", id="unknown"),
    ],
)
def test_brackets_in_strings_do_not_count(
    language: Language | None, text: str
) -> None:
    ((match, _),) = find("f($$$A)", text, language)
    assert match == text[: text.rindex(")") + 1] or "\n" in text


@pytest.mark.parametrize(
    "pattern",
    ["$A", "f($A", "$A)", "f($A$B)", "f($A $B)", "f(" + "$A," * 21 + ")"],
)
def test_refuses(pattern: str) -> None:
    if pattern == "f($A":
        pattern = "f($A "
    with pytest.raises(FilewrightError) as caught:
        compile_code_pattern(pattern, ignore_case=False)
    assert caught.value.code == Code.INVALID_INPUT
    assert caught.value.hint


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("f(" * 20_000, id="open"),
        pytest.param("f(" * 20_000 + ")" * 20_000, id="nested"),
        pytest.param("f(" + "a," * 20_000, id="commas"),
        pytest.param("f(a x " * 10_000, id="words"),
        pytest.param("f('\"`/*" * 10_000, id="quotes"),
        pytest.param("`${" * 20_000, id="templates"),
    ],
)
def test_work_is_bounded(text: str) -> None:
    """Each takes minutes if its time is not linear."""
    assert len(find("f($$$A, $B)", text)) <= 20_000
