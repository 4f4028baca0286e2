"""The dialect `official`: the reference filesystem server of the Model Context Protocol.

One path a call, plain text answers, errors as one sentence. What that server does to files it does not
understand (line endings rewritten, bytes of other encodings replaced, the first of several places
edited) is what a user gets rid of; the rest is as there.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from typing import TYPE_CHECKING

from filewright import errors, system
from filewright.boundary.names import quote
from filewright.dialects.table import Call, Json, Parts, Record, said
from filewright.errors import Code, FilewrightError
from filewright.tools.result import Image, ToolResult
from filewright.wording import escape_controls

if TYPE_CHECKING:
    from filewright.tools.listing import ListedEntry

_TREE_LEVELS = 256
_UNITS = ("B", "KB", "MB", "GB", "TB")


# Reading


def read_text_file(call: Call, given: Record) -> str:
    """The text of a file, its own line ends kept, or its first or last lines."""
    if given.head and given.tail:
        raise errors.invalid(
            "Cannot specify both head and tail parameters simultaneously"
        )
    wanted = given.head or given.tail
    if not wanted:
        return _whole(call, given.path)
    found = call.read(
        given.path,
        mode="head" if given.head else "tail",
        limit=wanted,
        numbered=False,
    )
    cut = found.lines_returned < wanted and found.next is not None
    return "\n".join([*found.rows, call.table["cut"]] if cut else found.rows)


read_file = read_text_file


def _whole(call: Call, path: str) -> str:
    """The text of a file as it is, or as much of it as an answer takes."""
    with call.context.open(call.locate(path), text=True) as snapshot:
        return snapshot.read(0, 4 * call.limit + 4).decode(
            snapshot.encoding.name, "replace"
        )


def read_multiple_files(call: Call, given: Record) -> str:
    """The text of every file behind its path; one that cannot be read fails nothing else."""
    parts: list[str] = []
    left = call.limit
    for number, path in enumerate(given.paths):
        call.task.check()
        try:
            text = f"{path}:\n{_whole(call, path)}\n"
        except FilewrightError as error:
            text = f"{path}: Error - {said(call.table, error, hinted=False)}"
        left -= len(text) + 5
        if left < 0 and parts:
            parts.append(
                f"[{len(given.paths) - number} more files, not shown; ask for fewer at once]"
            )
            break
        parts.append(text)
    return "\n---\n".join(parts)


def read_media_file(call: Call, given: Record) -> ToolResult:
    """An image, a sound or any other file as it is."""
    limit = call.context.settings.image_bytes
    location = call.locate(given.path)
    with call.context.open(location) as snapshot:
        if snapshot.size > limit:
            raise errors.path_error(
                Code.TOO_LARGE,
                given.path,
                f"{given.path} has {snapshot.size:,} bytes; up to {limit:,} are shown",
                "ask the user to raise FILEWRIGHT_IMAGE_BYTES",
                size=snapshot.size,
                limit=limit,
            )
        end = os.fsdecode(os.path.splitext(location.name)[1]).lower()
        kind = call.table["media"].get(end, "application/octet-stream")
        uri = system.path_to_file_url(location.absolute)
        return ToolResult(
            "", images=(Image(snapshot.read(0, snapshot.size), kind, uri),)
        )


# Listing


def list_directory(call: Call, _: Record) -> str:
    """The names in a directory."""
    entries, more = call.entries()
    return "\n".join([*map(_marked, entries), *more])


def _marked(entry: ListedEntry, width: int = 0) -> str:
    """What an entry is and its name."""
    return f"{'[DIR]' if entry.type == 'folder' else '[FILE]'} {escape_controls(entry.name):<{width}}"


def list_directory_with_sizes(call: Call, given: Record) -> str:
    """The names in a directory with their sizes, and how much that is together."""
    entries, more = call.entries()
    if given.sort_by == "size":
        entries.sort(key=lambda entry: -(entry.size or 0))
    sizes = [entry.size or 0 for entry in entries if entry.type != "folder"]
    rows = []
    for entry in entries:
        size = "" if entry.type == "folder" else f"{_size(entry.size or 0):>10}"
        rows.append(f"{_marked(entry, 30)} {size}")
    count = (
        f"Total: {len(sizes)} files, {len(entries) - len(sizes)} directories"
    )
    return "\n".join(
        [*rows, *more, "", count, f"Combined size: {_size(sum(sizes))}"]
    )


def _size(count: int) -> str:
    """A size as the original writes it: `512 B`, `1.50 KB`."""
    number, unit = float(count), 0
    while number >= 1024 and unit < len(_UNITS) - 1:
        number /= 1024
        unit += 1
    return f"{number:.2f} {_UNITS[unit]}" if unit else f"{count} B"


def directory_tree(call: Call, given: Record) -> str:
    """A directory with everything below, as JSON."""
    excluded = [
        f"./{pattern}" for pattern in given.exclude or ()
    ]  # without a star, a name at any depth
    excluded += [
        f"**/{pattern}" for pattern in given.exclude or () if "*" not in pattern
    ]
    entries, more = call.entries(depth=_TREE_LEVELS, exclude=excluded)
    members: dict[Parts, list[Json]] = defaultdict(list)
    for parts, entry in call.below(entries):
        made: Json = {"name": entry.name, "type": "file"}
        if entry.type == "folder":
            made |= {"type": "directory", "children": members[parts]}
        members[parts[:-1]].append(made)
    if not more and any(len(parts) == _TREE_LEVELS for parts in members):
        more.append(f"[what is deeper than {_TREE_LEVELS} levels is not shown]")
    return "\n".join(
        [json.dumps(members[()], ensure_ascii=False, indent=2), *more]
    )


def search_files(call: Call, given: Record) -> str:
    """The full paths of what fits a pattern."""
    excluded = [f"./{pattern}" for pattern in given.exclude or ()]
    entries, more = call.entries(
        depth=0, glob=f"./{given.pattern}", exclude=excluded
    )
    rows = [quote(call.locate(entry.path).absolute) for entry in entries]
    return "\n".join([*(rows or ["No matches found"]), *more])


def get_file_info(call: Call, given: Record) -> str:
    """What is known of a file or directory; of a link, of what it leads to."""
    status = call.status(given.path)
    created = status.ctime_ns if status.birth_ns is None else status.birth_ns
    facts = call.shaped("info", {"status": status, "created": created})
    return "\n".join(f"{name}: {value}" for name, value in facts.items())


def list_allowed_directories(call: Call, _: Record) -> str:
    """The roots."""
    roots = [quote(root.path) for root in call.context.boundary.roots]
    return "\n".join(["Allowed directories:", *roots])


# Changing


def edit_file(call: Call, _: Record) -> str:
    """Replace texts one after the other, all or none; the diff."""
    diff = escape_controls(call.edit(**call.request).diff)
    fence = "```"
    while fence in diff:
        fence += "`"
    return f"{fence}diff\n{diff}{fence}\n\n"
