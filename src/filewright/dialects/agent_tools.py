"""The dialect `agent-tools`: one file per call, plain text, errors as one JSON object.

The surface that coding agents are trained on: numbered lines, exact strings replaced, `grep` with
pages, unified diffs. A code that this dialect lacks becomes the nearest it has.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from filewright.dialects.shared import (
    LINE_WORDS,
    Call,
    LenientArguments,
    dialect,
    encoded,
    row,
    worded,
    writing_row,
)
from filewright.errors import Code, FilewrightError
from filewright.settings import Settings
from filewright.tools import FailedCall, ToolResult
from filewright.visible import visible
from filewright.wording import counted

if TYPE_CHECKING:
    from filewright.structure import Symbol, SyntaxIssue
    from filewright.tools import (
        EditRequest,
        EditResult,
        FileRead,
        ListedEntry,
        OverviewResult,
        SearchHit,
        SearchResult,
    )

_LINE_CHARS = 2000
_CUT = " [... line truncated ...]"
_READ_LINES = 2000
_FOOTER_BYTES = 600
_IMAGE_BYTES = 5 << 20
_GREP_FILES = 20_000
_GREP_PAGE = 2_000
_NEAR_CHARS = 200


# Errors

_NEAREST = {
    Code.ALREADY_EXISTS: "invalid_input",
    Code.SYMLINK: "invalid_input",
    Code.OVERLAP: "invalid_input",
    Code.NO_CHANGE: "invalid_input",
    Code.UNENCODABLE: "invalid_input",
    Code.NOT_A_DIRECTORY: "invalid_input",
    Code.UNSUPPORTED: "invalid_input",
    Code.STALE_VERSION: "no_match",
    Code.ALREADY_APPLIED: "no_match",
    Code.PERMISSION_DENIED: "denied",
    Code.READ_ONLY: "denied",
    Code.HARD_LINKED: "denied",
    Code.IN_USE: "denied",
    Code.NO_SPACE: "io_error",
    Code.CANCELLED: "aborted",
}
"""The code of this dialect for each native one that it lacks."""

_LINES_LISTED = 20
_LEFT_OUT = frozenset({"error", "message", "hint", "code", "native_code", "refusals", "suggestions"})
_EDIT_NAMED = re.compile(r"edits\[(\d+)\]")
_CLEARER = "add lines of context to old_string until it occurs once, or give replace_all=true"
_WORDS = {
    **LINE_WORDS,
    "the search text": "old_string",
    "read_content": "read_file",
    "stat_items": "file_stat",
    "list_files": "list_dir",
    "write_content": "write_file",
    "create_directories": "mkdir",
}


def _code(code: Code) -> str:
    """A native code in this dialect."""
    return _NEAREST.get(code, str(code))


def _message(error: FilewrightError) -> str:
    lines = error.details.get("lines")
    if error.code != Code.AMBIGUOUS_MATCH or not isinstance(lines, list) or "path" not in error.details:
        return worded(error.message, _WORDS)
    which = f"edit[{error.details['edit']}]: " if error.message.startswith("edit[") else ""
    more = " and more" if len(lines) > _LINES_LISTED else ""
    listed = ", ".join(map(str, lines[:_LINES_LISTED]))
    exactly = ", but for whitespace" if error.details.get("nearest") else ""
    return f"{which}{error.details['path']}: old_string occurs more than once{exactly}: lines {listed}{more}"


def _refusal(error: FilewrightError, limit: int) -> ToolResult:
    """The answer of a call that failed: `{"error", "message", …}`, its fields as far as they fit."""
    code = "not_found" if "tool" in error.details else error.details.get("error", _code(error.code))
    body: dict[str, Any] = {"error": code, "message": _message(error)}
    if code != error.code:
        body["native_code"] = str(error.code)
    hint = error.hint
    if error.code == Code.AMBIGUOUS_MATCH and not error.details.get("nearest"):
        hint = _CLEARER
    if hint:
        body["hint"] = worded(hint, _WORDS)
    if len(encoded(body)) > limit:
        body["message"] = body["message"][: limit // 4] + "…"
    for name, value in error.details.items():
        if name == "argument":
            value = "offset" if value == "start" else value
            if (number := _EDIT_NAMED.match(str(value))) is not None:
                body["index"] = int(number[1])
        if name in _LEFT_OUT or value is None or value in ([], {}):
            continue
        shortened = value[:_LINES_LISTED] if name == "lines" and isinstance(value, list) else value
        if len(encoded({**body, name: shortened})) <= limit:
            body[name] = shortened
    return FailedCall(encoded(body), error=error)


# Rows of text within the dialect's cap of bytes


def _room(call: Call) -> int:
    """Bytes of rows that fit, a footer left room for."""
    settings = call.context.settings
    return max(200, min(settings.agent_output_bytes, settings.hard_chars) - _FOOTER_BYTES)


def _size(rows: Iterable[str]) -> int:
    return sum(len(row.encode("utf-8", "replace")) + 1 for row in rows)


def _fitting(rows: Iterable[str], limit: int) -> list[str]:
    """The first of `rows` that fit in `limit` bytes; at least one, cut inside no character."""
    kept: list[str] = []
    used = 0
    for each in rows:
        used += _size([each])
        if used > limit:
            if not kept:
                kept.append(
                    each.encode("utf-8", "replace")[: limit - len(_CUT)].decode("utf-8", "ignore") + _CUT
                )
            break
        kept.append(each)
    return kept


def _answered(call: Call, rows: Sequence[str], *footers: str, empty: str = "") -> ToolResult:
    """The rows that fit, then what is said of them; `empty` if there are none."""
    if not rows:
        return ToolResult("\n".join([empty, *footers]))
    kept = _fitting(rows, _room(call))
    notes = list(footers)
    if len(kept) < len(rows):
        notes.insert(
            0, f"[... output truncated: {len(kept)} of {len(rows)} lines shown; narrow the request ...]"
        )
    return ToolResult("\n".join([*kept, *notes]))


# Reading


class AgentPath(LenientArguments):
    """Which file or folder."""

    path: str


class AgentRead(AgentPath):
    """Which lines of which file."""

    offset: Annotated[int, Field(description="First line, from 1; negative: the last lines.")] = 1
    limit: Annotated[int, Field(ge=0, description="Lines at most; 0: the default.")] = _READ_LINES
    encoding: Annotated[str | None, Field(description="Where it is not found out.")] = None
    column: Annotated[
        int | None, Field(ge=1, description="Read the one line offset from this character on.")
    ] = None


class AgentReadFiles(LenientArguments):
    """Which files."""

    paths: Annotated[list[str], Field(min_length=1, max_length=64)]


class AgentListDir(LenientArguments):
    """Which folder."""

    path: str = "."


class AgentGlob(AgentListDir):
    """Which files."""

    pattern: Annotated[str, Field(min_length=1, description="Such as **/*.py.")]
    respect_gitignore: bool = True


class AgentTree(AgentListDir):
    """Which folder, how deep."""

    depth: Annotated[int, Field(ge=0, le=64, description="0: the default.")] = 4
    respect_gitignore: bool = True


class AgentDiff(LenientArguments):
    """Which two files."""

    before: Annotated[str, Field(alias="from")]
    after: Annotated[str, Field(alias="to")]


def _numbered(file: FileRead) -> list[str]:
    """The lines of a native read as rows: number, TAB, text."""
    cut = frozenset(file.cut_at)
    return [
        f"{number:>6}\t{visible(line)}{_CUT if number in cut else ''}"
        for number, line in enumerate(file.rows, file.start_line)
    ]


def _read_file(call: Call, arguments: AgentRead) -> ToolResult:
    """Numbered lines, and the offset to go on with."""
    path, encoding = arguments.path, arguments.encoding
    if arguments.column is not None:
        return _read_on(
            call.read(path, line=max(1, arguments.offset), column=arguments.column, encoding=encoding)
        )
    limit = arguments.limit or _READ_LINES
    file = call.read(path, start=arguments.offset, limit=limit, encoding=encoding)
    rows = _numbered(file)
    if not rows:
        return ToolResult("(empty file)")
    kept = _fitting(rows, _room(call))
    last = file.start_line + len(kept) - 1
    if file.next is not None or len(kept) < len(rows):
        many = counted(len(kept), "line")
        if file.total_lines is not None:
            many = f"{len(kept)} of {file.total_lines} lines"
        kept.append(f"[... {many} shown; continue with offset={last + 1} ...]")
    cut = [number for number in file.cut_at if number <= last]
    if cut:
        kept.append(f"(lines cut; read on with offset={cut[0]} and column={_LINE_CHARS + 1})")
    if file.encoding not in (None, "utf-8", "ascii", "utf-16-le", "utf-16-be"):
        kept.append(f"(encoding: {file.encoding})")
    invalid = [str(number) for number in file.invalid_lines if number <= last]
    if invalid:
        kept.append(
            f"(bytes that are not {file.encoding}, shown as \ufffd, in lines {', '.join(invalid[:20])})"
        )
    return ToolResult("\n".join(kept))


def _read_on(file: FileRead) -> ToolResult:
    """A piece of one long line, and the column to go on with."""
    row = f"{file.start_line:>6}\t{visible(file.content)}"
    if file.next is None:
        return ToolResult(row)
    return ToolResult(f"{row}\n(the line goes on; call again with column={file.next.column})")


def _read_image(call: Call, arguments: AgentPath) -> ToolResult:
    """An image to be looked at."""
    from filewright.tools import ReadArguments
    from filewright.tools import read_content as run

    limits = {"image_bytes": _IMAGE_BYTES, "max_file_bytes": 0}
    context = call.context.under(call.context.settings.model_copy(update=limits))
    try:
        image = run(context, ReadArguments(path=arguments.path, limit=1), call.task)
    except FilewrightError as error:
        if error.code == Code.IS_BINARY:
            error.code = Code.INVALID_INPUT
            error.message = f"{arguments.path} is not an image: {error.details.get('type')}"
            error.details["error"] = "not_an_image"
        raise
    if not image.images:
        raise FilewrightError(
            Code.INVALID_INPUT,
            f"{arguments.path} is text, not an image",
            hint="read it with read_file",
            details={"path": arguments.path, "error": "not_an_image"},
        )
    return ToolResult("", images=image.images)


def _read_files(call: Call, arguments: AgentReadFiles) -> ToolResult:
    """The files that fit, each under a heading, failures in their place; and how many are left out."""
    rows: list[str] = []
    left = _room(call)
    for position, path in enumerate(arguments.paths):
        if left <= 0:
            omitted = len(arguments.paths) - position
            rows.append(f"[... {omitted} more file(s) not shown; call read_files with fewer paths ...]")
            break
        section = _section(call, path, left)
        left -= _size(section)
        rows += section
    return ToolResult("\n".join(rows))


def _section(call: Call, path: str, room: int) -> list[str]:
    """A file under its heading, as far as it fits, or why it cannot be read."""
    try:
        file = call.read(path, limit=_READ_LINES)
    except FilewrightError as error:
        if error.code in (Code.CANCELLED, Code.TIMEOUT):
            raise
        return [f"==> {visible(path)} — {_code(error.code)}: {visible(error.message)} <=="]
    numbered = _numbered(file)
    kept = _fitting(numbered, max(200, room)) or ["(empty file)"]
    rows = [f"==> {visible(path)} <==", *kept]
    if file.next is not None or len(kept) < len(numbered):
        rows.append(f"[... more; use read_file with offset={file.start_line + len(kept)} for the rest ...]")
    return rows


def _list_dir(call: Call, arguments: AgentListDir) -> ToolResult:
    """Folders first, then files with their sizes."""
    entries, complete = call.entries(arguments.path, details=True, include_ignored=True)
    folders = {
        entry.name for entry in entries if entry.type == "folder" or _leads_to(call, entry) == "folder"
    }
    rows = [f"{visible(entry.name)}/" for entry in entries if entry.name in folders]
    for entry in entries:
        if entry.name not in folders:
            gone = entry.type == "link" and _leads_to(call, entry) is None
            rows.append(f"{visible(entry.name)}\t{0 if gone else entry.size}")
    return _answered(call, rows, *_more(complete, "entries"), empty="(empty directory)")


def _leads_to(call: Call, entry: ListedEntry) -> str | None:
    """What a link leads to: a folder or a file; None where that is nothing this workspace reaches."""
    if entry.type != "link":
        return None
    boundary = call.context.boundary
    location = boundary.locate(entry.path)
    for kind, opened in (("folder", boundary.open_folder), ("file", boundary.open_file)):
        try:
            opened(location).close()
        except FilewrightError:
            continue
        return kind
    return None


def _more(complete: bool, what: str) -> Sequence[str]:
    return () if complete else (f"(more {what}, not shown)",)


def _glob(call: Call, arguments: AgentGlob) -> ToolResult:
    """The files that fit, newest first."""
    entries, complete = call.entries(
        arguments.path,
        glob=arguments.pattern,
        sort="modified",
        include_ignored=not arguments.respect_gitignore,
    )
    rows = [visible(entry.path) for entry in entries if entry.type == "file"]
    return _answered(call, rows, *_more(complete, "files"), empty="(no matches)")


def _tree(call: Call, arguments: AgentTree) -> ToolResult:
    """A folder drawn as a tree, folders first; linked folders are named, not entered."""
    entries, complete = call.entries(
        arguments.path,
        depth=arguments.depth or 4,
        details=True,
        include_ignored=not arguments.respect_gitignore,
    )
    locate = call.context.boundary.locate
    top = locate(arguments.path)
    held: _Held = {}
    for entry in entries:
        parts = locate(entry.path.removesuffix("/")).parts
        held.setdefault(parts[:-1], []).append((parts, entry))
    drawn = list(_branches(held, top.parts))
    return _answered(call, [top.shown, *(drawn or ["(no entries)"])], *_more(complete, "entries"))


_Held = dict[tuple[bytes, ...], list[tuple[tuple[bytes, ...], "ListedEntry"]]]
"""The entries of each folder with their parts, by the parts of the folder."""


def _branches(held: _Held, folder: tuple[bytes, ...], margin: str = "") -> Iterator[str]:
    entries = sorted(held.get(folder, ()), key=lambda each: (each[1].type != "folder", each[0]))
    for position, (parts, entry) in enumerate(entries, 1):
        corner, below = ("└── ", "    ") if position == len(entries) else ("├── ", "│   ")
        end = {"folder": "/", "link": "@"}.get(entry.type, f"\t{entry.size}")
        yield f"{margin}{corner}{visible(entry.name)}{end}"
        if entry.type == "folder":
            yield from _branches(held, parts, margin + below)


def _file_stat(call: Call, arguments: AgentPath) -> ToolResult:
    """What is known of a file without reading it, as a JSON object."""
    (item,) = call.stat(arguments.path).results
    if item.stats is None:
        assert item.error is not None
        raise item.error
    known = item.stats
    facts: dict[str, Any] = {
        "path": arguments.path,
        "type": {"file": "file", "folder": "directory", "link": "symlink"}.get(known.type, "other"),
        "size": known.size,
        "mtime": known.modified,
        "mode": known.mode,
        "owner": known.owner,
        "group": known.group,
    }
    if known.type == "link":
        facts["symlink_target"] = known.target
    if known.type == "file":
        image = known.binary is not None and known.binary.startswith("image/")
        facts |= {"binary": known.binary is not None, "mime": known.binary if image else None}
        if known.unreadable is not None:
            facts["unreadable"] = known.unreadable
        else:
            facts |= {"encoding": known.encoding, "line_ending": known.line_ending, "version": known.version}
    return ToolResult(encoded(facts))


def _diff(call: Call, arguments: AgentDiff) -> ToolResult:
    """A unified diff of two files."""
    from filewright.tools import compare_files

    made = compare_files(call.context, arguments.before, arguments.after, call.task)
    if made.identical:
        return ToolResult("(no differences)")
    return _answered(call, made.text.rstrip("\n").split("\n"))


def _symbols(symbols: Sequence[Symbol], depth: int = 0) -> Iterator[str]:
    for symbol in symbols:
        yield f"{'  ' * depth}{symbol.start_line}-{symbol.end_line} {symbol.kind} {visible(symbol.name)}"
        if depth < 30:
            yield from _symbols(symbol.children, depth + 1)


def _outline(call: Call, arguments: AgentPath) -> ToolResult:
    """The definitions of a file with their lines."""
    overview = call.get_overview(arguments.path, since="", max_symbols=5000)
    if not overview.outline:
        _require_grammar("outline", arguments.path, overview)
    notes = [f"({overview.outline_note})"] if overview.outline_note else []
    if errors := overview.syntax_errors.count:
        notes.append(f"note: file has syntax errors ({errors}); outline may be incomplete, see check_syntax")
    return _answered(call, list(_symbols(overview.outline)), *notes, empty="(no symbols found)")


def _require_grammar(tool: str, path: str, overview: OverviewResult) -> None:
    """Refuse a kind of file that is never parsed; a note says why one that could be was not."""
    if overview.parsed != "no" or overview.outline_note is not None:
        return
    raise FilewrightError(
        Code.INVALID_INPUT,
        f"{tool} does not support {path}: there is no grammar for this kind of file",
        hint="read it with read_file",
        details={"path": path},
    )


def _check_syntax(call: Call, arguments: AgentPath) -> ToolResult:
    """The syntax errors of a file, as a JSON object; `ok` is null where the file was not parsed."""
    overview = call.get_overview(arguments.path, since="", max_symbols=0)
    _require_grammar("check_syntax", arguments.path, overview)
    errors = overview.syntax_errors
    facts = {
        "path": arguments.path,
        "language": overview.language,
        "ok": errors.count == 0 if overview.parsed == "whole" or errors.count else None,
        "errors": [_issue(call, arguments.path, issue) for issue in errors.first],
        "error_count": errors.count,
        "truncated": errors.count > len(errors.first),
    }
    if overview.outline_note is not None:
        facts["note"] = overview.outline_note
    return ToolResult(encoded(facts))


def _issue(call: Call, path: str, issue: SyntaxIssue) -> dict[str, Any]:
    """An issue as there: near it is the line it is in, or the token that is missing."""
    missing = issue.message.startswith("missing ")
    near = issue.message.removeprefix("missing ") if missing else ""
    if not missing:
        try:
            near = call.read(path, start=issue.line, limit=1).content.strip()
        except FilewrightError as error:
            if error.code != Code.INVALID_INPUT:  # what ends too early may be of the line after the last
                raise
    return {
        "kind": "missing" if missing else "error",
        "line": issue.line,
        "column": issue.column,
        "near": visible((near or issue.text or issue.message)[:_NEAR_CHARS]),
    }


# Searching


class AgentGrep(AgentListDir):
    """What to find, where, and how to show it."""

    pattern: Annotated[str, Field(min_length=1, description="A regular expression.")]
    path: Annotated[str, Field(description="File or folder.")] = "."
    glob: Annotated[str | None, Field(description="Only files that match, such as *.py.")] = None
    output_mode: Literal["files_with_matches", "content", "count"] = "files_with_matches"
    ignore_case: bool = False
    context: Annotated[int | None, Field(ge=0, le=50, description="Lines around each match.")] = None
    before_context: Annotated[int | None, Field(ge=0, le=50)] = None
    after_context: Annotated[int | None, Field(ge=0, le=50)] = None
    head_limit: Annotated[int | None, Field(ge=0, description="Results at most; 0: all.")] = None
    offset: Annotated[int, Field(ge=0, description="Results to pass over.")] = 0
    multiline: bool = False


def _grep(call: Call, arguments: AgentGrep) -> ToolResult:
    """Search; sorted by path and line. A file that is not text has no matches."""
    try:
        return _grepped(call, arguments)
    except FilewrightError as error:
        if error.code != Code.IS_BINARY:
            raise
        return ToolResult("(no matches)")


def _grepped(call: Call, arguments: AgentGrep) -> ToolResult:
    if arguments.output_mode == "content":
        rows, shown, total, complete = _matching_lines(call, arguments)
    else:
        last = arguments.offset + arguments.head_limit if arguments.head_limit else None
        counting = arguments.output_mode == "count"
        found, complete = _matching_files(call, arguments, "counts" if counting else "files")
        names = [visible(path) + (f":{count}" if counting else "") for path, count in found]
        wanted = names[arguments.offset : last]
        rows = _fitting(wanted, _room(call)) if wanted else []
        shown, total = len(rows), len(names)
    stopped = "[... search incomplete: it stopped early; narrow the pattern, path, or glob for complete results ...]"
    if not rows and total:
        return ToolResult(f"(no results at offset {arguments.offset}; {total} total)")
    if not rows:
        return ToolResult("(no matches)" if complete else stopped)
    following = arguments.offset + shown
    if following < total:
        cut = "" if shown == arguments.head_limit else "page was cut: "
        many = str(total) if complete else f"at least {total}"
        rows.append(
            f"[... {cut}showing {arguments.offset}..{following} of {many}; "
            f"call again with offset={following} for more ...]"
        )
    return ToolResult("\n".join(rows if complete else [*rows, stopped]))


def _pages(
    call: Call,
    arguments: AgentGrep,
    output: Literal["matches", "files", "counts"],
    enough: Callable[[SearchResult], bool],
    before: int = 0,
    after: int = 0,
) -> bool:
    """Hand the pages of the native search to `enough` until it says so; whether they were all there are."""
    cursor = None
    pattern = _dotting(call, arguments.pattern) if arguments.multiline else arguments.pattern
    while True:
        found = call.search(
            pattern,
            arguments.path,
            glob=arguments.glob,
            mode="regex",
            case="insensitive" if arguments.ignore_case else "sensitive",
            multiline=arguments.multiline,
            context_before=before,
            context_after=after,
            output=output,
            max_results=_GREP_PAGE,
            cursor=cursor,
        )
        full, cursor = enough(found), found.next_cursor
        if cursor is None:
            return found.complete
        if full:
            return False


def _dotting(call: Call, pattern: str) -> str:
    """The pattern with a dot that matches line ends too; a wrong one is refused as it was given."""
    from filewright.search import compile_pattern

    limit = call.context.settings.max_pattern_chars
    compile_pattern(pattern, mode="regex", multiline=True, max_chars=limit)
    return f"(?s){pattern}"


def _matching_files(
    call: Call, arguments: AgentGrep, output: Literal["files", "counts"]
) -> tuple[list[tuple[str, int]], bool]:
    """The files that match, each with its count (1 unless counted), and whether they are all."""
    files: list[tuple[str, int]] = []
    if arguments.multiline:  # where a match of nothing is none, which only the matches themselves show
        hits, complete = _hits(call, arguments, lambda _: False)
        lines: dict[str, set[int]] = {}
        for hit in hits:
            lines.setdefault(hit.path, set()).add(hit.line)
        return [(path, len(found)) for path, found in lines.items()], complete

    def enough(found: SearchResult) -> bool:
        files.extend((f.path, 1 if f.count is None else f.count) for f in found.files if f.count != 0)
        return len(files) >= _GREP_FILES

    complete = _pages(call, arguments, output, enough)
    return files, complete


def _matching_lines(call: Call, arguments: AgentGrep) -> tuple[list[str], int, int, bool]:
    """The rows of a page, how many hits they show of how many in all, and whether that is known."""
    around = arguments.context or 0
    before = around if arguments.before_context is None else arguments.before_context
    after = around if arguments.after_context is None else arguments.after_context
    groups, limit, most = bool(before or after), _room(call), arguments.head_limit or None
    page: list[SearchHit] = []

    def enough(hits: Sequence[SearchHit], skip: int = 0) -> bool:
        wanted = [*page, *hits[skip:]]
        if most is not None and len(wanted) >= most:
            return True
        return bool(wanted) and _hit_rows(wanted, limit, groups=groups)[1] < len(wanted)

    skip = arguments.offset
    if not skip or arguments.multiline:
        hits, complete = _hits(call, arguments, partial(enough, skip=skip), before, after)
        page, total = hits[skip:], len(hits)
        if not complete:
            counts, complete = _matching_files(call, arguments, "counts")
            total = max(total, sum(count for _, count in counts))
    else:  # the files before a later page are counted only, which is much less work than to show them
        counts, complete = _matching_files(call, arguments, "counts")
        total = sum(count for _, count in counts)
        for path, count in counts:
            if skip >= count:
                skip -= count
                continue
            within = arguments.model_copy(update={"path": path, "glob": None})
            hits, _ = _hits(call, within, partial(enough, skip=skip), before, after)
            page += hits[skip:]
            skip = 0
            if enough(()):
                break
    rows, shown = _hit_rows(page[:most], limit, groups=groups)
    return rows, shown, total, complete


def _hits(
    call: Call,
    arguments: AgentGrep,
    enough: Callable[[Sequence[SearchHit]], bool],
    before: int = 0,
    after: int = 0,
) -> tuple[list[SearchHit], bool]:
    """Matches until they are `enough`, and whether they are all; in multiline mode none of nothing."""
    hits: list[SearchHit] = []

    def full(found: SearchResult) -> bool:
        hits.extend(hit for hit in found.results if hit.end > hit.offset or not arguments.multiline)
        return enough(hits)

    complete = _pages(call, arguments, "matches", full, before, after)
    return hits, complete


def _hit_rows(hits: Sequence[SearchHit], limit: int, *, groups: bool) -> tuple[list[str], int]:
    """The hits with their context as rows, and how many hits fit."""
    rows: list[str] = []
    used = 0
    path, seen, matched = "", 0, 0
    """The file of the hit before, the last line of it that is shown, the last that is part of a match."""
    for position, hit in enumerate(hits):
        if hit.path != path:
            path, seen, matched = hit.path, 0, 0
        name = visible(path)
        following = hits[position + 1] if position + 1 < len(hits) else None
        next_line = following.line if following is not None and following.path == path else None
        above = list(enumerate(hit.context_before, hit.line - len(hit.context_before)))
        above = [(number, text) for number, text in above if number > seen]
        below = list(enumerate(hit.context_after, hit.last_line + 1))
        below = [(number, text) for number, text in below if next_line is None or number < next_line]
        block: list[str] = []
        begins = above[0][0] if above else hit.line
        if groups and rows and (seen == 0 or begins > seen + 1):
            block.append("--")
        block += [f"{name}-{number}-{visible(text)}" for number, text in above]
        if hit.line > matched:
            block.append(f"{name}:{hit.line}:{_hit_text(hit)}")
        block += [
            f"{name}:{number}:{visible(text)}" for number, text in enumerate(hit.more_lines, hit.line + 1)
        ]
        block += [f"{name}-{number}-{visible(text)}" for number, text in below]
        if used + _size(block) > limit:
            return (rows, position) if rows else (_fitting(block, limit), 1)
        rows += block
        used += _size(block)
        matched = hit.last_line if hit.more_lines else 0
        seen = below[-1][0] if below else hit.last_line
    return rows, len(hits)


def _hit_text(hit: SearchHit) -> str:
    text = visible(hit.text)
    return f"{'…' if hit.text_column > 1 else ''}{text}…" if hit.truncated else text


# Changing


class AgentReplacement(LenientArguments):
    """A text and what takes its place."""

    old_string: str
    new_string: str
    replace_all: bool = False

    @model_validator(mode="after")
    def _meaningful(self) -> Self:
        if not self.old_string:
            raise ValueError("old_string must not be empty")
        if self.old_string == self.new_string:
            raise ValueError("old_string and new_string are identical")
        return self

    @property
    def native(self) -> EditRequest:
        """The native edit."""
        return {"search": self.old_string, "replace": self.new_string, "replace_all": self.replace_all}


class AgentEdit(AgentReplacement):
    """One edit of a file."""

    path: str


class AgentMultiEdit(AgentPath):
    """Edits of a file, each made on the result of the one before."""

    edits: Annotated[list[AgentReplacement], Field(min_length=1)]


class AgentPatch(LenientArguments):
    """A unified diff."""

    patch: str


class AgentWrite(AgentPath):
    """A whole file."""

    content: str


class AgentReplace(LenientArguments):
    """A replacement in many files."""

    pattern: Annotated[str, Field(min_length=1, description="A regular expression.")]
    replacement: Annotated[str, Field(description="$1 and ${name} are groups.")]
    path: Annotated[str | None, Field(description="File or folder.")] = None
    glob: str | None = None
    ignore_case: bool = False
    multiline: bool = False
    dry_run: bool = True

    @model_validator(mode="after")
    def _scoped(self) -> Self:
        if not self.path and not self.glob:
            raise ValueError("give path or glob to scope the replacement")
        return self


class AgentPair(LenientArguments):
    """From where to where."""

    source: str
    destination: str
    overwrite: bool = False


def _edit_file(call: Call, arguments: AgentEdit) -> ToolResult:
    """One edit."""
    try:
        made = call.edit(arguments.path, [arguments.native])
    except FilewrightError as error:
        raise _edit_error(error, [arguments]) from error
    return _edited(call, made, f"Replaced {counted(made.changes_made, 'occurrence')} in", arguments.path)


def _multi_edit(call: Call, arguments: AgentMultiEdit) -> ToolResult:
    """Several edits in order, all or nothing."""
    try:
        made = call.edit(arguments.path, [edit.native for edit in arguments.edits], in_turn=True)
    except FilewrightError as error:
        if "edit" in error.details:
            error.message = f"edit[{error.details['edit']}]: {error.message}"
            error.details["index"] = error.details["edit"]
        raise _edit_error(error, arguments.edits) from error
    return _edited(call, made, f"Applied {counted(len(arguments.edits), 'edit')} to", arguments.path)


def _edit_error(error: FilewrightError, edits: Sequence[AgentReplacement]) -> FilewrightError:
    """A refused edit: ambiguous too where several places are its text but for whitespace."""
    alike = [near["first_line"] for near in error.details.get("nearest", ()) if near["similarity"] == 1]
    if error.code == Code.NO_MATCH and len(alike) > 1 and not edits[error.details["edit"]].replace_all:
        hint = "copy the text with its whitespace, and with enough lines around it to occur once"
        details = {**error.details, "lines": sorted(alike)}
        return FilewrightError(Code.AMBIGUOUS_MATCH, error.message, hint=hint, details=details)
    return error


def _edited(call: Call, made: EditResult, done: str, path: str) -> ToolResult:
    rows = [f"{done} {visible(path)}."]
    for outcome in made.results:
        if outcome.tier != "exact":
            which = f"edit[{outcome.index}]: " if len(made.results) > 1 else ""
            repairs = f" after we {' and '.join(outcome.repairs)}" if outcome.repairs else ""
            rows.append(
                f"note: {which}old_string was not there exactly; matched by {outcome.tier}{repairs} "
                f"at line {outcome.first}"
            )
    return _with_diff(call, rows, made.diff, [made.syntax_warning])


def _with_diff(call: Call, rows: Iterable[str], diff: str, warnings: Iterable[str | None]) -> ToolResult:
    """What was done, warnings of what no longer parses, and the diff."""
    said = [*rows, *(f"warning: {visible(warning)}" for warning in warnings if warning)]
    return _answered(call, [*said, *map(visible, diff.rstrip("\n").split("\n") if diff else ())])


def _apply_patch(call: Call, arguments: AgentPatch) -> ToolResult:
    """A patch over any number of files, all or nothing; two names in a file's header rename it."""
    try:
        made = call.apply_patch(_with_renames(arguments.patch))
    except FilewrightError as error:
        raise _patch_error(error) from error
    rows = ["Applied patch:"]
    for file in made.files:
        was = f"{visible(file.was)} -> " if file.was else ""
        rows.append(f"  {_LETTERS.get(file.operation, 'M')} {was}{visible(file.path or '')}")
        rows += [
            f"note: hunk {hunk.number} matched by {hunk.tier} at line {hunk.line}"
            for hunk in file.hunks
            if hunk.tier != "exact"
        ]
    return _with_diff(call, rows, "", made.warnings)


_LETTERS = {"created": "A", "deleted": "D", "renamed": "R", "copied": "C"}
_HEADER = re.compile(r"--- ([^\t\r\n]+)[^\n]*\n\+\+\+ ([^\t\r\n]+)[^\n]*(?:\n|\Z)")
_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@[^\n]*(?:\n|\Z)")


def _with_renames(patch: str) -> str:
    """The patch with git's lines for a rename before each header whose two sides name different files.

    Only headers between the hunks count: what the hunks hold is text.
    """
    if "diff --git" in patch or "*** Begin Patch" in patch:
        return patch
    parts: list[str] = []
    at = 0
    while at < len(patch):
        header, hunk = _HEADER.match(patch, at), _HUNK.match(patch, at)
        if hunk is not None:
            end = _after_lines(patch, hunk.end(), *(int(count or 1) for count in hunk.groups()))
        elif header is not None:
            end = header.end()
            old, new = (_bare(name) for name in header.groups())
            if old != new and "/dev/null" not in (old, new):
                if posixpath.normpath(old) == posixpath.normpath(new):
                    parts.append(f"--- a/{old}\n+++ b/{old}\n")
                    at = end
                    continue
                parts.append(f"diff --git a/{old} b/{new}\nrename from {old}\nrename to {new}\n")
                if not _HUNK.match(patch, end):
                    at = end
                    continue
        else:
            end = patch.find("\n", at) + 1 or len(patch)
        parts.append(patch[at:end])
        at = end
    return "".join(parts)


def _after_lines(patch: str, at: int, old: int, new: int) -> int:
    """Where the lines of a hunk end that has `old` and `new` lines on its sides."""
    while at < len(patch) and (old > 0 or new > 0 or patch[at] == "\\"):
        old -= patch[at] in " -\n"
        new -= patch[at] in " +\n"
        at = patch.find("\n", at) + 1 or len(patch)
    return at


def _bare(name: str) -> str:
    return name[2:] if name.startswith(("a/", "b/")) else name


def _patch_error(error: FilewrightError) -> FilewrightError:
    """A refused patch with this dialect's codes and fields: `file` and `hunk`."""
    code = error.code
    if code == Code.ALREADY_APPLIED:
        code = Code.PATCH_FAILED
    elif error.details.get("reason") == "not_empty":
        code = Code.INVALID_INPUT
    details = dict(error.details)
    files = details.get("files")
    if "path" not in details and isinstance(files, list) and files:
        details["path"] = files[0].get("path")
    if code == Code.PATCH_FAILED and "path" in details:
        details["file"] = details["path"]
    return FilewrightError(code, error.message, hint=error.hint, details=details)


def _write_file(call: Call, arguments: AgentWrite) -> ToolResult:
    """A whole file with its parents: a new one gets newlines alone, of one that is there the diff is shown."""
    path, content = arguments.path, arguments.content
    try:
        (made,) = call.write(path, content, mode="create", newline="lf").results
        content = content.replace("\r\n", "\n")
    except FilewrightError as error:
        if error.code != Code.ALREADY_EXISTS:
            raise
        (made,) = call.write(path, content, mode="overwrite", newline="keep").results
    size = len(content.encode("utf-8", "replace"))
    head = f"Wrote {size} bytes to {visible(arguments.path)} ({made.operation})."
    return _with_diff(call, [head], made.diff, [made.syntax_warning])


def _replace(call: Call, arguments: AgentReplace) -> ToolResult:
    """Every match of a regex in a file or a tree; a preview unless dry_run is false."""
    try:
        made = call.replace(
            _dotting(call, arguments.pattern) if arguments.multiline else arguments.pattern,
            arguments.replacement,
            arguments.path or ".",
            glob=arguments.glob,
            mode="regex",
            case="insensitive" if arguments.ignore_case else "sensitive",
            multiline=arguments.multiline,
            preview=arguments.dry_run,
        )
    except FilewrightError as error:
        if error.code in (Code.NO_MATCH, Code.NO_CHANGE):
            return ToolResult("(no matches)")
        raise
    if arguments.dry_run:
        head = (
            f"{made.count} replacement(s) across {len(made.files)} file(s) "
            "(dry run — pass dry_run: false to apply)"
        )
    else:
        head = f"Replaced {made.count} occurrence(s) in {len(made.files)} file(s):"
    rows = [
        head,
        *(f"  M {visible(file.path)} ({counted(file.count, 'replacement')})" for file in made.files),
    ]
    return _with_diff(call, rows, made.diff, made.warnings)


def _move(call: Call, arguments: AgentPair) -> ToolResult:
    """Move a file."""
    return _paired(call, arguments, call.move, "Moved")


def _copy(call: Call, arguments: AgentPair) -> ToolResult:
    """Copy a file."""
    return _paired(call, arguments, call.copy, "Copied")


def _paired(call: Call, arguments: AgentPair, run: Callable[..., object], done: str) -> ToolResult:
    source, destination = arguments.source, arguments.destination
    over = arguments.overwrite and call.stat(destination).results[0].error is None
    run(source, destination, overwrite=arguments.overwrite, files_only=True)
    return ToolResult(f"{done} {visible(source)} → {visible(destination)}{' (overwritten)' if over else ''}.")


def _mkdir(call: Call, arguments: AgentPath) -> ToolResult:
    """Make a folder and its parents."""
    (made,) = call.create_directories(arguments.path).results
    done = "Directory already exists:" if made.operation == "exists" else "Created directory"
    return ToolResult(f"{done} {visible(arguments.path)}.")


def _remove(call: Call, arguments: AgentPath) -> ToolResult:
    """Delete a file."""
    call.delete(arguments.path, files_only=True)
    return ToolResult(f"Removed {visible(arguments.path)}.")


# The surface


def _limits(settings: Settings) -> Mapping[str, Any]:
    """Long lines to 2,000 characters, files and texts to the input cap, results to the output cap."""
    cap = settings.agent_input_bytes
    return {
        "page_chars": min(settings.hard_chars, max(settings.agent_output_bytes, 1_000)),
        "line_chars": _LINE_CHARS,
        "match_chars": _LINE_CHARS,
        "image_bytes": 0,
        "max_file_bytes": cap,
        "max_input_bytes": min(cap, settings.max_input_bytes),
        "max_paths": 64,
        "edit_utf16": False,
    }


SURFACE = dialect(
    "agent-tools",
    workflow=(
        "Find with grep and glob, read with read_file (numbered lines; pass offset and limit for large "
        "files), change with edit_file, multi_edit or apply_patch. old_string must be the text that is there, "
        "without line numbers, and occur once unless replace_all. Errors are JSON with error and "
        "message; a footer in parentheses says how to go on."
    ),
    tools=(
        row(
            "read_file",
            "Read a text file as numbered lines. offset starts at 1, negative reads the last lines; long lines "
            "are cut. The footer says the next offset.",
            AgentRead,
            _read_file,
        ),
        row(
            "read_files",
            "Read up to 64 text files in one call, each under ==> path <==; a failure is shown in its place.",
            AgentReadFiles,
            _read_files,
        ),
        row("read_image", "Look at an image: PNG, JPEG, GIF or WebP.", AgentPath, _read_image),
        row(
            "list_dir", "List a folder: folders first, then files with their sizes.", AgentListDir, _list_dir
        ),
        row("glob", "Find files by a glob such as **/*.py, newest first.", AgentGlob, _glob),
        row("tree", "Show the tree below a folder with sizes.", AgentTree, _tree),
        row(
            "grep",
            "Search files by a regular expression: the files that match, the lines (content, with context) or "
            "counts. head_limit and offset page through the results.",
            AgentGrep,
            _grep,
        ),
        row("file_stat", "Status of a file or folder.", AgentPath, _file_stat),
        row("outline", "The classes and functions of a file.", AgentPath, _outline),
        row("check_syntax", "The syntax errors of a file.", AgentPath, _check_syntax),
        row("diff", "Compare two files as a unified diff.", AgentDiff, _diff),
        writing_row(
            "edit_file",
            "Replace old_string by new_string in a file. It must occur exactly once, or give replace_all.",
            AgentEdit,
            _edit_file,
        ),
        writing_row(
            "multi_edit",
            "Several replacements in one file, each on the result of the one before, all or none.",
            AgentMultiEdit,
            _multi_edit,
        ),
        writing_row(
            "apply_patch",
            "Apply a unified diff to any number of files: change, create, delete, rename; all or nothing.",
            AgentPatch,
            _apply_patch,
        ),
        writing_row(
            "write_file",
            "Write a whole file, verbatim; folders are made. To change a part use edit_file.",
            AgentWrite,
            _write_file,
            idempotent=True,
        ),
        writing_row(
            "replace",
            "Replace every match of a regular expression in a file or tree; dry_run=false writes.",
            AgentReplace,
            _replace,
        ),
        writing_row("move", "Move or rename a file.", AgentPair, _move, toolset="files"),
        writing_row("copy", "Copy a file.", AgentPair, _copy, toolset="files"),
        writing_row(
            "mkdir",
            "Make a folder and its parents.",
            AgentPath,
            _mkdir,
            toolset="files",
            destructive=False,
            idempotent=True,
        ),
        writing_row("remove", "Delete a file.", AgentPath, _remove, toolset="files"),
    ),
    limits=_limits,
    refusal=_refusal,
)
