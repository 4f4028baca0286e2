"""The messages between the parser process and its parent.

Each is a line of JSON; after a request comes the content. The parser reads hostile
files, and JSON makes sure that its answers are nothing but data.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import Any

from filewright.structure.import_statements import ImportFacts
from filewright.structure.outline import Outline, SyntaxIssue, SyntaxReport
from filewright.structure.symbol import Symbol
from filewright.structure.syntax_kinds import SyntaxAnswer


@dataclass(frozen=True, slots=True)
class Request:
    """A request for the outline of the `size` bytes that follow, within `seconds`.

    `key` names the file. If the worker still has its last tree, the parse is faster.
    With `spans`, the starts and the ends in turn, it is one for the syntax of these; with
    `names`, one for imports, the mentions of the names, and the names used in the spans.
    """

    language: str
    codec: str
    seconds: float
    key: str = ""
    size: int = 0
    spans: tuple[int, ...] = ()
    names: tuple[str, ...] = ()


Answer = Outline | SyntaxAnswer | ImportFacts


def encode_line(value: Request | Answer) -> bytes:
    """Return a request or an answer as a line of JSON: a list of its fields."""
    # Named tuples are lists for JSON already; only dataclasses reach `default`.
    row = json.dumps(_fields(value), separators=(",", ":"), default=_fields)
    return row.encode() + b"\n"


def _fields(
    value: Request | Answer | SyntaxReport,
) -> list[object]:
    """Return the values of the fields of a dataclass, in order."""
    return [getattr(value, name) for name in value.__slots__]


def decode_request(line: bytes) -> Request:
    """Return the request of a line."""
    return Request(*json.loads(line))


def decode_syntax(line: bytes) -> SyntaxAnswer:
    """Return the syntax of spans of a line.

    Raises `ValueError`, `TypeError` or `RecursionError` if it is none.
    """
    codes, has_errors, note = json.loads(line)
    if not all(isinstance(code, int) for code in codes):
        raise ValueError("the codes are no numbers")
    return SyntaxAnswer(tuple(codes), bool(has_errors), str(note))


def decode_outline(line: bytes) -> Outline:
    """Return the outline of a line.

    Raises `ValueError`, `TypeError` or `RecursionError` if it is none.
    """
    (
        language,
        symbols,
        count,
        parsed,
        truncated,
        note,
        (error_count, issues, certain),
        last_parsed_line,
    ) = json.loads(line)
    errors = SyntaxReport(
        error_count, tuple(SyntaxIssue(*issue) for issue in issues), certain
    )
    return Outline(
        language,
        _decode_symbols(symbols),
        count,
        parsed=parsed,
        truncated=truncated,
        note=note,
        errors=errors,
        last_parsed_line=last_parsed_line,
    )


def _decode_symbols(rows: list[Any]) -> tuple[Symbol, ...]:
    symbols = []
    for name, kind, *fields, children in rows:
        # A kind is one of few words, of which memory then has one copy.
        values = (name, sys.intern(kind), *fields, _decode_symbols(children))
        symbols.append(Symbol._make(values))
    return tuple(symbols)
