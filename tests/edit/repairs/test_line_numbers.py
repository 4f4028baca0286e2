"""Line numbers: those of a display are removed, those of the text stay."""

from __future__ import annotations

import pytest
from tests.edit.cases import Case, case_id, check_plan

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
def test_keeps_numbers_of_text(case: Case) -> None:
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


def test_removes_one_damage_at_a_time() -> None:
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
def test_removes_line_numbers(case: Case) -> None:
    check_plan(case)
