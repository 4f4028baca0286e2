"""The matcher of edits that name their lines."""

from __future__ import annotations

from dataclasses import replace

from filewright.edit.line_endings import choose_terminator, whole_lines_splice
from filewright.edit.matchers.exact import find_occurrences
from filewright.edit.model import (
    ByteRange,
    EditMatch,
    NotLocated,
    SplicePart,
    TextPart,
    Tier,
)
from filewright.edit.request import Edit
from filewright.edit.source import Source
from filewright.errors import Code, FilewrightError, invalid
from filewright.text.codec import encode, normalize_newlines

_MAX_LISTED_PLACES = 20
"""Places of a text that is not on its lines which a refusal names."""

_MAX_COMPARED_BYTES = 1 << 20
"""Bytes of replaced lines of which the lines that stay are looked for."""


def match_lines(source: Source, edit: Edit) -> EditMatch:
    """Match whole lines that are replaced or inserted, whatever they hold."""
    inserts = edit.end_line is None
    first = edit.start_line or 0
    last = edit.end_line or first - 1
    if not _has_lines(source, first, last):
        raise _lines_missing(source, edit, first, last)
    start, end = source.offset(first - 1), source.offset(last)
    text = edit.replace
    if not text.endswith("\n") and (text or inserts):
        text += "\n"
    if inserts or not text or end - start > _MAX_COMPARED_BYTES:
        new = edit.data or encode(
            text,
            source.encoding,
            choose_terminator(source, start),
            argument="replace",
        )
        splice = whole_lines_splice(source, start, end, new)
        part = SplicePart(ByteRange(start, end), (splice,))
        return EditMatch(edit, Tier.EXACT, (part,))
    data = source.read(start, end)
    body = data.removesuffix(b"\n").removesuffix(b"\r")
    if (
        body
        and not body.endswith((b"\n", b"\r"))
        and (body != data or text[-2:-1] not in "\n")
    ):
        # The last line keeps its terminator; at the end of a file it may have none.
        data, text = body, text.removesuffix("\n")
    old = normalize_newlines(source.text(data))
    replaced = TextPart(ByteRange(start, start + len(data)), old, text)
    return EditMatch(replace(edit, search=old), Tier.EXACT, (replaced,))


def _has_lines(source: Source, first: int, last: int) -> bool:
    """Return True if the file has the lines; before an insertion `last` is the line above."""
    if first < 1:
        return False
    if last == 0:
        return first == 1
    return source.offset(last - 1) < source.size


def _lines_missing(
    source: Source, edit: Edit, first: int, last: int
) -> FilewrightError:
    """Return the error for lines that are past the end of the file."""
    count = source.count
    hint = f"use lines from 1 to {count}"
    if edit.end_line is not None:
        message = f"the lines {first}-{last} are not all in the file"
    elif edit.named:
        message = f"line {last} is past the end of the file"
    else:
        message = f"start_line {first} is past the end of the file"
        hint += f"; {count + 1} appends"
    message += f", which has {count} lines"
    return invalid(message, hint, argument="start_line", line_count=count)


def match_anchored(
    source: Source, edit: Edit, first: int, last: int
) -> EditMatch | NotLocated:
    """Match exactly the search text at exactly these lines, a final newline aside."""
    search, replacement = edit.search, edit.replace
    wanted = search.removesuffix("\n").split("\n")
    rows = source.rows_at(first - 1, min(last - first, len(wanted)) + 1)
    texts = [source.text(row.body) for row in rows]
    if len(rows) == last - first + 1 and texts == wanted:
        last_row = rows[-1]
        if search.endswith("\n") and not last_row.terminator:
            search = search.removesuffix("\n")
            replacement = replacement.removesuffix("\n")
        end = last_row.end if search.endswith("\n") else last_row.body_end
        span = ByteRange(rows[0].offset, end)
        part = TextPart(span, search, replacement)
        return EditMatch(edit, Tier.EXACT, (part,))
    return NotLocated(
        edit, Code.NO_MATCH, Tier.EXACT, _places_elsewhere(source, "\n".join(wanted))
    )


def _places_elsewhere(source: Source, text: str) -> tuple[ByteRange, ...]:
    """Return the places where a text is whole lines, or its only place inside of lines."""
    if not text.strip():
        return ()
    spans = find_occurrences(source, text, _MAX_LISTED_PLACES)
    whole = tuple(span for span in spans if _is_whole_lines(source, span))
    if whole:
        return whole
    return tuple(spans) if len(spans) == 1 else ()


def _is_whole_lines(source: Source, span: ByteRange) -> bool:
    """Return True if a span begins and ends where lines do."""
    before = source.read(span.start - 1, span.start)
    if span.start != source.start and before not in (b"\n", b"\r"):
        return False
    return source.read(span.end, span.end + 1) in (b"", b"\n", b"\r")
