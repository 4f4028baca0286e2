"""Contents that only git has are read from it, by its index."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from filewright import Settings, Workspace
from filewright.recording.baseline import Budget


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "work"
    (made / "src").mkdir(parents=True)
    (made / "a.txt").write_bytes(b"one\ntwo\r\nthree")
    (made / "src" / "b.py").write_bytes(b"b = 1\n")
    (made / "src" / "c.py").write_bytes(b"c = 1\n")
    (made / "link").symlink_to("a.txt")
    (made / ".gitignore").write_text("out/\n")
    (tmp_path / "older" / "o").mkdir(parents=True)
    (tmp_path / "older" / "o" / "o.txt").write_text("from elsewhere")
    return made


@pytest.fixture
def workspace(root: Path, tmp_path: Path) -> Any:
    with Workspace(
        root, settings=Settings(state_dir=tmp_path / "state"), session="s"
    ) as made:
        yield made


def _tree(root: Path) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for folder, folders, files in os.walk(root):
        for name in folders + files:
            path = Path(folder, name)
            shown = str(path.relative_to(root))
            if path.is_symlink():
                found[shown] = ("link", os.readlink(path))
            else:
                found[shown] = (
                    path.stat().st_mode,
                    path.read_bytes() if path.is_file() else None,
                )
    return found


def _keep_nothing(workspace: Workspace) -> None:
    workspace.recorder.budget = Budget(
        seconds=-1, named_seconds=-1, min_files=0
    )


def _git(root: Path, *words: str) -> None:
    name = ("-c", "user.name=n", "-c", "user.email=e@example.org")
    subprocess.run(
        ["git", *name, *words], cwd=root, check=True, capture_output=True
    )


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_restores_from_git(
    workspace: Any, root: Path, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "large.txt").write_bytes(b"a line\n" * 200_000)
    for path in root.rglob("*.*"):
        os.utime(path, (10**9, 10**9), follow_symlinks=False)
    _git(root, "init", "-q")
    _git(root, "config", "index.version", version)
    _git(root, "add", "-A")
    if version == "3":
        (root / "later").write_bytes(b"x")
        _git(root, "add", "-N", "later")
    (root / "src" / "c.py").write_bytes(b"c = 2\n")
    before = _tree(root)
    _keep_nothing(workspace)
    begun = workspace.begin_command()
    command = "rm large.txt && sed -i s/two/TWO/ a.txt && echo x >> src/b.py && echo y >> src/c.py"
    subprocess.run(f"{command} && git add -A", shell=True, cwd=root, check=True)
    mine = (root / "src" / "c.py").read_bytes()
    [record] = workspace.end_command(begun, command)
    assert ["src/c.py" in note for note in record.notes] == [True]
    workspace.undo(record.id)
    (root / "src" / "c.py").write_bytes(b"c = 2\n")
    after = _tree(root)
    assert mine == b"c = 2\ny\n"
    assert {
        name: kept for name, kept in after.items() if ".git/" not in name
    } == {name: kept for name, kept in before.items() if ".git/" not in name}


@pytest.mark.parametrize(
    "index",
    [b"", b"DIRC", b"DIRC\0\0\0\2\xff\xff\xff\xff" + b"\1" * 200, b"\0" * 5000],
)
def test_damaged_index_of_git(
    workspace: Any, root: Path, index: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    _git(root, "init", "-q")
    (root / ".git" / "index").write_bytes(index)
    _keep_nothing(workspace)
    begun = workspace.begin_command()
    (root / "a.txt").write_bytes(b"a")
    [record] = workspace.end_command(begun, "a command")
    assert record.file_changes == ()
    assert "a.txt" in record.notes[0]
