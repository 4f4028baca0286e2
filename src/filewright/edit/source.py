"""The text of a file, by offsets and by lines.

UTF-16 is read as UTF-8 for every edit, and the splices are mapped back to the bytes of the
file. The same methods serve a file in memory and one far larger than memory. Rows are read
by an offset, or by their number from 0. Reading by number in ascending order reads the
file once.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, chain, pairwise

from filewright.edit.comparison import collapse
from filewright.languages import Language
from filewright.progress import Task
from filewright.text.lines import Line, find_function
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice
from filewright.text.utf8_view import Utf8View

_INDENT = re.compile(r"^[ \t\f\v]*(?=[^\s])", re.MULTILINE)

_MEASURED_BYTES = 1 << 16
"""The first bytes of a file, by which its unit of indentation is measured."""

_NEAR_BYTES = 1 << 16
"""Bytes of a line that is found without the line index."""

_BLOCK_BYTES = 1 << 20
_WINDOW_BYTES = 1 << 18
_LONG_LINE_BYTES = 1 << 24
"""A longer line, in a file too large for memory, is never compared: it matches no row."""

_MAX_MEMO = 4
_SKETCHED_BYTES = 800
_SKETCHED_CHARS = 400

_UNMATCHABLE = b"\n"  # The body of a line never has its terminator.


class Source:
    """The text of a snapshot, as edits read it.

    `language` is that of the file, if known; `held` the whole text, or None if it is too
    large for memory.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        task: Task | None = None,
        *,
        language: Language | None = None,
    ) -> None:
        self._utf8_view = (
            Utf8View.for_edit(snapshot)
            if snapshot.encoding.unit_bytes > 1
            else None
        )
        self.snapshot = snapshot = (
            self._utf8_view.snapshot if self._utf8_view else snapshot
        )
        self.task = task or Task()
        self.language = language
        self.encoding = snapshot.encoding
        self.start = snapshot.start
        self.size = snapshot.size
        self.held = snapshot.content
        self.has_no_returns = snapshot.has_no_returns
        self._newline_content = self.held if self.has_no_returns else None
        self._row: Line | None = None
        self._boundary_state: (
            tuple[int, int, codecs.IncrementalDecoder] | None
        ) = None
        self._first = 0
        self._bodies: list[bytes] = []
        self._offsets: list[int] = [self.start]
        # Results of searches, which the explanation of a refusal needs again.
        self.memo: dict[Hashable, object] = {}

    def remember(self, key: Hashable, result: object) -> None:
        """Keep a result in `memo`, with the last few others."""
        if len(self.memo) >= _MAX_MEMO:
            self.memo.clear()
        self.memo[key] = result

    def version(self, content: bytes) -> Source:
        """Return another version of the file, read as this one is."""
        text = self._utf8_view.to_utf8(content) if self._utf8_view else content
        snapshot = Snapshot(text, encoding=self.encoding.name)
        return Source(snapshot, self.task, language=self.language)

    def to_file_splices(self, splices: Iterable[Splice]) -> Iterator[Splice]:
        """Return ordered splices of the text as splices of the file."""
        whole = self._with_whole_terminators(splices)
        if self._utf8_view is None:
            return whole
        return self._utf8_view.to_file_splices(whole)

    def _with_whole_terminators(
        self, splices: Iterable[Splice]
    ) -> Iterator[Splice]:
        """Yield the splices, none of which writes half of a terminator.

        A newline written behind a lone return would form one terminator with it, so it
        becomes a return too. A return written before a newline gets a newline of its own.
        A return that only comes to be before a newline by a deletion stays as it is: it
        is outside of the change. A second byte-order mark is left out.
        """
        previous_end, before = -1, b""
        # The last splice has none behind it; one past the end of the text stands for it.
        end_of_all = Splice(self.size + 1, 0, b"")
        for splice, following in pairwise(chain(splices, [end_of_all])):
            new = splice.replacement
            if splice.offset == self.start:
                new = new.removeprefix(self.encoding.bom)
            if new[:1] in b"\n":
                if splice.offset != previous_end:
                    before = self.read(splice.offset - 1, splice.offset)
                if before == b"\r":
                    body = new.lstrip(b"\n")
                    new = b"\r" * (len(new) - len(body)) + body
            previous_end, before = splice.end, new[-1:] or before
            if (
                new.endswith(b"\r")
                and splice.end != following.offset
                and self.read(splice.end, splice.end + 1) == b"\n"
            ):
                new += b"\n"
            yield Splice(splice.offset, splice.length, new)

    def text(self, body: bytes) -> str:
        """Return the bytes of a line as text.

        Undecodable ones become lone surrogates, which match nothing.
        """
        return body.decode(self.encoding.name, "surrogateescape")

    def read(self, start: int, end: int) -> bytes:
        """Return the bytes [start, end), clipped to the text."""
        start = max(start, self.start)
        if self.held is not None:
            return self.held[start:end]
        return self.snapshot.read(start, max(0, min(end, self.size) - start))

    def occurrences(
        self, needle: bytes, start: int | None = None
    ) -> Iterator[int]:
        """Yield the offsets of `needle` in order, overlapping ones too.

        They need not be at the boundaries of characters.
        """
        position = self.start if start is None else start
        if self.held is not None:
            offset = self.held.find(needle, position)
            while offset >= 0:
                yield offset
                offset = self.held.find(needle, offset + 1)
            return
        find = find_function(needle)
        length = max(_BLOCK_BYTES, 2 * len(needle))
        while position + len(needle) <= self.size:
            self.task.check()
            self.task.report(position, self.size, "searching")
            block = self.snapshot.read(position, length + len(needle) - 1)
            offset = find(block, 0)
            while offset >= 0:
                yield position + offset
                offset = find(block, offset + 1)
            position += length

    def is_character_boundary(self, offset: int) -> bool:
        """Return True if a character may begin at `offset`.

        An occurrence that begins at a boundary also ends at one, because no code of a
        character is the beginning of another code. Ascending offsets decode each line
        once.
        """
        line_start = self.row_holding(offset).offset
        decoded_line, position, decoder = self._boundary_state or (-1, 0, None)
        if decoder is None or line_start != decoded_line or offset < position:
            position = line_start
            decoder = codecs.getincrementaldecoder(self.encoding.name)(
                "replace"
            )
        decoder.decode(self.read(position, offset))
        self._boundary_state = line_start, offset, decoder
        return not decoder.getstate()[0]

    # Rows by an offset

    def line_start(self, offset: int) -> int:
        """Return where the line begins that holds the byte at `offset`."""
        if self._newline_content is None:
            return self.snapshot.lines.line_start(offset, self.task)
        return max(
            self._newline_content.rfind(b"\n", self.start, offset) + 1,
            self.start,
        )

    def row_holding(self, offset: int) -> Line:
        """Return the line that holds the byte at `offset`."""
        # All occurrences in one long line need the same row, which is read once.
        row = self._row
        if row is None or not row.offset <= offset < row.end:
            line_start = self.line_start(offset)
            row = self._row = self._near_row(
                line_start
            ) or self.snapshot.lines.read_line(line_start, task=self.task)
        return row

    def row_starting_at(self, offset: int) -> Line | None:
        """Return the line that begins at `offset`, or None at the end."""
        if offset >= self.size:
            return None
        return self._near_row(offset) or self.snapshot.lines.read_line(
            offset, task=self.task
        )

    def row_before(self, row: Line) -> Line | None:
        """Return the line before `row`, or None before the first."""
        if row.offset <= self.start:
            return None
        if self._newline_content is not None:
            end = row.offset - 1
            line_start = self.line_start(end)
            if end < line_start + _NEAR_BYTES:
                return Line(
                    line_start,
                    self._newline_content[line_start:end],
                    b"\n",
                    row.offset,
                )
        return self.row_holding(row.offset - 1)

    def rows_from(self, offset: int) -> Iterator[Line]:
        """Yield the lines from `offset` on, where one begins."""
        while (row := self.row_starting_at(offset)) is not None:
            yield row
            offset = row.end

    def rows_before(self, row: Line) -> Iterator[Line]:
        """Yield the lines before `row`, the nearest first."""
        before = self.row_before(row)
        while before is not None:
            yield before
            before = self.row_before(before)

    def _near_row(self, offset: int) -> Line | None:
        """Return the line from `offset` on in the most frequent case, which must be fast.

        In that case the text is in memory, has no returns, and the line is not long. None
        in all other cases.
        """
        if self._newline_content is None:
            return None
        end = self._newline_content.find(b"\n", offset, offset + _NEAR_BYTES)
        if end < 0:
            return None
        return Line(offset, self._newline_content[offset:end], b"\n", end + 1)

    def first_solid_row(self, rows: Iterable[Line]) -> tuple[str, int]:
        """Return the text of the first row that is not blank, and the number before it.

        The text is "" if all rows are blank.
        """
        count = 0
        for row in rows:
            text = self.text(row.body)
            if text.strip():
                return text, count
            count += 1
        return "", count

    def rows(self) -> Iterator[Line]:
        """Return all lines in order."""
        return self.snapshot.lines.read_lines(task=self.task)

    # Rows by their number, from 0

    @cached_property
    def count(self) -> int:
        """Return the number of lines."""
        return self.snapshot.lines.count_lines(self.task)

    def line_number(self, offset: int) -> int:
        """Return the number, from 1, of the line that holds `offset`."""
        if self._offsets[0] <= offset < self._offsets[-1]:
            return self._first + bisect_right(self._offsets, offset)
        return self.snapshot.lines.line_at(offset)

    def offset(self, line: int) -> int:
        """Return where line `at` begins; the size of the text for the line past the last."""
        return (
            self._offsets[line - self._first]
            if self._load_window(line)
            else self.size
        )

    def rows_at(self, line: int, count: int) -> tuple[Line, ...]:
        """Return `count` lines from line `at`, or fewer at the end of the file."""
        rows: list[Line] = []
        while len(rows) < count and self._load_window(line):
            index = line - self._first
            body = self._bodies[index]
            offset, end = self._offsets[index : index + 2]
            rows.append(
                Line(offset, body, self.read(offset + len(body), end), end)
            )
            line += 1
        return tuple(rows)

    def bodies(self, line: int, count: int) -> Sequence[bytes]:
        """Return the bodies of `count` lines from line `at`, or fewer at the end."""
        index = line - self._first
        if index >= 0 and index + count <= len(self._bodies):
            return self._bodies[index : index + count]
        result: list[bytes] = []
        while len(result) < count and self._load_window(line):
            index = line - self._first
            window_bodies = self._bodies[index : index + count - len(result)]
            result += window_bodies
            line += len(window_bodies)
        return result

    def windows(self) -> Iterator[tuple[int, Sequence[bytes]]]:
        """Yield stretches of the file: the number of the first line, and the bodies."""
        line = 0
        while self._load_window(line):
            self.task.check()
            # The caller may load other windows before it asks for the next.
            bodies = self._bodies[line - self._first :]
            yield line, bodies
            line += len(bodies)

    def _load_window(self, line: int) -> bool:
        """Load the window with line `at`; return False past the last line."""
        if self._first <= line < self._first + len(self._bodies):
            return True
        offset = self._offsets[-1]  # The next window begins here.
        if line != self._first + len(self._bodies):
            offset = self.snapshot.lines.offset_of(line + 1, self.task)
        if offset >= self.size:
            return False
        length = _WINDOW_BYTES
        while True:
            data = self.snapshot.read(offset, length)
            pieces = data.splitlines(keepends=True)
            if (
                offset + len(data) < self.size
                and pieces
                and not data.endswith(b"\n")
            ):
                # The line goes on, or its return may be followed by a newline.
                pieces.pop()
            if pieces:
                self._offsets = list(
                    accumulate(map(len, pieces), initial=offset)
                )
                self._bodies = data.splitlines()[: len(pieces)]
                break
            if length >= _LONG_LINE_BYTES:
                self._offsets = [
                    offset,
                    self.snapshot.lines.offset_of(line + 2, self.task),
                ]
                self._bodies = [_UNMATCHABLE]
                break
            # Not even one line fits: the window grows until one does.
            length *= 4
        self._first = line
        return True

    @cached_property
    def indent_unit(self) -> str:
        """Return the most frequent step to a deeper line at the beginning of the file.

        It is "" if no line is indented.
        """
        steps: Counter[str] = Counter()
        previous = ""
        head = (
            self.read(self.start, self.start + _MEASURED_BYTES)
            .replace(b"\r", b"\n")
            .decode("latin-1")
        )
        for match in _INDENT.finditer(head):
            indent = match[0]
            if len(indent) > len(previous) and indent.startswith(previous):
                steps[indent[len(previous) :]] += 1
            previous = indent
        return steps.most_common(1)[0][0] if steps else ""

    @cached_property
    def sketch(self) -> tuple[list[Line], list[str]]:
        """Return the lines of a text in memory that are not blank, and their beginnings.

        The beginnings are in the form in which lines are compared.
        """
        rows = [row for row in self.rows() if row.body.strip()]
        beginnings: list[str] = []
        for row in rows:
            text = self.text(row.body[:_SKETCHED_BYTES])
            beginnings.append(collapse(text)[:_SKETCHED_CHARS])
        return rows, beginnings
