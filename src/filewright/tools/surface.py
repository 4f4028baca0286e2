"""A tool, a set of them in one system's words, and the one path that every call of a tool takes.

A `Tool` is what callers see of one. Making all argument models and importing what the tools need costs a good part
of a second, and a server must answer `tools/list` at once. So what `tools.toml` says of the native ones is kept with
their schemas in `catalogue.json`, made by ``python -m filewright.tools`` and held to them by a test; a tool's module
is imported when it is first called.

A `Surface` is a value: the native tools are one (`NATIVE`), each dialect is another. An `Offer` is one over
a workspace's context: the tools as a client sees them, and `call`, which checks the arguments, runs the
tool under the surface's limits, words an error in the surface's own way and bounds whatever comes out.
There is no second path, so hints, limits and clipping are the same for every surface.
"""

from __future__ import annotations

import json
import logging
import os
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import import_module
from inspect import get_annotations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from filewright.errors import Code, FilewrightError, invalid, workspace_closed
from filewright.progress import Task
from filewright.settings import Settings
from filewright.tools.bounded_text import clip
from filewright.tools.result import FailedCall, ToolResult
from filewright.wording import (
    did_you_mean,
    escape_controls,
    escape_unsendable,
    join_limited,
)

if TYPE_CHECKING:
    from filewright.tools.context import Context
    from filewright.tools.registry import Arguments

_logger = logging.getLogger("filewright")

CATALOGUE = Path(__file__).with_name("catalogue.json")

CUT = "[cut at the result limit; ask for less]"
"""The last line of an answer that passed the cap of every result."""

_NOTICES = 8

INSTRUCTIONS_CHARS = 1_490
"""Clients cut instructions at 2 KB; ours stay well below."""


LOADING = threading.RLock()
"""One lock for everything that is imported late.

Two threads that import modules of one package from different ends can each wait for what the other
holds; Python then hands out a module that is only half made. So late imports take turns.
"""

Toolset = Literal["read", "edit", "files", "history"]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as callers see it. `schema` is the JSON Schema (2020-12) of its arguments, to be read only.

    `load` gives the model of its arguments and the function that is given the call's context and them. What is not
    `listed` can be called, but no client is told of it; another tool does the same now. The workflow says its `step`.
    """

    name: str
    title: str
    description: str
    toolset: Toolset
    schema: Mapping[str, Any]
    load: Callable[
        [], tuple[type[Arguments], Callable[[Context, Any], ToolResult]]
    ]
    writes: bool = False
    destructive: bool = False
    idempotent: bool = True
    listed: bool = True
    step: str = ""


@cache
def load(
    module: str, name: str
) -> tuple[type[Arguments], Callable[[Context, Any], ToolResult]]:
    """The function of a tool's name in its module, which is imported when it is first asked for."""
    with LOADING:
        run = getattr(import_module(f"filewright.tools.{module}"), name)
        return get_annotations(run, eval_str=True)["arguments"], run


@cache
def entries() -> Mapping[str, Tool]:
    """Every native tool by its name, in the order they are listed."""
    rows = json.loads(CATALOGUE.read_text(encoding="utf-8"))
    return {
        row["name"]: Tool(
            load=partial(load, row.pop("module"), row["name"]), **row
        )
        for row in rows
    }


def instructions(offered: Collection[str], roots: Sequence[str]) -> str:
    """The workflow that a model reads before its first call, over the tools `offered` below `roots`."""
    below = join_limited(roots, 4, noun="root")
    lines = [
        f"Files below {below}. Paths are relative to it unless they begin with a root."
    ]
    lines += [
        tool.step
        for tool in entries().values()
        if tool.step and tool.name in offered
    ]
    if "edit_content" not in offered:
        lines.append("This workspace is served for reading only.")
    lines.append(
        "Results end with how to go on (cursor, next start). Errors are 'code: message' and a hint to follow."
    )
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Surface:
    """A set of tools in one system's words.

    `tools` gives every tool in the order it is listed. `instructions` is what a model reads first,
    made from the names that are offered and the roots. `limits` gives the settings that differ from
    the workspace's. `refusal` makes the answer of a call that failed as a whole, in so many characters.
    `answers_json` says that answers are JSON, to which nothing can be added.
    """

    tools: Callable[[], Iterable[Tool]]
    instructions: Callable[[Collection[str], Sequence[str]], str]
    limits: Callable[[Settings], Mapping[str, Any]] = lambda _settings: {}
    refusal: Callable[[FilewrightError, int], ToolResult] = (
        lambda error, _limit: FailedCall(str(error), error=error)
    )
    answers_json: bool = False


NATIVE = Surface(lambda: entries().values(), instructions)
"""filewright's own tools."""


class Offer:
    """A surface over a workspace, narrowed to `toolsets` (None: all): what a server or a program calls. Thread-safe."""

    def __init__(
        self,
        surface: Surface,
        context: Context,
        toolsets: Collection[str] | None = None,
    ) -> None:
        limits = dict(surface.limits(context.settings))
        self._surface = surface
        self._context = (
            context.under(context.settings.replace(**limits))
            if limits
            else context
        )
        self._settings = self._context.settings
        self._tools = {
            tool.name: tool
            for tool in surface.tools()
            if (toolsets is None or tool.toolset in toolsets)
            and not (tool.writes and context.settings.read_only)
        }

    @property
    def instructions(self) -> str:
        """What a model reads first; names only tools that are offered, and the roots."""
        roots = [
            escape_unsendable(os.fsdecode(root.path))
            for root in self._context.boundary.roots
        ]
        return clip(
            self._surface.instructions(
                {tool.name for tool in self.tools()}, roots
            ),
            INSTRUCTIONS_CHARS,
        )

    def tools(self, unlisted: bool = False) -> Sequence[Tool]:
        """The tools offered, in a fixed order: none that writes in a read-only workspace.

        Those whose work another tool does now are `unlisted`; they can be called.
        """
        return tuple(
            tool for tool in self._tools.values() if unlisted or tool.listed
        )

    def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        task: Task | None = None,
    ) -> ToolResult:
        """Run a tool. A problem is an answer with `is_error`, worded in the surface's way; nothing is raised."""
        try:
            return self.run(name, arguments, task=task)
        except FilewrightError as error:
            return self.refused(error)
        except RecursionError:
            message = f"{name}: the arguments, or the folders they name, are nested too deeply"
            hint = "give the arguments as the schema has them, and folders further down"
            return self.refused(invalid(message, hint))
        except (
            Exception
        ):  # a bug of ours must not end the server, and never reach a client
            _logger.exception("internal error in %s", name)
            message = f"{name} failed because of a bug in filewright; the log has the details"
            hint = "report it; try the work another way"
            return self.refused(FilewrightError(Code.INTERNAL, message, hint))

    def run(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        task: Task | None = None,
    ) -> ToolResult:
        """Run a tool; the result is the tool's own. Raises `FilewrightError`."""
        tool = self._tools.get(name)
        if tool is None:
            raise self._not_offered(name)
        with LOADING:
            from filewright.tools.registry import run_tool
        context = self._context.at(
            task or Task(seconds=self._settings.call_seconds)
        )
        if not context.boundary.roots:
            raise workspace_closed()
        context.changes.recover_if_needed()
        try:
            # Before the call: what it is about to show or change is then no news any more. The answers of the
            # other surfaces are what other servers would say, often nothing but a file's text.
            changed = (
                context.seen.changed() if self._surface is NATIVE else None
            )
            with context.boundary.caching_aliases():
                result = run_tool(tool, context, arguments)
            notices = context.task.notices
            if changed is not None:
                context.seen.said()
                notices = [changed, *notices]
            return self._bounded(
                replace(result, notices=_few(notices)) if notices else result
            )
        except FilewrightError as error:
            context.explain(error)
            raise

    def refused(self, error: FilewrightError) -> ToolResult:
        """How this surface words a call that failed as a whole: in the tool, out of time, not allowed."""
        return self._bounded(
            self._surface.refusal(error, self._settings.hard_chars)
        )

    def _not_offered(self, name: str) -> FilewrightError:
        if self._settings.read_only and any(
            tool.name == name for tool in self._surface.tools()
        ):
            return FilewrightError(
                Code.READ_ONLY,
                f"{name} changes files, and this workspace is read-only",
                "ask the user to serve it without --read-only",
            )
        names = [tool.name for tool in self.tools()]
        hint = did_you_mean(name, names, f"the tools are {', '.join(names)}")
        return invalid(f"unknown tool {name[:100]!r}", hint, tool=name[:100])

    def _bounded(self, result: ToolResult) -> ToolResult:
        """Whatever a tool made, within the hard cap and without what no transport can carry."""
        text, end = escape_unsendable(result.text), ""
        if result.notices and not self._surface.answers_json:
            end = "".join(f"\n[{notice}]" for notice in result.notices)
        limit = self._settings.hard_chars - len(end)
        if len(text) > limit:
            return replace(
                result,
                text=clip(text, limit, note=CUT, at_line=True) + end,
                whole=text + end,
            )
        return (
            result
            if text is result.text and not end
            else replace(result, text=text + end)
        )


def _few(notices: Sequence[str]) -> tuple[str, ...]:
    """Notices, shown safely, as many as an answer has room for."""
    shown = [
        clip(escape_controls(notice), 1_000) for notice in notices[:_NOTICES]
    ]
    left = len(notices) - len(shown)
    return (
        (
            *shown,
            f"{left} more notes; get_history with the change's id has them",
        )
        if left
        else tuple(shown)
    )
