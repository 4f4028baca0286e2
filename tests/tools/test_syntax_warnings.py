"""Warnings about broken syntax and types defined twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from filewright import Workspace


def test_each_file_of_a_replacement(workspace: Workspace, root: Path) -> None:
    for number in range(4):
        (root / f"m{number}.py").write_text("x = (1)\n" * 200)
    made = workspace.replace("(1)", "(1", preview=False)
    assert len(made.warnings) == 4


def test_broken_syntax(root, workspace):
    (root / "f.py").write_text("def f():\n    return (1)\n")
    result = workspace.edit("f.py", [{"search": "(1)", "replace": "(1"}])
    assert "python syntax error in f.py at line 2" in result.text
    again = workspace.edit("f.py", [{"search": "(1", "replace": "((1"}])
    assert "syntax error" not in again.text


def version(workspace: Workspace, path: str) -> str:
    return workspace.read(path).version


@pytest.mark.parametrize(
    "edit",
    [
        {"search": "y = 2", "replace": "    y = 2"},
        {"search": "x = 1\n", "replace": "if x:\n        a()\n    b()\n"},
    ],
)
def test_wrong_indentation_of_python(
    root: Path, workspace: Workspace, edit: dict[str, object]
) -> None:
    (root / "a.py").write_text("x = 1\ny = 2\n")
    done = workspace.call(
        "edit_content", {"path": "a.py", "edits": [{**edit, "fuzzy": False}]}
    )
    assert not done.is_error, done.text
    assert "[warning: python syntax error in a.py at line" in done.text


def test_type_defined_twice(root: Path, workspace: Workspace) -> None:
    text = "require 'ipaddr'\n\nclass Proxy\n  def a\n  end\nend\n"
    (root / "a.rb").write_text(text)
    read = version(workspace, "a.rb")
    edit = {"at": {"lines": [1, 1]}, "replace": text.replace("def a", "def b")}
    done = workspace.call(
        "edit_content",
        {"path": "a.rb", "edits": [edit], "expected_version": read},
    )
    assert "[warning: class Proxy is defined twice now in a.rb]" in done.text
    again = workspace.call(
        "edit_content",
        {"path": "a.rb", "edits": [{"search": "def b", "replace": "def c"}]},
    )
    assert "twice" not in again.text
