"""The complete piece of text around a line: a definition, a section, a paragraph, an indented block.

Where an outline knows the definition around the line, that is the answer, with its doc comment and
decorators; never the innermost node of a syntax tree, which is a word. Elsewhere the text's own
shape decides: headings and blank lines for prose, indentation for everything else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from filewright.languages import Language
from filewright.structure.hints import has_timestamp
from filewright.structure.lookup import (
    format_path,
    is_definition,
    symbols_around_line,
)
from filewright.structure.outline import Outline
from filewright.structure.symbol import Symbol
from filewright.text.snapshot import Snapshot

_WINDOW: Final = 512
_LINE_BYTES: Final = 4096
_REACH: Final = 5_000
"""Lines looked at, up or down, for where a block begins or ends."""
_TAB: Final = 8
_CLOSER: Final = re.compile(
    r"\s*(?:[)\]}]|end\b|fi\b|done\b|esac\b|else\b|elif\b|except\b|finally\b|catch\b)"
)
_LEAD: Final = re.compile(r"\s*(?:#|//|/\*|\*|--|;|%|@|\[\[?\w)")


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """Lines `start_line` to `end_line`, both included, that belong together.

    `path` names the definition ("class Cart › method total") or is "". `depth` is how many levels out
    it is, which is less than asked where there were no more. `cut` says that an end was not found
    within the lines looked at.
    """

    start_line: int
    end_line: int
    kind: str
    path: str = ""
    depth: int = 1
    symbol: Symbol | None = None
    cut: bool = False


def find_block(
    source: bytes | Snapshot, line: int, outline: Outline | None, depth: int = 1
) -> CodeBlock:
    """The block around 1-based `line`: the innermost for `depth` 1, the one around that for 2, and so on.

    `line` must be a line of the text. Without an outline, or where none of its definitions is round
    the line, the block is found by the text's shape.
    """
    lines = TextLines(source)
    if outline is not None and outline.parsed:
        if outline.language == Language.MARKDOWN:
            return _section(lines, line, outline, depth)
        around = symbols_around_line(outline, line)
        definitions = tuple(filter(is_definition, around))
        if definitions:
            return symbol_block(definitions, depth)
        if around and around[-1].kind == "import":
            return symbol_block(around)
        beside = _with_text(lines, line)
        if beside != line:
            return find_block(source, beside, outline, depth)
        if outline.language == Language.SQL:
            return _bounded(_paragraphs(lines, line, 1), line, outline)
        return _bounded(_indented(lines, line, depth), line, outline)
    if (
        outline is not None
        and outline.language
        and Language(outline.language).traits.prose
    ):
        return _paragraphs(lines, line, depth)
    if outline is not None and outline.language == Language.LOG:
        return _records(lines, line, depth)
    return _indented(lines, line, depth)


def symbol_block(
    around: tuple[Symbol, ...], depth: int = 1, further_in: int = 0
) -> CodeBlock:
    """The block of the last of the symbols, each in the one before, that is `depth` levels out, or of the outermost;
    so many levels are `further_in`."""
    taken = min(depth, len(around))
    path = around[: len(around) - taken + 1]
    symbol = path[-1]
    return CodeBlock(
        symbol.block_start_line,
        symbol.end_line,
        symbol.kind,
        format_path(path),
        taken + further_in,
        symbol,
    )


def _section(
    lines: TextLines, line: int, outline: Outline, depth: int
) -> CodeBlock:
    """Prose under a heading, without the sections below it; the whole section from its heading line."""
    around = symbols_around_line(outline, line)
    if not around:
        return _paragraphs(lines, line, depth)
    section = around[-1]
    if line == section.start_line or not section.children:
        return symbol_block(around, depth)
    if depth > 1:
        return symbol_block(around, depth - 1, 1)
    end = section.children[0].block_start_line - 1
    return CodeBlock(
        section.block_start_line,
        end,
        "section",
        format_path(around),
        1,
        section,
    )


def _paragraphs(lines: TextLines, line: int, depth: int) -> CodeBlock:
    """The paragraph around a line; each further level takes the paragraph above and the one below too."""
    start = end = line
    for level in range(depth):
        if level:
            start, end = (
                _skip_blank(lines, start - 1, -1),
                _skip_blank(lines, end + 1, 1),
            )
        start, end = _till_blank(lines, start, -1), _till_blank(lines, end, 1)
    return CodeBlock(
        max(1, start), end, "paragraph", depth=depth, cut=end - line >= _REACH
    )


def _till_blank(lines: TextLines, line: int, step: int) -> int:
    """The last line from `line` on before a blank one."""
    for place, text in lines.along(line, step):
        if not text.strip():
            break
        line = place
    return line


def _records(lines: TextLines, line: int, depth: int) -> CodeBlock:
    """A log record: the line with a timestamp at or above, and what follows it up to the next one.

    Each further level takes the record above and the one below too.
    """
    start = _stamped(lines, line, -1)
    end = _stamped(lines, line + 1, 1) - 1
    for _ in range(depth - 1):
        start = _stamped(lines, start - 1, -1) if start > 1 else start
        end = (
            _stamped(lines, end + 2, 1) - 1
            if lines[end + 1] is not None
            else end
        )
    return CodeBlock(start, max(line, end), "record", depth=depth)


def _stamped(lines: TextLines, line: int, step: int) -> int:
    """The first line from `line` on that begins a record; the text's own end without any."""
    place = line - step
    for place, text in lines.along(line, step):
        if has_timestamp(text):
            return place
    return max(1, place + step)


def _skip_blank(lines: TextLines, line: int, step: int) -> int:
    """The next line with text from `line` on, or the last line before the text's end."""
    return next(
        (place for place, text in lines.along(line, step) if text.strip()),
        line - step,
    )


def _with_text(lines: TextLines, line: int) -> int:
    """`line`, or if it is blank the nearest line with text below it, or else above it."""
    if not _blank(lines[line]):
        return line
    near = (_skip_blank(lines, line, step) for step in (1, -1))
    return next((place for place in near if not _blank(lines[place])), line)


def _blank(text: str | None) -> bool:
    return text is None or not text.strip()


def _indent(text: str) -> int:
    text = text.expandtabs(_TAB)
    return len(text) - len(text.lstrip())


def _indented(lines: TextLines, line: int, depth: int) -> CodeBlock:
    """The block by indentation: the less indented line above, and all up to the next such line."""
    line = _with_text(lines, line)
    header, taken = _header(lines, line), 0
    if header is None:
        return _paragraphs(lines, line, 1)
    while taken + 1 < depth:
        outer = _outer(lines, header)
        if outer is None:
            break
        header, taken = outer, taken + 1
    start = _with_leads(lines, header)
    end, cut = _end(lines, header)
    return CodeBlock(start, end, "block", depth=taken + 1, cut=cut)


def _header(lines: TextLines, line: int) -> int | None:
    """The line that begins the block `line` is in: itself if the next is indented more."""
    text = lines[line]
    if text is None:
        return None
    below = lines[_skip_blank(lines, line + 1, 1)]
    if (
        below is not None
        and not _blank(below)
        and _indent(below) > _indent(text)
        and not _CLOSER.match(text)
    ):
        return line
    if _CLOSER.match(text) or _LEAD.match(text):
        step = -1 if _CLOSER.match(text) else 1
        for place, other in lines.along(line + step, step):
            if not other.strip() and step > 0:
                break
            if (
                not other.strip()
                or _indent(other) > _indent(text)
                or _CLOSER.match(other)
            ):
                continue
            if step < 0 or not _LEAD.match(other):
                if step < 0 or _header(lines, place) == place:
                    return place
                break
    return _outer(lines, line)


def _outer(lines: TextLines, line: int) -> int | None:
    """The nearest line above that is indented less."""
    indent = _indent(lines[line] or "")
    for place, above in lines.along(line - 1, -1):
        if not indent:
            break
        if (
            above.strip()
            and _indent(above) < indent
            and not _CLOSER.match(above)
        ):
            return place
    return None


def _with_leads(lines: TextLines, header: int) -> int:
    """Up over the comments and attributes right above a block."""
    text = lines[header] or ""
    start = header
    while (
        (above := lines[start - 1]) is not None
        and _LEAD.match(above)
        and _indent(above) == _indent(text)
    ):
        start -= 1
    return start


def _end(lines: TextLines, header: int) -> tuple[int, bool]:
    """The last line of the block that begins at `header`, and whether the search gave up."""
    indent, end = _indent(lines[header] or ""), header
    for place, text in lines.along(header + 1):
        if text.strip():
            if _indent(text) < indent or (
                _indent(text) == indent and not _CLOSER.match(text)
            ):
                return end, False
            end = place
    return end, lines[header + _REACH + 1] is not None


def _bounded(block: CodeBlock, line: int, outline: Outline) -> CodeBlock:
    """A block of text between definitions, without the definitions."""
    start, end = block.start_line, block.end_line
    for symbol in outline.symbols:
        if not is_definition(symbol):
            continue
        if start <= symbol.end_line < line:
            start = symbol.end_line + 1
        if line < symbol.block_start_line <= end:
            end = symbol.block_start_line - 1
    start, end = min(start, line), max(end, line)
    return CodeBlock(start, end, block.kind, depth=block.depth, cut=block.cut)


class TextLines:
    """Lines by 1-based number, decoded and cut after a few thousand bytes; None past the end.

    Costs the lines looked at and, in a file, the line index up to them.
    """

    def __init__(self, source: bytes | Snapshot) -> None:
        self._snapshot = (
            source if isinstance(source, Snapshot) else Snapshot(source)
        )
        self._windows: dict[int, list[str]] = {}

    def __getitem__(self, line: int) -> str | None:
        if line < 1:
            return None
        window, place = divmod(line - 1, _WINDOW)
        lines = self._windows.get(window)
        if lines is None:
            lines = self._windows[window] = self._read(window * _WINDOW + 1)
        return lines[place] if place < len(lines) else None

    def along(self, line: int, step: int = 1) -> Iterator[tuple[int, str]]:
        """The lines from `line` on, down or up, with their numbers."""
        for place in range(line, line + step * _REACH, step):
            text = self[place]
            if text is None:
                return
            yield place, text

    def _read(self, first: int) -> list[str]:
        snapshot = self._snapshot
        codec = snapshot.encoding.name
        index = snapshot.lines
        if not index.has_line(first):
            return []
        lines = islice(
            index.read_lines(index.offset_of(first), limit=_LINE_BYTES), _WINDOW
        )
        return [line.body.decode(codec, "replace") for line in lines]
