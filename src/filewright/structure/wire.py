"""wire."""

from __future__ import annotations

import json
import sys
from typing import Any, NamedTuple

from filewright.structure.outline import Outline, SyntaxIssue, SyntaxReport
from filewright.structure.symbol import Symbol

# The wire between the parser process and its parent: a line of JSON each way, and after a request the content. JSON
# because the parser reads hostile files: nothing it sends may be more than data.


class Request(NamedTuple):
    """What the parent asks: the outline of the `size` bytes that follow, in `codec`, within `seconds`.

    `key` names the file: its last tree, if the worker still has it, speeds up the parse.
    """

    language: str
    codec: str
    seconds: float
    key: str = ""
    size: int = 0


def encode_line(value: Request | Outline) -> bytes:
    """A request or an outline as a line: each value is the row of its fields."""
    return (
        json.dumps(value, separators=(",", ":"), default=_row).encode() + b"\n"
    )


def _row(value: Outline | SyntaxReport) -> list[object]:
    return [getattr(value, name) for name in value.__slots__]


def decode_outline(answer: bytes) -> Outline:
    """The outline of a line; `ValueError`, `TypeError` or `RecursionError` if it is none."""
    (
        language,
        symbols,
        count,
        parsed,
        truncated,
        note,
        (errors, issues, certain),
        last_parsed_line,
    ) = json.loads(answer)
    report = SyntaxReport(
        errors, tuple(SyntaxIssue(*issue) for issue in issues), certain
    )
    return Outline(
        language,
        _symbols(symbols),
        count,
        parsed,
        truncated,
        note,
        report,
        last_parsed_line,
    )


def _symbols(found: list[Any]) -> tuple[Symbol, ...]:
    plain = [
        (name, sys.intern(kind), *rest, _symbols(below))
        for name, kind, *rest, below in found
    ]
    return tuple(map(Symbol._make, plain))
