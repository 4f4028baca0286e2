"""Splices: the one form every edit is compiled to before anything is written."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import BytesIO
from operator import attrgetter
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
        """The offset just past the replaced bytes."""
        return self.offset + self.length


class PackedSplices(Sequence[Splice]):
    """Splices in order of offset, held in 24 bytes each beside their replacements: a file may have a million of them.

    `numbers` are offset, length and replacement's length of each, `written` all that they write, one after the other.
    """

    __slots__ = ("_numbers", "replacements")

    def __init__(
        self, numbers: Iterable[tuple[int, int, int]], written: bytes | bytearray
    ) -> None:
        self._numbers = array(
            "q", [0]
        )  # of each the offset, the length, and its end in what is written
        for offset, length, new in numbers:
            self._numbers.extend((offset, length, self._numbers[-1] + new))
        self.replacements = written

    @classmethod
    def pack(cls, splices: Iterable[Splice]) -> PackedSplices:
        """Splices in order, taken one by one."""
        written = bytearray()
        made = cls((), written)
        for splice in splices:
            written += splice.replacement
            made._numbers.extend((splice.offset, splice.length, len(written)))
        return made

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PackedSplices | tuple):
            return NotImplemented
        return len(self) == len(other) and all(
            one == two for one, two in zip(self, other, strict=True)
        )

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
            return [self[at] for at in range(*index.indices(len(self)))]
        at = 3 * range(len(self._numbers) // 3)[index]
        start, offset, length, end = self._numbers[at : at + 4]
        return Splice(offset, length, bytes(self.replacements[start:end]))


def join_replacements(splices: Sequence[Splice]) -> bytes:
    """All that splices write, one after the other."""
    if isinstance(splices, PackedSplices):
        return bytes(splices.replacements)
    return b"".join([splice.replacement for splice in splices])


def sort_splices(splices: Iterable[Splice], size: int) -> tuple[Splice, ...]:
    """The splices in order of offset, proven to lie inside `size` bytes and not to overlap.

    Raises as `require_ordered` does.
    """
    result = tuple(sorted(splices, key=attrgetter("offset", "length")))
    require_ordered(result, size)
    return result


def require_ordered(splices: Iterable[Splice], size: int) -> None:
    """Refuse splices that leave `size` bytes, overlap, or are in no order.

    Two insertions at one offset are refused too: their order would be a guess.
    Raises `overlap` or `invalid_input`.
    """
    previous: Splice | None = None
    for splice in splices:
        if splice.offset < 0 or splice.length < 0 or splice.end > size:
            raise invalid(
                f"a splice at {splice.offset}+{splice.length} leaves the {size} bytes"
            )
        if previous is not None and (
            splice.offset < previous.end
            or (splice.offset == previous.offset and splice.length == 0)
        ):
            message = f"edits overlap at byte {splice.offset}"
            raise FilewrightError(
                Code.OVERLAP, message, "join the overlapping edits into one"
            )
        previous = splice


def apply_splices(data: bytes, splices: Iterable[Splice]) -> bytes:
    """`data` with ordered `splices` applied: the definition of what an edit is."""
    view = memoryview(data)
    result = (
        BytesIO()
    )  # of 100,000 splices a list of parts takes more memory than the file
    position = 0
    for splice in splices:
        result.write(view[position : splice.offset])
        result.write(splice.replacement)
        position = splice.end
    result.write(view[position:])
    return result.getvalue()
