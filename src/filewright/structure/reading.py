"""The text that a syntax tree is of, and what is found in the tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

NAME_CHARS: Final = 200


class SourceText(NamedTuple):
    """The text being outlined and the codec its names are written in."""

    data: bytes
    codec: str

    def between(self, start: int, end: int, limit: int = NAME_CHARS) -> str:
        """The text of the bytes [start, end), runs of white space as one space, cut after `limit` characters."""
        return cut(self.spaced(start, end, 4 * limit), limit)

    def spaced(self, start: int, end: int, most: int) -> str:
        """The text of the bytes [start, end), `most` of them, with runs of white space as one space."""
        return " ".join(self.data[start : min(end, start + most)].decode(self.codec, "replace").split())

    def breaks(self, start: int, stop: int) -> int:
        """How many lines end in the bytes [start, stop)."""
        if self.codec.startswith("utf-16"):
            return self.data[start:stop].decode(self.codec, "replace").count("\n")
        return self.data.count(b"\n", start, stop)

    def last(self, start: int, end: int) -> int:
        """Where the last character of [start, end) is: what ends with a line's end does not own the next line."""
        return max(start, end - (2 if self.codec.startswith("utf-16") else 1))


class Declaration(NamedTuple):
    """A symbol met in the tree: its range is that of `node`, its children are looked for in `into`.

    A kind that begins with `?` is kept only if it turns out to have children. A `level` above 0 is a
    heading's: it reaches down to the next heading of its level or above, and holds the lower ones.
    """

    kind: str
    name: str
    node: Node
    into: tuple[Node, ...] = ()
    known_as: str = ""
    level: int = 0


def cut(text: str, limit: int = NAME_CHARS) -> str:
    """`text` cut after `limit` characters, which it says."""
    return text if len(text) <= limit else text[: limit - 1] + "…"
