"""How worker and parent speak: frames of length, head and body; heads and outlines as JSON.

JSON because the worker parses hostile files: nothing it sends may be more than data.
"""

from __future__ import annotations

import json
import struct
import sys
from array import array
from typing import Any, Final, NamedTuple

from filewright.structure.symbol import Outline, Symbol, SyntaxIssue, SyntaxReport

_COLUMNS: Final = 7
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


def encoded(outline: Outline) -> tuple[list[Any], bytes]:
    """An outline as the head and the body of a frame, its symbols in file order.

    The body holds seven 64-bit numbers for each: depth, lines and offsets.
    """
    names: list[str] = []
    kinds: list[str] = []
    known_as: list[str] = []
    places = array("q")
    pending = [(0, symbol) for symbol in reversed(outline.symbols)]
    while pending:
        depth, symbol = pending.pop()
        names.append(symbol.name)
        kinds.append(symbol.kind)
        known_as.append(symbol.known_as)
        places.extend(
            (
                depth, symbol.start_line, symbol.end_line, symbol.start, symbol.end, symbol.block_start,
                symbol.block_start_line,
            )
        )  # fmt: skip
        if symbol.children:
            pending.extend([(depth + 1, child) for child in reversed(symbol.children)])
    errors = outline.errors
    issues = [(issue.line, issue.column, issue.text, issue.message) for issue in errors.first]
    head = [
        outline.language, names, kinds, known_as, outline.count, outline.parsed, outline.truncated, outline.note,
        errors.count, issues, errors.certain, outline.parsed_to,
    ]  # fmt: skip
    return head, places.tobytes()


def decoded(head: bytes, body: bytes) -> Outline:
    """The outline of `encoded`; `ValueError` or `TypeError` if it is not one."""
    language, names, kinds, known_as, count, parsed, truncated, note, errors, issues, certain, parsed_to = (
        json.loads(head)
    )
    first = tuple(SyntaxIssue(*issue) for issue in issues)
    places = array("q")
    places.frombytes(body)
    symbols = _tree(names, kinds, known_as, places)
    return Outline(
        language, symbols, count, parsed, truncated, note, SyntaxReport(errors, first, certain), parsed_to
    )


def _tree(names: list[str], kinds: list[str], known_as: list[str], places: array[int]) -> tuple[Symbol, ...]:
    """Symbols in file order as a tree, built from the last backwards: children before parents."""
    open_: dict[int, list[Symbol]] = {}
    columns = (places[column::_COLUMNS] for column in range(_COLUMNS))
    rows = zip(names, kinds, known_as, *columns, strict=True)
    for name, kind, other, depth, first, last, start, end, block, block_line in reversed(list(rows)):
        below = open_.pop(depth + 1, None)
        children = tuple(reversed(below)) if below else ()
        symbol = Symbol(name, sys.intern(kind), first, last, start, end, block, block_line, other, children)
        open_.setdefault(depth, []).append(symbol)
    return tuple(reversed(open_.get(0, [])))
