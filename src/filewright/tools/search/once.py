"""One search: of a file or a tree, for one pattern, on one page.

In order: find the file or folder, collect the matches that fit, count the rest, and note
what was left out. A fuzzy search has a module of its own (`similar`).
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from filewright.boundary.location import Location
from filewright.boundary.walk_model import WalkOptions
from filewright.errors import Code, FilewrightError
from filewright.hints import Hint, fill
from filewright.search.log_members import choose_members
from filewright.search.pattern import Pattern
from filewright.search.tree import (
    ResumePoint,
    TreeSearch,
    short_fingerprint,
)
from filewright.search.tree_options import TreeOptions
from filewright.text.snapshot import Snapshot
from filewright.tools.best_effort import best_effort
from filewright.tools.context import Context
from filewright.tools.cursors import (
    decode_cursor,
    encode_cursor,
    find_path,
    shorten_path,
)
from filewright.tools.file_facts import add_damage_hint
from filewright.tools.read.times import last_time
from filewright.tools.rotated_logs import find_rotated
from filewright.tools.search.arguments import (
    SearchArguments,
    compile_arguments,
    with_multiline,
)
from filewright.tools.search.notes import (
    count_whole_words,
    has_part_of_word,
    left_out_notes,
    name_spelling_notes,
    period_notes,
    problem_notes,
    selection_notes,
    skip_notes,
    spelling_notes,
)
from filewright.tools.search.outcome import SearchOutcome
from filewright.tools.search.page import SearchPage
from filewright.tools.search.similar import search_similar
from filewright.tools.search.syntax_summary import (
    MAX_PARSED_BYTES,
    has_syntax,
    is_name_search,
    summarize_syntax,
)
from filewright.tools.search.trace import add_trace
from filewright.tools.search.uses import UsesCollector
from filewright.tools.search.uses_rendering import describe_survey
from filewright.tools.search.uses_summary import UsesSurvey
from filewright.tools.syntax_filter import (
    SyntaxFilter,
    combine_kinds,
    cut_notes,
    file_notes,
    find_left_out,
)
from filewright.wording import pluralize

MAX_CURSOR_CHARS = 8 << 10
PAGE_ARGUMENTS = {
    "cursor",
    "max_results",
    "context",
    "context_before",
    "context_after",
}
"""The arguments in which the pages of a search may differ."""

MAX_FILES = 1_000_000
MAX_SURVEYED_BYTES = 8 << 20
EXTRA_SURVEY_SECONDS = 5.0
"""The limits of a survey that the caller did not ask for."""

MIN_SURVEYED_LINES = 61
"""A name in fewer lines is not surveyed: its lines are shown."""

# A number or an identifier, which longer ones often contain.
IDENTIFIER = re.compile(r"(?=.*[0-9])[\w-]+")

# Syntax that is seldom meant literally.
REGEX_SYNTAX = re.compile(
    r"\.[*+]|\||\\[bBdDsSwW(){}.*+?[\]]|\[[^]]+\]|^\^|\$$"
)


@dataclass(frozen=True, slots=True)
class SearchTarget:
    """The file or folder that is searched; `open_file` is None for a folder.

    For a rotated log, `location` is the folder of its `members`.
    """

    location: Location
    open_file: Callable[[], Snapshot] | None
    members: tuple[Location, ...] = ()


def search_once(
    context: Context,
    arguments: SearchArguments,
    max_chars: int,
    *,
    summary_bytes: int = MAX_PARSED_BYTES,
    siblings: Sequence[Pattern] = (),
) -> SearchOutcome:
    """Search for one pattern, and return the matches that fit on a page of `max_chars`.

    Up to `summary_bytes` of the files with matches are parsed, for a summary of their
    syntax. `siblings` are other patterns whose syntax the call needs in the same files.
    """
    target = find_target(context, arguments.path, rotated=arguments.rotated)
    arguments = with_multiline(arguments, context.settings)
    options = tree_options(arguments)
    page = SearchPage(context, arguments, max_chars, siblings=siblings)
    if target.open_file is not None and not context.searcher.accepts(
        target.location, options, context.task
    ):
        left_out = f"glob or type excludes {arguments.path}"
        return replace(page.outcome(), advice=advise(arguments, [left_out]))
    if arguments.mode == "fuzzy":
        return search_similar(context, target, options, page)
    return search_exact(context, target, options, page, summary_bytes)


def find_target(
    context: Context, path: str, *, rotated: bool = False
) -> SearchTarget:
    """Return the file or folder at a path; a link to a folder is searched as the folder.

    A path with a pattern of names, such as `app.log*`, is a rotated log.
    """
    location = context.boundary.locate(path)
    members = find_rotated(context, location, rotated=rotated)
    if members:
        return SearchTarget(location.parent, None, members)
    kind = context.boundary.stat(location).kind
    if kind == "link":
        # Any other error is raised when the file is opened.
        with suppress(FilewrightError):
            context.boundary.open_folder(location).close()
            kind = "folder"
    if kind == "folder":
        return SearchTarget(location, None)
    open_file = partial(context.open_page, location, headings=False, text=True)
    return SearchTarget(location, open_file)


def tree_options(arguments: SearchArguments) -> TreeOptions:
    """Return which files are searched, and for what.

    Files and counts are of all files, unless the caller has set a limit.
    """
    output: Literal["matches", "files", "counts"] = "files"
    has_limit = "max_results" in arguments.model_fields_set
    if (
        arguments.by is not None
        or arguments.sort is not None
        or arguments.output in ("kinds", "uses")
    ):
        # The page reads the lines of all files that match, and counts or sorts them. A
        # limit is one of its rows.
        has_limit = False
    elif arguments.output == "matches":
        output = "matches"
        has_limit = True
    elif arguments.output == "counts":
        output = "counts"
    return TreeOptions(
        limit=arguments.max_results if has_limit else MAX_FILES,
        output=output,
        glob=arguments.glob,
        exclude=arguments.exclude,
        file_type=arguments.type,
        invert=arguments.invert,
        include_hidden=arguments.include_hidden,
        include_ignored=arguments.include_ignored,
    )


def search_exact(
    context: Context,
    target: SearchTarget,
    options: TreeOptions,
    page: SearchPage,
    summary_bytes: int,
) -> SearchOutcome:
    """Search until the page is full, then count the rest if that takes little time."""
    arguments = page.arguments
    search = begin_search(context, target, options, page)
    is_tree = target.open_file is None
    try:
        resume = fill_page(page, search)
        if is_tree and page.should_be_dense:
            page = page.denser()
            search = begin_search(context, target, options, page)
            resume = fill_page(page, search)
    except FilewrightError as error:
        ends_early = error.code in (Code.TIMEOUT, Code.TOO_LARGE)
        damage = problem_notes(search.problems)
        if not ends_early or not page.has_match:
            add_damage_hint(error, damage)
            raise
        note = f"{error.message}; search the rest with a narrower path or glob"
        notes = (note, *damage)
        return replace(
            page.outcome(is_tree=is_tree), is_complete=False, notes=notes
        )
    outcome = replace(
        page.outcome(is_tree=is_tree), is_complete=search.complete
    )
    if resume is not None:
        outcome = add_cursor(outcome, target, resume)
    if search.complete:
        outcome = replace(outcome, total_lines=count_shown_lines(outcome))
    elif arguments.output in ("matches", "counts") and (
        arguments.cursor is None or not is_tree
    ):
        full_search = count_all(search)
        if full_search is not None:
            # The notes below are about all matches.
            search = full_search
            outcome = add_totals(context, outcome, search)
    syntax_filter = search.pattern.selector
    if isinstance(syntax_filter, SyntaxFilter):
        outcome = add_syntax_notes(outcome, syntax_filter)
    elif search.complete and outcome.has_match and outcome.survey is None:
        outcome = add_summary(context, outcome, search, summary_bytes)
    outcome = add_word_note(context, outcome, search)
    if arguments.without is not None and arguments.cursor is None:
        outcome = add_without_note(outcome, search)
    return finish_outcome(context, outcome, search, target)


def begin_search(
    context: Context,
    target: SearchTarget,
    options: TreeOptions,
    page: SearchPage,
) -> TreeSearch:
    """Return the search for the pattern of a call, in the files and lines it chooses."""
    arguments = page.arguments
    pattern = compile_arguments(arguments, context.settings)
    page.require_groups(pattern)
    if arguments.only is not None:
        syntax_filter = SyntaxFilter(
            context.outlines,
            combine_kinds(arguments.only),
            is_code_pattern=pattern.code is not None,
            siblings=page.siblings,
        )
        pattern = replace(pattern, selector=syntax_filter)
    selection = arguments.selection()
    members = target.members
    if selection is not None and selection.has_time and members:
        last = last_time(context, members)
        selection = replace(selection, last_seconds=last)
        members = choose_members(
            context.searcher, members, selection, context.task
        )
    return TreeSearch(
        context.searcher,
        target.location,
        pattern,
        options,
        after=decode_resume(context, arguments, target),
        task=context.task,
        selection=selection,
        members=members,
        open_file=target.open_file,
    )


def decode_resume(
    context: Context, arguments: SearchArguments, target: SearchTarget
) -> ResumePoint | None:
    """Return where a cursor continues, or None without a cursor.

    Raises `stale_version` if the file in which the search stopped is not there.
    """
    if arguments.cursor is None:
        return None
    offset, path, mark = decode_cursor(
        arguments.cursor,
        "search",
        describe_search(arguments, target),
        noun="search",
        types=(int, str, str),
    )
    location = find_resume_file(context, target.location, path)
    if location is None:
        raise FilewrightError(
            Code.STALE_VERSION,
            "the file in which this search stopped is gone",
            "search again without the cursor",
        )
    fingerprint = mark.encode("latin-1").hex()
    return ResumePoint(location, max(0, offset), fingerprint)


def find_resume_file(
    context: Context, top: Location, path: str
) -> Location | None:
    """Return the location of a path in a cursor, or None if nothing is there."""
    options = WalkOptions(depth=1, include_ignored=True, include_git=True)

    def list_folder(folder: Location) -> Iterator[Location]:
        for entry in context.boundary.walk(folder, options, task=context.task):
            yield entry.location

    with suppress(FilewrightError):
        location = find_path(top, path, list_folder)
        if location is not None:
            context.boundary.stat(location)
        return location
    return None


def describe_search(arguments: SearchArguments, target: SearchTarget) -> str:
    """Return a text that is equal for two calls if a cursor of one may continue the other.

    The pages of a search may differ in length and in context.
    """
    values = arguments.model_dump(exclude=PAGE_ARGUMENTS | {"path"})
    path = target.location.display_path
    # Members are the files of a pattern in that folder.
    name = posixpath.basename(arguments.path) if target.members else ""
    return json.dumps([path, name, values], sort_keys=True, default=str)


def fill_page(page: SearchPage, search: TreeSearch) -> ResumePoint | None:
    """Collect the hits of a search; return the point where it goes on, or None at its end."""
    for snapshot, file_hits in search:
        offset = page.add(snapshot, file_hits, search)
        if offset is not None:
            location = snapshot.location or search.where
            return ResumePoint(
                location, offset, short_fingerprint(snapshot, offset)
            )
    page.add_ranked()
    return search.resume or page.resume


def add_cursor(
    outcome: SearchOutcome, target: SearchTarget, resume: ResumePoint
) -> SearchOutcome:
    """Return the outcome with a cursor, or with a note if its path is too long for one."""
    position = [
        resume.offset,
        shorten_path(target.location, resume.location),
        bytes.fromhex(resume.fingerprint).decode("latin-1"),
    ]
    kind = describe_search(outcome.arguments, target)
    cursor = encode_cursor("search", kind, position)
    if len(cursor) <= MAX_CURSOR_CHARS:
        return replace(outcome, next_cursor=cursor)
    note = "the next path is too long for a cursor; search a deeper folder"
    return replace(outcome, notes=(*outcome.notes, note))


def count_shown_lines(outcome: SearchOutcome) -> int | None:
    """Return the number of matching lines if the page shows or counts all of them."""
    if outcome.arguments.cursor is not None or not outcome.has_match:
        return None
    if outcome.arguments.sort is not None:
        return None
    if outcome.arguments.output == "counts":
        return sum(file.count or 0 for file in outcome.files)
    if outcome.arguments.output == "matches":
        return outcome.shown_count
    return None


def count_all(search: TreeSearch) -> TreeSearch | None:
    """Return a search that has counted all matches, or None if time runs out."""
    options = replace(search.options, output="counts", limit=MAX_FILES)
    with best_effort(search.task) as task:
        counts = replace(search, options=options, after=None, task=task)
        for _ in counts:
            pass
        if counts.complete:
            return counts
    return None


def add_totals(
    context: Context, outcome: SearchOutcome, full_search: TreeSearch
) -> SearchOutcome:
    """Return the outcome with the counts of all matches, and with the survey of a name."""
    outcome = replace(
        outcome,
        total_lines=full_search.hit_count,
        matched_files=full_search.matched_count,
    )
    survey = find_survey(context, outcome, full_search)
    if survey is None:
        return outcome
    return replace(outcome, survey=survey, file_notes=describe_survey(survey))


def find_survey(
    context: Context, outcome: SearchOutcome, full_search: TreeSearch
) -> UsesSurvey | None:
    """Return a survey to show instead of the hits, if they are many and those of a name.

    A caller that wants the lines gives `max_results` or a context. Only the files in which
    `full_search` has found hits are read again. Return None if most of the hits are not
    imports, calls or definitions: the caller must see such lines.
    """
    arguments = outcome.arguments
    total = outcome.total_lines or 0
    is_wanted = (
        outcome.is_tree
        and arguments.output == "matches"
        and arguments.has_default_context
        and "max_results" not in arguments.model_fields_set
        and is_name_search(arguments)
    )
    files = full_search.matched_files
    has_all_files = len(files) == full_search.matched_count
    if not is_wanted or not has_all_files or total < MIN_SURVEYED_LINES:
        return None
    if not has_syntax(files):
        return None
    collector = UsesCollector(
        context,
        names=(arguments.pattern or "",),
        max_parsed_bytes=MAX_SURVEYED_BYTES,
        seconds=EXTRA_SURVEY_SECONDS,
    )
    for location in files:
        snapshot = context.searcher.open(location, context.task)
        if isinstance(snapshot, Snapshot):
            with snapshot:
                if snapshot.binary_type is None:
                    collector.add_file(snapshot, full_search.pattern)
    survey = collector.survey()
    if survey.names[0].plain_count * 2 < total:
        return None
    return survey


def add_syntax_notes(
    outcome: SearchOutcome, syntax_filter: SyntaxFilter
) -> SearchOutcome:
    """Return the outcome with notes on the matches that `only` left out."""
    words = outcome.arguments.only or ()
    files = syntax_filter.files
    outcome = replace(
        outcome,
        left_out=find_left_out(files, words),
        file_notes=(*outcome.file_notes, *file_notes(files)),
    )
    notes = cut_notes(files, words)
    if outcome.has_match:
        return replace(outcome, notes=(*outcome.notes, *notes))
    return replace(outcome, advice=(*outcome.advice, *notes))


def add_summary(
    context: Context,
    outcome: SearchOutcome,
    search: TreeSearch,
    max_bytes: int,
) -> SearchOutcome:
    """Return the outcome with a note on the kinds of syntax of the matches of a name."""
    if not is_name_search(outcome.arguments):
        return outcome
    summary = summarize_syntax(
        context,
        search.pattern,
        search.matched_files,
        outcome.total_lines,
        max_bytes,
    )
    if not summary:
        return outcome
    return replace(outcome, notes=(*outcome.notes, summary))


def add_word_note(
    context: Context, outcome: SearchOutcome, search: TreeSearch
) -> SearchOutcome:
    """Return the outcome with a note on the lines that have the text as a whole word.

    There is a note only if other lines have it as a part of a longer word or number. If
    all hits are shown, it must also be a number or an identifier, and be a whole word in
    less than half of the lines.
    """
    arguments = outcome.arguments
    is_of_text = (
        arguments.mode == "literal"
        and not arguments.whole_word
        and not arguments.invert
    )
    if not is_of_text or outcome.survey is not None:
        return outcome
    total = outcome.total_lines
    is_identifier = IDENTIFIER.fullmatch(arguments.pattern or "") is not None
    if outcome.kinds is not None and is_identifier:
        total = outcome.kinds.line_count
        count = count_words(context, arguments, search)
        is_worth_a_note = count is not None and count < total
    elif not total or not has_part_of_word(outcome.hits):
        return outcome
    elif outcome.next_cursor is not None:
        count = count_words(context, arguments, search)
        is_worth_a_note = count is not None
    else:
        count = count_whole_words(outcome.hits)
        is_worth_a_note = is_identifier and count * 2 < total
    if not is_worth_a_note:
        return outcome
    noun = pluralize(total or 0, "line")
    way = Hint("whole_word", shell="--word")
    note = fill("{} of {} have it as a whole word: {}", f"{count:,}", noun, way)
    return replace(outcome, notes=(*outcome.notes, note))


def count_words(
    context: Context, arguments: SearchArguments, search: TreeSearch
) -> int | None:
    """Return how many lines have the pattern as a whole word, or None if time runs out."""
    words = arguments.model_copy(update={"whole_word": True})
    pattern = replace(
        compile_arguments(words, context.settings),
        selector=search.pattern.selector,
    )
    whole_words = count_all(replace(search, pattern=pattern))
    return None if whole_words is None else whole_words.hit_count


def add_without_note(
    outcome: SearchOutcome, search: TreeSearch
) -> SearchOutcome:
    """Return the outcome with a note on the lines that `without` left out.

    They are counted by another search, if the time allows it.
    """
    total = outcome.total_lines
    if outcome.is_complete and not outcome.has_match:
        total = 0
    if total is None:
        counts = count_all(search)
        total = None if counts is None else counts.hit_count
    pattern = replace(search.pattern, excluded=())
    all_lines = count_all(replace(search, pattern=pattern))
    if total is None or all_lines is None or all_lines.hit_count <= total:
        return outcome
    lines = pluralize(all_lines.hit_count - total, "line")
    note = f"without: {lines} left out"
    if outcome.has_match:
        return replace(outcome, notes=(*outcome.notes, note))
    return replace(outcome, advice=(*outcome.advice, note))


def finish_outcome(
    context: Context,
    outcome: SearchOutcome,
    search: TreeSearch,
    target: SearchTarget,
) -> SearchOutcome:
    """Return the outcome with its notes, and with the trace of its matches if requested."""
    outcome = add_notes(context, outcome, search, target)
    if outcome.arguments.trace:
        # It comes last: it may use up the time of the call.
        return add_trace(context, outcome, search)
    return outcome


def add_notes(
    context: Context,
    outcome: SearchOutcome,
    search: TreeSearch,
    target: SearchTarget,
) -> SearchOutcome:
    """Return the outcome with notes on what was searched, and advice if nothing matched."""
    notes = [*outcome.file_notes, *selection_notes(search)]
    found_nothing = outcome.is_complete and not search.matched_count
    other_count = len(target.members) - len(search.members)
    if other_count:
        notes.append(f"{pluralize(other_count, 'file')} of other times")
    left_out: list[str] = []
    if outcome.is_tree:
        if outcome.is_complete or outcome.total_lines is not None:
            notes.append(f"{pluralize(search.searched_count, 'file')} searched")
        notes += skip_notes(search)
        if found_nothing:
            left_out += left_out_notes(search)
            if not search.searched_count:
                left_out += name_spelling_notes(
                    context, search.where, search.options.glob
                )
    if found_nothing:
        notes += period_notes(context, search, target.members)
    notes += problem_notes(search.problems)
    spellings: list[str] = []
    if outcome.is_complete and outcome.arguments.cursor is None:
        spellings = spelling_notes(search)
    if found_nothing:
        # Without a match, other spellings of its text are the advice.
        left_out += spellings
        spellings = []
    has_no_file = (
        outcome.is_tree and outcome.is_complete and not search.searched_count
    )
    return replace(
        outcome,
        is_complete=outcome.is_complete and not search.problems,
        has_damage=bool(search.problems),
        searched_files=search.searched_count if outcome.is_tree else None,
        notes=(*outcome.notes, *spellings),
        file_notes=tuple(notes),
        advice=(
            *outcome.advice,
            *advise(outcome.arguments, left_out, has_no_file=has_no_file),
        ),
    )


def advise(
    arguments: SearchArguments,
    left_out: Sequence[str],
    *,
    has_no_file: bool = False,
) -> tuple[str, ...]:
    """Return advice after a search without a match."""
    advice = ""
    if has_no_file:
        advice = Hint(
            "list_files shows the files, and what a glob matches",
            shell="filewright map shows the files",
        )
    elif arguments.mode == "literal" and REGEX_SYNTAX.search(
        arguments.pattern or ""
    ):
        advice = Hint(
            "the pattern was read as plain text; mode=regex reads it as a regex",
            shell="the pattern was read as plain text; --regex reads it as a regex",
        )
    if advice:
        return (advice, *left_out)
    return tuple(left_out)
