"""Outlines as values: shortened, limited to lines, and with further symbols."""

from __future__ import annotations

import pytest

from filewright.structure.outline import Outline
from filewright.structure.symbol import Symbol


def symbol(
    name: str, first: int, last: int, *children: Symbol, kind: str = "class"
) -> Symbol:
    """Return a symbol of whole lines, each of ten bytes."""
    start = (first - 1) * 10
    return Symbol(
        name,
        kind,
        first,
        last,
        start,
        last * 10,
        start,
        first,
        children=children,
    )


OUTLINE = Outline(
    "python",
    (
        symbol("limit", 1, 1, kind="constant"),
        symbol("_Hidden", 2, 4, symbol("run", 3, 4, kind="method")),
        symbol("Cart", 5, 9, symbol("total", 6, 7), symbol("_tax", 8, 9)),
    ),
    count=6,
)


def names(symbols: tuple[Symbol, ...]) -> list[str]:
    """Return the names of symbols in file order."""
    return [symbol.name for _, symbol in Outline(None, symbols).walk()]


def test_walks_in_file_order_with_ancestors() -> None:
    paths = []
    for ancestors, inner in OUTLINE.walk():
        paths.append("/".join(outer.name for outer in (*ancestors, inner)))
    assert paths == [
        "limit",
        "_Hidden",
        "_Hidden/run",
        "Cart",
        "Cart/total",
        "Cart/_tax",
    ]


@pytest.mark.parametrize(
    ("max_symbols", "max_depth", "expected", "first_missing_line"),
    [
        (9, 0, ["limit", "_Hidden", "run", "Cart", "total", "_tax"], None),
        (9, 1, ["limit", "_Hidden", "Cart"], 3),
        (1, 0, ["Cart"], 1),
        (2, 0, ["_Hidden", "Cart"], 1),
        (4, 0, ["limit", "_Hidden", "run", "Cart"], 6),
    ],
    ids=["whole", "depth", "public", "definitions", "inner"],
)
def test_shortens(
    max_symbols: int,
    max_depth: int,
    expected: list[str],
    first_missing_line: int | None,
) -> None:
    shortened = OUTLINE.shorten(max_symbols, max_depth)
    assert names(shortened.symbols) == expected
    assert shortened.left_out == 6 - len(expected)
    assert shortened.first_missing_line == first_missing_line


@pytest.mark.parametrize(
    ("first", "last", "max_symbols", "expected", "first_missing_line"),
    [
        (6, 7, 9, ["Cart", "total"], None),
        (6, 9, 2, ["Cart", "total"], 8),
        (6, 6, 1, ["Cart", "total"], None),
        (20, 30, 9, [], None),
    ],
    ids=["ancestors", "limit", "at least one", "none"],
)
def test_selects_lines(
    first: int,
    last: int,
    max_symbols: int,
    expected: list[str],
    first_missing_line: int | None,
) -> None:
    selected = OUTLINE.select_lines(first, last, max_symbols)
    assert names(selected.symbols) == expected
    assert selected.first_missing_line == first_missing_line


def test_added_symbol_ends_the_one_around_it() -> None:
    outline = OUTLINE.with_symbols((symbol("missed", 8, 12),))
    assert names(outline.symbols)[-3:] == ["Cart", "total", "missed"]
    assert outline.symbols[2].end_line == 7
    assert outline.count == 6


def test_truncated_outline_has_no_errors() -> None:
    outline = OUTLINE.truncated_at(4)
    assert not outline.is_whole
    assert outline.last_parsed_line == 4
    assert not outline.errors.certain
