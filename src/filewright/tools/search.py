"""`search_content`: text, regular expressions and text that is only similar, in a file or a tree."""

from __future__ import annotations

import base64
import re
import time
import zlib
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Annotated, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from filewright.boundary import Location
from filewright.errors import Code, FilewrightError, invalid
from filewright.search import (
    ContextLine,
    Found,
    Hit,
    LineKind,
    LineKinds,
    Pattern,
    Resume,
    TreeOptions,
    TreeSearch,
    check_mark,
    compile_pattern,
    continuation,
    count_hits,
    excerpt,
    find_matches,
    fuzzy,
    mark_of,
    search_snapshot,
)
from filewright.search import context as context_of
from filewright.structure import enclosing, path_of
from filewright.text import NotebookView, Snapshot
from filewright.tools.context import Context, binary, spare_time
from filewright.tools.cursor import decode, encode
from filewright.tools.listing import globs
from filewright.tools.registry import Arguments, Tool
from filewright.tools.result import Page, ToolResult, optional
from filewright.visible import visible
from filewright.wording import counted

_SYMBOL_SECONDS = 10.0
_SYMBOL_BYTES = 512 << 10  # of one file
_SYMBOLS_BYTES = 4 << 20  # of all files of a page, each at least 64 KB for starting on it
_CURSOR_BYTES = 6 << 10
_PATH_BYTES = 1 << 20
_MATCHED_BYTES = 16 << 10
FEW, _NEAR = 5, 2
"""Up to so many hits have so many lines of context, unless it is said how many."""

_MATCH_LINES = 100
"""Lines of one match that are shown."""

_GAP = "--"

_RESERVE = 400
"""Characters that are kept for the last lines of a page."""

_REGEX = re.compile(r"\.[*+]|\||\\[bBdDsSwW(.]|\[[^]]+\]|^\^|\$$")
"""What is seldom meant literally."""

_LEAST_CHARS = 500
"""What each of several patterns may say."""

_MOST_FILES = 1_000_000
_BODY_LINES = 12
"""A definition up to this is shown whole where its first line is one of few hits."""


class SearchArguments(Arguments):
    """What to find, and where."""

    pattern: str | None = None
    """what to find; see [search](search.md) for the syntax"""
    patterns: Annotated[list[str] | None, Field(min_length=1, max_length=20)] = None
    """several, each with its own hits and count; give one of `pattern` and `patterns`"""
    path: str = "."
    """a file or a folder"""
    glob: str | None = None
    """only files that match"""
    type: Annotated[str | None, Field(description="py, rust")] = None
    """only files of a language, such as `py` or `rust`"""
    mode: Literal["literal", "regex", "fuzzy"] = "literal"
    """how the pattern is read"""
    case: Literal["smart", "sensitive", "insensitive"] = "smart"
    """`"smart"`: insensitive unless the pattern has a capital"""
    whole_word: bool = False
    """only whole words"""
    multiline: bool = False
    """a regex may match across lines"""
    invert: bool = False
    """lines that do not match"""
    without: Annotated[str | None, Field(description="leave out lines with this")] = None
    """leave out the lines with a match of this too, which is read as `pattern` is: `ERROR` without
    `mailbox full`
    """
    context: Annotated[int | None, Field(ge=0, le=50)] = None
    """lines shown around each hit; of up to 5 hits 2, or all of a definition of up to 12 lines; else 0"""
    context_before: Annotated[int | None, Field(ge=0, le=50)] = None
    """the same, above the hit only"""
    context_after: Annotated[int | None, Field(ge=0, le=50)] = None
    """the same, below the hit only"""
    output: Literal["matches", "files", "counts", "kinds"] = "matches"
    """`"kinds"`: lines that are alike but for numbers are counted as one, and the rarest come first"""
    max_results: Annotated[int, Field(ge=1, le=10_000)] = 50
    """hits in one result"""
    min_similarity: Annotated[float, Field(ge=0.3, le=1.0)] = 0.8
    """fuzzy: what is too unlike is not shown"""
    cursor: str | None = None
    include_hidden: SkipJsonSchema[bool] = True
    include_ignored: bool = False
    """also what `.gitignore`, `.ignore` and git's excludes leave out"""
    exclude: SkipJsonSchema[list[str]] = Field(default_factory=list)

    @property
    def text(self) -> str:
        """The one pattern."""
        return self.pattern or ""


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One hit. Lines and columns count from 1; `offset` and `end` are bytes of the file, half open.

    `text` is what is shown of the line, which begins at `text_column` of it and is cut if `truncated`;
    `submatches` are ranges of characters in `text`. `more_lines` are the further lines of a match that has
    several, to `last_line`; then `matched` is all that matched. `symbol` is the definition around it;
    `similarity` is 1.0 unless fuzzy.
    """

    path: str
    line: int
    last_line: int
    column: int
    offset: int
    end: int
    text: str
    text_column: int
    more_lines: tuple[str, ...]
    submatches: tuple[tuple[int, int], ...]
    truncated: bool
    context_before: tuple[str, ...]
    context_after: tuple[str, ...]
    symbol: str | None
    similarity: float
    matched: str | None = optional()


@dataclass(frozen=True, slots=True)
class SearchedFile:
    """A file with matches; `count` is the number of its matching lines, where that was asked for."""

    path: str
    count: int | None = optional()


@dataclass(frozen=True, kw_only=True)
class SearchResult(ToolResult):
    """What a search found: `results` with output "matches", `kinds` with "kinds", else `files`.

    `next_cursor` goes on; without one an incomplete search cannot. `total` counts the matching lines, those not
    shown too; None where they were not counted. `files_searched` is None for one file. Of several patterns
    `searches` has the result of each.
    """

    results: tuple[SearchHit, ...]
    files: tuple[SearchedFile, ...]
    complete: bool
    next_cursor: str | None
    notes: tuple[str, ...]
    files_searched: int | None
    total: int | None = None
    searches: tuple[SearchResult, ...] = optional(())
    kinds: tuple[LineKind, ...] = optional(())

    @property
    def found(self) -> bool:
        """Whether anything was found."""
        return bool(self.results or self.files or self.kinds)


@dataclass(slots=True)
class _Row:
    """A row of the page: a file's name, a gap, or a `line` of it; `beside` one that is shown with few hits only."""

    text: str
    line: int = 0
    beside: bool = False
    is_hit: bool = False
    notes: list[str] = field(default_factory=list)

    @property
    def whole(self) -> str:
        """The row with what is said beside the line."""
        return self.text + "".join(f"   [{note}]" for note in self.notes)


@dataclass
class _Search:
    """One call under way: its rows, what it found, where it stopped; `full` says that a hit did not fit on the page."""

    context: Context
    arguments: SearchArguments
    room: int
    rows: list[_Row] = field(default_factory=list)
    full: bool = False
    used: int = 0
    results: list[SearchHit] = field(default_factory=list)
    files: list[SearchedFile] = field(default_factory=list)
    kinds: LineKinds = field(default_factory=LineKinds)
    notes: list[str] = field(default_factory=list)
    complete: bool = True
    cursor: str | None = None
    searched: int | None = None
    total: int | None = None
    matched: int = 1
    symbol_seconds: float = _SYMBOL_SECONDS
    symbol_bytes: int = _SYMBOLS_BYTES
    outlined: str | None = None

    @property
    def name(self) -> str:
        """The pattern as it is shown."""
        return repr(visible(self.arguments.text))

    @property
    def adaptive(self) -> bool:
        """Whether the number of hits decides how much context is shown."""
        wanted = self.arguments
        return (wanted.context, wanted.context_before, wanted.context_after) == (None, None, None)

    def add(self, rows: Sequence[_Row], *, first: bool = False) -> bool:
        """Add rows if those that are shown in any case fit together, the `first` ones without a look."""
        length = sum(len(row.whole) + 1 for row in rows if not row.beside)
        if not first and self.used + length + _RESERVE > self.room:
            self.full = True
            return False
        self.used += length
        self.rows += rows
        return True

    def stop(self, top: Location, resume: Resume) -> None:
        """The search ends here; the way on is a cursor, if the path is not too long for one."""
        self.complete = False
        below = zlib.compress(b"/".join(resume.location.parts[len(top.parts) :]), 9)
        if len(below) > _CURSOR_BYTES:
            self.notes.append(
                "the place it stopped at lies too deep for a cursor: search a folder further down"
            )
            return
        key = [resume.offset, base64.b85encode(below).decode(), resume.mark]
        self.cursor = encode("search", self.arguments.output, key)


def run(context: Context, arguments: SearchArguments) -> SearchResult:
    """Search a file or a tree, for one pattern or for several.

    Results are in file and line order, fuzzy ones by similarity.
    """
    if (arguments.pattern is None) == (arguments.patterns is None):
        raise invalid(
            "search_content takes either pattern or patterns",
            "give pattern for one text, patterns for several",
            argument="pattern",
        )
    if arguments.patterns is None:
        search = _searched(context, arguments, context.settings.page_chars)
        _keep_context([search])
        return _answer(search)
    if arguments.cursor is not None:
        raise invalid(
            "the cursor belongs to the search of one pattern",
            "give that pattern as pattern, with its cursor",
            argument="cursor",
        )
    each = [arguments.model_copy(update={"pattern": p, "patterns": None}) for p in arguments.patterns]
    _check_patterns(context, each)
    left = context.settings.page_chars
    searches: list[_Search] = []
    for position, wanted in enumerate(each):
        room = max(_LEAST_CHARS, left // (len(each) - position)) - len(wanted.text) - 20
        searches.append(_searched(context, wanted, room))
        left -= searches[-1].used
    _keep_context(searches)
    _share(searches)
    made = [_answer(search) for search in searches]
    texts = []
    nowhere: list[str] = []
    for result, search in zip(made, searches, strict=True):
        if result.complete and not result.found and not _advice(search.arguments, result.files_searched):
            nowhere.append(search.name)
        else:
            texts.append(f"pattern {search.name}:\n{result.text}")
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


def _keep_context(searches: Sequence[_Search]) -> None:
    """Of the lines beside hits keep those that were asked for, and those of few hits, if there is room."""
    few = sum(len(search.results) for search in searches) <= FEW
    for search in searches:
        size = sum(len(row.whole) + 1 for row in search.rows)
        if search.adaptive and not (few and not search.full and size + _RESERVE <= search.room):
            search.rows = [row for row in search.rows if not row.beside]
            search.results = [replace(hit, context_before=(), context_after=()) for hit in search.results]


def _share(searches: Sequence[_Search]) -> None:
    """Show each line once, where it is met first; a hit is marked there with the other patterns that find it."""
    hits: dict[tuple[str, str], _Row] = {}
    lines: set[tuple[str, int]] = set()
    for search in searches:
        kept: list[_Row] = []
        heading = gap = None
        path, above = "", 0
        for row in search.rows:
            if not row.line:
                if row.text == _GAP:
                    gap = row
                else:
                    heading, gap, path = row, None, row.text
                continue
            first = hits.get((path, row.text)) if row.is_hit else None
            if first is not None:
                first.notes.append(f"also {search.name}")
                above += 1
            elif row.is_hit or (path, row.line) not in lines:
                # A name or a gap goes before the first line that is still there.
                kept += [each for each in ((heading,) if heading else (gap,)) if each is not None]
                kept.append(row)
                heading = gap = None
                lines.add((path, row.line))
                if row.is_hit:
                    hits[path, row.text] = row
        if search.results:
            search.rows = kept
        if above:
            search.notes.append(f"{counted(above, 'line')} shown above")


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
        raise FilewrightError(wrong[0].code, message, "; ".join(hints) or None, details=wrong[0].details)


def _compiled(context: Context, arguments: SearchArguments) -> Pattern:
    mode: Literal["literal", "regex"] = "regex" if arguments.mode == "regex" else "literal"
    most, case = context.settings.max_pattern_chars, arguments.case
    pattern = compile_pattern(
        arguments.text,
        mode=mode,
        case=case,
        whole_word=arguments.whole_word,
        multiline=arguments.multiline,
        max_chars=most,
    )
    if arguments.output == "kinds" and (arguments.invert or arguments.cursor or pattern.multiline):
        raise invalid(
            "output=kinds compares the single lines that match, all of them",
            "leave out invert, multiline and cursor; without leaves out lines",
            argument="output",
        )
    if arguments.without is None:
        return pattern
    if pattern.multiline:
        raise invalid(
            "without leaves out lines, and the matches of this pattern may have several",
            "look for one line of it, or leave out without",
            argument="without",
        )
    if arguments.invert:
        raise invalid(
            "without leaves lines out of those that match, and invert asks for those that do not",
            "leave out invert, or look for both with mode=regex: pattern A|B, invert",
            argument="without",
        )
    return replace(pattern, without=compile_pattern(arguments.without, mode=mode, case=case, max_chars=most))


def _searched(context: Context, arguments: SearchArguments, room: int) -> _Search:
    """The search for one pattern, on a page of `room` characters."""
    location = context.boundary.locate(arguments.path)
    search = _Search(context, arguments, room)
    is_folder = _is_folder(context, location)
    if arguments.mode == "fuzzy":
        _fuzzy(search, location, is_folder=is_folder)
        return search
    pattern = _compiled(context, arguments)
    resume = _resume(location, arguments)
    try:
        (_tree if is_folder else _file)(search, location, pattern, resume)
    except FilewrightError as error:
        if error.code != Code.TIMEOUT or not (search.results or search.files or search.kinds):
            raise
        search.complete = False
        search.notes.append(f"{error.message}; a narrower path or glob finds the rest")
    return search


def _is_folder(context: Context, location: Location) -> bool:
    """Whether the path leads to a folder, also through a link; other errors are raised when it is opened."""
    kind = context.boundary.stat(location).kind
    if kind != "link":
        return kind == "folder"
    try:
        context.boundary.open_folder(location).close()
    except FilewrightError as error:
        if error.code != Code.NOT_A_DIRECTORY:
            raise
        return False
    return True


def _resume(top: Location, arguments: SearchArguments) -> Resume | None:
    """The place that the cursor names. Raises `invalid_input` if it is none of ours."""
    if arguments.cursor is None:
        return None
    match decode(arguments.cursor, "search"):
        case [arguments.output, [int(offset), str(below), str(mark)]]:
            with suppress(ValueError, zlib.error):
                path = zlib.decompressobj().decompress(base64.b85decode(below), _PATH_BYTES)
                parts = path.split(b"/") if path else []
                return Resume(reduce(Location.child, parts, top), max(0, offset), mark)
    raise invalid(
        "the cursor belongs to another search",
        "call again with the arguments of the call that gave it",
        argument="cursor",
    )


def _take(search: _Search, pattern: Pattern, snapshot: Snapshot, found: Found) -> int | None:
    """Note what was found in one file; the offset of the first hit that did not fit on the page."""
    output = search.arguments.output
    if output == "matches":
        return _show(search, snapshot, found)
    if output == "kinds":
        search.kinds.add_all(snapshot, find_matches(snapshot, pattern, once=True, task=search.context.task))
        return None
    return None if _add_count(search, snapshot, found.count) else 0


def _file(search: _Search, location: Location, pattern: Pattern, resume: Resume | None) -> None:
    arguments, task, invert = search.arguments, search.context.task, search.arguments.invert
    with search.context.open_page(location, task, headings=False) as snapshot:
        if snapshot.binary is not None:
            raise binary(location, snapshot.binary, snapshot.size)
        found = Found((), complete=True)
        if arguments.output == "counts":
            found = replace(found, count=count_hits(snapshot, pattern, invert=invert, task=task))
        elif arguments.output != "kinds":
            if resume is not None:
                check_mark(snapshot, resume)
            limit = 1 if arguments.output == "files" else arguments.max_results
            start = resume.offset if resume is not None else None
            found = search_snapshot(snapshot, pattern, limit=limit, start=start, invert=invert, task=task)
            if not found.hits:
                return
        stopped = _take(search, pattern, snapshot, found)
        if stopped is None and arguments.output == "matches" and not found.complete:
            stopped = found.stopped_at
        if stopped is not None:
            search.stop(location, Resume(location, stopped, mark_of(snapshot, stopped)))
            with spare_time(task) as spare:
                search.total = count_hits(snapshot, pattern, invert=invert, task=spare)


def _tree_options(arguments: SearchArguments) -> TreeOptions:
    kinds = arguments.output == "kinds"
    return TreeOptions(
        limit=_MOST_FILES if kinds else arguments.max_results,
        output="files" if arguments.output == "kinds" else arguments.output,
        glob=globs(arguments.glob, arguments.exclude),
        kind=arguments.type,
        invert=arguments.invert,
        include_hidden=arguments.include_hidden,
        include_ignored=arguments.include_ignored,
    )


def _tree(search: _Search, location: Location, pattern: Pattern, resume: Resume | None) -> None:
    options, task, tree = _tree_options(search.arguments), search.context.task, search.context.searcher.tree
    found = tree(location, pattern, options, resume=resume, task=task)
    for snapshot, hits in found:
        stopped = _take(search, pattern, snapshot, hits)
        if stopped is not None:
            at = snapshot.location or location
            search.stop(location, Resume(at, stopped, mark_of(snapshot, stopped)))
            break
    else:
        search.complete = found.complete
        if found.resume is not None:
            search.stop(location, found.resume)
    if not search.complete and search.arguments.output in ("matches", "counts") and resume is None:
        with spare_time(task) as spare:
            options = replace(options, output="counts", limit=_MOST_FILES)
            counts = tree(location, pattern, options, task=spare)
            for _ in counts:
                pass
            if counts.complete:
                found, search.total, search.matched = counts, counts.count, counts.matched
    search.searched = found.searched
    if search.complete or search.total is not None:
        search.notes.append(f"{counted(found.searched, 'file')} searched")
    search.notes += skipped(found)


def skipped(found: TreeSearch) -> list[str]:
    """What a search of a tree left out, for its last line."""
    kinds = {"ignored name": found.ignored, "binary file": found.binary}
    notes = [f"{counted(count, kind)} skipped" for kind, count in kinds.items() if count]
    notes += [f"{found.unreadable} could not be read"] if found.unreadable else []
    return notes or ["none skipped"]


def _fuzzy(search: _Search, location: Location, *, is_folder: bool) -> None:
    arguments, context, task = search.arguments, search.context, search.context.task
    for name in ("invert", "multiline", "whole_word", "without"):
        if getattr(arguments, name):
            hint = f"leave out {name}, or use mode=literal or mode=regex"
            raise invalid(f"{name} has no meaning in a fuzzy search", hint, argument=name)
    if arguments.output == "kinds":
        message = "output=kinds has no meaning in a fuzzy search"
        raise invalid(message, "use mode=literal or mode=regex", argument="output")
    if arguments.cursor is not None:
        hint = "raise max_results, or raise min_similarity"
        raise invalid("a fuzzy search has no cursor", hint, argument="cursor")
    least = arguments.min_similarity
    with ExitStack() as stack:
        ranked: list[tuple[Hit, Snapshot]] = []
        if is_folder:
            nearest = context.searcher.similar(
                location,
                arguments.text,
                _tree_options(arguments),
                min_similarity=least,
                seconds=context.settings.fuzzy_seconds,
                task=task,
            )
            search.complete = nearest.complete
            search.notes += [] if nearest.complete else [visible(nearest.reason)]
            search.notes.append(f"{counted(nearest.searched, 'file')} searched")
            for best in nearest.hits:
                with suppress(FilewrightError):  # it went away since
                    ranked.append((best.hit, stack.enter_context(context.open_text(best.location))))
        else:
            snapshot = stack.enter_context(context.open_text(location))
            most = arguments.max_results
            found = fuzzy(snapshot, arguments.text, min_similarity=least, limit=most, task=task)
            ranked = [(hit, snapshot) for hit in found.hits]
            if found.tied > 1:
                search.notes.append(f"{found.tied} places are equally similar")
            if found.runner_up is not None:
                search.notes.append(f"the next best is at similarity {found.runner_up:.2f}")
            search.complete = found.complete
            search.notes += [] if found.complete else [found.reason]
        _show_ranked(search, ranked)


def _show_ranked(search: _Search, ranked: Sequence[tuple[Hit, Snapshot]]) -> None:
    """Show hits in the order of their similarity, each under its file."""
    if search.arguments.output != "matches":
        counts = Counter(snapshot.location for _, snapshot in ranked)
        for at, snapshot in {snapshot.location: snapshot for _, snapshot in ranked}.items():
            _add_count(search, snapshot, counts[at])
        return
    for position, (hit, snapshot) in enumerate(ranked):
        if _show(search, snapshot, Found((hit,), complete=True, count=1)) is not None:
            search.complete = False
            search.notes.append(f"{len(ranked) - position} less similar left out")
            break


def _add_count(search: _Search, snapshot: Snapshot, count: int) -> bool:
    """Add a file's row; False if the page is full."""
    assert snapshot.location is not None
    shown, counts = snapshot.location.shown, search.arguments.output == "counts"
    if not search.add([_Row(visible(shown) + (f": {count}" if counts else ""))]):
        return False
    search.files.append(SearchedFile(shown, count if counts else None))
    return True


def _show(search: _Search, snapshot: Snapshot, found: Found) -> int | None:
    """Show the hits of one file with what is around them; the offset of the first that did not fit."""
    arguments, task, width = search.arguments, search.context.task, search.context.settings.match_chars
    assert snapshot.location is not None
    shown = snapshot.location.shown
    sides = (arguments.context_before, arguments.context_after)
    before, after = (arguments.context or 0 if side is None else side for side in sides)
    beside = search.adaptive
    shown_to = matched_to = 0
    named = ""
    for position, hit in enumerate(found.hits):
        task.check()
        symbol, outside, body = _symbol(search, snapshot, hit)
        if beside:
            before, after = (_NEAR, max(_NEAR, body)) if len(search.results) < FEW else (0, 0)
        above, below = context_of(snapshot, hit, before, after, width, task=task)
        more, further = continuation(snapshot, hit, _MATCH_LINES, width, task=task)
        last = hit.line + further
        piece = excerpt(snapshot, hit, width)
        is_cut = piece.cut_before or piece.cut_after
        rows = [_Row(visible(shown))] if not position else []
        fresh = [line for line in above if line.line > shown_to]
        if position and (above or before or after) and (fresh[0].line if fresh else hit.line) > shown_to + 1:
            rows.append(_Row(_GAP, beside=beside))
        rows += [_row(line, "-", beside) for line in fresh]
        if hit.line > matched_to or is_cut:  # else it is the last line of the match before, and is there
            place = f"{hit.line}:{hit.column}" if is_cut else f"{hit.line}"
            text = f"{place}: {'…' * piece.cut_before}{visible(piece.text)}{'…' * piece.cut_after}"
            notes = [visible(outside)] if outside and outside != named else []
            if arguments.mode == "fuzzy":
                notes.append(f"similarity {hit.score:.2f}")
            rows.append(_Row(text, hit.line, is_hit=True, notes=notes))
        rows += [_row(line, ":") for line in more if line.line > matched_to]
        if further > len(more):
            rows.append(_Row(f"[{further - len(more):,} more lines of this match, to line {last}]", last))
        following = found.hits[position + 1].line if position + 1 < len(found.hits) else snapshot.size
        tail = [line for line in below if line.line < following]
        rows += [_row(line, "-", beside) for line in tail]
        if not search.add(rows, first=not (search.results or position)):
            return hit.offset
        named = symbol
        matched_to = last if arguments.multiline or further else 0
        shown_to = last + len(tail)
        search.results.append(
            SearchHit(
                path=shown,
                line=hit.line,
                last_line=last,
                column=hit.column,
                offset=hit.offset,
                end=hit.end,
                text=piece.text,
                text_column=piece.column,
                more_lines=tuple(line.text for line in more),
                submatches=tuple(piece.ranges),
                truncated=is_cut,
                context_before=tuple(line.text for line in above),
                context_after=tuple(line.text for line in below),
                symbol=symbol or None,
                similarity=round(hit.score, 4),
                matched=_matched(snapshot, hit) if further else None,
            )
        )
    if found.hits and not isinstance(snapshot, NotebookView):
        low, high = found.hits[0].line_offset, min(snapshot.size, found.hits[-1].end + 4096)
        search.context.remember(snapshot, (low, high))
    return None


def _row(line: ContextLine, mark: str, beside: bool = False) -> _Row:
    return _Row(f"{line.line}{mark} {visible(line.text)}{'…' * line.cut}", line.line, beside)


def _matched(snapshot: Snapshot, hit: Hit) -> str:
    """The text of a match of several lines, its beginning where it is long."""
    found = snapshot.read(hit.offset, min(hit.end - hit.offset, _MATCHED_BYTES))
    return found.decode(snapshot.encoding.name, "ignore" if len(found) == _MATCHED_BYTES else "replace")


def _symbol(search: _Search, snapshot: Snapshot, hit: Hit) -> tuple[str, str, int]:
    """The definition around a match, also less the one its line begins, and how many more lines a short one has.

    As long as there is work to spend on it: the work is counted in bytes parsed, so that the same search answers
    the same under load; the clock only stops what is slower than anything that was measured.
    """
    if isinstance(snapshot, NotebookView):
        place = snapshot.place(hit.offset)
        return place, place, 0
    if snapshot.asked != search.outlined:
        cost = max(snapshot.size, _SYMBOL_BYTES // 8)
        if cost > search.symbol_bytes or snapshot.size > _SYMBOL_BYTES:
            return "", "", 0
        search.symbol_bytes -= cost
        search.outlined = snapshot.asked
    if search.symbol_seconds <= 0:
        return "", "", 0
    begun = time.monotonic()
    try:
        outline = search.context.outlines.outline(snapshot, task=search.context.task)
        inside, outside = path_of(outline, hit.line), path_of(outline, hit.line, outside=True)
        more = enclosing(snapshot, hit.line, outline).end_line - hit.line if inside != outside else 0
        return inside, outside, more if more < _BODY_LINES else 0
    finally:
        search.symbol_seconds -= time.monotonic() - begun


def _answer(search: _Search) -> SearchResult:
    """The page with its last lines: how many were found and shown, whether that is all, what was skipped."""
    arguments, notes, results = search.arguments, search.notes, search.results
    page = Page(search.room)
    page.add(*(row.whole for row in search.rows))
    kinds = _add_kinds(search, page) if arguments.output == "kinds" else ()
    found = len(results) or len(search.files) or len(search.kinds)
    if not found:
        page.add("no match" if search.complete else "no match so far")
        if advice := _advice(arguments, search.searched if search.complete else None):
            notes.append(advice)
    elif search.complete and arguments.cursor is None and arguments.mode != "fuzzy" and not kinds:
        notes.insert(0, _found(search))
    if search.cursor is not None:
        of = ""
        if search.total is not None:
            files = counted(search.matched, "file")
            of = f" of {search.total:,} in {files}"
            if arguments.output == "counts":
                of = f" of {files} with {counted(search.total, _unit(arguments))} in all"
        page.add(f"[{found}{of} shown, the search is not complete: go on with cursor={search.cursor}]")
    elif not search.complete:
        page.add("[the search is not complete]")
    if notes:
        page.add(f"[{'; '.join(notes)}]")
    return SearchResult(
        page.text(),
        results=tuple(results),
        files=tuple(search.files),
        complete=search.complete,
        next_cursor=search.cursor,
        notes=tuple(notes),
        files_searched=search.searched,
        total=search.total,
        kinds=kinds,
    )


def _add_kinds(search: _Search, page: Page) -> tuple[LineKind, ...]:
    """Show the kinds of the lines that were found, the rarest first."""
    kinds, several = search.kinds, search.searched is not None
    ranked = kinds.ranked(rarest_first=True)
    chosen = ranked[: search.arguments.max_results]
    rows = (kind_row(kind, path=several, alone=True) for kind in chosen)
    left = page.extend(rows, reserve=_RESERVE) + len(ranked) - len(chosen)
    if ranked:
        more = f"; {left:,} more frequent not shown" if left else ""
        more += f"; {kinds.others:,} lines of other kinds" if kinds.others else ""
        lines = counted(kinds.lines, "matching line")
        search.notes.insert(0, f"{counted(len(ranked), 'kind')} of {lines}{more}")
    return tuple(ranked[: len(ranked) - left])


def kind_row(kind: LineKind, *, path: bool, most: int | None = None, alone: bool = False) -> str:
    """A line that stands for others: how many there are, the place of the first, and its text."""
    count = "" if alone and kind.count == 1 else f"{kind.count:,} like "
    return f"{count}{f'{visible(kind.path)}:' if path else ''}{kind.line}: {visible(kind.text[:most])}"


def _advice(arguments: SearchArguments, searched: int | None) -> str:
    """What to try after a search that found nothing in `searched` files (None: in one, or not in all)."""
    if searched == 0:
        return "list_files shows which files are there, and what a glob fits"
    if arguments.mode == "literal" and _REGEX.search(arguments.text):
        return "looked for literally; with mode=regex it would be a pattern"
    return ""


def _found(search: _Search) -> str:
    """How much a complete search found: `5 matching lines in 2 files`."""
    files = len(search.files)
    if search.arguments.output == "files":
        return f"in {counted(files, 'file')}"
    if search.arguments.output == "counts":
        search.total = sum(file.count or 0 for file in search.files)
    else:
        search.total, files = len(search.results), len({hit.path for hit in search.results})
    return f"{counted(search.total, _unit(search.arguments))} in {counted(files, 'file')}, all shown"


def _unit(arguments: SearchArguments) -> str:
    return "match" if arguments.multiline else "matching line"


TOOL = Tool(
    "search_content",
    "Search in files",
    "Find text (literal), a regex (RE2) or similar text (fuzzy) in a file of any size or a tree, without what "
    ".gitignore leaves out. output=kinds counts lines alike but for numbers, the rarest first.",
    SearchArguments,
    run,
    "read",
)
