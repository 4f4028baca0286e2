"""Arguments of `read_content`: one file, or a place in each of several."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from filewright.errors import invalid, too_many
from filewright.tools.arguments import RARE, Arguments

PositiveNumber = Annotated[int | None, Field(ge=1)]


class ReadItem(Arguments):
    """One of several things to read."""

    path: str
    symbol: str | None = None
    start: int | None = None
    limit: PositiveNumber = None
    line: PositiveNumber = None
    pattern: str | None = None


class ReadArguments(Arguments):
    """Arguments of `read_content`."""

    path: str | None = None
    """one file; give one of `path`, `paths` and `items`"""
    paths: Annotated[list[str] | None, Field(min_length=1), RARE] = None
    """several files, each with its text or its error; if they do not fit, the answer names the next one"""
    items: Annotated[list[ReadItem], Field(min_length=1)] | None = None
    """places in one or several files: `{path, symbol}`, `{path, line}`, `{path,
    pattern}` or `{path, start, limit}`"""
    mode: Literal["lines", "semantic", "head", "tail"] = "lines"
    """`"semantic"`: the whole function, class or block"""
    start: Annotated[int, Field(description="negative: from the end")] = 1
    """the first line; negative counts from the end"""
    limit: Annotated[int, Field(ge=1)] = 500
    """maximum number of lines"""
    max_chars: Annotated[PositiveNumber, RARE] = None
    """maximum number of characters; with `column`, of the line (`limit` means
    the same there)"""
    line: PositiveNumber = None
    """show this line with the lines around it; give one of `line`, `symbol`, `pattern`, `start`, head and tail"""
    symbol: Annotated[str | None, Field(description="Cart.total")] = None
    """a name such as `Cart.total`"""
    pattern: str | None = None
    """show this text with the lines around it"""
    occurrence: Annotated[int, Field(ge=1), RARE] = 1
    """which match of `pattern`, counted from 1"""
    depth: Annotated[
        int, Field(ge=1, description="semantic: blocks outwards"), RARE
    ] = 1
    """semantic: number of blocks outwards"""
    since: Annotated[str | None, RARE] = None
    """the entries of a log from this time on, as in
    [search_content](#search_content)"""
    until: Annotated[str | None, RARE] = None
    """the entries of a log up to this time"""
    rotated: Annotated[bool, RARE] = False
    """read the tail or times of all files of a rotated log, as `path:
    "app.log*"` does"""
    follow: Annotated[bool, RARE] = False
    """show the end and a cursor; a call with `path` and that `cursor` returns
    the text appended since"""
    cursor: Annotated[str | None, RARE] = None
    """the cursor of an answer with `follow`: return only the text appended
    since; a rotated or truncated file is recognised"""
    wait_seconds: Annotated[float, Field(ge=0, le=30), RARE] = 0
    """with `cursor`: the longest wait for a new line, in seconds"""
    column: Annotated[
        int | None, Field(ge=1, description="inside one long line"), RARE
    ] = None
    """read inside one long line, from this character"""
    numbered: Annotated[bool, RARE] = True
    """begin each line with its number and a tab"""
    encoding: Annotated[str | None, RARE] = None
    """the encoding to read the file in, instead of the detected one"""


def split_reads(
    arguments: ReadArguments, max_paths: int
) -> list[ReadArguments]:
    """Return the arguments of the read of each file. Raise for more than `max_paths`."""
    items = arguments.items
    if items is None:
        items = [ReadItem(path=path) for path in arguments.paths or ()]
    call = arguments.model_copy(update={"paths": None})
    reads = call.for_each(items)
    for request in reads:
        require_one_place(request)
    if len(reads) > max_paths:
        raise too_many(
            len(reads), max_paths, "paths", "read them in several calls"
        )
    return reads


def names_place(arguments: ReadArguments) -> bool:
    """Return True if an argument says which lines are read."""
    names = ("line", "symbol", "pattern", "since", "until")
    has_name = any(getattr(arguments, name) is not None for name in names)
    return has_name or arguments.start != 1 or arguments.mode != "lines"


def require_rotated_place(arguments: ReadArguments) -> None:
    """Raise `invalid_input` for a place that only one file of a log can have."""
    for name in ("line", "symbol", "pattern", "column"):
        if getattr(arguments, name) is not None:
            break
    else:
        if arguments.start <= 1 and arguments.mode != "semantic":
            return
        name = "start" if arguments.start > 1 else "mode"
    raise invalid(
        f"{name} works for one file, and {arguments.path} is several",
        "name one file; for all files give since and until or mode=tail, or "
        "use search_content",
        argument=name,
    )


def require_one_place(arguments: ReadArguments) -> None:
    """Raise `invalid_input` if two arguments say where to read."""
    places = []
    for name in ("line", "symbol", "pattern"):
        if getattr(arguments, name) is not None:
            places.append(name)
    if arguments.start != 1:
        places.append("start")
    if arguments.since is not None or arguments.until is not None:
        places.append("since" if arguments.since is not None else "until")
    if arguments.cursor is not None:
        places.append("cursor")
    has_column = arguments.column is not None
    if arguments.mode in ("head", "tail") or (
        arguments.mode == "semantic" and has_column
    ):
        places.append(f"mode={arguments.mode}")
    is_column_misplaced = has_column and not set(places) <= {"line", "start"}
    if is_column_misplaced:
        places.append("column")
    if is_column_misplaced or len(places) > 1:
        raise invalid(
            f"read_content: {' and '.join(places)} all say where to read",
            "give one of line (with or without column), symbol, pattern, "
            "start, mode=head and mode=tail",
        )
