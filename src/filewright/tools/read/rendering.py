"""The text of a `read_content` result."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from filewright.hints import Hint, change_words, fill, join_words
from filewright.tools.read.result import FileRead
from filewright.wording import escape_controls, format_size

if TYPE_CHECKING:
    from filewright.tools.read.lines import FileLine, LinesRead
    from filewright.tools.read.piece import LinePiece
    from filewright.tools.result import FailedCall


def render_lines(lines_read: LinesRead, *, numbered: bool) -> str:
    """Return a heading, the lines, and the notes on them."""
    path = escape_controls(lines_read.path)
    if lines_read.is_empty_file:
        text = f"[{path}: empty file; {lines_read.form}]"
        notes = [fill("[{}]", note) for note in lines_read.notes]
        return join_words("\n", [text, *notes])
    total = f"(not counted, {format_size(lines_read.size)})"
    if lines_read.total_lines is not None:
        total = f"{lines_read.total_lines:,}"
    lines = f"lines {lines_read.first_line}-{lines_read.last_line} of {total}"
    rows = [f"[{path}: {lines}; {lines_read.form}]"]
    rows += [render_line(line, numbered=numbered) for line in lines_read.lines]
    rows += [fill("[{}]", note) for note in lines_read.notes]
    return join_words("\n", rows)


def render_line(line: FileLine, *, numbered: bool) -> str:
    """Return a line; a cut one says where it continues."""
    text = line.text
    if numbered:
        text = f"{line.number}\t{escape_controls(text)}"
    if line.is_cut:
        more_than = "more than " if line.is_unfinished else ""
        # A negative number counts from the end.
        argument = "line" if line.number > 0 else "start"
        place = name_column(argument, line.number, len(line.text) + 1)
        size = f"{more_than}{line.size:,} bytes"
        return fill(
            "{} …[line of {}, cut; continue with {}]", text, size, place
        )
    return text


def render_piece(piece: LinePiece, *, numbered: bool) -> str:
    """Return a heading, characters of one line, and where it continues."""
    path = escape_controls(piece.path)
    columns = f"columns {piece.column}-{piece.last_column}"
    text = escape_controls(piece.text) if numbered else piece.text
    rows = [f"[{path}: line {piece.line}, {columns}; {piece.form}]", text]
    rows += [fill("[{}]", note) for note in piece.notes]
    if not piece.is_complete:
        place = name_column("line", piece.line, piece.last_column + 1)
        rows.append(fill("[more of the line; continue with {}]", place))
    return join_words("\n", rows)


def name_column(argument: str, line: int, column: int) -> str:
    """Return the arguments of a call that reads a line from a column on."""
    return Hint(
        f"{argument}={line}, column={column}", shell=f"FILE:{line}:{column}"
    )


def name_lines(first_line: int, line_count: int | None = None) -> str:
    """Return the arguments of a call that reads lines, by default all from one on."""
    if line_count is None:
        return Hint(f"start={first_line}", shell=f"FILE:{first_line}-")
    last_line = first_line + line_count - 1
    return Hint(
        f"start={first_line}, limit={line_count}",
        shell=f"FILE:{first_line}-{last_line}",
    )


def render_image(path: str, media_type: str, size: int, version: str) -> str:
    """Return the heading of an image."""
    return f"[{escape_controls(path)}: {media_type}, {format_size(size)}; version {version}]"


def mark_headings(
    files: Sequence[FileRead | FailedCall],
) -> list[FileRead | FailedCall]:
    """Return files without line numbers under headings that no line of them can imitate.

    The mark is a hash of all texts, so that no text can contain its own.
    """
    contents = [file.content for file in files if isinstance(file, FileRead)]
    has_imitation = any(
        content.startswith("[") or "\n[" in content for content in contents
    )
    if not has_imitation:
        return [*files]
    joined = "\0".join(contents).encode("utf-8", "replace")
    mark = hashlib.blake2b(joined, digest_size=4).hexdigest()
    return [
        replace(
            file,
            text=change_words(file.text, lambda text: f"[#{mark} {text[1:]}"),
        )
        for file in files
    ]
