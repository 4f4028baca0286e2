"""The lines of a range that fit in an answer, and notes on them."""

from __future__ import annotations

from dataclasses import dataclass

from filewright.hints import fill
from filewright.text import codec
from filewright.text.lines import MAX_LINE_SEARCH_BYTES
from filewright.text.snapshot import Snapshot
from filewright.tools.bounded_text import CharacterBudget
from filewright.tools.context import Context
from filewright.tools.file_facts import (
    damage_notes,
    describe_encoding,
    file_facts,
    is_complete,
)
from filewright.tools.read.arguments import ReadArguments
from filewright.tools.read.line_range import LineRange
from filewright.tools.read.place import choose_last_lines, choose_range
from filewright.tools.read.rendering import (
    name_lines,
    render_line,
    render_lines,
)
from filewright.tools.read.result import FileRead, ReadOn
from filewright.wording import (
    describe_hidden_characters,
    escape_surrogates,
    join_limited,
    pluralize,
)

HEADING_CHARS = 700
"""Characters left for the heading and the notes of an answer, above its lines."""
MAX_LISTED_LINES = 10
_MIN_LINE_CHARS = 200


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
class LineExcerpt:
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
    line_chars = max(_MIN_LINE_CHARS, max_chars - HEADING_CHARS)
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
) -> LineExcerpt:
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
            return LineExcerpt(line_range, tuple(lines), has_more=True)
        lines.append(file_line)
    return LineExcerpt(line_range, tuple(lines), has_more=False)


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
    excerpt: LineExcerpt,
    max_chars: int,
    *,
    numbered: bool,
) -> LineExcerpt:
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


def count_known_lines(snapshot: Snapshot, excerpt: LineExcerpt) -> int | None:
    """Return the number of lines of a file if it is known, or if its last line was read."""
    if snapshot.line_count is not None:
        return snapshot.line_count
    is_numbered = excerpt.line_range.first_line > 0
    if is_numbered and not snapshot.has_byte(excerpt.end):
        return excerpt.last_line
    return None


def describe_lines(excerpt: LineExcerpt) -> list[str]:
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
    excerpt: LineExcerpt,
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
