"""The lists of the server: its tools, and its resources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from filewright.tools.tool import ListedTool
from filewright.wording import escape_unsendable
from filewright.workspace import FILE_URI, HISTORY_URI, Workspace

APP = "ui://filewright/change"
"""The app that a client with MCP Apps shows with the result of a change."""
APP_PARTS = "ui://filewright/part"
"""The prefix of the resources that the app requests; an address of the page follows."""
_WITH_APP = {"_meta": {"ui": {"resourceUri": APP}}}
"""The member of a listed tool that names the app; models do not see it."""

APP_TYPE = "text/html;profile=mcp-app"

RESOURCE_TEMPLATES: list[dict[str, Any]] = [
    {
        "description": "A file of the workspace, whole; path as the tools take it.",
        "name": "file",
        "title": "File",
        "uriTemplate": f"{FILE_URI}{{+path}}",
    },
    {
        "description": "One recorded change with its whole diff.",
        "mimeType": "text/plain",
        "name": "change",
        "title": "Change",
        "uriTemplate": f"{HISTORY_URI}{{change_id}}",
    },
]
"""The templates by which files and changes are read as resources."""


def list_recent_resources(workspace: Workspace) -> list[dict[str, Any]]:
    """Return the app that shows a change, and the newest changes, as resources.

    Raise `FilewrightError` if the history cannot be read.
    """
    resources = [
        {
            "mimeType": APP_TYPE,
            "name": "change",
            "title": "What a call changed",
            "uri": APP,
        }
    ]
    for record in workspace.history():
        resources.append(
            {
                "mimeType": "text/plain",
                "name": record.id,
                "title": escape_unsendable(f"{record.tool}: {record.summary}")[
                    :200
                ],
                "uri": f"{HISTORY_URI}{record.id}",
            }
        )
    return resources


def describe_tools(tools: Sequence[ListedTool]) -> list[dict[str, Any]]:
    """Return the tools as JSON, each with all four hints.

    Tools that change files name the app. The members are in the order in which the SDK
    writes them.
    """
    rows: list[dict[str, Any]] = []
    for tool in tools:
        row: dict[str, Any] = {}
        if tool.writes:
            row |= _WITH_APP
        row["annotations"] = {
            "destructiveHint": tool.destructive,
            "idempotentHint": tool.idempotent,
            "openWorldHint": False,
            "readOnlyHint": not tool.writes,
        }
        row["description"] = tool.description
        schema = dict(tool.schema)
        # The SDK writes this member last.
        if "additionalProperties" in schema:
            schema["additionalProperties"] = schema.pop("additionalProperties")
        row["inputSchema"] = schema
        row["name"] = tool.name
        if not tool.is_short:
            row["title"] = tool.title
        rows.append(row)
    return rows
