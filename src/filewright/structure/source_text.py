"""The text that a syntax tree is of."""

from __future__ import annotations

from typing import NamedTuple


class SourceText(NamedTuple):
    """The text being outlined and the codec its names are written in."""

    data: bytes
    codec: str

    def spaced(self, start: int, end: int, most: int) -> str:
        """The text of the bytes [start, end), `most` of them, with runs of white space as one space."""
        return " ".join(
            self.data[start : min(end, start + most)]
            .decode(self.codec, "replace")
            .split()
        )

    def text(self, start: int, end: int, most: int) -> str:
        """Return the text of the bytes [start, end), `most` of them at most."""
        return self.data[start : min(end, start + most)].decode(
            self.codec, "replace"
        )

    def breaks(self, start: int, stop: int) -> int:
        """How many lines end in the bytes [start, stop)."""
        if self.codec.startswith("utf-16"):
            return (
                self.data[start:stop].decode(self.codec, "replace").count("\n")
            )
        return self.data.count(b"\n", start, stop)

    def last(self, start: int, end: int) -> int:
        """Where the last character of [start, end) is: what ends with a line's end does not own the next line."""
        return max(start, end - (2 if self.codec.startswith("utf-16") else 1))


def truncate(text: str, limit: int) -> str:
    """`text` cut after `limit` characters, which it says."""
    return text if len(text) <= limit else text[: limit - 1] + "…"
