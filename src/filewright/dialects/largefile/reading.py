"""`get_overview`, `read_content`, `read_enclosing`, `list_directory`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from filewright.dialects.dialect import Call, encoded, fit, fitted
from filewright.dialects.largefile.paths import FileArguments, FolderArguments
from filewright.errors import Code, FilewrightError
from filewright.tools.registry import ToolResult

UNLISTED = ["__pycache__/", "node_modules/"]
_KINDS = ("added", "modified", "removed")
_SYMBOL_CHARS = 150


class OverviewArguments(FileArguments):
    """Which file, and which of its lines changed."""

    changed_lines: Annotated[
        list[Annotated[list[int | str], Field(min_length=2, max_length=3)]] | None,
        Field(description='[start, end] or [start, end, "added"|"modified"|"removed"] each.'),
    ] = None

    @field_validator("changed_lines")
    @classmethod
    def _ranges(cls, ranges: list[list[int | str]] | None) -> list[list[int | str]] | None:
        for entry in ranges or ():
            start, end = entry[:2]
            if not (isinstance(start, int) and isinstance(end, int) and 1 <= start <= end):
                raise ValueError(f"[{start!a}, {end!a}] is not a range of lines: 1 <= start <= end")
            if len(entry) == 3 and entry[2] not in _KINDS:
                raise ValueError(f"type must be one of {', '.join(_KINDS)}, not {entry[2]!a}")
        return ranges


class ReadArguments(FileArguments):
    """Which lines."""

    target: Annotated[
        int | str | None, Field(description="Line number or pattern; with mode tail the number of lines.")
    ] = None
    offset: Annotated[int, Field(ge=1, description="First line, from 1.")] = 1
    limit: Annotated[int, Field(ge=1, description="Lines at most.")] = 100
    pattern: Annotated[str | None, Field(description="Read round the first match.")] = None
    mode: Literal["lines", "semantic", "tail", "head"] = "lines"

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if self.target is not None and self.pattern is not None:
            raise ValueError("give target or pattern, not both")
        if isinstance(self.target, int) and self.target < 1:
            raise ValueError("target must be a line from 1, or a pattern")
        return self


class EnclosingArguments(FileArguments):
    """Round which line."""

    line: Annotated[int, Field(ge=1)]
    depth: Annotated[int, Field(ge=1, description="1: innermost definition, 2: the one round it.")] = 1
    context_lines: Annotated[int, Field(ge=1, description="Window where there is no definition.")] = 40


class ListArguments(FolderArguments):
    """Which folder, how deep."""

    max_depth: Annotated[int, Field(ge=1)] = 1
    max_entries: Annotated[int, Field(ge=1, le=10_000)] = 200
    include_hidden: bool = False


def get_overview(call: Call, arguments: OverviewArguments) -> ToolResult:
    """Size, lines, long lines, outline, what to search for."""
    return ToolResult(fitted(call, lambda within: _overview(within, arguments)))


def _overview(call: Call, arguments: OverviewArguments) -> dict[str, Any]:
    ranges = arguments.changed_lines
    threshold = call.context.settings.line_chars
    try:
        data = call.run(
            "get_overview",
            path=arguments.absolute_file_path,
            max_symbols=max(1, call.context.settings.page_chars // _SYMBOL_CHARS),
            changed_lines=[entry[:2] for entry in ranges] if ranges is not None else None,
            changed_kinds=[entry[2] if len(entry) == 3 else "modified" for entry in ranges]
            if ranges is not None
            else None,
            since=None,
        ).data
    except FilewrightError as error:
        if error.code != Code.IS_BINARY or ranges is not None:
            raise
        return _binary(error, threshold)
    marks = None
    if ranges is not None:
        marks = {(c["name"], c["end_line"]): c["status"] for c in data["changed_symbols"] if c["name"]}
    outline = _outline(data["outline"], marks)
    result: dict[str, Any] = {
        "line_count": data["line_count"],
        "file_size": data["size"],
        "encoding": data["encoding"],
        "is_binary": False,
        "binary_hint": None,
        "has_long_lines": data["long_lines"] > 0,
        "long_lines": {
            "has_long_lines": data["long_lines"] > 0,
            "count": data["long_lines"],
            "max_length": data["longest_line"],
            "threshold": threshold,
        },
        "outline": outline,
        "search_hints": data["search_hints"]["patterns"],
    }
    if marks is not None:
        result["changed_symbols"] = len(marks)
    if data["symbols_left_out"]:
        result["outline_truncated"] = data["symbols_left_out"]
    if data["outline_note"]:
        result["warning"] = data["outline_note"]
    return result


def _binary(error: FilewrightError, threshold: int) -> dict[str, Any]:
    return {
        "line_count": 0,
        "file_size": error.details.get("size"),
        "encoding": None,
        "is_binary": True,
        "binary_hint": error.details.get("type"),
        "has_long_lines": False,
        "long_lines": {"has_long_lines": False, "count": 0, "max_length": 0, "threshold": threshold},
        "outline": [],
        "search_hints": [],
        "warning": "Binary file: it can be listed, moved and copied, but not read or edited as text.",
    }


def _outline(
    symbols: Sequence[Mapping[str, Any]], marks: Mapping[tuple[str, int], str] | None, depth: int = 0
) -> list[dict[str, Any]]:
    found = []
    for symbol in symbols:
        item: dict[str, Any] = {
            "name": symbol["name"],
            "type": symbol["kind"],
            "line_number": symbol["start_line"],
            "end_line": symbol["end_line"],
            "line_count": symbol["end_line"] - symbol["start_line"] + 1,
            "children": _outline(symbol["children"], marks, depth + 1) if depth < 30 else [],
        }
        if marks is not None:
            item["changes"] = marks.get((symbol["name"], symbol["end_line"]))
        found.append(item)
    return found


def read_content(call: Call, arguments: ReadArguments) -> ToolResult:
    """Lines by number, pattern, definition, head or tail."""
    return ToolResult(fitted(call, lambda within: _read(within, arguments)))


def _read(call: Call, arguments: ReadArguments) -> dict[str, Any]:
    mode, limit, warnings = arguments.mode, arguments.limit, []
    target = arguments.target
    pattern = target if isinstance(target, str) else arguments.pattern
    line = target if isinstance(target, int) else arguments.offset
    if mode in ("head", "tail"):
        if isinstance(target, int):
            limit = target
        if arguments.offset != 1:
            warnings.append(f"offset ignored in {mode} mode")
        if pattern is not None:
            warnings.append(f"pattern ignored in {mode} mode")
        wanted: dict[str, Any] = {"mode": mode, "limit": limit}
    elif mode == "semantic":
        wanted = {"mode": mode, "limit": 1_000_000}
        wanted |= {"pattern": pattern} if pattern is not None else {"line": line}
    elif pattern is not None:
        wanted = {"pattern": pattern, "limit": limit}
    else:
        wanted = {"start": line, "limit": limit}
    if pattern is not None and arguments.offset != 1 and mode not in ("head", "tail"):
        warnings.append("offset ignored when pattern is set")
    data = call.run("read_content", path=arguments.absolute_file_path, numbered=False, **wanted).data
    result = {**_lines(data, mode), "match_line": data.get("match_line"), "warnings": warnings}
    if pattern is not None and data.get("match_line") is not None:
        result["pattern"] = pattern
    return result


def _lines(data: Mapping[str, Any], mode: str) -> dict[str, Any]:
    """A native read in this dialect's fields; lines counted from an unread end have no number."""
    empty = not data.get("lines_returned")
    whole = mode in ("semantic", "enclosing")
    start = data.get("start_line", 1)
    result: dict[str, Any] = {
        "content": "" if empty else data["content"] + ("\n" if data["terminated"] else ""),
        "start_line": None if empty or start < 1 else start,
        "end_line": None if empty or start < 1 else data["end_line"],
        "lines_returned": 0 if empty else data["lines_returned"],
        "total_lines": data["total_lines"],
        "mode": mode,
        "truncated": bool((data["truncated"] if whole else data.get("next")) or data.get("cut_lines")),
    }
    if data.get("cut_lines"):
        result["long_lines_cut"] = data["cut_at"][:50]
    return result


def read_enclosing(call: Call, arguments: EnclosingArguments) -> ToolResult:
    """The whole definition round a line, or a window where there is none."""
    return ToolResult(fitted(call, lambda within: _enclosing(within, arguments)))


def _enclosing(call: Call, arguments: EnclosingArguments) -> dict[str, Any]:
    path, line = arguments.absolute_file_path, arguments.line
    data = call.run(
        "read_content",
        path=path,
        mode="semantic",
        line=line,
        depth=arguments.depth,
        limit=1_000_000,
        numbered=False,
    ).data
    if data.get("symbol") is not None:
        return {**_lines(data, "enclosing"), "enclosing_symbol": data["symbol"]}
    data = call.run("read_content", path=path, line=line, limit=arguments.context_lines, numbered=False).data
    return {**_lines(data, "context_window"), "enclosing_symbol": None}


def list_directory(call: Call, arguments: ListArguments) -> ToolResult:
    """The entries of a folder, folders first on each level."""
    listed, complete = call.entries(
        path=arguments.absolute_dir_path,
        depth=arguments.max_depth + 1,
        details=True,
        include_hidden=arguments.include_hidden,
        include_ignored=True,
        exclude=UNLISTED,
    )
    top = call.context.boundary.locate(arguments.absolute_dir_path).shown
    prefix = "" if top == "." else f"{top}/"
    below: dict[str, list[dict[str, Any]]] = {}
    for entry in listed:
        name = str(entry["path"]).removeprefix(prefix).removesuffix("/")
        folder = entry["type"] == "folder"
        below.setdefault(name.rpartition("/")[0], []).append(
            {
                "name": name,
                "type": "dir" if folder else "file",
                "size_bytes": 0 if folder else entry["size"],
                "child_count": None,
            }
        )
    entries = [*_ordered(below, "", arguments.max_depth)]
    shown = entries[: min(arguments.max_entries, fit(entries, call.context.settings.hard_chars - 1000))]
    cut = len(shown) < len(entries) or not complete
    result = {
        "path": arguments.absolute_dir_path,
        "entries": shown,
        "total_files": sum(entry["type"] == "file" for entry in shown),
        "total_dirs": sum(entry["type"] == "dir" for entry in shown),
        "truncated": cut,
        "truncated_at": entries[len(shown)]["name"] if len(shown) < len(entries) else None,
    }
    return ToolResult(encoded(result))


def _ordered(below: Mapping[str, list[dict[str, Any]]], folder: str, depth: int) -> list[dict[str, Any]]:
    found = []
    for entry in sorted(below.get(folder, ()), key=lambda e: (e["type"] != "dir", e["name"].lower())):
        if entry["type"] == "dir":
            entry["child_count"] = len(below.get(entry["name"], ()))
        found.append(entry)
        if entry["type"] == "dir" and depth > 1:
            found += _ordered(below, entry["name"], depth - 1)
    return found
