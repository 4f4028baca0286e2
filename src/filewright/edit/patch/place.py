"""Where each hunk of one file belongs: every line of its context is looked at, none is dropped.

A hunk is an edit: its old lines are the search text, its new ones the replacement. It is placed where
its header says if it is there exactly. All others are looked for in the whole file, terminators
aside first, then by the whole-line tiers that edits use. Places that come before an earlier hunk's end
don't count; of several equal places the header's number chooses the nearest, if one is clearly nearest
and within reach; what is still open is settled where the order of the hunks leaves one way only.
Anything else is refused.
"""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from filewright.edit.comparison import RequestLines, is_blank, leading_whitespace
from filewright.edit.linediff import align
from filewright.edit.matchers.blocks import find_blocks, has_block_at
from filewright.edit.matchers.lines import find_regions
from filewright.edit.model import (
    ByteRange,
    EditMatch,
    HunkPart,
    LinesPart,
    Region,
    Tier,
)
from filewright.edit.patch.model import HunkLines, PatchHunk
from filewright.edit.request import Edit
from filewright.edit.source import Source

#: How many lines a stated line number may be off and still choose among equal places.
REACH = 200
#: Places looked at one by one for the heading they are under.
_MOST = 2_000
#: Lines looked at between headings and places and for what cannot be shown, and at most between two of them.
_WORK, _FAR = 2_000_000, 20_000
#: Lengths of headings that may be the beginning of a line, the shortest first.
_LENGTHS = 32
#: Hunks without a place that are told of.
_REFUSED = 12


@dataclass(frozen=True, slots=True)
class HunkPlace:
    """Where a hunk belongs: `at` is the first of the file's lines it covers (from 0), `end` the line past its last.

    `region` is what a looser tier found.
    """

    at: int
    end: int
    tier: Tier = Tier.EXACT
    region: Region | None = None


@dataclass(frozen=True, slots=True)
class NoPlace:
    """Why a hunk has no place: `why` is one of ``no_match``, ``ambiguous_match``, ``overlap``,
    ``order``, ``no_context``, ``already_applied``, ``heading``, ``cut``, ``not_at_end``,
    ``too_alike``; `lines` are the 1-based lines that say so.
    """

    why: str
    lines: tuple[int, ...] = ()
    heading: str = ""


def to_located_edit(
    lines: Source, hunk: PatchHunk, place: HunkPlace, *, spelled: bool
) -> EditMatch:
    """A placed hunk as a located edit. `spelled`: the patch writes carriage returns out.

    One that is where its header says, exactly, is written as it is.
    """
    confirmed = (
        place.tier is Tier.EXACT
        and hunk.start is not None
        and place.at == hunk.start_index
    )
    edit = Edit("", "", fuzzy=not confirmed)
    region, at, count = place.region, place.at, place.end - place.at
    if region is not None and place.tier is Tier.BLANK_LINES:
        whole = LinesPart(
            region,
            RequestLines.of_lines(hunk.lines.old),
            RequestLines.of_lines(hunk.lines.new),
        )
        return EditMatch(edit, place.tier, (whole,))
    old, new = hunk.lines.old, hunk.lines.new
    # How the old lines end in the patch, and the new ones.
    asked, given = hunk.lines.old_ends, hunk.lines.new_ends
    kept = _kept(hunk.lines)
    terminators = None
    if not count and at:
        # An insertion behind the last line: that line may have to be ended first.
        at, count = at - 1, 1
        old = (lines.text(lines.bodies(at, 1)[0]),)
        new, kept = old + new, {0: 0}
    rows = lines.rows_at(at, count)
    if spelled:
        there = [row.terminator for row in rows]
        # The last line may have no terminator that the patch does not know of.
        if asked in (
            there,
            there[:-1] + asked[-1:] if asked and there and not there[-1] else there,
        ):
            terminators = tuple(given)
    # Whether the last line has a terminator afterwards is said by the hunk, unless neither side has one.
    was_ended, ended = b"" not in asked, b"" not in given
    unended = not was_ended and not rows[-1].terminator
    start = rows[0].offset if rows else lines.start
    part = HunkPart(
        rows,
        ByteRange(start, rows[-1].end if rows else start),
        old,
        new,
        kept,
        region.indentation if region is not None else None,
        ended if unended or was_ended != ended else None,
        terminators,
    )
    return EditMatch(edit, place.tier, (part,))


def _kept(rows: HunkLines) -> dict[int, int]:
    """Map the new lines of a hunk that stay to its old ones, those too that it removes and adds again."""
    gone, come = rows.signed_old, rows.signed_new
    marks, their_marks = rows.old_ends, rows.new_ends
    old = [(text, mark) for (_, text), mark in zip(gone, marks, strict=True)]
    new = [(text, mark) for (_, text), mark in zip(come, their_marks, strict=True)]
    kept: dict[int, int] = {}
    left = right = 0
    contexts = [at for at, (sign, _) in enumerate(gone) if sign == " "]
    their_contexts = [at for at, (sign, _) in enumerate(come) if sign == " "]
    for at, to in zip([*contexts, len(old)], [*their_contexts, len(new)], strict=True):
        for run in align(old[left:at], new[right:to]):
            kept |= {
                right + run.right + step: left + run.left + step
                for step in range(run.length)
            }
        if at < len(old):
            kept[to] = at
        left, right = at + 1, to + 1
    return kept


def find_applied(hunks: Sequence[PatchHunk], lines: Source) -> list[int | None]:
    """The line (from 1) where each hunk's result is, in order; None for one whose result is not there.

    It is where the reverse of the hunk belongs.
    """
    back = [
        replace(hunk, is_truncated=False, lines=hunk.lines.reverse()) for hunk in hunks
    ]
    places = HunkPlacer(back, lines, loose=False).run(every=True)
    # Where nothing tells that the hunk was applied, only its line does.
    return [
        place.at + 1
        if isinstance(place, HunkPlace)
        and (_is_telling(hunk) or (hunk.start and place.at == hunk.start_index))
        else None
        for hunk, place in zip_longest(hunks, places)
    ]


class HunkPlacer:
    """The hunks of one file and the file's lines, on the way to a place for each.

    `loose`: whether a hunk whose lines are nowhere exactly is looked for by the looser tiers.
    """

    def __init__(
        self, hunks: Sequence[PatchHunk], lines: Source, *, loose: bool = True
    ) -> None:
        self.hunks = hunks
        self.lines = lines
        self._codec = lines.encoding.name
        self._exact: dict[tuple[bytes, ...], list[int]] | None = None
        self._is_loose = loose
        self._loose: dict[
            tuple[int, int], HunkPlace
        ] = {}  # by the number of a hunk and its first line
        self._headings: dict[str, list[int]] | None = None
        self._work = _WORK
        self._too_alike = False

    def run(self, *, every: bool = False) -> list[HunkPlace | NoPlace]:
        """What becomes of each hunk, in order, up to the first that has no place; with `every`, to the twelfth."""
        found: list[tuple[list[int], int] | NoPlace] = []
        floor = drift = refused = 0
        for index, hunk in enumerate(self.hunks):
            if index % 256 == 0:
                self.lines.task.check()
            one = self._choices(index, floor, drift)
            if not isinstance(one, NoPlace):
                starts, low = one
                place = self._place(index, starts[low])
                if low == len(starts) - 1:
                    if hunk.start is not None:
                        drift = place.at - hunk.start_index
                    if "-" not in hunk.lines.signs:
                        one = self._there_already(hunk, place) or one
                floor = place.end
            elif one.why == "already_applied":
                drift += len(hunk.lines.new) - len(hunk.lines.old)
            found.append(one)
            refused += isinstance(one, NoPlace)
            if refused > (_REFUSED if every else 0):
                break
        # Each is at the first of its places behind those before it. That is the only one if it is also the last before
        # those behind it; what is refused may settle what is open.
        result = list[HunkPlace | NoPlace]()
        ceiling = sys.maxsize
        for index in reversed(range(len(found))):
            one = found[index]
            if not isinstance(one, NoPlace):
                starts, low = one
                if low + 1 < len(starts) and (every or not refused):
                    past = bisect_right(
                        starts, ceiling, key=lambda start: self._place(index, start).end
                    )
                    if past > low + 1:
                        one = NoPlace("ambiguous_match", _numbers(starts[low:past]))
                ceiling = starts[low]
            result.append(
                one if isinstance(one, NoPlace) else self._place(index, one[0][one[1]])
            )
        return result[::-1]

    def _encoded(self, rows: Sequence[str]) -> tuple[bytes, ...] | None:
        try:
            return tuple([row.encode(self._codec) for row in rows])
        except UnicodeEncodeError:
            return None

    def _place(self, index: int, start: int) -> HunkPlace:
        """The place of a hunk that begins at line `start`."""
        return self._loose.get((index, start)) or HunkPlace(
            start, start + len(self.hunks[index].lines.old)
        )

    def _choices(
        self, index: int, floor: int, drift: int
    ) -> tuple[list[int], int] | NoPlace:
        """Where a hunk may begin, by the strictest tier that has any place, and the first of these past `floor`.

        Lists of exact places are shared between hunks with the same lines, and never copied.
        """
        hunk = self.hunks[index]
        signs, old = hunk.lines.signs, self._encoded(hunk.lines.old)
        if old == ():
            # Without old lines there is only the end, where that is said, or an empty file.
            said = hunk.at_end and hunk.start is None and not hunk.headings
            end = self.lines.count
            return ([end], 0) if said or not end else NoPlace("no_context")
        # With context before it but none behind: diffs are like that at the end of a file.
        bare = signs[-1] != " " and not signs[:-1][:3].strip(" ")
        stated = hunk.start_index + drift
        if hunk.start is not None and stated >= floor and old is not None:
            if not has_block_at(self.lines, old, stated):
                # Its old lines may be elsewhere too: what it has changed already is where it says.
                new = (
                    self._encoded(hunk.lines.new)
                    if self._is_loose and _is_telling(hunk)
                    else None
                )
                if new and has_block_at(self.lines, new, stated):
                    return NoPlace("already_applied", (stated + 1,))
            elif self._exact is None:
                # Only whether a line follows is asked, not how many there are: a file may have very many.
                last = hunk.at_end or hunk.is_truncated or bare
                if not (last and self.lines.bodies(stated + len(old), 1)):
                    return [stated], 0
        starts = self._everywhere(index, old)
        if not starts:
            return NoPlace("too_alike" if self._too_alike else "no_match")
        at_end = self._place(index, starts[-1]).end == self.lines.count
        if hunk.at_end or hunk.is_truncated:
            if not at_end:
                return NoPlace(
                    "cut" if hunk.is_truncated else "not_at_end", _numbers(starts)
                )
            starts = starts[-1:]
        if hunk.headings:
            below = self._below(hunk, starts)
            if isinstance(below, NoPlace):
                return below
            starts = below
        low = bisect_left(starts, floor)
        if low == len(starts):
            touches = self._place(index, starts[-1]).end > floor
            return NoPlace("overlap" if touches else "order", (starts[-1] + 1,))
        if low < len(starts) - 1 and hunk.start is not None:
            near = _nearest(starts, low, stated)
            # The number may say one place, and the missing context the end of the file.
            if near is not None and (near == starts[-1] or not (at_end and bare)):
                return [near], 0
        return starts, low

    def _everywhere(self, index: int, old: tuple[bytes, ...] | None) -> list[int]:
        """All places of a hunk, with these old lines, by the strictest tier that has one."""
        if self._exact is None:
            blocks = [self._encoded(hunk.lines.old) for hunk in self.hunks[index:]]
            found_exact = find_blocks(self.lines, filter(None, blocks))
            self._exact, self._too_alike = found_exact or {}, found_exact is None
        hunk = self.hunks[index]
        exact = self._exact.get(old or ())
        if exact or not self._is_loose:
            return exact or []
        block = RequestLines.of_lines(hunk.lines.old)
        found = [
            self._aligned(hunk, block, region)
            for region in find_regions(self.lines, block).regions
        ]
        places = [place for place in found if place is not None] or self._as_shown(hunk)
        best = min((place.tier.rank for place in places), default=0)
        strictest = {
            (index, place.at): place for place in places if place.tier.rank == best
        }
        self._loose |= strictest
        return sorted(at for _, at in strictest)

    def _aligned(
        self, hunk: PatchHunk, block: RequestLines, region: Region
    ) -> HunkPlace | None:
        """The place a region of lines is for a hunk: which row is which of the file's lines."""
        lines, before, after = self.lines, len(block.before), len(block.after)
        first, end = (
            lines.line_number(region.start) - 1,
            lines.line_number(region.end - 1),
        )
        at = first - before
        edges = (
            [*lines.bodies(at, before), *lines.bodies(end, after)] if at >= 0 else []
        )
        blank = sum(is_blank(lines.text(body)) for body in edges) == before + after
        if region.tier is Tier.BLANK_LINES or not blank:
            result = RequestLines.of_lines(hunk.lines.new)
            inside = (before, after) == (len(result.before), len(result.after))
            unended = {
                sign
                for sign, mark in zip(hunk.lines.signs, hunk.lines.ends, strict=True)
                if not mark
            }
            if not inside or unended in ({"-"}, {"+"}):
                return None  # blank lines at the edge, or its end, are changed, and these may be others
            return HunkPlace(first, end, Tier.BLANK_LINES, region)
        end += after
        if region.tier is not Tier.INDENT or not self._is_unsigned(hunk, at):
            return HunkPlace(at, end, region.tier, region)
        # New lines that may have lost a space like their context are not indented by whole steps of the file.
        unit = len(self.lines.indent_unit.expandtabs())
        new = [
            text for sign, text in hunk.lines.signed_new if sign == "+" and text.strip()
        ]
        odd = unit < 2 or any(
            len(leading_whitespace(text).expandtabs()) % unit for text in new
        )
        return None if odd else HunkPlace(at, end, region.tier)

    def _is_unsigned(self, hunk: PatchHunk, at: int) -> bool:
        """Whether the file's lines are the hunk's with their signs: the space before its context was left out."""
        there = map(self.lines.text, self.lines.bodies(at, len(hunk.lines.old)))
        return all(
            line in ((f" {text}", "") if sign == " " else (text,))
            for (sign, text), line in zip(hunk.lines.signed_old, there, strict=True)
        )

    def _as_shown(self, hunk: PatchHunk) -> list[HunkPlace]:
        """Places where kept rows hold U+FFFD for bytes that cannot be shown. Such lines only stay."""
        old = hunk.lines.signed_old
        if not any("\ufffd" in text and sign == " " for sign, text in old):
            return []
        # Each line of a large file is not decoded for it: there only the header says where.
        self._work -= self.lines.count
        starts = range(self.lines.count) if self._work > 0 else [hunk.start_index]
        return [
            HunkPlace(at, at + len(old), Tier.TYPOGRAPHY)
            for at in starts
            if self._reads(at, old)
        ]

    def _reads(self, at: int, rows: Sequence[tuple[str, str]]) -> bool:
        """Whether the lines from `at` on are shown as the rows have them, and those to be removed are that text."""
        there = self.lines.bodies(at, len(rows))
        return len(there) == len(rows) and all(
            body.decode(self._codec, "replace" if sign == " " else "surrogateescape")
            == text
            for body, (sign, text) in zip(there, rows, strict=True)
        )

    def _there_already(self, hunk: PatchHunk, place: HunkPlace) -> NoPlace | None:
        """Why an insertion at the hunk's edge, with no context past it, is not made: it is there already."""
        signs, old, new = (
            hunk.lines.signs,
            self._encoded(hunk.lines.old),
            self._encoded(hunk.lines.new),
        )
        if old and new and any(body.strip() for body in set(new) - set(old)):
            for edge, at in ((-1, place.at), (0, place.at + len(old) - len(new))):
                if signs[edge] == "+" and has_block_at(self.lines, new, at):
                    return NoPlace("already_applied", (at + 1,))
        return None

    # Headings

    def _below(self, hunk: PatchHunk, starts: list[int]) -> list[int] | NoPlace:
        """Those of the places that are below the hunk's headings, one inside the other.

        A single place needs the headings above it, in their order. Of several, one counts only where no
        line between a heading and it ends what the heading begins.
        """
        if self._work < 0:
            return NoPlace("too_alike")
        above = -1
        for heading in hunk.headings:
            lines = self._lines_named(heading)
            index = bisect_right(lines, above)
            if index == len(lines) or lines[index] > starts[-1]:
                return NoPlace("heading", _numbers(lines[index:]), heading)
            above = lines[index]
        if len(starts) == 1:
            return starts
        fitting = [at for at in starts[:_MOST] if self._is_inside(hunk.headings, at)]
        return (
            fitting
            if fitting and len(starts) <= _MOST
            else NoPlace("ambiguous_match", _numbers(starts))
        )

    def _lines_named(self, heading: str) -> list[int]:
        """The lines that a heading may name: those that are it, or else those that begin with it."""
        if self._headings is None:
            wanted = {heading for hunk in self.hunks for heading in hunk.headings}
            whole, begun = (
                {heading: list[int]() for heading in wanted} for _ in range(2)
            )
            lengths = sorted({*map(len, wanted)})[:_LENGTHS]
            for first, bodies in self.lines.windows():
                for at, body in enumerate(bodies, first):
                    text = body.decode(self._codec, "replace").strip()
                    if text in whole:
                        whole[text].append(at)
                    for length in lengths:
                        if (
                            text[:length] in begun
                            and length < len(text)
                            and not _is_word(text[length])
                        ):
                            begun[text[:length]].append(at)
            self._headings = {
                heading: whole[heading] or begun[heading] for heading in wanted
            }
        return self._headings[heading]

    def _is_inside(self, headings: Sequence[str], at: int) -> bool:
        """Whether the nearest innermost heading at or above line `at` holds it, by indentation, and is held so."""
        for name in reversed(headings):
            lines = self._lines_named(name)
            heading = lines[max(0, bisect_right(lines, at) - 1)]
            self._work -= at - heading
            if self._work < 0 or not 0 <= at - heading <= _FAR:
                return False
            bodies = self.lines.bodies(heading, max(1, at - heading))
            first, *texts = [body.decode(self._codec, "replace") for body in bodies]
            depth = len(leading_whitespace(first).expandtabs())
            for text in texts:
                if (
                    text.strip()
                    and len(leading_whitespace(text).expandtabs()) <= depth
                    and _is_word(text.strip()[0])
                ):
                    return False
            at = heading
        return True


def _numbers(starts: Sequence[int]) -> tuple[int, ...]:
    """Lines as people count them, the first twenty."""
    return tuple(start + 1 for start in starts[:20])


def _nearest(starts: list[int], low: int, stated: int) -> int | None:
    """The start nearest to line `stated`, if within reach and no other is nearly as near."""
    index = max(low, bisect_left(starts, stated))
    ranked = sorted(
        starts[max(low, index - 2) : index + 2], key=lambda start: abs(start - stated)
    )
    first, second = (abs(start - stated) for start in ranked[:2])
    return ranked[0] if first <= REACH and 2 * first <= second else None


def _is_telling(hunk: PatchHunk) -> bool:
    """Whether finding its new lines means that it was applied: there is context, on both sides of a removal."""
    old = "".join(
        sign for sign, text in hunk.lines.signed_old if sign == "-" or text.strip()
    )
    if any(sign == "+" and text.strip() for sign, text in hunk.lines.signed_new):
        return " " in old
    return "-" in old and old[0] == old[-1] == " "


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
