"""`stat_items`: what is known of files and folders without reading them."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field

from filewright.boundary import Location, quote
from filewright.errors import FilewrightError, too_many
from filewright.tools.context import Context
from filewright.tools.registry import Arguments, Tool
from filewright.tools.result import Page, ToolResult, facts, optional, size_text
from filewright.visible import encodable, visible


class StatArguments(Arguments):
    """What to look at."""

    paths: Annotated[list[str], Field(min_length=1)]
    """files, folders, links; each gives its status or its error"""


def time_text(nanoseconds: int) -> str:
    """A UTC time to the second, ISO 8601."""
    moment = datetime.datetime.fromtimestamp(nanoseconds // 1_000_000_000, datetime.UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def user_name(uid: int) -> str:
    """The user's name, or the number where it has none."""
    try:
        import pwd

        return pwd.getpwuid(uid).pw_name
    except (KeyError, ImportError):
        return str(uid)


def group_name(gid: int) -> str:
    """The group's name, or the number where it has none."""
    try:
        import grp

        return grp.getgrgid(gid).gr_name
    except (KeyError, ImportError):
        return str(gid)


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
        parts = [self.type]
        if self.type == "link":
            parts.append(f"to {self.target}")
        if self.type == "file":
            parts.append(f"{self.size:,} bytes" + (f" ({size_text(self.size)})" if self.size >= 1024 else ""))
        parts.append(f"mode {self.mode} {self.owner}:{self.group}")
        parts.append(f"modified {self.modified}")
        if self.type == "file" and self.hard_links > 1:
            parts.append(f"{self.hard_links} hard links")
        if self.binary:
            parts.append(f"binary, {self.binary}")
        if self.encoding:
            parts.append(f"{self.encoding}{' with BOM' if self.bom else ''}, {self.line_ending}")
        if self.unreadable:
            parts.append(f"not readable: {self.unreadable}")
        if self.version:
            parts.append(f"version {self.version}")
        return "; ".join(parts)


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


def run(context: Context, arguments: StatArguments) -> StatResult:
    """Status of every path, in order."""
    count, limit = len(arguments.paths), context.settings.max_items
    if count > limit:
        raise too_many(f"{count} paths", count, limit, "ask for fewer paths")
    results: list[StatItem] = []
    page = Page(context.settings.page_chars)
    rows: list[str] = []
    for path in arguments.paths:
        context.task.check()
        try:
            status = _status(context, context.boundary.locate(path))
            results.append(StatItem(encodable(path), "success", status))
            rows.append(f"{visible(path)}: {status.row}")
        except FilewrightError as error:
            results.append(StatItem(encodable(path), "error", error=error))
            rows.append(f"{visible(path)}: {error.code}: {error.message}")
    left = page.extend(rows, reserve=80)
    if left:
        page.add(f"[{left} more, not shown; ask for fewer paths]")
    return StatResult(page.text(), results=tuple(results))


def _status(context: Context, location: Location) -> FileStatus:
    """The status of one thing; for text also what its bytes are."""
    status = context.boundary.stat(location)
    known = FileStatus(
        type=status.kind,
        size=status.size,
        mode=f"{status.mode:04o}",
        owner=user_name(status.uid),
        group=group_name(status.gid),
        uid=status.uid,
        gid=status.gid,
        hard_links=status.links,
        modified=time_text(status.mtime_ns),
        accessed=time_text(status.atime_ns),
        changed=time_text(status.ctime_ns),
        times_ns=(status.atime_ns, status.mtime_ns, status.ctime_ns),
        created=None if status.birth_ns is None else time_text(status.birth_ns),
        created_ns=status.birth_ns,
        target=quote(context.boundary.read_link(location)) if status.kind == "link" else None,
    )
    if status.kind != "file":
        return known
    try:
        with context.open(location, hold=False) as snapshot:
            if snapshot.binary is not None:
                return replace(known, binary=snapshot.binary, version=snapshot.version)
            return replace(known, **facts(snapshot))
    except FilewrightError as error:
        return replace(known, unreadable=str(error.code))


TOOL = Tool(
    "stat_items",
    "Status of files",
    "Type, size, times, mode, owner, link target, encoding, line ending and version, without reading the text.",
    StatArguments,
    run,
    "read",
    listed=False,
)
