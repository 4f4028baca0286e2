"""The check of a match before it is merged: refusals although the place is certain.

A line that stands for text left out must not delete that text, and a repaired request
must not change a line that it keeps.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from filewright.edit.code_text import PROSE_LANGUAGES, is_in_quotes
from filewright.edit.comparison import (
    RequestLines,
    leading_whitespace,
    word_similarity,
)
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
from filewright.edit.repeated_text import CONTEXT_BYTES, find_repeated_text
from filewright.edit.source import Source
from filewright.errors import Code
from filewright.hints import Hint
from filewright.text.codec import normalize_newlines

# Shares of common words: above the first two lines may be the same line, above the
# second they probably are.
_SIMILAR, _VERY_SIMILAR = 0.5, 0.8


def check_match(source: Source, match: EditMatch) -> None:
    """Raise `AmbiguousWriteError` if the edit has no single meaning at its place."""
    # With fuzzy=false the caller says that the text is meant as it is. A hunk of a
    # patch is never fuzzy, and may have an omission marker all the same.
    if match.edit.fuzzy or isinstance(match.parts[0], HunkPart):
        _refuse_omission_marker(source, match)
    if match.repairs:
        _refuse_half_repair(source, match)


@dataclass(slots=True)
class _LinesOfEdit:
    """The whole lines of an edit's search text and replacement."""

    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)


def _refuse_omission_marker(source: Source, match: EditMatch) -> None:
    """Refuse a line that stands for text left out, where it would delete that text."""
    lines = _collect_lines(source, match)
    if lines.old == lines.new:
        return
    marker = find_deleting_marker(lines.old, lines.new, [], source.language)
    if marker is not None and not _occurs(source, match.span, marker):
        raise AmbiguousWriteError(
            f"{show_whitespace(marker.strip())} is a placeholder for omitted "
            "text; the lines that it omits would be deleted",
            Hint(
                "send the omitted lines too; fuzzy=false writes the "
                "placeholder itself",
                shell="send the omitted lines too; --exact writes the "
                "placeholder itself",
                plain="send the omitted lines too",
            ),
            Code.INVALID_INPUT,
        )


def _collect_lines(source: Source, match: EditMatch) -> _LinesOfEdit:
    """Return the lines of all parts of an edit; of equal parts, of the first."""
    lines = _LinesOfEdit()
    parts = match.parts[:1] if match.is_every_occurrence else match.parts
    for part in parts:
        match part:
            case TextPart():
                before, behind = _read_rest_of_lines(source, part.span)
                lines.old += f"{before}{part.search}{behind}".split("\n")
                lines.new += f"{before}{part.replace}{behind}".split("\n")
            case LinesPart():
                lines.old += part.search.lines
                lines.new += (*part.replace.before, *part.replace.lines)
            case HunkPart():
                lines.old += part.old
                lines.new += part.new
            case SplicePart():
                pass
    return lines


def _read_rest_of_lines(source: Source, span: ByteRange) -> tuple[str, str]:
    """Return the text before a span on its first line, and behind it on its last."""
    start = max(source.line_start(span.start), span.start - CONTEXT_BYTES)
    before = source.text(source.read(start, span.start))
    behind = source.text(source.read(span.end, span.end + CONTEXT_BYTES))
    if before.isspace():
        before = ""
    return before, re.split(r"[\r\n]", behind, maxsplit=1)[0]


def _occurs(source: Source, span: ByteRange, line: str) -> bool:
    """Return True if a line is text of the file where the edit is."""
    return line.strip() in source.text(source.read(span.start, span.end))


def _refuse_half_repair(source: Source, match: EditMatch) -> None:
    """Refuse a repair that changes a line which the replacement keeps."""
    part = match.parts[0]
    match part:
        case TextPart():
            repaired = part.replace
        case LinesPart():
            repaired = "\n".join(part.replace.lines)
        case HunkPart() | SplicePart():
            return
    if (
        isinstance(part, TextPart)
        and find_repeated_text(source, part) is not None
    ):
        raise AmbiguousWriteError(
            "the replacement ends with text that follows the repaired search "
            "text in the file, and would repeat it",
            "send search and replace exactly as the file has the text",
        )
    file_text = normalize_newlines(
        source.text(source.read(part.span.start, part.span.end))
    )
    file_lines = RequestLines.of(file_text).solid
    line = find_damaging_repair(match.edit.replace, repaired, file_lines)
    is_code = source.language not in PROSE_LANGUAGES
    if line is None and UNESCAPED in match.repairs and is_code:
        line = find_broken_string(repaired, file_lines)
    if line is not None:
        raise AmbiguousWriteError(
            "the search text matches only approximately, and applying it "
            f"would also change the line {show_whitespace(line)}, which the "
            "replacement keeps",
            "send search and replace exactly as the file has the text",
        )


def find_damaging_repair(
    replacement: str, repaired: str, file_lines: Sequence[str]
) -> str | None:
    """Return a line that was nearer to the file's before the repair, or None.

    `replacement` is the text as it was sent, `repaired` the text after the repair.
    """
    sent_lines = RequestLines.of(replacement).solid
    repaired_lines = RequestLines.of(repaired).solid
    for line in repaired_lines:
        if line not in file_lines and _lost_an_escape(line, file_lines):
            return line
    # A repair that divides lines leaves none to compare them with.
    if len(sent_lines) != len(repaired_lines):
        return None
    for sent, line in zip(sent_lines, repaired_lines, strict=True):
        if "\\" in sent and sent != line and _is_nearer(sent, line, file_lines):
            return line
    return None


def _lost_an_escape(line: str, file_lines: Sequence[str]) -> bool:
    """Return True if the file has a repaired line with other backslashes."""
    # The repair may have left one level too much in both texts.
    if line.replace("\\\\", "\\") in file_lines:
        return True
    bare = line.replace("\\", "")
    similar_lines: list[str] = []
    for file_line in file_lines:
        bare_file_line = file_line.replace("\\", "")
        if word_similarity(bare, bare_file_line) > _VERY_SIMILAR:
            similar_lines.append(file_line)
    return _is_nearer(line.replace("\\", "\\\\"), line, similar_lines)


def _is_nearer(line: str, other: str, file_lines: Sequence[str]) -> bool:
    """Return True if a line of the file is like `line`, and less like `other`."""
    if not line.strip():
        return False
    for file_line in file_lines:
        if not file_line.strip():
            continue
        least = max(_SIMILAR, word_similarity(other, file_line))
        if word_similarity(line, file_line) > least:
            return True
    return False


def find_broken_string(repaired: str, file_lines: Sequence[str]) -> str | None:
    r"""Return a line in which undoing escapes broke a string, or None.

    A `\t` or `\n` inside a string is text of the program: undone, it becomes a tab in
    the string, or ends the line with an open quote.
    """
    for line in repaired.split("\n"):
        # A string of several lines may have an open quote on its first line.
        if line in file_lines or '"""' in line or "'''" in line:
            continue
        tab = line.find("\t", len(leading_whitespace(line)))
        has_tab_in_string = tab >= 0 and is_in_quotes(line, tab)
        if has_tab_in_string or is_in_quotes(line, len(line)):
            return line
    return None
