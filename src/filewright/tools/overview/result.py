"""Results of `get_overview`, for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from filewright.logs.summary import LogSummary
from filewright.structure.changed_symbols import ChangedSymbol
from filewright.structure.outline import Outline, SyntaxReport
from filewright.structure.references import CentralFile
from filewright.structure.search_hints import SearchHints
from filewright.structure.symbol import Symbol
from filewright.tools.merge_conflicts import ConflictSummary
from filewright.tools.result import FailedCall, ToolResult, optional


@dataclass(frozen=True, kw_only=True)
class OverviewResult(ToolResult):
    """One file. Sizes are bytes, lines count from 1.

    `parsed` says how much of it was read as a language: other parts may have syntax errors
    too, and their outline holds the lines that look like definitions. `next_lines` is where
    the outline continues if not all symbols are in it. `lines_measured` is False if
    `longest_line` and `long_lines` are those of the first 4 MB only. `conflicts` are the
    first of the merge conflicts. `changed_symbols` is
    None if there is nothing to compare with. `log` has the times, the rate and the kinds of
    lines of a log. `complete` is False if a compressed file is damaged and its text ends
    early, as `notes` say.
    """

    path: str
    size: int
    line_count: int
    encoding: str
    encoding_confidence: float
    bom: bool
    line_ending: str
    version: str
    line_endings: Mapping[str, int]
    final_newline: bool
    longest_line: int
    long_lines: int
    lines_measured: bool
    language: str | None
    conflicts: tuple[ConflictSummary, ...]
    conflict_count: int
    outline: tuple[Symbol, ...]
    symbols_left_out: int
    next_lines: tuple[int, int] | None
    outline_note: str | None
    parsed: Literal["whole", "part", "no"]
    syntax_errors: SyntaxReport
    changed_symbols: tuple[ChangedSymbol, ...] | None = optional()
    search_hints: SearchHints
    log: LogSummary | None = optional()
    complete: bool | None = optional()
    notes: tuple[str, ...] = optional(())

    @property
    def data(self) -> dict[str, Any]:
        """Return the facts as JSON values."""
        without_outline = self
        if self.outline:
            without_outline = replace(self, outline=())
        facts = super(OverviewResult, without_outline).data
        return {**facts, "outline": outline_data(self.outline)}


def outline_data(symbols: Sequence[Symbol]) -> list[dict[str, Any]]:
    """Return an outline as JSON values, without recursion, since it may be very deep."""
    data_by_symbol: dict[int, dict[str, Any]] = {}
    walk = list(Outline(None, tuple(symbols)).walk())
    # Children come behind their parent in a walk, so they are built first here.
    for _, symbol in reversed(walk):
        children = [data_by_symbol[id(child)] for child in symbol.children]
        data_by_symbol[id(symbol)] = {
            "name": symbol.name,
            "kind": symbol.kind,
            "start_line": symbol.start_line,
            "end_line": symbol.end_line,
            "children": children,
        }
    return [data_by_symbol[id(symbol)] for symbol in symbols]


@dataclass(frozen=True, kw_only=True)
class FolderMap(ToolResult):
    """The files below a folder: how many, of how many bytes, and where to look first.

    `manifests`, `entries` (also the commands that manifests name) and `tests` are paths;
    `central` are the files that most others refer to.
    """

    path: str
    files: int
    bytes: int
    languages: tuple[tuple[str, int], ...]
    manifests: tuple[str, ...]
    entries: tuple[str, ...]
    tests: tuple[str, ...]
    central: tuple[CentralFile, ...]
    complete: bool


@dataclass(frozen=True, kw_only=True)
class ManyOverviews(ToolResult):
    """Several files or folders in the order of the call, or the error of each."""

    several = "overviews"
    overviews: tuple[OverviewResult | FolderMap | FailedCall, ...]
