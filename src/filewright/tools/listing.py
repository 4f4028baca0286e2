"""`list_files`: one folder or a tree, sorted, bounded, with a cursor to go on."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from filewright.boundary import FolderEntry, quote
from filewright.errors import Code, FilewrightError, refused
from filewright.tools.context import Context
from filewright.tools.cursor import decode, encode, place
from filewright.tools.registry import Arguments, Tool
from filewright.tools.result import Page, ToolResult, optional
from filewright.tools.stat import time_text
from filewright.visible import visible
from filewright.wording import counted


class ListArguments(Arguments):
    """What to list."""

    path: str = "."
    """the folder"""
    glob: Annotated[str | None, Field(description="**/*.py; implies all levels")] = None
    """such as `**/*.py` or `{src,tests}/**`; implies all levels"""
    depth: Annotated[int, Field(ge=0, description="levels; 0: all")] = 1
    """levels below the folder; 0 for all"""
    details: bool = False
    """mode, size and time of each"""
    sort: Literal["name", "modified", "size"] = "name"
    """`"modified"`: newest first; `"size"`: largest first"""
    include_hidden: bool = True
    """names that begin with a dot"""
    include_ignored: bool = False
    """what `.gitignore`, `.ignore` and git's excludes leave out"""
    limit: Annotated[int, Field(ge=1, le=10_000)] = 500
    """entries in one result"""
    cursor: str | None = None
    """from an earlier result, to go on"""
    exclude: SkipJsonSchema[list[str]] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ListedEntry:
    """One entry: `path` as the tools take it, of a folder with a / at its end; `name` its last part.

    `type` is ``file``, ``folder``, ``link``, ``fifo``, ``socket`` or ``device``; `target` is where a link
    leads. `size` (bytes), `modified` (ISO 8601) and `mode` (octal) are there where details were asked for.
    """

    path: str
    name: str
    type: str
    target: str | None = optional()
    size: int | None = optional()
    modified: str | None = optional()
    mode: str | None = optional()

    @property
    def row(self) -> str:
        """One line for a reader."""
        row = visible(self.path)
        if self.type == "link":
            row += f" -> {visible(self.target)}" if self.target is not None else " ->"
        elif self.type not in ("file", "folder"):
            row += f" ({self.type})"
        if self.modified is None:
            return row
        size = self.size if self.type == "file" else "-"
        return f"{self.mode} {size:>12} {self.modified} {row}"


@dataclass(frozen=True, kw_only=True)
class ListResult(ToolResult):
    """The entries below `path`; `next_cursor` goes on. `ignored` names were left out so far."""

    path: str
    entries: tuple[ListedEntry, ...]
    next_cursor: str | None
    complete: bool
    ignored: int
    unreadable: int


def globs(glob: str | None, exclude: Sequence[str]) -> list[str] | None:
    """What a walk is asked for: the names that fit `glob`, without those that fit one of `exclude`."""
    return [*([glob] if glob is not None else []), *(f"!{name}" for name in exclude)] or None


def run(context: Context, arguments: ListArguments) -> ListResult:
    """List the entries below a folder."""
    location, sort = context.boundary.locate(arguments.path), arguments.sort
    if context.boundary.stat(location).kind == "file":
        hint = "read_content reads it, stat_items gives its size and time"
        raise refused(Code.NOT_A_DIRECTORY, location.asked, f"{location.asked} is a file, not a folder", hint)
    passed = None
    if arguments.cursor is not None:
        number, path = decode(arguments.cursor, "list", sort, "sort order", (int, str))
        passed = number, path
    walk = context.boundary.walk(
        location,
        depth=0 if arguments.glob is not None and arguments.depth == 1 else arguments.depth,
        glob=globs(arguments.glob, arguments.exclude),
        include_hidden=arguments.include_hidden,
        include_ignored=arguments.include_ignored,
        details=arguments.details or sort != "name",
        after=place(location, passed[1]) if passed is not None and sort == "name" else None,
        task=context.task,
    )
    entries: Iterable[FolderEntry] = walk
    if sort != "name":
        wanted = (entry for entry in walk if passed is None or _key(entry, sort) > passed)
        entries = heapq.nsmallest(arguments.limit + 1, wanted, key=lambda entry: _key(entry, sort))
    most = context.settings.page_chars
    page = Page(most)
    listed: list[ListedEntry] = []
    last: FolderEntry | None = None
    cursor: str | None = None
    too_long = 0
    for entry in entries:
        facts = _listed(context, entry, details=arguments.details)
        row, reserve = facts.row, 400 + 3 * len(entry.path)  # for the cursor, which holds the path
        if len(row) + reserve > most:
            too_long += 1
        elif len(listed) < arguments.limit and page.fits(row, reserve=reserve):
            page.add(row)
            listed.append(facts)
            last = entry
        else:
            cursor = encode("list", sort, [*_key(last, sort)]) if last is not None else None
            break
    if cursor is not None:
        page.add(f"[{len(listed)} shown, more to come: cursor={cursor}]")
    if too_long:
        page.add(f"[{counted(too_long, 'path')} too long to be shown; list a folder further down]")
    elif not listed:
        page.add("(nothing matches)" if arguments.glob is not None else "(empty folder)")
    if walk.ignored:
        page.add(f"[{walk.ignored} ignored names left out so far; include_ignored=true shows them]")
    if walk.unreadable:
        page.add(f"[{walk.unreadable} folders could not be read]")
    return ListResult(
        page.text(),
        path=location.shown,
        entries=tuple(listed),
        next_cursor=cursor,
        complete=cursor is None,
        ignored=walk.ignored,
        unreadable=walk.unreadable,
    )


def _key(entry: FolderEntry, sort: str) -> tuple[int, str]:
    """Newest or largest first, then by path, each byte of it a character."""
    status, path = entry.status, entry.path.decode("latin-1")
    if status is None or sort == "name":
        return (0, path)
    return (-(status.mtime_ns if sort == "modified" else status.size), path)


def _listed(context: Context, entry: FolderEntry, *, details: bool) -> ListedEntry:
    location, status = entry.location, entry.status
    target = None
    if entry.kind == "link":
        with suppress(FilewrightError):
            target = quote(context.boundary.read_link(location))
    facts = ListedEntry(
        location.shown + ("/" if entry.kind == "folder" else ""), quote(location.name), entry.kind, target
    )
    if not details or status is None:
        return facts
    return replace(facts, size=status.size, modified=time_text(status.mtime_ns), mode=f"{status.mode:04o}")


TOOL = Tool(
    "list_files",
    "List files",
    "List a folder (depth=1), a tree (depth=0) or what matches a glob, without what .gitignore leaves out. "
    "Folders end in /.",
    ListArguments,
    run,
    "read",
)
