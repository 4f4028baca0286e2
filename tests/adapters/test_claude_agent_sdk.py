"""The in-process server for the Claude Agent SDK, called by a client of its protocol.

The SDK starts the program `claude`, which needs the network; all before that is here.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from filewright import Workspace

pytest.importorskip("claude_agent_sdk")
pytestmark = pytest.mark.frameworks

from claude_agent_sdk import ClaudeAgentOptions
from mcp import Client

from filewright.adapters.claude_agent_sdk import server_of, tool_names

CONTENT = b"caf\xe9\r\nport = 80\r\nmixed\nlast"
"""Latin-1 with mixed line ends and none at the end."""


def test_edits_and_undoes(tmp_path: Path) -> None:
    file = tmp_path / "app.ini"
    file.write_bytes(CONTENT)
    edit = {"search": "port = 80", "replace": "port = 8080"}

    async def main(server: Any) -> list[bool]:
        async with Client(server) as client:
            tools = await client.list_tools()
            assert "edit_content" in [tool.name for tool in tools.tools]
            arguments: dict[str, Any] = {"path": "app.ini", "edits": [edit]}
            first = await client.call_tool("edit_content", arguments)
            arguments = {"path": "missing.ini", "edits": [edit]}
            second = await client.call_tool("edit_content", arguments)
            return [first.is_error, second.is_error]

    with Workspace(tmp_path) as workspace:
        options = ClaudeAgentOptions(
            mcp_servers={"filewright": server_of(workspace)},
            allowed_tools=tool_names(workspace),
        )
        assert "mcp__filewright__edit_content" in options.allowed_tools
        assert isinstance(options.mcp_servers, dict)
        server = options.mcp_servers["filewright"]
        assert asyncio.run(main(server["instance"])) == [False, True]
        assert file.read_bytes() == CONTENT.replace(b"80", b"8080")
        workspace.undo()
    assert file.read_bytes() == CONTENT
