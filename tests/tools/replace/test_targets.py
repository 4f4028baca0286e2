"""Files of a replacement: where the items of a call may match."""

from __future__ import annotations

from pathlib import Path

from tests.tools.replacements import item, replaced

from filewright import Workspace


def test_items_of_a_file_and_of_its_tree(
    root: Path, workspace: Workspace
) -> None:
    (root / "sub").mkdir()
    (root / "sub/a.txt").write_text("one two\n")
    (root / "b.txt").write_text("one two\n")
    replaced(workspace, item("one", "1", path="sub/a.txt"), item("two", "2"))
    assert (root / "sub/a.txt").read_text() == "1 2\n"
    assert (root / "b.txt").read_text() == "one 2\n"
