"""Where each hunk of one file belongs: every line of its context is looked at, none is dropped.

A hunk that stands exactly where its header says is placed there. All others are looked for in the
whole file, terminators aside first, then by the whole-line tiers that edits use. Places that come
before an earlier hunk's end don't count; of several equal places the header's number chooses the
nearest, if one is clearly nearest and within reach; what is still open is settled where the order
of the hunks leaves one way only. Anything else is refused.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from filewright.edit.locate.fold import BLANKS, indent_of
from filewright.edit.locate.indentation import Indentation
from filewright.edit.locate.request import Tier, is_blank
from filewright.edit.locate.whole_lines import Region, find_lines
from filewright.edit.patch.filelines import FileLines
from filewright.edit.patch.model import Hunk

#: How many lines a stated line number may be off and still choose among equal places.
REACH = 200
#: Comparisons of lines one file may cost before its hunks are called too alike to place.
_WORK = 30_000_000


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a hunk belongs.

    `at` is the first of the file's lines it covers (from 0), `end` the line past its last;
    `lines[i]` the file's line for the hunk's i-th old row, None for a blank one the file lacks.
    """

    at: int
    end: int
    tier: Tier
    lines: tuple[int | None, ...] | range
    indentation: Indentation | None = None
    folds: bool = False


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


class Placing:
    """The hunks of one file and the file's lines, on the way to a place for each."""

    def __init__(self, hunks: Sequence[Hunk], lines: FileLines) -> None:
        self.hunks = hunks
        self.lines = lines
        self._codec = lines.snapshot.encoding.name
        self._olds = [self._encoded(hunk.old) for hunk in hunks]
        self._exact: dict[tuple[bytes, ...], list[int]] | None = None
        self._headings: dict[str, list[int]] | None = None
        self._too_alike = False

    def run(self) -> list[Placed] | Unplaced:
        """A place for each hunk, in order and not overlapping; or the first that has none."""
        options: list[list[Placed]] = []
        floor = drift = 0
        for index, hunk in enumerate(self.hunks):
            found = self._options(index, floor, drift)
            if isinstance(found, Unplaced):
                return found
            options.append(found)
            if len(found) == 1:
                floor = found[0].end
                if hunk.start is not None:
                    drift = found[0].at - _stated(hunk)
                twice = self._is_there_already(index, found[0])
                if twice is not None:
                    return twice
        return self._settled(options)

    def already_applied(self) -> list[int] | None:
        """The lines (from 1) where each hunk's result stands, if all of them stand in order."""
        news = [self._encoded(hunk.new) for hunk in self.hunks]
        places = self._find([new for new in news if new])
        result: list[int] = []
        floor = 0
        for hunk, new in zip(self.hunks, news, strict=True):
            if not new:
                return None
            found = [at for at in places.get(new, []) if at >= floor]
            if hunk.at_end:
                found = [at for at in found if at + len(new) == self.lines.count]
            if not found or (len(found) > 1 and hunk.start is None and len(self.hunks) == 1):
                return None
            result.append(found[0] + 1)
            floor = found[0] + len(new)
        return result

    # One hunk

    def _encoded(self, rows: Sequence[str]) -> tuple[bytes, ...] | None:
        try:
            return tuple([row.encode(self._codec) for row in rows])
        except UnicodeEncodeError:
            return None

    def _options(self, index: int, floor: int, drift: int) -> list[Placed] | Unplaced:
        """The places a hunk may have at or past `floor`, by the strictest tier that has any."""
        hunk, old = self.hunks[index], self._olds[index]
        if old is not None and not old:
            return self._insertion(hunk, floor)
        if self._exact is None and old is not None and hunk.start is not None:
            at = _stated(hunk) + drift
            if at >= floor and self._stands(old, at) and self._is_allowed(hunk, at, at + len(old)):
                return [Placed(at, at + len(old), Tier.EXACT, range(at, at + len(old)))]
        everywhere = self._everywhere(index)
        fitting = [place for place in everywhere if self._is_allowed(hunk, place.at, place.end)]
        if everywhere and not fitting:
            why = "cut" if hunk.cut else "not_at_end"
            return Unplaced(hunk, why, tuple(place.at + 1 for place in everywhere[:20]))
        if hunk.headings and fitting:
            below = self._below_headings(hunk, fitting)
            if isinstance(below, Unplaced):
                return below
            fitting = below
        after = [place for place in fitting if place.at >= floor]
        if not after:
            if not fitting:
                return Unplaced(hunk, "too_alike" if self._too_alike else "no_match")
            touching = any(place.end > floor for place in fitting)
            return Unplaced(hunk, "overlap" if touching else "order", (fitting[0].at + 1,))
        if len(after) > 1 and hunk.start is not None:
            nearest = _nearest(after, _stated(hunk) + drift)
            if nearest is not None:
                return [nearest]
        return after

    def _insertion(self, hunk: Hunk, floor: int) -> list[Placed] | Unplaced:
        """The place of a hunk without old lines: only the end, where that is said, or an empty file."""
        count = self.lines.count
        if count == 0 or (hunk.at_end and hunk.old_ended and hunk.start is None and not hunk.headings):
            return [Placed(count, count, Tier.EXACT, ())]
        return Unplaced(hunk, "no_context")

    def _stands(self, old: tuple[bytes, ...], at: int) -> bool:
        return at + len(old) <= self.lines.count and tuple(self.lines.bodies(at, len(old))) == old

    def _is_allowed(self, hunk: Hunk, at: int, end: int) -> bool:
        return end == self.lines.count if hunk.at_end or hunk.cut else at >= 0

    def _everywhere(self, index: int) -> list[Placed]:
        """All places of a hunk by the strictest tier that has one."""
        if self._exact is None:
            self._exact = self._find([old for old in self._olds[index:] if old])
        old = self._olds[index]
        if old is not None:
            exact = self._exact.get(old, [])
            if exact:
                return [Placed(at, at + len(old), Tier.EXACT, range(at, at + len(old))) for at in exact]
        hunk = self.hunks[index]
        found = [self._aligned(hunk, region) for region in find_lines(self.lines.snapshot, hunk.old)]
        order = list(Tier)
        places = [place for place in found if place is not None]
        best = min((order.index(place.tier) for place in places), default=0)
        return [place for place in places if order.index(place.tier) == best]

    def _aligned(self, hunk: Hunk, region: Region) -> Placed | None:
        """The place a region of lines is for a hunk: which row is which of the file's lines."""
        first = self.lines.index_of(region.start)
        old = [row for row in hunk.rows if row.sign != "+"]
        solid = [index for index, row in enumerate(old) if not is_blank(row.text)]
        lines: list[int | None] = [None] * len(old)
        for index, place in zip(solid, region.solid, strict=True):
            lines[index] = first + place
        if region.tier is not Tier.BLANK_LINES:
            lines = [first + index - solid[0] for index in range(len(old))]
        else:
            for index, row in enumerate(old):
                previous = lines[index - 1] if index else None
                if lines[index] is None and previous is not None and self._is_blank(previous + 1):
                    lines[index] = previous + 1
                if lines[index] is None and row.sign == "-":
                    return None  # a blank line to remove that is not there
        known = [line for line in lines if line is not None]
        plain = all(text.isascii() for text in region.texts)
        folds = plain and not all(row.text.isascii() for row in old)
        return Placed(known[0], known[-1] + 1, region.tier, tuple(lines), region.indentation, folds)

    def _is_blank(self, at: int) -> bool:
        bodies = self.lines.bodies(at, 1) if at < self.lines.count else ()
        return bool(bodies) and not bodies[0].strip(BLANKS.encode())

    def _is_there_already(self, index: int, place: Placed) -> Unplaced | None:
        """Whether an insertion at the hunk's edge, with no context past it, stands there already."""
        hunk, old = self.hunks[index], self._olds[index]
        rows = hunk.rows
        if old is None or not old or any(row.sign == "-" for row in rows):
            return None
        if rows[0].sign == " " and rows[-1].sign == " ":
            return None
        new = self._encoded(hunk.new)
        if new is None or not any(body.strip() for body in set(new) - set(old)):
            return None
        starts = [place.at] if rows[-1].sign == "+" else []
        starts += [place.at - (len(new) - len(old))] if rows[0].sign == "+" else []
        for at in starts:
            if at >= 0 and self._stands(new, at):
                return Unplaced(hunk, "already_applied", (at + 1,))
        return None

    # Headings of the envelope

    def _below_headings(self, hunk: Hunk, places: list[Placed]) -> list[Placed] | Unplaced:
        """Those of the places that stand below the hunk's headings, one inside the other.

        A single place needs the headings somewhere above it. Of several, one counts only where no
        line between the innermost heading and it ends what the heading begins.
        """
        known = self._heading_lines()
        chains: list[int] = [-1]
        for heading in hunk.headings:
            lines = known.get(heading.strip(), [])
            if not lines:
                return Unplaced(hunk, "heading", (), heading)
            chains = sorted({at for chain in chains for at in lines[bisect_left(lines, chain + 1) :]})
        if len(places) == 1:
            fitting = [place for place in places if chains and chains[0] <= place.at]
        else:
            fitting = [place for place in places if self._is_inside(chains, place.at)]
            if not fitting:
                return Unplaced(hunk, "ambiguous_match", tuple(place.at + 1 for place in places[:20]))
        return fitting or Unplaced(hunk, "heading", tuple(at + 1 for at in chains[:20]), hunk.headings[-1])

    def _heading_lines(self) -> dict[str, list[int]]:
        """The lines that each heading of any hunk may name."""
        if self._headings is None:
            wanted = {heading.strip() for hunk in self.hunks for heading in hunk.headings}
            whole: dict[str, list[int]] = {heading: [] for heading in wanted}
            begun: dict[str, list[int]] = {heading: [] for heading in wanted}
            for first, bodies in self.lines.windows():
                for index, body in enumerate(bodies):
                    text = body.decode(self._codec, "replace").strip()
                    if text in wanted:
                        whole[text].append(first + index)
                    elif text:
                        for heading in wanted:
                            if text.startswith(heading) and not _is_word(text[len(heading)]):
                                begun[heading].append(first + index)
            self._headings = {heading: whole[heading] or begun[heading] for heading in wanted}
        return self._headings

    def _is_inside(self, headings: list[int], at: int) -> bool:
        """Whether the nearest heading at or above line `at` holds it, by indentation."""
        index = bisect_left(headings, at + 1) - 1
        if index < 0:
            return False
        heading = headings[index]
        if heading == at:
            return True
        texts = [body.decode(self._codec, "replace") for body in self.lines.bodies(heading, at - heading)]
        depth = len(indent_of(texts[0]).expandtabs())
        return not any(
            text.strip() and len(indent_of(text).expandtabs()) <= depth and _is_word(text.strip()[0])
            for text in texts[1:]
        )

    # All hunks

    def _settled(self, options: list[list[Placed]]) -> list[Placed] | Unplaced:
        """One place each, if the order of the hunks leaves only one way."""
        earliest: list[Placed] = []
        floor = 0
        for hunk, places in zip(self.hunks, options, strict=True):
            index = bisect_left(places, floor, key=lambda place: place.at)
            if index == len(places):
                return Unplaced(hunk, "order", (places[0].at + 1,))
            earliest.append(places[index])
            floor = places[index].end
        ceiling = self.lines.count
        for index in range(len(options) - 1, -1, -1):
            places = options[index]
            last = next((place for place in reversed(places) if place.end <= ceiling), earliest[index])
            if last.at != earliest[index].at:
                fitting = [p.at + 1 for p in places if earliest[index].at <= p.at <= last.at]
                return Unplaced(self.hunks[index], "ambiguous_match", tuple(fitting[:20]))
            ceiling = last.at
        return earliest

    def _find(self, blocks: Sequence[tuple[bytes, ...]]) -> dict[tuple[bytes, ...], list[int]]:
        """The places of each block of lines, terminators aside, in two passes over the file."""
        counts = dict.fromkeys((body for block in blocks for body in block), 0)
        for _, bodies in self.lines.windows():
            for body in bodies:
                if body in counts:
                    counts[body] += 1
        anchors: dict[tuple[bytes, ...], int] = {}
        wanted: dict[bytes, list[int]] = {}
        for block in blocks:
            if block not in anchors:
                rarest = min(range(len(block)), key=lambda index: counts[block[index]])
                anchors[block] = rarest
                if counts[block[rarest]]:
                    wanted.setdefault(block[rarest], [])
        for first, bodies in self.lines.windows():
            for index, body in enumerate(bodies):
                if body in wanted:
                    wanted[body].append(first + index)
        work = _WORK
        result: dict[tuple[bytes, ...], list[int]] = {}
        for block, rarest in anchors.items():
            places = wanted.get(block[rarest], [])
            work -= len(places)
            if work < 0:
                self._too_alike = True
                break
            found = [at - rarest for at in places if at >= rarest and self._stands(block, at - rarest)]
            result[block] = found
        return result


def _stated(hunk: Hunk) -> int:
    """The line (from 0) its header says it begins at."""
    return max(0, (hunk.start or 1) - 1)


def _nearest(places: Sequence[Placed], stated: int) -> Placed | None:
    """The place nearest to the line `stated`, if it is within reach and no other is nearly as near."""
    ranked = sorted(places, key=lambda place: abs(place.at - stated))
    first, second = abs(ranked[0].at - stated), abs(ranked[1].at - stated)
    return ranked[0] if first <= REACH and 2 * first <= second and first != second else None


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
