"""`search_content`: text, regular expressions and text that is only similar, in a file or a tree."""

from __future__ import annotations

import re
from contextlib import ExitStack

from filewright.boundary import Location
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.search import (
    Found,
    Hit,
    Pattern,
    Resume,
    TreeOptions,
    check_mark,
    compile_pattern,
    count_hits,
    fuzzy,
    mark_of,
    search_snapshot,
)
from filewright.text import Snapshot
from filewright.tools.context import Context
from filewright.tools.cursor import decode
from filewright.tools.listing import globs
from filewright.tools.registry import Tool
from filewright.tools.rendering import Page, counted
from filewright.tools.search_page import (
    Search,
    SearchArguments,
    SearchResult,
    add_count,
    add_hits,
    cursor_at,
    resume_at,
)
from filewright.visible import visible

_REGEX = re.compile(r"\.[*+]|\||\\[bBdDsSwW(.]|\[[^]]+\]|^\^|\$$")
"""What is seldom meant literally."""


def run(context: Context, arguments: SearchArguments, task: Task) -> SearchResult:
    """Search a file or a tree; results in file and line order, fuzzy ones by similarity."""
    location = context.boundary.locate(arguments.path)
    search = Search(context, arguments, task, Page(context.settings.page_chars))
    is_folder = context.boundary.stat(location).kind == "folder" or not _is_file(context, location)
    if arguments.mode == "fuzzy":
        _fuzzy(search, location, is_folder=is_folder)
    else:
        pattern = compile_pattern(
            arguments.pattern,
            mode=arguments.mode,
            case=arguments.case,
            whole_word=arguments.whole_word,
            multiline=arguments.multiline,
            max_chars=context.settings.max_pattern_chars,
        )
        resume = _resume(location, arguments)
        if is_folder:
            try:
                _tree(search, location, pattern, resume)
            except FilewrightError as error:
                if error.code != Code.TIMEOUT or not (search.results or search.files):
                    raise
                search.complete = False
                search.notes.append(f"{error.message}; a narrower path or glob finds the rest")
        else:
            _file(search, location, pattern, resume)
    return _answer(search)


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
    with search.context.open_text(location) as snapshot:
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
        stopped = add_hits(search, snapshot, found)
        if stopped is None and not found.complete:
            stopped = found.stopped_at
        if stopped is not None:
            search.complete = False
            search.cursor = cursor_at(search, location, Resume(location, stopped, mark_of(snapshot, stopped)))


def _tree_options(arguments: SearchArguments) -> TreeOptions:
    return TreeOptions(
        limit=arguments.max_results,
        output=arguments.output,
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
            stopped = add_hits(search, snapshot, hits)
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
    search.searched = found.searched
    if search.complete:
        search.notes.append(f"{counted(found.searched, 'file')} searched")
    if found.binary:
        search.notes.append(f"{counted(found.binary, 'binary file')} skipped")
    if found.unreadable:
        search.notes.append(f"{found.unreadable} could not be read")


def _fuzzy(search: Search, location: Location, *, is_folder: bool) -> None:
    arguments = search.arguments
    for name in ("invert", "multiline", "whole_word"):
        if getattr(arguments, name):
            raise FilewrightError(
                Code.INVALID_INPUT,
                f"{name} has no meaning in a fuzzy search",
                hint=f"leave out {name}, or use mode=literal or mode=regex",
                details={"argument": name},
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
                arguments.pattern,
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
        arguments.pattern,
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
        if add_hits(search, snapshot, Found((hit,), complete=True, count=1)) is not None:
            search.complete = False
            search.notes.append(f"{len(ranked) - position} less similar left out")
            break


def _answer(search: Search) -> SearchResult:
    arguments, page = search.arguments, search.page
    found = len(search.results) or len(search.files)
    if not found:
        page.add("no match" if search.complete else "no match so far")
        if search.searched == 0 and search.complete:
            search.notes.append("list_files shows which files are there, and what a glob fits")
        elif arguments.mode == "literal" and _REGEX.search(arguments.pattern):
            search.notes.append("looked for literally; with mode=regex it would be a pattern")
    elif arguments.output == "counts" and search.complete and arguments.cursor is None:
        total = sum(file.count or 0 for file in search.files)
        search.notes.insert(0, f"{counted(total, 'matching line')} in {counted(len(search.files), 'file')}")
    if search.cursor is not None:
        page.add(f"[{found} shown, the search is not complete: go on with cursor={search.cursor}]")
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
    )


TOOL = Tool(
    name="search_content",
    title="Search in files",
    description=(
        "Find text (literal), a pattern (regex, RE2 syntax) or similar text (fuzzy, one line or many) in a file of any "
        "size or a tree, without what .gitignore leaves out. Shows line numbers, context, the enclosing function, and "
        "whether the search was complete."
    ),
    arguments=SearchArguments,
    run=run,
    toolset="read",
)
