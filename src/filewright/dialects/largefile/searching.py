"""`search_content` and `search_directory`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from filewright.dialects.dialect import Call, encoded, fit
from filewright.dialects.largefile.paths import FileArguments, FolderArguments
from filewright.dialects.largefile.reading import UNLISTED
from filewright.errors import Code, FilewrightError
from filewright.tools.registry import ToolResult

_SHORTEST = 4
_ENVELOPE = 1_000


class SearchArguments(FileArguments):
    """What to find in a file."""

    pattern: Annotated[str, Field(min_length=1)]
    max_results: Annotated[int, Field(ge=1, le=100)] = 20
    context_lines: Annotated[int, Field(ge=0, le=50)] = 2
    fuzzy: Annotated[bool, Field(description="Also what is only similar.")] = True
    regex: Annotated[bool, Field(description="A regular expression; turns fuzzy off.")] = False
    case_sensitive: bool = False
    invert: Annotated[bool, Field(description="Lines that do not match; turns fuzzy off.")] = False
    count_only: Annotated[bool, Field(description="Only the number of lines.")] = False


class SearchFolderArguments(FolderArguments):
    """What to find in the files of a folder."""

    pattern: Annotated[str, Field(min_length=1)]
    include_pattern: Annotated[str, Field(min_length=1, description="Glob of file names, such as *.py.")] = (
        "*"
    )
    max_results: Annotated[int, Field(ge=1, le=100)] = 100
    context_lines: Annotated[int, Field(ge=0, le=50)] = 2
    fuzzy: bool = False
    regex: bool = False
    case_sensitive: bool = False
    invert: bool = False
    include_hidden: bool = False


def _how(arguments: SearchArguments | SearchFolderArguments) -> dict[str, Any]:
    """The native request for the exact part of a search."""
    return {
        "pattern": arguments.pattern,
        "mode": "regex" if arguments.regex else "literal",
        "case": "sensitive" if arguments.case_sensitive else "insensitive",
        "invert": arguments.invert,
    }


def _similar(arguments: SearchArguments | SearchFolderArguments) -> bool:
    """Whether what is only similar is wanted too; a text too short for that is looked for exactly."""
    loose = arguments.fuzzy and not arguments.regex and not arguments.invert
    return loose and len(arguments.pattern.strip()) >= _SHORTEST


def search_content(call: Call, arguments: SearchArguments) -> ToolResult:
    """Exact hits first, at 1.0, then similar ones by similarity."""
    path, how = arguments.absolute_file_path, _how(arguments)
    about = {
        "pattern": arguments.pattern,
        "fuzzy_enabled": arguments.fuzzy and not arguments.regex and not arguments.invert,
        "regex_enabled": arguments.regex,
        "case_sensitive": arguments.case_sensitive,
        "inverted": arguments.invert,
    }
    if arguments.count_only:
        count = _count(call, path, how)
        if not count and _similar(arguments):
            count = len(_fuzzy(call, path, arguments, 10_000))
        return ToolResult(encoded({"count": count, **about}))
    data = call.run(
        "search_content",
        path=path,
        context=arguments.context_lines,
        max_results=arguments.max_results,
        **how,
    ).data
    count = len(data["results"]) if data["complete"] else _count(call, path, how)
    hits = list(data["results"])
    exact = {hit["line"] for hit in hits}
    if _similar(arguments) and len(hits) < arguments.max_results:
        near = [
            hit for hit in _fuzzy(call, path, arguments, arguments.max_results) if hit["line"] not in exact
        ]
        count += len(near)
        hits += near[: arguments.max_results - len(hits)]
    results = [_result(hit, arguments.regex, exact) for hit in hits]
    shown = fit(results, call.context.settings.hard_chars - _ENVELOPE)
    answer: dict[str, Any] = {"results": results[:shown], "total_matches": max(count, len(results)), **about}
    if shown < len(results):
        answer["warning"] = (
            f"{len(results) - shown} more results do not fit; lower context_lines or max_results"
        )
    return ToolResult(encoded(answer))


def _count(call: Call, path: str, how: Mapping[str, Any]) -> int:
    """How many lines an exact search finds."""
    return sum(
        file["count"] for file in call.run("search_content", path=path, output="counts", **how).data["files"]
    )


def _fuzzy(
    call: Call, path: str, arguments: SearchArguments | SearchFolderArguments, most: int, **more: Any
) -> list[Mapping[str, Any]]:
    """What is similar; nothing where the pattern cannot be looked for in that way."""
    try:
        found: list[Mapping[str, Any]] = call.run(
            "search_content",
            path=path,
            pattern=arguments.pattern,
            mode="fuzzy",
            context=arguments.context_lines,
            max_results=most,
            **more,
        ).data["results"]
    except FilewrightError as error:
        if error.code != Code.INVALID_INPUT:
            raise
        return []
    return found


def _result(hit: Mapping[str, Any], regex: bool, exact: Sequence[int] | set[int]) -> dict[str, Any]:
    similar = hit["line"] not in exact
    return {
        "line_number": hit["line"],
        "match": hit["text"],
        "context_before": hit["context_before"],
        "context_after": hit["context_after"],
        "semantic_context": hit["symbol"] or f"Line {hit['line']}",
        "similarity_score": hit["similarity"] if similar else 1.0,
        "truncated": hit["truncated"],
        "submatches": [{"start": start, "end": end} for start, end in hit["submatches"]],
        "match_type": "fuzzy" if similar else "regex" if regex else "exact",
    }


def search_directory(call: Call, arguments: SearchFolderArguments) -> ToolResult:
    """The hits in the files of a folder, by file."""
    path = arguments.absolute_dir_path
    where = {
        "glob": None if arguments.include_pattern == "*" else arguments.include_pattern,
        "include_hidden": arguments.include_hidden,
        "include_ignored": True,
        "exclude": UNLISTED,
    }
    data = call.run(
        "search_content",
        path=path,
        context=arguments.context_lines,
        max_results=arguments.max_results,
        **_how(arguments),
        **where,
    ).data
    hits = list(data["results"])
    exact = {(hit["path"], hit["line"]) for hit in hits}
    if _similar(arguments) and len(hits) < arguments.max_results:
        near = _fuzzy(call, path, arguments, arguments.max_results, **where)
        hits += [hit for hit in near if (hit["path"], hit["line"]) not in exact][
            : arguments.max_results - len(hits)
        ]
    top = call.context.boundary.locate(path).shown
    prefix = "" if top == "." else f"{top}/"
    files: dict[str, list[dict[str, Any]]] = {}
    shown = fit(
        [_result(hit, arguments.regex, ()) for hit in hits], call.context.settings.hard_chars - 2 * _ENVELOPE
    )
    for hit in hits[:shown]:
        lines = {line for name, line in exact if name == hit["path"]}
        files.setdefault(str(hit["path"]).removeprefix(prefix), []).append(
            _result(hit, arguments.regex, lines)
        )
    cut = shown < len(hits) or not data["complete"]
    last = str(hits[shown - 1]["path"]).removeprefix(prefix) if cut and shown else None
    answer = {
        "path": path,
        "pattern": arguments.pattern,
        "include_pattern": arguments.include_pattern,
        "total_matches": shown,
        "files_searched": data["files_searched"],
        "files_with_matches": len(files),
        "truncated": cut,
        "truncated_at": last,
        "results": [{"file": name, "matches": matches} for name, matches in files.items()],
    }
    return ToolResult(encoded(answer))
