"""The tool `grep`: files, lines or counts, page by page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from filewright.dialects.agent_tools.rows import (
    bytes_for_rows,
    fit_rows,
    row_bytes,
)
from filewright.dialects.arguments import LenientArguments
from filewright.dialects.call import Call
from filewright.errors import Code, FilewrightError
from filewright.search.pattern import compile_pattern
from filewright.tools.search.result import SearchHit, SearchResult
from filewright.wording import escape_controls

_MAX_HITS_PER_SEARCH = 2_000
"""Hits of one native page; the dialect reads page after page until its own is full."""

_MAX_FILES = 20_000
"""Files after which a search for files ends, though more may match."""

_GROUP_MARK = "--"
_STOPPED_EARLY = (
    "[... search incomplete: it stopped early; narrow the pattern, path, or "
    "glob for complete results ...]"
)

Output = Literal["matches", "files", "counts"]


class Grep(LenientArguments):
    """Arguments of `grep`."""

    path: Annotated[str, Field(description="File or folder.")] = "."
    pattern: Annotated[
        str, Field(min_length=1, description="A regular expression.")
    ]
    glob: Annotated[
        str | None, Field(description="Only files that match, such as *.py.")
    ] = None
    output_mode: Literal["files_with_matches", "content", "count"] = (
        "files_with_matches"
    )
    ignore_case: bool = False
    context: Annotated[
        int, Field(ge=0, le=50, description="Lines around each match.")
    ] = 0
    before_context: Annotated[int | None, Field(ge=0, le=50)] = None
    after_context: Annotated[int | None, Field(ge=0, le=50)] = None
    head_limit: Annotated[
        int | None, Field(ge=0, description="Results at most; 0: all.")
    ] = None
    offset: Annotated[int, Field(ge=0, description="Results to pass over.")] = 0
    multiline: bool = False

    @property
    def end(self) -> int | None:
        """The number of the result after the requested page."""
        return self.offset + self.head_limit if self.head_limit else None

    @property
    def has_context(self) -> bool:
        """True if lines around a match are wanted."""
        return bool(self.context or self.before_context or self.after_context)


@dataclass(frozen=True, slots=True)
class GrepPage:
    """The rows of a page, the number of results on it, and the number of all results.

    `is_complete` is False if the search stopped early: there may be more than `total`.
    """

    rows: Sequence[str]
    result_count: int
    total: int
    is_complete: bool


def grep(call: Call, arguments: Grep) -> str:
    """Search, and return the requested page of results, sorted by path and line."""
    try:
        if arguments.output_mode == "content":
            page = find_lines(call, arguments)
        else:
            page = find_files(call, arguments)
    except FilewrightError as error:
        if error.code == Code.IS_BINARY:
            return "(no matches)"
        raise
    return render_page(page, arguments)


def find_lines(call: Call, arguments: Grep) -> GrepPage:
    """Return the matching lines of a page with their context."""
    limit = bytes_for_rows(call)
    hits: list[SearchHit] = []
    block = HitRows((), 0)
    total = 0
    is_complete = True
    for result in search_pages(call, arguments, "matches"):
        total = total or result.total or 0
        hits += matching_hits(result, arguments)
        page_hits = hits[arguments.offset : arguments.end]
        block = render_hits(page_hits, limit, has_groups=arguments.has_context)
        # If the lines are counted, those that are not shown need not be found.
        is_complete = result.complete or (
            result.next_cursor is not None and total > 0
        )
        is_full = block.hit_count < len(page_hits)
        has_page = arguments.end is not None and len(hits) >= arguments.end
        if is_full or (has_page and total > 0 and not arguments.multiline):
            break
    if arguments.multiline and is_complete:
        # The native total counts lines, and a match may have several.
        total = len(hits)
    return GrepPage(
        block.rows, block.hit_count, max(total, len(hits)), is_complete
    )


def find_files(call: Call, arguments: Grep) -> GrepPage:
    """Return the files of a page, with counts of lines in the mode `count`."""
    output: Output = "files"
    if arguments.multiline:
        # A match of no text is no hit here, and only the native hits tell their extent.
        output = "matches"
    elif arguments.output_mode == "count":
        output = "counts"
    matched_lines: set[tuple[str, int]] = set()
    counts: dict[str, int] = {}
    is_complete = True
    for result in search_pages(call, arguments, output):
        is_complete = result.complete
        for hit in matching_hits(result, arguments):
            matched_lines.add((hit.path, hit.line))
        for file in result.files:
            counts[file.path] = counts.get(file.path, 0) + (file.count or 1)
        if len(counts) >= _MAX_FILES:
            break
    for path, _ in sorted(matched_lines):
        counts[path] = counts.get(path, 0) + 1
    rows = []
    for path, count in counts.items():
        row = escape_controls(path)
        if arguments.output_mode == "count":
            row += f":{count}"
        rows.append(row)
    page_rows = rows[arguments.offset : arguments.end]
    page_rows = fit_rows(page_rows, bytes_for_rows(call))
    return GrepPage(page_rows, len(page_rows), len(rows), is_complete)


def search_pages(
    call: Call, arguments: Grep, output: Output
) -> Iterator[SearchResult]:
    """Yield the pages of the native search until the last one."""
    pattern = arguments.pattern
    if arguments.multiline:
        pattern = dot_matches_all(call, pattern)
    cursor = None
    while True:
        result = call.search(
            pattern,
            arguments.path,
            mode="regex",
            case="insensitive" if arguments.ignore_case else "sensitive",
            multiline=arguments.multiline,
            glob=arguments.glob,
            context=arguments.context,
            context_before=arguments.before_context,
            context_after=arguments.after_context,
            output=output,
            max_results=_MAX_HITS_PER_SEARCH,
            cursor=cursor,
        )
        yield result
        cursor = result.next_cursor
        if cursor is None:
            return


def dot_matches_all(call: Call, pattern: str) -> str:
    """Return a pattern of several lines, in which a dot matches line ends, too."""
    # A malformed pattern is refused as the caller wrote it: the position of its mistake
    # would be another one behind the flag.
    compile_pattern(
        pattern,
        mode="regex",
        multiline=True,
        max_chars=call.settings.max_pattern_chars,
    )
    return f"(?s){pattern}"


def matching_hits(result: SearchResult, arguments: Grep) -> list[SearchHit]:
    """Return the hits; a pattern over several lines may match no text, which is no hit."""
    hits = []
    for hit in result.results:
        if hit.end > hit.offset or not arguments.multiline:
            hits.append(hit)
    return hits


@dataclass(frozen=True, slots=True)
class HitRows:
    """The rows of hits, and how many hits they show."""

    rows: Sequence[str]
    hit_count: int


def render_hits(
    hits: Sequence[SearchHit], limit: int, *, has_groups: bool
) -> HitRows:
    """Return the hits that fit in `limit` bytes with their context, each line once.

    With `has_groups` there is a mark between lines that do not follow each other.
    """
    rows: dict[tuple[str, int], str] = {}
    used = 0
    hit_count = 0
    for hit in hits:
        block = rows_of_hit(hit)
        for key, row in block.items():
            if key not in rows:
                used += row_bytes(row)
        if has_groups:
            used += row_bytes(_GROUP_MARK)
        if used > limit:
            if not rows:
                # The first hit is shown in any case, if only in part.
                return HitRows(fit_rows(list(block.values()), limit), 1)
            break
        for key, row in block.items():
            # A line that matches takes the place of the same line as context.
            if key not in rows or is_match(hit, key[1]):
                rows[key] = row
        hit_count += 1
    if not has_groups:
        return HitRows(list(rows.values()), hit_count)
    return HitRows(mark_groups(rows), hit_count)


def mark_groups(rows: Mapping[tuple[str, int], str]) -> list[str]:
    """Return rows with a mark between those that do not follow each other."""
    lines: list[str] = []
    for (path, number), row in rows.items():
        if lines and (path, number - 1) not in rows:
            lines.append(_GROUP_MARK)
        lines.append(row)
    return lines


def rows_of_hit(hit: SearchHit) -> dict[tuple[str, int], str]:
    """Return the rows of a hit by path and line: `path:1:text`, context `path-2-text`."""
    text = hit.text
    if hit.text_column > 1:
        text = f"…{text}"
    if hit.truncated:
        text += "…"
    first_line = hit.line - len(hit.context_before)
    numbered_lines = [
        *enumerate([*hit.context_before, text, *hit.more_lines], first_line),
        *enumerate(hit.context_after, hit.last_line + 1),
    ]
    rows = {}
    for number, line in numbered_lines:
        mark = ":" if is_match(hit, number) else "-"
        rows[hit.path, number] = escape_controls(
            f"{hit.path}{mark}{number}{mark}{line}"
        )
    return rows


def is_match(hit: SearchHit, number: int) -> bool:
    """Return True if a line belongs to the match of a hit."""
    return hit.line <= number <= hit.last_line


def render_page(page: GrepPage, arguments: Grep) -> str:
    """Return the rows of a page, and the offset of the next one."""
    if not page.rows:
        if page.total:
            return (
                f"(no results at offset {arguments.offset}; {page.total} total)"
            )
        return "(no matches)" if page.is_complete else _STOPPED_EARLY
    lines = list(page.rows)
    next_offset = arguments.offset + page.result_count
    if next_offset < page.total:
        # A page that ends where the caller wanted is not cut.
        is_cut = page.result_count != arguments.head_limit
        cut = "page was cut: " if is_cut else ""
        total = f"{page.total}"
        if not page.is_complete:
            total = f"at least {total}"
        lines.append(
            f"[... {cut}showing {arguments.offset}..{next_offset} of {total}; "
            f"call again with offset={next_offset} for more ...]"
        )
    if not page.is_complete:
        lines.append(_STOPPED_EARLY)
    return "\n".join(lines)
