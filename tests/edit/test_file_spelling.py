"""New text takes the spelling of the file where the match proves it."""

from __future__ import annotations

import pytest
from tests.edit.cases import Case, case_id, check_plan

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
def test_new_text_takes_proven_spelling(case: Case) -> None:
    check_plan(case)
