"""The values of a message are counted on its bytes, before it is parsed."""

import json

import pytest

from filewright.bounded_json import (
    MAX_VALUES,
    TooManyValuesError,
    has_too_many_values,
    parse_json,
)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (b'{"edits": [' + b"{}," * MAX_VALUES + b"{}]}", True),
        (b'{"paths": [' + b"1," * MAX_VALUES + b"1]}", True),
        (b"[" * (MAX_VALUES + 1), True),
        (
            json.dumps(
                {"content": 'a, [b] {c}, \\ " \\",' * MAX_VALUES}
            ).encode(),
            False,
        ),
        (b'{"content": "' + b"," * MAX_VALUES * 2, False),
        (b"{" * (MAX_VALUES + 1) + b'"' + b'\\"' * 1_000_000, True),
        (b"," * MAX_VALUES + b'"[' + b'\\"[' * 1_000_000 + b"\\", False),
        (
            json.dumps(
                {"items": [{"path": "a", "content": "b,c"}] * (MAX_VALUES // 4)}
            ).encode(),
            False,
        ),
    ],
    ids=[
        "objects",
        "numbers",
        "nested",
        "text",
        "text without an end",
        "quotes without an end",
        "half an escape",
        "many items",
    ],
)
def test_counts_members_outside_of_texts(
    message: bytes, expected: bool
) -> None:
    assert has_too_many_values(message) is expected


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32-be"])
def test_counts_in_other_encodings(encoding: str) -> None:
    few, many = (
        '["\u2200", ' + "{}," * count + "{}]" for count in (9, MAX_VALUES)
    )
    assert len(parse_json(few.encode(encoding))) == 11
    with pytest.raises(TooManyValuesError):
        parse_json(many.encode(encoding))
