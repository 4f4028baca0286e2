"""The result of splices as something to read, without making it: for edits located on earlier edits."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice, apply_splices


class Overlay(Snapshot):
    """A snapshot with ordered splices applied, as a snapshot; held where that is."""

    def __init__(self, snapshot: Snapshot, splices: Sequence[Splice]) -> None:
        held = snapshot.content
        super().__init__(
            None if held is None else apply_splices(held, splices),
            location=snapshot.location,
        )
        self.splices = tuple(splices)
        self.encoding = snapshot.encoding  # an edit never changes it
        self._snapshot = snapshot
        self._pieces = _pieces(snapshot.size, splices)
        *self._starts, self.size = accumulate(map(len, self._pieces), initial=0)

    @property
    def dominant(self) -> bytes:
        """The snapshot's: what an edit takes out of it has no say in how others end lines."""
        return self._snapshot.dominant_terminator

    def read(self, offset: int, length: int, /) -> bytes:
        """The bytes [offset, offset + length) of the result, clipped to it."""
        if self.content is not None:
            return super().read(offset, length)
        return b"".join(
            piece
            if isinstance(piece, bytes)
            else self._snapshot.read(piece.start, len(piece))
            for piece in self._within(offset, min(offset + length, self.size))
        )

    def original_offset(self, offset: int, *, end: bool = False) -> int:
        """The offset in the original that an offset of the result means.

        Inside new text: where the text it replaced begins, or with `end` where it ends.
        """
        shift = 0
        for splice in self.splices:
            begin = splice.offset + shift
            stop = begin + len(splice.replacement)
            if offset < begin or (offset == begin and not end):
                break
            if offset < stop or (offset == stop and end):
                return splice.end if end else splice.offset
            shift += len(splice.replacement) - splice.length
        return offset - shift

    def compose(self, splices: Sequence[Splice]) -> tuple[Splice, ...]:
        """The splices of the original that do what these do to the result."""
        made: list[Splice] = []
        position, new = 0, b""
        for whole in _pieces(self.size, splices):
            for piece in (
                [whole]
                if isinstance(whole, bytes)
                else self._within(whole.start, whole.stop)
            ):
                if isinstance(piece, bytes):
                    new += piece
                else:
                    made.append(Splice(position, piece.start - position, new))
                    position, new = piece.stop, b""
        made.append(Splice(position, self._snapshot.size - position, new))
        return tuple(splice for splice in made if splice.length or splice.replacement)

    def _within(self, start: int, end: int) -> Iterator[bytes | range]:
        """The pieces of a range of the result."""
        index = max(0, bisect_right(self._starts, start) - 1)
        while start < end:
            at = self._starts[index]
            yield self._pieces[index][start - at : end - at]
            index += 1
            start = at + len(self._pieces[index - 1])


def _pieces(size: int, splices: Sequence[Splice]) -> list[bytes | range]:
    """`size` bytes with ordered splices applied: new bytes, and which of the old ones there are between them."""
    pieces: list[bytes | range] = []
    position = 0
    for splice in splices:
        pieces += range(position, splice.offset), splice.replacement
        position = splice.end
    pieces.append(range(position, size))
    return [piece for piece in pieces if piece]
