"""How worker and parent speak: frames of length, head and body; heads and outlines as JSON.

JSON because the worker parses hostile files: nothing it sends may be more than data.
"""

from __future__ import annotations

import json
import struct
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
    """Lengths and head; the body is to be sent after it."""
    encoded = json.dumps(head, ensure_ascii=True, separators=(",", ":")).encode()
    return FRAME.pack(len(encoded), len(body)) + encoded


def encoded(outline: Outline) -> list[Any]:
    """An outline as lists of plain values, its symbols in file order with their depths."""
    rows: list[Any] = []
    pending = [(0, symbol) for symbol in reversed(outline.symbols)]
    while pending:
        depth, symbol = pending.pop()
        rows.append(
            (
                depth, symbol.name, symbol.kind, symbol.start_line, symbol.end_line, symbol.start, symbol.end,
                symbol.block_start, symbol.block_start_line, symbol.known_as,
            )
        )  # fmt: skip
        if symbol.children:
            pending.extend((depth + 1, child) for child in reversed(symbol.children))
    errors = outline.errors
    issues = [(issue.line, issue.column, issue.text, issue.message) for issue in errors.first]
    return [
        outline.language, rows, outline.count, outline.parsed, outline.truncated, outline.note,
        errors.count, issues, errors.certain,
    ]  # fmt: skip


def decoded(head: bytes) -> Outline:
    """The outline of `encoded`; `ValueError`, `TypeError` or `KeyError` if it is not one."""
    language, rows, count, parsed, truncated, note, errors, issues, certain = json.loads(head)
    first = tuple(SyntaxIssue(*issue) for issue in issues)
    return Outline(
        language, _tree(rows), count, parsed, truncated, note, SyntaxReport(errors, first, certain)
    )


def _tree(rows: list[Any]) -> tuple[Symbol, ...]:
    """Rows in file order as a tree, built from the last row backwards: children before parents."""
    open_: dict[int, list[Symbol]] = {}
    for depth, name, kind, first, last, start, end, block, block_line, known_as in reversed(rows):
        below = open_.pop(depth + 1, None)
        children = tuple(reversed(below)) if below else ()
        open_.setdefault(depth, []).append(
            Symbol(name, kind, first, last, start, end, block, block_line, known_as, children)
        )
    return tuple(reversed(open_.get(0, [])))
