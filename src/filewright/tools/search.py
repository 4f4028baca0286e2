"""`search_content`: text, regular expressions and text that is only similar, in a file or a tree."""

from __future__ import annotations

import os
import re
import stat
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import reduce
from typing import Annotated, Any, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from filewright.boundary import Location
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.search import (
    Found,
    Hit,
    Pattern,
    Resume,
    TreeOptions,
    compile_pattern,
    count_hits,
    excerpt,
    fuzzy,
    search_snapshot,
)
from filewright.search import context as context_of
from filewright.structure.lookup import path_of
from filewright.text import Snapshot
from filewright.tools.context import Context
from filewright.tools.cursor import decode, encode
from filewright.tools.listing import globs
from filewright.tools.registry import Arguments, Tool, ToolResult
from filewright.tools.rendering import Page, counted, visible

_SYMBOL_SECONDS = 1.0
_REGEX = re.compile(r"\.[*+]|\||\\[bBdDsSwW(.]|\[[^]]+\]|^\^|\$$")
"""What is seldom meant literally."""
_SYMBOL_BYTES = 512 << 10


class SearchArguments(Arguments):
    """What to find, and where."""

    pattern: str
    path: str = "."
    glob: str | None = None
    type: Annotated[str | None, Field(description="language or extension: py, rust")] = None
    mode: Literal["literal", "regex", "fuzzy"] = "literal"
    case: Literal["smart", "sensitive", "insensitive"] = "smart"
    whole_word: bool = False
    multiline: bool = False
    invert: bool = False
    context: Annotated[int, Field(ge=0, le=50)] = 2
    context_before: Annotated[int | None, Field(ge=0, le=50)] = None
    context_after: Annotated[int | None, Field(ge=0, le=50)] = None
    output: Literal["matches", "files", "counts"] = "matches"
    max_results: Annotated[int, Field(ge=1, le=10_000)] = 50
    min_similarity: Annotated[float, Field(ge=0.3, le=1.0)] = 0.8
    cursor: str | None = None
    include_hidden: SkipJsonSchema[bool] = True
    include_ignored: SkipJsonSchema[bool] = False
    exclude: SkipJsonSchema[list[str]] = Field(default_factory=list)


@dataclass
class _Search:
    """One call under way: its page, what it found, where it stopped."""

    context: Context
    arguments: SearchArguments
    task: Task
    page: Page
    results: list[dict[str, Any]] = field(default_factory=list)
    files: list[dict[str, Any]] = field(default_factory=list)
    complete: bool = True
    cursor: str | None = None
    notes: list[str] = field(default_factory=list)
    searched: int | None = None
    symbol_seconds: float = _SYMBOL_SECONDS


def run(context: Context, arguments: SearchArguments, task: Task) -> ToolResult:
    """Search a file or a tree; results in file and line order, fuzzy ones by similarity."""
    location = context.boundary.locate(arguments.path)
    search = _Search(context, arguments, task, Page(context.settings.page_chars))
    is_folder = stat.S_ISDIR(context.boundary.stat(location).st_mode) or not _is_file(context, location)
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
            _tree(search, location, pattern, resume)
        else:
            _file(search, location, pattern, resume)
    return _answer(search)


def _is_file(context: Context, location: Location) -> bool:
    """Whether the path leads to a file (also through a link); other errors are told when it is opened."""
    try:
        context.open(location, hold=False).close()
    except FilewrightError as error:
        if error.code != Code.NOT_A_FILE:
            raise
        try:
            os.close(context.boundary.open_folder(location))
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
    if kind != arguments.output or len(key) != 2 or not isinstance(key[0], int):
        raise FilewrightError(
            Code.INVALID_INPUT,
            "the cursor belongs to another search",
            hint="call again with the arguments of the call that gave it",
            details={"argument": "cursor"},
        )
    path = bytes.fromhex(str(key[1]))
    return Resume(reduce(Location.child, path.split(b"/") if path else [], location), max(0, key[0]))


def _cursor(search: _Search, top: Location, at: Location, offset: int) -> str:
    below = b"/".join(at.parts[len(top.parts) :])
    return encode("search", search.arguments.output, [offset, below.hex()])


def _file(search: _Search, location: Location, pattern: Pattern, resume: Resume | None) -> None:
    arguments, task = search.arguments, search.task
    with search.context.open_text(location) as snapshot:
        if arguments.output == "counts":
            count = count_hits(snapshot, pattern, invert=arguments.invert, task=task)
            _count_row(search, location, count)
            return
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
                _count_row(search, location, None)
            return
        stopped = _hits(search, snapshot, found)
        if stopped is None and not found.complete:
            stopped = found.stopped_at
        if stopped is not None:
            search.complete = False
            search.cursor = _cursor(search, location, location, stopped)


def _tree(search: _Search, location: Location, pattern: Pattern, resume: Resume | None) -> None:
    arguments = search.arguments
    options = TreeOptions(
        limit=arguments.max_results,
        output=arguments.output,
        glob=globs(arguments.glob, arguments.exclude),
        kind=arguments.type,
        invert=arguments.invert,
        include_hidden=arguments.include_hidden,
        include_ignored=arguments.include_ignored,
    )
    found = search.context.searcher.tree(location, pattern, options, resume=resume, task=search.task)
    for snapshot, hits in found:
        at = snapshot.location
        assert at is not None
        if arguments.output == "matches":
            stopped = _hits(search, snapshot, hits)
        else:
            stopped = (
                None if _count_row(search, at, hits.count if arguments.output == "counts" else None) else 0
            )
        if stopped is not None:
            search.complete = False
            search.cursor = _cursor(search, location, at, stopped)
            break
    else:
        search.complete = found.complete
        if found.resume is not None:
            search.cursor = _cursor(search, location, found.resume.location, found.resume.offset)
    search.searched = found.searched
    if search.complete:
        search.notes.append(f"{counted(found.searched, 'file')} searched")
    if found.binary:
        search.notes.append(f"{counted(found.binary, 'binary file')} skipped")
    if found.unreadable:
        search.notes.append(f"{found.unreadable} could not be read")


def _count_row(search: _Search, location: Location, count: int | None) -> bool:
    """Add a file's row; False if the page is full."""
    row = visible(location.shown) + (f": {count}" if count is not None else "")
    if not search.page.fits(row, reserve=400):
        return False
    search.page.add(row)
    search.files.append({"path": location.shown, **({"count": count} if count is not None else {})})
    return True


def _hits(search: _Search, snapshot: Snapshot, found: Found) -> int | None:
    """Show the hits of one file, in groups with their context; the offset of the first that did not fit."""
    arguments = search.arguments
    before = arguments.context if arguments.context_before is None else arguments.context_before
    after = arguments.context if arguments.context_after is None else arguments.context_after
    width = search.context.settings.match_chars
    assert snapshot.location is not None
    header = visible(snapshot.location.shown)
    rows: dict[int, str] = {}
    shown_to = 0
    for position, hit in enumerate(found.hits):
        search.task.check()
        above, below = context_of(snapshot, hit, before, after, width, task=search.task)
        piece = excerpt(snapshot, hit, width)
        symbol = _symbol(search, snapshot, hit)
        start = "…" if piece.cut_before else ""
        end = "…" if piece.cut_after else ""
        place = f"{hit.line}:{hit.column}" if piece.cut_before or piece.cut_after else f"{hit.line}"
        line = f"{place}: {start}{visible(piece.text)}{end}"
        if symbol:
            line += f"   [{visible(symbol)}]"
        if arguments.mode == "fuzzy":
            line += f"   [similarity {hit.score:.2f}]"
        block = [f"{c.line}- {visible(c.text)}{'…' if c.cut else ''}" for c in above if c.line > shown_to]
        gap = (
            bool(rows)
            and bool(above or before or after)
            and (above[0].line if above else hit.line) > shown_to + 1
        )
        block = (["--"] if gap else []) + block + [line]
        tail = [f"{c.line}- {visible(c.text)}{'…' if c.cut else ''}" for c in below]
        following = found.hits[position + 1].line if position + 1 < len(found.hits) else None
        if following is not None:
            tail = tail[: max(0, following - hit.line - 1)]
        needed = block + tail if position else [header, *block, *tail]
        if not search.page.fits(*needed, reserve=400) and (search.results or position):
            return hit.offset
        search.page.add(*needed)
        rows[hit.line] = line
        shown_to = hit.line + len(tail)
        search.results.append(
            {
                "path": snapshot.location.shown,
                "line": hit.line,
                "column": hit.column,
                "offset": hit.offset,
                "end": hit.end,
                "text": piece.text,
                "text_column": piece.column,
                "submatches": [list(r) for r in piece.ranges],
                "truncated": piece.cut_before or piece.cut_after,
                "context_before": [c.text for c in above],
                "context_after": [c.text for c in below],
                "symbol": symbol or None,
                "similarity": round(hit.score, 4),
            }
        )
    if found.hits:
        low, high = found.hits[0].line_offset, min(snapshot.size, found.hits[-1].end + 4096)
        search.context.remember(snapshot, (low, high))
    return None


def _symbol(search: _Search, snapshot: Snapshot, hit: Hit) -> str:
    """The definition round a hit, while the time for that lasts."""
    if snapshot.size > _SYMBOL_BYTES or search.symbol_seconds <= 0:
        return ""
    begun = time.monotonic()
    try:
        outline = search.context.outlines.outline(snapshot, task=search.task)
        return path_of(outline, hit.line) if outline.parsed else ""
    finally:
        search.symbol_seconds -= time.monotonic() - begun


def _fuzzy(search: _Search, location: Location, *, is_folder: bool) -> None:
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
        TreeOptions(limit=arguments.max_results, glob=arguments.glob, kind=arguments.type),
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


def _fuzzy_notes(search: _Search, found: Found) -> None:
    if found.tied > 1:
        search.notes.append(f"{found.tied} places are equally similar")
    if found.runner_up is not None:
        search.notes.append(f"the next best is at similarity {found.runner_up:.2f}")
    if not found.complete:
        search.complete = False
        search.notes.append(found.reason)


def _ranked(search: _Search, ranked: list[tuple[Hit, Snapshot]]) -> None:
    """Show hits in the order of their similarity, each under its file."""
    if search.arguments.output != "matches":
        counts: dict[Location, int] = {}
        for _, snapshot in ranked:
            assert snapshot.location is not None
            counts[snapshot.location] = counts.get(snapshot.location, 0) + 1
        for at, count in counts.items():
            _count_row(search, at, count if search.arguments.output == "counts" else None)
        return
    for position, (hit, snapshot) in enumerate(ranked):
        if _hits(search, snapshot, Found((hit,), complete=True, count=1)) is not None:
            search.complete = False
            search.notes.append(f"{len(ranked) - position} less similar left out")
            break


def _answer(search: _Search) -> ToolResult:
    arguments, page = search.arguments, search.page
    found = len(search.results) or len(search.files)
    if not found:
        page.add("no match" if search.complete else "no match so far")
        if search.searched == 0 and search.complete:
            search.notes.append("list_files shows which files are there, and what a glob fits")
        elif arguments.mode == "literal" and _REGEX.search(arguments.pattern):
            search.notes.append("looked for literally; with mode=regex it would be a pattern")
    elif arguments.output == "counts" and search.complete and arguments.cursor is None:
        total = sum(file["count"] for file in search.files)
        search.notes.insert(0, f"{counted(total, 'matching line')} in {counted(len(search.files), 'file')}")
    if search.cursor is not None:
        page.add(f"[{found} shown, the search is not complete: go on with cursor={search.cursor}]")
    elif not search.complete:
        page.add("[the search is not complete]")
    if search.notes:
        page.add(f"[{'; '.join(search.notes)}]")
    data: dict[str, Any] = {
        "results": search.results,
        "complete": search.complete,
        "next_cursor": search.cursor,
        "notes": search.notes,
        "files_searched": search.searched,
    }
    if arguments.output != "matches":
        data["files"] = search.files
        del data["results"]
    return ToolResult(page.text(), data)


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
