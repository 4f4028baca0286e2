"""The sources of a notebook's cells: changes of them as splices inside JSON strings."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain

from filewright import errors
from filewright.errors import Code, FilewrightError
from filewright.text.notebook_cells import (
    CELL_HINT,
    Cell,
    NotebookDocument,
    Span,
)
from filewright.text.notebook_strings import decode_string, encode_string
from filewright.text.notebook_style import NotebookStyle, escapes_text
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice

_PIECE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]+",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class _SourceLayout:
    """The bytes before, between and after the strings of a source, without quotes."""

    opening: bytes
    separator: bytes
    closing: bytes


@dataclass(frozen=True, slots=True)
class SourceChange:
    """The bytes [start, end) of a cell's source are replaced by `replacement`."""

    cell: Cell
    start: int
    end: int
    replacement: bytes


class NotebookSources:
    """The sources of the cells of a notebook, over the bytes of its file."""

    def __init__(
        self,
        file_snapshot: Snapshot,
        document: NotebookDocument,
        texts: Sequence[bytes],
    ) -> None:
        self._file = file_snapshot
        self._document = document
        self._cells = document.cells
        self._starts = [cell.start for cell in document.cells]
        self._texts = texts
        self._known_ends: dict[int, Sequence[int]] = {}

    def text(self, cell: Cell) -> bytes:
        """Return the source of a cell."""
        return self._texts[cell.number - 1]

    def to_file_splice(self, change: SourceChange) -> Splice:
        """Return the splice of the file for a change of a source.

        In an array each line is a string of its own, so new lines become new strings.
        """
        cell, start, end = change.cell, change.start, change.end
        text = self.text(cell)
        layout = self._layout(cell)
        # The quotes belong to the strings before and after the separator.
        separator = b'"' + layout.separator + b'"'
        literal = separator.join(
            encode_string(line, self._escapes_text)
            for line in self._replacement_lines(change)
        )
        if not cell.literals:
            return self._first_literal_splice(cell, layout, literal)
        is_after_last_line = start == len(text) and text.endswith(b"\n")
        if cell.array is not None and is_after_last_line and change.replacement:
            literal = separator + literal
        file_start = self._offset_in_file(cell, start)
        if end == start:
            return Splice(file_start, 0, literal)
        # Strings that end without a line's end are kept apart, though Jupyter reads
        # them as one line: joining them would change bytes outside the edit.
        is_inside_string = bool(
            change.replacement
        ) or start not in self._part_ends(cell)
        stays_in_first = is_inside_string and self._ends_unbroken_part(
            cell, end
        )
        file_end = self._offset_in_file(cell, end, in_first=stays_in_first)
        return Splice(file_start, file_end - file_start, literal)

    def _replacement_lines(self, change: SourceChange) -> list[bytes]:
        """Return the parts of a replacement that become strings of their own."""
        cell, replacement = change.cell, change.replacement
        if cell.array is None:
            return [replacement]
        # The last part continues the string behind the change. It may be empty.
        lines = re.split(rb"(?<=\n)", replacement)
        has_empty_end = len(lines) > 1 and not lines[-1]
        if has_empty_end and (
            change.end == len(self.text(cell))
            or self._ends_unbroken_part(cell, change.end)
        ):
            # No string follows to continue: an empty one would be left.
            lines.pop()
        return lines

    def _first_literal_splice(
        self, cell: Cell, layout: _SourceLayout, literal: bytes
    ) -> Splice:
        """Return the splice that writes the first string of a source without any.

        Raises `unsupported` if the cell has no source at all.
        """
        if cell.array is None:
            raise FilewrightError(
                Code.UNSUPPORTED,
                f"{cell.label} has no source to write to",
                "edit another cell, or give encoding to edit the notebook as text",
            )
        start, stop = cell.array
        string = b'"' + literal + b'"'
        if start == stop:
            string = layout.opening + string + layout.closing
        # An array that holds whitespace has its layout already.
        return Splice(start, 0, string)

    def _ends_unbroken_part(self, cell: Cell, offset: int) -> bool:
        """Return True if a string other than the last ends there without a newline."""
        ends = self._part_ends(cell)
        return offset in ends[:-1] and not self.text(cell)[:offset].endswith(
            b"\n"
        )

    def _between(self, cell: Cell) -> bytes:
        """Return the bytes between the first two strings, without quotes."""
        (_, end), (start, _) = cell.literals[:2]
        return self._file.read(end + 1, start - end - 2)

    def _part_ends(self, cell: Cell) -> Sequence[int]:
        """Return the offset in the source at which each of its strings ends."""
        if cell.number not in self._known_ends:
            lengths = (
                len(decode_string(self._file.read(start, end - start)))
                for start, end in cell.literals
            )
            self._known_ends[cell.number] = tuple(accumulate(lengths))
        return self._known_ends[cell.number]

    def _offset_in_file(
        self, cell: Cell, offset: int, *, in_first: bool = False
    ) -> int:
        """Return the offset in the file of an offset in a source.

        If two strings meet there, it is in the second, or with `in_first` in the first.
        """
        ends = self._part_ends(cell)
        index = (
            bisect_left(ends, offset)
            if in_first
            else bisect_right(ends, offset)
        )
        index = min(index, len(ends) - 1)
        start, end = cell.literals[index]
        literal = self._file.read(start, end - start)
        # An escape such as \u00e9 has more bytes in the file than in the source, so
        # the pieces before the offset are measured one by one.
        position = ends[index - 1] if index else 0
        for piece in _PIECE.finditer(literal):
            if offset <= position:
                return start + piece.start()
            is_plain = not piece[0].startswith(b"\\")
            length = len(piece[0]) if is_plain else len(decode_string(piece[0]))
            if is_plain and offset < position + length:
                return start + piece.start() + offset - position
            position += length
        return start + len(literal)

    def find_change(self, change: Splice) -> SourceChange:
        """Return the change of one source, without newlines that only the view has.

        Raises `invalid_input` if the change is not inside one source.
        """
        start, end, replacement = change.offset, change.end, change.replacement
        index = bisect_right(self._starts, start) - 1
        cell = self._cells[index]
        if index < 0 or end > cell.end + (not cell.closed):
            number = self._cells[min(index + 1, len(self._cells) - 1)].number
            raise errors.path_error(
                Code.INVALID_INPUT,
                self._file.requested_path,
                f"{self._file.requested_path}: the edit includes the heading "
                f"of cell {number}, which is only shown, not in the file",
                f"edit the text of one cell at a time; {CELL_HINT}",
            )
        text = self.text(cell)
        start, end = start - cell.start, end - cell.start
        if start > len(text):
            # Lines are added below the last line, which ends only in the view.
            end = len(text)
            separator = b"\n" if text else b""
            lines = replacement.removesuffix(b"\n")
            return SourceChange(cell, end, end, separator + lines)
        if end > len(text):
            end = len(text)
            if replacement.endswith(b"\n"):
                replacement = replacement[:-1]
            elif not replacement and text[start - 1 : start] == b"\n":
                # The last line is deleted, and with it the newline before it.
                start -= 1
        return SourceChange(cell, start, end, replacement)

    @cached_property
    def style(self) -> NotebookStyle:
        return NotebookStyle.of(self._file, self._document)

    @cached_property
    def _escapes_text(self) -> bool:
        return escapes_text(self._file, self._cells)

    def _layout(self, cell: Cell) -> _SourceLayout:
        """Return the layout of a cell's source: its own, or that of another cell."""
        # A source of several strings shows its separator; one string shows the rest.
        # Both are generators, as the cell itself nearly always is an example.
        with_several = (
            other for other in self._cells if len(other.literals) > 1
        )
        with_any = (other for other in self._cells if other.literals)
        for example in chain((cell,), with_several, with_any):
            if example.array is not None and example.literals:
                return self._layout_of_example(example, example.array)
        style = self.style
        if style.indent is None:
            return _SourceLayout(b"", style.separators[0].encode(), b"")
        unit = style.indent.encode()
        closing = style.newline + style.margin + unit
        opening = closing + unit
        return _SourceLayout(opening, b"," + opening, closing)

    def _layout_of_example(self, example: Cell, array: Span) -> _SourceLayout:
        """Return the layout of a source that is an array with strings."""
        start, stop = array
        first_start, last_end = example.literals[0][0], example.literals[-1][1]
        # The quotes beside the strings are not part of the layout.
        opening = self._file.read(start, first_start - 1 - start)
        closing = self._file.read(last_end + 1, stop - last_end - 1)
        if len(example.literals) > 1:
            separator = self._between(example)
        elif opening:
            separator = b"," + opening
        elif self.style.indent is not None:
            separator = b", "
        else:
            separator = self.style.separators[0].encode()
        return _SourceLayout(opening, separator, closing)
