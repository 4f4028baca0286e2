"""Lines that begin inside a string of several lines are not lines of code."""

from __future__ import annotations

import pytest
from tests.edit.cases import short_id

from filewright.edit.string_literals import find_rows_inside_strings
from filewright.languages import Language

# A language, a text, and the lines (from 0) that begin inside a string.
TEXTS = [
    (Language.PYTHON, 'x = """\na\n  """\ny = 1\n', {1, 2}),
    (Language.PYTHON, "x = '''\na\n''' + '''b'''\ny = f'{1}'\n", {1, 2}),
    (Language.PYTHON, '# it\'s """\nx = 1\n# """\n', set()),
    (Language.PYTHON, 'x = \'"""\'\ny = 1\nz = \'"""\'\n', set()),
    (Language.PYTHON, 'x = ("a"\n  "b")\n', set()),
    (Language.PYTHON, '"""doc \\""" on\nmore"""\nx\n', {1}),
    (Language.JAVASCRIPT, "const a = `x\n y`;\nb();\n", {1}),
    (
        Language.TYPESCRIPT,
        "const a = `x ${f(`n\n`)}\n y`;\nb('`');\n`z\n`",
        {1, 2, 5},
    ),
    (Language.JAVASCRIPT, "const a = /[`]/;\nb();\nc(`x`)\n", set()),
    (Language.DART, "var a = '''\n  b\n''';\nvar c;\n", {1, 2}),
    (Language.BASH, "cat <<EOF\n a\nEOF\n", {1, 2}),
    (Language.BASH, "cat <<EOF\n a\nEOF b\n c\nEOF\n", {1, 2, 3, 4}),
    (Language.TSX, "// it`s\nb();\n/* ` */\nc();\n", set()),
    (Language.GO, "var s = `a\n\tb`\nvar r = '`'\nvar t = 1\n", {1}),
    (
        Language.RUST,
        'let a = r#"x "\n y"#;\nlet b = "c\n  d";\nfn f<\'a>(x: &\'a str) {}\n',
        {1, 3},
    ),
    (Language.CPP, 'auto a = R"x(a\n"b)x";\nint c;\n', {1}),
    (
        Language.CSHARP,
        'var a = @"x ""\n y";\nvar b = """\n  z\n  """;\nint c;\n',
        {1, 3, 4},
    ),
    (
        Language.JAVA,
        'String a = """\n    x\n    """;\nchar c = \'"\';\nint d;\n',
        {1, 2},
    ),
    (Language.KOTLIN, 'val a = """\n  x\n""".trim()\nval b = 1\n', {1, 2}),
    (Language.SCALA, 'val a = """\n  x"""\nval b = 1\n', {1}),
    (
        Language.SWIFT,
        'let a = """\n  x\n  """\nlet b = #"""\n y\n """#\nlet c = 1\n',
        {1, 2, 4, 5},
    ),
    (Language.RUBY, 'a = <<~X\n  b\nX\nc = "d\n e"\nf << g\n', {1, 2, 4}),
    (Language.RUBY, "a = %q(b\n c)\nd = %Q{e\n}\nf = g %q\nh\n", {1, 3}),
    (
        Language.BASH,
        "cat <<EOF\n a\nEOF\necho 'b\n c' # it's\nd \"e\n f\"\n",
        {1, 2, 4, 6},
    ),
    (Language.BASH, "x=$((1<<2))\necho ${#x}\n", set()),
    (
        Language.PHP,
        "$a = <<<X\n b\n X;\n$c = 'd\n e';\n// it's\nf();\n",
        {1, 2, 4},
    ),
    (Language.LUA, "a = [[\nb]]\n--[[ c\nd ]]\ne = [=[\n]]]=]\n", {1, 5}),
    (Language.SQL, "SELECT 'a\n b';\n-- it's\nSELECT $$\nx\n$$;\n", {1, 4, 5}),
    (Language.TOML, "a = \"\"\"\nb\"\"\"\nc = '''\nd'''\n", {1, 3}),
    (Language.HTML, "<pre>\n a\n</pre>\n<p>\nb\n</p>\n", {1, 2}),
    (Language.YAML, "a: |\n  b\n", set()),
    (None, 'x = """\ny"""\n', set()),
]


@pytest.mark.parametrize(("language", "text", "expected"), TEXTS, ids=short_id)
def test_literal_rows(
    language: Language | None, text: str, expected: set[int]
) -> None:
    assert find_rows_inside_strings(text, language) == expected
