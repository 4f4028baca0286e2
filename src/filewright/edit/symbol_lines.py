"""The lines of a symbol, and the text that replaces them, with the blank lines around."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from filewright.edit.comparison import leading_whitespace
from filewright.edit.request import SymbolLines
from filewright.edit.source import Source
from filewright.errors import Code, FilewrightError, invalid
from filewright.structure.lookup import NamedSymbol, find_symbol
from filewright.structure.outline import Outline
from filewright.structure.symbol import Symbol
from filewright.text.codec import normalize_newlines
from filewright.text.snapshot import Snapshot

_OPENERS = ("{", "(", "[")
_CLOSERS = ("}", ")", "]")

_MAX_NEIGHBOUR_BYTES = 4_096
"""Bytes before and behind a symbol, on its lines, in which brackets are counted."""

# Brackets in strings and comments open nothing.
_STRING_OR_COMMENT = re.compile(
    r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\\n])*'|(?://|#|--).*|/\*.*?\*/"
)


def find_symbol_lines(
    snapshot: Snapshot, outline: Outline, name: str, path: str
) -> SymbolLines:
    """Return the lines of the symbol `name` of the file `path`.

    Raises the errors of `find_symbol`, `unsupported` if the grammar has not read where
    the symbol ends, and `invalid_input` if other code is on the lines: it would be moved
    or deleted with the symbol.
    """
    lookup = find_symbol(outline, name, path)
    last_parsed_line = outline.last_parsed_line
    if (
        last_parsed_line is not None
        and lookup.symbol.end_line >= last_parsed_line
    ):
        raise FilewrightError(
            Code.UNSUPPORTED,
            f"where {name} ends in {path} is unknown: {outline.note}",
            "give its text as search, or its lines",
        )
    source, symbol = Source(snapshot), lookup.symbol
    siblings = (
        lookup.ancestors[-1].children if lookup.ancestors else outline.symbols
    )
    first, last = symbol.block_start_line, symbol.end_line
    # The header of the enclosing symbol may be on the same line: class A { int a;
    neighbours = [
        parent
        for parent in lookup.ancestors[-1:]
        if parent.start < symbol.start and parent.start_line >= first
    ]
    neighbours += [
        other
        for _, other in outline.walk()
        if other.end_line >= first
        and other.start_line <= last
        # One that begins and ends with it is declared together with it: int a, b;
        and (
            other.end <= symbol.start
            or other.start >= symbol.end
            or (other is not symbol and other[1:6] == symbol[1:6])
        )
    ]
    if neighbours:
        raise invalid(
            f"{name} shares a line with {neighbours[0].kind} "
            f"{neighbours[0].name} in {path}",
            "give its text as search, or the neighbouring text for an "
            "insertion",
        )
    _require_whole_lines(snapshot, symbol, name, path)
    # A section of a text reaches down to the next heading. The blank lines above that
    # heading are not deleted: it would follow the text above without one.
    *_, last_row = source.rows_at(last - 1, 1)
    if not source.text(last_row.body).strip():
        _, blank_count = source.first_solid_row(source.rows_before(last_row))
        last = max(symbol.start_line, last - 1 - blank_count)
    first_row = source.row_holding(source.offset(first - 1))
    previous_text, before = source.first_solid_row(
        source.rows_before(first_row)
    )
    next_text, after = source.first_solid_row(
        source.rows_from(source.offset(last))
    )
    following = last + after + 1 if next_text else None
    indent = leading_whitespace(source.text(first_row.body))
    ends_parent = (
        bool(lookup.ancestors) and lookup.ancestors[-1].end_line == following
    )
    has_closing_line = ends_parent or next_text.lstrip().startswith(_CLOSERS)
    lines = SymbolLines(
        first=first,
        last=last,
        indent=indent,
        before=before,
        after=after,
        following=following,
        opens_block=(
            _is_outside(previous_text, indent)
            or previous_text.rstrip().endswith(_OPENERS)
        ),
        ends_block=has_closing_line or _is_outside(next_text, indent),
        has_closing_line=has_closing_line,
        name=lookup.name,
    )
    return replace(lines, gap=_find_gap(lookup, siblings, lines))


def _is_outside(text: str, indent: str) -> bool:
    """Return True for a line that is outside of an indented block, or has no text."""
    return not text or len(leading_whitespace(text)) < len(indent)


def _find_gap(
    lookup: NamedSymbol, siblings: Sequence[Symbol], lines: SymbolLines
) -> int | None:
    """Return how many blank lines separate a symbol from others, None if it has none."""
    symbol, before, after = lookup.symbol, lines.before, lines.after
    if symbol.is_list_item:
        # The text behind a list may be further from it than its members are from one
        # another.
        member_starts = [
            sibling.start for sibling in siblings if sibling.is_list_item
        ]
        if symbol.start != member_starts[0]:
            return before
        return after if len(member_starts) > 1 else 0
    has_siblings = len(siblings) > 1
    ends_parent = (
        bool(lookup.ancestors)
        and lookup.ancestors[-1].end_line == lines.following
    )
    if ends_parent and has_siblings and lines.first < lines.last:
        # Only the symbol above tells how far apart they are. A single line may be a
        # field below methods, which is no further from the next field.
        return before
    if lines.following is None:
        gap = before
    elif siblings[0].start == symbol.start and (
        has_siblings or not lookup.ancestors
    ):
        # The blank lines behind the only symbol of a class separate the class, not the
        # symbol, from its neighbours.
        gap = after
    else:
        gap = min(before, after)
    return gap if gap or has_siblings else None


@dataclass(frozen=True, slots=True)
class StrippedText:
    """A text without blank lines at its edges, and how many were `above` and `below`."""

    text: str
    above: int = 0
    below: int = 0


def strip_blank_lines(text: str) -> StrippedText:
    """Strip the blank lines at the edges of a text, unless it has no other lines."""
    lines = text.split("\n")
    solid = [number for number, line in enumerate(lines) if line.strip()]
    if not solid:
        return StrippedText(text)
    first, last = solid[0], solid[-1]
    # The last piece is empty because of the final newline; that is no blank line.
    has_final_newline = len(lines) > 1 and not lines[-1].strip()
    below = len(lines) - 1 - last - has_final_newline
    body = "\n".join(lines[first : last + 1])
    if has_final_newline:
        body += "\n"
    return StrippedText(body, above=first, below=max(0, below))


def trim_symbol_text(text: str, lines: SymbolLines) -> str:
    """Return the text that replaces a symbol, without blank lines that the file has.

    Models often send the blank lines around a symbol with it. Written beside those of the
    file, they would double the distance to its neighbours.
    """
    stripped = strip_blank_lines(normalize_newlines(text))
    body = stripped.text
    if not body.strip():
        return text
    # At the beginning and the end of a file no blank lines are added.
    added_above = added_below = 0
    if lines.first - lines.before > 1:
        added_above = max(0, stripped.above - lines.before)
    if lines.following is not None:
        lines_below = lines.following - lines.last - 1
        added_below = max(0, stripped.below - lines_below)
    if added_below and not body.endswith("\n"):
        body += "\n"
    return "\n" * added_above + body + "\n" * added_below


def _require_whole_lines(
    snapshot: Snapshot, symbol: Symbol, name: str, path: str
) -> None:
    """Raise `invalid_input` if the lines of a symbol begin or end a block around it.

    Moved or deleted with the symbol, a bracket of the block would lose its partner.
    """
    lines, codec = snapshot.lines, snapshot.encoding.name
    start = lines.offset_of(symbol.block_start_line)
    bytes_before = symbol.block_start - start
    bytes_behind = lines.offset_of(symbol.end_line + 1) - symbol.end
    if max(bytes_before, bytes_behind) > _MAX_NEIGHBOUR_BYTES:
        return
    data = snapshot.read(start, bytes_before)
    data += snapshot.read(symbol.end, bytes_behind)
    text = _STRING_OR_COMMENT.sub("", data.decode(codec, "replace"))
    if any(
        text.count(opening) != text.count(closing)
        for opening, closing in ("()", "[]", "{}")
    ):
        raise invalid(
            f"{name} shares a line with its enclosing block in {path}",
            "give its text as search, or the neighbouring text for an "
            "insertion",
        )
