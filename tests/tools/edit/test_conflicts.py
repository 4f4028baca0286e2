"""Edits that resolve merge conflicts: all of a file, by a symbol, and refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from filewright import Workspace

CODE = """import os


def load(path):
<<<<<<< HEAD
    with open(path) as f:
=======
    with open(path, "rb") as f:
>>>>>>> topic
        return f.read()


def save(path, data):
    first = 1
<<<<<<< HEAD
    text = dump(data)
=======
>>>>>>> topic
    return path
<<<<<<< HEAD
=======


def other():
    return 2
>>>>>>> topic


class Box:
    def get(self):
<<<<<<< HEAD
        return 1
=======

        return 2
>>>>>>> topic
"""
LISTED = """conflict 1 (lines 5-9, in load): ours: with open(path) as f:; theirs: with open(path, "rb") as f:
conflict 2 (lines 15-18, in save): ours: text = dump(data); theirs: no text
conflict 3 (lines 20-26): ours: no text; theirs: def other():
conflict 4 (lines 31-36, in Box.get): ours: return 1; theirs: return 2
"""


@pytest.fixture
def run(root: Path, workspace: Workspace) -> Any:
    """Edit a.py, which has four conflicts, and return the answer."""
    (root / "a.py").write_text(CODE)

    def edit(at: dict[str, Any], take: str) -> Any:
        change = {"path": "a.py", "at": at, "take": take}
        return workspace.call("edit_content", {"edits": [change]})

    return edit


def test_takes_a_side_of_all_conflicts(run: Any, root: Path) -> None:
    answer = run({"conflict": "all"}, "ours")
    assert not answer.is_error, answer.text
    assert (
        "conflict 4 (lines 31-36): ours kept, 1 line: return 1" in answer.text
    )
    assert answer.text.count("[ours = HEAD, the first side]") == 1
    text = (root / "a.py").read_text()
    assert "<<<" not in text
    assert "return 2" not in text
    assert "text = dump(data)" in text


@pytest.mark.parametrize(
    ("symbol", "numbers"),
    [("load", [1]), ("save", [2]), ("Box", [4]), ("Box.get", [4])],
)
def test_takes_a_side_of_the_conflicts_in_a_symbol(
    run: Any, root: Path, symbol: str, numbers: list[int]
) -> None:
    (root / "a.py").write_text(
        CODE.replace("    return path\n", "    return path\n\n\n")
    )
    answer = run({"symbol": symbol}, "theirs")
    assert not answer.is_error, answer.text
    taken = [
        row[9] for row in answer.text.split("\n") if row.startswith("conflict ")
    ]
    assert taken == [str(number) for number in numbers]
    assert (root / "a.py").read_text().count("<<<<<<<") == 4 - len(numbers)


@pytest.mark.parametrize(
    ("at", "problem"),
    [
        ({"conflict": 5}, "a.py has no conflict 5; it has 4"),
        (
            {"symbol": "save"},
            "which conflicts of a.py are in save is not certain",
        ),
        (
            {"symbol": "other"},
            "which conflicts of a.py are in other is not certain",
        ),
        (
            {"symbol": "nowhere"},
            "which conflicts of a.py are in nowhere is not certain",
        ),
    ],
)
def test_refusal_lists_conflicts(
    run: Any, root: Path, at: dict[str, Any], problem: str
) -> None:
    answer = run(at, "theirs")
    assert answer.code == "invalid_input"
    assert answer.text.startswith(f"invalid_input: {problem}\n{LISTED}")
    assert (root / "a.py").read_text() == CODE


def test_names_no_symbol_beside_syntax_errors(run: Any, root: Path) -> None:
    (root / "a.py").write_text(CODE.replace("import os", "import ("))
    answer = run({"symbol": "load"}, "ours")
    assert "not certain" in answer.text
    assert "conflict 1 (lines 5-9): ours: with" in answer.text


def test_no_conflict_in_the_symbol(run: Any, root: Path) -> None:
    (root / "a.py").write_text(f"{CODE}\n\ndef last():\n    pass\n")
    answer = run({"symbol": "last"}, "ours")
    assert "no conflict of a.py is in last\nconflict 1 " in answer.text


def test_counts_many_conflicts(run: Any, root: Path) -> None:
    conflict = "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n"
    (root / "a.py").write_text(conflict * 60)
    answer = run({"conflict": 61}, "ours")
    assert (
        "conflict 20 (lines 96-100): ours: x; theirs: y\nand 40 more"
        in answer.text
    )
    answer = run({"conflict": "all"}, "both")
    assert "\n40 more conflicts: both kept\n" in answer.text
    assert (root / "a.py").read_text() == "x\ny\n" * 60
    (root / "a.py").write_text(conflict * 251)
    assert run({"conflict": "all"}, "both").code == "too_large"
    assert run({"conflict": 251}, "both").code is None


@pytest.mark.parametrize(
    "edit",
    [
        {"at": {"conflict": "all"}, "replace": "x"},
        {"at": {"conflict": "some"}, "take": "ours"},
        {"at": {"after": "load"}, "take": "ours"},
        {"at": {"symbol": "load"}, "take": "ours", "replace": "x"},
    ],
)
def test_refuses_arguments(
    root: Path, workspace: Workspace, edit: dict[str, Any]
) -> None:
    (root / "a.py").write_text(CODE)
    answer = workspace.call("edit_content", {"path": "a.py", "edits": [edit]})
    assert answer.code == "invalid_input"
    assert (root / "a.py").read_text() == CODE


def test_counts_an_edit_of_an_earlier_version_once(
    root: Path, workspace: Workspace
) -> None:
    """The further lines that it deletes have no row, nor a place of their own."""
    path = root / "a.txt"
    path.write_text(
        "one\ntwo\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\nend\n"
    )
    version = workspace.read("a.txt").version
    workspace.edit("a.txt", [{"search": "one\n", "replace": "zero\none\n"}])
    change = {"at": {"conflict": 1}, "take": "ours"}
    edits = [{**change, "expected_version": version}]
    done = workspace.edit("a.txt", edits)
    assert path.read_text() == "zero\none\ntwo\na\nend\n"
    assert done.changes_made == 1
    assert "a.txt: 1 edit applied" in done.text
    assert "further" not in done.text
