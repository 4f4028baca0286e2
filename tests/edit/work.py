"""The work of a call, as the number of functions that it calls."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType


def count_calls(function: Callable[[], object]) -> int:
    """Return how many functions of Python and C a call of `function` calls."""
    count = 0

    def add(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(add)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count


def assert_linear(work: Callable[[int], object], size: int) -> None:
    """Check that four times the size takes about four times the calls, not sixteen."""
    small = count_calls(lambda: work(size // 4))
    large = count_calls(lambda: work(size))
    assert large < 6 * small, f"{small:,} calls became {large:,}"
