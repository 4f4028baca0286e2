"""Schemas of a long list keep what a model needs to make a call."""

from __future__ import annotations

from typing import Any

from filewright.tools.schema import shorten, without_marks

PAGE_SIZE = {"type": "integer", "minimum": 1, "default": 3}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["items"],
    "properties": {
        "items": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "properties": {"minimum": PAGE_SIZE},
            },
        },
        "preview": {"type": "boolean", "default": True},
        "recursive": {"type": "boolean", "default": False},
        "mode": {"enum": ["first", "second"], "default": "first"},
        "column": {"type": "integer", "rare": True},
    },
}


def test_leaves_out_bounds_obvious_defaults_and_rare_arguments() -> None:
    assert shorten(SCHEMA) == {
        "type": "object",
        "required": ["items"],
        "properties": {
            "items": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "minimum": {"type": "integer", "default": 3}
                    },
                },
            },
            "preview": {"type": "boolean", "default": True},
            "recursive": {"type": "boolean"},
            "mode": {"enum": ["first", "second"]},
        },
    }


def test_keeps_an_argument_with_the_name_of_a_keyword() -> None:
    schema = {"properties": {"minimum": {"type": "string"}}}
    assert shorten(schema) == schema


def test_removes_marks_alone() -> None:
    assert without_marks(SCHEMA) == {
        **SCHEMA,
        "properties": {
            **SCHEMA["properties"],
            "column": {"type": "integer"},
        },
    }
