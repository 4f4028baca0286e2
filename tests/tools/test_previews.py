"""Previews whose diff the change itself does not show again."""

from __future__ import annotations

from pathlib import Path

import pytest

from filewright import Workspace


def test_counts_what_a_preview_showed(root: Path, workspace: Workspace) -> None:
    (root / "a.py").write_text("old = 1\nprint(old)\n")
    asked = {"pattern": "old", "replacement": "new", "whole_word": True}
    preview = workspace.call("replace_content", asked)
    assert "\n-old = 1\n" in preview.text
    done = workspace.call(
        "replace_content", {**asked, "preview": False, "expected_count": 2}
    )
    assert done.text.startswith("2 matches in 1 file replaced; change ")
    assert "[2 lines each way, as in the preview]" in done.text
    assert "\n-old" not in done.text


@pytest.mark.parametrize("tool", ["edit_content", "apply_patch"])
def test_edit_and_patch(root: Path, workspace: Workspace, tool: str) -> None:
    (root / "a.py").write_text("old = 1\n")
    asked = {
        "edit_content": {
            "path": "a.py",
            "edits": [{"search": "old", "replace": "new"}],
        },
        "apply_patch": {
            "patch": "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-old = 1\n+new = 1\n"
        },
    }[tool]
    assert "\n+new = 1" in workspace.call(tool, {**asked, "preview": True}).text
    done = workspace.call(tool, asked).text
    assert "as in the preview" in done
    assert "+new = 1" not in done


def test_shows_what_changed_since(root: Path, workspace: Workspace) -> None:
    (root / "a.py").write_text("old = 1\n")
    asked = {"pattern": "old", "replacement": "new"}
    workspace.call("replace_content", asked)
    (root / "a.py").write_text("# changed since\nold = 1\n")
    assert (
        "\n-old = 1\n"
        in workspace.call("replace_content", {**asked, "preview": False}).text
    )


def test_counts_one_line(root: Path, workspace: Workspace) -> None:
    (root / "a.txt").write_text("x\n")
    asked = {"pattern": "x", "replacement": "y"}
    workspace.call("replace_content", asked)
    done = workspace.call("replace_content", {**asked, "preview": False}).text
    assert "[1 line each way, as in the preview]" in done
