"""Requests that look like something they are not: the result is the right one, or there is none."""

from __future__ import annotations

from itertools import product

import pytest
from tests.edit.cases import Case, case_id, check_plan, plan_case
from tests.files import named

from filewright.edit.planning import plan_edits
from filewright.edit.request import Insertion, TextEdit
from filewright.text.snapshot import Snapshot
from filewright.text.splice import apply_splices

# New text takes the form that the match proves; what it does not prove is written as it is sent, and noted.

TYPOGRAPHY = [
    *(
        Case("a.py", 'x = "a"\ny = 1\n', "x = “a”\ny = 1", f"x = “a”\ny = f(b){mark}c", f'x = "a"\ny = f(b){plain}c\n')
        for mark, plain in {"‘": "'", "’": "'", "“": '"', "”": '"', "＂": '"', "″": '"'}.items()
    ),
    *(
        Case("a.py", 'x = "a"\ny = 1\n', "x = “a”\ny = 1", f"x = “a”\ny = f(b){mark}c", f'x = "a"\ny = f(b){mark}c\n')
        for mark in ("–", "—", "−", "\u00a0", "…", "«", "‹", "→", "×", "\u200b", "≤", "·")
    ),
    Case("a.py", "x = 'a'\ny = 1\n", "x = ‘a’\ny = 1", "x = “b”\ny = 1", 'x = "b"\ny = 1\n'),
    Case("a.py", 'x = "a"\ny = 1\n', "x = “a”\ny = 1", "x = “a”\n# don’t\ny = 1", 'x = "a"\n# don\'t\ny = 1\n'),
    Case("a.go", 'a := "x"\nb()\n', "a := “x”\nb()", "a := “x”\nb(‘y’)", "a := \"x\"\nb('y')\n"),
    Case("a.ts", "const a = 'x';\nb();\n", "const a = ‘x’;\nb();", "const a = ‘x’;\nb(“y”);", "const a = 'x';\nb(\"y\");\n"),
    Case("a.c", "int a = b - c;\nd();\n", "int a = b – c;\nd();", "int a = b – c;\nd(“e”);", "int a = b - c;\nd(“e”);\n"),
    Case("a.sh", "run -x\necho 'a'\n", "run –x\necho 'a'", "run –x –y\necho 'b'", "run -x -y\necho 'b'\n"),
    Case("a.rb", "a = 'x'\n", "a = ‘x’", "a = ‘x’ + “y”", "a = 'x' + \"y\"\n"),
    Case("a.rs", 'p("x");\n', "p(“x”);", "p(“x”, ‘y’);", "p(\"x\", 'y');\n"),
    # What the request leaves alone is the file's own, whatever it is.
    Case("a.md", "He said “go” ‐ and “went”.\n\nx\n", "He said “go” – and “went”.", "He said “stop” – and “went”.",
        "He said “stop” ‐ and “went”.\n\nx\n"),
    Case("a.md", "say “hi” to bob\nend\n", 'say "hi" to bob\nend', 'say "hi" to bob\nstop', "say “hi” to bob\nstop\n"),
]  # fmt: skip


@pytest.mark.parametrize("case", TYPOGRAPHY, ids=case_id)
def test_new_text_takes_the_form_that_the_match_proves(case: Case) -> None:
    check_plan(case)


# What is unescaped in the search is unescaped in the replacement.

ESCAPES = [
    *(
        Case(name, f"{start}foo({q}a{q}){end}\n{start}bar({q}b{q}){end}\n",
            f"{start}foo(\\{q}a\\{q}){end}\n{start}bar(\\{q}b\\{q}){end}",
            f"{start}foo(\\{q}a\\{q}){end}\n{start}bar(\\{q}c\\{q}){end}",
            f"{start}foo({q}a{q}){end}\n{start}bar({q}c{q}){end}\n")
        for (name, start, end), q in product(
            (("a.py", "", ""), ("a.js", "  ", ";"), ("a.go", "\t", ""), ("a.rs", "    ", ";"), ("a.c", "", ";"), ("", "", "")),
            ('"', "'"),
        )
    ),
    # Half of the damage in the replacement.
    Case("a.py", 'foo("a")\nbar("b")\n', 'foo(\\"a\\")\nbar(\\"b\\")', 'foo(\\"a\\")\nbar("c")'),
    Case("a.py", 'foo("a")\nbar("b")\n', 'foo(\\"a\\")\\nbar(\\"b\\")', 'foo("a")\nbar(\\"c\\")'),
    Case("a.py", 'foo("a")\nbar("b")\n', 'foo(\\"a\\")\\nbar(\\"b\\")', 'foo("a")\\nbar("c")'),
    Case("a.ts", "use('a');\nuse('b');\n", "use(\\'a\\');\nuse(\\'b\\');", "use('a');\nuse(\\'c\\');"),
    Case("a.py", 'foo("a")\nbar("b")\n', 'foo(\\"a\\")\nbar(\\"b\\")', 'foo(\\"a\\")\nbar(\\"\\d\\")'),
    # The replacement without the damage.
    Case("a.py", 'foo("a")\nbar("b")\n', 'foo(\\"a\\")\nbar(\\"b\\")', 'foo("a")\nbar("c")', 'foo("a")\nbar("c")\n'),
    Case("a.py", 'foo("a")\nbar("b")\n', 'foo(\\"a\\")\nbar(\\"b\\")', "foo(1)\nbar(2)", "foo(1)\nbar(2)\n"),
]  # fmt: skip


@pytest.mark.parametrize("case", ESCAPES, ids=case_id)
def test_what_is_unescaped_in_the_search_is_unescaped_in_the_replacement(
    case: Case,
) -> None:
    check_plan(case)


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
    Case("a.py", "x = 1\ny = 2\n", "```\nx = 1\ny = 2\n```", "```\nx = 1\ny = 3"),
    Case("a.py", "x = 1\ny = 2\n", "```\nx = 1\ny = 2\n```", "x = 1\ny = 3\n```"),
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
def test_damage_in_half_of_the_replacement_is_refused_or_told(case: Case) -> None:
    check_plan(case)


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
def test_an_elision_does_not_leave_the_block_in_which_it_begins(case: Case) -> None:
    check_plan(case)


# Lines that occur nowhere else are changed beside the name of their block: what follows the mark is context.

TWO = (
    "function f() {\n  a();\n  return 1;\n}\n\nfunction g() {\n  b();\n  return 2;\n}\n"
)
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
def test_a_change_before_the_mark_needs_lines_that_occur_once(case: Case) -> None:
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
def test_dots_beside_code_stand_for_nothing_left_out(case: Case) -> None:
    check_plan(case)


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
def test_another_word_is_another_text(case: Case) -> None:
    check_plan(case)


# A part of a line, or of a word, that the replacement has all of.

PARTS = [
    # The replacement has the whole indentation.
    Case(
        "a.py", "def f():\n    go()\n", "  go()", "    gone()", "def f():\n    gone()\n"
    ),
    Case(
        "a.py", "def f():\n    go()\n", "go()", "    gone()", "def f():\n    gone()\n"
    ),
    # Exact is literal, and what is there twice then is noted.
    Case(
        "a.py", "def f():\n    go()\n", "ef f():", "def g():", "ddef g():\n    go()\n"
    ),
    Case("a.py", "foo(bar)\n", "foo(ba", "foo(bar", "foo(barr)\n"),
    Case("a.py", "def f():\n    go()\n", "go()", "gone()", "def f():\n    gone()\n"),
    Case("a.py", "foobar = 1\n", "bar", "baz", "foobaz = 1\n"),
]


@pytest.mark.parametrize("case", PARTS, ids=range(len(PARTS)))
def test_a_part_of_a_line_is_replaced_literally(case: Case) -> None:
    check_plan(case)


DOUBLED = [
    ("const a = 1;\n", "const a = 1", "const a = 2;"),
    ("if (x) {\n}\n", "if (x)", "if (x && z) {"),
    ("function f() {\n  a();\n  b();\n}\n", "function f() {\n  a();\n  b();", "function f() {\n  a();\n  c();\n}"),
    ("foo(bar)\n", "foo(ba", "foo(bar"),
]  # fmt: skip


@pytest.mark.parametrize(("file", "search", "replace"), DOUBLED)
def test_notes_text_that_is_there_twice_then(
    file: str, search: str, replace: str
) -> None:
    planned = plan_edits(Snapshot(file.encode()), [TextEdit(search, replace)])
    assert any("twice" in note.text for note in planned.outcomes[0].notes)
    plain = plan_edits(Snapshot(file.encode()), [TextEdit(search, search + "x")])
    assert not plain.outcomes[0].notes


# Numbers before lines that are keys.

KEYS = [
    Case("a.py", "CODES = {\n    401: Unauthorized,\n}\nERRORS = [\n    NotFound,\n    Unauthorized,\n]\n", "    404: NotFound,", "    404: Missing,"),
    Case("a.py", "CODES = {\n    401: Unauthorized,\n}\nERRORS = [\n    NotFound,\n    Teapot,\n]\n",
        "    404: NotFound,\n    405: Teapot,", "    404: Missing,\n    405: Teapot,"),
    Case("a.rs", "match c {\n    1 => a(),\n}\nlet v = [\n    x,\n];\n", "    2: x,", "    2: y,"),
    Case("a.yaml", "a:\n  - one\n  - two\nb: 1\n", "  1: - one\n  2: - two", "  1: - uno\n  2: - two"),
    Case("a.js", "x = [\n  one,\n  two,\n];\n", "  7: one,", "  7: eins,"),
    Case("a.json", '{\n "a": "x",\n "b": [\n  "y"\n ]\n}\n', '  1: "y"', '  1: "z"'),
    Case("a.py", "v = [\n    a,\n    b,\n    c,\n]\n", "    200: a,\n    201: b,\n    202: c,", "    200: A,\n    201: b,\n    202: c,"),
    Case("a.md", "one\ntwo\nthree\n", "5. one\n6. two\n7. three", "5. uno\n6. two\n7. three"),
    Case("a.c", "switch (a) {\ncase 1:\n  x();\n}\ny();\n", "3: y();", "3: z();"),
    Case("a.sql", "select a,\n  b\nfrom t;\n", "10| b", "10| c"),
    Case("a.csv", "x;y\nz;w\n", "8|x;y\n9|z;w", "8|x;y\n9|z;v"),
    Case("a.py", "t = {\n    one,\n    two,\n}\n", "  10 - one,\n  11 - two,", "  10 - uno,\n  11 - two,"),
]  # fmt: skip


TWO_ALIKE = "def f(a):\n    # as before\n\ndef f(a):\n    # as before\n"
KEYS += [
    # The number is that of one of two equal places. It may be of an older text of the file.
    Case(
        "a.py",
        TWO_ALIKE,
        "4\tdef f(a):\n5\t    # as before",
        "4\tdef f(b):\n5\t    # as before",
    ),
    Case(
        "a.py",
        TWO_ALIKE,
        "1: def f(a):\n2:     # as before",
        "1: def f(b):\n2:     # as before",
    ),
    Case("a.js", "if (a) {\n}\nif (b) {\n}\n", "4: }", "4: x();\n5: }"),
]


@pytest.mark.parametrize("case", KEYS, ids=case_id)
def test_a_number_that_is_not_the_lines_own_is_text(case: Case) -> None:
    check_plan(case)


NUMBERED = [
    Case("a.py", "a = 1\nb = 2\nc = 3\n", search, replace, "a = 1\nb = 4\nc = 3\n")
    for search, replace in (
        ("2: b = 2", "2: b = 4"),
        ("2 -> b = 2", "2 -> b = 4"),
        ("Line 2: b = 2", "Line 2: b = 4"),
        ("2\tb = 2", "2\tb = 4"),
        ("   2→b = 2", "   2→b = 4"),
        ("2 | b = 2\n3 | c = 3", "2 | b = 4\n3 | c = 3"),
        ("1. a = 1\n2. b = 2\n3. c = 3", "1. a = 1\n2. b = 4\n3. c = 3"),
        ("L2: b = 2", "b = 4"),
        ("[2] b = 2", "[2] b = 4"),
        ("2) b = 2\n3) c = 3", "2) b = 4\n3) c = 3"),
    )
] + [
    Case("a.py", "a = 1\n\nb = 2\n", "1\ta = 1\n2\n3\tb = 2", "1\ta = 1\n2\n3\tb = 3", "a = 1\n\nb = 3\n"),
    Case("a.py", "a = 1\n\nb = 2\n", "1: a = 1\n2:\n3: b = 2", "1: a = 1\n2:\n3: b = 3", "a = 1\n\nb = 3\n"),
    # The replacement goes on with less indentation than any line of the search text.
    Case("a.py", "z\nif a:\n    b = 2\n    c = 3\n    d = 4\n", "11→    b = 2\n12→    c = 3\n13→    d = 4",
        "11→    b = 2\n12→    c = 3\n13→    d = 4\n14→\n15→e = 5",
        "z\nif a:\n    b = 2\n    c = 3\n    d = 4\n\ne = 5\n"),
    Case("a.py", "z\n\na = 1\nb = 2\nc = 3\n", "11→a = 1\n12→b = 2\n13→c = 3", "11→a = 1\n12→b = 4\n13→c = 3", "z\n\na = 1\nb = 4\nc = 3\n"),
]  # fmt: skip


def test_one_damage_is_repaired_and_not_two_at_once() -> None:
    fenced = [
        "```\n1→a = 1\n2→b = 2\n3→c = 3\n```",
        "```\n1→a = 1\n2→b = 4\n3→c = 3\n```",
    ]
    check_plan(Case("a.py", "a = 1\nb = 2\nc = 3\n", *fenced))
    check_plan(
        Case(
            "a.py",
            "a = 1\nb = 2\n",
            "\ufeffa = 1\nb = 2",
            "\ufeffa = 1\nb = 4",
            "a = 1\nb = 4\n",
        )
    )


@pytest.mark.parametrize("case", NUMBERED, ids=case_id)
def test_a_number_that_is_the_lines_own_is_taken_away(case: Case) -> None:
    check_plan(case)


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
    Case("a.js", "f() {\n\n  a(b);\n  c();\n}\n", "f() {\n\n a(b);", "f() {\n\n  x();"),
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
def test_two_readings_of_the_indentation_are_refused(case: Case) -> None:
    check_plan(case)


# A replacement that alone holds what stands for omitted text, or what a display puts round text.

LAZY = "def f(a):\n    x = 1\n    y = 2\n    z = 3\n    return x\n"
MARKED = [
    "# ... existing code ...", "// ... rest of the code", "/* ... */", "# ...", "<!-- ... unchanged ... -->", "-- ... existing code ...",
    "// ... (rest unchanged) ...", "# … existing code …", "{/* ... existing code ... */}", "# ... other methods remain the same ...",
    "// ...existing code...", "# [... rest of the function ...]", "; ... unchanged ...", "% ... as before ...", "# (... existing code ...)",
    "# rest of the code remains unchanged",
]  # fmt: skip


@pytest.mark.parametrize("mark", MARKED)
@pytest.mark.parametrize(
    "search",
    [LAZY, LAZY.replace("    ", "  "), LAZY.replace("\n", " \n")],
)
def test_a_marker_for_omitted_text_is_not_written(mark: str, search: str) -> None:
    case = Case("a.py", LAZY, search, f"def f(a, b):\n    {mark}\n    return x + b\n")
    assert plan_case(case) is None


def test_a_marker_that_is_in_the_file_or_in_the_search_is_text() -> None:
    file = LAZY.replace("    x = 1\n", "    # ... existing code ...\n")
    new = "    # ... existing code ...\n    y = 4\n"
    case = Case("a.py", file, "    # ... existing code ...\n    y = 2\n", new)
    assert plan_case(case) == file.replace("y = 2", "y = 4")
    assert (
        plan_case(Case("a.py", file, "    z = 3\n", "    # ... existing code ...\n"))
        is None
    )


@pytest.mark.parametrize("mark", [*MARKED, "2→    y = 2", "```python"])
def test_without_fuzzy_a_marker_is_written(mark: str) -> None:
    case = Case("a.py", LAZY, "    y = 2\n", f"    {mark}\n")
    assert plan_case(case, fuzzy=False) == LAZY.replace("    y = 2\n", f"    {mark}\n")


DISPLAYED = [
    ("y = 2", "3→    y = 3"), ("    y = 2\n", "     3\t    y = 3\n"), ("    y = 2\n    z = 3\n", "3:     y = 3\n4:     z = 3\n"),
    ("    y = 2\n", "```python\n    y = 3\n```\n"), ("    y = 2\n", "```\n    y = 3\n```"), ("    y = 2\n", "~~~\n    y = 3\n~~~\n"),
    ("    y = 2\n    z = 3\n", "  3 |     y = 3\n  4 |     z = 3\n"), ("    y = 2\n", "L3:     y = 3\n"), ("    y = 2\n    z = 3\n", "3│    y = 3\n4│    z = 3\n"),
    ("    x = 1\n    y = 2\n", "2: x = 1\n3: y = 3\n"), ("y = 2", "Line 3: y = 3"), ("    y = 2\n    z = 3\n", "3\t    y = 3\n4\t    z = 3\n"),
]  # fmt: skip


@pytest.mark.parametrize(("search", "replace"), DISPLAYED)
def test_numbers_and_fences_of_the_replacement_alone_are_written_and_noted(
    search: str, replace: str
) -> None:
    planned = plan_edits(named("a.py", LAZY.encode()), [TextEdit(search, replace)])
    result = apply_splices(LAZY.encode(), planned.splices).decode()
    ended = "\n" if search.endswith("\n") and not replace.endswith("\n") else ""
    assert result == LAZY.replace(search, replace + ended)
    assert planned.outcomes[0].notes


def test_a_nul_is_written_and_noted() -> None:
    planned = plan_edits(named("a.py", LAZY.encode()), [TextEdit("x = 1", "x = '\0'")])
    assert [note.text for note in planned.outcomes[0].notes] == [
        "now contains a NUL, which makes the file a binary one"
    ]
    assert plan_case(Case("a.txt", "a\0b\nc\n", "c", "\0")) == "a\0b\n\0\n"


def test_numbers_and_fences_that_are_content_are_written() -> None:
    assert (
        plan_case(
            Case(
                "a.py", "x = {\n    1: a,\n}\n", "    1: a,\n", "    1: a,\n    2: b,\n"
            )
        )
        is not None
    )
    assert (
        plan_case(Case("a.md", "# T\n\nTODO\n", "TODO", "```sh\nnpm i\n```"))
        == "# T\n\n```sh\nnpm i\n```\n"
    )
    assert (
        plan_case(
            Case(
                "a.py",
                "codes = None\nend()\n",
                "codes = None",
                "codes = {\n    200: OK,\n    201: Created,\n}",
            )
        )
        is not None
    )


# A replacement that stands elsewhere is not applied here.

LOST = [
    # The last line of the search text lost its text; what the replacement has in its place would stand beside it.
    Case("a.js", "f {\n  a();\n}\nb\n", "  a();\n  ", "  x();\n}"),
    Case("a.js", "f {\n  a();\n}\nb\n", "  a();\n\n", "  x();\n}"),
    Case(
        "a.go",
        "\ta()\n\treturn\n}\n\nb\n",
        "\ta()\n\treturn\n\n\n",
        "\ta()\n\treturn\n}\nx()",
    ),
    Case("a.go", "f {\n\t}\n}\nx\n", "\t\n}\nx", "\ty()\n}\nx"),
    Case(
        "a.go",
        "}\n\nfunc f() {\n\ta()\n}\n",
        "\n\nfunc f() {\n\ta() \n}",
        "}\n\nfunc f() {\n\tb()\n}",
    ),
    # A blank line that is too much is no lost line.
    Case(
        "a.js", "f {\n  a();\n}\nb\n", "  a();\n\n", "  x();\n", "f {\n  x();\n}\nb\n"
    ),
    Case("a.js", "f {\n  a();\n}\nb\n", "\n  a();", "\n  x();", "f {\n  x();\n}\nb\n"),
]


@pytest.mark.parametrize("case", LOST, ids=range(len(LOST)))
def test_a_blank_line_in_the_place_of_another_is_no_edge(case: Case) -> None:
    check_plan(case)


ELSEWHERE = [
    Case("a.py", f"def a():\n    {n}\n    {m}\n\nclass C:\n    def b():\n        {o}\n        {p}\n", f"    {o}\n    {p}", f"    {n}\n    {m}",
        f"def a():\n    {n}\n    {m}\n\nclass C:\n    def b():\n        {n}\n        {m}\n")
    for o, p, n, m in (
        ("x = old1", "y = old2", "x = new1", "y = new2"), ("open(a)", "read(a)", "load(a)", "check(a)"), ("a += 1", "b += 1", "a -= 1", "b -= 1"),
        ("return 1", "return 2", "return 3", "return 4"), ("go(a)", "stop(b)", "run(a)", "halt(b)"), ("import a", "import b", "import c", "import d"),
        ("p('x')", "p('y')", "p('z')", "p('w')"), ("if a: b", "if c: d", "if e: f", "if g: h"), ("x = [1]", "y = [2]", "x = [3]", "y = [4]"),
        ("raise A", "raise B", "raise C", "raise D"),
    )
]  # fmt: skip


@pytest.mark.parametrize("case", ELSEWHERE, ids=case_id)
def test_already_applied_is_said_only_of_this_place(case: Case) -> None:
    check_plan(case)


TWICE = [
    ("import os\nimport sys\nx\n", "import os\n", "import os\nimport sys\n"),
    ("import os\nimport sys\nx\n", "import os", "import os\nimport sys"),
    ("a\nb\nc\n", "c\n", "b\nc\n"),
    ("f(a, b)\n", "f(a", "f(a, b"),
    ("{\n  a,\n  b,\n}\n", "  a,\n", "  a,\n  b,\n"),
    (
        "#include <a>\r\n#include <b>\r\n",
        "#include <a>\n",
        "#include <a>\n#include <b>\n",
    ),
    ("x\n\n\ny\n", "x\n\n", "x\n\n\n"),
    ("use a;\nuse b;\n", "use b;\n", "use a;\nuse b;\n"),
    ("one two three\n", "one ", "one two "),
    ("- a\n- b\n", "- a\n", "- a\n- b\n"),
]


@pytest.mark.parametrize(("file", "search", "replace"), TWICE)
def test_an_insertion_that_follows_already_is_disclosed(
    file: str, search: str, replace: str
) -> None:
    planned = plan_edits(Snapshot(file.encode()), [TextEdit(search, replace)])
    assert "is there already" in planned.outcomes[0].text
    other = plan_edits(
        Snapshot(file.encode()), [TextEdit(search, search + "another line\n")]
    )
    assert "already" not in other.outcomes[0].text


def test_blanks_that_are_not_a_slip_are_another_text() -> None:
    assert plan_case(Case("a.py", "a" + " " * 600 + "b\nc\n", "a b\nc", "x\nc")) is None
    assert (
        plan_case(Case("a.py", "a    = b\nc\n", "a = b\nc", "a = b\nd"))
        == "a    = b\nd\n"
    )


ENDS = [
    (b"a\rb\nc\n", TextEdit("a\n", "a\n\n"), 4),
    (b"a\rX\nb\n", TextEdit("X\n", "\n"), 3),
    (b"a\rb\rc\nd\ne\n", TextEdit("b\n", "b\n\n\n"), 7),
    (b"a\rb\nc\n", TextEdit("b", "\nb"), 4),
    (b"a\rb\nc\n", Insertion(line=2, replace=""), 4),
    (b"a\rx\nb\nc\n", TextEdit("x\n", "x\n\n"), 5),
    (b"a\rb\rc\n", TextEdit("b", ""), 3),
    (b"a\r\nb\rc\r\nd\r\n", TextEdit("b\n", "b\n\n"), 5),
]


@pytest.mark.parametrize(("data", "edit", "lines"), ENDS)
def test_no_line_end_is_lost_where_a_return_meets_a_newline(
    data: bytes, edit: TextEdit, lines: int
) -> None:
    planned = plan_edits(Snapshot(data), [edit])
    assert len(apply_splices(data, planned.splices).splitlines()) == lines


def test_deleted_lines_at_an_unended_end_leave_no_empty_line() -> None:
    assert plan_case(Case("a.py", "a\nb\nc", "b\nc\n", "")) == "a"
    assert plan_case(Case("a.py", "a\n  b\n  c", "b\nc\n", "")) == "a"


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
