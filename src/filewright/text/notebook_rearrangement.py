"""New and deleted cells of a notebook, as splices of its file and of its view."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from filewright import errors
from filewright.errors import Code
from filewright.text.notebook_cells import (
    CELL_HINT,
    HEADING_LINE,
    MINOR_WITH_IDS,
    Cell,
    NewCell,
    NotebookDocument,
    format_heading,
)
from filewright.text.notebook_style import NotebookStyle
from filewright.text.splice import Splice


@dataclass(frozen=True, slots=True)
class Rearrangement:
    """Inserted and deleted cells, as splices of the file and of its view.

    `new_headings` are the headings of the new cells, in order, without their marks.
    """

    file_splices: tuple[Splice, ...]
    view_splices: tuple[Splice, ...]
    new_headings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Gap:
    """The place between two cells that stay, with its removed and its new cells.

    `above` is None before all cells that stay, and `below` behind them.
    """

    above: Cell | None
    below: Cell | None
    removed: Sequence[Cell]
    new: Sequence[NewCell]


@dataclass(frozen=True, slots=True)
class _WrittenCell:
    """A new cell as the file and the view have it."""

    identifier: str
    json_object: bytes
    heading: str
    view_text: bytes


@dataclass(frozen=True, slots=True)
class CellArranger:
    """The insertion and deletion of cells; `view_bytes` is the size of the view."""

    document: NotebookDocument
    style: NotebookStyle
    view_bytes: int
    requested_path: str

    def rearrange(
        self, new: Sequence[NewCell], removed: Sequence[Cell]
    ) -> Rearrangement:
        """Return the splices that insert new cells and delete some.

        The bytes of the other cells stay. New cells have their final numbers, and new
        ids if the format has ids. Raise `invalid_input` for a text with the heading of
        a cell.
        """
        identifiers = {cell.id for cell in self.document.cells}
        file_splices: list[Splice] = []
        view_splices: list[Splice] = []
        headings: list[str] = []
        number = 0
        for gap in self._iter_gaps(new, removed):
            new_objects: list[bytes] = []
            view_text = b""
            for new_cell in gap.new:
                number += 1
                written = self._write_cell(new_cell, number, identifiers)
                identifiers.add(written.identifier)
                new_objects.append(written.json_object)
                view_text += written.view_text
                headings.append(written.heading)
            if gap.below is not None:
                number += 1
            if new_objects or gap.removed:
                file_splices.append(self._file_splice(gap, new_objects))
                view_splices.append(self._view_splice(gap, view_text))
        return Rearrangement(
            tuple(file_splices), tuple(view_splices), tuple(headings)
        )

    def _iter_gaps(
        self, new: Sequence[NewCell], removed: Sequence[Cell]
    ) -> Iterator[_Gap]:
        """Yield the gaps before, between and behind the cells that stay."""
        cells = self.document.cells
        removed_numbers = {cell.number for cell in removed}
        remaining = [
            cell for cell in cells if cell.number not in removed_numbers
        ]
        # The gap with an index lies before the remaining cell with that index.
        new_by_gap: dict[int, list[NewCell]] = {}
        for new_cell in sorted(new, key=lambda cell: cell.after):
            index = bisect_right(
                remaining, new_cell.after, key=lambda cell: cell.number
            )
            new_by_gap.setdefault(index, []).append(new_cell)
        for index in range(len(remaining) + 1):
            above = remaining[index - 1] if index else None
            below = remaining[index] if index < len(remaining) else None
            start = above.number if above else 0
            stop = below.number - 1 if below else len(cells)
            yield _Gap(
                above, below, cells[start:stop], new_by_gap.get(index, ())
            )

    def _write_cell(
        self, cell: NewCell, number: int, used_identifiers: AbstractSet[str]
    ) -> _WrittenCell:
        """Return a new cell with its number and an id, if the format has ids."""
        identifier = ""
        if self.document.minor >= MINOR_WITH_IDS:
            identifier = _new_identifier(cell, used_identifiers)
        text = cell.text.removesuffix("\n")
        self._check_text(text)
        heading = format_heading(number, cell.kind, identifier)
        return _WrittenCell(
            identifier=identifier,
            json_object=self.style.write_cell(cell.kind, identifier, text),
            heading=heading.removeprefix("# %% ").rstrip("\n"),
            view_text=f"{heading}{text}\n".encode("utf-8", "surrogatepass"),
        )

    def _check_text(self, text: str) -> None:
        """Raise `invalid_input` if the text of a new cell has a heading of a cell."""
        if HEADING_LINE.search(text.encode("utf-8", "surrogatepass")):
            raise errors.path_error(
                Code.INVALID_INPUT,
                self.requested_path,
                f"{self.requested_path}: the text of the new cell "
                "holds the heading of a cell",
                CELL_HINT,
            )

    def _file_splice(self, gap: _Gap, new_objects: Sequence[bytes]) -> Splice:
        """Return the splice of the file that replaces removed cells by new objects.

        With each cell goes one comma: the one before it or the one after it.
        """
        text = self.style.between.join(new_objects)
        if gap.above is None and gap.below is None:
            # No cell stays, so the whole array is written.
            start, stop = self.document.array
            if new_objects:
                text = self.style.opening + text + self.style.closing
        elif gap.removed and new_objects:
            # The new cells take the place of the removed ones, between their commas.
            start, stop = gap.removed[0].span[0], gap.removed[-1].span[1]
        elif gap.removed and gap.below is not None:
            start, stop = gap.removed[0].span[0], gap.below.span[0]
        elif gap.removed:
            # The last cells go, and with them the comma after the cell above.
            assert gap.above is not None
            start, stop = gap.above.span[1], gap.removed[-1].span[1]
        elif gap.above is not None:
            start = stop = gap.above.span[1]
            text = self.style.between + text
        else:
            assert gap.below is not None
            start = stop = gap.below.span[0]
            text += self.style.between
        return Splice(start, stop - start, text)

    def _view_splice(self, gap: _Gap, view_text: bytes) -> Splice:
        """Return the splice of the view that replaces removed cells by new text."""
        if gap.removed:
            start, end = gap.removed[0].region[0], gap.removed[-1].region[1]
        elif gap.below is not None:
            start = end = gap.below.region[0]
        else:
            start = end = self.view_bytes
        return Splice(start, end - start, view_text)


def _new_identifier(cell: NewCell, used_identifiers: AbstractSet[str]) -> str:
    """Return an unused id, the same for the same request, as previews show it."""
    seed = f"{cell.after} {cell.kind} {cell.text}"
    for attempt in range(len(used_identifiers) + 1):
        identifier = hashlib.sha256(
            f"{attempt} {seed}".encode("utf-8", "surrogatepass")
        ).hexdigest()[:8]
        if identifier not in used_identifiers:
            return identifier
    raise AssertionError("more ids than cells")
