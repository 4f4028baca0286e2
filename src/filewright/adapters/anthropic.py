"""Tools for the tool runner of the Anthropic SDK: `pip install filewright[anthropic]`.

    client.beta.messages.tool_runner(tools=[TextEditorTool(workspace)], …)

`TextEditorTool` and `MemoryTool` are for `Anthropic`, and the other two for
`AsyncAnthropic`. The API knows their schemas by their types.
"""

from __future__ import annotations

from typing import Any, cast

from anthropic.lib.tools import (
    BetaAbstractMemoryTool,
    BetaAsyncAbstractMemoryTool,
    BetaAsyncBuiltinFunctionTool,
    BetaBuiltinFunctionTool,
    ToolError,
)
from anthropic.types.beta import BetaToolUnionParam
from anyio.to_thread import run_sync

from filewright.dialects import memory, text_editor
from filewright.workspace import Workspace


class TextEditorTool(BetaBuiltinFunctionTool):
    """The tool `text_editor_20250728` over a workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def to_dict(self) -> BetaToolUnionParam:
        """Return the tool as the API is sent it."""
        return cast(BetaToolUnionParam, dict(text_editor.API_TOOL))

    def call(self, input: object) -> str:
        """Run a command of the model. Raise `ToolError` if it is refused."""
        return run_text_editor(self._workspace, input)


class AsyncTextEditorTool(BetaAsyncBuiltinFunctionTool):
    """The tool `text_editor_20250728` over a workspace, in a worker thread."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def to_dict(self) -> BetaToolUnionParam:
        """Return the tool as the API is sent it."""
        return cast(BetaToolUnionParam, dict(text_editor.API_TOOL))

    async def call(self, input: object) -> str:
        """Run a command of the model. Raise `ToolError` if it is refused."""
        return await run_sync(run_text_editor, self._workspace, input)


class MemoryTool(BetaAbstractMemoryTool):
    """The tool `memory_20250818`; `/memories` is the first root of the workspace."""

    def __init__(self, workspace: Workspace, **options: Any) -> None:
        super().__init__(**options)
        self._workspace = workspace

    def execute(self, command: Any) -> str:
        """Run a command of the model. Raise `ToolError` if it is refused."""
        return run_memory(self._workspace, command)

    # The dialect tells the commands apart, so all of them run in the same way.
    view = create = str_replace = insert = delete = rename = execute


class AsyncMemoryTool(BetaAsyncAbstractMemoryTool):
    """The tool `memory_20250818` over a workspace, in a worker thread."""

    def __init__(self, workspace: Workspace, **options: Any) -> None:
        super().__init__(**options)
        self._workspace = workspace

    async def execute(self, command: Any) -> str:
        """Run a command of the model. Raise `ToolError` if it is refused."""
        return await run_sync(run_memory, self._workspace, command)

    # The SDK calls a method for each command; all of them take the whole command.
    view = create = str_replace = insert = delete = rename = execute


def run_text_editor(workspace: Workspace, arguments: Any) -> str:
    """Return the answer of the text editor. Raise `ToolError` if it is refused."""
    return _run(
        workspace, "text-editor", text_editor.API_TOOL["name"], arguments
    )


def run_memory(workspace: Workspace, command: Any) -> str:
    """Return the answer of the memory tool. Raise `ToolError` if it is refused."""
    # The SDK has made an object of what the model sent; unset fields stay unset.
    arguments = command.to_dict()
    return _run(workspace, "memory", memory.API_TOOL["name"], arguments)


def _run(workspace: Workspace, dialect: str, name: str, arguments: Any) -> str:
    """Return the answer of a tool of a dialect. Raise `ToolError` if it is refused."""
    result = workspace.offer(dialect).call(name, arguments)
    if result.is_error:
        raise ToolError(result.text)
    return result.text
