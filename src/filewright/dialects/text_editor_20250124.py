"""The dialect `text-editor-20250124`: Anthropic's older text editor tool.

`text_editor_20250124` has the command `undo_edit` besides those of
`text_editor_20250728`.
"""

from __future__ import annotations

from typing import Literal

from filewright.dialects.call import Call
from filewright.dialects.commands import undo_newest_edit, view_limits
from filewright.dialects.dialect import Dialect, DialectTool
from filewright.dialects.text_editor import (
    WORKFLOW,
    EditorArguments,
    run_command,
)

API_TOOL = {"type": "text_editor_20250124", "name": "str_replace_editor"}
"""The tool as the API is sent it: it knows the schema by the type."""


class Command(EditorArguments):
    """Arguments of `str_replace_editor`."""

    command: Literal["view", "create", "str_replace", "insert", "undo_edit"]


def str_replace_editor(call: Call, arguments: Command) -> str:
    """Run a command of the tool."""
    if arguments.command == "undo_edit":
        undo_newest_edit(call, arguments.path)
        return f"Last edit to {arguments.path} undone successfully."
    return run_command(call, arguments)


DIALECT = Dialect(
    tools=(
        DialectTool(
            str_replace_editor,
            "View, create and edit files: view, create, str_replace, insert, "
            "undo_edit.",
            toolset="edit",
            builtin=API_TOOL,
        ),
    ),
    workflow=WORKFLOW,
    limits=view_limits,
)
