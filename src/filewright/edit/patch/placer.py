"""Placing the hunks of one file: every line of context is compared, none is dropped.

A hunk is placed where its header says, if it is there exactly. All others are looked
for in the whole file: exactly first, line ends aside, then by the tiers of comparison
that edits use. Places before the end of an earlier hunk do not count. Of several equal
places, the header's number chooses the nearest one if it is clearly nearest and within
reach. If several are still left, the order of the hunks may leave one way only.
Anything else is refused.
"""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from filewright.edit.comparison import RequestLines, is_blank, leading_whitespace
from filewright.edit.matchers.blocks import find_blocks, has_block_at
from filewright.edit.matchers.lines import find_regions
from filewright.edit.model import Region, Tier
from filewright.edit.patch.headings import HeadingFilter
from filewright.edit.patch.model import PatchHunk
from filewright.edit.patch.placement import (
    HunkPlace,
    LineBudget,
    NoPlace,
    Reason,
    to_line_numbers,
)
from filewright.edit.source import Source

REACH_LINES = 200
"""Lines that a header's number may be wrong and still choose among equal places."""
_MAX_REPORTED = 12
"""Hunks without a place after which the others are not looked at."""
_CHECK_INTERVAL = 256
_USUAL_CONTEXT = 3
_UNDECODABLE = "\ufffd"


def place_hunks(
    hunks: Sequence[PatchHunk], source: Source, *, report_all: bool = False
) -> list[HunkPlace | NoPlace]:
    """Return the place of each hunk, in order, up to the first that has none.

    With `report_all`, up to the twelfth that has none.
    """
    return _HunkPlacer(hunks, source).place_all(report_all=report_all)


def find_applied(hunks: Sequence[PatchHunk], source: Source) -> list[int | None]:
    """Return for each hunk the line (from 1) where its result is, or None.

    The result of a hunk is where the hunk that undoes it belongs.
    """
    reverse_hunks = [
        replace(hunk, is_truncated=False, lines=hunk.lines.reverse()) for hunk in hunks
    ]
    placer = _HunkPlacer(reverse_hunks, source, exactly=True)
    places = placer.place_all(report_all=True)
    lines: list[int | None] = []
    for hunk, place in zip_longest(hunks, places):
        line = None
        if isinstance(place, HunkPlace):
            # Lines that any file may have prove it only where the header says.
            is_at_number = hunk.start and place.start == hunk.start_index
            if is_at_number or _is_proof(hunk):
                line = place.start + 1
        lines.append(line)
    return lines


@dataclass(frozen=True, slots=True)
class _Candidates:
    """The lines at which a hunk may begin, in order; `first` is the index of the first
    that is behind the hunks before it.

    Hunks with equal lines share the list: there may be a hundred thousand of both.
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
    """Finds the places of the hunks of one file.

    With `exactly`, the looser comparisons are not tried.
    """

    def __init__(
        self, hunks: Sequence[PatchHunk], source: Source, *, exactly: bool = False
    ) -> None:
        self._hunks = hunks
        self._source = source
        self._codec = source.encoding.name
        self._exactly = exactly
        self._budget = LineBudget()
        self._headings = HeadingFilter(hunks, source, self._budget)
        # The exact places by the old lines of a hunk; None until they are needed.
        self._exact_starts: dict[tuple[bytes, ...], list[int]] | None = None
        self._too_many_places = False
        # The places that looser comparisons found, by index of the hunk and start.
        self._loose_places: dict[tuple[int, int], HunkPlace] = {}

    def place_all(self, *, report_all: bool) -> list[HunkPlace | NoPlace]:
        """Return the place of each hunk, as `place_hunks` does."""
        max_refused = _MAX_REPORTED if report_all else 0
        outcomes: list[_Candidates | NoPlace] = []
        floor = drift = refused = 0
        for index, hunk in enumerate(self._hunks):
            if index % _CHECK_INTERVAL == 0:
                self._source.task.check()
            outcome = self._find_candidates(index, floor, drift)
            if isinstance(outcome, _Candidates):
                place = self._place_at(index, outcome.first_start)
                floor = place.end
                if outcome.is_only:
                    if hunk.start is not None:
                        drift = place.start - hunk.start_index
                    outcome = self._find_present_insertion(hunk, place) or outcome
            elif outcome.reason == "already_applied":
                drift += len(hunk.lines.new) - len(hunk.lines.old)
            outcomes.append(outcome)
            refused += isinstance(outcome, NoPlace)
            if refused > max_refused:
                break
        # A refused hunk might have settled those around it, so unless all are reported
        # no other hunk is called ambiguous.
        return self._settle(outcomes, may_refuse=report_all or not refused)

    def _settle(
        self, outcomes: Sequence[_Candidates | NoPlace], *, may_refuse: bool
    ) -> list[HunkPlace | NoPlace]:
        """Return the places that the order of the hunks leaves.

        Each hunk is at the first of its places behind those before it. That is the only
        way if it is also the last of its places before those behind it.
        """
        places: list[HunkPlace | NoPlace] = []
        ceiling = sys.maxsize
        for index in reversed(range(len(outcomes))):
            outcome = outcomes[index]
            if isinstance(outcome, NoPlace):
                places.append(outcome)
                continue
            place: HunkPlace | NoPlace = self._place_at(index, outcome.first_start)
            if may_refuse and not outcome.is_only:
                last = bisect_right(
                    outcome.starts,
                    ceiling,
                    key=lambda start: self._place_at(index, start).end,
                )
                if last > outcome.first + 1:
                    open_starts = outcome.starts[outcome.first : last]
                    place = NoPlace("ambiguous_match", to_line_numbers(open_starts))
            ceiling = outcome.first_start
            places.append(place)
        places.reverse()
        return places

    def _place_at(self, index: int, start: int) -> HunkPlace:
        """Return the place of hunk `index` that begins at line `start`."""
        place = self._loose_places.get((index, start))
        if place is None:
            place = HunkPlace(start, start + len(self._hunks[index].lines.old))
        return place

    # The candidates of one hunk

    def _find_candidates(
        self, index: int, floor: int, drift: int
    ) -> _Candidates | NoPlace:
        """Return where a hunk may begin at line `floor` or behind it.

        `drift` is how many lines the hunk before it is from where its header says.
        """
        hunk = self._hunks[index]
        old = self._encode(hunk.lines.old)
        if old == ():
            return self._find_end(hunk)
        stated = hunk.start_index + drift
        if hunk.start is not None and stated >= floor and old is not None:
            outcome = self._look_at_stated_line(hunk, old, stated)
            if outcome is not None:
                return outcome
        starts = self._find_starts(index, old)
        if not starts:
            return NoPlace("too_alike" if self._too_many_places else "no_match")
        reaches_end = self._place_at(index, starts[-1]).end == self._source.count
        if hunk.at_end or hunk.is_truncated:
            if not reaches_end:
                reason: Reason = "cut" if hunk.is_truncated else "not_at_end"
                return NoPlace(reason, to_line_numbers(starts))
            starts = starts[-1:]
        if hunk.headings:
            below = self._headings.filter(hunk, starts)
            if isinstance(below, NoPlace):
                return below
            starts = below
        first = bisect_left(starts, floor)
        if first == len(starts):
            touches = self._place_at(index, starts[-1]).end > floor
            return NoPlace("overlap" if touches else "order", (starts[-1] + 1,))
        candidates = _Candidates(starts, first)
        if hunk.start is None or candidates.is_only:
            return candidates
        nearest = _find_nearest(candidates, stated)
        # The number may say one place, and the missing context the end of the file.
        may_mean_end = reaches_end and _lacks_context_behind(hunk)
        if nearest is None or (may_mean_end and nearest != starts[-1]):
            return candidates
        return _Candidates([nearest])

    def _find_end(self, hunk: PatchHunk) -> _Candidates | NoPlace:
        """Return the place of a hunk without old lines.

        That is only the end of the file, where the hunk says so, or an empty file.
        """
        line_count = self._source.count
        says_end = hunk.at_end and hunk.start is None and not hunk.headings
        if says_end or line_count == 0:
            return _Candidates([line_count])
        return NoPlace("no_context")

    def _look_at_stated_line(
        self, hunk: PatchHunk, old: tuple[bytes, ...], stated: int
    ) -> _Candidates | NoPlace | None:
        """Return the outcome if the line that the header names settles it, else None."""
        source = self._source
        if not has_block_at(source, old, stated):
            # Its old lines may be elsewhere too, but it is applied where it says.
            if self._exactly or not _is_proof(hunk):
                return None
            new = self._encode(hunk.lines.new)
            if new and has_block_at(source, new, stated):
                return NoPlace("already_applied", (stated + 1,))
            return None
        if self._exact_starts is not None:
            return None  # all places are known: the nearest is chosen among them
        may_mean_end = hunk.at_end or hunk.is_truncated or _lacks_context_behind(hunk)
        # Only one line more is read, not counted: a file may have very many.
        if may_mean_end and source.bodies(stated + len(old), 1):
            return None
        return _Candidates([stated])

    def _find_present_insertion(
        self, hunk: PatchHunk, place: HunkPlace
    ) -> NoPlace | None:
        """Return the refusal of an insertion that is there already, or None.

        Lines that a hunk adds at its edge, without context beyond them, would be added
        once more by each call.
        """
        if "-" in hunk.lines.signs:
            return None
        old, new = self._encode(hunk.lines.old), self._encode(hunk.lines.new)
        if not old or not new:
            return None
        if not any(line.strip() for line in set(new) - set(old)):
            return None
        signs = hunk.lines.signs
        if signs[-1] == "+" and has_block_at(self._source, new, place.start):
            return NoPlace("already_applied", (place.start + 1,))
        start_before = place.start + len(old) - len(new)
        if signs[0] == "+" and has_block_at(self._source, new, start_before):
            return NoPlace("already_applied", (start_before + 1,))
        return None

    # All places of one hunk

    def _find_starts(self, index: int, old: tuple[bytes, ...] | None) -> list[int]:
        """Return all places of a hunk by the strictest comparison that finds any."""
        if self._exact_starts is None:
            self._exact_starts = self._find_exact_starts(index)
        exact_starts = self._exact_starts.get(old or (), [])
        if exact_starts or self._exactly:
            return exact_starts
        hunk = self._hunks[index]
        block = RequestLines.of_lines(hunk.lines.old)
        places: list[HunkPlace] = []
        for region in find_regions(self._source, block).regions:
            place = self._to_place(hunk, block, region)
            if place is not None:
                places.append(place)
        if not places:
            places = self._find_undecodable(hunk)
        best_rank = min((place.tier.rank for place in places), default=0)
        starts: set[int] = set()
        for place in places:
            if place.tier.rank == best_rank:
                self._loose_places[index, place.start] = place
                starts.add(place.start)
        return sorted(starts)

    def _find_exact_starts(self, first: int) -> dict[tuple[bytes, ...], list[int]]:
        """Return the exact places of all hunks from `first` on, by their old lines."""
        blocks = [self._encode(hunk.lines.old) for hunk in self._hunks[first:]]
        starts = find_blocks(self._source, [block for block in blocks if block])
        if starts is None:
            self._too_many_places = True
            return {}
        return starts

    def _to_place(
        self, hunk: PatchHunk, block: RequestLines, region: Region
    ) -> HunkPlace | None:
        """Return the place of a hunk if its old lines, `block`, mean a region."""
        source = self._source
        before, after = len(block.before), len(block.after)
        first = source.line_number(region.start) - 1
        end = source.line_number(region.end - 1)
        start = first - before
        if region.tier is Tier.BLANK_LINES or not self._has_blank_edges(
            start, before, end, after
        ):
            if _changes_edges(hunk, block):
                return None
            return HunkPlace(first, end, Tier.BLANK_LINES, region)
        end += after
        if region.tier is not Tier.INDENT or not self._has_lost_spaces(hunk, start):
            return HunkPlace(start, end, region.tier, region)
        if self._may_have_lost_spaces(hunk):
            return None
        return HunkPlace(start, end, region.tier)

    def _may_have_lost_spaces(self, hunk: PatchHunk) -> bool:
        """Return True unless all new lines are indented by whole steps of the file."""
        unit = len(self._source.indent_unit.expandtabs())
        if unit < 2:
            return True
        for sign, text in hunk.lines.signed_new:
            if sign == " " or not text.strip():
                continue
            if len(leading_whitespace(text).expandtabs()) % unit:
                return True
        return False

    def _has_blank_edges(self, start: int, before: int, end: int, after: int) -> bool:
        """Return True if the blank lines at the edges of a hunk are in the file too.

        There are `before` of them from line `start` on, and `after` from `end` on.
        """
        source = self._source
        edges: list[bytes] = []
        if start >= 0:
            edges = [*source.bodies(start, before), *source.bodies(end, after)]
        blank_count = sum(is_blank(source.text(body)) for body in edges)
        return blank_count == before + after

    def _has_lost_spaces(self, hunk: PatchHunk, start: int) -> bool:
        """Return True if the file's lines are the hunk's with the signs of its context.

        Models leave out the space before context, so that the indents are one less.
        """
        source = self._source
        old = hunk.lines.signed_old
        lines = map(source.text, source.bodies(start, len(old)))
        for (sign, text), line in zip(old, lines, strict=True):
            if sign == " ":
                if line not in (f" {text}", ""):
                    return False
            elif line != text:
                return False
        return True

    def _find_undecodable(self, hunk: PatchHunk) -> list[HunkPlace]:
        """Return the places of a hunk whose context has U+FFFD for undecodable bytes.

        Such lines may only stay: the patch does not have their bytes.
        """
        old = hunk.lines.signed_old
        if not any(_UNDECODABLE in text for sign, text in old if sign == " "):
            return []
        # In a large file only the line that the header names is decoded.
        self._budget.remaining -= self._source.count
        starts: Sequence[int] = [hunk.start_index]
        if self._budget.remaining > 0:
            starts = range(self._source.count)
        return [
            HunkPlace(start, start + len(old), Tier.TYPOGRAPHY)
            for start in starts
            if self._decodes_to(start, old)
        ]

    def _decodes_to(self, start: int, lines: Sequence[tuple[str, str]]) -> bool:
        """Return True if the file's lines from `start` on are shown as these lines."""
        bodies = self._source.bodies(start, len(lines))
        if len(bodies) != len(lines):
            return False
        for body, (sign, text) in zip(bodies, lines, strict=True):
            errors = "replace" if sign == " " else "surrogateescape"
            if body.decode(self._codec, errors) != text:
                return False
        return True

    def _encode(self, lines: Sequence[str]) -> tuple[bytes, ...] | None:
        """Return lines as bytes of the file's encoding, or None if it lacks characters."""
        try:
            return tuple([line.encode(self._codec) for line in lines])
        except UnicodeEncodeError:
            return None


def _find_nearest(candidates: _Candidates, stated: int) -> int | None:
    """Return the start nearest to line `stated`, if it is clearly nearest and in reach."""
    starts, first = candidates.starts, candidates.first
    index = max(first, bisect_left(starts, stated))
    around = starts[max(first, index - 2) : index + 2]
    around.sort(key=lambda start: abs(start - stated))
    distance = abs(around[0] - stated)
    next_distance = abs(around[1] - stated)
    if distance <= REACH_LINES and 2 * distance <= next_distance:
        return around[0]
    return None


def _lacks_context_behind(hunk: PatchHunk) -> bool:
    """Return True if a hunk has context before its changes and none behind them.

    Diffs are like that at the end of a file.
    """
    signs = hunk.lines.signs
    return signs[-1] != " " and not signs[:-1][:_USUAL_CONTEXT].strip(" ")


def _is_proof(hunk: PatchHunk) -> bool:
    """Return True if finding the new lines of a hunk means that it was applied.

    Added lines need context; a removal needs it on both sides.
    """
    signs = "".join(
        sign for sign, text in hunk.lines.signed_old if sign == "-" or text.strip()
    )
    if any(sign == "+" and text.strip() for sign, text in hunk.lines.signed_new):
        return " " in signs
    return "-" in signs and signs[0] == signs[-1] == " "


def _changes_edges(hunk: PatchHunk, block: RequestLines) -> bool:
    """Return True if a hunk changes blank lines at its edges, or how the file ends.

    Then the blank lines in the file may be others than those it means.
    """
    new_block = RequestLines.of_lines(hunk.lines.new)
    if len(block.before) != len(new_block.before):
        return True
    if len(block.after) != len(new_block.after):
        return True
    pairs = zip(hunk.lines.signs, hunk.lines.ends, strict=True)
    signs_without_end = {sign for sign, end in pairs if not end}
    return signs_without_end in ({"-"}, {"+"})
