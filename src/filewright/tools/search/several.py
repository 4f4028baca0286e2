"""Several searches in one call, which share a page and show no line twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from filewright.errors import Code, FilewrightError
from filewright.search.pattern import Pattern
from filewright.settings import Settings
from filewright.tools.best_effort import best_effort
from filewright.tools.context import Context
from filewright.tools.search.arguments import (
    SearchArguments,
    compile_arguments,
    require_valid_patterns,
)
from filewright.tools.search.excerpt import (
    ExcerptLine,
    FileExcerpt,
    LineRole,
)
from filewright.tools.search.lines import render_line
from filewright.tools.search.once import PAGE_ARGUMENTS, search_once
from filewright.tools.search.outcome import SearchOutcome
from filewright.tools.search.page import RESERVED_CHARS, fit_context
from filewright.tools.search.rendering import (
    needs_number,
    place_of,
    quote_pattern,
)
from filewright.tools.search.syntax_summary import MAX_PARSED_BYTES
from filewright.wording import pluralize

# The least characters of a search, and those of its heading besides the pattern.
MIN_CHARS = 500
HEADING_CHARS = 20
PARTIAL_ARGUMENTS = PAGE_ARGUMENTS | {"only", "output"}
"""The arguments that do not change what a search matches, before `only` chooses."""

_HitKey = tuple[str, str]
"""The path of a hit, and its row without notes."""


def search_several(
    context: Context, searches: Sequence[SearchArguments]
) -> list[SearchOutcome]:
    """Return the outcome of each search; those of the same files share their lines."""
    require_valid_patterns(searches, context.settings)
    outcomes = search_in_shares(context, searches)
    outcomes = search_again(context, outcomes)
    indexes_by_place: dict[tuple[str, str | None], list[int]] = {}
    for index, outcome in enumerate(outcomes):
        indexes_by_place.setdefault(place_of(outcome), []).append(index)
    for indexes in indexes_by_place.values():
        group = fit_context([outcomes[index] for index in indexes])
        names = [
            name_search(outcome, index + 1, outcomes)
            for index, outcome in zip(indexes, group, strict=True)
        ]
        group = share_lines(group, names)
        for index, outcome in zip(indexes, group, strict=True):
            outcomes[index] = outcome
    return share_notes(outcomes)


def search_in_shares(
    context: Context, searches: Sequence[SearchArguments]
) -> list[SearchOutcome]:
    """Return the outcome of each search within its share of the page.

    What a search leaves of its share is divided among the searches after it.
    """
    chars_left = context.settings.page_chars
    has_several_paths = len({search.path for search in searches}) > 1
    summary_bytes = MAX_PARSED_BYTES // len(searches)
    outcomes: list[SearchOutcome] = []
    for index, arguments in enumerate(searches):
        share = max(MIN_CHARS, chars_left // (len(searches) - index))
        share -= len(arguments.pattern or "") + HEADING_CHARS
        try:
            outcome = search_once(
                context,
                arguments,
                share,
                summary_bytes=summary_bytes,
                siblings=find_siblings(
                    arguments, searches[index + 1 :], context.settings
                ),
            )
        except FilewrightError as error:
            is_answer = has_several_paths
            if error.code == Code.TIMEOUT:
                is_answer = any(outcome.has_match for outcome in outcomes)
            if error.code == Code.CANCELLED or not is_answer:
                raise
            outcome = SearchOutcome(arguments, share, error=error)
        chars_left -= outcome.used_chars
        outcomes.append(outcome)
    return outcomes


def find_siblings(
    arguments: SearchArguments,
    later: Sequence[SearchArguments],
    settings: Settings,
) -> list[Pattern]:
    """Return the patterns of later searches that need the syntax of the same files."""
    siblings: list[Pattern] = []
    if arguments.only is None:
        return siblings
    for search in later:
        is_same_place = (
            search.path == arguments.path
            and search.include_ignored == arguments.include_ignored
        )
        is_same_text = search.pattern == arguments.pattern
        if search.only is not None and is_same_place and not is_same_text:
            siblings.append(compile_arguments(search, settings))
    return siblings


def search_again(
    context: Context, outcomes: Sequence[SearchOutcome]
) -> list[SearchOutcome]:
    """Repeat searches whose share was full, with the characters that others have left."""
    chars_left = context.settings.page_chars
    chars_left -= sum(outcome.used_chars for outcome in outcomes)
    result = []
    for outcome in outcomes:
        if outcome.is_full and chars_left > RESERVED_CHARS:
            with best_effort(context.task) as task:
                longer = search_once(
                    context.at(task),
                    outcome.arguments,
                    outcome.used_chars + chars_left,
                    summary_bytes=MAX_PARSED_BYTES // len(outcomes),
                )
                # A search that ran out of time has no cursor to continue it.
                can_continue = (
                    longer.is_complete or longer.next_cursor is not None
                )
                if can_continue and longer.used_chars > outcome.used_chars:
                    chars_left -= longer.used_chars - outcome.used_chars
                    outcome = longer
        result.append(outcome)
    return result


def name_search(
    outcome: SearchOutcome, number: int, outcomes: Sequence[SearchOutcome]
) -> str:
    """Return the name of a search beside a hit: its pattern, or its number."""
    if needs_number(outcome, outcomes):
        return str(number)
    return quote_pattern(outcome)


def share_lines(
    outcomes: Sequence[SearchOutcome], names: Sequence[str]
) -> list[SearchOutcome]:
    """Return outcomes in which only the first search with a line shows it.

    A hit is marked there with the names of the other searches that have it.
    """
    names_by_hit: dict[_HitKey, list[str]] = {}
    shown_lines: set[tuple[str, int]] = set()
    shared: list[SearchOutcome] = []
    for outcome, name in zip(outcomes, names, strict=True):
        repeated_count = 0
        excerpts = []
        for file in outcome.excerpts:
            lines = []
            for line in file.lines:
                hit_key = _hit_key(file.path, line)
                line_key = file.path, line.number
                if line.role is LineRole.SUMMARY:
                    is_repeated = False
                elif line.role is not LineRole.HIT:
                    is_repeated = line_key in shown_lines
                elif hit_key in names_by_hit:
                    names_by_hit[hit_key].append(name)
                    repeated_count += 1
                    is_repeated = True
                else:
                    names_by_hit[hit_key] = []
                    is_repeated = False
                if not is_repeated:
                    lines.append(line)
                    shown_lines.add(line_key)
            excerpts.append(FileExcerpt(file.path, tuple(lines)))
        notes = outcome.notes
        if repeated_count:
            note = f"{pluralize(repeated_count, 'line')} shown above"
            notes = (*notes, note)
        shared.append(replace(outcome, excerpts=tuple(excerpts), notes=notes))
    return [add_other_names(outcome, names_by_hit) for outcome in shared]


def _hit_key(path: str, line: ExcerptLine) -> _HitKey:
    """Return what two searches have in common that show the same hit."""
    return path, render_line(replace(line, notes=()))


def add_other_names(
    outcome: SearchOutcome, names_by_hit: Mapping[_HitKey, Sequence[str]]
) -> SearchOutcome:
    """Return an outcome whose hits are marked with the other searches that have them."""
    excerpts = []
    for file in outcome.excerpts:
        lines: list[ExcerptLine] = []
        for line in file.lines:
            if line.role is LineRole.HIT:
                names = names_by_hit[_hit_key(file.path, line)]
                if names:
                    note = f"also {', '.join(names)}"
                    line = replace(line, notes=(*line.notes, note))
            lines.append(line)
        excerpts.append(FileExcerpt(file.path, tuple(lines)))
    return replace(outcome, excerpts=tuple(excerpts))


def share_notes(outcomes: Sequence[SearchOutcome]) -> list[SearchOutcome]:
    """Return outcomes without notes on files that an earlier one has.

    The kinds of the matches that `only` leaves out are said once for equal searches.
    """
    notes: set[str] = set()
    searches: list[dict[str, object]] = []
    result = []
    for outcome in outcomes:
        # The notes of a search without a match are shown if there is no other.
        if outcome.is_bare:
            result.append(outcome)
            continue
        new_notes = tuple(
            note for note in outcome.file_notes if note not in notes
        )
        notes.update(outcome.file_notes)
        left_out = outcome.left_out
        if left_out is not None:
            search = outcome.arguments.model_dump(exclude=PARTIAL_ARGUMENTS)
            left_out = replace(left_out, is_known=search in searches)
            # A page with a cursor has not counted the kinds of all matches.
            if outcome.is_complete:
                searches.append(search)
        result.append(replace(outcome, file_notes=new_notes, left_out=left_out))
    return result
