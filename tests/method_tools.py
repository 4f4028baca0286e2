"""Calls of tools by name, also of those that only methods of the library run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from filewright import FilewrightError, ToolResult, Workspace
from filewright.tools.catalogue import load_tool, read_catalogue
from filewright.tools.result import FailedCall


def run_tool(
    workspace: Workspace, name: str, arguments: Mapping[str, Any]
) -> Any:
    """Run a tool and return its result. Raise `FilewrightError`."""
    if name in read_catalogue().tools:
        return workspace.run(name, arguments)
    return workspace.run_native(load_tool(name), arguments)


def call_tool(
    workspace: Workspace, name: str, arguments: Mapping[str, Any]
) -> ToolResult:
    """Run a tool and return its answer, as `Workspace.call`."""
    if name not in read_catalogue().modules or name in read_catalogue().tools:
        return workspace.call(name, arguments)
    try:
        result: ToolResult = run_tool(workspace, name, arguments)
    except FilewrightError as error:
        return FailedCall(str(error), error=error)
    return result
