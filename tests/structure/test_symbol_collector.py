"""Names of symbols as they are shown, and as they are found."""

from __future__ import annotations

import pytest

from filewright.languages import Language
from filewright.structure.parser import ParsedText, build_outline, parse_text

CASES = [
    (
        Language.GO,
        "func (c *Cart[K, V]) Total() int { return 1 }",
        "method (*Cart[K, V]).Total = Cart.Total",
    ),
    (Language.GO, "func (Cart) Total()", "method (Cart).Total = Cart.Total"),
    (
        Language.RUST,
        "impl<T> fmt::Display for a::Point<T> {}",
        "impl fmt::Display for a::Point<T> = Point",
    ),
    (
        Language.RUST,
        "impl &'a dyn a::b::Foo<X> {}",
        "impl &'a dyn a::b::Foo<X> = Foo",
    ),
    (
        Language.RUST,
        "unsafe impl !Send for Queue {}",
        "impl Send for Queue = Queue",
    ),
    (
        Language.KOTLIN,
        "fun String?.isWord() = true",
        "function String?.isWord = String.isWord",
    ),
    (
        Language.KOTLIN,
        "fun `is a word`() {}",
        "function `is a word` = is a word",
    ),
    (
        Language.CSHARP,
        "class A { void IB.Run() {} }",
        "class A; method IB.Run = Run",
    ),
    (
        Language.PHP,
        "<?php $d = new class { function run() {} };",
        "class $d = d; method run",
    ),
    (
        Language.PHP,
        "<?php DEFINE('LIMIT', 2); other('X', 1);",
        "constant LIMIT",
    ),
    (Language.RUBY, "def Cart.load; end", "method Cart.load = load"),
    (
        Language.RUBY,
        "Row = Struct.new(:a) do\n  def sum; end\nend",
        "class Row; method sum",
    ),
    (Language.RUBY, "Tools = Module.new", "module Tools"),
    (Language.RUBY, "attr_reader :a, 'b', c", "property a; property b"),
    (Language.BASH, "declare -rx HOME_OF=1\nread -r line", "constant HOME_OF"),
    (Language.BASH, "LD_PRELOAD=x command argument", ""),
    (
        Language.BASH,
        ". './lib.sh' more\nalias ll='ls -l'",
        "import ./lib.sh; alias ll",
    ),
    (Language.LUA, "function M:close() end", "method M:close = M.close"),
    (
        Language.LUA,
        "t = { ['on close'] = function() end, empty = {} }",
        "variable t; function on close",
    ),
    (Language.TOML, "'x.y' . z = { q = 1 }", "key x.y.z; key q"),
    (Language.TOML, '[ "tool" . uv ]', "table tool.uv"),
    (
        Language.CSS,
        'a[href="{"] , b { --size: 1; color: red }',
        'rule a[href="{"] , b; property --size',
    ),
    (
        Language.CSS,
        "@layer base { p { margin: 0 } }\n@charset 'x';",
        "rule @layer base; rule p",
    ),
    (
        Language.SQL,
        'create table "a b" (id int);',
        'table "a b" = a b; column id',
    ),
    (
        Language.C,
        "#define LIST_H\n#define LIMIT\n#define LIST_H_MOST 3",
        "macro LIMIT; macro LIST_H_MOST",
    ),
    (
        Language.C,
        "struct P { int x; } first, *last;",
        "struct P; property x; variable first; variable last",
    ),
    (
        Language.C,
        "typedef struct N { int v; } N, *L;",
        "struct N; property v; type L",
    ),
    (
        Language.C,
        "int *f(int), (*g)(int), h[2];",
        "prototype f; variable g; variable h",
    ),
    (
        Language.CPP,
        "a::C<x<y>>::operator bool() const {}",
        "method a::C<x<y>>::operator bool = a.C.operator bool",
    ),
    (
        Language.JAVASCRIPT,
        "const a = class { f() {} }, b = (() => 1);",
        "class a; method f; function b",
    ),
    (
        Language.JAVASCRIPT,
        "var {a} = m.require('x'), c = memo(() => 1);",
        "import x; function c",
    ),
    (
        Language.HTML,
        "<h2><a href='x'><img></a></h2><input ID=age>",
        "heading h2; element input#age = age",
    ),
    (Language.JSON, '{"caf\\u00e9": {"a": 1}}', "key café; key a"),
    (
        Language.YAML,
        "- a: x\n  b: 1\n- c:\n    d: 2\n    e: 3",
        "item a: x; key a; key b; item c:; key c; key d; key e",
    ),
    (
        Language.MARKDOWN,
        "Set **up** [it](x)\n===\n## `b` #",
        "heading Set up it; heading b",
    ),
    (
        Language.TYPESCRIPT,
        "import a = require('b');\nclass C { 'two words'() {} }",
        "import b; class C; method two words",
    ),
]


@pytest.mark.parametrize(("language", "text", "expected"), CASES)
def test_names(language: Language, text: str, expected: str) -> None:
    parsed = parse_text(text.encode(), "utf-8", language, 100)
    assert isinstance(parsed, ParsedText)
    shown = [
        f"{symbol.kind} {symbol.name}"
        + (f" = {symbol.lookup_name}" if symbol.lookup_name else "")
        for _, symbol in build_outline(parsed).walk()
    ]
    assert "; ".join(shown) == expected
