"""A scan of a table, block by block, for the rows that fulfil conditions.

A search for the needles of the conditions skips most rows; only a row that has all of
them is divided into its fields.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter

from filewright.errors import Code, FilewrightError, path_error
from filewright.progress import Task
from filewright.rows.column_condition import ColumnCondition
from filewright.rows.row import (
    MAX_ROW_BYTES,
    Field,
    LeftOutRows,
    Row,
    UncertainValues,
)
from filewright.rows.table_syntax import Span, TableSyntax
from filewright.text.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class UncertainRows:
    """The counts of the rows of a table that may fulfil conditions, but are uncertain.

    `of_other_length` have more or fewer fields than the table has columns, `unread` a
    text that is not read as the number or date it is compared with, and
    `with_open_quote` a delimiter behind a quote that does not begin its field.
    """

    of_other_length: LeftOutRows = field(
        default_factory=lambda: LeftOutRows("row", "of another length")
    )
    unread: UncertainValues = field(
        default_factory=lambda: UncertainValues("row")
    )
    with_open_quote: LeftOutRows = field(
        default_factory=lambda: LeftOutRows(
            "row", "with a delimiter after a space and a quote"
        )
    )

    @property
    def counts(self) -> Sequence[LeftOutRows]:
        """Return the counts by their reasons."""
        return (
            self.of_other_length,
            *self.unread.counts,
            self.with_open_quote,
        )


@dataclass(frozen=True, slots=True)
class _BufferedRows:
    """The rows of a buffer that may fit, and the end of its last whole row."""

    candidates: Sequence[Span]
    end: int


@dataclass(frozen=True, slots=True)
class _RowPattern:
    """A pattern of a row with all columns; `groups` has the group of each needed column."""

    pattern: re.Pattern[bytes]
    groups: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class TableScan:
    """A scan of the rows of a table from `start` on, in blocks of `block_bytes`.

    The rows fulfil `conditions`; their fields are those of `columns`, by their paths.
    """

    snapshot: Snapshot
    syntax: TableSyntax
    column_count: int
    start: int
    block_bytes: int
    conditions: Sequence[ColumnCondition]
    columns: Mapping[str, int]
    uncertain: UncertainRows

    def iterate_rows(self, task: Task) -> Iterator[Row]:
        """Yield the rows that certainly fulfil all conditions.

        Raise `unsupported` at a row with a quoted field that has no end.
        """
        row_pattern = self._compile_row()
        needles = []
        for condition in self.conditions:
            if condition.needle is not None:
                needles.append(condition.needle)
        offset, remaining_bytes = self.start, b""
        while True:
            task.check()
            task.report(offset, self.snapshot.known_size, "reading rows")
            block = self.snapshot.read(
                offset + len(remaining_bytes), self.block_bytes
            )
            buffer = remaining_bytes + block
            if not buffer:
                return
            if offset == self.start:
                needles = _order_needles(needles, buffer)
            rows = self._find_candidates(buffer, needles, is_last=not block)
            for start, end in rows.candidates:
                match = row_pattern.pattern.match(buffer, start, end)
                if match is None:
                    if self._fits_elsewhere(buffer[start:end]):
                        self.uncertain.of_other_length.add(offset + start)
                elif self._is_certain_hit(row_pattern, match, offset + start):
                    yield self._build_row(offset, match, row_pattern)
            if rows.end == 0 and (
                not block or len(buffer) > MAX_ROW_BYTES + self.block_bytes
            ):
                raise self._unended_row(offset)
            offset += rows.end
            remaining_bytes = buffer[rows.end :]

    def _compile_row(self) -> _RowPattern:
        """Return the pattern of a row, with groups for the compared and named columns."""
        compared_columns = {condition.index for condition in self.conditions}
        ordered = sorted({*compared_columns, *self.columns.values()})
        pattern = self.syntax.compile_columns(ordered, self.column_count)
        groups = {column: group for group, column in enumerate(ordered, 1)}
        return _RowPattern(pattern, groups)

    def _find_candidates(
        self,
        buffer: bytes,
        needles: Sequence[re.Pattern[bytes]],
        *,
        is_last: bool,
    ) -> _BufferedRows:
        """Return the rows of a buffer in which all needles occur.

        A row that may go on behind the buffer is left for the next buffer.
        """
        candidates: list[Span] = []
        position = 0
        while position < len(buffer):
            row_start = position
            if needles:
                match = needles[0].search(buffer, position)
                if match is None:
                    break
                row_start = self.syntax.skip_rows(
                    buffer, position, match.start()
                )
            row_ends = self.syntax.find_row(buffer, row_start)
            if row_ends is None:
                return _BufferedRows(candidates, row_start)
            row_end, next_start = row_ends
            if next_start == len(buffer) and not is_last:
                return _BufferedRows(candidates, row_start)
            position = next_start
            if _all_occur(needles, buffer, row_start, row_end):
                candidates.append((row_start, row_end))
        rows_end = self.syntax.skip_rows(buffer, position, len(buffer))
        if is_last and self.syntax.find_row(buffer, rows_end) is not None:
            rows_end = len(buffer)
        return _BufferedRows(candidates, rows_end)

    def _is_certain_hit(
        self,
        row_pattern: _RowPattern,
        match: re.Match[bytes],
        row_offset: int,
    ) -> bool:
        """Return True if a row certainly fulfils all conditions; count an uncertain row."""
        verdict = self._judge(row_pattern, match)
        if verdict is None:
            self.uncertain.unread.add(
                self._explain(row_pattern, match), row_offset
            )
            return False
        if verdict and self._has_open_quote(match.group()):
            self.uncertain.with_open_quote.add(row_offset)
            return False
        return verdict

    def _judge(
        self, row_pattern: _RowPattern, match: re.Match[bytes]
    ) -> bool | None:
        """Return True if a row fulfils all conditions, and False if it breaks one.

        Return None if a field is uncertain, and no condition is broken.
        """
        row_verdict: bool | None = True
        for condition in self.conditions:
            verdict = condition.judge(
                match[row_pattern.groups[condition.index]]
            )
            if verdict is False:
                return False
            if verdict is None:
                row_verdict = None
        return row_verdict

    def _explain(self, row_pattern: _RowPattern, match: re.Match[bytes]) -> str:
        """Return why the first uncertain field of a row is uncertain."""
        for condition in self.conditions:
            field_bytes = match[row_pattern.groups[condition.index]]
            if condition.judge(field_bytes) is None:
                return condition.explain(field_bytes)
        raise AssertionError("no field is uncertain")

    def _has_open_quote(self, row: bytes) -> bool:
        """Return True if a field begins with spaces and a quote that is not closed in it.

        Most readers end such a field at the next delimiter, but the writer is likely to
        have meant a quoted field with the delimiter in it.
        """
        if b' "' not in row:
            return False
        for field_bytes in self.syntax.split(row):
            is_odd = field_bytes.count(b'"') % 2 == 1
            if is_odd and field_bytes.lstrip(b" ").startswith(b'"'):
                return True
        return False

    def _fits_elsewhere(self, row: bytes) -> bool:
        """Return True if each condition is fulfilled by a field of any column."""
        if not row:
            return False
        texts = [self._read_text(part) for part in self.syntax.split(row)]
        return all(
            any(map(column_condition.condition.accepts_value, texts))
            for column_condition in self.conditions
        )

    def _build_row(
        self,
        buffer_offset: int,
        match: re.Match[bytes],
        row_pattern: _RowPattern,
    ) -> Row:
        fields = {}
        for path, column in self.columns.items():
            group = row_pattern.groups[column]
            fields[path] = Field(
                buffer_offset + match.start(group),
                buffer_offset + match.end(group),
                self._read_text(match[group]),
            )
        offset = buffer_offset + match.start()
        return Row(offset, buffer_offset + match.end(), offset, fields)

    def _read_text(self, field_bytes: bytes) -> str:
        return self.syntax.read_text(field_bytes, self.snapshot.encoding)

    def _unended_row(self, offset: int) -> FilewrightError:
        path = self.snapshot.requested_path
        line = self.snapshot.lines.line_at(offset)
        return path_error(
            Code.UNSUPPORTED,
            path,
            f"{path} has a quoted field in line {line} that does not end before "
            "a delimiter or the end of a line",
            "correct its quotes, or replace text by a pattern",
            line=line,
        )


def _all_occur(
    needles: Sequence[re.Pattern[bytes]], buffer: bytes, start: int, end: int
) -> bool:
    """Return True if all needles occur in a part of a buffer."""
    # A loop takes half the time of a generator, and this runs once a row.
    for needle in needles:  # noqa: SIM110
        if needle.search(buffer, start, end) is None:
            return False
    return True


def _order_needles(
    needles: Sequence[re.Pattern[bytes]], buffer: bytes
) -> list[re.Pattern[bytes]]:
    """Return the needles, the rarest in a buffer first."""
    counts = []
    for needle in needles:
        counts.append((sum(1 for _ in needle.finditer(buffer)), needle))
    counts.sort(key=itemgetter(0))
    return [needle for _, needle in counts]
