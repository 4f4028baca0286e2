"""The tools for LangChain, called by its own agent with a scripted model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from filewright import Workspace

pytest.importorskip("langchain")
pytestmark = pytest.mark.frameworks

from langchain.agents import create_agent
from tests.adapters.scripted_chat import ScriptedChat

from filewright.adapters.langchain import tools_of

CONTENT = b"caf\xe9\r\nport = 80\r\nmixed\nlast"
"""Latin-1 with mixed line ends and none at the end."""


def test_edits_and_undoes(tmp_path: Path) -> None:
    file = tmp_path / "app.ini"
    file.write_bytes(CONTENT)
    edit = {"search": "port = 80", "replace": "port = 8080"}
    refused = {"search": "nowhere at all", "replace": ""}
    model = ScriptedChat(
        script=[
            ("read_content", {"path": "app.ini"}),
            ("edit_content", {"path": "app.ini", "edits": [refused]}),
            ("edit_content", {"path": "app.ini", "edits": [edit]}),
        ]
    )
    with Workspace(tmp_path) as workspace:
        agent: Any = create_agent(model, tools=tools_of(workspace))
        state = agent.invoke({"messages": [("user", "edit")]})
        assert file.read_bytes() == CONTENT.replace(b"80", b"8080")
        workspace.undo()
    assert file.read_bytes() == CONTENT
    statuses = [
        message.status
        for message in state["messages"]
        if message.type == "tool"
    ]
    assert statuses == ["success", "error", "success"]
