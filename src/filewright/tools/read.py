"""The tool `read_content`: lines, a definition or the place of a match, of one file or several."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from filewright.boundary.location import Location
from filewright.errors import Code, FilewrightError, invalid, path_error
from filewright.hints import Hint, fill, join_words
from filewright.progress import Task
from filewright.text import codec
from filewright.text.lines import MAX_LINE_SEARCH_BYTES
from filewright.text.snapshot import Snapshot
from filewright.tools.binary_files import binary_error
from filewright.tools.bounded_text import CharacterBudget
from filewright.tools.context import Context
from filewright.tools.file_facts import (
    add_damage_hint,
    damage_notes,
    describe_encoding,
    encoding_facts,
    explain_damage,
    is_complete,
)
from filewright.tools.line_range import LineRange
from filewright.tools.read_arguments import (
    ReadArguments,
    names_place,
    require_one_place,
    require_rotated_place,
    split_reads,
)
from filewright.tools.read_follow import (
    FollowPoint,
    choose_appended,
    end_point,
    wait_for_appended,
    with_cursor,
)
from filewright.tools.read_place import (
    choose_last_lines,
    choose_range,
    find_match_in_long_line,
    require_line,
)
from filewright.tools.read_rendering import (
    mark_headings,
    name_lines,
    render_image,
    render_line,
    render_lines,
    render_piece,
)
from filewright.tools.read_result import FileRead, FilesRead, ReadOn
from filewright.tools.read_times import (
    choose_member_part,
    last_time,
    unsorted_error,
)
from filewright.tools.result import Image
from filewright.tools.rotated_logs import find_rotated
from filewright.tools.several import join_texts, run_for_each
from filewright.tools.tool import Tool
from filewright.wording import (
    describe_hidden_characters,
    escape_surrogates,
    join_limited,
    pluralize,
)

# The heading and the notes of an answer, beside its lines.
HEADING_CHARS = 700
PIECE_HEADING_CHARS = 500
MIN_LINE_CHARS = 200
# Characters of a long line that are shown before a match in it.
CHARS_BEFORE_MATCH = 200
MAX_LISTED_LINES = 10
FOLLOWED_LINES = 10


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


def read_image(
    context: Context, snapshot: Snapshot, location: Location
) -> FileRead:
    """Return an image as it is. Raise `is_binary` for any other binary file."""
    media_type = snapshot.binary_type or ""
    max_bytes = context.settings.image_bytes
    if not media_type.startswith("image/") or not max_bytes:
        raise binary_error(snapshot)
    if snapshot.size > max_bytes:
        raise path_error(
            Code.TOO_LARGE,
            location.requested_path,
            f"{location.requested_path} is an image of {snapshot.size:,} bytes ({media_type}); "
            f"images of up to {max_bytes:,} bytes are shown",
            "make a smaller copy of it",
            size=snapshot.size,
            limit=max_bytes,
        )
    path = location.display_path
    return FileRead(
        render_image(path, media_type, snapshot.size, snapshot.version),
        path=path,
        type=media_type,
        size=snapshot.size,
        version=snapshot.version,
        images=(Image(snapshot.read(0, snapshot.size), media_type),),
    )


def file_facts(snapshot: Snapshot) -> dict[str, Any]:
    """Return the facts of a text file that are the same for every part of it."""
    path = ""
    if snapshot.location is not None:
        path = snapshot.location.display_path
    return {
        "path": path,
        "size": snapshot.file_size,
        **encoding_facts(snapshot),
    }


# Lines


@dataclass(frozen=True, slots=True)
class FileLine:
    """A line, or the beginning of one that is cut; `size` is that of the whole line.

    `is_unfinished` is True if the line is so long that its end was not searched.
    """

    number: int
    text: str
    size: int
    end: int
    has_terminator: bool
    is_cut: bool
    is_unfinished: bool
    is_invalid: bool


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The lines of a range that fit; `has_more` is True if the range has others."""

    line_range: LineRange
    lines: tuple[FileLine, ...]
    has_more: bool

    @property
    def end(self) -> int:
        """Return the offset behind the last line."""
        return self.lines[-1].end if self.lines else self.line_range.offset

    @property
    def last_line(self) -> int:
        """Return the number of the last line, or the one before the first if there is none."""
        return self.line_range.first_line + len(self.lines) - 1


@dataclass(frozen=True, slots=True)
class LinesRead:
    """The lines of an answer; `form` is the encoding, the line ending and the version."""

    path: str
    form: str
    size: int
    is_empty_file: bool = False
    first_line: int = 1
    last_line: int = 0
    total_lines: int | None = None
    lines: tuple[FileLine, ...] = ()
    notes: tuple[str, ...] = ()


def read_end(
    context: Context,
    snapshot: Snapshot,
    arguments: ReadArguments,
    max_chars: int,
) -> FileRead:
    """Read the end of a file, or the place of the call, with a cursor for what follows."""
    point = end_point(snapshot, context.task)
    if "limit" not in arguments.model_fields_set:
        arguments = arguments.model_copy(update={"limit": FOLLOWED_LINES})
    if not names_place(arguments):
        arguments = arguments.model_copy(update={"mode": "tail"})
    result = read_lines(context, snapshot, arguments, max_chars)
    return with_cursor(result, point)


def read_appended(
    context: Context,
    location: Location,
    arguments: ReadArguments,
    max_chars: int,
) -> FileRead:
    """Read what was appended since the answer that gave the cursor."""
    point = FollowPoint.decode(arguments.cursor or "")
    parts = wait_for_appended(context, location, point, arguments.wait_seconds)
    results: list[FileRead] = []
    for part in parts:
        share = max_chars - sum(len(result.text) for result in results)
        if results and share < 2 * HEADING_CHARS:
            break
        with context.open_page(part.location, text=True) as snapshot:
            line_range = choose_appended(
                snapshot, part, arguments, context.task
            )
            if line_range is None:
                point = FollowPoint.at(snapshot, part.offset, part.line)
                continue
            result = read_lines(
                context, snapshot, arguments, share, line_range=line_range
            )
            results.append(result)
            line = 0
            if line_range.is_counted:
                line = result.end_line + 1
            end = result.end or part.offset
            point = FollowPoint.at(snapshot, end, line)
            if end < (line_range.stop or 0):
                break
    if not results:
        path = location.display_path
        text = f"[{path}: nothing was appended]"
        results = [FileRead(text, path=path, version="", size=point.offset)]
    joined = replace(
        results[-1],
        text=join_words("\n", [result.text for result in results]),
        complete=are_complete(results),
    )
    return with_cursor(joined, point)


def read_rotated(
    context: Context,
    members: Sequence[Location],
    arguments: ReadArguments,
    max_chars: int,
) -> FileRead:
    """Read lines of a rotated log: the last ones, those of a time, or the first ones.

    The parts of the answer are in the order of time; each names its file.
    """
    if arguments.follow:
        newest = arguments.model_copy(update={"rotated": False})
        with context.open_page(members[-1], text=True) as snapshot:
            return read_end(context, snapshot, newest, max_chars)
    has_time = arguments.since is not None or arguments.until is not None
    is_tail = arguments.mode == "tail" or arguments.start < 0
    require_rotated_place(arguments)
    limit = arguments.limit
    if arguments.start < 0:
        limit = min(limit, -arguments.start)
    last = last_time(context, members) if has_time else None
    results: list[FileRead] = []
    unsorted: list[str] = []
    damage: list[str] = []
    for member in reversed(members) if is_tail else members:
        share = max_chars - sum(len(result.text) for result in results)
        if limit <= 0 or share < 2 * HEADING_CHARS:
            break
        changes: dict[str, Any] = {"limit": limit}
        if is_tail:
            changes.update(mode="tail", start=1)
        with context.open_page(member, text=True) as snapshot:
            member_arguments = arguments.model_copy(update=changes)
            line_range = None
            if has_time:
                part = choose_member_part(
                    context, snapshot, member_arguments, last
                )
                if not part.is_sorted:
                    unsorted.append(member.display_path)
                line_range = part.line_range
                if line_range is None:
                    damage += damage_notes(snapshot)
                    continue
            result = read_lines(
                context,
                snapshot,
                member_arguments,
                share,
                line_range=line_range,
            )
        limit -= result.lines_returned
        results.append(result)
    if not results:
        error = no_lines_error(arguments, unsorted)
        add_damage_hint(error, damage)
        raise error
    if is_tail:
        results.reverse()
    names = join_limited(
        [member.display_path for member in members], MAX_LISTED_LINES
    )
    texts = [result.text for result in results]
    texts += unsorted_notes(unsorted)
    texts += [f"[{note}]" for note in damage]
    texts.append(f"[the files of the log, oldest first: {names}]")
    return replace(
        results[-1],
        text=join_words("\n", texts),
        content="\n".join(result.content for result in results),
        complete=False if damage else are_complete(results),
        lines_returned=sum(result.lines_returned for result in results),
    )


def are_complete(results: Sequence[FileRead]) -> bool | None:
    """Return False if a file that was read is damaged, else None."""
    for result in results:
        if result.complete is False:
            return False
    return None


def no_lines_error(
    arguments: ReadArguments, unsorted: Sequence[str]
) -> FilewrightError:
    """Return the error for a rotated log without lines of the times of a call."""
    if unsorted:
        return unsorted_error(
            join_limited(unsorted, MAX_LISTED_LINES), arguments
        )
    return invalid(
        f"{arguments.path}: no file of the log has such entries",
        "search_content with rotated=true finds text in all of them",
        argument="since",
    )


def unsorted_notes(unsorted: Sequence[str]) -> list[str]:
    """Return a note on the files that are left out since their times are not in order."""
    if not unsorted:
        return []
    names = join_limited(unsorted, MAX_LISTED_LINES)
    search = Hint("search_content", shell="filewright search")
    return [
        fill(
            "[left out, as their times are not in order: {}; {} finds their lines]",
            names,
            search,
        )
    ]


def read_lines(
    context: Context,
    snapshot: Snapshot,
    arguments: ReadArguments,
    max_chars: int,
    *,
    line_range: LineRange | None = None,
) -> FileRead:
    """Read the lines that the arguments name, or those of `line_range`, as many as fit."""
    facts = file_facts(snapshot)
    form = describe_encoding(snapshot)
    if not snapshot.has_byte(snapshot.start) and arguments.start in (1, -1):
        context.remember(snapshot)
        notes = damage_notes(snapshot)
        empty = LinesRead(
            facts["path"],
            form,
            snapshot.file_size,
            is_empty_file=True,
            notes=notes,
        )
        text = render_lines(empty, numbered=arguments.numbered)
        return FileRead(
            text,
            total_lines=0,
            notes=notes,
            complete=is_complete(snapshot),
            **facts,
        )
    is_appended = line_range is not None
    if line_range is None:
        line_range = choose_range(context, snapshot, arguments)
    line_chars = max(MIN_LINE_CHARS, max_chars - HEADING_CHARS)
    excerpt = read_range(
        context, snapshot, line_range, line_chars, numbered=arguments.numbered
    )
    if arguments.mode == "tail":
        excerpt = keep_newest(
            context, snapshot, excerpt, line_chars, numbered=arguments.numbered
        )
    # A later edit may name these lines without a version.
    context.remember(snapshot, (excerpt.line_range.offset, excerpt.end))
    older_count = line_range.max_lines - excerpt.line_range.max_lines
    total = count_known_lines(snapshot, excerpt)
    rest_note = describe_rest(
        context, snapshot, arguments, excerpt, line_range, total
    )
    continuation = None
    if older_count:
        continuation = ReadOn(start=line_range.first_line)
    elif not line_range.is_counted:
        rest_note = ""
        if excerpt.has_more:
            rest_note = "more; continue with the time of the last line as since"
    elif excerpt.has_more or snapshot.has_byte(excerpt.end):
        continuation = ReadOn(start=excerpt.last_line + 1)
    notes = (
        *line_range.notes,
        *describe_lines(excerpt),
        *damage_notes(snapshot),
    )
    if rest_note:
        notes = (*notes, rest_note)
    lines_read = LinesRead(
        path=facts["path"],
        form=form,
        size=snapshot.file_size,
        first_line=excerpt.line_range.first_line,
        last_line=excerpt.last_line,
        total_lines=total,
        lines=excerpt.lines,
        notes=notes,
    )
    lines = excerpt.lines
    return FileRead(
        render_lines(lines_read, numbered=arguments.numbered),
        **facts,
        content="\n".join(line.text for line in lines),
        start_line=excerpt.line_range.first_line,
        end_line=excerpt.last_line,
        lines_returned=len(lines),
        total_lines=total,
        truncated=excerpt.has_more or older_count > 0,
        cut_at=tuple(line.number for line in lines if line.is_cut),
        terminated=bool(lines) and lines[-1].has_terminator,
        symbol=line_range.symbol,
        match_line=line_range.match_line,
        invalid_lines=tuple(line.number for line in lines if line.is_invalid),
        notes=notes,
        complete=is_complete(snapshot),
        next=continuation,
        end=excerpt.end if is_appended else None,
    )


def read_range(
    context: Context,
    snapshot: Snapshot,
    line_range: LineRange,
    max_chars: int,
    *,
    numbered: bool,
) -> Excerpt:
    """Read the lines of a range that fit in `max_chars`, at least one."""
    budget = CharacterBudget(max_chars)
    line_chars = min(context.settings.line_chars, max_chars)
    # No character of an encoding with units of one byte has more than four of them.
    bytes_per_char = 4 if snapshot.encoding.unit_bytes == 1 else 2
    lines: list[FileLine] = []
    for line in snapshot.lines.read_lines(
        line_range.offset,
        line_range.stop,
        limit=line_chars * bytes_per_char,
        reach=MAX_LINE_SEARCH_BYTES,
        task=context.task,
    ):
        text = escape_surrogates(codec.decode(line.body, snapshot.encoding))
        line_text = text[:line_chars]
        file_line = FileLine(
            number=line_range.first_line + len(lines),
            text=line_text,
            size=line.length,
            end=line.end,
            has_terminator=bool(line.terminator),
            is_cut=not line.is_whole or len(text) > line_chars,
            is_unfinished=line.is_unfinished,
            is_invalid=is_invalid(snapshot, line_text, line.body),
        )
        row_chars = len(render_line(file_line, numbered=numbered)) + 1
        if len(lines) >= line_range.max_lines or not budget.take(row_chars):
            return Excerpt(line_range, tuple(lines), has_more=True)
        lines.append(file_line)
    return Excerpt(line_range, tuple(lines), has_more=False)


def is_invalid(snapshot: Snapshot, text: str, content: bytes) -> bool:
    """Return True if bytes of a line are not text in the file's encoding."""
    # A replacement character may also be in the file itself.
    if "\ufffd" not in text:
        return False
    try:
        content.decode(snapshot.encoding.name)
    except UnicodeDecodeError:
        return True
    return False


def keep_newest(
    context: Context,
    snapshot: Snapshot,
    excerpt: Excerpt,
    max_chars: int,
    *,
    numbered: bool,
) -> Excerpt:
    """Return the end of a tail that does not fit: its newest lines."""
    while (
        excerpt.has_more and len(excerpt.lines) < excerpt.line_range.max_lines
    ):
        count = min(len(excerpt.lines), excerpt.line_range.max_lines - 1)
        line_range = choose_last_lines(snapshot, count, count, context.task)
        excerpt = read_range(
            context, snapshot, line_range, max_chars, numbered=numbered
        )
    return excerpt


def count_known_lines(snapshot: Snapshot, excerpt: Excerpt) -> int | None:
    """Return the number of lines of a file if it is known, or if its last line was read."""
    if snapshot.line_count is not None:
        return snapshot.line_count
    is_numbered = excerpt.line_range.first_line > 0
    if is_numbered and not snapshot.has_byte(excerpt.end):
        return excerpt.last_line
    return None


def describe_lines(excerpt: Excerpt) -> list[str]:
    """Return notes on lines with invalid bytes, and on hidden characters."""
    notes = []
    invalid_lines = [line.number for line in excerpt.lines if line.is_invalid]
    if invalid_lines:
        numbers = join_limited(invalid_lines, MAX_LISTED_LINES)
        notes.append(f"invalid bytes, shown as \ufffd, at lines {numbers}")
    hidden: dict[str, None] = {}
    for line in excerpt.lines:
        hidden.update(dict.fromkeys(describe_hidden_characters(line.text)))
    if hidden:
        notes.append(f"contains {' and '.join(hidden)}")
    return notes


def describe_rest(
    context: Context,
    snapshot: Snapshot,
    arguments: ReadArguments,
    excerpt: Excerpt,
    line_range: LineRange,
    total: int | None,
) -> str:
    """Return which lines are left out and how to read them; "" if there is no need to say it."""
    older_count = line_range.max_lines - excerpt.line_range.max_lines
    next_line = excerpt.last_line + 1
    if older_count:
        lines = pluralize(older_count, "older line")
        place = name_lines(line_range.first_line, older_count)
        return fill("{} left out; continue with {}", lines, place)
    if not excerpt.has_more and not snapshot.has_byte(excerpt.end):
        return ""
    if line_range.stop is not None:
        if excerpt.end >= line_range.stop:
            return ""
        last = snapshot.lines.line_at(line_range.stop - 1, context.task)
        limit = last - excerpt.last_line
        place = name_lines(next_line, limit)
        return fill(
            "the block ends at line {}; continue with {}", str(last), place
        )
    # A caller that named a limit and received it knows that there is more.
    has_limit = "limit" in arguments.model_fields_set
    if has_limit and len(excerpt.lines) == line_range.max_lines:
        return ""
    rest = "more; "
    if total is not None and excerpt.last_line > 0:
        rest = f"lines {next_line}-{total} left out; "
    return fill("{}continue with {}", rest, name_lines(next_line))


# Pieces of a long line


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
        max(1, max_chars - PIECE_HEADING_CHARS),
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


READ_CONTENT = Tool(
    name="read_content",
    title="Read files",
    description=(
        "Read a file (path), or parts of several (items): lines, head, "
        "tail, around a line or match, or a definition (symbol, or "
        "mode=semantic with line). Rows are `number<TAB>text`: omit the "
        "numbers in edits. Shows images. Logs: since, until, follow."
    ),
    toolset="read",
    arguments=ReadArguments,
    run=read_content,
    step=(
        "2. Read only what you need: read_content takes many places in a call."
    ),
)
