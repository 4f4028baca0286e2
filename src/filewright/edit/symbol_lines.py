"""The lines of a symbol, and the text that takes their place."""

from __future__ import annotations

import re

from filewright.edit.comparison import leading_whitespace
from filewright.edit.request import SymbolLines
from filewright.edit.source import Source
from filewright.errors import invalid
from filewright.structure.lookup import find_symbol
from filewright.structure.symbol import Outline, Symbol
from filewright.text.codec import normalize_newlines
from filewright.text.snapshot import Snapshot

_BESIDE_BYTES = 4_096
"""Bytes beside a symbol on its own lines that are looked at."""


_QUOTED = re.compile(
    r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\\n])*'|(?://|#|--).*|/\*.*?\*/"
)


# Symbols


def find_symbol_lines(
    snapshot: Snapshot, outline: Outline, symbol: str, shown: str
) -> SymbolLines:
    """Return the lines of the symbol of that name.

    Raises what `find_symbol` does, and `invalid_input` if other code is on the lines: it
    would be moved or deleted with the symbol.
    """
    found = find_symbol(outline, symbol, shown)
    source, own = Source(snapshot), found.symbol
    siblings = found.around[-1].children if found.around else outline.symbols
    first, last = own.block_start_line, own.end_line
    beside = [
        each
        for each in found.around[-1:]
        if each.start < own.start and each.start_line >= first
    ]
    beside += [
        each
        for _, each in outline.walk()
        if each.end_line >= first
        and each.start_line <= last
        # One that begins and ends with it is declared together with it: int a, b;
        and (
            each.end <= own.start
            or each.start >= own.end
            or (each is not own and each[1:6] == own[1:6])
        )
    ]
    if beside:
        raise invalid(
            f"{symbol} is on a line with {beside[0].kind} {beside[0].name} in {shown}",
            "give its text as search, or the text it is to be put beside",
        )
    _require_whole_lines(snapshot, own, symbol, shown)
    # A section of a text reaches down to the next heading: the blank lines before that are not its own.
    *_, end = source.rows_at(last - 1, 1)
    if not source.text(end.body).strip():
        _, blank = source.first_solid_row(source.rows_before(end))
        last = max(own.start_line, last - 1 - blank)
    row = source.row_holding(source.offset(first - 1))
    _, before = source.first_solid_row(source.rows_before(row))
    goes_on, after = source.first_solid_row(source.rows_from(source.offset(last)))
    between = before
    if goes_on:
        # What follows the only symbol of another parts that from its neighbours.
        is_first = siblings[0].start == own.start and (
            len(siblings) > 1 or not found.around
        )
        between = after if is_first else min(before, after)
    gap = between if between or len(siblings) > 1 else None
    if own.is_listed:
        # What is behind the list may be parted from it otherwise than its members are from one another.
        listed = [sibling.start for sibling in siblings if sibling.is_listed]
        gap = before if own.start != listed[0] else after if len(listed) > 1 else 0
    following = last + after + 1 if goes_on else None
    return SymbolLines(
        first,
        last,
        leading_whitespace(source.text(row.body)),
        before,
        between,
        following,
        gap,
    )


def strip_blank_lines(text: str) -> tuple[str, int, int]:
    """Return a text without blank lines at its ends, and their numbers above and below.

    A text of blank lines alone stays as it is.
    """
    rows = text.split("\n")
    solid = [number for number, row in enumerate(rows) if row.strip()]
    if not solid:
        return text, 0, 0
    first, last = solid[0], solid[-1]
    ends_line = len(rows) > 1 and not rows[-1].strip()
    below = len(rows) - 1 - last - ends_line
    return (
        "\n".join(rows[first : last + 1]) + ("\n" if ends_line else ""),
        first,
        max(0, below),
    )


def trim_symbol_text(text: str, lines: SymbolLines) -> str:
    """Return the text that replaces a symbol, without blank lines that are there already."""
    body, above, below = strip_blank_lines(normalize_newlines(text))
    if not body.strip():
        return text
    more_above = max(0, above - lines.before) if lines.first - lines.before > 1 else 0
    more_below = 0
    if lines.following is not None:
        more_below = max(0, below - (lines.following - lines.last - 1))
    ended = body if body.endswith("\n") or not more_below else body + "\n"
    return "\n" * more_above + ended + "\n" * more_below


def _require_whole_lines(
    snapshot: Snapshot, own: Symbol, symbol: str, shown: str
) -> None:
    """Raise `invalid_input` if the lines of a symbol begin or end a block around it."""
    lines, codec = snapshot.lines, snapshot.encoding.name
    start, stop = (
        lines.offset_of(own.block_start_line),
        lines.offset_of(own.end_line + 1),
    )
    if own.block_start - start > _BESIDE_BYTES or stop - own.end > _BESIDE_BYTES:
        return
    beside = snapshot.read(start, own.block_start - start) + snapshot.read(
        own.end, stop - own.end
    )
    text = _QUOTED.sub("", beside.decode(codec, "replace"))
    if any(
        text.count(opening) != text.count(closing)
        for opening, closing in ("()", "[]", "{}")
    ):
        raise invalid(
            f"{symbol} is on a line with what encloses it in {shown}",
            "give its text as search, or the text it is to be put beside",
        )
