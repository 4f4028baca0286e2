"""A dialect as a set of tools: their functions, what clients are told of them, and limits."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import get_annotations
from typing import Any

from filewright.dialects.call import Call
from filewright.dialects.json_answers import Json, encode_json
from filewright.errors import FilewrightError
from filewright.hints import names_tools, without_tools
from filewright.settings import Settings
from filewright.tools.arguments import Arguments
from filewright.tools.bound_tools import ToolProvider
from filewright.tools.bounded_text import clip
from filewright.tools.context import Context
from filewright.tools.result import FailedCall, ToolResult
from filewright.tools.tool import ListedTool, Tool, Toolset

Answer = str | Json | ToolResult
"""The answer of a tool: a text, an object that is sent as JSON, or a result with images."""

_NOTE_CHARACTERS = 300
"""Characters of the note on unknown arguments, whatever their names are."""


@dataclass(frozen=True, slots=True)
class DialectTool:
    """A tool of a dialect.

    `run` has the name of the tool; it takes the call and `arguments`, whose annotation is
    the model of the arguments. A tool of any toolset but `read` changes files. `builtin` is
    the tool as its vendor's API is sent it, where the API knows it by a type.
    """

    run: Callable[[Call, Any], Answer]
    description: str
    toolset: Toolset = "read"
    is_destructive: bool = True
    is_idempotent: bool = False
    builtin: Mapping[str, Any] | None = None

    @property
    def name(self) -> str:
        """The name by which clients call the tool."""
        return self.run.__name__

    @property
    def arguments(self) -> type[Arguments]:
        """The model of the arguments."""
        model: type[Arguments] = get_annotations(self.run, eval_str=True)[
            "arguments"
        ]
        return model


def keep_limits(_settings: Settings) -> Mapping[str, Any]:
    """Return no settings: those of the workspace hold."""
    return {}


def refuse_with_hint(error: FilewrightError, max_characters: int) -> ToolResult:
    """Return the answer to a call that failed: its message, and the hint below it."""
    text = f"Error: {error.message}"
    if error.hint:
        text += f"\n{error.hint}"
    return FailedCall(clip(text, max_characters), error=error)


@dataclass(frozen=True, slots=True)
class Dialect:
    """The tools of another system over a workspace.

    `workflow` is what a model reads first. `refuse` returns the answer to a call that failed
    as a whole, from its error and the maximum number of characters. `limits` returns the
    settings that differ from the workspace's. `cut_note` is the last line of a text that
    is longer than an answer may be.
    """

    tools: tuple[DialectTool, ...]
    workflow: str
    refuse: Callable[[FilewrightError, int], ToolResult] = refuse_with_hint
    limits: Callable[[Settings], Mapping[str, Any]] = keep_limits
    answers_json: bool = False
    cut_note: str = ""


def provider_of(dialect: Dialect) -> ToolProvider:
    """Return a dialect as a provider of the tools that a workspace offers."""
    tools = tuple(_to_tool(dialect, tool) for tool in dialect.tools)

    def instructions(_offered: Collection[str], roots: Sequence[str]) -> str:
        return f"{dialect.workflow}\nServed: {', '.join(roots)}"

    def refuse(error: FilewrightError, max_characters: int) -> ToolResult:
        return dialect.refuse(_without_tools(error), max_characters)

    return ToolProvider(
        tools=lambda: tools,
        instructions=instructions,
        limits=dialect.limits,
        refuse=refuse,
        answers_json=dialect.answers_json,
    )


def _without_tools(error: FilewrightError) -> FilewrightError:
    """Return an error whose hint names no native tools or arguments."""
    if error.hint is None or not names_tools(error.hint):
        return error
    hint = without_tools(error.hint)
    plain = FilewrightError(
        error.code, error.summary, hint or None, details=error.details
    )
    plain.also = error.also
    return plain


def _to_tool(dialect: Dialect, tool: DialectTool) -> ListedTool:
    """Return a tool as clients list it; its schema is derived from the model."""
    writes = tool.toolset != "read"

    def run(context: Context, arguments: Arguments) -> ToolResult:
        answer = tool.run(Call(context), arguments)
        return _to_result(dialect, answer, arguments, context.settings)

    # A tool that only reads can neither destroy nor do more when it is repeated.
    declared = Tool(
        name=tool.name,
        title=tool.name.replace("_", " ").capitalize(),
        description=tool.description,
        toolset=tool.toolset,
        arguments=tool.arguments,
        run=run,
        writes=writes,
        destructive=writes and tool.is_destructive,
        idempotent=tool.is_idempotent or not writes,
        builtin=tool.builtin,
    )
    return declared.to_listed()


def _to_result(
    dialect: Dialect, answer: Answer, arguments: Arguments, settings: Settings
) -> ToolResult:
    """Return an answer as a result, with a note on arguments that were passed over."""
    if isinstance(answer, dict):
        return ToolResult(encode_json(answer))
    if isinstance(answer, str):
        if dialect.cut_note:
            limit = settings.hard_chars
            answer = clip(answer, limit, note=dialect.cut_note, at_line=True)
        answer = ToolResult(answer)
    unknown_names = ", ".join(arguments.model_extra or ())
    if not unknown_names:
        return answer
    note = f"(unknown arguments were passed over: {unknown_names})"
    return replace(
        answer, text=f"{answer.text}\n{clip(note, _NOTE_CHARACTERS)}"
    )
