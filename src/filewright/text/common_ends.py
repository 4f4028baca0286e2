"""The equal bytes at the beginning and at the end of two contents, however large."""

from __future__ import annotations


def common_prefix(content: bytes, other: bytes) -> int:
    """Return the number of equal bytes at the beginning, by halving."""
    low, high = 0, min(len(content), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if content[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def common_suffix(content: bytes, other: bytes, limit: int) -> int:
    """Return the number of equal bytes at the end, at most `limit`."""
    low, high = 0, limit
    size, other_size = len(content), len(other)
    while low < high:
        middle = (low + high + 1) // 2
        if (
            content[size - middle : size - low]
            == other[other_size - middle : other_size - low]
        ):
            low = middle
        else:
            high = middle - 1
    return low
