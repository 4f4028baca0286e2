"""Tools that parse a file: `outline` and `check_syntax`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from filewright.dialects.agent_tools.rows import render_rows
from filewright.dialects.arguments import LenientArguments
from filewright.dialects.call import Call
from filewright.dialects.json_answers import Json
from filewright.errors import Code, FilewrightError, path_error
from filewright.structure.outline import SyntaxIssue
from filewright.structure.symbol import Symbol
from filewright.tools.overview.result import OverviewResult
from filewright.wording import escape_controls

_MAX_SYMBOLS = 5000
_MAX_DEPTH = 30
"""Levels of symbols that are listed; deeper rows would be mostly indentation."""

_MAX_NEAR_CHARACTERS = 200


class OutlineArguments(LenientArguments):
    """Arguments of `outline`."""

    path: str


def outline(call: Call, arguments: OutlineArguments) -> str:
    """Return the definitions of a file with their lines."""
    overview = get_parsed_overview(
        call, "outline", arguments.path, max_symbols=_MAX_SYMBOLS
    )
    footers = []
    if overview.outline_note:
        footers.append(f"({overview.outline_note})")
    error_count = overview.syntax_errors.count
    if error_count:
        footers.append(
            f"note: file has syntax errors ({error_count}); "
            "outline may be incomplete, see check_syntax"
        )
    rows = list(rows_of_symbols(overview.outline))
    return render_rows(call, rows, footers, empty="(no symbols found)")


def rows_of_symbols(symbols: Sequence[Symbol], depth: int = 0) -> Iterator[str]:
    """Yield a row for each symbol, those below it indented."""
    for symbol in symbols:
        indent = "  " * depth
        lines = f"{symbol.start_line}-{symbol.end_line}"
        yield f"{indent}{lines} {symbol.kind} {escape_controls(symbol.name)}"
        if depth < _MAX_DEPTH:
            yield from rows_of_symbols(symbol.children, depth + 1)


def get_parsed_overview(
    call: Call, tool: str, path: str, *, max_symbols: int
) -> OverviewResult:
    """Return the overview of a file. Raise `invalid_input` for a kind that is never parsed.

    If a file that could be parsed was not, a note of the overview says why.
    """
    overview = call.get_overview(path, since="", max_symbols=max_symbols)
    was_parsed = overview.outline or overview.parsed != "no"
    # A note tells why a file of a known language was not parsed.
    if not was_parsed and overview.outline_note is None:
        raise path_error(
            Code.INVALID_INPUT,
            path,
            f"{tool} does not support {path}: "
            "there is no grammar for this kind of file",
            "read it with read_file",
        )
    return overview


class CheckSyntax(LenientArguments):
    """Arguments of `check_syntax`."""

    path: str


def check_syntax(call: Call, arguments: CheckSyntax) -> Json:
    """Return the syntax errors of a file; `ok` is null if it was not parsed."""
    overview = get_parsed_overview(
        call, "check_syntax", arguments.path, max_symbols=0
    )
    report = overview.syntax_errors
    is_ok: bool | None = None
    if report.count:
        is_ok = False
    elif overview.parsed == "whole":
        is_ok = True
    issues = []
    for issue in report.first:
        issues.append(render_issue(call, arguments.path, issue))
    answer: Json = {
        "path": arguments.path,
        "language": overview.language,
        "ok": is_ok,
        "errors": issues,
        "error_count": report.count,
        "truncated": report.count > len(issues),
    }
    if overview.outline_note is not None:
        answer["note"] = overview.outline_note
    return answer


def render_issue(call: Call, path: str, issue: SyntaxIssue) -> Json:
    """Return a syntax error with the line it is on, or with the token that is missing."""
    near = issue.missing_token
    if not near:
        near = line_of_issue(call, path, issue) or issue.text or issue.message
    return {
        "kind": "missing" if issue.missing_token else "error",
        "line": issue.line,
        "column": issue.column,
        "near": escape_controls(near[:_MAX_NEAR_CHARACTERS]),
    }


def line_of_issue(call: Call, path: str, issue: SyntaxIssue) -> str:
    """Return the line of an issue without its indentation."""
    try:
        return call.read(path, start=issue.line, limit=1).content.strip()
    except FilewrightError:
        # An early end of the text may be on the line after the last one.
        return ""
