"""A notebook (`.ipynb`, format 4) as the text of its cells, over the bytes of its file.

The view shows the source of each cell below a heading line; outputs are only counted.
An edit of the view becomes splices inside the JSON strings of the sources: no other
byte of the file changes. A heading line in an edit makes no cell;
`NotebookView.rearrange` writes new cells in the style of the file. The format is
described at https://nbformat.readthedocs.io/en/latest/format_description.html

The file is scanned once, in blocks, for the positions of strings, so large images in it
cost only the scan. A file that is no such notebook is shown as plain text.
"""

from __future__ import annotations

import hashlib
import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, chain
from typing import Final, Literal

from filewright import errors
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice

NOTEBOOK_SUFFIX: Final = b".ipynb"

_BLOCK_BYTES = 1 << 16
_MAX_SOURCE_BYTES = 16 << 20
_MAX_CELLS = 100_000
_STYLE_SAMPLE_BYTES = 4096
_MAX_DEPTH = 1_000
_WHITESPACE = re.compile(rb"[ \t\r\n]*")
_STRING_REST = re.compile(rb'[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL)
_UNTIL_BRACKET_OR_QUOTE = re.compile(rb'[^"{}\[\]]*')
_CLOSING = {b"{": b"}", b"[": b"]"}
_SCALAR = re.compile(rb"[-+.0-9A-Za-z]*")
_PIECE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]+",
    re.DOTALL,
)
_ESCAPE_BEYOND_ASCII = re.compile(rb"\\u(?!00[0-7])")
_HEADING = re.compile(rb"^# %% cell \d+: \w+.*$", re.MULTILINE)
_MINOR_WITH_IDS: Final = 5
"""The minor version of format 4 from which on cells have ids."""
CELL_HINT: Final = (
    'a cell is made by at: {"after_cell": 2} or {"before_cell": 2} with replace and '
    'cell_type, and deleted by at: {"cell": 2} with delete: true; leave out the lines '
    "that begin with # %% cell"
)

CellKind = Literal["code", "markdown", "raw"]
Span = tuple[int, int]


class _NotANotebookError(Exception):
    """The bytes are not a notebook that can be shown by its cells."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a notebook.

    In the file:

    - `span`: the bytes of the whole cell.
    - `literals`: the bytes between the quotes of each string of the source.
    - `array`: the bytes between the brackets around these strings, or None if the
      source is one string.
    - `outputs`, `output_bytes`: the number of outputs, and of their bytes.

    In the view:

    - `start`, `end`: the bytes of the source.
    - `closed`: True if the source ends with a newline or is empty; else the view adds
      one.
    """

    number: int
    kind: str
    id: str
    literals: tuple[Span, ...]
    array: Span | None
    outputs: int
    output_bytes: int
    span: Span
    start: int = 0
    end: int = 0
    closed: bool = True

    @property
    def label(self) -> str:
        """Return the cell's number and id, for messages."""
        return (
            f"cell {self.number} ({self.id})"
            if self.id
            else f"cell {self.number}"
        )

    @property
    def heading(self) -> str:
        """Return the line of the view above the source."""
        outputs = ""
        if self.outputs:
            noun = "output" if self.outputs == 1 else "outputs"
            outputs = f", {self.outputs} {noun} of {self.output_bytes:,} bytes not shown"
        return _heading(self.number, self.kind, self.id, outputs)

    @property
    def region(self) -> Span:
        """Return the bytes of the heading and the source in the view."""
        heading_bytes = len(self.heading.encode("utf-8", "replace"))
        return self.start - heading_bytes, self.end + (not self.closed)


@dataclass(frozen=True, slots=True)
class NewCell:
    """A cell to insert after the cell number `after` (0: before all cells)."""

    after: int
    kind: CellKind
    text: str


@dataclass(frozen=True, slots=True)
class Rearrangement:
    """Inserted and deleted cells, as splices of the file and of its view.

    `new_headings` are the headings of the new cells, in order, without their marks.
    """

    file_splices: tuple[Splice, ...]
    view_splices: tuple[Splice, ...]
    new_headings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Layout:
    """The bytes before, between and after the strings of a source, without quotes."""

    opening: bytes
    separator: bytes
    closing: bytes


@dataclass(frozen=True, slots=True)
class _Document:
    """The result of a scan: the cells, the span of their array, the minor version."""

    cells: tuple[Cell, ...]
    array: Span
    minor: int


@dataclass(frozen=True, slots=True)
class _SourceChange:
    """The bytes [start, end) of a cell's source are replaced by `replacement`."""

    cell: Cell
    start: int
    end: int
    replacement: bytes


def _heading(number: int, kind: str, identifier: str, outputs: str = "") -> str:
    id_part = f", id {identifier}" if identifier else ""
    return f"# %% cell {number}: {kind}{id_part}{outputs}\n"


def _common_lines(lines: Sequence[bytes], other_lines: Sequence[bytes]) -> int:
    """Return how many lines at the start of both are equal."""
    count = 0
    for line, other_line in zip(lines, other_lines, strict=False):
        if line != other_line:
            break
        count += 1
    return count


class NotebookView(Snapshot):
    """The text of a notebook's cells.

    It has the version of the file, `file_snapshot`, and closes that too.
    """

    def __init__(
        self,
        raw: Snapshot,
        document: _Document,
        content: bytes,
        texts: Sequence[bytes],
    ) -> None:
        super().__init__(
            content, encoding="utf-8", location=raw.location, status=raw.status
        )
        self.file_snapshot = raw
        self.cells = cells = document.cells
        self._document = document
        self._texts = texts
        self._known_ends: dict[int, Sequence[int]] = {}
        self._starts = [cell.start for cell in cells]

    def close(self) -> None:
        """Close the file."""
        self.file_snapshot.close()

    @cached_property
    def version(self) -> str:
        """Return the version of the file."""
        return self.file_snapshot.version

    def matches(self, version: str) -> bool:
        """Return True if `version` is that of the file."""
        return self.file_snapshot.matches(version)

    def find_cell(self, name: str | int) -> Cell:
        """Return the cell with an id or, without one, with a number from 1.

        Raises `not_found` and `ambiguous_match`.
        """
        matches = [cell for cell in self.cells if cell.id == name]
        name = str(name)
        if not matches:
            number = name.lstrip("0")
            matches = [
                cell for cell in self.cells if str(cell.number) == number
            ]
        if len(matches) == 1:
            return matches[0]
        if matches:
            numbers = ", ".join(str(cell.number) for cell in matches[:10])
            raise errors.path_error(
                Code.AMBIGUOUS_MATCH,
                self.requested_path,
                f"{self.requested_path} has {len(matches)} cells with the id {name!r}",
                f"name it by its number: {numbers}",
                cell=name,
            )
        raise errors.path_error(
            Code.NOT_FOUND,
            self.requested_path,
            f"{self.requested_path} has no cell {name!r}",
            f"it has {len(self.cells)} cells; read it to see their ids and numbers",
            cell=name,
        )

    def describe_position(self, offset: int) -> str:
        """Return the cell and the line in it at an offset; "" for a heading."""
        index = bisect_right(self._starts, offset) - 1
        if index < 0 or offset > self.cells[index].end:
            return ""
        cell = self.cells[index]
        assert self.content is not None
        line = self.content.count(b"\n", cell.start, offset) + 1
        return f"{cell.label}, line {line}"

    def line_at(self, offset: int) -> int:
        """Return the number of the view's line at an offset of the view."""
        assert self.content is not None
        return self.content.count(b"\n", 0, offset) + 1

    def cell_text(self, cell: Cell) -> bytes:
        """Return the source of a cell."""
        return self._texts[cell.number - 1]

    def to_file_splices(self, changes: Sequence[Splice]) -> tuple[Splice, ...]:
        """Return the splices of the file that have the effect of those of the view.

        Raises `invalid_input` for a change of a heading, and for a change that writes
        the heading of a cell into a source.
        """
        splices: list[Splice] = []
        for splice in changes:
            change = self._source_change(splice)
            self._check_heading(change)
            splices.append(self._file_splice(change))
        return tuple(splices)

    def _check_heading(self, change: _SourceChange) -> None:
        """Raise `invalid_input` if a change adds a line like the heading of a cell."""
        cell, replacement = change.cell, change.replacement
        if b"%% cell" not in replacement and b"\n" not in replacement:
            # Most changes have neither, and cannot write a heading.
            return
        text = self.cell_text(cell)
        # A heading may be completed by the text around the change: compare whole lines.
        start = text.rfind(b"\n", 0, change.start) + 1
        stop = text.find(b"\n", change.end)
        if stop < 0:
            stop = len(text)
        previous_lines = text[start:stop]
        new_lines = (
            text[start : change.start] + replacement + text[change.end : stop]
        )
        new_headings = set(_HEADING.findall(new_lines))
        new_headings.difference_update(_HEADING.findall(previous_lines))
        if new_headings:
            line = min(new_headings).decode("utf-8", "replace")
            raise errors.path_error(
                Code.INVALID_INPUT,
                self.requested_path,
                f"{self.requested_path}: the heading {line!r} would become text of "
                f"{cell.label}; it makes no cell",
                CELL_HINT,
            )

    def replace_source(self, cell: Cell, text: str) -> tuple[Splice, ...]:
        """Return the splices of the view that replace the source of a cell by `text`.

        They change only the lines that differ. A final newline of `text` is left out
        unless the source has one, since callers end their last line with it.
        """
        previous = self.cell_text(cell)
        replacement = text.encode("utf-8", "surrogatepass")
        if replacement.endswith(b"\n") and not previous.endswith(b"\n"):
            replacement = replacement[:-1]
        if previous == replacement:
            return ()
        previous_lines = previous.splitlines(keepends=True)
        new_lines = replacement.splitlines(keepends=True)
        first = _common_lines(previous_lines, new_lines)
        # A line that is common at the start is not counted at the end again.
        last = _common_lines(
            previous_lines[first:][::-1],
            new_lines[first:][::-1],
        )
        start = len(b"".join(previous_lines[:first]))
        stop = len(b"".join(previous_lines[: len(previous_lines) - last]))
        changed_lines = b"".join(new_lines[first : len(new_lines) - last])
        return (Splice(cell.start + start, stop - start, changed_lines),)

    def rearrange(
        self, new: Sequence[NewCell], removed: Sequence[Cell]
    ) -> Rearrangement:
        """Return the splices that insert new cells and delete some.

        The bytes of the other cells stay. New cells have their final numbers, and new
        ids if the format has ids. Raises `invalid_input` for a text with the heading of
        a cell.
        """
        removed_numbers = {cell.number for cell in removed}
        remaining = [
            cell for cell in self.cells if cell.number not in removed_numbers
        ]
        # Gap g lies before the remaining cell of index g; the last one is at the end.
        new_by_gap: dict[int, list[NewCell]] = {}
        for new_cell in sorted(new, key=lambda cell: cell.after):
            gap = bisect_right(
                remaining, new_cell.after, key=lambda cell: cell.number
            )
            new_by_gap.setdefault(gap, []).append(new_cell)
        style = self._style
        identifiers = {cell.id for cell in self.cells}
        file_splices: list[Splice] = []
        view_splices: list[Splice] = []
        headings: list[str] = []
        number = 0
        for gap in range(len(remaining) + 1):
            above = remaining[gap - 1] if gap else None
            below = remaining[gap] if gap < len(remaining) else None
            removed_start = above.number if above else 0
            removed_stop = below.number - 1 if below else len(self.cells)
            removed_here = self.cells[removed_start:removed_stop]
            new_objects: list[bytes] = []
            view_text = bytearray()
            for new_cell in new_by_gap.get(gap, ()):
                number += 1
                identifier = ""
                if self._document.minor >= _MINOR_WITH_IDS:
                    identifier = _new_identifier(new_cell, identifiers)
                    identifiers.add(identifier)
                text = new_cell.text.removesuffix("\n")
                self._check_new_text(text)
                new_objects.append(
                    style.write_cell(new_cell.kind, identifier, text)
                )
                heading = _heading(number, new_cell.kind, identifier)
                view_text += f"{heading}{text}\n".encode(
                    "utf-8", "surrogatepass"
                )
                headings.append(heading.removeprefix("# %% ").rstrip("\n"))
            if below is not None:
                number += 1
            if not new_objects and not removed_here:
                continue
            file_splices.append(
                self._gap_splice(style, above, below, removed_here, new_objects)
            )
            if removed_here:
                start, end = (
                    removed_here[0].region[0],
                    removed_here[-1].region[1],
                )
            else:
                start = end = below.region[0] if below else self.size
            view_splices.append(Splice(start, end - start, bytes(view_text)))
        return Rearrangement(
            tuple(file_splices), tuple(view_splices), tuple(headings)
        )

    def _check_new_text(self, text: str) -> None:
        """Raise `invalid_input` if the text of a new cell has a heading of a cell."""
        if _HEADING.search(text.encode("utf-8", "surrogatepass")):
            raise errors.path_error(
                Code.INVALID_INPUT,
                self.requested_path,
                f"{self.requested_path}: the text of the new cell "
                "holds the heading of a cell",
                CELL_HINT,
            )

    def _gap_splice(
        self,
        style: _Style,
        above: Cell | None,
        below: Cell | None,
        removed: Sequence[Cell],
        new_objects: list[bytes],
    ) -> Splice:
        """Return the splice of the file that replaces removed cells by new objects.

        `above` and `below` are the cells beside them that stay, if any. With each cell
        goes one comma: the one before it or the one after it.
        """
        text = style.between.join(new_objects)
        if above is None and below is None:
            # No cell stays, so the whole array is written.
            start, stop = self._document.array
            if new_objects:
                text = style.opening + text + style.closing
        elif removed and new_objects:
            # The new cells take the place of the removed ones, between their commas.
            start, stop = removed[0].span[0], removed[-1].span[1]
        elif removed and below is not None:
            start, stop = removed[0].span[0], below.span[0]
        elif removed:
            # The last cells go, and with them the comma after the cell above.
            assert above is not None
            start, stop = above.span[1], removed[-1].span[1]
        elif above is not None:
            start = stop = above.span[1]
            text = style.between + text
        else:
            assert below is not None
            start = stop = below.span[0]
            text += style.between
        return Splice(start, stop - start, text)

    def _file_splice(self, change: _SourceChange) -> Splice:
        """Return the splice of the file for a change of a source.

        In an array each line is a string of its own, so new lines become new strings.
        """
        cell, start, end = change.cell, change.start, change.end
        text = self.cell_text(cell)
        layout = self._layout(cell)
        # The quotes belong to the strings before and after the separator.
        separator = b'"' + layout.separator + b'"'
        literal = separator.join(
            _encode_string(line, self._escapes_text)
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

    def _replacement_lines(self, change: _SourceChange) -> list[bytes]:
        """Return the parts of a replacement that become strings of their own."""
        cell, replacement = change.cell, change.replacement
        if cell.array is None:
            return [replacement]
        # The last part continues the string behind the change. It may be empty.
        lines = re.split(rb"(?<=\n)", replacement)
        has_empty_end = len(lines) > 1 and not lines[-1]
        if has_empty_end and (
            change.end == len(self.cell_text(cell))
            or self._ends_unbroken_part(cell, change.end)
        ):
            # No string follows to continue: an empty one would be left.
            lines.pop()
        return lines

    def _first_literal_splice(
        self, cell: Cell, layout: _Layout, literal: bytes
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
        return offset in ends[:-1] and not self.cell_text(cell)[
            :offset
        ].endswith(b"\n")

    def _between(self, cell: Cell) -> bytes:
        """Return the bytes between the first two strings, without quotes."""
        (_, end), (start, _) = cell.literals[:2]
        return self.file_snapshot.read(end + 1, start - end - 2)

    def _part_ends(self, cell: Cell) -> Sequence[int]:
        """Return the offset in the source at which each of its strings ends."""
        if cell.number not in self._known_ends:
            lengths = (
                len(_decode_string(self.file_snapshot.read(start, end - start)))
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
        literal = self.file_snapshot.read(start, end - start)
        # An escape such as \u00e9 has more bytes in the file than in the source, so
        # the pieces before the offset are measured one by one.
        position = ends[index - 1] if index else 0
        for piece in _PIECE.finditer(literal):
            if offset <= position:
                return start + piece.start()
            is_plain = not piece[0].startswith(b"\\")
            length = (
                len(piece[0]) if is_plain else len(_decode_string(piece[0]))
            )
            if is_plain and offset < position + length:
                return start + piece.start() + offset - position
            position += length
        return start + len(literal)

    def _source_change(self, change: Splice) -> _SourceChange:
        """Return the change of one source, without newlines that only the view has.

        Raises `invalid_input` if the change is not inside one source.
        """
        start, end, replacement = change.offset, change.end, change.replacement
        index = bisect_right(self._starts, start) - 1
        cell = self.cells[index]
        if index < 0 or end > cell.end + (not cell.closed):
            number = self.cells[min(index + 1, len(self.cells) - 1)].number
            raise errors.path_error(
                Code.INVALID_INPUT,
                self.requested_path,
                f"{self.requested_path}: the edit reaches over the heading of "
                f"cell {number}, which is not in the file",
                f"edit the text of one cell at a time; {CELL_HINT}",
            )
        text = self.cell_text(cell)
        start, end = start - cell.start, end - cell.start
        if start > len(text):
            # Lines are added below the last line, which ends only in the view.
            end = len(text)
            separator = b"\n" if text else b""
            lines = replacement.removesuffix(b"\n")
            return _SourceChange(cell, end, end, separator + lines)
        if end > len(text):
            end = len(text)
            if replacement.endswith(b"\n"):
                replacement = replacement[:-1]
            elif not replacement and text[start - 1 : start] == b"\n":
                # The last line is deleted, and with it the newline before it.
                start -= 1
        return _SourceChange(cell, start, end, replacement)

    @cached_property
    def _style(self) -> _Style:
        return _Style.of(self.file_snapshot, self._document)

    @cached_property
    def _escapes_text(self) -> bool:
        return _escapes_text(self.file_snapshot, self.cells)

    def _layout(self, cell: Cell) -> _Layout:
        """Return the layout of a cell's source: its own, or that of another cell."""
        # A source of several strings shows its separator; one string shows the rest.
        # Both are generators, as the cell itself nearly always is an example.
        with_several = (
            other for other in self.cells if len(other.literals) > 1
        )
        with_any = (other for other in self.cells if other.literals)
        for example in chain((cell,), with_several, with_any):
            if example.array is not None and example.literals:
                return self._layout_of_example(example, example.array)
        style = self._style
        if style.indent is None:
            return _Layout(b"", style.separators[0].encode(), b"")
        unit = style.indent.encode()
        closing = style.newline + style.margin + unit
        opening = closing + unit
        return _Layout(opening, b"," + opening, closing)

    def _layout_of_example(self, example: Cell, array: Span) -> _Layout:
        """Return the layout of a source that is an array with strings."""
        start, stop = array
        first_start, last_end = example.literals[0][0], example.literals[-1][1]
        # The quotes beside the strings are not part of the layout.
        opening = self.file_snapshot.read(start, first_start - 1 - start)
        closing = self.file_snapshot.read(last_end + 1, stop - last_end - 1)
        if len(example.literals) > 1:
            separator = self._between(example)
        elif opening:
            separator = b"," + opening
        elif self._style.indent is not None:
            separator = b", "
        else:
            separator = self._style.separators[0].encode()
        return _Layout(opening, separator, closing)


def view_if_notebook(
    snapshot: Snapshot, task: Task | None = None, *, headings: bool = True
) -> Snapshot:
    """Return the view of a file with the name of a notebook, else the snapshot."""
    where = snapshot.location
    if where is None or not where.name.lower().endswith(NOTEBOOK_SUFFIX):
        return snapshot
    return view_cells(snapshot, task, headings)


def view_cells(
    snapshot: Snapshot, task: Task | None = None, headings: bool = True
) -> Snapshot:
    """Return the view of a notebook, which closes the snapshot, else the snapshot.

    Without `headings` their lines are empty, so that a search finds nothing in them.
    Raises `timeout`.
    """
    if not snapshot.encoding.is_utf8:
        return snapshot
    try:
        document = _scan_document(_Scanner(snapshot, task or Task()))
        cells = document.cells
        source_bytes = sum(
            end - start for cell in cells for start, end in cell.literals
        )
        if source_bytes > _MAX_SOURCE_BYTES:
            return snapshot
        texts = [_read_source(snapshot, cell) for cell in cells]
    except _NotANotebookError:
        return snapshot
    content = bytearray()
    placed_cells = []
    for cell, text in zip(cells, texts, strict=True):
        content += (
            cell.heading.encode("utf-8", "replace") if headings else b"\n"
        )
        start = len(content)
        content += text
        is_closed = not text or text.endswith(b"\n")
        if not is_closed:
            # The next heading needs a line of its own.
            content += b"\n"
        placed_cells.append(
            replace(cell, start=start, end=start + len(text), closed=is_closed)
        )
    document = replace(document, cells=tuple(placed_cells))
    return NotebookView(snapshot, document, bytes(content), texts)


def _read_source(snapshot: Snapshot, cell: Cell) -> bytes:
    """Return the source of a cell, decoded from its strings."""
    return b"".join(
        _decode_string(snapshot.read(start, end - start))
        for start, end in cell.literals
    )


@dataclass(frozen=True, slots=True)
class _Style:
    """How a notebook writes its cells: as the existing ones, or else as Jupyter does.

    - `opening`, `between`, `closing`: the bytes before, between and after the cells.
    - `margin`: the indentation of the cells.
    - `indent`: the indentation of one level, or None if a cell is on one line.
    - `separators`: as for `json.dumps`.
    - `as_array`: True if a source is an array of lines.
    - `ascii_only`: True if characters beyond ASCII are escaped.
    """

    opening: bytes
    between: bytes
    closing: bytes
    newline: bytes
    margin: bytes
    indent: str | None
    separators: tuple[str, str]
    as_array: bool
    ascii_only: bool

    @classmethod
    def of(cls, raw: Snapshot, document: _Document) -> _Style:
        """Return the style of a notebook."""
        cells, (start, stop) = document.cells, document.array
        sample = raw.read(raw.start, _STYLE_SAMPLE_BYTES)
        newline = b"\r\n" if b"\r\n" in sample else b"\n"
        # `inner` is the whitespace between the brace of a cell and its first key.
        opening = closing = inner = b""
        if cells:
            first, last = cells[0].span, cells[-1].span
            opening = raw.read(start, first[0] - start)
            closing = raw.read(last[1], stop - last[1])
            head = raw.read(
                first[0], min(first[1] - first[0], _STYLE_SAMPLE_BYTES)
            )
            inner = _leading_whitespace(head[1:])
        elif b"\n" in sample.strip():
            # Without a cell to follow, the first key of the notebook shows the unit.
            unit = _last_line(_leading_whitespace(sample[1:]))
            opening = newline + 2 * unit
            closing = newline + unit
            inner = newline + 3 * unit
        if len(cells) > 1:
            between = raw.read(
                cells[0].span[1], cells[1].span[0] - cells[0].span[1]
            )
        elif opening:
            between = b"," + opening
        else:
            between = b", " if b", " in sample else b","
        margin = _last_line(opening) if b"\n" in opening else b""
        indent: str | None = None
        if b"\n" in inner:
            inner_margin = _last_line(inner)
            indent = " "
            if inner_margin.startswith(margin):
                indent = inner_margin[len(margin) :].decode("ascii", "replace")
        # Indented JSON has line ends behind its commas instead of spaces.
        has_space_after_comma = indent is None and b", " in sample
        return cls(
            opening=opening,
            between=between,
            closing=closing,
            newline=newline,
            margin=margin,
            indent=indent,
            separators=(
                ", " if has_space_after_comma else ",",
                ": " if b'": ' in sample else ":",
            ),
            as_array=all(cell.array is not None for cell in cells),
            ascii_only=_escapes_text(raw, cells),
        )

    def write_cell(self, kind: CellKind, identifier: str, text: str) -> bytes:
        """Return a new cell in this style."""
        cell: dict[str, object] = {"cell_type": kind}
        if kind == "code":
            cell["execution_count"] = None
        if identifier:
            cell["id"] = identifier
        cell["metadata"] = {}
        if kind == "code":
            cell["outputs"] = []
        cell["source"] = text
        if self.as_array:
            cell["source"] = re.findall(r"[^\n]*\n|[^\n]+", text)
        cell_json = json.dumps(
            cell,
            indent=self.indent,
            separators=self.separators,
            ensure_ascii=self.ascii_only or _has_surrogate(text),
        )
        return cell_json.encode().replace(b"\n", self.newline + self.margin)


def _leading_whitespace(data: bytes) -> bytes:
    return data[: len(data) - len(data.lstrip())]


def _last_line(data: bytes) -> bytes:
    """Return the bytes after the last line feed, or all without one."""
    return data.rpartition(b"\n")[2]


def _has_surrogate(text: str) -> bool:
    """Return True if a text has half a surrogate pair, which only an escape writes."""
    return any("\ud800" <= character <= "\udfff" for character in text)


def _escapes_text(raw: Snapshot, cells: Sequence[Cell]) -> bool:
    """Return True if a notebook escapes characters beyond ASCII."""
    sources = [
        raw.read(start, end - start)
        for cell in cells
        for start, end in cell.literals
    ]
    return any(map(_ESCAPE_BEYOND_ASCII.search, sources)) and all(
        map(bytes.isascii, sources)
    )


def _new_identifier(cell: NewCell, used_identifiers: set[str]) -> str:
    """Return an unused id, the same for the same request, as previews show it."""
    seed = f"{cell.after} {cell.kind} {cell.text}"
    for attempt in range(len(used_identifiers) + 1):
        identifier = hashlib.sha256(
            f"{attempt} {seed}".encode("utf-8", "surrogatepass")
        ).hexdigest()[:8]
        if identifier not in used_identifiers:
            return identifier
    raise AssertionError("more ids than cells")


def _encode_string(line: bytes, ascii_only: bool) -> bytes:
    """Return text as it is written inside a JSON string."""
    text = line.decode("utf-8", "surrogatepass")
    encoded = json.dumps(text, ensure_ascii=ascii_only or _has_surrogate(text))
    return encoded[1:-1].encode()


def _decode_string(literal: bytes) -> bytes:
    try:
        return str(json.loads(b'"' + literal + b'"')).encode(
            "utf-8", "surrogatepass"
        )
    except ValueError as error:
        raise _NotANotebookError from error


# Scanning


def _scan_document(scan: _Scanner) -> _Document:
    cells: list[Cell] | None = None
    array = (0, 0)
    version = minor = b""
    for key in scan.members():
        if key == "cells":
            if cells is not None:
                # Readers differ in which of the two they take.
                raise _NotANotebookError
            scan.peek()
            array_start = scan.offset + 1
            cells = [
                _scan_cell(scan, number)
                for number, _ in enumerate(scan.elements(), 1)
            ]
            array = (array_start, scan.offset - 1)
        elif key == "nbformat":
            version = scan.scalar()
        elif key == "nbformat_minor" and scan.peek() not in (b'"', b"{", b"["):
            minor = scan.scalar()
        else:
            scan.skip()
    if (
        scan.peek()
        or cells is None
        or not version.isdigit()
        or int(version) < 4
    ):
        raise _NotANotebookError
    has_ids = int(version) > 4 or (
        minor.isdigit() and int(minor) >= _MINOR_WITH_IDS
    )
    return _Document(tuple(cells), array, _MINOR_WITH_IDS if has_ids else 0)


def _scan_cell(scan: _Scanner, number: int) -> Cell:
    kind = identifier = ""
    literals: list[Span] | None = None
    array: Span | None = None
    outputs = output_bytes = 0
    if number > _MAX_CELLS:
        raise _NotANotebookError
    scan.peek()
    start = scan.offset
    for key in scan.members():
        if key == "source":
            if literals is not None:
                # Readers differ in which of the two they take.
                raise _NotANotebookError
            literals = []
            if scan.peek() == b"[":
                array_start = scan.offset + 1
                literals += [scan.string() for _ in scan.elements()]
                array = (array_start, scan.offset - 1)
            else:
                literals.append(scan.string())
        elif key in ("cell_type", "id") and scan.peek() == b'"':
            value = _decode_string(scan.text(*scan.string())).decode(
                "utf-8", "replace"
            )
            if key == "cell_type":
                kind = value
            else:
                identifier = value
        elif key == "outputs" and scan.peek() == b"[":
            start_of_outputs = scan.offset
            outputs = scan.skip_elements()
            output_bytes = scan.offset - start_of_outputs
        else:
            scan.skip()
    is_kind_valid = 0 < len(kind) <= 100
    # Both are part of the heading, which is one line.
    is_printable = (kind + identifier).isprintable()
    if not is_kind_valid or len(identifier) > 200 or not is_printable:
        raise _NotANotebookError
    return Cell(
        number=number,
        kind=kind,
        id=identifier,
        literals=tuple(literals or ()),
        array=array,
        outputs=outputs,
        output_bytes=output_bytes,
        span=(start, scan.offset),
    )


class _Scanner:
    """A scanner of JSON, in blocks, for the positions of its values.

    Raises `_NotANotebookError` if the content is not JSON.
    """

    def __init__(self, snapshot: Snapshot, task: Task) -> None:
        self._snapshot = snapshot
        self._task = task
        self._buffer = b""
        self._base = snapshot.start
        self._position = 0

    @property
    def offset(self) -> int:
        """Return the current offset in the file."""
        return self._base + self._position

    def _pass(self, pattern: re.Pattern[bytes]) -> bytes:
        """Skip all that the pattern matches; return the byte after it."""
        while True:
            match = pattern.match(self._buffer, self._position)
            assert match is not None
            self._position = match.end()
            # A backslash alone may escape what the next block begins with.
            if len(self._buffer) - self._position > 1:
                break
            self._task.check()
            read_end = self._base + len(self._buffer)
            if read_end >= self._snapshot.size:
                break
            block = self._snapshot.read(read_end, _BLOCK_BYTES)
            self._buffer = self._buffer[self._position :] + block
            self._base += self._position
            self._position = 0
        return self._buffer[self._position : self._position + 1]

    def text(self, start: int, end: int) -> bytes:
        """Return the bytes of a string, at most 1,000."""
        return self._snapshot.read(start, min(end - start, 1_000))

    def peek(self) -> bytes:
        """Return the next byte that is not whitespace, or b"" at the end."""
        return self._pass(_WHITESPACE)

    def take(self, byte: bytes) -> None:
        """Skip the byte that must come next."""
        if self.peek() != byte:
            raise _NotANotebookError
        self._position += 1

    def members(self) -> Iterator[str]:
        """Yield the keys of an object. The caller must skip each value."""
        for _ in self.elements(b"{", b"}"):
            start, end = self.string()
            self.take(b":")
            yield _decode_string(self.text(start, end)).decode(
                "utf-8", "replace"
            )

    def elements(
        self, opening: bytes = b"[", closing: bytes = b"]"
    ) -> Iterator[None]:
        """Yield before each element of an array. The caller must skip the element."""
        self.take(opening)
        while self.peek() != closing:
            yield
            has_comma = self.peek() == b","
            if has_comma:
                self._position += 1
            is_last = self.peek() == closing
            if has_comma == is_last:
                # A comma before the bracket, or none before the next element.
                raise _NotANotebookError
        self._position += 1

    def skip_elements(self) -> int:
        """Skip an array; return the number of its elements."""
        count = 0
        for _ in self.elements():
            self.skip()
            count += 1
        return count

    def string(self) -> Span:
        """Skip the next string; return the span between its quotes."""
        self.take(b'"')
        start = self.offset
        self._pass(_STRING_REST)
        self.take(b'"')
        return start, self.offset - 1

    def scalar(self) -> bytes:
        """Skip the next number or word and return it."""
        self.peek()
        start = self.offset
        self._pass(_SCALAR)
        text = self.text(start, self.offset)
        try:
            json.loads(text)
        except ValueError as error:
            raise _NotANotebookError from error
        return text

    def skip(self) -> None:
        """Skip the next value."""
        byte = self.peek()
        if byte == b'"':
            self.string()
        elif byte in _CLOSING:
            self._skip_brackets()
        else:
            self.scalar()

    def _skip_brackets(self) -> None:
        """Skip an object or array; only strings and brackets in it are checked."""
        # The brackets that are still to come, the innermost last. An explicit stack
        # cannot overflow as recursion would.
        closing: list[bytes] = []
        is_first = True
        while is_first or closing:
            is_first = False
            byte = self._pass(_UNTIL_BRACKET_OR_QUOTE)
            if byte == b'"':
                self.string()
                continue
            self._position += 1
            if byte in _CLOSING:
                closing.append(_CLOSING[byte])
                if len(closing) > _MAX_DEPTH:
                    raise _NotANotebookError
            elif closing.pop() != byte:
                # Another bracket, or the end of the file.
                raise _NotANotebookError
