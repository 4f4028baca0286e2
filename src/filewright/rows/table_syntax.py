"""The syntax of delimited text: where rows and fields begin and end, byte by byte.

A quote at the beginning of a field opens a quoted field, in which delimiters and line
ends are text and a doubled quote is one quote. Any other quote is a character. A quoted
field that does not end at a delimiter or a line end is no row: where the next row begins
would be a guess.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

Span = tuple[int, int]

_QUOTED = rb'"(?:[^"]++|"")*+"'


@dataclass(frozen=True, slots=True)
class TableSyntax:
    """The rows and fields of a text with a delimiter.

    The methods read a buffer in which a row begins at byte 0.
    """

    delimiter: bytes
    _row: re.Pattern[bytes]
    _rows: re.Pattern[bytes]
    _field: bytes

    @classmethod
    def of(cls, delimiter: bytes) -> Self:
        """Return the syntax with a delimiter of one byte."""
        edge = re.escape(delimiter)
        # All repetitions are possessive, so that the time is linear.
        row = (
            rb'(?:[^"\r\n]++'
            rb"|(?:\A|(?<=[%(edge)b\r\n]))%(quoted)b(?=[%(edge)b\r\n]|\Z)"
            rb'|(?<=[^%(edge)b\r\n])")*+'
        ) % {b"edge": edge, b"quoted": _QUOTED}
        ended_row = rb"(?:%b(?:\r\n?|\n))" % row
        return cls(
            delimiter,
            re.compile(row + rb"(\r\n?|\n|\Z)"),
            re.compile(ended_row + rb"*+"),
            # An atomic group: a quoted field is never read as an unquoted one.
            rb"(?>%b|[^%b]*+)" % (_QUOTED, edge),
        )

    def skip_rows(self, buffer: bytes, start: int, stop: int) -> int:
        """Return where the row begins that holds the byte before `stop`.

        A row begins at `start`. It is the first row that is not whole before `stop`, or
        that has no end by this syntax.
        """
        if buffer.find(b'"', start, stop) < 0:
            line_feed = buffer.rfind(b"\n", start, stop)
            carriage_return = buffer.rfind(b"\r", start, stop)
            return max(start, line_feed + 1, carriage_return + 1)
        match = self._rows.match(buffer, start, stop)
        assert match is not None
        return match.end()

    def find_row(self, buffer: bytes, start: int) -> tuple[int, int] | None:
        """Return where the row at `start` ends, without and with its line end.

        None if the row has no end in the buffer.
        """
        match = self._row.match(buffer, start)
        if match is None:
            return None
        return match.start(1), match.end()

    def compile_columns(
        self, columns: Sequence[int], count: int
    ) -> re.Pattern[bytes]:
        """Return a pattern of a row of `count` fields, with groups for some columns.

        `columns` are in order. Delimiters at the end of a row shift no column.
        """
        field, delimiter = self._field, re.escape(self.delimiter)
        pattern = b""
        position = 0
        for column in columns:
            pattern += b"(?:%b%b){%d}" % (field, delimiter, column - position)
            pattern += b"(%b)" % field
            position = column + 1
            if position < count:
                pattern += delimiter
        if position < count:
            rest = count - position - 1
            pattern += b"(?:%b%b){%d}%b" % (field, delimiter, rest, field)
        return re.compile(pattern + delimiter + rb"*+\Z")

    def split(self, row: bytes) -> list[bytes]:
        """Return the fields of a row, quotes included."""
        pattern = rb"(?:\A|%b)(%b)" % (re.escape(self.delimiter), self._field)
        return re.findall(pattern, row)

    def read_field(self, field: bytes) -> bytes:
        """Return the value of a field, without its quotes."""
        if field.startswith(b'"'):
            return field[1:-1].replace(b'""', b'"')
        return field

    def write_field(self, value: bytes, *, is_quoted: bool) -> bytes:
        """Return a value as a field, quoted if it has to be, or if `is_quoted`."""
        special = (self.delimiter, b'"', b"\r", b"\n")
        if is_quoted or any(character in value for character in special):
            return b'"%b"' % value.replace(b'"', b'""')
        return value
