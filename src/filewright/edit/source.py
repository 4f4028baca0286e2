"""The text of a file, by offsets and by lines."""

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


_MEASURED = 1 << 16


_NEAR = 1 << 16


_BLOCK = 1 << 20


_WINDOW = 1 << 18

_MAX_MEMO = 4


#: Of a longer line in a file that is not held nothing is compared: it matches no row.
_LONG = 1 << 24


_UNMATCHABLE = b"\n"  # no line's body holds its terminator


class Source:
    """A snapshot as edits read it; `language` is its file's, if known. `snapshot` is that of the text that is read.

    Raises what `Narrowed.to_edit` does.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        task: Task | None = None,
        *,
        language: Language | None = None,
    ) -> None:
        self._narrowed = (
            Utf8View.for_edit(snapshot) if snapshot.encoding.unit_bytes > 1 else None
        )
        self.snapshot = snapshot = (
            self._narrowed.snapshot if self._narrowed else snapshot
        )
        self.task = task or Task()
        self.language = language
        self.encoding = snapshot.encoding
        self.start = snapshot.start
        self.size = snapshot.size
        self.held = snapshot.content
        self.has_no_returns = snapshot.has_no_returns
        self._feeds = self.held if self.has_no_returns else None
        self._row: Line | None = None
        self._decoded: tuple[int, int, codecs.IncrementalDecoder] | None = None
        self._first = 0
        self._bodies: list[bytes] = []
        self._offsets: list[int] = [self.start]
        # Results that a matcher keeps while this text is read.
        self.memo: dict[Hashable, object] = {}

    def remember(self, key: Hashable, result: object) -> None:
        """Keep a result in `memo`, with the last few others."""
        if len(self.memo) >= _MAX_MEMO:
            self.memo.clear()
        self.memo[key] = result

    def version(self, content: bytes) -> Source:
        """Another version of the file, read as this one is."""
        text = self._narrowed.to_utf8(content) if self._narrowed else content
        shown = Snapshot(text, encoding=self.encoding.name)
        return Source(shown, self.task, language=self.language)

    def to_file_splices(self, splices: Iterable[Splice]) -> Iterator[Splice]:
        """Ordered splices of the text as those of the file, of which none writes half of a line end."""
        made = self._parted(splices)
        return self._narrowed.to_file_splices(made) if self._narrowed else made

    def _parted(self, splices: Iterable[Splice]) -> Iterator[Splice]:
        """The ordered splices, none of which writes half of a line end, or a second byte-order mark.

        A newline written right behind a lone return would be one line end with it: it becomes a return too. A return
        written right before a newline gets one of its own. One that a deletion brings there stays what it is, since it
        is outside of what was to be changed.
        """
        end, before = -1, b""
        behind_all = Splice(self.size + 1, 0, b"")
        for splice, following in pairwise(chain(splices, [behind_all])):
            new = splice.replacement
            if splice.offset == self.start:
                new = new.removeprefix(self.encoding.bom)
            if new[:1] in b"\n":
                if splice.offset != end:
                    before = self.read(splice.offset - 1, splice.offset)
                if before == b"\r":
                    body = new.lstrip(b"\n")
                    new = b"\r" * (len(new) - len(body)) + body
            end, before = splice.end, new[-1:] or before
            if (
                new.endswith(b"\r")
                and end != following.offset
                and self.read(end, end + 1) == b"\n"
            ):
                new += b"\n"
            yield Splice(splice.offset, splice.length, new)

    def text(self, body: bytes) -> str:
        """The bytes of a line as text; undecodable ones become lone surrogates, which match nothing."""
        return body.decode(self.encoding.name, "surrogateescape")

    def read(self, start: int, end: int) -> bytes:
        """The bytes [start, end), clipped to the text."""
        start = max(start, self.start)
        if self.held is not None:
            return self.held[start:end]
        return self.snapshot.read(start, max(0, min(end, self.size) - start))

    def occurrences(self, needle: bytes, start: int | None = None) -> Iterator[int]:
        """Offsets of `needle`, overlapping ones too, in order; character boundaries are not looked at."""
        position = self.start if start is None else start
        if self.held is not None:
            at = self.held.find(needle, position)
            while at >= 0:
                yield at
                at = self.held.find(needle, at + 1)
            return
        find = find_function(needle)
        length = max(_BLOCK, 2 * len(needle))
        while position + len(needle) <= self.size:
            self.task.check()
            self.task.report(position, self.size, "searching")
            block = self.snapshot.read(position, length + len(needle) - 1)
            at = find(block, 0)
            while at >= 0:
                yield position + at
                at = find(block, at + 1)
            position += length

    def is_character_boundary(self, offset: int) -> bool:
        """Whether a character of several bytes may begin at `offset`; asked in order, one pass over each line.

        What is found there then ends between characters too: no code of one is the beginning of another's.
        """
        line = self.row_holding(offset).offset
        begun, at, decoder = self._decoded or (-1, 0, None)
        if decoder is None or line != begun or offset < at:
            at, decoder = (
                line,
                codecs.getincrementaldecoder(self.encoding.name)("replace"),
            )
        decoder.decode(self.read(at, offset))
        self._decoded = line, offset, decoder
        return not decoder.getstate()[0]

    # Rows by an offset

    def line_start(self, offset: int) -> int:
        """Where the line begins that holds the byte at `offset`."""
        if self._feeds is None:
            return self.snapshot.lines.line_start(offset, self.task)
        return max(self._feeds.rfind(b"\n", self.start, offset) + 1, self.start)

    def row_holding(self, offset: int) -> Line:
        """The line that holds the byte at `offset`."""
        row = self._row
        if row is None or not row.offset <= offset < row.end:
            begin = self.line_start(offset)
            row = self._row = self._plain(begin) or self.snapshot.lines.read_line(
                begin, task=self.task
            )
        return row  # of a long line every occurrence asks again

    def row_starting_at(self, offset: int) -> Line | None:
        """The line that begins at `offset`; None at the end."""
        if offset >= self.size:
            return None
        return self._plain(offset) or self.snapshot.lines.read_line(
            offset, task=self.task
        )

    def row_before(self, row: Line) -> Line | None:
        """The line before `row`; None before the first."""
        if row.offset <= self.start:
            return None
        if self._feeds is not None:
            end = row.offset - 1
            begin = self.line_start(end)
            if (
                end < begin + _NEAR
            ):  # the usual case, as in `_plain`; lines are walked backwards often
                return Line(begin, self._feeds[begin:end], b"\n", row.offset)
        return self.row_holding(row.offset - 1)

    def rows_from(self, offset: int) -> Iterator[Line]:
        """The lines from the one on that begins at `offset`."""
        while (row := self.row_starting_at(offset)) is not None:
            yield row
            offset = row.end

    def rows_before(self, row: Line) -> Iterator[Line]:
        """The lines before `row`, the nearest first."""
        before: Line | None = row
        while before is not None and (before := self.row_before(before)) is not None:
            yield before

    def _plain(self, offset: int) -> Line | None:
        """The line from `offset` on, where all is held and lines end in newlines: the usual case, often asked."""
        if self._feeds is None:
            return None
        end = self._feeds.find(b"\n", offset, offset + _NEAR)
        return (
            Line(offset, self._feeds[offset:end], b"\n", end + 1) if end >= 0 else None
        )

    def first_solid_row(self, rows: Iterable[Line]) -> tuple[str, int]:
        """The first of some lines that is not blank, "" if all are; and how many blank ones come before it."""
        count = 0
        for row in rows:
            text = self.text(row.body)
            if text.strip():
                return text, count
            count += 1
        return "", count

    def rows(self) -> Iterator[Line]:
        """All lines in order."""
        return self.snapshot.lines.read_lines(task=self.task)

    # Rows by their number, from 0

    @cached_property
    def count(self) -> int:
        """How many lines there are."""
        return self.snapshot.lines.count_lines(self.task)

    def line_number(self, offset: int) -> int:
        """The 1-based number of the line that holds `offset`."""
        if self._offsets[0] <= offset < self._offsets[-1]:
            return self._first + bisect_right(self._offsets, offset)
        return self.snapshot.lines.line_at(offset)

    def offset(self, at: int) -> int:
        """The byte offset where line `at` begins; the size of the file for the line past the last."""
        return self._offsets[at - self._first] if self._move(at) else self.size

    def rows_at(self, at: int, count: int) -> tuple[Line, ...]:
        """`count` lines from line `at`, fewer at the end of the file, each with all of its body."""
        rows: list[Line] = []
        while len(rows) < count and self._move(at):
            low = at - self._first
            body = self._bodies[low]
            offset, end = self._offsets[low : low + 2]
            rows.append(Line(offset, body, self.read(offset + len(body), end), end))
            at += 1
        return tuple(rows)

    def bodies(self, at: int, count: int) -> Sequence[bytes]:
        """The bodies of `count` lines from line `at`; fewer at the end of the file."""
        low = at - self._first
        if low >= 0 and low + count <= len(self._bodies):
            return self._bodies[low : low + count]
        result: list[bytes] = []
        while len(result) < count and self._move(at):
            low = at - self._first
            more = self._bodies[low : low + count - len(result)]
            result += more
            at += len(more)
        return result

    def windows(self) -> Iterator[tuple[int, Sequence[bytes]]]:
        """(number of the first line, bodies) of consecutive stretches of the file."""
        at = 0
        while self._move(at):
            self.task.check()
            yield at, self._bodies
            at = self._first + len(self._bodies)

    def _move(self, at: int) -> bool:
        """Make the window hold line `at`; False past the last."""
        if self._first <= at < self._first + len(self._bodies):
            return True
        offset = self._offsets[-1]  # where the next window begins
        if at != self._first + len(self._bodies):
            offset = self.snapshot.lines.offset_of(at + 1, self.task)
        if offset >= self.size:
            return False
        length = _WINDOW
        while True:
            data = self.snapshot.read(offset, length)
            pieces = data.splitlines(keepends=True)
            if offset + len(data) < self.size and pieces and not data.endswith(b"\n"):
                pieces.pop()  # an unended line, or a "\r" whose "\n" may follow
            if pieces:
                self._offsets = list(accumulate(map(len, pieces), initial=offset))
                self._bodies = data.splitlines()[: len(pieces)]
                break
            if length >= _LONG:
                self._offsets = [
                    offset,
                    self.snapshot.lines.offset_of(at + 2, self.task),
                ]
                self._bodies = [_UNMATCHABLE]
                break
            length *= 4
        self._first = at
        return True

    @cached_property
    def indent_unit(self) -> str:
        """What a line of the file is mostly indented more than the line before it, or ""; by its first lines."""
        steps: Counter[str] = Counter()
        before = ""
        head = (
            self.read(self.start, self.start + _MEASURED)
            .replace(b"\r", b"\n")
            .decode("latin-1")
        )
        for match in _INDENT.finditer(head):
            indent = match[0]
            if len(indent) > len(before) and indent.startswith(before):
                steps[indent[len(before) :]] += 1
            before = indent
        return steps.most_common(1)[0][0] if steps else ""

    @cached_property
    def sketch(self) -> tuple[list[Line], list[str]]:
        """The lines of a held text that are not blank, and the beginning of each as it is compared."""
        rows = [row for row in self.rows() if row.body.strip()]
        return rows, [collapse(self.text(row.body[:800]))[:400] for row in rows]
