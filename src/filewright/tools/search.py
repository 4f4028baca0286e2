"""`search_content`: text, regular expressions and text that is only similar, in a file or a tree."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Literal

from filewright.boundary import Location
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.search import (
    Found,
    Hit,
    Pattern,
    Resume,
    TreeOptions,
    TreeSearch,
    check_mark,
    compile_pattern,
    count_hits,
    find_matches,
    fuzzy,
    mark_of,
    search_snapshot,
)
from filewright.text import Snapshot
from filewright.tools.context import Context, binary
from filewright.tools.cursor import decode
from filewright.tools.listing import globs
from filewright.tools.registry import Tool
from filewright.tools.search_page import (
    FEW,
    Search,
    SearchArguments,
    SearchResult,
    add_count,
    add_kinds,
    cursor_at,
    resume_at,
    show_hits,
    skipped,
)
from filewright.visible import visible
from filewright.wording import counted

_REGEX = re.compile(r"\.[*+]|\||\\[bBdDsSwW(.]|\[[^]]+\]|^\^|\$$")
"""What is seldom meant literally."""

_LEAST_CHARS = 500
"""What each of several patterns may say."""

_MOST_FILES = 1_000_000
_COUNTED_BYTES = 64 << 20
_COUNTED_FILES = 2_000
"""What is read on only to count the matches that are not shown."""


def run(context: Context, arguments: SearchArguments, task: Task) -> SearchResult:
    """Search a file or a tree, for one pattern or for several.

    Results are in file and line order, fuzzy ones by similarity.
    """
    if (arguments.pattern is None) == (arguments.patterns is None):
        raise FilewrightError(
            Code.INVALID_INPUT,
            "search_content takes either pattern or patterns",
            hint="give pattern for one text, patterns for several",
            details={"argument": "pattern"},
        )
    if arguments.patterns is None:
        return _answer(_searched(context, arguments, task, context.settings.page_chars))
    if arguments.cursor is not None:
        raise FilewrightError(
            Code.INVALID_INPUT,
            "the cursor belongs to the search of one pattern",
            hint="give that pattern as pattern, with its cursor",
            details={"argument": "cursor"},
        )
    each = [arguments.model_copy(update={"pattern": p, "patterns": None}) for p in arguments.patterns]
    _check_patterns(context, each)
    left = context.settings.page_chars
    searches: list[Search] = []
    for position, wanted in enumerate(each):
        room = max(_LEAST_CHARS, left // (len(each) - position)) - len(wanted.text) - 20
        searches.append(_searched(context, wanted, task, room))
        left -= room - searches[-1].page.room
    few = sum(len(search.results) for search in searches) <= FEW
    made = [_answer(search, wide=few) for search in searches]
    texts = []
    nowhere: list[str] = []
    for result, wanted in zip(made, each, strict=True):
        name = repr(visible(wanted.text))
        if result.complete and not result.found and not _advice(wanted, result.files_searched):
            nowhere.append(name)
        else:
            texts.append(f"pattern {name}:\n{result.text}")
    if nowhere:
        texts.append(f"no match: {', '.join(nowhere)}")
        if len(nowhere) == len(each):
            texts.append(made[0].text.partition("\n")[2])
    return SearchResult(
        "\n".join(texts),
        results=tuple(hit for result in made for hit in result.results),
        files=tuple(file for result in made for file in result.files),
        complete=all(result.complete for result in made),
        next_cursor=None,
        notes=(),
        files_searched=made[0].files_searched,
        searches=tuple(made),
    )


def _check_patterns(context: Context, each: Sequence[SearchArguments]) -> None:
    """Raise `invalid_input` that names every malformed pattern."""
    wrong = []
    for number, arguments in enumerate(each, 1):
        try:
            _compiled(context, arguments)
        except FilewrightError as error:
            error.message = f"{number}. {visible(arguments.text[:60])!r}: {error.message}"
            wrong.append(error)
    if wrong:
        message = "; ".join(error.message for error in wrong)
        hints = dict.fromkeys(error.hint for error in wrong if error.hint)
        raise FilewrightError(wrong[0].code, message, hint="; ".join(hints) or None, details=wrong[0].details)


def _compiled(context: Context, arguments: SearchArguments) -> Pattern:
    mode: Literal["literal", "regex"] = "literal" if arguments.mode == "fuzzy" else arguments.mode
    most = context.settings.max_pattern_chars
    pattern = compile_pattern(
        arguments.text,
        mode=mode,
        case=arguments.case,
        whole_word=arguments.whole_word,
        multiline=arguments.multiline,
        max_chars=most,
    )
    if arguments.without is None:
        return pattern
    if pattern.multiline:
        raise FilewrightError(
            Code.INVALID_INPUT,
            "without leaves out lines, and the matches of this pattern may have several",
            hint="look for one line of it, or leave out without",
            details={"argument": "without"},
        )
    if arguments.invert:
        raise FilewrightError(
            Code.INVALID_INPUT,
            "without leaves lines out of those that match, and invert asks for those that do not",
            hint="leave out invert, or look for both with mode=regex: pattern A|B, invert",
            details={"argument": "without"},
        )
    without = compile_pattern(arguments.without, mode=mode, case=arguments.case, max_chars=most)
    return replace(pattern, without=without)


def _searched(context: Context, arguments: SearchArguments, task: Task, room: int) -> Search:
    """The search for one pattern, on a page of `room` characters."""
    location = context.boundary.locate(arguments.path)
    search = Search.of(context, arguments, task, room)
    is_folder = context.boundary.stat(location).kind == "folder" or not _is_file(context, location)
    if arguments.mode == "fuzzy":
        _fuzzy(search, location, is_folder=is_folder)
    else:
        pattern = _compiled(context, arguments)
        _check_kinds(arguments, pattern)
        resume = _resume(location, arguments)
        try:
            (_tree if is_folder else _file)(search, location, pattern, resume)
        except FilewrightError as error:
            if error.code != Code.TIMEOUT or not (search.results or search.files or search.kinds):
                raise
            search.complete = False
            search.notes.append(f"{error.message}; a narrower path or glob finds the rest")
    return search


def _check_kinds(arguments: SearchArguments, pattern: Pattern) -> None:
    if arguments.output == "kinds" and (arguments.invert or arguments.cursor or pattern.multiline):
        raise FilewrightError(
            Code.INVALID_INPUT,
            "output=kinds compares the single lines that match, all of them",
            hint="leave out invert, multiline and cursor; without leaves out lines",
            details={"argument": "output"},
        )


def _is_file(context: Context, location: Location) -> bool:
    """Whether the path leads to a file (also through a link); other errors are raised when it is opened."""
    try:
        context.open(location, hold=False).close()
    except FilewrightError as error:
        if error.code != Code.NOT_A_FILE:
            raise
        try:
            context.boundary.open_folder(location).close()
        except FilewrightError as no_folder:
            if no_folder.code == Code.NOT_A_DIRECTORY:
                raise error from None
            raise
        return False
    return True


def _resume(location: Location, arguments: SearchArguments) -> Resume | None:
    if arguments.cursor is None:
        return None
    kind, key = decode(arguments.cursor, "search")
    resume = resume_at(key, location) if kind == arguments.output else None
    if resume is None:
        raise FilewrightError(
            Code.INVALID_INPUT,
            "the cursor belongs to another search",
            hint="call again with the arguments of the call that gave it",
            details={"argument": "cursor"},
        )
    return resume


def _file(search: Search, location: Location, pattern: Pattern, resume: Resume | None) -> None:
    arguments, task = search.arguments, search.task
    with search.context.open_page(location, task, headings=False) as snapshot:
        if snapshot.binary is not None:
            raise binary(location, snapshot.binary, snapshot.size)
        if arguments.output == "kinds":
            search.kinds.add_all(snapshot, find_matches(snapshot, pattern, once=True, task=task))
            return
        if arguments.output == "counts":
            count = count_hits(snapshot, pattern, invert=arguments.invert, task=task)
            add_count(search, location, count)
            return
        if resume is not None:
            check_mark(snapshot, resume)
        found = search_snapshot(
            snapshot,
            pattern,
            limit=1 if arguments.output == "files" else arguments.max_results,
            start=resume.offset if resume is not None else None,
            invert=arguments.invert,
            task=task,
        )
        if arguments.output == "files":
            if found.hits:
                add_count(search, location, None)
            return
        stopped = show_hits(search, snapshot, found)
        if stopped is None and not found.complete:
            stopped = found.stopped_at
        if stopped is not None:
            search.complete = False
            search.cursor = cursor_at(search, location, Resume(location, stopped, mark_of(snapshot, stopped)))
            if snapshot.size <= _COUNTED_BYTES:
                search.total = count_hits(snapshot, pattern, invert=arguments.invert, task=task)


def _tree_options(arguments: SearchArguments) -> TreeOptions:
    return TreeOptions(
        limit=arguments.max_results if arguments.output != "kinds" else _MOST_FILES,
        output=arguments.output if arguments.output != "kinds" else "files",
        glob=globs(arguments.glob, arguments.exclude),
        kind=arguments.type,
        invert=arguments.invert,
        include_hidden=arguments.include_hidden,
        include_ignored=arguments.include_ignored,
    )


def _tree(search: Search, location: Location, pattern: Pattern, resume: Resume | None) -> None:
    arguments = search.arguments
    options = _tree_options(arguments)
    found = search.context.searcher.tree(location, pattern, options, resume=resume, task=search.task)
    for snapshot, hits in found:
        at = snapshot.location
        assert at is not None
        if arguments.output == "matches":
            stopped = show_hits(search, snapshot, hits)
        elif arguments.output == "kinds":
            stopped = None
            search.kinds.add_all(snapshot, find_matches(snapshot, pattern, once=True, task=search.task))
        else:
            stopped = (
                None if add_count(search, at, hits.count if arguments.output == "counts" else None) else 0
            )
        if stopped is not None:
            search.complete = False
            search.cursor = cursor_at(search, location, Resume(at, stopped, mark_of(snapshot, stopped)))
            break
    else:
        search.complete = found.complete
        if found.resume is not None:
            search.cursor = cursor_at(search, location, found.resume)
    if not search.complete and arguments.output in ("matches", "counts") and resume is None:
        found = _count_all(search, location, pattern) or found
    search.searched = found.searched
    if search.complete or search.total is not None:
        search.notes.append(f"{counted(found.searched, 'file')} searched")
    search.notes += skipped(found)


def _count_all(search: Search, location: Location, pattern: Pattern) -> TreeSearch | None:
    """Count the matches that are not shown too; None if that is more than is worth reading for a number."""
    options = replace(_tree_options(search.arguments), output="counts", limit=_COUNTED_FILES)
    found = search.context.searcher.tree(location, pattern, options, task=search.task)
    total = nbytes = 0
    for snapshot, hits in found:
        total += hits.count
        nbytes += snapshot.size
        if nbytes > _COUNTED_BYTES:
            return None
    if not found.complete:
        return None
    search.total, search.matched = total, found.matched
    return found


def _fuzzy(search: Search, location: Location, *, is_folder: bool) -> None:
    arguments = search.arguments
    for name in ("invert", "multiline", "whole_word", "without"):
        if getattr(arguments, name):
            raise FilewrightError(
                Code.INVALID_INPUT,
                f"{name} has no meaning in a fuzzy search",
                hint=f"leave out {name}, or use mode=literal or mode=regex",
                details={"argument": name},
            )
    if arguments.output == "kinds":
        raise FilewrightError(
            Code.INVALID_INPUT,
            "output=kinds has no meaning in a fuzzy search",
            hint="use mode=literal or mode=regex",
            details={"argument": "output"},
        )
    if arguments.cursor is not None:
        raise FilewrightError(
            Code.INVALID_INPUT,
            "a fuzzy search has no cursor",
            hint="raise max_results, or raise min_similarity",
            details={"argument": "cursor"},
        )
    if not is_folder:
        with search.context.open_text(location) as snapshot:
            found = fuzzy(
                snapshot,
                arguments.text,
                min_similarity=arguments.min_similarity,
                limit=arguments.max_results,
                grams=search.context.searcher.grams,
                task=search.task,
            )
            _fuzzy_notes(search, found)
            _ranked(search, [(hit, snapshot) for hit in found.hits])
        return
    nearest = search.context.searcher.similar(
        location,
        arguments.text,
        _tree_options(arguments),
        min_similarity=arguments.min_similarity,
        seconds=search.context.settings.fuzzy_seconds,
        task=search.task,
    )
    if not nearest.complete:
        search.complete = False
        search.notes.append(visible(nearest.reason))
    search.notes.append(f"{counted(nearest.searched, 'file')} searched")
    with ExitStack() as stack:
        ranked = []
        for best in nearest.hits:
            try:
                ranked.append((best.hit, stack.enter_context(search.context.open_text(best.location))))
            except FilewrightError:
                continue  # it went away since
        _ranked(search, ranked)


def _fuzzy_notes(search: Search, found: Found) -> None:
    if found.tied > 1:
        search.notes.append(f"{found.tied} places are equally similar")
    if found.runner_up is not None:
        search.notes.append(f"the next best is at similarity {found.runner_up:.2f}")
    if not found.complete:
        search.complete = False
        search.notes.append(found.reason)


def _ranked(search: Search, ranked: list[tuple[Hit, Snapshot]]) -> None:
    """Show hits in the order of their similarity, each under its file."""
    if search.arguments.output != "matches":
        counts: dict[Location, int] = {}
        for _, snapshot in ranked:
            assert snapshot.location is not None
            counts[snapshot.location] = counts.get(snapshot.location, 0) + 1
        for at, count in counts.items():
            add_count(search, at, count if search.arguments.output == "counts" else None)
        return
    for position, (hit, snapshot) in enumerate(ranked):
        if show_hits(search, snapshot, Found((hit,), complete=True, count=1)) is not None:
            search.complete = False
            search.notes.append(f"{len(ranked) - position} less similar left out")
            break


def _answer(search: Search, *, wide: bool = True) -> SearchResult:
    """The page with its last lines: how many were found and shown, whether that is all, what was skipped.

    `wide`: with context, where there are few hits.
    """
    if wide and search.wide is not None and search.wide.results:
        search.page, search.results = search.wide.page, search.wide.results
    arguments, page = search.arguments, search.page
    kinds = add_kinds(search) if arguments.output == "kinds" else ()
    found = len(search.results) or len(search.files) or len(search.kinds)
    if not found:
        page.add("no match" if search.complete else "no match so far")
        if advice := _advice(arguments, search.searched if search.complete else None):
            search.notes.append(advice)
    elif search.complete and arguments.cursor is None and arguments.mode != "fuzzy" and not kinds:
        search.notes.insert(0, _found(search))
    if search.cursor is not None:
        of = f" of {search.total:,} in {counted(search.matched, 'file')}" if search.total is not None else ""
        if of and arguments.output == "counts":
            of = f" of {counted(search.matched, 'file')} with {counted(search.total or 0, _unit(arguments))} in all"
        page.add(f"[{found}{of} shown, the search is not complete: go on with cursor={search.cursor}]")
    elif not search.complete:
        page.add("[the search is not complete]")
    if search.notes:
        page.add(f"[{'; '.join(search.notes)}]")
    return SearchResult(
        page.text(),
        results=tuple(search.results),
        files=tuple(search.files),
        complete=search.complete,
        next_cursor=search.cursor,
        notes=tuple(search.notes),
        files_searched=search.searched,
        total=search.total,
        kinds=kinds,
    )


def _advice(arguments: SearchArguments, searched: int | None) -> str:
    """What to try after a search that found nothing in `searched` files (None: in one, or not in all)."""
    if searched == 0:
        return "list_files shows which files are there, and what a glob fits"
    if arguments.mode == "literal" and _REGEX.search(arguments.text):
        return "looked for literally; with mode=regex it would be a pattern"
    return ""


def _found(search: Search) -> str:
    """How much a complete search found: `5 matching lines in 2 files`."""
    if search.arguments.output == "files":
        return f"in {counted(len(search.files), 'file')}"
    if search.arguments.output == "counts":
        search.total, files = sum(file.count or 0 for file in search.files), len(search.files)
    else:
        search.total, files = len(search.results), len({hit.path for hit in search.results})
    return f"{counted(search.total, _unit(search.arguments))} in {counted(files, 'file')}, all shown"


def _unit(arguments: SearchArguments) -> str:
    return "match" if arguments.multiline else "matching line"


TOOL = Tool(
    name="search_content",
    title="Search in files",
    description=(
        "Find text (literal), a regex (RE2) or similar text (fuzzy, one line or many) in a file of any size or a tree, "
        "without what .gitignore leaves out. output=kinds counts lines alike but for numbers, the rarest first."
    ),
    arguments=SearchArguments,
    run=run,
    toolset="read",
)
