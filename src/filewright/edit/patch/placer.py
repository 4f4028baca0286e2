"""Placing the hunks of one file: every line of context is compared, none is dropped.

The place of a hunk is decided in this order:

1. The line that its header names, if the old lines are exactly there.
2. All places in the file (`hunk_search`). Places before the end of an earlier hunk do
   not count.
3. Of several equal places, the one at the header's number, or the nearest one if the
   next hunk confirms it: its number is off by as many lines.
4. Of several that are left, the only one that fits between the hunks around it.

A hunk without changes has no place, but shows what is above the hunk behind it. That
chooses among equal places, and the place right below it is certain by any comparison.

A hunk that none of these decides is refused. If not all hunks have a place, those that
have one for certain are told by `partial_placer`. All lines count from 0, unless a name
or docstring says otherwise; the numbers in a `NoPlace` count from 1, for messages.
"""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from filewright.edit.matchers.blocks import has_block_at
from filewright.edit.patch.applied import (
    find_repeated_insertion,
    has_distinct_lines,
    has_telling_result,
    proves_application,
    search_results,
)
from filewright.edit.patch.context import ContextAbove
from filewright.edit.patch.hunk_search import (
    HunkSearch,
    lacks_context_behind,
)
from filewright.edit.patch.model import PatchHunk
from filewright.edit.patch.placement import (
    HunkPlace,
    NoPlace,
    to_line_numbers,
)
from filewright.edit.patch.repeated_hunks import find_repeated_hunks
from filewright.edit.source import Source

REACH_LINES = 200
"""Lines that a header's number may be wrong and still choose among equal places."""
_CHECK_INTERVAL = 256
"""Hunks between two checks whether the call was cancelled or is out of time."""


def place_hunks(
    hunks: Sequence[PatchHunk],
    source: Source,
    contexts: Mapping[int, ContextAbove] = MappingProxyType({}),
) -> list[HunkPlace | NoPlace]:
    """Return the place of each hunk, in order, up to the first that has none.

    `contexts` are the lines that hunks without changes show above some of the hunks, by
    their index.
    """
    return _HunkPlacer(hunks, source, contexts).place_all()


@dataclass(frozen=True, slots=True)
class _Candidates:
    """The lines at which a hunk may begin.

    `starts` has all of them, in order. Those before index `first` cannot be meant: they
    lie before the end of an earlier hunk. They stay in the list because hunks with
    equal lines share one, and there may be a hundred thousand of both.
    """

    starts: list[int]
    first: int = 0

    @property
    def first_start(self) -> int:
        return self.starts[self.first]

    @property
    def is_only(self) -> bool:
        return self.first == len(self.starts) - 1


class _HunkPlacer:
    """Finds the places of the hunks of one file, from the first to the last."""

    def __init__(
        self,
        hunks: Sequence[PatchHunk],
        source: Source,
        contexts: Mapping[int, ContextAbove],
    ) -> None:
        self._hunks = hunks
        self._source = source
        self._search = HunkSearch(hunks, source, contexts)
        self._reverse_search = search_results(hunks, source, contexts)
        self._repeated_hunks = find_repeated_hunks(hunks)

    def place_all(self) -> list[HunkPlace | NoPlace]:
        """Return the place of each hunk, as `place_hunks` does."""
        outcomes: list[_Candidates | NoPlace] = []
        earliest_start = line_drift = 0
        for hunk_index, hunk in enumerate(self._hunks):
            if hunk_index % _CHECK_INTERVAL == 0:
                self._source.task.check()
            outcome = self._find_candidates(
                hunk_index, earliest_start, line_drift
            )
            if isinstance(outcome, _Candidates):
                place = self._search.place_at(hunk_index, outcome.first_start)
                # The first place leaves the most room for the hunks that follow.
                earliest_start = place.end
                if outcome.is_only:
                    if hunk.start is not None:
                        # The file has grown or shrunk above: the numbers of the hunks
                        # below are off by the same count.
                        line_drift = place.start - hunk.start_index
                    applied_start = find_repeated_insertion(
                        hunk, place.start, self._search, self._source
                    )
                    if applied_start is not None:
                        outcome = NoPlace(
                            "already_applied", (applied_start + 1,)
                        )
            outcomes.append(outcome)
            if isinstance(outcome, NoPlace):
                break
        # The place of the refused hunk might have settled those before it. It is the one
        # to report, and not a neighbour as "ambiguous".
        is_complete = not isinstance(outcomes[-1], NoPlace)
        return self._settle(outcomes, may_be_ambiguous=is_complete)

    def _settle(
        self,
        outcomes: Sequence[_Candidates | NoPlace],
        *,
        may_be_ambiguous: bool,
    ) -> list[HunkPlace | NoPlace]:
        """Return the places that the order of the hunks leaves.

        Each of `outcomes` begins with the earliest place behind the hunk before it.
        From the last hunk to the first, this looks for later places that still end
        before the next hunk. If there are none, the order of the hunks decides.
        Otherwise the hunk is ambiguous with `may_be_ambiguous`, and takes the earliest
        place without, or if it changes nothing.
        """
        places: list[HunkPlace | NoPlace] = []
        latest_end = sys.maxsize
        for hunk_index in reversed(range(len(outcomes))):
            outcome = outcomes[hunk_index]
            if isinstance(outcome, NoPlace):
                places.append(outcome)
                continue
            latest_start = outcome.first_start
            place: HunkPlace | NoPlace = self._search.place_at(
                hunk_index, latest_start
            )
            if may_be_ambiguous and not outcome.is_only:
                open_end = bisect_right(
                    outcome.starts,
                    latest_end,
                    key=lambda start: (
                        self._search.place_at(hunk_index, start).end
                    ),
                )
                if open_end > outcome.first + 1:
                    open_starts = outcome.starts[outcome.first : open_end]
                    # A hunk that writes the lines it removes changes no place.
                    if not self._hunks[hunk_index].lines.repeats_lines:
                        place = NoPlace(
                            "ambiguous_match", to_line_numbers(open_starts)
                        )
                    # It may be at the last of these, so the hunk before it too may
                    # have a later place.
                    latest_start = open_starts[-1]
            latest_end = latest_start
            places.append(place)
        places.reverse()
        return places

    # The candidates of one hunk

    def _find_candidates(
        self, hunk_index: int, earliest_start: int, line_drift: int
    ) -> _Candidates | NoPlace:
        """Return where a hunk may begin, from line `earliest_start` on.

        `line_drift` is the number of lines by which the hunk placed before it lies
        further down (negative: further up) than its header says.
        """
        hunk = self._hunks[hunk_index]
        if hunk_index in self._repeated_hunks:
            return NoPlace("sent_twice", (hunk.start_index + 1,))
        if not hunk.lines.old:
            end_line = self._search.place_without_old_lines(hunk)
            if isinstance(end_line, NoPlace):
                return end_line
            return _Candidates([end_line])
        stated_start = hunk.start_index + line_drift
        if hunk.start is not None and stated_start >= earliest_start:
            outcome = self._place_at_stated_line(hunk, stated_start)
            if outcome is not None:
                return outcome
        starts = self._search.find_starts(hunk_index)
        if isinstance(starts, NoPlace):
            return starts
        first_index = bisect_left(starts, earliest_start)
        if first_index == len(starts):
            return self._search.refuse_order(hunk_index, starts, earliest_start)
        candidates = _Candidates(starts, first_index)
        if hunk.start is None:
            return candidates
        applied_start = self._find_nearer_result(
            hunk_index, candidates, stated_start, earliest_start
        )
        if applied_start is not None:
            return NoPlace(
                "doubtful",
                to_line_numbers(starts[first_index:]),
                applied_line=applied_start + 1,
                header_line=max(0, candidates.first_start + 1 - line_drift),
            )
        if candidates.is_only:
            return candidates
        start = self._choose_by_number(hunk_index, candidates, stated_start)
        # Where the end and the number name two places, neither is trusted.
        if start is None or self._search.may_mean_end(
            hunk_index, starts, start, stated_start
        ):
            return candidates
        return _Candidates([start])

    def _choose_by_number(
        self, hunk_index: int, candidates: _Candidates, stated_start: int
    ) -> int | None:
        """Return the one of several equal places that the number means, or None.

        A number that names none of them is wrong. The nearest place is then no more than
        a guess, unless the next hunk confirms it.
        """
        start = _find_nearest(candidates, stated_start)
        if start is None or start == stated_start:
            return start
        line_drift = start - self._hunks[hunk_index].start_index
        return start if self._is_off_by(hunk_index + 1, line_drift) else None

    def _is_off_by(self, hunk_index: int, line_drift: int) -> bool:
        """Return True if a hunk is exactly where its number and a drift say."""
        if hunk_index == len(self._hunks):
            return False
        hunk = self._hunks[hunk_index]
        old_lines = self._search.encode(hunk.lines.old)
        start = hunk.start_index + line_drift
        if hunk.start is None or not old_lines or start < 0:
            return False
        return has_block_at(self._source, old_lines, start)

    def _find_nearer_result(
        self,
        hunk_index: int,
        candidates: _Candidates,
        stated_start: int,
        earliest_start: int,
    ) -> int | None:
        """Return where the result of a hunk is nearer to the stated line than a place.

        The hunk may be applied there, and its old lines be those of another place. Or
        another place had the lines of its result before. Return None if there is no such
        result.
        """
        if not has_telling_result(self._hunks[hunk_index]):
            return None
        results = self._reverse_search.find_starts(hunk_index)
        if isinstance(results, NoPlace):
            return None
        result = _find_next_to(
            results, bisect_left(results, earliest_start), stated_start
        )
        place = _find_next_to(candidates.starts, candidates.first, stated_start)
        if result is None or place is None:
            return None
        if abs(result - stated_start) < abs(place - stated_start):
            return result
        return None

    def _place_at_stated_line(
        self, hunk: PatchHunk, stated_start: int
    ) -> _Candidates | NoPlace | None:
        """Return the outcome if the line that the header names decides it, or None.

        None sends the caller to search the whole file.
        """
        source = self._source
        old_lines = self._search.encode(hunk.lines.old)
        if old_lines is None:
            return None
        if not has_block_at(source, old_lines, stated_start):
            # A patch sent a second time: its result is at the very line it names. Old
            # lines that occur elsewhere too must not draw it there.
            if not proves_application(hunk) and not has_distinct_lines(hunk):
                return None
            new_lines = self._search.encode(hunk.lines.new)
            if new_lines and has_block_at(source, new_lines, stated_start):
                return NoPlace("already_applied", (stated_start + 1,))
            return None
        if self._search.has_searched:
            # An earlier hunk had to be searched for, so the numbers are doubtful. All
            # places are known now, and the nearest is chosen among them.
            return None
        may_mean_end = (
            hunk.at_end or hunk.is_truncated or lacks_context_behind(hunk)
        )
        # To ask for the number of lines would read a huge file to its end, so only one
        # line more is read.
        if may_mean_end and source.bodies(stated_start + len(old_lines), 1):
            return None
        return _Candidates([stated_start])


def _find_next_to(
    starts: Sequence[int], first_index: int, line: int
) -> int | None:
    """Return the one of the starts from `first_index` on that is nearest to a line."""
    position = bisect_left(starts, line, first_index)
    around = starts[max(first_index, position - 1) : position + 1]
    return min(around, key=lambda start: abs(start - line), default=None)


def _find_nearest(candidates: _Candidates, stated_start: int) -> int | None:
    """Return the start nearest to `stated_start`, or None.

    It must be within reach, and the next one must be at least twice as far away.
    """
    starts, first_index = candidates.starts, candidates.first
    position = max(first_index, bisect_left(starts, stated_start))
    nearby_starts = starts[max(first_index, position - 2) : position + 2]
    nearby_starts.sort(key=lambda start: abs(start - stated_start))
    distance = abs(nearby_starts[0] - stated_start)
    next_distance = abs(nearby_starts[1] - stated_start)
    if distance <= REACH_LINES and 2 * distance <= next_distance:
        return nearby_starts[0]
    return None
