"""Results of `search_content`, for programs."""

from __future__ import annotations

from dataclasses import dataclass

from filewright.search.hit_groups import HitGroup
from filewright.tools.result import FailedCall, ToolResult, optional
from filewright.tools.search.uses_summary import NameUses


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One hit. Lines and columns count from 1; `offset` and `end` are bytes, half open.

    `text` is the line as it is shown: it begins at `text_column` of the line and is cut if
    `truncated`; `submatches` are ranges of characters in `text`. `more_lines` are the
    further lines of a match of several lines, to `last_line`; then `matched` is the whole
    match. `symbol` is the definition around the hit; `similarity` is 1.0 unless fuzzy.
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
class MatchedFile:
    """A file with matches; `count` is the number of its matching lines or replacements.

    `count` is None where the call did not ask for it.
    """

    path: str
    count: int | None = optional()


@dataclass(frozen=True, slots=True)
class FolderCount:
    """The number of matching lines in the files of a folder."""

    path: str
    files: int
    lines: int


@dataclass(frozen=True, slots=True)
class ValueNumbers:
    """The distribution of the numbers in a field of counted entries.

    The largest is in `largest_line` of the file at `largest_path`.
    """

    field: str
    p50: float
    p95: float
    largest: float
    largest_path: str | None = optional()
    largest_line: int | None = optional()


@dataclass(frozen=True, slots=True)
class ValueCount:
    """The number of entries with a value of `by`, and the place of the first.

    `first` and `last` are their times, in the zone of the log. If `is_span`, a time is a
    part of the value.
    """

    value: str
    count: int
    path: str
    line: int
    first: str | None = optional()
    last: str | None = optional()
    numbers: tuple[ValueNumbers, ...] = optional(())
    is_span: bool = optional(False)


@dataclass(frozen=True, slots=True)
class TracedLine:
    """A line of a trace, and the identifier that led to it; None for a match."""

    path: str
    line: int
    text: str
    identifier: str | None


@dataclass(frozen=True, kw_only=True)
class SearchResult(ToolResult):
    """The hits of a search: `results` with output "matches", else `files`, `kinds` or `uses`.

    `next_cursor` continues the search; an incomplete search without one cannot continue.
    `total` counts all matching lines, or is None where they were not counted.
    `files_searched` is None for one file, and for several places. `searches` has the result
    or the error of each of several patterns. `values` are the counts by a field. `trace`
    has the matches and the lines that share identifiers with them, in their order.
    """

    several = "searches"
    results: tuple[SearchHit, ...]
    files: tuple[MatchedFile, ...]
    complete: bool
    next_cursor: str | None
    notes: tuple[str, ...]
    files_searched: int | None
    total: int | None = None
    searches: tuple[SearchResult | FailedCall, ...] = optional(())
    kinds: tuple[HitGroup, ...] = optional(())
    uses: tuple[NameUses, ...] = optional(())
    values: tuple[ValueCount, ...] = optional(())
    trace: tuple[TracedLine, ...] = optional(())
