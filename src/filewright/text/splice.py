"""Splices: the one form every edit is compiled to before anything is written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from filewright.errors import Code, FilewrightError


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


def ordered(splices: Iterable[Splice], size: int) -> tuple[Splice, ...]:
    """The splices in order of offset, proven to lie inside `size` bytes and not to overlap.

    Two insertions at one offset are refused too: their order would be a guess.
    Raises `overlap` or `invalid_input`.
    """
    result = tuple(sorted(splices, key=lambda s: (s.offset, s.end)))
    previous: Splice | None = None
    for splice in result:
        if splice.offset < 0 or splice.length < 0 or splice.end > size:
            raise FilewrightError(
                Code.INVALID_INPUT, f"a splice at {splice.offset}+{splice.length} leaves the {size} bytes"
            )
        if previous is not None and (
            splice.offset < previous.end or (splice.offset == previous.offset and splice.length == 0)
        ):
            raise FilewrightError(
                Code.OVERLAP,
                f"edits overlap at byte {splice.offset}",
                hint="join the overlapping edits into one",
            )
        previous = splice
    return result


def apply(data: bytes, splices: Sequence[Splice]) -> bytes:
    """`data` with ordered `splices` applied: the definition of what an edit is."""
    parts: list[bytes] = []
    position = 0
    for splice in splices:
        parts += (data[position : splice.offset], splice.replacement)
        position = splice.end
    parts.append(data[position:])
    return b"".join(parts)


def inverse(data: bytes, splices: Sequence[Splice]) -> tuple[Splice, ...]:
    """The splices that turn `apply(data, splices)` back into `data`."""
    result: list[Splice] = []
    shift = 0
    for splice in splices:
        old = data[splice.offset : splice.end]
        back = Splice(splice.offset + shift, len(splice.replacement), old)
        if result and result[-1].end == back.offset:
            # Two removals that touch would be two insertions at one offset.
            last = result.pop()
            back = Splice(last.offset, last.length + back.length, last.replacement + old)
        result.append(back)
        shift += len(splice.replacement) - splice.length
    return tuple(result)
