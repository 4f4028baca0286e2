"""The matcher of damaged requests: exact text is never repaired, nor damage in part."""

from __future__ import annotations

import pytest
from tests.edit.cases import Case, case_id, check_plan, plan_tier, refused

from filewright.edit.model import Tier
from filewright.edit.request import TextEdit
from filewright.errors import Code

# The text stands there exactly, so it is taken literally, however much it looks like damage.
LITERAL = {
    "a numbered list": (
        "1: one\n2: two\n",
        "1: one\n2: two\n",
        "1: uno\n2: two\n",
    ),
    "a fence that is content": (
        "a\n```py\nx\n```\nb\n",
        "```py\nx\n```",
        "```py\ny\n```",
    ),
    "escapes that are content": ('s = "a\\nb"\n', '"a\\nb"', '"a\\tb\\nc"'),
    "dots that are content": (
        "def f():\n    ...\n",
        "def f():\n    ...\n",
        "def g():\n    ...\n",
    ),
    "reindenting": ("    a\n    b\n", "    a\n    b\n", "  a\n  b\n"),
    "taking trailing blanks away": ("a  \nb\n", "a  \nb\n", "a\nb\n"),
    "adding a blank line": ("a\nb\n", "a\nb\n", "\na\n\nb\n"),
    "to typographic quotes": ('say "x"\n', 'say "x"', "say “x”"),
    "to plain quotes": ("say “x”\n", "say “x”", 'say "x"'),
    "entities that are content": ("&lt;b&gt;\n", "&lt;b&gt;", "&lt;i&gt;"),
}


@pytest.mark.parametrize("name", LITERAL)
def test_repairs_no_exact_text(name: str) -> None:
    file, search, replace = LITERAL[name]
    assert plan_tier(file, TextEdit(search, replace)) == (
        file.replace(search, replace),
        Tier.EXACT,
    )


@pytest.mark.parametrize("twin_first", [True, False])
def test_exact_text_beside_whitespace_twin(twin_first: bool) -> None:
    exact, twin = (
        "if a:\n    b()\n    c()\n",
        "        if a:\n            b()\n            c()\n",
    )
    file = twin + exact if twin_first else exact + twin
    search = "\nif a:\n    b()\n    c()\n" if twin_first else exact
    if twin_first:
        file = "x\n" + file.replace(exact, "\n" + exact)
    result, tier = plan_tier(
        file, TextEdit(search, search.replace("c()", "d()"))
    )
    assert tier is Tier.EXACT
    assert twin in result


REPAIRS = {
    "numbers that are not consecutive": (
        "alpha\nbeta\n",
        "1: alpha\n3: beta\n",
        "1: alpha\n3: gamma\n",
    ),
    "numbers not on every line": (
        "alpha\nbeta\n",
        "1: alpha\nbeta\n",
        "1: alpha\ngamma\n",
    ),
    "a replacement numbered in part": (
        "alpha\nbeta\n",
        "1: alpha\n2: beta\n",
        "1: alpha\ngamma\n",
    ),
    "a fence that does not close": (
        "alpha\nbeta\n",
        "```\nalpha\nbeta\n",
        "```\nalpha\n",
    ),
}


@pytest.mark.parametrize("name", REPAIRS)
def test_repairs_no_partial_damage(name: str) -> None:
    file, search, replace = REPAIRS[name]
    assert refused(file, TextEdit(search, replace)).code == Code.NO_MATCH


def test_keeps_undamaged_replacement() -> None:
    file = 'log("a")\nlog("b")\n'
    search = 'log(\\"a\\")\\nlog(\\"b\\")'
    replace = 'log("a\\n")\nlog("b")'
    assert plan_tier(file, TextEdit(search, replace)) == (
        'log("a\\n")\nlog("b")\n',
        Tier.REPAIRED,
    )


# Line numbers and fences in half of the replacement; of entities each one says by itself what it is.

HALVES = [
    Case(
        "a.ts",
        "if (a < b) {\n",
        "if (a &lt; b) {",
        "if (a &lt; b && c > 0) {",
        "if (a < b && c > 0) {\n",
    ),
    Case(
        "a.ts",
        "if (a < b) {\n",
        "if (a &lt; b) {",
        "if (a < b &amp;&amp; c) {",
        "if (a < b && c) {\n",
    ),
    Case(
        "a.html",
        '<a href="x">\n',
        "&lt;a href=&quot;x&quot;&gt;",
        '&lt;a href="y"&gt;',
        '<a href="y">\n',
    ),
    Case(
        "a.rs",
        "fn f() -> Vec<u8> {\n",
        "fn f() -&gt; Vec&lt;u8&gt; {",
        "fn f() -> Vec&lt;u16&gt; {",
    ),
    Case(
        "a.c",
        "a->b = c & d;\n",
        "a-&gt;b = c &amp; d;",
        "a-&gt;b = c & e;",
        "a->b = c & e;\n",
    ),
    Case(
        "a.java",
        "List<String> a;\n",
        "List&lt;String&gt; a;",
        "List&lt;Integer> a;",
        "List<Integer> a;\n",
    ),
    Case("a.py", "x = 1\ny = 2\n", "1: x = 1\n2: y = 2", "1| x = 1\n2| y = 3"),
    Case("a.py", "x = 1\ny = 2\n", "1: x = 1\n2: y = 2", "1: x = 1\ny = 3"),
    Case("a.py", "x = 1\ny = 2\n", "1→x = 1\n2→y = 2", "x = 1\n2→y = 3"),
    Case(
        "a.py", "x = 1\ny = 2\n", "```\nx = 1\ny = 2\n```", "```\nx = 1\ny = 3"
    ),
    Case(
        "a.py", "x = 1\ny = 2\n", "```\nx = 1\ny = 2\n```", "x = 1\ny = 3\n```"
    ),
    Case(
        "a.ts",
        "if (a < b) {\n",
        "if (a &lt; b) {",
        "if (a &gt; b) {",
        "if (a > b) {\n",
        must=False,
    ),
    Case(
        "a.ts",
        "if (a < b) {\n",
        "if (a &lt; b) {",
        "if (a > b) {",
        "if (a > b) {\n",
        must=False,
    ),
]


@pytest.mark.parametrize("case", HALVES, ids=case_id)
def test_refuses_half_damaged_replacement(case: Case) -> None:
    check_plan(case)
