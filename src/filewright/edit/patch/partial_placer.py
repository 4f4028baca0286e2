"""Placing hunks in a file that does not have a place for all of them.

Some hunks of the patch may be applied already, and the file may no longer have the
lines of others. So a hunk that fits somewhere may be meant for another place, where its
lines have changed, and a hunk whose result is in the file may still have to be applied.

Each hunk has options: the places of its old lines, where it would be applied, and those
of its new lines, where it is applied already. Hunks that are certain are anchors for
the hunks around them: these lie between the anchors, and their line numbers are off by
as many lines. An option is certain

1. if it is exactly where the number of the hunk and the anchor right above it say,
2. if it is the only one, and is off by as many lines as a hunk around it, or
3. if it is the only one, and nothing that is nearer to its number is like the hunk.

A hunk without a number has a certain place if it has one option only, or if the order of
the hunks leaves one. A hunk without a certain option is refused. All lines count from 0;
the numbers in a `NoPlace` count from 1, for messages.
"""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from filewright.edit.matchers.blocks import has_block_at
from filewright.edit.patch.applied import (
    has_solid_addition,
    has_telling_result,
    search_results,
)
from filewright.edit.patch.context import ContextAbove
from filewright.edit.patch.hunk_search import HunkSearch
from filewright.edit.patch.model import PatchHunk
from filewright.edit.patch.placement import (
    HunkPlace,
    LineBudget,
    NoPlace,
    to_line_numbers,
)
from filewright.edit.patch.repeated_hunks import find_repeated_hunks
from filewright.edit.patch.similar_text import ExpectedLines, SimilarText
from filewright.edit.source import Source

_MAX_LOOSE_REFUSALS = 12
"""Hunks without a place after which the others are compared exactly only."""
_MAX_PASSES = 8
"""Passes over all hunks, each of which uses the anchors that the others found."""
_CHECK_INTERVAL = 256
"""Hunks between two checks whether the call was cancelled or is out of time."""
_NEAR_LINES = 20
"""Lines around the nearest option in which another one makes it uncertain."""


def place_partly(
    hunks: Sequence[PatchHunk],
    source: Source,
    contexts: Mapping[int, ContextAbove] = MappingProxyType({}),
) -> list[HunkPlace | NoPlace]:
    """Return the place of each hunk, or the reason why it has none for certain.

    The reason is `already_applied` for a hunk whose result is in the file, and
    `sent_twice` for one that repeats another. `contexts`
    are the lines that hunks without changes show above some of the hunks, by their
    index.
    """
    # A repeated hunk is not between the hunks around it.
    repeated = find_repeated_hunks(hunks)
    distinct_hunks: list[PatchHunk] = []
    distinct_contexts: dict[int, ContextAbove] = {}
    for index, hunk in enumerate(hunks):
        if index in repeated:
            continue
        if index in contexts:
            distinct_contexts[len(distinct_hunks)] = contexts[index]
        distinct_hunks.append(hunk)
    placer = _PartialPlacer(distinct_hunks, source, distinct_contexts)
    distinct_places = iter(placer.place_all())
    places: list[HunkPlace | NoPlace] = []
    for index, hunk in enumerate(hunks):
        if index in repeated:
            places.append(NoPlace("sent_twice", (hunk.start_index + 1,)))
        else:
            places.append(next(distinct_places))
    return places


@dataclass(frozen=True, slots=True)
class _Option:
    """A place of the old lines of a hunk, or of its new lines if it `is_applied`.

    `drift` is the number of lines by which the place is below the one that the header
    names, and `drift_behind` that by which the hunks behind it then are. Both are None
    without a number.
    """

    start: int
    end: int
    is_applied: bool
    drift: int | None
    drift_behind: int | None


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """The anchors around a hunk.

    The hunk lies from line `first` to before `last`. `drift_above` is the number of
    lines by which the hunks behind the nearest anchor with a number are off, and
    `drift_below` that by which the nearest anchor below is; None without one. The begin
    of the file is an anchor too. Adjacent anchors are those of the hunks right before
    and right behind.
    """

    first: int
    last: int
    drift_above: int | None
    drift_below: int | None
    is_above_adjacent: bool
    is_below_adjacent: bool


@dataclass(frozen=True, slots=True)
class _StartRange:
    """The starts from index `low` to before `high` of a list in order.

    Hunks with equal lines share the list, and there may be a hundred thousand of both.
    """

    starts: Sequence[int]
    low: int
    high: int

    def __len__(self) -> int:
        return max(0, self.high - self.low)

    def has(self, start: int) -> bool:
        """Return True if a start is among them."""
        index = bisect_left(self.starts, start, self.low, self.high)
        return index < self.high and self.starts[index] == start

    def find_around(self, start: int) -> Sequence[int]:
        """Return the nearest start on each side of a line."""
        index = bisect_left(self.starts, start, self.low, self.high)
        return self.starts[max(self.low, index - 1) : min(self.high, index + 1)]

    def narrow(self, first: int, last: int) -> _StartRange:
        """Return those of the starts from line `first` to line `last`."""
        low = bisect_left(self.starts, first, self.low, self.high)
        high = bisect_right(self.starts, last, low, self.high)
        return _StartRange(self.starts, low, high)


@dataclass(frozen=True, slots=True)
class _OptionRange:
    """The starts of the old and of the new lines of a hunk between two anchors."""

    fresh: _StartRange
    applied: _StartRange

    def __len__(self) -> int:
        return len(self.fresh) + len(self.applied)

    def narrow(self, first: int, last: int) -> _OptionRange:
        """Return the options that begin from line `first` to line `last`."""
        return _OptionRange(
            self.fresh.narrow(first, last), self.applied.narrow(first, last)
        )


class _PartialPlacer:
    """Finds the certain places of the hunks of one file."""

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
        self._similar_text = SimilarText(self._search, source)
        self._budget = LineBudget()
        self._fresh: list[list[int]] = []
        self._applied: list[list[int]] = []
        self._refusals: dict[int, NoPlace] = {}
        self._anchors: list[_Option | None] = [None] * len(hunks)

    def place_all(self) -> list[HunkPlace | NoPlace]:
        """Return the place of each hunk, as `place_partly` does."""
        self._find_options()
        for number in range(_MAX_PASSES):
            is_backward = number % 2 == 1
            # Hunks that agree with one another come first: they limit the others.
            for needs_agreement in (True, False):
                has_new_anchor = self._settle_in_turn(
                    is_backward=is_backward, needs_agreement=needs_agreement
                )
                if has_new_anchor:
                    break
            else:
                break
        self._settle_by_order()
        places: list[HunkPlace | NoPlace] = []
        surroundings = self._find_surroundings()
        for hunk_index, anchor in enumerate(self._anchors):
            if anchor is None:
                places.append(
                    self._refuse(hunk_index, surroundings[hunk_index])
                )
            elif anchor.is_applied:
                places.append(NoPlace("already_applied", (anchor.start + 1,)))
            else:
                places.append(self._search.place_at(hunk_index, anchor.start))
        return places

    # The options of a hunk

    def _find_options(self) -> None:
        """Find the starts of the old and of the new lines of all hunks."""
        refused_count = 0
        for hunk_index, hunk in enumerate(self._hunks):
            if hunk_index % _CHECK_INTERVAL == 0:
                self._source.task.check()
            fresh = self._find_fresh(hunk_index, hunk)
            applied: list[int] = []
            # Blank lines that a hunk has added are no part of a looser comparison.
            is_loose = not isinstance(fresh, NoPlace) and self._search.is_loose(
                hunk_index, fresh[0]
            )
            if is_loose or has_telling_result(hunk):
                applied = self._find_applied(hunk_index, hunk)
            if isinstance(fresh, NoPlace):
                self._refusals[hunk_index] = fresh
                fresh = []
                refused_count += not applied
            elif is_loose and not has_telling_result(hunk):
                applied = self._find_second_readings(hunk_index, fresh, applied)
            if applied and is_loose:
                # Of the two readings of one place, the exact one counts.
                fresh = sorted({*fresh}.difference(applied))
            elif applied and fresh:
                fresh = self._without_repeated_insertions(hunk, fresh, applied)
            if refused_count > _MAX_LOOSE_REFUSALS:
                # Each looser comparison reads the whole file.
                self._search.is_exact_only = True
            self._fresh.append(fresh)
            self._applied.append(applied)

    def _find_fresh(
        self, hunk_index: int, hunk: PatchHunk
    ) -> list[int] | NoPlace:
        """Return the starts of the old lines of a hunk."""
        if hunk.lines.old:
            return self._search.find_starts(hunk_index)
        end_line = self._search.place_without_old_lines(hunk)
        return end_line if isinstance(end_line, NoPlace) else [end_line]

    def _find_applied(self, hunk_index: int, hunk: PatchHunk) -> list[int]:
        """Return the starts of the new lines of a hunk."""
        if not hunk.lines.new or hunk.lines.repeats_lines:
            return []
        starts = self._reverse_search.find_starts(hunk_index)
        return [] if isinstance(starts, NoPlace) else starts

    def _find_second_readings(
        self, hunk_index: int, fresh: list[int], applied: list[int]
    ) -> list[int]:
        """Return the starts of new lines that share lines with a place of the old ones.

        Elsewhere in the file such new lines tell nothing.
        """
        new_count = len(self._hunks[hunk_index].lines.new)
        shared: list[int] = []
        for start in applied:
            # Places are in the order of their starts and of about the same length.
            index = bisect_left(fresh, start + new_count) - 1
            if index < 0:
                continue
            place = self._search.place_at(hunk_index, fresh[index])
            if place.end > start:
                shared.append(start)
        return shared

    def _without_repeated_insertions(
        self, hunk: PatchHunk, fresh: list[int], applied: list[int]
    ) -> list[int]:
        """Return the starts of old lines that are no part of the result of the hunk.

        Lines that are added at the edge of a hunk have no context beyond them, so that
        its old lines are still together after it was applied.
        """
        signs = hunk.lines.signs
        if "-" in signs or signs[0] == signs[-1] == " ":
            return fresh
        self._budget.remaining -= len(fresh) + len(applied)
        if self._budget.remaining < 0:
            return fresh
        added_count = len(hunk.lines.new) - len(hunk.lines.old)
        repeated: set[int] = set()
        for start in applied:
            if signs[-1] == "+":
                repeated.add(start)
            if signs[0] == "+":
                repeated.add(start + added_count)
        return [start for start in fresh if start not in repeated]

    def _to_option(
        self, hunk_index: int, start: int, *, is_applied: bool
    ) -> _Option:
        """Return the option of a hunk that begins at line `start`."""
        hunk = self._hunks[hunk_index]
        if is_applied:
            end = start + len(hunk.lines.new)
        else:
            end = self._search.place_at(hunk_index, start).end
        if hunk.start is None:
            return _Option(start, end, is_applied, None, None)
        drift = drift_behind = start - hunk.start_index
        if is_applied:
            # The headers count old lines, and the file has the new ones here.
            drift_behind += len(hunk.lines.new) - len(hunk.lines.old)
        return _Option(start, end, is_applied, drift, drift_behind)

    def _find_between(
        self, hunk_index: int, first: int, last: int
    ) -> _OptionRange:
        """Return the options of a hunk from line `first` to before line `last`."""
        ranges: list[_StartRange] = []
        for starts, is_applied in (
            (self._fresh[hunk_index], False),
            (self._applied[hunk_index], True),
        ):
            low = bisect_left(starts, first)
            high = len(starts)
            # The ends are in the order of the starts. Most have the same length.
            while high > low and starts[high - 1] >= last:
                high = bisect_left(starts, last)
            while high > low:
                option = self._to_option(
                    hunk_index, starts[high - 1], is_applied=is_applied
                )
                if option.end <= last:
                    break
                high -= 1
            ranges.append(_StartRange(starts, low, high))
        fresh, applied = ranges
        return _OptionRange(fresh, applied)

    # Anchors

    def _settle_in_turn(
        self, *, is_backward: bool, needs_agreement: bool
    ) -> bool:
        """Make certain options anchors, hunk by hunk; return True if there were any.

        With `needs_agreement`, only those that the hunks around them confirm.
        """
        self._source.task.check()
        has_new_anchor = False
        surroundings = self._find_surroundings()
        indices = range(len(self._hunks))
        anchor: _Option | None = None
        for hunk_index in reversed(indices) if is_backward else indices:
            if self._anchors[hunk_index] is None:
                around = surroundings[hunk_index]
                if anchor is not None:
                    around = _narrow(around, anchor, is_backward=is_backward)
                option = self._find_confirmed(hunk_index, around, surroundings)
                if option is None and not needs_agreement:
                    option = self._find_unlike(hunk_index, around)
                self._anchors[hunk_index] = option
                has_new_anchor = has_new_anchor or option is not None
            anchor = self._anchors[hunk_index]
        return has_new_anchor

    def _find_surroundings(self) -> list[_Surroundings]:
        """Return the anchors around each hunk."""
        above: list[tuple[int, int | None, bool]] = []
        first, drift, is_adjacent = 0, 0, True
        for anchor in self._anchors:
            above.append((first, drift, is_adjacent))
            is_adjacent = anchor is not None
            if anchor is not None:
                first = anchor.end
                if anchor.drift_behind is not None:
                    drift = anchor.drift_behind
        surroundings: list[_Surroundings] = []
        last, drift_below, is_adjacent = sys.maxsize, None, False
        for anchor, (first, drift_above, is_above_adjacent) in zip(
            reversed(self._anchors), reversed(above), strict=True
        ):
            surroundings.append(
                _Surroundings(
                    first,
                    last,
                    drift_above,
                    drift_below,
                    is_above_adjacent,
                    is_adjacent,
                )
            )
            is_adjacent = anchor is not None
            if anchor is not None:
                last = anchor.start
                if anchor.drift is not None:
                    drift_below = anchor.drift
        surroundings.reverse()
        return surroundings

    def _find_confirmed(
        self,
        hunk_index: int,
        around: _Surroundings,
        surroundings: Sequence[_Surroundings],
    ) -> _Option | None:
        """Return the option of a hunk that the hunks around it confirm, or None."""
        options = self._find_between(hunk_index, around.first, around.last)
        if self._hunks[hunk_index].start is None:
            option = self._find_only(hunk_index, options)
            is_fresh = option is not None and not option.is_applied
            return option if is_fresh else None
        exact_options = self._find_exact(hunk_index, options, around)
        if exact_options:
            option = exact_options[0] if len(exact_options) == 1 else None
        else:
            option = self._find_only_nearby(hunk_index, options, around)
            if option is None:
                option = self._find_above_anchor(hunk_index, options, around)
        if option is None or self._may_mean_end(
            hunk_index, option, options, around
        ):
            return None
        if exact_options or option.drift == around.drift_above:
            return option
        if option.drift_behind == around.drift_below:
            return option
        for neighbour_index in (hunk_index - 1, hunk_index + 1):
            if self._agrees(option, hunk_index, neighbour_index, surroundings):
                return option
        return None

    def _find_unlike(
        self, hunk_index: int, around: _Surroundings
    ) -> _Option | None:
        """Return the only option of a hunk if no other text may be meant, or None."""
        options = self._find_between(hunk_index, around.first, around.last)
        if self._hunks[hunk_index].start is None:
            return self._find_only(hunk_index, options)
        if len(self._find_exact(hunk_index, options, around)) > 1:
            return None
        option = self._find_only_nearby(hunk_index, options, around)
        if option is None or self._may_mean_end(
            hunk_index, option, options, around
        ):
            return None
        # A result that is there, of lines that are nowhere, is no coincidence.
        is_applied = option.is_applied and not self._fresh[hunk_index]
        if is_applied or not self._has_similar_text(hunk_index, option, around):
            return option
        return None

    def _find_only(
        self, hunk_index: int, options: _OptionRange
    ) -> _Option | None:
        """Return the only option of some, or None."""
        if len(options) != 1:
            return None
        is_applied = bool(len(options.applied))
        starts = options.applied if is_applied else options.fresh
        return self._to_option(
            hunk_index, starts.starts[starts.low], is_applied=is_applied
        )

    def _find_exact(
        self, hunk_index: int, options: _OptionRange, around: _Surroundings
    ) -> list[_Option]:
        """Return the options that are exactly where the anchor right above says."""
        hunk = self._hunks[hunk_index]
        exact_options: set[_Option] = set()
        # Those of the anchor below are not enough: lines may have come between it and
        # the hunk, and the hunk may fit at several lines beside each other.
        if not around.is_above_adjacent or around.drift_above is None:
            return []
        start = hunk.start_index + around.drift_above
        for starts, is_applied in (
            (options.fresh, False),
            (options.applied, True),
        ):
            if starts.has(start):
                exact_options.add(
                    self._to_option(hunk_index, start, is_applied=is_applied)
                )
        if exact_options or len(options):
            return [*exact_options]
        # A result that proves nothing elsewhere does at the very line.
        new_lines = self._search.encode(hunk.lines.new)
        is_between = (
            around.first <= start and start + len(hunk.lines.new) <= around.last
        )
        if (
            new_lines
            and is_between
            and has_block_at(self._source, new_lines, start)
            and self._shows_result(hunk, start)
        ):
            exact_options.add(
                self._to_option(hunk_index, start, is_applied=True)
            )
        return [*exact_options]

    def _shows_result(self, hunk: PatchHunk, start: int) -> bool:
        """Return True if new lines at the very line of a hunk are its result.

        If the last lines of a hunk are only removed, its new lines end before them. So
        they are there too if the lines to be removed have changed. Lines that are only
        added may be wanted below equal ones.
        """
        if not hunk.lines.old:
            return False
        if hunk.lines.signs[-1] == " " or has_solid_addition(hunk):
            return True
        return start + len(hunk.lines.new) == self._source.count

    def _find_expected(
        self, hunk_index: int, around: _Surroundings
    ) -> list[int]:
        """Return the lines at which the anchors around a hunk let it be expected."""
        start = self._hunks[hunk_index].start_index
        expected: list[int] = []
        for drift in (around.drift_above, around.drift_below):
            if drift is not None:
                expected.append(start + drift)
        return expected

    def _find_only_nearby(
        self, hunk_index: int, options: _OptionRange, around: _Surroundings
    ) -> _Option | None:
        """Return the only option, or the only one that is near to its number, or None."""
        if not (around.is_above_adjacent or around.is_below_adjacent):
            return self._find_only(hunk_index, options)
        expected = self._find_expected(hunk_index, around)
        distances: list[int] = []
        for line in expected:
            for starts in (options.fresh, options.applied):
                for start in starts.find_around(line):
                    distances.append(abs(start - line))
        if not distances:
            return None
        reach = 4 * min(distances) + _NEAR_LINES
        nearby = options.narrow(min(expected) - reach, max(expected) + reach)
        return self._find_only(hunk_index, nearby)

    def _find_above_anchor(
        self, hunk_index: int, options: _OptionRange, around: _Surroundings
    ) -> _Option | None:
        """Return the only place of the old lines if the anchor right below confirms it.

        None if it confirms a result too, or if there are several places.
        """
        if len(options.fresh) != 1 or not around.is_below_adjacent:
            return None
        option = self._to_option(
            hunk_index,
            options.fresh.starts[options.fresh.low],
            is_applied=False,
        )
        if option.drift_behind != around.drift_below:
            return None
        added_count = len(self._hunks[hunk_index].lines.new) - len(
            self._hunks[hunk_index].lines.old
        )
        if options.applied.has(option.start - added_count):
            return None
        return option

    def _may_mean_end(
        self,
        hunk_index: int,
        option: _Option,
        options: _OptionRange,
        around: _Surroundings,
    ) -> bool:
        """Return True if a hunk may mean the end of the file and not its option."""
        starts = self._fresh[hunk_index]
        # The anchor below may leave no room at the end.
        if option.is_applied or options.fresh.high < len(starts):
            return False
        stated_start = -1
        if around.is_above_adjacent and around.drift_above is not None:
            stated_start = (
                self._hunks[hunk_index].start_index + around.drift_above
            )
        return self._search.may_mean_end(
            hunk_index, starts, option.start, stated_start
        )

    def _agrees(
        self,
        option: _Option,
        hunk_index: int,
        neighbour_index: int,
        surroundings: Sequence[_Surroundings],
    ) -> bool:
        """Return True if the only option of a neighbour is off by as many lines."""
        if not 0 <= neighbour_index < len(self._hunks):
            return False
        around = surroundings[neighbour_index]
        first, last = around.first, around.last
        is_below = neighbour_index > hunk_index
        if is_below:
            first = max(first, option.end)
        else:
            last = min(last, option.start)
        options = self._find_between(neighbour_index, first, last)
        neighbour = self._find_only(neighbour_index, options)
        if neighbour is None or neighbour.drift is None:
            return False
        if is_below:
            return neighbour.drift == option.drift_behind
        return neighbour.drift_behind == option.drift

    def _has_similar_text(
        self, hunk_index: int, option: _Option, around: _Surroundings
    ) -> bool:
        """Return True if text that is like a hunk is nearer to its number than an option."""
        expected = ExpectedLines(
            self._find_expected(hunk_index, around), around.first, around.last
        )
        place = HunkPlace(option.start, option.end)
        return self._similar_text.has_nearer(
            self._hunks[hunk_index], place, expected
        )

    # The order of hunks without numbers

    def _settle_by_order(self) -> None:
        """Settle hunks without numbers to which their order leaves one place each."""
        surroundings = self._find_surroundings()
        begin = first = 0
        while begin < len(self._hunks):
            end = begin
            while end < len(self._hunks) and self._is_open(end):
                end += 1
            if end > begin:
                # Runs between the same two anchors come one after the other.
                first = max(first, surroundings[begin].first)
                options = self._order_run(
                    range(begin, end), first, surroundings[begin].last
                )
                self._anchors[begin : begin + len(options)] = options
                if options:
                    first = options[-1].end
            begin = end + 1

    def _is_open(self, hunk_index: int) -> bool:
        is_unnumbered = self._hunks[hunk_index].start is None
        return is_unnumbered and self._anchors[hunk_index] is None

    def _order_run(self, run: range, first: int, last: int) -> list[_Option]:
        """Return the options of hunks if their order leaves one for each, else none.

        They are from line `first` to before `last`.
        """
        earliest: list[_Option] = []
        for hunk_index in run:
            options = self._find_between(hunk_index, first, last)
            if bool(len(options.fresh)) == bool(len(options.applied)):
                return []
            is_applied = not len(options.fresh)
            starts = options.applied if is_applied else options.fresh
            option = self._to_option(
                hunk_index, starts.starts[starts.low], is_applied=is_applied
            )
            earliest.append(option)
            first = option.end
        for hunk_index, option in zip(
            reversed(run), reversed(earliest), strict=True
        ):
            options = self._find_between(hunk_index, option.start, last)
            # A hunk that writes the lines it removes changes no place.
            repeats_lines = self._hunks[hunk_index].lines.repeats_lines
            if len(options) != 1 and not repeats_lines:
                return []
            last = option.start
        return earliest

    # Refusals

    def _refuse(self, hunk_index: int, around: _Surroundings) -> NoPlace:
        """Return the reason why a hunk has no certain place."""
        refusal = self._refusals.get(hunk_index)
        if refusal is not None:
            return refusal
        fresh = self._fresh[hunk_index]
        if not fresh:
            return NoPlace("no_match")
        if fresh[-1] < around.first:
            return self._search.refuse_order(hunk_index, fresh, around.first)
        options = self._find_between(hunk_index, around.first, around.last)
        starts = options.fresh.starts[options.fresh.low : options.fresh.high]
        if len(starts) > 1:
            return NoPlace("ambiguous_match", to_line_numbers(starts))
        return NoPlace("doubtful", to_line_numbers(starts or fresh))


def _narrow(
    around: _Surroundings, anchor: _Option, *, is_backward: bool
) -> _Surroundings:
    """Return surroundings with an anchor right beside the hunk."""
    if is_backward:
        drift = around.drift_below if anchor.drift is None else anchor.drift
        return replace(
            around,
            last=anchor.start,
            drift_below=drift,
            is_below_adjacent=True,
        )
    drift = anchor.drift_behind
    if drift is None:
        drift = around.drift_above
    return replace(
        around,
        first=anchor.end,
        drift_above=drift,
        is_above_adjacent=True,
    )
