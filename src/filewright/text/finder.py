"""Finding a literal in a block of bytes."""

from __future__ import annotations

from collections.abc import Callable

_LONG = 256

Finder = Callable[[bytes, int], int]
"""The index of the next occurrence in some bytes from an index on, or -1."""


def finder(needle: bytes) -> Finder:
    """The fastest safe way to find `needle`: by `stringzilla` at memory speed.

    That compares byte by byte where it suspects a match, so a long needle of few different bytes goes
    to `bytes.find`, which never degrades.
    """
    if len(needle) > _LONG:
        return lambda text, index: text.find(needle, index)

    from stringzilla import find

    return lambda text, index: int(find(text, needle, index))
