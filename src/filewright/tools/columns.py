"""A piece of one long line, by characters."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.text import Snapshot
from filewright.tools.described import about, facts, past_end
from filewright.tools.registry import ToolResult
from filewright.tools.rendering import encodable, visible

if TYPE_CHECKING:
    from filewright.tools.read import ReadArguments


def piece(snapshot: Snapshot, arguments: ReadArguments, budget: int, task: Task) -> ToolResult:
    """Characters [column, column + limit) of one line, decoded block by block."""
    number = arguments.line if arguments.line is not None else arguments.start
    if number == 0:
        raise FilewrightError(Code.INVALID_INPUT, "start=0: lines are numbered from 1")
    if number > 0 and not snapshot.lines.has_line(number, task):
        raise past_end(snapshot, number, task)
    offset = snapshot.lines.offset_of(number, task) if number > 0 else snapshot.lines.last(-number, task)
    column = arguments.column or 1
    limit = min(arguments.limit, max(1, budget - 500))
    text, complete, length = _characters(snapshot, offset, column, limit, task)
    shown = snapshot.location.shown if snapshot.location is not None else ""
    if not text and column > 1:
        raise FilewrightError(
            Code.INVALID_INPUT,
            f"column={column} is past the end of line {number} of {snapshot.asked}, "
            f"which has {length:,} characters",
            hint=f"use a column from 1 to {length}" if length else "the line is empty",
            details={"path": snapshot.asked, "argument": "column", "length": length},
        )
    last = column + len(text) - 1
    notes = [] if complete else [f"the line goes on; continue with line={number}, column={last + 1}"]
    head = f"[{visible(shown)}: line {number}, columns {column}-{last}; {about(snapshot)}]"
    body = visible(text) if arguments.numbered else text
    data = {
        "path": shown,
        **facts(snapshot),
        "content": text,
        "start_line": number,
        "end_line": number,
        "column": column,
        "truncated": not complete,
        "next": None if complete else {"line": number, "column": last + 1},
    }
    return ToolResult("\n".join([head, body, *(f"[{note}]" for note in notes)]), data)


def _characters(
    snapshot: Snapshot, offset: int, column: int, limit: int, task: Task
) -> tuple[str, bool, int]:
    """The characters, whether the line ends with them, and how many it has as far as was looked."""
    decoder = codecs.getincrementaldecoder(snapshot.encoding.name)("replace")
    skip = column - 1
    kept = ""
    for position, block in snapshot.blocks(offset):
        task.check()
        text = decoder.decode(block, final=position + len(block) >= snapshot.size)
        ends = [at for at in (text.find("\n"), text.find("\r")) if at >= 0]
        piece = text[: min(ends)] if ends else text
        kept += piece[skip : skip + limit + 1 - len(kept)] if skip < len(piece) else ""
        skip = max(0, skip - len(piece))
        if len(kept) > limit:
            return encodable(kept[:limit]), False, column + limit
        if ends:
            break
    return encodable(kept), True, column - 1 - skip + len(kept)
