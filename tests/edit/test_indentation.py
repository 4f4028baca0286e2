"""The map of indents: one reading is applied, two readings are refused."""

from __future__ import annotations

import pytest
from tests.edit.cases import (
    Case,
    case_id,
    check_plan,
    plan_text,
    refused,
)

from filewright.edit.request import TextEdit
from filewright.errors import Code


def test_refuses_indents_without_a_map() -> None:
    file = "if a:\n    b\nc\n"
    assert (
        refused(file, TextEdit("if a:\nb\nc\n", "if a:\nd\nc\n")).code
        == Code.NO_MATCH
    )


# Two readings of the indentation.

LOOP = "def f(a):\n    for x in a:\n        if x:\n            continue\n        continue\n    return a\n"


RETURNS = "def f(a):\n    if a:\n        if b:\n            return 1\n        return 1\n    return 1\n"


INDENTS = [
    Case("a.py", LOOP, "            if x:\n                continue\n            continue", "        if x:\n            break\n        continue",
        LOOP.replace("            continue", "            break"), must=False),
    Case("a.py", RETURNS, "                return 1\n            return 1\n        return 1", "            return 1\n        return 1\n    return 2",
        RETURNS[: -len("    return 1\n")] + "    return 2\n", must=False),
    # Unwrapped in the request's own frame.
    Case("a.py", "def f():\n        if x:\n            foo()\n        bar()\n", "            if x:\n                foo()\n            bar()",
        "            foo()\n            bar()", "def f():\n        foo()\n        bar()\n", must=False),
    Case("a.py", "for a in b:\n    if a:\n        go(a)\n    end(a)\n", "        if a:\n            go(a)", "        go(a)",
        "for a in b:\n    go(a)\n    end(a)\n", must=False),
    # Deeper than anything the request showed, where unit and shift differ.
    Case("a.py", "def f():\n  a()\n", "    a()", "    if b:\n        a()", "def f():\n  if b:\n    a()\n", must=False),
    Case("a.js", "f(() => {\n\ta();\n});\n", "    a();", "    if (b) {\n        a();\n    }", "f(() => {\n\tif (b) {\n\t\ta();\n\t}\n});\n", must=False),
    Case("a.go", "func f() {\n\tfor {\n\t\ta()\n\t}\n}\n", "        a()", "        if b {\n            a()\n        }",
        "func f() {\n\tfor {\n\t\tif b {\n\t\t\ta()\n\t\t}\n\t}\n}\n", must=False),
    # A line that is at the margin already cannot lose an indent.
    Case("a.go", "\tx()\n\ty()\nx()\nz()\n", "    \tx()\n    \ty()\nx()\nz()", "    \tx()\n    \ty()\n", must=False),
    # All new, in a frame nobody can tell.
    Case("a.py", "def f():\n        a()\n", "a(  )", "    b()", None),
    Case("a.py", "def f():\n    for x in y:\n        a(x)\n        b(x)\n", "            a(x)\n            b(x)", "        c(x)\n        d(x)", None),
    # Two lines that the shift would lay upon one another.
    Case("a.py", "if a:\n    b()\n    c()\n", "            b()\n            c()", "            b()\n        else:\n            c()",
        "if a:\n    b()\nelse:\n    c()\n", must=False),
    Case("a.py", "a()\nb()\n", "    a()\n    b()", "    a()\n  if x:\nc()", None),
    Case("a.yaml", "a:\n  b:\n    c: 1\n    d: 2\n", "  c: 1\n  d: 2", "    c: 1\n    d: 3", "a:\n  b:\n    c: 1\n    d: 3\n", must=False),
]  # fmt: skip


AT_TWO = "a:\n  item: bat\n  item:\n    - save\n    - user\n"


WRAPPED = "func f() {\n\tif a {\n\t\tpath(b)\n\t}\n\t// as it was\n}\n"


INDENTS += [
    # One indent lost a blank, which makes another unit of it only where nothing else says what it is.
    Case("a.yaml", AT_TWO, "  item:\n     - save", "  item:\n    x: 1"),
    Case(
        "a.yaml",
        AT_TWO,
        "  item: bat\n  item:\n   -  save",
        "  item: bat\n  item:\n    x: 1\n    - save",
    ),
    Case(
        "a.js",
        "f() {\n\n  a(b);\n  c();\n}\n",
        "f() {\n\n a(b);",
        "f() {\n\n  x();",
    ),
    Case(
        "a.py",
        "if a:\n    if b:\n        c(d)\n",
        "    if b:\n      c(d)",
        "    if b:\n        if x:\n            c(d)",
    ),
    # One pair of indents is a shift, or another unit.
    Case(
        "a.yaml",
        "a:\n  b:\n    - bat\n    - load\n",
        "        - bat\n        - load",
        "        - bat\n        - load\n    x",
    ),
    Case(
        "a.py",
        "def f():\n    # a b\n    # c d e\n",
        "  # a b\n  # c d e",
        "  # a b\n  if x:\n      # c d e",
    ),
    # Lines in a block that a new line opens stand deeper for that, and tell nothing of the rest.
    Case(
        "a.go",
        WRAPPED,
        "\t\t\tpath(b)\n\t\t}\n\t\t// as it was\n\t}",
        "\t\tpath(b)\n\tif x {\n\t\t}\n\t\t// as it was\n\t}\n\t}",
    ),
    Case(
        "a.go",
        "a\n\tsave(b)\n}\n",
        "\t\tsave(b)\n\t}",
        "\tif x {\n\t\tsave(b)\n\t}\n\t}",
    ),
    Case("a.go", "a\n\tcat(b)\n}\n", "cat(b)", "if x {\n\t\tcat(b)\n}"),
    # All lines but the first are the file's already, or all of them are moved into its block.
    Case(
        "a.yaml",
        "  a:\n    - b\n    - c\n",
        "  - b\n  - c",
        "  if x:\n    - b\n    - c",
    ),
    # A line that stays by its text alone, moved where the search text's first line is not.
    Case(
        "a.js",
        "  if a {\n    b(c);\n  }\n}\n",
        "        b(c);\n    }\n}\n",
        "    b(c);\n}\n}\n",
    ),
    # The search text begins inside the indent, and the indent is changed.
    Case("a.yaml", "a:\n  b:\n    - c\n", " b:\n", "b:\n"),
    # It begins there, and a new line opens a block with nothing deeper below it.
    Case("a.py", "def f():\n    go()\n", "go()", "if x:\ngo()"),
    Case("a.py", "def f():\n    go()\n", "go()\n", "if x:\ngo()\n"),
    Case(
        "a.py",
        "def f():\n    go()\n",
        "go()",
        "if x:\n    go()",
        "def f():\n    if x:\n        go()\n",
    ),
    # It begins there, and another line than its first is kept, which would get the first one's indent.
    Case("a.py", "if a:\n        b()\n    c()\n", "b()\n    c()", "c()"),
    Case("a.js", "{\n    a()\n  }\n}\n", "a()\n  }\n}", "}\n}"),
]


@pytest.mark.parametrize("case", INDENTS, ids=case_id)
def test_refuses_two_readings(case: Case) -> None:
    check_plan(case)


@pytest.mark.parametrize("width", range(1, 6))
def test_first_of_two_equal_indents_decides(
    width: int,
) -> None:
    # A set has them in another order in every process: the same edit was made in one and refused in another.
    tabs, spaces = "\t" * width, " " * width
    file = f"f {{\n{tabs}\tone(x)\n{tabs}}}\n\n{tabs}if x {{\n{tabs}\ttwo(x)\n{tabs}}}\n"
    search = f"    {tabs}\tone(x)\n    {tabs}}}\n\n    {tabs}if x {{"
    replace = f"{tabs}\tone(x)\n{tabs}}}\n{spaces}three(y)\n{tabs}if x {{\n"
    after, _ = plan_text(file, TextEdit(search, replace))
    assert after == file.replace("}\n\n", f"}}\n{spaces}three(y)\n")
