"""The dialect `official`: the reference filesystem server of the Model Context Protocol.

One path a call, plain text answers, errors as one sentence. What that server does to files it does not
understand (line endings rewritten, bytes of other encodings replaced, the first of several places
edited) is what a user gets rid of; the rest is as there.
"""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from filewright import system
from filewright.boundary import quote
from filewright.dialects.shared import Call, LenientArguments, dialect, row, worded, writing_row
from filewright.errors import Code, FilewrightError
from filewright.settings import Settings
from filewright.tools import FailedCall, Image, ToolResult, clip
from filewright.visible import visible

if TYPE_CHECKING:
    from filewright.boundary import Location
    from filewright.system import Status
    from filewright.tools import EditRequest, ListedEntry, Newline

Json = dict[str, Any]

_CUT = "[cut at the result limit; head and tail give the first and the last lines]"
_MEDIA = {
    b".png": "image/png",
    b".jpg": "image/jpeg",
    b".jpeg": "image/jpeg",
    b".gif": "image/gif",
    b".webp": "image/webp",
    b".bmp": "image/bmp",
    b".svg": "image/svg+xml",
    b".mp3": "audio/mpeg",
    b".wav": "audio/wav",
    b".ogg": "audio/ogg",
    b".flac": "audio/flac",
}
_TREE_LEVELS = 256
_UNITS = ("B", "KB", "MB", "GB", "TB")
_WORDS = {
    "the search text": "oldText",
    "read_content": "read_text_file",
    "list_files": "list_directory",
    "stat_items": "get_file_info",
    "write_content": "write_file",
    "create_directories": "create_directory",
}


# Errors


def _refusal(error: FilewrightError, limit: int) -> ToolResult:
    """The answer of a call that failed: one sentence, and what to do."""
    hint = (
        "read_media_file gives its bytes"
        if error.code is Code.IS_BINARY
        else worded(error.hint or "", _WORDS)
    )
    return FailedCall(
        clip(f"{_message(error)}\nhint: {hint}" if hint else _message(error), limit), error=error
    )


def _message(error: FilewrightError) -> str:
    """An error in this dialect's words, where it has some."""
    path = error.details.get("path", "")
    match error.code:
        case Code.PATH_ESCAPE:
            return f"Access denied - path outside allowed directories: {error.message}"
        case Code.NOT_FOUND if path:
            return f"ENOENT: no such file or directory: {path}"
        case Code.NO_MATCH:
            return f"Could not find exact match for edit: {worded(error.message, _WORDS)}"
        case Code.ALREADY_EXISTS if path:
            return f"Destination already exists: {path}"
        case _:
            return worded(error.message, _WORDS)


# Reading


class TextRequest(LenientArguments):
    """Which file, and which end of it."""

    path: str
    tail: Annotated[int | None, Field(ge=0, description="only the last N lines")] = None
    head: Annotated[int | None, Field(ge=0, description="only the first N lines")] = None


class PathRequest(LenientArguments):
    """Which file or directory."""

    path: str


class PathsRequest(LenientArguments):
    """Which files."""

    paths: Annotated[list[str], Field(min_length=1)]


def _read_text_file(call: Call, arguments: TextRequest) -> ToolResult:
    """The text of a file, its own line ends kept, or its first or last lines."""
    if arguments.head and arguments.tail:
        raise FilewrightError(
            Code.INVALID_INPUT, "Cannot specify both head and tail parameters simultaneously"
        )
    wanted = arguments.head or arguments.tail
    if not wanted:
        return _cut(_whole(call, arguments.path), call)
    found = call.read(arguments.path, mode="head" if arguments.head else "tail", limit=wanted, numbered=False)
    text = "\n".join(found.rows)
    return ToolResult(text if found.lines_returned >= wanted or found.next is None else f"{text}\n{_CUT}")


def _whole(call: Call, path: str) -> str:
    """The text of a file as it is, or as much of it as an answer takes."""
    with call.context.open_text(call.context.boundary.locate(path)) as snapshot:
        limit = 4 * call.context.settings.hard_chars + 4
        data = snapshot.read(0, limit)
        return data.decode(snapshot.encoding.name, "replace")


def _cut(text: str, call: Call) -> ToolResult:
    limit = call.context.settings.hard_chars
    return ToolResult(text if len(text) <= limit else clip(text, limit, note=_CUT, at_line=True))


def _read_multiple_files(call: Call, arguments: PathsRequest) -> ToolResult:
    """The text of every file behind its path; one that cannot be read fails nothing else."""

    def part(path: str) -> str:
        try:
            return f"{path}:\n{_whole(call, path)}\n"
        except FilewrightError as error:
            return f"{path}: Error - {_message(error)}"

    parts: list[str] = []
    left = call.context.settings.hard_chars
    for number, path in enumerate(arguments.paths):
        call.task.check()
        text = part(path)
        left -= len(text) + 5
        if left < 0 and parts:
            parts.append(f"[{len(arguments.paths) - number} more files, not shown; ask for fewer at once]")
            break
        parts.append(text)
    return _cut("\n---\n".join(parts), call)


def _read_media_file(call: Call, arguments: PathRequest) -> ToolResult:
    """An image, a sound or any other file as it is."""
    settings = call.context.settings
    location = call.context.boundary.locate(arguments.path)
    with call.context.open(location) as snapshot:
        if snapshot.size > settings.image_bytes:
            raise FilewrightError(
                Code.TOO_LARGE,
                f"{location.asked} has {snapshot.size:,} bytes; up to {settings.image_bytes:,} are shown",
                hint="ask the user to raise FILEWRIGHT_IMAGE_BYTES",
                details={"path": location.asked, "size": snapshot.size, "limit": settings.image_bytes},
            )
        kind = _MEDIA.get(os.path.splitext(location.name)[1].lower(), "application/octet-stream")
        uri = system.url_of_path(location.absolute)
        return ToolResult("", images=(Image(snapshot.read(0, snapshot.size), kind, uri),))


# Listing


class SizesRequest(LenientArguments):
    """Which directory, and in which order."""

    path: str
    sortBy: Annotated[Literal["name", "size"], Field(description="Sort entries by name or size")] = "name"  # noqa: N815


class TreeRequest(LenientArguments):
    """Which directory, without what."""

    path: str
    excludePatterns: list[str] = Field(default_factory=list)  # noqa: N815


class FindRequest(LenientArguments):
    """What to find, and where."""

    path: str
    pattern: Annotated[str, Field(min_length=1)]
    excludePatterns: list[str] = Field(default_factory=list)  # noqa: N815


def _entries(
    call: Call, path: str, *, depth: int = 1, glob: str | None = None, exclude: Sequence[str] = ()
) -> tuple[list[ListedEntry], list[str]]:
    """The entries of a directory, ignored ones included, and what to say if those are not all."""
    found, complete = call.entries(
        path, depth=depth, glob=glob, exclude=exclude, details=True, include_ignored=True
    )
    return found, [] if complete else [f"[more than {len(found):,} entries, not shown]"]


def _list_directory(call: Call, arguments: PathRequest) -> ToolResult:
    """The names in a directory."""
    entries, more = _entries(call, arguments.path)
    rows = [f"{'[DIR]' if entry.type == 'folder' else '[FILE]'} {visible(entry.name)}" for entry in entries]
    return _cut("\n".join([*rows, *more]), call)


def _list_directory_with_sizes(call: Call, arguments: SizesRequest) -> ToolResult:
    """The names in a directory with their sizes, and how much that is together."""
    entries, more = _entries(call, arguments.path)
    if arguments.sortBy == "size":
        entries.sort(key=lambda entry: -(entry.size or 0))
    rows = []
    for entry in entries:
        name = visible(entry.name)
        if entry.type == "folder":
            rows.append(f"[DIR] {name:<30} ")
        else:
            rows.append(f"[FILE] {name:<30} {_size(entry.size or 0):>10}")
    files = [entry.size or 0 for entry in entries if entry.type != "folder"]
    totals = [
        "",
        f"Total: {len(files)} files, {len(entries) - len(files)} directories",
        f"Combined size: {_size(sum(files))}",
    ]
    return _cut("\n".join([*rows, *more, *totals]), call)


def _size(count: int) -> str:
    """A size as the original writes it: `512 B`, `1.50 KB`."""
    number, unit = float(count), 0
    while number >= 1024 and unit < len(_UNITS) - 1:
        number /= 1024
        unit += 1
    return f"{number:.2f} {_UNITS[unit]}" if unit else f"{count} B"


def _directory_tree(call: Call, arguments: TreeRequest) -> ToolResult:
    """A directory with everything below, as JSON."""
    exclude = [glob for pattern in arguments.excludePatterns for glob in _anywhere(pattern)]
    entries, more = _entries(call, arguments.path, depth=_TREE_LEVELS, exclude=exclude)
    locate = call.context.boundary.locate
    top: list[Json] = []
    above = locate(arguments.path).parts
    folders = {above: top}
    for entry in entries:
        parts = locate(entry.path).parts
        if entry.type == "folder" and len(parts) - len(above) == _TREE_LEVELS and not more:
            more = [f"[what is deeper than {_TREE_LEVELS} levels is not shown]"]
        made: Json = {"name": entry.name, "type": "directory" if entry.type == "folder" else "file"}
        if entry.type == "folder":
            made["children"] = folders[parts] = []
        folders[parts[:-1]].append(made)
    text = json.dumps(top, ensure_ascii=False, indent=2)
    return _cut("\n".join([text, *more]), call)


def _anywhere(pattern: str) -> Iterator[str]:
    """The globs that an exclusion means: one without a star names a file or directory at any depth."""
    yield f"./{pattern}"
    if "*" not in pattern:
        yield f"**/{pattern}"


def _search_files(call: Call, arguments: FindRequest) -> ToolResult:
    """The full paths of what fits a pattern."""
    exclude = [f"./{pattern}" for pattern in arguments.excludePatterns]
    entries, more = _entries(call, arguments.path, depth=0, glob=f"./{arguments.pattern}", exclude=exclude)
    locate = call.context.boundary.locate
    rows = [_full(locate(entry.path)) for entry in entries]
    return _cut("\n".join([*(rows or ["No matches found"]), *more]), call)


def _full(where: Location) -> str:
    return quote(where.absolute)


def _get_file_info(call: Call, arguments: PathRequest) -> ToolResult:
    """What is known of a file or directory; of a link, of what it leads to."""
    status = _status(call, call.context.boundary.locate(arguments.path))
    facts = {
        "size": status.size,
        "created": _date(status.birth_ns if status.birth_ns is not None else status.ctime_ns),
        "modified": _date(status.mtime_ns),
        "accessed": _date(status.atime_ns),
        "isDirectory": str(status.kind == "folder").lower(),
        "isFile": str(status.kind == "file").lower(),
        "permissions": f"{status.mode & 0o777:03o}",
    }
    return ToolResult("\n".join(f"{name}: {value}" for name, value in facts.items()))


def _status(call: Call, where: Location) -> Status:
    boundary = call.context.boundary
    status = boundary.stat(where)
    if status.kind == "link":
        try:
            with boundary.open_folder(where) as folder:
                return folder.status()
        except FilewrightError:
            with boundary.open_file(where) as file:
                return file.status()
    return status


def _date(nanoseconds: int) -> str:
    """A time as the original writes it, in UTC."""
    moment = datetime.datetime.fromtimestamp(nanoseconds // 1_000_000_000, datetime.UTC)
    return f"{moment:%a %b %d %Y %H:%M:%S} GMT+0000 (Coordinated Universal Time)"


def _list_allowed_directories(call: Call, _arguments: LenientArguments) -> ToolResult:
    """The roots."""
    roots = [quote(root.path) for root in call.context.boundary.roots]
    return ToolResult("\n".join(["Allowed directories:", *roots]))


# Changing


class WriteFileRequest(LenientArguments):
    """A file and its new content."""

    path: str
    content: str


class OfficialEdit(LenientArguments):
    """One replacement."""

    oldText: Annotated[str, Field(description="Text to search for - must match exactly")]  # noqa: N815
    newText: Annotated[str, Field(description="Text to replace with")]  # noqa: N815


class EditFileRequest(LenientArguments):
    """The replacements in one file."""

    path: str
    edits: Annotated[list[OfficialEdit], Field(min_length=1)]
    dryRun: Annotated[bool, Field(description="Preview changes using git-style diff format")] = False  # noqa: N815


class MoveFileRequest(LenientArguments):
    """From where to where."""

    source: str
    destination: str


def _write_file(call: Call, arguments: WriteFileRequest) -> ToolResult:
    """Write a whole file; text without carriage returns gets the line ends of the file that was there."""
    newline: Newline | None = "keep" if "\r" in arguments.content else None
    call.write(arguments.path, arguments.content, mode="overwrite", newline=newline)
    return ToolResult(f"Successfully wrote to {arguments.path}")


def _edit_file(call: Call, arguments: EditFileRequest) -> ToolResult:
    """Replace texts one after the other, all or none; the diff."""
    edits: list[EditRequest] = [{"search": edit.oldText, "replace": edit.newText} for edit in arguments.edits]
    try:
        made = call.edit(arguments.path, edits, preview=arguments.dryRun, in_turn=True)
        diff = made.diff
    except FilewrightError as error:
        if error.code is not Code.NO_CHANGE:
            raise
        diff = ""
    fence = "```"
    while fence in diff:
        fence += "`"
    return _cut(f"{fence}diff\n{visible(diff)}{fence}\n\n", call)


def _create_directory(call: Call, arguments: PathRequest) -> ToolResult:
    """Make a directory with its parents."""
    call.create_directories(arguments.path)
    return ToolResult(f"Successfully created directory {arguments.path}")


def _move_file(call: Call, arguments: MoveFileRequest) -> ToolResult:
    """Move or rename; what is there already stays."""
    call.move(arguments.source, arguments.destination)
    return ToolResult(f"Successfully moved {arguments.source} to {arguments.destination}")


def _limits(settings: Settings) -> Mapping[str, Any]:
    return {"page_chars": settings.hard_chars - 1_000, "line_chars": settings.hard_chars - 1_000}


SURFACE = dialect(
    "official",
    workflow=(
        "Files below the allowed directories. read_text_file (head, tail), directory_tree and search_files find "
        "what to change; edit_file replaces texts that stand exactly once, dryRun shows the diff first. Line "
        "endings and encodings stay as they are, and every change can be undone by the user."
    ),
    tools=(
        row("read_file", "As read_text_file (deprecated).", TextRequest, _read_text_file),
        row(
            "read_text_file",
            "Read a file as text, in whatever encoding it is: all of it, or the first (head) or last (tail) lines.",
            TextRequest,
            _read_text_file,
        ),
        row(
            "read_media_file",
            "Read a file as it is: an image or a sound as such, any other file as an embedded resource.",
            PathRequest,
            _read_media_file,
        ),
        row(
            "read_multiple_files",
            "Read several files as text, each behind its path; one that cannot be read fails nothing else.",
            PathsRequest,
            _read_multiple_files,
        ),
        writing_row(
            "write_file",
            "Create a file or replace all of its content.",
            WriteFileRequest,
            _write_file,
            idempotent=True,
        ),
        writing_row(
            "edit_file",
            "Replace texts in a file, one after the other, all or none; each must be there once. "
            "Answers a git-style diff.",
            EditFileRequest,
            _edit_file,
        ),
        writing_row(
            "create_directory",
            "Make a directory with its parents; one that is there already stays.",
            PathRequest,
            _create_directory,
            toolset="files",
            destructive=False,
            idempotent=True,
        ),
        row(
            "list_directory",
            "The files ([FILE]) and directories ([DIR]) in a directory.",
            PathRequest,
            _list_directory,
        ),
        row(
            "list_directory_with_sizes",
            "The same with sizes and totals, by name or largest first.",
            SizesRequest,
            _list_directory_with_sizes,
        ),
        row(
            "directory_tree",
            "Everything below a directory as JSON: name, type, and children of directories.",
            TreeRequest,
            _directory_tree,
        ),
        writing_row(
            "move_file",
            "Move or rename a file or directory; a destination that is there is refused.",
            MoveFileRequest,
            _move_file,
            toolset="files",
        ),
        row(
            "search_files",
            "Full paths of what fits a glob below a directory: *.ext in it, **/*.ext at any depth.",
            FindRequest,
            _search_files,
        ),
        row(
            "get_file_info",
            "Size, times, type and permissions of a file or directory.",
            PathRequest,
            _get_file_info,
        ),
        row(
            "list_allowed_directories",
            "The directories that may be worked in.",
            LenientArguments,
            _list_allowed_directories,
        ),
    ),
    limits=_limits,
    refusal=_refusal,
)
