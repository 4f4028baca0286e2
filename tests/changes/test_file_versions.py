"""Versions of a file, and the net change between two moments."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from filewright import FilewrightError, Workspace


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    return root


@pytest.fixture
def workspace(folder: Path, tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(folder, state_dir=tmp_path / "state") as opened:
        yield opened


def story(workspace: Workspace, path: str) -> list[str]:
    """Return the actions and paths of all versions, newest first."""
    rows = []
    for version in workspace.versions(path).versions:
        action = version.change.action
        if version.moved_with_folder:
            action = "moved with its folder"
        rows.append(f"{action} {version.change.path.display_path}")
    return rows


def test_through_renames(workspace: Workspace) -> None:
    workspace.write("d/a.txt", "one\n")
    workspace.move("d/a.txt", "d/b.txt")
    workspace.move("d", "e")
    workspace.edit("e/b.txt", [{"search": "one", "replace": "two"}])
    workspace.write("d/a.txt", "another\n")
    assert story(workspace, "e/b.txt") == [
        "modified e/b.txt",
        "moved with its folder e/b.txt",
        "moved d/b.txt",
        "created d/a.txt",
    ]
    assert story(workspace, "d/a.txt") == [
        "created d/a.txt",
        "deleted d/a.txt",
        "created d/a.txt",
    ]


def test_between_moments_without_changes(workspace: Workspace) -> None:
    with pytest.raises(FilewrightError, match="nothing has been changed"):
        workspace.between("yesterday..")
    workspace.write("a.txt", "one\n")
    with pytest.raises(FilewrightError, match="nothing was changed between"):
        workspace.between("0 s ago..")


def test_between_two_moments(workspace: Workspace, folder: Path) -> None:
    first = workspace.write("a.txt", "one\n").change_id
    edited = workspace.edit(
        "a.txt", [{"search": "one", "replace": "two"}]
    ).change_id
    workspace.write("b.txt", "b\n")
    workspace.move("a.txt", "c.txt")
    undone = workspace.undo().change_id
    (folder / "a.txt").write_text("two\nthree\n")
    last = workspace.edit(
        "a.txt", [{"search": "three", "replace": "drei"}]
    ).change_id

    def net(moments: str) -> list[str]:
        changes = workspace.between(moments).record.file_changes
        return [f"{each.action} {each.path.display_path}" for each in changes]

    assert net(f"{first}..{edited}") == ["modified a.txt"]
    assert net(f"{first}..") == ["modified a.txt", "created b.txt"]
    assert net(f"..{first}") == ["created a.txt"]
    assert net(str(edited)) == net(f"{edited}..{last}")
    assert net("last") == ["created a.txt", "created b.txt"]
    (change, _) = workspace.between(f"{first}..").record.file_changes
    diff = workspace.difference(change, max_lines=100)
    # The edit by another program in between is part of the difference.
    assert (diff.added, diff.removed, len(diff.diffs)) == (2, 1, 1)
    # An undone change was there at the time.
    moved = workspace.history(limit=3)[2].id
    assert net(f"{moved}^..{moved}") == ["moved c.txt"]
    with pytest.raises(FilewrightError, match="is later than"):
        net(f"{undone}..{first}")
    with pytest.raises(FilewrightError, match="nothing was changed"):
        net(f"{undone}..{undone}")
    with pytest.raises(FilewrightError):
        net("nothing-like-this..")
