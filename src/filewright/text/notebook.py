"""A notebook (`.ipynb`, format 4) as the text of its cells, over the bytes of its file.

A reader sees each cell under a heading line, as it would be typed; what a cell has put out is only
counted. An edit of that text becomes splices inside the JSON strings of the cells' sources: no other
byte of the file changes. Format: https://nbformat.readthedocs.io/en/latest/format_description.html

The file is scanned once, in blocks, and only where strings begin and end is kept of it, so images in it
cost nothing but the scan. What is no such notebook stays what it is: text.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

from filewright import errors
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice

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
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]+", re.DOTALL
)
_ESCAPED = re.compile(rb"\\u(?!00[0-7])")

Span = tuple[int, int]


class _NotANotebookError(Exception):
    """The bytes are no notebook that can be shown by its cells."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell. `literals` are the bytes between the quotes of its source's strings, `array` those of the
    brackets around them (None: the source is one string); `start` and `end` are its source's place in the view.

    `outputs` are how many it has put out, `output_bytes` how many bytes of the file those are.
    """

    number: int
    kind: str
    id: str
    literals: tuple[Span, ...]
    array: Span | None
    outputs: int
    output_bytes: int
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
        named = f", id {self.id}" if self.id else ""
        many = "s" * (self.outputs != 1)
        put_out = (
            f", {self.outputs} output{many} of {self.output_bytes:,} bytes not shown" if self.outputs else ""
        )
        return f"# %% cell {self.number}: {self.kind}{named}{put_out}\n"


class NotebookView(Snapshot):
    """The text of a notebook's cells; `raw` is the file itself, whose version it has. Closing it closes that."""

    def __init__(self, raw: Snapshot, cells: Sequence[Cell], content: bytes, texts: Sequence[bytes]) -> None:
        super().__init__(content, encoding="utf-8", location=raw.location, status=raw.status)
        self.raw = raw
        self.cells = tuple(cells)
        self._texts = texts
        self._known_ends: dict[int, Sequence[int]] = {}
        self._starts = [cell.start for cell in cells]

    def close(self) -> None:
        """Let go of the file."""
        self.raw.close()

    @cached_property
    def version(self) -> str:
        """The file's."""
        return self.raw.version

    def matches(self, version: str) -> bool:
        """Whether `version` is the file's."""
        return self.raw.matches(version)

    def cell_named(self, name: str) -> Cell:
        """The cell with an id, else with a number, from 1. Raises `not_found`, `ambiguous_match`."""
        found = [cell for cell in self.cells if cell.id == name]
        if not found:
            found = [cell for cell in self.cells if str(cell.number) == name.lstrip("0")]
        if len(found) == 1:
            return found[0]
        if found:
            numbers = ", ".join(str(cell.number) for cell in found[:10])
            raise errors.refused(
                Code.AMBIGUOUS_MATCH,
                self.asked,
                f"{self.asked} has {len(found)} cells with the id {name!r}",
                f"name it by its number: {numbers}",
                cell=name,
            )
        raise errors.refused(
            Code.NOT_FOUND,
            self.asked,
            f"{self.asked} has no cell {name!r}",
            f"it has {len(self.cells)} cells; read it to see their ids and numbers",
            cell=name,
        )

    def place(self, offset: int) -> str:
        """The cell and the line in it where a byte of the view is; empty for a heading."""
        index = bisect_right(self._starts, offset) - 1
        if index < 0 or offset > self.cells[index].end:
            return ""
        cell = self.cells[index]
        assert self.held is not None
        line = self.held.count(b"\n", cell.start, offset) + 1
        return f"{cell.label}, line {line}"

    def source(self, cell: Cell) -> bytes:
        """The text of a cell's source."""
        return self._texts[cell.number - 1]

    def splices(self, changes: Sequence[Splice]) -> tuple[Splice, ...]:
        """The splices of the file that make these of the view. Raises `invalid_input` for one of a heading."""
        return tuple(self._splice(*self._inside(change)) for change in changes)

    def _splice(self, cell: Cell, start: int, end: int, new: bytes) -> Splice:
        """The splice of the file that puts a text between two places of a cell's text."""
        text, array, (separator, ascii_only) = self.source(cell), cell.array, self._style
        if array is not None and len(cell.literals) > 1:
            separator = self._between(cell)
        separator = b'"' + separator + b'"'
        lines = [new]
        if array is not None:  # Each line is a string, and so is what follows it.
            lines = re.split(rb"(?<=\n)", new)
            if len(lines) > 1 and not lines[-1] and end == len(text):
                lines.pop()
        literal = separator.join(_encoded(line, ascii_only) for line in lines)
        if not cell.literals:
            if array is None:
                raise FilewrightError(
                    Code.UNSUPPORTED,
                    f"{cell.label} has no source to write to",
                    "edit another cell, or give encoding to edit the notebook as the text it is",
                )
            return Splice(array[0], 0, b'"' + literal + b'"')
        if array is not None and start == len(text) and text.endswith(b"\n") and new:
            literal = separator + literal
        at = self._offset_in_file(cell, start)
        return Splice(at, self._offset_in_file(cell, end) - at if end > start else 0, literal)

    def _between(self, cell: Cell) -> bytes:
        """What is between the first two strings of a source, without their quotes."""
        (_, end), (start, _) = cell.literals[:2]
        return self.raw.read(end + 1, start - end - 2)

    def _offset_in_file(self, cell: Cell, offset: int) -> int:
        """Where a byte of a cell's text is written: of two strings that meet there, in the second."""
        if cell.number not in self._known_ends:
            lengths = (len(_decoded(self.raw.read(start, end - start))) for start, end in cell.literals)
            self._known_ends[cell.number] = tuple(accumulate(lengths))
        ends = self._known_ends[cell.number]
        index = min(bisect_right(ends, offset), len(ends) - 1)
        start, end = cell.literals[index]
        literal, at = self.raw.read(start, end - start), ends[index - 1] if index else 0
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
        start, end, new = change.offset, change.offset + change.length, change.replacement
        index = bisect_right(self._starts, start) - 1
        cell = self.cells[index]
        if index < 0 or end > cell.end + (not cell.closed):
            number = self.cells[min(index + 1, len(self.cells) - 1)].number
            raise errors.refused(
                Code.INVALID_INPUT,
                self.asked,
                f"{self.asked}: the edit reaches over the heading of cell {number}, which is not in the file",
                "edit the text of one cell at a time, without the lines that begin with # %%",
            )
        text = self.source(cell)
        start, end = start - cell.start, end - cell.start
        if start > len(text):  # an addition below the last line, of which only the view ends
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
    def _style(self) -> tuple[bytes, bool]:
        """How the file writes its sources: what is between two lines, and whether it escapes what is not ASCII."""
        several = next((cell for cell in self.cells if len(cell.literals) > 1), None)
        separator = self._between(several) if several is not None else b""
        sources = [self.raw.read(start, end - start) for cell in self.cells for start, end in cell.literals]
        escapes = any(map(_ESCAPED.search, sources)) and all(map(bytes.isascii, sources))
        return separator or b", ", escapes


def viewed_by_cells(snapshot: Snapshot, task: Task | None = None, headings: bool = True) -> Snapshot:
    """The view of a notebook, which takes the snapshot over; the snapshot itself if it is none.

    Without `headings` their lines are empty, so that a search finds nothing in them. Raises `timeout`.
    """
    if not snapshot.encoding.is_utf8:
        return snapshot
    try:
        cells = _cells(_Scanner(snapshot, task or Task()))
        if sum(end - start for cell in cells for start, end in cell.literals) > _SOURCE_BYTES:
            return snapshot
        texts = [
            b"".join(_decoded(snapshot.read(start, end - start)) for start, end in cell.literals)
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
    return NotebookView(snapshot, placed, bytes(page), texts)


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


def _cells(scan: _Scanner) -> list[Cell]:
    found: list[Cell] | None = None
    version = b""
    for key in scan.members():
        if key == "cells":
            if found is not None:
                raise _NotANotebookError  # one of two is meant, and nobody knows which
            found = [_cell(scan, number) for number, _ in enumerate(scan.elements(), 1)]
        elif key == "nbformat":
            version = scan.scalar()
        else:
            scan.skip()
    if scan.peek() or found is None or not version.isdigit() or int(version) < 4:
        raise _NotANotebookError
    return found


def _cell(scan: _Scanner, number: int) -> Cell:
    kind = identifier = ""
    literals: list[Span] | None = None
    array: Span | None = None
    outputs = output_bytes = 0
    if number > _CELLS:
        raise _NotANotebookError
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
            start, end = scan.string()
            value = _decoded(scan.text(start, end)).decode("utf-8", "replace")
            kind, identifier = (value, identifier) if key == "cell_type" else (kind, value)
        elif key == "outputs" and scan.peek() == b"[":
            begin = scan.offset
            for _ in scan.elements():
                scan.skip()
                outputs += 1
            output_bytes = scan.offset - begin
        else:
            scan.skip()
    if not kind or len(kind) > 100 or len(identifier) > 200 or not (kind + identifier).isprintable():
        raise _NotANotebookError
    return Cell(number, kind, identifier, tuple(literals or ()), array, outputs, output_bytes)


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
