"""How tools stand in `tools/list`, which every client hands to its model whole, at every start.

The list must be short, so the schemas say what a model needs to make a call: names, types, choices,
what is required and defaults that surprise. Bounds and the obvious defaults are left to the refusal
that names them; arguments are checked against the full schema either way.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_types import Tool, ToolAnnotations

from filewright.server.offer import Offered

_BOUNDS = frozenset({"minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength"})


def listed(tool: Offered) -> Tool:
    """The tool as it is listed, with all four hints."""
    return Tool(
        name=tool.name,
        description=tool.description,
        input_schema={**terse(tool.schema), "additionalProperties": False},
        annotations=ToolAnnotations(
            read_only_hint=not tool.writes,
            destructive_hint=tool.destructive,
            idempotent_hint=tool.idempotent,
            open_world_hint=False,
        ),
    )


def terse(schema: Mapping[str, Any]) -> dict[str, Any]:
    """`schema` without bounds, without defaults that are false, nested objects open as by default."""
    kept = {}
    for key, value in schema.items():
        if key in _BOUNDS or key == "additionalProperties" or (key == "default" and value is False):
            continue
        if key == "properties":
            kept[key] = {name: terse(child) for name, child in value.items()}
        elif key == "items" and isinstance(value, Mapping):
            kept[key] = terse(value)
        else:
            kept[key] = value
    return kept
