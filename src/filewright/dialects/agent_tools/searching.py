"""`grep`: files, counts or lines that match, in pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field

from filewright.dialects.agent_tools.rows import fitting, page, room, shown
from filewright.dialects.dialect import Call
from filewright.tools.registry import Arguments, ToolResult

_MOST_FILES = 20_000
_PER_CALL = 2_000


class GrepArguments(Arguments):
    """What to find, where, and how to tell it."""

    pattern: Annotated[str, Field(min_length=1, description="A regular expression.")]
    path: Annotated[str, Field(description="File or folder.")] = "."
    glob: Annotated[str | None, Field(description="Only files that match, such as *.py.")] = None
    output_mode: Literal["files_with_matches", "content", "count"] = "files_with_matches"
    ignore_case: bool = False
    context: Annotated[int | None, Field(ge=0, le=50, description="Lines round each match.")] = None
    before_context: Annotated[int | None, Field(ge=0, le=50)] = None
    after_context: Annotated[int | None, Field(ge=0, le=50)] = None
    head_limit: Annotated[int | None, Field(ge=1, description="Results at most.")] = None
    offset: Annotated[int, Field(ge=0, description="Results to pass over.")] = 0
    multiline: bool = False


@dataclass
class _Gathered:
    """Results from pages of the native search, and whether they are all there are."""

    items: list[Mapping[str, Any]] = field(default_factory=list)
    complete: bool = True


def grep(call: Call, arguments: GrepArguments) -> ToolResult:
    """Search; sorted by path and line."""
    if arguments.output_mode == "content":
        return _content(call, arguments)
    counting = arguments.output_mode == "count"
    found = _files(call, arguments, "counts" if counting else "files")
    files = [file for file in found.items if file.get("count", 1)]
    rows = [shown(f["path"]) + (f":{f['count']}" if counting else "") for f in files]
    kept, following = page(rows, arguments.offset, room(call), arguments.head_limit)
    return _paged(kept, arguments, following, len(rows), complete=found.complete)


def _native(arguments: GrepArguments) -> dict[str, Any]:
    return {
        "pattern": arguments.pattern,
        "path": arguments.path,
        "glob": arguments.glob,
        "mode": "regex",
        "case": "insensitive" if arguments.ignore_case else "sensitive",
        "multiline": arguments.multiline,
    }


def _gathered(
    call: Call,
    arguments: GrepArguments,
    output: str,
    key: str,
    enough: Callable[[Sequence[Mapping[str, Any]]], bool],
    **more: Any,
) -> _Gathered:
    """Results from the native pages until they are `enough`."""
    gathered = _Gathered()
    cursor = None
    while True:
        data = call.run(
            "search_content",
            output=output,
            max_results=_PER_CALL,
            cursor=cursor,
            **_native(arguments),
            **more,
        ).data
        gathered.items += data[key]
        cursor = data["next_cursor"]
        if cursor is None:
            gathered.complete = data["complete"]
            return gathered
        if enough(gathered.items):
            gathered.complete = False
            return gathered


def _files(call: Call, arguments: GrepArguments, output: str) -> _Gathered:
    return _gathered(call, arguments, output, "files", lambda files: len(files) >= _MOST_FILES)


def _content(call: Call, arguments: GrepArguments) -> ToolResult:
    around = arguments.context or 0
    before = around if arguments.before_context is None else arguments.before_context
    after = around if arguments.after_context is None else arguments.after_context
    groups = bool(before or after)
    last = None if arguments.head_limit is None else arguments.offset + arguments.head_limit
    limit = room(call)

    def enough(hits: Sequence[Mapping[str, Any]]) -> bool:
        if last is not None and len(hits) >= last:
            return True
        wanted = hits[arguments.offset : last]
        return bool(wanted) and _rows(wanted, limit, groups=groups)[1] < len(wanted)

    gathered = _gathered(
        call, arguments, "matches", "results", enough, context_before=before, context_after=after
    )
    total, complete = len(gathered.items), gathered.complete
    if not complete:
        counts = _files(call, arguments, "counts")
        total = max(total, sum(file["count"] for file in counts.items))
        complete = counts.complete
    rows, shown_hits = _rows(gathered.items[arguments.offset : last], limit, groups=groups)
    return _paged(rows, arguments, arguments.offset + shown_hits, total, complete=complete)


def _rows(hits: Sequence[Mapping[str, Any]], limit: int, *, groups: bool) -> tuple[list[str], int]:
    """The hits with their context as rows, and how many hits fit."""
    rows: list[str] = []
    used = 0
    last: tuple[str, int] = ("", 0)
    matched = 0
    for position, hit in enumerate(hits):
        path, line = str(hit["path"]), int(hit["line"])
        name = shown(path)
        following = hits[position + 1] if position + 1 < len(hits) else None
        next_line = following["line"] if following is not None and following["path"] == path else None
        first = line - len(hit["context_before"])
        above = [(first + i, text) for i, text in enumerate(hit["context_before"])]
        more = list(enumerate(hit["more_lines"], line + 1))
        below = list(enumerate(hit["context_after"], hit["last_line"] + 1))
        seen = last[1] if last[0] == path else 0
        above = [(number, text) for number, text in above if number > seen]
        below = [(number, text) for number, text in below if next_line is None or number < next_line]
        block: list[str] = []
        begins = above[0][0] if above else line
        if groups and rows and (last[0] != path or begins > seen + 1):
            block.append("--")
        block += [f"{name}-{number}-{shown(text)}" for number, text in above]
        if line > matched or last[0] != path:
            block.append(f"{name}:{line}:{_text(hit)}")
        block += [f"{name}:{number}:{shown(text)}" for number, text in more]
        block += [f"{name}-{number}-{shown(text)}" for number, text in below]
        size = sum(len(row.encode("utf-8", "replace")) + 1 for row in block)
        if used + size > limit:
            if not rows:
                return fitting(block, limit), 1
            return rows, position
        rows += block
        used += size
        matched = hit["last_line"] if more else 0
        last = (path, below[-1][0] if below else hit["last_line"])
    return rows, len(hits)


def _text(hit: Mapping[str, Any]) -> str:
    text = shown(hit["text"])
    if not hit["truncated"]:
        return text
    return ("…" if hit["text_column"] > 1 else "") + text + "…"


def _paged(
    rows: Sequence[str], arguments: GrepArguments, following: int, total: int, *, complete: bool
) -> ToolResult:
    if not rows:
        if not total:
            return ToolResult("(no matches)" if complete else "(no matches so far; the search is incomplete)")
        return ToolResult(f"(no results at offset {arguments.offset}; there are {total})")
    notes: list[str] = []
    if following < total or arguments.offset or not complete:
        many = str(total) if complete else f"at least {total}"
        footer = f"showing {arguments.offset + 1}..{following} of {many}"
        if following < total:
            footer += f"; call again with offset={following} for more"
        notes.append(f"({footer})")
    if not complete:
        notes.append("(incomplete: the search stopped early; narrow the path, the glob or the pattern)")
    return ToolResult("\n".join([*rows, *notes]))
