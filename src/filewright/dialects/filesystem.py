"""The dialect `filesystem`: batches over paths relative to the root, a result per item.

The surface of the batch filesystem servers for Node: every answer is one JSON array in the order of
the request, an item's failure fails nothing else, a bad call is a JSON-RPC number and a message.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from filewright import errors
from filewright.boundary.names import quote
from filewright.dialects.table import (
    Call,
    Json,
    Record,
    encoded,
    filled,
    fit_as_json,
    fitted,
    said,
    table,
)
from filewright.errors import Code, FilewrightError
from filewright.tools.items import check_count
from filewright.tools.pipeline import change_text
from filewright.tools.replace import replace_in_order
from filewright.tools.result import FailedCall, ToolResult

if TYPE_CHECKING:
    from filewright.edit.outcome import EditPlan
    from filewright.search.pattern import Pattern
    from filewright.text.snapshot import Snapshot

_INVALID_PARAMS, _INVALID_REQUEST = -32602, -32600
_ALL_LINES = 1_000_000_000
_PATHS = ("path", "source", "destination")
_ABSOLUTE = re.compile(r"/|[A-Za-z]:[\\/]")
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


def check_block(given: Record) -> Record:
    """The last line is not before the first, but where something is inserted between two."""
    first, last = given.start_line or 1, given.end_line
    if last is not None and last < first - (
        getattr(given, "operation", "") == "insert"
    ):
        raise ValueError("end_line must not be before start_line")
    return given


check_read_content = check_block


def check_change(change: Record) -> Record:
    """Something is looked for, or inserted."""
    if not change.search_pattern and change.replace_content is None:
        raise ValueError(
            "either search_pattern or replace_content must be given"
        )
    return change


# Paths, and what is said of them


def _native(path: str) -> str:
    """The native path; `invalid_input` for an absolute one, which this dialect takes nowhere."""
    if _ABSOLUTE.match(path):
        raise errors.invalid(
            f"{_INVALID_PARAMS} Absolute paths are not allowed: {path}"
        )
    return f"./{path}" if path.startswith("~") else path or "."


def _phrase(call: Call, error: FilewrightError, path: str) -> str:
    """An error in this dialect's words: the path as given, where it leads, and the root."""
    if error.message.startswith("-32"):
        return error.message
    root = quote(call.context.boundary.roots[0].path)
    place = f"(resolved to '{error.details.get('resolved') or _resolved(call, path)}', project root '{root}')"
    return said(call.table, error, path=path, place=place)


def _resolved(call: Call, path: str) -> str:
    """Where a relative path leads by its text alone."""
    root = call.context.boundary.roots[0].path
    return quote(
        posixpath.normpath(
            os.path.join(root, path.encode("utf-8", "surrogatepass"))
        )
    )


# Items


def run(act: Callable[[Call, Record], Any], call: Call, given: Record) -> Any:
    """The answer of a tool, whose function `act` is handed native paths, and with them the path that was `asked` for.

    A tool with items (its row says `each`) answers an object for each in order: its paths, with what was made of it
    or why it was `refused`. Its function is handed the arguments and the fields of the item as one.
    """
    row = call.row
    if "each" not in row:
        asked = given.path
        try:
            return act(
                call,
                given.model_copy(
                    update={"path": _native(asked), "asked": asked}
                ),
            )
        except FilewrightError as error:
            error.message, error.hint = _phrase(call, error, asked), None
            raise
    call.items = items = getattr(given, row["each"])
    check_count(call.context, items)
    if row.get("once"):
        _require_distinct(call, [item.path for item in items])
    results: list[Json] = []
    left = call.limit - 10
    for number, item in enumerate(items):
        call.task.report(number, len(items), "items")
        own = (
            {"path": item}
            if isinstance(item, str)
            else {k: v for k, v in item if v is not None}
        )
        named = {word: own[word] for word in _PATHS if word in own}
        result = {row.get("key", word): path for word, path in named.items()}
        asked = own.get("path", "")
        call.share = left // (len(items) - number) - len(asked) - 20
        native: Json = {}
        try:
            native |= {word: _native(path) for word, path in named.items()}
            facts = {
                **own,
                **native,
                "asked": asked,
                "resolved": _resolved(call, asked),
            }
            result |= act(call, given.model_copy(update=facts))
        except FilewrightError as error:
            if error.ends_call:
                raise
            about = error.details.get("path")
            wrong = next(
                (word for word in native if native[word] == about),
                next(iter(named)),
            )
            facts = {
                "error": _phrase(call, error, named[wrong]),
                "details": error.details,
            }
            result |= filled(
                row.get("refused", call.table["refused"]), facts, call.table
            )
        left -= (
            len(encoded(result)) + 2
        )  # what an item leaves of its share the following ones may use
        results.append(result)
    answered = _array(call, results)
    if all(
        str(result.get("error", "")).startswith("-326") for result in results
    ):
        outside = errors.invalid("every path was refused", items=results)
        return FailedCall(answered, error=outside)
    return answered


def _require_distinct(call: Call, paths: Sequence[str]) -> None:
    """Refuse a file that is named twice, also by other spellings."""
    seen: dict[object, str] = {}
    for path in paths:
        file: object = path
        with suppress(FilewrightError):  # which is said of its item
            file = call.context.boundary.stat(
                call.locate(_native(path))
            ).identity
        if file in seen:
            message = f"{path} is named twice (also as {seen[file]}); each file path may appear only once"
            raise errors.path_error(
                Code.INVALID_INPUT,
                path,
                message,
                "join its blocks into one entry",
            )
        seen[file] = path


def _array(
    call: Call, items: Sequence[object], *, complete: bool = True
) -> str:
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


# Reading


def list_files(call: Call, given: Record) -> str:
    """The names in a folder, or the stats of a file."""
    path = given.path
    try:
        depth = 0 if given.recursive else 1
        listed, more = call.entries(
            path=path, depth=depth, include_ignored=True
        )
    except FilewrightError as error:
        (found,) = call.stat(path).results
        if error.code != Code.NOT_A_DIRECTORY or found.stats is None:
            raise
        return encoded(
            call.shaped("stats", {"asked": given.asked, "made": found})
        )
    names = [entry.path for entry in listed]
    if not (given.include_stats and names):
        return _array(call, names, complete=not more)
    items: list[Json] = []
    few = names[
        : call.limit // 100
    ]  # that may fit, however many a caller may ask for
    for name, item in zip_longest(
        names, call.under(max_items=len(few)).stat(*few).results
    ):
        fields = {"asked": name, "made": item}
        shape = "listed" if item and item.stats else "unknown"
        items.append(call.shaped(shape, fields))
    return _array(call, items, complete=not more)


@fitted
def read_content(call: Call, given: Record) -> Json:
    """The text of a file; bounded pages that say where to go on."""
    start, last = given.start_line or 1, given.end_line or _ALL_LINES
    ranged = given.start_line is not None or given.end_line is not None
    file = call.read(
        given.path, start=start, limit=last - start + 1, numbered=False
    )
    content: Any = "\n".join(file.rows) + "\n" * (
        file.terminated and not ranged
    )
    if given.format == "lines" or (given.format is None and ranged):
        numbered = enumerate(file.rows, file.start_line)
        content = [
            {"lineNumber": number, "content": line} for number, line in numbered
        ]
    goes_on = (file.next is not None and file.end_line < last) or file.cut_at
    cut = call.shaped("cut", file) if goes_on else {}
    return {**call.shaped("read", {"content": content, "file": file}), **cut}


# Searching


def search_files(call: Call, given: Record) -> str:
    """Every match of a regex, with the lines around it: one native page has more than an answer takes."""
    written = _JS_REGEX.fullmatch(given.regex)
    pattern, flags = (
        written.groups() if written is not None else (given.regex, "")
    )
    call.request |= {
        "pattern": f"(?s){pattern}" if "s" in flags else pattern,
        "path": given.path,
        "case": "insensitive" if "i" in flags else "sensitive",
        "multiline": "s" in flags or _spans_lines(pattern),
    }
    found = call.search(**call.request)
    items: list[Json] = []
    for hit in found.results:
        context = [
            *hit.context_before,
            hit.text,
            *hit.more_lines,
            *hit.context_after,
        ]
        matches = [hit.text[start:end] for start, end in hit.submatches] or [""]
        if hit.matched is not None:  # the last goes on in the next line
            matches[-1] = hit.matched.replace("\r\n", "\n")
        where = {"type": "match", "file": hit.path, "line": hit.line}
        items += [
            {**where, "match": match, "context": context} for match in matches
        ]
    kept = items[
        : fit_as_json(items, call.limit - 600)
    ]  # room for what says that more is left out
    if len(kept) < len(items) or not found.complete:
        why = f"incomplete: {len(kept)} matches are shown; narrow path, regex or file_pattern"
        kept.append({"type": "error", "file": given.asked, "error": why})
    return encoded(kept)


def _spans_lines(pattern: str) -> bool:
    """Whether a regex names line ends, and so may match several lines."""
    return "\\n" in pattern or "\n" in pattern


# Parts of files


def _compiled(
    call: Call,
    search: str,
    replace: str | None,
    *,
    regex: bool = True,
    ignore_case: bool = False,
) -> tuple[Pattern, Any]:
    """What is looked for, and what takes its place; in the original's templates $& is the match and $<name> a group."""
    from filewright.edit.replacements import compile_replacement
    from filewright.search.pattern import compile as compile_pattern

    pattern = compile_pattern(
        search,
        mode="regex" if regex else "literal",
        case="insensitive" if ignore_case else "sensitive",
        multiline=regex and _spans_lines(search),
        max_chars=call.context.settings.max_pattern_chars,
    )
    if replace is not None and regex:
        replace = _TEMPLATE.sub(
            lambda found: f"${{{'0' if found[1] == '&' else found[2]}}}",
            replace,
        )
    return pattern, None if replace is None else compile_replacement(
        replace, pattern
    )


def replace_content(call: Call, given: Record) -> Json:
    """Replace all occurrences, operation after operation, in a file."""
    wanted = [
        _compiled(
            call,
            each.search,
            each.replace,
            regex=each.use_regex,
            ignore_case=each.ignore_case,
        )
        for each in given.operations
    ]
    made = replace_in_order(call.context, given.path, wanted)
    return {
        "replacements": made.files[0].result.count,
        "modified": made.id is not None,
    }


def apply_diff(call: Call, given: Record) -> Json:
    """Apply line-anchored blocks to a file, all or nothing."""
    from filewright.edit.line_search import make_line_edit
    from filewright.edit.planning import plan_edits

    def planned(snapshot: Snapshot) -> EditPlan:
        edits = [
            make_line_edit(
                b.search,
                b.replace,
                b.start_line,
                b.end_line,
                insert=b.operation == "insert",
            )
            for b in given.diffs
        ]
        return plan_edits(snapshot, edits, fuzzy=False, task=call.task)

    made = change_text(call.context, "apply_diff", given.path, planned)
    return call.shaped("applied", {"count": len(given.diffs), "made": made})


def edit_file(call: Call, given: Record) -> Json:
    """Insert, replace or delete by line and text; the changes of one file are made with the first of them or not."""
    if given.asked not in call.outcomes:
        together = [each for each in call.items if each.path == given.asked]
        call.outcomes[given.asked] = iter(_edited(call, given, together))
    outcome: Json | FilewrightError = next(call.outcomes[given.asked])
    if isinstance(outcome, FilewrightError):
        raise outcome
    return outcome


def _edited(
    call: Call, given: Record, together: Sequence[Record]
) -> list[Json | FilewrightError]:
    """The changes of one file are made; what became of each."""
    from filewright.edit.line_search import LineSearch, find_line_edit
    from filewright.edit.planning import plan_edits

    def planned(snapshot: Snapshot) -> EditPlan:
        edits = []
        for index, each in enumerate(together):
            search, replace = each.search_pattern, each.replace_content
            how = (
                each.ignore_leading_whitespace,
                each.preserve_indentation,
                each.match_occurrence,
            )
            compiled = (
                _compiled(call, search, replace)
                if each.use_regex and search
                else (None, None)
            )
            try:
                edit = LineSearch(
                    each.start_line, search, replace, *how, *compiled
                )
                edits.append(find_line_edit(snapshot, edit, task=call.task))
            except FilewrightError as error:
                error.details["edit"] = index
                raise
        return plan_edits(snapshot, edits, fuzzy=False, task=call.task)

    facts: Json = {
        "message": f"File {given.asked} reads like this already; nothing was written.",
        "diff": "",
    }
    try:
        made = change_text(
            call.context,
            "edit_file",
            given.path,
            planned,
            preview=given.dry_run,
        )
        warnings = (
            f" warning: {'; '.join(made.warnings)}" if made.warnings else ""
        )
        done = (
            "changes calculated (dry run)"
            if given.dry_run
            else "modified successfully"
        )
        facts = {
            "message": f"File {given.asked} {done}.{warnings}",
            "diff": made.diff.text,
        }
    except FilewrightError as error:
        if error.code != Code.NO_CHANGE:
            refused = error.details.get("edit")
            why = f"not made, because change {(refused or 0) + 1} of this file was refused"
            skipped = {"status": "skipped", "message": why}
            return [
                error if refused in (None, index) else skipped
                for index in range(len(together))
            ]
    if not given.output_diff:
        del facts["diff"]
    return [call.shaped("edited", facts)] * len(together)
