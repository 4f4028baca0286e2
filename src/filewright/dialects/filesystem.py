"""The dialect `filesystem`: batches over paths relative to the root, a result per item.

The surface of the batch filesystem servers for Node: every answer is one JSON array in the order of
the request, an item's failure fails nothing else, a bad call is a JSON-RPC number and a message.
"""

from __future__ import annotations

import datetime
import os
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeVar

from pydantic import Field, model_validator

from filewright.boundary import quote
from filewright.dialects.shared import Call, array, budgets, dialect, encoded, row, writing_row
from filewright.errors import Code, FilewrightError
from filewright.settings import Settings
from filewright.tools import Arguments, FailedCall, ToolResult

if TYPE_CHECKING:
    from filewright.edit import LineEdit
    from filewright.tools import (
        BatchResult,
        ChangedFile,
        FileRead,
        FileStatus,
        ItemResult,
        SearchHit,
        WriteRequest,
    )

T = TypeVar("T")
O = TypeVar("O")
Json = dict[str, Any]
Paths = Annotated[list[str], Field(min_length=1)]

_INVALID_PARAMS, _INVALID_REQUEST, _INTERNAL_ERROR = -32602, -32600, -32603
_ALL_LINES = 1_000_000_000
_CONTEXT = 2
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_JS_REGEX = re.compile(r"/(.+)/([gimsuy]*)", re.DOTALL)
_TEMPLATE = re.compile(r"\$(&|<([^<>]*)>)")
_ABOUT_PATHS = frozenset({
    Code.NOT_A_FILE, Code.NOT_A_DIRECTORY, Code.ALREADY_EXISTS, Code.SYMLINK, Code.PERMISSION_DENIED,
    Code.IS_BINARY, Code.HARD_LINKED, Code.IN_USE, Code.TOO_LARGE, Code.READ_ONLY,
})  # fmt: skip


# Paths, and what is said of them


class _AbsoluteError(FilewrightError):
    """An absolute path, which this dialect takes nowhere."""


def _native(path: str) -> str:
    """The native path; `invalid_input` for an absolute one."""
    if path.startswith("/") or _DRIVE.match(path):
        message = f"{_INVALID_PARAMS} Absolute paths are not allowed: {path}"
        raise _AbsoluteError(Code.INVALID_INPUT, message, details={"path": path})
    if path.startswith("~"):
        return f"./{path}"
    return path or "."


def _phrase(call: Call, error: FilewrightError, path: str) -> str:
    """An item's error in this dialect's words: the path as given, where it leads, and the root."""
    if isinstance(error, _AbsoluteError):
        return error.message
    root = quote(call.context.boundary.roots[0].path)
    leads = error.details.get("resolved") or _resolved(call, path)
    place = f"(resolved to '{leads}', project root '{root}')"
    if error.code == Code.PATH_ESCAPE:
        return f"{_INVALID_REQUEST} Path traversal detected: {path} {place}"
    if error.code == Code.NOT_FOUND:
        return f"Path not found: {path} {place}"
    text = f"{error.code}: {error.message}"
    if error.code in _ABOUT_PATHS:
        text += f" {place}"
    return f"{text} (hint: {error.hint})" if error.hint else text


def _resolved(call: Call, path: str) -> str:
    """Where a relative path leads by its text alone."""
    root = call.context.boundary.roots[0].path
    return quote(posixpath.normpath(os.path.join(root, path.encode("utf-8", "surrogatepass"))))


@contextmanager
def _about(call: Call, path: str) -> Iterator[None]:
    """What goes wrong inside with the one path of a call is said in this dialect's words."""
    try:
        yield
    except FilewrightError as error:
        raise FilewrightError(error.code, _phrase(call, error, path), details=error.details) from error


def _refusal(error: FilewrightError, limit: int) -> ToolResult:
    """The answer of a call that failed as a whole: a JSON-RPC number and the message."""
    numbers = {
        Code.INVALID_INPUT: _INVALID_PARAMS,
        Code.UNSUPPORTED: _INVALID_PARAMS,
        Code.INTERNAL: _INTERNAL_ERROR,
    }
    text = error.message
    if not text.startswith("-32"):
        text = f"{numbers.get(error.code, _INVALID_REQUEST)} {text}"
    if error.hint:
        text += f"\nhint: {error.hint}"
    return FailedCall(text[:limit], error=error)


def _answered(call: Call, items: Sequence[object], *, complete: bool = True) -> ToolResult:
    """The JSON array of a call's items, which are all there are if `complete`."""
    return ToolResult(array(items, call.context.settings.hard_chars, complete=complete))


def _per_item(
    call: Call,
    items: Sequence[T],
    paths: Callable[[T], Sequence[str]],
    request: Callable[[Sequence[T]], Sequence[O | FilewrightError]],
    answer: Callable[[T, O], Json],
    failed: Callable[[T, str, FilewrightError], Json],
) -> list[Json]:
    """An answer for each item in order: `request` is made of those whose paths this dialect takes."""
    refusals = [_refused(paths(item)) for item in items]
    taken = [item for item, refused in zip(items, refusals, strict=True) if refused is None]
    outcomes = iter(request(taken) if taken else ())
    results: list[Json] = []
    for item, refused in zip(items, refusals, strict=True):
        outcome = next(outcomes) if refused is None else refused
        if not isinstance(outcome, FilewrightError):
            results.append(answer(item, outcome))
            continue
        named = paths(item)
        given = outcome.details.get("path")
        wrong = next((p for p in named if given == p or (refused is None and given == _native(p))), named[0])
        results.append(failed(item, _phrase(call, outcome, wrong), outcome))
    return results


def _refused(paths: Sequence[str]) -> FilewrightError | None:
    try:
        for path in paths:
            _native(path)
    except FilewrightError as error:
        return error
    return None


def _batch(call: Call, results: Sequence[Json]) -> ToolResult:
    """The answer of a batch; an error if every item was refused for where its path leads."""
    answered = _answered(call, results)
    if results and all(str(result.get("error", "")).startswith("-326") for result in results):
        error = FilewrightError(Code.INVALID_INPUT, "every path was refused", details={"items": [*results]})
        return FailedCall(answered.text, error=error)
    return answered


# Reading


class ListingRequest(Arguments):
    """Which folder."""

    path: Annotated[str, Field(description="Relative path of the directory.")] = "."
    recursive: Annotated[bool, Field(description="List directories recursively.")] = False
    include_stats: Annotated[bool, Field(description="Include stats for each item.")] = False


class StatsRequest(Arguments):
    """Which items."""

    paths: Annotated[Paths, Field(description="Relative paths of files or directories.")]


class ContentRequest(Arguments):
    """Which files, and which of their lines."""

    paths: Annotated[Paths, Field(description="Relative file paths to read.")]
    start_line: Annotated[int | None, Field(ge=1, description="First line, from 1.")] = None
    end_line: Annotated[int | None, Field(ge=1, description="Last line, inclusive.")] = None
    format: Annotated[
        Literal["raw", "lines"] | None,
        Field(description="Text, or line objects; default: raw, lines where a range is given."),
    ] = None

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.start_line is not None and self.end_line is not None and self.end_line < self.start_line:
            raise ValueError("end_line must not be before start_line")
        return self


class RegexRequest(Arguments):
    """What to find, and where."""

    path: Annotated[str, Field(description="Relative path of a directory or file.")] = "."
    regex: Annotated[str, Field(min_length=1, description="The regex; /regex/flags is accepted.")]
    file_pattern: Annotated[str, Field(min_length=1, description="Glob of file names, such as *.ts.")] = "*"


def _list_files(call: Call, arguments: ListingRequest) -> ToolResult:
    """The names in a folder, or the stats of a file."""
    path = _native(arguments.path)
    with _about(call, arguments.path):
        try:
            listed, complete = call.entries(path, depth=0 if arguments.recursive else 1, include_ignored=True)
        except FilewrightError as error:
            if error.code != Code.NOT_A_DIRECTORY:
                raise
            (found,) = call.stat(path).results
            if found.stats is None:
                raise
            return ToolResult(encoded(_stats(arguments.path, found.stats)))
    names = [entry.path for entry in listed]
    items: list[object] = [*names]
    if arguments.include_stats:
        fit = call.context.settings.hard_chars // 100
        statuses = call.stat(*names[:fit]).results if names else ()
        items = [
            {"path": name, "stats": _stats(name, status.stats)}
            if status.stats is not None
            else {"path": name, "error": status.error.message if status.error is not None else ""}
            for name, status in zip(names, statuses, strict=False)
        ]
        items += [{"path": name} for name in names[fit:]]
    return _answered(call, items, complete=complete)


def _stats(path: str, status: FileStatus) -> Json:
    """A native status in this dialect's shape."""
    atime, mtime, ctime = (_iso(ns) for ns in status.times_ns)
    result: Json = {
        "path": path.rstrip("/") or path,
        "isFile": status.type == "file",
        "isDirectory": status.type == "folder",
        "isSymbolicLink": status.type == "link",
        "size": status.size,
        "atime": atime,
        "mtime": mtime,
        "ctime": ctime,
        **({"birthtime": _iso(status.created_ns)} if status.created_ns is not None else {}),
        "mode": status.mode[-3:],
        "uid": status.uid,
        "gid": status.gid,
    }
    if status.target is not None:
        result["target"] = status.target
    return result


def _iso(nanoseconds: int) -> str:
    moment = datetime.datetime.fromtimestamp(nanoseconds // 1_000_000_000, datetime.UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{nanoseconds // 1_000_000 % 1000:03}Z"


def _stat_items(call: Call, arguments: StatsRequest) -> ToolResult:
    """The status of every path; a link's own, not its target's."""

    def request(paths: Sequence[str]) -> Sequence[FileStatus | FilewrightError]:
        found = call.stat(*map(_native, paths)).results
        return [item.stats if item.stats is not None else _error_of(item.error) for item in found]

    results = _per_item(
        call,
        arguments.paths,
        lambda path: [path],
        request,
        lambda path, found: {"path": path, "status": "success", "stats": _stats(path, found)},
        lambda path, text, _error: {"path": path, "status": "error", "error": text},
    )
    return _batch(call, results)


def _error_of(error: FilewrightError | None) -> FilewrightError:
    assert error is not None
    return error


def _read_content(call: Call, arguments: ContentRequest) -> ToolResult:
    """The text of every file; bounded pages that say where to go on."""
    limit = call.context.settings.hard_chars
    results: list[Json] = []
    for size in budgets(limit):
        results = _read(call.within(size), arguments)
        if len(encoded(results)) <= limit:
            break
    return _batch(call, results)


def _read(call: Call, arguments: ContentRequest) -> list[Json]:
    from filewright.tools import UnreadFile

    start = arguments.start_line or 1
    ranged = arguments.start_line is not None or arguments.end_line is not None
    lines = arguments.format == "lines" or (arguments.format is None and ranged)
    limit = _ALL_LINES if arguments.end_line is None else arguments.end_line - start + 1

    def request(paths: Sequence[str]) -> Sequence[FileRead | FilewrightError]:
        files = call.read(paths=[*map(_native, paths)], start=start, limit=limit, numbered=False).files
        return [file.error if isinstance(file, UnreadFile) else file for file in files]

    def answer(path: str, file: FileRead) -> Json:
        result: Json = {"path": path}
        if lines:
            numbered = enumerate(file.rows, file.start_line)
            result["content"] = [{"lineNumber": number, "content": line} for number, line in numbered]
        else:
            result["content"] = "\n".join(file.rows) + ("\n" if not ranged and file.terminated else "")
        if file.line_ending not in (None, "lf", "none"):
            result["line_ending"] = file.line_ending
        wanted = arguments.end_line is None or file.end_line < arguments.end_line
        if (file.next is not None and wanted) or file.cut_at:
            result["truncated"] = True
            result["total_lines"] = file.total_lines
            if file.next is not None:
                result["next_start_line"] = file.next.start
            if file.cut_at:
                result["cut_lines"] = [*file.cut_at[:50]]
        return result

    return _per_item(
        call,
        arguments.paths,
        lambda path: [path],
        request,
        answer,
        lambda path, text, _error: {"path": path, "error": text},
    )


def _search_files(call: Call, arguments: RegexRequest) -> ToolResult:
    """Every match of a regex, with the lines around it."""
    pattern, flags = arguments.regex, ""
    written = _JS_REGEX.fullmatch(pattern)
    if written is not None:
        pattern, flags = written.groups()
    glob = None if arguments.file_pattern in ("*", "**", "**/*") else arguments.file_pattern
    items: list[Json] = []
    used = 0
    cursor = None
    limit = call.context.settings.hard_chars
    with _about(call, arguments.path):
        while True:
            found = call.search(
                f"(?s){pattern}" if "s" in flags else pattern,
                _native(arguments.path),
                glob=glob,
                mode="regex",
                case="insensitive" if "i" in flags else "sensitive",
                multiline="s" in flags or _spans_lines(pattern),
                context=_CONTEXT,
                max_results=1000,
                cursor=cursor,
            )
            matches = [_matched(hit, span) for hit in found.results for span in hit.submatches or ((0, 0),)]
            items += matches
            used += sum(len(encoded(match)) for match in matches)
            cursor = found.next_cursor
            if cursor is None or used > limit:
                break
    if not found.complete:
        items.append(_incomplete(arguments.path, "more matches than are shown"))
    kept: list[Json] = []
    used = 600  # room for what says that more is left out
    for item in items:
        used += len(encoded(item)) + 2
        if used > limit:
            cut = f"{len(kept)} matches are shown; narrow path, regex or file_pattern"
            kept.append(_incomplete("general", cut))
            break
        kept.append(item)
    return _answered(call, kept)


def _spans_lines(pattern: str) -> bool:
    """Whether a regex names line ends, and so may match several lines."""
    return "\\n" in pattern or "\n" in pattern


def _incomplete(file: str, why: str) -> Json:
    return {"type": "error", "file": file, "error": f"incomplete: {why}"}


def _matched(hit: SearchHit, span: tuple[int, int]) -> Json:
    more = hit.matched is not None and span == hit.submatches[-1]  # the match that goes on in the next line
    return {
        "type": "match",
        "file": posixpath.normpath(hit.path),
        "line": hit.line,
        "match": (hit.matched or "").replace("\r\n", "\n") if more else hit.text[span[0] : span[1]],
        "context": [*hit.context_before, hit.text, *hit.more_lines, *hit.context_after],
    }


# Names and whole files


class WriteEntry(Arguments):
    """One file to write."""

    path: str
    content: str
    append: bool = False


class WritesRequest(Arguments):
    """The files to write."""

    items: Annotated[list[WriteEntry], Field(min_length=1)]


class FoldersRequest(Arguments):
    """The folders to make."""

    paths: Annotated[Paths, Field(description="Relative directory paths to create.")]


class DeletionsRequest(Arguments):
    """What to delete."""

    paths: Annotated[Paths, Field(description="Relative paths of files or directories to delete.")]


class PairEntry(Arguments):
    """From where to where."""

    source: str
    destination: str
    overwrite: bool | None = None


class PairsRequest(Arguments):
    """What to move or copy."""

    operations: Annotated[list[PairEntry], Field(min_length=1)]
    overwrite: Annotated[bool, Field(description="Replace existing destinations.")] = False


class ModeRequest(Arguments):
    """The mode of what."""

    paths: Paths
    mode: Annotated[str, Field(pattern="^[0-7]{3,4}$", description="Octal, such as 755.")]


class OwnerRequest(Arguments):
    """The owner of what."""

    paths: Paths
    uid: Annotated[int, Field(ge=0)]
    gid: Annotated[int, Field(ge=0)]


def _outcomes(made: BatchResult) -> list[ItemResult | FilewrightError]:
    return [result.error if result.error is not None else result for result in made.results]


def _write_content(call: Call, arguments: WritesRequest) -> ToolResult:
    """Write or append, each file on its own, in order."""

    def request(items: Sequence[WriteEntry]) -> Sequence[ItemResult | FilewrightError]:
        wanted: list[WriteRequest] = [
            {
                "path": _native(item.path),
                "content": item.content,
                "mode": "append" if item.append else "overwrite",
                "newline": "keep",
            }
            for item in items
        ]
        return _outcomes(call.write_all(wanted, atomic=False))

    def answer(item: WriteEntry, outcome: ItemResult) -> Json:
        done = "appended" if item.append else "written"
        result: Json = {"path": item.path, "success": True, "operation": done}
        return {**result, "warning": outcome.syntax_warning} if outcome.syntax_warning else result

    results = _per_item(
        call,
        arguments.items,
        lambda item: [item.path],
        request,
        answer,
        lambda item, text, _error: {"path": item.path, "success": False, "error": text},
    )
    return _batch(call, results)


def _of_paths(
    call: Call,
    paths: Sequence[str],
    request: Callable[[Sequence[str]], BatchResult],
    more: Callable[[str, ItemResult], Json],
) -> ToolResult:
    """A success or an error for each path; `more` gives what a success says besides."""
    results = _per_item(
        call,
        paths,
        lambda path: [path],
        lambda taken: _outcomes(request([*map(_native, taken)])),
        lambda path, outcome: {"path": path, "success": True, **more(path, outcome)},
        lambda path, text, _error: {"path": path, "success": False, "error": text},
    )
    return _batch(call, results)


def _create_directories(call: Call, arguments: FoldersRequest) -> ToolResult:
    """Make folders with their parents."""
    return _of_paths(
        call,
        arguments.paths,
        lambda paths: call.create_directories(*paths, atomic=False),
        lambda path, outcome: {
            **({"note": "Directory already exists"} if outcome.operation == "exists" else {}),
            "resolvedPath": _resolved(call, path),
        },
    )


def _delete_items(call: Call, arguments: DeletionsRequest) -> ToolResult:
    """Delete files, links and folders with all below."""
    return _of_paths(
        call,
        arguments.paths,
        lambda paths: call.delete(*paths, recursive=True, missing_ok=True, atomic=False),
        lambda _path, outcome: (
            {} if outcome.operation == "deleted" else {"note": "Path not found, nothing to delete"}
        ),
    )


def _chmod_items(call: Call, arguments: ModeRequest) -> ToolResult:
    """Set the mode."""
    return _of_paths(
        call,
        arguments.paths,
        lambda paths: call.set_permissions(*paths, mode=arguments.mode, atomic=False),
        lambda _path, _outcome: {"mode": arguments.mode},
    )


def _chown_items(call: Call, arguments: OwnerRequest) -> ToolResult:
    """Set user and group."""
    uid, gid = arguments.uid, arguments.gid
    return _of_paths(
        call,
        arguments.paths,
        lambda paths: call.set_permissions(*paths, owner=str(uid), group=str(gid), atomic=False),
        lambda _path, _outcome: {"uid": uid, "gid": gid},
    )


def _pairs(call: Call, arguments: PairsRequest, *, move: bool) -> ToolResult:
    act = call.move if move else call.copy

    def request(pairs: Sequence[PairEntry]) -> Sequence[ItemResult | FilewrightError]:
        return [outcome for pair in pairs for outcome in _outcomes(one(pair))]

    def one(pair: PairEntry) -> BatchResult:
        overwrite = arguments.overwrite if pair.overwrite is None else pair.overwrite
        return act(_native(pair.source), _native(pair.destination), overwrite=overwrite, atomic=False)

    def named(pair: PairEntry) -> Json:
        return {"source": pair.source, "destination": pair.destination}

    results = _per_item(
        call,
        arguments.operations,
        lambda pair: [pair.source, pair.destination],
        request,
        lambda pair, _outcome: {**named(pair), "success": True},
        lambda pair, text, _error: {**named(pair), "success": False, "error": text},
    )
    return _batch(call, results)


def _move_items(call: Call, arguments: PairsRequest) -> ToolResult:
    """Move or rename."""
    return _pairs(call, arguments, move=True)


def _copy_items(call: Call, arguments: PairsRequest) -> ToolResult:
    """Copy."""
    return _pairs(call, arguments, move=False)


# Parts of files


class ReplaceOperation(Arguments):
    """One replacement."""

    search: str
    replace: str
    use_regex: bool = False
    ignore_case: bool = False


class ReplacementsRequest(Arguments):
    """What to replace in which files."""

    paths: Annotated[list[str], Field(min_length=1)]
    operations: Annotated[list[ReplaceOperation], Field(min_length=1)]


class DiffBlock(Arguments):
    """One block of lines."""

    search: str
    replace: str
    start_line: Annotated[int, Field(ge=1)]
    end_line: Annotated[int, Field(ge=1)]
    operation: Literal["replace", "insert"] = "replace"

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.end_line < self.start_line - (self.operation == "insert"):
            raise ValueError("end_line must not be before start_line")
        return self


class FileDiff(Arguments):
    """The blocks of one file."""

    path: Annotated[str, Field(min_length=1)]
    diffs: Annotated[list[DiffBlock], Field(min_length=1)]


class DiffsRequest(Arguments):
    """The files and their blocks."""

    changes: Annotated[list[FileDiff], Field(min_length=1)]

    @model_validator(mode="after")
    def _once(self) -> Self:
        if len({change.path for change in self.changes}) < len(self.changes):
            raise ValueError("each file path must appear only once in a single request")
        return self


class SelectiveEdit(Arguments):
    """One selective edit."""

    path: Annotated[str, Field(min_length=1)]
    start_line: Annotated[int, Field(ge=1, description="Where looking begins, or where to insert.")]
    search_pattern: Annotated[str | None, Field(description="Left out: insert at start_line.")] = None
    replace_content: Annotated[str | None, Field(description="Left out: delete what is found.")] = None
    use_regex: bool = False
    ignore_leading_whitespace: bool = True
    preserve_indentation: bool = True
    match_occurrence: Annotated[int, Field(ge=1)] = 1

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not self.search_pattern and self.replace_content is None:
            raise ValueError("either search_pattern or replace_content must be given")
        return self


class EditsRequest(Arguments):
    """The selective edits of one or more files."""

    changes: Annotated[list[SelectiveEdit], Field(min_length=1)]
    dry_run: bool = False
    output_diff: bool = False


def _result(outcome: ChangedFile) -> ChangedFile | FilewrightError:
    return outcome.error if outcome.error is not None else outcome


def _replace_content(call: Call, arguments: ReplacementsRequest) -> ToolResult:
    """Replace all occurrences, operation after operation, in each file."""
    from filewright.tools import OrderedReplacement, replace_in_order

    operations = [
        OrderedReplacement(
            each.search,
            _TEMPLATE.sub(_native_group, each.replace) if each.use_regex else each.replace,
            "regex" if each.use_regex else "literal",
            "insensitive" if each.ignore_case else "sensitive",
            multiline=each.use_regex and _spans_lines(each.search),
        )
        for each in arguments.operations
    ]

    def request(paths: Sequence[str]) -> Sequence[ChangedFile | FilewrightError]:
        try:
            made = replace_in_order(call.context, [*map(_native, paths)], operations, call.task)
        except FilewrightError as error:
            if error.code != Code.INVALID_INPUT:
                raise
            return [error for _ in paths]  # a pattern that is wrong is an answer for each file
        return [_result(outcome) for outcome in made]

    results = _per_item(
        call,
        arguments.paths,
        lambda path: [path],
        request,
        lambda path, made: {"file": path, "replacements": made.replacements, "modified": made.changed},
        lambda path, text, _error: {"file": path, "replacements": 0, "modified": False, "error": text},
    )
    return _batch(call, results)


def _native_group(found: re.Match[str]) -> str:
    return "${0}" if found.group(1) == "&" else f"${{{found.group(2)}}}"


def _apply_diff(call: Call, arguments: DiffsRequest) -> ToolResult:
    """Apply line-anchored blocks, each file all or nothing."""
    from filewright.edit import Edit, at_lines
    from filewright.tools import FileBlocks, apply_blocks

    def edits(change: FileDiff) -> list[Edit]:
        return [
            at_lines(b.search, b.replace, b.start_line, b.end_line, insert=b.operation == "insert")
            for b in change.diffs
        ]

    def request(changes: Sequence[FileDiff]) -> Sequence[ChangedFile | FilewrightError]:
        files = [FileBlocks(_native(change.path), partial(edits, change)) for change in changes]
        return [_result(outcome) for outcome in apply_blocks(call.context, files, call.task)]

    def answer(change: FileDiff, made: ChangedFile) -> Json:
        result: Json = {"path": change.path, "success": True, "diff_count": len(change.diffs)}
        return {**result, "warning": made.warning} if made.warning else result

    def failed(change: FileDiff, text: str, error: FilewrightError) -> Json:
        result: Json = {"path": change.path, "success": False, "error": text}
        found = error.details.get("text_found")
        return {**result, "context": found} if found is not None else result

    return _batch(
        call, _per_item(call, arguments.changes, lambda change: [change.path], request, answer, failed)
    )


class _SkippedError(FilewrightError):
    """A change that was not made because another of its file was refused."""


def _edit_file(call: Call, arguments: EditsRequest) -> ToolResult:
    """Insert, replace or delete by line and text; the changes of one file are made together or not."""
    from filewright.tools import FileEdits, edit_lines

    def request(changes: Sequence[SelectiveEdit]) -> Sequence[ChangedFile | FilewrightError]:
        together: dict[str, list[int]] = {}
        for number, change in enumerate(changes):
            together.setdefault(_native(change.path), []).append(number)
        files = [
            FileEdits(path, [_line_edit(call, changes[number]) for number in numbers])
            for path, numbers in together.items()
        ]
        made = edit_lines(call.context, files, call.task, preview=arguments.dry_run)
        outcomes: dict[int, ChangedFile | FilewrightError] = {}
        for numbers, outcome in zip(together.values(), made, strict=True):
            for index, number in enumerate(numbers):
                refused = outcome.refused_edit
                if refused is None or refused == index:
                    outcomes[number] = _result(outcome)
                else:
                    why = f"not made, because change {refused + 1} of this file was refused"
                    outcomes[number] = _SkippedError(Code.CANCELLED, why)
        return [outcomes[number] for number in range(len(changes))]

    def answer(change: SelectiveEdit, outcome: ChangedFile) -> Json:
        done = "changes calculated (dry run)" if arguments.dry_run else "modified successfully"
        message = f"File {change.path} {done}."
        if not outcome.changed:
            message = f"File {change.path} reads like this already; nothing was written."
        if outcome.warning:
            message += f" warning: {outcome.warning}"
        result: Json = {"path": change.path, "status": "success", "message": message}
        return {**result, "diff": outcome.diff} if arguments.output_diff else result

    def failed(change: SelectiveEdit, text: str, error: FilewrightError) -> Json:
        if isinstance(error, _SkippedError):
            return {"path": change.path, "status": "skipped", "message": error.message}
        return {"path": change.path, "status": "failed", "message": text, "error": text}

    return _batch(
        call, _per_item(call, arguments.changes, lambda change: [change.path], request, answer, failed)
    )


def _line_edit(call: Call, change: SelectiveEdit) -> LineEdit:
    from filewright.edit import LineEdit, replacement
    from filewright.search import compile_pattern

    pattern = template = None
    if change.use_regex and change.search_pattern:
        pattern = compile_pattern(
            change.search_pattern,
            mode="regex",
            case="sensitive",
            multiline=_spans_lines(change.search_pattern),
            max_chars=call.context.settings.max_pattern_chars,
        )
        if change.replace_content is not None:
            template = replacement(_TEMPLATE.sub(_native_group, change.replace_content), pattern)
    return LineEdit(
        change.start_line,
        change.search_pattern,
        change.replace_content,
        change.ignore_leading_whitespace,
        change.preserve_indentation,
        change.match_occurrence,
        pattern,
        template,
    )


# The surface


def _limits(settings: Settings) -> Mapping[str, Any]:
    """Whole files as far as a result may hold them; no images."""
    return {"page_chars": settings.hard_chars, "line_chars": settings.hard_chars, "image_bytes": 0}


SURFACE = dialect(
    "filesystem",
    workflow=(
        "Files below one project root. All paths are relative to it. Every tool takes a batch and answers "
        "with one JSON array, an object per item in order; look at each item's success, status or error. "
        "To change a part of a file prefer apply_diff (lines and their exact text), edit_file or "
        "replace_content; write_content replaces whole files."
    ),
    answers_json=True,
    tools=(
        row(
            "list_files",
            "List a directory, optionally recursively and with stats; a file gives its stats.",
            ListingRequest,
            _list_files,
        ),
        row(
            "stat_items",
            "Detailed status of files and directories; of links their own.",
            StatsRequest,
            _stat_items,
        ),
        row(
            "read_content",
            "Read files, whole or a range of lines, as text or as line objects. A cut answer says "
            "next_start_line.",
            ContentRequest,
            _read_content,
        ),
        writing_row(
            "write_content",
            "Write or append to files, creating directories if needed. To change a part of a file use "
            "apply_diff, edit_file or replace_content.",
            WritesRequest,
            _write_content,
        ),
        writing_row(
            "delete_items",
            "Delete files, links and whole directories. What is not there counts as deleted.",
            DeletionsRequest,
            _delete_items,
            toolset="files",
            idempotent=True,
        ),
        writing_row(
            "create_directories",
            "Create directories, including the ones between.",
            FoldersRequest,
            _create_directories,
            toolset="files",
            destructive=False,
            idempotent=True,
        ),
        writing_row(
            "chmod_items",
            "Set the permission mode of files and directories.",
            ModeRequest,
            _chmod_items,
            toolset="files",
            destructive=False,
            idempotent=True,
        ),
        writing_row(
            "chown_items",
            "Set the owner and group of files and directories, by number.",
            OwnerRequest,
            _chown_items,
            toolset="files",
            destructive=False,
            idempotent=True,
        ),
        writing_row(
            "move_items",
            "Move or rename files and directories; an existing destination is refused unless overwrite.",
            PairsRequest,
            _move_items,
            toolset="files",
        ),
        writing_row(
            "copy_items",
            "Copy files and directories; an existing destination is refused unless overwrite.",
            PairsRequest,
            _copy_items,
            toolset="files",
        ),
        row(
            "search_files",
            "Search for a regex in the files of a directory tree or in one file, with context lines.",
            RegexRequest,
            _search_files,
        ),
        writing_row(
            "replace_content",
            "Replace all occurrences of texts or regexes in files, one operation after the other.",
            ReplacementsRequest,
            _replace_content,
        ),
        writing_row(
            "apply_diff",
            "Replace or insert blocks of lines. Each search must be exactly the text of the lines "
            "start_line to end_line; a file with a block that does not match is left as it was.",
            DiffsRequest,
            _apply_diff,
        ),
        writing_row(
            "edit_file",
            "Insert, replace or delete text found at or after a line, keeping indentation; dry_run and "
            "output_diff show what would change.",
            EditsRequest,
            _edit_file,
        ),
    ),
    limits=_limits,
    refusal=_refusal,
)
