"""The matcher of whole lines: another word is another text, a slip of blanks is not."""

from __future__ import annotations

from itertools import product

import pytest
from tests.edit.cases import Case, case_id, check_plan, plan_case, refused

from filewright.edit.request import TextEdit
from filewright.errors import Code

ONE_TOKEN = [
    ("total = price * count\n", "total = price * counts\n"),
    ("call(value)\n", "call(valve)\n"),
    ("x = 10\n", "x = 11\n"),
    ("if a < b:\n", "if a <= b:\n"),
    ("return result\n", "return _result\n"),
    ("return result\n", "return resultx\n"),
    (
        'raise Error("the file is missing from here")\n',
        'raise Error("the file is mising from here")\n',
    ),
    ("import math\n", "import maths\n"),
    ("use std::io::Write;\n", "use std::io::Writx;\n"),
    ("x = await load(a)\n", "x = load(a)\n"),
    ("half = total // count\n", "half = total // cuont\n"),
    ("#define LIMIT size\n", "#define LIMIT sise\n"),
    ("SELECT name FROM users WHERE age\n", "SELECT name FROM user WHERE age\n"),
    ("url = 'http://the.host/of/this'\n", "url = 'http://the.hosts/of/this'\n"),
    ("# see version 2 of it\n", "# see version 3 of it\n"),
    ("# call the_thing here\n", "# call the_thin here\n"),
    ("# a word changed here\n", "# a word replaced here\n"),
    ("for item in items and others:\n", "for item in item and others:\n"),
]


@pytest.mark.parametrize(("line", "asked"), ONE_TOKEN)
def test_other_token_is_no_match(line: str, asked: str) -> None:
    file = f"begin()\n{line}end()\n"
    error = refused(
        file, TextEdit(f"begin()\n{asked}end()\n", "begin()\nend()\n")
    )
    assert error.code == Code.NO_MATCH
    assert error.details["nearest"][0]["differs_at"] == 2


def test_other_words_are_no_match() -> None:
    file = "# the first of these words\nx\n"
    assert (
        refused(file, TextEdit("# the frist of thees words\nx\n", "x\n")).code
        == Code.NO_MATCH
    )


# A word that differs is another word.

WORDS = [
    ("Jan", "Jun"), ("cat", "bat"), ("north", "forth"), ("Main", "Maid"), ("sync", "async"), ("const", "cost"),
    ("stdin", "stdio"), ("strcpy", "strncpy"), ("http", "https"), ("read", "lead"), ("user", "users"), ("kwarg", "kwargs"),
    ("Anna", "Anne"), ("May", "Mai"), ("first", "fist"), ("node", "inode"), ("now", "not"), ("before", "befog"),
    ("from", "form"), ("trail", "trial"), ("Berlin", "Merlin"), ("numpy", "numpi"), ("malloc", "calloc"), ("quite", "quiet"),
    ("abcd", "abce"), ("public", "publish"), ("enable", "unable"), ("tls", "tlp"), ("lpad", "rpad"), ("include", "included"),
]  # fmt: skip


SENTENCES = [
    (
        "a.md",
        "# Rates\n\n- The {} rate is 20 percent of the total.\n",
        "- The {} rate is 20 percent of the total.",
    ),
    (
        "a.py",
        "def a():\n    # this is what the {} does with it\n    go()\n",
        "    # this is what the {} does with it\n    go()",
    ),
    (
        "a.c",
        "/* the {} is told what to do */\nint a;\n",
        "/* the {} is told what to do */\nint a;",
    ),
]


OTHER_WORDS = [
    Case(
        name,
        file.format(there),
        search.format(asked),
        search.format(asked) + " # and more",
    )
    for (name, file, search), (one, other) in product(SENTENCES, WORDS)
    for there, asked in ((one, other), (other, one))
]


@pytest.mark.parametrize("case", OTHER_WORDS, ids=case_id)
def test_other_word_is_no_match(case: Case) -> None:
    check_plan(case)


def test_many_blanks_are_no_match() -> None:
    assert (
        plan_case(Case("a.py", "a" + " " * 600 + "b\nc\n", "a b\nc", "x\nc"))
        is None
    )
    assert (
        plan_case(Case("a.py", "a    = b\nc\n", "a = b\nc", "a = b\nd"))
        == "a    = b\nd\n"
    )


# Blanks round punctuation, in one line that says the rest letter by letter.

SPACED = [
    Case("a.py", "def f(a,b = 1):\n    pass\n", "def f(a, b=1):", "def f(a, b=1, c=2):", "def f(a,b = 1, c=2):\n    pass\n", must=False),
    Case("a.ts", "const a = {b:1};\nc();\n", "const a = { b: 1 };", "const a = { b: 2 };", "const a = {b:2};\nc();\n", must=False),
    Case("a.py", "x = f( a )\n", "x = f(a)", "y = f(a)", "y = f( a )\n", must=False),
    # A string, a comment, a language in which the blank means something, a line that is there twice.
    Case("a.py", "x = f('a,b')\n", "x = f('a, b')", "x = g('a, b')"),
    Case("a.py", "x = 1 # a,b\n", "x = 1 # a, b", "x = 2 # a, b"),
    Case("a.md", "a,b\n", "a, b", "a, c"),
    Case("a.sh", "a=b\n", "a = b", "a = c"),
    Case("a.sh", "[ a ]\n", "[a]", "[b]"),
    Case("", "f(a,b)\n", "f(a, b)", "g(a, b)"),
    Case("a.py", "f(a,b)\nf(a ,b)\n", "f(a, b)", "g(a, b)"),
    Case("a.c", "#define F (x)\n", "#define F(x)", "#define F(y)"),
    Case("a.js", "a = b + +c;\n", "a = b ++ c;", "a = c;"),
    Case("a.js", "a = `x${b}`;\n", "a = `x${ b }`;", "a = `y${ b }`;"),
    Case("a.rb", "f [1]\n", "f[1]", "f[2]"),
]  # fmt: skip


@pytest.mark.parametrize("case", SPACED, ids=case_id)
def test_blanks_round_punctuation(case: Case) -> None:
    check_plan(case)
