"""The tools for entries of folders: move, copy, and their undo."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from filewright import FilewrightError, Workspace


@pytest.mark.needs("attributes")
def test_a_copy_keeps_mode_times_and_attributes(entries, workspace):
    (entries / "run.sh").chmod(0o751)
    os.utime(entries / "run.sh", ns=(10**18, 10**18 + 5))
    try:
        os.setxattr(entries / "run.sh", "user.colour", b"red")
        attributes = {"user.colour": b"red"}
    except OSError:
        attributes = {}
    workspace.copy("run.sh", "copy.sh")
    status = (entries / "copy.sh").stat()
    assert status.st_mode & 0o7777 == 0o751
    assert status.st_mtime_ns == 10**18 + 5
    assert {
        name: os.getxattr(entries / "copy.sh", name) for name in attributes
    } == attributes


@pytest.mark.parametrize(
    "held", [".vscode/settings.json", ".mcp.json", ".agentsreadonly"]
)
def test_undoes_a_copy_of_protected_files(entries, workspace, held):
    path = entries / "src" / held
    path.parent.mkdir(parents=True)
    path.write_text("*.lock\n")
    (entries / "src" / "x.lock").write_text("kept\n")
    made = workspace.copy("src", "copy")
    assert (entries / "copy" / held).read_text() == "*.lock\n"
    workspace.undo(made.change_id)
    assert not (entries / "copy").exists()
    assert path.exists()


def test_undo_keeps_files_protected_meanwhile(entries, workspace):
    (entries / "src").mkdir()
    (entries / "src" / "x.lock").write_text("kept\n")
    made = workspace.copy("src", "copy")
    (entries / ".agentsreadonly").write_text("*.lock\n")
    with pytest.raises(
        FilewrightError, match="contains paths that the user's rules deny"
    ):
        workspace.undo(made.change_id)
    assert (entries / "copy" / "x.lock").exists()


RENAME = "diff --git a/{0} b/{1}\nsimilarity index 100%\nrename from {0}\nrename to {1}\n"


@pytest.mark.parametrize("tool", ["apply_patch", "move_items"])
@pytest.mark.parametrize(
    "names", [("x", "x/y"), ("f/x", "f"), ("f/g/x", "f")], ids="-".join
)
def test_file_that_becomes_a_folder(
    tmp_path: Path, tool: str, names: tuple[str, str]
) -> None:
    source, destination = names
    root = tmp_path / "root"
    (root / source).parent.mkdir(parents=True)
    (root / source).write_text("one\n")
    arguments: dict[str, object] = {
        "items": [{"source": source, "destination": destination}]
    }
    if tool == "apply_patch":
        arguments = {"patch": RENAME.format(source, destination)}
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        refused = workspace.call(tool, arguments)
        assert refused.code == "invalid_input"
        assert "takes two changes" in refused.text
        assert (root / source).read_text() == "one\n"
