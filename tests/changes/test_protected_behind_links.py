"""A protected folder reached through a link is protected for every name of a change, not only for the first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from filewright import Workspace
from filewright.errors import Code

CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "two files written": (
        "write_content",
        {
            "items": [
                {"path": f"way/{name}", "content": "x\n"} for name in ("new1", "new2")
            ]
        },
    ),
    "a harmless one first": (
        "write_content",
        {
            "items": [
                {"path": name, "content": "x\n"}
                for name in ("free", "open/new", "way/new1", "way/new2")
            ]
        },
    ),
    "deleted": ("delete_items", {"paths": ["way/config", "way/HEAD"]}),
    "moved in": (
        "move_items",
        {
            "items": [
                {"source": name, "destination": f"way/{name}"}
                for name in ("one", "two")
            ]
        },
    ),
    "copied in below": (
        "copy_items",
        {
            "items": [
                {"source": name, "destination": f"way/hooks/{name}"}
                for name in ("one", "two")
            ]
        },
    ),
    "folders made": ("create_directories", {"paths": ["way/a", "way/b/c"]}),
}


@pytest.mark.parametrize("name", CALLS)
def test_nothing_is_written_behind_a_link_to_a_protected_folder(
    tmp_path: Path, name: str
) -> None:
    root = tmp_path / "root"
    (root / ".git" / "hooks").mkdir(parents=True)
    (root / "real").mkdir()
    for file in (".git/config", ".git/HEAD", "one", "two"):
        (root / file).write_text(file)
    (root / "way").symlink_to(".git")
    (root / "open").symlink_to("real")
    before = {
        path: path.is_dir() or path.read_bytes() for path in sorted(root.rglob("*"))
    }
    tool, arguments = CALLS[name]
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        result = workspace.call(tool, {**arguments, "atomic": True})
    assert result.code == Code.PERMISSION_DENIED, result.text
    assert {
        path: path.is_dir() or path.read_bytes() for path in sorted(root.rglob("*"))
    } == before
