"""Texts that fit the columns of a terminal."""

from __future__ import annotations

import pytest

from filewright.cli.columns import (
    Styled,
    count_rows,
    join_ends,
    measure_width,
    truncate_to_width,
)


@pytest.mark.parametrize(
    ("text", "width"),
    [
        pytest.param("abc", 3, id="ascii"),
        pytest.param("größe", 5, id="latin"),
        pytest.param("漢字", 4, id="wide"),
        pytest.param("e\u0301", 1, id="combining"),
        pytest.param("🎉", 2, id="emoji"),
    ],
)
def test_measures(text: str, width: int) -> None:
    assert measure_width(text) == width


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("abcdef", 6, "abcdef"),
        ("abcdef", 4, "abc…"),
        ("漢字漢字", 5, "漢字…"),
        ("漢字漢字", 4, "漢…"),
        ("a b c", 3, "a…"),
        ("abc", 0, ""),
    ],
)
def test_truncates(text: str, width: int, expected: str) -> None:
    assert truncate_to_width(text, width) == expected


def test_joins_ends() -> None:
    left = [Styled("id  ", "yellow"), Styled("a long sentence")]
    right = [Styled("+1 −1")]
    line = join_ends(left, right, 20, flexible=1, has_colours=False)
    assert line == "id  a long s…  +1 −1"
    line = join_ends(left, right, 30, flexible=1, has_colours=False)
    assert line == "id  a long sentence      +1 −1"
    coloured = join_ends(left, right, 20, flexible=1, has_colours=True)
    assert coloured == "\x1b[33mid  \x1b[0ma long s…  +1 −1"


@pytest.mark.parametrize(
    ("text", "rows"),
    [("", 1), ("a" * 10, 1), ("a" * 11, 2), ("漢" * 6, 2), ("a\n\tb\n", 3)],
)
def test_counts_rows(text: str, rows: int) -> None:
    assert count_rows(text, 10) == rows
