"""How worker and parent speak: frames of lengths, head and body; heads, and so outlines, as JSON.

JSON because the worker parses hostile files: nothing it sends may be more than data.
"""

from __future__ import annotations

import json
import struct
import sys
from typing import Any, Final, NamedTuple

from filewright.structure.symbol import Outline, Symbol, SyntaxIssue, SyntaxReport

FRAME: Final = struct.Struct("=II")
"""Lengths in bytes of the head and of the body that follow."""


class Request(NamedTuple):
    """What the parent asks: the outline of the body, in `codec`, within `seconds`.

    `key` names the file: its last tree, if the worker still has it, speeds up the parse.
    """

    language: str
    codec: str
    seconds: float
    key: str


def frame(head: object, body: bytes = b"") -> bytes:
    """Lengths and head; the body is to be sent after them."""
    encoded = json.dumps(head, ensure_ascii=True, separators=(",", ":")).encode()
    return FRAME.pack(len(encoded), len(body)) + encoded


def encoded(outline: Outline) -> list[Any]:
    """An outline as the head of a frame: a symbol is the row of its fields, the last one its children's rows."""
    errors = outline.errors
    issues = [(issue.line, issue.column, issue.text, issue.message) for issue in errors.first]
    return [
        *(outline.language, outline.symbols, outline.count, outline.parsed, outline.truncated, outline.note),
        *((errors.count, issues, errors.certain), outline.parsed_to),
    ]


def decoded(head: bytes) -> Outline:
    """The outline of `encoded`; `ValueError`, `TypeError` or `RecursionError` if it is not one."""
    language, symbols, count, parsed, truncated, note, (errors, issues, certain), parsed_to = json.loads(head)
    report = SyntaxReport(errors, tuple(SyntaxIssue(*issue) for issue in issues), certain)
    return Outline(language, _symbols(symbols), count, parsed, truncated, note, report, parsed_to)


def _symbols(rows: list[Any]) -> tuple[Symbol, ...]:
    found = []
    for name, kind, *rest, below in rows:
        found.append(Symbol._make((name, sys.intern(kind), *rest, _symbols(below))))
    return tuple(found)
