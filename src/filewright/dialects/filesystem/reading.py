"""`list_files`, `stat_items`, `read_content`, `search_files`."""

from __future__ import annotations

import datetime
import posixpath
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from filewright.dialects.dialect import Call, budgets, encoded
from filewright.dialects.filesystem.paths import Item, answered, native, per_item, refusal, told
from filewright.errors import Code, FilewrightError
from filewright.tools.registry import Arguments, ToolResult

Paths = Annotated[list[str], Field(min_length=1)]
_ALL = 1_000_000_000
_JS_REGEX = re.compile(r"/(.+)/([gimsuy]*)", re.DOTALL)
_CONTEXT = 2


class ListArguments(Arguments):
    """Which folder."""

    path: Annotated[str, Field(description="Relative path of the directory.")] = "."
    recursive: Annotated[bool, Field(description="List directories recursively.")] = False
    include_stats: Annotated[bool, Field(description="Include stats for each item.")] = False


class StatArguments(Arguments):
    """Which items."""

    paths: Annotated[Paths, Field(description="Relative paths of files or directories.")]


class ReadArguments(Arguments):
    """Which files, and which of their lines."""

    paths: Annotated[Paths, Field(description="Relative file paths to read.")]
    start_line: Annotated[int | None, Field(ge=1, description="First line, from 1.")] = None
    end_line: Annotated[int | None, Field(ge=1, description="Last line, inclusive.")] = None
    format: Annotated[Literal["raw", "lines"], Field(description="Text, or line objects.")] = "raw"

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.start_line is not None and self.end_line is not None and self.end_line < self.start_line:
            raise ValueError("end_line must not be before start_line")
        return self


class SearchArguments(Arguments):
    """What to find, and where."""

    path: Annotated[str, Field(description="Relative path of a directory or file.")] = "."
    regex: Annotated[str, Field(min_length=1, description="The regex; /regex/flags is accepted.")]
    file_pattern: Annotated[str, Field(min_length=1, description="Glob of file names, such as *.ts.")] = "*"


def list_files(call: Call, arguments: ListArguments) -> ToolResult:
    """The names in a folder, or the stats of a file."""
    path = native(arguments.path)
    with told(call, arguments.path):
        try:
            listed, complete = call.entries(
                path=path, depth=0 if arguments.recursive else 1, include_ignored=True
            )
        except FilewrightError as error:
            if error.code != Code.NOT_A_DIRECTORY:
                raise
            outcome = call.run("stat_items", paths=[path]).data["results"][0]
            if "stats" not in outcome:
                raise
            one = stats(arguments.path, outcome["stats"])
            return ToolResult(encoded(one), {"items": [one]})
    names = [str(entry["path"]) for entry in listed]
    items: list[object] = [*names]
    if arguments.include_stats:
        fit = call.context.settings.hard_chars // 100
        found: list[Mapping[str, Any]] = (
            call.run("stat_items", paths=names[:fit]).data["results"] if names else []
        )
        items = [
            {"path": name, "stats": stats(name, outcome["stats"])}
            if "stats" in outcome
            else {"path": name, "error": outcome["error"]["message"]}
            for name, outcome in zip(names, found, strict=False)
        ]
        items += [{"path": name} for name in names[fit:]]
    if not complete:
        items.append("[more, not listed]" if not arguments.include_stats else {"note": "[more, not listed]"})
    return answered(call, items)


def stats(path: str, native_stats: Mapping[str, Any]) -> Item:
    """A native status in this dialect's shape."""
    kind = native_stats["type"]
    times = [_iso(ns) for ns in native_stats["times_ns"]]
    result: Item = {
        "path": path,
        "isFile": kind == "file",
        "isDirectory": kind == "folder",
        "isSymbolicLink": kind == "link",
        "size": native_stats["size"],
        "atime": times[0],
        "mtime": times[1],
        "ctime": times[2],
        "mode": native_stats["mode"][-3:],
        "uid": native_stats["uid"],
        "gid": native_stats["gid"],
    }
    if "target" in native_stats:
        result["target"] = native_stats["target"]
    return result


def _iso(nanoseconds: int) -> str:
    moment = datetime.datetime.fromtimestamp(nanoseconds // 1_000_000_000, datetime.UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{nanoseconds // 1_000_000 % 1000:03}Z"


def stat_items(call: Call, arguments: StatArguments) -> ToolResult:
    """The status of every path; a link is told of itself."""

    def request(paths: Sequence[str]) -> Sequence[Mapping[str, Any]]:
        found: list[Mapping[str, Any]] = call.run("stat_items", paths=[native(p) for p in paths]).data[
            "results"
        ]
        return found

    return per_item(
        call,
        arguments.paths,
        lambda path: [path],
        request,
        lambda path, found: {"path": path, "status": "success", "stats": stats(path, found["stats"])},
        lambda path, text: {"path": path, "status": "error", "error": text},
    )


def read_content(call: Call, arguments: ReadArguments) -> ToolResult:
    """The text of every file; bounded pages that say where to go on."""
    result = ToolResult("")
    for size in budgets(call.context.settings.hard_chars):
        result = _read(call.within(size), arguments)
        if len(encoded(result.data["items"])) <= call.context.settings.hard_chars:
            break
    return result


def _read(call: Call, arguments: ReadArguments) -> ToolResult:
    start = arguments.start_line or 1
    limit = _ALL if arguments.end_line is None else arguments.end_line - start + 1

    def request(paths: Sequence[str]) -> Sequence[Mapping[str, Any]]:
        files = call.run(
            "read_content", paths=[native(p) for p in paths], start=start, limit=limit, numbered=False
        ).data["files"]
        return [{"error": file} if "code" in file else file for file in files]

    def answer(path: str, file: Mapping[str, Any]) -> Item:
        rows = str(file["content"]).split("\n") if file.get("lines_returned") else []
        result: Item = {"path": path}
        if arguments.format == "lines":
            result["content"] = [
                {"lineNumber": number, "content": row}
                for number, row in enumerate(rows, file.get("start_line", 1))
            ]
        else:
            whole = arguments.start_line is None and arguments.end_line is None
            result["content"] = "\n".join(rows) + ("\n" if whole and file.get("terminated") else "")
        last = file.get("end_line", 0)
        wanted = arguments.end_line is None or last < arguments.end_line
        if (file.get("next") is not None and wanted) or file.get("cut_lines"):
            result["truncated"] = True
            result["total_lines"] = file["total_lines"]
            if file.get("next") is not None:
                result["next_start_line"] = file["next"]["start"]
            if file.get("cut_lines"):
                result["cut_lines"] = file["cut_at"][:50]
        return result

    return per_item(
        call,
        arguments.paths,
        lambda path: [path],
        request,
        answer,
        lambda path, text: {"path": path, "error": text},
    )


def search_files(call: Call, arguments: SearchArguments) -> ToolResult:
    """Every match of a regex, with the lines round it."""
    pattern, flags = arguments.regex, ""
    written = _JS_REGEX.fullmatch(pattern)
    if written is not None:
        pattern, flags = written.groups()
    glob = None if arguments.file_pattern in ("*", "**", "**/*") else arguments.file_pattern
    with told(call, arguments.path):
        items: list[object] = []
        cursor = None
        used = 0
        limit = call.context.settings.hard_chars
        complete = True
        while True:
            data = call.run(
                "search_content",
                pattern=f"(?s){pattern}" if "s" in flags else pattern,
                path=native(arguments.path),
                glob=glob,
                mode="regex",
                case="insensitive" if "i" in flags else "sensitive",
                multiline="s" in flags or "\\n" in pattern or "\n" in pattern,
                context=_CONTEXT,
                max_results=1000,
                cursor=cursor,
            ).data
            for hit in data["results"]:
                found = [_matched(hit, span) for span in hit["submatches"] or [[0, 0]]]
                items += found
                used += sum(len(encoded(each)) for each in found)
            cursor, complete = data["next_cursor"], data["complete"]
            if cursor is None or used > limit:
                break
    if not complete:
        items.append(
            {"type": "error", "file": arguments.path, "error": "incomplete: more matches than are shown"}
        )
    return _searched(call, items, limit)


def _searched(call: Call, items: list[object], limit: int) -> ToolResult:
    kept: list[object] = []
    used = 200
    for item in items:
        used += len(encoded(item)) + 2
        if used > limit:
            cut = f"incomplete: {len(kept)} matches are shown; narrow path, regex or file_pattern"
            kept.append({"type": "error", "file": "general", "error": cut})
            break
        kept.append(item)
    return answered(call, kept)


def _matched(hit: Mapping[str, Any], span: Sequence[int]) -> Item:
    return {
        "type": "match",
        "file": posixpath.normpath(hit["path"]),
        "line": hit["line"],
        "match": hit["text"][span[0] : span[1]],
        "context": [*hit["context_before"], hit["text"], *hit["context_after"]],
    }


__all__ = ["list_files", "read_content", "refusal", "search_files", "stat_items"]
