"""The tool `list_files`: the entries below a folder, sorted, page by page."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from filewright.boundary.location import Location
from filewright.boundary.names import quote
from filewright.boundary.walk_model import FolderEntry, WalkOptions
from filewright.errors import Code, FilewrightError, path_error
from filewright.tools.arguments import RARE, Arguments
from filewright.tools.bounded_text import CharacterBudget
from filewright.tools.context import Context
from filewright.tools.cursors import (
    decode_cursor,
    decode_path,
    encode_cursor,
)
from filewright.tools.listing_rendering import render_entry, render_list
from filewright.tools.result import ToolResult, optional
from filewright.tools.search.notes import name_spelling_notes
from filewright.tools.status import format_time
from filewright.tools.tool import Tool

# The last lines of a page; the cursor holds the path of the last entry besides.
RESERVED_CHARS = 400
CURSOR_CHARS_PER_BYTE = 3

PAGE_ARGUMENTS = ("cursor", "limit", "details")
"""The arguments in which the pages of a list may differ."""


class ListArguments(Arguments):
    """Arguments of `list_files`."""

    path: str = "."
    """the folder"""
    glob: str | None = None
    """such as `**/*.py` or `{src,tests}/**`; implies all levels"""
    depth: Annotated[int, Field(ge=0)] = 1
    """levels below the folder; 0 for all"""
    details: bool = False
    """show mode, size and time of each entry"""
    sort: Annotated[Literal["name", "modified", "size"], RARE] = "name"
    """`"modified"`: newest first; `"size"`: largest first"""
    include_hidden: Annotated[bool, RARE] = True
    """also names that begin with a dot"""
    include_ignored: bool = False
    """also files that `.gitignore`, `.ignore` and git's excludes leave out"""
    limit: Annotated[int, Field(ge=1, le=10_000), RARE] = 500
    """maximum number of entries in one result"""
    cursor: str | None = None
    """the cursor of an earlier result, to continue it"""
    exclude: SkipJsonSchema[list[str]] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ListedEntry:
    """One entry: its `path` as the tools take it, with a / at the end of a folder's.

    `name` is the last part of the path. `type` is ``file``, ``folder``, ``link``, ``fifo``,
    ``socket`` or ``device``; `target` is where a link leads. `size` (bytes), `modified`
    (ISO 8601) and `mode` (octal) are None unless details were requested.
    """

    path: str
    name: str
    type: str
    target: str | None = optional()
    size: int | None = optional()
    modified: str | None = optional()
    mode: str | None = optional()


@dataclass(frozen=True, slots=True)
class ListPage:
    """One page of a listing.

    `overlong_count` paths are too long for any page. `spellings` are notes on names that
    look as if the glob matched them; `has_glob` is True if there was one. The counts of
    ignored names and of unreadable folders are of what was walked so far.
    """

    entries: tuple[ListedEntry, ...]
    next_cursor: str | None
    overlong_count: int
    ignored_count: int
    unreadable_count: int
    has_glob: bool
    spellings: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ListResult(ToolResult):
    """The entries below `path`; `next_cursor` continues the list.

    `ignored` names were left out so far.
    """

    path: str
    entries: tuple[ListedEntry, ...]
    next_cursor: str | None
    complete: bool
    ignored: int
    unreadable: int


def list_files(context: Context, arguments: ListArguments) -> ListResult:
    """List the entries below a folder."""
    location = context.boundary.locate(arguments.path)
    if context.boundary.stat(location).kind == "file":
        raise path_error(
            Code.NOT_A_DIRECTORY,
            location.requested_path,
            f"{location.requested_path} is a file, not a folder",
            "read the file, or list the folder that has it",
        )
    page = read_page(context, location, arguments)
    return ListResult(
        render_list(page),
        path=location.display_path,
        entries=page.entries,
        next_cursor=page.next_cursor,
        complete=page.next_cursor is None,
        ignored=page.ignored_count,
        unreadable=page.unreadable_count,
    )


def read_page(
    context: Context, location: Location, arguments: ListArguments
) -> ListPage:
    """Return the entries that fit on a page, from the cursor on."""
    max_chars = context.settings.page_chars
    budget = CharacterBudget(max_chars, RESERVED_CHARS)
    position = decode_position(location, arguments)
    options = walk_options(location, arguments, position)
    walk = context.boundary.walk(location, options, task=context.task)
    entries: list[ListedEntry] = []
    last_entry: FolderEntry | None = None
    cursor: str | None = None
    overlong_count = 0
    for entry in sort_entries(walk, arguments, position):
        listed = describe_entry(context, entry, details=arguments.details)
        row_chars = len(render_entry(listed))
        cursor_chars = CURSOR_CHARS_PER_BYTE * len(entry.path)
        if row_chars + RESERVED_CHARS + cursor_chars > max_chars:
            # It would fit on no page, and the list would never get past it.
            overlong_count += 1
            continue
        if len(entries) == arguments.limit or not budget.take(
            row_chars + 1, reserve=cursor_chars
        ):
            if last_entry is not None:
                last_position = sort_key(last_entry, arguments.sort)
                kind = describe_list(location, arguments)
                cursor = encode_cursor("list", kind, [*last_position])
            break
        entries.append(listed)
        last_entry = entry
    spellings: list[str] = []
    if not entries and not overlong_count:
        spellings = name_spelling_notes(context, location, arguments.glob)
    return ListPage(
        entries=tuple(entries),
        next_cursor=cursor,
        overlong_count=overlong_count,
        ignored_count=walk.ignored_count,
        unreadable_count=walk.unreadable_count,
        has_glob=arguments.glob is not None,
        spellings=tuple(spellings),
    )


def describe_list(location: Location, arguments: ListArguments) -> str:
    """Return a text that two calls have in common if a cursor may go from one to the other."""
    values = arguments.model_dump(exclude={"path", *PAGE_ARGUMENTS})
    return json.dumps([location.display_path, values], sort_keys=True)


def walk_options(
    location: Location,
    arguments: ListArguments,
    position: tuple[int, str] | None,
) -> WalkOptions:
    """Return which entries are walked. A listing by name begins after its cursor."""
    depth = arguments.depth
    if arguments.glob is not None and depth == 1:
        depth = 0
    after = None
    if position is not None and arguments.sort == "name":
        after = decode_path(location, position[1])
    return WalkOptions(
        depth=depth,
        glob=arguments.glob,
        exclude=arguments.exclude,
        include_hidden=arguments.include_hidden,
        include_ignored=arguments.include_ignored,
        details=arguments.details or arguments.sort != "name",
        after=after,
    )


def decode_position(
    location: Location, arguments: ListArguments
) -> tuple[int, str] | None:
    """Return the sort key of the last entry before this page, or None at the beginning."""
    if arguments.cursor is None:
        return None
    rank, path = decode_cursor(
        arguments.cursor,
        "list",
        describe_list(location, arguments),
        noun="list",
        types=(int, str),
    )
    return rank, path


def sort_entries(
    walk: Iterable[FolderEntry],
    arguments: ListArguments,
    position: tuple[int, str] | None,
) -> Iterable[FolderEntry]:
    """Return the entries after the cursor in their order, one more than the limit.

    A walk is in the order of names already, and begins after the cursor.
    """
    if arguments.sort == "name":
        return walk

    def key(entry: FolderEntry) -> tuple[int, str]:
        return sort_key(entry, arguments.sort)

    following = (
        entry for entry in walk if position is None or key(entry) > position
    )
    return heapq.nsmallest(arguments.limit + 1, following, key=key)


def sort_key(entry: FolderEntry, sort: str) -> tuple[int, str]:
    """Return the rank of an entry and its path: newest or largest first, then by path.

    Each byte of the path is a character, as in `encode_path`.
    """
    path = entry.path.decode("latin-1")
    if entry.status is None or sort == "name":
        return (0, path)
    if sort == "modified":
        return (-entry.status.mtime_ns, path)
    return (-entry.status.size, path)


def describe_entry(
    context: Context, entry: FolderEntry, *, details: bool
) -> ListedEntry:
    """Return an entry as it is listed."""
    path, target = entry.location.display_path, None
    if entry.kind == "folder":
        path += "/"
    elif entry.kind == "link":
        # A link that was deleted since, or that is denied, is listed without its target.
        with suppress(FilewrightError):
            target = quote(context.boundary.read_link(entry.location))
    listed = ListedEntry(path, quote(entry.location.name), entry.kind, target)
    status = entry.status
    if not details or status is None:
        return listed
    return replace(
        listed,
        size=status.size,
        modified=format_time(status.mtime_ns),
        mode=f"{status.mode:04o}",
    )


LIST_FILES = Tool(
    name="list_files",
    title="List files",
    description=("List a folder, a tree (depth=0) or files matching a glob."),
    toolset="read",
    arguments=ListArguments,
    run=list_files,
)
