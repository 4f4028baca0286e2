"""The dialect `filesystem`: batches over paths relative to the root, a result per item.

The surface of the batch filesystem servers for Node: every answer is one JSON array in the order of
the request, an item's failure fails nothing else, a bad call is a JSON-RPC number and a message.
"""

from __future__ import annotations

import datetime
import os
import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from filewright import errors
from filewright.boundary import quote
from filewright.dialects.table import Call, Json, Record, encoded, filled, fit_as_json, fitted, table
from filewright.errors import Code, FilewrightError
from filewright.tools import FailedCall, ToolResult

if TYPE_CHECKING:
    from filewright.edit import LineEdit, Plan, Replacement
    from filewright.search import Pattern
    from filewright.text import Snapshot
    from filewright.tools import Change, FileStatus, SearchHit, WriteMode

_INVALID_PARAMS, _INVALID_REQUEST = -32602, -32600
_ALL_LINES = 1_000_000_000
_CONTEXT = 2
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_JS_REGEX = re.compile(r"/(.+)/([gimsuy]*)", re.DOTALL)
_TEMPLATE = re.compile(r"\$(&|<([^<>]*)>)")


def refusal(error: FilewrightError, limit: int) -> ToolResult:
    """The answer of a call that failed as a whole: a JSON-RPC number and the message."""
    text = error.message
    if not text.startswith("-32"):
        text = f"{table('filesystem')['numbers'].get(error.code, _INVALID_REQUEST)} {text}"
    if error.hint:
        text += f"\nhint: {error.hint}"
    return FailedCall(text[:limit], error=error)


# Checks of arguments


def _ordered(given: Record) -> Record:
    first, last = given.start_line or 1, given.end_line
    if last is not None and last < first - (getattr(given, "operation", "") == "insert"):
        raise ValueError("end_line must not be before start_line")
    return given


def _named_once(given: Record) -> Record:
    if len({change.path for change in given.changes}) < len(given.changes):
        raise ValueError("each file path must appear only once in a single request")
    return given


def _does_something(change: Record) -> Record:
    if not change.search_pattern and change.replace_content is None:
        raise ValueError("either search_pattern or replace_content must be given")
    return change


CHECKS = {
    "read_content": _ordered,
    "block": _ordered,
    "apply_diff": _named_once,
    "change": _does_something,
}


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
    """An error in this dialect's words: the path as given, where it leads, and the root."""
    if isinstance(error, _AbsoluteError):
        return error.message
    read = table("filesystem")["errors"]
    root = quote(call.context.boundary.roots[0].path)
    place = f"(resolved to '{error.details.get('resolved') or _resolved(call, path)}', project root '{root}')"
    if error.code in read:
        return str(read[error.code]).format(path=path, place=place)
    text = f"{error.code}: {error.message}" + (f" {place}" if error.code in read["about_paths"] else "")
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


# Items


def _each(
    call: Call,
    items: Sequence[Any],
    act: Callable[[Any], Json],
    refused: Callable[[str, FilewrightError], Json] = lambda text, _: {"success": False, "error": text},
    key: str = "path",
) -> ToolResult:
    """An object for each item in order: its name under `key` with what `act` makes of it, or why it was refused."""
    from filewright.tools import check_count

    check_count(call.context, items)
    results: list[Json] = []
    for number, item in enumerate(items):
        call.task.report(number, len(items), "items")
        fields = (
            {key: item}
            if isinstance(item, str)
            else item.model_dump(include={"path", "source", "destination"})
        )
        try:
            results.append({**fields, **act(item)})
        except FilewrightError as error:
            if error.ends_call:
                raise
            named = [*fields.values()]
            wrong = next(
                (path for path in named if error.details.get("path") in (path, path or ".")), named[0]
            )
            results.append({**fields, **refused(_phrase(call, error, wrong), error)})
    answered = _array(call, results)
    if all(str(result.get("error", "")).startswith("-326") for result in results):
        outside = FilewrightError(Code.INVALID_INPUT, "every path was refused", details={"items": results})
        return FailedCall(answered, error=outside)
    return ToolResult(answered)


def _array(call: Call, items: Sequence[object], *, complete: bool = True) -> str:
    """The JSON array of `items`, as many as fit; a last item says what is left out.

    `complete` False: there are more than `items`, nobody knows how many.
    """
    count = fit_as_json(items, call.limit - 200)
    kept = [*items[:count]]
    if count < len(items) or not complete:
        number = len(items) - count
        left = f"{number}" if complete else f"at least {number + 1}"
        note = f"[{left} more, not shown]"
        kept.append(note if isinstance(items[0], str) else {"note": note})
    return encoded(kept)


def natively(call: Call, row: Json, given: Json) -> ToolResult:
    """The answer of a tool that is a native one for each of its items."""

    def act(item: Any) -> Json:
        own = {"path": item} if isinstance(item, str) else item.model_dump(exclude_none=True)
        values = {**given, **own}
        values |= {name: _native(path) for name, path in own.items() if isinstance(path, str)}
        (made,) = call.native(row["native"], filled(row["with"], values.__getitem__)).results
        values["resolved"] = _resolved(call, own.get("path", ""))
        says = row.get(made.operation, row.get("says", {}))
        return {"success": True, **filled(says, values.__getitem__)}

    return _each(call, given[row["each"]], act)


def chown_items(call: Call, paths: Sequence[str], uid: int, gid: int) -> ToolResult:
    """Set user and group."""

    def act(path: str) -> Json:
        call.set_permissions(_native(path), owner=str(uid), group=str(gid))
        return {"success": True, "uid": uid, "gid": gid}

    return _each(call, paths, act)


def write_content(call: Call, items: Sequence[Record]) -> ToolResult:
    """Write or append, each file on its own, in order."""

    def act(item: Record) -> Json:
        mode: WriteMode = "append" if item.append else "overwrite"
        (made,) = call.write(_native(item.path), item.content, mode=mode, newline="keep").results
        done = "appended" if item.append else "written"
        warning = {"warning": made.syntax_warning} if made.syntax_warning else {}
        return {"success": True, "operation": done, **warning}

    return _each(call, items, act)


# Reading


def list_files(call: Call, path: str, recursive: bool, include_stats: bool) -> ToolResult:
    """The names in a folder, or the stats of a file."""
    with _about(call, path):
        try:
            listed, complete = call.entries(_native(path), depth=0 if recursive else 1, include_ignored=True)
        except FilewrightError as error:
            if error.code != Code.NOT_A_DIRECTORY:
                raise
            (found,) = call.stat(_native(path)).results
            if found.stats is None:
                raise
            return ToolResult(encoded(_stats(path, found.stats)))
    items: list[Any] = [entry.path for entry in listed]
    if include_stats:
        few = call.limit // 100  # that may fit
        statuses = call.stat(*items[:few]).results if items else ()
        shown = [
            {"stats": _stats(item.path, item.stats)}
            if item.stats is not None
            else {"error": item.error.message if item.error is not None else ""}
            for item in statuses
        ] + [{}] * len(items[few:])
        items = [{"path": name, **more} for name, more in zip(items, shown, strict=True)]
    return ToolResult(_array(call, items, complete=complete))


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
    return {**result, "target": status.target} if status.target is not None else result


def _iso(nanoseconds: int) -> str:
    moment = datetime.datetime.fromtimestamp(nanoseconds // 1_000_000_000, datetime.UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{nanoseconds // 1_000_000 % 1000:03}Z"


def stat_items(call: Call, paths: Sequence[str]) -> ToolResult:
    """The status of every path; a link's own, not its target's."""

    def act(path: str) -> Json:
        (found,) = call.stat(_native(path)).results
        if found.error is not None:
            raise found.error
        assert found.stats is not None
        return {"status": "success", "stats": _stats(path, found.stats)}

    return _each(call, paths, act, lambda text, _: {"status": "error", "error": text})


def read_content(
    call: Call, paths: Sequence[str], start_line: int | None, end_line: int | None, format: str | None
) -> ToolResult:
    """The text of every file; bounded pages that say where to go on."""
    start = start_line or 1
    ranged = start_line is not None or end_line is not None
    lines = format == "lines" or (format is None and ranged)
    limit = _ALL_LINES if end_line is None else end_line - start + 1
    left, following = call.limit - 10, len(paths)

    def read(within: Call, path: str) -> Json:
        file = within.read(_native(path), start=start, limit=limit, numbered=False)
        result: Json = {}
        if lines:
            numbered = enumerate(file.rows, file.start_line)
            result["content"] = [{"lineNumber": number, "content": line} for number, line in numbered]
        else:
            result["content"] = "\n".join(file.rows) + ("\n" if not ranged and file.terminated else "")
        if file.line_ending not in (None, "lf", "none"):
            result["line_ending"] = file.line_ending
        wanted = end_line is None or file.end_line < end_line
        if (file.next is not None and wanted) or file.cut_at:
            result |= {"truncated": True, "total_lines": file.total_lines}
            if file.next is not None:
                result["next_start_line"] = file.next.start
            if file.cut_at:
                result["cut_lines"] = [*file.cut_at[:50]]
        return result

    def act(path: str) -> Json:
        nonlocal left, following
        made: Json = {}
        try:
            made = fitted(call, lambda within: read(within, path), left // following - len(path) - 20)
            return made
        finally:  # what a file leaves of its share the following ones may use
            left, following = left - len(encoded({"path": path, **made})) - 2, following - 1

    return _each(call, paths, act, lambda text, _: {"error": text})


# Searching


def search_files(call: Call, path: str, regex: str, file_pattern: str) -> ToolResult:
    """Every match of a regex, with the lines around it."""
    pattern, flags = regex, ""
    written = _JS_REGEX.fullmatch(regex)
    if written is not None:
        pattern, flags = written.groups()
    items: list[Json] = []
    cursor = None
    with _about(call, path):
        while cursor is not None or not items:
            found = call.search(
                f"(?s){pattern}" if "s" in flags else pattern,
                _native(path),
                glob=None if file_pattern in ("*", "**", "**/*") else file_pattern,
                mode="regex",
                case="insensitive" if "i" in flags else "sensitive",
                multiline="s" in flags or _spans_lines(pattern),
                context=_CONTEXT,
                max_results=1000,
                cursor=cursor,
            )
            items += [_matched(hit, span) for hit in found.results for span in hit.submatches or ((0, 0),)]
            cursor = found.next_cursor
            if cursor is None or fit_as_json(items, call.limit) < len(items):
                break
    if not found.complete:
        items.append(_incomplete(path, "more matches than are shown"))
    kept = items[: fit_as_json(items, call.limit - 600)]  # room for what says that more is left out
    if len(kept) < len(items):
        cut = f"{len(kept)} matches are shown; narrow path, regex or file_pattern"
        kept.append(_incomplete("general", cut))
    return ToolResult(_array(call, kept))


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


# Parts of files


def _pattern(call: Call, search: str, *, regex: bool, ignore_case: bool = False) -> Pattern:
    from filewright.search import compile_pattern

    return compile_pattern(
        search,
        mode="regex" if regex else "literal",
        case="insensitive" if ignore_case else "sensitive",
        multiline=regex and _spans_lines(search),
        max_chars=call.context.settings.max_pattern_chars,
    )


def _replacement(text: str, pattern: Pattern, *, regex: bool) -> Replacement:
    """What takes the place of a match; in the original's templates $& is the match and $<name> a group."""
    from filewright.edit import replacement

    def native(found: re.Match[str]) -> str:
        return "${0}" if found[1] == "&" else f"${{{found[2]}}}"

    return replacement(_TEMPLATE.sub(native, text) if regex else text, pattern)


def replace_content(call: Call, paths: Sequence[str], operations: Sequence[Record]) -> ToolResult:
    """Replace all occurrences, operation after operation, in each file."""
    from filewright.tools import replace_in_order

    def act(path: str) -> Json:
        wanted = []
        for each in operations:
            pattern = _pattern(call, each.search, regex=each.use_regex, ignore_case=each.ignore_case)
            wanted.append((pattern, _replacement(each.replace, pattern, regex=each.use_regex)))
        made = replace_in_order(call.context, _native(path), wanted)
        return {"replacements": made.files[0].decision.count, "modified": made.record is not None}

    def refused(text: str, _error: FilewrightError) -> Json:
        return {"replacements": 0, "modified": False, "error": text}

    return _each(call, paths, act, refused, key="file")


def apply_diff(call: Call, changes: Sequence[Record]) -> ToolResult:
    """Apply line-anchored blocks, each file all or nothing."""
    from filewright.edit import at_lines, plan
    from filewright.tools import change_text

    seen: dict[object, str] = {}
    for path in [change.path for change in changes]:
        try:
            file = call.context.boundary.stat(call.locate(_native(path))).identity
        except FilewrightError:
            continue  # said of its item
        if seen.setdefault(file, path) != path:
            raise errors.refused(
                Code.INVALID_INPUT,
                path,
                f"{path} is named twice (also as {seen[file]}); each file may appear once",
                "join its blocks into one entry",
            )

    def act(change: Record) -> Json:
        def planned(snapshot: Snapshot) -> Plan:
            edits = [
                at_lines(b.search, b.replace, b.start_line, b.end_line, insert=b.operation == "insert")
                for b in change.diffs
            ]
            return plan(snapshot, edits, fuzzy=False, task=call.task)

        made = change_text(call.context, "apply_diff", _native(change.path), planned)
        result: Json = {"success": True, "diff_count": len(change.diffs)}
        return {**result, "warning": "; ".join(made.warnings)} if made.warnings else result

    def refused(text: str, error: FilewrightError) -> Json:
        found = error.details.get("text_found")
        return {"success": False, "error": text, **({} if found is None else {"context": found})}

    return _each(call, changes, act, refused)


def edit_file(call: Call, changes: Sequence[Record], dry_run: bool, output_diff: bool) -> ToolResult:
    """Insert, replace or delete by line and text; the changes of one file are made together or not."""
    from filewright.edit import edit_of, plan
    from filewright.tools import change_text

    together: dict[str, list[Record]] = {}
    for change in changes:
        together.setdefault(change.path, []).append(change)
    outcomes: dict[str, Change[Plan] | FilewrightError] = {}

    def made(path: str) -> Change[Plan] | FilewrightError:
        """What became of a file, changed when its first change has its turn."""

        def planned(snapshot: Snapshot) -> Plan:
            edits = []
            for index, change in enumerate(together[path]):
                try:
                    edits.append(edit_of(snapshot, _line_edit(call, change), task=call.task))
                except FilewrightError as error:
                    error.details["edit"] = index
                    raise
            return plan(snapshot, edits, fuzzy=False, task=call.task)

        try:
            return change_text(call.context, "edit_file", _native(path), planned, preview=dry_run)
        except FilewrightError as error:
            return error

    def act(change: Record) -> Json:
        path = change.path
        if path not in outcomes:
            outcomes[path] = made(path)
        outcome, diff, warnings = outcomes[path], "", ""
        message = f"File {path} reads like this already; nothing was written."
        if not isinstance(outcome, FilewrightError):
            done = "changes calculated (dry run)" if dry_run else "modified successfully"
            diff, warnings = outcome.diff.text, "; ".join(outcome.warnings)
            message = f"File {path} {done}." + (f" warning: {warnings}" if warnings else "")
        elif outcome.code != Code.NO_CHANGE:
            refused = outcome.details.get("edit")
            if refused is None or together[path][refused] is change:
                raise outcome
            why = f"not made, because change {refused + 1} of this file was refused"
            return {"status": "skipped", "message": why}
        return {"status": "success", "message": message, **({"diff": diff} if output_diff else {})}

    return _each(call, changes, act, lambda text, _: {"status": "failed", "message": text, "error": text})


def _line_edit(call: Call, change: Record) -> LineEdit:
    from filewright.edit import LineEdit

    pattern = template = None
    if change.use_regex and change.search_pattern:
        pattern = _pattern(call, change.search_pattern, regex=True)
        if change.replace_content is not None:
            template = _replacement(change.replace_content, pattern, regex=True)
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
