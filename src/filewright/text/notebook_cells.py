"""The cells of a notebook: their bytes in the file, and their headings in the view."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

HEADING_LINE = re.compile(rb"^# %% cell \d+: \w+.*$", re.MULTILINE)
"""A line of the view that is the heading of a cell."""

MINOR_WITH_IDS: Final = 5
"""The minor version of format 4 from which on cells have ids."""

CELL_HINT: Final = (
    'create a cell with at: {"after_cell": 2} or {"before_cell": 2} with replace and '
    'cell_type, and deleted by at: {"cell": 2} with delete: true; leave out the lines '
    "that begin with # %% cell"
)

CellKind = Literal["code", "markdown", "raw"]
Span = tuple[int, int]


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
        return format_heading(self.number, self.kind, self.id, outputs)

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
class NotebookDocument:
    """The result of a scan: the cells, the span of their array, the minor version."""

    cells: tuple[Cell, ...]
    array: Span
    minor: int


def format_heading(
    number: int, kind: str, identifier: str, outputs: str = ""
) -> str:
    id_part = f", id {identifier}" if identifier else ""
    return f"# %% cell {number}: {kind}{id_part}{outputs}\n"
