"""The equal bytes at the ends of two contents."""

from __future__ import annotations

import pytest

from filewright.text.common_ends import common_prefix, common_suffix


@pytest.mark.parametrize(
    ("content", "other", "prefix", "suffix"),
    [
        (b"", b"", 0, 0),
        (b"abc", b"abc", 3, 3),
        (b"abXc", b"abYYc", 2, 1),
        (b"aa", b"a", 1, 1),
        (b"x", b"y", 0, 0),
    ],
)
def test_equal_ends(content, other, prefix, suffix):
    assert common_prefix(content, other) == prefix
    limit = min(len(content), len(other))
    assert common_suffix(content, other, limit) == suffix
    assert common_suffix(content, other, 0) == 0
