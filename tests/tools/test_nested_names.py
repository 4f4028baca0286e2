from __future__ import annotations

from pathlib import Path

import pytest

from filewright import Workspace

RENAME = "diff --git a/{0} b/{1}\nsimilarity index 100%\nrename from {0}\nrename to {1}\n"


@pytest.mark.parametrize("tool", ["apply_patch", "move_items"])
@pytest.mark.parametrize(
    "names", [("x", "x/y"), ("f/x", "f"), ("f/g/x", "f")], ids="-".join
)
def test_a_file_that_becomes_a_folder_or_back(
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
        assert "only in two changes" in refused.text
        assert (root / source).read_text() == "one\n"
