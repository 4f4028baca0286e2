"""Merge conflicts in the overview of a file."""

from __future__ import annotations

import pytest

from filewright import Workspace
from filewright.tools.merge_conflicts import MAX_DESCRIBED_CONFLICTS


def conflict(ours: str, theirs: str) -> str:
    return f"<<<<<<< HEAD\n{ours}=======\n{theirs}>>>>>>> other\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_names_definitions_and_sides(workspace: Workspace, root, encoding):
    text = "".join(
        [
            conflict("import a\n", ""),
            "def load(path):\n",
            conflict("    return 'ä'\n", "    return read(path)\n"),
        ]
    )
    (root / "m.py").write_bytes(text.encode(encoding))
    overview = workspace.get_overview("m.py")
    assert overview.text.split("\n\n")[1].splitlines() == [
        "2 merge conflicts:",
        "conflict 1 (lines 1-4): ours: import a; theirs: no text",
        "conflict 2 (lines 6-10, in load): ours: return 'ä'; theirs: return read(path)",
    ]
    assert [(c.start_line, c.symbol) for c in overview.conflicts] == [
        (1, ""),
        (6, "load"),
    ]


def test_shows_the_first_of_many(workspace: Workspace, root):
    (root / "many.txt").write_text(conflict("a\n", "b\n") * 300)
    overview = workspace.get_overview("many.txt")
    assert overview.conflict_count == 300
    assert len(overview.conflicts) == MAX_DESCRIBED_CONFLICTS
    assert "[280 more: search_content for <<<<<<<]" in overview.text


def test_keeps_those_before_a_broken_one(workspace: Workspace, root):
    (root / "broken.txt").write_text(
        conflict("a\n", "b\n") + "<<<<<<< HEAD\nc\n"
    )
    assert workspace.get_overview("broken.txt").conflict_count == 1
