"""The overview of one file: its form, its outline, its changes, and searches worth making."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from filewright.boundary.location import Location
from filewright.errors import Code, FilewrightError
from filewright.languages import Language
from filewright.logs.rotated import find_members
from filewright.logs.summary import LogSummary, summarize
from filewright.structure.changed_symbols import (
    ChangedSymbol,
    OutlinedText,
    find_changed_symbols,
    find_touched_symbols,
)
from filewright.structure.git import read_committed
from filewright.structure.lookup import find_symbol
from filewright.structure.outline import Outline
from filewright.structure.outlines import language_of_snapshot
from filewright.structure.sample import read_sample
from filewright.structure.search_hints import SearchHints, build_search_hints
from filewright.structure.symbol import Symbol
from filewright.text.lines import MAX_LINE_SEARCH_BYTES
from filewright.text.snapshot import Snapshot
from filewright.tools.binary_files import binary_error
from filewright.tools.context import Context
from filewright.tools.file_facts import (
    damage_notes,
    describe_encoding,
    encoding_facts,
    explain_damage,
    is_complete,
)
from filewright.tools.merge_conflicts import summarize_conflicts
from filewright.tools.overview.arguments import OverviewArguments
from filewright.tools.overview.outline import choose_outline
from filewright.tools.overview.rendering import render_file_overview
from filewright.tools.overview.result import OverviewResult

# The lines of a file that is not held in memory are measured up to here.
MAX_MEASURED_BYTES = 4 << 20
MAX_CHANGED_SYMBOLS = 500


@dataclass(frozen=True, slots=True)
class FileOverview:
    """The overview of a file as values, from which its text is rendered.

    `form` is the encoding, the line ending and the version; `shown_symbols` are those of
    the outline that fit; `notes` say why the file was not compared.
    """

    result: OverviewResult
    form: str
    shown_symbols: tuple[Symbol, ...]
    changed_symbols: tuple[ChangedSymbol, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SymbolComparison:
    """The symbols that differ from a revision; None if there is nothing to compare with."""

    changed_symbols: tuple[ChangedSymbol, ...] | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class LineLengths:
    """The longest line in bytes, and the number of lines that are too long to be shown whole."""

    longest: int
    long_count: int
    is_whole_file: bool


def describe_file(
    context: Context,
    location: Location,
    arguments: OverviewArguments,
    max_chars: int,
) -> OverviewResult:
    """Return the overview of a text file. Raise `is_binary` for any other."""
    with (
        context.open_page(location, cells=False) as snapshot,
        explain_damage(snapshot),
    ):
        if snapshot.binary_type is not None:
            raise binary_error(snapshot)
        overview = build_overview(context, snapshot, arguments, max_chars)
        context.remember(snapshot)
    text = render_file_overview(overview, max_chars)
    return replace(overview.result, text=text)


def build_overview(
    context: Context,
    snapshot: Snapshot,
    arguments: OverviewArguments,
    max_chars: int,
) -> FileOverview:
    """Return the overview of an open text file."""
    line_count = snapshot.lines.count_lines(context.task)
    language = language_of_snapshot(snapshot)
    outline = context.outlines.outline(snapshot, language, task=context.task)
    if arguments.symbol is not None:
        symbol = find_symbol(
            outline, arguments.symbol, snapshot.requested_path
        ).symbol
        arguments = arguments.model_copy(
            update={"lines": [symbol.start_line, symbol.end_line]}
        )
    comparison = find_changes(context, snapshot, arguments, outline, language)
    changed_symbols = comparison.changed_symbols
    lengths = measure_lines(context, snapshot)
    # The other half of the answer is for the rest.
    part = choose_outline(
        outline, arguments, line_count=line_count, max_chars=max_chars // 2
    )
    path = ""
    if snapshot.location is not None:
        path = snapshot.location.display_path
    has_text = snapshot.size > snapshot.start
    shown_changes = None
    if changed_symbols is not None:
        shown_changes = changed_symbols[:MAX_CHANGED_SYMBOLS]
    hints = build_search_hints(snapshot, language)
    conflicts, conflict_count = summarize_conflicts(context, snapshot)
    result = OverviewResult(
        "",
        path=path,
        size=snapshot.file_size,
        line_count=line_count,
        **encoding_facts(snapshot),
        line_endings=snapshot.lines.terminators.counts(),
        final_newline=has_text and snapshot.lines.ends_in_terminator(),
        longest_line=lengths.longest,
        long_lines=lengths.long_count,
        lines_measured=lengths.is_whole_file,
        language=None if language is None else str(language),
        conflicts=conflicts,
        conflict_count=conflict_count,
        outline=part.symbols,
        symbols_left_out=part.hidden_count,
        next_lines=part.next_lines,
        outline_note=outline.note,
        parsed=parsed_part(outline),
        syntax_errors=outline.errors,
        changed_symbols=shown_changes,
        search_hints=hints,
        log=summarize_log(context, snapshot, hints, line_count),
        complete=is_complete(snapshot),
        notes=damage_notes(snapshot),
    )
    notes = [comparison.note] if comparison.note else []
    notes += result.notes
    return FileOverview(
        result,
        form=describe_encoding(snapshot),
        shown_symbols=part.shown_symbols,
        changed_symbols=changed_symbols or (),
        notes=tuple(notes),
    )


def summarize_log(
    context: Context, snapshot: Snapshot, hints: SearchHints, line_count: int
) -> LogSummary | None:
    """Return the summary of a log, None for any other file."""
    location = snapshot.location
    if hints.log is None or location is None:
        return None
    members = find_members(context.boundary, location, context.task)
    names = []
    if len(members) > 1:
        names = [member.display_path for member in members]
    lines = [line.text for line in read_sample(snapshot).lines]
    return summarize(snapshot, lines, line_count, names, context.task)


def parsed_part(outline: Outline) -> Literal["whole", "part", "no"]:
    """Return how much of a file was parsed."""
    if outline.is_whole:
        return "whole"
    return "part" if outline.parsed else "no"


def find_changes(
    context: Context,
    snapshot: Snapshot,
    arguments: OverviewArguments,
    outline: Outline,
    language: Language | None,
) -> SymbolComparison:
    """Return the symbols in the changed lines of the call, or those that differ from git."""
    if arguments.changed_lines is None:
        return compare_with_git(
            context, snapshot, outline, language, arguments.since
        )
    ranges = [(first, last) for first, last in arguments.changed_lines]
    touched = find_touched_symbols(
        outline, ranges, arguments.changed_kinds, task=context.task
    )
    return SymbolComparison(touched)


def compare_with_git(
    context: Context,
    snapshot: Snapshot,
    outline: Outline,
    language: Language | None,
    since: str | None,
) -> SymbolComparison:
    """Return the symbols that differ from a revision of git."""
    content = snapshot.content
    max_bytes = context.settings.parse_bytes
    if not since or content is None or len(content) > max_bytes:
        return SymbolComparison(None)
    # Git stores the compressed bytes, which have no symbols.
    if snapshot.compression:
        return SymbolComparison(None)
    assert snapshot.location is not None
    try:
        committed = read_committed(
            context.boundary,
            snapshot.location,
            since,
            limit=max_bytes,
            task=context.task,
        )
    except FilewrightError as error:
        # The caller can correct the revision; other failures of git cost only this part.
        if error.code in (Code.CANCELLED, Code.INVALID_INPUT):
            raise
        return SymbolComparison(None, f"not compared with git: {error.message}")
    if committed is None:
        return SymbolComparison(None)
    if committed.content is None:
        return SymbolComparison(
            None, committed.note or f"not in git at {since}"
        )
    if committed.content == content:
        return SymbolComparison(())
    # All symbols that were not parsed would seem to be changed.
    if not outline.is_whole:
        return SymbolComparison(None, f"differs from git at {since}")
    old_outline = context.outlines.outline(
        committed.content, language, task=context.task
    )
    changed = find_changed_symbols(
        OutlinedText(committed.content, old_outline),
        OutlinedText(content, outline),
        task=context.task,
    )
    return SymbolComparison(changed)


def measure_lines(context: Context, snapshot: Snapshot) -> LineLengths:
    """Return the lengths of the lines; of a file that is not held, of its beginning."""
    stop = snapshot.size
    if snapshot.content is None:
        stop = snapshot.clip(MAX_MEASURED_BYTES)
    longest = long_count = 0
    for line in snapshot.lines.read_lines(
        stop=stop, limit=0, reach=MAX_LINE_SEARCH_BYTES, task=context.task
    ):
        longest = max(longest, line.length)
        if line.length > context.settings.line_chars:
            long_count += 1
    return LineLengths(longest, long_count, stop >= snapshot.size)
