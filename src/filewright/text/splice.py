"""Splices: the one form every edit is compiled to before anything is written."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from typing import overload

from filewright.errors import Code, FilewrightError, invalid

_BLOCK = 4096


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


class Splices(Sequence[Splice]):
    """Splices in order of offset, held in 24 bytes each beside their replacements.

    A file may have a million of them, so they are made in blocks: nothing large is ever moved to grow.
    `numbers` are offset, length and replacement's length of each, `replacements` all that they write, one
    after the other.
    """

    __slots__ = ("_blocks", "_count")

    def __init__(self, numbers: Iterable[tuple[int, int, int]], replacements: bytes) -> None:
        self._count = 0
        self._blocks: list[tuple[array[int], bytes]] = []
        rest, first = iter(numbers), 0
        while block := list(islice(rest, _BLOCK)):
            end = first + sum(new for _, _, new in block)
            self._add(block, replacements[first:end])
            first = end

    @classmethod
    def of(cls, splices: Iterable[Splice]) -> Splices:
        """Splices in order, taken one by one."""
        made, rest = cls((), b""), iter(splices)
        while block := list(islice(rest, _BLOCK)):
            written = b"".join([splice.replacement for splice in block])
            made._add([(each.offset, each.length, len(each.replacement)) for each in block], written)
        return made

    def _add(self, block: Sequence[tuple[int, int, int]], written: bytes) -> None:
        """Add a block, full unless it is the last: of each splice the offset, the length, its end in `written`."""
        numbers = array("q", [0])
        for offset, length, new in block:
            numbers.extend((offset, length, numbers[-1] + new))
        self._blocks.append((numbers, written))
        self._count += len(block)

    @property
    def replacements(self) -> bytes:
        """All that they write, one after the other."""
        return b"".join(written for _, written in self._blocks)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Splices | tuple):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash(tuple((numbers.tobytes(), written) for numbers, written in self._blocks))

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Splice: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Splice]: ...

    def __getitem__(self, index: int | slice) -> Splice | Sequence[Splice]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        block, within = divmod(range(self._count)[index], _BLOCK)
        numbers, written = self._blocks[block]
        start, offset, length, end = numbers[3 * within : 3 * within + 4]
        return Splice(offset, length, written[start:end])


def replacements(splices: Sequence[Splice]) -> bytes:
    """All that splices write, one after the other."""
    if isinstance(splices, Splices):
        return splices.replacements
    return b"".join([splice.replacement for splice in splices])


def ordered(splices: Iterable[Splice], size: int) -> tuple[Splice, ...]:
    """The splices in order of offset, proven to lie inside `size` bytes and not to overlap.

    Raises as `require_ordered` does.
    """
    result = tuple(sorted(splices, key=lambda s: (s.offset, s.end)))
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
            raise invalid(f"a splice at {splice.offset}+{splice.length} leaves the {size} bytes")
        if previous is not None and (
            splice.offset < previous.end or (splice.offset == previous.offset and splice.length == 0)
        ):
            message = f"edits overlap at byte {splice.offset}"
            raise FilewrightError(Code.OVERLAP, message, "join the overlapping edits into one")
        previous = splice


def apply(data: bytes, splices: Sequence[Splice]) -> bytes:
    """`data` with ordered `splices` applied: the definition of what an edit is."""
    view = memoryview(data)
    result = BytesIO()  # of 100,000 splices a list of parts takes more memory than the file
    position = 0
    for splice in splices:
        result.write(view[position : splice.offset])
        result.write(splice.replacement)
        position = splice.end
    result.write(view[position:])
    return result.getvalue()
