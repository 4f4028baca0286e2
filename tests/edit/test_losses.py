"""Notes on lost parts of a replaced definition."""

from __future__ import annotations

import pytest
from tests.edit.cases import short_id

from filewright.edit.losses import describe_lost_parts, find_lost_parts
from filewright.languages import Language

CASES = [
    # a language, the definition before and after, and what is left out
    (Language.PYTHON, "@functools.cache\ndef f():\n    pass", "def f():\n    return 1", ("@functools.cache",)),
    (Language.PYTHON, "# about\n@app.route('/x')\n@login\ndef f(): pass", "def f(): pass", ("@app.route", "@login", "its comment")),
    (Language.PYTHON, "@a(\n  x,\n  y)\ndef f(): pass", "@a(z)\ndef f(): pass", ()),
    (Language.PYTHON, "def f():\n    # inner\n    pass", "def f():\n    pass", ()),
    (Language.JAVA, "/** Doc. */\n@Override\npublic int f() { }", "public int f() { }", ("@Override", "its comment")),
    (Language.JAVA, "/**\n * Doc.\n */\npublic int f() { }", "// other\npublic int f() { }", ()),
    (Language.JAVA, "@Override public int f() { }", "public int f() { }", ("@Override",)),
    (Language.JAVA, "@Test(timeout = 3) @Slow\nvoid f() { }", "@Slow\nvoid f() { }", ("@Test",)),
    (Language.CSHARP, "[return: NotNull]\n[Obsolete(\"x\")]\nstatic string F()\n{\n}", "static string F()\n{\n}", ("[return: NotNull]", "[Obsolete]")),
    (Language.RUST, "/// Doc.\n#[inline]\n#[cfg(test)]\nfn f() {}", "#[inline]\nfn f() {}", ("#[cfg]", "its comment")),
    (Language.TYPESCRIPT, "export default async function f() {}", "async function f() {}", ("export default",)),
    (Language.TYPESCRIPT, "export const f = 1", "export let f = 2", ()),
    (Language.TSX, "@Component({\n  a: 1,\n})\nexport class A {}", "class A {}", ("@Component", "export")),
    (Language.GO, "// F is it.\nfunc F() {}", "func F() {}", ("its comment",)),
    (Language.CPP, "[[nodiscard]]\nint f();", "int f();", ("[[nodiscard]]",)),
    (Language.PHP, "#[Route('/x')]\nfunction f() {}", "function f() {}", ("#[Route]",)),
    (Language.RUBY, "# about\ndef f\nend", "def f\nend", ("its comment",)),
    (Language.C, "#define A 1", "#define A 2", ()),
    (Language.MARKDOWN, "# A\n* b", "# A", ()),
    (Language.SQL, "-- about\nCREATE TABLE t (a int)", "CREATE TABLE t (b int)", ("its comment",)),
    (None, "# about\nx", "x", ()),
    (Language.TYPESCRIPT, "A = 1, // the first", "A = 5,", ((
        "the comment on its last line"
    ),)),
    (Language.TYPESCRIPT, "A = 1, /* the first */", "A = 5, // the fifth", ()),
    (Language.TYPESCRIPT, 'A = "//",', 'A = "b",', ()),
    (Language.RUST, "/// Doc.\na: u8, // the first", "/// Doc.\na: u16,", ((
        "the comment on its last line"
    ),)),
    (Language.JAVASCRIPT, "f: {\n  x: 1,\n}, // done", "f: {},", ((
        "the comment on its last line"
    ),)),
    (Language.PYTHON, "x = 1  # one", "x = 3", ((
        "the comment on its last line"
    ),)),
    (Language.PYTHON, "x = 7 // 2", "x = 3", ()),
    (Language.PYTHON, "def f():\n    return 1  # one", "def f():\n    return 2", ()),
    (Language.BASH, "x=a#b", "x=c", ()),
    (Language.SQL, "a int, -- the first", "a text,", ((
        "the comment on its last line"
    ),)),
    (Language.C, "int i = j-- - 1;", "int i = 2;", ()),
]  # fmt: skip


@pytest.mark.parametrize(
    ("language", "before", "after", "expected"), CASES, ids=short_id
)
def test_losses(
    language: Language | None,
    before: str,
    after: str,
    expected: tuple[str, ...],
) -> None:
    assert find_lost_parts(before, after, language) == expected


def test_told() -> None:
    assert describe_lost_parts(["@a"]) == "the replacement leaves out @a"
    assert (
        describe_lost_parts(["@a", "@b", "export"])
        == "the replacement leaves out @a, @b and export"
    )
