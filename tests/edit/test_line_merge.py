"""A loose match is merged: only the difference between search text and replacement is applied.

Text that both have keeps the file's characters, also inside a line that changes. New text follows the
mapping that the match proves; the rest is written as sent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest
from tests.edit.cases import Case, Desk, Editor, case_id
from tests.samples import in_part

from filewright.edit.planning import plan_edits
from filewright.edit.request import TextEdit
from filewright.text.snapshot import Snapshot
from filewright.text.splice import apply_splices

NBSP, NARROW, IDEOGRAPHIC = "\u00a0", "\u202f", "\u3000"


COLUMNS = [
    Case("a.tsv", "ada\t36\tLondon\n", "ada 36 London", "ada 37 London", "ada\t37\tLondon\n"),
    Case("a.tsv", "id\tname\nada\t36\tLondon\nbob\t1\tRome\n", "ada  36  London", "ada  37  London", "id\tname\nada\t37\tLondon\nbob\t1\tRome\n"),
    Case("a.tsv", "ada\t36\tLondon\n", "ada 36 London", "bob 37 London", "bob\t37\tLondon\n"),
    Case("a.txt", "ada   36   London\n", "ada 36 London", "ada 36 Rome", "ada   36   Rome\n"),
    Case("a.md", f"Save it in the{NBSP}file. Go.\n", "Save it in the file. Go.", "Once done,\nsave it in the file. \nGo.", "Once done,\nsave it in the file. \nGo.\n"),
    Case("a.md", f"Save it in the{NBSP}file. Go.\n", "Save it in the file. Go.", "Save it in the file. Stop.", f"Save it in the{NBSP}file. Stop.\n"),
    Case("a.txt", "ada   36   London\nbob   7    Rome\n", "ada 36 London\nbob 7 Rome", "ada 36 London\nbob 8 Rome", "ada   36   London\nbob   8    Rome\n"),
    Case("s.py", "a      = 1   # one\nb = 22  # two\n", "a = 1 # one", "a = 3 # one", "a      = 3   # one\nb = 22  # two\n"),
    Case("s.py", "a      = 1   # one\n", "a = 1 # one", "a = 1 # two", "a      = 1   # two\n"),
    Case("s.go", 'type T struct {\n\tName string `json:"n"`  // name\n\tAge  int    `json:"a"`  // age\n}\n',
         '\tAge int `json:"a"` // age', '\tAge int `json:"age"` // age',
         'type T struct {\n\tName string `json:"n"`  // name\n\tAge  int    `json:"age"`  // age\n}\n'),
    Case("a.c", "int   a;\t/* one */\nint   b;\t/* two */\n", "int a; /* one */", "int c; /* one */", "int   c;\t/* one */\nint   b;\t/* two */\n"),
    Case("a.md", "| a    | b   |\n| ---- | --- |\n| x    | y   |\n", "| x | y |", "| x | z |", "| a    | b   |\n| ---- | --- |\n| x    | z   |\n"),
    Case("Makefile", "CC\t= gcc\nLD\t= ld\n", "CC = gcc", "CC = clang", "CC\t= clang\nLD\t= ld\n"),
    Case("hosts", "127.0.0.1\tlocalhost\n10.0.0.1\tada\n", "10.0.0.1 ada", "10.0.0.2 ada", "127.0.0.1\tlocalhost\n10.0.0.2\tada\n"),
    Case("a.sql", "  id    integer,\n  name  text\n", "  id integer,", "  id bigint,", "  id    bigint,\n  name  text\n"),
    Case("a.ini", "key   = one\nother = two\n", "key = one", "key = three", "key   = three\nother = two\n"),
    Case("a.rs", "    A    => 1,\n    Bcd  => 2,\n", "    A => 1,", "    A => 3,", "    A    => 3,\n    Bcd  => 2,\n"),
    Case("a.yaml", "a:    1\nbcd:  2\n", "a: 1\nbcd: 2", "a: 1\nbcd: 3", "a:    1\nbcd:  3\n"),
    # Words that are added or go, between kept ones.
    Case("a.txt", "one   two   three\nx\n", "one two three", "one three", "one   three\nx\n", must=False),
    Case("s.py", "a      = 1   # one\n", "a = 1 # one", "a = f(1) # one", "a      = f(1)   # one\n"),
    Case("s.py", "f(a,   b)\ng()\n", "f(a, b)\ng()", "f(a, b, c)\ng()", "f(a,   b, c)\ng()\n"),
]  # fmt: skip


QUOTES = [
    Case("a.js", "const a = 'It’s nine';\n", "const a = 'It's nine';", "const a = 'It's ten';", "const a = 'It’s ten';\n"),
    Case("s.py", "def f():\n    print('it’s')  # nine\n", "def f():\n    print('it's')  # nine", "def f():\n    print('it's')  # ten",
         "def f():\n    print('it’s')  # ten\n"),
    Case("s.ts", "const a = 'It’s on – nine';\n", "const a = 'It's on - nine';", "const a = 'It's on - ten';", "const a = 'It’s on – ten';\n"),
    Case("s.md", "It’s nine.\nWe’ll go – now.\n", "It's nine.\nWe'll go - now.", "It's ten.\nWe'll go - later.", "It’s ten.\nWe’ll go – later.\n"),
    Case("s.md", "She said, “Hello.”\nEnd.\n", 'She said, "Hello."', 'She said, "Hi there."', "She said, “Hi there.”\nEnd.\n"),
    Case("s.md", "say “hi” to bob\nend\n", 'say "hi" to bob', 'say "hi" to ada', "say “hi” to ada\nend\n"),
    Case("s.md", "He said “go” ‐ and “went”.\n\nx\n", "He said “go” – and “went”.", "He said “stop” – and “went”.", "He said “stop” ‐ and “went”.\n\nx\n"),
    Case("i18n.ts", "  hello: 'It’s ready',\n", "  hello: 'It's ready',", "  hello: 'It's all ready',", "  hello: 'It’s all ready',\n"),
    Case("a.json", '{"a": "it’s on"}\n', '{"a": "it\'s on"}', '{"a": "it\'s off"}', '{"a": "it’s off"}\n'),
    Case("a.html", "<p>“a” — b</p>\n", '<p>"a" - b</p>', '<p>"a" - c</p>', "<p>“a” — c</p>\n"),
    Case("a.rst", "‘one’ two\n", "'one' two", "'one' three", "‘one’ three\n"),
    Case("a.py", 'x = "a"\ny = 1\n', "x = “a”\ny = 1", "x = “a”\ny = 2", 'x = "a"\ny = 2\n'),
    Case("a.py", 'x = "a"\ny = 1\n', "x = “a”\ny = 1", "x = “b”\ny = 1", 'x = "b"\ny = 1\n'),
    Case("a.c", "int a = b - c;\nd();\n", "int a = b – c;\nd();", "int a = b – e;\nd();", "int a = b - e;\nd();\n"),
    Case("a.sh", "run -x\necho 'a'\n", "run –x\necho 'a'", "run –x –y\necho 'a'", "run -x -y\necho 'a'\n"),
    # The mapping that the match proves, for what is new.
    Case("a.py", 'x = "a"\ny = 1\n', "x = “a”\ny = 1", "x = “a”\ny = f(“b”)", 'x = "a"\ny = f("b")\n'),
    Case("a.go", 'a := "x"\nb()\n', "a := “x”\nb()", "a := “x”\nb(“y”)", 'a := "x"\nb("y")\n'),
    Case("a.ts", "const a = 'x';\nb();\n", "const a = ‘x’;\nb();", "const a = ‘x’;\nb(‘y’);", "const a = 'x';\nb('y');\n"),
    Case("a.md", "“a” is one.\nb\n", '"a" is one.\nb', '"a" is one.\nb is "two"', "“a” is one.\nb is “two”\n", must=False),
    Case("a.md", "It’s one.\n", "It's one.", "It's one, and that's two.", "It’s one, and that’s two.\n"),
    # A moved line is the file's.
    Case("a.py", "say(“a”)\ny = 2\nz = 3\n", 'say("a")\ny = 2\nz = 3', 'y = 2\nz = 3\nsay("a")', "y = 2\nz = 3\nsay(“a”)\n"),
]  # fmt: skip


NO_BREAK = [
    *(
        Case("f.md", f"The rate a{blank}b of flow is nine here.\nLast.\n", "The rate a b of flow is nine here.",
             "The rate a b of flow is ten here.", f"The rate a{blank}b of flow is ten here.\nLast.\n", must=must)
        for blank, must in ((NBSP, True), (NARROW, True), (IDEOGRAPHIC, False), ("\u2009", False), ("\u2003", False), ("  ", True), ("\t", True))
    ),
    Case("notes.md", f"Review the steps{NBSP}listed in the plan before Friday.\nx\n", "Review the steps listed in the plan before Friday.",
         "Review the steps listed in the plan before Monday.", f"Review the steps{NBSP}listed in the plan before Monday.\nx\n"),
    Case("s.md", f"At −5{NBSP}°C the value is −3.\n", "At -5 °C the value is -3.", "At -5 °C the value is -4.", f"At −5{NBSP}°C the value is −4.\n"),
    Case("a.py", f"x = 'a{NBSP}b'\ny = 1\n", "x = 'a b'\ny = 1", "x = 'a b'\ny = 2", f"x = 'a{NBSP}b'\ny = 2\n"),
    Case("a.py", f"x = 'a{NBSP}b'  # c\n", "x = 'a b'  # c", "x = 'a b'  # d", f"x = 'a{NBSP}b'  # d\n"),
    Case("a.fr.md", f"Oui{NARROW}! Non{NARROW}?\n", "Oui ! Non ?", "Oui ! Si ?", f"Oui{NARROW}! Si{NARROW}?\n"),
]  # fmt: skip


FORMS = [
    Case("a.md", "The A\u030a of flow is nine.\n", "The Å of flow is nine.", "The Å of flow is ten.", "The A\u030a of flow is ten.\n"),
    Case("a.md", "The Å of flow is nine.\n", "The A\u030a of flow is nine.", "The A\u030a of flow is ten.", "The Å of flow is ten.\n"),
    Case("a.py", "x = 'Cafe\u0301'\ny = 1\n", "x = 'Café'\ny = 1", "x = 'Café'\ny = 2", "x = 'Cafe\u0301'\ny = 2\n"),
    Case("a.py", "x = 'Cafe\u0301', 1\n", "x = 'Café', 1", "x = 'Café', 2", "x = 'Cafe\u0301', 2\n"),
    Case("a.txt", "\u1112\u1161\u11ab one\n", "한 one", "한 two", "\u1112\u1161\u11ab two\n"),
    Case("a.txt", "\u212b one\nx\n", "Å one", "Å two", "\u212b two\nx\n"),
]  # fmt: skip


TRAILING = [
    Case("s.md", "**Name**: Ada  \n**Role**: chair  \nx\n", "**Name**: Ada\n**Role**: chair", "**Name**: Ada\n**Role**: member",
         "**Name**: Ada  \n**Role**: member  \nx\n"),
    Case("a.py", "a = 1   \nb = 2\t\nc = 3\n", "a = 1\nb = 2\nc = 3", "a = 1\nb = 4\nc = 3", "a = 1   \nb = 4\nc = 3\n"),
    Case("a.py", "a = 1\nb = 2\nc = 3\n", "a = 1  \nb = 2\nc = 3", "a = 1  \nb = 4\nc = 3", "a = 1\nb = 4\nc = 3\n"),
    Case("a.py", "a = 1\r\nb = 2  \r\nc = 3\r\n", "a = 1\nb = 2\nc = 3", "a = 1\nb = 2\nc = 4", "a = 1\r\nb = 2  \r\nc = 4\r\n"),
    Case("a.patch", " a\n \n b\n", " a\n\n b", " a\n\n c", " a\n \n c\n"),
    Case("a.py", "a\n\n\n\nb\n", "a\n\nb", "a\n\nc", "a\n\n\n\nc\n"),
    Case("a.py", "a\nb\nc\n", "a\n\nb", "a\n\nd", "a\nd\nc\n"),
]  # fmt: skip


INDENTATION = [
    Case("a.go", "func f() {\n\tif a {\n\t\tgo()\n\t}\n}\n", "    if a {\n        go()\n    }", "    if a {\n        go(1)\n        stop()\n    }",
         "func f() {\n\tif a {\n\t\tgo(1)\n\t\tstop()\n\t}\n}\n"),
    Case("a.py", "def f():\n    a()\n    b()\n", "a()\nb()", "a()\nc()\nb()", "def f():\n    a()\n    c()\n    b()\n"),
    Case("a.py", "def f():\n    return 1\n", "def f():\n  return 1", "def f():\n  return 2", "def f():\n    return 2\n"),
    Case("a.js", "f() {\n    a(x);   // one\n}\n", "f() {\n  a(x); // one\n}", "f() {\n  a(y); // one\n}", "f() {\n    a(y);   // one\n}\n", must=False),
    Case("a.py", "class A:\n\tdef f(self):\n\t\treturn 'it’s'\n", "    def f(self):\n        return 'it's'", "    def f(self, b):\n        return 'it's'",
         "class A:\n\tdef f(self, b):\n\t\treturn 'it’s'\n", must=False),
]  # fmt: skip


UNPLACED = [
    # The difference cannot be placed, or what it would say is not certain.
    Case("a.tsv", "a\tb\n", "a b", "ab", "ab\n", must=False),
    Case("a.md", "say “a” or ‘b’\n", "say \"a\" or 'b'", "say 'a' or \"b\"", "say ‘a’ or “b”\n", must=False),
]  # fmt: skip


ALL = [*COLUMNS, *QUOTES, *NO_BREAK, *FORMS, *TRAILING, *INDENTATION, *UNPLACED]


@pytest.mark.parametrize("case", ALL, ids=case_id)
def test_keeps_characters_of_file(editor: Editor, case: Case) -> None:
    editor.check(case)


@pytest.mark.parametrize("case", ALL, ids=case_id)
def test_keeps_characters_among_other_lines(editor: Editor, case: Case) -> None:
    around = (
        [f"first {number}\n" for number in range(3)],
        [f"last {number}\n" for number in range(3)],
    )
    if case.name.endswith((".tsv", ".txt", ".md", ".ini", ".rst")):
        before, after = "".join(around[0]), "".join(around[1])
        expected = (
            None if case.expected is None else before + case.expected + after
        )
        editor.check(
            case._replace(file=before + case.file + after, expected=expected)
        )


def as_patch(case: Case) -> str:
    """The request as a hunk: lines of the search text go, lines of the replacement come."""
    rows = [f"-{line}" for line in case.search.splitlines()] + [
        f"+{line}" for line in case.replace.splitlines()
    ]
    return "\n".join(
        [
            "*** Begin Patch",
            f"*** Update File: {case.name}",
            "@@",
            *rows,
            "*** End Patch",
            "",
        ]
    )


def as_diff(case: Case) -> str:
    """The request as a unified diff, with what is equal as context."""
    old, new = case.search.splitlines(), case.replace.splitlines()
    rows = [f"-{line}" for line in old] + [f"+{line}" for line in new]
    return "\n".join(
        [
            f"--- a/{case.name}",
            f"+++ b/{case.name}",
            f"@@ -1,{len(old)} +1,{len(new)} @@",
            *rows,
            "",
        ]
    )


@in_part(4)
@pytest.mark.parametrize("notation", [as_patch, as_diff])
def test_patch_keeps_characters_of_file(
    desk: Desk, notation: Callable[[Case], str], share: int
) -> None:
    failures = []
    first = 0 if notation is as_patch else share // 2
    for case in ALL[first::share]:
        # A hunk may be refused where an edit is not; what it writes is the same.
        result = desk.patch(case.name, case.file, notation(case))
        if result.text not in (None, case.expected):
            failures.append((case, result.text))
    assert not failures, failures


ALONE = [
    # The match proves nothing of what is new: as given, with a note.
    Case("a.py", "x = 'a'  \ny = 1\n", "x = 'a'\ny = 1", "x = 'a'\ny = f(“b”)", "x = 'a'  \ny = f(“b”)\n", noted=True),
    Case("a.py", "x  =  1\n", "x = 1", "x = “b”", "x  =  “b”\n", noted=True),
    Case("a.py", "a = 1  \nb = 2\n", "a = 1\nb = 2", "a = 1\\nb = 3", "a = 1\\nb = 3\n", noted=True, must=False),
    Case("a.js", "a();  \nb();\n", "a();\nb();", "a();\nb(1);</new_string>", "a();  \nb(1);</new_string>\n", noted=True, must=False),
    Case("a.js", "if (a < b) {  \n  c();\n", "if (a < b) {\n  c();", "if (a &lt; b) {\n  c();", "if (a &lt; b) {\n  c();\n", noted=True, must=False),
]  # fmt: skip


@pytest.mark.parametrize("case", ALONE, ids=case_id)
def test_writes_unproven_text_as_sent(editor: Editor, case: Case) -> None:
    editor.check(case)


class Merge(NamedTuple):
    file: str
    search: str
    replace: str
    expected: str


def spelled(short: str) -> str:
    """Each letter is a line, each dot a blank line."""
    return "".join("\n" if char == "." else f"{char * 3}\n" for char in short)


GAPS = {
    # file, search, replace, expected
    "a blank both lack stays": ("a.bc", "abc", "abC", "a.bC"),
    "a blank both have is not added": ("abc", "a.bc", "a.bC", "abC"),
    "a blank only the search lacks is not doubled": (
        "a.bc",
        "abc",
        "a.bC",
        "a.bC",
    ),
    "a blank only the search has is not added": ("abc", "a.bc", "abC", "abC"),
    "new blanks of the replacement are written": (
        "a.bc",
        "abc",
        "ab.c",
        "a.b.c",
    ),
    "an insertion goes before the gap's other line": (
        "a.b",
        "ab",
        "axb",
        "ax.b",
    ),
    "a deleted line takes no gap along": ("a.bc", "abc", "ac", "a.c"),
    "more blanks in the file stay": ("a...bc", "a.bc", "a.bd", "a...bd"),
    "all but the first line deleted": ("a.b.c", "abc", "a", "a"),
    "everything deleted": ("xa.bcy", "abc", "", "xy"),
    "everything replaced": ("xa.bcy", "abc", "d", "xdy"),
}


@pytest.mark.parametrize("name", GAPS)
def test_merges_blank_lines(name: str) -> None:
    file, search, replace, expected = map(spelled, GAPS[name])
    planned = plan_edits(Snapshot(file.encode()), [TextEdit(search, replace)])
    assert apply_splices(file.encode(), planned.splices).decode() == expected


LINES = {
    "new blank lines keep their blanks": Merge(
        "  a\n  b\n", "a\nb\n", "a\n  \nb\n", "  a\n    \n  b\n"
    ),
    "a changed line is as it was wanted, blanks at its end too": Merge(
        "a \nb\n", "a\nb\n", "c\nb\n", "c\nb\n"
    ),
    "of two equal lines the longer run stays": Merge(
        "} \nend \n", "}\nend\n", "}\nnew\n}\nend\n", "}\nnew\n} \nend \n"
    ),
    "a change of unit keeps what is left over": Merge(
        "\t/**\n\t * a\n\t */\n",
        "    /**\n     * a\n     */\n",
        "    /**\n     * b\n     */\n",
        "\t/**\n\t * b\n\t */\n",
    ),
    "a shift that would go below the margin stops there": Merge(
        "a\n  b\n", "  a\n    b\n", "  a\n    c\nd\n", "a\n  c\nd\n"
    ),
    "indents not seen follow the shift": Merge(
        "    a\n    c\n", "a\nc\n", "a\n\tb\nc\n", "    a\n    \tb\n    c\n"
    ),
    "plain quotes where the file has them, and a dash as it was sent": Merge(
        'say("x")\nok\n',
        "say(“x”)\nok\n",
        "say(“y”) # – z\nok\n",
        'say("y") # – z\nok\n',
    ),
}


@pytest.mark.parametrize("name", LINES)
def test_adapts_lines(name: str) -> None:
    case = LINES[name]
    planned = plan_edits(
        Snapshot(case.file.encode()), [TextEdit(case.search, case.replace)]
    )
    assert (
        apply_splices(case.file.encode(), planned.splices).decode()
        == case.expected
    )


@pytest.mark.parametrize("loose", [False, True])
def test_kept_lines_are_in_no_splice(loose: bool) -> None:
    lines = [f"    line {index}\n" for index in range(20)]
    changed = [*lines]
    changed[3] = "    other\n"
    changed[11:13] = []
    changed.insert(15, "    more\n")
    search, replace = "".join(lines), "".join(changed)
    if loose:
        search, replace = (
            search.replace("    ", ""),
            replace.replace("    ", ""),
        )
    data = "".join(lines).encode()
    splices = plan_edits(Snapshot(data), [TextEdit(search, replace)]).splices
    assert apply_splices(data, splices) == "".join(changed).encode()
    assert [(splice.length > 0, splice.replacement) for splice in splices] == [
        (True, b"    other\n"),
        (True, b""),
        (False, b"    more\n"),
    ]
