"""Tools that read files: `read_file`, `read_text_file`, `read_multiple_files`, `read_media_file`."""

from __future__ import annotations

import os
from typing import Annotated

from pydantic import Field

from filewright import errors, system
from filewright.dialects.arguments import LenientArguments
from filewright.dialects.call import Call
from filewright.dialects.official.errors import describe_error
from filewright.errors import Code, FilewrightError
from filewright.tools.result import Image, ToolResult

CUT_NOTE = (
    "[cut at the result limit; head and tail give the first and the last lines]"
)
"""The last line of a text that is longer than an answer may be."""

_MEDIA_TYPES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".bmp": "image/bmp",
    ".svg": "image/svg+xml",
    ".mp3": "audio/mpeg",
    ".wav": "audio/wav",
    ".ogg": "audio/ogg",
    ".flac": "audio/flac",
}

FirstLines = Annotated[
    int | None, Field(ge=0, description="only the first N lines")
]
LastLines = Annotated[
    int | None, Field(ge=0, description="only the last N lines")
]


class ReadTextFile(LenientArguments):
    """Arguments of `read_text_file` and `read_file`."""

    path: str
    tail: LastLines = None
    head: FirstLines = None


def read_text_file(call: Call, arguments: ReadTextFile) -> str:
    """Return the text of a file with its own line ends, or its first or last lines."""
    if arguments.head and arguments.tail:
        raise errors.invalid(
            "Cannot specify both head and tail parameters simultaneously"
        )
    if arguments.head:
        file = call.read(
            arguments.path, mode="head", limit=arguments.head, numbered=False
        )
    elif arguments.tail:
        file = call.read(
            arguments.path, mode="tail", limit=arguments.tail, numbered=False
        )
    else:
        return read_whole_text(call, arguments.path)
    lines = file.rows
    limit = arguments.head or arguments.tail
    if limit and file.lines_returned < limit and file.next is not None:
        lines.append(CUT_NOTE)
    return "\n".join(lines)


def read_file(call: Call, arguments: ReadTextFile) -> str:
    """Return the same as `read_text_file`: the original's deprecated name."""
    return read_text_file(call, arguments)


def read_whole_text(call: Call, path: str) -> str:
    """Return the text of a file as it is, or as much of it as an answer takes."""
    # A character has at most four bytes; some bytes more show that text was cut.
    byte_limit = 4 * call.max_characters + 4
    with call.context.open(call.locate(path), text=True) as snapshot:
        content = snapshot.read(0, byte_limit)
        return content.decode(snapshot.encoding.name, "replace")


class ReadMultipleFiles(LenientArguments):
    """Arguments of `read_multiple_files`."""

    paths: Annotated[list[str], Field(min_length=1)]


def read_multiple_files(call: Call, arguments: ReadMultipleFiles) -> str:
    """Return the text of every file after its path, and errors in their place."""
    sections: list[str] = []
    remaining = call.max_characters
    for number, path in enumerate(arguments.paths):
        call.task.check()
        try:
            section = f"{path}:\n{read_whole_text(call, path)}\n"
        except FilewrightError as error:
            section = f"{path}: Error - {describe_error(error)}"
        # Three dashes between two sections, on a line of their own.
        remaining -= len(section) + 5
        if remaining < 0 and sections:
            omitted = len(arguments.paths) - number
            sections.append(
                f"[{omitted} more files, not shown; ask for fewer at once]"
            )
            break
        sections.append(section)
    return "\n---\n".join(sections)


class ReadMediaFile(LenientArguments):
    """Arguments of `read_media_file`."""

    path: str


def read_media_file(call: Call, arguments: ReadMediaFile) -> ToolResult:
    """Return the bytes of an image, a sound or any other file."""
    limit = call.settings.image_bytes
    location = call.locate(arguments.path)
    with call.context.open(location) as snapshot:
        if snapshot.size > limit:
            raise errors.path_error(
                Code.TOO_LARGE,
                arguments.path,
                f"{arguments.path} has {snapshot.size:,} bytes; "
                f"up to {limit:,} are shown",
                "ask the user to raise FILEWRIGHT_IMAGE_BYTES",
                size=snapshot.size,
                limit=limit,
            )
        suffix = os.fsdecode(os.path.splitext(location.name)[1]).lower()
        image = Image(
            data=snapshot.read(0, snapshot.size),
            mime=_MEDIA_TYPES.get(suffix, "application/octet-stream"),
            uri=system.path_to_file_url(location.absolute),
        )
    return ToolResult("", images=(image,))
