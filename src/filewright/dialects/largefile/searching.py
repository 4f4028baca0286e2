"""Tools that search: `search_content` in a file, `search_directory` below a folder."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from filewright.boundary.names import quote
from filewright.dialects.call import Call
from filewright.dialects.json_answers import Json, count_fitting_json
from filewright.dialects.largefile.arguments import (
    CONTEXT_LINES,
    FUZZY_THRESHOLD,
    MAX_SEARCH_RESULTS,
    FilePath,
    FolderPath,
    search_case,
    search_mode,
)
from filewright.dialects.largefile.directories import EXCLUDED_FOLDERS
from filewright.errors import Code, FilewrightError
from filewright.tools.arguments import Arguments
from filewright.tools.search.result import SearchHit, SearchResult

_ENVELOPE_CHARACTERS = 1_000
"""Characters of an answer beside its hits."""

_DEFAULT_SIMILARITY = 0.8
"""The least similarity of a hit, if the variable names none."""

_MAX_COUNTED_HITS = 10_000
_REGEX_LIKE = re.compile(r"\.[*+]|\||\\[bBdDsSwW(.]|\[[^]]+\]|^\^|\$$")


class SearchContent(Arguments):
    """Arguments of `search_content`."""

    path: FilePath
    pattern: Annotated[str, Field(min_length=1)]
    max_results: Annotated[int, Field(ge=1, le=100)] = Field(
        default_factory=lambda: MAX_SEARCH_RESULTS.integer(20),
        json_schema_extra={"default": 20},
    )
    context_lines: Annotated[int, Field(ge=0, le=50)] = Field(
        default_factory=lambda: CONTEXT_LINES.integer(2),
        json_schema_extra={"default": 2},
    )
    fuzzy: Annotated[bool, Field(description="Also what is only similar.")] = (
        True
    )
    regex: Annotated[
        bool, Field(description="A regular expression; turns fuzzy off.")
    ] = False
    case_sensitive: bool = False
    invert: Annotated[
        bool,
        Field(description="Lines that do not match; turns fuzzy off."),
    ] = False
    count_only: Annotated[
        bool, Field(description="Only the number of lines.")
    ] = False


class SearchDirectory(Arguments):
    """Arguments of `search_directory`."""

    path: FolderPath
    pattern: Annotated[str, Field(min_length=1)]
    include_pattern: Annotated[
        str,
        Field(min_length=1, description="Glob of file names, such as *.py."),
    ] = "*"
    max_results: Annotated[int, Field(ge=1, le=100)] = 100
    context_lines: Annotated[int, Field(ge=0, le=50)] = 2
    fuzzy: bool = False
    regex: bool = False
    case_sensitive: bool = False
    invert: bool = False
    include_hidden: bool = False


@dataclass(frozen=True, slots=True)
class Search:
    """A search of a file or below a folder in native terms."""

    call: Call
    arguments: SearchContent | SearchDirectory

    @property
    def is_fuzzy(self) -> bool:
        """True if similar texts are wanted, too."""
        arguments = self.arguments
        return arguments.fuzzy and not arguments.regex and not arguments.invert

    def run(
        self,
        mode: Literal["literal", "regex", "fuzzy"],
        *,
        max_results: int = 50,
        output: Literal["matches", "counts"] = "matches",
    ) -> SearchResult:
        """Return the native result."""
        arguments = self.arguments
        scope: dict[str, Any] = {}
        if isinstance(arguments, SearchDirectory):
            scope = {
                "glob": arguments.include_pattern,
                "include_hidden": arguments.include_hidden,
                # The original does not read .gitignore, and leaves folders out by their names.
                "include_ignored": True,
                "exclude": EXCLUDED_FOLDERS,
            }
        return self.call.search(
            arguments.pattern,
            arguments.path,
            mode=mode,
            case=search_case(is_sensitive=arguments.case_sensitive),
            invert=arguments.invert,
            context=arguments.context_lines,
            max_results=max_results,
            output=output,
            min_similarity=FUZZY_THRESHOLD.number(_DEFAULT_SIMILARITY),
            **scope,
        )

    def find_exact(self, max_results: int) -> SearchResult:
        """Return the exact hits, or those of the regex."""
        mode = search_mode(is_regex=self.arguments.regex)
        return self.run(mode, max_results=max_results)

    def find_similar(self, max_results: int) -> Sequence[SearchHit]:
        """Return similar texts; none if the pattern is too short for that."""
        try:
            return self.run("fuzzy", max_results=max_results).results
        except FilewrightError as error:
            # A pattern that is too short for similar texts still has its exact hits.
            if error.code != Code.INVALID_INPUT:
                raise
            return ()

    def count_lines(self) -> int:
        """Return the number of lines that match, or of similar ones if none does."""
        mode = search_mode(is_regex=self.arguments.regex)
        count = 0
        for file in self.run(mode, output="counts").files:
            count += file.count or 0
        if not count and self.is_fuzzy:
            return len(self.find_similar(_MAX_COUNTED_HITS))
        return count


@dataclass(frozen=True, slots=True)
class RankedHit:
    """A hit, and the type of its match as the original names it."""

    hit: SearchHit
    match_type: str


@dataclass(frozen=True, slots=True)
class RankedHits:
    """Exact hits and then similar ones, at most as many as were requested."""

    hits: tuple[RankedHit, ...]
    exact_count: int
    total: int
    exact_result: SearchResult


def find_ranked(search: Search) -> RankedHits:
    """Return exact hits, and similar ones if there is room for them."""
    arguments = search.arguments
    result = search.find_exact(arguments.max_results)
    exact_count = len(result.results)
    match_type = "regex" if arguments.regex else "exact"
    if arguments.invert:
        match_type += "_inverted"
    hits = [RankedHit(hit, match_type) for hit in result.results]
    if exact_count < arguments.max_results and search.is_fuzzy:
        # A fuzzy search finds the exact hits too.
        known_lines = {(hit.path, hit.line) for hit in result.results}
        for hit in search.find_similar(arguments.max_results):
            if (hit.path, hit.line) not in known_lines:
                hits.append(RankedHit(hit, "fuzzy"))
    similar_count = len(hits) - exact_count
    return RankedHits(
        hits=tuple(hits[: arguments.max_results]),
        exact_count=exact_count,
        total=similar_count + (result.total or exact_count),
        exact_result=result,
    )


def search_content(call: Call, arguments: SearchContent) -> Json:
    """Return exact hits at 1.0, then similar ones, or the number of lines."""
    require_file(call, arguments.path)
    search = Search(call, arguments)
    description: Json = {
        "pattern": arguments.pattern,
        "fuzzy_enabled": search.is_fuzzy,
        "regex_enabled": arguments.regex,
        "case_sensitive": arguments.case_sensitive,
        "inverted": arguments.invert,
    }
    if arguments.count_only:
        answer = {"count": search.count_lines(), **description}
        warnings = warnings_of_count(search, arguments)
        if warnings:
            answer["warnings"] = warnings
        return answer
    ranked_hits = find_ranked(search)
    results = []
    for ranked in ranked_hits.hits:
        hit = ranked.hit
        result: Json = {
            "line_number": hit.line,
            "match": hit.text,
            "context_before": hit.context_before,
            "context_after": hit.context_after,
            "semantic_context": hit.symbol or f"Line {hit.line}",
            "similarity_score": hit.similarity,
            "truncated": hit.truncated,
            "submatches": [
                {"start": start, "end": end} for start, end in hit.submatches
            ],
            "match_type": ranked.match_type,
        }
        results.append(result)
    count = count_fitting_json(
        results, call.max_characters - _ENVELOPE_CHARACTERS
    )
    answer = {
        "results": results[:count],
        "total_matches": ranked_hits.total,
        **description,
    }
    if count < len(results):
        answer["warning"] = (
            f"{len(results) - count} more results do not fit; "
            "lower context_lines or max_results"
        )
    is_literal = not ranked_hits.exact_count and not arguments.regex
    if is_literal and _REGEX_LIKE.search(arguments.pattern):
        answer["hint"] = (
            "looked for literally; with regex=true it would be a pattern"
        )
    return answer


def require_file(call: Call, path: str) -> None:
    """Raise `not_a_file` for a folder, in which a native search would look."""
    call.context.open(call.locate(path), hold=False).close()


def warnings_of_count(search: Search, arguments: SearchContent) -> list[str]:
    """Return which of the caller's arguments a count does not use."""
    requested_names = arguments.model_fields_set
    warnings = []
    for name in ("context_lines", "max_results"):
        if name in requested_names:
            warnings.append(f"{name} ignored with count_only")
    wants_fuzzy = arguments.fuzzy and "fuzzy" in requested_names
    if wants_fuzzy and not search.is_fuzzy:
        warnings.append("fuzzy ignored with regex or invert")
    return warnings


def search_directory(call: Call, arguments: SearchDirectory) -> Json:
    """Return the hits in the files below a folder, by file."""
    require_folder(call, arguments.path)
    ranked_hits = find_ranked(Search(call, arguments))
    results = []
    for ranked in ranked_hits.hits:
        hit = ranked.hit
        result: Json = {
            "line_number": hit.line,
            "match": hit.text,
            "context_before": hit.context_before,
            "context_after": hit.context_after,
            "similarity_score": hit.similarity,
            "truncated": hit.truncated,
            "match_type": ranked.match_type,
        }
        results.append(result)
    # The answer also has the path of each file.
    count = count_fitting_json(
        results, call.max_characters - 2 * _ENVELOPE_CHARACTERS
    )
    matches_by_file: dict[str, list[Json]] = {}
    last_file = None
    for ranked, result in zip(ranked_hits.hits, results[:count], strict=False):
        parts = call.parts_below(arguments.path, ranked.hit.path)
        last_file = quote(b"/".join(parts))
        matches_by_file.setdefault(last_file, []).append(result)
    exact_result = ranked_hits.exact_result
    is_cut = count < len(results) or not exact_result.complete
    return {
        "path": arguments.path,
        "pattern": arguments.pattern,
        "include_pattern": arguments.include_pattern,
        "total_matches": count,
        "files_searched": exact_result.files_searched,
        "files_with_matches": len(matches_by_file),
        "truncated": is_cut,
        "truncated_at": last_file if is_cut else None,
        "results": [
            {"file": file, "matches": matches}
            for file, matches in matches_by_file.items()
        ],
    }


def require_folder(call: Call, path: str) -> None:
    """Raise `not_a_directory` for a file, in which a native search would look."""
    call.context.boundary.open_folder(call.locate(path)).close()
