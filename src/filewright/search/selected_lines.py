"""The lines of a log that a selection takes, with or without a pattern."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from filewright.logs.log_times import LogTimes
from filewright.logs.selection import EntrySelection
from filewright.logs.time_range import TimeRange, find_time_range
from filewright.progress import Task
from filewright.rows.conditions import Condition, NumberPattern
from filewright.rows.fields import MAX_ENTRY_BYTES, find_value, parse_entry
from filewright.rows.row import LeftOutRows, Row, RowReader, UncertainValues
from filewright.rows.table import Table
from filewright.search.matches import END_OF_TEXT, Match, Span, find_matches
from filewright.search.pattern import Pattern
from filewright.search.regex_engine import compile_re2
from filewright.text.lines import Line
from filewright.text.snapshot import Snapshot

_MAX_LINE_BYTES = 16 << 20
"""A longer line is divided, so that no page needs more memory."""


@dataclass
class SelectedLines:
    """The selection in one file: the bytes that may hold lines of it, and a test of each.

    `broken` counts lines that are no JSON objects, and `uncertain` those of which it is
    uncertain whether they fit. Of a table or a document, `rows` are the
    rows that fulfil the conditions, in their order, and `row` is that of the last line;
    `reader` has read them.
    """

    selection: EntrySelection
    start: int
    stop: int
    times: LogTimes | None = None
    time_range: TimeRange | None = None
    broken: LeftOutRows = field(
        default_factory=lambda: LeftOutRows("line", "not JSON")
    )
    uncertain: UncertainValues = field(
        default_factory=lambda: UncertainValues("line")
    )
    reader: RowReader | None = None
    rows: Iterator[Row] | None = None
    row: Row | None = None

    @classmethod
    def of(
        cls, snapshot: Snapshot, selection: EntrySelection, task: Task
    ) -> SelectedLines:
        """Return the selection in a file. Raises as `find_time_range`."""
        if not selection.has_time:
            return cls(selection, snapshot.start, END_OF_TEXT)
        part = find_time_range(
            snapshot,
            selection.since,
            selection.until,
            task,
            selection.last_seconds,
        )
        return cls(
            selection,
            part.time_range.start,
            part.time_range.stop,
            part.times,
            part.time_range,
        )

    def may_have_entries(self, snapshot: Snapshot) -> bool:
        """Return False if fields are compared, and the first line is no JSON object."""
        if not self.selection.conditions or not snapshot.has_byte(self.start):
            return True
        line = snapshot.lines.read_line(snapshot.start, MAX_ENTRY_BYTES)
        return parse_entry(line.body) is not None

    def accepts(self, offset: int, body: bytes) -> bool:
        """Return True if the line at an offset is selected."""
        if self.rows is not None:
            if self._row_at(offset, offset + len(body)) is None:
                return False
        elif self.selection.conditions:
            entry = parse_entry(body)
            if entry is None:
                if body.strip():
                    self.broken.add(offset)
                return False
            if not self._fits(entry, offset, body):
                return False
        return self.is_in_time(offset, body)

    def _fits(self, entry: Mapping[str, Any], offset: int, body: bytes) -> bool:
        """Return True if an entry certainly fits; count an uncertain one."""
        reason = ""
        for condition in self.selection.conditions:
            value = find_value(entry, condition.path)
            verdict = condition.judge(value)
            if verdict is False:
                return False
            if verdict is None:
                reason = condition.explain(value)
        if reason and self.is_in_time(offset, body):
            self.uncertain.add(reason, offset)
        return not reason

    @property
    def left_out(self) -> Sequence[LeftOutRows]:
        """The lines and rows so far that are no rows, or are uncertain."""
        of_reader = () if self.reader is None else self.reader.left_out
        return (self.broken, *self.uncertain.counts, *of_reader)

    def find_form(
        self, path: str, form_of: Callable[[str], str | None], task: Task
    ) -> str | None:
        """Return the form of a column's numbers or dates, or None without a table.

        `form_of` returns the form of a text, or None if it may be in several.
        """
        if not isinstance(self.reader, Table):
            return None
        return self.reader.find_form(path, form_of, task)

    def read_entry(self, body: bytes) -> Mapping[str, Any] | None:
        """Return the fields of the last line that was accepted, or None."""
        if self.rows is None:
            return parse_entry(body)
        if self.row is None:
            return None
        return {path: entry.value for path, entry in self.row.fields.items()}

    def filter_matches(
        self, snapshot: Snapshot, matches: Iterable[Match]
    ) -> Iterator[Match]:
        """Yield those of the matches that are wholly in a selected row or line."""
        for match in matches:
            start = snapshot.lines.line_start(match.offset)
            line = snapshot.lines.read_line(start, MAX_ENTRY_BYTES)
            if not self.accepts(start, line.body):
                continue
            low, high = start, line.body_end
            if self.row is not None:
                low, high = self.row.offset, self.row.end
            if low <= match.offset and match.end <= high:
                yield match

    def _row_at(self, start: int, end: int) -> Row | None:
        """Return the row of `rows` that the bytes [start, end] touch, or None.

        The bytes of later calls are further down.
        """
        assert self.rows is not None
        while self.row is None or self.row.end < start:
            self.row = next(self.rows, None)
            if self.row is None:
                self.rows = iter(())
                return None
        return self.row if self.row.offset <= end else None

    def is_in_time(self, offset: int, body: bytes) -> bool:
        """Return True if the line at an offset is in the selected part of the time."""
        if self.times is None or self.time_range is None:
            return True
        seconds = self.times.time_of_line(offset, body)
        if seconds is None:
            return False
        return self.time_range.since <= seconds < self.time_range.end


@dataclass(frozen=True, slots=True)
class MatchingLine:
    """A line that a search takes, and the groups of its first match."""

    line: Line
    groups: tuple[Span | None, ...] = ()


def iterate_matching_lines(
    snapshot: Snapshot,
    pattern: Pattern,
    selected: SelectedLines | None,
    task: Task,
) -> Iterator[MatchingLine]:
    """Yield the selected lines with a match, or all of them without a pattern."""
    if selected is not None and not selected.selection.has_pattern:
        for line in iterate_selected_lines(
            snapshot, selected, snapshot.start, task
        ):
            yield MatchingLine(line)
        return
    start, stop = snapshot.start, END_OF_TEXT
    if selected is not None:
        start, stop = selected.start, selected.stop
    last_start = -1
    for match in find_matches(
        snapshot, pattern, start=start, stop=stop, once=True, task=task
    ):
        line_start = snapshot.lines.line_start(match.offset, task)
        if line_start == last_start:
            continue
        last_start = line_start
        line = snapshot.lines.read_line(line_start, MAX_ENTRY_BYTES, task=task)
        if selected is None or selected.accepts(line.offset, line.body):
            yield MatchingLine(line, match.groups)


def iterate_selected_lines(
    snapshot: Snapshot, selected: SelectedLines, start: int, task: Task
) -> Iterator[Line]:
    """Yield the selected lines from byte `start` on, where a line begins."""
    start = max(start, selected.start)
    if selected.rows is not None:
        yield from _lines_of_rows(snapshot, selected, start, task)
        return
    if snapshot.encoding.unit_bytes > 1:
        lines = snapshot.lines.read_lines(
            start, selected.stop, limit=MAX_ENTRY_BYTES, task=task
        )
    else:
        lines = _candidate_lines(snapshot, selected, start, task)
    for line in lines:
        if selected.accepts(line.offset, line.body):
            yield line


def _lines_of_rows(
    snapshot: Snapshot, selected: SelectedLines, start: int, task: Task
) -> Iterator[Line]:
    """Yield a line of every selected row: the one that shows why it is selected."""
    assert selected.rows is not None
    last_offset = -1
    for row in selected.rows:
        if not start <= row.shown_offset < selected.stop:
            continue
        selected.row = row
        offset = snapshot.lines.line_start(row.shown_offset, task)
        line = snapshot.lines.read_line(offset, MAX_ENTRY_BYTES, task=task)
        # A document may have several rows in one line.
        is_new = offset > last_offset
        last_offset = offset
        if is_new and selected.is_in_time(offset, line.body):
            yield line


class _LineFilter:
    """A quick test of the lines of a page: it passes every line that the conditions accept.

    A page is searched for the texts and numbers of the conditions faster than its lines
    are parsed. The text that occurs least in the first page is searched for first.
    """

    def __init__(self, conditions: Sequence[Condition]) -> None:
        self._texts: list[Any] = []
        self._numbers: NumberPattern | None = None
        self._is_ordered = False
        for condition in conditions:
            if condition.text_pattern is not None:
                # Latin-1 makes every byte a character, whatever the encoding.
                regexp = compile_re2(condition.text_pattern, latin1=True)
                self._texts.append(regexp)
            elif self._numbers is None:
                self._numbers = condition.number_pattern

    def find_lines(self, page: bytes) -> Iterator[Line]:
        """Yield the lines of a page that may fit, with offsets in the page."""
        if not self._texts and self._numbers is None:
            yield from _split_lines(page)
            return
        offsets = self._offsets(page)
        others = self._texts[1:]
        has_cr = b"\r" in page
        last_end = 0
        for offset in offsets:
            if offset < last_end:
                continue
            line = _line_around(page, offset, has_cr=has_cr)
            last_end = line.end
            if all(regexp.search(line.body) for regexp in others):
                yield line

    def _offsets(self, page: bytes) -> Iterator[int]:
        """Return the offsets of the rarest text, or of the numbers if there is no text."""
        if not self._texts:
            assert self._numbers is not None
            return self._numbers.find(page)
        if not self._is_ordered:
            self._is_ordered = True
            self._texts.sort(
                key=lambda regexp: sum(1 for _ in regexp.finditer(page))
            )
        return (match.start() for match in self._texts[0].finditer(page))


def _split_lines(page: bytes) -> Iterator[Line]:
    """Yield all lines of a page."""
    offset = 0
    for piece in page.splitlines(keepends=True):
        body = piece.rstrip(b"\r\n")
        end = offset + len(piece)
        yield Line(offset, body, piece[len(body) :], end)
        offset = end


def _line_around(page: bytes, offset: int, *, has_cr: bool) -> Line:
    """Return the line of a page that holds an offset."""
    low = page.rfind(b"\n", 0, offset) + 1
    high = page.find(b"\n", offset)
    if high < 0:
        high = len(page)
    if has_cr:
        low = max(low, page.rfind(b"\r", low, offset) + 1)
        carriage_return = page.find(b"\r", offset, high)
        if carriage_return >= 0:
            high = carriage_return
    terminator = page[high : high + 1]
    if page[high : high + 2] == b"\r\n":
        terminator = b"\r\n"
    return Line(low, page[low:high], terminator, high + len(terminator))


def _candidate_lines(
    snapshot: Snapshot, selected: SelectedLines, start: int, task: Task
) -> Iterator[Line]:
    """Yield the lines that may fit, split a page at a time."""
    line_filter = _LineFilter(selected.selection.conditions)
    for page in _iterate_pages(snapshot, start, selected.stop, task):
        for line in line_filter.find_lines(page.content):
            yield Line(
                page.offset + line.offset,
                line.body,
                line.terminator,
                page.offset + line.end,
            )


@dataclass(frozen=True, slots=True)
class _Page:
    """Whole lines of a file, or a part of a very long one, and the offset of the first."""

    offset: int
    content: bytes


def _iterate_pages(
    snapshot: Snapshot, start: int, stop: int, task: Task
) -> Iterator[_Page]:
    """Yield the lines from `start` to `stop`, many at a time."""
    offset, length = start, 0
    parts: list[bytes] = []
    with closing(snapshot.iterate_units(start)) as units:
        for unit in units:
            task.check()
            task.report(offset, snapshot.known_size, "searching")
            position = offset + length
            if position + len(unit) >= stop:
                parts.append(unit[: stop - position])
                break
            end = unit.rfind(b"\n") + 1
            if not end and length < _MAX_LINE_BYTES:
                parts.append(unit)
                length += len(unit)
                continue
            end = end or len(unit)
            page = _Page(offset, b"".join([*parts, unit[:end]]))
            yield page
            offset += len(page.content)
            parts, length = [unit[end:]], len(unit) - end
    rest = b"".join(parts)
    if rest:
        yield _Page(offset, rest)
