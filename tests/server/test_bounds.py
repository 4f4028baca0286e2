"""What a message may build is counted on its bytes, before it is parsed."""

import json

import pytest

from filewright.server.bounds import MAX_VALUES, has_too_many_values


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (b'{"edits": [' + b"{}," * MAX_VALUES + b"{}]}", True),
        (b'{"paths": [' + b"1," * MAX_VALUES + b"1]}", True),
        (b"[" * (MAX_VALUES + 1), True),
        (json.dumps({"content": 'a, [b] {c}, \\ " \\",' * MAX_VALUES}).encode(), False),
        (b'{"content": "' + b"," * MAX_VALUES * 2, True),
        (json.dumps({"items": [{"path": "a", "content": "b,c"}] * (MAX_VALUES // 4)}).encode(), False),
    ],
    ids=["objects", "numbers", "nested", "text", "text without an end", "many items"],
)
def test_counts_members_outside_of_texts(message: bytes, expected: bool) -> None:
    assert has_too_many_values(message) is expected
