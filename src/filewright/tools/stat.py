"""`stat_items`: what is known of files and folders without reading them."""

from __future__ import annotations

import datetime
import stat
from typing import Annotated, Any

from pydantic import Field

from filewright.boundary import Location, quote
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.tools.context import Context
from filewright.tools.described import facts
from filewright.tools.registry import Arguments, Tool, ToolResult
from filewright.tools.rendering import Page, encodable, size_text, visible


class StatArguments(Arguments):
    """What to look at."""

    paths: Annotated[list[str], Field(min_length=1)]


_KINDS = {
    stat.S_IFREG: "file",
    stat.S_IFDIR: "folder",
    stat.S_IFLNK: "link",
    stat.S_IFIFO: "fifo",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}


def kind_of(mode: int) -> str:
    """``file``, ``folder``, ``link``, ``fifo``, ``socket`` or ``device``."""
    return _KINDS.get(stat.S_IFMT(mode), "unknown")


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


def run(context: Context, arguments: StatArguments, task: Task) -> ToolResult:
    """Status of every path, in order."""
    if len(arguments.paths) > context.settings.max_items:
        raise FilewrightError(
            Code.TOO_LARGE,
            f"{len(arguments.paths)} paths in one call; the limit is {context.settings.max_items}",
        )
    results: list[dict[str, Any]] = []
    page = Page(context.settings.page_chars)
    rows: list[str] = []
    failures = 0
    first: str | None = None
    for path in arguments.paths:
        task.check()
        try:
            location = context.boundary.locate(path)
            status = describe(context, location)
            results.append({"path": encodable(path), "status": "success", "stats": status})
            rows.append(f"{visible(path)}: {_text(status)}")
        except FilewrightError as error:
            failures += 1
            first = first or str(error.code)
            failed = ToolResult.of_error(error).data
            results.append({"path": encodable(path), "status": "error", "error": dict(failed)})
            rows.append(f"{visible(path)}: {error.code}: {error.message}")
    left = page.extend(rows, reserve=80)
    if left:
        page.add(f"[{left} more, not shown; ask for fewer paths]")
    failed_all = failures == len(results)
    return ToolResult(page.text(), {"results": results}, failed_all, first if failed_all else None)


def describe(context: Context, location: Location) -> dict[str, Any]:
    """The status of one thing as plain values; for text also what its bytes are."""
    status = context.boundary.stat(location)
    kind = status.kind
    result: dict[str, Any] = {
        "type": kind,
        "size": status.size,
        "mode": f"{status.mode:04o}",
        "owner": user_name(status.uid),
        "group": group_name(status.gid),
        "uid": status.uid,
        "gid": status.gid,
        "hard_links": status.links,
        "modified": time_text(status.mtime_ns),
        "accessed": time_text(status.atime_ns),
        "changed": time_text(status.ctime_ns),
        "times_ns": [status.atime_ns, status.mtime_ns, status.ctime_ns],
    }
    if kind == "link":
        result["target"] = quote(context.boundary.read_link(location))
    if kind == "file":
        try:
            with context.open(location, hold=False) as snapshot:
                if snapshot.binary is not None:
                    result["binary"] = snapshot.binary
                    result["version"] = snapshot.version
                else:
                    result.update(facts(snapshot))
        except FilewrightError as error:
            result["unreadable"] = str(error.code)
    return result


def _text(status: dict[str, Any]) -> str:
    parts = [status["type"]]
    if status["type"] == "link":
        parts.append(f"to {status['target']}")
    if status["type"] == "file":
        parts.append(f"{status['size']:,} bytes" + (
            f" ({size_text(status['size'])})" if status["size"] >= 1024 else ""
        ))  # fmt: skip
    parts.append(f"mode {status['mode']} {status['owner']}:{status['group']}")
    parts.append(f"modified {status['modified']}")
    if status["type"] == "file" and status["hard_links"] > 1:
        parts.append(f"{status['hard_links']} hard links")
    if "binary" in status:
        parts.append(f"binary, {status['binary']}")
    if "encoding" in status:
        bom = " with BOM" if status["bom"] else ""
        parts.append(f"{status['encoding']}{bom}, {status['line_ending']}")
    if "unreadable" in status:
        parts.append(f"not readable: {status['unreadable']}")
    if "version" in status:
        parts.append(f"version {status['version']}")
    return "; ".join(parts)


TOOL = Tool(
    name="stat_items",
    title="Status of files",
    description=(
        "Type, size, times, mode, owner, link target, encoding, line ending and version, without reading the text."
    ),
    arguments=StatArguments,
    run=run,
    toolset="read",
)
