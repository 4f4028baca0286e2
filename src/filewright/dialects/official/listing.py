"""Tools that list directories and tell of files."""

from __future__ import annotations

import json
from collections import defaultdict
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from filewright.boundary.names import quote
from filewright.dialects.arguments import LenientArguments
from filewright.dialects.call import MAX_ENTRIES, Call
from filewright.dialects.json_answers import Json
from filewright.tools.listing import ListedEntry, ListResult
from filewright.wording import escape_controls

_MAX_TREE_LEVELS = 256
"""Levels of a tree that are listed; a note says if there are more."""

_SIZE_UNITS = ("B", "KB", "MB", "GB", "TB")


class ListDirectory(LenientArguments):
    """Arguments of `list_directory`."""

    path: str


def list_directory(call: Call, arguments: ListDirectory) -> str:
    """Return the names in a directory."""
    listing = call.for_listing().list_files(
        arguments.path, details=True, include_ignored=True, limit=MAX_ENTRIES
    )
    lines = [render_entry(entry) for entry in listing.entries]
    lines += note_on_more(listing)
    return "\n".join(lines)


def render_entry(entry: ListedEntry, width: int = 0) -> str:
    """Return the kind and the name of an entry."""
    kind = "[DIR]" if entry.type == "folder" else "[FILE]"
    return f"{kind} {escape_controls(entry.name):<{width}}"


def note_on_more(listing: ListResult) -> list[str]:
    """Return a line that says that more entries exist, or no line."""
    if listing.next_cursor is None:
        return []
    return [f"[more than {len(listing.entries):,} entries, not shown]"]


class ListDirectoryWithSizes(LenientArguments):
    """Arguments of `list_directory_with_sizes`."""

    path: str
    sort_by: Annotated[
        Literal["name", "size"],
        Field(
            validation_alias="sortBy",
            description="Sort entries by name or size",
        ),
    ] = "name"


def list_directory_with_sizes(
    call: Call, arguments: ListDirectoryWithSizes
) -> str:
    """Return the names in a directory with their sizes and the totals."""
    listing = call.for_listing().list_files(
        arguments.path, details=True, include_ignored=True, limit=MAX_ENTRIES
    )
    entries = list(listing.entries)
    if arguments.sort_by == "size":
        entries.sort(key=lambda entry: -(entry.size or 0))
    lines = []
    file_count = 0
    total_size = 0
    for entry in entries:
        size = ""
        if entry.type != "folder":
            size = f"{format_size(entry.size or 0):>10}"
            file_count += 1
            total_size += entry.size or 0
        lines.append(f"{render_entry(entry, width=30)} {size}")
    folder_count = len(entries) - file_count
    lines += note_on_more(listing)
    lines.append("")
    lines.append(f"Total: {file_count} files, {folder_count} directories")
    lines.append(f"Combined size: {format_size(total_size)}")
    return "\n".join(lines)


def format_size(size: int) -> str:
    """Return a size as the original writes it: `512 B`, `1.50 KB`."""
    value = float(size)
    unit = 0
    while value >= 1024 and unit < len(_SIZE_UNITS) - 1:
        value /= 1024
        unit += 1
    if unit == 0:
        return f"{size} B"
    return f"{value:.2f} {_SIZE_UNITS[unit]}"


class DirectoryTree(LenientArguments):
    """Arguments of `directory_tree`."""

    path: str
    exclude_patterns: Annotated[
        list[str] | None, Field(validation_alias="excludePatterns")
    ] = None


def directory_tree(call: Call, arguments: DirectoryTree) -> str:
    """Return a directory with everything below it as JSON."""
    exclude = []
    for pattern in arguments.exclude_patterns or ():
        exclude.append(f"./{pattern}")
        # A pattern without a star is a name at any depth.
        if "*" not in pattern:
            exclude.append(f"**/{pattern}")
    listing = call.for_listing().list_files(
        arguments.path,
        details=True,
        include_ignored=True,
        limit=MAX_ENTRIES,
        depth=_MAX_TREE_LEVELS,
        exclude=exclude,
    )
    notes = note_on_more(listing)
    children: dict[tuple[bytes, ...], list[Json]] = defaultdict(list)
    deepest = 0
    for entry in listing.entries:
        parts = call.parts_below(arguments.path, entry.path)
        deepest = max(deepest, len(parts))
        node: Json = {"name": entry.name, "type": "file"}
        if entry.type == "folder":
            # The very list to which the entries below the folder are added.
            node = {
                "name": entry.name,
                "type": "directory",
                "children": children[parts],
            }
        children[parts[:-1]].append(node)
    if not notes and deepest == _MAX_TREE_LEVELS:
        notes.append(f"[what is deeper than {deepest} levels is not shown]")
    tree = json.dumps(children[()], ensure_ascii=False, indent=2)
    return "\n".join([tree, *notes])


class SearchFiles(LenientArguments):
    """Arguments of `search_files`."""

    path: str
    pattern: Annotated[str, Field(min_length=1)]
    exclude_patterns: Annotated[
        list[str] | None, Field(validation_alias="excludePatterns")
    ] = None


def search_files(call: Call, arguments: SearchFiles) -> str:
    """Return the full paths of the entries that match a glob."""
    exclude = [f"./{pattern}" for pattern in arguments.exclude_patterns or ()]
    listing = call.for_listing().list_files(
        arguments.path,
        details=True,
        include_ignored=True,
        limit=MAX_ENTRIES,
        depth=0,
        glob=f"./{arguments.pattern}",
        exclude=exclude,
    )
    lines = []
    for entry in listing.entries:
        lines.append(quote(call.locate(entry.path).absolute))
    if not lines:
        lines.append("No matches found")
    lines += note_on_more(listing)
    return "\n".join(lines)


class GetFileInfo(LenientArguments):
    """Arguments of `get_file_info`."""

    path: str


def get_file_info(call: Call, arguments: GetFileInfo) -> str:
    """Return size, times, kind and permissions; of a link those of its target."""
    status = call.target_status(arguments.path)
    created = status.birth_ns
    if created is None:
        created = status.ctime_ns
    facts: dict[str, Any] = {
        "size": status.size,
        "created": format_time(created),
        "modified": format_time(status.mtime_ns),
        "accessed": format_time(status.atime_ns),
        "isDirectory": "true" if status.kind == "folder" else "false",
        "isFile": "true" if status.kind == "file" else "false",
        "permissions": f"{status.mode & 0o777:03o}",
    }
    return "\n".join(f"{name}: {value}" for name, value in facts.items())


def format_time(nanoseconds: int) -> str:
    """Return a time as JavaScript writes it."""
    moment = datetime.fromtimestamp(nanoseconds // 1_000_000_000, UTC)
    return moment.strftime(
        "%a %b %d %Y %H:%M:%S GMT+0000 (Coordinated Universal Time)"
    )


class ListAllowedDirectories(LenientArguments):
    """Arguments of `list_allowed_directories`: none."""


def list_allowed_directories(
    call: Call,
    arguments: ListAllowedDirectories,  # noqa: ARG001 (each tool has it)
) -> str:
    """Return the roots."""
    lines = ["Allowed directories:"]
    for root in call.context.boundary.roots:
        lines.append(quote(root.path))
    return "\n".join(lines)
