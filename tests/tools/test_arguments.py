"""The check of the arguments that a client sends."""

from __future__ import annotations

from typing import Any

import pytest

from filewright import Code, Workspace

EDIT = {"search": "two", "replace": "2"}


MANY: list[tuple[str, Any]] = [
    ("edit_content", {"path": "a.txt", "edits": [{}] * 501}),
    ("edit_content", {"path": "a.txt", "edits": [EDIT] * 501}),
    ("write_content", {"items": [{}] * 100_000}),
    ("read_content", {"paths": [1] * 100_000}),
    ("search_content", {"patterns": ["x"] * 100_000}),
    ("delete_items", {"paths": ["x"] * 100_000}),
    ("read_content", {"path": "x/" * 4_000_000}),
    ("get_history", {"change_id": "x" * 4_000_000}),
    (
        "edit_content",
        {
            "path": "a.txt",
            "edits": [{"search": "x\n" * 60_000, "replace": "y\n" * 60_000}],
        },
    ),
    (
        "edit_content",
        {
            "path": "a.txt",
            "edits": [{**EDIT, "at": '{"x": [' + "{}," * 200_000 + "{}]}"}],
        },
    ),
    ("apply_patch", {"patch": "+x\n" * 500_000}),
    (
        "apply_patch",
        {
            "patch": "x",
            "names": {str(number): "x" for number in range(100_000)},
        },
    ),
]


@pytest.mark.parametrize(("tool", "arguments"), MANY)
def test_counts_before_anything_is_built(
    tool: str, arguments: Any, workspace: Workspace
) -> None:
    assert workspace.call(tool, arguments).code == Code.TOO_LARGE


def test_ends_at_the_first_items_that_do_not_fit(workspace: Workspace) -> None:
    made = workspace.call("write_content", {"items": [{}] * 20_000})
    assert made.code == "invalid_input"
    assert len(made.text) < 2_000


def test_text_is_taken_literally(workspace, root):
    for content in ("null", "[1,2]", "123", "true", '{"a": 1}', "$1 \\1 $&"):
        result = workspace.call(
            "write_content",
            {"items": [{"path": "t", "content": content, "mode": "overwrite"}]},
        )
        assert not result.is_error, result.text
        assert (root / "t").read_text() == content
