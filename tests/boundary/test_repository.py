"""The folders of a repository, found without git."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from filewright.boundary.repository import RepositoryFolders, find_repository


def make(folder: Path) -> bytes:
    """Make what git looks for, and return its path."""
    (folder / "objects" / "info").mkdir(parents=True)
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    return os.fsencode(folder)


def test_finds_the_folder_above(tmp_path: Path) -> None:
    git_folder = make(tmp_path / ".git")
    (tmp_path / "a" / "b").mkdir(parents=True)
    top = os.fsencode(tmp_path)
    assert find_repository(os.fsencode(tmp_path / "a" / "b")) == (
        RepositoryFolders(top, git_folder, git_folder)
    )


@pytest.mark.parametrize("has_folder", [False, True], ids=["none", "empty"])
def test_finds_none(tmp_path: Path, has_folder: bool) -> None:
    if has_folder:
        (tmp_path / ".git").mkdir()
    folders = find_repository(os.fsencode(tmp_path))
    assert folders is None or folders.top != os.fsencode(tmp_path)


def test_linked_worktree(tmp_path: Path) -> None:
    common = make(tmp_path / "main" / ".git")
    record = tmp_path / "main" / ".git" / "worktrees" / "tree"
    own = make(record)
    (record / "commondir").write_text("../..\n")
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {record}\n")
    assert find_repository(os.fsencode(tree)) == RepositoryFolders(
        os.fsencode(tree), own, common
    )


def test_borrowed_objects(tmp_path: Path) -> None:
    make(tmp_path / ".git")
    names = [tmp_path / name / "objects" for name in ("one", "two")]
    for path in names:
        (path / "info").mkdir(parents=True)
    first, second = map(os.fsencode, names)
    alternates = tmp_path / ".git" / "objects" / "info" / "alternates"
    alternates.write_bytes(b"# a comment\n" + first + b"\n")
    # An alternate may have alternates, and lead back.
    (names[0] / "info" / "alternates").write_bytes(second + b"\n")
    (names[1] / "info" / "alternates").write_bytes(first + b"\n")
    folders = find_repository(os.fsencode(tmp_path))
    assert folders is not None
    assert folders.object_folders == (first, second)
