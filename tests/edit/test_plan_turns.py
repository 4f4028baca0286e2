"""Several edits of one call: an exact occurrence on the result of the earlier edits wins over a looser match."""

from __future__ import annotations

import pytest
from tests.edit.cases import Desk, Turn, case_id

METHOD = "class K:\n    def a(self):\n        go(2)\n\n\ndef a(self):\n    go(1)\n"
TURNS = [
    # A twin elsewhere that is alike but for its depth, its blanks, its quotes.
    Turn("a.py", METHOD, [("def a(self):\n    go(1)", "def a(self):\n    go(2)"), ("def a(self):\n    go(2)", "def a(self):\n    go(3)")],
         METHOD.replace("\n    go(1)", "\n    go(3)")),
    Turn("a.py", "a = 2  \nb = 3\n\na = 1\nb = 3\n", [("a = 1\nb = 3", "a = 2\nb = 3"), ("a = 2\nb = 3", "a = 4\nb = 3")], "a = 2  \nb = 3\n\na = 4\nb = 3\n"),
    Turn("a.js", "f(“x”);\ng();\n\nf('y');\ng();\n", [("f('y');\ng();", 'f("x");\ng();'), ('f("x");\ng();', 'f("z");\ng();')],
         'f(“x”);\ng();\n\nf("z");\ng();\n'),
    Turn("a.py", "x  =  2\ny = 1\n", [("y = 1", "x = 2"), ("x = 2", "x = 3")], "x  =  2\nx = 3\n"),
    Turn("a.py", "one = 1\n\n\ntwo = 2\n\none = 0\ntwo = 2\n", [("one = 0\n", "one = 1\n"), ("one = 1\ntwo = 2", "one = 5\ntwo = 2")],
         "one = 1\n\n\ntwo = 2\n\none = 5\ntwo = 2\n"),
    Turn("a.c", "\tgo(2);\n\tstop();\n}\n  go(1);\n  stop();\n", [("  go(1);\n  stop();", "  go(2);\n  stop();"), ("  go(2);\n  stop();", "  go(3);\n  stop();")],
         "\tgo(2);\n\tstop();\n}\n  go(3);\n  stop();\n"),
    Turn("a.md", "It’s two.\n\nIt's one.\n", [("It's one.", "It's two."), ("It's two.", "It's three.")], "It’s two.\n\nIt's three.\n"),
    Turn("a.tsv", "a\t2\nb 1\n", [("b 1", "a 2"), ("a 2", "a 3")], "a\t2\na 3\n"),
    # A text that is changed and used again.
    Turn("a.py", "a = 1\nb = 2\n", [("a = 1", "a = 2"), ("a = 2", "a = 3")], "a = 3\nb = 2\n"),
    Turn("a.py", "a = 1\nb = 2\n", [("a = 1", "a = 1\nc = 3"), ("c = 3", "c = 4")], "a = 1\nc = 4\nb = 2\n"),
    Turn("a.py", "a = 1\nb = 2\n", [("b = 2", "b = a"), ("a = 1", "a = 5")], "a = 5\nb = a\n"),
    Turn("a.py", "import os\nos.a()\n", [("import os", "import os\nimport re"), ("import re", "import sys"), ("os.a()", "os.b()")],
         "import os\nimport sys\nos.b()\n"),
    # An exact place in the file and one on the result: a text that is twice by then.
    Turn("a.py", "a = 1\nb = 2\n", [("b = 2", "a = 1"), ("a = 1", "a = 3")], "a = 3\na = 1\n", must=False),
    Turn("a.py", "a = 1\nb = 1\n", [("a = 1", "x = 1"), ("b = 1", "y = 1")], "x = 1\ny = 1\n"),
    # A loose match where nothing is exact.
    Turn("a.py", "a  =  1\nb = 2\n", [("b = 2", "b = 3"), ("a = 1\nb = 3", "a = 4\nb = 3")], "a  =  4\nb = 3\n", must=False),
    Turn("a.py", "def f():\n    a()\n    b()\n", [("a()\nb()", "c()\nb()"), ("def f():", "def g():")], "def g():\n    c()\n    b()\n"),
    # Blank lines that are asked for go.
    Turn("a.py", "a\n\n\nb\n", [("a\n\n\nb", "a\n\nb"), ("a\n\nb", "a\nb")], "a\nb\n"),
    Turn("a.py", "a\n\nb\nc\n", [("b\n", ""), ("a\n\nc", "a\nc")], "a\nc\n"),
]  # fmt: skip


@pytest.mark.parametrize("turn", TURNS, ids=case_id)
def test_exact_place_on_result_wins(desk: Desk, turn: Turn) -> None:
    edits = [{"search": search, "replace": replace} for search, replace in turn.edits]
    result = desk.edit(turn.name, turn.file, edits)
    if turn.must or result.text is not None:
        assert result.text == turn.expected, result.answer


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_chain_of_edits_stays_in_place(desk: Desk, depth: int) -> None:
    twin = "".join(f"\tstep({number})\n" for number in range(depth + 2))
    file = f"{twin}\n    step(0)\n"
    edits = [
        {"search": f"    step({at})\n", "replace": f"    step({at + 1})\n"}
        for at in range(depth)
    ]
    result = desk.edit("a.py", file, edits)
    assert result.text == f"{twin}\n    step({depth})\n", result.answer
