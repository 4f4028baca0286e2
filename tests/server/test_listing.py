"""A short list of tools is given in full; a long one keeps what a model needs to make a call."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from filewright.server.listing import LIMIT, listing, terse


@dataclass(frozen=True)
class Some:
    name: str
    title: str = "Some tool"
    description: str = "Does something."
    schema: dict[str, Any] = field(
        default_factory=lambda: {
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
                        "properties": {
                            "minimum": {
                                "type": "integer",
                                "minimum": 1,
                                "default": 3,
                            }
                        },
                    },
                },
                "preview": {"type": "boolean", "default": True},
                "recursive": {"type": "boolean", "default": False},
            },
        }
    )
    writes: bool = True
    destructive: bool = True
    idempotent: bool = False


def test_a_short_list_is_full() -> None:
    [tool] = listing([Some("one")])
    assert tool["inputSchema"] == Some("one").schema
    assert tool["title"] == "Some tool"
    assert tool["annotations"] == {
        "readOnlyHint": False,
        "destructiveHint": True,
        "idempotentHint": False,
        "openWorldHint": False,
    }


def test_a_long_list_leaves_out_bounds_and_obvious_defaults() -> None:
    long = [
        Some(f"tool_{number}", description="x" * 400) for number in range(16)
    ]
    assert sum(len(tool.description) for tool in long) < LIMIT
    schema = listing(long)[0]["inputSchema"]
    assert schema == {
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
        },
    }


def test_an_argument_may_be_called_like_a_keyword() -> None:
    assert terse(
        {"properties": {"minimum": {"type": "string"}}}, "some_tool"
    ) == {"properties": {"minimum": {"type": "string"}}}


def test_an_argument_may_be_rare_in_one_place_alone() -> None:
    version = {"expected_version": {"type": "string"}}
    edit = {"properties": {**version, "from": {"properties": version}}}
    schema = {"properties": {**version, "edits": {"items": edit}}}
    assert terse(schema, "edit_content") == {
        "properties": {
            "edits": {
                "items": {"properties": {**version, "from": {"properties": {}}}}
            }
        }
    }
