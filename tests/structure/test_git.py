from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.structure.git_commands import git

from filewright.boundary.boundary import Boundary
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.settings import Settings
from filewright.structure.git import (
    FileAtRevision,
    ObjectReader,
    read_committed,
)

pytestmark = [
    pytest.mark.skipif(
        shutil.which("git") is None, reason="git is not installed"
    ),
    pytest.mark.needs("confinement"),  # Git is run confined or not at all.
]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    (folder / "deep" / "er").mkdir(parents=True)
    git(folder, "init", "-q")
    (folder / "deep" / "er" / "ä b.py").write_bytes(b"x = 1\n")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    return folder


def ask(
    folder: Path, path: str, revision: str = "HEAD", limit: int = 1000
) -> FileAtRevision | None:
    boundary = Boundary([folder], Settings())
    return read_committed(
        boundary, boundary.locate(path), revision, limit=limit
    )


def test_content_at_head(repository: Path) -> None:
    (repository / "deep" / "er" / "ä b.py").write_bytes(b"x = 2\n")
    found = ask(repository, "deep/er/ä b.py")
    assert found is not None
    assert found.content == b"x = 1\n"
    assert len(found.commit) == 40


@pytest.mark.parametrize("path", ["deep/er/new.py", "gone/away.py"])
def test_file_that_is_not_in_the_revision(repository: Path, path: str) -> None:
    found = ask(repository, path)
    assert found is not None
    assert found.content is None


def test_other_revisions_and_refusals(repository: Path) -> None:
    (repository / "deep" / "er" / "ä b.py").write_bytes(b"x = 2\n")
    git(repository, "commit", "-qam", "second")
    before, now = (
        ask(repository, "deep/er/ä b.py", "HEAD~1"),
        ask(repository, "deep/er/ä b.py"),
    )
    assert before is not None
    assert now is not None
    assert (before.content, now.content) == (b"x = 1\n", b"x = 2\n")
    for revision in (
        "--help",
        "HEAD:deep",
        "a..b",
        "no-such-branch",
        "",
        "HEAD\nHEAD",
    ):
        with pytest.raises(FilewrightError) as caught:
            ask(repository, "deep/er/ä b.py", revision)
        assert caught.value.code is Code.INVALID_INPUT


def test_large_content_and_folder(
    repository: Path,
) -> None:
    large = ask(repository, "deep/er/ä b.py", limit=3)
    folder = ask(repository, "deep")
    assert large is not None
    assert folder is not None
    assert (large.content, folder.content) == (None, None)
    assert "larger" in (large.note or "")
    assert "tree" in (folder.note or "")


def test_no_repository(repository: Path, tmp_path: Path) -> None:
    assert (
        ask(repository / "deep", "er/ä b.py") is None
    )  # the repository is above the root
    outside = tmp_path / "plain"
    outside.mkdir()
    (outside / "a.py").write_bytes(b"")
    assert ask(outside, "a.py") is None
    (outside / ".git").symlink_to(repository / ".git")
    assert ask(outside, "a.py") is None


def test_repository_without_a_commit(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "a.py").write_bytes(b"")
    assert ask(tmp_path, "a.py") is None


def test_cancels(repository: Path) -> None:
    boundary = Boundary([repository], Settings())
    task = Task()
    task.cancel()
    with pytest.raises(FilewrightError) as caught:
        read_committed(
            boundary, boundary.locate("deep/er/ä b.py"), limit=1000, task=task
        )
    assert caught.value.code is Code.CANCELLED


def _hooks(folder: Path, command: str) -> None:
    for hook in (
        "post-checkout",
        "pre-commit",
        "reference-transaction",
        "post-index-change",
        "fsmonitor-watchman",
    ):
        path = folder / ".git" / "hooks" / hook
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{command}\n")
        path.chmod(0o755)


def _config(folder: Path, command: str) -> None:
    text = f"""
[core]
    fsmonitor = {command}
    hooksPath = .git/hooks
    sshCommand = {command}
    gitProxy = {command}
    pager = {command}
    editor = {command}
    askPass = {command}
    attributesFile = .git/attributes
    alternateRefsCommand = {command}
[diff]
    external = {command}
[diff "evil"]
    textconv = {command}
    command = {command}
[filter "evil"]
    clean = {command}
    smudge = {command}
    process = {command}
    required = true
[alias]
    cat-file = !{command}
[credential]
    helper = !{command}
[uploadpack]
    packObjectsHook = {command}
[include]
    path = included
"""
    with (folder / ".git" / "config").open("a") as config:
        config.write(text)
    (folder / ".git" / "included").write_text(
        f"[core]\n    fsmonitor = {command}\n"
    )
    for attributes in (
        folder / ".gitattributes",
        folder / ".git" / "info" / "attributes",
    ):
        attributes.write_text("* filter=evil diff=evil merge=evil\n")


def _promised(folder: Path, command: str) -> None:
    """Objects are promised by a remote whose transport runs the command; the wanted one is missing."""
    with (folder / ".git" / "config").open("a") as config:
        config.write(
            f"""
[extensions]
    partialClone = evil
[remote "evil"]
    url = ext::{command}
    promisor = true
    uploadpack = {command}
    vcs = ext
    partialclonefilter = blob:none
[protocol "ext"]
    allow = always
"""
        )
    subprocess.run(
        ["git", "config", "core.repositoryformatversion", "1"],
        cwd=folder,
        check=True,
    )
    blobs = subprocess.run(
        ["git", "rev-parse", "HEAD:deep/er/ä b.py"],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    name = blobs.stdout.strip()
    (folder / ".git" / "objects" / name[:2] / name[2:]).unlink()


@pytest.mark.parametrize("attack", [_hooks, _config, _promised])
def test_runs_nothing_that_a_repository_configures(
    repository: Path, tmp_path: Path, attack: Callable[[Path, str], None]
) -> None:
    trace = tmp_path / "executed"
    program = tmp_path / "evil"
    program.write_text(f"#!/bin/sh\necho run >> {trace}\ncat\n")
    program.chmod(0o755)
    attack(repository, str(program))
    found = ask(repository, "deep/er/ä b.py")
    assert not trace.exists()
    assert found is not None
    assert found.content in (b"x = 1\n", None)


def test_included_file_without_an_end(repository: Path) -> None:
    os.mkfifo(repository / ".git" / "pipe")
    with (repository / ".git" / "config").open("a") as config:
        config.write("\n[include]\n    path = pipe\n")
    boundary = Boundary([repository], Settings())
    with pytest.raises(FilewrightError) as caught:
        read_committed(
            boundary, boundary.locate("deep/er/ä b.py"), limit=1000, seconds=0.3
        )
    assert caught.value.code is Code.TIMEOUT


@pytest.mark.parametrize("is_late", [True, False])
def test_end_of_killed_git(
    monkeypatch: pytest.MonkeyPatch, is_late: bool
) -> None:
    # On a busy machine git may be killed before the reader is scheduled again.
    moments = iter([0, 0, 9 if is_late else 1])
    clock = SimpleNamespace(monotonic=lambda: next(moments))
    monkeypatch.setattr("filewright.structure.git.time", clock)
    reading, writing = os.pipe()
    os.close(writing)
    with os.fdopen(reading, "rb", buffering=0) as output:
        child: Any = SimpleNamespace(stdin=BytesIO(), stdout=output)
        reader = ObjectReader(child, b"", 5, None)
        if not is_late:
            assert reader.read(b"HEAD", 1) is None
            return
        with pytest.raises(FilewrightError) as caught:
            reader.read(b"HEAD", 1)
        assert caught.value.code is Code.TIMEOUT


def escaping(outer: Path, root: Path, how: str) -> None:
    """A repository below `root` whose objects are those of one outside, in one of three ways."""
    git(outer, "init", "-q")
    (outer / "s.py").write_bytes(b"def secret_function_name():\n    pass\n")
    git(outer, "add", ".")
    git(outer, "commit", "-qm", "x")
    if how == "common folder":
        (root / ".git").mkdir()
        (root / ".git" / "commondir").write_text(f"{outer}/.git\n")
        shutil.copy(outer / ".git" / "HEAD", root / ".git" / "HEAD")
        return
    git(root, "init", "-q")
    shutil.copytree(
        outer / ".git" / "refs", root / ".git" / "refs", dirs_exist_ok=True
    )
    if how == "links":
        shutil.rmtree(root / ".git" / "objects")
        (root / ".git" / "objects").symlink_to(outer / ".git" / "objects")
    else:
        (root / ".git" / "objects" / "info" / "alternates").write_text(
            f"{outer}/.git/objects\n"
        )


@pytest.mark.parametrize("how", ["links", "alternates", "common folder"])
def test_reads_nothing_outside_the_roots(tmp_path: Path, how: str) -> None:
    outer, root = tmp_path / "outer", tmp_path / "root"
    outer.mkdir()
    root.mkdir()
    escaping(outer, root, how)
    (root / "s.py").write_bytes(b"x = 1\n")
    found = ask(root, "s.py")
    assert found is None or found.content is None


def worktree(tmp_path: Path) -> tuple[Path, Path]:
    """A repository and a worktree of it, side by side, and a file changed in the worktree."""
    main = tmp_path / "both" / "main"
    main.mkdir(parents=True)
    git(main, "init", "-q")
    (main / "a.py").write_bytes(b"x = 1\n")
    git(main, "add", ".")
    git(main, "commit", "-qm", "first")
    git(main, "worktree", "add", "-q", "../tree", "-b", "other")
    (tmp_path / "both" / "tree" / "a.py").write_bytes(b"x = 2\n")
    return tmp_path / "both", tmp_path / "both" / "tree"


def test_worktree_of_a_repository_inside(
    tmp_path: Path,
) -> None:
    both, _ = worktree(tmp_path)
    found = ask(both, "tree/a.py")
    assert found is not None
    assert found.content == b"x = 1\n"


def test_worktree_of_a_repository_outside(
    tmp_path: Path,
) -> None:
    _, tree = worktree(tmp_path)
    found = ask(tree, "a.py")
    assert found is not None
    assert found.content is None
    assert "outside the workspace" in (found.note or "")


def test_submodule(
    tmp_path: Path,
) -> None:
    both, _ = worktree(tmp_path)
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q")
    git(
        outer,
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "-q",
        str(both / "main"),
        "sub",
    )
    (outer / "sub" / "a.py").write_bytes(b"x = 3\n")
    found = ask(outer, "sub/a.py")
    assert found is not None
    assert found.content == b"x = 1\n"
