"""The matcher of a text that occurs in the file as it is, line terminators aside.

Each newline of the search text stands for any terminator.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from filewright.edit.model import (
    ByteRange,
    Candidates,
    EditMatch,
    NotLocated,
    Part,
    Reading,
    TextPart,
    Tier,
)
from filewright.edit.request import TextEdit
from filewright.edit.source import Source
from filewright.errors import Code, FilewrightError
from filewright.hints import Hint

MAX_LISTED_PLACES = 50
"""Places of an ambiguous text that are counted; the answer calls further ones «more»."""

MAX_REPLACED = 1_000_000
"""Occurrences that one `replace_all` replaces."""

_MAX_STREAMED_BYTES = 8 << 20
"""The longest search text, in bytes, for a file too large for memory."""


def match(source: Source, edit: TextEdit) -> Candidates:
    """Find the occurrences of the search text, overlapping ones too."""
    # One more than are listed shows that there are more.
    spans = find_occurrences(source, edit.search, MAX_LISTED_PLACES + 1)
    if not spans:
        return Candidates(Tier.EXACT)
    candidates = tuple(
        (TextPart(span, edit.search, edit.replace),) for span in spans
    )
    return Candidates(Tier.EXACT, (Reading(candidates),))


def match_all(source: Source, edit: TextEdit) -> EditMatch | NotLocated:
    """Match every occurrence of the search text; of overlapping ones the first.

    Raises `too_large` for more than a million.
    """
    spans = find_occurrences(source, edit.search, MAX_REPLACED + 1)
    if not spans:
        return NotLocated(edit, Code.NO_MATCH, Tier.EXACT)
    if len(spans) > MAX_REPLACED:
        message = f"the search text occurs more than {MAX_REPLACED} times"
        raise FilewrightError(
            Code.TOO_LARGE, message, "search for a longer text"
        )
    parts: list[Part] = []
    previous_end = -1
    for span in spans:
        if span.start >= previous_end:
            parts.append(TextPart(span, edit.search, edit.replace))
            previous_end = span.end
    return EditMatch(edit, Tier.EXACT, tuple(parts))


def find_occurrences(
    source: Source, search: str, limit: int, *, line: int | None = None
) -> list[ByteRange]:
    """Return up to `limit` places of `search` in order, overlapping ones too.

    `search` is not empty. With `line` only places that begin on that line are returned.
    Raises `too_large` for a search text of more than 8 MB in a file too large for memory.
    """
    try:
        needle = search.encode(source.encoding.name)
    except UnicodeEncodeError:
        return []  # The encoding of the file has no such character.
    if len(needle) > source.size:
        return []
    if source.held is None and len(needle) > _MAX_STREAMED_BYTES:
        raise FilewrightError(
            Code.TOO_LARGE,
            f"the search text has {len(needle)} bytes, "
            f"too many to look for in a file of {source.size}",
            Hint(
                "shorten the search text, or give start_line and end_line",
                shell="shorten the search text",
                plain="shorten the search text",
            ),
        )
    first_offset, end_offset = 0, source.size + 1
    if line is not None:
        first_offset, end_offset = source.offset(line - 1), source.offset(line)
    spans: list[ByteRange] = []
    for span in _all_occurrences(source, needle):
        if span.start >= end_offset:
            break
        if span.start < first_offset:
            continue
        # In Shift JIS and its kin the second byte of a character may be an ASCII letter
        # or a backslash. Replacing it would destroy the character.
        if source.encoding.is_multibyte and not source.is_character_boundary(
            span.start
        ):
            continue
        spans.append(span)
        if len(spans) == limit:
            break
    return spans


def _all_occurrences(source: Source, needle: bytes) -> Iterator[ByteRange]:
    """Yield the places of `needle`, with any terminator for each newline."""
    if b"\n" in needle and not source.has_no_returns:
        yield from _with_any_terminators(source, needle.split(b"\n"))
        return
    for offset in source.occurrences(needle):
        yield ByteRange(offset, offset + len(needle))


def _with_any_terminators(
    source: Source, pieces: list[bytes]
) -> Iterator[ByteRange]:
    """Yield the places of `pieces` on successive lines, found through the longest."""
    anchor = max(range(len(pieces)), key=lambda index: len(pieces[index]))
    line_numbers: Iterator[int]
    # A search text of newlines alone may be at any line.
    if pieces[anchor]:
        line_numbers = map(
            source.line_number, source.occurrences(pieces[anchor])
        )
    else:
        line_numbers = iter(range(1, source.count + 1))
    # The longest piece may occur several times on a line, which is compared once.
    for line_number, _ in groupby(line_numbers):
        first = line_number - 1 - anchor
        rows = source.rows_at(max(0, first), len(pieces))
        bodies = [row.body for row in rows]
        if len(rows) == len(pieces) - 1 and rows[-1].terminator:
            bodies.append(b"")  # The empty text behind the last terminator.
        if (
            first >= 0
            and len(bodies) == len(pieces)
            and bodies[0].endswith(pieces[0])
            and bodies[1:-1] == pieces[1:-1]
            and bodies[-1].startswith(pieces[-1])
        ):
            last_start = (
                rows[-1].offset if len(rows) == len(pieces) else source.size
            )
            yield ByteRange(
                rows[0].body_end - len(pieces[0]), last_start + len(pieces[-1])
            )
