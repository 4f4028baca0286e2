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
from itertools import accumulate
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
_MAX_DEPTH = 1_000
_SPACE = re.compile(rb"[ \t\r\n]*")
_PLAIN = re.compile(rb'[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL)
_OTHER = re.compile(rb'[^"{}\[\]]*')
_CLOSING = {b"{": b"}", b"[": b"]"}
_SCALAR = re.compile(rb"[-+.0-9A-Za-z]*")
_PIECE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]+",
    re.DOTALL,
)
_ESCAPED = re.compile(rb"\\u(?!00[0-7])")
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
        return f"cell {self.number} ({self.id})" if self.id else f"cell {self.number}"

    @property
    def heading(self) -> str:
        """Return the line of the view above the source."""
        outputs = ""
        if self.outputs:
            noun = "output" if self.outputs == 1 else "outputs"
            outputs = (
                f", {self.outputs} {noun} of {self.output_bytes:,} bytes not shown"
            )
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

    `made` names the new cells, in order.
    """

    of_file: tuple[Splice, ...]
    of_view: tuple[Splice, ...]
    made: tuple[str, ...]


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


class NotebookView(Snapshot):
    """The text of a notebook's cells.

    It has the version of the file, `file_snapshot`, and closes that too.
    """

    def __init__(
        self, raw: Snapshot, document: _Document, content: bytes, texts: Sequence[bytes]
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
            matches = [cell for cell in self.cells if str(cell.number) == number]
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
        cell, new = change.cell, change.replacement
        if b"%% cell" not in new and b"\n" not in new:
            return
        text = self.cell_text(cell)
        start = text.rfind(b"\n", 0, change.start) + 1
        stop = text.find(b"\n", change.end)
        stop = len(text) if stop < 0 else stop
        before = text[start:stop]
        after = text[start : change.start] + new + text[change.end : stop]
        added = set(_HEADING.findall(after)) - set(_HEADING.findall(before))
        if added:
            line = min(added).decode("utf-8", "replace")
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
        old, new = self.cell_text(cell), text.encode("utf-8", "surrogatepass")
        if new.endswith(b"\n") and not old.endswith(b"\n"):
            new = new[:-1]
        if old == new:
            return ()
        old_lines, new_lines = (
            old.splitlines(keepends=True),
            new.splitlines(keepends=True),
        )
        common = min(len(old_lines), len(new_lines))
        first = next((i for i in range(common) if old_lines[i] != new_lines[i]), common)
        last = next(
            (
                i
                for i in range(common - first)
                if old_lines[-1 - i] != new_lines[-1 - i]
            ),
            common - first,
        )
        start = len(b"".join(old_lines[:first]))
        stop = len(old) - len(b"".join(old_lines[len(old_lines) - last :]))
        written = b"".join(new_lines[first : len(new_lines) - last])
        return (Splice(cell.start + start, stop - start, written),)

    def rearrange(
        self, new: Sequence[NewCell], removed: Sequence[Cell]
    ) -> Rearrangement:
        """Return the splices that insert new cells and delete some.

        The bytes of the other cells stay. New cells have their final numbers, and new
        ids if the format has ids. Raises `invalid_input` for a text with the heading of
        a cell.
        """
        removed_numbers = {cell.number for cell in removed}
        remaining = [cell for cell in self.cells if cell.number not in removed_numbers]
        new_by_gap: dict[int, list[NewCell]] = {}
        for cell in sorted(new, key=lambda cell: cell.after):
            before = bisect_right(remaining, cell.after, key=lambda cell: cell.number)
            new_by_gap.setdefault(before, []).append(cell)
        style = _Style.of(self.file_snapshot, self._document)
        identifiers = {cell.id for cell in self.cells}
        file_splices: list[Splice] = []
        view_splices: list[Splice] = []
        headings: list[str] = []
        number = 0
        for gap in range(len(remaining) + 1):
            above = remaining[gap - 1] if gap else None
            below = remaining[gap] if gap < len(remaining) else None
            first = above.number if above else 0
            removed_here = self.cells[
                first : below.number - 1 if below else len(self.cells)
            ]
            new_objects: list[bytes] = []
            view_text = bytearray()
            for cell in new_by_gap.get(gap, ()):
                number += 1
                identifier = ""
                if self._document.minor >= _MINOR_WITH_IDS:
                    identifier = _new_identifier(cell, identifiers)
                    identifiers.add(identifier)
                text = cell.text.removesuffix("\n")
                if _HEADING.search(text.encode("utf-8", "surrogatepass")):
                    message = (
                        f"{self.requested_path}: the text of the new cell "
                        "holds the heading of a cell"
                    )
                    raise errors.path_error(
                        Code.INVALID_INPUT, self.requested_path, message, CELL_HINT
                    )
                new_objects.append(style.write_cell(cell.kind, identifier, text))
                heading = _heading(number, cell.kind, identifier)
                view_text += f"{heading}{text}\n".encode("utf-8", "surrogatepass")
                headings.append(heading[5:].rstrip("\n"))
            number += below is not None
            if not new_objects and not removed_here:
                continue
            file_splices.append(
                self._joined(style, above, below, removed_here, new_objects)
            )
            if removed_here:
                start, end = removed_here[0].region[0], removed_here[-1].region[1]
            else:
                start = end = below.region[0] if below else self.size
            view_splices.append(Splice(start, end - start, bytes(view_text)))
        return Rearrangement(tuple(file_splices), tuple(view_splices), tuple(headings))

    def _joined(
        self,
        style: _Style,
        above: Cell | None,
        below: Cell | None,
        going: Sequence[Cell],
        objects: list[bytes],
    ) -> Splice:
        """Return the splice of the file that replaces `going` by `objects`."""
        text = style.between.join(objects)
        if (
            above is None and below is None
        ):  # none of the cells stays, so the whole array is written
            start, stop = self._document.array
            return Splice(
                start,
                stop - start,
                style.opening + text + style.closing if objects else b"",
            )
        if going and objects:
            start, stop = going[0].span[0], going[-1].span[1]
        elif going and below is not None:
            start, stop = going[0].span[0], below.span[0]
        elif going:
            assert above is not None
            start, stop = above.span[1], going[-1].span[1]
        elif above is not None:
            start = stop = above.span[1]
            text = style.between + text
        else:
            assert below is not None
            start = stop = below.span[0]
            text += style.between
        return Splice(start, stop - start, text)

    def _file_splice(self, change: _SourceChange) -> Splice:
        """Return the splice of the file for a change of a source."""
        cell, start, end = change.cell, change.start, change.end
        new = change.replacement
        text, array = self.cell_text(cell), cell.array
        layout = self._layout(cell)
        separator = b'"' + layout.separator + b'"'
        lines = [new]
        if array is not None:  # Each line is a string, and so is what follows it.
            lines = re.split(rb"(?<=\n)", new)
            if (
                len(lines) > 1
                and not lines[-1]
                and (end == len(text) or self._ends_unbroken_part(cell, end))
            ):
                lines.pop()
        literal = separator.join(
            _encode_string(line, self._escapes_text) for line in lines
        )
        if not cell.literals:
            if array is None:
                raise FilewrightError(
                    Code.UNSUPPORTED,
                    f"{cell.label} has no source to write to",
                    "edit another cell, or give encoding to edit the notebook as text",
                )
            if array[0] == array[1]:
                return Splice(
                    array[0], 0, layout.opening + b'"' + literal + b'"' + layout.closing
                )
            return Splice(array[0], 0, b'"' + literal + b'"')
        if array is not None and start == len(text) and text.endswith(b"\n") and new:
            literal = separator + literal
        at = self._offset_in_file(cell, start)
        if end == start:
            return Splice(at, 0, literal)
        # Strings that end without a line's end are kept apart, though Jupyter reads
        # them as one line.
        apart = bool(
            new or start not in self._part_ends(cell)
        ) and self._ends_unbroken_part(cell, end)
        return Splice(at, self._offset_in_file(cell, end, in_first=apart) - at, literal)

    def _ends_unbroken_part(self, cell: Cell, offset: int) -> bool:
        """Return True if a string other than the last ends there without a newline."""
        ends = self._part_ends(cell)
        return offset in ends[:-1] and not self.cell_text(cell)[:offset].endswith(b"\n")

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
        place = bisect_left(ends, offset) if in_first else bisect_right(ends, offset)
        index = min(place, len(ends) - 1)
        start, end = cell.literals[index]
        literal, at = (
            self.file_snapshot.read(start, end - start),
            ends[index - 1] if index else 0,
        )
        for piece in _PIECE.finditer(literal):
            if offset <= at:
                return start + piece.start()
            plain = not piece[0].startswith(b"\\")
            length = len(piece[0]) if plain else len(_decode_string(piece[0]))
            if plain and offset < at + length:
                return start + piece.start() + offset - at
            at += length
        return start + len(literal)

    def _source_change(self, change: Splice) -> _SourceChange:
        """Return the change of one source, without newlines that only the view has.

        Raises `invalid_input` if the change is not inside one source.
        """
        start, end, new = (
            change.offset,
            change.offset + change.length,
            change.replacement,
        )
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
            return _SourceChange(cell, end, end, separator + new.removesuffix(b"\n"))
        if end > len(text):
            end = len(text)
            if new.endswith(b"\n"):
                new = new[:-1]
            elif not new and text[start - 1 : start] == b"\n":
                # The last line is deleted, and with it the newline before it.
                start -= 1
        return _SourceChange(cell, start, end, new)

    @cached_property
    def _escapes_text(self) -> bool:
        return _escapes_text(self.file_snapshot, self.cells)

    def _layout(self, cell: Cell) -> _Layout:
        """Return the layout of a cell's source: its own, or that of another cell."""
        style = _Style.of(self.file_snapshot, self._document)
        several = (other for other in self.cells if len(other.literals) > 1)
        single = (other for other in self.cells if other.literals)
        for example in (cell, *several, *single):
            if example.array is None or not example.literals:
                continue
            start, stop = example.array
            opening = self.file_snapshot.read(start, example.literals[0][0] - 1 - start)
            end = example.literals[-1][1] + 1
            closing = self.file_snapshot.read(end, stop - end)
            if len(example.literals) > 1:
                separator = self._between(example)
            elif opening:
                separator = b"," + opening
            else:
                separator = (
                    b", " if style.indent is not None else style.separators[0].encode()
                )
            return _Layout(opening, separator, closing)
        if style.indent is None:
            return _Layout(b"", style.separators[0].encode(), b"")
        unit = style.indent.encode()
        closing = style.newline + style.margin + unit
        return _Layout(closing + unit, b"," + closing + unit, closing)


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
        if (
            sum(end - start for cell in cells for start, end in cell.literals)
            > _MAX_SOURCE_BYTES
        ):
            return snapshot
        texts = [
            b"".join(
                _decode_string(snapshot.read(start, end - start))
                for start, end in cell.literals
            )
            for cell in cells
        ]
    except _NotANotebookError:
        return snapshot
    page, placed = bytearray(), []
    for cell, text in zip(cells, texts, strict=True):
        page += cell.heading.encode("utf-8", "replace") if headings else b"\n"
        start = len(page)
        page += text
        closed = not text or text.endswith(b"\n")
        if not closed:
            page += b"\n"
        placed.append(replace(cell, start=start, end=start + len(text), closed=closed))
    return NotebookView(
        snapshot, replace(document, cells=tuple(placed)), bytes(page), texts
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
        sample = raw.read(raw.start, 4096)
        newline = b"\r\n" if b"\r\n" in sample else b"\n"
        if cells:
            first, last = cells[0].span, cells[-1].span
            opening, closing = (
                raw.read(start, first[0] - start),
                raw.read(last[1], stop - last[1]),
            )
            head = raw.read(first[0], min(first[1] - first[0], 4096))
            inner = head[1 : len(head) - len(head[1:].lstrip())]
        else:
            opening = closing = inner = b""
            unit = sample[1 : len(sample) - len(sample[1:].lstrip())].rpartition(b"\n")[
                2
            ]
            if b"\n" in sample.strip():
                opening, closing, inner = (
                    newline + 2 * unit,
                    newline + unit,
                    newline + 3 * unit,
                )
        if len(cells) > 1:
            between = raw.read(cells[0].span[1], cells[1].span[0] - cells[0].span[1])
        else:
            between = b"," + (opening or (b" " if b", " in sample else b""))
        margin = opening.rpartition(b"\n")[2] if b"\n" in opening else b""
        indent = None
        if b"\n" in inner:
            deeper = inner.rpartition(b"\n")[2]
            indent = (
                deeper[len(margin) :].decode("ascii", "replace")
                if deeper.startswith(margin)
                else " "
            )
        colon = ": " if b'": ' in sample else ":"
        comma = "," if indent is not None or b", " not in sample else ", "
        as_array = all(cell.array is not None for cell in cells) or not cells
        ascii_only = _escapes_text(raw, cells)
        return cls(
            opening,
            between,
            closing,
            newline,
            margin,
            indent,
            (comma, colon),
            as_array,
            ascii_only,
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
        lone = any("\ud800" <= character <= "\udfff" for character in text)
        cell["source"] = re.findall(r"[^\n]*\n|[^\n]+", text) if self.as_array else text
        written = json.dumps(
            cell,
            indent=self.indent,
            separators=self.separators,
            ensure_ascii=self.ascii_only or lone,
        )
        return written.encode().replace(b"\n", self.newline + self.margin)


def _escapes_text(raw: Snapshot, cells: Sequence[Cell]) -> bool:
    """Return True if a notebook escapes characters beyond ASCII."""
    sources = [
        raw.read(start, end - start) for cell in cells for start, end in cell.literals
    ]
    return any(map(_ESCAPED.search, sources)) and all(map(bytes.isascii, sources))


def _new_identifier(cell: NewCell, taken: set[str]) -> str:
    """Return an unused id, the same for the same request, as previews show it."""
    seed = f"{cell.after} {cell.kind} {cell.text}"
    for attempt in range(len(taken) + 1):
        identifier = hashlib.sha256(
            f"{attempt} {seed}".encode("utf-8", "surrogatepass")
        ).hexdigest()[:8]
        if identifier not in taken:
            return identifier
    raise AssertionError("more ids than cells")


def _encode_string(line: bytes, ascii_only: bool) -> bytes:
    """Return text as it is written inside a JSON string."""
    text = line.decode("utf-8", "surrogatepass")
    lone = any("\ud800" <= character <= "\udfff" for character in text)
    return json.dumps(text, ensure_ascii=ascii_only or lone)[1:-1].encode()


def _decode_string(literal: bytes) -> bytes:
    try:
        return str(json.loads(b'"' + literal + b'"')).encode("utf-8", "surrogatepass")
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
            begin = scan.offset + 1
            cells = [
                _scan_cell(scan, number) for number, _ in enumerate(scan.elements(), 1)
            ]
            array = (begin, scan.offset - 1)
        elif key == "nbformat":
            version = scan.scalar()
        elif key == "nbformat_minor" and scan.peek() not in (b'"', b"{", b"["):
            minor = scan.scalar()
        else:
            scan.skip()
    if scan.peek() or cells is None or not version.isdigit() or int(version) < 4:
        raise _NotANotebookError
    has_ids = int(version) > 4 or (minor.isdigit() and int(minor) >= _MINOR_WITH_IDS)
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
                raise _NotANotebookError
            literals = []
            if scan.peek() == b"[":
                begin = scan.offset + 1
                literals += (scan.string() for _ in scan.elements())
                array = (begin, scan.offset - 1)
            else:
                literals.append(scan.string())
        elif key in ("cell_type", "id") and scan.peek() == b'"':
            value = _decode_string(scan.text(*scan.string())).decode("utf-8", "replace")
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
    if (
        not kind
        or len(kind) > 100
        or len(identifier) > 200
        or not (kind + identifier).isprintable()
    ):
        raise _NotANotebookError
    span = (start, scan.offset)
    return Cell(
        number,
        kind,
        identifier,
        tuple(literals or ()),
        array,
        outputs,
        output_bytes,
        span,
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

    def _pass(self, any_number: re.Pattern[bytes]) -> bytes:
        """Skip all that the pattern matches; return the byte after it."""
        while True:
            match = any_number.match(self._buffer, self._position)
            assert match is not None
            self._position = match.end()
            # A backslash alone may escape what the next block begins with.
            if len(self._buffer) - self._position > 1:
                break
            self._task.check()
            known = self._base + len(self._buffer)
            if known >= self._snapshot.size:
                break
            self._buffer = self._buffer[self._position :] + self._snapshot.read(
                known, _BLOCK_BYTES
            )
            self._base, self._position = self._base + self._position, 0
        return self._buffer[self._position : self._position + 1]

    def text(self, start: int, end: int) -> bytes:
        """Return the bytes of a string, at most 1,000."""
        return self._snapshot.read(start, min(end - start, 1_000))

    def peek(self) -> bytes:
        """Return the next byte that is not whitespace, or b"" at the end."""
        return self._pass(_SPACE)

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
            yield _decode_string(self.text(start, end)).decode("utf-8", "replace")

    def elements(self, opening: bytes = b"[", closing: bytes = b"]") -> Iterator[None]:
        """Yield before each element of an array. The caller must skip the element."""
        self.take(opening)
        while self.peek() != closing:
            yield
            comma = self.peek() == b","
            self._position += comma
            if comma == (self.peek() == closing):
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
        self._pass(_PLAIN)
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
        if (first := self.peek()) == b'"':
            self.string()
        elif first not in _CLOSING:
            self.scalar()
        else:
            closing: list[bytes] = []
            while first or closing:
                first, byte = b"", self._pass(_OTHER)
                if byte == b'"':
                    self.string()
                    continue
                self._position += 1
                if byte in _CLOSING:
                    closing.append(_CLOSING[byte])
                    if len(closing) > _MAX_DEPTH:
                        raise _NotANotebookError
                elif closing.pop() != byte:
                    raise _NotANotebookError
