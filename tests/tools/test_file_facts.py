"""The encoding, the line ending and the version of a file, as results name them."""

from __future__ import annotations

from pathlib import Path

from filewright import Workspace


def test_names_the_kept_form(root: Path, workspace: Workspace) -> None:
    (root / "mixed.txt").write_bytes(b"one\r\ntwo\n")
    (root / "page.py").write_bytes(
        "# coding: cp1252\nx = 'é'\n".encode("cp1252")
    )
    edit = {"edits": [{"search": "one", "replace": "1"}]}
    assert (
        "; mixed line endings kept"
        in workspace.call("edit_content", {"path": "mixed.txt", **edit}).text
    )
    edit = {"edits": [{"search": "x", "replace": "y"}]}
    assert (
        "; encoding cp1252 kept"
        in workspace.call("edit_content", {"path": "page.py", **edit}).text
    )
