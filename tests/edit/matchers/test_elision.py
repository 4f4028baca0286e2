"""The matcher of requests that leave text out: only what is certain is matched."""

from __future__ import annotations

import pytest
from tests.edit.cases import Case, case_id, check_plan, refused

from filewright.edit.request import TextEdit
from filewright.errors import Code

ELISION = {
    "unequal numbers of dots": ("a\nb\nc\nd\n", "a\n...\nd\n", "a\nd\n"),
    "a stretch that is there twice": (
        "a\nb\nc\nd\nd\n",
        "a\n...\nd\n",
        "a\n...\ne\n",
    ),
    "stretches out of order": (
        "alpha\nb\nomega\n",
        "omega\n...\nalpha\n",
        "omega\n...\nbeta\n",
    ),
    "a stretch that is not there": (
        "alpha\nb\nomega\n",
        "alpha\n...\nomegas\n",
        "alpha\n...\nbeta\n",
    ),
}


@pytest.mark.parametrize("name", ELISION)
def test_refuses_uncertain_elision(name: str) -> None:
    file, search, replace = ELISION[name]
    assert refused(file, TextEdit(search, replace)).code in (
        Code.NO_MATCH,
        Code.AMBIGUOUS_MATCH,
    )


# An elision stays inside the block in which it begins.

CROSSING = [
    Case("a.py", "def f():\n    a()\n    return 1\n\ndef g():\n    b()\n    done(2)\n",
        "def f():\n    a()\n    # ... existing code ...\n    done(2)", "def f():\n    a()\n    # ... existing code ...\n    done(3)"),
    Case("a.py", "class A:\n    def f(self):\n        a()\n\nclass B:\n    def g(self):\n        b(2)\n",
        "class A:\n    # ... existing code ...\n        b(2)", "class A:\n    # ... existing code ...\n        b(3)"),
    *(
        Case(name, file, search, search.replace("2", "22"))
        for name, file, search in (
            ("a.js", "function f() {\n  a();\n  return 1;\n}\n\nfunction g() {\n  b();\n  return 2;\n}\n",
             "function f() {\n  // ... existing code ...\n  return 2;\n}"),
            ("a.ts", "const f = () => {\n  a();\n};\n\nconst g = () => {\n  b(2);\n};\n",
             "const f = () => {\n  // ...\n  b(2);\n};"),
            ("a.go", "func f() {\n\ta()\n}\n\nfunc g() {\n\treturn 2\n}\n", "func f() {\n\t// ... rest of the code ...\n\treturn 2\n}"),
            ("a.rs", "fn f() {\n    a();\n}\n\nfn g() -> u8 {\n    b();\n    2\n}\n", "fn f() {\n    // ... unchanged ...\n    2\n}"),
            ("a.c", "int f(void)\n{\n    a();\n}\n\nint g(void)\n{\n    return 2;\n}\n", "int f(void)\n{\n    /* ... existing code ... */\n    return 2;\n}"),
            ("a.java", "class A {\n  void f() {\n    a();\n  }\n  void g() {\n    b(2);\n  }\n}\n", "  void f() {\n    // ...\n    b(2);\n  }"),
            ("a.rb", "def f\n  a\nend\n\ndef g\n  b 2\nend\n", "def f\n  # ...\n  b 2\nend"),
            ("a.php", "function f() {\n    a();\n}\nfunction g() {\n    b(2);\n}\n", "function f() {\n    // ... existing code ...\n    b(2);\n}"),
            ("a.yaml", "one:\n  a: 1\ntwo:\n  b: 2\n", "one:\n  # ...\n  b: 2"),
            ("a.js", "function f() {\na();\n}\nfunction g() {\nb(2);\n}\n", "function f() {\n// ... existing code ...\nb(2);\n}"),
            ("", "f {\n  a\n}\ng {\n  b 2\n}\n", "f {\n  ...\n  b 2\n}"),
            ("a.kt", "fun f() {\n    a()\n}\nfun g() {\n    b(2)\n}\n", "fun f() {\n    // ... rest ...\n    b(2)\n}"),
        )
    ),
]  # fmt: skip


@pytest.mark.parametrize("case", CROSSING, ids=case_id)
def test_elision_stays_in_its_block(case: Case) -> None:
    check_plan(case)


# Lines that occur nowhere else are changed beside the name of their block: what follows the mark is context.

TWO = "function f() {\n  a();\n  return 1;\n}\n\nfunction g() {\n  b();\n  return 2;\n}\n"


ALIKE = TWO.replace("b();", "a();")


BEFORE_THE_MARK = [
    Case("a.js", TWO, "function f() {\n  a();\n  // ...\n  return 2;", "function f() {\n  a(1);\n  // ...\n  return 2;", TWO.replace("a()", "a(1)")),
    Case("a.js", TWO, "  a();\n  // ...\n  b();", "  a();\n  c();\n  // ...\n  b();", TWO.replace("a();\n", "a();\n  c();\n")),
    # The line is in the other block too, or nothing but a name tells the place.
    Case("a.js", ALIKE, "function f() {\n  a();\n  // ...\n  return 2;", "function f() {\n  a(1);\n  // ...\n  return 2;"),
    Case("a.js", ALIKE, "function f() {\n  a();\n  // ...\n  return 2;", "function f() {\n  a();\n  c();\n  // ...\n  return 2;"),
    Case("a.js", TWO, "function f() {\n  // ...\n  return 2;", "function f() {\n  c();\n  // ...\n  return 2;"),
    Case("a.js", TWO, "function f() {\n// ...\n  return 2;", "function f() {\n  c();\n// ...\n  return 2;"),
    Case("a.js", TWO, "function f() {\n  a();\n  // ...\n  return 2;", "function f() {\n  a(1);\n  // ...\n  return 3;"),
    # Headings and tables are blocks that no indentation shows.
    Case("a.md", "## One\n\nThe rate is 10.\n\n## Two\n\nThe rate is 20.\n", "## One\n...\nThe rate is 20.", "## One\n...\nThe rate is 30."),
    Case("a.toml", "[web]\nport = 1\n\n[db]\nport = 2\n", "[web]\n# ...\nport = 2", "[web]\n# ...\nport = 3"),
    Case("a.ini", "[web]\nport = 1\n\n[db]\nport = 2\n", "[web]\n; ...\nport = 2", "[web]\n; ...\nport = 3"),
    Case("a.md", "## One\n\nThe rate is 10.\n\nMore.\n\n## Two\n", "## One\n... existing text ...\nMore.", "## One\n... existing text ...\nLess.",
        "## One\n\nThe rate is 10.\n\nLess.\n\n## Two\n"),
]  # fmt: skip


@pytest.mark.parametrize("case", BEFORE_THE_MARK, ids=case_id)
def test_change_before_marker(case: Case) -> None:
    check_plan(case)


# Dots beside code are code.

DOTS = [
    Case("a.ts", "const s = {\n  ...existing,\n  id: 5,\n};\nsave(s);\n", "const s = {\n  ...existing,\n};\nsave(s);",
        "const s = {\n  ...previous,\n};\nsave(s, true);"),
    Case("a.js", "f(\n  ...rest,\n  1,\n);\ng();\n", "f(\n  ...rest,\n);\ng();", "f(\n  ...more,\n);\ng(1);"),
    Case("a.js", "f(\n  ...rest\n  , 1\n);\ng();\n", "f(\n  ...rest\n);\ng();", "f(\n  ...code\n);\ng(1);"),
    Case("a.jsx", "a = [\n  ...other,\n  b,\n]\nuse(a)\n", "a = [\n  ...other,\n]\nuse(a)", "a = [\n  ...same,\n]\nuse(b)"),
    Case("a.php", "f(\n  ...$rest,\n  1\n);\ng();\n", "f(\n  ...$rest,\n);\ng();", "f(\n  ...$other,\n);\ng(1);"),
    Case("a.ts", "x = [\n  ...lines,\n  y,\n];\nuse(x);\n", "x = [\n  ... lines,\n];\nuse(x);", "x = [\n  ... content,\n];\nuse(y);"),
    Case("a.py", "def f():\n    ...\n\ndef g():\n    a()\n    b()\n", "def g():\n    ...\n    b()", "def g():\n    ...\n    c()"),
    Case("a.pyi", "class A:\n    x: int\n    def f(self): ...\n", "class A:\n    ...\n    def f(self): ...", "class A:\n    ...\n    def g(self): ..."),
    Case("a.c", "int f(int a,\n      int b,\n      ...);\nint g;\n", "int f(int a,\n      ...);\nint g;", "int f(int a,\n      ...);\nint h;"),
    Case("a.lua", "f(\n  a,\n  ...\n)\ng()\n", "f(\n  ...\n)\ng()", "f(\n  ...\n)\nh()"),
    Case("a.r", "f(\n  a,\n  ...\n)\ng()\n", "f(\n  ...\n)\ng()", "f(\n  ...\n)\nh()"),
]  # fmt: skip


@pytest.mark.parametrize("case", DOTS, ids=case_id)
def test_dots_beside_code_are_code(case: Case) -> None:
    check_plan(case)
