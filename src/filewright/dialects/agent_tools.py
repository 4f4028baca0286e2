"""The dialect `agent-tools`: one file per call, plain text, errors as one JSON object.

The surface that coding agents are trained on: numbered lines, exact strings replaced, `grep` with
pages, unified diffs. A code that this dialect lacks becomes the nearest it has.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from filewright import errors
from filewright.dialects.table import (
    Call,
    Json,
    Record,
    encoded,
    fit,
    folders_first,
    table,
    worded,
)
from filewright.errors import Code, FilewrightError
from filewright.tools.bounded_text import clip
from filewright.tools.result import FailedCall, ToolResult
from filewright.wording import escape_controls, pluralize

if TYPE_CHECKING:
    from filewright.structure.symbol import Symbol
    from filewright.tools.overview import OverviewResult
    from filewright.tools.read import FileRead
    from filewright.tools.search import SearchHit

_LINE_CHARS = 2000
_CUT = " [... line truncated ...]"
_READ_LINES = 2000
_FOOTER_BYTES = 600
_IMAGE_BYTES = 5 << 20
_GREP_FILES = 20_000
_GREP_PAGE = 2_000
_NEAR_CHARS = 200
_LINES_LISTED = 20
_EDIT_NAMED = re.compile(r"edits\[(\d+)\]")
_STOPPED = "[... search incomplete: it stopped early; narrow the pattern, path, or glob for complete results ...]"


# Errors


def refusal(error: FilewrightError, limit: int) -> ToolResult:
    """The answer of a call that failed: `{"error", "message", …}`, its fields as far as they fit."""
    details, read = error.details, table("agent_tools")
    code = (
        "not_found"
        if "tool" in details
        else read["codes"].get(error.code, str(error.code))
    )
    named = _EDIT_NAMED.match(str(details.get("argument")))
    facts: Json = {
        "error": details.get("error", code),
        "message": clip(worded(error.message, read), limit // 8),
        "native_code": str(error.code),
        "hint": worded(error.hint, read) if error.hint else None,
        "index": int(named[1]) if named else None,
        **{
            name: value
            for name, value in details.items()
            if name not in read["unsaid"]
        },
    }
    if facts["error"] == facts["native_code"]:
        del facts["native_code"]
    if facts.get("argument") == "start":
        facts["argument"] = "offset"
    body: Json = {}
    for name, value in facts.items():
        if (
            value not in (None, [], {})
            and len(encoded({**body, name: value})) <= limit
        ):
            body[name] = value
    return FailedCall(encoded(body), error=error)


# Rows of text within the dialect's cap of bytes


def _room(call: Call) -> int:
    """Bytes of rows that fit, a footer left room for."""
    return max(200, call.context.settings.page_chars - _FOOTER_BYTES)


def _size(row: str) -> int:
    return len(row.encode("utf-8", "replace")) + 1


def _fitting(rows: Sequence[str], limit: int) -> list[str]:
    """The first of `rows` that fit in `limit` bytes; at least one, cut inside no character."""
    kept = [*rows[: fit(map(_size, rows), limit)]]
    if rows and not kept:
        first = rows[0].encode("utf-8", "replace")[: limit - len(_CUT)]
        kept.append(first.decode("utf-8", "ignore") + _CUT)
    return kept


def _answered(
    call: Call, rows: Sequence[str], *footers: str | None, empty: str = ""
) -> str:
    """The rows that fit, or `empty` if there are none, then what is said of them."""
    kept = _fitting(rows, _room(call)) or [empty]
    if len(kept) < len(rows):
        kept.append(
            f"[... output truncated: {len(kept)} of {len(rows)} lines shown; narrow the request ...]"
        )
    return "\n".join([*kept, *filter(None, footers)])


# Reading


def _page(file: FileRead, room: int) -> tuple[list[str], int | None]:
    """The lines of a native read that fit, as rows (number, TAB, text), and the line to go on with."""
    rows = [
        f"{number:>6}\t{escape_controls(line)}{_CUT if number in file.cut_at else ''}"
        for number, line in enumerate(file.rows, file.start_line)
    ]
    kept = _fitting(rows, room) or ["(empty file)"]
    goes_on = file.next is not None or len(kept) < len(rows)
    return kept, file.start_line + len(kept) if goes_on else None


def read_file(call: Call, given: Record) -> str:
    """Numbered lines, and the offset to go on with."""
    how: Json = {"start": given.offset, "limit": given.limit or _READ_LINES}
    if given.column is not None:
        how = {"line": max(1, given.offset), "column": given.column}
    file = call.read(given.path, encoding=given.encoding, **how)
    rows, following = _page(file, _room(call))
    if given.column is not None:
        if file.next:
            rows.append(
                f"(the line goes on; call again with column={file.next.column})"
            )
        return "\n".join(rows)
    last = file.start_line + len(rows) - 1
    if following is not None:
        many = pluralize(len(rows), "line")
        if file.total_lines is not None:
            many = f"{len(rows)} of {file.total_lines} lines"
        rows.append(f"[... {many} shown; continue with offset={following} ...]")
    if file.cut_at and file.cut_at[0] <= last:
        rows.append(
            f"(lines cut; read on with offset={file.cut_at[0]} and column={_LINE_CHARS + 1})"
        )
    if file.encoding not in (None, "utf-8", "ascii", "utf-16-le", "utf-16-be"):
        rows.append(f"(encoding: {file.encoding})")
    if invalid := [
        str(number) for number in file.invalid_lines[:20] if number <= last
    ]:
        lines = ", ".join(invalid)
        rows.append(
            f"(bytes that are not {file.encoding}, shown as \ufffd, in lines {lines})"
        )
    return "\n".join(rows)


def read_files(call: Call, given: Record) -> str:
    """The files that fit, each under a heading, failures in their place; and how many are left out."""
    rows: list[str] = []
    left = _room(call)
    for position, path in enumerate(given.paths):
        if left <= 0:
            omitted = len(given.paths) - position
            rows.append(
                f"[... {omitted} more file(s) not shown; call read_files with fewer paths ...]"
            )
            break
        name, following = escape_controls(path), None
        try:
            kept, following = _page(
                call.read(path, limit=_READ_LINES), max(200, left)
            )
            section = [f"==> {name} <==", *kept]
        except FilewrightError as error:
            if error.ends_call:
                raise
            code = call.table["codes"].get(error.code, error.code)
            section = [
                f"==> {name} — {code}: {escape_controls(error.message)} <=="
            ]
        if following is not None:
            section.append(
                f"[... more; use read_file with offset={following} for the rest ...]"
            )
        left -= sum(map(_size, section))
        rows += section
    return "\n".join(rows)


def read_image(call: Call, given: Record) -> ToolResult:
    """An image to be looked at."""
    kind = "text"
    try:
        found = call.under(image_bytes=_IMAGE_BYTES, max_file_bytes=0).read(
            given.path, limit=1
        )
        if found.images:
            return ToolResult("", images=found.images)
    except FilewrightError as error:
        if error.code != Code.IS_BINARY:
            raise
        kind = error.details["type"]
    message, hint = (
        f"{given.path} is not an image: {kind}",
        "name an image, or read text with read_file",
    )
    raise errors.path_error(
        Code.INVALID_INPUT, given.path, message, hint, error="not_an_image"
    )


def list_dir(call: Call, _: Record) -> str:
    """Folders first, then files with their sizes."""
    entries, more = call.entries()
    folders, others = [], []
    for entry in entries:
        kind, size = entry.type, entry.size
        if kind == "link":
            try:
                kind = call.status(entry.path).kind
            except FilewrightError:
                size = 0
        if kind == "folder":
            folders.append(f"{escape_controls(entry.name)}/")
        else:
            others.append(f"{escape_controls(entry.name)}\t{size}")
    return _answered(call, folders + others, *more, empty="(empty directory)")


def glob(call: Call, _: Record) -> str:
    """The files that fit, newest first."""
    entries, more = call.entries()
    rows = [
        escape_controls(entry.path) for entry in entries if entry.type == "file"
    ]
    return _answered(call, rows, *more, empty="(no matches)")


def tree(call: Call, given: Record) -> str:
    """A folder drawn as a tree, folders first; linked folders are named, not entered."""
    entries, more = call.entries(depth=given.depth or 4)
    below = folders_first(call.below(entries))
    last = {parts[:-1]: parts for parts, _ in below}
    rows = []
    for parts, entry in below:
        ends = [
            last[parts[:level]] == parts[: level + 1]
            for level in range(len(parts))
        ]
        margin = "".join("    " if end else "│   " for end in ends[:-1])
        corner = "└── " if ends[-1] else "├── "
        after = {"folder": "/", "link": "@"}.get(entry.type, f"\t{entry.size}")
        rows.append(f"{margin}{corner}{escape_controls(entry.name)}{after}")
    top = call.locate(given.path).display_path
    return _answered(call, [top, *(rows or ["(no entries)"])], *more)


def diff(call: Call, given: Record) -> str:
    """A unified diff of two files."""
    from filewright.tools.read import compare_files

    made = compare_files(call.context, given.before, given.after).rstrip("\n")
    return _answered(
        call, made.split("\n") if made else [], empty="(no differences)"
    )


def outline(call: Call, given: Record) -> str:
    """The definitions of a file with their lines."""
    overview = _overview(call, "outline", given.path, max_symbols=5000)

    def rows(symbols: Sequence[Symbol], depth: int = 0) -> Iterator[str]:
        for symbol in symbols:
            yield f"{'  ' * depth}{symbol.start_line}-{symbol.end_line} {symbol.kind} {escape_controls(symbol.name)}"
            if depth < 30:
                yield from rows(symbol.children, depth + 1)

    note, errors = overview.outline_note, overview.syntax_errors.count
    broken = f"note: file has syntax errors ({errors}); outline may be incomplete, see check_syntax"
    footers = note and f"({note})", broken if errors else None
    return _answered(
        call, [*rows(overview.outline)], *footers, empty="(no symbols found)"
    )


def _overview(
    call: Call, tool: str, path: str, max_symbols: int
) -> OverviewResult:
    """The overview of a file. A kind that is never parsed is refused; a note says why one that could be was not."""
    overview = call.get_overview(path, since="", max_symbols=max_symbols)
    if (
        not overview.outline
        and overview.parsed == "no"
        and overview.outline_note is None
    ):
        message = f"{tool} does not support {path}: there is no grammar for this kind of file"
        raise errors.path_error(
            Code.INVALID_INPUT, path, message, "read it with read_file"
        )
    return overview


def check_syntax(call: Call, given: Record) -> Json:
    """The syntax errors of a file; `ok` is null where the file was not parsed."""
    overview = _overview(call, "check_syntax", given.path, max_symbols=0)
    issues, shown = overview.syntax_errors, []
    for issue in issues.first:
        # Near an issue is the line it is in, or the token that is missing.
        _, missing, near = issue.message.rpartition("missing ")
        if not missing:
            near = ""
            with suppress(
                FilewrightError
            ):  # What ends too early may be of the line after the last.
                near = call.read(
                    given.path, start=issue.line, limit=1
                ).content.strip()
        near = escape_controls(
            (near or issue.text or issue.message)[:_NEAR_CHARS]
        )
        kind = "missing" if missing else "error"
        shown.append(
            {
                "kind": kind,
                "line": issue.line,
                "column": issue.column,
                "near": near,
            }
        )
    ok = (
        issues.count == 0
        if overview.parsed == "whole" or issues.count
        else None
    )
    cut = issues.count > len(shown)
    return call.shaped(
        "syntax",
        {
            "path": given.path,
            "made": overview,
            "ok": ok,
            "errors": shown,
            "cut": cut,
        },
    )


# Searching


def grep(call: Call, given: Record) -> str:
    """Search; sorted by path and line. A file that is not text has no matches."""
    content, offset, multiline = (
        given.output_mode == "content",
        given.offset,
        given.multiline,
    )
    last = offset + given.head_limit if given.head_limit else None
    output: Any = (
        "matches"
        if content or multiline
        else {"count": "counts"}.get(given.output_mode, "files")
    )
    groups = bool(given.context or given.before_context or given.after_context)
    hits: list[SearchHit] = []
    lines, counts = set[tuple[str, int]](), Counter[str]()
    room, total, cursor, full = _room(call), 0, None, False
    while not full:
        found = call.search(
            **_regex(call), output=output, max_results=_GREP_PAGE, cursor=cursor
        )
        cursor, total = found.next_cursor, total or found.total or 0
        # Of several lines, a match of nothing is none.
        matches = [
            hit
            for hit in found.results
            if hit.end > hit.offset or not multiline
        ]
        if content:
            hits += matches
            rows, shown = _hit_rows(hits[offset:last], room, groups=groups)
            full = shown < len(hits[offset:last]) or len(hits) == last
        else:
            lines |= {(hit.path, hit.line) for hit in matches}
            counts.update({file.path: file.count or 1 for file in found.files})
            full = len(counts) >= _GREP_FILES
        if cursor is None:
            break
    complete = found.complete or bool(content and cursor and total)
    if content:
        total = len(hits) if multiline and complete else max(total, len(hits))
    else:
        counts.update(name for name, _ in sorted(lines))
        names = [
            escape_controls(name) + f":{count}" * (given.output_mode == "count")
            for name, count in counts.items()
        ]
        rows = _fitting(names[offset:last], room)
        shown, total = len(rows), len(names)
    if not rows:
        none = "(no matches)" if complete else _STOPPED
        return (
            f"(no results at offset {offset}; {total} total)" if total else none
        )
    following = offset + shown
    if following < total:
        cut = "" if shown == given.head_limit else "page was cut: "
        many = str(total) if complete else f"at least {total}"
        rows.append(
            f"[... {cut}showing {offset}..{following} of {many}; "
            f"call again with offset={following} for more ...]"
        )
    return "\n".join(rows if complete else [*rows, _STOPPED])


def _regex(call: Call) -> Json:
    """The request for a pattern. Over several lines a dot matches line ends too; a pattern that is wrong is refused
    as it was given."""
    pattern = call.request["pattern"]
    if not call.request["multiline"]:
        return call.request
    from filewright.search.pattern import compile as compile_pattern

    compile_pattern(
        pattern,
        mode="regex",
        multiline=True,
        max_chars=call.context.settings.max_pattern_chars,
    )
    return {**call.request, "pattern": f"(?s){pattern}"}


def _hit_rows(
    hits: Sequence[SearchHit], limit: int, *, groups: bool
) -> tuple[list[str], int]:
    """The hits with their context as rows, each line once, and how many hits fit.

    With `groups` there is a mark between lines that do not follow each other.
    """
    lines: dict[tuple[str, int], str] = {}
    used = shown = 0
    for hit in hits:
        text = f"{'…' * (hit.text_column > 1)}{hit.text}{'…' * hit.truncated}"
        first = hit.line - len(hit.context_before)
        rows = [*enumerate([*hit.context_before, text, *hit.more_lines], first)]
        block = {}
        for number, row in [
            *rows,
            *enumerate(hit.context_after, hit.last_line + 1),
        ]:
            mark = ":" if hit.line <= number <= hit.last_line else "-"
            if mark == ":" or (hit.path, number) not in lines:
                block[hit.path, number] = escape_controls(
                    f"{hit.path}{mark}{number}{mark}{row}"
                )
        used += (
            sum(_size(row) for key, row in block.items() if key not in lines)
            + 3 * groups
        )
        if used > limit:
            if not lines:
                return _fitting([*block.values()], limit), 1
            break
        lines |= block
        shown += 1
    marked: list[str] = []
    for path, number in lines:
        if groups and marked and (path, number - 1) not in lines:
            marked.append("--")
        marked.append(lines[path, number])
    return marked, shown


# Changing


def check_edit(edit: Record) -> Record:
    """What is replaced is something, and by something else."""
    if not edit.search:
        raise ValueError("old_string must not be empty")
    if edit.search == edit.replace:
        raise ValueError("old_string and new_string are identical")
    return edit


check_edit_file = check_edit


def edit_file(call: Call, given: Record) -> str:
    """One edit, or several in order, all or nothing; ambiguous too where several places are the text but for
    whitespace."""
    wanted, several = call.request["edits"], "in_turn" in call.request
    try:
        made = call.edit(**call.request)
    except FilewrightError as error:
        details, but = error.details, ""
        lines = details.get("lines", [])
        hint = "add lines of context to old_string until it occurs once, or give replace_all=true"
        if (
            error.code == Code.NO_MATCH
            and not wanted[details["edit"]]["replace_all"]
        ):
            near = details.get("nearest", ())
            lines = sorted(
                place["first_line"]
                for place in near
                if place["similarity"] == 1
            )
            hint = "copy the text with its whitespace, and with enough lines around it to occur once"
            but = ", but for whitespace"
        if len(lines) > 1:
            error.code, error.hint = Code.AMBIGUOUS_MATCH, hint
            details["lines"] = lines[:_LINES_LISTED]
            shown = ", ".join(map(str, details["lines"])) + " and more" * (
                len(lines) > _LINES_LISTED
            )
            error.message = f"{details['path']}: old_string occurs more than once{but}: lines {shown}"
        if several and "edit" in details:
            error.message = f"edit[{details['edit']}]: {error.message}"
            details["index"] = details["edit"]
        raise
    rows = [
        f"Replaced {pluralize(made.changes_made, 'occurrence')} in {escape_controls(given.path)}."
    ]
    if several:
        rows = [
            f"Applied {pluralize(len(wanted), 'edit')} to {escape_controls(given.path)}."
        ]
    for outcome in made.results:
        if outcome.tier != "exact":
            which = f"edit[{outcome.index}]: " if len(made.results) > 1 else ""
            repairs = (
                f" after we {' and '.join(outcome.repairs)}"
                if outcome.repairs
                else ""
            )
            rows.append(
                f"note: {which}old_string was not there exactly; matched by {outcome.tier}{repairs} "
                f"at line {outcome.first}"
            )
    return _with_diff(call, rows, made.diff, made.syntax_warning)


multi_edit = edit_file


def _with_diff(
    call: Call, rows: Sequence[str], diff: str, *warnings: str | None
) -> str:
    """What was done, warnings of what no longer parses, and the diff."""
    warned = [
        f"warning: {escape_controls(warning)}"
        for warning in warnings
        if warning
    ]
    return _answered(
        call, [*rows, *warned, *map(escape_controls, diff.splitlines())]
    )


def apply_patch(call: Call, given: Record) -> str:
    """A patch over any number of files, all or nothing; two names in a file's header rename it."""
    try:
        made = call.apply_patch(given.patch, renames=True)
    except FilewrightError as error:
        details = error.details
        if error.code == Code.ALREADY_APPLIED:
            error.code = Code.PATCH_FAILED
        elif details.get("reason") == "not_empty":
            error.code = Code.INVALID_INPUT
        if "path" not in details and details.get("files"):
            details["path"] = details["files"][0].get("path")
        if error.code == Code.PATCH_FAILED and "path" in details:
            details["file"] = details["path"]
        raise
    rows = ["Applied patch:"]
    for file in made.files:
        was = f"{escape_controls(file.was)} -> " if file.was else ""
        letter = call.table["letters"].get(file.operation, "M")
        rows.append(f"  {letter} {was}{escape_controls(file.path or '')}")
        rows += [
            f"note: hunk {hunk.number} matched by {hunk.tier} at line {hunk.line}"
            for hunk in file.hunks
            if hunk.tier != "exact"
        ]
    return _with_diff(call, rows, "", *made.warnings)


def write_file(call: Call, given: Record) -> str:
    """A whole file with its parents: a new one gets newlines alone, of one that is there the diff is shown."""
    new = call.stat(given.path).results[0].error is not None
    mode: Any = (
        {"mode": "create", "newline": "lf"}
        if new
        else {"mode": "overwrite", "newline": "keep"}
    )
    (made,) = call.write(given.path, given.content, **mode).results
    size = len(
        (given.content.replace("\r\n", "\n") if new else given.content).encode(
            "utf-8", "replace"
        )
    )
    head = f"Wrote {size} bytes to {escape_controls(given.path)} ({made.operation})."
    return _with_diff(call, [head], made.diff, made.syntax_warning)


def replace(call: Call, given: Record) -> str:
    """Every match of a regex in a file or a tree; a preview unless dry_run is false."""
    made = call.replace(**_regex(call))
    files = [
        f"  M {escape_controls(file.path)} ({pluralize(file.count or 0, 'replacement')})"
        for file in made.files
    ]
    head = f"Replaced {made.count} occurrence(s) in {len(files)} file(s):"
    if given.dry_run:
        dry = "(dry run — pass dry_run: false to apply)"
        head = f"{made.count} replacement(s) across {len(files)} file(s) {dry}"
    return _with_diff(call, [head, *files], made.diff, *made.warnings)
