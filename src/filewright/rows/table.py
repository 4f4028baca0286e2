"""A table: a file of delimited text, with columns by their names or numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from operator import itemgetter

from filewright.errors import Code, FilewrightError, invalid, path_error
from filewright.progress import Task
from filewright.rows.conditions import Condition, to_number
from filewright.rows.fields import to_text
from filewright.rows.row import MAX_ROW_BYTES, Field, LeftOutRows, Row
from filewright.rows.table_facts import DELIMITERS, TableFacts, summarize_table
from filewright.rows.table_syntax import Span, TableSyntax
from filewright.text.codec import Encoding, normalize_newlines
from filewright.text.lines import PAGE_BYTES
from filewright.text.snapshot import Snapshot
from filewright.wording import closest_matches, join_limited

_MAX_SAMPLED_LINES = 100
_DELIMITER_LINE = re.compile(r'"?sep=(.)"?')
_MAX_LISTED_NAMES = 30
_MAX_CACHED_VERDICTS = 10_000
_MAX_CACHED_FIELD_BYTES = 200
_UNQUOTED_TEXT = re.compile(r"[^\r\n\"]+")


@dataclass(frozen=True, slots=True)
class _ColumnCondition:
    """A condition on the column with an index.

    `needle` occurs in every field that fits, and maybe in others; it is None if there is
    no such pattern. `verdicts` caches the results by field: a column often has few values.
    """

    index: int
    condition: Condition
    needle: re.Pattern[bytes] | None
    verdicts: dict[bytes, bool | None] = field(default_factory=dict)

    def judge(self, value: str) -> bool | None:
        """Return True if a value fits, or None for a text where a number is needed.

        Compared as texts, numbers with a decimal comma, say, would be out of order.
        """
        condition = self.condition
        if condition.sign not in ("=", "!="):
            (expected,) = condition.expected
            if to_number(expected) is not None and to_number(value) is None:
                return None if value.strip() else False
        return condition.accepts_value(value)


@dataclass(frozen=True, slots=True)
class _Header:
    """The names in the first row, and the offset of the second."""

    names: tuple[str, ...]
    end: int


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

    @classmethod
    def of(cls, table: Table, columns: Iterable[int]) -> _RowPattern:
        """Return the pattern of the rows of a table."""
        ordered = sorted(columns)
        pattern = table.syntax.compile_columns(ordered, table.column_count)
        return cls(
            pattern, {column: 1 + group for group, column in enumerate(ordered)}
        )


@dataclass
class Table:
    """The columns and the rows of a table, which is read in blocks of `block_bytes`.

    `names` are those in the header, without spaces around them. The rows begin at
    `start`, and have `column_count` fields. Rows that may fit but are uncertain are
    counted: `of_other_length` those with more or fewer fields, `without_number` those
    with a text where a number is needed, and `with_open_quote` those with a delimiter
    behind a quote that does not begin its field.
    """

    snapshot: Snapshot
    syntax: TableSyntax
    names: tuple[str, ...]
    column_count: int
    start: int
    block_bytes: int = 1 << 20
    of_other_length: LeftOutRows = field(
        default_factory=lambda: LeftOutRows("row", "of another length")
    )
    without_number: LeftOutRows = field(
        default_factory=lambda: LeftOutRows("row", "without a number")
    )

    with_open_quote: LeftOutRows = field(
        default_factory=lambda: LeftOutRows(
            "row", "with a delimiter behind a blank and a quote"
        )
    )

    @property
    def left_out(self) -> Sequence[LeftOutRows]:
        """The rows that are not certain."""
        return (
            self.of_other_length,
            self.without_number,
            self.with_open_quote,
        )

    @classmethod
    def of(
        cls,
        snapshot: Snapshot,
        paths: Iterable[str],
        delimiter: str | None = None,
    ) -> Table:
        """Return the table of a snapshot whose encoding has units of one byte.

        The first row is a header if it has a name of `paths`, or looks like one. Raise
        `unsupported` if there are no columns.
        """
        table = cls.find(snapshot, paths, delimiter)
        if table is None:
            path = snapshot.requested_path
            raise path_error(
                Code.UNSUPPORTED,
                path,
                f"{path} has no columns: no delimiter divides its lines",
                "replace text by a pattern",
            )
        return table

    @classmethod
    def find(
        cls,
        snapshot: Snapshot,
        paths: Iterable[str],
        delimiter: str | None = None,
    ) -> Table | None:
        """Return the table of a snapshot, or None if it has no columns.

        The delimiter is the one that the first line names (`sep=;`), or that gives the
        header all names of `paths`, or that gives most rows the same number of columns.
        """
        lines = _read_first_lines(snapshot)
        start = snapshot.start
        while lines and not lines[0]:
            start = snapshot.lines.line_end(start)
            del lines[0]
        delimiter_line = _DELIMITER_LINE.fullmatch(lines[0]) if lines else None
        if delimiter_line is not None:
            delimiter = delimiter_line[1]
            start = snapshot.lines.line_end(start)
            del lines[0]
        facts = summarize_table(lines, delimiter)
        if facts is None:
            return None
        column_paths = {*paths}
        wanted_names = {path for path in column_paths if not path.isdecimal()}
        table = cls._read_table(snapshot, facts, start, column_paths)
        if delimiter is not None or wanted_names <= set(table.names):
            return table
        for other_delimiter in DELIMITERS:
            other_facts = summarize_table(lines, other_delimiter)
            if other_facts is not None:
                other_table = cls._read_table(
                    snapshot, other_facts, start, column_paths
                )
                if wanted_names <= set(other_table.names):
                    return other_table
        return table

    @classmethod
    def _read_table(
        cls,
        snapshot: Snapshot,
        facts: TableFacts,
        start: int,
        names: AbstractSet[str],
    ) -> Table:
        """Return the table with a delimiter; its first row may be a header."""
        syntax = TableSyntax.of(facts.delimiter.encode())
        table = cls(snapshot, syntax, (), facts.columns, start)
        header = table._read_header()
        if header is None:
            return table
        # A number up to that of the columns is no name; 2020 may be one.
        numbers = map(str, range(1, facts.columns + 1))
        has_name = not names.isdisjoint({*header.names} - {*numbers})
        if not facts.has_header and not has_name:
            return table
        return replace(
            table,
            names=header.names,
            column_count=len(header.names),
            start=header.end,
        )

    def _read_header(self) -> _Header | None:
        """Return the first row as a header, or None if its quoted field has no end."""
        buffer = self.snapshot.read(self.start, MAX_ROW_BYTES)
        row_ends = self.syntax.find_row(buffer, 0)
        if row_ends is None:
            return None
        row_end, next_start = row_ends
        row = buffer[:row_end]
        names = []
        for name in self.syntax.split(row):
            names.append(self._read_value(name).strip())
        return _Header(tuple(names), self.start + next_start)

    def _read_value(self, field_bytes: bytes) -> str:
        """Return the text of a field, with ``\\n`` for every line end in it."""
        value = self.syntax.read_field(field_bytes)
        return normalize_newlines(
            value.decode(self.snapshot.encoding.name, "replace")
        )

    # Columns

    def find_column(self, name: str) -> int:
        """Return the index of the column with a name, or with a number from 1 on.

        Raise `invalid_input` if there is none, or several.
        """
        numbers = [
            number
            for number, other_name in enumerate(self.names, 1)
            if other_name == name
        ]
        if len(numbers) > 1:
            columns = " and ".join(map(str, numbers))
            raise invalid(
                f"columns {columns} of {self.snapshot.requested_path} are both "
                f"named {name!r}",
                f'name a column by its number: "{numbers[0]}"',
                argument="where",
            )
        if numbers:
            return numbers[0] - 1
        if name.isdecimal() and 1 <= int(name) <= self.column_count:
            return int(name) - 1
        raise self._unknown_column(name)

    def _unknown_column(self, name: str) -> FilewrightError:
        path = self.snapshot.requested_path
        message = f"{path} has no column {name!r}"
        if not self.names:
            return invalid(
                f"{message}, and no header",
                f'name its {self.column_count} columns by numbers, from "1" on',
                argument="where",
            )
        hint = f"columns: {join_limited(self.names, _MAX_LISTED_NAMES)}"
        nearest = closest_matches(name, self.names)
        if nearest:
            hint = f"did you mean {' or '.join(map(repr, nearest))}? {hint}"
        return invalid(message, hint, argument="where")

    # Rows

    def iterate_rows(
        self,
        conditions: Sequence[Condition],
        paths: Sequence[str],
        task: Task,
    ) -> Iterator[Row]:
        """Yield the rows that fulfil all conditions, with the fields at `paths`.

        Raise `invalid_input` for an unknown column, and `unsupported` at a row with a
        quoted field that has no end.
        """
        column_conditions = [
            self._bind_condition(condition) for condition in conditions
        ]
        columns = {path: self.find_column(path) for path in paths}
        # Not a generator itself: an unknown column is refused before the first row.
        return self._iterate_rows(column_conditions, columns, task)

    def _iterate_rows(
        self,
        conditions: Sequence[_ColumnCondition],
        columns: Mapping[str, int],
        task: Task,
    ) -> Iterator[Row]:
        compared_columns = [
            column_condition.index for column_condition in conditions
        ]
        row_pattern = _RowPattern.of(
            self, {*compared_columns, *columns.values()}
        )
        needles = []
        for column_condition in conditions:
            if column_condition.needle is not None:
                needles.append(column_condition.needle)
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
            buffered_rows = self._find_candidates(
                buffer, needles, is_last=not block
            )
            for row_start, row_end in buffered_rows.candidates:
                match = row_pattern.pattern.match(buffer, row_start, row_end)
                if match is None:
                    if self._fits_elsewhere(
                        conditions, buffer[row_start:row_end]
                    ):
                        self.of_other_length.add(offset + row_start)
                    continue
                if self._is_certain_hit(
                    conditions, row_pattern, match, offset + row_start
                ):
                    yield self._build_row(offset, match, row_pattern, columns)
            is_stuck = (
                not block or len(buffer) > MAX_ROW_BYTES + self.block_bytes
            )
            if buffered_rows.end == 0 and is_stuck:
                raise self._unended_row(offset)
            offset += buffered_rows.end
            remaining_bytes = buffer[buffered_rows.end :]

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
            if row_ends is None or (row_ends[1] == len(buffer) and not is_last):
                return _BufferedRows(candidates, row_start)
            row_end, position = row_ends
            for needle in needles:
                if needle.search(buffer, row_start, row_end) is None:
                    break
            else:
                candidates.append((row_start, row_end))
        rows_end = self.syntax.skip_rows(buffer, position, len(buffer))
        if is_last and self.syntax.find_row(buffer, rows_end) is not None:
            rows_end = len(buffer)
        return _BufferedRows(candidates, rows_end)

    def _bind_condition(self, condition: Condition) -> _ColumnCondition:
        """Return a condition on a column of this table."""
        expected = []
        for value in condition.expected:
            # An empty field is the only one without a value.
            expected.append("" if value is None else value)
        column_condition = replace(condition, expected=tuple(expected))
        return _ColumnCondition(
            self.find_column(condition.path),
            column_condition,
            _build_needle(column_condition, self.snapshot.encoding),
        )

    def _is_certain_hit(
        self,
        conditions: Sequence[_ColumnCondition],
        row_pattern: _RowPattern,
        match: re.Match[bytes],
        row_offset: int,
    ) -> bool:
        """Return True if a row certainly fulfils all conditions; count an uncertain row."""
        verdict = self._judge(conditions, row_pattern, match)
        if verdict is None:
            self.without_number.add(row_offset)
            return False
        if verdict and self._has_open_quote(match.group()):
            self.with_open_quote.add(row_offset)
            return False
        return verdict

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

    def _judge(
        self,
        conditions: Sequence[_ColumnCondition],
        row_pattern: _RowPattern,
        match: re.Match[bytes],
    ) -> bool | None:
        """Return True if a row fulfils all conditions, and False if it breaks one.

        Return None if a text is where a number is needed, and no condition is broken.
        """
        row_verdict: bool | None = True
        for column_condition in conditions:
            field_bytes = match[row_pattern.groups[column_condition.index]]
            if field_bytes in column_condition.verdicts:
                verdict = column_condition.verdicts[field_bytes]
            else:
                verdict = column_condition.judge(self._read_value(field_bytes))
                is_short = len(field_bytes) < _MAX_CACHED_FIELD_BYTES
                if (
                    is_short
                    and len(column_condition.verdicts) < _MAX_CACHED_VERDICTS
                ):
                    column_condition.verdicts[field_bytes] = verdict
            if verdict is False:
                return False
            if verdict is None:
                row_verdict = None
        return row_verdict

    def _fits_elsewhere(
        self, conditions: Sequence[_ColumnCondition], row: bytes
    ) -> bool:
        """Return True if each condition is fulfilled by a field of any column."""
        if not row:
            return False
        values = [
            self._read_value(field_bytes)
            for field_bytes in self.syntax.split(row)
        ]
        return all(
            any(map(column_condition.condition.accepts_value, values))
            for column_condition in conditions
        )

    def _build_row(
        self,
        buffer_offset: int,
        match: re.Match[bytes],
        row_pattern: _RowPattern,
        columns: Mapping[str, int],
    ) -> Row:
        fields = {}
        for path, column in columns.items():
            group = row_pattern.groups[column]
            fields[path] = Field(
                buffer_offset + match.start(group),
                buffer_offset + match.end(group),
                self._read_value(match[group]),
            )
        offset = buffer_offset + match.start()
        return Row(offset, buffer_offset + match.end(), offset, fields)

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


def _read_first_lines(snapshot: Snapshot) -> list[str]:
    """Return the first lines of a table, which show its delimiter."""
    lines = []
    for line in snapshot.lines.read_lines(
        limit=PAGE_BYTES, reach=MAX_ROW_BYTES
    ):
        lines.append(line.body.decode(snapshot.encoding.name, "replace"))
        is_enough = line.end > MAX_ROW_BYTES
        if is_enough or len(lines) == _MAX_SAMPLED_LINES:
            break
    return lines


def _order_needles(
    needles: Iterable[re.Pattern[bytes]], buffer: bytes
) -> list[re.Pattern[bytes]]:
    """Return the needles, the rarest in a buffer first."""
    counts = []
    for needle in needles:
        counts.append((sum(1 for _ in needle.finditer(buffer)), needle))
    counts.sort(key=itemgetter(0))
    return [needle for _, needle in counts]


def _build_needle(
    condition: Condition, encoding: Encoding
) -> re.Pattern[bytes] | None:
    """Return a pattern that occurs in every field that fits, or None if there is none."""
    if condition.sign != "=" or encoding.is_multibyte:
        return None
    flags = 0
    alternatives = []
    for expected in condition.expected:
        # A star stands for any text; the longest text between stars is searched for.
        longest_text = max(to_text(expected).split("*"), key=len)
        # Ignoring case, the sign of the unit kelvin is a k too, but of several bytes.
        if condition.ignores_case or not isinstance(expected, str):
            flags = re.IGNORECASE
            if not longest_text.isascii() or "k" in longest_text.lower():
                return None
        if not _UNQUOTED_TEXT.fullmatch(longest_text):
            return None
        try:
            alternatives.append(re.escape(longest_text.encode(encoding.name)))
        except UnicodeEncodeError:
            return None
    return re.compile(b"|".join(alternatives), flags)
