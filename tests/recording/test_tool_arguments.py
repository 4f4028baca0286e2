"""What the arguments of clients' edit tools say."""

from __future__ import annotations

from typing import Any

import pytest

from filewright.recording.expectation import (
    PatchText,
    RequestedReplacement,
    ToolEdit,
    WholeText,
)
from filewright.recording.tool_arguments import read_tool_edits

ONE = (RequestedReplacement("a", "b"),)
PATCH = "*** Begin Patch\n*** Update File: x.py\n@@\n-a\n+b\n*** End Patch\n"

CASES: dict[str, tuple[dict[str, Any], dict[str, ToolEdit | None]]] = {
    "claude": (
        {
            "file_path": "x",
            "old_string": "a",
            "new_string": "b",
            "replace_all": False,
        },
        {"x": ONE},
    ),
    "claude everywhere": (
        {
            "file_path": "x",
            "old_string": "a",
            "new_string": "b",
            "replace_all": True,
        },
        {"x": (RequestedReplacement("a", "b", is_everywhere=True),)},
    ),
    "claude several": (
        {
            "file_path": "x",
            "edits": [
                {"old_string": "a", "new_string": "b"},
                {"old_string": "b", "new_string": ""},
            ],
        },
        {"x": (RequestedReplacement("a", "b"), RequestedReplacement("b", ""))},
    ),
    "claude whole file": (
        {"file_path": "x", "content": ""},
        {"x": WholeText("")},
    ),
    "codex": ({"command": PATCH}, {"x.py": PatchText(PATCH, "x.py")}),
    "gemini": (
        {
            "file_path": "x",
            "instruction": "-",
            "old_string": "a",
            "new_string": "b",
        },
        {"x": ONE},
    ),
    "opencode": (
        {"filePath": "x", "oldString": "a", "newString": "b"},
        {"x": ONE},
    ),
    "opencode patch": (
        {"patchText": PATCH},
        {"x.py": PatchText(PATCH, "x.py")},
    ),
    "copilot": ({"path": "x", "old_str": "a", "new_str": "b"}, {"x": ONE}),
    "copilot new file": (
        {"path": "x", "file_text": "t"},
        {"x": WholeText("t")},
    ),
    "cline": ({"path": "x", "old_text": "a", "new_text": "b"}, {"x": ONE}),
    "vscode several files": (
        {
            "replacements": [
                {"filePath": "x", "oldString": "a", "newString": "b"},
                {"filePath": "y", "oldString": "a", "newString": "b"},
            ]
        },
        {"x": ONE, "y": ONE},
    ),
    "pi": (
        {"path": "x", "edits": [{"oldText": "a", "newText": "b"}]},
        {"x": ONE},
    ),
    "an edit in an unknown form": ({"path": "x", "line": 3}, {"x": None}),
    "one of several in an unknown form": (
        {"path": "x", "edits": [{"oldText": "a", "newText": "b"}, {"at": 3}]},
        {"x": None},
    ),
    "an empty search text": (
        {"file_path": "x", "old_string": "", "new_string": "b"},
        {"x": None},
    ),
    "no file": ({"pattern": "a"}, {}),
    "values of other types": ({"file_path": 3, "edits": "x"}, {}),
}


@pytest.mark.parametrize("name", CASES)
def test_reads_arguments(name: str) -> None:
    arguments, edits = CASES[name]
    assert read_tool_edits(arguments) == edits
