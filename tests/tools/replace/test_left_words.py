"""Names that a replacement leaves in strings, comments and other kinds of syntax."""

from __future__ import annotations

from pathlib import Path

import pytest

from filewright import Workspace
from filewright.tools.replace.left_words import find_replaced_name


@pytest.mark.parametrize(
    ("pattern", "replacement", "is_code", "name"),
    [
        ("f($$$X)", "g($$$X)", True, "f"),
        ("o.f($X)", "g($X)", True, "o.f"),
        ("f($X)", "f($X, 1)", True, None),
        ("$F(1)", "g(1)", True, None),
        (r"\bname\b", "other", False, "name"),
        (r"na(me)?", "other", False, None),
        ("a name", "other", False, None),
    ],
)
def test_name_of_a_pattern(
    pattern: str, replacement: str, is_code: bool, name: str | None
) -> None:
    found = find_replaced_name(pattern, replacement, is_code=is_code)
    assert found == name


def test_answer_says_what_is_left(root: Path, workspace: Workspace) -> None:
    (root / "a.py").write_text("f(1)\n# f too\nx = 'f'\n")
    (root / "b.py").write_text("# f\n" * 5 + "f(2)\n")
    (root / "c.py").write_text("f(3)\n")
    call = {"pattern": "f($X)", "replacement": "g($X)", "mode": "code"}
    preview = workspace.call("replace_content", call)
    assert "f left" not in preview.text
    done = workspace.call("replace_content", {**call, "preview": False})
    assert (
        "\n[f left in changed files: a.py:2,3, b.py (5 lines)]" in done.text
    ), done.text
    call = {"pattern": "f", "replacement": "h", "whole_word": True}
    only = {**call, "only": ["comments"], "preview": False}
    done = workspace.call("replace_content", only)
    assert "\n[f left in changed files: a.py:3]" in done.text, done.text
    done = workspace.call("replace_content", {**call, "preview": False})
    assert "f left" not in done.text


def test_names_of_all_items(root: Path, workspace: Workspace) -> None:
    """A name is left too in a file that only another item changes."""
    (root / "a.py").write_text("f(1)\n")
    (root / "b.py").write_text("# f\nx = 1\n")
    items = [
        {"pattern": "f($X)", "replacement": "g($X)", "mode": "code"},
        {"pattern": "x", "replacement": "y", "path": "b.py"},
    ]
    done = workspace.call("replace_content", {"items": items, "max_count": 9})
    assert "\n[f left in changed files: b.py:1]" in done.text, done.text
