"""Excerpts of the files that a search found: each hit with the lines around it.

The number of hits decides how much is shown: the first few have context and the definition
they are in, later ones their line alone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from filewright.hints import fill
from filewright.languages import Language
from filewright.progress import Task
from filewright.search.excerpts import (
    ContextLine,
    Excerpt,
    HitContext,
    build_excerpt,
    count_match_characters,
    read_context,
)
from filewright.search.hits import Hit
from filewright.structure.block import find_block
from filewright.structure.lookup import symbol_path_at
from filewright.structure.outlines import Outlines, language_of_snapshot
from filewright.text.notebook import NotebookView
from filewright.text.snapshot import Snapshot
from filewright.tools.read.rendering import name_column
from filewright.tools.search.arguments import SearchArguments
from filewright.tools.search.imports import shorten_imports
from filewright.tools.search.notes import (
    MAX_MATCH_BYTES,
    display_path,
    matched_text,
)
from filewright.tools.search.result import SearchHit
from filewright.wording import format_size

MAX_HITS_WITH_CONTEXT = 5
DEFAULT_CONTEXT_LINES = 2
# A definition up to this length is shown whole if its first line is one of few hits.
MAX_DEFINITION_LINES = 12
MAX_LINES_OF_MATCH = 100

# A context line that was not requested is shown only if it is this short, and a hit in a
# very long line is shown with about as many characters.
SHORT_LINE_CHARS = 120
MATCH_MARGIN_CHARS = 40

MAX_PARSED_FILE_BYTES = 512 << 10
MAX_PARSED_BYTES = 4 << 20
# A small file also costs the start of a parser.
MIN_PARSED_BYTES = MAX_PARSED_FILE_BYTES // 8

# In these a line says nothing about the lines beside it, unless it continues one: such a
# line is indented.
RECORD_LANGUAGES = {
    Language.LOG,
    Language.CSV,
    Language.TSV,
    Language.JSON_LINES,
}


class LineRole(StrEnum):
    """The reason why a line is shown."""

    HIT = "hit"
    CONTINUATION = "continuation"
    """a further line of a match"""
    OMISSION = "omission"
    """stands for further lines of a match that are not shown"""
    CONTEXT = "context"
    SUMMARY = "summary"
    """stands for the matches in the long lines of a file"""
    HEADER = "header"
    """the names of a table's columns, above its first hit"""


@dataclass(frozen=True, slots=True)
class ExcerptLine:
    """A line of a file as a search shows it; `text` is not escaped.

    `column` is that of a hit in a line of which a piece is shown. `notes` stand behind the
    line.
    """

    number: int
    text: str
    role: LineRole
    column: int | None = None
    notes: tuple[str, ...] = ()


def omit_context(lines: Iterable[ExcerptLine]) -> tuple[ExcerptLine, ...]:
    """Return lines without those beside hits."""
    return tuple(line for line in lines if line.role is not LineRole.CONTEXT)


@dataclass(frozen=True, slots=True)
class HitExcerpt:
    """A hit with the lines that it adds to those of its file.

    `has_short_context` is True if lines of a block of imports around it are left out.
    """

    hit: SearchHit
    lines: tuple[ExcerptLine, ...]
    has_short_context: bool = False


@dataclass(frozen=True, slots=True)
class FileExcerpt:
    """The lines of one file that a search shows."""

    path: str
    lines: tuple[ExcerptLine, ...]


@dataclass(frozen=True, slots=True)
class ExcerptOptions:
    """The form of hits: lines of up to `line_chars`, with a number of lines around them.

    With `default_context` the number of hits decides, and context that does not fit is
    left out. With `may_span_lines` a match may begin on the last line of the one before.
    """

    line_chars: int
    before: int
    after: int
    default_context: bool
    may_span_lines: bool
    shows_similarity: bool

    @classmethod
    def of(cls, arguments: SearchArguments, line_chars: int) -> ExcerptOptions:
        """Return the options that a call asks for."""
        before = after = arguments.context or 0
        if arguments.context_before is not None:
            before = arguments.context_before
        if arguments.context_after is not None:
            after = arguments.context_after
        return cls(
            line_chars=line_chars,
            before=before,
            after=after,
            default_context=arguments.has_default_context,
            may_span_lines=arguments.multiline,
            shows_similarity=arguments.mode == "fuzzy",
        )


@dataclass(frozen=True, slots=True)
class HitSymbols:
    """The definitions around a hit.

    `inner` contains the line of the hit or begins there; `outer` contains it and begins
    before it. `body_lines` is the number of further lines of a short definition that
    begins at the hit.
    """

    inner: str = ""
    outer: str = ""
    body_lines: int = 0


class SymbolFinder:
    """A finder of the definitions around hits, as long as there is work to spend on it.

    The work is counted in parsed bytes, so that the same search has the same answer under
    load.
    """

    def __init__(
        self, outlines: Outlines, task: Task, max_bytes: int = MAX_PARSED_BYTES
    ) -> None:
        self._outlines = outlines
        self._task = task
        self._bytes_left = max_bytes
        self._parsed_path = ""

    def find(self, snapshot: Snapshot, hit: Hit) -> HitSymbols:
        """Return the definitions around a hit; in a notebook, its cell."""
        if isinstance(snapshot, NotebookView):
            cell = snapshot.describe_position(hit.offset)
            return HitSymbols(cell, cell)
        if not self._may_parse(snapshot):
            return HitSymbols()
        outline = self._outlines.outline(snapshot, task=self._task)
        inner = symbol_path_at(outline, hit.line)
        outer = symbol_path_at(outline, hit.line, outside=True)
        body_lines = 0
        if inner != outer:
            block = find_block(snapshot, hit.line, outline)
            body_lines = block.end_line - hit.line
        if body_lines >= MAX_DEFINITION_LINES:
            body_lines = 0
        return HitSymbols(inner, outer, body_lines)

    def _may_parse(self, snapshot: Snapshot) -> bool:
        """Return True if the file was parsed before, or there is work left for it."""
        if snapshot.requested_path == self._parsed_path:
            return True
        size = snapshot.clip(MAX_PARSED_FILE_BYTES + 1)
        cost = max(size, MIN_PARSED_BYTES)
        if cost > self._bytes_left or size > MAX_PARSED_FILE_BYTES:
            return False
        self._bytes_left -= cost
        self._parsed_path = snapshot.requested_path
        return True


@dataclass(frozen=True, slots=True)
class PreviousHit:
    """The hit before another one.

    `last_shown_line` is the last line of its excerpt, and `last_matched_line` that of its
    match, 0 if the next hit cannot begin there. `symbol` is the definition around it.
    """

    last_shown_line: int = 0
    last_matched_line: int = 0
    symbol: str = ""


def excerpt_hits(
    snapshot: Snapshot,
    hits: Sequence[Hit],
    options: ExcerptOptions,
    symbols: SymbolFinder,
    *,
    earlier_hits: int,
    task: Task,
) -> Iterator[HitExcerpt]:
    """Yield the excerpt of each hit of a file; no line is shown twice.

    `earlier_hits` is the number of hits in the files before this one.
    """
    language = language_of_snapshot(snapshot)
    previous = PreviousHit()
    for index, hit in enumerate(hits):
        task.check()
        is_few = earlier_hits + index < MAX_HITS_WITH_CONTEXT
        hit_symbols = symbols.find(snapshot, hit)
        around = read_lines_around(
            snapshot,
            hit,
            options,
            hit_symbols,
            is_few=is_few,
            is_record_file=language in RECORD_LANGUAGES,
            task=task,
        )
        is_same_line = index > 0 and hits[index - 1].line == hit.line
        piece = choose_piece(
            snapshot, hit, options, is_few=is_few, is_same_line=is_same_line
        )
        shown = around
        if not options.default_context:
            shown = shorten_imports(piece.text, around)
        lines = lines_above(shown, previous)
        lines += lines_of_hit(
            snapshot, hit, piece, around, hit_symbols, previous, options
        )
        next_hit_line = sys.maxsize
        if index + 1 < len(hits):
            next_hit_line = hits[index + 1].line
        below = lines_below(shown, next_hit_line)
        yield HitExcerpt(
            build_hit(snapshot, hit, piece, around, hit_symbols.inner),
            (*lines, *below),
            has_short_context=shown != around,
        )
        last_line = hit.line + around.inside_count
        may_continue = options.may_span_lines or around.inside_count > 0
        previous = PreviousHit(
            last_shown_line=below[-1].number if below else last_line,
            last_matched_line=last_line if may_continue else 0,
            symbol=hit_symbols.inner,
        )


def read_lines_around(
    snapshot: Snapshot,
    hit: Hit,
    options: ExcerptOptions,
    hit_symbols: HitSymbols,
    *,
    is_few: bool,
    is_record_file: bool,
    task: Task,
) -> HitContext:
    """Return the lines around a hit: those requested, or those that are likely to help."""
    before, after = options.before, options.after
    if options.default_context:
        before = after = 0
        if is_few:
            before = DEFAULT_CONTEXT_LINES
            after = max(DEFAULT_CONTEXT_LINES, hit_symbols.body_lines)
    around = read_context(
        snapshot,
        hit,
        before=before,
        after=after,
        max_characters=options.line_chars,
        max_inside=MAX_LINES_OF_MATCH,
        task=task,
    )
    if not options.default_context:
        return around
    max_chars = SHORT_LINE_CHARS
    if hit_symbols.body_lines:
        max_chars = options.line_chars
    return replace(
        around,
        above=select_helpful(
            around.above, max_chars, is_record_file=is_record_file
        ),
        below=select_helpful(
            around.below, max_chars, is_record_file=is_record_file
        ),
    )


def select_helpful(
    lines: Sequence[ContextLine], max_chars: int, *, is_record_file: bool
) -> tuple[ContextLine, ...]:
    """Return the lines that are neither long nor other records."""
    helpful = []
    for line in lines:
        is_long = line.cut or len(line.text) > max_chars
        is_other_record = is_record_file and not line.text[:1].isspace()
        if not is_long and not is_other_record:
            helpful.append(line)
    return tuple(helpful)


def choose_piece(
    snapshot: Snapshot,
    hit: Hit,
    options: ExcerptOptions,
    *,
    is_few: bool,
    is_same_line: bool,
) -> Excerpt:
    """Return the piece of a hit's line that is shown.

    Of a very long line only a little is shown beside the match, and less if the hit before
    is on the same line. The match itself is shown whole, up to the longest row.
    """
    width = options.line_chars
    if options.default_context and not is_few:
        width = min(width, 2 * SHORT_LINE_CHARS)
    piece = build_excerpt(snapshot, hit, width)
    is_cut = piece.is_cut_before or piece.is_cut_after
    if not is_cut or (is_few and hit.column <= options.line_chars):
        return piece
    needed = (
        count_match_characters(snapshot, hit, options.line_chars)
        + MATCH_MARGIN_CHARS
    )
    piece_chars = SHORT_LINE_CHARS
    if is_same_line:
        piece_chars //= 2
    return build_excerpt(
        snapshot, hit, min(options.line_chars, max(piece_chars, needed))
    )


def lines_above(around: HitContext, previous: PreviousHit) -> list[ExcerptLine]:
    """Return the lines above a hit that the hit before has not shown."""
    return [
        to_excerpt_line(line, LineRole.CONTEXT)
        for line in around.above
        if line.line > previous.last_shown_line
    ]


def lines_below(around: HitContext, next_hit_line: int) -> list[ExcerptLine]:
    """Return the lines below a hit that are above the next one."""
    return [
        to_excerpt_line(line, LineRole.CONTEXT)
        for line in around.below
        if line.line < next_hit_line
    ]


def describe_long_match(snapshot: Snapshot, hit: Hit) -> str:
    """Return a note on a match that is shown in part: its length, and how to read it."""
    size = hit.end - hit.offset
    length = format_size(size)
    if size <= MAX_MATCH_BYTES:
        length = f"{len(matched_text(snapshot, hit)):,} characters"
    # An inverted search matches whole lines.
    noun = "match" if hit.submatches else "line"
    place = name_column("line", hit.line, hit.column)
    return fill("{} of {}, cut; read it with {}", noun, length, place)


def lines_of_hit(
    snapshot: Snapshot,
    hit: Hit,
    piece: Excerpt,
    around: HitContext,
    hit_symbols: HitSymbols,
    previous: PreviousHit,
    options: ExcerptOptions,
) -> list[ExcerptLine]:
    """Return the line of a hit, and the further lines of its match."""
    lines = []
    is_cut = piece.is_cut_before or piece.is_cut_after
    # The match before may have ended on the line, which is then shown already.
    if hit.line > previous.last_matched_line or is_cut:
        notes = []
        if hit_symbols.outer and hit_symbols.outer != previous.symbol:
            notes.append(hit_symbols.outer)
        if options.shows_similarity:
            notes.append(f"similarity {hit.score:.2f}")
        if piece.match_end or (around.inside_count and piece.is_cut_after):
            notes.append(describe_long_match(snapshot, hit))
        lines.append(
            ExcerptLine(
                hit.line,
                piece.row,
                LineRole.HIT,
                column=hit.column if is_cut else None,
                notes=tuple(notes),
            )
        )
    for line in around.inside:
        if line.line > previous.last_matched_line:
            lines.append(to_excerpt_line(line, LineRole.CONTINUATION))
    omitted_count = around.inside_count - len(around.inside)
    if omitted_count:
        last_line = hit.line + around.inside_count
        text = (
            f"[{omitted_count:,} more lines of this match, to line {last_line}]"
        )
        lines.append(ExcerptLine(last_line, text, LineRole.OMISSION))
    return lines


def to_excerpt_line(line: ContextLine, role: LineRole) -> ExcerptLine:
    """Return a line beside a hit, with an ellipsis if it is cut."""
    text = line.text
    if line.cut:
        text += "…"
    return ExcerptLine(line.line, text, role)


def build_hit(
    snapshot: Snapshot,
    hit: Hit,
    piece: Excerpt,
    around: HitContext,
    symbol: str,
) -> SearchHit:
    """Return a hit in the form of the structured result."""
    matched = None
    if around.inside_count:
        matched = matched_text(snapshot, hit)
    return SearchHit(
        path=display_path(snapshot),
        line=hit.line,
        last_line=hit.line + around.inside_count,
        column=hit.column,
        offset=hit.offset,
        end=hit.end,
        text=piece.text,
        text_column=piece.column,
        more_lines=tuple(line.text for line in around.inside),
        submatches=piece.ranges,
        truncated=piece.is_cut_before or piece.is_cut_after,
        context_before=tuple(line.text for line in around.above),
        context_after=tuple(line.text for line in around.below),
        symbol=symbol or None,
        similarity=round(hit.score, 4),
        matched=matched,
    )
