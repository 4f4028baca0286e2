"""The text of a snapshot as locating reads it: occurrences, and lines around an offset.

The same calls serve held content and files far larger than memory. Lines come from the snapshot's
own (`filewright.text.Lines`); what is kept here is only what several edits of one call ask again.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from filewright.edit.locate.fold import collapsed, indent_of
from filewright.languages import Language
from filewright.progress import Task
from filewright.text import Encoding, Line, Lines, finder

if TYPE_CHECKING:
    from filewright.edit.locate.request import RequestLines
    from filewright.edit.locate.whole_lines import Region

_LINES_MEASURED, _BYTES_MEASURED = 2_000, 1 << 16
_INDENT = re.compile(r"^[ \t\f\v]*(?=[^\s])", re.MULTILINE)
_NEAR = 1 << 16
_WINDOW = 1 << 20
_BLOCKS_KEPT = 4


class EditSource(Protocol):
    """What locating needs of a `Snapshot`; a result of earlier edits offers it too."""

    @property
    def size(self) -> int: ...

    @property
    def held(self) -> bytes | None: ...

    @property
    def encoding(self) -> Encoding: ...

    @property
    def start(self) -> int: ...

    @property
    def dominant(self) -> bytes: ...

    @property
    def lines(self) -> Lines: ...

    def read(self, offset: int, length: int, /) -> bytes: ...


class FileText:
    """A snapshot with the ways of reading it that locating needs; `language` is its file's, if known."""

    def __init__(
        self, snapshot: EditSource, task: Task | None = None, *, language: Language | None = None
    ) -> None:
        self.snapshot = snapshot
        self.task = task
        self.language = language
        self.encoding = snapshot.encoding
        self.start = snapshot.start
        self.size = snapshot.size
        self.held = snapshot.held
        self.has_no_returns = self.held is not None and b"\r" not in self.held
        usual = self.has_no_returns and self.encoding.width == 1
        self._feeds = self.held if usual else None
        self._last: Line | None = None
        self._regions: dict[RequestLines, list[Region]] = {}
        self._sketch: tuple[list[Line], list[str]] | None = None
        self._characters: tuple[_Characters, _Characters] | None = None

    @property
    def dominant(self) -> bytes:
        """The file's most frequent terminator; counted only where there is a choice."""
        return b"\n" if self.has_no_returns else self.snapshot.dominant

    def line_number(self, offset: int) -> int:
        """The 1-based number of the line that holds `offset`."""
        return self.snapshot.lines.line_at(offset)

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
        find = finder(needle)
        length = max(_WINDOW, 2 * len(needle))
        while position + len(needle) <= self.size:
            if self.task is not None:
                self.task.check()
                self.task.report(position, self.size, "searching")
            block = self.snapshot.read(position, length + len(needle) - 1)
            at = find(block, 0)
            while at >= 0:
                yield position + at
                at = find(block, at + 1)
            position += length

    def on_boundary(self, offset: int, end: int) -> bool:
        """Whether [offset, end) begins and ends between characters; asked in order, one pass over each line."""
        if not self.encoding.multibyte:
            return True
        if self._characters is None:
            self._characters = _Characters(self.encoding), _Characters(self.encoding)
        row = self.row_at(offset)
        return all(
            characters.between(self, row.offset, place)
            for characters, place in zip(self._characters, (offset, end), strict=True)
        )

    def row_at(self, offset: int) -> Line:
        """The line that holds the byte at `offset`."""
        last = self._last
        if last is None or not last.offset <= offset < last.end:
            begin = self._begin(offset)
            last = self._last = self._plain(begin) or self.snapshot.lines.starting(begin, task=self.task)
        return last  # of a long line every occurrence asks again

    def row_from(self, offset: int) -> Line | None:
        """The line that begins at `offset`; None at the end."""
        if offset >= self.size:
            return None
        return self._plain(offset) or self.snapshot.lines.starting(offset, task=self.task)

    def row_before(self, row: Line) -> Line | None:
        """The line before `row`; None before the first."""
        if row.offset <= self.start:
            return None
        if self._feeds is not None:
            end = row.offset - 1
            begin = max(self._feeds.rfind(b"\n", self.start, end) + 1, self.start)
            if end < begin + _NEAR:  # the usual case, as in `_plain`; lines are walked backwards often
                return Line(begin, self._feeds[begin:end], b"\n", row.offset)
        return self.row_at(row.offset - 1)

    def rows_from(self, offset: int) -> Iterator[Line]:
        """The lines from the one on that begins at `offset`."""
        while (row := self.row_from(offset)) is not None:
            yield row
            offset = row.end

    def rows_before(self, row: Line) -> Iterator[Line]:
        """The lines before `row`, the nearest first."""
        before: Line | None = row
        while before is not None and (before := self.row_before(before)) is not None:
            yield before

    def _begin(self, offset: int) -> int:
        if self._feeds is None:
            return self.snapshot.lines.begin(offset, self.task)
        return max(self._feeds.rfind(b"\n", self.start, offset) + 1, self.start)

    def _plain(self, offset: int) -> Line | None:
        """The line from `offset` on, where all is held and lines end in newlines: the usual case, often asked."""
        if self._feeds is None:
            return None
        end = self._feeds.find(b"\n", offset, offset + _NEAR)
        return Line(offset, self._feeds[offset:end], b"\n", end + 1) if end >= 0 else None

    def rows(self) -> Iterator[Line]:
        """All lines in order."""
        return self.snapshot.lines.since(task=self.task)

    @cached_property
    def indent_unit(self) -> str:
        """What a line of the file is mostly indented more than the line before it, or ""; by its first lines."""
        steps: Counter[str] = Counter()
        before = ""
        if self._feeds is not None:
            head = self._feeds[self.start : self.start + _BYTES_MEASURED].decode("latin-1")
            indents = [match[0] for match in _INDENT.finditer(head)]
        else:
            texts = (self.text(row.body[:200]) for row in islice(self.rows(), _LINES_MEASURED))
            indents = [indent_of(text) for text in texts if text.strip()]
        for indent in indents:
            if len(indent) > len(before) and indent.startswith(before):
                steps[indent[len(before) :]] += 1
            before = indent
        return steps.most_common(1)[0][0] if steps else ""

    def remembered(self, block: RequestLines) -> list[Region] | None:
        """The regions of one of the last blocks looked for; None if it was not."""
        return self._regions.get(block)

    def remember(self, block: RequestLines, regions: list[Region]) -> None:
        """Keep the regions of a block; only those of the last few are."""
        if len(self._regions) >= _BLOCKS_KEPT:
            del self._regions[next(iter(self._regions))]
        self._regions[block] = regions

    def sketch(self) -> tuple[list[Line], list[str]]:
        """The lines of a held text that are not blank, and the beginning of each as it is compared; kept."""
        if self._sketch is None:
            rows = [row for row in self.rows() if row.body.strip()]
            self._sketch = rows, [collapsed(self.text(row.body[:800]))[:400] for row in rows]
        return self._sketch


class _Characters:
    """Where characters begin in one line of a multi-byte encoding, decoded once from left to right."""

    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding
        self._line = self._at = -1
        self._decoder = codecs.getincrementaldecoder(encoding.name)("replace")

    def between(self, source: FileText, line: int, offset: int) -> bool:
        """Whether a character may begin at `offset` of the line that begins at `line`."""
        if line != self._line or offset < self._at:
            self._line = self._at = line
            self._decoder = codecs.getincrementaldecoder(self._encoding.name)("replace")
        self._decoder.decode(source.read(self._at, offset))
        self._at = offset
        return not self._decoder.getstate()[0]
