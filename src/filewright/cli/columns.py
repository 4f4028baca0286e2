"""Texts in the columns of a terminal: their width, and lines that fit."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace

import click

ELLIPSIS = "…"
_GAP = 2
"""The blanks between the two ends of a line."""


@dataclass(frozen=True, slots=True)
class Styled:
    """A text and the style in which a terminal shows it, as `click.style` takes it."""

    text: str
    colour: str | None = None
    is_bold: bool = False
    is_dim: bool = False

    def render(self, *, has_colours: bool) -> str:
        """Return the text, with the control sequences of its style."""
        is_plain = not (self.colour or self.is_bold or self.is_dim)
        if is_plain or not has_colours or not self.text:
            return self.text
        return click.style(
            self.text,
            fg=self.colour,
            bold=self.is_bold or None,
            dim=self.is_dim or None,
        )


def measure_width(text: str) -> int:
    """Return the columns that a text takes in a terminal."""
    # Most texts are ASCII, where each character takes a column.
    if text.isascii():
        return len(text)
    return sum(map(_measure_character, text))


def _measure_character(character: str) -> int:
    # A combining mark is drawn over the character before it.
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def truncate_to_width(text: str, width: int) -> str:
    """Return a text of at most `width` columns, cut off with an ellipsis."""
    if measure_width(text) <= width:
        return text
    columns_left = width - measure_width(ELLIPSIS)
    end = 0
    for character in text:
        columns_left -= _measure_character(character)
        if columns_left < 0:
            break
        end += 1
    return text[:end].rstrip() + ELLIPSIS if width > 0 else ""


def join_ends(
    left: list[Styled],
    right: list[Styled],
    width: int,
    *,
    flexible: int,
    has_colours: bool,
) -> str:
    """Return a line with a part at each end, as wide as the terminal.

    `flexible` is the index of the text of `left` that is cut off where the line is too
    long.
    """
    right_width = sum(measure_width(part.text) for part in right)
    left_width = sum(measure_width(part.text) for part in left)
    gap = _GAP if right_width else 0
    excess = left_width + gap + right_width - width
    if excess > 0:
        # Whatever is beside it, such as an id or a count, is worth more than its end.
        text = left[flexible].text
        shorter = truncate_to_width(text, max(1, measure_width(text) - excess))
        left = [*left]
        left[flexible] = replace(left[flexible], text=shorter)
        left_width = sum(measure_width(part.text) for part in left)
    parts = [part.render(has_colours=has_colours) for part in left]
    if right_width:
        parts.append(" " * max(gap, width - left_width - right_width))
    parts += [part.render(has_colours=has_colours) for part in right]
    return "".join(parts).rstrip()


def count_rows(text: str, width: int) -> int:
    """Return the rows that a text without control sequences takes in a terminal."""
    rows = 0
    for line in text.split("\n"):
        # An empty line takes a row, too.
        columns = measure_width(line.expandtabs())
        rows += max(1, -(-columns // width))
    return rows
