"""Splices: the only form of an edit, from planning to writing."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from operator import attrgetter, eq
from typing import overload

from filewright.errors import Code, FilewrightError, invalid


@dataclass(frozen=True, slots=True, order=True)
class Splice:
    """Replace `length` bytes at byte `offset` of a snapshot by `replacement`."""

    offset: int
    length: int
    replacement: bytes

    @property
    def end(self) -> int:
        """Return the offset past the replaced bytes."""
        return self.offset + self.length


class PackedSplices(Sequence[Splice]):
    """Splices in order of offset, in 24 bytes each and their replacements.

    One file may have a million of them. `numbers` are the offset, the length and the
    length of the replacement of each splice; `replacements` are all replacements, one
    after the other.
    """

    __slots__ = ("_numbers", "replacements")

    def __init__(
        self,
        numbers: Iterable[tuple[int, int, int]],
        replacements: bytes | bytearray,
    ) -> None:
        # Three numbers for each splice: its offset, its length, and the end of its
        # replacement in `replacements`, where the replacement of the next one starts.
        self._numbers = array("q", [0])
        for offset, length, replacement_length in numbers:
            end = self._numbers[-1] + replacement_length
            self._numbers.extend((offset, length, end))
        self.replacements = replacements

    @classmethod
    def pack(cls, splices: Iterable[Splice]) -> PackedSplices:
        """Pack ordered splices, which are taken one by one."""
        replacements = bytearray()
        packed = cls((), replacements)
        for splice in splices:
            replacements += splice.replacement
            packed._numbers.extend(
                (splice.offset, splice.length, len(replacements))
            )
        return packed

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PackedSplices | tuple):
            return NotImplemented
        if len(self) != len(other):
            return False
        return all(map(eq, self, other))

    def __hash__(self) -> int:
        return hash((self._numbers.tobytes(), bytes(self.replacements)))

    def __len__(self) -> int:
        return len(self._numbers) // 3

    @overload
    def __getitem__(self, index: int) -> Splice: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Splice]: ...

    def __getitem__(self, index: int | slice) -> Splice | Sequence[Splice]:
        if isinstance(index, slice):
            return [
                self[position] for position in range(*index.indices(len(self)))
            ]
        position = 3 * range(len(self))[index]
        start, offset, length, end = self._numbers[position : position + 4]
        return Splice(offset, length, bytes(self.replacements[start:end]))


def join_replacements(splices: Sequence[Splice]) -> bytes:
    """Return the replacements of all splices, one after the other."""
    if isinstance(splices, PackedSplices):
        return bytes(splices.replacements)
    return b"".join([splice.replacement for splice in splices])


def sort_splices(splices: Iterable[Splice], size: int) -> tuple[Splice, ...]:
    """Return the splices in order of offset. Raises as `require_ordered`."""
    ordered = tuple(sorted(splices, key=attrgetter("offset", "length")))
    require_ordered(ordered, size)
    return ordered


def join_insertions(splices: Iterable[Splice]) -> Iterator[Splice]:
    """Yield ordered splices, with the insertions at one offset joined into one."""
    previous: Splice | None = None
    for splice in splices:
        # A splice that ends where the one before it begins: both are empty there.
        if previous is not None and previous.offset == splice.end:
            joined = previous.replacement + splice.replacement
            splice = Splice(splice.offset, 0, joined)
        elif previous is not None:
            yield previous
        previous = splice
    if previous is not None:
        yield previous


def require_ordered(splices: Iterable[Splice], size: int) -> None:
    """Refuse splices that leave `size` bytes, overlap, or are not in order.

    Two insertions at one offset are refused too: their order would be a guess.
    Raises `overlap` or `invalid_input`.
    """
    previous: Splice | None = None
    for splice in splices:
        if splice.offset < 0 or splice.length < 0 or splice.end > size:
            raise invalid(
                f"a splice at {splice.offset}+{splice.length} leaves the {size} bytes"
            )
        if previous is not None and _overlaps(previous, splice):
            raise FilewrightError(
                Code.OVERLAP,
                f"edits overlap at byte {splice.offset}",
                "join the overlapping edits into one",
            )
        previous = splice


def _overlaps(previous: Splice, splice: Splice) -> bool:
    if splice.offset < previous.end:
        return True
    return splice.offset == previous.offset and splice.length == 0


def apply_splices(data: bytes, splices: Iterable[Splice]) -> bytes:
    """Return `data` with ordered `splices` applied: the effect of an edit."""
    view = memoryview(data)
    # A list of the parts would need more memory than the file with 100,000 splices.
    result = BytesIO()
    position = 0
    for splice in splices:
        result.write(view[position : splice.offset])
        result.write(splice.replacement)
        position = splice.end
    result.write(view[position:])
    return result.getvalue()
