"""The result of splices as a snapshot, for edits that are located on earlier edits."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice, apply_splices


class Overlay(Snapshot):
    """A snapshot with ordered splices applied; in memory if the snapshot is."""

    def __init__(self, snapshot: Snapshot, splices: Sequence[Splice]) -> None:
        content = snapshot.content
        super().__init__(
            None if content is None else apply_splices(content, splices),
            location=snapshot.location,
        )
        self.splices = tuple(splices)
        self.encoding = snapshot.encoding  # An edit never changes it.
        self._snapshot = snapshot
        self._pieces = _split_pieces(snapshot.size, splices)
        *self._starts, self._size = accumulate(
            map(len, self._pieces), initial=0
        )

    @property
    def dominant_terminator(self) -> bytes:
        """The snapshot's: lines that an edit removes do not change how others end."""
        return self._snapshot.dominant_terminator

    def read(self, offset: int, length: int, /) -> bytes:
        """Return the bytes [offset, offset + length) of the result, clipped to it."""
        if self.content is not None:
            return super().read(offset, length)
        parts: list[bytes] = []
        for piece in self._pieces_within(
            offset, min(offset + length, self.size)
        ):
            if isinstance(piece, bytes):
                parts.append(piece)
            else:
                parts.append(self._snapshot.read(piece.start, len(piece)))
        return b"".join(parts)

    def original_offset(self, offset: int, *, end: bool = False) -> int:
        """Return the offset in the original that an offset of the result means.

        Inside new text: where the text it replaced begins, or with `end` where it ends.
        """
        shift = 0
        for splice in self.splices:
            new_start = splice.offset + shift
            new_end = new_start + len(splice.replacement)
            if offset < new_start or (offset == new_start and not end):
                break
            if offset < new_end or (offset == new_end and end):
                return splice.end if end else splice.offset
            shift += len(splice.replacement) - splice.length
        return offset - shift

    def compose(self, splices: Sequence[Splice]) -> tuple[Splice, ...]:
        """Return splices of the original that do what `splices` do to the result."""
        composed: list[Splice] = []
        position, new = 0, b""
        for piece in self._original_pieces(splices):
            if isinstance(piece, bytes):
                new += piece
            else:
                composed.append(Splice(position, piece.start - position, new))
                position, new = piece.stop, b""
        composed.append(Splice(position, self._snapshot.size - position, new))
        return tuple(
            splice for splice in composed if splice.length or splice.replacement
        )

    def _original_pieces(
        self, splices: Sequence[Splice]
    ) -> Iterator[bytes | range]:
        """Yield the result with more splices: new bytes, and ranges of the original."""
        for piece in _split_pieces(self.size, splices):
            if isinstance(piece, bytes):
                yield piece
            else:
                yield from self._pieces_within(piece.start, piece.stop)

    def _pieces_within(self, start: int, end: int) -> Iterator[bytes | range]:
        """Yield the pieces of a range of the result."""
        index = max(0, bisect_right(self._starts, start) - 1)
        while start < end:
            piece_start = self._starts[index]
            yield self._pieces[index][start - piece_start : end - piece_start]
            start = piece_start + len(self._pieces[index])
            index += 1


def _split_pieces(size: int, splices: Sequence[Splice]) -> list[bytes | range]:
    """Return `size` bytes with ordered splices applied, in pieces.

    A piece is new bytes, or the range of old bytes that is between them.
    """
    pieces: list[bytes | range] = []
    position = 0
    for splice in splices:
        pieces.append(range(position, splice.offset))
        pieces.append(splice.replacement)
        position = splice.end
    pieces.append(range(position, size))
    return [piece for piece in pieces if piece]
