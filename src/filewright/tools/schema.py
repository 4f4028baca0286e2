"""Schemas as clients list them: without marks, and short in a long list.

A client hands the list of tools to its model whole, at every start. A long list says
what a model needs to make a call: names, types, choices, what is required, and defaults
that surprise. Bounds, obvious defaults and rare arguments are left to the refusal that
names them, so the short schemas are open. Arguments are checked against the full model
either way.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
        "maxLength",
        "additionalProperties",
        "anyOf",
    ]
)

_OBVIOUS_DEFAULTS = (0, 1, ".", 20, 50)


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
