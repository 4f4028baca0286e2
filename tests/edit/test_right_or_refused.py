"""Requests that are damaged in part: the right bytes, or a refusal and the same file."""

from __future__ import annotations

import pytest
from tests.edit.cases import Case, Desk, Editor, case_id

from filewright import FilewrightError

CALL = 'p("x")\nq()\n'


ESCAPES = [
    # Only the sequence that the search text shows is undone.
    Case("a.py", CALL, 'p(\\"x\\")\nq()', 'p(re.sub(r\\"\\bfoo\\b\\", \\"\\", x))\nq()', 'p(re.sub(r"\\bfoo\\b", "", x))\nq()\n', must=False),
    Case("a.py", CALL, 'p(\\"x\\")\nq()', 'p(\\"x\\", end=\\"\\n\\")\nq()', 'p("x", end="\\n")\nq()\n', must=False),
    Case("a.py", CALL, 'p(\\"x\\")\nq()', 'p(\\"\\\\d\\")\nq()', 'p("\\\\d")\nq()\n', must=False),
    Case("a.py", "p('x')\nq()\n", "p(\\'x\\')\nq()", "p(\\'x\\t\\')\nq()", "p('x\\t')\nq()\n", must=False),
    Case("a.py", "p(r'\\d')\nq()\n", "p(r'\\\\d')\nq()", "p(r'\\\\w')\nq()", "p(r'\\w')\nq()\n"),
    Case("a.py", "p(r'\\d')\nq()\n", "p(r'\\\\d')\nq()", "p(r'\\\\w\\n')\nq()", None),
    # A line that the replacement has as the file has it stays.
    Case("a.py", "go()\nx = '\\ndef'\n", "go()\nx = '\\\\ndef'", "stop()\nx = '\\ndef'", "stop()\nx = '\\ndef'\n"),
    # The whole was sent as one line, and the replacement escapes what the search text does not.
    Case("a.py", 'x = f("a")\ny = 2\n', 'x = f("a")\\ny = 2', 'x = f(\\"a\\")\\ny = 3', 'x = f("a")\ny = 3\n', must=False),
    Case("a.py", 'x = f("a")\ny = 2\n', 'x = f("a")\\ny = 2', 'x = f("a")\\ny = g(\\"b\\")', None),
    Case("a.py", 'x = f("a")\ny = 2\n', 'x = f("a")\\ny = 2', 'x = f("a")\\ny = 3', 'x = f("a")\ny = 3\n'),
    Case("a.py", 'x = f("a")\ny = 2\n', 'x = f(\\"a\\")\\ny = 2', 'x = f(\\"b\\")\\ny = 3', 'x = f("b")\ny = 3\n'),
    Case("a.py", 'x = f("a")\ny = 2\n', 'x = f(\\"a\\")\\ny = 2', 'x = f(\\"b\\b\\")\\ny = 3', None),
    Case("a.py", 'x = f("a\\n")\ny = 2\n', 'x = f(\\"a\\\\n\\")\\ny = 2', 'x = f(\\"b\\\\n\\")\\ny = 2', 'x = f("b\\n")\ny = 2\n'),
    Case("a.py", 'p("a\\n")\n', 'p(\\"a\\n\\")', 'p(\\"b\\n\\")', 'p("b\\n")\n'),
    Case("a.py", 'p("a\\n")\n', 'p(\\"a\\\\n\\")', 'p(\\"b\\\\n\\")', 'p("b\\n")\n'),
    Case("a.js", "p(\"a\")\n", "p(\\\"a\\\")", "p(\\\"a\\\")\\nq(\\\"b\\\")", 'p("a")\nq("b")\n', must=False),
]  # fmt: skip


PREFIXES = [
    Case("a.py", "import os\nimport sys\n", " import os\n import sys", " import os\n+import re\n import sys", "import os\nimport re\nimport sys\n", must=False),
    Case("a.py", "import os\nimport sys\n", "import os\nimport sys", "import os\n+import re\nimport sys", "import os\n+import re\nimport sys\n"),
    Case("a.py", "import os\nimport sys\n", " import os\n import sys", " import os\n-import sys\n+import re", "import os\nimport re\n", must=False),
    Case("a.py", "import os\nimport sys\n", "import os\nimport sys", " import os\n-import sys\n+import re", " import os\n-import sys\n+import re\n"),
    Case("a.py", "def f():\n    a()\n    b()\n", "     a()\n     b()", "     a()\n+    c()\n     b()", "def f():\n    a()\n    c()\n    b()\n", must=False),
    Case("a.py", "def f():\n    a()\n    b()\n", " def f():\n-    a()\n     b()", " def f():\n+    c()\n     b()", "def f():\n    c()\n    b()\n", must=False),
    Case("a.go", "func f() {\n\ta()\n}\n", " func f() {\n \ta()\n }", " func f() {\n+\tb()\n \ta()\n }", "func f() {\n\tb()\n\ta()\n}\n", must=False),
    Case("a.js", "a();\nb();\n", "a();", "a();\n+c();", "a();\n+c();\nb();\n"),
    Case("a.md", "- a\n- b\n", "- a\n- b", "- a\n+ c\n- b", "- a\n+ c\n- b\n"),
    Case("a.md", "- a\n- b\n", "- a\n- b", "- a\n+   c\n- b", "- a\n+   c\n- b\n"),
    Case("a.html", "<b>\n1\n</b>\n", "<b>\n1", "<b>\n1\n+ 2", "<b>\n1\n+ 2\n</b>\n"),
    Case("a.js", "x = a\n  + b;\n", "  + b;", "  + b\n  + c;", "x = a\n  + b\n  + c;\n"),
]  # fmt: skip


INDENTS = [
    # A third indentation, from one indented line.
    Case("a.py", "def f():\n    return 1\n", "def f():\n  return 1", "def f():\n    return 2", "def f():\n    return 2\n", must=False),
    Case("a.py", "def f():\n    return 1\n", "def f():\n        return 1", "def f():\n    return 2", "def f():\n    return 2\n", must=False),
    Case("a.py", "def f():\n    return 1\n", "def f():\n  return 1", "def f():\n    yield from those(x)", "def f():\n    yield from those(x)\n", must=False),
    Case("a.py", "def f():\n    return 1\n", "def f():\n        return 1", "def f():\n    yield from those(x)", "def f():\n    yield from those(x)\n", must=False),
    Case("a.py", "def f():\n    a()\n    b()\n", "def f():\n  a()\n  b()", "def f():\n    a()\n    c()\n    b()", "def f():\n    a()\n    c()\n    b()\n", must=False),
    Case("a.js", "f(() => {\n  a();\n});\n", "f(() => {\n    a();\n});", "f(() => {\n  b();\n});", "f(() => {\n  b();\n});\n", must=False),
    Case("a.go", "func f() {\n\ta()\n}\n", "func f() {\n  a()\n}", "func f() {\n\tb()\n}", "func f() {\n\tb()\n}\n", must=False),
    Case("a.py", "def f():\n    return 1\n", "def f():\n  return 1", "def f():\n  return 2", "def f():\n    return 2\n"),
    # A search text that begins inside the indent, behind a repair.
    Case("a.py", "def f():\n    if a < b:\n        go()\n", "if a &lt; b:\n        go()", "    if a &lt; b:\n        go(1)", "def f():\n    if a < b:\n        go(1)\n", must=False),
    Case("a.py", 'def f():\n    p("a")\n    go()\n', 'p(\\"a\\")\n    go()', '    p(\\"a\\")\n    go(1)', 'def f():\n    p("a")\n    go(1)\n', must=False),
    Case("a.py", 'def f():\n    p("a")\n    go()\n', 'p(\\"a\\")\n    go()', 'p(\\"a\\")\n    go(1)', 'def f():\n    p("a")\n    go(1)\n'),
    # Of a search text of one line nothing says how the lines are indented that come behind it.
    Case("a.py", "def f():\n    go()\n", "go()", "go()\nstop()", "def f():\n    go()\n    stop()\n", must=False),
    Case("a.py", "def f():\n    go()\n", "go()", "go()\n    stop()", "def f():\n    go()\n    stop()\n"),
    # Brackets alone, somewhere else than where they are.
    Case("a.js", "a = {\n  {\n  },\n}\n", "      },\n    }", "      },\n      c,\n    }", None),
    Case("a.py", "foo(a < bar)\n", "a &lt; ba", "a &lt; bar", None),
]  # fmt: skip


NUMBERS = [
    Case("a.py", "a\n", "1: a", "1:  b", "b\n", must=False),
    Case("a.py", "a\nc\n", "1: a\n2: c", "1:  b\n2:  c", "b\nc\n", must=False),
    Case("a.py", "def f():\n    a\n    c\n", "1: def f():\n2:     a\n3:     c", "1: def f():\n2:      b\n3:     c", "def f():\n    b\n    c\n", must=False),
    Case("a.py", "a\nc\n", "1|a\n2|c", "1| b\n2| c", "b\nc\n", must=False),
    Case("a.py", "a\nc\n", "1:a\n2:c", "1: b\n2: c", "b\nc\n", must=False),
    Case("a.py", "a\nc\n", "1: a\n2: c", "1:b\n2:c", "b\nc\n", must=False),
    Case("a.py", "a\nc\n", "1: a\n2: c", "1. b\n2. c", "b\nc\n", must=False),
    Case("a.py", "def f():\n    a\n", "2:     a", "2:     if b:\n3:         a", "def f():\n    if b:\n        a\n"),
    Case("a.py", "a\nc\n", "1: a\n2: c", "1: if a:\n2:     c", "if a:\n    c\n"),
]  # fmt: skip


TWO = "a = 0\nb = 2\n"


#: Texts that look damaged in the replacement alone: a line that stands for others is refused, the rest is noted.
ALONE = [
    Case("a.py", TWO, "a = 0", "38: a = 1"),
    Case("a.py", TWO, "a = 0 ", "38: a = 1"),
    Case("a.py", TWO, "a = 0\nb = 2", "38: a = 1\n39: b = 2"),
    Case("a.py", TWO, "  a = 0", "  38| a = 1"),
    Case("a.py", TWO, "a = 0", "```\na = 1"),
    Case("a.py", TWO, "a = 0\n", "a = 1\n```\n"),
    Case("a.py", TWO, "a = 0 ", "```python\na = 1"),
    Case("a.py", "def f():\n    a()\n    b()\n", "    a()\n    b()\n", "    # [existing code]\n"),
    Case("a.py", "def f():\n    a()\n    b()\n", "    a()\n    b()\n", "    # existing code\n    c()\n"),
    Case("a.py", "def f():\n    a()\n    b()\n", "  a()\n  b()\n", "  # (rest of the function)\n"),
    Case("a.js", "f() {\n  a();\n  b();\n}\n", "  a();\n  b();\n", "  // <existing code>\n  c();\n"),
    Case("a.py", "if a < b:\n    go()\n", "if a < b:", "if a &lt; c:"),
    Case("a.py", "if a < b:\n    go()\n", "if a < b: \n    go()", "if a &lt; b:\n    go(1)"),
    Case("a.ts", "if (a && b) {\n", "if (a && b) {", "if (a &amp;&amp; c) {"),
    Case("a.py", 'p("a")\nq()\n', 'p("a")', 'p(\\"b\\")'),
    Case("a.py", 'p("a")\nq()\n', 'p("a") \nq()', 'p(\\"a\\")\nq(1)'),
    Case("a.py", 'p("a")\nq()\n', 'p("a")', "p(“b”)"),
    Case("a.py", "p('a')\nq()\n", "p('a') \nq()", "p(‘b’)\nq()"),
    Case("a.py", "a = 1\nb = 2\n", "a = 1\nb = 2", "a = 1\\nb = 3"),
    Case("a.py", "a = 1\nb = 2\n", "a = 1 \nb = 2", "a = 1\\nb = 3"),
    Case("a.py", "def f():\n    a = 1\n    b = 2\n", "a = 1\nb = 2", "a = 1\\nb = 3"),
]  # fmt: skip


OWN = [
    # What looks like damage, and is text.
    Case("a.py", "x = 1\n", "x = 1", 'x = "&lt;br&gt;"', 'x = "&lt;br&gt;"\n'),
    Case("a.html", "<p>a</p>\n", "<p>a</p>", "<p>a &lt; b</p>", "<p>a &lt; b</p>\n"),
    Case("a.py", "x = 1\n", "x = 1", 'x = "say \\"hi\\""', 'x = "say \\"hi\\""\n'),
    Case("a.py", "x = 1\n", "x = 1", 'x = "a\\nb"', 'x = "a\\nb"\n'),
    Case("a.py", "x = 1\n", "x = 1", "# a “word”\nx = 1", "# a “word”\nx = 1\n"),
    Case("a.py", "x = 1\n", "x = 1", 'x = "“"', 'x = "“"\n'),
    Case("a.md", "say it\n", "say it", "say “it”", "say “it”\n"),
    Case("a.py", "codes = {\n    1: a,\n}\n", "    1: a,", "    1: a,\n    2: b,", "codes = {\n    1: a,\n    2: b,\n}\n"),
    Case("a.py", "codes = None\n", "codes = None", "codes = {\n    200: OK,\n}", "codes = {\n    200: OK,\n}\n"),
    Case("a.py", "x = 1\n", "x = 1", "# other imports\nx = 1", "# other imports\nx = 1\n"),
    Case("a.tex", "a\n", "a", "\\newline b", "\\newline b\n"),
    Case("a.c", "x = '\\\\';\n", "x = '\\\\';", "x = '\\n';", "x = '\\n';\n"),
]  # fmt: skip


# What was found by damaging the changes of a whole history, each as small as it gets.
FOUND = [
    Case("a.py", 's = "&gt;"\ndef f(a) -> None:\n', "def f(a) -> None:", "def f(a, b) -&gt; None:", 's = "&gt;"\ndef f(a, b) -&gt; None:\n'),
    Case("a.py", 'x = "&lt;"\n', 'x = "&lt;"', 'x = "&lt;"\nf(&quot;a&quot;)', 'x = "&lt;"\nf(&quot;a&quot;)\n'),
    Case("a.py", 'a = "<b>"\nb = "&lt;"\n', 'a = "<b>"\nb = "&lt;"', 'a = "&lt;b&gt;"', 'a = "&lt;b&gt;"\n'),
    Case("a.py", 'assert a == "1\\n"\n', 'assert a == "1\\n" ', 'assert a == "1\\n"\\n\\n\\ndef f():\\n    go()', 'assert a == "1\\n"\\n\\n\\ndef f():\\n    go()\n'),
    Case("a.py", 'a = 1  # "so"\nb("\\n")\n', 'a = 1  # "so"\nb("\\n")', 'a = 1  # "so"\\nb("\\n")\\nc = 3', 'a = 1  # "so"\\nb("\\n")\\nc = 3\n'),
    Case("a.py", "go()\n", "go()", "go(1)\\n", "go(1)\\n\n"),
    Case("a.py", 'f("\\\\u0041")\ng()\n', 'f(\\"\\\\\\\\u0041\\")\\ng()', 'f(\\"\\\\u0041\\")\\ng(1)', None),
    Case("a.py", 'a = f("\\\\n")\nb = g()\n', 'a = f(\\"\\\\\\\\n\\")\\nb = g()', 'c = f(\\"\\\\n\\")\\nb = g()', None),
    Case("a.md", "…\n```\n\nA search.\n", "…\n\nA search.\n", "…\n```\n\nA finding.\n", None),
    Case("a.md", "```sh\none\ntwo\n```\n", "```sh\ntwo\n```\n", "```sh\none\ntwo\nthree\n```\n", None),
    Case("a.yaml", "a:\n  b: 1\n", "a:\n  b: 1", "a:\n  b: 1\n+  c: 2", "a:\n  b: 1\n+  c: 2\n"),
    Case("a.yaml", "x:\n  a:\n    - b\n  c: d\n", "a:\n    - b\n  c: d", "    - b\n  c: d", None),
    Case("a.yaml", "a:\n    - b\n  c: d\n", "a:\n  - b\n c: d", "a:\n  - b\nc: d", None),
    # A newline in a string with double quotes inside of single ones, and a tab.
    Case("a.py", 'a("x\\ny")\nb()\n', 'a("x\\ny")\\nb()', """a("x\\ny")\\nb('["z"]\\n')\\nc()""", None),
    Case("a.py", 'a("x")\nb()\n', 'a(\\"x\\")\\nb()', 'a(\\"x\\")\\nb(\\"x\\ty\\")', None),
    # One place stands at another depth, the other has other characters.
    Case("a.py", "a =\u00a01\nb = 2\n\nif x:\n    a = 1\n    b = 2\n", "a = 1\nb = 2", "a = 1\nb = 3", None),
    # A line is missing, and the next one is like it but for its depth.
    Case("a.json", '     "t": 1,\n    "a": {\n     "i": {\n      "i": {\n', '     "t": 1,\n    "a": {\n      "i": {\n',
        '     "t": 1,\n    "b": {\n     "i": {\n      "t": 1\n     }\n    },\n    "a": {\n     "i": {\n      "i": {\n', None),
    # A paragraph that came as one line, with a quote of it escaped.
    # Search and replacement are escaped to different depths, in prose.
    Case("a.md", "# One\n\nThe first.\n", "# One\\n\\nThe first.", "# One\\n\\nThe first of git\\'s.\\n\\nIt is new.", None),
    Case("a.md", "Refused: back-references (`\\1`), atomic groups and possessive repetition, `\\A`\n(use `^` and `$`), and any\nother escape.\n",
        "Refused: back-references (`\\1`), atomic groups and possessive repetition, `\\A`\\n(use `^` and `$`), and any\\nother escape.\\n",
        "Refused: back-references (`\\\\1`), atomic groups and possessive repetition, `\\\\A`\\n(use `^` and `$`), any\\nother escape, and more (`\\\\pL`).\\n",
        None),
]  # fmt: skip


STRINGS = [
    # A string of some languages goes on in the next line, and numbers of lines say nothing of newlines.
    Case("a.rs", 'f("a\\n\\\n  b");\n', 'f("a\\n\\\n  b");', 'f("a\\n\\\n  \'x\' (1) or \'x,y\' (2) \\\n  b");',
        'f("a\\n\\\n  \'x\' (1) or \'x,y\' (2) \\\n  b");\n'),
    Case("a.ts", "a();\nb();\nc();\n", "1\ta();\n2\tb();\n3\tc();", "a();\nd(x === 'y' || x === \"it's\");\nc();",
        "a();\nd(x === 'y' || x === \"it's\");\nc();\n"),
]  # fmt: skip


MOVED = [
    # A line that is kept is the file's wherever it goes.
    Case("a.py", "x  =  1\ny = 2\nz = 3\n", "x = 1\ny = 2\nz = 3", "y = 2\nz = 3\nx = 1", "y = 2\nz = 3\nx  =  1\n"),
    Case("a.py", "say(“a”)\ny = 2\nz = 3\n", 'say("a")\ny = 2\nz = 3', 'y = 2\nz = 3\nsay("a")', "y = 2\nz = 3\nsay(“a”)\n"),
]  # fmt: skip


@pytest.mark.parametrize(
    "case",
    [*ESCAPES, *PREFIXES, *INDENTS, *NUMBERS, *OWN, *MOVED, *STRINGS, *FOUND],
    ids=case_id,
)
def test_writes_right_text_or_nothing(editor: Editor, case: Case) -> None:
    editor.check(case)


@pytest.mark.parametrize("case", ALONE, ids=case_id)
def test_notes_what_looks_damaged(desk: Desk, case: Case) -> None:
    edits = [{"search": case.search, "replace": case.replace}]
    text, answer, _ = desk.edit(case.name, case.file, edits)
    if "existing code" in case.replace or "rest of" in case.replace:
        assert text is None
        assert "is a placeholder for omitted text" in answer
        return
    assert text is not None
    assert "\nnote: line " in answer
    assert case.replace.strip().split("\n")[0] in text


@pytest.mark.parametrize(
    "case", [case for case in ALONE if case.search in case.file], ids=case_id
)
def test_exact_replacement_is_literal(editor: Editor, case: Case) -> None:
    edits = [{"search": case.search, "replace": case.replace}]
    text = editor.edit(case.name, case.file, edits, fuzzy=False).text
    assert text == case.file.replace(case.search, case.replace, 1)


def test_names_edit_that_changes_nothing(desk: Desk) -> None:
    path = desk.put("two.py", "a = 1\nb = 2\nc = 3\n")
    version = desk.workspace.read(desk.named(path)).version
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
        desk.workspace.edit(desk.named(path), edits)


@pytest.mark.parametrize("added", ["3. c", "3. c\n4. d"])
def test_adds_item_to_numbered_list(desk: Desk, added: str) -> None:
    path = desk.put("list.md", "1. a\n2. b\n")
    desk.workspace.read(desk.named(path))
    desk.workspace.edit(
        desk.named(path), [{"at": {"after": 2}, "replace": added}]
    )
    assert path.read_text() == f"1. a\n2. b\n{added}\n"


@pytest.mark.parametrize(
    "line", ["# a{}b", "# ... code{}x", "... code{}x...", "{}x"]
)
def test_reads_long_run_of_blanks_once(editor: Editor, line: str) -> None:
    new = line.format(" " * 100_000)
    edits = [{"search": "two\n", "replace": f"two\n{new}\n"}]
    assert (
        editor.edit("long.py", "one\ntwo\n", edits).text == f"one\ntwo\n{new}\n"
    )
