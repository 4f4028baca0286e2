"""The result of splices as something to read, without making it: for edits located on earlier edits."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from filewright.text import Snapshot, Splice, apply


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of the result from `at` on: `data`, or bytes of the original from `origin`."""

    at: int
    origin: int
    length: int
    data: bytes | None


class Overlay(Snapshot):
    """A snapshot with ordered splices applied, as a snapshot; held where that is."""

    def __init__(self, snapshot: Snapshot, splices: Sequence[Splice]) -> None:
        held = snapshot.held
        super().__init__(None if held is None else apply(held, splices), location=snapshot.location)
        self.splices = tuple(splices)
        self.encoding = snapshot.encoding  # an edit never changes it
        self._snapshot = snapshot
        self._pieces, self.size = _pieces(snapshot.size, splices)
        self._starts = [piece.at for piece in self._pieces]

    @property
    def dominant(self) -> bytes:
        """The dominant terminator of the result; of a text too large to be held, the snapshot's."""
        return self._snapshot.dominant if self.held is None else super().dominant

    def read(self, offset: int, length: int, /) -> bytes:
        """The bytes [offset, offset + length) of the result, clipped to it."""
        if self.held is not None:
            return super().read(offset, length)
        pieces = self._within(offset, min(length, self.size - offset))
        return b"".join(
            self._snapshot.read(piece.origin, piece.length) if piece.data is None else piece.data
            for piece in pieces
        )

    def origin_of(self, offset: int, *, end: bool = False) -> int:
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

    def composed(self, splices: Sequence[Splice]) -> tuple[Splice, ...]:
        """The splices of the original that do what these do to the result."""
        result: list[Splice] = []
        # Walk the final text's pieces; whatever is not original text is new.
        position = 0
        pending = b""
        for piece in _pieces(self.size, splices)[0]:
            if piece.data is not None:
                pending += piece.data
                continue
            for part in self._within(piece.origin, piece.length):
                if part.data is not None:
                    pending += part.data
                    continue
                if pending or part.origin > position:
                    result.append(Splice(position, part.origin - position, pending))
                    pending = b""
                position = part.origin + part.length
        if pending or position < self._snapshot.size:
            result.append(Splice(position, self._snapshot.size - position, pending))
        return tuple(splice for splice in result if splice.length or splice.replacement)

    def _within(self, offset: int, length: int) -> list[_Piece]:
        """The pieces of the result in a range of it."""
        end = offset + length
        result: list[_Piece] = []
        index = max(0, bisect_right(self._starts, offset) - 1)
        while offset < end:
            piece = self._pieces[index]
            skip = offset - piece.at
            count = min(piece.length - skip, end - offset)
            data = None if piece.data is None else piece.data[skip : skip + count]
            result.append(_Piece(offset, piece.origin + (skip if data is None else 0), count, data))
            offset += count
            index += 1
        return result


def _pieces(size: int, splices: Sequence[Splice]) -> tuple[list[_Piece], int]:
    """The pieces of `size` bytes with ordered splices applied, and the size of the result."""
    pieces: list[_Piece] = []
    at = origin = 0
    for splice in splices:
        if splice.offset > origin:
            pieces.append(_Piece(at, origin, splice.offset - origin, None))
            at += splice.offset - origin
        if splice.replacement:
            pieces.append(_Piece(at, splice.offset, len(splice.replacement), splice.replacement))
            at += len(splice.replacement)
        origin = splice.end
    if origin < size:
        pieces.append(_Piece(at, origin, size - origin, None))
        at += size - origin
    return pieces, at
