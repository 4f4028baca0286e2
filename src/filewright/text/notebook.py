"""A notebook (`.ipynb`, format 4) as the text of its cells, over the bytes of its file.

The view shows the source of each cell below a heading line; outputs are only counted.
An edit of the view becomes splices inside the JSON strings of the sources: no other
byte of the file changes. A heading line in an edit makes no cell;
`NotebookView.rearrange` writes new cells in the style of the file. A file that is no
such notebook is shown as plain text. The format is described at
https://nbformat.readthedocs.io/en/latest/format_description.html

- `notebook_scan`: the positions of cells and strings in the file
- `notebook_cells`, `notebook_strings`: the cells, and the text of their strings
- `notebook_sources`: changes of a source, as splices inside its strings
- `notebook_rearrangement`, `notebook_style`: new and deleted cells, as the file writes them
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final

from filewright import errors
from filewright.errors import Code
from filewright.progress import Task
from filewright.text.notebook_cells import (
    CELL_HINT,
    HEADING_LINE,
    Cell,
    NewCell,
    NotebookDocument,
)
from filewright.text.notebook_rearrangement import CellArranger, Rearrangement
from filewright.text.notebook_scan import scan_document
from filewright.text.notebook_sources import NotebookSources, SourceChange
from filewright.text.notebook_strings import NotANotebookError, decode_string
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice

NOTEBOOK_SUFFIX: Final = b".ipynb"

_MAX_SOURCE_BYTES = 16 << 20


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
        document: NotebookDocument,
        content: bytes,
        texts: Sequence[bytes],
    ) -> None:
        super().__init__(
            content, encoding="utf-8", location=raw.location, status=raw.status
        )
        self.file_snapshot = raw
        self.cells = cells = document.cells
        self._document = document
        self._sources = NotebookSources(raw, document, texts)
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
            "read the notebook to see the ids and numbers of its "
            f"{len(self.cells)} cells",
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
        return self._sources.text(cell)

    def to_file_splices(self, changes: Sequence[Splice]) -> tuple[Splice, ...]:
        """Return the splices of the file that have the effect of those of the view.

        Raises `invalid_input` for a change of a heading, and for a change that writes
        the heading of a cell into a source.
        """
        splices: list[Splice] = []
        for splice in changes:
            change = self._sources.find_change(splice)
            self._check_heading(change)
            splices.append(self._sources.to_file_splice(change))
        return tuple(splices)

    def _check_heading(self, change: SourceChange) -> None:
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
        new_headings = set(HEADING_LINE.findall(new_lines))
        new_headings.difference_update(HEADING_LINE.findall(previous_lines))
        if new_headings:
            line = min(new_headings).decode("utf-8", "replace")
            raise errors.path_error(
                Code.INVALID_INPUT,
                self.requested_path,
                f"{self.requested_path}: the heading {line!r} would become "
                f"text of {cell.label}: headings do not create cells",
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

        The bytes of the other cells stay. Raise `invalid_input` for a text with the
        heading of a cell.
        """
        arranger = CellArranger(
            document=self._document,
            style=self._sources.style,
            view_bytes=self.size,
            requested_path=self.requested_path,
        )
        return arranger.rearrange(new, removed)


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
        document = scan_document(snapshot, task or Task())
        cells = document.cells
        source_bytes = sum(
            end - start for cell in cells for start, end in cell.literals
        )
        if source_bytes > _MAX_SOURCE_BYTES:
            return snapshot
        texts = [_read_source(snapshot, cell) for cell in cells]
    except NotANotebookError:
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
        decode_string(snapshot.read(start, end - start))
        for start, end in cell.literals
    )
