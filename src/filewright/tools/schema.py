"""JSON Schemas of arguments: of a model, without marks, and short for a long list.

A client hands the list of tools to its model whole, at every start. A long list says
what a model needs to make a call: names, types, choices, what is required, and defaults
that surprise. Bounds, obvious defaults and rare arguments are left to the refusal that
names them, so the short schemas are open. Arguments are checked against the full model
either way.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import BaseModel

RARE_MARK = "rare"
"""The key that marks a rare argument in the schema of a model."""

_LEFT_OUT = frozenset(
    [
        RARE_MARK,
        "minimum",
        "maximum",
        "minItems",
        "maxItems",
        "minLength",
        "minProperties",
        "maxLength",
        "additionalProperties",
        "anyOf",
    ]
)

_OBVIOUS_DEFAULTS = (0, 1, ".", 20, 50)


@cache
def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON Schema of a model with references inlined, to be read only.

    Titles, nulls of optional arguments and the model's own description are left out.
    """
    raw = model.model_json_schema()
    definitions = raw.pop("$defs", {})
    # Arguments that several tools have come last.
    shared_names = getattr(model.__mro__[1], "model_fields", ())
    raw["properties"] = dict(
        sorted(
            raw["properties"].items(), key=lambda item: item[0] in shared_names
        )
    )
    schema: dict[str, Any] = _inline(raw, definitions)
    schema.pop("description", None)
    return schema


def _inline(node: Any, definitions: Mapping[str, Any]) -> Any:
    """Return a part of a schema with its references replaced by the definitions."""
    if isinstance(node, list):
        return [_inline(member, definitions) for member in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        target = definitions[node.pop("$ref").rsplit("/", 1)[1]]
        return _inline({**target, "description": None, **node}, definitions)
    schema: dict[str, Any] = {}
    for key, value in node.items():
        if key == "properties":
            # The keys are names of arguments, of which one may be "title".
            schema[key] = {
                name: _inline(argument, definitions)
                for name, argument in value.items()
            }
        elif key != "title" and value is not None:
            schema[key] = _inline(value, definitions)
    choices = [
        choice
        for choice in schema.get("anyOf", ())
        if choice != {"type": "null"}
    ]
    if len(choices) == 1:
        del schema["anyOf"]
        return {**choices[0], **schema}
    return schema


def without_marks(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema without the marks of rare arguments."""
    copy: dict[str, Any] = {}
    for key, value in schema.items():
        if key == RARE_MARK:
            continue
        if key == "properties":
            value = {
                name: without_marks(argument)
                for name, argument in value.items()
            }
        elif key == "items":
            value = without_marks(value)
        copy[key] = value
    return copy


def shorten(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema without rare arguments, bounds and obvious defaults."""
    short: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _LEFT_OUT:
            continue
        if key == "default" and _is_obvious(value, schema):
            continue
        if key == "properties":
            value = {
                name: shorten(argument)
                for name, argument in value.items()
                if RARE_MARK not in argument
            }
        elif key == "items":
            value = shorten(value)
        short[key] = value
    return short


def _is_obvious(default: Any, schema: Mapping[str, Any]) -> bool:
    """Return True for a default that goes without saying, as the first of choices."""
    if default is True:
        return False
    choices = schema.get("enum", [])
    return default in _OBVIOUS_DEFAULTS or default in choices[:1]
