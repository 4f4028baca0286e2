"""The part of an outline that an overview shows, within a number of characters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from filewright.structure.outline import Outline
from filewright.structure.symbol import Symbol
from filewright.tools.overview.arguments import OverviewArguments
from filewright.tools.overview.rendering import render_symbols


@dataclass(frozen=True, slots=True)
class OutlinePart:
    """The symbols that a call asks for, and those of them that are shown.

    `hidden_count` symbols are not shown, and `next_lines` is where they begin, or None if
    no range of lines continues there.
    """

    symbols: tuple[Symbol, ...]
    shown_symbols: tuple[Symbol, ...]
    hidden_count: int
    next_lines: tuple[int, int] | None


def choose_outline(
    outline: Outline,
    arguments: OverviewArguments,
    *,
    line_count: int,
    max_chars: int,
) -> OutlinePart:
    """Return the outer levels of an outline, or its part in the lines of the call."""
    if arguments.lines is not None:
        first, last = arguments.lines
        return choose_lines(outline, arguments, first, last, max_chars)
    limit, depth = arguments.max_symbols, arguments.depth
    requested = fitting_outline = outline.shorten(limit, depth)
    # It is shortened again for the characters there are: the outer levels are shown rather
    # than the beginning.
    fitting = count_fitting(fitting_outline.symbols, max_chars)
    while fitting_outline.symbols and fitting is not None:
        fitting_outline = outline.shorten(fitting, depth)
        fitting = count_fitting(fitting_outline.symbols, max_chars)
    next_lines = None
    if fitting_outline.first_missing_line and limit:
        next_lines = (fitting_outline.first_missing_line, line_count)
    return OutlinePart(
        requested.symbols,
        fitting_outline.symbols,
        fitting_outline.left_out,
        next_lines,
    )


def choose_lines(
    outline: Outline,
    arguments: OverviewArguments,
    first: int,
    last: int,
    max_chars: int,
) -> OutlinePart:
    """Return the symbols in a range of lines, from its beginning on."""
    limit, depth = arguments.max_symbols, arguments.depth
    part = outline.select_lines(first, last, limit, depth)
    fitting = count_fitting(part.symbols, max_chars)
    if fitting is not None:
        part = outline.select_lines(first, last, max(1, fitting), depth)
    symbols, next_line = part.symbols, part.first_missing_line
    # All may be in one line, and then no range of lines continues.
    if next_line is None or next_line <= first:
        return OutlinePart(symbols, symbols, 0, None)
    hidden_count = 0
    for _, symbol in outline.walk():
        if next_line <= symbol.start_line <= last:
            hidden_count += 1
    return OutlinePart(symbols, symbols, hidden_count, (next_line, last))


def count_fitting(symbols: Sequence[Symbol], max_chars: int) -> int | None:
    """Return how many rows of symbols fit in `max_chars`, or None if all do."""
    for count, row in enumerate(render_symbols(symbols)):
        max_chars -= len(row) + 1
        if max_chars < 0:
            return count
    return None
