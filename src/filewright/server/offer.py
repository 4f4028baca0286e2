"""What a server offers: some tools, and the call that answers them.

The native tools of a `Workspace` are one offer; each dialect is another over the same workspace.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from filewright.progress import Task
from filewright.server.instructions import instructions
from filewright.server.output import safe

if TYPE_CHECKING:
    from filewright.errors import FilewrightError
    from filewright.tools import ToolResult
    from filewright.workspace import Workspace


class Offered(Protocol):
    """One tool as clients are told of it; `schema` is the JSON Schema of its arguments."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def schema(self) -> Mapping[str, Any]: ...
    @property
    def writes(self) -> bool: ...
    @property
    def destructive(self) -> bool: ...
    @property
    def idempotent(self) -> bool: ...


class Offer(Protocol):
    """The tools of one surface, in the order they are listed."""

    @property
    def instructions(self) -> str:
        """The workflow in a few lines, for the model; under 1,500 characters."""

    def tools(self) -> Sequence[Offered]:
        """The tools offered; the same ones in the same order every time."""

    def call(self, name: str, arguments: Mapping[str, Any], *, task: Task | None = None) -> ToolResult:
        """The answer of one tool; its problems come back as results that are errors."""

    def refused(self, error: FilewrightError) -> ToolResult:
        """How this surface tells of a call that failed outside its tool: out of time, not allowed."""


class Native:
    """filewright's own tools; `toolsets` narrows them, None means all."""

    def __init__(self, workspace: Workspace, toolsets: Collection[str] | None = None) -> None:
        self._workspace = workspace
        self._tools = tuple(workspace.tools(toolsets))

    @property
    def instructions(self) -> str:
        """The workflow, naming only tools that are offered."""
        roots = [safe(os.fsdecode(root.path)) for root in self._workspace.roots]
        return instructions({tool.name for tool in self._tools}, roots)

    def tools(self) -> Sequence[Offered]:
        """The tools of the chosen toolsets."""
        return self._tools

    def call(self, name: str, arguments: Mapping[str, Any], *, task: Task | None = None) -> ToolResult:
        """Hand the call to the workspace."""
        return self._workspace.call(name, arguments, task=task)

    def refused(self, error: FilewrightError) -> ToolResult:
        """As every other error."""
        from filewright.tools.registry import ToolResult

        return ToolResult.of_error(error)
