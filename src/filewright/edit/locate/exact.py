"""Tier 1: the search text as it is, any terminator at each newline, in the file's own encoding."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from filewright.edit.locate.source import FileText
from filewright.errors import Code, FilewrightError

MOST_STREAMED = 8 << 20
"""Bytes of a search text that is looked for in a file that is not held."""


@dataclass(frozen=True, slots=True)
class ByteRange:
    """A half-open byte range."""

    start: int
    end: int


def find_exact(source: FileText, search: str, limit: int) -> list[ByteRange]:
    """Up to `limit` places where `search` (not empty) is, overlapping ones too, in order.

    Raises `too_large` for a search text of more than 8 MB in a file that is not held.
    """
    try:
        needle = search.encode(source.encoding.name)
    except UnicodeEncodeError:
        return []  # a character the file cannot hold
    if len(needle) > source.size:
        return []
    if source.held is None and len(needle) > MOST_STREAMED:
        raise FilewrightError(
            Code.TOO_LARGE,
            f"the search text has {len(needle)} bytes, too many to look for in a file of {source.size}",
            hint="search for less, with a start_line and an end_line",
        )
    spans = (s for s in _spans(source, needle) if source.on_boundary(s.start, s.end))
    return list(islice(spans, limit))


def _spans(source: FileText, needle: bytes) -> Iterator[ByteRange]:
    if b"\n" not in needle or source.has_no_returns:
        return (ByteRange(at, at + len(needle)) for at in source.occurrences(needle))
    return _pieced(source, needle.split(b"\n"))


def _pieced(source: FileText, pieces: list[bytes]) -> Iterator[ByteRange]:
    """Occurrences where each newline may be any terminator, found through the longest line."""
    anchor = max(range(len(pieces)), key=lambda index: len(pieces[index]))
    if not pieces[anchor]:
        yield from _blank_lines(source, len(pieces) - 1)
        return
    for at in source.occurrences(pieces[anchor]):
        start = _backward(source, pieces[:anchor], at)
        end = -1 if start < 0 else _forward(source, pieces[anchor + 1 :], at + len(pieces[anchor]))
        if end >= 0:
            yield ByteRange(start, end)


def _backward(source: FileText, pieces: list[bytes], at: int) -> int:
    for piece in reversed(pieces):
        before = source.read(at - 2, at)
        width = 2 if before == b"\r\n" else 1 if before[-1:] in (b"\n", b"\r") else 0
        at -= width + len(piece)
        if not width or at < source.start or source.read(at, at + len(piece)) != piece:
            return -1
    return at


def _forward(source: FileText, pieces: list[bytes], at: int) -> int:
    for piece in pieces:
        after = source.read(at, at + 2)
        width = 2 if after == b"\r\n" else 1 if after[:1] in (b"\n", b"\r") else 0
        at += width + len(piece)
        if not width or source.read(at - len(piece), at) != piece:
            return -1
    return at


def _blank_lines(source: FileText, newlines: int) -> Iterator[ByteRange]:
    """Where `newlines` terminators follow one another."""
    run: list[int] = []
    for row in source.rows():
        if row.body:
            run = []
        if row.terminator:
            run.append(row.body_end)
            if len(run) >= newlines:
                yield ByteRange(run[-newlines], row.end)
