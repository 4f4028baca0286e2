"""A dialect as a provider of tools."""

from __future__ import annotations

from typing import Any

import pytest

from filewright import Workspace
from filewright.dialects.arguments import LenientArguments
from filewright.dialects.call import Call
from filewright.dialects.dialect import Dialect, DialectTool, provider_of
from filewright.dialects.providers import find_provider
from filewright.errors import FilewrightError, invalid
from filewright.hints import Hint
from filewright.tools.arguments import Arguments
from filewright.tools.bound_tools import BoundTools
from filewright.tools.result import FailedCall, ToolResult


class Echo(LenientArguments):
    """Arguments of `echo`."""

    text: str


def echo(call: Call, arguments: Echo) -> str:
    return arguments.text


def count_words(call: Call, arguments: Echo) -> dict[str, Any]:
    return {"words": len(arguments.text.split())}


class Refused(Arguments):
    """Arguments of `refused_change`: none."""


def refused_change(call: Call, arguments: Refused) -> str:
    raise invalid("never")


def refuse(error: FilewrightError, max_characters: int) -> ToolResult:
    return FailedCall(f"no: {error.message}"[:max_characters], error=error)


DIALECT = Dialect(
    tools=(
        DialectTool(echo, "Say a text again."),
        DialectTool(count_words, "Count words."),
        DialectTool(
            refused_change, "Change.", toolset="edit", is_idempotent=True
        ),
    ),
    workflow="Echo.",
    refuse=refuse,
    limits=lambda settings: {"hard_chars": 3_000},
    cut_note="[cut]",
)


@pytest.fixture
def tools(tmp_path):
    (tmp_path / "root").mkdir()
    with Workspace(
        tmp_path / "root", state_dir=tmp_path / "state"
    ) as workspace:
        yield BoundTools(provider_of(DIALECT), workspace.context)


def test_a_tool_is_named_and_described(tools):
    reading, _, changing = tools.tools()
    assert (reading.name, reading.title) == ("echo", "Echo")
    assert reading.schema["properties"] == {"text": {"type": "string"}}
    assert (reading.writes, reading.destructive, reading.idempotent) == (
        False,
        False,
        True,
    )
    assert (changing.writes, changing.destructive, changing.idempotent) == (
        True,
        True,
        True,
    )


@pytest.mark.parametrize(
    ("tool", "arguments", "text"),
    [
        ("echo", {"text": "a b"}, "a b"),
        ("count_words", {"text": "a b"}, '{"words": 2}'),
        (
            "echo",
            {"text": "a", "more": 1},
            "a\n(unknown arguments were passed over: more)",
        ),
        ("count_words", {"text": "a", "more": 1}, '{"words": 1}'),
        ("refused_change", {}, "no: never"),
    ],
    ids=["text", "json", "unknown", "unknown beside json", "refused"],
)
def test_answers(tool, arguments, text, tools):
    assert tools.call(tool, arguments).text == text


def test_a_long_text_is_cut_at_a_line_under_the_dialects_limits(tools):
    text = tools.call("echo", {"text": "line\n" * 1_000}).text
    assert len(text) <= 3_000
    assert text.endswith("\nline\n[cut]")


@pytest.mark.parametrize(
    ("plain", "text"),
    [
        pytest.param("", "Error: m", id="none"),
        pytest.param("add lines", "Error: m\nadd lines", id="other-words"),
    ],
)
def test_hints_name_no_native_tools(plain: str, text: str) -> None:
    hint = Hint("give start_line", shell="give --line", plain=plain)
    error = invalid("m", hint)
    assert find_provider("gemini").refuse(error, 100).text == text
    assert error.hint == "give start_line"
