"""A mount below a root is neither emptied nor moved: that is refused at once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from filewright import FilewrightError, Workspace

# What tells when a thing was made tells of mounts too: without it only another file system is seen.
pytestmark = [
    pytest.mark.skipif(
        sys.platform != "linux",
        reason="only Linux mounts a folder of the same file system",
    ),
    pytest.mark.needs("birth_times"),
]


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Path]:
    """A workspace with a volume at `par/vol` and a mounted file at `d/env`."""
    root = tmp_path / "work"
    for name in ("par/vol", "par/deep", "d", "spare", "../volume"):
        (root / name).mkdir(parents=True)
    for name in ("par/f", "d/env", "d/z", "../volume/data", "../env", "other"):
        (root / name).write_text(f"{name}\n")
    mounted = []
    try:
        for source, target in (
            ("volume", root / "par/vol"),
            ("env", root / "d/env"),
        ):
            command = ["mount", "--bind", str(tmp_path / source), str(target)]
            if subprocess.run(
                command, capture_output=True, check=False
            ).returncode:
                pytest.skip("only root may mount")
            mounted.append(target)
        yield root
    finally:
        for target in mounted:
            subprocess.run(["umount", "-l", str(target)], check=True)


def _tree(root: Path) -> dict[str, Any]:
    return {
        str(p.relative_to(root)): p.read_bytes() if p.is_file() else None
        for p in root.rglob("*")
    }


REFUSED: dict[str, Callable[[Workspace], Any]] = {
    "delete the folder above": lambda w: w.delete("par", recursive=True),
    "delete the volume": lambda w: w.delete("par/vol", recursive=True),
    "delete the folder of the file": lambda w: w.delete("d", recursive=True),
    "delete the file": lambda w: w.delete("d/env"),
    "edit the file": lambda w: w.edit(
        "d/env", [{"search": "env", "replace": "ENV"}]
    ),
    "overwrite the file": lambda w: w.write("d/env", "new\n", mode="overwrite"),
    "move the volume": lambda w: w.move("par/vol", "elsewhere"),
    "move the folder above": lambda w: w.move("par", "elsewhere"),
    "move the folder of the file": lambda w: w.move("d", "elsewhere"),
    "move over the folder above": lambda w: w.move(
        "spare", "par", overwrite=True
    ),
    "move the file": lambda w: w.move("d/env", "elsewhere"),
    "move over the file": lambda w: w.move("other", "d/env", overwrite=True),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refuses_to_remove_mount(root: Path, what: str) -> None:
    before = _tree(root)
    with Workspace(root, state_dir=root.parent / "state") as workspace:
        with pytest.raises(FilewrightError) as caught:
            REFUSED[what](workspace)
        assert caught.value.code == "unsupported"
        assert "mount" in caught.value.message
        assert _tree(root) == before
        assert workspace.history() == []
        assert workspace.recover().clean
    assert (root.parent / "volume/data").read_text() == "../volume/data\n"


def test_undo_refuses_mount_in_created_folder(
    root: Path,
) -> None:
    with Workspace(root, state_dir=root.parent / "state") as workspace:
        workspace.write("made/vol/inside", "1\n")
        subprocess.run(
            ["mount", "--bind", root.parent / "volume", root / "made/vol"],
            check=True,
        )
        try:
            before = _tree(root)
            answer = workspace.call(
                "revert_edit", {"change_id": workspace.newest(), "force": True}
            )
            assert answer.is_error, answer.text
            assert _tree(root) == before
        finally:
            subprocess.run(["umount", "-l", root / "made/vol"], check=True)
        workspace.undo()
        assert not (root / "made").exists()
