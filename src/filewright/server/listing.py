"""How tools are listed in `tools/list`, which every client hands to its model whole, at every start.

A list that is short is given in full. A longer one says what a model needs to make a call: names, types,
choices, what is required and defaults that surprise; bounds, the obvious defaults (of choices the first) and
rare arguments are left to the refusal that names them, so its schemas are open. Arguments are checked against the
full schema either way.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from filewright.tools.surface import Tool
from filewright.wording import escape_unsendable
from filewright.workspace import FILE, HISTORY, Workspace

_LEFT_OUT = frozenset(
    [
        "minimum",
        "maximum",
        "minItems",
        "maxItems",
        "minLength",
        "maxLength",
        "additionalProperties",
        "anyOf",
    ]
)
_RARE_NAMES = """
atomic break_hard_links changed_lines client column context_after context_before group hunk include_hidden
invert max_chars max_files max_symbols min_similarity missing_ok newline numbered occurrence owner reindent root
since sort type undoable edit_content.expected_version from.expected_version get_history.limit
items.expected_version edit_content.encoding read_content.encoding apply_patch.strip replace_content.multiline
revert_edit.include_shared revert_edit.partial list_files.limit read_content.depth read_content.paths
replace_content.case replace_content.diff replace_content.expected_count replace_content.include_ignored
revert_edit.diff write_content.diff edit_content.cell
"""
_RARE = frozenset(_RARE_NAMES.split())
"""Arguments that an answer names when they matter, some only of one tool or object; they are accepted all the same."""

_PLAIN = (0, 1, ".", 20, 50)
"""Defaults that go without saying."""

LIMIT = 10_000
"""Characters past which a list is shortened."""

APP = "ui://filewright/change"
"""The app that a client with MCP Apps shows beside the result of a call that changes something."""
APP_PARTS = "ui://filewright/part"
"""What the names of its parts begin with, which it asks for as resources; the rest is an address of the page."""
_WITH_APP = {"_meta": {"ui": {"resourceUri": APP}}}
"""What is said of that to the client; no model is given it."""

APP_TYPE = "text/html;profile=mcp-app"

RESOURCE_TEMPLATES: list[dict[str, Any]] = [
    {
        "description": "A file of the workspace, whole; path as the tools take it.",
        "name": "file",
        "title": "File",
        "uriTemplate": f"{FILE}{{+path}}",
    },
    {
        "description": "One recorded change with its whole diff.",
        "mimeType": "text/plain",
        "name": "change",
        "title": "Change",
        "uriTemplate": f"{HISTORY}{{change_id}}",
    },
]
"""The templates by which files and changes are read as resources."""


def recent_resources(workspace: Workspace) -> list[dict[str, Any]]:
    """Return the app that shows a change, and the newest changes, as `resources/list` has them.

    Raises `FilewrightError` if the history cannot be read.
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
                "uri": f"{HISTORY}{record.id}",
            }
        )
    return resources


def listing(tools: Sequence[Tool]) -> list[dict[str, Any]]:
    """The tools as they are listed, in JSON, each with all four hints; those that change files name the app."""
    full = [_listed(tool, tool.schema, tool.title) for tool in tools]
    if (
        sum(
            len(json.dumps(each, ensure_ascii=False, separators=(",", ":"))) + 1
            for each in full
        )
        <= LIMIT
    ):
        return full
    return [
        _listed(tool, terse(tool.schema, tool.name), None) for tool in tools
    ]


def _listed(
    tool: Tool, schema: Mapping[str, Any], title: str | None
) -> dict[str, Any]:
    """A tool, its members in the order in which the SDK writes them."""
    return {
        **(_WITH_APP if tool.writes else {}),
        "annotations": {
            "destructiveHint": tool.destructive,
            "idempotentHint": tool.idempotent,
            "openWorldHint": False,
            "readOnlyHint": not tool.writes,
        },
        "description": tool.description,
        "inputSchema": dict(
            sorted(
                schema.items(),
                key=lambda member: member[0] == "additionalProperties",
            )
        ),
        "name": tool.name,
        **({} if title is None else {"title": title}),
    }


def terse(schema: Mapping[str, Any], of: str) -> dict[str, Any]:
    """`schema` of a tool or an argument, `of` its name, without bounds, without defaults that go without saying,
    nested objects open as by default.
    """
    kept = {}
    for key, value in schema.items():
        if key == "properties":
            value = {
                name: terse(child, name)
                for name, child in value.items()
                if _RARE.isdisjoint((name, f"{of}.{name}"))
            }
        elif key == "items":
            value = terse(value, of)
        obvious = (
            value is not True and value in _PLAIN
        ) or value == schema.get("enum", [None])[0]
        if key not in _LEFT_OUT and not (key == "default" and obvious):
            kept[key] = value
    return kept
