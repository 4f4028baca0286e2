"""The layout of inserted text: its indentation, and the blank lines around it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.samples import one_in
from tests.tools.sources import SHOP

from filewright import Workspace


def version(workspace: Workspace, path: str) -> str:
    return workspace.read(path).version


@pytest.mark.parametrize(
    ("name", "before", "symbol", "new", "after"),
    [
        (
            "a.ts",
            "class A {\n  f() {\n  }\n\n  g() {\n  }\n}\n",
            "A.g",
            "h() {\n}",
            "class A {\n  f() {\n  }\n\n  g() {\n  }\n\n  h() {\n  }\n}\n",
        ),
        (
            "a.rb",
            "class A\n  def f\n  end\n  def g\n  end\nend\n",
            "A.g",
            "def h\nend",
            "class A\n  def f\n  end\n  def g\n  end\n  def h\n  end\nend\n",
        ),
        (
            "A.java",
            "class A {\n  void f() {\n  }\n\n  int a;\n}\n",
            "A.a",
            "int b;",
            "class A {\n  void f() {\n  }\n\n  int a;\n  int b;\n}\n",
        ),
    ],
    ids=["blank line", "no blank line", "field"],
)
def test_inserts_behind_the_last_symbol_of_a_block(
    root: Path,
    workspace: Workspace,
    name: str,
    before: str,
    symbol: str,
    new: str,
    after: str,
) -> None:
    (root / name).write_text(before)
    workspace.edit(name, [{"at": {"after": symbol}, "replace": new}])
    assert (root / name).read_text() == after


def test_before_an_empty_line(root: Path, workspace: Workspace) -> None:
    (root / "mixed.txt").write_bytes(b"a\rb\rc\r\n\nd\r")
    edit = {"at": {"after": 3}, "replace": "new"}
    workspace.edit(
        "mixed.txt", [edit], expected_version=version(workspace, "mixed.txt")
    )
    assert (root / "mixed.txt").read_bytes() == b"a\rb\rc\r\nnew\r\n\nd\r"


AT_THE_END = [
    # edits of "a⏎b⏎c", which has no newline at its end, and what comes out
    ([{"from": {"start_line": 3, "end_line": 3}, "at": {"after": 3}}], None),
    ([{"from": {"start_line": 1, "end_line": 3}, "at": {"after": 3}}], None),
    ([{"from": {"start_line": 2, "end_line": 3}, "at": {"after": 3}}], None),
    ([{"start_line": 3, "end_line": 3, "replace": ""}, {"at": {"after": 3}, "replace": "d\ne\n"}], "a\nb\nd\ne"),
    ([{"at": {"after": 3}, "replace": "\nd\n"}, {"start_line": 1, "end_line": 3, "replace": ""}], "\nd"),
    ([{"at": {"after": 3}, "replace": "d"}, {"from": {"start_line": 3, "end_line": 3}, "at": {"after": 0}}], "c\na\nb\nd"),
    ([{"at": {"after": 3}, "replace": "d"}, {"start_line": 3, "end_line": 3, "replace": "x"}], "a\nb\nx\nd"),
    ([{"at": {"after": 3}, "replace": "d"}, {"search": "c", "replace": "c\n"}], "a\nb\nc\nd"),
    ([{"at": {"after": 3}, "replace": "\n"}], "a\nb\nc\n\n"),
    ([{"at": {"after": 3}, "replace": "\n"}, {"at": {"after": 3}, "replace": "d"}], "a\nb\nc\n\nd"),
    ([{"at": {"after": 3}, "replace": "d"}, {"at": {"after": 3}, "replace": "d"}], "a\nb\nc\nd\nd"),
    ([{"at": {"after": 1}, "replace": "d"}, {"at": {"after": 1}, "replace": "d"}], "a\nd\nd\nb\nc"),
    ([{"at": {"after": 1}, "replace": "d"}, {"at": {"before": 2}, "replace": "d"}], "a\nd\nd\nb\nc"),
    ([{"search": "", "start_line": 2, "replace": "d"}, {"search": "", "start_line": 2, "replace": "d"}], "a\nd\nd\nb\nc"),
    ([{"search": "b", "replace": "b\nd"}, {"search": "b", "replace": "b\nd"}], "a\nb\nd\nc"),
    ([{"start_line": 3, "end_line": 3, "replace": "\n"}], "a\nb\n\n"),
    ([{"start_line": 3, "end_line": 3, "replace": "x\n\n"}], "a\nb\nx\n\n"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("end", "edits", "expected"),
    one_in(
        2, [(end, *row) for end in ("\n", "\r\n", "\r") for row in AT_THE_END]
    ),
)
def test_behind_a_deleted_last_line(
    root: Path,
    workspace: Workspace,
    edits: list[dict[str, object]],
    expected: str | None,
    end: str,
) -> None:
    before = "a\nb\nc".replace("\n", end).encode()
    (root / "end.txt").write_bytes(before)
    shown = version(workspace, "end.txt")
    done = workspace.call(
        "edit_content",
        {"path": "end.txt", "edits": edits, "expected_version": shown},
    )
    assert done.is_error == (expected is None), done.text
    after = before if expected is None else expected.replace("\n", end).encode()
    assert (root / "end.txt").read_bytes() == after


def test_parts_text_above_and_below(root, workspace):
    """By as many lines as is usual, where nothing there says how many; those that are there already count."""
    (root / "a.py").write_text("def a():\n    pass\nif True:\n    a()\n")
    workspace.edit(
        "a.py", [{"at": {"after": "a"}, "replace": "def b():\n    pass\n"}]
    )
    assert (root / "a.py").read_text() == (
        "def a():\n    pass\n\n\ndef b():\n    pass\n\n\nif True:\n    a()\n"
    )


BLANK_ENDS = [
    # a file, an edit, and what the file is then
    ("a.py", "def a():\n    pass\n\n\ndef b():\n    pass\n", {"at": {"symbol": "a"}, "replace": "def a():\n    x\n\n\n"}, "def a():\n    x\n\n\ndef b():\n    pass\n"),
    ("a.py", "def a():\n    pass\n\n\ndef b():\n    pass\n", {"at": {"symbol": "a"}, "replace": "\n\ndef a():\n    x\n\n"}, "def a():\n    x\n\n\ndef b():\n    pass\n"),
    ("a.py", "def a():\n    pass\n\n\ndef b():\n    pass\n", {"at": {"symbol": "b"}, "replace": "\n\ndef b():\n    x\n\n\n"}, "def a():\n    pass\n\n\ndef b():\n    x\n"),
    ("a.py", "def a():\n    pass\ndef b():\n    pass\n", {"at": {"symbol": "a"}, "replace": "def a():\n    x\n\n\n"}, "def a():\n    x\n\n\ndef b():\n    pass\n"),
    ("a.py", "def a():\n    pass\ndef b():\n    pass\n", {"at": {"symbol": "b"}, "replace": "\n\ndef b():\n    x"}, "def a():\n    pass\n\n\ndef b():\n    x\n"),
    ("a.go", "package a\n\nfunc F() int {\n\treturn 1\n}\n\nfunc G() {}\n", {"at": {"symbol": "F"}, "replace": "func F() int {\n\treturn 2\n}\n\n"}, "package a\n\nfunc F() int {\n\treturn 2\n}\n\nfunc G() {}\n"),
    ("a.py", "def a():\n    pass\n\n\ndef b():\n    pass\n", {"at": {"after": "a"}, "replace": "\n\ndef c():\n    x\n\n\n"}, "def a():\n    pass\n\n\ndef c():\n    x\n\n\ndef b():\n    pass\n"),
    ("a.py", "def a():\n    pass\n", {"at": {"after": "a"}, "replace": "\n\ndef c():\n    x\n\n\n"}, "def a():\n    pass\n\n\ndef c():\n    x\n"),
    ("a.py", "x = 1\ny = 2\n", {"at": {"before": "y"}, "replace": "\nz = 3\n"}, "x = 1\n\nz = 3\ny = 2\n"),
]  # fmt: skip


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(("name", "text", "edit", "expected"), BLANK_ENDS)
def test_blank_ends_are_not_added_up(
    root: Path,
    workspace: Workspace,
    name: str,
    text: str,
    edit: dict[str, object],
    expected: str,
    end: str,
) -> None:
    (root / name).write_bytes(text.replace("\n", end).encode())
    done = workspace.call("edit_content", {"path": name, "edits": [edit]})
    assert not done.is_error, done.text
    assert (root / name).read_bytes().decode() == expected.replace("\n", end)


SECTIONS = "# A\n\nabout\n\n## B\n\nb\n\n## C\n\nc\n\n\n## D\n\nd\n"


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (
            {"at": {"symbol": "B"}, "replace": "## B\n\nnew"},
            SECTIONS.replace("b\n", "new\n"),
        ),
        (
            {"at": {"symbol": "B"}, "replace": "## B\n\nnew\n"},
            SECTIONS.replace("b\n", "new\n"),
        ),
        (
            {"at": {"symbol": "B"}, "replace": "## B\n\nnew\n\n"},
            SECTIONS.replace("b\n", "new\n"),
        ),
        (
            {"at": {"symbol": "C"}, "replace": "## C\n\nnew\n\n"},
            SECTIONS.replace("c\n", "new\n"),
        ),
        (
            {"at": {"symbol": "D"}, "replace": "## D\n\nnew\n\n"},
            SECTIONS.replace("d\n", "new\n"),
        ),
        (
            {"at": {"symbol": "B"}, "delete": True},
            SECTIONS.replace("## B\n\nb\n\n", ""),
        ),
        (
            {"at": {"symbol": "D"}, "delete": True},
            SECTIONS.replace("\n\n## D\n\nd\n", ""),
        ),
        (
            {"at": {"after": "B"}, "replace": "## N\n\nn"},
            SECTIONS.replace("b\n", "b\n\n## N\n\nn\n"),
        ),
        (
            {"at": {"before": "B"}, "replace": "## N\n\nn\n"},
            SECTIONS.replace("## B", "## N\n\nn\n\n## B"),
        ),
        (
            {"at": {"after": "D"}, "replace": "## N\n\nn\n"},
            SECTIONS + "\n\n## N\n\nn\n",
        ),
        (
            {"from": {"symbol": "D"}, "at": {"before": "B"}},
            "# A\n\nabout\n\n## D\n\nd\n\n## B\n\nb\n\n## C\n\nc\n",
        ),
        (
            {"from": {"symbol": "B"}, "at": {"after": "D"}},
            "# A\n\nabout\n\n## C\n\nc\n\n\n## D\n\nd\n\n\n## B\n\nb\n",
        ),
    ],
)
def test_sections_stay_parted(
    root: Path, workspace: Workspace, edit: dict[str, object], expected: str
) -> None:
    (root / "a.md").write_text(SECTIONS)
    done = workspace.call("edit_content", {"path": "a.md", "edits": [edit]})
    assert not done.is_error, done.text
    assert (root / "a.md").read_text() == expected


REINDENTED = [
    # a file, an edit of symbol `B.m`, and what is in the file then
    ("a.py", "class B:\n    def m(self):\n        pass\n", {"replace": 'def m(self):\n    x = """\nraw\n  """\n    return x'}, '    def m(self):\n        x = """\nraw\n  """\n        return x\n'),
    ("a.py", "class B:\n    def m(self):\n        pass\n", {"replace": 'def m(self):\n    x = """\n    raw\n    """\n    return x'}, '    def m(self):\n        x = """\n    raw\n    """\n        return x\n'),
    ("a.ts", "class B {\n  m() {\n  }\n}\n", {"replace": "m() {\n  return `\nraw\n  b`;\n}"}, "  m() {\n    return `\nraw\n  b`;\n  }\n"),
    ("a.rb", "class B\n  def m\n  end\nend\n", {"replace": "def m\n  <<~X\n    raw\n  X\nend"}, "  def m\n    <<~X\n    raw\n  X\n  end\n"),
    ("a.cs", "class B\n{\n    void m()\n    {\n    }\n}\n", {"replace": 'void m()\n{\n    x = @"a\n b";\n}'}, '    void m()\n    {\n        x = @"a\n b";\n    }\n'),
    # the unit of the file
    ("a.py", "class B:\n\tdef m(self):\n\t\tpass\n", {"replace": "def m(self):\n    if x:\n        return 1"}, "\tdef m(self):\n\t\tif x:\n\t\t\treturn 1\n"),
    ("a.py", "class B:\n\tdef m(self):\n\t\tpass\n", {"replace": "    def m(self):\n        if x:\n            return 1"}, "\tdef m(self):\n\t\tif x:\n\t\t\treturn 1\n"),
    ("a.ts", "class B {\n\tm() {\n\t}\n}\n", {"replace": "m() {\n  f(a,\n    b);\n}"}, "\tm() {\n\t\tf(a,\n\t\t\tb);\n\t}\n"),
    ("a.py", "class B:\n    def m(self):\n        pass\n", {"replace": "def m(self):\n\tif x:\n\t\treturn 1"}, "    def m(self):\n        if x:\n            return 1\n"),
    ("a.ts", "class B {\n  m() {\n  }\n}\n", {"replace": "\tm() {\n\t\tf();\n\t}"}, "  m() {\n    f();\n  }\n"),
    ("a.py", "class B:\n\tdef m(self):\n\t\tpass\n", {"replace": "def m(self):\n    return 1", "fuzzy": False}, "def m(self):\n    return 1\n"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "edit", "expected"), REINDENTED)
def test_indentation_of_the_place(
    root: Path,
    workspace: Workspace,
    name: str,
    text: str,
    edit: dict[str, object],
    expected: str,
) -> None:
    for place in ({"symbol": "B.m"}, {"after": "B.m"}, {"before": "B.m"}):
        (root / name).write_text(text)
        done = workspace.call(
            "edit_content", {"path": name, "edits": [{"at": place, **edit}]}
        )
        assert not done.is_error, done.text
        assert expected in (root / name).read_text(), (root / name).read_text()


@pytest.mark.parametrize(
    ("name", "text", "edit", "expected"),
    [
        ("a.rs", "enum E {\n  A,\n\n  B,\n}\n", {"at": {"after": "B"}, "replace": "C"}, "enum E {\n  A,\n\n  B,\n\n  C,\n}\n"),
        ("a.rs", "enum E {\n  A,\n\n  B,\n}\n", {"at": {"before": "A"}, "replace": "C"}, "enum E {\n  C,\n\n  A,\n\n  B,\n}\n"),
        ("a.py", "class A:\n    def f(self):\n        pass\n", {"at": {"before": "A.f"}, "replace": "def g(self):\n    pass"}, "class A:\n    def g(self):\n        pass\n\n    def f(self):\n        pass\n"),
        ("a.js", "class A {\n  f() {\n  }\n}\n", {"at": {"after": "A.f"}, "replace": "g() {\n}"}, "class A {\n  f() {\n  }\n\n  g() {\n  }\n}\n"),
        ("a.rb", "class A\n  def f\n  end\nend\n", {"at": {"after": "A.f"}, "replace": "def g\nend"}, "class A\n  def f\n  end\n\n  def g\n  end\nend\n"),
    ],
)  # fmt: skip
def test_no_blank_line_at_the_ends_of_a_block(
    root: Path,
    workspace: Workspace,
    name: str,
    text: str,
    edit: dict[str, object],
    expected: str,
) -> None:
    (root / name).write_text(text)
    workspace.run("edit_content", {"path": name, "edits": [edit]})
    assert (root / name).read_text() == expected


GO_WITH_SCRIPT = "package a\n\n" + "".join(
    f"func F{number}() {{\n\tif x {{\n\t\tf(`\n"
    + "    if y\n        echo\n" * 9
    + "`)\n\t}\n}\n\n"
    for number in range(3)
)


MIXED_SHELL = "a() {\n    x\n    y\n}\n\n" + "b() {\n\tx\n\ty\n\tz\n}\n\n" * 2


@pytest.mark.parametrize(
    ("name", "text", "symbol", "old", "new"),
    [
        ("a.go", GO_WITH_SCRIPT, "F1", "if x {", "if z {"),
        ("a.sh", MIXED_SHELL, "a", "    y", "    w"),
    ],
)
def test_indentation_of_symbol_stays(
    root: Path,
    workspace: Workspace,
    name: str,
    text: str,
    symbol: str,
    old: str,
    new: str,
) -> None:
    (root / name).write_text(text)
    head = f"func {symbol}(" if name == "a.go" else f"{symbol}() {{"
    body = head + text.partition(head)[2].partition("\n}\n")[0] + "\n}\n"
    edit = {"at": {"symbol": symbol}, "replace": body.replace(old, new)}
    workspace.run("edit_content", {"path": name, "edits": [edit]})
    assert (root / name).read_text() == text.replace(
        body, body.replace(old, new)
    )


def test_new_function_beside_one_with_tabs(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.go").write_text(GO_WITH_SCRIPT)
    edit = {"at": {"after": "F1"}, "replace": "func G() {\n    return\n}"}
    workspace.run("edit_content", {"path": "a.go", "edits": [edit]})
    assert "\n\nfunc G() {\n\treturn\n}\n\n" in (root / "a.go").read_text()


@pytest.mark.parametrize("place", [{"before": "c"}, {"after": "c"}], ids=str)
def test_inserts_where_the_last_symbol_of_a_file_goes(
    root: Path, workspace: Workspace, place: dict[str, str]
) -> None:
    top = "import os\n\n\ndef b():\n    b\n\n\n"
    (root / "a.py").write_text(f"{top}def c():\n    c\n")
    deletion = {"at": {"symbol": "c"}, "delete": True}
    insertion = {"at": place, "replace": "def n():\n    n"}
    workspace.edit("a.py", [deletion, insertion])
    assert (root / "a.py").read_text() == f"{top}def n():\n    n\n"


def test_blank_lines_around_a_moved_symbol(
    shop: Path, workspace: Workspace
) -> None:
    version = workspace.read("shop.py").version
    edit = {
        "from": {"symbol": "count"},
        "at": {"after": 2},
        "expected_version": version,
    }
    done = workspace.call("edit_content", {"path": "shop.py", "edits": [edit]})
    assert not done.is_error, done.text
    text = (shop / "shop.py").read_text()
    assert text == SHOP.replace(
        "\n\n\ndef count(lines):\n    return len(lines)\n", "\n"
    ).replace(
        "import math\n\n\n",
        "import math\n\n\ndef count(lines):\n    return len(lines)\n\n\n",
    )
