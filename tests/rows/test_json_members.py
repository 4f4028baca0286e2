"""Members of JSON objects."""

from __future__ import annotations

from typing import Any

import pytest

from filewright.rows.json_members import JsonSyntaxError, MemberReader


def values(text: bytes, *paths: str) -> dict[str, Any]:
    """Return the values of the members of an object."""
    reader = MemberReader(text)
    members = reader.find_members(reader.skip_space(0), paths)
    return {path: reader.read_value(members[path]) for path in members}


@pytest.mark.parametrize(
    ("text", "path", "value"),
    [
        (b'{"a": 1}', "a", 1),
        (b'{"a": {"b": [1, {"c": "}"}]}}', "a.b.1.c", "}"),
        (b'{"a.b": {"c.d": 1}}', "a.b.c.d", 1),
        (b'{"\\u0061": 1}', "a", 1),
        (b'// x\n{/* y */"a": [1, 2,], }', "a", [1, 2]),
        (b'{"b": "a\tb", "a": "c\td"}', "a", "c\td"),
        (b'{"a": -1.5e3}', "a", -1500.0),
        (b'{"a": {"x": NaN1}}', "a", {}),
        (b'{"a": "\\q"}', "a", '"\\q"'),
    ],
)
def test_value(text: bytes, path: str, value: Any) -> None:
    assert values(text, path) == {path: value}


def test_missing_members() -> None:
    assert (
        values(b'{"a": {"b": 1}, "c": [1]}', "a.x", "c.1", "b", "a.b.c") == {}
    )


@pytest.mark.parametrize(
    ("text", "reason", "offset"),
    [
        (b'{"a": 1, "a": 2}', "twice", 14),
        (b'{"a": {"b": 1}, "a.b": 2}', "two values", 23),
        (b'{"a" 1}', "no colon", 5),
        (b"{a: 1}", "no key", 1),
        (b'{"a": }', "no value", 6),
        (b'{"a": 1 "b": 2}', "no comma", 8),
        (b'{"b": [1}, "a": 1}', "does not fit", 8),
        (b'{"b": [1', "not closed", 6),
        (b'{"b": ["x}', "no end", 7),
        (b'{"b": [/* x}', "no end", 7),
    ],
)
def test_invalid(text: bytes, reason: str, offset: int) -> None:
    reader = MemberReader(text, offset=100)
    with pytest.raises(JsonSyntaxError, match=reason) as caught:
        reader.find_members(0, ("a", "a.b"))
    assert caught.value.offset == 100 + offset


def test_the_rest_is_not_parsed() -> None:
    assert values(b'{"b": {x y}, "a": 1}', "a") == {"a": 1}


def test_fields_have_offsets_in_file() -> None:
    text = b'{"a": "\xfc", "b": 2}'
    reader = MemberReader(text, "latin-1", offset=100)
    fields = reader.read_fields(
        reader.find_members(0, ("a", "b")), ("b", "a", "c")
    )
    assert list(fields) == ["b", "a"]
    assert fields["a"].value == "ü"
    start, end = fields["a"].start - 100, fields["a"].end - 100
    assert text[start:end] == b'"\xfc"'


@pytest.mark.parametrize("text", [b"[" * 5_000, b'{"a": ' * 2_000 + b"1"])
def test_deep_values(text: bytes) -> None:
    with pytest.raises(JsonSyntaxError):
        values(b'{"x": ' + text + b"}", "x")


def test_deep_value_is_read_as_empty() -> None:
    text = b'{"x": ' + b"[" * 20_000 + b"]" * 20_000 + b"}"
    assert values(text, "x") == {"x": []}
