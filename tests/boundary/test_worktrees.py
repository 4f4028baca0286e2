"""Worktrees and submodules of git: every answer of a change says which tree was changed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from filewright import Workspace
from filewright.settings import Settings

IDENTITY = {
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@b",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@b",
}


def git(folder: Path, *arguments: str) -> None:
    environment = {
        **os.environ,
        **IDENTITY,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    subprocess.run(
        ["git", "-c", "protocol.file.allow=always", *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
        env=environment,
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a worktree inside, one beside, a submodule, and a repository of its own inside."""
    top = tmp_path_factory.mktemp("trees")
    other = top / "other"
    for folder in (other, top / "main", top / "single"):
        folder.mkdir()
        git(folder, "init", "-q", "-b", "trunk")
        (folder / "a.py").write_text("def f():\n    return 1\n")
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", "first")
    main = top / "main"
    git(main, "submodule", "add", "-q", "../other", "lib")
    git(main, "commit", "-q", "-m", "lib")
    git(main, "worktree", "add", "-q", "-b", "inner", "trees/inner")
    git(main, "worktree", "add", "-q", "-b", "beside", "../beside")
    git(main, "clone", "-q", "../other", "vendor")
    return top


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


WRITES = [
    (
        "main",
        "a.py",
        "changed in the main worktree {top}/main (branch trunk), not in beside, inner",
    ),
    (
        "main",
        "trees/inner/a.py",
        "changed in the linked worktree trees/inner (branch inner)",
    ),
    (
        "main",
        "trees/inner/new/deep/a.py",
        "changed in the linked worktree trees/inner (branch inner)",
    ),
    ("main", "lib/a.py", "changed in the submodule lib (branch trunk)"),
    ("main", "vendor/a.py", "changed in the repository vendor (branch trunk)"),
    ("beside", "a.py", "changed in the linked worktree {top}/beside"),
    (
        "main/trees/inner",
        "a.py",
        "changed in the linked worktree {top}/main/trees/inner",
    ),
    ("main/trees", "inner/a.py", "changed in the linked worktree inner"),
    (
        ".",
        "beside/a.py",
        "changed in the linked worktree beside (branch beside)",
    ),
    ("single", "a.py", None),
    ("single", "new/a.py", None),
]


DIALECTS = ("agent-tools", "filesystem", "official")


@pytest.mark.parametrize(
    ("root", "path", "notice", "dialect"),
    [
        (*row, DIALECTS[number % len(DIALECTS)])
        for number, row in enumerate(WRITES)
    ],
)
def test_write_names_its_tree(
    made: Path,
    state: Path,
    root: str,
    path: str,
    notice: str | None,
    dialect: str,
) -> None:
    item = {"path": path, "content": "# native\n", "mode": "overwrite"}
    one = {"path": path, "content": f"# {dialect}\n"}
    calls = {
        None: ("write_content", {"items": [item]}),
        "agent-tools": ("write_file", one),
        "filesystem": ("write_content", {"items": [one]}),
        "official": ("write_file", one),
    }
    notices = () if notice is None else (notice.format(top=made),)
    with Workspace(made / root, state_dir=state) as workspace:
        for surface in (None, dialect):
            result = workspace.offer(surface).call(*calls[surface])
            assert not result.is_error
            assert result.notices == notices
            workspace.undo()


def test_change_of_two_trees_names_both(made: Path, state: Path) -> None:
    with Workspace(made / "main", state_dir=state) as workspace:
        items = [
            {"path": p, "content": "x\n", "mode": "overwrite"}
            for p in ("trees/inner/b.py", "lib/b.py")
        ]
        result = workspace.call("write_content", {"items": items})
        assert result.notices == (
            "changed in the linked worktree trees/inner (branch inner); and in the submodule lib (branch trunk)",
        )
        workspace.undo()


@pytest.mark.parametrize("root", ["main", "beside", "main/trees/inner"])
def test_serves_linked_worktrees(made: Path, state: Path, root: str) -> None:
    settings = Settings(worktrees=True, state_dir=state)
    with Workspace(made / root, settings=settings) as workspace:
        served = [os.fsdecode(each.path) for each in workspace.roots]
        assert served[0] == str(made / root)
        assert sorted(served) == sorted(
            str(made / each) for each in ("main", "beside", "main/trees/inner")
        )
        answer = workspace.call(
            "get_overview", {"path": "a.py", "since": "HEAD"}
        )
        assert not answer.is_error
        assert "outside the workspace" not in answer.text
        written = workspace.call(
            "write_content",
            {"items": [{"path": "beside:n.py", "content": "x\n"}]},
        )
        assert not written.is_error
        assert "(branch beside)" in written.notices[0]
        workspace.undo()


@pytest.mark.needs("confinement")  # or git is not run
def test_changed_symbols_in_worktree_and_submodule(
    made: Path, state: Path
) -> None:
    with Workspace(made / "main", state_dir=state) as workspace:
        for path in ("trees/inner/a.py", "lib/a.py"):
            before = (made / "main" / path).read_text()
            (made / "main" / path).write_text("def f():\n    return 2\n")
            answer = workspace.call(
                "get_overview", {"path": path, "since": "HEAD"}
            )
            assert "modified" in answer.text, answer.text
            (made / "main" / path).write_text(before)


def test_does_not_serve_claimed_worktree(tmp_path: Path, state: Path) -> None:
    for name in ("repository", "keys"):
        (tmp_path / name).mkdir()
    git(tmp_path / "repository", "init", "-q")
    for name, claimed in {
        "one": tmp_path / "keys",
        "two": tmp_path / "nothing",
    }.items():
        record = tmp_path / "repository" / ".git" / "worktrees" / name
        record.mkdir(parents=True)
        (record / "gitdir").write_text(f"{claimed}/.git\n")
        (record / "commondir").write_text("../..\n")
    (tmp_path / "keys" / ".git").write_text("gitdir: /elsewhere\n")
    with Workspace(
        tmp_path / "repository",
        settings=Settings(worktrees=True, state_dir=state),
    ) as workspace:
        assert len(workspace.roots) == 1
    # Nor does a folder become a tree of a repository that does not know it.
    (tmp_path / "claims").mkdir()
    (tmp_path / "claims" / ".git").write_text(
        f"gitdir: {tmp_path}/repository/.git/worktrees/one\n"
    )
    with Workspace(
        tmp_path / "claims", settings=Settings(worktrees=True, state_dir=state)
    ) as workspace:
        assert len(workspace.roots) == 1


@pytest.fixture
def strict(tmp_path: Path, state: Path) -> Iterator[Workspace]:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text(f"{name}\n")
    settings = Settings(strict_paths=True, state_dir=state)
    with Workspace(
        tmp_path / "one", tmp_path / "two", settings=settings
    ) as workspace:
        yield workspace


def test_strict_paths_name_their_root(
    strict: Workspace, tmp_path: Path
) -> None:
    for path in ("a.txt", "./a.txt", "new/a.txt"):
        refused = strict.call("read_content", {"path": path})
        assert refused.code == "invalid_input"
        assert f"write one:{path} or an absolute path" in refused.text
        assert (
            strict.call(
                "write_content", {"items": [{"path": path, "content": ""}]}
            ).code
            == "invalid_input"
        )
    for path in ("one:a.txt", str(tmp_path / "one" / "a.txt")):
        assert "one" in strict.call("read_content", {"path": path}).text
    assert [entry.path for entry in strict.list_files("one:").entries] == [
        "one:a.txt"
    ]
    assert "two" in strict.call("read_content", {"path": "two:a.txt"}).text


def written(workspace: Workspace) -> str:
    item = {"path": "a.py", "content": "x\n", "mode": "overwrite"}
    (notice,) = workspace.call("write_content", {"items": [item]}).notices
    workspace.undo()
    return notice


@pytest.mark.parametrize("rule", ["/trees/inner/\n", "/trees/\n", "inner\n"])
@pytest.mark.parametrize("gone", [False, True])
def test_does_not_name_denied_worktree(
    made: Path, tmp_path: Path, rule: str, gone: bool
) -> None:
    shutil.copytree(made, tmp_path / "copy", symlinks=True)
    main = tmp_path / "copy" / "main"
    (main / ".git" / "worktrees" / "inner" / "gitdir").write_text(
        f"{main}/trees/inner/.git\n"
    )
    (main / ".agentsignore").write_text(rule)
    if gone:
        shutil.rmtree(main / "trees")
    with Workspace(main, state_dir=tmp_path / "state") as workspace:
        assert (
            written(workspace)
            == f"changed in the main worktree {main} (branch trunk), not in beside"
        )


@pytest.mark.parametrize(
    "head", ["ref: refs/heads/", "ref: refs/heads/\u202e", ""]
)
def test_bounds_names_of_repository(
    made: Path, tmp_path: Path, head: str
) -> None:
    shutil.copytree(made / "main", tmp_path / "main", symlinks=True)
    (tmp_path / "main" / ".git" / "HEAD").write_text(head + "x" * 8000)
    for number in range(300):
        (
            tmp_path / "main" / ".git" / "worktrees" / ("y" * 200 + str(number))
        ).mkdir()
    with Workspace(
        tmp_path / "main", state_dir=tmp_path / "state"
    ) as workspace:
        assert len(written(workspace)) < len(str(tmp_path)) + 700
