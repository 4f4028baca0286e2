"""Places of a file that edits name: lines, symbols, and points between lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from filewright.edit.block_indent import detect_indent_unit, reindent_block
from filewright.edit.request import SymbolLines
from filewright.edit.symbol_lines import find_symbol_lines
from filewright.errors import FilewrightError
from filewright.languages import Language, language_of
from filewright.text import codec
from filewright.text.notebook import (
    CELL_HINT,
    NotebookView,
    view_if_notebook,
)
from filewright.text.snapshot import Snapshot
from filewright.tools.edit_arguments import Place
from filewright.tools.edit_call import EditCall, FileEdits
from filewright.wording import escape_controls

# Languages in which a tab is no indentation, or does not mean the same as spaces.
_INDENTED_BY_SPACES: Final = (Language.YAML, Language.MARKDOWN, None)
# Bytes above and below a point in which blank lines are counted.
_NEAR_BYTES: Final = 4_096
# Stands for a number with too many digits to be that of a line.
_NO_LINE: Final = -1
_MAX_LINE_DIGITS: Final = 19
_MAX_SHOWN_ANCHOR: Final = 40


@dataclass(frozen=True, slots=True)
class TextVersion:
    """The text in which an edit counts lines and finds symbols.

    `base` is None for the file as it is, else the content of an earlier version. With
    `is_known`, the caller has seen the lines of this version.
    """

    snapshot: Snapshot
    base: bytes | None
    is_known: bool


@dataclass(frozen=True, slots=True)
class InsertionPoint:
    """A point between lines: before `line`, named in words.

    Beside a symbol, `indent` is its indentation and `symbol` are its lines; `gap` is the
    number of blank lines that separate it from others, None if it has no neighbour to
    tell.
    """

    line: int
    named: str
    indent: str | None = None
    gap: int | None = 0
    symbol: range | None = None


def find_text_version(
    call: EditCall,
    number: int,
    file: FileEdits,
    snapshot: Snapshot,
    version: str | None,
) -> TextVersion:
    """Return the text that a version names, the current one by default.

    Raise `stale_version` for a version that is not remembered, and `invalid_input` for a
    notebook, whose lines are not those that a reader sees.
    """
    context = call.context
    if call.arguments.encoding is None and isinstance(
        view_if_notebook(snapshot, context.task), NotebookView
    ):
        raise call.invalid(
            number,
            f"{file.requested_path} is a notebook, which is edited by its text or "
            "by its cells",
            f"give search, and cell; {CELL_HINT}",
        )
    if version is None or snapshot.matches(version):
        shown_version = context.seen.shown_version(
            context.session, file.location
        )
        is_known = version is not None or shown_version == snapshot.version
        return TextVersion(snapshot, None, is_known)
    base = context.shown.content_at(file.location, version)
    if base is None:
        context.check_version(snapshot, version)
    assert base is not None
    earlier = Snapshot(
        base,
        encoding=snapshot.encoding.name,
        location=file.location,
        settings=context.settings,
    )
    return TextVersion(earlier, base, is_known=True)


def require_known_lines(
    call: EditCall,
    number: int,
    file: FileEdits,
    text: TextVersion,
    first_line: int,
    last_line: int,
) -> None:
    """Raise `invalid_input` for lines out of order, and for lines not shown yet."""
    if last_line < first_line:
        raise call.invalid(
            number,
            f"end_line {last_line} is before start_line {first_line}",
            "correct the lines",
        )
    if not text.is_known:
        path = file.requested_path
        raise call.invalid(
            number,
            f"{path} has not been shown as it is now, so line {first_line} may not be "
            "the line that is meant",
            f"read {path} first, or give expected_version; the current version is "
            f"{text.snapshot.version}",
        )


def find_symbol_lines_of(
    call: EditCall, file: FileEdits, text: TextVersion, symbol: str
) -> SymbolLines:
    """Return the lines of a symbol. Raise a refusal that names the file."""
    context = call.context
    try:
        outline = context.outlines.outline(text.snapshot, task=context.task)
        return find_symbol_lines(
            text.snapshot, outline, symbol, file.requested_path
        )
    except FilewrightError as error:
        error.details.setdefault("path", file.requested_path)
        raise


def anchor_symbol(place: Place) -> str | None:
    """Return the symbol beside which text goes, or None if it goes beside a line."""
    anchor = place.after if place.after is not None else place.before
    if isinstance(anchor, str) and not anchor.strip().isdecimal():
        return anchor
    return None


def find_insertion_point(
    call: EditCall,
    number: int,
    file: FileEdits,
    text: TextVersion,
    place: Place | None,
) -> InsertionPoint:
    """Return the point that a place names; without a place, the end of the text."""
    if place is None:
        last_line = text.snapshot.lines.count_lines()
        return InsertionPoint(last_line + 1, "at the end")
    is_after = place.after is not None
    word = "after" if is_after else "before"
    symbol = anchor_symbol(place)
    if symbol is not None:
        lines = find_symbol_lines_of(call, file, text, symbol)
        return InsertionPoint(
            line=lines.last + 1 if is_after else lines.first,
            named=f"{word} symbol {escape_controls(symbol)}",
            indent=lines.indent,
            gap=lines.gap,
            symbol=range(lines.first, lines.last + 1),
        )
    anchor = str(place.after if is_after else place.before)
    # A number of thousands of digits cannot be converted.
    line = int(anchor) if len(anchor) <= _MAX_LINE_DIGITS else _NO_LINE
    if line < (0 if is_after else 1):
        raise call.invalid(
            number,
            f"there is no line {anchor[:_MAX_SHOWN_ANCHOR]}",
            "lines are numbered from 1; after 0 is the top of the file",
        )
    # The top of the file is the same in every version.
    if line + is_after > 1:
        require_known_lines(call, number, file, text, line, line)
    return InsertionPoint(line + is_after, f"{word} line {line}")


# The layout of inserted text


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
    own_blank_lines: tuple[int, int] = (0, 0),
    deleted: Sequence[range] = (),
) -> str:
    """Return a text as whole lines, with `gap` blank lines above and below it.

    `own_blank_lines` are those above and below that its author wants at least. Blank
    lines that exist already count. None are added where no text follows, nor between a
    member and the lines that open and close what contains it. `deleted` are the lines of
    symbols that other edits delete.
    """
    if not text.endswith(("\n", "\r")):
        text += terminator
    if not gap and own_blank_lines == (0, 0):
        return text
    lines_above, lines_below = _lines_around(target, point.line, deleted)
    above = max(gap, own_blank_lines[0])
    below = max(gap, own_blank_lines[1])
    if text.startswith(("\n", "\r")) or _is_enclosing_line(
        lines_above, point.indent, is_below=False
    ):
        above = 0
    if text.endswith(2 * terminator) or _is_enclosing_line(
        lines_below, point.indent, is_below=True
    ):
        below = 0
    above = _count_lacking(lines_above, above)
    below = _count_lacking(lines_below, below)
    return terminator * above + text + terminator * below


def _lines_around(
    target: Snapshot, line: int, deleted: Sequence[range]
) -> tuple[Sequence[str], Sequence[str]]:
    """Return the lines above and below the start of a line, the nearest first.

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
    return lines_above[::-1], below.removesuffix("\n").split("\n")


def _is_enclosing_line(
    lines: Sequence[str], indent: str | None, *, is_below: bool
) -> bool:
    """Return True if the nearest line with text opens or closes what contains a member."""
    nearest = next((line for line in lines if line.strip()), "")
    text = nearest.lstrip()
    if not indent or not text or len(nearest) - len(text) >= len(indent):
        return False
    return not is_below or text.startswith(("}", ")", "]", "end", "</"))


def _count_lacking(lines: Sequence[str], gap: int) -> int:
    """Return how many of `gap` blank lines are missing before the first line with text."""
    for count, line in enumerate(lines):
        if line.strip():
            return max(0, gap - count)
    return 0
