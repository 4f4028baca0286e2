"""Plans of the files of a replacement, and items that overlap."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.tools.replacements import item, refused, replaced

from filewright import Code, Workspace


@pytest.mark.parametrize(
    ("text", "items", "line"),
    [
        (
            "x\na total of\n",
            [item("total", "sum"), item("a total", "one")],
            2,
        ),
        (
            "x\na total of\n",
            [item("a total", "one"), item("total", "sum")],
            2,
        ),
        (
            "total\n",
            [item("total", "sum"), item("t.t", "x", mode="regex")],
            1,
        ),
        ("total\n", [item("total", "sum"), item("total", "all")], 1),
        ("f(x)\n", [item("f(", "f(1, "), item("(", "(1, ")], 1),
        ("f(x)\n", [item("f(x", "gh(x"), item("f", "g")], 1),
        ("abc\n", [item("ab", "x"), item("abc", "x")], 1),
        ("a.f\n", [item("a.f", "a.gh"), item("f", "g")], 1),
        ("f(x)\n", [item("f(x", "g(x"), item("f", "")], 1),
        (
            "a\nb\nc\n",
            [item("a\nb", "a\nnew\nb"), item("a\nb\n", "a\nother\nb\n")],
            2,
        ),
    ],
)
def test_refuses_overlapping_items(
    root: Path,
    workspace: Workspace,
    text: str,
    items: list[dict[str, Any]],
    line: int,
) -> None:
    (root / "a.txt").write_text("so far only one\n")
    (root / "b.txt").write_text(text)
    items[0] = {**items[0], "path": "b.txt"}
    for more in ({}, {"preview": True}):
        refusal = refused(workspace, *items, item("only", "but"), **more)
        assert refusal.code == Code.OVERLAP
        assert (
            refusal.message == f"items 1 and 2 overlap at line {line} of b.txt"
        )
        assert "send item 2 in a later call: it matches" in refusal.hint
    assert (root / "a.txt").read_text() == "so far only one\n"
    assert (root / "b.txt").read_text() == text


@pytest.mark.parametrize(
    ("items", "hint"),
    [
        ([item("m.f($A)", "m.g($A)"), item("f($A)", "h($A)")], "send item 2 in a later call: it matches at the 1 match of item 1"),
        ([item("f($A)", "h($A)"), item("m.f($A)", "m.g($A)")], "send item 1 in a later call: it matches at the 1 match of item 2"),
        ([item("x + f(", "y + f("), item("f(1) + y", "2")], "send item 2 in a later call: it matches at the 1 match of item 1"),
        ([item("z = f", "y = f"), item("f(1)", "g(1)")], "send one in a later call"),
    ],
)  # fmt: skip
def test_names_the_item_to_send_later(
    root: Path, workspace: Workspace, items: list[dict[str, Any]], hint: str
) -> None:
    (root / "a.py").write_text("m.f(x)\n")
    (root / "b.py").write_text("f(x)\nx + f(1) + y\nz = f(1)\nz = f(2)\n")
    mode = "code" if "$" in items[0]["pattern"] else "literal"
    refusal = refused(workspace, *items, mode=mode)
    assert refusal.code == Code.OVERLAP
    assert hint in refusal.hint


def test_items_that_touch(root: Path, workspace: Workspace) -> None:
    (root / "a.txt").write_text("foo.bar\n")
    replaced(workspace, item(".", "->"), item("bar", "ba"), item("foo", "foot"))
    assert (root / "a.txt").read_text() == "foot->ba\n"


def test_items_that_change_alike(root: Path, workspace: Workspace) -> None:
    """A call that gets a name and an argument, and the name where it is not called."""
    (root / "a.py").write_text("import old\nmap(old, a)\nold(old(1), b)\n")
    done = replaced(
        workspace,
        item("old($$$X)", "new($$$X, k=2)", mode="code"),
        item(r"\bold\b", "new", mode="regex"),
    )
    assert (root / "a.py").read_text() == (
        "import new\nmap(new, a)\nnew(new(1, k=2), b, k=2)\n"
    )
    assert done.item_counts == (2, 4)


def test_a_change_that_makes_another_one_too(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.md").write_text("old(1), m.old(2), old\n")
    items = [
        item(r"(\w+\.)?old\(([^()]*)\)", "${1}new($2, k)", mode="regex"),
        item("old", "new"),
    ]
    for ordered in (items, items[::-1]):
        replaced(workspace, *ordered)
        assert (root / "a.md").read_text() == "new(1, k), m.new(2, k), new\n"
        workspace.undo()
