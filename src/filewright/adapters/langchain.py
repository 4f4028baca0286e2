"""Tools for LangChain: `pip install filewright[langchain]`.

create_agent(model, tools=tools_of(workspace))
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool, ToolException

from filewright.tools.bound_tools import BoundTools
from filewright.tools.tool import ListedTool
from filewright.workspace import Workspace


def tools_of(
    workspace: Workspace,
    *,
    dialect: str | None = None,
    toolsets: Collection[str] | None = None,
) -> list[BaseTool]:
    """Return the tools of a workspace, or of one of its dialects.

    LangChain runs them in worker threads where it is asynchronous.
    """
    bound_tools = workspace.offer(dialect, toolsets)
    tools: list[BaseTool] = []
    for tool in bound_tools.tools():
        tools.append(to_tool(bound_tools, tool))
    return tools


def to_tool(bound_tools: BoundTools, tool: ListedTool) -> BaseTool:
    """Return a tool as LangChain has them; a refused call is an answer."""

    def run(**arguments: Any) -> str:
        result = bound_tools.call(tool.name, arguments)
        if result.is_error:
            raise ToolException(result.text)
        return result.text

    return StructuredTool(
        name=tool.name,
        description=tool.description,
        args_schema=dict(tool.schema),
        func=run,
        # The model reads the refusal, and the agent goes on.
        handle_tool_error=True,
    )
