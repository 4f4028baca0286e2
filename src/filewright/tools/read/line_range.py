"""A range of lines that a call reads."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LineRange:
    """Lines to read: at most `max_lines` from byte `offset` to `stop`, or to the end.

    `first_line` is the number of the first; it is negative, counted from the end, in a file
    that was not counted, or 1 without `is_counted`. `symbol` is the definition that the lines are, `match_line` the
    line of the pattern.
    """

    first_line: int
    offset: int
    max_lines: int
    stop: int | None = None
    symbol: str | None = None
    match_line: int | None = None
    notes: tuple[str, ...] = ()
    is_counted: bool = True
