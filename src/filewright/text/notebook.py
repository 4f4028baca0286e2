"""A notebook (`.ipynb`, format 4) as the text of its cells, over the bytes of its file.

A reader sees each cell under a heading line, as it would be typed; what a cell has put out is only
counted. An edit of that text becomes splices inside the JSON strings of the cells' sources: no other
byte of the file changes. New cells are written between the others in the file's own style
(`NotebookView.rearranged`), since a heading line in a text is not taken for a cell. Format: https://nbformat.readthedocs.io/en/latest/format_description.html

The file is scanned once, in blocks, and only where strings begin and end is kept of it, so images in it
cost nothing but the scan. What is no such notebook stays what it is: text.
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

_BLOCK = 1 << 16
_SOURCE_BYTES = 16 << 20
_CELLS = 100_000
_DEEPEST = 1_000
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
    'a cell is made by at: {"after_cell": 2} or {"before_cell": 2} with replace and cell_type, and deleted by '
    'at: {"cell": 2} with delete: true; leave out the lines that begin with # %% cell'
)

CellKind = Literal["code", "markdown", "raw"]
Span = tuple[int, int]


class _NotANotebookError(Exception):
    """The bytes are no notebook that can be shown by its cells."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell. `literals` are the bytes between the quotes of its source's strings, `array` those of the
    brackets around them (None: the source is one string); `start` and `end` are its source's place in the view.

    `outputs` are how many it has put out, `output_bytes` how many bytes of the file those are; `span` are the bytes
    of its whole object in the file.
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
        """How it is named to a reader."""
        return f"cell {self.number}" + (f" ({self.id})" if self.id else "")

    @property
    def heading(self) -> str:
        """The line above its source."""
        many = "s" * (self.outputs != 1)
        put_out = (
            f", {self.outputs} output{many} of {self.output_bytes:,} bytes not shown"
            if self.outputs
            else ""
        )
        return _heading(self.number, self.kind, self.id, put_out)

    @property
    def region(self) -> Span:
        """Its heading and source in the view."""
        return self.start - len(self.heading.encode("utf-8", "replace")), self.end + (
            not self.closed
        )


@dataclass(frozen=True, slots=True)
class NewCell:
    """A cell to be made, behind the cell number `after` (0: before all)."""

    after: int
    kind: CellKind
    text: str


@dataclass(frozen=True, slots=True)
class Rearrangement:
    """Cells made and deleted, as splices of the file and of its view; `made` names the new ones, in order."""

    of_file: tuple[Splice, ...]
    of_view: tuple[Splice, ...]
    made: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Layout:
    """The bytes before the first line of a source, between two, and after the last, without their quotes."""

    opening: bytes
    separator: bytes
    closing: bytes


@dataclass(frozen=True, slots=True)
class _Document:
    """What a scan tells of a notebook: its cells, the bytes between the brackets of their array, its minor version."""

    cells: tuple[Cell, ...]
    array: Span
    minor: int


def _heading(number: int, kind: str, identifier: str, more: str = "") -> str:
    named = f", id {identifier}" if identifier else ""
    return f"# %% cell {number}: {kind}{named}{more}\n"


class NotebookView(Snapshot):
    """The text of a notebook's cells; `raw` is the file itself, whose version it has. Closing it closes that."""

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
        """Let go of the file."""
        self.file_snapshot.close()

    @cached_property
    def version(self) -> str:
        """The file's."""
        return self.file_snapshot.version

    def matches(self, version: str) -> bool:
        """Whether `version` is the file's."""
        return self.file_snapshot.matches(version)

    def find_cell(self, name: str | int) -> Cell:
        """Return the cell with an id, else with a number, from 1. Raises `not_found`, `ambiguous_match`."""
        found = [cell for cell in self.cells if cell.id == name]
        name = str(name)
        if not found:
            found = [
                cell for cell in self.cells if str(cell.number) == name.lstrip("0")
            ]
        if len(found) == 1:
            return found[0]
        if found:
            numbers = ", ".join(str(cell.number) for cell in found[:10])
            raise errors.path_error(
                Code.AMBIGUOUS_MATCH,
                self.requested_path,
                f"{self.requested_path} has {len(found)} cells with the id {name!r}",
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
        """The cell and the line in it where a byte of the view is; empty for a heading."""
        index = bisect_right(self._starts, offset) - 1
        if index < 0 or offset > self.cells[index].end:
            return ""
        cell = self.cells[index]
        assert self.content is not None
        line = self.content.count(b"\n", cell.start, offset) + 1
        return f"{cell.label}, line {line}"

    def line_at(self, offset: int) -> int:
        """Return the number of the line of the view that a byte of it is on."""
        assert self.content is not None
        return self.content.count(b"\n", 0, offset) + 1

    def cell_text(self, cell: Cell) -> bytes:
        """The text of a cell's source."""
        return self._texts[cell.number - 1]

    def to_file_splices(self, changes: Sequence[Splice]) -> tuple[Splice, ...]:
        """Return the splices of the file that make these of the view.

        Raises `invalid_input` for one of a heading, and for one that writes the heading of a cell into a source.
        """
        assert self.content is not None
        made: list[Splice] = []
        for change in changes:
            cell, start, end, new = self._inside(change)
            self._check_heading(cell, start, end, new)
            made.append(self._splice(cell, start, end, new))
        return tuple(made)

    def _check_heading(self, cell: Cell, start: int, end: int, new: bytes) -> None:
        """Raise `invalid_input` if a change adds a line that reads as the heading of a cell."""
        if b"%% cell" not in new and b"\n" not in new:
            return
        text = self.cell_text(cell)
        begin = text.rfind(b"\n", 0, start) + 1
        stop = text.find(b"\n", end)
        stop = len(text) if stop < 0 else stop
        before, after = text[begin:stop], text[begin:start] + new + text[end:stop]
        added = set(_HEADING.findall(after)) - set(_HEADING.findall(before))
        if added:
            line = min(added).decode("utf-8", "replace")
            raise errors.path_error(
                Code.INVALID_INPUT,
                self.requested_path,
                f"{self.requested_path}: the heading {line!r} would become text of {cell.label}; it makes no cell",
                CELL_HINT,
            )

    def replace_source(self, cell: Cell, text: str) -> tuple[Splice, ...]:
        """Return the splices of the view that make `text` the whole source of a cell, none if it is that.

        A final newline is the caller's way to end a line, unless the source has one.
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
        """Return the splices that put new cells between the others and delete some.

        Every byte of the cells that stay is kept. New cells are numbered as they will be, and have ids of their own
        where the format has ids. Raises `invalid_input` for a text with the heading of a cell.
        """
        gone = {cell.number for cell in removed}
        stay = [cell for cell in self.cells if cell.number not in gone]
        by_gap: dict[int, list[NewCell]] = {}
        for cell in sorted(new, key=lambda cell: cell.after):
            before = bisect_right(stay, cell.after, key=lambda kept: kept.number)
            by_gap.setdefault(before, []).append(cell)
        style = _Style.of(self.file_snapshot, self._document)
        identifiers = {cell.id for cell in self.cells}
        of_file: list[Splice] = []
        of_view: list[Splice] = []
        made: list[str] = []
        number = 0
        for gap in range(len(stay) + 1):
            above = stay[gap - 1] if gap else None
            below = stay[gap] if gap < len(stay) else None
            first = above.number if above else 0
            going = self.cells[first : below.number - 1 if below else len(self.cells)]
            objects: list[bytes] = []
            shown = bytearray()
            for cell in by_gap.get(gap, ()):
                number += 1
                identifier = ""
                if self._document.minor >= _MINOR_WITH_IDS:
                    identifier = _new_identifier(cell, identifiers)
                    identifiers.add(identifier)
                text = cell.text.removesuffix("\n")
                if _HEADING.search(text.encode("utf-8", "surrogatepass")):
                    message = f"{self.requested_path}: the text of the new cell holds the heading of a cell"
                    raise errors.path_error(
                        Code.INVALID_INPUT, self.requested_path, message, CELL_HINT
                    )
                objects.append(style.written(cell.kind, identifier, text))
                heading = _heading(number, cell.kind, identifier)
                shown += f"{heading}{text}\n".encode("utf-8", "surrogatepass")
                made.append(heading[5:].rstrip("\n"))
            number += below is not None
            if not objects and not going:
                continue
            of_file.append(self._joined(style, above, below, going, objects))
            start = (
                going[0].region[0] if going else below.region[0] if below else self.size
            )
            of_view.append(
                Splice(start, going[-1].region[1] - start if going else 0, bytes(shown))
            )
        return Rearrangement(tuple(of_file), tuple(of_view), tuple(made))

    def _joined(
        self,
        style: _Style,
        above: Cell | None,
        below: Cell | None,
        going: Sequence[Cell],
        objects: list[bytes],
    ) -> Splice:
        """Return the splice of the file that puts `objects` in the place of the cells `going`."""
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

    def _splice(self, cell: Cell, start: int, end: int, new: bytes) -> Splice:
        """The splice of the file that puts a text between two places of a cell's text."""
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
        literal = separator.join(_encoded(line, self._escapes_text) for line in lines)
        if not cell.literals:
            if array is None:
                raise FilewrightError(
                    Code.UNSUPPORTED,
                    f"{cell.label} has no source to write to",
                    "edit another cell, or give encoding to edit the notebook as the text it is",
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
        # Strings that end without a line's end are kept apart, though Jupyter reads them as one line.
        apart = bool(
            new or start not in self._part_ends(cell)
        ) and self._ends_unbroken_part(cell, end)
        return Splice(at, self._offset_in_file(cell, end, in_first=apart) - at, literal)

    def _ends_unbroken_part(self, cell: Cell, offset: int) -> bool:
        """Return whether a string of a source, not its last, ends at an offset of its text without a newline."""
        ends = self._part_ends(cell)
        return offset in ends[:-1] and not self.cell_text(cell)[:offset].endswith(b"\n")

    def _between(self, cell: Cell) -> bytes:
        """What is between the first two strings of a source, without their quotes."""
        (_, end), (start, _) = cell.literals[:2]
        return self.file_snapshot.read(end + 1, start - end - 2)

    def _part_ends(self, cell: Cell) -> Sequence[int]:
        """Return where each string of a source ends in its text."""
        if cell.number not in self._known_ends:
            lengths = (
                len(_decoded(self.file_snapshot.read(start, end - start)))
                for start, end in cell.literals
            )
            self._known_ends[cell.number] = tuple(accumulate(lengths))
        return self._known_ends[cell.number]

    def _offset_in_file(
        self, cell: Cell, offset: int, *, in_first: bool = False
    ) -> int:
        """Return where a byte of a cell's text is written: of two strings that meet there, in the second."""
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
            length = len(piece[0]) if plain else len(_decoded(piece[0]))
            if plain and offset < at + length:
                return start + piece.start() + offset - at
            at += length
        return start + len(literal)

    def _inside(self, change: Splice) -> tuple[Cell, int, int, bytes]:
        """The cell of a change, and its place and text there, without the line ends that only the view has."""
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
                f"{self.requested_path}: the edit reaches over the heading of cell {number}, which is not in the file",
                f"edit the text of one cell at a time; {CELL_HINT}",
            )
        text = self.cell_text(cell)
        start, end = start - cell.start, end - cell.start
        if start > len(
            text
        ):  # an addition below the last line, of which only the view ends
            start = end = len(text)
            return cell, start, end, (b"\n" if text else b"") + new.removesuffix(b"\n")
        if end > len(text):
            end = len(text)
            if new.endswith(b"\n"):
                new = new[:-1]
            elif not new and text[start - 1 : start] == b"\n":
                start -= 1  # the last line goes, and so does the end of the one before
        return cell, start, end, new

    @cached_property
    def _escapes_text(self) -> bool:
        return _escapes_text(self.file_snapshot, self.cells)

    def _layout(self, cell: Cell) -> _Layout:
        """Return how the lines of a cell's source are laid out: as its own are, else as those of other cells."""
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
    """The view by cells of what has the name of a notebook; the snapshot itself of anything else."""
    where = snapshot.location
    if where is None or not where.name.lower().endswith(NOTEBOOK_SUFFIX):
        return snapshot
    return view_cells(snapshot, task, headings)


def view_cells(
    snapshot: Snapshot, task: Task | None = None, headings: bool = True
) -> Snapshot:
    """The view of a notebook, which takes the snapshot over; the snapshot itself if it is none.

    Without `headings` their lines are empty, so that a search finds nothing in them. Raises `timeout`.
    """
    if not snapshot.encoding.is_utf8:
        return snapshot
    try:
        document = _scanned(_Scanner(snapshot, task or Task()))
        cells = document.cells
        if (
            sum(end - start for cell in cells for start, end in cell.literals)
            > _SOURCE_BYTES
        ):
            return snapshot
        texts = [
            b"".join(
                _decoded(snapshot.read(start, end - start))
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
    """How a notebook writes its cells, taken from those that are there, else as Jupyter does.

    `opening` and `closing` are at the ends of the array, `between` parts two cells. With `indent` None a cell is on
    one line; else it is what one level deeper is indented by, and `margin` what the cells are.
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
        """Read the style of a notebook."""
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

    def written(self, kind: CellKind, identifier: str, text: str) -> bytes:
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
    """Return whether a notebook writes letters that are not ASCII as escapes."""
    sources = [
        raw.read(start, end - start) for cell in cells for start, end in cell.literals
    ]
    return any(map(_ESCAPED.search, sources)) and all(map(bytes.isascii, sources))


def _new_identifier(cell: NewCell, taken: set[str]) -> str:
    """Return an id that no cell has: the same for the same request, so that a preview shows the one that is written."""
    seed = f"{cell.after} {cell.kind} {cell.text}"
    for attempt in range(len(taken) + 1):
        identifier = hashlib.sha256(
            f"{attempt} {seed}".encode("utf-8", "surrogatepass")
        ).hexdigest()[:8]
        if identifier not in taken:
            return identifier
    raise AssertionError("more ids than cells")


def _encoded(line: bytes, ascii_only: bool) -> bytes:
    """A text inside a JSON string."""
    text = line.decode("utf-8", "surrogatepass")
    lone = any("\ud800" <= character <= "\udfff" for character in text)
    return json.dumps(text, ensure_ascii=ascii_only or lone)[1:-1].encode()


def _decoded(literal: bytes) -> bytes:
    try:
        return str(json.loads(b'"' + literal + b'"')).encode("utf-8", "surrogatepass")
    except ValueError as error:
        raise _NotANotebookError from error


# Scanning


def _scanned(scan: _Scanner) -> _Document:
    cells: list[Cell] | None = None
    array = (0, 0)
    version = minor = b""
    for key in scan.members():
        if key == "cells":
            if cells is not None:
                raise _NotANotebookError  # one of two is meant, and nobody knows which
            scan.peek()
            begin = scan.offset + 1
            cells = [_cell(scan, number) for number, _ in enumerate(scan.elements(), 1)]
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


def _cell(scan: _Scanner, number: int) -> Cell:
    kind = identifier = ""
    literals: list[Span] | None = None
    array: Span | None = None
    outputs = output_bytes = 0
    if number > _CELLS:
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
            value = _decoded(scan.text(*scan.string())).decode("utf-8", "replace")
            kind, identifier = (
                (value, identifier) if key == "cell_type" else (kind, value)
            )
        elif key == "outputs" and scan.peek() == b"[":
            begin = scan.offset
            for _ in scan.elements():
                scan.skip()
                outputs += 1
            output_bytes = scan.offset - begin
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
    """Passes over JSON in blocks, by its brackets and strings; raises `_NotANotebookError` where it is none."""

    def __init__(self, snapshot: Snapshot, task: Task) -> None:
        self._snapshot = snapshot
        self._task = task
        self._buffer = b""
        self._base = snapshot.start
        self._at = 0

    @property
    def offset(self) -> int:
        """Where it is in the file."""
        return self._base + self._at

    def _pass(self, any_number: re.Pattern[bytes]) -> bytes:
        """Pass over as much as there is of something, in as many blocks as it takes; the byte that follows."""
        while True:
            match = any_number.match(self._buffer, self._at)
            assert match is not None
            self._at = match.end()
            # A backslash alone may escape what the next block begins with.
            if len(self._buffer) - self._at > 1:
                break
            self._task.check()
            known = self._base + len(self._buffer)
            if known >= self._snapshot.size:
                break
            self._buffer = self._buffer[self._at :] + self._snapshot.read(known, _BLOCK)
            self._base, self._at = self._base + self._at, 0
        return self._buffer[self._at : self._at + 1]

    def text(self, start: int, end: int) -> bytes:
        """The bytes of a short string that was passed."""
        return self._snapshot.read(start, min(end - start, 1_000))

    def peek(self) -> bytes:
        """The next byte that is not white space; empty at the end."""
        return self._pass(_SPACE)

    def take(self, byte: bytes) -> None:
        """Pass over one byte that must come next."""
        if self.peek() != byte:
            raise _NotANotebookError
        self._at += 1

    def members(self) -> Iterator[str]:
        """The keys of an object; whoever iterates passes over each value."""
        for _ in self.elements(b"{", b"}"):
            start, end = self.string()
            self.take(b":")
            yield _decoded(self.text(start, end)).decode("utf-8", "replace")

    def elements(self, opening: bytes = b"[", closing: bytes = b"]") -> Iterator[None]:
        """The elements of an array; whoever iterates passes over each."""
        self.take(opening)
        while self.peek() != closing:
            yield
            comma = self.peek() == b","
            self._at += comma
            if comma == (self.peek() == closing):
                raise _NotANotebookError
        self._at += 1

    def string(self) -> Span:
        """The place of the next string, between its quotes."""
        self.take(b'"')
        start = self.offset
        self._pass(_PLAIN)
        self.take(b'"')
        return start, self.offset - 1

    def scalar(self) -> bytes:
        """The next number or word."""
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
        """Pass over the next value."""
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
                self._at += 1
                if byte in _CLOSING:
                    closing.append(_CLOSING[byte])
                    if len(closing) > _DEEPEST:
                        raise _NotANotebookError
                elif closing.pop() != byte:
                    raise _NotANotebookError
