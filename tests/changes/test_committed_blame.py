"""Lines that commits of git made."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.changes.blame_labels import blame, edit

from filewright import Workspace


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    return root


@pytest.fixture
def workspace(folder: Path, tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(folder, state_dir=tmp_path / "state") as opened:
        yield opened


def git(folder: Path, *words: str, date: str = "2020-01-01T00:00:00Z") -> None:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "GIT_AUTHOR_DATE": date,
        "GIT_COMMITTER_DATE": date,
    }
    names = ("-c", "user.name=Ann", "-c", "user.email=ann@example.com")
    subprocess.run(
        ["git", *names, *words],
        cwd=folder,
        env=environment,
        check=True,
        capture_output=True,
    )


def commit(folder: Path, path: str, content: str, title: str) -> None:
    (folder / path).write_text(content)
    git(folder, "add", "-A")
    git(folder, "commit", "-m", title)


@pytest.fixture
def repository(folder: Path) -> Path:
    git(folder, "init", "-b", "main")
    commit(folder, "old.txt", "one\ntwo\nthree\nfour\nfive\n", "First")
    git(folder, "mv", "old.txt", "a.txt")
    git(folder, "commit", "-m", "Rename")
    commit(folder, "a.txt", "one\n2\nthree\nfour\nfive\n", "Second")
    return folder


def test_older_lines_are_of_commits(
    workspace: Workspace, repository: Path
) -> None:
    change = edit(workspace, "five\n", "5\n")
    assert blame(workspace) == ["First", "Second", "First", "First", change]
    # Committed by the person, and still made by the agent.
    git(repository, "commit", "-am", "Third", date="2036-01-01T00:00:00Z")
    assert blame(workspace)[-1] == change


def test_a_merge(workspace: Workspace, repository: Path) -> None:
    git(repository, "checkout", "-b", "side", "HEAD~1")
    commit(repository, "a.txt", "one\ntwo\nthree\nfour\nsix\n", "Side")
    git(repository, "checkout", "main")
    git(repository, "merge", "side", "-m", "Merge")
    assert blame(workspace) == ["First", "Second", "First", "First", "Side"]


def test_lines_that_were_never_committed(
    workspace: Workspace, repository: Path
) -> None:
    (repository / "a.txt").write_text("zero\none\n2\nthree\nfour\nfive\n")
    change = edit(workspace, "2\n", "zwei\n")
    lines = blame(workspace)
    assert lines == ["before", "First", change, "First", "First", "First"]


def test_line_ends_that_git_unifies(
    workspace: Workspace, repository: Path
) -> None:
    content = (repository / "a.txt").read_bytes().replace(b"\n", b"\r\n")
    (repository / "a.txt").write_bytes(content)
    assert blame(workspace) == ["First", "Second", "First", "First", "First"]


@pytest.mark.parametrize("name", ["*.txt", ":(top)a", "-p", "a b\tc"])
def test_a_name_that_git_could_misread(
    workspace: Workspace, repository: Path, name: str
) -> None:
    commit(repository, f"./{name}", "special\n", "Special")
    assert blame(workspace, f"./{name}") == ["Special"]


def test_nothing_that_a_repository_configures_is_run(
    workspace: Workspace, repository: Path, tmp_path: Path
) -> None:
    mark = tmp_path / "ran"
    command = f"touch {mark}; cat"
    (repository / ".gitattributes").write_text("*.txt diff=x filter=x\n")
    for key in (
        "diff.x.textconv",
        "diff.x.command",
        "diff.external",
        "filter.x.clean",
        "filter.x.smudge",
        "core.fsmonitor",
        "core.pager",
        "core.alternateRefsCommand",
        "gpg.program",
    ):
        git(repository, "config", key, command)
    git(repository, "config", "log.showSignature", "true")
    assert blame(workspace)[0] == "First"
    assert not mark.exists()
