"""Rows and fields of delimited text."""

from __future__ import annotations

import pytest

from filewright.rows.table_syntax import TableSyntax
from filewright.text.codec import Encoding

SYNTAX = TableSyntax.of(b";")


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        (b"a;b\nc", (3, 4)),
        (b"a;b\r\nc", (3, 5)),
        (b"a\rb", (1, 2)),
        (b"a;b", (3, 3)),
        (b"", (0, 0)),
        (b'a;"b\n;""c";d\ne', (12, 13)),
        (b'a"b\nc', (3, 4)),
        (b'"a', None),
        (b'"a"b\n', None),
    ],
)
def test_row(text: bytes, ends: tuple[int, int] | None) -> None:
    assert SYNTAX.find_row(text, 0) == ends


@pytest.mark.parametrize(
    ("text", "stop", "start"),
    [
        (b"a\nb\nc", 3, 2),
        (b"a\nb\nc", 4, 4),
        (b"a\r\nb", 4, 3),
        (b'a\n"b\nc"\nd', 9, 8),
        (b'a\n"b\nc"\nd', 5, 2),
        (b'a\n"b\nc', 6, 2),
    ],
)
def test_start_of_row(text: bytes, stop: int, start: int) -> None:
    assert SYNTAX.skip_rows(text, 0, stop) == start


@pytest.mark.parametrize(
    ("row", "fields"),
    [
        (b"a;b;", [b"a", b"b", b""]),
        (b'"a;b";c', [b'"a;b"', b"c"]),
        (b'a"b; "c"', [b'a"b', b' "c"']),
        (b"", [b""]),
    ],
)
def test_fields(row: bytes, fields: list[bytes]) -> None:
    assert SYNTAX.split(row) == fields


@pytest.mark.parametrize(
    ("columns", "count", "row", "values"),
    [
        ([0, 2], 3, b"a;b;c", (b"a", b"c")),
        ([1], 3, b'a;"b;\n";c;;', (b'"b;\n"',)),
        ([], 2, b"a;b", ()),
        ([0], 2, b"a", None),
        ([0], 2, b"a;b;c", None),
    ],
)
def test_columns(
    columns: list[int],
    count: int,
    row: bytes,
    values: tuple[bytes, ...] | None,
) -> None:
    match = SYNTAX.compile_columns(columns, count).match(row)
    assert (match and match.groups()) == values


@pytest.mark.parametrize(
    ("value", "is_quoted", "field"),
    [
        (b"a", False, b"a"),
        (b"a", True, b'"a"'),
        (b"a;b", False, b'"a;b"'),
        (b'a"b', False, b'"a""b"'),
        (b"a\nb", False, b'"a\nb"'),
        (b"", False, b""),
    ],
)
def test_field(value: bytes, is_quoted: bool, field: bytes) -> None:
    assert SYNTAX.write_field(value, is_quoted=is_quoted) == field
    assert SYNTAX.read_field(field) == value


def test_text() -> None:
    latin = Encoding("latin-1")
    assert SYNTAX.read_text(b'"\xfc""\r\n"', latin) == 'ü"\n'


def test_delimiter_of_patterns() -> None:
    assert TableSyntax.of(b"|").split(b"a|b") == [b"a", b"b"]
    assert TableSyntax.of(b"\t").split(b"a\t.") == [b"a", b"."]
