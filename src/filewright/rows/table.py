"""A table: a file of delimited text, with columns by their names or numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import cache

from filewright.errors import Code, FilewrightError, invalid, path_error
from filewright.progress import Task
from filewright.rows.column_condition import ColumnCondition
from filewright.rows.conditions import Condition
from filewright.rows.numbers import FindForm
from filewright.rows.row import MAX_ROW_BYTES, LeftOutRows, Row
from filewright.rows.table_facts import DELIMITERS, TableFacts, summarize_table
from filewright.rows.table_scan import TableScan, UncertainRows
from filewright.rows.table_syntax import TableSyntax
from filewright.text.lines import PAGE_BYTES
from filewright.text.snapshot import Snapshot
from filewright.wording import closest_matches, join_limited

_MAX_SAMPLED_LINES = 100
_DELIMITER_LINE = re.compile(r'"?sep=(.)"?')
_MAX_LISTED_NAMES = 30


@dataclass(frozen=True, slots=True)
class _TableHead:
    """The first lines of a table without empty ones, and the offset of the first of them.

    `delimiter` is None if neither the caller nor the file names it.
    """

    lines: Sequence[str]
    start: int
    delimiter: str | None


@dataclass(frozen=True, slots=True)
class _Header:
    """The names in the first row, and the offset of the second."""

    names: tuple[str, ...]
    end: int


@dataclass
class Table:
    """The columns and the rows of a table, which is read in blocks of `block_bytes`.

    `names` are those in the header, without spaces around them. The rows begin at
    `start`, and have `column_count` fields.
    """

    snapshot: Snapshot
    syntax: TableSyntax
    names: tuple[str, ...]
    column_count: int
    start: int
    block_bytes: int = 1 << 20
    uncertain: UncertainRows = field(default_factory=UncertainRows)

    @property
    def left_out(self) -> Sequence[LeftOutRows]:
        """The rows that may fit, but are uncertain."""
        return self.uncertain.counts

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
        head = _read_head(snapshot, delimiter)
        facts = summarize_table(head.lines, head.delimiter)
        if facts is None:
            return None
        column_paths = {*paths}
        wanted_names = {path for path in column_paths if not path.isdecimal()}
        table = cls._read_table(snapshot, facts, head.start, column_paths)
        if head.delimiter is not None or wanted_names <= set(table.names):
            return table
        for other_delimiter in DELIMITERS:
            other_facts = summarize_table(head.lines, other_delimiter)
            if other_facts is None:
                continue
            other_table = cls._read_table(
                snapshot, other_facts, head.start, column_paths
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
        for name_bytes in self.syntax.split(row):
            name = self.syntax.read_text(name_bytes, self.snapshot.encoding)
            names.append(name.strip())
        return _Header(tuple(names), self.start + next_start)

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
        encoding = self.snapshot.encoding
        column_conditions = []
        for condition in conditions:
            column = self.find_column(condition.path)
            column_conditions.append(
                ColumnCondition.of(
                    condition,
                    column,
                    self.syntax,
                    encoding,
                    self._form_finder(condition, task),
                )
            )
        scan = TableScan(
            snapshot=self.snapshot,
            syntax=self.syntax,
            column_count=self.column_count,
            start=self.start,
            block_bytes=self.block_bytes,
            conditions=column_conditions,
            columns={path: self.find_column(path) for path in paths},
            uncertain=self.uncertain,
        )
        # Not a generator itself: an unknown column is refused before the first row.
        return scan.iterate_rows(task)

    def _form_finder(self, condition: Condition, task: Task) -> FindForm:
        """Return a function that finds the form of a column's numbers or dates once."""

        @cache
        def find() -> str | None:
            assert condition.operand is not None
            return self.find_form(
                condition.path, condition.operand.find_form, task
            )

        return find

    def find_form(
        self, path: str, form_of: Callable[[str], str | None], task: Task
    ) -> str | None:
        """Return the form of the first field of a column that is certainly in one.

        `form_of` returns the form of a text, or None if it may be in several.
        """
        # The rows that this leaves out are not those of the call.
        table = replace(self, uncertain=UncertainRows())
        for row in table.iterate_rows((), (path,), task):
            form = form_of(row.fields[path].value)
            if form is not None:
                return form
        return None


def _read_head(snapshot: Snapshot, delimiter: str | None) -> _TableHead:
    """Return the head of a table. A line such as `sep=;` names the delimiter."""
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
    return _TableHead(lines, start, delimiter)


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
