"""The matcher of a text that occurs in the file as it is, line terminators aside."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from filewright.edit.model import ByteRange
from filewright.errors import Code, FilewrightError

if TYPE_CHECKING:
    pass
from filewright.edit.source import Source

#: Bytes of a search text that is looked for in a file that is not held.
_MOST_STREAMED = 8 << 20


# What occurs in it exactly


def find_occurrences(
    source: Source, search: str, limit: int, *, line: int | None = None
) -> list[ByteRange]:
    """Up to `limit` places where `search` (not empty) is, overlapping ones too, in order; those at a `line` alone.

    Raises `too_large` for a search text of more than 8 MB in a file that is not held.
    """
    try:
        needle = search.encode(source.encoding.name)
    except UnicodeEncodeError:
        return []  # a character the file cannot hold
    if len(needle) > source.size:
        return []
    if source.held is None and len(needle) > _MOST_STREAMED:
        raise FilewrightError(
            Code.TOO_LARGE,
            f"the search text has {len(needle)} bytes, too many to look for in a file of {source.size}",
            "search for less, with a start_line and an end_line",
        )
    begin, end = (
        (source.offset(line - 1), source.offset(line))
        if line is not None
        else (0, source.size + 1)
    )
    hits: Iterator[int | ByteRange] = source.occurrences(needle)
    if b"\n" in needle and not source.has_no_returns:
        hits = _with_any_terminators(source, needle.split(b"\n"))
    found: list[ByteRange] = []
    for hit in hits:
        span = ByteRange(hit, hit + len(needle)) if isinstance(hit, int) else hit
        if span.start >= end:
            break
        if span.start >= begin and (
            not source.encoding.multibyte or source.is_character_boundary(span.start)
        ):
            found.append(span)
            if len(found) == limit:
                break
    return found


def _with_any_terminators(source: Source, pieces: list[bytes]) -> Iterator[ByteRange]:
    """Occurrences where each newline may be any terminator, found through the longest line."""
    anchor = max(range(len(pieces)), key=lambda index: len(pieces[index]))
    hits = map(source.line_number, source.occurrences(pieces[anchor]))
    for line, _ in groupby(hits if pieces[anchor] else range(1, source.count + 1)):
        at = line - 1
        rows = source.rows_at(max(0, at - anchor), len(pieces))
        bodies = [row.body for row in rows]
        if len(rows) == len(pieces) - 1 and rows[-1].terminator:
            bodies.append(b"")  # what is behind the last line's end
        if (
            at >= anchor
            and len(bodies) == len(pieces)
            and bodies[0].endswith(pieces[0])
            and bodies[1:-1] == pieces[1:-1]
            and bodies[-1].startswith(pieces[-1])
        ):
            last = rows[-1].offset if len(rows) == len(pieces) else source.size
            yield ByteRange(rows[0].body_end - len(pieces[0]), last + len(pieces[-1]))
