"""The dialect `text-editor-20250124`: the command that only the older tool has."""

from __future__ import annotations

from filewright import Workspace
from filewright.dialects.text_editor_20250124 import API_TOOL

DIALECT = "text-editor-20250124"


def test_undoes_edits_from_the_newest_on(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_bytes(b"one\r\n")
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        editor = workspace.offer(DIALECT)

        def run(command, **arguments):
            arguments = {"command": command, "path": "a.txt", **arguments}
            return editor.call(API_TOOL["name"], arguments).text

        run("str_replace", old_str="one", new_str="two")
        run("insert", insert_line=1, new_str="three")
        assert (root / "a.txt").read_bytes() == b"two\r\nthree\r\n"
        assert run("undo_edit") == "Last edit to a.txt undone successfully."
        assert (root / "a.txt").read_bytes() == b"two\r\n"
        run("undo_edit")
        assert (root / "a.txt").read_bytes() == b"one\r\n"
        assert "No edit history found for a.txt." in run("undo_edit")
        assert (root / "a.txt").read_bytes() == b"one\r\n"
