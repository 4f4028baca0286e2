"""The kinds of syntax of spans, in every language that has them."""

from __future__ import annotations

import re

import pytest

from filewright.languages import WITH_SYNTAX, Language
from filewright.structure.parser import ParsedText, parse_text
from filewright.structure.syntax_kinds import (
    SpanSyntax,
    SyntaxKind,
    classify_spans,
    decode_span_syntax,
)

LETTERS = {
    "I": SyntaxKind.IMPORT,
    "D": SyntaxKind.DEFINITION,
    "F": SyntaxKind.CALL,
    "C": SyntaxKind.CODE,
    "#": SyntaxKind.COMMENT,
    "S": SyntaxKind.STRING,
}


def classify(
    language: Language, text: str, *patterns: str, codec: str = "utf-8"
) -> list[SpanSyntax]:
    """Return the syntax of all matches of patterns, in order of their starts."""
    data = text.encode(codec)
    spans: list[tuple[int, int]] = []
    for pattern in patterns:
        for match in re.finditer(pattern, text):
            start = len(text[: match.start()].encode(codec))
            spans.append((start, start + len(match[0].encode(codec))))
    parsed = parse_text(data, codec, language, 100)
    assert isinstance(parsed, ParsedText)
    flat = [offset for span in sorted(spans) for offset in span]
    answer = classify_spans(parsed.tree, parsed.grammar, parsed.content, flat)
    return [decode_span_syntax(code) for code in answer.codes]


def letter(syntax: SpanSyntax) -> str:
    """Return the letter of the narrowest kind, `?` for none."""
    for name, kind in LETTERS.items():
        if kind in syntax.kinds:
            return name
    return "?"


def letters(language: Language, text: str, **more: str) -> str:
    """Return the letter of each word `ab` of a text."""
    found = classify(language, text, r"(?<!\w)ab(?!\w)", **more)
    return "".join(map(letter, found))


CASES = [
    (Language.PYTHON, "from m import ab as x, ab", "II"),
    (Language.PYTHON, "from m import (\n  ab,  # ab\n  c as ab,\n)\n", "I#I"),
    (Language.PYTHON, '"""ab"""\ndef ab(ab, *, c: "ab" = ab):\n  "ab"\n  return ab(x.ab, y.ab(z), "ab")\n', "#DDSC#FCFS"),
    (Language.PYTHON, 'x = f"ab {ab(1)} {ab}" "ab"  # type: ab\nab = 1\nfor ab in c: ab\n', "SFCS#DDC"),
    (Language.PYTHON, "@ab\n@m.ab\n@ab.m(ab=1)\nclass ab(ab):\n  ab: int = 1\n", "FFCCDCD"),
    (Language.PYTHON, "a, (ab, *b) = 1\nwith c as ab: pass\nlambda ab: ab\ntype ab = int\n(ab := 1)\n", "DDDCDD"),
    (Language.PYTHON, "ab[0] = a[ab] = 1\nab.a = a.ab = 1\na, ab[0], ab.b, b.ab = 1\nfor ab.a, (ab, b) in c: pass\n", "CCCDCCDCD"),
    (Language.TYPESCRIPT, 'import { ab, type ab as c } from "ab"\nexport { ab } from "ab"\nexport { ab }\n', "IIIIIC"),
    (Language.TYPESCRIPT, "import {\n  // ab\n  ab, /* ab */\n} from 'x'\r\nimport * as ab from 'y'\r\nimport ab = require('z')\r\n", "#I#II"),
    (Language.TYPESCRIPT, 'const { ab, c: ab } = require("ab")\nconst ab = require("ab").x\nconst c = await import("ab")\nrequire("ab")\nload("ab")\n', "IIIIIIIS"),
    (Language.TYPESCRIPT, "ab(1); o.ab(ab); o?.ab?.(1); ab<T>(1); ab!(1); new ab(); new m.ab(); ab`ab${ab(ab)}ab`\n", "FFCFFFFFFSFCS"),
    (Language.TYPESCRIPT, "const ab = (ab: ab) => ab; function ab(x: number): ab; class ab { ab = 1; ab() {} get ab() { return this.ab } }\n", "DDCCDCDDDDC"),
    (Language.TYPESCRIPT, "interface ab { ab: 'ab'; ab(): void }\ntype ab = typeof ab\nenum ab { ab, x }\nnamespace ab {}\n", "DDSDDCDDD"),
    (Language.TYPESCRIPT, "const o = { ab, ab: 1, ab() {}, ab: () => 1 }; o.ab = function () {}; x = /ab/; o.ab = ab\n", "CCDDDSCC"),
    (Language.TYPESCRIPT, "@ab() @ab class x { @ab y(@ab() ab, { ab }, [ab]) {} }\n", "FFFFDDD"),
    (Language.TSX, '<ab ab="ab" x={ab(ab)}>ab {ab} <m.ab /></ab>\n', "FCSFCSCFF"),
    (Language.JSX, "function ab(ab, { ab }) { return <ab>it's ab</ab> }\n", "DDDFSF"),
    (Language.JAVASCRIPT, "// @flow\nimport { ab } from 'x'\nfunction f(ab: string) { ab(ab) }\n", "IDFC"),
    (Language.GO, 'import ab "ab"\nimport (\n  ab "x/ab" // ab\n)\ntype ab struct { ab int }\nfunc (x ab) ab(ab int) { ab := ab(1); o.ab(ab); return "ab", `ab` }\n', "IIII#DDCDDDFFCSS"),
    (Language.RUST, 'use ab::{ab as c};\n/// ab\nfn ab(ab: i32) { let ab = ab("ab"); o.ab(m::ab(1)); ab!(ab(ab)); ab::<T>(r#"ab"#) }\nstruct ab { ab: i32 }\n', "II#DDDFSFFFFCFSDD"),
    (Language.JAVA, 'import a.ab;\n/** ab */ class ab { int ab = ab("ab"); void ab(int ab) { o.ab(ab); new ab(); new ab<T>(); } }\n', "I#DDFSDDFCFF"),
    (Language.C, '#include <ab.h>\n#include "ab"\n#define ab(x) x\n/* ab */\nint ab(int ab) { int ab = ab("ab"); o->ab(ab, \'a\'); }\nstruct ab { int ab; };\n', "IID#DDDFSFCDD"),
    (Language.C, "#define x ab // ab \"ab\"\n#define y(c) ab /* ab */ + c(\"\\\"ab\", 'ab') \\\n  ab\n#undef z /* ab */\n#define z don't ab \"ab\"\n", "C##C#SSC#CC"),
    (Language.CPP, "#define x ab // ab\n", "C#"),
    (Language.CPP, 'using a::ab;\nnamespace ab { class ab { int ab; void ab(int ab); }; }\nvoid m::ab() { auto ab = ab<int>(R"(ab)"); m::ab(1); new ab(); o.ab(ab); }\n', "IDDDDDDDFSFFFC"),
    (Language.CSHARP, 'using a.ab;\nclass ab { int ab = 1; int ab { get; } void ab(int ab) { var ab = ab("ab"); o.ab($"ab{ab(ab)}"); new ab(); ab<int>(1); } }\n', "IDDDDDDFSFSFCFF"),
    (Language.RUBY, 'require "ab"\n# ab\nclass Ab\n def ab(ab, c: ab)\n  ab = ab("ab#{ab(1)}")\n  o.ab(ab)\n  ab 1\n  %w[ab]\n  send(:x)\n  <<~E\n   ab\n  E\n end\nend\n=begin\nab\n=end\n', "I#DDCDFSFFCFSS#"),
    (Language.PHP, '<?php\nuse a\\ab;\nrequire "ab";\n// ab\nfunction ab($ab) { $ab = ab("ab {$o->ab(1)} $ab"); ab::ab(1); new ab(); return \'ab\'; }\nconst ab = 1;\n', "II#DDDFSFCCFFSD"),
    (Language.KOTLIN, 'import a.ab\n// ab\nclass ab(val ab: Int) { fun ab(ab: Int) { val ab = ab("ab ${ab(ab)}"); o.ab(ab) } }\n', "I#DDDDDFSFCFC"),
    (Language.KOTLIN, 'val x = "ab $ab, \\$ab ${c("$ab")}"\nval y = """ab $ab"""\n', "SCSCSC"),
    (Language.SWIFT, 'import ab\n// ab\nclass ab { var ab = 1\n func ab(_ ab: Int) { let ab = ab("ab \\(ab(ab))"); o.ab(ab) } }\n', "I#DDDDDFSFCFC"),
    (Language.SCALA, 'import a.{ab => c}\n// ab\nclass ab { val ab = 1\n def ab(ab: Int) = { val ab = ab("ab"); o.ab(ab); new ab(1); s"ab ${ab(1)}" } }\n', "I#DDDDDFSFCFSF"),
    (Language.BASH, 'source ab\n# ab\nab() { ab "ab $(ab 1) $ab"; }\nab=1\ncat <<E\nab $ab\nE\n', "I#DFSFCDSC"),
    (Language.LUA, 'local ab = require("ab")\n-- ab\nfunction ab(ab) local ab = ab("ab"); o.ab(ab); o:ab([[ab]]) end\nfunction m.ab() end\n', "II#DDDFSFCFSD"),
    (Language.SQL, "-- ab\nCREATE TABLE ab (ab INT);\nSELECT ab(ab), 'ab', 1 FROM ab;\n", "#DDFCSC"),
    (Language.CSS, '@import "ab";\n/* ab */\n.ab { x: ab(1); y: "ab"; }\n', "I#CFS"),
    (Language.JSON, '{"ab": ["ab", 1]}', "SS"),
    (Language.YAML, "# ab\nab: 'ab'\nx: |\n  ab\n", "#CSS"),
    (Language.TOML, '# ab\nab = "ab"\n', "#CS"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "text", "expected"), CASES)
def test_tells_kinds_apart(
    language: Language, text: str, expected: str
) -> None:
    assert letters(language, text) == expected


def test_every_language_has_a_case() -> None:
    assert {language for language, _, _ in CASES} == WITH_SYNTAX


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "latin-1"])
def test_reads_other_encodings(codec: str) -> None:
    text = 'import { ab } from "ä"\r\nab("ö") // ab\r\n'
    assert letters(Language.TYPESCRIPT, text, codec=codec) == "IF#"


@pytest.mark.parametrize(
    ("pattern", "kinds", "touches"),
    [
        ("two\ny", "", "#C"),
        ("# two\ny", "C", "#C"),
        (r'ab\(1, "s"\)', "FC", "FCS"),
        ("return ab", "FC", "FC"),
        ('1, "s', "", "CS"),
        (r's"\)', "", "CS"),
        ('"s"', "S", "S"),
        ('"s" \\+ "t"', "C", "CS"),
        (r"u \{", "", "CS"),
        (r"u \{v\} w", "S", "CS"),
        (r"\{v", "C", "C"),
        ("import m\ny", "C", "CI"),
        ("# one", "#", "#"),
        ("x = 1 # one\n", "DC", "DC#"),
    ],
)
def test_a_span_of_several_kinds(
    pattern: str, kinds: str, touches: str
) -> None:
    text = (
        "x = 1 # one\n# two\ny += 2\nimport m\ny += 3\ndef f():\n"
        '  return ab(1, "s")\n"s" + "t"\nz = f"u {v} w"\n'
    )
    (syntax,) = classify(Language.PYTHON, text, pattern)[:1]
    assert syntax.kinds == sum(LETTERS[name] for name in kinds)
    assert syntax.touches == sum(LETTERS[name] for name in touches)


def test_goes_on_behind_a_syntax_error() -> None:
    text = 'ab("ab")\nconst = = 1\nfunction ab() { return ab(1) } // ab\n'
    assert letters(Language.TYPESCRIPT, text) == "FSDF#"


UNCLOSED = "{ [bad\n" + "def f():\n    good()  # note\n" * 4


@pytest.mark.parametrize(
    ("text", "pattern", "has_errors"),
    [
        ("good()\nx = 1 1 bad ) 2\nlater()\n", "good", False),
        ("good()\nx = 1 1 bad ) 2\nlater()\n", "bad", True),
        ("good()\nx = 1 1 bad ) 2\nlater()\n", "later", False),
        (UNCLOSED, "{ [", True),
        (UNCLOSED, "f():\n    good", True),
        (UNCLOSED, "()  # note", False),
    ],
)
def test_says_that_a_span_was_not_read(
    text: str, pattern: str, has_errors: bool
) -> None:
    parsed = parse_text(text.encode(), "utf-8", Language.PYTHON, 100)
    assert isinstance(parsed, ParsedText)
    start = text.index(pattern)
    answer = classify_spans(
        parsed.tree,
        parsed.grammar,
        parsed.content,
        (start, start + len(pattern)),
    )
    assert answer.has_errors is has_errors


def test_reads_places_far_apart() -> None:
    text = ("ab('ab'); // ab\n" + "f();\n" * 2_000) * 4
    assert letters(Language.JAVASCRIPT, text) == "FS#" * 4


def test_reads_a_long_line_of_deep_code() -> None:
    text = "x = " + "1 + " * 2_000 + "ab(1);" + "ab('ab');" * 999
    assert letters(Language.JAVASCRIPT, text) == "F" + "FS" * 999
