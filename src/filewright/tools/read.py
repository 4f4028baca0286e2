"""`read_content`: lines, head, tail, a window around a match, whole definitions, pieces of long lines."""

from __future__ import annotations

import codecs
import hashlib
from dataclasses import dataclass, replace
from itertools import islice
from typing import Annotated, Any, Literal

from pydantic import Field

from filewright.boundary.location import Location
from filewright.edit.build_diff import build_file_diff, find_splices
from filewright.edit.diff import FileDiff
from filewright.errors import Code, invalid, path_error, too_many
from filewright.progress import Task
from filewright.search.hits import Hit, search_snapshot
from filewright.search.matches import find_matches
from filewright.search.pattern import Pattern, compile_pattern
from filewright.search.similarity import search_fuzzy
from filewright.structure.block import find_block, symbol_block
from filewright.structure.lookup import find_symbol
from filewright.text import codec
from filewright.text.lines import MAX_LINE_SEARCH_BYTES, Line
from filewright.text.snapshot import Snapshot
from filewright.text.utf8_view import Utf8View
from filewright.tools.bounded_text import clip
from filewright.tools.context import Context, binary
from filewright.tools.registry import Arguments
from filewright.tools.result import (
    FailedCall,
    Image,
    ToolResult,
    about,
    facts,
    in_shares,
    joined,
    optional,
)
from filewright.tools.search_notes import describe_spelling
from filewright.wording import (
    describe_hidden_characters,
    escape_controls,
    escape_surrogates,
    format_size,
    join_limited,
    pluralize,
)

_BEFORE_MATCH = 200
"""Characters of a long line that are shown before a match in it."""

_Count = Annotated[int | None, Field(ge=1)]


class ReadItem(Arguments):
    """One of several things to read."""

    path: str
    symbol: str | None = None
    start: int | None = None
    limit: _Count = None
    line: _Count = None
    pattern: str | None = None


class ReadArguments(Arguments):
    """What to read."""

    path: str | None = None
    """one file; give one of `path`, `paths` and `items`"""
    paths: Annotated[list[str], Field(min_length=1)] | None = None
    """several; each gives its text or its error, past a page the one to go on from"""
    items: Annotated[list[ReadItem], Field(min_length=1)] | None = None
    """a place in each of several: `{path, symbol}`, `{path, line}`, `{path, pattern}` or `{path, start, limit}`"""
    mode: Literal["lines", "semantic", "head", "tail"] = "lines"
    """`"semantic"`: the whole function, class or block"""
    start: Annotated[int, Field(description="negative: from the end")] = 1
    """the first line; negative counts from the end"""
    limit: Annotated[int, Field(ge=1)] = 500
    """lines"""
    max_chars: _Count = None
    """characters; with `column` those of the line (`limit` is taken for them too)"""
    line: _Count = None
    """a line to show in its surroundings; give one of `line`, `symbol`, `pattern`, `start`, head and tail"""
    symbol: Annotated[str | None, Field(description="Cart.total")] = None
    """a name such as `Cart.total`"""
    pattern: str | None = None
    """literal text: the surroundings of its hit"""
    occurrence: Annotated[int, Field(ge=1)] = 1
    """which hit"""
    depth: Annotated[
        int, Field(ge=1, description="semantic: blocks outwards")
    ] = 1
    """semantic: how many blocks outwards"""
    column: Annotated[
        int | None, Field(ge=1, description="inside one long line")
    ] = None
    """read inside one long line, from this character"""
    numbered: bool = True
    """line numbers before the text"""
    encoding: str | None = None
    """overrides detection"""


@dataclass(frozen=True, slots=True)
class ReadOn:
    """How to go on: from line `start`, or in line `line` from character `column`."""

    start: int | None = optional()
    line: int | None = optional()
    column: int | None = optional()


@dataclass(frozen=True, kw_only=True)
class FileRead(ToolResult):
    """One file as it was read; of an image only what `type` it is, and `images`.

    `content` is the text of lines `start_line` to `end_line` (1-based, inclusive; negative: counted from
    an end that was not reached), joined by ``\\n``, without the last terminator (`terminated` says whether
    there is one). `cut_at` are the lines that were cut, `invalid_lines` those with bytes that are no text.
    `next` says how to go on; `symbol` which definition was read, `match_line` where a pattern was found.
    """

    path: str
    version: str
    size: int
    type: str | None = optional()
    encoding: str | None = optional()
    encoding_confidence: float | None = optional()
    bom: bool | None = optional()
    line_ending: str | None = optional()
    content: str = ""
    start_line: int = 1
    end_line: int = 0
    column: int | None = optional()
    lines_returned: int = 0
    total_lines: int | None = None
    truncated: bool = False
    cut_at: tuple[int, ...] = ()
    terminated: bool = False
    symbol: str | None = None
    match_line: int | None = None
    invalid_lines: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    next: ReadOn | None = None

    @property
    def rows(self) -> list[str]:
        """The lines of `content`."""
        return self.content.split("\n") if self.lines_returned else []


@dataclass(frozen=True, kw_only=True)
class FilesRead(ToolResult):
    """Several files, in the order asked for; of what could not be read the error."""

    several = "files"
    files: tuple[FileRead | FailedCall, ...]


def read_content(
    context: Context, arguments: ReadArguments
) -> FileRead | FilesRead:
    """Read one file, or each of several."""
    if [arguments.path, arguments.paths, arguments.items].count(None) != 2:
        raise invalid(
            "read_content takes either path or paths or items",
            "give path for one file, paths for several, items for a place in each",
        )
    budget, most = context.settings.page_chars, context.settings.max_paths
    if arguments.path is not None:
        _check(arguments)
        return _read(context, arguments, budget)
    items = arguments.items or [
        ReadItem(path=path) for path in arguments.paths or ()
    ]
    each = arguments.model_copy(update={"paths": None}).for_each(items)
    for one in each:
        _check(one)
    paths = [one.path or "" for one in each]
    if len(paths) > most:
        raise too_many(len(paths), most, "paths", "read them in several calls")
    files = in_shares(
        paths,
        budget,
        lambda number, share: _read(context, each[number], share),
        "[{}]\n{}",
    )
    if not arguments.numbered:
        files = _unforgeable(files)
    images = tuple(image for file in files for image in file.images)
    return FilesRead(
        joined(files, paths, budget), files=tuple(files), images=images
    )


def _unforgeable(
    files: list[FileRead | FailedCall],
) -> list[FileRead | FailedCall]:
    """The files under headings that none of them can hold, where a line of one begins as a heading does.

    The sign is made from all that is shown, so nobody can write a text that has its own.
    """
    bodies = [file.content for file in files if isinstance(file, FileRead)]
    if not any(body.startswith("[") or "\n[" in body for body in bodies):
        return files
    sign = hashlib.blake2b(
        "\0".join(bodies).encode("utf-8", "replace"), digest_size=4
    ).hexdigest()
    return [replace(file, text=f"[#{sign} {file.text[1:]}") for file in files]


def _check(arguments: ReadArguments) -> None:
    """Refuse arguments of which one would have to be ignored."""
    places = [
        name
        for name in ("line", "symbol", "pattern")
        if getattr(arguments, name) is not None
    ]
    if arguments.start != 1:
        places.append("start")
    if arguments.mode in ("head", "tail") or (
        arguments.mode == "semantic" and arguments.column is not None
    ):
        places.append(f"mode={arguments.mode}")
    alone = arguments.column is None or set(places) <= {"line", "start"}
    if len(places) > 1 or not alone:
        named = " and ".join(places if alone else [*places, "column"])
        raise invalid(
            f"read_content: {named} each say where to read",
            "give one of line, symbol, pattern, start, mode=head and mode=tail; with column, line",
        )


def _read(context: Context, arguments: ReadArguments, budget: int) -> FileRead:
    with context.explaining():
        location = context.boundary.locate(arguments.path or "")
        page = context.open_page(location, encoding=arguments.encoding)
    budget = min(budget, 700 + (arguments.max_chars or budget))
    with page as snapshot:
        if snapshot.binary_type is not None:
            return _image(context, snapshot, location)
        if arguments.column is not None:
            return _piece(
                snapshot, arguments, arguments.column, budget, context.task
            )
        if hit := _match_in_long_line(context, snapshot, arguments):
            around = {
                "line": hit.line,
                "max_chars": arguments.max_chars or context.settings.line_chars,
            }
            column = max(1, hit.column - _BEFORE_MATCH)
            piece = _piece(
                snapshot,
                arguments.model_copy(update=around),
                column,
                budget,
                context.task,
            )
            return replace(piece, match_line=hit.line)
        return _lines(context, snapshot, arguments, budget)


def _image(
    context: Context, snapshot: Snapshot, location: Location
) -> FileRead:
    kind, size, limit = (
        snapshot.binary_type or "",
        snapshot.size,
        context.settings.image_bytes,
    )
    if not kind.startswith("image/") or not limit:
        raise binary(snapshot)
    if size > limit:
        message = f"{location.requested_path} is a {kind} of {size} bytes; images up to {limit} are shown"
        hint = "make a smaller copy of it"
        raise path_error(
            Code.TOO_LARGE,
            location.requested_path,
            message,
            hint,
            size=size,
            limit=limit,
        )
    return FileRead(
        f"[{escape_controls(location.display_path)}: {kind}, {format_size(size)}; version {snapshot.version}]",
        path=location.display_path,
        type=kind,
        size=size,
        version=snapshot.version,
        images=(Image(snapshot.read(0, size), kind),),
    )


@dataclass(frozen=True, slots=True)
class _Span:
    """What to show: at most `limit` lines from byte `offset` to `stop`; the first is `number`.

    A negative number is counted from the end. `symbol` is the definition they are, if any, `hit` the line a
    pattern was found on.
    """

    offset: int
    number: int
    limit: int
    stop: int | None = None
    notes: tuple[str, ...] = ()
    symbol: str | None = None
    hit: int | None = None


def _span(
    context: Context, snapshot: Snapshot, arguments: ReadArguments
) -> _Span:
    """Where to begin, from whatever of line, symbol, pattern, mode and start was given."""
    limit, line, lines, task = (
        arguments.limit,
        arguments.line,
        snapshot.lines,
        context.task,
    )
    note, hit = "", None
    if arguments.pattern is not None:
        hit, note = _occurrence(
            context, snapshot, arguments.pattern, arguments.occurrence
        )
    elif line is not None:
        _require_line(snapshot, line, task, "line")
    if arguments.mode == "semantic" or arguments.symbol is not None:
        return _block(context, snapshot, arguments, hit, note)
    if hit is not None:
        first = max(1, hit - min(limit - 1, limit // 3))
    elif line is not None:
        first = max(1, line - (limit - 1) // 2)
    else:
        first = {"head": 1, "tail": -limit}.get(arguments.mode, arguments.start)
        if first < 0:
            return _tail(snapshot, -first, limit, task)
        if first != 1:  # which is there
            _require_line(snapshot, first, task)
    return _Span(
        lines.offset_of(first, task), first, limit, notes=(note,), hit=hit
    )


def _require_line(
    snapshot: Snapshot, number: int, task: Task, argument: str = "start"
) -> None:
    """Raise `invalid_input` for a line that is not there; a negative one is counted from the end."""
    if number < 0 or (number and snapshot.lines.has_line(number, task)):
        return
    asked, count = snapshot.requested_path, snapshot.lines.count_lines(task)
    message = f"{argument}={number} is past the end of {asked}, which has {count} lines"
    hint = (
        f"use a {argument} from 1 to {count}" if count else "the file is empty"
    )
    if count and argument == "start":
        hint += ", or a negative one to count from the end"
    if not number:
        message = "start=0: lines are numbered from 1"
        hint = "use start=1 for the beginning, a negative start to count from the end"
    raise invalid(
        message, hint, path=asked, line_count=count, argument=argument
    )


def _tail(snapshot: Snapshot, count: int, limit: int, task: Task) -> _Span:
    """The last `count` lines, numbered from the end where the file was not counted."""
    offset, known = (
        snapshot.lines.line_start_before(count, task),
        snapshot.line_count,
    )
    if known is not None:
        return _Span(offset, max(1, known - count + 1), limit)
    return _Span(offset, 1 if offset == snapshot.start else -count, limit)


def _match_in_long_line(
    context: Context, snapshot: Snapshot, arguments: ReadArguments
) -> Hit | None:
    """Return the exact match that is asked for if it is too far in its line to be shown with the lines around it."""
    if arguments.pattern is None or arguments.mode == "semantic":
        return None
    pattern = compile_pattern(
        arguments.pattern,
        case="sensitive",
        max_chars=context.settings.max_pattern_chars,
    )
    matches = find_matches(snapshot, pattern, task=context.task)
    match = next(islice(matches, arguments.occurrence - 1, None), None)
    if match is None:
        return None
    (hit,) = search_snapshot(
        snapshot, pattern, limit=1, start=match.offset, task=context.task
    ).hits
    last_column = hit.column + len(arguments.pattern) - 1
    return hit if last_column > context.settings.line_chars else None


def _occurrence(
    context: Context, snapshot: Snapshot, pattern: str, nth: int
) -> tuple[int, str]:
    """The line of the nth exact match; without any exact one, of the nth best one, and a note of that.

    Raises `no_match`.
    """
    compiled = compile_pattern(
        pattern, case="sensitive", max_chars=context.settings.max_pattern_chars
    )
    hits = [*islice(find_matches(snapshot, compiled, task=context.task), nth)]
    if len(hits) >= nth:
        lines = snapshot.lines
        return lines.line_at(
            lines.line_start(hits[-1].offset, context.task), context.task
        ), ""
    asked, quoted = snapshot.requested_path, repr(clip(pattern, 80))
    spelled = _in_other_spellings(context, snapshot, compiled, nth - len(hits))
    if not hits and spelled is not None:
        return spelled[0], f"no exact hit; {spelled[1]}"
    if hits:
        message = f"{asked} has {pluralize(len(hits), 'match')} of {quoted}, not {nth}"
        hint = f"use an occurrence from 1 to {len(hits)}"
        hint += f"; {spelled[1]}" if spelled is not None else ""
        raise path_error(Code.NO_MATCH, asked, message, hint, count=len(hits))
    near = search_fuzzy(
        snapshot, pattern, min_similarity=0.6, limit=nth, task=context.task
    ).hits
    if len(near) >= nth:
        hit = near[nth - 1]
        place = f"line {hit.line}, similarity {hit.score:.2f}"
        return hit.line, f"no exact hit; the most similar text is at {place}"
    message = f"{asked} does not hold {quoted}, nor anything much like it"
    hint = "search_content finds text in other files; get_overview lists what is in this one"
    raise path_error(Code.NO_MATCH, asked, message, hint)


def _in_other_spellings(
    context: Context, snapshot: Snapshot, pattern: Pattern, nth: int
) -> tuple[int, str] | None:
    """Return the line of the nth match of a text in another spelling, and what differs there; None without one."""
    other = pattern.for_other_spellings(look_alikes=True)
    matches = (
        []
        if other is None
        else [*islice(find_matches(snapshot, other, task=context.task), nth)]
    )
    if len(matches) < nth:
        return None
    match = matches[-1]
    line = snapshot.lines.line_at(
        snapshot.lines.line_start(match.offset, context.task), context.task
    )
    text = snapshot.read(match.offset, match.end - match.offset).decode(
        snapshot.encoding.name, "replace"
    )
    return (
        line,
        f"another spelling of it: {describe_spelling(f'line {line}', text, pattern.text)}",
    )


def _block(
    context: Context,
    snapshot: Snapshot,
    arguments: ReadArguments,
    hit: int | None,
    note: str,
) -> _Span:
    """The whole definition or block around a symbol, a line or a match."""
    outline = context.outlines.outline(snapshot, task=context.task)
    if arguments.symbol is not None:
        found = find_symbol(outline, arguments.symbol, snapshot.requested_path)
        chosen = symbol_block((*found.ancestors, found.symbol), arguments.depth)
    else:
        line = hit or arguments.line or max(1, arguments.start)
        _require_line(snapshot, line, context.task)
        chosen = find_block(snapshot, line, outline, arguments.depth)
    notes = (
        note,
        chosen.path,
        "" if outline.parsed else outline.note or "",
        "the block goes on further than was looked at" if chosen.cut else "",
    )
    return _Span(
        snapshot.lines.offset_of(chosen.start_line, context.task),
        chosen.start_line,
        arguments.limit,
        snapshot.lines.offset_of(chosen.end_line + 1, context.task),
        notes,
        chosen.path if chosen.symbol is not None else None,
        hit,
    )


@dataclass(frozen=True, slots=True)
class _ReadLine:
    """A line as it is shown; `body` is its text, or what is shown of it if it `is_cut`."""

    number: int
    text: str
    body: str
    line: Line
    is_cut: bool


def _rows(
    context: Context,
    snapshot: Snapshot,
    span: _Span,
    room: int,
    *,
    numbered: bool,
) -> tuple[list[_ReadLine], bool]:
    """The lines of a span that fit into `room` characters, at least one, and whether there are more."""
    width = min(context.settings.line_chars, room)
    rows: list[_ReadLine] = []
    used = 0
    reach = width * (4 if snapshot.encoding.unit_bytes == 1 else 2)
    for line in snapshot.lines.read_lines(
        span.offset,
        span.stop,
        limit=reach,
        reach=MAX_LINE_SEARCH_BYTES,
        task=context.task,
    ):
        number = span.number + len(rows)
        body = escape_surrogates(codec.decode(line.body, snapshot.encoding))
        is_cut = not line.is_whole or len(body) > width
        text = body = body[:width]
        if numbered:
            text = f"{number}\t{escape_controls(body)}"
        if is_cut:
            length = f"{'more than ' if line.is_unfinished else ''}{line.length:,} bytes"
            place = f"{'line' if number > 0 else 'start'}={number}, column={len(body) + 1}"
            text += f" …[line of {length}, cut; read on with {place}]"
        if len(rows) >= span.limit or (rows and used + len(text) + 1 > room):
            return rows, True
        used += len(text) + 1
        rows.append(_ReadLine(number, text, body, line, is_cut))
    return rows, False


def _is_invalid(snapshot: Snapshot, row: _ReadLine) -> bool:
    """Whether a line has bytes that are no text of its encoding."""
    try:
        if "\ufffd" in row.body:
            row.line.body.decode(snapshot.encoding.name)
    except UnicodeDecodeError:
        return True
    return False


def _known(snapshot: Snapshot) -> dict[str, Any]:
    """What is known of a file, whatever is read of it."""
    shown = (
        snapshot.location.display_path if snapshot.location is not None else ""
    )
    return {"path": shown, "size": snapshot.size, **facts(snapshot)}


def _lines(
    context: Context, snapshot: Snapshot, arguments: ReadArguments, budget: int
) -> FileRead:
    known, task = _known(snapshot), context.task
    shown = escape_controls(known["path"])
    if snapshot.size <= snapshot.start and arguments.start in (1, -1):
        context.remember(snapshot)
        return FileRead(
            f"[{shown}: empty file; {about(snapshot)}]", total_lines=0, **known
        )
    span = asked = _span(context, snapshot, arguments)
    room, numbered = max(200, budget - 700), arguments.numbered
    rows, cut_short = _rows(context, snapshot, span, room, numbered=numbered)
    while arguments.mode == "tail" and cut_short and len(rows) < span.limit:
        # What does not fit is left out at the beginning: who asks for a tail wants the newest lines.
        count = min(len(rows), span.limit - 1)
        span = _tail(snapshot, count, count, task)
        rows, cut_short = _rows(
            context, snapshot, span, room, numbered=numbered
        )
    older = asked.limit - span.limit
    end = rows[-1].line.end if rows else span.offset
    context.remember(snapshot, (span.offset, end))
    last = span.number + len(rows) - 1
    total = snapshot.line_count
    if total is None and end >= snapshot.size and span.number > 0:
        total = last
    total_text = (
        f"{total:,}"
        if total is not None
        else f"(not counted, {format_size(snapshot.size)})"
    )
    invalid_lines = tuple(
        row.number for row in rows if _is_invalid(snapshot, row)
    )
    odd = dict.fromkeys(
        oddity
        for row in rows
        for oddity in describe_hidden_characters(row.body)
    )
    notes = [note for note in span.notes if note]
    if invalid_lines:
        notes.append(
            f"invalid bytes, shown as \ufffd, at lines {join_limited(invalid_lines, 10)}"
        )
    if odd:
        notes.append("contains " + " and ".join(odd))
    if older:
        way = f"start={asked.number}, limit={older}"
        notes.append(
            f"{pluralize(older, 'older line')} left out; read on with {way}"
        )
    more, following = cut_short or end < snapshot.size, last + 1
    if more and span.stop is None:
        rest = (
            f"lines {following}-{total} left out; "
            if total is not None and last > 0
            else "more; "
        )
        if not (
            "limit" in arguments.model_fields_set and len(rows) == span.limit
        ):  # who asked for so many knows
            notes.append(f"{rest}continue with start={following}")
    elif more and span.stop is not None and end < span.stop:
        final = snapshot.lines.line_at(span.stop - 1, task)
        notes.append(
            f"it ends at line {final}; continue with start={following}, limit={final - last}"
        )
    head = f"[{shown}: lines {span.number}-{last} of {total_text}; {about(snapshot)}]"
    return FileRead(
        "\n".join(
            [
                head,
                *(row.text for row in rows),
                *(f"[{note}]" for note in notes),
            ]
        ),
        **known,
        content="\n".join(row.body for row in rows),
        start_line=span.number,
        end_line=last,
        lines_returned=len(rows),
        total_lines=total,
        truncated=cut_short or older > 0,
        cut_at=tuple(row.number for row in rows if row.is_cut),
        terminated=bool(rows and rows[-1].line.terminator),
        symbol=span.symbol,
        match_line=span.hit,
        invalid_lines=invalid_lines,
        notes=tuple(notes),
        next=ReadOn(start=asked.number if older else following)
        if more or older
        else None,
    )


def _piece(
    snapshot: Snapshot,
    arguments: ReadArguments,
    column: int,
    budget: int,
    task: Task,
) -> FileRead:
    """Characters [column, column + limit) of one line, decoded block by block."""
    number = arguments.line if arguments.line is not None else arguments.start
    _require_line(snapshot, number, task)
    lines, known = snapshot.lines, _known(snapshot)
    offset = (
        lines.offset_of(number, task)
        if number > 0
        else lines.line_start_before(-number, task)
    )
    limit = min(arguments.max_chars or arguments.limit, max(1, budget - 500))
    text, complete, length = _characters(snapshot, offset, column, limit, task)
    if not text and column > 1:
        place = f"column={column} is past the end of line {number} of {snapshot.requested_path}"
        raise invalid(
            f"{place}, which has {length:,} characters",
            f"use a column from 1 to {length}"
            if length
            else "the line is empty",
            path=snapshot.requested_path,
            argument="column",
            length=length,
        )
    last = column + len(text) - 1
    head = f"[{escape_controls(known['path'])}: line {number}, columns {column}-{last}; {about(snapshot)}]"
    rest = (
        ""
        if complete
        else f"\n[the line goes on; continue with line={number}, column={last + 1}]"
    )
    return FileRead(
        f"{head}\n{escape_controls(text) if arguments.numbered else text}{rest}",
        **known,
        content=text,
        start_line=number,
        end_line=number,
        column=column,
        lines_returned=1,
        truncated=not complete,
        next=None if complete else ReadOn(line=number, column=last + 1),
    )


def _characters(
    snapshot: Snapshot, offset: int, column: int, limit: int, task: Task
) -> tuple[str, bool, int]:
    """The characters, whether the line ends with them, and how many it has as far as was looked."""
    decoder = codecs.getincrementaldecoder(snapshot.encoding.name)("replace")
    skip = column - 1
    kept = ""
    for position, block in snapshot.blocks(offset):
        task.check()
        text = decoder.decode(
            block, final=position + len(block) >= snapshot.size
        )
        ends = [at for at in (text.find("\n"), text.find("\r")) if at >= 0]
        piece = text[: min(ends)] if ends else text
        kept += piece[skip : skip + limit + 1 - len(kept)]
        skip = max(0, skip - len(piece))
        if len(kept) > limit:
            return escape_surrogates(kept[:limit]), False, column + limit
        if ends:
            break
    return escape_surrogates(kept), True, column - 1 - skip + len(kept)


def compare_files(context: Context, before: str, after: str) -> str:
    """The unified diff of two texts without their line ends; empty if they are the same. For dialects.

    Raises `too_large` for files that are not held in memory.
    """
    was, now = context.boundary.locate(before), context.boundary.locate(after)
    with (
        context.open(was, text=True) as old,
        context.open(now, text=True) as new,
    ):
        plain, other = _plain(context, old), _plain(context, new)
        splices = find_splices(plain, other)
        if not splices:
            return ""
        shown = build_file_diff(
            FileDiff(was.display_path, now.display_path),
            plain,
            splices,
            max_lines=context.settings.diff_lines,
        )
        at = max(0, shown.text.find("--- "))
        text = clip(
            shown.text[at:],
            context.settings.page_chars,
            note="\n[cut: the diff is longer than shown]",
        )
        return escape_controls(
            f"{text}[the diff is longer than shown]"
            if shown.truncated
            else text
        )


def _plain(context: Context, snapshot: Snapshot) -> Snapshot:
    """What is compared of a text: its lines, ended by newlines whatever they end with in the file."""
    if snapshot.content is None:
        asked, limit = snapshot.requested_path, context.settings.hold_bytes
        message, hint = (
            f"{asked} is too large to be compared",
            "read the parts in question",
        )
        raise path_error(
            Code.TOO_LARGE,
            asked,
            message,
            hint,
            size=snapshot.size,
            limit=limit,
        )
    narrow = (
        Utf8View(snapshot).snapshot
        if snapshot.encoding.unit_bytes > 1
        else snapshot
    )
    return Snapshot(
        narrow.read(narrow.start, narrow.size)
        .replace(b"\r\n", b"\n")
        .replace(b"\r", b"\n"),
        encoding=narrow.encoding.name,
        location=snapshot.location,
        settings=context.settings,
    )
