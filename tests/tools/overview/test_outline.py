"""An outline too long for one answer: its outer part first, and a way to all of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from filewright import Workspace
from filewright.errors import FilewrightError


def names(tree):
    for symbol in tree:
        yield symbol["name"]
        yield from names(symbol["children"])


@pytest.fixture
def long_file(root):
    rows = []
    for number in range(800):
        rows += [
            f"class C{number}:",
            f"    def first{number}(self): ...",
            f"    def _second{number}(self): ...",
        ]
    (root / "long.py").write_text("\n".join(rows) + "\n")
    return root / "long.py"


def test_next_lines_reach_every_symbol(long_file, workspace):
    seen, lines = [], [1, 2400]
    for _ in range(100):
        result = workspace.get_overview(
            "long.py", lines=lines, max_symbols=400, since=None
        )
        seen += list(names(result.data["outline"]))
        assert len(result.text) <= workspace.settings.page_chars
        lines = result.next_lines
        if lines is None:
            break
    assert len(set(seen)) == 2400
    assert {name for name in seen if seen.count(name) > 1} <= {
        f"C{n}" for n in range(800)
    }  # shown as holders


def test_classes_before_members(long_file, workspace):
    result = workspace.get_overview("long.py", max_symbols=900, since=None)
    kept = list(names(result.data["outline"]))
    assert sum(name.startswith("C") for name in kept) == 800
    assert result.symbols_left_out > 0
    assert f"lines=[{result.data['next_lines'][0]}, 2400]" in result.text


def test_depth(long_file, workspace):
    result = workspace.get_overview(
        "long.py", depth=1, max_symbols=5000, since=None
    )
    assert list(names(result.data["outline"])) == [f"C{n}" for n in range(800)]


def test_public_before_private(root, workspace):
    (root / "f.py").write_text(
        "def _a(): ...\ndef b(): ...\ndef _c(): ...\ndef d(): ...\n"
    )
    result = workspace.get_overview("f.py", max_symbols=2, since=None)
    assert list(names(result.data["outline"])) == ["b", "d"]
    assert result.next_lines == (1, 4)


def test_the_members_of_one_definition(
    root: Path, workspace: Workspace
) -> None:
    members = "".join(f"    def m{n}(self): ...\n" for n in range(30))
    (root / "a.py").write_text(f"class A:\n{members}\n\nclass B:\n{members}")
    shown = workspace.get_overview("a.py", symbol="B").text
    assert "class B" in shown
    assert "class A" not in shown
    with pytest.raises(FilewrightError, match="no symbol"):
        workspace.get_overview("a.py", symbol="C")
