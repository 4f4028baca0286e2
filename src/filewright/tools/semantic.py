"""Where a read begins when no line is given: at a symbol, at a match, at the block around either."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.search import compile_pattern, fuzzy, search_snapshot
from filewright.structure import enclosing, find_symbol, of_symbol
from filewright.text import Snapshot
from filewright.tools.context import Context
from filewright.tools.described import past_end
from filewright.tools.rendering import clip

if TYPE_CHECKING:
    from filewright.tools.read import ReadArguments


@dataclass(frozen=True, slots=True)
class Stretch:
    """Whole lines: byte range [start, end), the first line's number, and what is to be said of them.

    `symbol` is the definition they are, if any; `hit` the line a pattern was found on.
    """

    start: int
    end: int
    start_line: int
    notes: tuple[str, ...] = ()
    symbol: str | None = None
    hit: int | None = None


@dataclass(frozen=True, slots=True)
class Occurrence:
    """The line a pattern was found on, and a note if it was not found exactly."""

    line: int
    note: str = ""


def occurrence(context: Context, snapshot: Snapshot, pattern: str, nth: int, task: Task) -> Occurrence:
    """The line of the nth exact hit; without any exact hit, of the nth best one. Raises `no_match`."""
    compiled = compile_pattern(pattern, case="sensitive", max_chars=context.settings.max_pattern_chars)
    found = search_snapshot(snapshot, compiled, limit=nth, task=task)
    if len(found.hits) >= nth:
        return Occurrence(found.hits[nth - 1].line)
    quoted = repr(clip(pattern, 80))
    if found.hits:
        raise FilewrightError(
            Code.NO_MATCH,
            f"{snapshot.asked} has {len(found.hits)} lines with {quoted}, not {nth}",
            hint=f"use an occurrence from 1 to {len(found.hits)}",
            details={"path": snapshot.asked, "count": len(found.hits)},
        )
    near = fuzzy(snapshot, pattern, min_similarity=0.6, limit=nth, task=task)
    if len(near.hits) >= nth:
        hit = near.hits[nth - 1]
        return Occurrence(
            hit.line, f"no exact hit; the most similar text is at line {hit.line}, similarity {hit.score:.2f}"
        )
    raise FilewrightError(
        Code.NO_MATCH,
        f"{snapshot.asked} does not hold {quoted}, nor anything much like it",
        hint="search_content finds text in other files; get_overview lists what is in this one",
        details={"path": snapshot.asked},
    )


def block(context: Context, snapshot: Snapshot, arguments: ReadArguments, task: Task) -> Stretch:
    """The whole definition or block around a symbol, a line or a match."""
    outline = context.outlines.outline(snapshot, task=task)
    notes: list[str] = []
    hit_line = None
    if arguments.symbol is not None:
        found = find_symbol(outline, arguments.symbol, snapshot.asked)
        if arguments.depth == 1:
            chosen = of_symbol(found.around, found.symbol)
        else:
            chosen = enclosing(snapshot, found.symbol.start_line, outline, arguments.depth)
    else:
        line = arguments.line if arguments.line is not None else max(1, arguments.start)
        if arguments.pattern is not None:
            hit = occurrence(context, snapshot, arguments.pattern, arguments.occurrence, task)
            line = hit_line = hit.line
            notes.append(hit.note)
        if not snapshot.lines.has_line(line, task):
            raise past_end(snapshot, line, task)
        chosen = enclosing(snapshot, line, outline, arguments.depth)
    if chosen.path:
        notes.append(chosen.path)
    if not outline.parsed and outline.note:
        notes.append(outline.note)
    if chosen.cut:
        notes.append("the block goes on further than was looked at")
    return Stretch(
        snapshot.lines.offset_of(chosen.start_line, task),
        snapshot.lines.offset_of(chosen.end_line + 1, task),
        chosen.start_line,
        tuple(notes),
        chosen.path if chosen.symbol is not None else None,
        hit_line,
    )
