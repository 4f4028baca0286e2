"""Tools that list: `list_dir`, `glob`, `tree`, `file_stat`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from filewright.dialects.agent_tools.rows import render_rows
from filewright.dialects.arguments import LenientArguments
from filewright.dialects.call import MAX_ENTRIES, Call
from filewright.dialects.entries import (
    PlacedEntry,
    place_entries,
    sort_folders_first,
)
from filewright.dialects.json_answers import Json
from filewright.errors import FilewrightError
from filewright.tools.listing import ListResult
from filewright.wording import escape_controls

_DEFAULT_DEPTH = 4
_TYPES = {"folder": "directory", "link": "symlink", "file": "file"}


def note_on_more(listing: ListResult) -> list[str]:
    """Return the footer of a folder with more entries than are listed, or none."""
    if listing.next_cursor is None:
        return []
    return ["(more entries, not shown)"]


class ListDir(LenientArguments):
    """Arguments of `list_dir`."""

    path: str = "."


def list_dir(call: Call, arguments: ListDir) -> str:
    """Return folders, and then files with their sizes."""
    listing = call.for_listing().list_files(
        arguments.path, details=True, include_ignored=True, limit=MAX_ENTRIES
    )
    folder_rows = []
    other_rows = []
    for entry in listing.entries:
        name = escape_controls(entry.name)
        kind = entry.type
        size = entry.size
        if kind == "link":
            try:
                kind = call.target_status(entry.path).kind
            except FilewrightError:
                # The link leads nowhere, so its target has nothing to read.
                size = 0
        if kind == "folder":
            folder_rows.append(f"{name}/")
        else:
            other_rows.append(f"{name}\t{size}")
    return render_rows(
        call,
        folder_rows + other_rows,
        note_on_more(listing),
        empty="(empty directory)",
    )


class Glob(LenientArguments):
    """Arguments of `glob`."""

    path: str = "."
    pattern: Annotated[str, Field(min_length=1, description="Such as **/*.py.")]
    respect_gitignore: bool = True


def glob(call: Call, arguments: Glob) -> str:
    """Return the files that match a glob, newest first."""
    listing = call.for_listing().list_files(
        arguments.path,
        glob=arguments.pattern,
        sort="modified",
        include_ignored=not arguments.respect_gitignore,
        limit=MAX_ENTRIES,
    )
    rows = []
    for entry in listing.entries:
        if entry.type == "file":
            rows.append(escape_controls(entry.path))
    return render_rows(call, rows, note_on_more(listing), empty="(no matches)")


class Tree(LenientArguments):
    """Arguments of `tree`."""

    path: str = "."
    depth: Annotated[int, Field(ge=0, le=64, description="0: the default.")] = 4
    respect_gitignore: bool = True


def tree(call: Call, arguments: Tree) -> str:
    """Return a folder drawn as a tree; linked folders are named, not entered."""
    listing = call.for_listing().list_files(
        arguments.path,
        details=True,
        include_ignored=not arguments.respect_gitignore,
        # Some clients fill a number that is not set with 0.
        depth=arguments.depth or _DEFAULT_DEPTH,
        limit=MAX_ENTRIES,
    )
    placed_entries = place_entries(call, arguments.path, listing.entries)
    rows = draw_tree(sort_folders_first(placed_entries))
    top = call.locate(arguments.path).display_path
    return render_rows(
        call, [top, *(rows or ["(no entries)"])], note_on_more(listing)
    )


def draw_tree(placed_entries: Sequence[PlacedEntry]) -> list[str]:
    """Return a row for each entry, with lines that lead to it."""
    last_children = {}
    for placed_entry in placed_entries:
        # Later entries of the same folder replace earlier ones: the last one stays.
        last_children[placed_entry.parts[:-1]] = placed_entry.parts
    rows = []
    for placed_entry in placed_entries:
        parts = placed_entry.parts
        margin = ""
        for level in range(1, len(parts)):
            is_last = last_children[parts[: level - 1]] == parts[:level]
            margin += "    " if is_last else "│   "
        corner = "└── " if last_children[parts[:-1]] == parts else "├── "
        entry = placed_entry.entry
        mark = {"folder": "/", "link": "@"}.get(entry.type, f"\t{entry.size}")
        rows.append(f"{margin}{corner}{escape_controls(entry.name)}{mark}")
    return rows


class FileStat(LenientArguments):
    """Arguments of `file_stat`."""

    path: str


def file_stat(call: Call, arguments: FileStat) -> Json:
    """Return the status of a file, link or folder."""
    (item,) = call.stat(arguments.path).results
    if item.error is not None:
        raise item.error
    status = item.stats
    assert status is not None
    answer: Json = {
        "path": arguments.path,
        "type": _TYPES.get(status.type, "other"),
        "size": status.size,
        "mtime": status.modified,
        "mode": status.mode,
        "owner": status.owner,
        "group": status.group,
    }
    if status.unreadable:
        answer["binary"] = False
        answer["mime"] = None
        answer["unreadable"] = status.unreadable
    elif status.type == "link":
        answer["symlink_target"] = status.target
    elif status.type == "file":
        media_type = status.binary or ""
        is_image = media_type.startswith("image/")
        answer["binary"] = bool(status.binary)
        answer["mime"] = media_type if is_image else None
        answer["encoding"] = status.encoding
        answer["line_ending"] = status.line_ending
        answer["version"] = status.version
    return answer
