"""Tools that list and read: `list_files`, `stat_items`, `read_content`."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import zip_longest
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from filewright.dialects.call import MAX_ENTRIES, Call
from filewright.dialects.dialect import Answer
from filewright.dialects.filesystem.batch import (
    Refusal,
    answer_items,
    encode_array,
    path_of,
)
from filewright.dialects.filesystem.paths import (
    to_native,
    with_described_path,
)
from filewright.dialects.json_answers import Json, encode_json, fit_page
from filewright.errors import Code, FilewrightError
from filewright.tools.arguments import Arguments
from filewright.tools.read.result import FileRead
from filewright.tools.status import FileStatus

_ALL_LINES = 1_000_000_000
"""More lines than a file has; the limits of an answer decide."""

_MIN_STATUS_CHARACTERS = 100
"""The stats of a path have at least so many characters."""

_MAX_CUT_LINES = 50


class ListFiles(Arguments):
    """Arguments of `list_files`."""

    path: Annotated[
        str, Field(description="Relative path of the directory.")
    ] = "."
    recursive: Annotated[
        bool, Field(description="List directories recursively.")
    ] = False
    include_stats: Annotated[
        bool, Field(description="Include stats for each item.")
    ] = False


def list_files(call: Call, arguments: ListFiles) -> str:
    """Return the names in a directory, with stats on request, or the stats of a file."""
    try:
        return list_entries(call, arguments)
    except FilewrightError as error:
        raise with_described_path(call, error, arguments.path) from error


def list_entries(call: Call, arguments: ListFiles) -> str:
    """Return the answer of `list_files`. Raise errors that name the native path."""
    path = to_native(arguments.path)
    try:
        listing = call.for_listing().list_files(
            path,
            depth=0 if arguments.recursive else 1,
            include_ignored=True,
            limit=MAX_ENTRIES,
        )
    except FilewrightError as error:
        (item,) = call.stat(path).results
        if error.code != Code.NOT_A_DIRECTORY or item.stats is None:
            raise
        return encode_json(stats_of(arguments.path, item.stats))
    names = [entry.path for entry in listing.entries]
    is_complete = listing.next_cursor is None
    if not arguments.include_stats or not names:
        return encode_array(call, names, is_complete=is_complete)
    # Of more names the stats would not fit into the answer.
    first_names = names[: call.max_characters // _MIN_STATUS_CHARACTERS]
    first_items = (
        call.with_settings(max_items=len(first_names)).stat(*first_names)
    ).results
    answers: list[Json] = []
    for name, item_or_none in zip_longest(names, first_items):
        answer: Json = {"path": name}
        if item_or_none is not None and item_or_none.stats is not None:
            answer["stats"] = stats_of(name, item_or_none.stats)
        elif item_or_none is not None and item_or_none.error is not None:
            answer["error"] = item_or_none.error.message
        answers.append(answer)
    return encode_array(call, answers, is_complete=is_complete)


def stats_of(path: str, status: FileStatus) -> Json:
    """Return the stats of a path in the fields of the original."""
    accessed, modified, changed = status.times_ns
    stats: Json = {
        "path": path.rstrip("/") or path,
        "isFile": status.type == "file",
        "isDirectory": status.type == "folder",
        "isSymbolicLink": status.type == "link",
        "size": status.size,
        "atime": format_time(accessed),
        "mtime": format_time(modified),
        "ctime": format_time(changed),
    }
    if status.created_ns is not None:
        stats["birthtime"] = format_time(status.created_ns)
    stats["mode"] = status.mode[-3:]
    stats["uid"] = status.uid
    stats["gid"] = status.gid
    if status.target is not None:
        stats["target"] = status.target
    return stats


def format_time(nanoseconds: int) -> str:
    """Return a UTC time to the millisecond, ISO 8601."""
    moment = datetime.fromtimestamp(nanoseconds // 1_000_000_000, UTC)
    milliseconds = nanoseconds // 1_000_000 % 1000
    return moment.strftime("%Y-%m-%dT%H:%M:%S") + f".{milliseconds:03}Z"


class StatItems(Arguments):
    """Arguments of `stat_items`."""

    paths: Annotated[
        list[str],
        Field(
            min_length=1,
            description="Relative paths of files or directories.",
        ),
    ]


def stat_items(call: Call, arguments: StatItems) -> Answer:
    """Return the status of files, directories and links; no link is followed."""

    def stat(path: str, _share: int) -> Json:
        (item,) = call.stat(to_native(path)).results
        if item.error is not None:
            raise item.error
        assert item.stats is not None
        return {"status": "success", "stats": stats_of(path, item.stats)}

    def refused(refusal: Refusal) -> Json:
        return {"status": "error", "error": refusal.text}

    return answer_items(call, arguments.paths, path_of, stat, refused)


class ReadContent(Arguments):
    """Arguments of `read_content`."""

    paths: Annotated[
        list[str],
        Field(min_length=1, description="Relative file paths to read."),
    ]
    start_line: Annotated[
        int | None, Field(ge=1, description="First line, from 1.")
    ] = None
    end_line: Annotated[
        int | None, Field(ge=1, description="Last line, inclusive.")
    ] = None
    format: Annotated[
        Literal["raw", "lines"] | None,
        Field(
            description="Text, or line objects; default: raw, lines where a "
            "range is given."
        ),
    ] = None

    @model_validator(mode="after")
    def check_range(self) -> Self:
        """Raise `ValueError` for a range that ends before it starts."""
        start_line = self.start_line or 1
        if self.end_line is not None and self.end_line < start_line:
            raise ValueError("end_line must not be before start_line")
        return self


def read_content(call: Call, arguments: ReadContent) -> Answer:
    """Return the text of files, or objects with the lines of a range."""

    def read(path: str, share: int) -> Json:
        native_path = to_native(path)
        return fit_page(
            call,
            share,
            lambda page_call: read_page(page_call, native_path, arguments),
        )

    def refused(refusal: Refusal) -> Json:
        return {"error": refusal.text}

    return answer_items(call, arguments.paths, path_of, read, refused)


def read_page(call: Call, path: str, arguments: ReadContent) -> Json:
    """Return the text of a file that fits in a native page, and where to go on."""
    start_line = arguments.start_line or 1
    end_line = arguments.end_line or _ALL_LINES
    file = call.read(
        path, start=start_line, limit=end_line - start_line + 1, numbered=False
    )
    has_range = (
        arguments.start_line is not None or arguments.end_line is not None
    )
    answer: Json = {"content": render_content(file, arguments, has_range)}
    # A line feed is what the caller expects.
    if file.line_ending in ("crlf", "cr", "mixed"):
        answer["line_ending"] = file.line_ending
    is_cut_short = file.next is not None and file.end_line < end_line
    if is_cut_short or file.cut_at:
        answer["truncated"] = True
        answer["total_lines"] = file.total_lines
        if file.next is not None and file.next.start is not None:
            answer["next_start_line"] = file.next.start
        if file.cut_at:
            answer["cut_lines"] = file.cut_at[:_MAX_CUT_LINES]
    return answer


def render_content(
    file: FileRead, arguments: ReadContent, has_range: bool
) -> Any:
    """Return the lines of a file as text, or as objects with their numbers."""
    if arguments.format == "lines" or (arguments.format is None and has_range):
        lines = []
        for number, line in enumerate(file.rows, file.start_line):
            lines.append({"lineNumber": number, "content": line})
        return lines
    text = "\n".join(file.rows)
    if file.terminated and not has_range:
        text += "\n"
    return text
