"""Tools bound to a workspace, and the one path that every call of a tool takes.

A `ToolProvider` is a set of tools: the native ones (`NATIVE`), or those of a dialect.
`BoundTools` are the tools of a provider over the context of a workspace: the list that a
client gets, and `call`, which checks the arguments, runs the tool within the provider's
limits, words an error as the provider does, and cuts an answer that is too long. There is
no second path, so hints, limits and truncation are the same for every provider.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from filewright.errors import Code, FilewrightError, invalid, workspace_closed
from filewright.hints import Hint, change_words, fill, join_words
from filewright.progress import Task
from filewright.settings import Settings
from filewright.tools.bounded_text import clip
from filewright.tools.catalogue import read_catalogue
from filewright.tools.result import FailedCall, ToolResult
from filewright.tools.tool import LOADING, ListedTool, Tool
from filewright.wording import (
    did_you_mean,
    escape_controls,
    escape_unsendable,
    join_limited,
)

if TYPE_CHECKING:
    from filewright.tools.context import Context

_logger = logging.getLogger("filewright")

CUT_NOTE = "[cut at the result limit; ask for less]"
"""The last line of an answer that is longer than any answer may be."""

MAX_NOTICES = 8
MAX_NOTICE_CHARS = 1_000

MAX_INSTRUCTIONS_CHARS = 1_490
"""Clients truncate instructions at 2 KB; these stay well below."""

MAX_LIST_CHARS = 10_000
"""The length from which on a list of tools is shortened."""

_ANNOTATION_CHARS = 160
"""Characters of a tool in a list beside its words and its schema."""


@dataclass(frozen=True, slots=True)
class ToolProvider:
    """A set of tools in the words of one system.

    `tools` returns every tool in the order of the list. `instructions` returns the text
    that a model reads first, for the names of the tools and the roots. `limits` returns
    the settings that differ from the workspace's. `refuse` returns the answer to a call
    that failed as a whole, from its error and the maximum number of characters. With
    `answers_json`, answers are JSON, to which no text can be added.
    """

    tools: Callable[[], Iterable[ListedTool]]
    instructions: Callable[[Collection[str], Sequence[str]], str]
    limits: Callable[[Settings], Mapping[str, Any]] = lambda _settings: {}
    refuse: Callable[[FilewrightError, int], ToolResult] = (
        lambda error, _limit: FailedCall(str(error), error=error)
    )
    answers_json: bool = False


def native_instructions(
    tool_names: Collection[str], roots: Sequence[str]
) -> str:
    """Return the workflow that a model reads before its first call."""
    first_root, *other_roots = roots
    place = f"Paths are relative to {first_root}"
    if other_roots:
        folders = join_limited(other_roots, 4, noun="root")
        place += f", or begin with another root: {folders}"
    lines = [f"{place}."]
    for tool in read_catalogue().tools.values():
        if tool.step and tool.name in tool_names:
            lines.append(tool.step)
    if "edit_content" not in tool_names:
        lines.append("This workspace is served for reading only.")
    lines.append("Results end with how to go on (cursor, start).")
    return "\n".join(lines)


def _native_tools() -> Iterable[ListedTool]:
    return read_catalogue().tools.values()


NATIVE = ToolProvider(_native_tools, native_instructions)
"""filewright's own tools."""


class BoundTools:
    """The tools of a provider over a workspace, or some toolsets of them. Thread-safe."""

    def __init__(
        self,
        provider: ToolProvider,
        context: Context,
        toolsets: Collection[str] | None = None,
    ) -> None:
        self._provider = provider
        self._context = context
        limits = dict(provider.limits(context.settings))
        if limits:
            self._context = context.under(context.settings.replace(**limits))
        self._settings = self._context.settings
        self._tools: dict[str, ListedTool] = {}
        for tool in provider.tools():
            if toolsets is not None and tool.toolset not in toolsets:
                continue
            if not (tool.writes and self._settings.read_only):
                self._tools[tool.name] = tool

    @property
    def instructions(self) -> str:
        """The text that a model reads first; it names only tools of the list."""
        roots = [
            escape_unsendable(os.fsdecode(root.path))
            for root in self._context.boundary.roots
        ]
        text = self._provider.instructions(self._tools.keys(), roots)
        return clip(text, MAX_INSTRUCTIONS_CHARS)

    def tools(self) -> Sequence[ListedTool]:
        """Return the tools as a client lists them, in a fixed order.

        A read-only workspace lists no tool that writes. The schemas of a list above
        `MAX_LIST_CHARS` are short.
        """
        tools = tuple(self._tools.values())
        if _count_characters(tools) <= MAX_LIST_CHARS:
            return tools
        return tuple(tool.shortened() for tool in tools)

    def call(
        self,
        name: str,
        arguments: Mapping[str, Any] | str,
        *,
        task: Task | None = None,
    ) -> ToolResult:
        """Run a tool and return its answer; a failure is an answer with `is_error`."""
        try:
            return self.run(name, arguments, task=task)
        except FilewrightError as error:
            return self.refuse(error)
        except RecursionError:
            return self.refuse(
                invalid(
                    f"{name}: the arguments or the named folders are nested "
                    "too deeply",
                    "give flatter arguments, or start with a deeper folder",
                )
            )
        except Exception:
            # A bug must not end the server, and its text must not reach a client.
            _logger.exception("internal error in %s", name)
            return self.refuse(
                FilewrightError(
                    Code.INTERNAL,
                    f"{name} failed because of a bug in filewright; the log "
                    "has the details",
                    "report this bug, and try another tool",
                )
            )

    def run(
        self,
        name: str,
        arguments: Mapping[str, Any] | str,
        *,
        task: Task | None = None,
    ) -> ToolResult:
        """Run a tool of the list and return its result. Raise `FilewrightError`."""
        listed = self._tools.get(name)
        if listed is None:
            raise self._not_in_list(name)
        return self.run_tool(listed.load(), arguments, task=task)

    def run_tool(
        self,
        tool: Tool,
        arguments: Mapping[str, Any] | str,
        *,
        task: Task | None = None,
    ) -> ToolResult:
        """Run a declared tool and return its result. Raise `FilewrightError`."""
        with LOADING:
            from filewright.tools.arguments import check_arguments
        if tool.writes and self._settings.read_only:
            raise _is_read_only(tool.name)
        task = task or Task(seconds=self._settings.call_seconds)
        context = self._context.at(task)
        if not context.boundary.roots:
            raise workspace_closed()
        # A change that was interrupted is settled before its files are read.
        context.changes.recover_if_needed()
        try:
            # Files are compared before the call: what it shows or changes is no news
            # any more. Dialects answer like other servers, often with nothing but the
            # text of a file, so they report no changes of files.
            news = None
            if self._provider is NATIVE:
                news = context.seen.find_news()
            with context.boundary.caching_aliases():
                checked = check_arguments(tool, arguments, context.settings)
                result = tool.run(context, checked)
        except FilewrightError as error:
            context.explain(error)
            raise
        notices = list(task.notices)
        if news is not None:
            context.seen.mark_reported()
            notices.insert(0, news)
        if notices:
            result = replace(result, notices=_choose_notices(notices))
        return self._limit(result)

    def refuse(self, error: FilewrightError) -> ToolResult:
        """Return the answer to a call that failed as a whole."""
        return self._limit(
            self._provider.refuse(error, self._settings.hard_chars)
        )

    def _not_in_list(self, name: str) -> FilewrightError:
        """Return the error for a tool that is unknown here, or writes."""
        provided = [tool.name for tool in self._provider.tools()]
        if self._settings.read_only and name in provided:
            return _is_read_only(name)
        names = list(self._tools)
        hint = did_you_mean(name, names, f"the tools are {', '.join(names)}")
        return invalid(f"unknown tool {name[:100]!r}", hint, tool=name[:100])

    def _limit(self, result: ToolResult) -> ToolResult:
        """Return a result within the hard limit, as every transport can carry it."""
        text = change_words(result.text, escape_unsendable)
        end = ""
        if result.notices and not self._provider.answers_json:
            notices = [fill("\n[{}]", notice) for notice in result.notices]
            end = join_words("", notices)
        # Notices come after the cut, so a long answer never loses them.
        limit = self._settings.hard_chars - len(end)
        if len(text) > limit:
            bounded = change_words(
                text,
                lambda whole: clip(whole, limit, note=CUT_NOTE, at_line=True),
            )
            return replace(
                result, text=fill("{}{}", bounded, end), whole=text + end
            )
        return replace(result, text=fill("{}{}", text, end))


def _is_read_only(name: str) -> FilewrightError:
    """Return the error for a tool that writes in a read-only workspace."""
    return FilewrightError(
        Code.READ_ONLY,
        f"{name} changes files, and this workspace is read-only",
        "ask the user to serve it without --read-only",
    )


def _count_characters(tools: Iterable[ListedTool]) -> int:
    """Return about how many characters a list of tools has as JSON."""
    characters = 0
    for tool in tools:
        words = [tool.name, tool.title, tool.description, tool.schema]
        text = json.dumps(words, ensure_ascii=False, separators=(",", ":"))
        characters += len(text) + _ANNOTATION_CHARS
    return characters


def _choose_notices(notices: Sequence[str]) -> tuple[str, ...]:
    """Return the notices that an answer has room for, with control characters escaped."""
    chosen = [
        clip(escape_controls(notice), MAX_NOTICE_CHARS)
        for notice in notices[:MAX_NOTICES]
    ]
    left_out = len(notices) - len(chosen)
    if left_out:
        chosen.append(
            Hint(
                f"{left_out} more notes; get_history with the change's id has them",
                shell=f"{left_out} more notes; filewright show CHANGE has them",
            )
        )
    return tuple(chosen)
