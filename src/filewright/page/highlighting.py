"""Syntax highlighting of the lines of a diff, by Pygments."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from pygments.lexer import Lexer
from pygments.lexers import (
    find_lexer_class_for_filename,
    get_lexer_by_name,
)
from pygments.token import STANDARD_TYPES
from pygments.util import ClassNotFound

from filewright.page.notebooks import parse_heading

MAX_HIGHLIGHTED_CHARS = 200_000
"""Characters of one side of a hunk; Pygments takes about a second for a million."""

HighlightedSpans = Sequence[tuple[int, int, str]]
"""Characters [start, end) of a line, and the CSS class of their token."""


@lru_cache(maxsize=64)
def _find_lexer(file_name: str) -> Lexer | None:
    try:
        lexer_class = find_lexer_class_for_filename(file_name)
    except (ClassNotFound, ValueError):
        return None
    if lexer_class is None:
        return None
    return lexer_class(ensurenl=False, stripnl=False)


def highlight_lines(
    path: str, lines: Sequence[str]
) -> Sequence[HighlightedSpans]:
    """Return the spans of each of the consecutive lines of a file.

    There are none if Pygments does not know the language, or if there are more than
    `MAX_HIGHLIGHTED_CHARS` characters.
    """
    file_name = path.strip('"').rpartition("/")[2]
    if "." in file_name:
        # Only the suffix counts, so that few lexers are looked up.
        file_name = f"file.{file_name.rpartition('.')[2]}"
    return _highlight(_find_lexer(file_name), lines)


def highlight_cells(
    language: str, lines: Sequence[str]
) -> Sequence[HighlightedSpans]:
    """Return the spans of the consecutive lines of a notebook's cells.

    `language` is that of the code; the cells of other kinds are Markdown or text.
    """
    spans: list[HighlightedSpans] = []
    cell_lines: list[str] = []
    cell_kind = "code"
    # None ends the last cell.
    for line in [*lines, None]:
        heading = parse_heading(line) if line is not None else None
        if line is None or heading is not None:
            lexer_name = {"code": language, "markdown": "markdown"}.get(
                cell_kind, "text"
            )
            spans += _highlight(_find_named_lexer(lexer_name), cell_lines)
            cell_lines = []
        if heading is not None:
            cell_kind = heading.kind
            spans.append(())
        elif line is not None:
            cell_lines.append(line)
    return spans


@lru_cache(maxsize=64)
def _find_named_lexer(language: str) -> Lexer | None:
    try:
        lexer: Lexer = get_lexer_by_name(
            language, ensurenl=False, stripnl=False
        )
    except (ClassNotFound, ValueError):
        return None
    return lexer


def _highlight(
    lexer: Lexer | None, lines: Sequence[str]
) -> Sequence[HighlightedSpans]:
    """Return the spans of lines; no spans without a lexer."""
    spans: list[list[tuple[int, int, str]]] = [[] for _ in lines]
    if lexer is None or sum(map(len, lines)) > MAX_HIGHLIGHTED_CHARS:
        return spans
    index = column = 0
    for token_type, text in lexer.get_tokens("\n".join(lines)):
        css_class = STANDARD_TYPES.get(token_type, "") if text.strip() else ""
        for line_number, line_part in enumerate(text.split("\n")):
            if line_number:
                index += 1
                column = 0
            if css_class and line_part and index < len(spans):
                spans[index].append(
                    (column, column + len(line_part), css_class)
                )
            column += len(line_part)
    return spans
