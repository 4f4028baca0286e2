"""Edits that begin inside an indent, or lose the last newline, are edits of whole lines."""

from __future__ import annotations

import pytest
from tests.edit.cases import (
    Case,
    Desk,
    Editor,
    case_id,
    check_plan,
    literal,
    plan_case,
)

from filewright.edit.planning import plan_edits
from filewright.edit.request import Insertion, TextEdit
from filewright.text.snapshot import Snapshot
from filewright.text.splice import apply_splices

WRAPPED = [
    # `if a:` over a kept line.
    Case("a.py", "def f():\n        go()\n", "    go()", "    if a:\n        go()", "def f():\n        if a:\n            go()\n", must=False),
    Case("a.py", "def f():\n\t\tgo()\n", "\tgo()", "\tif a:\n\t\tgo()", "def f():\n\t\tif a:\n\t\t\tgo()\n", must=False),
    Case("a.py", "def f():\n    go()\n    x()\n", "go()\n    x()", "if a:\n    go()\n    x()", "def f():\n    if a:\n        go()\n        x()\n", must=False),
    Case("a.py", "def f():\n    go()\n    x()\n", "go()\n    x()", "if a:\n        go()\n    x()", "def f():\n    if a:\n        go()\n    x()\n", must=False),
    Case("a.py", "def f():\n    go()\n        x()\n", "    go()\n        x()", "    stop()\n    run()", "def f():\n    stop()\n    run()\n", must=False),
    Case("a.yaml", "a:\n    b: 1\n", "  b: 1", "  c:\n    b: 1", "a:\n    c:\n      b: 1\n", must=False),
    Case("a.js", "f() {\n    go();\n}\n", "  go();", "  if (a) {\n    go();\n  }", "f() {\n    if (a) {\n      go();\n    }\n}\n", must=False),
    Case("a.go", "func f() {\n\t\tgo()\n}\n", "\tgo()", "\tif a {\n\t\tgo()\n\t}", "func f() {\n\t\tif a {\n\t\t\tgo()\n\t\t}\n}\n", must=False),
    Case("a.rb", "def f\n    go\nend\n", "  go\n", "  if a\n    go\n  end\n", "def f\n    if a\n      go\n    end\nend\n", must=False),
    Case("a.html", "<a>\n    <b/>\n</a>\n", "  <b/>", "  <c>\n    <b/>\n  </c>", "<a>\n    <c>\n      <b/>\n    </c>\n</a>\n", must=False),
    # The text of one line, at its own depth.
    Case("a.py", "def f():\n    go()\n", "go()", "go(1)", "def f():\n    go(1)\n"),
    Case("a.py", "def f():\n    go()\n", "    go()", "    if a:\n        go()", "def f():\n    if a:\n        go()\n"),
    Case("a.py", "def f():\n    go()\n", "go()", "if a:\n    go()", "def f():\n    if a:\n        go()\n", must=False),
    Case("a.py", "def f():\n    go()\n", "go()", "if a:\n        go()", "def f():\n    if a:\n        go()\n", must=False),
    Case("a.py", "def f():\n    go()\n", "go()", "go()\nstop()", "def f():\n    go()\n    stop()\n", must=False),
    Case("a.py", "def f():\n    go()\n", "go()", "go()\n    stop()", "def f():\n    go()\n    stop()\n"),
]  # fmt: skip


FLAT = [
    # A flattened text gets a line that opens a block.
    Case("a.py", "def f():\n    a()\n    b()\n", "a()\nb()", "if x:\na()\nb()", None),
    Case("a.py", "def f():\n    a()\n    b()\n", "a()\nb()", "if x:\n    a()\n    b()", "def f():\n    if x:\n        a()\n        b()\n"),
    Case("a.py", "class A:\n    def f(self):\n        a()\n", "def f(self):\na()", "def f(self):\nif x:\na()", None),
    Case("a.yaml", "x:\n  a: 1\n  b: 2\n", "a: 1\nb: 2", "c:\na: 1\nb: 2", None, must=False),
    Case("a.js", "f() {\n    a();\n    b();\n}\n", "a();\nb();", "if (x) {\na();\nb();\n}", None, must=False),
    Case("a.py", "def f():\n    a()\n    b()\n", "a()\nb()", "for x in y:\na()\nb()", None),
    Case("a.py", "def f():\n    a()\n    b()\n", "a()\nb()", "with x:\n    a()\nb()", "def f():\n    with x:\n        a()\n    b()\n"),
    Case("a.go", "func f() {\n\ta()\n\tb()\n}\n", "a()\nb()", "if x {\n\ta()\n}\nb()", "func f() {\n\tif x {\n\t\ta()\n\t}\n\tb()\n}\n"),
]  # fmt: skip


DELETIONS = [
    Case("a.py", "class A:\n    x = 1\n    y = 2\n", "x = 1\n", "", "class A:\n    y = 2\n"),
    Case("a.py", "class A:\n    x = 1\n    y = 2\n", "x = 1\n    y = 2\n", "", "class A:\n"),
    Case("a.py", "class A:\n    x = 1\n    y = 2\n", "    x = 1\n", "", "class A:\n    y = 2\n"),
    Case("a.py", "class A:\n    x = 1\n    y = 2\nz\n", "  x = 1\n    y = 2\n", "", "class A:\nz\n"),
    Case("a.go", "func f() {\n\ta()\n\tb()\n}\n", "a()\n", "", "func f() {\n\tb()\n}\n"),
    Case("a.yaml", "a:\n  b: 1\n  c: 2\nd: 3\n", "b: 1\n", "", "a:\n  c: 2\nd: 3\n"),
    Case("a.yaml", "a:\n  b: 1\n  c: 2\nd: 3\n", "  c: 2\n", "", "a:\n  b: 1\nd: 3\n"),
    Case("a.html", "<ul>\n  <li>a</li>\n  <li>b</li>\n</ul>\n", "<li>a</li>\n", "", "<ul>\n  <li>b</li>\n</ul>\n"),
    Case("a.py", "if x:\n        a()\n        b()\n", "    a()\n", "", "if x:\n        b()\n"),
    Case("a.md", "- a\n  - b\n  - c\n", "- b\n", "", "- a\n  - c\n"),
    Case("a.py", "class A:\n    x = 1\n    y = 2\n", "x = 1\n    ", "", "class A:\n    y = 2\n"),
    Case("a.py", "class A:\r\n    x = 1\r\n    y = 2\r\n", "x = 1\n", "", "class A:\r\n    y = 2\r\n"),
    Case("a.py", "class A:\n    x = 1\n    y = 2\n", "x = 1\n", "z = 3\n", "class A:\n    z = 3\n    y = 2\n"),
    Case("a.py", "class A:\n    x = 1\n    y = 2\n", "x = 1\n    y", "y", "class A:\n    y = 2\n"),
]  # fmt: skip


GLUED = [
    # The search text ends with a newline, the replacement does not.
    Case("a.py", "a()\nb()\n", "a()\n", "c()", "c()\nb()\n"),
    Case("a.py", "a()  \nb()\n", "a()\n", "c()", "c()\nb()\n"),
    Case("a.md", "One.  \nTwo.\n", "One.\n", "Three.", "Three.  \nTwo.\n", must=False),
    Case("a.py", "def f():\n    a()\n    b()\n", "a()\n", "c()", "def f():\n    c()\n    b()\n"),
    Case("a.py", "def f():\n    a()\n    b()\n", "    a()\n", "    c()", "def f():\n    c()\n    b()\n"),
    Case("a.js", "a();\r\nb();\r\n", "a();\n", "c();", "c();\r\nb();\r\n"),
    Case("a.js", "a();\r\nb();\r\n", "a();\r\n", "c();\r\nd();", "c();\r\nd();\r\nb();\r\n"),
    Case("a.js", "a();\n\nb();\n", "a();\n\n", "c();", "c();\nb();\n", must=False),
    Case("a.md", "# A\n\nOne.\n\n# B\n", "One.\n", "Two.", "# A\n\nTwo.\n\n# B\n"),
    Case("a.txt", "one\ntwo\nthree\n", "one\ntwo\n", "1\n2", "1\n2\nthree\n"),
    Case("a.txt", "one\ntwo\nthree\n", "two\nthree\n", "2\n3", "one\n2\n3\n", must=False),
    Case("a.txt", "one\ntwo", "one\n", "1", "1\ntwo"),
    Case("a.go", "\tif a {\n\t\tb()\n\t}\n", "    if a {\n        b()\n", "    if a {\n        c()", "\tif a {\n\t\tc()\n\t}\n"),
    # A join that is asked for.
    Case("a.txt", "one\ntwo\n", "one\ntwo", "one two", "one two\n"),
    Case("a.txt", "one\ntwo\nthree\n", "one\nt", "one t", "one two\nthree\n"),
    Case("a.py", "f(a,\n  b)\n", "a,\n  b", "a, b", "f(a, b)\n"),
    # Nothing at all is a deletion.
    Case("a.txt", "one\ntwo\n", "one\n", "", "two\n"),
    Case("a.txt", "one\n\n\ntwo\n", "\n\n\n", "\n\n", "one\n\ntwo\n"),
]  # fmt: skip


@pytest.mark.parametrize("case", [*WRAPPED, *FLAT], ids=case_id)
def test_kept_lines_keep_distance(editor: Editor, case: Case) -> None:
    editor.check(case)


@pytest.mark.parametrize("case", DELETIONS, ids=case_id)
def test_deletion_moves_no_neighbour(editor: Editor, case: Case) -> None:
    editor.check(case)


@pytest.mark.parametrize("case", GLUED, ids=case_id)
def test_keeps_lines_apart(editor: Editor, case: Case) -> None:
    editor.check(case)


@pytest.mark.parametrize(
    "case",
    [
        case
        for case in [*GLUED, *DELETIONS]
        if case.file.replace("\r\n", "\n").count(
            case.search.replace("\r\n", "\n")
        )
        == 1
    ],
)
def test_keeps_lines_apart_without_fuzzy(editor: Editor, case: Case) -> None:
    editor.check(case, fuzzy=False)


@pytest.mark.parametrize("case", GLUED, ids=case_id)
def test_replace_may_join_lines(desk: Desk, case: Case) -> None:
    if case.file.count(case.search) == 1:
        result = desk.replace(case.name, case.file, case.search, case.replace)
        assert result.text == case.file.replace(case.search, case.replace), (
            result.answer
        )


FRAGMENTS = [
    literal("a.md", "  lead\nx\n", "l", "L\nM"),
    literal("a.py", "    lead = 1\n", "le", "a = 2\nb"),
    literal("a.txt", "\tlead\n", "lea", "one\ntwo\n"),
    literal("a.txt", "  élan\n", "é", "e\nE"),
    literal("a.txt", "  aéx\n", "a", "e\nE"),
    Case("a.md", "  lead\nx\n", "lead", "L\nM", "  L\n  M\nx\n"),
]  # fmt: skip


@pytest.mark.parametrize("case", FRAGMENTS, ids=case_id)
def test_part_of_word_is_no_line(editor: Editor, case: Case) -> None:
    editor.check(case)


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
        "a.js",
        "f {\n  a();\n}\nb\n",
        "  a();\n\n",
        "  x();\n",
        "f {\n  x();\n}\nb\n",
    ),
    Case(
        "a.js",
        "f {\n  a();\n}\nb\n",
        "\n  a();",
        "\n  x();",
        "f {\n  x();\n}\nb\n",
    ),
]


@pytest.mark.parametrize("case", LOST, ids=case_id)
def test_blank_line_for_another_is_no_edge(case: Case) -> None:
    check_plan(case)


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
def test_loses_no_line_end_of_cr_before_lf(
    data: bytes, edit: TextEdit, lines: int
) -> None:
    planned = plan_edits(Snapshot(data), [edit])
    assert len(apply_splices(data, planned.splices).splitlines()) == lines


@pytest.mark.parametrize(
    ("data", "search", "content"),
    [
        pytest.param("a\nb\nc", "c\n", "a\nb\n", id="last-line"),
        pytest.param("a\nb\nc", "b\nc\n", "a\n", id="lines"),
        pytest.param("a\n  b\n  c", "b\nc\n", "a\n", id="indented"),
        pytest.param("a\nb\nc", "b\nc", "a\n", id="exact"),
        pytest.param("a\nb\nc", "\nc", "a\nb", id="with-newline-above"),
        pytest.param("c", "c\n", "", id="whole-file"),
    ],
)
def test_deletion_at_unended_end(data: str, search: str, content: str) -> None:
    """A deletion leaves the lines above as they are, and so their newlines."""
    assert plan_case(Case("a.py", data, search, "")) == content
