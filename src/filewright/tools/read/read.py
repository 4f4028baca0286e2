"""The tool `read_content`, from its arguments to its result.

`read_file` is the page: find the file, open it, and read what the call names.
"""

from __future__ import annotations

from dataclasses import replace

from filewright.errors import invalid
from filewright.tools.context import Context
from filewright.tools.file_facts import explain_damage
from filewright.tools.read.arguments import (
    ReadArguments,
    require_one_place,
    split_reads,
)
from filewright.tools.read.image import read_image
from filewright.tools.read.lines import HEADING_CHARS, read_lines
from filewright.tools.read.log import read_appended, read_end, read_rotated
from filewright.tools.read.piece import read_piece
from filewright.tools.read.place import find_match_in_long_line
from filewright.tools.read.rendering import mark_headings
from filewright.tools.read.result import FileRead, FilesRead
from filewright.tools.rotated_logs import find_rotated
from filewright.tools.several import join_texts, run_for_each
from filewright.tools.tool import Tool

CHARS_BEFORE_MATCH = 200
"""Characters of a long line that are shown before a match in it."""


def read_content(
    context: Context, arguments: ReadArguments
) -> FileRead | FilesRead:
    """Read one file, or each of several."""
    if [arguments.path, arguments.paths, arguments.items].count(None) != 2:
        raise invalid(
            "read_content takes either path or paths or items",
            "give path for one file, paths for several, items for a place in each",
        )
    max_chars = context.settings.page_chars
    if arguments.path is not None:
        require_one_place(arguments)
        return read_file(context, arguments, max_chars)
    reads = split_reads(arguments, context.settings.max_paths)
    paths = [request.path or "" for request in reads]
    files = run_for_each(
        paths,
        max_chars,
        lambda number, share: read_file(context, reads[number], share),
        "[{}]\n{}",
    )
    if not arguments.numbered:
        files = mark_headings(files)
    images = tuple(image for file in files for image in file.images)
    return FilesRead(
        join_texts(files, paths, max_chars), files=tuple(files), images=images
    )


def read_file(
    context: Context, arguments: ReadArguments, max_chars: int
) -> FileRead:
    """Read one file: its lines, a piece of a long line, or an image."""
    with context.explaining():
        location = context.boundary.locate(arguments.path or "")
        members = find_rotated(context, location, rotated=arguments.rotated)
        if arguments.cursor is not None:
            newest = members[-1] if members else location
            return read_appended(context, newest, arguments, max_chars)
        if members:
            return read_rotated(context, members, arguments, max_chars)
        page = context.open_page(location, encoding=arguments.encoding)
    if arguments.max_chars is not None:
        max_chars = min(max_chars, HEADING_CHARS + arguments.max_chars)
    with page as snapshot, explain_damage(snapshot):
        if snapshot.binary_type is not None:
            return read_image(context, snapshot, location)
        if arguments.column is not None:
            return read_piece(
                snapshot, arguments, arguments.column, max_chars, context.task
            )
        if arguments.follow:
            return read_end(context, snapshot, arguments, max_chars)
        hit = find_match_in_long_line(context, snapshot, arguments)
        if hit is None:
            return read_lines(context, snapshot, arguments, max_chars)
        piece_chars = arguments.max_chars or context.settings.line_chars
        piece = read_piece(
            snapshot,
            arguments.model_copy(
                update={"line": hit.line, "max_chars": piece_chars}
            ),
            max(1, hit.column - CHARS_BEFORE_MATCH),
            max_chars,
            context.task,
        )
        return replace(piece, match_line=hit.line)


READ_CONTENT = Tool(
    name="read_content",
    title="Read files",
    description=(
        "Read a file (path) or parts of several (items): lines, head, tail, "
        "around a line or match, a definition (symbol, or mode=semantic with "
        "line), images. Rows are `number<TAB>text`: omit the numbers in "
        "edits. Logs: since, until, follow."
    ),
    toolset="read",
    arguments=ReadArguments,
    run=read_content,
    step=("2. Read only what you need, many places in a call."),
)
