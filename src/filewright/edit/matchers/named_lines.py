"""The matcher of edits that name their lines: by numbers, by a symbol, or by a version."""

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
from filewright.edit.request import (
    Insertion,
    LineEdit,
    SpliceEdit,
    TextEdit,
)
from filewright.edit.source import Source
from filewright.errors import Code, FilewrightError, invalid
from filewright.text.codec import encode, normalize_newlines

_MAX_LISTED_PLACES = 20
"""Places of a text that is not on its lines which a refusal names."""

_MAX_COMPARED_BYTES = 1 << 20
"""Bytes of replaced lines that are compared with the new ones, to leave equal lines."""


def match_lines(
    source: Source, edit: LineEdit | Insertion | SpliceEdit
) -> EditMatch:
    """Match whole lines that are replaced or inserted, whatever they hold."""
    if isinstance(edit, SpliceEdit):
        span = ByteRange(edit.start, edit.end)
        return EditMatch(edit, Tier.EXACT, (SplicePart(span, edit.splices),))
    if isinstance(edit, Insertion):
        return _match_insertion(source, edit)
    first, last = edit.first_line, edit.last_line
    if not _has_lines(source, first, last):
        raise _lines_missing(source, edit, first, last)
    start, end = source.offset(first - 1), source.offset(last)
    new_text = edit.replace
    if new_text and not new_text.endswith("\n"):
        new_text += "\n"
    if not new_text or end - start > _MAX_COMPARED_BYTES:
        part = _whole_lines_part(
            source, start, end, _encode(source, start, new_text)
        )
        return EditMatch(edit, Tier.EXACT, (part,))
    data = source.read(start, end)
    body = data.removesuffix(b"\n").removesuffix(b"\r")
    if (
        body
        and not body.endswith((b"\n", b"\r"))
        and (body != data or new_text[-2:-1] not in "\n")
    ):
        # The last line keeps its terminator; at the end of a file it may have none.
        data, new_text = body, new_text.removesuffix("\n")
    old_text = normalize_newlines(source.text(data))
    replaced = TextPart(ByteRange(start, start + len(data)), old_text, new_text)
    return EditMatch(replace(edit, search=old_text), Tier.EXACT, (replaced,))


def _match_insertion(source: Source, edit: Insertion) -> EditMatch:
    """Match the place before a line."""
    line = edit.line
    if not _has_lines(source, line, line - 1):
        raise _lines_missing(source, edit, line, line - 1)
    start = source.offset(line - 1)
    text = edit.replace if edit.replace.endswith("\n") else edit.replace + "\n"
    new = edit.data or _encode(source, start, text)
    part = _whole_lines_part(source, start, start, new)
    return EditMatch(edit, Tier.EXACT, (part,))


def _encode(source: Source, start: int, text: str) -> bytes:
    """Return a text as lines that go to offset `start`."""
    terminator = choose_terminator(source, start)
    return encode(text, source.encoding, terminator, argument="replace")


def _whole_lines_part(
    source: Source, start: int, end: int, new: bytes
) -> SplicePart:
    """Return the part that puts whole lines in place of those in [start, end)."""
    splice = whole_lines_splice(source, start, end, new)
    return SplicePart(ByteRange(start, end), (splice,))


def _has_lines(source: Source, first: int, last: int) -> bool:
    """Return True if the file has the lines; before an insertion `last` is the line above."""
    if first < 1:
        return False
    if last == 0:
        return first == 1
    return source.offset(last - 1) < source.size


def _lines_missing(
    source: Source, edit: LineEdit | Insertion, first: int, last: int
) -> FilewrightError:
    """Return the error for lines that are past the end of the file."""
    count = source.count
    hint = f"use lines from 1 to {count}"
    if isinstance(edit, LineEdit):
        message = f"lines {first}-{last} are not all in the file"
    elif edit.named:
        message = f"line {last} is past the end of the file"
    else:
        message = f"start_line {first} is past the end of the file"
        hint += f"; {count + 1} appends"
    message += f", which has {count} lines"
    return invalid(message, hint, argument="start_line", line_count=count)


def match_anchored(
    source: Source, edit: TextEdit, first: int, last: int
) -> EditMatch | NotLocated:
    """Match exactly the search text at exactly these lines, a final newline aside.

    A text that is elsewhere is no match, even if it occurs once: the caller who names the
    lines has seen another version of the file, or means another place.
    """
    search, replacement = edit.search, edit.replace
    search_lines = search.removesuffix("\n").split("\n")
    rows = source.rows_at(first - 1, min(last - first, len(search_lines)) + 1)
    file_lines = [source.text(row.body) for row in rows]
    if len(rows) == last - first + 1 and file_lines == search_lines:
        last_row = rows[-1]
        # The last line of a file may have no terminator, and shall not get one.
        if search.endswith("\n") and not last_row.terminator:
            search = search.removesuffix("\n")
            replacement = replacement.removesuffix("\n")
        end = last_row.end if search.endswith("\n") else last_row.body_end
        span = ByteRange(rows[0].offset, end)
        part = TextPart(span, search, replacement)
        return EditMatch(edit, Tier.EXACT, (part,))
    return NotLocated(
        edit,
        Code.NO_MATCH,
        Tier.EXACT,
        _places_elsewhere(source, "\n".join(search_lines)),
    )


def _places_elsewhere(source: Source, text: str) -> tuple[ByteRange, ...]:
    """Return the places where a text is whole lines, or its only place inside of lines."""
    if not text.strip():
        return ()
    # Whole lines are what the request names; a text inside of lines is shown only if it
    # is certain.
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
