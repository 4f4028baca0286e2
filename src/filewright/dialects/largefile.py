"""The dialect `largefile`: one large file per call, absolute paths, JSON answers with backups.

The surface of the large-file server: overview, search, read and edit with fuzzy matching on by
default, a preview before every edit, and backups, which here are the history's changes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import AfterValidator, AliasChoices, Field, field_validator, model_validator

from filewright.dialects.shared import (
    LINE_WORDS,
    Call,
    dialect,
    encoded,
    fit,
    fitted,
    row,
    worded,
    writing_row,
)
from filewright.errors import Code, FilewrightError
from filewright.settings import Settings
from filewright.tools import Arguments, FailedCall, ToolResult, clip

if TYPE_CHECKING:
    from filewright.edit import Outcome
    from filewright.structure import Symbol
    from filewright.tools import EditRequest, FileRead, FileState, SearchHit

Json = dict[str, Any]

_UNLISTED = ("__pycache__/", "node_modules/")
_KINDS = ("added", "modified", "removed")
_SYMBOL_CHARS = 150
_SHORTEST_FUZZY = 4
_ENVELOPE = 1_000
_SIMILAR = 3
_SIMILAR_CHARS = 100
_ALL_LINES = 1_000_000
_DEFAULT_LINE_CHARS, _DEFAULT_MATCH_CHARS = 1_000, 500
_REGEX_LIKE = re.compile(r"\.[*+]|\||\\[bBdDsSwW(.]|\[[^]]+\]|^\^|\$$")
_EDITS_NAMED = re.compile(r"\bedits? (\d+)(?: and (\d+))?")
_HINTS = {
    "python": ("def ", "class ", "import ", "from "),
    "javascript": ("function ", "class ", "const ", "import "),
    "typescript": ("function ", "class ", "const ", "import "),
    "jsx": ("function ", "class ", "const ", "import "),
    "tsx": ("function ", "class ", "const ", "import "),
    "go": ("func ", "type ", "import ", "package "),
    "rust": ("fn ", "struct ", "impl ", "use "),
    "java": ("class ", "interface ", "enum ", "import "),
    "c": ("struct ", "typedef ", "static ", "#define "),
    "cpp": ("class ", "struct ", "namespace ", "#include "),
    "csharp": ("class ", "interface ", "namespace ", "using "),
    "ruby": ("def ", "class ", "module ", "require "),
    "sql": ("CREATE ", "SELECT ", "INSERT ", "FROM "),
}
_OTHER_HINTS = ("TODO", "FIXME", "NOTE", "HACK")
_LOG_HINTS = ("ERROR", "WARN", "Exception", "failed")
"""Plain texts worth a search by language: what `search_content` finds without more being said."""
_BINARY = {
    "application/pdf": "document",
    "application/vnd.sqlite3": "database",
    **dict.fromkeys(("application/x-elf", "application/wasm"), "executable"),
    "application/vnd.microsoft.portable-executable": "executable",
    **dict.fromkeys(
        (f"application/{kind}" for kind in ("zip", "gzip", "x-bzip2", "x-xz", "zstd")), "compressed"
    ),
}
"""The original's words for kinds of binary files."""
_DATA = (".yaml", ".yml", ".json", ".toml", ".ini")
"""Suffixes of files with keys rather than definitions: what is around a line of theirs is a window."""
_CLEARER = "add lines of context to search and replace until the text occurs once"
_REFUSED_CHANGE = frozenset({
    Code.NO_MATCH, Code.AMBIGUOUS_MATCH, Code.ALREADY_APPLIED, Code.OVERLAP, Code.NO_CHANGE,
    Code.STALE_VERSION, Code.UNENCODABLE,
})  # fmt: skip


# Paths


def _absolute(path: str) -> str:
    if not path.startswith(("/", "~")):
        raise ValueError(f"{path!a} is a relative path; give an absolute one, or one that begins with ~")
    return path


Absolute = Annotated[str, AfterValidator(_absolute)]


class LargeFile(Arguments):
    """The file every tool of a file takes."""

    absolute_file_path: Annotated[Absolute, Field(description="Absolute path of the file.")]


class LargeFolder(Arguments):
    """The folder a tool of a folder takes; under the name of a file's path too."""

    absolute_dir_path: Annotated[
        Absolute,
        Field(
            description="Absolute path of the directory.",
            validation_alias=AliasChoices("absolute_dir_path", "absolute_file_path"),
        ),
    ]


def _refusal(error: FilewrightError, limit: int) -> ToolResult:
    """The answer of a call that failed: the code, what is wrong, what to do."""
    text = f"{error.code}: {worded(error.message, LINE_WORDS)}"
    if error.hint:
        text += f"\n\nSuggestion: {worded(error.hint, LINE_WORDS)}"
    return FailedCall(text[:limit], error=error)


def _configured(arguments: Arguments, name: str, variable: str) -> Any:
    """An argument, or where it was not given the original's environment variable, within what is allowed."""
    given = getattr(arguments, name)
    if name in arguments.model_fields_set or not os.environ.get(variable, "").isdigit():
        return given
    try:
        configured = type(arguments).model_validate(
            {**arguments.model_dump(), name: int(os.environ[variable])}
        )
    except ValueError:
        return given
    return getattr(configured, name)


# Overview


class LargeOverview(LargeFile):
    """Which file, and which of its lines changed."""

    changed_lines: Annotated[
        list[Annotated[list[int | str], Field(min_length=2, max_length=3)]] | None,
        Field(description='[start, end] or [start, end, "added"|"modified"|"removed"] each.'),
    ] = None

    @field_validator("changed_lines")
    @classmethod
    def _ranges(cls, ranges: list[list[int | str]] | None) -> list[list[int | str]] | None:
        for entry in ranges or ():
            start, end = entry[:2]
            if not (isinstance(start, int) and isinstance(end, int) and 1 <= start <= end):
                raise ValueError(f"[{start!a}, {end!a}] is not a range of lines: 1 <= start <= end")
            if len(entry) == 3 and entry[2] not in _KINDS:
                raise ValueError(f"type must be one of {', '.join(_KINDS)}, not {entry[2]!a}")
        return ranges


def _get_overview(call: Call, arguments: LargeOverview) -> ToolResult:
    """Size, lines, long lines, outline, what to search for."""
    return ToolResult(fitted(call, lambda within: _overview(within, arguments)))


def _overview(call: Call, arguments: LargeOverview) -> Json:
    ranges: Any = arguments.changed_lines
    threshold = call.context.settings.line_chars
    try:
        overview = call.get_overview(
            arguments.absolute_file_path,
            max_symbols=max(1, call.context.settings.page_chars // _SYMBOL_CHARS),
            changed_lines=[(entry[0], entry[1]) for entry in ranges] if ranges is not None else None,
            changed_kinds=[entry[2] if len(entry) == 3 else "modified" for entry in ranges]
            if ranges is not None
            else None,
        )
    except FilewrightError as error:
        if error.code != Code.IS_BINARY or ranges is not None:
            raise
        return _binary(error, threshold)
    changed = overview.changed_symbols
    marks = None if changed is None else {(c.name, c.end_line): c.status for c in changed if c.name}
    result: Json = {
        "line_count": overview.line_count,
        "file_size": overview.size,
        "encoding": overview.encoding,
        "is_binary": False,
        "binary_hint": None,
        "has_long_lines": overview.long_lines > 0,
        "long_lines": _long_lines(overview.long_lines, overview.longest_line, threshold),
        "outline": _outline(overview.outline, marks),
        "search_hints": [
            *(_LOG_HINTS if overview.search_hints.log else _HINTS.get(overview.language or "", _OTHER_HINTS))
        ],
    }
    if marks is not None:
        result["changed_symbols"] = len(marks)
    warnings = []
    if overview.symbols_left_out:
        result["outline_truncated"] = overview.symbols_left_out
        warnings.append("read_enclosing with a line shows a definition that is left out here")
    if overview.outline_note:
        warnings.append(overview.outline_note)
    if overview.syntax_errors.count:
        first = ", ".join(str(issue.line) for issue in overview.syntax_errors.first[:5])
        warnings.append(f"{overview.syntax_errors.count} syntax errors, the first at line {first}")
    if warnings:
        result["warning"] = "; ".join(warnings)
    return result


def _long_lines(count: int, longest: int, threshold: int) -> Json:
    return {"has_long_lines": count > 0, "count": count, "max_length": longest, "threshold": threshold}


def _binary(error: FilewrightError, threshold: int) -> Json:
    kind = str(error.details.get("type"))
    return {
        "line_count": 0,
        "file_size": error.details.get("size"),
        "encoding": None,
        "is_binary": True,
        "binary_hint": _BINARY.get(kind, "image" if kind.startswith("image/") else None),
        "has_long_lines": False,
        "long_lines": _long_lines(0, 0, threshold),
        "outline": [],
        "search_hints": [],
        "warning": "Binary file: it can be listed, moved and copied, but not read or edited as text.",
    }


def _outline(
    symbols: Sequence[Symbol], marks: Mapping[tuple[str, int], str] | None, depth: int = 0
) -> list[Json]:
    found = []
    for symbol in symbols:
        item: Json = {
            "name": symbol.name,
            "type": symbol.kind,
            "line_number": symbol.start_line,
            "end_line": symbol.end_line,
            "line_count": symbol.end_line - symbol.start_line + 1,
            "children": _outline(symbol.children, marks, depth + 1) if depth < 30 else [],
        }
        if marks is not None:
            item["changes"] = marks.get((symbol.name, symbol.end_line))
        found.append(item)
    return found


# Reading


class LargeRead(LargeFile):
    """Which lines."""

    target: Annotated[
        int | str | None, Field(description="Line number or pattern; with mode tail the number of lines.")
    ] = None
    offset: Annotated[int, Field(ge=1, description="First line, from 1.")] = 1
    limit: Annotated[int, Field(ge=1, description="Lines at most.")] = 100
    pattern: Annotated[str | None, Field(description="Read around the first match.")] = None
    mode: Literal["lines", "semantic", "tail", "head"] = "lines"

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if self.target is not None and self.pattern is not None:
            raise ValueError("give target or pattern, not both")
        if isinstance(self.target, int) and self.target < 1:
            raise ValueError("target must be a line from 1, or a pattern")
        return self


class LargeEnclosing(LargeFile):
    """Around which line."""

    line: Annotated[int, Field(ge=1)]
    depth: Annotated[int, Field(ge=1, description="1: innermost definition, 2: the one around it.")] = 1
    context_lines: Annotated[int, Field(ge=1, description="Window where there is no definition.")] = 40


def _read_content(call: Call, arguments: LargeRead) -> ToolResult:
    """Lines by number, pattern, definition, head or tail."""
    return ToolResult(fitted(call, lambda within: _read(within, arguments)))


def _read(call: Call, arguments: LargeRead) -> Json:
    path, mode, limit, warnings = arguments.absolute_file_path, arguments.mode, arguments.limit, []
    target = arguments.target
    pattern = target if isinstance(target, str) else arguments.pattern
    line = target if isinstance(target, int) else arguments.offset
    if mode in ("head", "tail"):
        if arguments.offset != 1:
            warnings.append(f"offset ignored in {mode} mode")
        if pattern is not None:
            warnings.append(f"pattern ignored in {mode} mode")
        limit = target if isinstance(target, int) else limit
        file = call.read(path, mode=mode, limit=limit, numbered=False)
    elif pattern is not None:
        if arguments.offset != 1:
            warnings.append("offset ignored when pattern is set")
        limit = _ALL_LINES if mode == "semantic" else limit
        file = call.read(path, mode=mode, pattern=pattern, limit=limit, numbered=False)
    elif mode == "semantic":
        file = call.read(path, mode=mode, line=line, limit=_ALL_LINES, numbered=False)
    else:
        file = call.read(path, start=line, limit=limit, numbered=False)
    result = {**_lines(file, mode), "match_line": file.match_line, "warnings": warnings}
    if pattern is not None and file.match_line is not None:
        result["pattern"] = pattern
    return result


def _lines(file: FileRead, mode: str) -> Json:
    """A native read in this dialect's fields; lines counted from an unread end have no number."""
    empty = not file.lines_returned
    unknown = empty or file.start_line < 1
    goes_on = file.truncated if mode in ("semantic", "enclosing") else file.next is not None
    result: Json = {
        "content": "" if empty else file.content + ("\n" if file.terminated else ""),
        "start_line": None if unknown else file.start_line,
        "end_line": None if unknown else file.end_line,
        "lines_returned": file.lines_returned,
        "total_lines": file.total_lines,
        "mode": mode,
        "truncated": goes_on or bool(file.cut_at),
    }
    if file.cut_at:
        result["long_lines_cut"] = [*file.cut_at[:50]]
    return result


def _read_enclosing(call: Call, arguments: LargeEnclosing) -> ToolResult:
    """The whole definition around a line, or a window where there is none."""
    path, line = arguments.absolute_file_path, arguments.line

    def enclosing(within: Call) -> Json:
        if not path.lower().endswith(_DATA):
            depth = arguments.depth
            file = within.read(
                path, mode="semantic", line=line, depth=depth, limit=_ALL_LINES, numbered=False
            )
            if file.symbol is not None:
                return {**_lines(file, "enclosing"), "enclosing_symbol": file.symbol}
        size = arguments.context_lines
        file = within.read(path, line=line, limit=size, numbered=False)
        first = file.start_line - size + file.lines_returned
        if file.next is None and first < file.start_line and file.start_line > 1:  # the window passes the end
            file = within.read(path, start=max(1, first), limit=size, numbered=False)
        return {**_lines(file, "context_window"), "enclosing_symbol": None}

    return ToolResult(fitted(call, enclosing))


# Folders


class LargeList(LargeFolder):
    """Which folder, how deep."""

    max_depth: Annotated[int, Field(ge=1)] = 1
    max_entries: Annotated[int, Field(ge=1, le=10_000)] = 200
    include_hidden: bool = False


def _list_directory(call: Call, arguments: LargeList) -> ToolResult:
    """The entries of a folder, folders first on each level."""
    listed, complete = call.entries(
        arguments.absolute_dir_path,
        depth=arguments.max_depth + 1,
        details=True,
        include_hidden=arguments.include_hidden,
        include_ignored=True,
        exclude=_UNLISTED,
    )
    name_of = _names_below(call, arguments.absolute_dir_path)
    below: dict[str, list[Json]] = {}
    for entry in listed:
        name = name_of(entry.path).removesuffix("/")
        folder = entry.type == "folder"
        below.setdefault(name.rpartition("/")[0], []).append(
            {
                "name": name,
                "type": "dir" if folder else "file",
                "size_bytes": 0 if folder else entry.size,
                "child_count": None,
            }
        )
    entries = _ordered(below, "", arguments.max_depth)
    shown = entries[: min(arguments.max_entries, fit(entries, call.context.settings.hard_chars - _ENVELOPE))]
    result = {
        "path": arguments.absolute_dir_path,
        "entries": shown,
        "total_files": sum(entry["type"] == "file" for entry in shown),
        "total_dirs": sum(entry["type"] == "dir" for entry in shown),
        "truncated": len(shown) < len(entries) or not complete,
        "truncated_at": entries[len(shown)]["name"] if len(shown) < len(entries) else None,
    }
    return ToolResult(encoded(result))


def _names_below(call: Call, folder: str) -> Callable[[str], str]:
    """How a path is named in answers about a folder: from that folder on."""
    top = call.context.boundary.locate(folder).shown
    return lambda path: path if top == "." else path.removeprefix(f"{top}/")


def _ordered(below: Mapping[str, list[Json]], folder: str, depth: int) -> list[Json]:
    found = []
    for entry in sorted(below.get(folder, ()), key=lambda e: (e["type"] != "dir", e["name"].lower())):
        if entry["type"] == "dir":
            entry["child_count"] = len(below.get(entry["name"], ()))
        found.append(entry)
        if entry["type"] == "dir" and depth > 1:
            found += _ordered(below, entry["name"], depth - 1)
    return found


# Searching


class LargeSearch(LargeFile):
    """What to find in a file."""

    pattern: Annotated[str, Field(min_length=1)]
    max_results: Annotated[int, Field(ge=1, le=100)] = 20
    context_lines: Annotated[int, Field(ge=0, le=50)] = 2
    fuzzy: Annotated[bool, Field(description="Also what is only similar.")] = True
    regex: Annotated[bool, Field(description="A regular expression; turns fuzzy off.")] = False
    case_sensitive: bool = False
    invert: Annotated[bool, Field(description="Lines that do not match; turns fuzzy off.")] = False
    count_only: Annotated[bool, Field(description="Only the number of lines.")] = False


class LargeSearchFolder(LargeFolder):
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


def _how(arguments: LargeSearch | LargeSearchFolder) -> Json:
    """The native request for the exact part of a search."""
    return {
        "mode": "regex" if arguments.regex else "literal",
        "case": "sensitive" if arguments.case_sensitive else "insensitive",
        "invert": arguments.invert,
    }


def _similar(arguments: LargeSearch | LargeSearchFolder) -> bool:
    """Whether what is only similar is wanted too; a text too short for that is looked for exactly."""
    loose = arguments.fuzzy and not arguments.regex and not arguments.invert
    return loose and len(arguments.pattern.strip()) >= _SHORTEST_FUZZY


def _search_content(call: Call, arguments: LargeSearch) -> ToolResult:
    """Exact hits first, at 1.0, then similar ones by similarity."""
    path, pattern, how = arguments.absolute_file_path, arguments.pattern, _how(arguments)
    call.context.open(call.context.boundary.locate(path), hold=False).close()  # a folder is refused here
    most = _configured(arguments, "max_results", "LARGEFILE_MAX_SEARCH_RESULTS")
    around = _configured(arguments, "context_lines", "LARGEFILE_CONTEXT_LINES")

    def count_lines() -> int:
        return sum(file.count or 0 for file in call.search(pattern, path, output="counts", **how).files)

    about = {
        "pattern": pattern,
        "fuzzy_enabled": arguments.fuzzy and not arguments.regex and not arguments.invert,
        "regex_enabled": arguments.regex,
        "case_sensitive": arguments.case_sensitive,
        "inverted": arguments.invert,
    }
    if arguments.count_only:
        count = count_lines()
        if not count and _similar(arguments):
            count = len(_fuzzy(call, path, arguments, 0, 10_000))
        passed_over = sorted(arguments.model_fields_set & {"max_results", "context_lines"})
        warnings = [f"{name} ignored with count_only" for name in passed_over]
        if arguments.fuzzy and "fuzzy" in arguments.model_fields_set and not about["fuzzy_enabled"]:
            warnings.append("fuzzy ignored with regex or invert")
        return ToolResult(encoded({"count": count, **about, **({"warnings": warnings} if warnings else {})}))
    found = call.search(pattern, path, context=around, max_results=most, **how)
    hits = [*found.results]
    count = len(hits) if found.complete else count_lines()
    exact = {hit.line for hit in hits}
    if _similar(arguments) and len(hits) < most:
        near = _fuzzy(call, path, arguments, around, most)
        near = [hit for hit in near if hit.line not in exact]
        count += len(near)
        hits += near[: most - len(hits)]
    results = [_result(hit, arguments, hit.line in exact) for hit in hits]
    shown = fit(results, call.context.settings.hard_chars - _ENVELOPE)
    answer: Json = {"results": results[:shown], "total_matches": max(count, len(results)), **about}
    if shown < len(results):
        answer["warning"] = (
            f"{len(results) - shown} more results do not fit; lower context_lines or max_results"
        )
    if not exact and not arguments.regex and _REGEX_LIKE.search(pattern):
        answer["hint"] = "looked for literally; with regex=true it would be a pattern"
    return ToolResult(encoded(answer))


def _fuzzy(
    call: Call, path: str, arguments: LargeSearch | LargeSearchFolder, around: int, most: int, **where: Any
) -> Sequence[SearchHit]:
    """What is similar; nothing where the pattern cannot be looked for in that way."""
    try:
        return call.search(
            arguments.pattern,
            path,
            mode="fuzzy",
            context=around,
            max_results=most,
            min_similarity=_threshold(),
            **where,
        ).results
    except FilewrightError as error:
        if error.code != Code.INVALID_INPUT:
            raise
        return ()


def _threshold() -> float:
    """The least similarity of a fuzzy hit: the original's environment variable, or its default."""
    try:
        return min(1.0, max(0.3, float(os.environ.get("LARGEFILE_FUZZY_THRESHOLD", "0.8"))))
    except ValueError:
        return 0.8


def _result(hit: SearchHit, arguments: LargeSearch | LargeSearchFolder, exact: bool) -> Json:
    kind = ("regex" if arguments.regex else "exact") + ("_inverted" if arguments.invert else "")
    return {
        "line_number": hit.line,
        "match": hit.text,
        "context_before": [*hit.context_before],
        "context_after": [*hit.context_after],
        "semantic_context": hit.symbol or f"Line {hit.line}",
        "similarity_score": 1.0 if exact else hit.similarity,
        "truncated": hit.truncated,
        "submatches": [{"start": start, "end": end} for start, end in hit.submatches],
        "match_type": kind if exact else "fuzzy",
    }


def _search_directory(call: Call, arguments: LargeSearchFolder) -> ToolResult:
    """The hits in the files of a folder, by file."""
    path = arguments.absolute_dir_path
    call.context.boundary.open_folder(call.context.boundary.locate(path)).close()  # a file is refused here
    where: Json = {
        "glob": None if arguments.include_pattern == "*" else arguments.include_pattern,
        "include_hidden": arguments.include_hidden,
        "include_ignored": True,
        "exclude": _UNLISTED,
    }
    found = call.search(
        arguments.pattern,
        path,
        context=arguments.context_lines,
        max_results=arguments.max_results,
        **_how(arguments),
        **where,
    )
    hits = [*found.results]
    exact = {(hit.path, hit.line) for hit in hits}
    if _similar(arguments) and len(hits) < arguments.max_results:
        near = _fuzzy(call, path, arguments, arguments.context_lines, arguments.max_results, **where)
        near = [hit for hit in near if (hit.path, hit.line) not in exact]
        hits += near[: arguments.max_results - len(hits)]
    results = [_result(hit, arguments, (hit.path, hit.line) in exact) for hit in hits]
    for result in results:
        del result["semantic_context"], result["submatches"]  # which the original has for one file only
    shown = fit(results, call.context.settings.hard_chars - 2 * _ENVELOPE)
    name_of = _names_below(call, path)
    files: dict[str, list[Json]] = {}
    for hit, result in zip(hits[:shown], results, strict=False):
        files.setdefault(name_of(hit.path), []).append(result)
    cut = shown < len(hits) or not found.complete
    answer = {
        "path": path,
        "pattern": arguments.pattern,
        "include_pattern": arguments.include_pattern,
        "total_matches": shown,
        "files_searched": found.files_searched,
        "files_with_matches": len(files),
        "truncated": cut,
        "truncated_at": name_of(hits[shown - 1].path) if cut and shown else None,
        "results": [{"file": name, "matches": matches} for name, matches in files.items()],
    }
    return ToolResult(encoded(answer))


# Editing


class LargeChange(Arguments):
    """One replacement."""

    search: Annotated[str, Field(min_length=1)]
    replace: str
    fuzzy: Annotated[bool | None, Field(description="Overrides the call's.")] = None


class LargeEdit(LargeFile):
    """The changes of a file, in either style."""

    changes: Annotated[list[LargeChange] | None, Field(min_length=1, max_length=50)] = None
    search_text: Annotated[str | None, Field(min_length=1, description="In place of changes.")] = None
    replace_text: str | None = None
    fuzzy: Annotated[bool, Field(description="Tolerate small differences in whitespace and quotes.")] = True
    preview: Annotated[bool, Field(description="false: write.")] = True

    @model_validator(mode="after")
    def _one_style(self) -> Self:
        if (self.changes is None) == (self.search_text is None):
            raise ValueError("give changes, or search_text and replace_text")
        if (self.search_text is None) != (self.replace_text is None):
            raise ValueError("search_text and replace_text belong together")
        return self


class LargeRevert(LargeFile):
    """Which backup."""

    backup_id: Annotated[str | None, Field(description="Left out: the newest.")] = None


def _edit_content(call: Call, arguments: LargeEdit) -> ToolResult:
    """Search and replace; a preview unless ``preview=false``; all changes or none."""
    edits: list[EditRequest] = [
        {"search": change.search, "replace": change.replace, "fuzzy": change.fuzzy}
        for change in arguments.changes or ()
    ] or [{"search": arguments.search_text or "", "replace": arguments.replace_text or ""}]
    try:
        made = call.edit(
            arguments.absolute_file_path, edits, fuzzy=arguments.fuzzy, preview=arguments.preview
        )
    except FilewrightError as error:
        if error.code not in _REFUSED_CHANGE:
            raise
        return ToolResult(encoded(_refused(call, arguments, len(edits), error)))
    results = [_applied(outcome) for outcome in made.results]
    answer: Json = {
        "success": True,
        "changes_made": made.changes_made,
        "line_number": made.line_number,
        "similarity_used": made.similarity,
        "match_type": "exact" if all(r["match_type"] == "exact" for r in results) else "fuzzy",
        "changes_applied": len(results),
        "changes_failed": 0,
        "results": results,
        "preview": clip(made.diff, call.context.settings.hard_chars // 3),
        "backup_created": made.change_id,
    }
    if made.syntax_warning:
        answer["warning"] = made.syntax_warning
    return ToolResult(encoded(answer))


def _applied(outcome: Outcome) -> Json:
    return {
        "index": outcome.index,
        "success": True,
        "line_number": outcome.first,
        "match_type": "exact" if outcome.tier == "exact" else "fuzzy",
        "tier": str(outcome.tier),
        "similarity": round(outcome.similarity, 4),
    }


def _refused(call: Call, arguments: LargeEdit, count: int, error: FilewrightError) -> Json:
    """Nothing was changed: which changes were refused and why, with the nearest text."""
    refusals = {refusal["edit"]: refusal for refusal in error.details.get("refusals", ())}
    results: list[Json] = []
    for index in range(count):
        refusal = refusals.get(index)
        result: Json = {"index": index, "success": False}
        if refusal is not None:
            hint = _CLEARER if refusal["code"] == Code.AMBIGUOUS_MATCH else refusal["hint"]
            result["error"] = _from_zero(f"{refusal['code']}: {refusal['message']} ({hint})")
            similar = _nearest(call, arguments.absolute_file_path, refusal)
            if similar:
                result["similar_matches"] = similar
        elif refusals:
            result["error"] = "not applied: another change was refused"
        else:
            result["error"] = f"{error.code}: {error.message}"
        results.append(result)
    return {
        "success": False,
        "changes_made": 0,
        "line_number": 0,
        "similarity_used": 0.0,
        "changes_applied": 0,
        "changes_failed": len(refusals) or count,
        "results": results,
        "preview": "",
        "backup_created": None,
    }


def _from_zero(text: str) -> str:
    """A native message about edits, which counts them from 1, in the numbers that `index` has here."""

    def renamed(found: re.Match[str]) -> str:
        numbers = [str(int(number) - 1) for number in found.groups() if number is not None]
        return f"change{'s' if len(numbers) > 1 else ''} {' and '.join(numbers)}"

    return _EDITS_NAMED.sub(renamed, text)


def _nearest(call: Call, path: str, refusal: Mapping[str, Any]) -> list[Json]:
    """Up to three places: where an ambiguous text occurs, or what is most like a missing one."""
    if refusal["code"] == Code.AMBIGUOUS_MATCH:
        lines = refusal["lines"][:_SIMILAR]
        places = [(n, call.read(path, line=n, limit=1, numbered=False).content, 1.0) for n in lines]
    else:
        nearest = refusal["nearest"][:_SIMILAR]
        places = [(near["first_line"], near["text"], near["similarity"]) for near in nearest]
    return [
        {"line": line, "content": clip(text, _SIMILAR_CHARS), "similarity": similarity}
        for line, text, similarity in places
    ]


def _revert_edit(call: Call, arguments: LargeRevert) -> ToolResult:
    """Bring a file back to what it was before a change; what it holds now becomes a backup."""
    from filewright.tools import restore_file

    path = arguments.absolute_file_path
    made = restore_file(call.context, path, arguments.backup_id, call.task)
    available = [_backup(state, path) for state in made.states if state.size is not None]
    answer = {
        "success": True,
        "reverted_to": _backup(made.restored, path),
        "current_saved_as": _backup(made.made, path),
        "available_backups": available[: fit(available, call.context.settings.hard_chars // 2)],
    }
    return ToolResult(encoded(answer))


def _backup(state: FileState, path: str) -> Json:
    return {"id": state.change_id, "timestamp": state.time, "size": state.size, "path": path}


# The surface


def _limits(settings: Settings) -> Mapping[str, Any]:
    """Pages as large as a result may be; no images; the original's environment variables for lines."""
    limits = {"page_chars": settings.hard_chars - 1_500, "image_bytes": 0}
    for name, default, variable in (
        ("line_chars", _DEFAULT_LINE_CHARS, "LARGEFILE_MAX_LINE_LENGTH"),
        ("match_chars", _DEFAULT_MATCH_CHARS, "LARGEFILE_TRUNCATE_LENGTH"),
    ):
        given = os.environ.get(variable, "")
        if getattr(settings, name) == default and given.isdigit():
            limits[name] = max(40, int(given))
    return limits


SURFACE = dialect(
    "largefile",
    workflow=(
        "Work on large files by absolute path: get_overview first, search_content to find, read_content or "
        "read_enclosing to look, edit_content with preview=true, then preview=false. Every edit makes a backup; "
        "revert_edit brings one back. Answers are JSON; edit_content says success and, for a refused change, "
        "similar_matches."
    ),
    answers_json=True,
    tools=(
        row(
            "get_overview",
            "Structure of a file: lines, size, encoding, long lines, outline with line numbers, what to search "
            "for. Use it first. changed_lines marks the symbols that a diff touched.",
            LargeOverview,
            _get_overview,
        ),
        row(
            "search_content",
            "Find text in a file: exact hits first, then similar ones (fuzzy), or a regex. count_only counts "
            "the lines.",
            LargeSearch,
            _search_content,
        ),
        row(
            "read_content",
            "Read lines by number, around a pattern, the whole function or class (semantic), or the head or tail.",
            LargeRead,
            _read_content,
        ),
        row(
            "read_enclosing",
            "The whole function or class around a line.",
            LargeEnclosing,
            _read_enclosing,
        ),
        writing_row(
            "edit_content",
            "Replace text by search and replace; preview=true (default) writes nothing. All changes or none; a "
            "text that occurs more than once is refused with its places.",
            LargeEdit,
            _edit_content,
        ),
        writing_row(
            "revert_edit",
            "Bring a file back to a backup, the newest if none is named; the present content becomes a backup.",
            LargeRevert,
            _revert_edit,
            toolset="history",
        ),
        row(
            "list_directory",
            "List a directory to a depth, folders first.",
            LargeList,
            _list_directory,
        ),
        row(
            "search_directory",
            "Find text in the files of a directory, grouped by file.",
            LargeSearchFolder,
            _search_directory,
        ),
    ),
    limits=_limits,
    refusal=_refusal,
)
