"""The tool `get_overview`: lines, encoding, outline, and what to search for."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from filewright.dialects.call import Call
from filewright.dialects.json_answers import Json, fit_page
from filewright.dialects.largefile.arguments import FilePath
from filewright.errors import Code, FilewrightError
from filewright.structure.symbol import Symbol
from filewright.tools.arguments import Arguments
from filewright.tools.bounded_text import clip
from filewright.tools.overview.result import OverviewResult

_SYMBOL_CHARACTERS = 150
"""About the characters that a symbol has in an answer."""

_MAX_LISTED_ERRORS = 5
_MAX_QUOTED_CHARACTERS = 61

_CHANGE_KINDS = ("added", "modified", "removed")

_SEARCH_HINTS = {
    "python": ["def ", "class ", "import ", "from "],
    "javascript": ["function ", "class ", "const ", "import "],
    "typescript": ["function ", "class ", "const ", "import "],
    "jsx": ["function ", "class ", "const ", "import "],
    "tsx": ["function ", "class ", "const ", "import "],
    "go": ["func ", "type ", "import ", "package "],
    "rust": ["fn ", "struct ", "impl ", "use "],
    "java": ["class ", "interface ", "enum ", "import "],
    "c": ["struct ", "typedef ", "static ", "#define "],
    "cpp": ["class ", "struct ", "namespace ", "#include "],
    "csharp": ["class ", "interface ", "namespace ", "using "],
    "ruby": ["def ", "class ", "module ", "require "],
    "sql": ["CREATE ", "SELECT ", "INSERT ", "FROM "],
    "log": ["ERROR", "WARN", "Exception", "failed"],
}
_OTHER_SEARCH_HINTS = ["TODO", "FIXME", "NOTE", "HACK"]

_BINARY_KINDS = {
    "image/png": "image",
    "image/jpeg": "image",
    "image/gif": "image",
    "image/webp": "image",
    "application/pdf": "document",
    "application/vnd.sqlite3": "database",
    "application/x-elf": "executable",
    "application/wasm": "executable",
    "application/vnd.microsoft.portable-executable": "executable",
    "application/zip": "compressed",
    "application/gzip": "compressed",
    "application/x-bzip2": "compressed",
    "application/x-xz": "compressed",
    "application/zstd": "compressed",
}


def check_range(entry: list[Any]) -> list[Any]:
    """Return a range of changed lines. Raise `ValueError` for a wrong line or kind."""
    wrong_lines = [line for line in entry[:2] if not isinstance(line, int)]
    if wrong_lines:
        raise ValueError(f"{_quote(wrong_lines[0])} is no number of a line")
    wrong_kinds = [kind for kind in entry[2:] if kind not in _CHANGE_KINDS]
    if wrong_kinds:
        known_kinds = ", ".join(_CHANGE_KINDS)
        raise ValueError(f"{_quote(wrong_kinds[0])} is none of {known_kinds}")
    return entry


def _quote(value: object) -> str:
    return clip(json.dumps(value), _MAX_QUOTED_CHARACTERS)


ChangedRange = Annotated[
    list[int | str],
    Field(min_length=2, max_length=3),
    AfterValidator(check_range),
]


class GetOverview(Arguments):
    """Arguments of `get_overview`."""

    path: FilePath
    changed_lines: Annotated[
        list[ChangedRange] | None,
        Field(
            description="[start, end] or "
            '[start, end, "added"|"modified"|"removed"] each.'
        ),
    ] = None


def get_overview(call: Call, arguments: GetOverview) -> Json:
    """Return size, lines, long lines, outline and search hints of a file."""
    return fit_page(
        call,
        call.max_characters,
        lambda page_call: build_overview(page_call, arguments),
    )


def build_overview(call: Call, arguments: GetOverview) -> Json:
    """Return the overview of a file with as many symbols as fit in a native page."""
    threshold = call.settings.line_chars
    changed_lines: list[list[Any]] | None = None
    changed_kinds: list[Any] | None = None
    if arguments.changed_lines is not None:
        changed_lines = []
        changed_kinds = []
        for entry in arguments.changed_lines:
            changed_lines.append(entry[:2])
            changed_kinds.append(entry[2] if len(entry) > 2 else "modified")
    try:
        overview = call.get_overview(
            arguments.path,
            max_symbols=max(1, call.settings.page_chars // _SYMBOL_CHARACTERS),
            changed_lines=changed_lines,
            changed_kinds=changed_kinds,
        )
    except FilewrightError as error:
        # No symbols of a binary file can be matched with the changed lines.
        if error.code != Code.IS_BINARY or changed_lines is not None:
            raise
        return overview_of_binary(error, threshold)
    return overview_of_text(overview, threshold)


def overview_of_binary(error: FilewrightError, threshold: int) -> Json:
    """Return the overview of a file that was refused since it is binary."""
    return {
        "line_count": 0,
        "file_size": error.details["size"],
        "encoding": None,
        "is_binary": True,
        "binary_hint": _BINARY_KINDS.get(error.details["type"]),
        "has_long_lines": False,
        "long_lines": {
            "has_long_lines": False,
            "count": 0,
            "max_length": 0,
            "threshold": threshold,
        },
        "outline": [],
        "search_hints": [],
        "warning": "Binary file: it can be listed, moved and copied, but not "
        "read or edited as text.",
    }


def overview_of_text(overview: OverviewResult, threshold: int) -> Json:
    """Return a native overview in the fields of the original."""
    statuses: dict[tuple[str, int], str] | None = None
    if overview.changed_symbols is not None:
        statuses = {}
        for symbol in overview.changed_symbols:
            if symbol.name:
                # Several symbols may have one name, but they end on different lines.
                statuses[symbol.name, symbol.end_line] = symbol.status
    kind = "log" if overview.search_hints.log else overview.language
    answer: Json = {
        "line_count": overview.line_count,
        "file_size": overview.size,
        "encoding": overview.encoding,
        "is_binary": False,
        "binary_hint": None,
        "has_long_lines": overview.long_lines > 0,
        "long_lines": {
            "has_long_lines": overview.long_lines > 0,
            "count": overview.long_lines,
            "max_length": overview.longest_line,
            "threshold": threshold,
        },
        "outline": outline_of(overview.outline, statuses),
        "search_hints": _SEARCH_HINTS.get(kind or "", _OTHER_SEARCH_HINTS),
    }
    if statuses is not None:
        answer["changed_symbols"] = len(statuses)
    if overview.symbols_left_out:
        answer["outline_truncated"] = overview.symbols_left_out
    warnings = warnings_of(overview)
    if warnings:
        answer["warning"] = "; ".join(warnings)
    return answer


def outline_of(
    symbols: Sequence[Symbol], statuses: Mapping[tuple[str, int], str] | None
) -> list[Json]:
    """Return symbols with those below them, and how they were changed."""
    outline = []
    for symbol in symbols:
        node: Json = {
            "name": symbol.name,
            "type": symbol.kind,
            "line_number": symbol.start_line,
            "end_line": symbol.end_line,
            "line_count": symbol.end_line - symbol.start_line + 1,
            "children": outline_of(symbol.children, statuses),
        }
        if statuses is not None:
            node["changes"] = statuses.get((symbol.name, symbol.end_line))
        outline.append(node)
    return outline


def warnings_of(overview: OverviewResult) -> list[str]:
    """Return the warnings for a reader of an outline."""
    warnings = []
    if overview.symbols_left_out:
        warnings.append(
            "read_enclosing with a line shows a definition that is left out "
            "here"
        )
    if overview.outline_note:
        warnings.append(overview.outline_note)
    syntax_errors = overview.syntax_errors
    if syntax_errors.count:
        lines = [
            str(issue.line)
            for issue in syntax_errors.first[:_MAX_LISTED_ERRORS]
        ]
        warnings.append(
            f"{syntax_errors.count} syntax errors, "
            f"the first at line {', '.join(lines)}"
        )
    return warnings
