"""What comes of a request that is damaged in part: the right bytes, or nothing.

Every row goes through `Workspace.edit`. `RIGHT` must come out as it is; where `expected` is None nothing may
be written; with `must` False a refusal is as honest as the right bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.rows import each_row

from filewright import FilewrightError, Workspace


class Row(NamedTuple):
    name: str
    file: str
    search: str
    replace: str
    expected: str | None = None
    must: bool = True


class Place(NamedTuple):
    """A folder, and the workspace on it."""

    folder: Path
    workspace: Workspace


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    work = tmp_path_factory.mktemp("work")
    with Workspace(work, state_dir=tmp_path_factory.mktemp("state")) as workspace:
        yield Place(work, workspace)


def done(place: Place, row: Row, *, fuzzy: bool = True) -> str | None:
    path = place.folder / row.name
    path.write_bytes(row.file.encode())
    try:
        place.workspace.edit(
            row.name, [{"search": row.search, "replace": row.replace}], fuzzy=fuzzy
        )
    except FilewrightError as error:
        if not error.hint or path.read_bytes() != row.file.encode():
            raise
        return None
    return path.read_bytes().decode()


def check(place: Place, row: Row) -> None:
    result = done(place, row)
    if row.must or result is not None:
        assert result == row.expected


CALL = 'p("x")\nq()\n'
ESCAPES = [
    # Only the sequence that the search text shows is undone.
    Row("a.py", CALL, 'p(\\"x\\")\nq()', 'p(re.sub(r\\"\\bfoo\\b\\", \\"\\", x))\nq()', 'p(re.sub(r"\\bfoo\\b", "", x))\nq()\n', must=False),
    Row("a.py", CALL, 'p(\\"x\\")\nq()', 'p(\\"x\\", end=\\"\\n\\")\nq()', 'p("x", end="\\n")\nq()\n', must=False),
    Row("a.py", CALL, 'p(\\"x\\")\nq()', 'p(\\"\\\\d\\")\nq()', 'p("\\\\d")\nq()\n', must=False),
    Row("a.py", "p('x')\nq()\n", "p(\\'x\\')\nq()", "p(\\'x\\t\\')\nq()", "p('x\\t')\nq()\n", must=False),
    Row("a.py", "p(r'\\d')\nq()\n", "p(r'\\\\d')\nq()", "p(r'\\\\w')\nq()", "p(r'\\w')\nq()\n"),
    Row("a.py", "p(r'\\d')\nq()\n", "p(r'\\\\d')\nq()", "p(r'\\\\w\\n')\nq()", None),
    # A line that the replacement has as the file has it stays.
    Row("a.py", "go()\nx = '\\ndef'\n", "go()\nx = '\\\\ndef'", "stop()\nx = '\\ndef'", "stop()\nx = '\\ndef'\n"),
    # The whole was sent as one line, and the replacement escapes what the search text does not.
    Row("a.py", 'x = f("a")\ny = 2\n', 'x = f("a")\\ny = 2', 'x = f(\\"a\\")\\ny = 3', 'x = f("a")\ny = 3\n', must=False),
    Row("a.py", 'x = f("a")\ny = 2\n', 'x = f("a")\\ny = 2', 'x = f("a")\\ny = g(\\"b\\")', None),
    Row("a.py", 'x = f("a")\ny = 2\n', 'x = f("a")\\ny = 2', 'x = f("a")\\ny = 3', 'x = f("a")\ny = 3\n'),
    Row("a.py", 'x = f("a")\ny = 2\n', 'x = f(\\"a\\")\\ny = 2', 'x = f(\\"b\\")\\ny = 3', 'x = f("b")\ny = 3\n'),
    Row("a.py", 'x = f("a")\ny = 2\n', 'x = f(\\"a\\")\\ny = 2', 'x = f(\\"b\\b\\")\\ny = 3', None),
    Row("a.py", 'x = f("a\\n")\ny = 2\n', 'x = f(\\"a\\\\n\\")\\ny = 2', 'x = f(\\"b\\\\n\\")\\ny = 2', 'x = f("b\\n")\ny = 2\n'),
    Row("a.py", 'p("a\\n")\n', 'p(\\"a\\n\\")', 'p(\\"b\\n\\")', 'p("b\\n")\n'),
    Row("a.py", 'p("a\\n")\n', 'p(\\"a\\\\n\\")', 'p(\\"b\\\\n\\")', 'p("b\\n")\n'),
    Row("a.js", "p(\"a\")\n", "p(\\\"a\\\")", "p(\\\"a\\\")\\nq(\\\"b\\\")", 'p("a")\nq("b")\n', must=False),
]  # fmt: skip

PREFIXES = [
    Row("a.py", "import os\nimport sys\n", " import os\n import sys", " import os\n+import re\n import sys", "import os\nimport re\nimport sys\n", must=False),
    Row("a.py", "import os\nimport sys\n", "import os\nimport sys", "import os\n+import re\nimport sys", "import os\n+import re\nimport sys\n"),
    Row("a.py", "import os\nimport sys\n", " import os\n import sys", " import os\n-import sys\n+import re", "import os\nimport re\n", must=False),
    Row("a.py", "import os\nimport sys\n", "import os\nimport sys", " import os\n-import sys\n+import re", " import os\n-import sys\n+import re\n"),
    Row("a.py", "def f():\n    a()\n    b()\n", "     a()\n     b()", "     a()\n+    c()\n     b()", "def f():\n    a()\n    c()\n    b()\n", must=False),
    Row("a.py", "def f():\n    a()\n    b()\n", " def f():\n-    a()\n     b()", " def f():\n+    c()\n     b()", "def f():\n    c()\n    b()\n", must=False),
    Row("a.go", "func f() {\n\ta()\n}\n", " func f() {\n \ta()\n }", " func f() {\n+\tb()\n \ta()\n }", "func f() {\n\tb()\n\ta()\n}\n", must=False),
    Row("a.js", "a();\nb();\n", "a();", "a();\n+c();", "a();\n+c();\nb();\n"),
    Row("a.md", "- a\n- b\n", "- a\n- b", "- a\n+ c\n- b", "- a\n+ c\n- b\n"),
    Row("a.md", "- a\n- b\n", "- a\n- b", "- a\n+   c\n- b", "- a\n+   c\n- b\n"),
    Row("a.html", "<b>\n1\n</b>\n", "<b>\n1", "<b>\n1\n+ 2", "<b>\n1\n+ 2\n</b>\n"),
    Row("a.js", "x = a\n  + b;\n", "  + b;", "  + b\n  + c;", "x = a\n  + b\n  + c;\n"),
]  # fmt: skip

INDENTS = [
    # A third indentation, from one indented line.
    Row("a.py", "def f():\n    return 1\n", "def f():\n  return 1", "def f():\n    return 2", "def f():\n    return 2\n", must=False),
    Row("a.py", "def f():\n    return 1\n", "def f():\n        return 1", "def f():\n    return 2", "def f():\n    return 2\n", must=False),
    Row("a.py", "def f():\n    return 1\n", "def f():\n  return 1", "def f():\n    yield from those(x)", "def f():\n    yield from those(x)\n", must=False),
    Row("a.py", "def f():\n    return 1\n", "def f():\n        return 1", "def f():\n    yield from those(x)", "def f():\n    yield from those(x)\n", must=False),
    Row("a.py", "def f():\n    a()\n    b()\n", "def f():\n  a()\n  b()", "def f():\n    a()\n    c()\n    b()", "def f():\n    a()\n    c()\n    b()\n", must=False),
    Row("a.js", "f(() => {\n  a();\n});\n", "f(() => {\n    a();\n});", "f(() => {\n  b();\n});", "f(() => {\n  b();\n});\n", must=False),
    Row("a.go", "func f() {\n\ta()\n}\n", "func f() {\n  a()\n}", "func f() {\n\tb()\n}", "func f() {\n\tb()\n}\n", must=False),
    Row("a.py", "def f():\n    return 1\n", "def f():\n  return 1", "def f():\n  return 2", "def f():\n    return 2\n"),
    # A search text that begins inside the indent, behind a repair.
    Row("a.py", "def f():\n    if a < b:\n        go()\n", "if a &lt; b:\n        go()", "    if a &lt; b:\n        go(1)", "def f():\n    if a < b:\n        go(1)\n", must=False),
    Row("a.py", 'def f():\n    p("a")\n    go()\n', 'p(\\"a\\")\n    go()', '    p(\\"a\\")\n    go(1)', 'def f():\n    p("a")\n    go(1)\n', must=False),
    Row("a.py", 'def f():\n    p("a")\n    go()\n', 'p(\\"a\\")\n    go()', 'p(\\"a\\")\n    go(1)', 'def f():\n    p("a")\n    go(1)\n'),
    # Of a search text of one line nothing says how the lines are indented that come behind it.
    Row("a.py", "def f():\n    go()\n", "go()", "go()\nstop()", "def f():\n    go()\n    stop()\n", must=False),
    Row("a.py", "def f():\n    go()\n", "go()", "go()\n    stop()", "def f():\n    go()\n    stop()\n"),
    # Brackets alone, somewhere else than where they are.
    Row("a.js", "a = {\n  {\n  },\n}\n", "      },\n    }", "      },\n      c,\n    }", None),
    Row("a.py", "foo(a < bar)\n", "a &lt; ba", "a &lt; bar", None),
]  # fmt: skip

NUMBERS = [
    Row("a.py", "a\n", "1: a", "1:  b", "b\n", must=False),
    Row("a.py", "a\nc\n", "1: a\n2: c", "1:  b\n2:  c", "b\nc\n", must=False),
    Row("a.py", "def f():\n    a\n    c\n", "1: def f():\n2:     a\n3:     c", "1: def f():\n2:      b\n3:     c", "def f():\n    b\n    c\n", must=False),
    Row("a.py", "a\nc\n", "1|a\n2|c", "1| b\n2| c", "b\nc\n", must=False),
    Row("a.py", "a\nc\n", "1:a\n2:c", "1: b\n2: c", "b\nc\n", must=False),
    Row("a.py", "a\nc\n", "1: a\n2: c", "1:b\n2:c", "b\nc\n", must=False),
    Row("a.py", "a\nc\n", "1: a\n2: c", "1. b\n2. c", "b\nc\n", must=False),
    Row("a.py", "def f():\n    a\n", "2:     a", "2:     if b:\n3:         a", "def f():\n    if b:\n        a\n"),
    Row("a.py", "a\nc\n", "1: a\n2: c", "1: if a:\n2:     c", "if a:\n    c\n"),
]  # fmt: skip

TWO = "a = 0\nb = 2\n"
#: Texts that look damaged in the replacement alone: a line that stands for others is refused, the rest is noted.
ALONE = [
    Row("a.py", TWO, "a = 0", "38: a = 1"),
    Row("a.py", TWO, "a = 0 ", "38: a = 1"),
    Row("a.py", TWO, "a = 0\nb = 2", "38: a = 1\n39: b = 2"),
    Row("a.py", TWO, "  a = 0", "  38| a = 1"),
    Row("a.py", TWO, "a = 0", "```\na = 1"),
    Row("a.py", TWO, "a = 0\n", "a = 1\n```\n"),
    Row("a.py", TWO, "a = 0 ", "```python\na = 1"),
    Row("a.py", "def f():\n    a()\n    b()\n", "    a()\n    b()\n", "    # [existing code]\n"),
    Row("a.py", "def f():\n    a()\n    b()\n", "    a()\n    b()\n", "    # existing code\n    c()\n"),
    Row("a.py", "def f():\n    a()\n    b()\n", "  a()\n  b()\n", "  # (rest of the function)\n"),
    Row("a.js", "f() {\n  a();\n  b();\n}\n", "  a();\n  b();\n", "  // <existing code>\n  c();\n"),
    Row("a.py", "if a < b:\n    go()\n", "if a < b:", "if a &lt; c:"),
    Row("a.py", "if a < b:\n    go()\n", "if a < b: \n    go()", "if a &lt; b:\n    go(1)"),
    Row("a.ts", "if (a && b) {\n", "if (a && b) {", "if (a &amp;&amp; c) {"),
    Row("a.py", 'p("a")\nq()\n', 'p("a")', 'p(\\"b\\")'),
    Row("a.py", 'p("a")\nq()\n', 'p("a") \nq()', 'p(\\"a\\")\nq(1)'),
    Row("a.py", 'p("a")\nq()\n', 'p("a")', "p(“b”)"),
    Row("a.py", "p('a')\nq()\n", "p('a') \nq()", "p(‘b’)\nq()"),
    Row("a.py", "a = 1\nb = 2\n", "a = 1\nb = 2", "a = 1\\nb = 3"),
    Row("a.py", "a = 1\nb = 2\n", "a = 1 \nb = 2", "a = 1\\nb = 3"),
    Row("a.py", "def f():\n    a = 1\n    b = 2\n", "a = 1\nb = 2", "a = 1\\nb = 3"),
]  # fmt: skip

OWN = [
    # What looks like damage, and is text.
    Row("a.py", "x = 1\n", "x = 1", 'x = "&lt;br&gt;"', 'x = "&lt;br&gt;"\n'),
    Row("a.html", "<p>a</p>\n", "<p>a</p>", "<p>a &lt; b</p>", "<p>a &lt; b</p>\n"),
    Row("a.py", "x = 1\n", "x = 1", 'x = "say \\"hi\\""', 'x = "say \\"hi\\""\n'),
    Row("a.py", "x = 1\n", "x = 1", 'x = "a\\nb"', 'x = "a\\nb"\n'),
    Row("a.py", "x = 1\n", "x = 1", "# a “word”\nx = 1", "# a “word”\nx = 1\n"),
    Row("a.py", "x = 1\n", "x = 1", 'x = "“"', 'x = "“"\n'),
    Row("a.md", "say it\n", "say it", "say “it”", "say “it”\n"),
    Row("a.py", "codes = {\n    1: a,\n}\n", "    1: a,", "    1: a,\n    2: b,", "codes = {\n    1: a,\n    2: b,\n}\n"),
    Row("a.py", "codes = None\n", "codes = None", "codes = {\n    200: OK,\n}", "codes = {\n    200: OK,\n}\n"),
    Row("a.py", "x = 1\n", "x = 1", "# other imports\nx = 1", "# other imports\nx = 1\n"),
    Row("a.tex", "a\n", "a", "\\newline b", "\\newline b\n"),
    Row("a.c", "x = '\\\\';\n", "x = '\\\\';", "x = '\\n';", "x = '\\n';\n"),
]  # fmt: skip

# What was found by damaging the changes of a whole history, each as small as it gets.
FOUND = [
    Row("a.py", 's = "&gt;"\ndef f(a) -> None:\n', "def f(a) -> None:", "def f(a, b) -&gt; None:", 's = "&gt;"\ndef f(a, b) -&gt; None:\n'),
    Row("a.py", 'x = "&lt;"\n', 'x = "&lt;"', 'x = "&lt;"\nf(&quot;a&quot;)', 'x = "&lt;"\nf(&quot;a&quot;)\n'),
    Row("a.py", 'a = "<b>"\nb = "&lt;"\n', 'a = "<b>"\nb = "&lt;"', 'a = "&lt;b&gt;"', 'a = "&lt;b&gt;"\n'),
    Row("a.py", 'assert a == "1\\n"\n', 'assert a == "1\\n" ', 'assert a == "1\\n"\\n\\n\\ndef f():\\n    go()', 'assert a == "1\\n"\\n\\n\\ndef f():\\n    go()\n'),
    Row("a.py", 'a = 1  # "so"\nb("\\n")\n', 'a = 1  # "so"\nb("\\n")', 'a = 1  # "so"\\nb("\\n")\\nc = 3', 'a = 1  # "so"\\nb("\\n")\\nc = 3\n'),
    Row("a.py", "go()\n", "go()", "go(1)\\n", "go(1)\\n\n"),
    Row("a.py", 'f("\\\\u0041")\ng()\n', 'f(\\"\\\\\\\\u0041\\")\\ng()', 'f(\\"\\\\u0041\\")\\ng(1)', None),
    Row("a.py", 'a = f("\\\\n")\nb = g()\n', 'a = f(\\"\\\\\\\\n\\")\\nb = g()', 'c = f(\\"\\\\n\\")\\nb = g()', None),
    Row("a.md", "…\n```\n\nA search.\n", "…\n\nA search.\n", "…\n```\n\nA finding.\n", None),
    Row("a.md", "```sh\none\ntwo\n```\n", "```sh\ntwo\n```\n", "```sh\none\ntwo\nthree\n```\n", None),
    Row("a.yaml", "a:\n  b: 1\n", "a:\n  b: 1", "a:\n  b: 1\n+  c: 2", "a:\n  b: 1\n+  c: 2\n"),
    Row("a.yaml", "x:\n  a:\n    - b\n  c: d\n", "a:\n    - b\n  c: d", "    - b\n  c: d", None),
    Row("a.yaml", "a:\n    - b\n  c: d\n", "a:\n  - b\n c: d", "a:\n  - b\nc: d", None),
    # A newline in a string with double quotes inside of single ones, and a tab.
    Row("a.py", 'a("x\\ny")\nb()\n', 'a("x\\ny")\\nb()', """a("x\\ny")\\nb('["z"]\\n')\\nc()""", None),
    Row("a.py", 'a("x")\nb()\n', 'a(\\"x\\")\\nb()', 'a(\\"x\\")\\nb(\\"x\\ty\\")', None),
    # One place stands at another depth, the other has other characters.
    Row("a.py", "a =\u00a01\nb = 2\n\nif x:\n    a = 1\n    b = 2\n", "a = 1\nb = 2", "a = 1\nb = 3", None),
    # A line is missing, and the next one is like it but for its depth.
    Row("a.json", '     "t": 1,\n    "a": {\n     "i": {\n      "i": {\n', '     "t": 1,\n    "a": {\n      "i": {\n',
        '     "t": 1,\n    "b": {\n     "i": {\n      "t": 1\n     }\n    },\n    "a": {\n     "i": {\n      "i": {\n', None),
    # A paragraph that came as one line, with a quote of it escaped.
    # Search and replacement are escaped to different depths, in prose.
    Row("a.md", "# One\n\nThe first.\n", "# One\\n\\nThe first.", "# One\\n\\nThe first of git\\'s.\\n\\nIt is new.", None),
    Row("a.md", "Refused: back-references (`\\1`), atomic groups and possessive repetition, `\\A`\n(use `^` and `$`), and any\nother escape.\n",
        "Refused: back-references (`\\1`), atomic groups and possessive repetition, `\\A`\\n(use `^` and `$`), and any\\nother escape.\\n",
        "Refused: back-references (`\\\\1`), atomic groups and possessive repetition, `\\\\A`\\n(use `^` and `$`), any\\nother escape, and more (`\\\\pL`).\\n",
        None),
]  # fmt: skip
STRINGS = [
    # A string of some languages goes on in the next line, and numbers of lines say nothing of newlines.
    Row("a.rs", 'f("a\\n\\\n  b");\n', 'f("a\\n\\\n  b");', 'f("a\\n\\\n  \'x\' (1) or \'x,y\' (2) \\\n  b");',
        'f("a\\n\\\n  \'x\' (1) or \'x,y\' (2) \\\n  b");\n'),
    Row("a.ts", "a();\nb();\nc();\n", "1\ta();\n2\tb();\n3\tc();", "a();\nd(x === 'y' || x === \"it's\");\nc();",
        "a();\nd(x === 'y' || x === \"it's\");\nc();\n"),
]  # fmt: skip
MOVED = [
    # A line that is kept is the file's wherever it goes.
    Row("a.py", "x  =  1\ny = 2\nz = 3\n", "x = 1\ny = 2\nz = 3", "y = 2\nz = 3\nx = 1", "y = 2\nz = 3\nx  =  1\n"),
    Row("a.py", "say(“a”)\ny = 2\nz = 3\n", 'say("a")\ny = 2\nz = 3', 'y = 2\nz = 3\nsay("a")', "y = 2\nz = 3\nsay(“a”)\n"),
]  # fmt: skip


@each_row(
    "row",
    [*ESCAPES, *PREFIXES, *INDENTS, *NUMBERS, *OWN, *MOVED, *STRINGS, *FOUND],
)
def test_what_is_written_is_right_or_nothing_is(place: Place, row: Row) -> None:
    check(place, row)


@each_row("row", ALONE)
def test_what_looks_damaged_is_written_and_noted(place: Place, row: Row) -> None:
    path = place.folder / row.name
    path.write_bytes(row.file.encode())
    edits = [{"search": row.search, "replace": row.replace}]
    if "existing code" in row.replace or "rest of" in row.replace:
        with pytest.raises(FilewrightError, match="stands for text left out"):
            place.workspace.edit(row.name, edits)
        return
    answer = place.workspace.edit(row.name, edits)
    assert "\nnote: line " in answer.text
    assert row.replace.strip().split("\n")[0] in path.read_text()


@each_row("row", ALONE)
def test_without_fuzzy_the_replacement_is_written_as_it_is(
    place: Place, row: Row
) -> None:
    if row.search in row.file:
        assert done(place, row, fuzzy=False) == row.file.replace(
            row.search, row.replace, 1
        )


def test_an_edit_that_changes_nothing_is_blamed_by_its_own_number(place: Place) -> None:
    path = place.folder / "two.py"
    path.write_text("a = 1\nb = 2\nc = 3\n")
    version = place.workspace.read("two.py").version
    path.write_text("a = 1\nb = 2\nc = 4\n")
    edits = [
        {"search": "c = 4", "replace": "c = 5"},
        {
            "start_line": 1,
            "end_line": 1,
            "replace": "a = 1",
            "expected_version": version,
        },
    ]
    with pytest.raises(FilewrightError, match="edit 2 of 2"):
        place.workspace.edit("two.py", edits)


@pytest.mark.parametrize("added", ["3. c", "3. c\n4. d"])
def test_an_item_is_added_to_a_numbered_list_by_its_line(
    place: Place, added: str
) -> None:
    (place.folder / "list.md").write_text("1. a\n2. b\n")
    place.workspace.read("list.md")
    place.workspace.edit("list.md", [{"insert_after": 2, "replace": added}])
    assert (place.folder / "list.md").read_text() == f"1. a\n2. b\n{added}\n"


@pytest.mark.parametrize("line", ["# a{}b", "# ... code{}x", "... code{}x...", "{}x"])
def test_a_long_run_of_blanks_in_a_new_line_is_passed_in_one_go(
    place: Place, line: str
) -> None:
    (place.folder / "long.py").write_text("one\ntwo\n")
    new = line.format(" " * 500_000)
    place.workspace.edit("long.py", [{"search": "two\n", "replace": f"two\n{new}\n"}])
    assert (place.folder / "long.py").read_text() == f"one\ntwo\n{new}\n"
