"""The result of splices as a snapshot, for edits that are located on earlier edits."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence

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
        self.splices = splices
        self.encoding = snapshot.encoding  # An edit never changes it.
        self._snapshot = snapshot
        # Where the new text of each splice begins in the result. There may be a million
        # splices: pieces of all of them would take ten times as much memory.
        self._new_starts = array("q")
        shift = 0
        for splice in splices:
            self._new_starts.append(splice.offset + shift)
            shift += len(splice.replacement) - splice.length
        self._size = snapshot.size + shift

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
        for piece in _iterate_pieces(self.size, splices):
            if isinstance(piece, bytes):
                yield piece
            else:
                yield from self._pieces_within(piece.start, piece.stop)

    def _pieces_within(self, start: int, end: int) -> Iterator[bytes | range]:
        """Yield the pieces of a range of the result."""
        first = max(0, bisect_right(self._new_starts, start) - 1)
        position = 0
        if first:
            previous = self.splices[first - 1]
            position = self._new_starts[first - 1] + len(previous.replacement)
        for piece in _iterate_pieces(self._snapshot.size, self.splices, first):
            if position >= end:
                return
            clipped = piece[max(0, start - position) : end - position]
            position += len(piece)
            if clipped:
                yield clipped


def _iterate_pieces(
    size: int, splices: Sequence[Splice], first: int = 0
) -> Iterator[bytes | range]:
    """Yield `size` bytes with ordered splices applied, in pieces.

    A piece is new bytes, or the range of old bytes that is between them. The first one
    is that before the splice with the index `first`.
    """
    position = splices[first - 1].end if first else 0
    for index in range(first, len(splices)):
        splice = splices[index]
        yield range(position, splice.offset)
        yield splice.replacement
        position = splice.end
    yield range(position, size)
