"""Edits at symbols: their lines, and the separators of lists."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.samples import one_in
from tests.tools.sources import methods

from filewright import Workspace

SHARED = [
    ("a.css", "a{b:c}d{e:f}\ng{h:i}\n", "d", "rule a"),
    (
        "a.js",
        "function a(){return 1} function b(){return 2}\n",
        "a",
        "function b",
    ),
    (
        "a.ts",
        "export class A { m() { return 1 } n() { return 2 } }\n",
        "A.m",
        "class A",
    ),
    ("a.json", '{"a": 1, "b": 2,\n "c": 3}\n', "b", "key a"),
    ("a.toml", '[t]\nl = {file = "x", y = 1}\nz = 1\n', "t.l.file", "key l"),
    ("a.yaml", "t:\n- name: x\n  of: y\n", "t.name: x.name", "item name: x"),
    ("a.c", "int a, b;\nint c;\n", "a", "variable b"),
    ("a.c", "int a,\n    b;\nint c;\n", "b", "variable a"),
    ("a.java", "class V {\n  int a, b;\n}\n", "V.a", "property b"),
    ("a.go", "package m\n\nconst (\n\te, f = 1, 2\n)\n", "e", "constant f"),
]


@pytest.mark.parametrize(("name", "text", "symbol", "beside"), SHARED)
def test_refuses_shared_lines(
    root: Path,
    workspace: Workspace,
    name: str,
    text: str,
    symbol: str,
    beside: str,
) -> None:
    (root / name).write_text(text)
    for edit in (
        {"at": {"symbol": symbol}, "delete": True},
        {"at": {"symbol": symbol}, "replace": "new"},
        {"at": {"after": symbol}, "replace": "new"},
    ):
        refused = workspace.call(
            "edit_content", {"path": name, "edits": [edit]}
        )
        assert refused.text.startswith(
            f"invalid_input: {symbol} shares a line with {beside} in {name}"
        )
    assert (root / name).read_text() == text


SECTIONS = "# A\n\nabout\n\n## B\n\nb\n\n## C\n\nc\n\n\n## D\n\nd\n"


def test_section_replaced_by_itself(root: Path, workspace: Workspace) -> None:
    (root / "a.md").write_text(SECTIONS)
    for name in "ABCD":
        text = workspace.read("a.md", symbol=name, numbered=False).content
        edit = {"at": {"symbol": name}, "replace": text}
        assert (
            workspace.call(
                "edit_content", {"path": "a.md", "edits": [edit]}
            ).code
            == "no_change"
        )


@pytest.mark.parametrize("diff", ["auto", "none"])
def test_decorators_left_out(
    root: Path, workspace: Workspace, diff: str
) -> None:
    (root / "a.py").write_text(
        "import functools\n\n\n# caches\n@functools.cache\ndef load(n):\n    return n\n"
    )
    edit = {
        "at": {"symbol": "load"},
        "replace": "def load(n):\n    return n + 1",
    }
    done = workspace.call(
        "edit_content", {"path": "a.py", "edits": [edit], "diff": diff}
    )
    said = "the replacement leaves out @functools.cache and its comment"
    assert f"[edit 1: {said}]" in done.text
    assert done.data["results"][0]["note"] == said
    again = workspace.call(
        "edit_content",
        {"path": "a.py", "edits": [{**edit, "replace": "def load(n):\n    1"}]},
    )
    assert "leaves out" not in again.text


def test_name_in_another_case(root: Path, workspace: Workspace) -> None:
    text = "require 'logger'\n\nclass Logger\n  def call\n  end\nend\n"
    (root / "a.rb").write_text(text)
    answer = workspace.call(
        "edit_content",
        {
            "path": "a.rb",
            "edits": [{"at": {"symbol": "logger"}, "delete": True}],
        },
    )
    assert answer.is_error
    assert "Logger" in answer.text
    assert (root / "a.rb").read_text() == text


DELETED_SYMBOLS = {
    # name of the file, text, symbols to delete, result
    "last method": ("a.ts", methods("a", "b"), ["A.b"], methods("a")),
    "first method": ("a.ts", methods("a", "b"), ["A.a"], methods("b")),
    "only method": ("a.ts", methods("a"), ["A.a"], methods()),
    "only method between blank lines": ("a.ts", methods("a", before="\n", after="\n"), ["A.a"], methods()),
    "all methods": ("a.ts", methods("a", "b", before="\n", after="\n"), ["A.a", "A.b"], methods()),
    "last two": ("a.ts", methods("a", "b", "c"), ["A.c", "A.b"], methods("a")),
    "first two": ("a.ts", methods("a", "b", "c"), ["A.a", "A.b"], methods("c")),
    "first and last": ("a.ts", methods("a", "b", "c"), ["A.a", "A.c"], methods("b")),
    "padded block": ("a.ts", methods("a", "b", before="\n", after="\n"), ["A.b"], methods("a", before="\n", after="\n")),
    "method below fields": ("A.java", "class A {\n    int n;\n\n    void a() {\n    }\n}\n", ["A.a"], "class A {\n    int n;\n}\n"),
    "nested block": ("a.cs", "namespace N\n{\n    class A\n    {\n        int a;\n\n        void F()\n        {\n        }\n    }\n}\n", ["N.A.F"], "namespace N\n{\n    class A\n    {\n        int a;\n    }\n}\n"),
    "only one below no symbol": ("a.rs", "mod tests {\n    use super::*;\n\n    #[test]\n    fn t() {}\n}\n", ["tests.t"], "mod tests {\n    use super::*;\n}\n"),
    "keyword": ("a.rb", "class A\n  def a\n  end\n\n  def b\n  end\nend\n", ["A.b"], "class A\n  def a\n  end\nend\n"),
    "block without indentation": ("a.cpp", "namespace n {\n\nint a() {\n}\n\nint b() {\n}\n\n}  // n\n", ["n.b"], "namespace n {\n\nint a() {\n}\n\n}  // n\n"),
    "last method of a nested class": ("a.py", "class A:\n    class B:\n        def a(self):\n            pass\n\n        def b(self):\n            pass\n\n\n    def c(self):\n        pass\n", ["A.B.b"], "class A:\n    class B:\n        def a(self):\n            pass\n\n\n    def c(self):\n        pass\n"),
    "last function": ("a.go", "package p\n\nfunc A() {\n}\n\n// B is.\nfunc B() {\n}\n", ["B"], "package p\n\nfunc A() {\n}\n"),
    "between regions": ("a.py", "# region a\n\ndef a():\n    pass\n\n# endregion\n", ["a"], "# region a\n\n# endregion\n"),
}  # fmt: skip


@pytest.mark.parametrize("case", DELETED_SYMBOLS.values(), ids=DELETED_SYMBOLS)
def test_deletion_leaves_usual_blank_lines(
    root: Path, workspace: Workspace, case: tuple[str, str, list[str], str]
) -> None:
    name, text, symbols, result = case
    (root / name).write_text(text)
    edits = [{"at": {"symbol": symbol}, "replace": ""} for symbol in symbols]
    workspace.edit(name, edits)
    assert (root / name).read_text() == result


BESIDE_DELETED = {
    # symbol that is deleted, the place of the other edit, names of the result
    "before the last": ("c", {"before": "A.c"}, "abn"),
    "after the last": ("c", {"after": "A.c"}, "abn"),
    "below the text above": ("c", {"after": "A.b"}, "abn"),
    "above the text above": ("c", {"before": "A.b"}, "anb"),
    "the text above": ("c", {"symbol": "A.b"}, "an"),
    "before the first": ("a", {"before": "A.a"}, "nbc"),
    "after the first": ("a", {"after": "A.a"}, "nbc"),
    "above the text below": ("a", {"before": "A.b"}, "nbc"),
    "before the middle": ("b", {"before": "A.b"}, "anc"),
    "after the middle": ("b", {"after": "A.b"}, "anc"),
    "before the last of two": ("bc", {"before": "A.c"}, "an"),
    "after the first of two": ("bc", {"after": "A.b"}, "an"),
}  # fmt: skip


@pytest.mark.parametrize("case", BESIDE_DELETED.values(), ids=BESIDE_DELETED)
@pytest.mark.parametrize("in_order", [True, False], ids=["first", "last"])
def test_edits_beside_deleted_symbol(
    root: Path,
    workspace: Workspace,
    case: tuple[str, dict[str, str], str],
    in_order: bool,
) -> None:
    deleted, place, result = case
    (root / "a.ts").write_text(methods(*"abc"))
    edits: list[dict[str, object]] = [
        {"at": {"symbol": f"A.{name}"}, "delete": True} for name in deleted
    ]
    edits.append({"at": place, "replace": "n() {\n  n;\n}"})
    workspace.edit("a.ts", edits if in_order else edits[::-1])
    assert (root / "a.ts").read_text() == methods(*result)


FOUR = b"import os\n\n\ndef one():\n    return 1\n\n\n# of two\ndef two():\n    return 2\n\n\n\ndef three():\n    return 3\n"


LEFT = [
    (("two", "three"), b"import os\n\n\ndef one():\n    return 1\n"),
    (("three", "two"), b"import os\n\n\ndef one():\n    return 1\n"),
    (("one", "two", "three"), b"import os\n"),
    (
        ("one", "three"),
        b"import os\n\n\n# of two\ndef two():\n    return 2\n",
    ),
    (("one", "two"), b"import os\n\n\n\ndef three():\n    return 3\n"),
]


@pytest.mark.parametrize(
    ("gone", "left", "moved", "end"),
    one_in(
        3,
        [
            (*row, moved, end)
            for row in LEFT
            for moved in (True, False)
            for end in (b"\n", b"\r\n")
        ],
    ),
)
def test_deletes_last_symbols(
    root: Path,
    workspace: Workspace,
    gone: tuple[str, ...],
    left: bytes,
    moved: bool,
    end: bytes,
) -> None:
    (root / "a.py").write_bytes(FOUR.replace(b"\n", end))
    taken = [
        {"path": "b.py", "from": {"path": "a.py", "symbol": name}}
        if moved
        else {"path": "a.py", "at": {"symbol": name}, "delete": True}
        for name in gone
    ]
    workspace.run("edit_content", {"edits": taken})
    assert (root / "a.py").read_bytes() == left.replace(b"\n", end)
    if moved:
        text = (root / "b.py").read_bytes()
        assert [
            name for name in gone if b"def %b():" % name.encode() in text
        ] == [*gone]
        assert (b"# of two" + end in text) == ("two" in gone)
        assert not text.endswith(2 * end)


def test_deletes_last_methods(root: Path, workspace: Workspace) -> None:
    first, last = (
        "class C:\n    a = 1\n\n    def b(self):\n        pass\n",
        "\n    def e(self):\n        pass\n",
    )
    between = (
        "\n    def c(self):\n        pass\n\n    def d(self):\n        pass\n"
    )
    gone = [
        {"path": "a.py", "at": {"symbol": name}, "delete": True}
        for name in ("C.c", "C.d")
    ]
    for after in ("", "\n\nx = 1\n", last):
        (root / "a.py").write_text(first + between + after)
        workspace.run("edit_content", {"edits": gone})
        assert (root / "a.py").read_text() == first + after
