"""Places a hunk may have, and the one it gets or the reason there is none: plain values."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from filewright.edit.locate.indentation import Indentation
from filewright.edit.locate.request import Tier
from filewright.edit.locate.whole_lines import Region
from filewright.edit.patch.model import Hunk

#: How many lines a stated line number may be off and still choose among equal places.
REACH = 200


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a hunk belongs.

    `at` is the first of the file's lines it covers (from 0), `end` the line past its last;
    `lines[i]` the file's line for the hunk's i-th old row, None for a blank one the file lacks.
    `region` is what a looser tier found, to be written as an edit of it would be.
    """

    at: int
    end: int
    tier: Tier
    lines: tuple[int | None, ...] | range
    indentation: Indentation | None = None
    folds: bool = False
    region: Region | None = None


@dataclass(frozen=True, slots=True)
class Unplaced:
    """Why a hunk has no place: `why` is one of ``no_match``, ``ambiguous_match``, ``overlap``,
    ``order``, ``no_context``, ``already_applied``, ``heading``, ``cut``, ``not_at_end``,
    ``too_alike``; `lines` are the 1-based lines that say so.
    """

    hunk: Hunk
    why: str
    lines: tuple[int, ...] = ()
    heading: str = ""


class Options:
    """The places one hunk may have, in order, from the `low`-th of `starts` on.

    Lists of exact places are shared between hunks with the same lines, and never copied.
    """

    def __init__(self, starts: list[int], size: int, others: dict[int, Placed] | None = None) -> None:
        self.starts = starts
        self.low = 0
        self._size = size
        self._others = others

    def __len__(self) -> int:
        return len(self.starts) - self.low

    def place(self, start: int) -> Placed:
        """The place that begins at line `start`."""
        if self._others is not None:
            return self._others[start]
        return Placed(start, start + self._size, Tier.EXACT, range(start, start + self._size))

    def only(self, starts: list[int]) -> Options:
        """The same with fewer places."""
        return Options(starts, self._size, self._others)

    def ending(self, end: int) -> Options:
        """Those whose place ends at line `end`."""
        if self._others is not None:
            return self.only([start for start in self.starts if self.place(start).end == end])
        index = bisect_left(self.starts, end - self._size)
        found = self.starts[index : index + 1]
        return self.only(found if found == [end - self._size] else [])

    def after(self, floor: int) -> Options:
        """Those at or past line `floor`."""
        result = self.only(self.starts)
        result.low = bisect_left(self.starts, floor)
        return result

    def last_before(self, ceiling: int) -> int | None:
        """The last start whose place ends by line `ceiling`."""
        index = bisect_right(self.starts, ceiling, key=lambda start: self.place(start).end) - 1
        return self.starts[index] if index >= self.low else None

    def nearest(self, stated: int) -> int | None:
        """The start nearest to line `stated`, if within reach and no other is nearly as near."""
        index = bisect_left(self.starts, stated)
        around = self.starts[max(self.low, index - 2) : max(self.low, index) + 2]
        ranked = sorted(around, key=lambda start: abs(start - stated))
        first, second = (abs(start - stated) for start in ranked[:2])
        return ranked[0] if first <= REACH and 2 * first <= second and first != second else None

    def numbers(self) -> tuple[int, ...]:
        """Their first lines as people count them, the first twenty."""
        return tuple(start + 1 for start in self.starts[self.low : self.low + 20])
