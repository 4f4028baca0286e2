"""The toolset for Pydantic AI, called by its own agent with a scripted model."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from filewright import Workspace

pytest.importorskip("pydantic_ai")
pytestmark = pytest.mark.frameworks

from pydantic_ai import Agent
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

from filewright.adapters.pydantic_ai import FilewrightToolset

CONTENT = b"caf\xe9\r\nport = 80\r\nmixed\nlast"
"""Latin-1 with mixed line ends and none at the end."""


def test_edits_and_undoes(tmp_path: Path) -> None:
    file = tmp_path / "app.ini"
    file.write_bytes(CONTENT)
    contents = []

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        contents.append(file.read_bytes())
        names = [tool.name for tool in info.function_tools]
        assert "edit_content" in names
        edit = {"search": "port = 80", "replace": "port = 8080"}
        if len(contents) == 1:
            edit["search"] = "nowhere at all"
        if len(contents) <= 2:
            arguments = {"path": "app.ini", "edits": [edit]}
            return ModelResponse(
                parts=[ToolCallPart("edit_content", arguments)]
            )
        if len(contents) == 3:
            change = workspace.newest()
            return ModelResponse(
                parts=[ToolCallPart("revert_edit", {"change_id": change})]
            )
        return ModelResponse(parts=[TextPart("done")])

    with Workspace(tmp_path) as workspace:
        agent = Agent(
            FunctionModel(answer), toolsets=[FilewrightToolset(workspace)]
        )
        result = asyncio.run(agent.run("edit"))
    assert result.output == "done"
    edited = CONTENT.replace(b"80", b"8080")
    assert contents == [CONTENT, CONTENT, edited, CONTENT]
    outcomes = [
        part.outcome
        for message in result.all_messages()
        for part in message.parts
        if isinstance(part, ToolReturnPart)
    ]
    assert outcomes == ["retried", "success", "success"]
