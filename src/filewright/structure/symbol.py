"""What structure hands out: symbols, the outline that holds them, and syntax errors.

Lines are 1-based and both ends belong to the symbol; byte ranges are half-open.
"""

from __future__ import annotations

from typing import Final, NamedTuple


def split_words(text: str) -> frozenset[str]:
    """The words of `text` as a set."""
    return frozenset(text.split())


DEFINITIONS: Final = split_words(
    "class function method interface enum struct trait impl module type macro table view heading rule test element "
    "document item"
)
"""Kinds that are read as a whole when a line inside them is asked for, even if they fill one line."""

MINOR: Final = split_words("property member variable constant import")
"""Kinds left out first when an outline must be shortened."""


class Symbol(NamedTuple):
    """One named thing of a file; a named tuple, because a big file has many and they are made fast.

    `start`..`end` is the declaration itself; `block_start` is where its doc comment, decorators and
    attributes begin (equal to `start` without any). `known_as` is the name it is looked up by where
    that differs from `name`: `Cart.Total` for Go's `(*Cart).Total`, `Point` for `Display for Point`. `is_listed` says
    that it is a member of a list, whose members have commas between them: a key of JSON, a member of an enum.
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
