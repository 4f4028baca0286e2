"""Tools that read files: `read_file`, `read_files`, `read_image`, `diff`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from filewright import errors
from filewright.dialects.agent_tools.comparing import compare_files
from filewright.dialects.agent_tools.errors import code_of
from filewright.dialects.agent_tools.rows import (
    CUT_MARK,
    bytes_for_rows,
    fit_rows,
    render_rows,
    row_bytes,
)
from filewright.dialects.arguments import LenientArguments
from filewright.dialects.call import Call
from filewright.dialects.offsets import naming_offset
from filewright.errors import Code, FilewrightError
from filewright.tools.read.result import FileRead
from filewright.tools.result import ToolResult
from filewright.wording import escape_controls, pluralize

MAX_LINE_CHARACTERS = 2000

_DEFAULT_LINES = 2000
_MIN_SECTION_BYTES = 200
"""Bytes of the last file of a batch, even if fewer are left."""

_MAX_LISTED_LINES = 20
_MAX_IMAGE_BYTES = 5 << 20
"""The largest image that a model is shown."""

_EXPECTED_ENCODINGS = (None, "utf-8", "ascii", "utf-16-le", "utf-16-be")


@dataclass(frozen=True, slots=True)
class NumberedRows:
    """Numbered lines that fit in an answer, and the offset of the next line if there is one."""

    rows: list[str]
    next_offset: int | None


def number_rows(file: FileRead, limit: int) -> NumberedRows:
    """Return the lines of a file that fit in `limit` bytes: number, tab, text."""
    rows = []
    for number, line in enumerate(file.rows, file.start_line):
        row = f"{number:>6}\t{escape_controls(line)}"
        if number in file.cut_at:
            row += CUT_MARK
        rows.append(row)
    fitting_rows = fit_rows(rows, limit) or ["(empty file)"]
    next_offset = None
    if file.next is not None or len(fitting_rows) < len(rows):
        next_offset = file.start_line + len(fitting_rows)
    return NumberedRows(fitting_rows, next_offset)


class ReadFile(LenientArguments):
    """Arguments of `read_file`."""

    path: str
    offset: Annotated[
        int,
        Field(description="First line, from 1; negative: the last lines."),
    ] = 1
    limit: Annotated[
        int, Field(ge=0, description="Lines at most; 0: the default.")
    ] = 2000
    encoding: Annotated[
        str | None, Field(description="Where it is not found out.")
    ] = None
    column: Annotated[
        int | None,
        Field(
            ge=1,
            description="Read the one line offset from this character on.",
        ),
    ] = None


def read_file(call: Call, arguments: ReadFile) -> str:
    """Return numbered lines, and the offset to continue with."""
    if arguments.column is not None:
        return read_part_of_line(call, arguments, arguments.column)
    with naming_offset(arguments.offset):
        file = call.read(
            arguments.path,
            encoding=arguments.encoding,
            start=arguments.offset,
            limit=arguments.limit or _DEFAULT_LINES,
        )
    page = number_rows(file, bytes_for_rows(call))
    return "\n".join([*page.rows, *footers_of(file, page)])


def read_part_of_line(call: Call, arguments: ReadFile, column: int) -> str:
    """Return a line from a character on, and the column to continue with."""
    line = max(1, arguments.offset)
    with naming_offset(line):
        file = call.read(
            arguments.path,
            encoding=arguments.encoding,
            line=line,
            column=column,
        )
    rows = number_rows(file, bytes_for_rows(call)).rows
    if file.next is not None:
        rows.append(
            f"(the line goes on; call again with column={file.next.column})"
        )
    return "\n".join(rows)


def footers_of(file: FileRead, page: NumberedRows) -> list[str]:
    """Return how to continue, and what is unusual about the file."""
    footers = []
    last_line = file.start_line + len(page.rows) - 1
    if page.next_offset is not None:
        count = pluralize(len(page.rows), "line")
        if file.total_lines is not None:
            count = f"{len(page.rows)} of {file.total_lines} lines"
        footers.append(
            f"[... {count} shown; continue with offset={page.next_offset} ...]"
        )
    if file.cut_at and file.cut_at[0] <= last_line:
        footers.append(
            f"(lines cut; read on with offset={file.cut_at[0]} "
            f"and column={MAX_LINE_CHARACTERS + 1})"
        )
    if file.encoding not in _EXPECTED_ENCODINGS:
        footers.append(f"(encoding: {file.encoding})")
    invalid_lines = [
        str(number)
        for number in file.invalid_lines[:_MAX_LISTED_LINES]
        if number <= last_line
    ]
    if invalid_lines:
        footers.append(
            f"(bytes that are not {file.encoding}, shown as \ufffd, "
            f"in lines {', '.join(invalid_lines)})"
        )
    return footers


class ReadFiles(LenientArguments):
    """Arguments of `read_files`."""

    paths: Annotated[list[str], Field(min_length=1, max_length=64)]


def read_files(call: Call, arguments: ReadFiles) -> str:
    """Return the files that fit, each under a heading, and errors in their place."""
    rows: list[str] = []
    remaining = bytes_for_rows(call)
    for position, path in enumerate(arguments.paths):
        if remaining <= 0:
            omitted = len(arguments.paths) - position
            rows.append(
                f"[... {omitted} more file(s) not shown; "
                "call read_files with fewer paths ...]"
            )
            break
        # A little more than the limit is better than a heading without a line.
        section = read_section(call, path, max(_MIN_SECTION_BYTES, remaining))
        remaining -= sum(row_bytes(row) for row in section)
        rows += section
    return "\n".join(rows)


def read_section(call: Call, path: str, limit: int) -> list[str]:
    """Return a heading with the lines of a file that fit, or with its error."""
    name = escape_controls(path)
    try:
        page = number_rows(call.read(path, limit=_DEFAULT_LINES), limit)
    except FilewrightError as error:
        if error.ends_call:
            raise
        message = escape_controls(error.message)
        return [f"==> {name} — {code_of(error)}: {message} <=="]
    section = [f"==> {name} <==", *page.rows]
    if page.next_offset is not None:
        section.append(
            f"[... more; use read_file with offset={page.next_offset} "
            "for the rest ...]"
        )
    return section


class ReadImage(LenientArguments):
    """Arguments of `read_image`."""

    path: str


def read_image(call: Call, arguments: ReadImage) -> ToolResult:
    """Return an image to look at."""
    file_type = "text"
    image_call = call.with_settings(
        image_bytes=_MAX_IMAGE_BYTES, max_file_bytes=0
    )
    try:
        file = image_call.read(arguments.path, limit=1)
    except FilewrightError as error:
        if error.code != Code.IS_BINARY:
            raise
        file_type = error.details["type"]
    else:
        if file.images:
            return ToolResult("", images=file.images)
    raise errors.path_error(
        Code.INVALID_INPUT,
        arguments.path,
        f"{arguments.path} is not an image: {file_type}",
        "name an image, or read text with read_file",
        error="not_an_image",
    )


class Diff(LenientArguments):
    """Arguments of `diff`."""

    before: Annotated[str, Field(validation_alias="from")]
    after: Annotated[str, Field(validation_alias="to")]


def diff(call: Call, arguments: Diff) -> str:
    """Return a unified diff of two files."""
    text = compare_files(call.context, arguments.before, arguments.after)
    rows = text.rstrip("\n").split("\n") if text else []
    return render_rows(call, rows, empty="(no differences)")
