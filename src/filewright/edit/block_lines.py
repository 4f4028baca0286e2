"""The part of a line in a block: it opens one, closes one, or is an item of a list."""

from __future__ import annotations

import re

# The end of a line that opens a block, before a comment: `if x:  # note`, `() => {`.
_OPENING = re.compile(
    r"(?:[:{(\[]|=>|->|\b(?:then|do|begin|else|try))(?:\s+(?:#|//).*|\s*)$"
)
# The beginning of a line that closes a block: `});`, `end`.
_CLOSING = re.compile(r"\s*(?:[)}\]]|end\b)")
# `- item`, `2. item`.
_LIST_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s")


def opens_block(line: str) -> bool:
    """Return True if deeper lines may follow, as behind a bracket or colon."""
    return _OPENING.search(line) is not None


def closes_block(line: str) -> bool:
    """Return True if a line begins with a closing bracket or `end`."""
    return _CLOSING.match(line) is not None


def is_list_item(line: str) -> bool:
    """Return True if a line is an item of a list, as in Markdown or YAML."""
    return _LIST_ITEM.match(line) is not None
