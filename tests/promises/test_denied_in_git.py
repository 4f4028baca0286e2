"""Denied files are not read out of the repository that tracks them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.method_tools import call_tool

from filewright import Workspace

SECRET = "KEY=hunter2-hunter2-hunter2\n"


def _git(folder: Path, *words: str) -> None:
    who = [
        "-c",
        "user.name=n",
        "-c",
        "user.email=n@example.org",
        "-c",
        "commit.gpgsign=false",
    ]
    environment = {
        **os.environ,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    subprocess.run(
        ["git", *who, *words],
        cwd=folder,
        env=environment,
        check=True,
        capture_output=True,
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / ".env").write_text(SECRET)
    (root / "sub" / "secret.txt").write_text(SECRET)
    (root / "open.txt").write_text("word\n")
    _git(root, "init", "-q", "-b", "main")
    _git(root, "add", "-A")
    _git(root, "commit", "-q", "-m", "first")
    (root / "way").symlink_to(".git")
    return root


def _deny_at_root(root: Path) -> None:
    (root / ".agentsignore").write_text(".env\n")


def _deny_below(root: Path) -> None:
    (root / "sub" / ".agentsignore").write_text("secret.txt\n")


def _deny_bare(root: Path) -> None:
    """Deny in the root, whose repository has another name."""
    _deny_at_root(root)
    (root / ".git").rename(root / "store.git")
    (root / "way").unlink()
    (root / "way").symlink_to("store.git")
    (root / ".git").write_text("gitdir: store.git\n")


DENIALS: dict[str, tuple[Callable[[Path], None], str]] = {
    "at the root": (_deny_at_root, ".git"),
    "below": (_deny_below, ".git"),
    "another name": (_deny_bare, "store.git"),
}
STORED = (
    "objects",
    "index",
    "logs",
    "logs/HEAD",
    "COMMIT_EDITMSG",
    "packed-refs",
    "ORIG_HEAD",
)
OFFERED = ("HEAD", "config", "refs/heads/main")


def _calls(path: str) -> list[tuple[str, dict[str, Any]]]:
    return [
        ("list_files", {"path": path, "depth": 0}),
        ("read_content", {"path": path}),
        ("search_content", {"pattern": "first", "path": path}),
        ("stat_items", {"paths": [path]}),
        ("get_overview", {"path": path}),
        (
            "move_items",
            {
                "items": [{"source": path, "destination": "copied"}],
                "copy": True,
            },
        ),
    ]


@pytest.mark.parametrize("name", DENIALS)
def test_stores_are_closed(root: Path, tmp_path: Path, name: str) -> None:
    deny, git = DENIALS[name]
    deny(root)
    objects = [
        path.relative_to(root / git)
        for path in (root / git / "objects").rglob("*")
        if path.is_file()
    ]
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        for start in (git, "way", git.upper()):
            for stored in [*STORED, *map(str, objects)]:
                for tool, arguments in _calls(f"{start}/{stored}"):
                    result = call_tool(workspace, tool, arguments)
                    assert result.is_error, f"{tool} {arguments}: {result.text}"
                    assert "hunter2" not in result.text
        for offered in OFFERED:
            assert not workspace.call(
                "read_content", {"path": f"{git}/{offered}"}
            ).is_error
        listing = workspace.call(
            "list_files", {"path": git, "depth": 0, "include_hidden": True}
        ).text
        assert "objects" not in listing
        assert "index" not in listing
        assert "HEAD" in listing
        assert workspace.call(
            "move_items",
            {"items": [{"source": git, "destination": "g2"}], "copy": True},
        ).is_error
    assert not (root / "copied").exists()


def test_stores_are_open_where_nothing_is_denied(
    root: Path, tmp_path: Path
) -> None:
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        for path in (".git/logs/HEAD", ".git/COMMIT_EDITMSG"):
            assert not workspace.call("read_content", {"path": path}).is_error
        assert "objects" in workspace.call("list_files", {"path": ".git"}).text


@pytest.mark.parametrize("system", [".hg", ".svn", ".jj"])
def test_stores_of_other_systems(
    root: Path, tmp_path: Path, system: str
) -> None:
    (root / system / "store").mkdir(parents=True)
    (root / system / "store" / "data").write_text(SECRET)
    _deny_at_root(root)
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        assert (
            workspace.call(
                "read_content", {"path": f"{system}/store/data"}
            ).code
            == "permission_denied"
        )
        result = workspace.call(
            "search_content", {"pattern": "hunter2", "include_ignored": True}
        )
        assert "data" not in result.text


@pytest.mark.needs("confinement")  # or git is not run
def test_comparison_with_git_goes_on(root: Path, tmp_path: Path) -> None:
    _deny_at_root(root)
    (root / "open.py").write_text("def f():\n    return 1\n")
    _git(root, "add", "-A")
    _git(root, "commit", "-q", "-m", "second")
    (root / "open.py").write_text("def f():\n    return 2\n")
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        text = workspace.call(
            "get_overview", {"path": "open.py", "since": "HEAD"}
        ).text
    assert "not compared" not in text
