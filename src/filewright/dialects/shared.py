"""What the dialects share: a row of a table of tools in another system's words, and how answers fit.

A row of the table is a `Tool` whose function is handed a `Call`: through it the function makes native
requests (`Call` has the native tools as typed methods) or uses the core's unlisted tools, both under the
dialect's limits, and returns what the other system would have answered.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from pydantic import ConfigDict

from filewright.errors import FilewrightError
from filewright.progress import Task
from filewright.settings import Settings
from filewright.surface import Surface
from filewright.tools import (
    Arguments,
    Context,
    Tool,
    ToolResult,
    Toolset,
    TypedTools,
    clip,
    entries,
)
from filewright.visible import encodable

if TYPE_CHECKING:
    from filewright.tools import ListedEntry

_LISTED_CHARS = 4 << 20
ENTRIES = 10_000
"""The most entries of a folder that a dialect gathers from the pages of `list_files`."""


class LenientArguments(Arguments):
    """Arguments as some originals take them: what is not known is passed over, and named in the answer."""

    model_config = ConfigDict(extra="allow", json_schema_extra={"additionalProperties": False})


class Call(TypedTools):
    """One call of a dialect's tool: the native tools under the dialect's limits, and the task."""

    def __init__(self, context: Context, task: Task) -> None:
        self.context = context
        self.task = task

    def _run(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """The native tool `name`, its arguments checked as a client's are."""
        tool = next(entry for entry in entries() if entry.name == name).load()
        return tool.run(self.context, tool.parse(arguments), self.task)

    def within(self, page_chars: int) -> Call:
        """The same call with native results, and lines, of at most `page_chars` characters."""
        settings = self.context.settings
        limits = {"page_chars": page_chars, "line_chars": min(settings.line_chars, page_chars)}
        return Call(self.context.under(settings.model_copy(update=limits)), self.task)

    def entries(
        self,
        path: str,
        *,
        glob: str | None = None,
        depth: int = 1,
        details: bool = False,
        sort: Literal["name", "modified", "size"] = "name",
        include_hidden: bool = True,
        include_ignored: bool = False,
        exclude: Sequence[str] = (),
    ) -> tuple[list[ListedEntry], bool]:
        """The entries of `list_files` from all its pages, at most `ENTRIES`; whether that is all."""
        found: list[ListedEntry] = []
        cursor = None
        within = self.within(_LISTED_CHARS)  # each page begins at the top again, which a deep tree makes dear
        while len(found) < ENTRIES:
            listed = within.list_files(
                path,
                glob=glob,
                depth=depth,
                details=details,
                sort=sort,
                include_hidden=include_hidden,
                include_ignored=include_ignored,
                exclude=exclude,
                limit=ENTRIES,
                cursor=cursor,
            )
            found += listed.entries
            cursor = listed.next_cursor
            if cursor is None:
                return found, True
        return found[:ENTRIES], False


Answer = Callable[[Call, Any], ToolResult]


def dialect(
    name: str,
    *,
    workflow: str,
    tools: tuple[Tool, ...],
    limits: Callable[[Settings], Mapping[str, Any]],
    refusal: Callable[[FilewrightError, int], ToolResult],
    answers_json: bool = False,
) -> Surface:
    """A dialect as a surface: its table, the workflow a model reads first, its limits and its errors."""

    def instructions(_offered: Collection[str], roots: Sequence[str]) -> str:
        return f"{workflow}\nServed: {', '.join(roots)}"

    return Surface(name, lambda: tools, instructions, limits, refusal, answers_json)


def row(
    name: str,
    description: str,
    arguments: type[Arguments],
    answer: Answer,
    *,
    toolset: Toolset = "read",
    writes: bool = False,
    destructive: bool = False,
    idempotent: bool = True,
) -> Tool:
    """A row of a dialect's table: `answer` is handed a `Call` and the typed arguments."""

    def run(context: Context, parsed: Any, task: Task) -> ToolResult:
        answered = answer(Call(context, task), parsed)
        passed_over = ", ".join(parsed.model_extra or ())
        if not passed_over or answered.text.startswith("{"):
            return answered
        note = clip(f"(unknown arguments were passed over: {passed_over})", 300)
        return replace(answered, text=f"{answered.text}\n{note}")

    title = name.replace("_", " ").capitalize()
    return Tool(name, title, description, arguments, run, toolset, writes, destructive, idempotent)


writing_row = partial(row, toolset="edit", writes=True, destructive=True, idempotent=False)
"""A row of a tool that writes."""


LINE_WORDS = {"start=": "offset=", "a start from": "an offset from", "a negative start": "a negative offset"}
"""How native messages speak of the line a read begins at, where a dialect calls it the offset."""


def worded(text: str, words: Mapping[str, str]) -> str:
    """A native message with a dialect's own names for the arguments it speaks of, each once: text of a
    file that comes further on in it is left as it is."""
    for word, own in words.items():
        text = text.replace(word, own, 1)
    return text


def encoded(value: object) -> str:
    """JSON as the dialects write it: one line, letters as they are, nothing a transport cannot carry."""
    return encodable(json.dumps(value, ensure_ascii=False))


def budgets(limit: int) -> Iterator[int]:
    """Page sizes to try until the JSON of a page is within `limit`, which escaping may multiply."""
    size = limit - 1_500
    while size > 250:
        yield size
        size //= 2


def fitted(call: Call, make: Callable[[Call], object]) -> str:
    """The JSON of what `make` answers, made with smaller and smaller native pages until it fits."""
    limit = call.context.settings.hard_chars
    text = ""
    for size in budgets(min(limit, call.context.settings.page_chars + 1_500)):
        text = encoded(make(call.within(size)))
        if len(text) <= limit:
            break
    return text


def fit(items: Sequence[object], limit: int) -> int:
    """How many of `items` fit, as JSON one after the other, in `limit` characters."""
    used = 0
    for index, item in enumerate(items):
        used += len(encoded(item)) + 2
        if used > limit:
            return index
    return len(items)


def array(items: Sequence[object], limit: int, *, complete: bool = True) -> str:
    """The JSON array of `items`, within `limit` characters; a last item says what is left out.

    `complete` False: there are more than `items`, nobody knows how many.
    """
    count = fit(items, limit - 200)
    kept = [*items[:count]]
    if count < len(items) or not complete:
        number = len(items) - count
        left = f"{number}" if complete else f"at least {number + 1}"
        note = f"[{left} more, not shown]"
        kept.append(note if isinstance(items[0], str) else {"note": note})
    return encoded(kept)
