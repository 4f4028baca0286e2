"""The text of a syntax tree, as bytes with the encoding of its names."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SourceText:
    """The text that is outlined. Offsets are those of the syntax tree."""

    data: bytes
    codec: str

    @property
    def is_wide(self) -> bool:
        """Return True if a character has at least two bytes."""
        return self.codec.startswith("utf-16")

    def read(self, start: int, end: int, max_bytes: int) -> str:
        """Return the text of the bytes [start, end), of the first `max_bytes` at most."""
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

        A node that ends with a terminator does not reach into the next line.
        """
        width = 2 if self.is_wide else 1
        return max(start, end - width)


def truncate(text: str, limit: int) -> str:
    """Return `text`, of a longer one `limit` characters with an ellipsis at the end."""
    return text if len(text) <= limit else text[: limit - 1] + "…"
