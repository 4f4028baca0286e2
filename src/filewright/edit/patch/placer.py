"""Placing the hunks of one file: every line of context is compared, none is dropped.

The place of a hunk is decided in this order:

1. The line that its header names, if the old lines are exactly there.
2. All places in the file, by the strictest comparison that finds any: exactly first
   (line ends aside), then by the tiers of comparison that edits use. Places before the
   end of an earlier hunk do not count.
3. Of several equal places, the one nearest to the header's number, if it is clearly
   nearest and within reach.
4. Of several that are left, the only one that fits between the hunks around it.

A hunk without changes has no place, but shows what is above the hunk behind it. That
chooses among equal places, and the place right below it is certain by any comparison.

A hunk that none of these decides is refused. All lines count from 0, unless a name or
docstring says otherwise; the numbers in a `NoPlace` count from 1, for messages.
"""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from types import MappingProxyType

from filewright.edit.comparison import (
    RequestLines,
    is_blank,
    leading_whitespace,
)
from filewright.edit.matchers.blocks import find_blocks, has_block_at
from filewright.edit.matchers.lines import find_regions
from filewright.edit.model import Region, Tier
from filewright.edit.patch.context import (
    ContextAbove,
    find_solid_lines,
    solid_lines,
)
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
_MAX_LOOSE_REFUSALS = 12
"""Hunks without a place after which the others are compared exactly only."""
_CHECK_INTERVAL = 256
"""Hunks between two checks whether the call was cancelled or is out of time."""
_MAX_BLANK_GAP = 100
"""Blank lines between a context and the hunk that follows right below it."""
_USUAL_CONTEXT = 3
"""Lines of context that diff and git write on each side of a change."""
_UNDECODABLE = "\ufffd"
"""The character that a reader is shown for bytes that the file's encoding lacks."""


def place_hunks(
    hunks: Sequence[PatchHunk],
    source: Source,
    contexts: Mapping[int, ContextAbove] = MappingProxyType({}),
    *,
    report_all: bool = False,
) -> list[HunkPlace | NoPlace]:
    """Return the place of each hunk, in order, up to the first that has none.

    With `report_all`, go on after refusals, so that one error can name them all. No
    hunk then has another place than it would have if the refused ones fitted.
    `contexts` are the lines that hunks without changes show above some of the hunks, by
    their index.
    """
    placer = _HunkPlacer(hunks, source, contexts)
    return placer.place_all(report_all=report_all)


def find_applied(
    hunks: Sequence[PatchHunk], source: Source
) -> list[int | None]:
    """Return for each hunk the line (from 1) where its result is, or None.

    A hunk is applied where the hunk that undoes it would fit: each is reversed, and
    placed exactly.
    """
    reverse_hunks = [
        replace(hunk, is_truncated=False, lines=hunk.lines.reverse())
        for hunk in hunks
    ]
    placer = _HunkPlacer(reverse_hunks, source, exactly=True)
    places = placer.place_all(report_all=True)
    applied_lines: list[int | None] = []
    for hunk, place in zip_longest(hunks, places):
        applied_line = None
        if isinstance(place, HunkPlace):
            # A result such as a lone "}" is in every file. It proves something only
            # at the very line that the header names.
            is_at_number = hunk.start and place.start == hunk.start_index
            if is_at_number or _proves_application(hunk):
                applied_line = place.start + 1
        applied_lines.append(applied_line)
    return applied_lines


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
    """Finds the places of the hunks of one file, from the first to the last.

    With `exactly`, the looser comparisons are not tried.
    """

    def __init__(
        self,
        hunks: Sequence[PatchHunk],
        source: Source,
        contexts: Mapping[int, ContextAbove] = MappingProxyType({}),
        *,
        exactly: bool = False,
    ) -> None:
        self._hunks = hunks
        self._source = source
        self._contexts = contexts
        self._codec = source.encoding.name
        self._exactly = exactly
        self._budget = LineBudget()
        self._headings = HeadingFilter(hunks, source, self._budget)
        # The exact places by the old lines of a hunk. None until a hunk is not where its
        # header says: a correct patch of a huge file never needs the search.
        self._exact_starts: dict[tuple[bytes, ...], list[int]] | None = None
        self._too_many_places = False
        # The number of hunks by their old lines; None until it is asked for.
        self._hunks_by_old_lines: Counter[tuple[str, ...]] | None = None
        # The places that looser comparisons found, by index of the hunk and start. Only
        # they may have another length than the hunk's old lines.
        self._loose_places: dict[tuple[int, int], HunkPlace] = {}

    def place_all(self, *, report_all: bool) -> list[HunkPlace | NoPlace]:
        """Return the place of each hunk, as `place_hunks` does."""
        outcomes: list[_Candidates | NoPlace] = []
        earliest_start = line_drift = refused_count = 0
        # A refused hunk may have moved the lines below it, so that the numbers of the
        # next hunks choose nothing until one has a single place.
        trusts_numbers = True
        for hunk_index, hunk in enumerate(self._hunks):
            if hunk_index % _CHECK_INTERVAL == 0:
                self._source.task.check()
            outcome = self._find_candidates(
                hunk_index,
                earliest_start,
                line_drift,
                trusts_numbers=trusts_numbers,
            )
            if isinstance(outcome, _Candidates):
                place = self._place_at(hunk_index, outcome.first_start)
                # The first place leaves the most room for the hunks that follow.
                earliest_start = place.end
                if outcome.is_only:
                    if hunk.start is not None:
                        # The file has grown or shrunk above: the numbers of the hunks
                        # below are off by the same count.
                        line_drift = place.start - hunk.start_index
                        trusts_numbers = True
                    outcome = (
                        self._refuse_repeated_insertion(hunk, place) or outcome
                    )
            elif outcome.reason == "already_applied":
                # The headers count old lines, and the file has the new ones here.
                line_drift += len(hunk.lines.new) - len(hunk.lines.old)
            else:
                trusts_numbers = False
            outcomes.append(outcome)
            refused_count += isinstance(outcome, NoPlace)
            if refused_count and not report_all:
                break
            if refused_count > _MAX_LOOSE_REFUSALS:
                # Each looser comparison reads the whole file.
                self._exactly = True
        # The place of the refused hunk might have settled those around it. If only one
        # hunk is reported, it is that one, and not a neighbour as "ambiguous".
        return self._settle(
            outcomes, may_be_ambiguous=report_all or not refused_count
        )

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
            place: HunkPlace | NoPlace = self._place_at(
                hunk_index, latest_start
            )
            if may_be_ambiguous and not outcome.is_only:
                open_end = bisect_right(
                    outcome.starts,
                    latest_end,
                    key=lambda start: self._place_at(hunk_index, start).end,
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

    def _place_at(self, hunk_index: int, start: int) -> HunkPlace:
        """Return the place of a hunk that begins at line `start`."""
        place = self._loose_places.get((hunk_index, start))
        if place is None:
            place = HunkPlace(
                start, start + len(self._hunks[hunk_index].lines.old)
            )
        return place

    # The candidates of one hunk

    def _find_candidates(
        self,
        hunk_index: int,
        earliest_start: int,
        line_drift: int,
        *,
        trusts_numbers: bool,
    ) -> _Candidates | NoPlace:
        """Return where a hunk may begin, from line `earliest_start` on.

        `line_drift` is the number of lines by which the hunk placed before it lies
        further down (negative: further up) than its header says. Without
        `trusts_numbers`, the line that its header names does not choose a place.
        """
        hunk = self._hunks[hunk_index]
        old_lines = self._encode(hunk.lines.old)
        if old_lines == ():
            return self._place_without_old_lines(hunk)
        stated_start = hunk.start_index + line_drift
        if (
            hunk.start is not None
            and stated_start >= earliest_start
            and old_lines is not None
        ):
            outcome = self._place_at_stated_line(hunk, old_lines, stated_start)
            if isinstance(outcome, NoPlace) or (outcome and trusts_numbers):
                return outcome
        starts = self._find_starts(hunk_index, old_lines)
        if not starts:
            return NoPlace("too_alike" if self._too_many_places else "no_match")
        reaches_end = self._reaches_end(hunk_index, starts)
        possible_starts = self._filter_starts(hunk_index, starts)
        if isinstance(possible_starts, NoPlace):
            return possible_starts
        starts = possible_starts
        first_index = bisect_left(starts, earliest_start)
        if first_index == len(starts):
            overlaps_earlier_hunk = (
                self._place_at(hunk_index, starts[-1]).end > earliest_start
            )
            return NoPlace(
                "overlap" if overlaps_earlier_hunk else "order",
                (starts[-1] + 1,),
            )
        candidates = _Candidates(starts, first_index)
        if hunk.start is None or candidates.is_only or not trusts_numbers:
            return candidates
        nearest_start = _find_nearest(candidates, stated_start)
        # A hunk without context below its changes was probably made at the end of a
        # file. Where the end and the number name two places, neither is trusted.
        may_mean_end = reaches_end and _lacks_context_behind(hunk)
        if nearest_start is None or (
            may_mean_end and nearest_start != starts[-1]
        ):
            return candidates
        return _Candidates([nearest_start])

    def _filter_starts(
        self, hunk_index: int, starts: list[int]
    ) -> list[int] | NoPlace:
        """Return those of the places `starts` that context, marks and headings allow."""
        hunk = self._hunks[hunk_index]
        if self._contexts:
            starts_by_context = self._choose_by_context(hunk_index, starts)
            if isinstance(starts_by_context, NoPlace):
                return starts_by_context
            starts = starts_by_context
        if hunk.at_end or hunk.is_truncated:
            # A truncated hunk lost its last lines. Only at the end of the file can it
            # be whole, because no context follows there.
            if not self._reaches_end(hunk_index, starts):
                reason: Reason = "cut" if hunk.is_truncated else "not_at_end"
                return NoPlace(reason, to_line_numbers(starts))
            starts = starts[-1:]
        if hunk.headings:
            is_exact = (hunk_index, starts[-1]) not in self._loose_places
            return self._headings.filter(
                hunk.headings, starts, is_exact=is_exact
            )
        return starts

    def _reaches_end(self, hunk_index: int, starts: Sequence[int]) -> bool:
        """Return True if the last of some places of a hunk ends with the file."""
        return self._place_at(hunk_index, starts[-1]).end == self._source.count

    def _choose_by_context(
        self, hunk_index: int, starts: list[int]
    ) -> list[int] | NoPlace:
        """Return the places of a hunk that agree with the context shown above it.

        `starts` are its places by the strictest comparison. The place right below the
        context is certain by any comparison, as if both were one hunk. Otherwise the
        context only chooses among `starts`. It contradicts them if the hunk fits below
        it by a looser comparison alone.
        """
        context = self._contexts.get(hunk_index)
        # Two hunks cannot both be at the only strict place, so that their blanks were
        # not written with care.
        shares_place = len(starts) == 1 and self._has_twin(hunk_index)
        if context is None and not shares_place:
            return starts
        loose_places = {
            place.start: place
            for place in self._find_loose_places(self._hunks[hunk_index])
        }
        all_starts = sorted({*starts, *loose_places})
        adjacent_start = self._find_adjacent(context, all_starts)
        if adjacent_start is not None:
            if adjacent_start not in starts:
                place = loose_places[adjacent_start]
                self._loose_places[hunk_index, adjacent_start] = place
            return [adjacent_start]
        ambiguity = NoPlace("ambiguous_match", to_line_numbers(all_starts))
        if context is None or shares_place:
            return starts if all_starts == starts else ambiguity
        # A context that has lines of the hunk too may show the change itself.
        first_line = context.start if context.is_repeated else context.end
        possible_starts = all_starts[bisect_left(all_starts, first_line) :]
        if not possible_starts or possible_starts == starts:
            return starts
        strict_starts = starts[bisect_left(starts, first_line) :]
        is_mixed = context.is_repeated and strict_starts != possible_starts
        if not strict_starts or (is_mixed and len(starts) > 1):
            return ambiguity
        return strict_starts

    def _find_adjacent(
        self, context: ContextAbove | None, starts: Sequence[int]
    ) -> int | None:
        """Return the one of some places that is right below a context, or None."""
        if context is None or context.is_repeated:
            return None
        index = bisect_left(starts, context.end)
        if index == len(starts):
            return None
        gap = starts[index] - context.end
        # A long gap is not read: what lies behind it is not right below.
        if gap > _MAX_BLANK_GAP:
            return None
        for body in self._source.bodies(context.end, gap):
            if not is_blank(self._source.text(body)):
                return None
        return starts[index]

    def _has_twin(self, hunk_index: int) -> bool:
        """Return True if another hunk has the same old lines."""
        old_lines = self._hunks[hunk_index].lines.old
        if self._hunks_by_old_lines is None:
            self._hunks_by_old_lines = Counter(
                hunk.lines.old for hunk in self._hunks
            )
        return self._hunks_by_old_lines[old_lines] > 1

    def _place_without_old_lines(
        self, hunk: PatchHunk
    ) -> _Candidates | NoPlace:
        """Return the place of a hunk that has no old lines, and so nothing to compare.

        It is the end of the file, and only if the hunk names no line and the mark says
        so, or if the file is empty.
        """
        line_count = self._source.count
        says_end = hunk.at_end and hunk.start is None and not hunk.headings
        if says_end or line_count == 0:
            return _Candidates([line_count])
        return NoPlace("no_context")

    def _place_at_stated_line(
        self, hunk: PatchHunk, old_lines: tuple[bytes, ...], stated_start: int
    ) -> _Candidates | NoPlace | None:
        """Return the outcome if the line that the header names decides it, or None.

        None sends the caller to search the whole file.
        """
        source = self._source
        if not has_block_at(source, old_lines, stated_start):
            # A patch sent a second time: its result is at the very line it names. Old
            # lines that occur elsewhere too must not draw it there.
            if self._exactly or not _proves_application(hunk):
                return None
            new_lines = self._encode(hunk.lines.new)
            if new_lines and has_block_at(source, new_lines, stated_start):
                return NoPlace("already_applied", (stated_start + 1,))
            return None
        if self._exact_starts is not None:
            # An earlier hunk had to be searched for, so the numbers are doubtful. All
            # places are known now, and the nearest is chosen among them.
            return None
        may_mean_end = (
            hunk.at_end or hunk.is_truncated or _lacks_context_behind(hunk)
        )
        # To ask for the number of lines would read a huge file to its end, so only one
        # line more is read.
        if may_mean_end and source.bodies(stated_start + len(old_lines), 1):
            return None
        return _Candidates([stated_start])

    def _refuse_repeated_insertion(
        self, hunk: PatchHunk, place: HunkPlace
    ) -> NoPlace | None:
        """Return the refusal of an insertion that is there already, or None.

        Added lines at the edge of a hunk have no context beyond them. So the hunk still
        fits after it was applied, and each call would add the lines once more.
        """
        if "-" in hunk.lines.signs:
            return None
        old_lines, new_lines = (
            self._encode(hunk.lines.old),
            self._encode(hunk.lines.new),
        )
        if not old_lines or not new_lines:
            return None
        # Blank lines, and repetitions of its own context, may well be wanted twice.
        if not any(line.strip() for line in set(new_lines) - set(old_lines)):
            return None
        signs = hunk.lines.signs
        if signs[-1] == "+" and has_block_at(
            self._source, new_lines, place.start
        ):
            return NoPlace("already_applied", (place.start + 1,))
        start_before = place.start + len(old_lines) - len(new_lines)
        if signs[0] == "+" and has_block_at(
            self._source, new_lines, start_before
        ):
            return NoPlace("already_applied", (start_before + 1,))
        return None

    # All places of one hunk

    def _find_starts(
        self, hunk_index: int, old_lines: tuple[bytes, ...] | None
    ) -> list[int]:
        """Return all places of a hunk by the strictest comparison that finds any.

        `old_lines` are None if the file's encoding cannot have them.
        """
        if self._exact_starts is None:
            # One search of the file serves this hunk and all that follow: a search for
            # each of ten thousand hunks would take minutes.
            self._exact_starts = self._find_exact_starts(hunk_index)
        exact_starts = self._exact_starts.get(old_lines or (), [])
        if exact_starts or self._exactly:
            return exact_starts
        hunk = self._hunks[hunk_index]
        places = self._find_loose_places(hunk)
        if not places:
            places = self._find_unsigned(hunk) or self._find_undecodable(hunk)
        best_rank = min((place.tier.rank for place in places), default=0)
        starts: set[int] = set()
        for place in places:
            if place.tier.rank == best_rank:
                self._loose_places[hunk_index, place.start] = place
                starts.add(place.start)
        return sorted(starts)

    def _find_loose_places(self, hunk: PatchHunk) -> list[HunkPlace]:
        """Return the places of a hunk by all comparisons of whole lines, in order."""
        block = RequestLines.of_lines(hunk.lines.old)
        places: list[HunkPlace] = []
        for region in find_regions(self._source, block).regions:
            place = self._to_place(hunk, block, region)
            if place is not None:
                places.append(place)
        return places

    def _find_exact_starts(
        self, first_hunk: int
    ) -> dict[tuple[bytes, ...], list[int]]:
        """Return the exact places of all hunks from `first_hunk` on, by old lines."""
        blocks = [
            self._encode(hunk.lines.old) for hunk in self._hunks[first_hunk:]
        ]
        starts = find_blocks(self._source, [block for block in blocks if block])
        if starts is None:
            self._too_many_places = True
            return {}
        return starts

    def _to_place(
        self, hunk: PatchHunk, request_lines: RequestLines, region: Region
    ) -> HunkPlace | None:
        """Return the place of a hunk whose old lines match `region`, or None.

        A region covers the lines that are not blank. The place includes the hunk's
        blank lines above and below, if the file has them too. Return None if the hunk
        could be written there in more than one way.
        """
        source = self._source
        blank_before, blank_after = (
            len(request_lines.before),
            len(request_lines.after),
        )
        first_solid = source.line_number(region.start) - 1
        end_line = source.line_number(region.end - 1)
        start_line = first_solid - blank_before
        if region.tier is Tier.BLANK_LINES or not self._has_blank_edges(
            start_line, blank_before, end_line, blank_after
        ):
            if _changes_edges(hunk, request_lines):
                return None
            return HunkPlace(first_solid, end_line, Tier.BLANK_LINES, region)
        end_line += blank_after
        if region.tier is not Tier.INDENT or not self._has_unsigned_lines(
            hunk, start_line
        ):
            return HunkPlace(start_line, end_line, region.tier, region)
        if self._may_have_lost_spaces(hunk):
            return None
        # Without the region its added lines are written with the indentation they have.
        return HunkPlace(start_line, end_line, region.tier)

    def _may_have_lost_spaces(self, hunk: PatchHunk) -> bool:
        """Return True if added lines may lack the space that the context lacks.

        They do not if all are indented by whole steps of the file's indentation.
        """
        indent_columns = len(self._source.indent_unit.expandtabs())
        if indent_columns < 2:
            return True  # each column is a whole step, so steps tell nothing
        for sign, text in hunk.lines.signed_new:
            if sign == " " or not text.strip():
                continue
            if len(leading_whitespace(text).expandtabs()) % indent_columns:
                return True
        return False

    def _has_blank_edges(
        self,
        start_line: int,
        blank_before: int,
        end_line: int,
        blank_after: int,
    ) -> bool:
        """Return True if the blank lines at the edges of a hunk are in the file too.

        There are `blank_before` of them from `start_line` on, and `blank_after` from
        `end_line` on.
        """
        source = self._source
        edge_lines: list[bytes] = []
        if start_line >= 0:
            edge_lines = [
                *source.bodies(start_line, blank_before),
                *source.bodies(end_line, blank_after),
            ]
        blank_count = sum(is_blank(source.text(body)) for body in edge_lines)
        return blank_count == blank_before + blank_after

    def _find_unsigned(self, hunk: PatchHunk) -> list[HunkPlace]:
        """Return the places of a hunk some of whose context lacks its sign.

        The removed lines are exactly there. So they and the context differ from the
        file by different indentation, which no comparison of indentation accepts.
        """
        old_lines = solid_lines(hunk.lines.old)
        self._budget.remaining -= self._source.count
        if (
            not old_lines
            or self._budget.remaining < 0
            or self._may_have_lost_spaces(hunk)
        ):
            return []
        blank_before = len(RequestLines.of_lines(hunk.lines.old).before)
        places: list[HunkPlace] = []
        for lines in find_solid_lines(self._source, old_lines):
            start = lines.start - blank_before
            if start >= 0 and self._has_unsigned_lines(hunk, start):
                end = start + len(hunk.lines.old)
                places.append(HunkPlace(start, end, Tier.INDENT))
        return places

    def _has_unsigned_lines(self, hunk: PatchHunk, start_line: int) -> bool:
        """Return True if a hunk is at a line, but for signs that its context lacks.

        Models leave out the space that is the sign. Then the reader takes the first
        space of the indentation for it, and the line has one space less than the file's.
        """
        source = self._source
        signed_lines = hunk.lines.signed_old
        bodies = source.bodies(start_line, len(signed_lines))
        if len(bodies) != len(signed_lines):
            return False
        for body, (sign, text) in zip(bodies, signed_lines, strict=True):
            line = source.text(body)
            if line != text and (sign != " " or line != f" {text}"):
                return False
        return True

    def _find_undecodable(self, hunk: PatchHunk) -> list[HunkPlace]:
        """Return the places of a hunk whose context has U+FFFD for undecodable bytes.

        A model copies U+FFFD from the text it was shown. Such lines may only be
        context: the patch does not have their bytes, so it cannot write them.
        """
        signed_lines = hunk.lines.signed_old
        if not any(
            _UNDECODABLE in text for sign, text in signed_lines if sign == " "
        ):
            return []
        # In a large file only the line that the header names is decoded.
        self._budget.remaining -= self._source.count
        starts: Sequence[int] = [hunk.start_index]
        if self._budget.remaining > 0:
            starts = range(self._source.count)
        return [
            HunkPlace(start, start + len(signed_lines), Tier.TYPOGRAPHY)
            for start in starts
            if self._decodes_to(start, signed_lines)
        ]

    def _decodes_to(
        self, start_line: int, signed_lines: Sequence[tuple[str, str]]
    ) -> bool:
        """Return True if a reader is shown the file's lines from `start_line` on as these.

        Removed lines must decode without loss: their bytes are deleted.
        """
        bodies = self._source.bodies(start_line, len(signed_lines))
        if len(bodies) != len(signed_lines):
            return False
        for body, (sign, text) in zip(bodies, signed_lines, strict=True):
            error_handler = "replace" if sign == " " else "surrogateescape"
            if body.decode(self._codec, error_handler) != text:
                return False
        return True

    def _encode(self, lines: Sequence[str]) -> tuple[bytes, ...] | None:
        """Return lines as bytes of the file's encoding, or None if it lacks characters."""
        try:
            return tuple([line.encode(self._codec) for line in lines])
        except UnicodeEncodeError:
            return None


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


def _lacks_context_behind(hunk: PatchHunk) -> bool:
    """Return True if a hunk has context before its changes and none behind them.

    diff and git write such hunks only at the end of a file.
    """
    signs = hunk.lines.signs
    return signs[-1] != " " and not signs[:-1][:_USUAL_CONTEXT].strip(" ")


def _proves_application(hunk: PatchHunk) -> bool:
    """Return True if finding the new lines of a hunk means that it was applied.

    An added line proves it together with a line of context. The result of a removal is
    only context: it proves something if lines from both sides of the gap now touch.
    """
    signs = "".join(
        sign
        for sign, text in hunk.lines.signed_old
        if sign == "-" or text.strip()
    )
    if any(
        sign == "+" and text.strip() for sign, text in hunk.lines.signed_new
    ):
        return " " in signs
    return "-" in signs and signs[0] == signs[-1] == " "


def _changes_edges(hunk: PatchHunk, old_block: RequestLines) -> bool:
    """Return True if a hunk changes blank lines at its edges, or how the file ends.

    The file has other blank lines there than the hunk, so it is unclear which of them
    the change is about.
    """
    new_block = RequestLines.of_lines(hunk.lines.new)
    if len(old_block.before) != len(new_block.before):
        return True
    if len(old_block.after) != len(new_block.after):
        return True
    pairs = zip(hunk.lines.signs, hunk.lines.ends, strict=True)
    signs_without_end = {sign for sign, end in pairs if not end}
    return signs_without_end in ({"-"}, {"+"})
