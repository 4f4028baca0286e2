"""Paths in the tree of a change."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from tests.method_tools import call_tool

from filewright import Workspace
from filewright.edit.changeset import ExpectedState, Modify
from filewright.errors import Code
from filewright.text.splice import Splice


def test_follows_links_on_the_way(bench: Any) -> None:
    os.symlink("f", bench.root / "way")
    first = bench.modify("way/x.txt", Splice(0, 2, b"EX"))
    second = Modify(
        bench.at("f/x.txt"),
        ExpectedState(3, None, None),
        (Splice(3, 0, b"more\n"),),
    )
    record = bench.commit(first, second)
    assert (bench.root / "f/x.txt").read_bytes() == b"EX\nmore\n"
    assert record.display_paths == ["f/x.txt"]


_CALLS_BEHIND_LINK: dict[str, tuple[str, dict[str, Any]]] = {
    "two files written": (
        "write_content",
        {
            "items": [
                {"path": f"way/{name}", "content": "x\n"}
                for name in ("new1", "new2")
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
        "move_items",
        {
            "items": [
                {"source": name, "destination": f"way/hooks/{name}"}
                for name in ("one", "two")
            ],
            "copy": True,
        },
    ),
    "folders made": ("create_directories", {"paths": ["way/a", "way/b/c"]}),
}


@pytest.mark.parametrize("name", _CALLS_BEHIND_LINK)
def test_refuses_protected_folder_behind_link(
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
        path: path.is_dir() or path.read_bytes()
        for path in sorted(root.rglob("*"))
    }
    tool, arguments = _CALLS_BEHIND_LINK[name]
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        result = call_tool(workspace, tool, {**arguments, "atomic": True})
    assert result.code == Code.PERMISSION_DENIED, result.text
    assert {
        path: path.is_dir() or path.read_bytes()
        for path in sorted(root.rglob("*"))
    } == before
