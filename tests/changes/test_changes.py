"""The object that tools use: roots within roots, and workspaces that are read-only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.changes.steps import refused

from filewright import Workspace
from filewright.edit.changeset import (
    Create,
)
from filewright.errors import Code


def test_refuses_read_only_workspace(scene: Any, area: Path) -> None:
    with scene.Bench(area, read_only=True) as bench:
        error = refused(bench, Create(bench.at("n"), b""))
        assert error.code is Code.READ_ONLY
    assert not (area / "state").exists()


@pytest.mark.parametrize("outer_first", [True, False])
@pytest.mark.parametrize("path", ["inner", "folder/inner"])
@pytest.mark.parametrize("tool", ["delete", "write", "edit", "move"])
def test_reaches_inner_root_by_both(
    tmp_path: Path, tool: str, path: str, outer_first: bool
) -> None:
    root = tmp_path / "work"
    inner = root / path
    inner.mkdir(parents=True)
    for name in ("q", "z"):
        (inner / name).write_text("one\n")
    named = [f"{path}/q", str(inner / "z")]
    if not outer_first:
        named.reverse()
    with Workspace(root, inner, state_dir=tmp_path / "state") as workspace:
        if tool == "delete":
            made = workspace.delete(*named)
            wanted = {}
        elif tool == "write":
            made = workspace.write_all(
                [
                    {"path": p, "content": "2\n", "mode": "overwrite"}
                    for p in named
                ]
            )
            wanted = {"q": "2\n", "z": "2\n"}
        elif tool == "edit":
            (inner / "z").write_text("two one\n")
            made = workspace.replace("one", "three", preview=False)
            wanted = {"q": "three\n", "z": "two three\n"}
        else:
            moves = [
                {"source": each, "destination": f"{each}2"} for each in named
            ]
            made = workspace.run("move_items", {"items": moves})
            wanted = {"q2": "one\n", "z2": "one\n"}
        held = {each.name: each.read_text() for each in inner.iterdir()}
        assert held == wanted
        workspace.revert_edit(made.change_id)
    assert sorted(each.name for each in inner.iterdir()) == ["q", "z"]
    assert (inner / "q").read_text() == "one\n"


def test_undoes_inner_and_outer_root_together(
    tmp_path: Path,
) -> None:
    root = tmp_path / "work"
    (root / "inner").mkdir(parents=True)
    state = tmp_path / "state"
    with Workspace(root, root / "inner", state_dir=state) as both:
        first = both.write("f", "1\n").change_id
        both.write("inner/q", "1\n")
        with Workspace(root / "inner", state_dir=state) as inner:
            inner.write("z", "1\n")
        both.revert_edit(since=first)
    assert list((root / "inner").iterdir()) == []


@pytest.mark.parametrize(
    "roots", [["work"], ["work", "work/inner"], ["work/inner", "work"]]
)
def test_follows_rename_out_of_inner_root(
    tmp_path: Path, roots: list[str]
) -> None:
    inner, state = tmp_path / "work" / "inner", tmp_path / "state"
    inner.mkdir(parents=True)
    (inner / "q").write_text("one\ntwo\n")
    with (
        Workspace(
            *[tmp_path / root for root in roots], state_dir=state
        ) as both,
        Workspace(inner, state_dir=state) as within,
    ):
        edited = both.edit(
            str(tmp_path / "work" / "inner" / "q"),
            [{"search": "one", "replace": "1"}],
        )
        if roots[0] == "work":
            both.edit("inner/q", [{"search": "1", "replace": "ONE"}])
        within.move("q", "r")
        both.revert_edit(since=f"{edited.change_id}^", path=str(inner / "r"))
        assert {path.name: path.read_text() for path in inner.iterdir()} == {
            "q": "one\ntwo\n"
        }
