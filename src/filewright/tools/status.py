"""The tool `stat_items`: the status of files, folders and links, without reading their text."""

from __future__ import annotations

import datetime
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal

from filewright.boundary.location import Location
from filewright.boundary.names import quote
from filewright.errors import FilewrightError
from filewright.tools.arguments import Arguments
from filewright.tools.batch import check_count
from filewright.tools.context import Context
from filewright.tools.file_facts import encoding_facts
from filewright.tools.items import Paths
from filewright.tools.result import ToolResult, optional
from filewright.tools.status_rendering import render_status
from filewright.tools.tool import Tool
from filewright.wording import escape_surrogates


class StatArguments(Arguments):
    """Arguments of `stat_items`."""

    paths: Paths
    """files, folders, links; each gives its status or its error"""


@dataclass(frozen=True, slots=True)
class FileStatus:
    """The status of one file, folder or link; `times_ns` are access, modification and change.

    `created` is None where the file system does not keep it; `target` is that of a link;
    `encoding` to `line_ending` are those of a text, `binary` is the media type of another
    file; `unreadable` is the code of the error of a file that could not be opened.
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


@dataclass(frozen=True, slots=True)
class StatItem:
    """One path as it was requested, with its status or the error."""

    path: str
    status: Literal["success", "error"]
    stats: FileStatus | None = optional()
    error: FilewrightError | None = optional()


@dataclass(frozen=True, kw_only=True)
class StatResult(ToolResult):
    """The paths in the order of the call."""

    several = "results"
    results: tuple[StatItem, ...]


def stat_items(context: Context, arguments: StatArguments) -> StatResult:
    """Return the status of every path, or its error, in order."""
    check_count(context, arguments.paths)
    items: list[StatItem] = []
    for path in arguments.paths:
        context.task.check()
        requested_path = escape_surrogates(path)
        try:
            status = read_status(context, context.boundary.locate(path))
        except FilewrightError as error:
            items.append(StatItem(requested_path, "error", error=error))
        else:
            items.append(StatItem(requested_path, "success", status))
    text = render_status(
        items, arguments.paths, max_chars=context.settings.page_chars
    )
    return StatResult(text, results=tuple(items))


def read_status(context: Context, location: Location) -> FileStatus:
    """Return the status of a file, folder or link; of a text also its encoding."""
    status = context.boundary.stat(location, birth=True)
    created = target = None
    if status.birth_ns is not None:
        created = format_time(status.birth_ns)
    if status.kind == "link":
        target = quote(context.boundary.read_link(location))
    file_status = FileStatus(
        type=status.kind,
        size=status.size,
        mode=f"{status.mode:04o}",
        owner=user_name(status.uid),
        group=group_name(status.gid),
        uid=status.uid,
        gid=status.gid,
        hard_links=status.link_count,
        modified=format_time(status.mtime_ns),
        accessed=format_time(status.atime_ns),
        changed=format_time(status.ctime_ns),
        times_ns=(status.atime_ns, status.mtime_ns, status.ctime_ns),
        created=created,
        created_ns=status.birth_ns,
        target=target,
    )
    if status.kind != "file":
        return file_status
    try:
        with context.open(location, hold=False) as snapshot:
            if snapshot.binary_type is not None:
                return replace(
                    file_status,
                    binary=snapshot.binary_type,
                    version=snapshot.version,
                )
            return replace(file_status, **encoding_facts(snapshot))
    except FilewrightError as error:
        # The status of a file is known even if its content cannot be read.
        return replace(file_status, unreadable=str(error.code))


def format_time(nanoseconds: int) -> str:
    """Return a UTC time to the second, as ISO 8601."""
    moment = datetime.datetime.fromtimestamp(
        nanoseconds // 1_000_000_000, datetime.UTC
    )
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def user_name(uid: int) -> str:
    """Return the name of a user, or the number if there is none."""
    # Windows has no such module.
    with suppress(KeyError, ImportError):
        import pwd

        return pwd.getpwuid(uid).pw_name
    return str(uid)


def group_name(gid: int) -> str:
    """Return the name of a group, or the number if there is none."""
    with suppress(KeyError, ImportError):
        import grp

        return grp.getgrgid(gid).gr_name
    return str(gid)


STAT_ITEMS = Tool(
    name="stat_items",
    title="Status of files",
    description=(
        "Show type, size, times, mode, owner, link target, encoding, line "
        "endings and version, not the text."
    ),
    toolset="read",
    arguments=StatArguments,
    run=stat_items,
)
