"""A change of any number of files and folders works with few descriptors, and a chain of renames stays small."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from filewright import Workspace

_TREES = """
import os, resource, sys
from filewright import Workspace
root, state = sys.argv[1:]
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
with Workspace(root, state_dir=state) as workspace:
    workspace.delete("t", recursive=True)
    assert not os.path.exists(root + "/t")
    workspace.undo()
    workspace.copy("t", "u")
    workspace.undo()
    workspace.move("t", "v")
    workspace.undo()
    items = [{"path": f"t/{n}/f", "content": "new", "mode": "overwrite"} for n in range(200)]
    workspace.run("write_content", {"items": items})
    workspace.undo()
assert resource.getrlimit(resource.RLIMIT_NOFILE) == (64, 64)
"""


def test_hundreds_of_folders_need_few_descriptors(tmp_path: Path) -> None:
    root = tmp_path / "root"
    for number in range(200):
        (root / f"t/{number}").mkdir(parents=True)
        (root / f"t/{number}/f").write_bytes(b"%d\n" % number)
    subprocess.run([sys.executable, "-c", _TREES, str(root), str(tmp_path / "state")], check=True)
    assert os.listdir(root) == ["t"]
    assert {int((root / f"t/{number}/f").read_bytes()) for number in range(200)} == set(range(200))


@pytest.mark.parametrize("levels", [10, 120])
def test_renaming_every_level_of_a_path_costs_a_step_each(tmp_path: Path, levels: int) -> None:
    root = tmp_path / "root"
    deep = root.joinpath(*(f"a{n}" for n in range(levels)))
    deep.mkdir(parents=True)
    (deep / "x.txt").write_bytes(b"x\n")
    items, done = [], ""
    for number in range(levels):
        items.append({"source": f"{done}a{number}", "destination": f"{done}A{number}"})
        done += f"A{number}/"
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        workspace.run("move_items", {"items": items})
        assert (root / done / "x.txt").read_bytes() == b"x\n"
        (store,) = workspace.context.changes.logs
        (size,) = store.database.read(
            "SELECT max(length(plan) + (SELECT sum(length(path) + length(was) + length(sides)) "
            "FROM entries WHERE operation = unfinished.number)) FROM unfinished"
        )
        plan = size[0]
        workspace.undo()
    assert (deep / "x.txt").read_bytes() == b"x\n"
    # The paths themselves grow with the depth, two for each level; the plan must not add to that.
    assert plan < 5_000 + levels * (2_000 + 40 * levels)
