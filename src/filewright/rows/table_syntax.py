"""The syntax of delimited text: the spans of its rows and fields in bytes.

A quote at the beginning of a field opens a quoted field, in which delimiters and line
ends are text and a doubled quote is one quote. Any other quote is a character. If a
quoted field does not end at a delimiter or a line end, its row has no end: a guess
where the next row begins could be wrong.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from filewright.text.codec import Encoding, normalize_newlines

Span = tuple[int, int]

_QUOTED_FIELD = rb'"(?:[^"]++|"")*+"'


@dataclass(frozen=True, slots=True)
class TableSyntax:
    """The rows and fields of a text with a delimiter.

    The methods read a buffer in which a row begins at byte 0.
    """

    delimiter: bytes
    _row_pattern: re.Pattern[bytes]
    _rows_pattern: re.Pattern[bytes]
    _field_pattern: bytes

    @classmethod
    def of(cls, delimiter: bytes) -> Self:
        """Return the syntax with a delimiter of one byte."""
        escaped_delimiter = re.escape(delimiter)
        # All repetitions are possessive, so that the time is linear.
        row_pattern = (
            rb'(?:[^"\r\n]++'
            rb"|(?:\A|(?<=[%(edge)b\r\n]))%(quoted)b(?=[%(edge)b\r\n]|\Z)"
            rb'|(?<=[^%(edge)b\r\n])")*+'
        ) % {b"edge": escaped_delimiter, b"quoted": _QUOTED_FIELD}
        ended_row_pattern = rb"(?:%b(?:\r\n?|\n))" % row_pattern
        return cls(
            delimiter,
            re.compile(row_pattern + rb"(\r\n?|\n|\Z)"),
            re.compile(ended_row_pattern + rb"*+"),
            # An atomic group: a quoted field is never read as an unquoted one.
            rb"(?>%b|[^%b]*+)" % (_QUOTED_FIELD, escaped_delimiter),
        )

    def skip_rows(self, buffer: bytes, start: int, stop: int) -> int:
        """Return the start of the row that holds the byte before `stop`.

        A row begins at `start`. A row without an end is not skipped.
        """
        if buffer.find(b'"', start, stop) < 0:
            line_feed = buffer.rfind(b"\n", start, stop)
            carriage_return = buffer.rfind(b"\r", start, stop)
            return max(start, line_feed + 1, carriage_return + 1)
        match = self._rows_pattern.match(buffer, start, stop)
        assert match is not None
        return match.end()

    def find_row(self, buffer: bytes, start: int) -> tuple[int, int] | None:
        """Return the end of the row at `start` without and with its line end.

        Return None if the row has no end in the buffer.
        """
        match = self._row_pattern.match(buffer, start)
        if match is None:
            return None
        return match.start(1), match.end()

    def compile_columns(
        self, columns: Sequence[int], count: int
    ) -> re.Pattern[bytes]:
        """Return a pattern of a row of `count` fields, with groups for some columns.

        `columns` are in order. More delimiters at the end of a row are accepted.
        """
        field_pattern, delimiter = (
            self._field_pattern,
            re.escape(self.delimiter),
        )
        pattern = b""
        position = 0
        for column in columns:
            pattern += b"(?:%b%b){%d}" % (
                field_pattern,
                delimiter,
                column - position,
            )
            pattern += b"(%b)" % field_pattern
            position = column + 1
            if position < count:
                pattern += delimiter
        if position < count:
            rest = count - position - 1
            pattern += b"(?:%b%b){%d}%b" % (
                field_pattern,
                delimiter,
                rest,
                field_pattern,
            )
        return re.compile(pattern + delimiter + rb"*+\Z")

    def split(self, row: bytes) -> list[bytes]:
        """Return the fields of a row, quotes included."""
        pattern = rb"(?:\A|%b)(%b)" % (
            re.escape(self.delimiter),
            self._field_pattern,
        )
        return re.findall(pattern, row)

    def read_field(self, field: bytes) -> bytes:
        """Return the value of a field: a quoted one without its quotes."""
        if field.startswith(b'"'):
            return field[1:-1].replace(b'""', b'"')
        return field

    def read_text(self, field: bytes, encoding: Encoding) -> str:
        """Return the text of a field, with ``\\n`` for every line end in it."""
        value = self.read_field(field).decode(encoding.name, "replace")
        return normalize_newlines(value)

    def write_field(self, value: bytes, *, is_quoted: bool) -> bytes:
        """Return a value as a field, quoted if it must be, or if `is_quoted`."""
        special = (self.delimiter, b'"', b"\r", b"\n")
        if is_quoted or any(character in value for character in special):
            return b'"%b"' % value.replace(b'"', b'""')
        return value
