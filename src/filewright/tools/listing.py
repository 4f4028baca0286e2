"""`list_files` and `stat_items`: what is there, sorted and bounded, and what is known of it without reading it.

Lists that are cut give a cursor to go on with: opaque to callers, plain inside, refused when it is not ours.
"""

from __future__ import annotations

import base64
import binascii
import datetime
import heapq
import json
import os
import zlib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import reduce
from typing import Annotated, Any, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from filewright.boundary.globs import GlobFolder, Globs
from filewright.boundary.location import Location
from filewright.boundary.names import quote
from filewright.boundary.walk_model import FolderEntry, WalkOptions
from filewright.errors import Code, FilewrightError, invalid, path_error
from filewright.text.spelling import visible_form
from filewright.tools.bounded_text import BoundedText, clip
from filewright.tools.context import Context, best_effort
from filewright.tools.items import Paths, check_count
from filewright.tools.registry import Arguments
from filewright.tools.result import ToolResult, facts, optional
from filewright.tools.suggestions import distinct_form
from filewright.wording import escape_surrogates, pluralize

_MOST = 1 << 20
_SPELLING_SECONDS = 0.3
_NAMED_SPELLINGS = 3


# Cursors


def encode(tool: str, kind: str, key: list[Any]) -> str:
    """A cursor of `tool` that holds `kind` and `key` (JSON values)."""
    text = json.dumps([tool, kind, key], separators=(",", ":"))
    return (
        base64.urlsafe_b64encode(zlib.compress(text.encode(), 9))
        .decode()
        .rstrip("=")
    )


def decode(
    cursor: str, tool: str, kind: str, what: str, types: tuple[type, ...]
) -> list[Any]:
    """The key of a cursor of `tool`, which is of such `types`.

    Raises `invalid_input` for any other text, and for a cursor that was given for another `kind` of `what` it does.
    """
    try:
        packed = base64.urlsafe_b64decode(
            (cursor + "=" * (-len(cursor) % 4)).encode("ascii")
        )
        named, of, key = json.loads(
            zlib.decompressobj().decompress(packed, _MOST)
        )
        if named != tool or [*map(type, key)] != [*types]:
            raise ValueError(named)
    except (
        ValueError,
        TypeError,
        UnicodeError,
        binascii.Error,
        zlib.error,
        RecursionError,
    ) as error:
        raise invalid(
            "the cursor is not one that this tool gave",
            "leave it out to start from the beginning",
            argument="cursor",
        ) from error
    if of != kind:
        raise invalid(
            f"the cursor belongs to another {what}",
            "call again with the arguments of the call that gave it",
            argument="cursor",
        )
    found: list[Any] = key
    return found


def below(top: Location, location: Location) -> str:
    """A place below `top` as a cursor holds it: each byte of its path a character."""
    return b"/".join(location.parts[len(top.parts) :]).decode("latin-1")


def place(top: Location, path: str) -> Location:
    """The place that `below` has named."""
    parts = path.encode("latin-1", "replace").split(b"/") if path else []
    return reduce(Location.child, parts, top)


# Lists


class ListArguments(Arguments):
    """What to list."""

    path: str = "."
    """the folder"""
    glob: str | None = None
    """such as `**/*.py` or `{src,tests}/**`; implies all levels"""
    depth: Annotated[int, Field(ge=0)] = 1
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
        row = self.path
        if self.type == "link":
            row += f" -> {self.target}" if self.target is not None else " ->"
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


def list_files(context: Context, arguments: ListArguments) -> ListResult:
    """List the entries below a folder."""
    location, sort = context.boundary.locate(arguments.path), arguments.sort
    if context.boundary.stat(location).kind == "file":
        hint = "read_content reads it, stat_items gives its size and time"
        raise path_error(
            Code.NOT_A_DIRECTORY,
            location.requested_path,
            f"{location.requested_path} is a file, not a folder",
            hint,
        )
    passed = None
    if arguments.cursor is not None:
        number, path = decode(
            arguments.cursor, "list", sort, "sort order", (int, str)
        )
        passed = number, path
    walk = context.boundary.walk(
        location,
        WalkOptions(
            depth=0
            if arguments.glob is not None and arguments.depth == 1
            else arguments.depth,
            glob=arguments.glob,
            exclude=arguments.exclude,
            include_hidden=arguments.include_hidden,
            include_ignored=arguments.include_ignored,
            details=arguments.details or sort != "name",
            after=place(location, passed[1])
            if passed is not None and sort == "name"
            else None,
        ),
        task=context.task,
    )
    entries: Iterable[FolderEntry] = walk
    if sort != "name":
        wanted = (
            entry
            for entry in walk
            if passed is None or _key(entry, sort) > passed
        )
        entries = heapq.nsmallest(
            arguments.limit + 1, wanted, key=lambda entry: _key(entry, sort)
        )
    most = context.settings.page_chars
    page = BoundedText(most)
    listed: list[ListedEntry] = []
    last: FolderEntry | None = None
    cursor: str | None = None
    too_long = 0
    for entry in entries:
        facts = _listed(context, entry, details=arguments.details)
        row, reserve = (
            facts.row,
            400 + 3 * len(entry.path),
        )  # for the cursor, which holds the path
        if len(row) + reserve > most:
            too_long += 1
        elif len(listed) < arguments.limit and not page.extend(
            [row], reserve=reserve
        ):
            listed.append(facts)
            last = entry
        else:
            cursor = (
                encode("list", sort, [*_key(last, sort)])
                if last is not None
                else None
            )
            break
    if cursor is not None:
        page.add(f"[{len(listed)} shown; go on with cursor={cursor}]")
    if too_long:
        page.add(
            f"[{pluralize(too_long, 'path')} too long to be shown; list a folder further down]"
        )
    elif not listed:
        page.add(
            "(nothing matches)"
            if arguments.glob is not None
            else "(empty folder)"
        )
        page.add(
            *(
                f"[{note}]"
                for note in names_in_other_spellings(
                    context, location, arguments.glob
                )
            )
        )
    if walk.ignored_count:
        page.add(
            f"[{walk.ignored_count} ignored names left out so far; include_ignored=true shows them]"
        )
    if walk.unreadable_count:
        page.add(f"[{walk.unreadable_count} folders could not be read]")
    return ListResult(
        page.text(),
        path=location.display_path,
        entries=tuple(listed),
        next_cursor=cursor,
        complete=cursor is None,
        ignored=walk.ignored_count,
        unreadable=walk.unreadable_count,
    )


def names_in_other_spellings(
    context: Context, folder: Location, glob: str | None
) -> list[str]:
    """Return a note on names that look as if they matched a glob that matches none; they are looked for an instant."""
    names: list[str] = []
    if glob is None or glob.startswith("!"):
        return []
    with (
        suppress(FilewrightError),
        best_effort(context.task, _SPELLING_SECONDS) as spare,
    ):
        anywhere = GlobFolder((), 0, lambda _name: True, lambda _path: False)
        wanted = Globs.compile([visible_form(glob)], anywhere).wanted
        for entry in context.boundary.walk(folder, task=spare):
            parts = [
                visible_form(os.fsdecode(part))
                for part in entry.location.parts[len(folder.parts) :]
            ]
            *above, name = [
                os.fsencode(part.replace("/", "_")) for part in parts
            ]
            prefix = b"".join(part + b"/" for part in above)
            if (
                wanted is not None
                and wanted.deciding_rule(prefix, name, entry.kind == "folder")
                is not None
            ):
                names.append(distinct_form(entry.location, glob))
            if len(names) == _NAMED_SPELLINGS:
                break
    return [f"there in another spelling: {', '.join(names)}"] if names else []


def _key(entry: FolderEntry, sort: str) -> tuple[int, str]:
    """Newest or largest first, then by path, each byte of it a character."""
    status, path = entry.status, entry.path.decode("latin-1")
    if status is None or sort == "name":
        return (0, path)
    return (-(status.mtime_ns if sort == "modified" else status.size), path)


def _listed(
    context: Context, entry: FolderEntry, *, details: bool
) -> ListedEntry:
    location, status = entry.location, entry.status
    target = None
    if entry.kind == "link":
        with suppress(FilewrightError):
            target = quote(context.boundary.read_link(location))
    facts = ListedEntry(
        location.display_path + ("/" if entry.kind == "folder" else ""),
        quote(location.name),
        entry.kind,
        target,
    )
    if not details or status is None:
        return facts
    return replace(
        facts,
        size=status.size,
        modified=time_text(status.mtime_ns),
        mode=f"{status.mode:04o}",
    )


# What is known of each


class StatArguments(Arguments):
    """What to look at."""

    paths: Paths
    """files, folders, links; each gives its status or its error"""


def time_text(nanoseconds: int) -> str:
    """A UTC time to the second, ISO 8601."""
    moment = datetime.datetime.fromtimestamp(
        nanoseconds // 1_000_000_000, datetime.UTC
    )
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _owners(uid: int, gid: int) -> tuple[str, str]:
    """The names of the user and the group, or the numbers where they have none."""
    owner, group = str(uid), str(gid)
    with suppress(KeyError, ImportError):
        import pwd

        owner = pwd.getpwuid(uid).pw_name
    with suppress(KeyError, ImportError):
        import grp

        group = grp.getgrgid(gid).gr_name
    return owner, group


@dataclass(frozen=True, slots=True)
class FileStatus:
    """What is known of one thing; `times_ns` are access, modification and change.

    `created` is there where the file system keeps it; `target` for a link; `encoding` to `line_ending` for
    text, `binary` (a media type) for another file; `unreadable` is the code of the error where a file could
    not be opened.
    """

    type: str
    size: int
    mode: str
    owner: str
    group: str
    uid: int
    gid: int
    hard_links: int
    modified: str
    accessed: str
    changed: str
    times_ns: tuple[int, int, int]
    created: str | None = optional()
    created_ns: int | None = optional()
    target: str | None = optional()
    encoding: str | None = optional()
    encoding_confidence: float | None = optional()
    bom: bool | None = optional()
    line_ending: str | None = optional()
    binary: str | None = optional()
    version: str | None = optional()
    unreadable: str | None = optional()

    @property
    def row(self) -> str:
        """One line for a reader."""
        parts = [
            self.type,
            f"to {self.target}" if self.type == "link" else "",
            f"{self.size:,} bytes" if self.type == "file" else "",
            f"mode {self.mode} {self.owner}:{self.group}",
            f"modified {self.modified}",
            f"{self.hard_links} hard links"
            if self.type == "file" and self.hard_links > 1
            else "",
            f"binary, {self.binary}" if self.binary else "",
            f"{self.encoding}{' with BOM' if self.bom else ''}, {self.line_ending}"
            if self.encoding
            else "",
            f"not readable: {self.unreadable}" if self.unreadable else "",
            f"version {self.version}" if self.version else "",
        ]
        return "; ".join(filter(None, parts))


@dataclass(frozen=True, slots=True)
class StatItem:
    """One path, as asked for, with its status or the error."""

    path: str
    status: Literal["success", "error"]
    stats: FileStatus | None = optional()
    error: FilewrightError | None = optional()


@dataclass(frozen=True, kw_only=True)
class StatResult(ToolResult):
    """The paths in the order asked."""

    several = "results"
    results: tuple[StatItem, ...]


def stat_items(context: Context, arguments: StatArguments) -> StatResult:
    """Status of every path, in order."""
    check_count(context, arguments.paths)
    results: list[StatItem] = []
    page = BoundedText(context.settings.page_chars)
    rows: list[str] = []
    for path in arguments.paths:
        context.task.check()
        try:
            status = _status(context, context.boundary.locate(path))
            results.append(StatItem(escape_surrogates(path), "success", status))
            rows.append(f"{path}: {status.row}")
        except FilewrightError as error:
            results.append(
                StatItem(escape_surrogates(path), "error", error=error)
            )
            rows.append(f"{path}: {error.code}: {error.message}")
    if left := page.extend(rows, reserve=280):
        following = clip(arguments.paths[-left], 200)
        page.add(
            f"[{left} more paths not shown; go on with paths from {following}]"
        )
    return StatResult(page.text(), results=tuple(results))


def _status(context: Context, location: Location) -> FileStatus:
    """The status of one thing; for text also what its bytes are."""
    status = context.boundary.stat(location, birth=True)
    owner, group = _owners(status.uid, status.gid)
    known = FileStatus(
        type=status.kind,
        size=status.size,
        mode=f"{status.mode:04o}",
        owner=owner,
        group=group,
        uid=status.uid,
        gid=status.gid,
        hard_links=status.link_count,
        modified=time_text(status.mtime_ns),
        accessed=time_text(status.atime_ns),
        changed=time_text(status.ctime_ns),
        times_ns=(status.atime_ns, status.mtime_ns, status.ctime_ns),
        created=None if status.birth_ns is None else time_text(status.birth_ns),
        created_ns=status.birth_ns,
        target=quote(context.boundary.read_link(location))
        if status.kind == "link"
        else None,
    )
    if status.kind != "file":
        return known
    try:
        with context.open(location, hold=False) as snapshot:
            if snapshot.binary_type is not None:
                return replace(
                    known, binary=snapshot.binary_type, version=snapshot.version
                )
            return replace(known, **facts(snapshot))
    except FilewrightError as error:
        return replace(known, unreadable=str(error.code))
