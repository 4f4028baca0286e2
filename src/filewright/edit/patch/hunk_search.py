"""The places that the old lines of hunks may have in a file.

Every line of context is compared, and none is dropped. A hunk is looked for by the
strictest comparison that finds any place: exactly first (line ends aside), then by the
tiers of comparison that edits use. All lines count from 0, unless a name or docstring
says otherwise.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from filewright.edit.comparison import (
    RequestLines,
    is_blank,
    leading_whitespace,
)
from filewright.edit.matchers.blocks import find_blocks
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

_MAX_BLANK_GAP = 100
"""Blank lines between a context and the hunk that follows right below it."""
_USUAL_CONTEXT = 3
"""Lines of context that diff and git write on each side of a change."""
_UNDECODABLE = "\ufffd"
"""The character that a reader is shown for bytes that the file's encoding lacks."""


class HunkSearch:
    """Finds the places that the hunks of one file may have.

    With `is_exact_only`, the looser comparisons are not tried.
    """

    def __init__(
        self,
        hunks: Sequence[PatchHunk],
        source: Source,
        contexts: Mapping[int, ContextAbove] = MappingProxyType({}),
        *,
        is_exact_only: bool = False,
    ) -> None:
        self.is_exact_only = is_exact_only
        self._hunks = hunks
        self._source = source
        self._contexts = contexts
        self._codec = source.encoding.name
        self._budget = LineBudget()
        self._headings = HeadingFilter(hunks, source, self._budget)
        # The exact places by the old lines of a hunk. None until a hunk is not where its
        # header says: a correct patch of a huge file never needs the search.
        self._exact_starts: dict[tuple[bytes, ...], list[int]] | None = None
        self._has_too_many_places = False
        # The number of hunks by their old lines; None until it is asked for.
        self._hunks_by_old_lines: Counter[tuple[str, ...]] | None = None
        # The places that looser comparisons found, by index of the hunk and start. Only
        # they may have another length than the hunk's old lines.
        self._loose_places: dict[tuple[int, int], HunkPlace] = {}

    @property
    def has_searched(self) -> bool:
        """True if the file was searched for the old lines of hunks."""
        return self._exact_starts is not None

    def place_at(self, hunk_index: int, start: int) -> HunkPlace:
        """Return the place of a hunk that begins at line `start`."""
        place = self._loose_places.get((hunk_index, start))
        if place is None:
            place = HunkPlace(
                start, start + len(self._hunks[hunk_index].lines.old)
            )
        return place

    def is_loose(self, hunk_index: int, start: int) -> bool:
        """Return True if a hunk is at a line by a looser comparison only."""
        return (hunk_index, start) in self._loose_places

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
            if not self.reaches_end(hunk_index, starts):
                reason: Reason = "cut" if hunk.is_truncated else "not_at_end"
                return NoPlace(reason, to_line_numbers(starts))
            starts = starts[-1:]
        if hunk.headings:
            return self._headings.filter(
                hunk.headings,
                starts,
                is_exact=not self.is_loose(hunk_index, starts[-1]),
            )
        return starts

    def reaches_end(self, hunk_index: int, starts: Sequence[int]) -> bool:
        """Return True if the last of some places of a hunk ends with the file."""
        return self.place_at(hunk_index, starts[-1]).end == self._source.count

    def may_mean_end(
        self,
        hunk_index: int,
        starts: Sequence[int],
        start: int,
        stated_start: int,
    ) -> bool:
        """Return True if a hunk fits at line `start` and may mean the end of the file.

        `starts` are all its places. A hunk without context below its changes was
        probably made at the end. With little context above it may be written by hand:
        then its number decides, if it is exact.
        """
        hunk = self._hunks[hunk_index]
        signs = hunk.lines.signs
        if signs[0] != " " or signs[-1] == " ":
            return False
        if start == stated_start and not lacks_context_behind(hunk):
            return False
        return start != starts[-1] and self.reaches_end(hunk_index, starts)

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

    def place_without_old_lines(self, hunk: PatchHunk) -> int | NoPlace:
        """Return the line at which a hunk without old lines adds its lines.

        There is nothing to compare. It is the end of the file, and only if the hunk
        names no line and the mark says so, or if the file is empty.
        """
        line_count = self._source.count
        says_end = hunk.at_end and hunk.start is None and not hunk.headings
        if says_end or line_count == 0:
            return line_count
        return NoPlace("no_context")

    def refuse_order(
        self, hunk_index: int, starts: Sequence[int], earliest_start: int
    ) -> NoPlace:
        """Return the refusal of a hunk whose places all come before a line."""
        overlaps_earlier_hunk = (
            self.place_at(hunk_index, starts[-1]).end > earliest_start
        )
        reason: Reason = "overlap" if overlaps_earlier_hunk else "order"
        return NoPlace(reason, (starts[-1] + 1,))

    # All places of one hunk

    def find_starts(self, hunk_index: int) -> list[int] | NoPlace:
        """Return all places of a hunk that has old lines, in order.

        They are those by the strictest comparison that finds any, as far as context,
        marks and headings allow them. There is one at least.
        """
        starts = self._find_all_starts(hunk_index)
        if starts:
            return self._filter_starts(hunk_index, starts)
        reason: Reason = "no_match"
        if self._has_too_many_places:
            reason = "too_alike"
        return NoPlace(reason)

    def _find_all_starts(self, hunk_index: int) -> list[int]:
        """Return the places by the strictest comparison that finds any."""
        if self._exact_starts is None:
            # One search of the file serves this hunk and all that follow: a search for
            # each of ten thousand hunks would take minutes.
            self._exact_starts = self._find_exact_starts(hunk_index)
        hunk = self._hunks[hunk_index]
        # The file's encoding may lack a character of the hunk.
        old_lines = self.encode(hunk.lines.old) or ()
        exact_starts = self._exact_starts.get(old_lines, [])
        if exact_starts or self.is_exact_only:
            return exact_starts
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
            self.encode(hunk.lines.old) for hunk in self._hunks[first_hunk:]
        ]
        starts = find_blocks(self._source, [block for block in blocks if block])
        if starts is None:
            self._has_too_many_places = True
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

    def encode(self, lines: Sequence[str]) -> tuple[bytes, ...] | None:
        """Return lines as bytes of the file's encoding, or None if it lacks characters."""
        try:
            return tuple([line.encode(self._codec) for line in lines])
        except UnicodeEncodeError:
            return None


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


def lacks_context_behind(hunk: PatchHunk) -> bool:
    """Return True if a hunk has context before its changes and none behind them.

    diff and git write such hunks only at the end of a file.
    """
    signs = hunk.lines.signs
    return signs[-1] != " " and not signs[:-1][:_USUAL_CONTEXT].strip(" ")
