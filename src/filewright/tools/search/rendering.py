"""The text of a `search_content` result."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from filewright.hints import Hint, fill, join_words
from filewright.search.hit_groups import HitGroup
from filewright.tools.bounded_text import BoundedText
from filewright.tools.search.count_matrix import render_matrix, render_place
from filewright.tools.search.excerpt import ExcerptLine, LineRole
from filewright.tools.search.folders import common_pattern, render_folders
from filewright.tools.search.lines import render_after_number, render_line
from filewright.tools.search.syntax_summary import is_name
from filewright.tools.search.tree import (
    MIN_TREE_HITS,
    has_single_lines,
    join_paths,
    render_tree,
    split_path,
    trims_whitespace,
)
from filewright.tools.search.uses_rendering import render_survey
from filewright.wording import escape_controls, pluralize

if TYPE_CHECKING:
    from filewright.tools.search.excerpt import FileExcerpt
    from filewright.tools.search.outcome import SearchOutcome, ShownKinds
    from filewright.tools.search.result import (
        MatchedFile,
        ValueCount,
    )

# The most files to name that have the same name and the same count.
MAX_ALIKE_FILES = 10
# Of more files than this, those of a folder share a row.
MAX_OWN_ROWS = 20
SURVEY_RESERVED_CHARS = 400
"""The characters that a survey leaves for notes."""
MAX_REPEATED_CHARS = 12
"""A longer pattern is named by its number beside the hits of other searches."""


def render_search(
    outcome: SearchOutcome, notes: Sequence[str], *, titled_path: str = ""
) -> str:
    """Return the answer of one search: its matches, then how many there are in all.

    `titled_path` is a path that a title above the answer names already.
    """
    text = BoundedText(outcome.max_chars)
    text.add(*render_matches(outcome, titled_path))
    if not outcome.has_match:
        text.add(render_no_match(outcome))
    if outcome.next_cursor is not None:
        text.add(render_continuation(outcome))
    elif not outcome.is_complete:
        text.add("[the search is incomplete]")
    if notes:
        text.add(fill("[{}]", join_words("; ", notes)))
    return text.text()


def render_no_match(outcome: SearchOutcome) -> str:
    """Return the line of an answer without a match."""
    if outcome.is_complete:
        return "no match"
    if outcome.has_damage and outcome.next_cursor is None:
        return "no match in the text that could be read"
    return "no match so far"


def render_matches(outcome: SearchOutcome, titled_path: str) -> Iterator[str]:
    """Yield the lines of the answer that show matches."""
    if outcome.survey is not None:
        yield from render_survey(
            outcome.survey,
            is_tree=outcome.is_tree,
            max_chars=outcome.max_chars - SURVEY_RESERVED_CHARS,
        )
    elif outcome.matrix is not None:
        yield from render_matrix(outcome.matrix, with_path=outcome.is_tree)
    elif outcome.values:
        for value in outcome.values:
            yield render_value(value, with_path=outcome.is_tree)
    elif outcome.folders:
        yield from render_folders(outcome.folders)
    elif outcome.files:
        is_limited = "max_results" in outcome.arguments.model_fields_set
        yield from render_files(outcome.files, names_all=is_limited)
    elif outcome.kinds is not None:
        for kind in outcome.kinds.kinds:
            yield render_kind(kind, with_path=outcome.is_tree)
    else:
        for row in render_hits(outcome):
            if row != titled_path:
                yield row


def render_continuation(outcome: SearchOutcome) -> str:
    """Return the counts of shown and of all matches, and the cursor."""
    cursor = outcome.next_cursor
    way = Hint(f"cursor={cursor}", shell=f"--cursor {cursor}")
    if outcome.survey is not None and outcome.arguments.output == "uses":
        return fill("[continue with {}]", way)
    if outcome.survey is not None:
        return _render_way_to_lines(outcome)
    counted = str(outcome.shown_count)
    if outcome.files:
        counted = pluralize(len(outcome.files), "file")
    total = ""
    if outcome.total_lines:
        lines = pluralize(outcome.total_lines, line_noun(outcome))
        files = pluralize(outcome.matched_files, "file")
        total = f" of {lines} in {files}"
    return fill("[{} shown{}; continue with {}]", counted, total, way)


def _render_way_to_lines(outcome: SearchOutcome) -> str:
    """Return the count of the lines of a survey, and how to see all of them."""
    total = outcome.total_lines or 0
    lines = pluralize(total, line_noun(outcome))
    files = pluralize(outcome.matched_files, "file")
    way = Hint(f"max_results={total}", shell=f"--max-results {total}")
    return fill("[{} in {}; {} shows all lines]", lines, files, way)


def render_value(value: ValueCount, *, with_path: bool) -> str:
    """Return the row of a value: how many entries have it, their numbers, and the first."""
    row = f"{value.count:,} {escape_controls(value.value)}"
    has_several = len(value.numbers) > 1
    for numbers in value.numbers:
        name = f" {escape_controls(numbers.field)}" if has_several else ""
        row += (
            f" {name} p50 {numbers.p50:,.6g} "
            f"p95 {numbers.p95:,.6g} max {numbers.largest:,.15g}"
        )
        if numbers.largest_line is not None and not value.is_span:
            place = render_place(
                numbers.largest_path or "",
                numbers.largest_line,
                with_path=with_path,
            )
            row += f" at {place}"
    if value.numbers or value.is_span:
        return row
    place = render_place(value.path, value.line, with_path=with_path)
    return f"{row} (first: {place}){_render_period(value)}"


def _render_period(value: ValueCount) -> str:
    """Return the first and the last time of a value, the day of the last only if it differs."""
    if value.first is None or value.last is None:
        return ""
    if value.first == value.last:
        return f" {value.first}"
    day, _, time = value.last.partition("T")
    last = time if value.first.startswith(day) else value.last
    return f" {value.first} to {last}"


def describe_outcome(outcome: SearchOutcome) -> tuple[str, ...]:
    """Return the notes of a search: the count of its matches first, or what to try."""
    left_out = () if outcome.left_out is None else (outcome.left_out.note,)
    notes = (*outcome.notes, *left_out, *outcome.file_notes)
    if not outcome.has_match:
        return (*notes, *outcome.advice)
    if outcome.values or outcome.survey is not None:
        return notes
    if outcome.kinds is not None:
        summary = describe_kinds(outcome.kinds)
        return (summary, *notes)
    count = count_hits(outcome)
    if count:
        notes = (count, *notes)
    return notes + describe_layout(outcome)


def describe_layout(outcome: SearchOutcome) -> tuple[str, ...]:
    """Return notes on the parts of lines that the layout of many hits leaves out."""
    notes: list[str] = []
    if not has_many_hits(outcome):
        return ()
    if outcome.is_dense and is_name(outcome.arguments):
        notes.append("… arguments of calls and code around them")
    if trims_whitespace(outcome.excerpts):
        notes.append("leading whitespace left out")
    return tuple(notes)


def count_hits(outcome: SearchOutcome) -> str:
    """Return the count of the hits of a search if all are shown, else ""."""
    arguments = outcome.arguments
    if arguments.sort is not None:
        return ""
    is_whole = outcome.is_complete or outcome.total_lines is not None
    has_more = outcome.next_cursor is not None or arguments.cursor is not None
    if not is_whole or has_more or arguments.mode == "fuzzy":
        return ""
    paths = {hit.path for hit in outcome.hits} or outcome.files
    place = f"in {pluralize(len(paths), 'file')}"
    if outcome.total_lines is None:
        return place
    if outcome.occurrence_count > outcome.total_lines:
        # `replace_content` counts these, and a caller may give that number to it.
        place = f"({pluralize(outcome.occurrence_count, 'match')}) {place}"
    lines = pluralize(outcome.total_lines, line_noun(outcome))
    scope: str = ", all shown"
    if outcome.folders:
        count = len(outcome.files)
        way = Hint(f"max_results={count}", shell=f"--max-results {count}")
        scope = fill("; {}, a narrower path or glob shows each file", way)
        if is_name(arguments):
            survey = Hint("output=uses", shell="--uses")
            scope = fill("{}; {} surveys a name", scope, survey)
    if outcome.has_damage:
        scope = " in the text that could be read"
    return fill("{}{}", f"{lines} {place}", scope)


def line_noun(outcome: SearchOutcome) -> str:
    """Return the noun of the counts: lines, or matches that may have several lines."""
    return "match" if outcome.counts_matches else "matching line"


def render_kind(kind: HitGroup, *, with_path: bool) -> str:
    """Return the row of a kind of lines: their count, and the first of them."""
    count = f"{kind.count:,} like " if kind.count > 1 else ""
    path = f"{escape_controls(kind.path)}:" if with_path else ""
    return f"{count}{path}{kind.line}: {escape_controls(kind.text)}"


def describe_kinds(kinds: ShownKinds) -> str:
    """Return how many kinds of lines there are, and how to see the others."""
    kind_count = pluralize(kinds.kind_count, "kind")
    summary: str = (
        f"{kind_count} of {pluralize(kinds.line_count, 'matching line')}"
    )
    hidden_count = kinds.kind_count - len(kinds.kinds)
    if hidden_count:
        others = pluralize(hidden_count, "more kind")
        summary += f", the rarest and the most frequent shown; {others}"
        count = kinds.proposed_count
        if count is not None:
            way = Hint(f"max_results={count}", shell=f"--max-results {count}")
            summary = fill("{}: {}", summary, way)
    if kinds.other_lines:
        summary = fill(
            "{}; {}", summary, f"{kinds.other_lines:,} lines of other kinds"
        )
    return summary


# Hits with the lines around them


def has_many_hits(outcome: SearchOutcome) -> bool:
    """Return True if the hits of a search are laid out as a tree."""
    if not outcome.is_tree or len(outcome.hits) < MIN_TREE_HITS:
        return False
    return has_single_lines(outcome.excerpts)


def render_hits(outcome: SearchOutcome) -> Iterator[str]:
    """Return the lines of the answer that show hits."""
    if has_many_hits(outcome):
        return render_tree(outcome.excerpts)
    return render_excerpts(outcome.excerpts)


def render_excerpts(excerpts: Sequence[FileExcerpt]) -> Iterator[str]:
    """Yield each file's path and its lines; files with the same lines are shown once.

    A single line of several files stands behind their names: ``{a,b}.py:3: text``.
    """
    places: dict[tuple[str, ...], list[tuple[str, int]]] = {}
    for file in excerpts:
        if file.lines:
            last_line = file.lines[-1].number
            path = escape_controls(file.path)
            places.setdefault(_render_lines(file.lines), []).append(
                (path, last_line)
            )
    for lines, files in places.items():
        if len(lines) > 1:
            yield join_paths([path for path, _ in files])
            yield from lines
        elif len(files) > 1:
            names = join_paths([f"{path}:{line}" for path, line in files])
            yield fill("{}{}", names, lines[0])
        else:
            ((path, line),) = files
            yield path
            yield fill("{}{}", str(line), lines[0])


def _render_lines(lines: Sequence[ExcerptLine]) -> tuple[str, ...]:
    """Return the lines of one file; a single one without its number."""
    if len(lines) == 1:
        return (render_after_number(lines[0]),)
    has_context = any(line.role is LineRole.CONTEXT for line in lines)
    rows: list[str] = []
    last_number = 0
    for line in lines:
        if rows and has_context and line.number > last_number + 1:
            rows.append("--")
        rows.append(render_line(line))
        last_number = line.number
    return tuple(rows)


# Files with matches


def render_file(file: MatchedFile) -> str:
    """Return a file's path, with the count of its matches if there is one."""
    path = escape_controls(file.path)
    return path if file.count is None else f"{path}: {file.count}"


def render_files(
    files: Sequence[MatchedFile], *, names_all: bool = False
) -> Iterator[str]:
    """Yield a row for each file, or for each folder if many files have counts.

    Many files with the same name and count share a row, unless `names_all`.
    """
    equal_files: dict[str, list[MatchedFile]] = {}
    for file in files:
        _, ending = split_path(render_file(file))
        equal_files.setdefault(ending, []).append(file)
    named_files = []
    rows = []
    for file in files:
        _, ending = split_path(render_file(file))
        equal_count = len(equal_files[ending])
        may_share = file.count is not None and not file.path.startswith('"')
        if names_all or not may_share or equal_count <= MAX_ALIKE_FILES:
            named_files.append(file)
        elif file is equal_files[ending][0]:
            paths = [
                escape_controls(other.path) for other in equal_files[ending]
            ]
            place = common_pattern(paths)
            rows.append(f"{place}: {file.count} each in {equal_count} files")
    has_counts = any(file.count is not None for file in files)
    if has_counts and len(named_files) > MAX_OWN_ROWS:
        yield from _render_folders(named_files)
    else:
        for file in named_files:
            yield render_file(file)
    yield from rows


def _render_folders(files: Sequence[MatchedFile]) -> Iterator[str]:
    """Yield a row for each folder: ``src/{a.py: 2, b.py: 1}``."""
    rows: dict[str, list[str]] = {}
    for file in files:
        folder, row = split_path(render_file(file))
        rows.setdefault(folder, []).append(row)
    for folder, names in rows.items():
        is_plain = len(names) == 1 or not folder
        if is_plain or re.search("[,{}]", "".join(names)):
            yield from [folder + name for name in names]
        else:
            yield f"{folder}{{{', '.join(names)}}}"


# Several searches


def render_searches(outcomes: Sequence[SearchOutcome]) -> str:
    """Return the answers of several searches, each below its pattern.

    Searches without a match, an error or advice share a line.
    """
    has_several_places = len({place_of(outcome) for outcome in outcomes}) > 1
    answers = []
    titles_without_match = []
    for number, outcome in enumerate(outcomes, 1):
        title = quote_pattern(outcome)
        if needs_number(outcome, outcomes) and not outcome.is_bare:
            # By this number the hits of other searches name it.
            title = f"{number} {title}"
        path = ""
        if has_several_places:
            path = escape_controls(outcome.arguments.path)
            title += f" in {path}"
        if outcome.is_bare:
            titles_without_match.append(title)
            continue
        if outcome.error is not None:
            text = str(outcome.error)
        else:
            notes = describe_outcome(outcome)
            text = render_search(outcome, notes, titled_path=path)
        answers.append(fill("pattern {}:\n{}", title, text))
    if titles_without_match:
        answers.append(f"no match: {', '.join(titles_without_match)}")
    notes = describe_outcome(outcomes[0])
    if len(titles_without_match) == len(outcomes) and notes:
        answers.append(fill("[{}]", join_words("; ", notes)))
    return join_words("\n", answers)


def place_of(outcome: SearchOutcome) -> tuple[str, str | None]:
    """Return the path and the glob of a search."""
    return outcome.arguments.path, outcome.arguments.glob


def needs_number(
    outcome: SearchOutcome, outcomes: Sequence[SearchOutcome]
) -> bool:
    """Return True if hits of a search are marked with its number, not with its pattern.

    Its pattern is long, or that of several searches in the same place.
    """
    pattern = outcome.arguments.pattern or ""
    same_count = 0
    for other in outcomes:
        is_same_place = place_of(other) == place_of(outcome)
        same_count += is_same_place and other.arguments.pattern == pattern
    return len(pattern) > MAX_REPEATED_CHARS or same_count > 1


def quote_pattern(outcome: SearchOutcome) -> str:
    """Return the pattern of a search in quotes."""
    return repr(escape_controls(outcome.arguments.pattern or ""))
