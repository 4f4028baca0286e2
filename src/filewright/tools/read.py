"""`read_content`: lines, head, tail, a window around a match, whole definitions, pieces of long lines."""

from __future__ import annotations

import codecs
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from pydantic import Field

from filewright.boundary import Location
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.text import LINE_REACH, Line, Snapshot, codec
from filewright.tools import semantic
from filewright.tools.context import Context, binary
from filewright.tools.described import about, facts, past_end, total_lines
from filewright.tools.registry import Arguments, Tool
from filewright.tools.rendering import clip, size_text
from filewright.tools.result import OPTIONAL, FailedCall, Image, ToolResult
from filewright.visible import encodable, oddities, visible
from filewright.wording import counted, listed


class ReadItem(Arguments):
    """One of several things to read."""

    path: str
    symbol: str | None = None
    start: int | None = None
    limit: Annotated[int | None, Field(ge=1)] = None
    line: Annotated[int | None, Field(ge=1)] = None
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
    max_chars: Annotated[int | None, Field(ge=1)] = None
    """characters; with `column` those of the line (`limit` is taken for them too)"""
    line: Annotated[int | None, Field(ge=1, description="show the lines around it")] = None
    """a line to show in its surroundings; give one of `line`, `symbol`, `pattern`, `start`, head and tail"""
    symbol: Annotated[str | None, Field(description="e.g. Cart.total")] = None
    """a name such as `Cart.total`"""
    pattern: Annotated[str | None, Field(description="literal text")] = None
    """literal text: the surroundings of its hit"""
    occurrence: Annotated[int, Field(ge=1)] = 1
    """which hit"""
    depth: Annotated[int, Field(ge=1, description="semantic: blocks outwards")] = 1
    """semantic: how many blocks outwards"""
    column: Annotated[int | None, Field(ge=1, description="inside one long line")] = None
    """read inside one long line, from this character"""
    numbered: bool = True
    """line numbers before the text"""
    encoding: str | None = None
    """overrides detection"""


@dataclass(frozen=True, slots=True)
class ReadOn:
    """How to go on: from line `start`, or in line `line` from character `column`."""

    start: int | None = field(default=None, metadata=OPTIONAL)
    line: int | None = field(default=None, metadata=OPTIONAL)
    column: int | None = field(default=None, metadata=OPTIONAL)


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
    type: str | None = field(default=None, metadata=OPTIONAL)
    encoding: str | None = field(default=None, metadata=OPTIONAL)
    encoding_confidence: float | None = field(default=None, metadata=OPTIONAL)
    bom: bool | None = field(default=None, metadata=OPTIONAL)
    line_ending: str | None = field(default=None, metadata=OPTIONAL)
    content: str = ""
    start_line: int = 1
    end_line: int = 0
    column: int | None = field(default=None, metadata=OPTIONAL)
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
class UnreadFile(FailedCall):
    """One of several files, that could not be read."""

    path: str

    @property
    def data(self) -> dict[str, Any]:
        """The path, and the error's facts."""
        return {"path": self.path, **super().data}


@dataclass(frozen=True, kw_only=True)
class FilesRead(ToolResult):
    """Several files, in the order asked for."""

    files: tuple[FileRead | UnreadFile, ...]

    @property
    def data(self) -> dict[str, Any]:
        """The facts of every file."""
        return {"files": [file.data for file in self.files]}

    @property
    def code(self) -> Code | None:
        """That of the first file if no file could be read."""
        return self.files[0].code if all(file.is_error for file in self.files) else None


@dataclass(frozen=True, slots=True)
class _Span:
    """What to show: from byte `offset`, whose line is `number` (negative: counted from the end)."""

    offset: int
    number: int
    limit: int
    stop: int | None = None
    notes: tuple[str, ...] = ()
    symbol: str | None = None
    hit: int | None = None


def run(context: Context, arguments: ReadArguments, task: Task) -> FileRead | FilesRead:
    """Read one file, or each of several."""
    if sum(each is not None for each in (arguments.path, arguments.paths, arguments.items)) != 1:
        raise FilewrightError(
            Code.INVALID_INPUT,
            "read_content takes either path or paths or items",
            hint="give path for one file, paths for several, items for a place in each",
        )
    each = _each(arguments)
    for one in each:
        _check(one)
    budget = context.settings.page_chars
    if arguments.path is not None:
        return _read(context, arguments, arguments.path, budget, task)
    paths = [one.path or "" for one in each]
    if len(paths) > context.settings.max_paths:
        raise FilewrightError(
            Code.TOO_LARGE,
            f"{len(paths)} paths in one call; the limit is {context.settings.max_paths}",
            hint="read them in several calls",
        )
    files: list[FileRead | UnreadFile] = []
    left = budget
    for position, (path, one) in enumerate(zip(paths, each, strict=True)):
        share = max(200, left // (len(paths) - position))
        file: FileRead | UnreadFile
        try:
            file = _read(context, one, path, share, task)
        except FilewrightError as error:
            if error.code in (Code.CANCELLED, Code.TIMEOUT):
                raise
            file = UnreadFile(f"[{clip(visible(path), 200)}]\n{error}", error=error, path=path)
        left = max(0, left - len(file.text) - 1)
        files.append(file)
    if not arguments.numbered:
        files = _unforgeable(files)
    return FilesRead(
        _joined(files, paths, budget),
        files=tuple(files),
        images=tuple(image for file in files for image in file.images),
    )


def _each(arguments: ReadArguments) -> list[ReadArguments]:
    """The arguments of each file or place to read."""
    if arguments.items is not None:
        given = [item.model_dump(exclude_none=True) for item in arguments.items]
    else:
        given = [{"path": path} for path in arguments.paths or [arguments.path or ""]]
    return [arguments.model_copy(update={"paths": None, "items": None, **one}) for one in given]


def _unforgeable(files: list[FileRead | UnreadFile]) -> list[FileRead | UnreadFile]:
    """The files under headings that none of them can hold, where a line of one begins as a heading does.

    The sign is made from all that is shown, so nobody can write a text that has its own.
    """
    bodies = [file.content for file in files if isinstance(file, FileRead)]
    if not any(body.startswith("[") or "\n[" in body for body in bodies):
        return files
    sign = hashlib.blake2b("\0".join(bodies).encode("utf-8", "replace"), digest_size=4).hexdigest()
    return [replace(file, text=f"[#{sign} {file.text[1:]}") for file in files]


def _joined(results: Sequence[ToolResult], paths: Sequence[str], budget: int) -> str:
    """The texts of as many files as fit into one page, and which path is the next."""
    kept: list[str] = []
    used = 0
    for result, path in zip(results, paths, strict=True):
        used += len(result.text) + 2
        if kept and used > budget:
            name = clip(visible(path), 200)
            kept.append(f"[{len(paths) - len(kept)} more paths not shown; go on with paths from {name}]")
            break
        kept.append(result.text)
    return "\n\n".join(kept)


def _check(arguments: ReadArguments) -> None:
    """Refuse arguments of which one would have to be ignored."""
    places = [name for name in ("line", "symbol", "pattern") if getattr(arguments, name) is not None]
    if arguments.start != 1:
        places.append("start")
    if arguments.mode in ("head", "tail"):
        places.append(f"mode={arguments.mode}")
    elif arguments.mode == "semantic" and arguments.column is not None:
        places.append("mode=semantic")
    alone = arguments.column is None or set(places) <= {"line", "start"}
    if len(places) > 1 or not alone:
        named = " and ".join(places if alone else [*places, "column"])
        raise FilewrightError(
            Code.INVALID_INPUT,
            f"read_content: {named} each say where to read",
            hint="give one of line, symbol, pattern, start, mode=head and mode=tail; with column, line",
        )


def _read(context: Context, arguments: ReadArguments, path: str, budget: int, task: Task) -> FileRead:
    location = context.boundary.locate(path)
    budget = min(budget, 700 + arguments.max_chars) if arguments.max_chars is not None else budget
    with context.open_page(location, task, encoding=arguments.encoding) as snapshot:
        if snapshot.binary is not None:
            return _image(context, snapshot, location)
        if arguments.column is not None:
            return _piece(snapshot, arguments, budget, task)
        return _lines(context, snapshot, arguments, budget, task)


def _image(context: Context, snapshot: Snapshot, location: Location) -> FileRead:
    kind = snapshot.binary or ""
    if not kind.startswith("image/") or not context.settings.image_bytes:
        raise binary(location, kind, snapshot.size)
    if snapshot.size > context.settings.image_bytes:
        raise FilewrightError(
            Code.TOO_LARGE,
            f"{location.asked} is a {kind} of {snapshot.size} bytes; images up to "
            f"{context.settings.image_bytes} are shown",
            hint="make a smaller copy of it",
            details={"path": location.asked, "size": snapshot.size, "limit": context.settings.image_bytes},
        )
    return FileRead(
        f"[{visible(location.shown)}: {kind}, {size_text(snapshot.size)}; version {snapshot.version}]",
        path=location.shown,
        type=kind,
        size=snapshot.size,
        version=snapshot.version,
        images=(Image(snapshot.read(0, snapshot.size), kind),),
    )


def _span(context: Context, snapshot: Snapshot, arguments: ReadArguments, task: Task) -> _Span:
    """Where to begin, from whatever of line, symbol, pattern, mode and start was given."""
    limit = arguments.limit
    if arguments.mode == "semantic" or arguments.symbol is not None:
        whole = semantic.block(context, snapshot, arguments, task)
        return _Span(whole.start, whole.start_line, limit, whole.end, whole.notes, whole.symbol, whole.hit)
    if arguments.pattern is not None:
        hit = semantic.occurrence(context, snapshot, arguments.pattern, arguments.occurrence, task)
        first = max(1, hit.line - min(limit - 1, limit // 3))
        return _Span(snapshot.lines.offset_of(first, task), first, limit, notes=(hit.note,), hit=hit.line)
    if arguments.line is not None:
        if not snapshot.lines.has_line(arguments.line, task):
            raise past_end(snapshot, arguments.line, task, argument="line")
        first = max(1, arguments.line - (limit - 1) // 2)
        return _Span(snapshot.lines.offset_of(first, task), first, limit)
    start = arguments.start
    if arguments.mode == "head":
        start = 1
    elif arguments.mode == "tail":
        start = -limit
    if start == 0:
        raise FilewrightError(
            Code.INVALID_INPUT,
            "start=0: lines are numbered from 1",
            hint="use start=1 for the beginning, a negative start to count from the end",
            details={
                "path": snapshot.asked,
                "line_count": snapshot.lines.counted(task),
                "argument": "start",
            },
        )
    if start > 0:
        if start > 1 and not snapshot.lines.has_line(start, task):
            raise past_end(snapshot, start, task)
        return _Span(snapshot.lines.offset_of(start, task), start, limit)
    return replace(_tail(snapshot, -start, task), limit=limit)


def _tail(snapshot: Snapshot, count: int, task: Task) -> _Span:
    """The last `count` lines, numbered from the end where the file was not counted."""
    offset = snapshot.lines.last(count, task)
    known = total_lines(snapshot)
    if known is not None:
        return _Span(offset, max(1, known - count + 1), count)
    return _Span(offset, 1 if offset == snapshot.start else -count, count)


@dataclass(frozen=True, slots=True)
class ReadRows:
    """Lines as they are shown, and what could not be."""

    rows: list[str]
    bodies: list[str]
    end: int
    cut: list[int]
    invalid: list[int]
    odd: list[str]
    more: bool
    terminated: bool


def excerpt(
    context: Context, snapshot: Snapshot, span: _Span, budget: int, task: Task, *, numbered: bool
) -> ReadRows:
    """At most `span.limit` lines and `budget` characters from `span.offset`; at least one line."""
    width = context.settings.line_chars
    rows: list[str] = []
    bodies: list[str] = []
    invalid: list[int] = []
    odd: dict[str, None] = {}
    cut: list[int] = []
    used = 0
    number, end, more, terminated = span.number, span.offset, False, False
    per_character = 4 if snapshot.encoding.width == 1 else 2
    for head in snapshot.lines.since(
        span.offset, span.stop, limit=width * per_character, reach=LINE_REACH, task=task
    ):
        if len(rows) >= span.limit:
            more = True
            break
        body, remark = shown_line(snapshot, head, width, number)
        row = (f"{number:>6}\t" if numbered else "") + (visible(body) if numbered else body) + remark
        if rows and used + len(row) + 1 > budget:
            more = True
            break
        if "\ufffd" in body and _invalid(snapshot, head):
            invalid.append(number)
        odd.update(dict.fromkeys(oddities(body)))
        if remark:
            cut.append(number)
        rows.append(clip(row, max(budget, 100)))
        bodies.append(body)
        used += len(row) + 1
        number += 1
        end = head.end
        terminated = bool(head.terminator)
    return ReadRows(rows, bodies, end, cut, invalid, list(odd), more, terminated)


def shown_line(snapshot: Snapshot, head: Line, width: int, number: int) -> tuple[str, str]:
    """A line's text of at most `width` characters, and what is said of the rest (empty if whole).

    `number` is the line's, negative if it was counted from the end.
    """
    body = encodable(codec.decoded(head.body, snapshot.encoding))
    if head.whole and len(body) <= width:
        return body, ""
    kept = body[:width]
    length = f"{'more than ' if head.goes_on else ''}{head.length:,} bytes"
    place = f"line={number}" if number > 0 else f"start={number}"
    return kept, f" …[line of {length}, cut; read on with {place}, column={len(kept) + 1}]"


def _invalid(snapshot: Snapshot, head: Line) -> bool:
    try:
        head.body.decode(snapshot.encoding.name)
    except UnicodeDecodeError:
        return True
    return False


def _lines(
    context: Context, snapshot: Snapshot, arguments: ReadArguments, budget: int, task: Task
) -> FileRead:
    shown = snapshot.location.shown if snapshot.location is not None else ""
    if snapshot.size <= snapshot.start and arguments.start in (1, -1):
        context.remember(snapshot)
        return FileRead(
            f"[{visible(shown)}: empty file; {about(snapshot)}]",
            path=shown,
            size=snapshot.size,
            total_lines=0,
            **facts(snapshot),
        )
    span = asked = _span(context, snapshot, arguments, task)
    room = max(200, budget - 700)
    got = excerpt(context, snapshot, span, room, task, numbered=arguments.numbered)
    while arguments.mode == "tail" and got.more and len(got.rows) < span.limit:
        # What does not fit is left out at the beginning: who asks for a tail wants the newest lines.
        span = _tail(snapshot, min(len(got.rows), span.limit - 1), task)
        got = excerpt(context, snapshot, span, room, task, numbered=arguments.numbered)
    older = asked.limit - span.limit
    context.remember(snapshot, (span.offset, got.end))
    last = span.number + len(got.rows) - 1
    total = total_lines(snapshot)
    if total is None and got.end >= snapshot.size and span.number > 0:
        total = last
    total_text = f"{total:,}" if total is not None else f"(not counted, {size_text(snapshot.size)})"
    head = f"[{visible(shown)}: lines {span.number}-{last} of {total_text}; {about(snapshot)}]"
    notes = [note for note in span.notes if note]
    if got.invalid:
        notes.append(f"invalid bytes, shown as \ufffd, at lines {listed(got.invalid, 10)}")
    if got.odd:
        notes.append("contains " + " and ".join(got.odd))
    if older:
        notes.append(
            f"{counted(older, 'older line')} left out; read on with start={asked.number}, limit={older}"
        )
    more = got.more or got.end < snapshot.size
    if more and span.stop is None:
        rest = f"lines {last + 1}-{total} left out; " if total is not None and last > 0 else "more; "
        notes.append(f"{rest}continue with start={last + 1}")
    elif more and span.stop is not None and got.end < span.stop:
        end = snapshot.lines.line_at(span.stop - 1, task)
        notes.append(f"it ends at line {end}; continue with start={last + 1}, limit={end - last}")
    return FileRead(
        "\n".join([head, *got.rows, *(f"[{note}]" for note in notes)]),
        path=shown,
        **facts(snapshot),
        size=snapshot.size,
        content="\n".join(got.bodies),
        start_line=span.number,
        end_line=last,
        lines_returned=len(got.rows),
        total_lines=total,
        truncated=got.more or older > 0,
        cut_at=tuple(got.cut),
        terminated=got.terminated,
        symbol=span.symbol,
        match_line=span.hit,
        invalid_lines=tuple(got.invalid),
        notes=tuple(notes),
        next=ReadOn(start=asked.number if older else last + 1) if more or older else None,
    )


def _piece(snapshot: Snapshot, arguments: ReadArguments, budget: int, task: Task) -> FileRead:
    """Characters [column, column + limit) of one line, decoded block by block."""
    number = arguments.line if arguments.line is not None else arguments.start
    if number == 0:
        raise FilewrightError(Code.INVALID_INPUT, "start=0: lines are numbered from 1")
    if number > 0 and not snapshot.lines.has_line(number, task):
        raise past_end(snapshot, number, task)
    offset = snapshot.lines.offset_of(number, task) if number > 0 else snapshot.lines.last(-number, task)
    column = arguments.column or 1
    limit = min(arguments.max_chars or arguments.limit, max(1, budget - 500))
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
    head = f"[{visible(shown)}: line {number}, columns {column}-{last}; {about(snapshot)}]"
    rows = [head, visible(text) if arguments.numbered else text]
    if not complete:
        rows.append(f"[the line goes on; continue with line={number}, column={last + 1}]")
    return FileRead(
        "\n".join(rows),
        path=shown,
        **facts(snapshot),
        size=snapshot.size,
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


TOOL = Tool(
    name="read_content",
    title="Read files",
    description=(
        "Read one file (path), several (paths) or a place in each (items): by lines, head, tail, around a line or a "
        "match of pattern, or a whole function or class (symbol, or mode=semantic with line). Rows are "
        "`number<TAB>text`; leave the numbers out of edits. The first row gives the version. Shows images."
    ),
    arguments=ReadArguments,
    run=run,
    toolset="read",
)
