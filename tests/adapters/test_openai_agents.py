"""The editor of the OpenAI Agents SDK, called by its own runner with a scripted model."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from filewright import Workspace

pytest.importorskip("agents")
pytestmark = pytest.mark.frameworks

from agents import (
    Agent,
    ApplyPatchTool,
    ModelResponse,
    RunConfig,
    Runner,
    Usage,
)
from agents.editor import ApplyPatchEditor, ApplyPatchOperation
from agents.models.interface import Model
from openai.types.responses import (
    ResponseApplyPatchToolCall,
    ResponseOutputMessage,
)
from tests.adapters.framework_tests import run_framework_tests

from filewright.adapters.openai_agents import FilewrightEditor

CONTENT = b"caf\xe9\r\nport = 80\r\nmixed\nlast"
"""Latin-1 with mixed line ends and none at the end."""
EDITED = CONTENT.replace(b"80", b"8080")
DONE = {
    "type": "message",
    "id": "m",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "done", "annotations": []}],
}
UPDATE = {"type": "update_file", "path": "app.ini", "diff": "-port = 80\n+port = 8080"}  # fmt: skip


class ScriptedModel(Model):
    """A model that sends operations of `apply_patch` from a list, and then says `done`."""

    def __init__(self, *operations: Mapping[str, Any]) -> None:
        self._operations = list(operations)

    async def get_response(self, *_: Any, **__: Any) -> ModelResponse:
        """Return the next message of the script."""
        item: Any = ResponseOutputMessage.model_validate(DONE)
        if self._operations:
            item = ResponseApplyPatchToolCall.model_validate(
                {
                    "type": "apply_patch_call",
                    "id": "a",
                    "call_id": f"call_{len(self._operations)}",
                    "status": "completed",
                    "operation": self._operations.pop(0),
                }
            )
        return ModelResponse(output=[item], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        """Raise NotImplementedError: no test streams."""
        raise NotImplementedError


def run(workspace: Workspace, *operations: Mapping[str, Any]) -> list[Any]:
    """Return the outputs of the tool in a run of the SDK's own runner."""
    editor = FilewrightEditor(workspace)
    assert isinstance(editor, ApplyPatchEditor)
    agent = Agent(
        name="patcher",
        model=ScriptedModel(*operations),
        tools=[ApplyPatchTool(editor=editor)],
    )
    config = RunConfig(tracing_disabled=True)
    result = asyncio.run(Runner.run(agent, "edit", run_config=config))
    assert result.final_output == "done"
    return [
        item.raw_item
        for item in result.new_items
        if item.type == "tool_call_output_item"
    ]


def test_updates_and_undoes(tmp_path: Path) -> None:
    file = tmp_path / "app.ini"
    file.write_bytes(CONTENT)
    with Workspace(tmp_path) as workspace:
        (output,) = run(workspace, UPDATE)
        assert output["status"] == "completed"
        assert output["output"] == "Updated app.ini"
        assert file.read_bytes() == EDITED
        workspace.undo()
        assert file.read_bytes() == CONTENT


def test_creates_and_deletes(tmp_path: Path) -> None:
    creation = {"type": "create_file", "path": "a/b.md", "diff": "+one\n+two"}
    deletion = {"type": "delete_file", "path": "a/b.md"}
    with Workspace(tmp_path) as workspace:
        outputs = run(workspace, creation, deletion)
        assert [output["output"] for output in outputs] == [
            "Created a/b.md",
            "Deleted a/b.md",
        ]
        workspace.undo()
    assert (tmp_path / "a" / "b.md").read_bytes() == b"one\ntwo\n"


def test_refuses_what_does_not_match(tmp_path: Path) -> None:
    (tmp_path / "app.ini").write_bytes(CONTENT)
    with Workspace(tmp_path) as workspace:
        (output,) = run(workspace, {**UPDATE, "diff": "-nowhere\n+new"})
    assert output["status"] == "failed"
    assert "Invalid Context" in output["output"]
    assert (tmp_path / "app.ini").read_bytes() == CONTENT


def test_renames(tmp_path: Path) -> None:
    (tmp_path / "app.ini").write_bytes(CONTENT)
    with Workspace(tmp_path) as workspace:
        editor = FilewrightEditor(workspace)
        operation = ApplyPatchOperation(**UPDATE, move_to="new.ini")
        assert editor.apply(operation).status == "completed"
        operation.move_to = "two\nlines"
        assert editor.apply(operation).status == "failed"
    assert [file.name for file in tmp_path.iterdir()] == ["new.ini"]
    assert (tmp_path / "new.ini").read_bytes() == EDITED


def test_passes_the_tests_of_the_framework() -> None:
    source = os.environ.get("FILEWRIGHT_OPENAI_AGENTS_SOURCE")
    if source is None:
        pytest.skip("FILEWRIGHT_OPENAI_AGENTS_SOURCE names no source")
    run_framework_tests("openai-agents", Path(source)).check()
