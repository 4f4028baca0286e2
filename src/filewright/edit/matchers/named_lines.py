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
from filewright.errors import Code, invalid
from filewright.text.codec import encoded, normalised

_LINES_NAMED = 20


_COMPARED_BYTES = 1 << 20
"""Of longer stretches the lines that stay are not looked for."""


def match_lines(source: Source, edit: Edit) -> EditMatch:
    """Whole lines, whatever they hold."""
    first, inserts = edit.start_line or 0, edit.end_line is None
    last = edit.end_line or first - 1
    if first < 1 or not (source.offset(last - 1) < source.size if last else first == 1):
        count = source.count
        message, hint = (
            f"the lines {first}-{last} are not all in the file",
            f"use lines from 1 to {count}",
        )
        if edit.named and inserts:
            message = f"line {last} is past the end of the file"
        elif inserts:
            message, hint = (
                f"start_line {first} is past the end of the file",
                f"{hint}; {count + 1} appends",
            )
        message += f", which has {count} lines"
        raise invalid(message, hint, argument="start_line", line_count=count)
    start, end, text = source.offset(first - 1), source.offset(last), edit.replace
    text = text if text.endswith("\n") or not (text or inserts) else text + "\n"
    if inserts or not text or end - start > _COMPARED_BYTES:
        new = edit.data or encoded(
            text, source.encoding, choose_terminator(source, start), argument="replace"
        )
        splices = (whole_lines_splice(source, start, end, new),)
        return EditMatch(
            edit, Tier.EXACT, (SplicePart(ByteRange(start, end), splices),)
        )
    data = source.read(start, end)
    body = data.removesuffix(b"\n").removesuffix(b"\r")
    if (
        body
        and not body.endswith((b"\n", b"\r"))
        and (body != data or text[-2:-1] not in "\n")
    ):
        # The last line keeps its terminator; at the end of a file it may have none.
        data, text = body, text.removesuffix("\n")
    old = normalised(source.text(data))
    part = TextPart(ByteRange(start, start + len(data)), old, text)
    return EditMatch(replace(edit, search=old), Tier.EXACT, (part,))


def match_at_lines(
    source: Source, edit: Edit, start: int, end: int
) -> EditMatch | NotLocated:
    """Exactly the search text at exactly these lines, a final newline of it aside."""
    search, new = edit.search, edit.replace
    wanted = search.removesuffix("\n").split("\n")
    rows = source.rows_at(start - 1, min(end - start, len(wanted)) + 1)
    if (
        len(rows) == end - start + 1
        and [source.text(row.body) for row in rows] == wanted
    ):
        last = rows[-1]
        if search.endswith("\n") and not last.terminator:
            search, new = search.removesuffix("\n"), new.removesuffix("\n")
        span = ByteRange(
            rows[0].offset, last.end if search.endswith("\n") else last.body_end
        )
        return EditMatch(edit, Tier.EXACT, (TextPart(span, search, new),))
    text = "\n".join(wanted)
    elsewhere = find_occurrences(source, text, _LINES_NAMED) if text.strip() else []
    spans = [span for span in elsewhere if _is_whole(source, span)]
    return NotLocated(
        edit,
        Code.NO_MATCH,
        Tier.EXACT,
        tuple(spans or elsewhere[: len(elsewhere) == 1]),
    )


def _is_whole(source: Source, span: ByteRange) -> bool:
    """Whether a span begins and ends where lines do."""
    begins = span.start == source.start or source.read(span.start - 1, span.start) in (
        b"\n",
        b"\r",
    )
    return begins and source.read(span.end, span.end + 1) in (b"", b"\n", b"\r")
