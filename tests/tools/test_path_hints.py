"""Hints for a path that does not exist."""

from __future__ import annotations


def test_names_the_root(root, workspace):
    result = workspace.call("read_content", {"path": "nothing.txt"})
    assert (root / "nothing.txt").as_posix() in result.text
    assert result.data["root"] == root.as_posix()
