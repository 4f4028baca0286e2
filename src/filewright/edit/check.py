"""The check of a match before it is merged."""

from __future__ import annotations

import re

from filewright.edit.code_text import PROSE, in_quotes
from filewright.edit.comparison import RequestLines, leading_whitespace, word_similarity
from filewright.edit.model import (
    AmbiguousWriteError,
    ByteRange,
    EditMatch,
    HunkPart,
    LinesPart,
    SplicePart,
    TextPart,
)
from filewright.edit.nearest import show_whitespace
from filewright.edit.omission_markers import find_deleting_marker
from filewright.edit.repairs.model import UNESCAPED
from filewright.edit.repeated_text import _NEAR, _doubled
from filewright.edit.source import Source
from filewright.errors import Code
from filewright.text.codec import normalised

_ALIKE, _MUCH_ALIKE = 0.5, 0.8


def _refuse_omissions(source: Source, located: EditMatch) -> None:
    """Refuse a line that stands for text left out, where it would delete that text."""
    asked: list[str] = []
    new: list[str] = []
    for part in located.parts[:1] if located.edit.replace_all else located.parts:
        match part:
            case TextPart():
                above, below = _beside(source, part.span)
                asked += f"{above}{part.search}{below}".split("\n")
                new += f"{above}{part.replace}{below}".split("\n")
            case LinesPart():
                asked += part.search.lines
                new += (*part.replace.before, *part.replace.lines)
            case HunkPart():
                asked += part.old
                new += part.new
            case SplicePart():
                pass
    if asked == new:
        return
    line = find_deleting_marker(asked, new, [], source.language)
    if line is not None and not _occurs(source, located.span, line):
        raise AmbiguousWriteError(
            f"{show_whitespace(line.strip())} stands for text left out, "
            "and the lines that it stands for would be deleted",
            "send the whole text that is meant; with fuzzy=false the replacement is written as it is",
            Code.INVALID_INPUT,
        )


def _beside(source: Source, span: ByteRange) -> tuple[str, str]:
    """Return what is before a span on its first line, and behind it on its last."""
    begin = max(source.line_start(span.start), span.start - _NEAR)
    above = source.text(source.read(begin, span.start))
    behind = source.text(source.read(span.end, span.end + _NEAR))
    if above.isspace():
        above = ""
    return above, re.split(r"[\r\n]", behind, maxsplit=1)[0]


def _occurs(source: Source, span: ByteRange, line: str) -> bool:
    """Return whether a line is text of the file where the edit is."""
    return line.strip() in source.text(source.read(span.start, span.end))


def _refuse_half_repairs(source: Source, located: EditMatch) -> None:
    """Refuse a repair that would change a line which the replacement has as the file has it."""
    part = located.parts[0]
    if not isinstance(part, LinesPart | TextPart):
        return
    there = RequestLines.of(
        normalised(source.text(source.read(part.span.start, part.span.end)))
    ).solid
    wanted = (
        part.replace if isinstance(part, TextPart) else "\n".join(part.replace.lines)
    )
    if isinstance(part, TextPart) and _doubled(source, part) is not None:
        raise AmbiguousWriteError(
            "the repaired search text ends inside of what the replacement has whole",
            "send search and replace exactly as the file has the text",
        )
    line = is_changed(located.edit.replace, wanted, there)
    if line is None and UNESCAPED in located.repairs and source.language not in PROSE:
        line = breaks_string(wanted, there)
    if line is not None:
        raise AmbiguousWriteError(
            "the search text is not as the file has it, and with what was looked past the line "
            f"{show_whitespace(line)}, which the replacement keeps, would become another",
            "send search and replace exactly as the file has the text",
        )


def is_changed(replacement: str, wanted: str, found: tuple[str, ...]) -> str | None:
    """Return a line of a repaired replacement that was as the file has it before the repair, or more so."""
    raw, solid = RequestLines.of(replacement).solid, RequestLines.of(wanted).solid
    for line in solid:
        bare = line.replace("\\", "")
        like = [
            one
            for one in found
            if word_similarity(bare, one.replace("\\", "")) > _MUCH_ALIKE
        ]
        doubled = (
            line.replace("\\\\", "\\") in found
        )  # and what was undone is one level more in both
        if line not in found and (
            doubled or is_nearer(line.replace("\\", "\\\\"), line, like)
        ):
            return line
    for line, text in zip(raw, solid, strict=True) if len(raw) == len(solid) else ():
        if "\\" in line and line != text and is_nearer(line, text, found):
            return text
    return None


def breaks_string(wanted: str, there: tuple[str, ...]) -> str | None:
    """Return a line in which undoing escapes put a tab or a newline into a string; None if there is none."""
    for line in wanted.split("\n"):
        if line in there or '"""' in line or "'''" in line:
            continue
        tab = line.find("\t", len(leading_whitespace(line)))
        if (tab >= 0 and in_quotes(line, tab)) or in_quotes(line, len(line)):
            return line
    return None


def is_nearer(plain: str, line: str, asked: list[str] | tuple[str, ...]) -> bool:
    """Return whether a line without its damage is much like one that was asked for, and more so than with it."""
    return bool(plain.strip()) and any(
        word_similarity(plain, one) > max(_ALIKE, word_similarity(line, one))
        for one in asked
        if one.strip()
    )
