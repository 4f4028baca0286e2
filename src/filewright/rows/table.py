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
from filewright.rows.table_facts import DELIMITERS, CsvFacts, summarize_csv
from filewright.rows.table_syntax import Span, TableSyntax
from filewright.text.codec import Encoding, normalize_newlines
from filewright.text.lines import PAGE_BYTES
from filewright.text.snapshot import Snapshot
from filewright.wording import closest_matches, join_limited

_MAX_SAMPLED_LINES = 100
_NAMED_DELIMITER = re.compile(r'"?sep=(.)"?')
_MAX_LISTED_NAMES = 30
_MAX_VERDICTS = 10_000
_MAX_VERDICT_BYTES = 200
_PLAIN_TEXT = re.compile(r"[^\r\n\"]+")


@dataclass(frozen=True, slots=True)
class _ColumnCondition:
    """A condition on the field with an index.

    `needle` matches in every field that fits, and in others; None matches in all.
    `verdicts` are those on the fields so far: a column often has few values.
    """

    index: int
    condition: Condition
    needle: re.Pattern[bytes] | None
    verdicts: dict[bytes, bool | None] = field(default_factory=dict)

    def judge(self, value: str) -> bool | None:
        """Return True if a value fits; None for text where numbers are compared.

        A number with a decimal comma, say, is in no order with other numbers as text.
        """
        condition = self.condition
        if condition.sign not in ("=", "!="):
            (expected,) = condition.expected
            if to_number(expected) is not None and to_number(value) is None:
                return None if value.strip() else False
        return condition.accepts_value(value)


@dataclass(frozen=True, slots=True)
class _Header:
    """The names in the first row, and where the next one begins."""

    names: tuple[str, ...]
    end: int


@dataclass(frozen=True, slots=True)
class _BufferedRows:
    """The rows of a buffer that may fit, and where the last whole row ends."""

    candidates: Sequence[Span]
    end: int


@dataclass(frozen=True, slots=True)
class _RowForm:
    """A pattern of a row with all columns; `groups` are those of the columns needed."""

    pattern: re.Pattern[bytes]
    groups: Mapping[int, int]

    @classmethod
    def of(cls, table: Table, columns: Iterable[int]) -> _RowForm:
        """Return the pattern of the rows of a table."""
        ordered = sorted(columns)
        pattern = table.syntax.compile_columns(ordered, table.column_count)
        return cls(pattern, {column: 1 + n for n, column in enumerate(ordered)})


@dataclass
class Table:
    """The rows of a table in a snapshot.

    `names` are those in the header, without blanks around them; `start` is where the
    rows begin. `column_count` is the number of fields of every row. `of_other_length`
    counts the rows that have another number and might fit, `without_number` those whose
    text is compared with a number, and `with_open_quote` those with a delimiter behind a
    quote that is no field's first character. `block_bytes` are read at once.
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

        Its first row is a header if it has a name of `paths`, or looks like one. Raises
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

        The delimiter is the one that the first lines name (`sep=;`), that gives the
        header all names of `paths`, or that gives most rows the same number of columns.
        """
        lines = _read_first_lines(snapshot)
        start = snapshot.start
        while lines and not lines[0]:
            start = snapshot.lines.line_end(start)
            del lines[0]
        named = _NAMED_DELIMITER.fullmatch(lines[0]) if lines else None
        if named is not None:
            delimiter = named[1]
            start = snapshot.lines.line_end(start)
            del lines[0]
        facts = summarize_csv(lines, delimiter)
        if facts is None:
            return None
        all_paths = {*paths}
        names = {path for path in all_paths if not path.isdecimal()}
        table = cls._with_header(snapshot, facts, start, all_paths)
        if delimiter is not None or names <= set(table.names):
            return table
        for other in DELIMITERS:
            other_facts = summarize_csv(lines, other)
            if other_facts is not None:
                other_table = cls._with_header(
                    snapshot, other_facts, start, all_paths
                )
                if names <= set(other_table.names):
                    return other_table
        return table

    @classmethod
    def _with_header(
        cls,
        snapshot: Snapshot,
        facts: CsvFacts,
        start: int,
        names: AbstractSet[str],
    ) -> Table:
        """Return the table with the facts, and with its first row as header if it is one."""
        syntax = TableSyntax.of(facts.delimiter.encode())
        table = cls(snapshot, syntax, (), facts.columns, start)
        header = table._read_header()
        if header is None:
            return table
        # A name such as 2020 is that of a column if there are not so many columns.
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
        """Return the first row, or None if it has no end."""
        buffer = self.snapshot.read(self.start, MAX_ROW_BYTES)
        ends = self.syntax.find_row(buffer, 0)
        if ends is None:
            return None
        end, next_start = ends
        row = buffer[:end]
        names = []
        for name in self.syntax.split(row):
            names.append(self._read_value(name).strip())
        return _Header(tuple(names), self.start + next_start)

    def _read_value(self, field_bytes: bytes) -> str:
        """Return the value of a field, with ``\\n`` for every line end in it."""
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
            for number, other in enumerate(self.names, 1)
            if other == name
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
        """Yield the rows that fulfil all conditions, with the fields of columns.

        Raise `unsupported` at a row whose quoted field has no end.
        """
        column_conditions = [self._bind(condition) for condition in conditions]
        columns = {path: self.find_column(path) for path in paths}
        # The columns are found before the first row is read.
        return self._iterate_rows(column_conditions, columns, task)

    def _iterate_rows(
        self,
        conditions: Sequence[_ColumnCondition],
        columns: Mapping[str, int],
        task: Task,
    ) -> Iterator[Row]:
        compared = [bound.index for bound in conditions]
        form = _RowForm.of(self, {*compared, *columns.values()})
        needles = []
        for bound in conditions:
            if bound.needle is not None:
                needles.append(bound.needle)
        offset, rest = self.start, b""
        while True:
            task.check()
            task.report(offset, self.snapshot.known_size, "reading rows")
            block = self.snapshot.read(offset + len(rest), self.block_bytes)
            buffer = rest + block
            if not buffer:
                return
            if offset == self.start:
                needles = _order_needles(needles, buffer)
            rows = self._scan(buffer, needles, is_last=not block)
            for start, end in rows.candidates:
                match = form.pattern.match(buffer, start, end)
                if match is None:
                    if self._may_fit(conditions, buffer[start:end]):
                        self.of_other_length.add(offset + start)
                    continue
                if self._accepts(conditions, form, match, offset + start):
                    yield self._build_row(offset, match, form, columns)
            is_stuck = (
                not block or len(buffer) > MAX_ROW_BYTES + self.block_bytes
            )
            if rows.end == 0 and is_stuck:
                raise self._unended_row(offset)
            offset += rows.end
            rest = buffer[rows.end :]

    def _scan(
        self,
        buffer: bytes,
        needles: Sequence[re.Pattern[bytes]],
        *,
        is_last: bool,
    ) -> _BufferedRows:
        """Return the rows of a buffer in which all needles are found.

        A row that may go on behind the buffer is left for the next one.
        """
        candidates: list[Span] = []
        position = 0
        while position < len(buffer):
            start = position
            if needles:
                match = needles[0].search(buffer, position)
                if match is None:
                    break
                start = self.syntax.skip_rows(buffer, position, match.start())
            ends = self.syntax.find_row(buffer, start)
            if ends is None or (ends[1] == len(buffer) and not is_last):
                return _BufferedRows(candidates, start)
            end, position = ends
            for needle in needles:
                if needle.search(buffer, start, end) is None:
                    break
            else:
                candidates.append((start, end))
        end = self.syntax.skip_rows(buffer, position, len(buffer))
        if is_last and self.syntax.find_row(buffer, end) is not None:
            end = len(buffer)
        return _BufferedRows(candidates, end)

    def _bind(self, condition: Condition) -> _ColumnCondition:
        """Return a condition on a column of this table."""
        expected = []
        for value in condition.expected:
            # An empty field is the only one without a value.
            expected.append("" if value is None else value)
        bound = replace(condition, expected=tuple(expected))
        return _ColumnCondition(
            self.find_column(condition.path),
            bound,
            _build_needle(bound, self.snapshot.encoding),
        )

    def _accepts(
        self,
        conditions: Sequence[_ColumnCondition],
        form: _RowForm,
        match: re.Match[bytes],
        row_offset: int,
    ) -> bool:
        """Return True if a row certainly fulfils all conditions; count one that may."""
        verdict = self._judge(conditions, form, match)
        if verdict is None:
            self.without_number.add(row_offset)
            return False
        if verdict and self._has_open_quote(match.group()):
            self.with_open_quote.add(row_offset)
            return False
        return verdict

    def _has_open_quote(self, row: bytes) -> bool:
        """Return True if a quote behind blanks has no second one in its field.

        Most readers end such a field at the next delimiter, but the writer is likely to
        have meant a quoted field.
        """
        if b' "' not in row:
            return False
        for text in self.syntax.split(row):
            is_odd = text.count(b'"') % 2 == 1
            if is_odd and text.lstrip(b" ").startswith(b'"'):
                return True
        return False

    def _judge(
        self,
        conditions: Sequence[_ColumnCondition],
        form: _RowForm,
        match: re.Match[bytes],
    ) -> bool | None:
        """Return True if a row fulfils all conditions.

        None if all others are fulfilled, and text would be compared with a number.
        """
        row_verdict: bool | None = True
        for bound in conditions:
            text = match[form.groups[bound.index]]
            if text in bound.verdicts:
                verdict = bound.verdicts[text]
            else:
                verdict = bound.judge(self._read_value(text))
                is_short = len(text) < _MAX_VERDICT_BYTES
                if is_short and len(bound.verdicts) < _MAX_VERDICTS:
                    bound.verdicts[text] = verdict
            if verdict is False:
                return False
            if verdict is None:
                row_verdict = None
        return row_verdict

    def _may_fit(
        self, conditions: Sequence[_ColumnCondition], body: bytes
    ) -> bool:
        """Return True if a row would fit with its fields in other columns."""
        if not body:
            return False
        values = [self._read_value(text) for text in self.syntax.split(body)]
        return all(
            any(map(bound.condition.accepts_value, values))
            for bound in conditions
        )

    def _build_row(
        self,
        buffer_offset: int,
        match: re.Match[bytes],
        form: _RowForm,
        columns: Mapping[str, int],
    ) -> Row:
        fields = {}
        for path, column in columns.items():
            group = form.groups[column]
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
    """Return the first lines of a table, from which its delimiter is known."""
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
    """Return the needles, the one with the fewest matches in a buffer first."""
    counts = []
    for needle in needles:
        counts.append((sum(1 for _ in needle.finditer(buffer)), needle))
    counts.sort(key=itemgetter(0))
    return [needle for _, needle in counts]


def _build_needle(
    condition: Condition, encoding: Encoding
) -> re.Pattern[bytes] | None:
    """Return an expression that matches in every field that fits, or None."""
    if condition.sign != "=" or encoding.is_multibyte:
        return None
    flags = 0
    alternatives = []
    for expected in condition.expected:
        # A star stands for any text; the longest text around it is searched for.
        text = max(to_text(expected).split("*"), key=len)
        # The sign of the unit kelvin is a letter k too, and not of one byte.
        if condition.ignores_case or not isinstance(expected, str):
            flags = re.IGNORECASE
            if not text.isascii() or "k" in text.lower():
                return None
        if not _PLAIN_TEXT.fullmatch(text):
            return None
        try:
            alternatives.append(re.escape(text.encode(encoding.name)))
        except UnicodeEncodeError:
            return None
    return re.compile(b"|".join(alternatives), flags)
