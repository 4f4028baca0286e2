"""Folders in which `A.txt` and `a.txt` are one file: to every tool, protected names and deny rules included.

Windows and most Macs have them everywhere. On Linux one is made (ext4 with case folding, as root, where
the kernel has that), or `FILEWRIGHT_FOLDING_DIR` names one; else the tests are left out.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from filewright import Workspace


def folds(folder: Path) -> bool:
    (folder / "probe").touch()
    try:
        return (folder / "PROBE").exists()
    finally:
        (folder / "probe").unlink()


def mounted(area: Path) -> bool:
    """Mount a file system with case folding at `area / "mount"`; False where that cannot be done."""
    image, mount = area / "image", area / "mount"
    mount.mkdir()
    with image.open("wb") as file:
        file.truncate(32 << 20)
    for command in (
        ["mkfs.ext4", "-q", "-O", "casefold", str(image)],
        ["mount", "-o", "loop", str(image), str(mount)],
        ["chattr", "+F", str(mount / "folded")],
    ):
        if command[0] == "chattr":
            (mount / "folded").mkdir()
        if (
            shutil.which(command[0]) is None
            or subprocess.run(
                command, capture_output=True, check=False
            ).returncode
        ):
            return False
    return folds(mount / "folded")


@pytest.fixture(scope="module")
def folding() -> Iterator[Path]:
    """A folder that takes every case of a name for the same."""
    with tempfile.TemporaryDirectory(
        dir=os.environ.get("FILEWRIGHT_FOLDING_DIR"), ignore_cleanup_errors=True
    ) as name:
        area = Path(name).resolve()
        try:
            if folds(area):
                yield area
            elif mounted(area):
                yield area / "mount" / "folded"
            else:
                pytest.skip(
                    "no folder here takes `A.txt` and `a.txt` for one file, and none can be made"
                )
        finally:
            if os.path.ismount(area / "mount"):
                subprocess.run(["umount", str(area / "mount")], check=True)


@pytest.fixture
def root(folding: Path) -> Iterator[Path]:
    root = Path(tempfile.mkdtemp(dir=folding)) / "Root"
    (root / "Src").mkdir(parents=True)
    (root / "Src" / "Main.py").write_bytes(b"one\r\ntwo\r\n")
    (root / "Secret").mkdir()
    (root / "Secret" / "Key.txt").write_bytes(b"the key\n")
    yield root
    shutil.rmtree(root.parent, ignore_errors=True)


@pytest.fixture
def workspace(root: Path) -> Iterator[Workspace]:
    with Workspace(root, state_dir=root.parent / "state") as opened:
        yield opened


SPELLINGS = ["src/main.py", "SRC/MAIN.PY", "Src/Main.py", "sRC/mAIN.PY"]


def edit(workspace: Workspace, path: str, search: str, replace: str) -> Any:
    return workspace.call(
        "edit_content",
        {"path": path, "edits": [{"search": search, "replace": replace}]},
    )


@pytest.mark.parametrize("path", SPELLINGS)
def test_every_spelling_reads_the_file_and_is_answered_with_its_name(
    workspace: Workspace, path: str
) -> None:
    read = workspace.call("read_content", {"path": path})
    assert (read.path, read.content) == ("Src/Main.py", "one\ntwo")


@pytest.mark.parametrize("path", SPELLINGS)
def test_an_edit_keeps_the_name_and_its_history_is_one(
    workspace: Workspace, root: Path, path: str
) -> None:
    edit(workspace, "Src/Main.py", "one", "1")
    edit(workspace, path, "two", "2")
    assert os.listdir(root / "Src") == ["Main.py"]
    assert (root / "Src" / "Main.py").read_bytes() == b"1\r\n2\r\n"
    found = workspace.call("get_history", {"path": path})
    assert [file.path for change in found.changes for file in change.files] == [
        "Src/Main.py"
    ] * 2
    for change in found.changes:
        assert not workspace.call(
            "revert_edit", {"change_id": change.change_id}
        ).is_error
    assert (root / "Src" / "Main.py").read_bytes() == b"one\r\ntwo\r\n"


def test_two_spellings_in_one_call_are_one_file(
    workspace: Workspace, root: Path
) -> None:
    edits = [
        {"path": "src/MAIN.py", "search": "one", "replace": "1"},
        {"path": "SRC/main.py", "search": "two", "replace": "2"},
    ]
    result = workspace.call("edit_content", {"edits": edits})
    assert not result.is_error, result
    assert (root / "Src" / "Main.py").read_bytes() == b"1\r\n2\r\n"


def test_a_name_is_taken_in_every_spelling(
    workspace: Workspace, root: Path
) -> None:
    made = workspace.call(
        "write_content", {"items": [{"path": "SRC/main.PY", "content": "x"}]}
    )
    assert made.is_error
    assert (root / "Src" / "Main.py").read_bytes() == b"one\r\ntwo\r\n"
    made = workspace.call(
        "write_content", {"items": [{"path": "SRC/New.py", "content": "x"}]}
    )
    assert not made.is_error, made
    assert sorted(os.listdir(root / "Src")) == ["Main.py", "New.py"]


def test_the_root_is_known_in_every_spelling(
    workspace: Workspace, root: Path
) -> None:
    other = str(root.parent / "rOOT" / "SRC" / "main.py")
    assert workspace.call("read_content", {"path": other}).path == "Src/Main.py"


PROTECTED = [
    ".GIT/config", ".Git/hooks/pre-commit", ".gIT", ".MCP.json", ".mcp.JSON", ".Claude/settings.json",
    ".CLAUDE/HOOKS/x", ".VSCode/Tasks.json", "sub/.VSCODE/settings.JSON", ".ENVRC", ".Husky/pre-commit",
    ".CODEX/config.toml", ".Gemini/Settings.json", ".CURSOR/mcp.json", ".AgentsIgnore", ".AGENTSREADONLY",
]  # fmt: skip


@pytest.mark.parametrize("there", [False, True])
def test_protected_names_are_so_in_every_spelling(
    workspace: Workspace, root: Path, there: bool
) -> None:
    for path in PROTECTED:
        place = root / path.lower()
        if there and ".agents" not in path.lower() and not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(b"kept")
        before = sorted(root.rglob("*"))
        item = {"path": path, "content": "x", "mode": "append"}
        made = workspace.call("write_content", {"items": [item]})
        assert made.is_error, path
        assert made.error.code in (
            "permission_denied",
            "not_found",
            "not_a_file",
        ), (
            path,
            made.error,
        )
        assert sorted(root.rglob("*")) == before


@pytest.mark.parametrize(
    "rule", ["secret/", "SECRET/", "/Secret", "key.TXT", "**/KEY.txt"]
)
@pytest.mark.parametrize(
    "path", ["Secret/Key.txt", "secret/key.txt", "SECRET/KEY.TXT"]
)
def test_what_is_denied_is_so_in_every_spelling(
    root: Path, rule: str, path: str
) -> None:
    (root / ".agentsignore").write_text(rule + "\n")
    with Workspace(root, state_dir=root.parent / "state") as workspace:
        assert (
            workspace.call("read_content", {"path": path}).error.code
            == "permission_denied"
        )
        assert (
            edit(workspace, path, "key", "lock").error.code
            == "permission_denied"
        )
        found = workspace.call(
            "search_content", {"path": ".", "pattern": "the key"}
        )
        assert found.results == ()
    assert (root / "Secret" / "Key.txt").read_bytes() == b"the key\n"


@pytest.mark.parametrize("path", ["state", "STATE", "State/index", "sTATE"])
def test_our_own_state_is_closed_in_every_spelling(
    root: Path, path: str
) -> None:
    with Workspace(root, state_dir=root / "State") as workspace:
        edit(workspace, "Src/Main.py", "one", "1")
        for tool in ("list_files", "read_content"):
            assert workspace.call(tool, {"path": path}).is_error
        assert "State/" not in {
            entry.path for entry in workspace.call("list_files", {}).entries
        }
