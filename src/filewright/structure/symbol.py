"""Symbols: the named parts of a file. Lines are 1-based, and byte ranges half-open."""

from __future__ import annotations

from typing import Final, NamedTuple


def split_words(text: str) -> frozenset[str]:
    """Return the words of `text` as a set."""
    return frozenset(text.split())


DEFINITIONS: Final = split_words(
    "class function method interface enum struct trait impl module type macro table view heading rule test element "
    "document item"
)
"""Kinds that are read whole when a line inside them is requested, even one line."""

MINOR: Final = split_words("property member variable constant import")
"""Kinds that are left out first when an outline must be shortened."""


class Symbol(NamedTuple):
    """One named part of a file.

    [start, end) is the declaration, and lines `start_line` to `end_line` belong to it.
    `block_start` is where its doc comment, decorators and attributes begin; equal to
    `start` without any. `lookup_name` is the name by which it is found where that
    differs from `name`: `Cart.Total` for Go's `(*Cart).Total`, `Point` for
    `Display for Point`. `is_list_item` is True for an item between commas: a key of
    JSON, a member of an enum.

    A named tuple, because a large file has many and they are made fastest.
    """

    name: str
    kind: str
    start_line: int
    end_line: int
    start: int
    end: int
    block_start: int
    block_start_line: int
    lookup_name: str = ""
    is_list_item: bool = False
    children: tuple[Symbol, ...] = ()
