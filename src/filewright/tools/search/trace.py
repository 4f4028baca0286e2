"""The answer of a search with the trace of its matches through their log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from filewright.boundary.location import Location
from filewright.hints import Hint, fill
from filewright.logs.rotated import find_members
from filewright.rows.fields import parse_entry, show_fields
from filewright.search.candidates import CandidateFiles
from filewright.search.trace import (
    MAX_COUNTED_LINES,
    LogFile,
    Trace,
    TracedLog,
    follow,
    read_lines,
    select_times,
)
from filewright.search.tree import TreeSearch
from filewright.tools.bounded_text import CharacterBudget
from filewright.tools.context import Context
from filewright.tools.search.excerpt import ExcerptLine, FileExcerpt, LineRole
from filewright.tools.search.lines import excerpt_chars
from filewright.tools.search.outcome import SearchOutcome
from filewright.tools.search.result import TracedLine
from filewright.wording import escape_controls, pluralize

MAX_TRACED_MATCHES = 5
MAX_TRACED_FILES = 300
"""The files of a folder through which matches are traced."""

MAX_NAMED_IDENTIFIERS = 3
MAX_LABEL_CHARS = 20
SHOWN_LABEL_CHARS = 8
_RESERVED_CHARS = 800


def add_trace(
    context: Context, outcome: SearchOutcome, search: TreeSearch
) -> SearchOutcome:
    """Return an outcome whose lines are those of the trace of its matches."""
    matches = {(hit.path, hit.line) for hit in outcome.hits}
    if not matches:
        return outcome
    if len(matches) > MAX_TRACED_MATCHES:
        note = fill(
            "not traced: {} matches, of at most {}; narrow the search, or {}",
            str(len(matches)),
            str(MAX_TRACED_MATCHES),
            Hint(
                "max_results=1 traces the first",
                shell="--max-results 1 traces the first",
            ),
        )
        return replace(outcome, notes=(*outcome.notes, note))
    files, file_note = find_traced_files(context, outcome, search)
    reader = TracedLog(files, select_times(search), context.task)
    trace = follow(reader, read_lines(reader, _offsets_by_path(outcome)))
    lines = _lay_out(trace, files, outcome, context.settings.match_chars)
    notes = [*_describe(trace), *file_note]
    linked_count = sum(1 for line in lines if line.identifier is not None)
    if not linked_count:
        summary = "no other line shares an id"
        if trace.frequent:
            summary = "no other line shares a rare id"
        if not trace.has_identifiers:
            summary = "no id to follow"
        return replace(outcome, notes=(*outcome.notes, summary, *notes))
    excerpts = _excerpt_lines(lines, outcome)
    shown_count = sum(len(excerpt.lines) for excerpt in excerpts)
    if shown_count < len(lines):
        left_out = pluralize(len(lines) - shown_count, "line")
        notes.append(f"{left_out} did not fit")
    summary = f"{pluralize(linked_count, 'line')} by the ids in brackets"
    return replace(
        outcome,
        excerpts=excerpts,
        trace=tuple(lines),
        notes=(summary, *notes, *outcome.notes),
    )


def _offsets_by_path(outcome: SearchOutcome) -> dict[str, Sequence[int]]:
    """Return the offsets of the matches in each file."""
    offsets: dict[str, list[int]] = {}
    for hit in outcome.hits:
        offsets.setdefault(hit.path, []).append(hit.offset)
    return {path: tuple(values) for path, values in offsets.items()}


def find_traced_files(
    context: Context,
    outcome: SearchOutcome,
    search: TreeSearch,
) -> tuple[Sequence[LogFile], Sequence[str]]:
    """Return the files through which matches are traced, and a note if some are left out.

    They are the file that the caller names, the members of a rotated log, or all files
    of a folder: the services of one system often write to files of their own. The files
    that were rotated with one that matches come first, the oldest first.
    """
    if search.open_file is not None:
        file = LogFile(search.where.display_path, search.open_file)
        return [file], []
    if search.members:
        return [_log_file(context, member) for member in search.members], []
    hit_paths = {hit.path for hit in outcome.hits}
    locations: dict[Location, None] = {}
    for location in search.matched_files:
        if location.display_path in hit_paths:
            members = find_members(context.boundary, location, context.task)
            locations |= dict.fromkeys(members)
    matched_count = len(locations)
    candidates = CandidateFiles(
        context.boundary, search.where, search.options, (), task=context.task
    )
    locations |= dict.fromkeys(islice(candidates, MAX_TRACED_FILES + 1))
    note: list[str] = []
    if len(locations) > MAX_TRACED_FILES:
        locations = dict.fromkeys(islice(locations, matched_count))
        note.append(
            f"of more than {MAX_TRACED_FILES} files, only those of the logs with "
            "a match are traced: narrow path or glob"
        )
    return [_log_file(context, location) for location in locations], note


def _log_file(context: Context, location: Location) -> LogFile:
    """Return a file of a log that has several."""
    return LogFile(
        location.display_path,
        lambda: context.searcher.open(location, context.task),
    )


def _lay_out(
    trace: Trace, files: Sequence[LogFile], outcome: SearchOutcome, chars: int
) -> list[TracedLine]:
    """Return the lines of a trace, each as far as `chars` show it."""
    lines = []
    for link in trace.links:
        identifier, text = link.identifier, link.line.text
        fields = outcome.arguments.fields
        entry = None
        if fields:
            entry = parse_entry(text.encode("utf-8", "replace"))
        if fields and entry is not None:
            text = show_fields(entry, fields)
        needle = "" if identifier is None else identifier.text
        place = link.line.place
        lines.append(
            TracedLine(
                files[place.file].path,
                place.line,
                _clip_around(text, needle, chars),
                None if identifier is None else identifier.label,
            )
        )
    return lines


def _describe(trace: Trace) -> Iterator[str]:
    """Yield notes on identifiers that were not followed, and on lines not shown."""
    for occurrences in trace.frequent[:MAX_NAMED_IDENTIFIERS]:
        count = pluralize(occurrences.count, "line")
        if occurrences.count > MAX_COUNTED_LINES:
            count = f"more than {MAX_COUNTED_LINES:,} lines"
        reaction = "not followed"
        if occurrences.identifier.is_trace:
            reaction = f"the first {occurrences.max_lines} shown"
        yield f"{occurrences.identifier.label} is in {count}: {reaction}"
    if trace.left_out:
        lines = pluralize(trace.left_out, "line")
        yield f"{lines} by less rare ids not shown"
    if trace.stop:
        way = Hint(
            "since and until search a part",
            shell="`filewright call search_content` takes since and until",
        )
        yield fill("time ran out at {}: {}", escape_controls(trace.stop), way)
    elif trace.pending:
        pending = trace.pending[:MAX_NAMED_IDENTIFIERS]
        labels = ", ".join(identifier.label for identifier in pending)
        yield f"not followed further: {labels}"


def _clip_around(text: str, needle: str, max_chars: int) -> str:
    """Return a line with at most `max_chars` around a text in it."""
    if len(text) <= max_chars:
        return text
    start = max(0, text.find(needle) + (len(needle) - max_chars) // 2)
    start = min(start, len(text) - max_chars)
    end = start + max_chars
    before = "…" if start else ""
    after = "…" if end < len(text) else ""
    return f"{before}{text[start:end]}{after}"


def _to_excerpt(line: TracedLine, outcome: SearchOutcome) -> ExcerptLine:
    """Return a line of a trace as a row; a match as the search shows it."""
    if line.identifier is not None:
        return ExcerptLine(
            line.line,
            line.text,
            LineRole.HIT,
            notes=(_shorten(line.identifier),),
        )
    for file in outcome.excerpts:
        for row in file.lines:
            is_match = file.path == line.path and row.number == line.line
            if is_match and row.role is LineRole.HIT:
                return replace(row, notes=(*row.notes, "match"))
    return ExcerptLine(line.line, line.text, LineRole.HIT, notes=("match",))


def _shorten(label: str) -> str:
    """Return the beginning of a long identifier, which the row shows whole."""
    if len(label) <= MAX_LABEL_CHARS:
        return label
    return f"{label[:SHOWN_LABEL_CHARS]}…"


def _excerpt_lines(
    lines: Sequence[TracedLine], outcome: SearchOutcome
) -> tuple[FileExcerpt, ...]:
    """Return the lines of a trace that fit on the page, those of one file together."""
    budget = CharacterBudget(outcome.max_chars, _RESERVED_CHARS)
    excerpts: list[FileExcerpt] = []
    for line in lines:
        row = _to_excerpt(line, outcome)
        if not budget.take(excerpt_chars(line.path, [row], with_path=True)):
            break
        if excerpts and excerpts[-1].path == line.path:
            rows = (*excerpts.pop().lines, row)
            excerpts.append(FileExcerpt(line.path, rows))
        else:
            excerpts.append(FileExcerpt(line.path, (row,)))
    return tuple(excerpts)
