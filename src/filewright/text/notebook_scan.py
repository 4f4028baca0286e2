"""The scan of a notebook for the positions of its cells and their strings.

The file is read once, in blocks, so large images in it cost only the scan.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from filewright.progress import Task
from filewright.text.notebook_cells import (
    MINOR_WITH_IDS,
    Cell,
    NotebookDocument,
    Span,
)
from filewright.text.notebook_strings import NotANotebookError, decode_string
from filewright.text.snapshot import Snapshot

_BLOCK_BYTES = 1 << 16
_MAX_CELLS = 100_000
_MAX_DEPTH = 1_000
_WHITESPACE = re.compile(rb"[ \t\r\n]*")
_STRING_REST = re.compile(rb'[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL)
_UNTIL_BRACKET_OR_QUOTE = re.compile(rb'[^"{}\[\]]*')
_CLOSING = {b"{": b"}", b"[": b"]"}
_SCALAR = re.compile(rb"[-+.0-9A-Za-z]*")


def scan_document(snapshot: Snapshot, task: Task) -> NotebookDocument:
    """Return the cells of a notebook. Raise `NotANotebookError` for any other content."""
    scan = _JsonScanner(snapshot, task)
    cells: list[Cell] | None = None
    array = (0, 0)
    version = minor = b""
    for key in scan.members():
        if key == "cells":
            if cells is not None:
                # Readers differ in which of the two they take.
                raise NotANotebookError
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
        raise NotANotebookError
    has_ids = int(version) > 4 or (
        minor.isdigit() and int(minor) >= MINOR_WITH_IDS
    )
    return NotebookDocument(
        tuple(cells), array, MINOR_WITH_IDS if has_ids else 0
    )


def _scan_cell(scan: _JsonScanner, number: int) -> Cell:
    kind = identifier = ""
    literals: list[Span] | None = None
    array: Span | None = None
    outputs = output_bytes = 0
    if number > _MAX_CELLS:
        raise NotANotebookError
    scan.peek()
    start = scan.offset
    for key in scan.members():
        if key == "source":
            if literals is not None:
                # Readers differ in which of the two they take.
                raise NotANotebookError
            literals = []
            if scan.peek() == b"[":
                array_start = scan.offset + 1
                literals += [scan.string() for _ in scan.elements()]
                array = (array_start, scan.offset - 1)
            else:
                literals.append(scan.string())
        elif key in ("cell_type", "id") and scan.peek() == b'"':
            value = decode_string(scan.text(*scan.string())).decode(
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
        raise NotANotebookError
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


class _JsonScanner:
    """A scanner of JSON, in blocks, for the positions of its values.

    Raises `NotANotebookError` if the content is not JSON.
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
            raise NotANotebookError
        self._position += 1

    def members(self) -> Iterator[str]:
        """Yield the keys of an object. The caller must skip each value."""
        for _ in self.elements(b"{", b"}"):
            start, end = self.string()
            self.take(b":")
            yield decode_string(self.text(start, end)).decode(
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
                raise NotANotebookError
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
            raise NotANotebookError from error
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
                    raise NotANotebookError
            elif closing.pop() != byte:
                # Another bracket, or the end of the file.
                raise NotANotebookError
