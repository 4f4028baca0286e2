"""The text of a syntax tree, as bytes with the encoding of its names."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SourceText:
    """The text of a syntax tree. Its offsets are those of the tree, in bytes.

    `codec` decodes the names in it.
    """

    data: bytes
    codec: str

    @property
    def is_wide(self) -> bool:
        """Return True if a character has at least two bytes."""
        return self.codec.startswith("utf-16")

    def read(self, start: int, end: int, max_bytes: int) -> str:
        """Return the text of the bytes [start, end), but of `max_bytes` at most."""
        content = self.data[start : min(end, start + max_bytes)]
        return content.decode(self.codec, "replace")

    def read_collapsed(self, start: int, end: int, max_bytes: int) -> str:
        """Return the text of [start, end) with each run of whitespace as one space."""
        return " ".join(self.read(start, end, max_bytes).split())

    def count_line_ends(self, start: int, stop: int) -> int:
        """Return the number of lines that end in the bytes [start, stop)."""
        if self.is_wide:
            text = self.data[start:stop].decode(self.codec, "replace")
            return text.count("\n")
        return self.data.count(b"\n", start, stop)

    def last_character(self, start: int, end: int) -> int:
        """Return the offset of the last character of [start, end).

        The line of this character is the last line of a node: `end` itself may be on the
        next line, behind a terminator.
        """
        width = 2 if self.is_wide else 1
        return max(start, end - width)


def truncate(text: str, limit: int) -> str:
    """Return `text`, cut to `limit` characters with an ellipsis if it is longer."""
    return text if len(text) <= limit else text[: limit - 1] + "…"
