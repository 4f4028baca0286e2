"""The place where new imports go in a file, and their text with the blank lines around it.

They go behind the last import before the first definition, else behind the docstring and
the comments that begin the file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from filewright.edit.import_rewriting import ImporterText, NewLine
from filewright.structure.import_statements import (
    CALL,
    FUTURE,
    TOP,
    TYPES,
    ImportFacts,
    ImportStatement,
)

_DEFINITION: Final = re.compile(
    rb"(?:[ \t]*#[^\r\n]*(?:\r\n|\r|\n))*(?:@|(?:async[ \t]+)?def\b|class\b)"
)
_BLANK_LINES: Final = re.compile(rb"(?:[ \t\f]*(?:\r\n|\r|\n))*")
_LINE_END: Final = re.compile(rb"\r\n|\n|\r")
_INDENT: Final = b"    "


@dataclass(frozen=True, slots=True)
class NewImport:
    """A statement to add. With a `condition`, it goes into such a block of types.

    `is_apart`: a blank line was above it in the file that it comes from.
    """

    text: str
    condition: str = ""
    is_apart: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class ImportInsertion:
    """The bytes to insert at an offset, and the lines of the imports, counted from 0."""

    offset: int
    data: bytes
    lines: tuple[NewLine, ...]


def insert_imports(
    text: ImporterText,
    facts: ImportFacts,
    imports: Sequence[NewImport],
    limit: int,
    following: Callable[[int], bytes],
) -> list[ImportInsertion] | None:
    """Return the insertions of new imports, before the offset `limit`.

    `following` returns the text behind an offset in the result of the other edits. None
    if there is no certain place.
    """
    typed = [new for new in imports if new.condition]
    plain = [new for new in imports if not new.condition]
    insertions: list[ImportInsertion] = []
    block = _last_import(text, facts, TYPES, len(text.content))
    if typed and block is not None:
        offset = _line_behind(text, block)
        start = text.line_start(block.start)
        indent = text.content[start : block.start]
        if offset is None or indent.strip():
            return None
        lines = [indent + new.text.encode() for new in typed]
        insertions.append(_build(text, offset, lines))
        typed = []
    last = _last_import(text, facts, TOP, limit)
    lines = _lay_out(plain, is_first=last is None)
    if typed:
        if lines:
            lines.append(b"")
        lines.append(f"if {typed[0].condition}:".encode())
        lines += [_INDENT + new.text.encode() for new in typed]
    if not lines:
        return insertions
    offset = _find_place(text, facts, limit)
    if offset is None:
        return None
    above = below = 0
    if last is None:
        above = 1 if offset else 0
        above -= min(above, _count_blank_above(text.content[:offset]))
    elif last.module == FUTURE or not plain:
        above = 1
    if last is None or typed:
        below = _count_lacking(following(offset), is_python=text.is_python)
    lines = [b""] * above + lines + [b""] * below
    insertions.append(_build(text, offset, lines))
    return insertions


def _lay_out(imports: Sequence[NewImport], *, is_first: bool) -> list[bytes]:
    """Return the lines of imports.

    If they are the first of their file, blank lines are where they were.
    """
    lines: list[bytes] = []
    is_behind_future = False
    for new in imports:
        if lines and (is_behind_future or (is_first and new.is_apart)):
            lines.append(b"")
        lines.append(new.text.encode())
        is_behind_future = new.text.startswith(f"from {FUTURE} ")
    return lines


def _find_place(
    text: ImporterText, facts: ImportFacts, limit: int
) -> int | None:
    """Return the offset at which new imports go, or None if it is not certain."""
    last = _last_import(text, facts, TOP, limit)
    if last is not None:
        return _line_behind(text, last)
    if not facts.head.end:
        return 0
    line_end = text.line_end(facts.head.end)
    offset = text.next_line(facts.head.end)
    has_own_line = text.is_blank_or_comment(
        facts.head.end, line_end
    ) or text.content[facts.head.end : line_end].strip() in (b"", b";")
    # The last byte of a comment may be its line end.
    if text.content[facts.head.end - 1 : facts.head.end] in (b"\n", b"\r"):
        offset, has_own_line = facts.head.end, True
    return offset if has_own_line and offset <= limit else None


def _last_import(
    text: ImporterText, facts: ImportFacts, block: str, limit: int
) -> ImportStatement | None:
    """Return the last import of a block before an offset and the first definition."""
    if facts.head.definition_start is not None and block == TOP:
        limit = min(limit, facts.head.definition_start)
    last: ImportStatement | None = None
    for statement in facts.statements:
        if (
            statement.block == block
            and statement.form != CALL
            and statement.end <= limit
            and not text.content.startswith(b"export", statement.start)
        ):
            last = statement
    return last


def _line_behind(text: ImporterText, statement: ImportStatement) -> int | None:
    """Return the offset of the line behind a statement, None if other code is on its line."""
    line_end = text.line_end(statement.end)
    start = statement.end
    if text.content[start : start + 1] == b";":
        start += 1
    if not text.is_blank_or_comment(start, line_end):
        return None
    return text.next_line(statement.end)


def _count_blank_above(content: bytes) -> int:
    """Return the number of blank lines at the end of a text."""
    lines = _LINE_END.split(content)[:-1]
    count = 0
    for line in reversed(lines):
        if line.strip():
            break
        count += 1
    return count


def _count_lacking(following: bytes, *, is_python: bool) -> int:
    """Return the blank lines that are missing before a text."""
    match = _BLANK_LINES.match(following)
    end = 0 if match is None else match.end()
    if end == len(following):
        return 0
    is_definition = _DEFINITION.match(following, end) is not None
    gap = 2 if is_python and is_definition else 1
    blank_lines = len(_LINE_END.findall(following[:end]))
    return max(0, gap - blank_lines)


def _build(
    text: ImporterText, offset: int, lines: Sequence[bytes]
) -> ImportInsertion:
    """Return the insertion of whole lines at an offset."""
    data = b"".join(line + text.terminator for line in lines)
    is_unended = offset == len(text.content) and offset > 0
    if is_unended and text.content[-1:] not in (b"\n", b"\r"):
        data = text.terminator + data.removesuffix(text.terminator)
    shown = tuple(
        NewLine(number, number, line.decode().strip().removesuffix(";"))
        for number, line in enumerate(lines)
        if line.strip() and not line.endswith(b":")
    )
    return ImportInsertion(offset, data, shown)
