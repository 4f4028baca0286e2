"""Linked worktrees, found by the files with which git links them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from filewright import system
from filewright.boundary.worktree_links import (
    MAX_LINKED_WORKTREES,
    find_linked_worktrees,
    read_first_line,
)
from filewright.errors import Code, FilewrightError


def link(main: Path, worktree: Path) -> Path:
    """Link a worktree with a repository as git does; return its record."""
    record = main / ".git" / "worktrees" / worktree.name
    record.mkdir(parents=True)
    worktree.mkdir()
    (worktree / ".git").write_text(f"gitdir: {record}\n")
    (record / "gitdir").write_text(f"{worktree}/.git\n")
    (record / "commondir").write_text("../..\n")
    return record


def find(path: Path) -> list[str]:
    return [
        Path(os.fsdecode(found)).name
        for found in find_linked_worktrees(os.fsencode(path))
    ]


def test_finds_all_from_each(tmp_path: Path) -> None:
    main = tmp_path / "main"
    for name in ("one", "two"):
        link(main, tmp_path / name)
    assert sorted(find(main)) == ["one", "two"]
    assert find(tmp_path / "one") == ["main", "two"]


def test_none_without_repository(tmp_path: Path) -> None:
    assert find(tmp_path) == []


def test_passes_over_claims(tmp_path: Path) -> None:
    main = tmp_path / "main"
    (link(main, tmp_path / "one") / "gitdir").write_text("/nothing/.git\n")
    (link(main, tmp_path / "two") / "gitdir").unlink()
    link(main, tmp_path / "three")
    (tmp_path / "three" / ".git").write_text("gitdir: /elsewhere\n")
    assert find(main) == []
    # A repository that does not know a folder is not served with it.
    assert find(tmp_path / "one") == []


def test_bounds_worktrees(tmp_path: Path) -> None:
    main = tmp_path / "main"
    for number in range(MAX_LINKED_WORKTREES + 1):
        link(main, tmp_path / str(number))
    with pytest.raises(FilewrightError, match="has 25 linked") as caught:
        find(main)
    assert caught.value.code is Code.TOO_LARGE


def test_first_line(tmp_path: Path) -> None:
    path = tmp_path / "HEAD"
    path.write_bytes(b"gitdir:  ../a b \nmore\n")
    with system.open_file(os.fsencode(path)) as file:
        assert read_first_line(file) == b"../a b"
