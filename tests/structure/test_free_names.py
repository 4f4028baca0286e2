"""The names that a part of a text takes from outside."""

from __future__ import annotations

import pytest

from filewright.languages import Language
from filewright.structure.free_names import FreeNames
from filewright.structure.import_collector import collect_imports
from filewright.structure.parser import parse_text

PYTHON = {
    "parameters": ("def f(a, *b, c=d, **e): a, b, c, e, g", "d g"),
    "default of its own name": ("def f(a=a): return a", "a"),
    "annotations": (
        "def f(a: A, b: 'B[C]') -> Literal['D']: pass",
        "A B C Literal",
    ),
    "two scopes": (
        "class A:\n    def f(self, time): time\n    def g(self): time",
        "time",
    ),
    "class body": ("class A(B):\n    x = 1\n    y = x\n    def f(): x", "B x"),
    "comprehension": ("f = [a for a in a if (b := a)], b", "a"),
    "lambda": ("f = lambda a=b: (a, c)", "b c"),
    "imports": (
        "def f():\n    import a.b, c as d\n    from e import g\n    a, d, g, e",
        "e",
    ),
    "global": ("def f():\n    global a\n    a = 1", "a"),
    "attribute": ("def f(): a.b(c=d)", "a d"),
    "type parameters": (
        "def f[T: A, *U](a: dict[T, B], *b: U) -> list[C]: pass",
        "A B C dict list",
    ),
    "type alias": ("type f[T] = dict[T, A]", "A dict"),
    "except, with, for, match": (
        "def f():\n    try: pass\n    except a as b: b\n    with c as (d, e): d, e\n"
        "    for g, *h in i: g, h\n    match j:\n        case k(l=m): m",
        "a c i j k",
    ),
    "decorator": ("@f.a\ndef f(): pass", ""),
    "itself": ("def f(): f", ""),
}
SCRIPT = {
    "parameters": (
        "function f(a, {b, c: d}, [e], ...g) { a(b, d, e, g, h) }",
        "h",
    ),
    "blocks": ("function f() { { let a; var b } a; b }", "a"),
    "assigned": ("function f() { a = 1; b++ }", "a b"),
    "functions": ("const f = function g() { g(); h() }", "h"),
    "types": ("function f<T>(a: T, b: A.B): C<T> { return d as E }", "A C d E"),
    "infer": ("type f<T> = T extends (infer U)[] ? U : V", "V"),
    "interface": ("interface f<T> extends A { b(c: T): D }", "A D"),
    "class": ("class f extends A { g(a) { return a + b } }", "A b"),
    "object": ("const f = { a, b: c, [d]: e.g }", "a c d e"),
    "elements": ("const f = () => <A b={c}><div>{d}</div></A>", "A c d"),
    "catch": (
        "function f() { try {} catch (e) { e } for (const i of j) i }",
        "j",
    ),
}


def read(text: str, language: Language) -> FreeNames:
    parsed = parse_text(text.encode(), "utf-8", language, 10)
    assert not isinstance(parsed, str)
    spans = (0, len(text))
    return collect_imports(
        parsed.tree, parsed.grammar, parsed.content, ("f",), spans
    ).free


@pytest.mark.parametrize(("text", "names"), PYTHON.values(), ids=PYTHON)
def test_python(text: str, names: str) -> None:
    free = read(text + "\n", Language.PYTHON)
    assert sorted(free.names) == sorted(names.split())


@pytest.mark.parametrize(("text", "names"), SCRIPT.values(), ids=SCRIPT)
def test_scripts(text: str, names: str) -> None:
    free = read(text, Language.TSX)
    assert sorted(free.names) == sorted(names.split())
