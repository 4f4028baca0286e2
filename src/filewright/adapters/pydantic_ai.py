"""A toolset for Pydantic AI: `pip install filewright[pydantic-ai]`.

Agent(model, toolsets=[FilewrightToolset(workspace)])
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import Any

from pydantic_ai import ModelRetry, RunContext
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
from pydantic_core import SchemaValidator, core_schema

from filewright.workspace import Workspace


class FilewrightToolset(AbstractToolset[Any]):
    """The tools of a workspace, or of one of its dialects, as a toolset.

    A refused call is told to the model as a retry, at most `max_retries` times in a row.
    """

    def __init__(
        self,
        workspace: Workspace,
        *,
        dialect: str | None = None,
        toolsets: Collection[str] | None = None,
        max_retries: int = 3,
    ) -> None:
        self._tools = workspace.offer(dialect, toolsets)
        self._max_retries = max_retries

    @property
    def id(self) -> str | None:
        """The name of the toolset."""
        return "filewright"

    async def get_instructions(self, ctx: RunContext[Any]) -> str:
        """Return the text that the model reads first."""
        return self._tools.instructions

    async def get_tools(
        self, ctx: RunContext[Any]
    ) -> dict[str, ToolsetTool[Any]]:
        """Return the tools by their names."""
        # The tools check their arguments themselves, and say what to do better.
        validator = SchemaValidator(core_schema.dict_schema())
        tools = {}
        for tool in self._tools.tools():
            definition = ToolDefinition(
                name=tool.name,
                description=tool.description,
                parameters_json_schema=dict(tool.schema),
                sequential=tool.writes,
            )
            tools[tool.name] = ToolsetTool(
                toolset=self,
                tool_def=definition,
                max_retries=self._max_retries,
                args_validator=validator,
            )
        return tools

    async def call_tool(
        self,
        name: str,
        tool_args: dict[str, Any],
        ctx: RunContext[Any],
        tool: ToolsetTool[Any],
    ) -> str:
        """Run a tool in a worker thread. Raise `ModelRetry` if it is refused."""
        result = await asyncio.to_thread(self._tools.call, name, tool_args)
        if result.is_error:
            raise ModelRetry(result.text)
        return result.text
