"""An in-process MCP server for the Claude Agent SDK: `pip install filewright[claude-agent-sdk]`.

ClaudeAgentOptions(
    mcp_servers={"filewright": server_of(workspace)},
    allowed_tools=tool_names(workspace),
)
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import Any

from claude_agent_sdk import (
    McpSdkServerConfig,
    SdkMcpTool,
    create_sdk_mcp_server,
)

from filewright import __version__
from filewright.tools.bound_tools import BoundTools
from filewright.tools.tool import ListedTool
from filewright.workspace import Workspace

SERVER_NAME = "filewright"


def server_of(
    workspace: Workspace, *, toolsets: Collection[str] | None = None
) -> McpSdkServerConfig:
    """Return a server of the tools of a workspace that runs in this process."""
    bound_tools = workspace.offer(toolsets=toolsets)
    tools = []
    for tool in bound_tools.tools():
        tools.append(to_tool(bound_tools, tool))
    return create_sdk_mcp_server(SERVER_NAME, __version__, tools)


def tool_names(
    workspace: Workspace, *, toolsets: Collection[str] | None = None
) -> list[str]:
    """Return the names of the tools, as `allowed_tools` takes them."""
    names = []
    for tool in workspace.tools(toolsets):
        names.append(f"mcp__{SERVER_NAME}__{tool.name}")
    return names


def to_tool(bound_tools: BoundTools, tool: ListedTool) -> SdkMcpTool[Any]:
    """Return a tool as the SDK has them, which runs in a worker thread."""

    async def run(arguments: dict[str, Any]) -> dict[str, Any]:
        result = await asyncio.to_thread(bound_tools.call, tool.name, arguments)
        content = [{"type": "text", "text": result.text}]
        return {"content": content, "is_error": result.is_error}

    return SdkMcpTool(
        name=tool.name,
        description=tool.description,
        input_schema=dict(tool.schema),
        handler=run,
    )
