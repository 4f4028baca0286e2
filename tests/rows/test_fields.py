"""Fields of an entry: parsed, found by a path, and shown."""

import pytest

from filewright.rows.fields import find_value, parse_entry, show_fields

ENTRY = {
    "level": "Error",
    "ms": 512.5,
    "status": "503",
    "ok": False,
    "err": {"code": "E42", "causes": [{"id": 7}]},
    "a.b": "dotted",
    "none": None,
    "x.size": 7,
    "path": "/cart/items",
    "id": 1234567890123456789,
    "a/b": 7,
    "list": [1, 2],
    "max": float("inf"),
}


def test_columns():
    assert show_fields(ENTRY, ["level", "err.code", "x", "ok"]) == (
        "Error\tE42\t-\tfalse"
    )
    assert find_value(ENTRY, "err")["code"] == "E42"


def test_bytes_of_another_encoding():
    entry = parse_entry(b'{"text": "caf\xe9", "level": "error"}')
    assert entry == {"text": "caf\ufffd", "level": "error"}


@pytest.mark.parametrize("line", [b"{", b"[1]", b"", b"[" * 100_000])
def test_broken_lines(line):
    assert parse_entry(line) is None
