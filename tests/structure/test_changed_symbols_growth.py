"""What became of many symbols of one name: found by work that grows with them, and within the time limit."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial

import pytest

from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.structure.changed_symbols import (
    OutlinedText,
    find_changed_symbols,
    find_touched_symbols,
)
from filewright.structure.outline import Outline
from filewright.structure.symbol import Symbol


def version(count: int, value: str) -> OutlinedText:
    row = b"".join(
        b"def f(): return %06d%b\n" % (n, value.encode()) for n in range(count)
    )
    length = len(row) // count
    symbols = tuple(
        Symbol("f", "function", n + 1, n + 1, n * length, (n + 1) * length - 1, n * length, n + 1) for n in range(count)
    )  # fmt: skip
    return OutlinedText(row, Outline(None, symbols, count))


def calls(act: Callable[[], object]) -> int:
    count = 0

    def counter(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(counter)
    try:
        act()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("share", [1, 2], ids=["all differ", "some are equal"])
def test_four_times_the_symbols_take_about_four_times_the_calls(
    share: int,
) -> None:
    few, many = (
        calls(
            partial(
                find_changed_symbols,
                version(size, "a"),
                version(size // share, "b" if share == 1 else "a"),
            )
        )
        for size in (200, 800)
    )
    assert many <= few * 5


def test_four_times_the_ranges_take_about_four_times_the_calls() -> None:
    few, many = (
        calls(
            partial(
                find_touched_symbols,
                version(size, "a").outline,
                [(n, n) for n in range(1, size, 2)],
            )
        )
        for size in (200, 800)
    )
    assert many <= few * 6


def test_the_time_limit_holds() -> None:
    late = Task(seconds=-1)
    for act in (
        lambda: find_changed_symbols(
            version(10, "a"), version(10, "b"), task=late
        ),
        lambda: find_touched_symbols(
            version(10, "a").outline, [(1, 3)], task=late
        ),
    ):
        with pytest.raises(FilewrightError) as caught:
            act()
        assert caught.value.code is Code.TIMEOUT
