"""Undo through the tools, where it is easy to lose something."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from filewright import Workspace


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def workspace(root: Path, tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(root, state_dir=tmp_path / "state") as opened:
        yield opened


def test_undoing_a_rename_with_edits_is_told_as_done(workspace: Workspace, root: Path) -> None:
    (root / "b").write_text("one\ntwo\nthree\n")
    patch = (
        "*** Begin Patch\n*** Update File: b\n*** Move to: q\n@@\n one\n-two\n+22\n"
        "*** Add File: new\n+hey\n*** End Patch\n"
    )
    made = workspace.run("apply_patch", {"patch": patch})
    undone = workspace.run("revert_edit", {"change_id": made.data["change_id"]})
    assert os.listdir(root) == ["b"]
    assert (root / "b").read_text() == "one\ntwo\nthree\n"
    assert "-22\n+two\n" in undone.data["diff"]
    again = workspace.run("revert_edit", {"change_id": undone.data["change_id"]})
    assert (root / "q").read_text() == "one\n22\nthree\n"
    assert "-two\n+22\n" in again.data["diff"]
