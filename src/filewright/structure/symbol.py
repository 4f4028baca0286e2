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
"""Kinds that are read whole when a line in them is requested, also those of one line."""

MINOR: Final = split_words("property member variable constant import")
"""Kinds that are the first to be left out of an outline that must be shortened."""


class Symbol(NamedTuple):
    """One named part of a file.

    Bytes [start, end) are the declaration, and lines `start_line` to `end_line` belong
    to it. `block_start` is where its doc comment, decorators and attributes begin, equal
    to `start` without any. `lookup_name` is the name by which it is found, "" if that is
    `name`: `Cart.Total` for Go's `(*Cart).Total`, `Point` for `Display for Point`.
    `is_list_item` is True for an item between commas: a key of JSON, a member of an enum.

    A named tuple, since a file may have 100,000 symbols and dataclasses are made more
    slowly.
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
