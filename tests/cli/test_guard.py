"""The command `guard check`: its paths, its wrong uses, and its status."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.recording.repository import (
    CRLF,
    LF,
    Repository,
)

pytestmark = [
    pytest.mark.extra,  # Each has a repository of its own, and real Git.
    pytest.mark.skipif(
        shutil.which("git", path=os.defpath) is None,
        reason="git is not installed",
    ),
    pytest.mark.skipif(
        sys.platform == "win32", reason="git of the system is not looked for"
    ),
]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def test_paths(repository: Repository) -> None:
    for name in ("a.txt", "sub/b.txt", "sub/deep/c.txt"):
        repository.commit(name, CRLF)
        repository.write(name, LF)
    assert len(repository.check()) == 3
    assert len(repository.check("sub")) == 2
    assert repository.check("a.txt") == ["a.txt: line-endings (3 lines)"]
    sub = repository.top / "sub"
    assert repository.check("deep", folder=sub) == [
        "deep/c.txt: line-endings (3 lines)"
    ]
    assert repository.check("..", folder=sub)[0].startswith("../a.txt: ")
    assert len(repository.check(folder=sub)) == 3


@pytest.mark.parametrize("path", ["nowhere.txt", "../outside.txt"])
def test_refuses_a_path_that_is_not_in_it(
    repository: Repository, path: str
) -> None:
    repository.commit("a.txt", CRLF)
    done = repository.run("guard", "check", path)
    assert done.returncode == 2
    assert path in done.stderr


def test_outside_of_git(repository: Repository) -> None:
    done = repository.run("guard", "check", folder=repository.folder / "home")
    assert done.returncode == 2
    assert "no git repository" in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("--since", "nowhere"),
        ("--since", "-x"),
        ("--since", "main", "--staged"),
    ],
)
def test_wrong_use(repository: Repository, words: Sequence[str]) -> None:
    repository.commit("a.txt", CRLF)
    assert repository.run("guard", "check", *words).returncode == 2
