"""The tool `search_content`: text, regular expressions and similar text, in a file or a tree."""

from __future__ import annotations

from collections.abc import Sequence

from filewright.errors import invalid
from filewright.tools.context import Context
from filewright.tools.result import FailedCall
from filewright.tools.search.arguments import SearchArguments, split_searches
from filewright.tools.search.once import search_once
from filewright.tools.search.outcome import SearchOutcome
from filewright.tools.search.page import fit_context
from filewright.tools.search.rendering import (
    describe_outcome,
    place_of,
    render_search,
    render_searches,
)
from filewright.tools.search.result import SearchResult
from filewright.tools.search.several import search_several
from filewright.tools.tool import Tool


def search_content(
    context: Context, arguments: SearchArguments
) -> SearchResult:
    """Search a file or a tree, for one pattern or for several.

    Hits are in the order of files and lines; of a fuzzy search by similarity.
    """
    require_one_form(arguments)
    if arguments.patterns is not None or arguments.items is not None:
        outcomes = search_several(context, split_searches(arguments))
        return join_results(outcomes)
    outcome = search_once(context, arguments, context.settings.page_chars)
    (outcome,) = fit_context([outcome])
    return to_result(outcome)


def require_one_form(arguments: SearchArguments) -> None:
    """Raise `invalid_input` unless the call has one of pattern, patterns and items."""
    # An item without a pattern takes that of the call.
    pattern = arguments.pattern if arguments.items is None else None
    choices = [pattern, arguments.patterns, arguments.items]
    pattern_count = len(choices) - choices.count(None)
    if pattern_count == 0 and arguments.needs_no_pattern:
        return
    if pattern_count != 1:
        raise invalid(
            "search_content takes one of pattern, patterns and items",
            "give pattern for one text, patterns for several, items for several searches; with a cursor the same "
            "pattern again",
            argument="pattern",
        )


def to_result(outcome: SearchOutcome) -> SearchResult:
    """Return the result of one search."""
    notes = describe_outcome(outcome)
    return SearchResult(
        render_search(outcome, notes),
        results=outcome.hits,
        files=outcome.files,
        complete=outcome.is_complete,
        next_cursor=outcome.next_cursor,
        notes=notes,
        files_searched=outcome.searched_files,
        total=outcome.total_lines,
        kinds=outcome.kinds.kinds if outcome.kinds is not None else (),
        uses=outcome.survey.names if outcome.survey is not None else (),
        values=outcome.values,
        trace=outcome.trace,
    )


def join_results(outcomes: Sequence[SearchOutcome]) -> SearchResult:
    """Return the result of several searches, with the result or error of each."""
    searches: list[SearchResult | FailedCall] = []
    results: list[SearchResult] = []
    for outcome in outcomes:
        if outcome.error is not None:
            failed = FailedCall(
                str(outcome.error),
                error=outcome.error,
                path=outcome.arguments.path,
            )
            searches.append(failed)
        else:
            result = to_result(outcome)
            searches.append(result)
            results.append(result)
    files_searched = None
    if results and len({place_of(outcome) for outcome in outcomes}) == 1:
        files_searched = results[0].files_searched
    has_all = len(results) == len(searches)
    return SearchResult(
        render_searches(outcomes),
        results=tuple(hit for result in results for hit in result.results),
        files=tuple(file for result in results for file in result.files),
        complete=has_all and all(result.complete for result in results),
        next_cursor=None,
        notes=(),
        files_searched=files_searched,
        searches=tuple(searches),
    )


SEARCH_CONTENT = Tool(
    name="search_content",
    title="Search in files",
    description=(
        "Find text, regex (RE2), code (f($$$X)) or similar (fuzzy). "
        "uses: definitions, aliases, imports and calls of a name, summed up. "
        "kinds: lines alike but for numbers. Logs (.gz, app.log*): since "
        "(15m), until; trace: follow ids to other lines. "
        "JSON lines, CSV: where {err.code: '>500'}, fields, sort (-ms); "
        "by (host,10m,$1): counts, p95 of fields."
    ),
    toolset="read",
    arguments=SearchArguments,
    run=search_content,
    step=(
        "1. Find: get_overview, then search_content (several searches in a call)."
    ),
)
