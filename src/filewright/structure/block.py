"""The complete piece of text around a line: a definition, section, paragraph or block.

If an outline has a definition around the line, that is the block, with its doc comment
and decorators. Elsewhere the shape of the text decides: headings and blank lines in
prose, timestamps in logs, indentation in all other text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from filewright.languages import Language
from filewright.structure.log_facts import has_timestamp
from filewright.structure.lookup import (
    format_path,
    is_definition,
    symbols_around_line,
)
from filewright.structure.outline import Outline
from filewright.structure.symbol import Symbol
from filewright.structure.text_lines import (
    MAX_SEARCHED_LINES,
    TextLines,
    is_blank,
)
from filewright.text.snapshot import Snapshot

_TAB_WIDTH: Final = 8
"""Columns of a tab where tabs and spaces are mixed."""

_CLOSER: Final = re.compile(
    r"\s*(?:[)\]}]|end\b|fi\b|done\b|esac\b|else\b|elif\b|except\b|finally\b|catch\b)"
)
"""The beginning of a line that ends a block, or goes on with it."""

_LEADING_LINE: Final = re.compile(r"\s*(?:#|//|/\*|\*|--|;|%|@|\[\[?\w)")
"""The beginning of a comment or attribute, which belongs to the block below it."""


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """Lines `start_line` to `end_line`, both included, that belong together.

    `path` names the definition ("class Cart › method total") or is "". `depth` is the
    number of levels out, less than requested if there were no more. `is_cut` is True if
    an end was not found within the lines that are searched.
    """

    start_line: int
    end_line: int
    kind: str
    path: str = ""
    depth: int = 1
    symbol: Symbol | None = None
    is_cut: bool = False


def find_block(
    source: bytes | Snapshot, line: int, outline: Outline | None, depth: int = 1
) -> CodeBlock:
    """Return the block around a 1-based line of the text.

    It is the innermost for `depth` 1, the one around that for 2, and so on. Without an
    outline, and outside of all definitions, the shape of the text decides.
    """
    lines = TextLines(source)
    language = None
    if outline is not None and outline.language:
        language = Language(outline.language)
    if outline is not None and outline.parsed:
        if language is Language.MARKDOWN:
            return _find_section(lines, line, outline, depth)
        return _find_definition(lines, line, outline, depth)
    if language is not None and language.traits.prose:
        return _find_paragraphs(lines, line, depth)
    if language is Language.LOG:
        return _find_records(lines, line, depth)
    return _find_indented(lines, line, depth)


def _find_definition(
    lines: TextLines, line: int, outline: Outline, depth: int
) -> CodeBlock:
    """Return the definition around a line, or else the text between definitions."""
    # A blank line belongs to the text next to it, which may be a definition.
    for near_line in (line, lines.nearest_text(line)):
        path = symbols_around_line(outline, near_line)
        definitions = tuple(filter(is_definition, path))
        if definitions:
            return symbol_block(definitions, depth)
        if path and path[-1].kind == "import":
            return symbol_block(path)
    line = lines.nearest_text(line)
    if outline.language == Language.SQL:
        block = _find_paragraphs(lines, line, 1)
    else:
        block = _find_indented(lines, line, depth)
    return _without_definitions(block, line, outline)


def symbol_block(
    path: tuple[Symbol, ...], depth: int = 1, further_in: int = 0
) -> CodeBlock:
    """Return the block of the symbol that is `depth` levels out on a path of symbols.

    The path begins with the outermost, which is returned if there are too few levels.
    `further_in` levels inside of the path are counted too.
    """
    levels = min(depth, len(path))
    path = path[: len(path) - levels + 1]
    symbol = path[-1]
    return CodeBlock(
        symbol.block_start_line,
        symbol.end_line,
        symbol.kind,
        format_path(path),
        levels + further_in,
        symbol,
    )


def _find_section(
    lines: TextLines, line: int, outline: Outline, depth: int
) -> CodeBlock:
    """Return the text under a heading without the sections below it.

    From the heading's own line, it is the whole section.
    """
    path = symbols_around_line(outline, line)
    if not path:
        return _find_paragraphs(lines, line, depth)
    section = path[-1]
    if line == section.start_line or not section.children:
        return symbol_block(path, depth)
    if depth > 1:
        return symbol_block(path, depth - 1, further_in=1)
    end = section.children[0].block_start_line - 1
    return CodeBlock(
        section.block_start_line, end, "section", format_path(path), 1, section
    )


def _find_paragraphs(lines: TextLines, line: int, depth: int) -> CodeBlock:
    """Return the paragraph around a line, with one more on each side for each level."""
    start = end = line
    for level in range(depth):
        if level:
            start = lines.skip_blank(start - 1, -1)
            end = lines.skip_blank(end + 1, 1)
        start = _last_before_blank(lines, start, -1)
        end = _last_before_blank(lines, end, 1)
    return CodeBlock(
        max(1, start),
        end,
        "paragraph",
        depth=depth,
        is_cut=end - line >= MAX_SEARCHED_LINES,
    )


def _last_before_blank(lines: TextLines, line: int, step: int) -> int:
    """Return the last line in a direction, from `line` on, before a blank one."""
    for number, text in lines.iterate(line, step):
        if not text.strip():
            break
        line = number
    return line


def _find_records(lines: TextLines, line: int, depth: int) -> CodeBlock:
    """Return the record of a log around a line, with one more on each side for each level.

    A record is a line with a timestamp, and the lines up to the next one.
    """
    start = _find_timestamp(lines, line, -1)
    end = _find_timestamp(lines, line + 1, 1) - 1
    for _ in range(depth - 1):
        if start > 1:
            start = _find_timestamp(lines, start - 1, -1)
        if lines[end + 1] is not None:
            end = _find_timestamp(lines, end + 2, 1) - 1
    return CodeBlock(start, max(line, end), "record", depth=depth)


def _find_timestamp(lines: TextLines, line: int, step: int) -> int:
    """Return the first line in a direction that begins a record.

    Without any it is the first line of the text, or the number behind the last.
    """
    number = line - step
    for number, text in lines.iterate(line, step):
        if has_timestamp(text):
            return number
    return max(1, number + step)


def _indent(text: str) -> int:
    """Return the width of the whitespace before a text."""
    text = text.expandtabs(_TAB_WIDTH)
    return len(text) - len(text.lstrip())


def _find_indented(lines: TextLines, line: int, depth: int) -> CodeBlock:
    """Return the block by indentation.

    It begins with the less indented line above, and ends before the next such line.
    """
    line = lines.nearest_text(line)
    header = _find_header(lines, line)
    if header is None:
        return _find_paragraphs(lines, line, 1)
    level = 1
    while level < depth:
        outer = _find_outer(lines, header)
        if outer is None:
            break
        header, level = outer, level + 1
    end = _find_end(lines, header)
    return CodeBlock(
        _skip_leading_lines(lines, header),
        end.line,
        "block",
        depth=level,
        is_cut=end.is_cut,
    )


def _find_header(lines: TextLines, line: int) -> int | None:
    """Return the line that begins the block around a line, None without any.

    It is the line itself if the next one is indented more.
    """
    text = lines[line]
    if text is None:
        return None
    is_closer = _CLOSER.match(text) is not None
    below = lines[lines.skip_blank(line + 1, 1)] or ""
    has_body = below.strip() != "" and _indent(below) > _indent(text)
    if has_body and not is_closer:
        return line
    header = None
    if is_closer:
        header = _find_opener(lines, line, _indent(text))
    elif _LEADING_LINE.match(text):
        header = _find_led_header(lines, line, _indent(text))
    if header is not None:
        return header
    return _find_outer(lines, line)


def _find_opener(lines: TextLines, line: int, indent: int) -> int | None:
    """Return the line above that begins the block which a line closes."""
    for number, text in lines.iterate(line - 1, -1):
        is_inside = is_blank(text) or _indent(text) > indent
        if not is_inside and not _CLOSER.match(text):
            return number
    return None


def _find_led_header(lines: TextLines, line: int, indent: int) -> int | None:
    """Return the line below that begins the block which a comment or attribute leads."""
    for number, text in lines.iterate(line + 1):
        if is_blank(text):
            return None
        if _indent(text) > indent or _CLOSER.match(text):
            continue
        if not _LEADING_LINE.match(text):
            return number if _find_header(lines, number) == number else None
    return None


def _find_outer(lines: TextLines, line: int) -> int | None:
    """Return the nearest line above that is indented less."""
    indent = _indent(lines[line] or "")
    if not indent:
        return None
    for number, text in lines.iterate(line - 1, -1):
        is_less = text.strip() and _indent(text) < indent
        if is_less and not _CLOSER.match(text):
            return number
    return None


def _skip_leading_lines(lines: TextLines, header: int) -> int:
    """Return the first of the comments and attributes right above a block."""
    indent = _indent(lines[header] or "")
    start = header
    while True:
        above = lines[start - 1]
        if above is None or not _LEADING_LINE.match(above):
            return start
        if _indent(above) != indent:
            return start
        start -= 1


@dataclass(frozen=True, slots=True)
class _BlockEnd:
    """The last line of a block. `is_cut` is True if the block may go on behind it."""

    line: int
    is_cut: bool


def _find_end(lines: TextLines, header: int) -> _BlockEnd:
    """Return the end of the block that begins at line `header`."""
    indent = _indent(lines[header] or "")
    end = header
    for number, text in lines.iterate(header + 1):
        if not text.strip():
            continue
        if _indent(text) < indent:
            return _BlockEnd(end, is_cut=False)
        if _indent(text) == indent and not _CLOSER.match(text):
            return _BlockEnd(end, is_cut=False)
        end = number
    has_more_lines = lines[header + MAX_SEARCHED_LINES + 1] is not None
    return _BlockEnd(end, is_cut=has_more_lines)


def _without_definitions(
    block: CodeBlock, line: int, outline: Outline
) -> CodeBlock:
    """Return the part of a block around a line that is between definitions."""
    start, end = block.start_line, block.end_line
    for symbol in outline.symbols:
        if not is_definition(symbol):
            continue
        if start <= symbol.end_line < line:
            start = symbol.end_line + 1
        if line < symbol.block_start_line <= end:
            end = symbol.block_start_line - 1
    return CodeBlock(
        min(start, line),
        max(end, line),
        block.kind,
        depth=block.depth,
        is_cut=block.is_cut,
    )
