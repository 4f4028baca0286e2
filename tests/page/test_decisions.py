"""Decisions about contents, by their keys."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from filewright import Workspace
from filewright.changes.model import FileChange
from filewright.mailbox.marks import ACCEPTED, Mark
from filewright.page.decisions import Decisions, file_key, hunk_keys

Edit = Callable[[str], FileChange]


@pytest.fixture
def edit(workspace: Workspace, folder: Path) -> Edit:
    """Overwrite a file of ninety lines; return the change."""
    (folder / "a.txt").write_text("")

    def overwrite(text: str) -> FileChange:
        workspace.write("a.txt", text, mode="overwrite")
        (change,) = workspace.record("@").file_changes
        return change

    return overwrite


def text(first: str, last: str) -> str:
    return f"{first}\n" + "same\n" * 90 + f"{last}\n"


def test_key_of_a_file_is_of_its_contents(edit: Edit) -> None:
    edit("one\n")
    first = edit("two\n")
    edit("one\n")
    again, back = edit("two\n"), edit("one\n")
    assert file_key(first) == file_key(again)
    assert file_key(first) != file_key(back)


def test_equal_hunks_have_keys_of_their_own(
    workspace: Workspace, edit: Edit
) -> None:
    edit(text("a", "a"))
    change = edit(text("b", "b"))
    (diff,) = workspace.difference(change, max_lines=400).diffs
    keys = hunk_keys(change, diff, 1_000)
    assert len(set(keys)) == 2


@pytest.mark.parametrize(
    ("mark", "undone", "decision"),
    [
        (None, {}, ""),
        (Mark(ACCEPTED, "a"), {}, "accepted"),
        (Mark("undo", "a"), {}, "undone"),
        (Mark("undo", "a"), {"undo": "redo"}, ""),
    ],
)
def test_decision_in_effect(
    mark: Mark | None, undone: dict[str, str], decision: str
) -> None:
    marks = {} if mark is None else {"key": mark}
    assert Decisions.in_effect(marks, undone).of("key") == decision
