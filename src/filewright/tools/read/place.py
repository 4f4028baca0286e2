"""Places that `read_content` reads: a range of lines, found by line, symbol, pattern or mode."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice

from filewright.errors import Code, invalid, path_error
from filewright.hints import Hint
from filewright.progress import Task
from filewright.search.hits import Hit, search_snapshot
from filewright.search.matches import Match, find_matches
from filewright.search.pattern import Pattern, compile_pattern
from filewright.search.similarity import search_fuzzy
from filewright.structure.block import find_block, symbol_block
from filewright.structure.lookup import find_symbol
from filewright.text.snapshot import Snapshot
from filewright.tools.bounded_text import clip
from filewright.tools.context import Context
from filewright.tools.read.arguments import ReadArguments
from filewright.tools.read.line_range import LineRange
from filewright.tools.read.times import choose_time_range
from filewright.tools.search.notes import describe_spelling
from filewright.wording import pluralize

LINES_AROUND_LINE = 21
"""The lines that are read for a line without a limit: ten on either side of it."""

MAX_QUOTED_CHARS = 80
# Below this, a text is not offered as the most similar one.
MIN_SIMILARITY = 0.6


@dataclass(frozen=True, slots=True)
class PatternPlace:
    """The line of a match; `note` says how its text differs from the pattern."""

    line: int
    note: str = ""


def choose_range(
    context: Context, snapshot: Snapshot, arguments: ReadArguments
) -> LineRange:
    """Return the lines that the arguments name. Raise `no_match` or `invalid_input`."""
    limit, task = arguments.limit, context.task
    if arguments.pattern is not None:
        match = find_occurrence(
            context, snapshot, arguments.pattern, arguments.occurrence
        )
        if is_semantic(arguments):
            line_range = choose_block(context, snapshot, arguments, match.line)
        else:
            first_line = max(1, match.line - min(limit - 1, limit // 3))
            line_range = range_from(snapshot, first_line, limit, task)
        notes = line_range.notes
        if match.note:
            notes = (match.note, *notes)
        return replace(line_range, match_line=match.line, notes=notes)
    if arguments.since is not None or arguments.until is not None:
        return choose_time_range(context, snapshot, arguments)
    if arguments.line is not None:
        require_line(snapshot, arguments.line, task, "line")
    if is_semantic(arguments):
        line = arguments.line or max(1, arguments.start)
        return choose_block(context, snapshot, arguments, line)
    if arguments.line is not None:
        return range_around(snapshot, arguments, arguments.line, task)
    if arguments.mode == "head":
        return range_from(snapshot, 1, limit, task)
    if arguments.mode == "tail":
        return choose_last_lines(snapshot, limit, limit, task)
    if arguments.start < 0:
        return choose_last_lines(snapshot, -arguments.start, limit, task)
    # Line 1 can always be read: an empty file is shown as such.
    if arguments.start != 1:
        require_line(snapshot, arguments.start, task)
    return range_from(snapshot, arguments.start, limit, task)


def is_semantic(arguments: ReadArguments) -> bool:
    """Return True if a whole definition or block is read."""
    return arguments.mode == "semantic" or arguments.symbol is not None


def range_from(
    snapshot: Snapshot, first_line: int, max_lines: int, task: Task
) -> LineRange:
    """Return the range of lines from a line on."""
    offset = snapshot.lines.offset_of(first_line, task)
    return LineRange(first_line, offset, max_lines)


def range_around(
    snapshot: Snapshot, arguments: ReadArguments, line: int, task: Task
) -> LineRange:
    """Return the range of lines around a line: of a limit, or a few on either side."""
    limit = LINES_AROUND_LINE
    if "limit" in arguments.model_fields_set:
        limit = arguments.limit
    return range_from(snapshot, max(1, line - (limit - 1) // 2), limit, task)


def choose_last_lines(
    snapshot: Snapshot, line_count: int, max_lines: int, task: Task
) -> LineRange:
    """Return the last `line_count` lines, without counting the lines before them."""
    offset = snapshot.lines.line_start_before(line_count, task)
    if snapshot.line_count is not None:
        first_line = max(1, snapshot.line_count - line_count + 1)
    elif offset == snapshot.start:
        first_line = 1
    else:
        first_line = -line_count
    return LineRange(first_line, offset, max_lines)


def require_line(
    snapshot: Snapshot, number: int, task: Task, argument: str = "start"
) -> None:
    """Raise `invalid_input` unless the file has this line; a negative one counts from the end."""
    if number < 0 or (number and snapshot.lines.has_line(number, task)):
        return
    path = snapshot.requested_path
    line_count = snapshot.lines.count_lines(task)
    if not number:
        message: str = Hint(
            "start=0 is no line: lines are numbered from 1",
            shell="line 0: lines are numbered from 1",
        )
        hint: str = Hint(
            "use start=1 for the beginning, a negative start to count from the end",
            shell="use 1 for the beginning, -N for the last N lines",
        )
    else:
        message = f"line {number} is past the end of {path}, which has {pluralize(line_count, 'line')}"
        hint = "the file is empty"
        if line_count:
            hint = f"use a line from 1 to {line_count}"
        if line_count and argument == "start":
            hint += ", or a negative one to count from the end"
    raise invalid(
        message, hint, path=path, line_count=line_count, argument=argument
    )


def choose_block(
    context: Context,
    snapshot: Snapshot,
    arguments: ReadArguments,
    line: int,
) -> LineRange:
    """Return the whole definition or block of a symbol, or around a line."""
    outline = context.outlines.outline(snapshot, task=context.task)
    if arguments.symbol is not None:
        symbol = find_symbol(outline, arguments.symbol, snapshot.requested_path)
        block = symbol_block(
            (*symbol.ancestors, symbol.symbol), arguments.depth
        )
    else:
        require_line(snapshot, line, context.task)
        block = find_block(snapshot, line, outline, arguments.depth)
    notes = []
    if block.path:
        notes.append(block.path)
    if not outline.parsed and outline.note:
        notes.append(outline.note)
    if block.is_cut:
        notes.append("the block continues below the examined lines")
    lines = snapshot.lines
    return LineRange(
        first_line=block.start_line,
        offset=lines.offset_of(block.start_line, context.task),
        max_lines=arguments.limit,
        stop=lines.offset_of(block.end_line + 1, context.task),
        symbol=block.path if block.symbol is not None else None,
        notes=tuple(notes),
    )


# Places of a pattern


def find_occurrence(
    context: Context, snapshot: Snapshot, text: str, number: int
) -> PatternPlace:
    """Return the place of the match with a number, or of the most similar text.

    Raises `no_match`.
    """
    pattern = compile_pattern(
        text,
        case="sensitive",
        max_chars=context.settings.max_pattern_chars,
    )
    matches = first_matches(context, snapshot, pattern, number)
    if len(matches) >= number:
        return PatternPlace(line_of(context, snapshot, matches[-1]))
    other = find_other_spelling(
        context, snapshot, pattern, number - len(matches)
    )
    path, quoted = snapshot.requested_path, repr(clip(text, MAX_QUOTED_CHARS))
    if matches:
        hint = f"use an occurrence from 1 to {len(matches)}"
        if other is not None:
            hint += f"; {other.note}"
        raise path_error(
            Code.NO_MATCH,
            path,
            f"{path} has {pluralize(len(matches), 'match')} of {quoted}, not {number}",
            hint,
            count=len(matches),
        )
    if other is not None:
        return replace(other, note=f"no exact hit; {other.note}")
    similar = search_fuzzy(
        snapshot,
        text,
        min_similarity=MIN_SIMILARITY,
        limit=number,
        task=context.task,
    ).hits
    if len(similar) >= number:
        hit = similar[number - 1]
        place = f"line {hit.line}, similarity {hit.score:.2f}"
        return PatternPlace(
            hit.line, f"no exact hit; the most similar text is at {place}"
        )
    raise path_error(
        Code.NO_MATCH,
        path,
        f"{path} contains neither {quoted} nor similar text",
        "search_content finds text in other files; get_overview lists what is in this one",
    )


def first_matches(
    context: Context, snapshot: Snapshot, pattern: Pattern, count: int
) -> list[Match]:
    """Return the first `count` matches of a pattern, or all of them."""
    matches = find_matches(snapshot, pattern, task=context.task)
    return list(islice(matches, count))


def line_of(context: Context, snapshot: Snapshot, match: Match) -> int:
    """Return the number of the line in which a match begins."""
    lines, task = snapshot.lines, context.task
    return lines.line_at(lines.line_start(match.offset, task), task)


def find_other_spelling(
    context: Context, snapshot: Snapshot, pattern: Pattern, number: int
) -> PatternPlace | None:
    """Return the place of a text in another spelling, and what differs there, or None."""
    other_pattern = pattern.for_other_spellings(look_alikes=True)
    if other_pattern is None:
        return None
    matches = first_matches(context, snapshot, other_pattern, number)
    if len(matches) < number:
        return None
    match = matches[-1]
    line = line_of(context, snapshot, match)
    content = snapshot.read(match.offset, match.end - match.offset)
    text = content.decode(snapshot.encoding.name, "replace")
    spelling = describe_spelling(f"line {line}", text, pattern.text)
    return PatternPlace(line, f"in another spelling, {spelling}")


def find_match_in_long_line(
    context: Context, snapshot: Snapshot, arguments: ReadArguments
) -> Hit | None:
    """Return the match of a pattern if it is too far in its line to be shown with others."""
    if arguments.pattern is None or arguments.mode == "semantic":
        return None
    pattern = compile_pattern(
        arguments.pattern,
        case="sensitive",
        max_chars=context.settings.max_pattern_chars,
    )
    matches = first_matches(context, snapshot, pattern, arguments.occurrence)
    if len(matches) < arguments.occurrence:
        return None
    (hit,) = search_snapshot(
        snapshot,
        pattern,
        limit=1,
        start=matches[-1].offset,
        task=context.task,
    ).hits
    last_column = hit.column + len(arguments.pattern) - 1
    return hit if last_column > context.settings.line_chars else None
