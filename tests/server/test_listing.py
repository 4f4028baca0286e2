"""The list of tools as clients get it."""

from __future__ import annotations

import pytest

from filewright.server.listing import describe_tools
from filewright.tools.tool import ListedTool, Tool


def load() -> Tool:
    raise AssertionError("a list loads no tool")


TOOL = ListedTool(
    name="one",
    title="Some tool",
    description="Does something.",
    toolset="edit",
    schema={"additionalProperties": False, "type": "object"},
    short_schema={"type": "object"},
    load=load,
    writes=True,
    destructive=True,
    idempotent=False,
)


def test_schema_title_and_hints() -> None:
    [row] = describe_tools([TOOL])
    assert row["inputSchema"] == TOOL.schema
    assert [*row["inputSchema"]] == ["type", "additionalProperties"]
    assert row["title"] == "Some tool"
    assert row["annotations"] == {
        "readOnlyHint": False,
        "destructiveHint": True,
        "idempotentHint": False,
        "openWorldHint": False,
    }


def test_short_tool_has_no_title() -> None:
    [row] = describe_tools([TOOL.shortened()])
    assert row["inputSchema"] == {"type": "object"}
    assert "title" not in row


@pytest.mark.parametrize("writes", [True, False])
def test_writing_tools_name_the_app(writes: bool) -> None:
    tool = ListedTool(
        name="one",
        title="",
        description="",
        toolset="read",
        schema={},
        short_schema={},
        load=load,
        writes=writes,
    )
    assert ("_meta" in describe_tools([tool])[0]) is writes
