"""The files of an index and of commits."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.structure.git_commands import git

from filewright.boundary.repository import find_repository
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.structure.git_repository import GitRepository, IndexFile

pytestmark = pytest.mark.skipif(
    shutil.which("git") is None, reason="git is not installed"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository of two commits, in which a file was renamed and one added."""
    folder = tmp_path_factory.mktemp("repository")
    git(folder, "init", "-q")
    (folder / "old.txt").write_text("a\nb\nc\n")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "First\n\nWith a body.")
    git(folder, "mv", "old.txt", "new.txt")
    (folder / "added.txt").write_text("added\n")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "Second")
    return folder


@pytest.fixture
def repository(folder: Path) -> Iterator[GitRepository]:
    folders = find_repository(os.fsencode(folder))
    assert folders is not None
    with GitRepository(folders, Task()) as repository:
        yield repository


def test_resolves_revisions(repository: GitRepository) -> None:
    head = repository.resolve("HEAD")
    parent = repository.resolve("HEAD^")
    assert head is not None
    assert parent is not None
    assert repository.merge_base(parent, head) == parent
    assert repository.resolve("missing") is None


@pytest.mark.parametrize("revision", ["", "--all", "a\0b"])
def test_refuses_options(repository: GitRepository, revision: str) -> None:
    with pytest.raises(FilewrightError) as caught:
        repository.resolve(revision)
    assert caught.value.code is Code.INVALID_INPUT


def test_files_of_index_and_commits(repository: GitRepository) -> None:
    head = repository.resolve("HEAD") or ""
    parent = repository.resolve("HEAD^") or ""
    index = list(repository.iter_index())
    assert [file.path for file in index] == [b"added.txt", b"new.txt"]
    assert repository.read_blob(index[0].object_id, 99) == b"added\n"
    assert repository.read_blob(index[0].object_id, 3) is None
    assert list(repository.iter_differences(head)) == []
    changes = {
        change.path: change.object_id
        for change in repository.iter_tree_changes(parent, head)
    }
    assert changes[b"new.txt"] == index[1].object_id
    assert changes[b"old.txt"].strip("0") == ""
    assert repository.find_former_path(head, b"new.txt") == b"old.txt"
    assert repository.read_index_file().content.startswith(b"DIRC")


def test_commits_of_a_file(repository: GitRepository) -> None:
    head = repository.resolve("HEAD") or ""
    (commit,) = repository.iter_file_commits(head, b"new.txt", 9)
    assert commit.id == head
    facts = repository.read_commit(repository.resolve("HEAD^") or "")
    assert facts is not None
    assert (facts.author, facts.title) == ("x@example.com", "First")
    stored = repository.read_file_at(head, b"added.txt", 99)
    assert stored is not None
    assert stored.content == b"added\n"
    assert repository.read_file_at(head, b"old.txt", 99) is None


def test_stages_a_content(repository: GitRepository, folder: Path) -> None:
    object_id = repository.write_blob(b"staged\n")
    before = next(repository.iter_index())
    repository.update_index([IndexFile(b"added.txt", 0o100644, object_id)])
    assert next(repository.iter_index()).object_id == object_id
    assert (folder / "added.txt").read_text() == "added\n"
    repository.update_index([before])


def test_attributes(repository: GitRepository, folder: Path) -> None:
    (folder / ".gitattributes").write_text("*.txt text eol=crlf\n")
    attributes = repository.read_attributes([b"new.txt"])
    (folder / ".gitattributes").unlink()
    assert attributes[b"new.txt"]["eol"] == "crlf"
