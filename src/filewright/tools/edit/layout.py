"""The layout of inserted text: its indentation, and the blank lines around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from filewright.edit.block_indent import detect_indent_unit, reindent_block
from filewright.languages import Language, language_of
from filewright.text import codec
from filewright.text.snapshot import Snapshot
from filewright.tools.edit.call import FileEdits
from filewright.tools.edit.places import InsertionPoint

# Languages in which a tab is no indentation, or does not mean the same as spaces.
_INDENTED_BY_SPACES: Final = (Language.YAML, Language.MARKDOWN, None)
# Bytes above and below a point in which blank lines are counted.
_NEAR_BYTES: Final = 4_096


@dataclass(frozen=True, slots=True)
class BlankLines:
    """The numbers of blank lines above and below a text."""

    above: int = 0
    below: int = 0


def indent_text(
    text: str,
    indent: str,
    file: FileEdits,
    target: Snapshot,
    near_lines: range | None = None,
) -> str:
    """Return a text at an indentation, in the unit of `near_lines`, else of the file."""
    language = language_of(file.location.name)
    unit = "\t" if "\t" in indent else None
    if unit is None and near_lines is not None:
        unit = detect_indent_unit(target, language, near_lines)
    if unit is None:
        unit = detect_indent_unit(target, language)
    if language in _INDENTED_BY_SPACES:
        unit = None
    return reindent_block(text, indent, language, unit)


def usual_gap(text: str, file: FileEdits, point: InsertionPoint) -> int:
    """Return the usual number of blank lines around a definition.

    It is used if the definition has no neighbours whose distance can be measured.
    """
    if len(text.strip().splitlines()) < 2:
        return 0
    is_python = language_of(file.location.name) == Language.PYTHON
    return 2 if is_python and not point.indent else 1


def as_separate_lines(
    text: str,
    point: InsertionPoint,
    target: Snapshot,
    gap: int,
    *,
    terminator: str = "\n",
    own_blank_lines: BlankLines = BlankLines(),
    deleted: Sequence[range] = (),
) -> str:
    """Return a text as whole lines, with `gap` blank lines above and below it.

    There are at least as many as its author wrote, `own_blank_lines`. Blank lines that
    exist already count. None are added where no text follows, nor between a member and
    the lines that open and close its block. `deleted` are the lines of symbols that other
    edits delete.
    """
    if not text.endswith(("\n", "\r")):
        text += terminator
    above = max(gap, own_blank_lines.above)
    below = max(gap, own_blank_lines.below)
    if not above and not below:
        return text
    near = _lines_around(target, point.line, deleted)
    if text.startswith(("\n", "\r")) or _is_enclosing_line(
        near.above, point.indent, is_below=False
    ):
        above = 0
    if text.endswith(2 * terminator) or _is_enclosing_line(
        near.below, point.indent, is_below=True
    ):
        below = 0
    above = _count_lacking(near.above, above)
    below = _count_lacking(near.below, below)
    return terminator * above + text + terminator * below


@dataclass(frozen=True, slots=True)
class _NearLines:
    """The lines above and below a point between lines, the nearest first."""

    above: Sequence[str]
    below: Sequence[str]


def _lines_around(
    target: Snapshot, line: int, deleted: Sequence[range]
) -> _NearLines:
    """Return the lines above and below the start of a line.

    Lines that other edits delete right there are left out.
    """
    line_above = line_below = line
    for lines in sorted(deleted, key=lambda lines: lines.start):
        if lines.start == line_below:
            line_below = lines.stop
    for lines in sorted(deleted, key=lambda lines: lines.stop, reverse=True):
        if lines.stop == line_above:
            line_above = lines.start
    end = target.lines.offset_of(line_above)
    start = max(target.start, end - _NEAR_BYTES)
    above = codec.decode(target.read(start, end - start), target.encoding)
    offset = target.lines.offset_of(line_below)
    below = codec.decode(target.read(offset, _NEAR_BYTES), target.encoding)
    lines_above = above.removesuffix("\n").split("\n")
    lines_below = below.removesuffix("\n").split("\n")
    return _NearLines(lines_above[::-1], lines_below)


def _is_enclosing_line(
    lines: Sequence[str], indent: str | None, *, is_below: bool
) -> bool:
    """Return True if the nearest line with text opens or closes the block of a member."""
    nearest = next((line for line in lines if line.strip()), "")
    text = nearest.lstrip()
    if not indent or not text or len(nearest) - len(text) >= len(indent):
        return False
    return not is_below or text.startswith(("}", ")", "]", "end", "</"))


def _count_lacking(lines: Sequence[str], gap: int) -> int:
    """Return how many of `gap` blank lines are missing before the first line with text.

    None are missing if there is no such line.
    """
    for count, line in enumerate(lines):
        if line.strip():
            return max(0, gap - count)
    return 0
