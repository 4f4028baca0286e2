"""How worker and parent speak: a line of JSON each way, and after a request the content.

JSON because the worker parses hostile files: nothing it sends may be more than data.
"""

from __future__ import annotations

import json
import sys
from typing import Any, NamedTuple

from filewright.structure.symbol import Outline, Symbol, SyntaxIssue, SyntaxReport


class Request(NamedTuple):
    """What the parent asks: the outline of the `size` bytes that follow, in `codec`, within `seconds`.

    `key` names the file: its last tree, if the worker still has it, speeds up the parse.
    """

    language: str
    codec: str
    seconds: float
    key: str = ""
    size: int = 0


def line(value: object) -> bytes:
    """A request, or an outline's rows, as a line."""
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def rows(outline: Outline) -> tuple[object, ...]:
    """An outline as plain data: a symbol is the row of its fields, the last one its children's rows."""
    errors = outline.errors
    issues = [(issue.line, issue.column, issue.text, issue.message) for issue in errors.first]
    return (
        *(outline.language, outline.symbols, outline.count, outline.parsed, outline.truncated, outline.note),
        *((errors.count, issues, errors.certain), outline.parsed_to),
    )


def decoded(answer: bytes) -> Outline:
    """The outline of a line; `ValueError`, `TypeError` or `RecursionError` if it is none."""
    language, symbols, count, parsed, truncated, note, (errors, issues, certain), parsed_to = json.loads(
        answer
    )
    report = SyntaxReport(errors, tuple(SyntaxIssue(*issue) for issue in issues), certain)
    return Outline(language, _symbols(symbols), count, parsed, truncated, note, report, parsed_to)


def _symbols(found: list[Any]) -> tuple[Symbol, ...]:
    plain = [(name, sys.intern(kind), *rest, _symbols(below)) for name, kind, *rest, below in found]
    return tuple(map(Symbol._make, plain))
