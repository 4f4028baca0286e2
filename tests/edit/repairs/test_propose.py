"""Damage that search text and replacement share is removed from both, unless the file has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest
from tests.edit.cases import Case, Editor, case_id, literal
from tests.samples import in_part


class Plain(NamedTuple):
    """An edit without damage; whatever damages both its texts, this is what it asks for."""

    name: str
    file: str
    search: str
    replace: str

    @property
    def expected(self) -> str:
        return self.file.replace(self.search, self.replace)


EDITS = [
    Plain("a.py", "import os\n\n\ndef f(a):\n    if a < 1:\n        go('x')\n    return a\n\n\nf(2)\n", "    if a < 1:\n        go('x')\n    return a\n",
          "    if a < 1:\n        go('y')\n        stop()\n    return a\n"),
    Plain("a.go", "package a\n\nfunc f() {\n\tif a < b {\n\t\tgo(\"x\")\n\t}\n}\n\nfunc g() {}\n", "\tif a < b {\n\t\tgo(\"x\")\n\t}\n", "\tif a < b {\n\t\tgo(\"y\")\n\t\tstop()\n\t}\n"),
    Plain("a.ts", "class A {\n  f() {\n    const a = b && c;\n    go(`x`);\n  }\n}\n", "    const a = b && c;\n    go(`x`);\n", "    const a = b && d;\n    go(`y`);\n"),
    Plain("A.java", "class A {\n    List<String> a;\n    int b;\n}\n", "    List<String> a;\n    int b;\n", "    List<Long> a;\n    int b;\n    int c;\n"),
    Plain("a.html", "<ul>\n  <li>one</li>\n  <li>two</li>\n</ul>\n", "  <li>one</li>\n  <li>two</li>\n", "  <li>one</li>\n  <li>three</li>\n"),
    Plain("a.c", "int f(int a)\n{\n\tif (a < 2 && b)\n\t\tgo(\"x\");\n\treturn a;\n}\n", "\tif (a < 2 && b)\n\t\tgo(\"x\");\n\treturn a;\n", "\tif (a < 2 && b)\n\t\tgo(\"y\");\n\treturn b;\n"),
    Plain("a.rs", "fn f() {\n    let a: Vec<u8> = g();\n    h(a);\n}\n", "    let a: Vec<u8> = g();\n    h(a);\n", "    let a: Vec<u8> = g();\n    h(a)?;\n"),
    Plain("a.rb", "def f\n  puts \"a\"\n  go\nend\n", "  puts \"a\"\n  go\n", "  puts \"b\"\n  go\n"),
    Plain("a.php", "<?php\nif ($a && $b) {\n    go(\"x\");\n}\n", "if ($a && $b) {\n    go(\"x\");\n}\n", "if ($a && $c) {\n    go(\"x\");\n}\n"),
    Plain("a.swift", "func f() {\n    let a: [Int] = x < y\n    go(\"a\")\n}\n", "    let a: [Int] = x < y\n    go(\"a\")\n", "    let a: [Int] = x < z\n    go(\"a\")\n"),
    Plain("A.kt", "fun f() {\n    val a: List<Int> = b\n    go(a)\n}\n", "    val a: List<Int> = b\n    go(a)\n", "    val a: List<Int> = c\n    go(a)\n"),
    Plain("A.cs", "class A {\n    List<int> a;\n    void F() => G(\"x\");\n}\n", "    List<int> a;\n    void F() => G(\"x\");\n", "    List<int> a;\n    void F() => G(\"y\");\n"),
    Plain("a.lua", "function f()\n  if a < b then\n    go(\"x\")\n  end\nend\n", "  if a < b then\n    go(\"x\")\n  end\n", "  if a < b then\n    go(\"y\")\n  end\n"),
    Plain("a.sh", "f() {\n  if a && b; then\n    echo \"x\"\n  fi\n}\n", "  if a && b; then\n    echo \"x\"\n  fi\n", "  if a && b; then\n    echo \"y\"\n  fi\n"),
    Plain("a.tsx", "const A = () => (\n  <p>\n    {a && b}\n  </p>\n);\n", "  <p>\n    {a && b}\n  </p>\n", "  <p>\n    {a && c}\n  </p>\n"),
    Plain("a.ex", "def f(a) do\n  a |> g()\n  h(\"x\")\nend\n", "  a |> g()\n  h(\"x\")\n", "  a |> g()\n  h(\"y\")\n"),
]  # fmt: skip


Damage = Callable[[Plain, str], str]


def numbered(form: str) -> Damage:
    """Number the lines as they are numbered in the file."""

    def damage(edit: Plain, text: str) -> str:
        first = edit.file[: edit.file.index(edit.search)].count("\n") + 1
        lines = text.removesuffix("\n").split("\n")
        return (
            "\n".join(
                form.format(first + at) + line for at, line in enumerate(lines)
            )
            + "\n"
        )

    return damage


def prefixed(mark: str) -> Damage:
    """Put a mark before every line."""
    return lambda edit, text: (
        "\n".join(mark + line for line in text.removesuffix("\n").split("\n"))
        + "\n"
    )


def escaped(*pairs: tuple[str, str]) -> Damage:
    """Escape as an encoder does, in that order."""

    def damage(edit: Plain, text: str) -> str:
        for plain, sign in pairs:
            text = text.replace(plain, sign)
        return text

    return damage


DAMAGE: dict[str, Damage] = {
    "numbers with a colon": numbered("{}: "),
    "numbers with a bar": numbered("{} | "),
    "numbers of cat": numbered("{:6}\t"),
    "numbers with an arrow": numbered("{:5}→"),
    "numbers of grep": numbered("{}:"),
    "numbers with a dash": numbered("{}- "),
    "numbers in a box": numbered("{}│"),
    "numbers and a path": numbered("a.x:{}:"),
    "a quotation": prefixed("> "),
    "a bar": prefixed("| "),
    "context of a diff": prefixed(" "),
    "additions of a diff": prefixed("+"),
    "a fence": lambda edit, text: f"```\n{text}```\n",
    "a named fence": lambda edit, text: f"```{edit.name.rpartition('.')[2]}\n{text}```",
    "a tilde fence": lambda edit, text: f"~~~\n{text}~~~\n",
    "entities": escaped(("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")),
    "entities and quotes": escaped(("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#39;")),
    "unicode escapes": escaped(("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026")),
    "newlines": escaped(("\n", "\\n")),
    "newlines beside newlines": escaped(("\n", "\\n\n")),
    "returns and newlines": escaped(("\n", "\\r\\n")),
    "double quotes": escaped(('"', '\\"')),
    "a JSON text": escaped(("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t")),
    "a quoted JSON text": lambda edit, text: '"' + escaped(("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t"))(edit, text) + '"',
    "tabs": escaped(("\t", "\\t")),
    "no-break spaces": escaped(("    ", "\u00a0\u00a0\u00a0\u00a0"), ("  ", "\u00a0\u00a0")),
    "carriage returns": escaped(("\n", "\r\n")),
    "a byte-order mark": lambda edit, text: f"\ufeff{text}",
    "zero-width edges": lambda edit, text: f"\u200b{text}",
}  # fmt: skip


#: What must land; of the others a refusal is as honest as the right text.
LANDS = {
    "numbers with a colon", "numbers with a bar", "numbers of cat", "numbers with an arrow", "numbers of grep", "numbers with a dash",
    "numbers in a box", "a fence", "a named fence", "entities", "newlines", "double quotes", "a JSON text", "tabs", "a quotation",
    "numbers and a path", "carriage returns", "additions of a diff", "context of a diff", "newlines beside newlines",
}  # fmt: skip


def some_edits(kind: str, share: int) -> list[Plain]:
    """Return one edit in `share`, others for each kind of damage."""
    return EDITS[[*DAMAGE].index(kind) % share :: share]


@in_part(4)
@pytest.mark.parametrize("kind", DAMAGE)
def test_removes_shared_damage(editor: Editor, kind: str, share: int) -> None:
    damage, failures = DAMAGE[kind], []
    for edit in some_edits(kind, share):
        search, replace = damage(edit, edit.search), damage(edit, edit.replace)
        result = editor.edit(
            edit.name, edit.file, [{"search": search, "replace": replace}]
        )
        if result.text != edit.expected and (
            result.text is not None or kind in LANDS
        ):
            failures.append(
                f"{search!r} -> {replace!r} in {edit.file!r}: {result.text!r} {result.answer}"
            )
    assert not failures, "\n".join(failures)


@in_part(4)
@pytest.mark.parametrize("kind", DAMAGE)
def test_removes_damage_of_search_text(
    editor: Editor, kind: str, share: int
) -> None:
    damage, failures = DAMAGE[kind], []
    for edit in some_edits(kind, share):
        search = damage(edit, edit.search)
        result = editor.edit(
            edit.name, edit.file, [{"search": search, "replace": edit.replace}]
        )
        if result.text not in (None, edit.expected):
            failures.append(
                f"{search!r} -> {edit.replace!r} in {edit.file!r}: {result.text!r} {result.answer}"
            )
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize(
    "kind",
    [kind for kind in DAMAGE if "carriage" not in kind and "mark" not in kind],
)
@in_part(4)
def test_keeps_text_that_file_has(
    editor: Editor, kind: str, share: int
) -> None:
    for edit in some_edits(kind, share):
        search, replace = damage_of(kind, edit)
        if search == replace:
            continue
        file = f"first\n{search}last\n"
        result = editor.edit(
            "a.txt", file, [{"search": search, "replace": replace}]
        )
        assert result.text == file.replace(search, replace), (
            f"{search!r} -> {replace!r}: {result.answer}"
        )


def damage_of(kind: str, edit: Plain) -> tuple[str, str]:
    """Damage both texts of an edit."""
    return DAMAGE[kind](edit, edit.search), DAMAGE[kind](edit, edit.replace)


MARKS = [
    Case(
        "a.js",
        "a();\nb();\n",
        "<<<<<<< SEARCH\nb();\n=======",
        "c();\n>>>>>>> REPLACE",
        "a();\nc();\n",
        must=False,
    ),
    Case(
        "a.js",
        "a();\nb();\n",
        "<<<<<<< SEARCH\nb();",
        "c();",
        "a();\nc();\n",
        must=False,
    ),
    Case(
        "a.js",
        "a();\nb();\n",
        "------- SEARCH\nb();\n=======",
        "c();\n+++++++ REPLACE",
        "a();\nc();\n",
        must=False,
    ),
]


@pytest.mark.parametrize("case", MARKS, ids=case_id)
def test_edit_marks(editor: Editor, case: Case) -> None:
    result = editor.edit(
        case.name, case.file, [{"search": case.search, "replace": case.replace}]
    )
    assert result.text in (None, case.expected)
    if result.text is None:
        assert "SEARCH" in result.answer


NO_BREAK = "\u00a0" * 4


UNBROKEN = [
    literal("a.py", "def f():\n    save(p)\n    go()\n", "    save(p)\n", f"{NO_BREAK}save(p)\n", noted=True),
    literal("a.py", "def f():\n    save(p)\n    go()\n", "    save(p)\n    go()\n", f"    save(p)\n{NO_BREAK}go()\n    z()\n", noted=True),
    literal("a.yaml", "a:\n    b: 1\n    c: 2\n", "    b: 1\n    c: 2\n", f"{NO_BREAK}b: 1\n    c: 3\n", noted=True),
]  # fmt: skip


@pytest.mark.parametrize("case", UNBROKEN, ids=case_id)
def test_notes_kept_no_break_indent(editor: Editor, case: Case) -> None:
    editor.check(case)


ROWS = "| a | 1 |\n| b | 2 |\n| b | 2 |\n| c | 3 |\n"


QUOTED = [
    Case("a.md", ROWS, "> | a | 1 |\n> | b | 2 |\n> | b | 2 |\n", "| a | 1 |\n| b | 2 |\n", ROWS.replace("| b | 2 |\n", "", 1)),
    Case("a.md", ROWS, "> | a | 1 |\n> | b | 2 |\n> | b | 2 |\n", "> | a | 1 |\n> | b | 2 |\n", ROWS.replace("| b | 2 |\n", "", 1)),
    Case("a.md", "> a\n> b\nc\n", "| > a\n| > b\n", "> a\n> x\n", "> a\n> x\nc\n"),
]  # fmt: skip


@pytest.mark.parametrize("case", QUOTED, ids=case_id)
def test_removes_only_prefix_of_search_text(editor: Editor, case: Case) -> None:
    editor.check(case)


# An item of a list begins with a dash, as a removed line of a diff does.
ITEMS = [
    Case("a.md", "- one\n  two `x`. {1}  \n\n## B\n", "  two `x`. {1}\n\n", "  two `x`. {1}\n- three\n  four.\n\n", "- one\n  two `x`. {1}  \n- three\n  four.\n\n## B\n", must=False),
    Case("a.md", "- Fix a (b)\n- c\n", " - Fix a (b)\n", "- Fix a (b)\n- Fix d\n", "- Fix a (b)\n- Fix d\n- c\n", must=False),
    Case("a.yml", "- a: 1\n- b: 2\n", " - a: 1\n - b: 2\n", "- a: 1\n- b: 3\n", "- a: 1\n- b: 3\n", must=False),
    Case("a.md", "+ one\n  two  \n", "  two\n", "  two\n+ three\n", "+ one\n  two  \n+ three\n"),
    Case("a.yml", "a:\n- n: 1\n  d: x\n", " - n: 1\n   d: x\n", "- n: 2\n  d: y\n", "a:\n- n: 2\n  d: y\n", must=False),
]  # fmt: skip


@pytest.mark.parametrize("case", ITEMS, ids=case_id)
def test_list_item_is_no_removed_line(editor: Editor, case: Case) -> None:
    editor.check(case)
