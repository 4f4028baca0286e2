"""The text of one line that a search shows."""

from __future__ import annotations

from collections.abc import Iterable

from filewright.hints import change_words, fill, join_words
from filewright.tools.search.excerpt import ExcerptLine, LineRole
from filewright.wording import escape_controls


def render_line(line: ExcerptLine) -> str:
    """Return a line of a file with its number: ``12: a hit``, ``13- beside it``."""
    if line.role is LineRole.OMISSION:
        return line.text
    return fill("{}{}", str(line.number), render_after_number(line))


def render_after_number(line: ExcerptLine) -> str:
    """Return a line without its number."""
    text = escape_controls(line.text)
    notes = join_words(
        "",
        [
            fill("   [{}]", change_words(note, escape_controls))
            for note in line.notes
        ],
    )
    if line.role is LineRole.OMISSION:
        return text
    if line.role in (LineRole.CONTEXT, LineRole.HEADER):
        return fill("- {}{}", text, notes)
    column = "" if line.column is None else f":{line.column}"
    return fill("{}: {}{}", column, text, notes)


def excerpt_chars(
    path: str, lines: Iterable[ExcerptLine], *, with_path: bool
) -> int:
    """Return how many characters lines of a file take on the page."""
    chars = sum(len(render_line(line)) + 1 for line in lines)
    if with_path:
        chars += len(escape_controls(path)) + 1
    return chars
