"""The context of a call: the files that it opens."""

from __future__ import annotations

import os


def test_refuses_a_fifo(root, workspace):
    os.mkfifo(root / "pipe")
    for tool, arguments in [
        ("read_content", {"path": "pipe"}),
        ("search_content", {"path": "pipe", "pattern": "x"}),
        ("get_overview", {"path": "pipe"}),
        (
            "edit_content",
            {"path": "pipe", "edits": [{"search": "a", "replace": "b"}]},
        ),
    ]:
        result = workspace.call(tool, arguments)
        assert (tool, result.code) == (tool, "not_a_file")
        assert "FIFO" in result.text
