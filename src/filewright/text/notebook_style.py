"""The style in which a notebook is written: that of its cells, or else Jupyter's."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from filewright.text.notebook_cells import Cell, CellKind, NotebookDocument
from filewright.text.notebook_strings import has_surrogate
from filewright.text.snapshot import Snapshot

_STYLE_SAMPLE_BYTES = 4096
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)')
_ESCAPE_BEYOND_ASCII = re.compile(rb"\\u(?!00[0-7])")


@dataclass(frozen=True, slots=True)
class NotebookStyle:
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
    def of(cls, raw: Snapshot, document: NotebookDocument) -> NotebookStyle:
        """Return the style of a notebook."""
        cells, (start, stop) = document.cells, document.array
        sample = raw.read(raw.start, _STYLE_SAMPLE_BYTES)
        newline = b"\r\n" if b"\r\n" in sample else b"\n"
        # A text of a cell may have any signs in it.
        signs = _STRING.sub(b'""', sample)
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
            between = b", " if b", " in signs else b","
        margin = _last_line(opening) if b"\n" in opening else b""
        indent: str | None = None
        if b"\n" in inner:
            inner_margin = _last_line(inner)
            indent = " "
            if inner_margin.startswith(margin):
                indent = inner_margin[len(margin) :].decode("ascii", "replace")
        # Indented JSON has line ends behind its commas instead of spaces.
        has_space_after_comma = indent is None and b", " in signs
        return cls(
            opening=opening,
            between=between,
            closing=closing,
            newline=newline,
            margin=margin,
            indent=indent,
            separators=(
                ", " if has_space_after_comma else ",",
                ": " if b'": ' in signs else ":",
            ),
            as_array=all(cell.array is not None for cell in cells),
            ascii_only=escapes_text(raw, cells),
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
            ensure_ascii=self.ascii_only or has_surrogate(text),
        )
        return cell_json.encode().replace(b"\n", self.newline + self.margin)


def _leading_whitespace(data: bytes) -> bytes:
    return data[: len(data) - len(data.lstrip())]


def _last_line(data: bytes) -> bytes:
    """Return the bytes after the last line feed, or all without one."""
    return data.rpartition(b"\n")[2]


def escapes_text(raw: Snapshot, cells: Sequence[Cell]) -> bool:
    """Return True if a notebook escapes characters beyond ASCII."""
    sources = [
        raw.read(start, end - start)
        for cell in cells
        for start, end in cell.literals
    ]
    return any(map(_ESCAPE_BEYOND_ASCII.search, sources)) and all(
        map(bytes.isascii, sources)
    )
