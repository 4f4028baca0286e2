"""The tools of a dialect as the API of its vendor is sent them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from filewright import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace over an empty folder."""
    (tmp_path / "project").mkdir()
    with Workspace(
        tmp_path / "project", state_dir=tmp_path / "state"
    ) as workspace:
        yield workspace


@pytest.mark.parametrize(
    ("dialect", "tool"),
    [
        pytest.param(
            "text-editor",
            {
                "type": "text_editor_20250728",
                "name": "str_replace_based_edit_tool",
            },
            id="text-editor",
        ),
        pytest.param(
            "text-editor-20250124",
            {"type": "text_editor_20250124", "name": "str_replace_editor"},
            id="text-editor-20250124",
        ),
        pytest.param(
            "memory", {"type": "memory_20250818", "name": "memory"}, id="memory"
        ),
        pytest.param("apply-patch", {"type": "apply_patch"}, id="apply-patch"),
    ],
)
def test_builtin(
    workspace: Workspace, dialect: str, tool: dict[str, Any]
) -> None:
    assert [tool.api for tool in workspace.tools(dialect=dialect)] == [tool]


def test_with_schema(workspace: Workspace) -> None:
    api = {tool.name: tool.api for tool in workspace.tools(dialect="gemini")}
    assert api["replace"]["input_schema"]["required"] == [
        "file_path",
        "old_string",
        "new_string",
    ]
    assert "type" not in api["replace"]
