"""The file changes that the history records of a commit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.changes.steps import EDIT

from filewright.edit.changeset import (
    Create,
    Delete,
    MakeFolder,
    Move,
    SetMode,
    Step,
)

CASES: dict[str, tuple[Callable[[Any], list[Step]], list[str]]] = {
    "new file first": (
        lambda b: [Delete(b.at("b.txt")), Create(b.at("n"), b"")],
        ["created n", "deleted b.txt"],
    ),
    "edit": (lambda b: [b.modify("a.txt", EDIT)], ["modified a.txt"]),
    "edit of a moved file": (
        lambda b: [b.modify("a.txt", EDIT), Move(b.at("a.txt"), b.at("n"))],
        ["moved n < a.txt"],
    ),
    "edit of a file moved into a new folder": (
        lambda b: [
            b.modify("a.txt", EDIT),
            MakeFolder(b.at("new")),
            Move(b.at("a.txt"), b.at("new/a")),
        ],
        ["created new", "moved new/a < a.txt"],
    ),
    "move of a folder": (
        lambda b: [Move(b.at("f"), b.at("h"))],
        ["moved h < f"],
    ),
    "mode": (lambda b: [SetMode(b.at("a.txt"), "600")], ["attributes a.txt"]),
    "deleted folder": (
        lambda b: [Delete(b.at("f"), recursive=True)],
        ["deleted f", "deleted f/g", "deleted f/g/y.txt", "deleted f/x.txt"],
    ),
    "file out of a deleted folder": (
        lambda b: [
            b.modify("f/g/y.txt", EDIT),
            Move(b.at("f/g/y.txt"), b.at("y")),
            Delete(b.at("f"), recursive=True),
        ],
        ["moved y < f/g/y.txt", "deleted f", "deleted f/g", "deleted f/x.txt"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_records(bench: Any, case: str) -> None:
    make_steps, expected = CASES[case]
    rows = []
    for change in bench.commit(*make_steps(bench)).file_changes:
        row = f"{change.action} {change.path.display_path}"
        if change.renamed_from is not None:
            row += f" < {change.renamed_from.display_path}"
        rows.append(row)
    assert rows == expected
