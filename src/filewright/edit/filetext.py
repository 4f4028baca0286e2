"""The one line index of the room: the text of a snapshot by offsets, by lines, and by what occurs in it exactly.

What `find_exact` and `find_blocks` find cannot be wrong: it is what was asked for, with any terminator at each newline.

UTF-16 is read as UTF-8 here, for every edit, and what is decided on it is carried back to the file's own bytes.

The same calls serve held content and files far larger than memory. Rows are asked for by an offset, as
locating needs them, or by their number, counted from 0, as hunks and edits of lines do; a window of
bounded size is split where numbers are asked for, so that going forward costs one pass.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, chain, groupby, islice, pairwise
from typing import TYPE_CHECKING

from filewright.edit.locate.request import ByteRange, collapsed
from filewright.errors import Code, FilewrightError
from filewright.languages import Language
from filewright.progress import Task
from filewright.text.lines import Line, finder
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice
from filewright.text.wide import Narrowed

if TYPE_CHECKING:
    from filewright.edit.find import Regions
    from filewright.edit.locate.request import RequestLines

_INDENT = re.compile(r"^[ \t\f\v]*(?=[^\s])", re.MULTILINE)
_MEASURED = 1 << 16
_NEAR = 1 << 16
_BLOCK = 1 << 20
_WINDOW = 1 << 18
#: Of a longer line in a file that is not held nothing is compared: it matches no row.
_LONG = 1 << 24
_UNMATCHABLE = b"\n"  # no line's body holds its terminator
#: Bytes of a search text that is looked for in a file that is not held.
_MOST_STREAMED = 8 << 20
#: Lines compared for many blocks before they are called too alike.
_MOST_PLACES = 30_000_000
#: Blocks that are looked for as bytes in a file that is not held, and how many hits of their lines are looked at.
_FEW, _LOOKS = 8, 400


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
            Narrowed.to_edit(snapshot) if snapshot.encoding.width > 1 else None
        )
        self.snapshot = snapshot = (
            self._narrowed.snapshot if self._narrowed else snapshot
        )
        self.task = task or Task()
        self.language = language
        self.encoding = snapshot.encoding
        self.start = snapshot.start
        self.size = snapshot.size
        self.held = snapshot.held
        self.has_no_returns = snapshot.has_no_returns
        self._feeds = self.held if self.has_no_returns else None
        self._row: Line | None = None
        self._decoded: tuple[int, int, codecs.IncrementalDecoder] | None = None
        self._first = 0
        self._bodies: list[bytes] = []
        self._offsets: list[int] = [self.start]
        self.found: dict[RequestLines, Regions] = {}

    def version(self, content: bytes) -> Source:
        """Another version of the file, read as this one is."""
        text = self._narrowed.text(content) if self._narrowed else content
        shown = Snapshot(text, encoding=self.encoding.name)
        return Source(shown, self.task, language=self.language)

    def of_file(self, splices: Iterable[Splice]) -> Iterator[Splice]:
        """Ordered splices of the text as those of the file, of which none writes half of a line end."""
        made = self._parted(splices)
        return self._narrowed.widened(made) if self._narrowed else made

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
        find = finder(needle)
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

    def on_boundary(self, offset: int) -> bool:
        """Whether a character of several bytes may begin at `offset`; asked in order, one pass over each line.

        What is found there then ends between characters too: no code of one is the beginning of another's.
        """
        line = self.row_at(offset).offset
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

    def begin_of(self, offset: int) -> int:
        """Where the line begins that holds the byte at `offset`."""
        if self._feeds is None:
            return self.snapshot.lines.begin(offset, self.task)
        return max(self._feeds.rfind(b"\n", self.start, offset) + 1, self.start)

    def row_at(self, offset: int) -> Line:
        """The line that holds the byte at `offset`."""
        row = self._row
        if row is None or not row.offset <= offset < row.end:
            begin = self.begin_of(offset)
            row = self._row = self._plain(begin) or self.snapshot.lines.starting(
                begin, task=self.task
            )
        return row  # of a long line every occurrence asks again

    def row_from(self, offset: int) -> Line | None:
        """The line that begins at `offset`; None at the end."""
        if offset >= self.size:
            return None
        return self._plain(offset) or self.snapshot.lines.starting(
            offset, task=self.task
        )

    def row_before(self, row: Line) -> Line | None:
        """The line before `row`; None before the first."""
        if row.offset <= self.start:
            return None
        if self._feeds is not None:
            end = row.offset - 1
            begin = self.begin_of(end)
            if (
                end < begin + _NEAR
            ):  # the usual case, as in `_plain`; lines are walked backwards often
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

    def _plain(self, offset: int) -> Line | None:
        """The line from `offset` on, where all is held and lines end in newlines: the usual case, often asked."""
        if self._feeds is None:
            return None
        end = self._feeds.find(b"\n", offset, offset + _NEAR)
        return (
            Line(offset, self._feeds[offset:end], b"\n", end + 1) if end >= 0 else None
        )

    def first_solid(self, rows: Iterable[Line]) -> tuple[str, int]:
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
        return self.snapshot.lines.since(task=self.task)

    # Rows by their number, from 0

    @cached_property
    def count(self) -> int:
        """How many lines there are."""
        return self.snapshot.lines.count(self.task)

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
        return rows, [collapsed(self.text(row.body[:800]))[:400] for row in rows]


# What occurs in it exactly


def find_exact(
    source: Source, search: str, limit: int, *, line: int | None = None
) -> list[ByteRange]:
    """Up to `limit` places where `search` (not empty) is, overlapping ones too, in order; those at a `line` alone.

    Raises `too_large` for a search text of more than 8 MB in a file that is not held.
    """
    try:
        needle = search.encode(source.encoding.name)
    except UnicodeEncodeError:
        return []  # a character the file cannot hold
    if len(needle) > source.size:
        return []
    if source.held is None and len(needle) > _MOST_STREAMED:
        raise FilewrightError(
            Code.TOO_LARGE,
            f"the search text has {len(needle)} bytes, too many to look for in a file of {source.size}",
            "search for less, with a start_line and an end_line",
        )
    begin, end = (
        (source.offset(line - 1), source.offset(line))
        if line is not None
        else (0, source.size + 1)
    )
    hits: Iterator[int | ByteRange] = source.occurrences(needle)
    if b"\n" in needle and not source.has_no_returns:
        hits = _with_any_terminators(source, needle.split(b"\n"))
    found: list[ByteRange] = []
    for hit in hits:
        span = ByteRange(hit, hit + len(needle)) if isinstance(hit, int) else hit
        if span.start >= end:
            break
        if span.start >= begin and (
            not source.encoding.multibyte or source.on_boundary(span.start)
        ):
            found.append(span)
            if len(found) == limit:
                break
    return found


def _with_any_terminators(source: Source, pieces: list[bytes]) -> Iterator[ByteRange]:
    """Occurrences where each newline may be any terminator, found through the longest line."""
    anchor = max(range(len(pieces)), key=lambda index: len(pieces[index]))
    hits = map(source.line_number, source.occurrences(pieces[anchor]))
    for line, _ in groupby(hits if pieces[anchor] else range(1, source.count + 1)):
        at = line - 1
        rows = source.rows_at(max(0, at - anchor), len(pieces))
        bodies = [row.body for row in rows]
        if len(rows) == len(pieces) - 1 and rows[-1].terminator:
            bodies.append(b"")  # what is behind the last line's end
        if (
            at >= anchor
            and len(bodies) == len(pieces)
            and bodies[0].endswith(pieces[0])
            and bodies[1:-1] == pieces[1:-1]
            and bodies[-1].startswith(pieces[-1])
        ):
            last = rows[-1].offset if len(rows) == len(pieces) else source.size
            yield ByteRange(rows[0].body_end - len(pieces[0]), last + len(pieces[-1]))


def find_blocks(
    source: Source, blocks: Iterable[tuple[bytes, ...]]
) -> dict[tuple[bytes, ...], list[int]] | None:
    """The lines (from 0) at which each of many blocks of lines is, terminators aside.

    Two passes over the file at most. None if there are too many places to compare.
    """
    wanted = set(blocks)
    if source.held is None and len(wanted) <= _FEW:
        sought = {block: _sought(source, block) for block in wanted}
        if None not in sought.values():
            return {
                block: places for block, places in sought.items() if places is not None
            }
    counts = dict.fromkeys((body for block in wanted for body in block), 0)
    for _, bodies in source.windows():
        for body in bodies:
            if body in counts:
                counts[body] += 1
    rarest = {
        block: min(range(len(block)), key=lambda index: counts[block[index]])
        for block in wanted
    }
    places: dict[bytes, list[int]] = {
        block[index]: [] for block, index in rarest.items()
    }
    for first, bodies in source.windows():
        for index, body in enumerate(bodies, first):
            if body in places:
                places[body].append(index)
    if sum(len(places[block[index]]) for block, index in rarest.items()) > _MOST_PLACES:
        return None
    return {
        block: [
            at - index
            for at in places[block[index]]
            if stands(source, block, at - index)
        ]
        for block, index in rarest.items()
    }


def stands(source: Source, block: tuple[bytes, ...], at: int) -> bool:
    """Whether the lines from line `at` (from 0) are those of a block."""
    return at >= 0 and tuple(source.bodies(at, len(block))) == block


def _sought(source: Source, block: tuple[bytes, ...]) -> list[int] | None:
    """The places of a block, by looking for its longest line as bytes; None where that is no help."""
    index = max(range(len(block)), key=lambda at: len(block[at]))
    if len(block[index]) < 8:
        return None
    hits = list(islice(source.occurrences(block[index]), _LOOKS + 1))
    if len(hits) > _LOOKS:
        return None
    lines = dict.fromkeys(source.line_number(hit) - 1 - index for hit in hits)
    return [at for at in lines if stands(source, block, at)]
