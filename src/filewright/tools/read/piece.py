"""A piece of a line that is too long to be shown whole."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from filewright.errors import FilewrightError, invalid
from filewright.hints import Hint, fill
from filewright.progress import Task
from filewright.text.snapshot import Snapshot
from filewright.tools.file_facts import (
    damage_notes,
    describe_encoding,
    file_facts,
    is_complete,
)
from filewright.tools.read.arguments import ReadArguments
from filewright.tools.read.place import require_line
from filewright.tools.read.rendering import render_piece
from filewright.tools.read.result import FileRead, ReadOn
from filewright.wording import escape_surrogates

_HEADING_CHARS = 500
"""Characters left for the heading and the notes of an answer, above the piece."""


@dataclass(frozen=True, slots=True)
class LinePiece:
    """Characters of one line from `column` on; `form` is the encoding and the version.

    `is_complete` is True if the line ends with them.
    """

    path: str
    form: str
    line: int
    column: int
    text: str
    is_complete: bool
    notes: tuple[str, ...] = ()

    @property
    def last_column(self) -> int:
        """Return the column of the last character."""
        return self.column + len(self.text) - 1


@dataclass(frozen=True, slots=True)
class LineCharacters:
    """Characters of a line; `line_chars` counts those of the line as far as it was read."""

    text: str
    is_complete: bool
    line_chars: int


def read_piece(
    snapshot: Snapshot,
    arguments: ReadArguments,
    column: int,
    max_chars: int,
    task: Task,
) -> FileRead:
    """Read characters of one line from `column` on, as many as fit."""
    number = arguments.line if arguments.line is not None else arguments.start
    require_line(snapshot, number, task)
    if number > 0:
        offset = snapshot.lines.offset_of(number, task)
    else:
        offset = snapshot.lines.line_start_before(-number, task)
    limit = min(
        arguments.max_chars or arguments.limit,
        max(1, max_chars - _HEADING_CHARS),
    )
    characters = read_characters(snapshot, offset, column, limit, task)
    if not characters.text and column > 1:
        raise past_line_end(snapshot, number, column, characters.line_chars)
    facts = file_facts(snapshot)
    piece = LinePiece(
        path=facts["path"],
        form=describe_encoding(snapshot),
        line=number,
        column=column,
        text=characters.text,
        is_complete=characters.is_complete,
        notes=damage_notes(snapshot),
    )
    continuation = None
    if not piece.is_complete:
        continuation = ReadOn(line=number, column=piece.last_column + 1)
    return FileRead(
        render_piece(piece, numbered=arguments.numbered),
        **facts,
        content=piece.text,
        start_line=number,
        end_line=number,
        column=column,
        complete=is_complete(snapshot),
        notes=piece.notes,
        lines_returned=1,
        truncated=not piece.is_complete,
        next=continuation,
    )


def past_line_end(
    snapshot: Snapshot, number: int, column: int, line_chars: int
) -> FilewrightError:
    """Return the error for a column that a line does not have."""
    path = snapshot.requested_path
    hint = "the line is empty"
    if line_chars:
        hint = f"use a column from 1 to {line_chars}"
    return invalid(
        fill(
            "{} is past the end of line {} of {}, which has {} characters",
            Hint(f"column={column}", shell=f"column {column}"),
            str(number),
            path,
            f"{line_chars:,}",
        ),
        hint,
        path=path,
        argument="column",
        length=line_chars,
    )


def read_characters(
    snapshot: Snapshot, offset: int, column: int, limit: int, task: Task
) -> LineCharacters:
    """Return up to `limit` characters from `column` of the line at `offset`, block by block."""
    decoder = codecs.getincrementaldecoder(snapshot.encoding.name)("replace")
    chars_to_skip = column - 1
    text = ""
    for position, block in snapshot.blocks(offset):
        task.check()
        is_last = not snapshot.has_byte(position + len(block))
        decoded = decoder.decode(block, final=is_last)
        ends = [
            end for end in (decoded.find("\n"), decoded.find("\r")) if end >= 0
        ]
        line_part = decoded[: min(ends)] if ends else decoded
        missing = limit + 1 - len(text)
        text += line_part[chars_to_skip : chars_to_skip + missing]
        chars_to_skip = max(0, chars_to_skip - len(line_part))
        if len(text) > limit:
            return LineCharacters(
                escape_surrogates(text[:limit]),
                is_complete=False,
                line_chars=column + limit,
            )
        if ends:
            break
    return LineCharacters(
        escape_surrogates(text),
        is_complete=True,
        line_chars=column - 1 - chars_to_skip + len(text),
    )
