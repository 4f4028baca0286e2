"""A chain of renames stays small."""

from __future__ import annotations

from pathlib import Path

import pytest

from filewright import Workspace


@pytest.mark.parametrize("levels", [10, 60])
def test_renaming_every_level_of_a_path_costs_a_step_each(
    tmp_path: Path, levels: int
) -> None:
    root = tmp_path / "root"
    deep = root.joinpath(*(f"a{n}" for n in range(levels)))
    deep.mkdir(parents=True)
    (deep / "x.txt").write_bytes(b"x\n")
    items, done = [], ""
    for number in range(levels):
        items.append(
            {"source": f"{done}a{number}", "destination": f"{done}A{number}"}
        )
        done += f"A{number}/"
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        workspace.run("move_items", {"items": items})
        assert (root / done / "x.txt").read_bytes() == b"x\n"
        (store,) = workspace.context.changes.logs
        (size,) = store.database.read(
            "SELECT max(length(plan) + (SELECT sum(length(path) + length(former_path) + length(before) + length(after)) "
            "FROM file_changes WHERE operation = unfinished.number)) FROM unfinished"
        )
        plan = size[0]
        workspace.undo()
    assert (deep / "x.txt").read_bytes() == b"x\n"
    # The paths themselves grow with the depth, two for each level; the plan must not add to that.
    assert plan < 5_000 + levels * (2_000 + 40 * levels)
