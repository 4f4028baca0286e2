"""A search under way: its arguments, its page, and how hits are shown on it."""

from __future__ import annotations

import base64
import time
import zlib
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Annotated, Any, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from filewright.boundary import Location
from filewright.progress import Task
from filewright.search import Found, Hit, LineKind, LineKinds, Resume, TreeSearch, continuation, excerpt
from filewright.search import context as context_of
from filewright.structure import path_of
from filewright.text import NotebookView, Snapshot
from filewright.tools.context import Context
from filewright.tools.cursor import encode
from filewright.tools.registry import Arguments
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
    type: Annotated[str | None, Field(description="language or extension: py, rust")] = None
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
    context: Annotated[int | None, Field(ge=0, le=50, description="default: 2, many hits 0")] = None
    """lines shown around each hit; 2 for up to 5 hits, else 0"""
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


@dataclass
class Search:
    """One call under way: its page, what it found, where it stopped."""

    context: Context
    arguments: SearchArguments
    task: Task
    page: Page
    results: list[SearchHit] = field(default_factory=list)
    files: list[SearchedFile] = field(default_factory=list)
    complete: bool = True
    cursor: str | None = None
    kinds: LineKinds = field(default_factory=LineKinds)
    notes: list[str] = field(default_factory=list)
    searched: int | None = None
    symbol_seconds: float = _SYMBOL_SECONDS
    symbol_bytes: int = _SYMBOLS_BYTES
    outlined: str | None = None
    context_lines: tuple[int, int] = (0, 0)
    total: int | None = None
    matched: int = 1
    wide: Search | None = None
    """The same with two lines of context: what is shown if there are few hits."""

    @classmethod
    def of(cls, context: Context, arguments: SearchArguments, task: Task, room: int) -> Search:
        """A search that may fill `room` characters."""
        given = (arguments.context, arguments.context_before, arguments.context_after)
        before, after = (arguments.context or 0 if side is None else side for side in given[1:])
        search = cls(context, arguments, task, Page(room), context_lines=(before, after))
        if given == (None, None, None):
            search.wide = replace(search, page=Page(room), results=[], context_lines=(_NEAR, _NEAR))
        return search


def cursor_at(search: Search, top: Location, resume: Resume) -> str | None:
    """The cursor of a place below `top`; None, with a note, where its path is too long for one."""
    below = zlib.compress(b"/".join(resume.location.parts[len(top.parts) :]), 9)
    if len(below) > _CURSOR_BYTES:
        search.notes.append(
            "the place it stopped at lies too deep for a cursor: search a folder further down"
        )
        return None
    key = [resume.offset, base64.b85encode(below).decode(), resume.mark]
    return encode("search", search.arguments.output, key)


def resume_at(key: list[Any], top: Location) -> Resume | None:
    """The place that the key of a cursor names; None if it is none of ours."""
    match key:
        case [int(offset), str(below), str(mark)]:
            try:
                path = zlib.decompressobj().decompress(base64.b85decode(below), _PATH_BYTES)
            except (ValueError, zlib.error):
                return None
            parts = path.split(b"/") if path else []
            return Resume(reduce(Location.child, parts, top), max(0, offset), mark)
    return None


def add_count(search: Search, location: Location, count: int | None) -> bool:
    """Add a file's row; False if the page is full."""
    row = visible(location.shown) + (f": {count}" if count is not None else "")
    if not search.page.fits(row, reserve=400):
        return False
    search.page.add(row)
    search.files.append(SearchedFile(location.shown, count))
    return True


def add_kinds(search: Search) -> tuple[LineKind, ...]:
    """Show the kinds of the lines that were found, the rarest first."""
    arguments, page, kinds = search.arguments, search.page, search.kinds
    several = search.searched is not None
    shown: list[LineKind] = []
    ranked = kinds.ranked(rarest_first=True)
    for kind in ranked[: arguments.max_results]:
        place = f"{visible(kind.path)}:{kind.line}" if several else f"{kind.line}"
        row = f"{f'{kind.count:,} like ' if kind.count > 1 else ''}{place}: {visible(kind.text)}"
        if not page.fits(row, reserve=400):
            break
        page.add(row)
        shown.append(kind)
    left = len(ranked) - len(shown)
    more = f"; {left:,} more frequent not shown" if left else ""
    more += f"; {kinds.others:,} lines of other kinds" if kinds.others else ""
    if ranked:
        search.notes.insert(
            0, f"{counted(len(ranked), 'kind')} of {counted(kinds.lines, 'matching line')}{more}"
        )
    return tuple(shown)


def skipped(found: TreeSearch) -> list[str]:
    """What a search of a tree left out, for its last line."""
    kinds = {"ignored name": found.ignored, "binary file": found.binary}
    notes = [f"{counted(count, kind)} skipped" for kind, count in kinds.items() if count]
    notes += [f"{found.unreadable} could not be read"] if found.unreadable else []
    return notes or ["none skipped"]


def show_hits(search: Search, snapshot: Snapshot, found: Found) -> int | None:
    """Show the hits of one file; the offset of the first that did not fit. Few have context, if none was asked for."""
    stopped = add_hits(search, snapshot, found)
    if search.wide is not None:
        few = len(search.results) <= FEW and stopped is None
        if not few or add_hits(search.wide, snapshot, found) is not None:
            search.wide = None
    return stopped


def add_hits(search: Search, snapshot: Snapshot, found: Found) -> int | None:
    """Show the hits of one file, in groups with their context; the offset of the first that did not fit."""
    arguments = search.arguments
    before, after = search.context_lines
    width = search.context.settings.match_chars
    assert snapshot.location is not None
    header = visible(snapshot.location.shown)
    rows: dict[int, str] = {}
    shown_to = matched_to = 0
    named = ""
    for position, hit in enumerate(found.hits):
        search.task.check()
        above, below = context_of(snapshot, hit, before, after, width, task=search.task)
        more, further = continuation(snapshot, hit, _MATCH_LINES, width, task=search.task)
        last = hit.line + further
        piece = excerpt(snapshot, hit, width)
        symbol, outside = _symbol(search, snapshot, hit)
        start = "…" if piece.cut_before else ""
        end = "…" if piece.cut_after else ""
        place = f"{hit.line}:{hit.column}" if piece.cut_before or piece.cut_after else f"{hit.line}"
        line = f"{place}: {start}{visible(piece.text)}{end}"
        if outside and outside != named:
            line += f"   [{visible(outside)}]"
        named = symbol
        if arguments.mode == "fuzzy":
            line += f"   [similarity {hit.score:.2f}]"
        block = [f"{c.line}- {visible(c.text)}{'…' if c.cut else ''}" for c in above if c.line > shown_to]
        gap = (
            bool(rows)
            and bool(above or before or after)
            and (above[0].line if above else hit.line) > shown_to + 1
        )
        block = (["--"] if gap else []) + block
        if hit.line > matched_to or piece.cut_before or piece.cut_after:
            block.append(line)  # else it is the last line of the match before, and is there
        block += [f"{m.line}: {visible(m.text)}{'…' if m.cut else ''}" for m in more if m.line > matched_to]
        if further > len(more):
            block.append(f"[{further - len(more):,} more lines of this match, to line {last}]")
        tail = [f"{c.line}- {visible(c.text)}{'…' if c.cut else ''}" for c in below]
        following = found.hits[position + 1].line if position + 1 < len(found.hits) else None
        if following is not None:
            tail = tail[: max(0, following - last - 1)]
        needed = block + tail if position else [header, *block, *tail]
        if not search.page.fits(*needed, reserve=400) and (search.results or position):
            return hit.offset
        search.page.add(*needed)
        rows[hit.line] = line
        matched_to = last if arguments.multiline or further else 0
        shown_to = last + len(tail)
        search.results.append(
            SearchHit(
                path=snapshot.location.shown,
                line=hit.line,
                last_line=last,
                column=hit.column,
                offset=hit.offset,
                end=hit.end,
                text=piece.text,
                text_column=piece.column,
                more_lines=tuple(m.text for m in more),
                submatches=tuple(piece.ranges),
                truncated=piece.cut_before or piece.cut_after,
                context_before=tuple(c.text for c in above),
                context_after=tuple(c.text for c in below),
                symbol=symbol or None,
                similarity=round(hit.score, 4),
                matched=_matched(snapshot, hit) if further else None,
            )
        )
    if found.hits and not isinstance(snapshot, NotebookView):
        low, high = found.hits[0].line_offset, min(snapshot.size, found.hits[-1].end + 4096)
        search.context.remember(snapshot, (low, high))
    return None


def _matched(snapshot: Snapshot, hit: Hit) -> str:
    """The text of a match of several lines, its beginning where it is long."""
    found = snapshot.read(hit.offset, min(hit.end - hit.offset, _MATCHED_BYTES))
    return found.decode(snapshot.encoding.name, "ignore" if len(found) == _MATCHED_BYTES else "replace")


def _symbol(search: Search, snapshot: Snapshot, hit: Hit) -> tuple[str, str]:
    """The definition around a match, also less the one its line begins, as long as there is work to spend on it.

    The work is counted in bytes parsed, so that the same search answers the same under load; the clock only
    stops what is slower than anything that was measured.
    """
    if isinstance(snapshot, NotebookView):
        place = snapshot.place(hit.offset)
        return place, place
    if snapshot.asked != search.outlined:
        if max(snapshot.size, _SYMBOL_BYTES // 8) > search.symbol_bytes or snapshot.size > _SYMBOL_BYTES:
            return "", ""
        search.symbol_bytes -= max(snapshot.size, _SYMBOL_BYTES // 8)
        search.outlined = snapshot.asked
    if search.symbol_seconds <= 0:
        return "", ""
    begun = time.monotonic()
    try:
        outline = search.context.outlines.outline(snapshot, task=search.task)
        return path_of(outline, hit.line), path_of(outline, hit.line, outside=True)
    finally:
        search.symbol_seconds -= time.monotonic() - begun
