"""The replace tool: the expected count guards against surprises."""

from __future__ import annotations

import pytest

from filewright.errors import FilewrightError
from filewright.tools.replace import check_expected


@pytest.mark.parametrize(
    ("counts", "expected", "code"),
    [
        ({"a": 2, "b": 3}, None, None),
        ({"a": 2, "b": 3}, 5, None),
        ({"a": 2, "b": 3}, 4, "invalid_input"),
        ({"a": 0}, None, "no_match"),
        ({}, None, "no_match"),
        ({}, 3, "invalid_input"),
    ],
)
def test_expected_count(
    counts: dict[str, int], expected: int | None, code: str | None
) -> None:
    if code is None:
        assert check_expected(counts, expected) == 5
        return
    with pytest.raises(FilewrightError) as caught:
        check_expected(counts, expected)
    assert caught.value.code == code
