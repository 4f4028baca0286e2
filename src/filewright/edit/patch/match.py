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

from filewright.edit.locate.fold import indent_of
from filewright.edit.locate.indentation import Indentation
from filewright.edit.locate.request import Block, Tier, is_blank
from filewright.edit.locate.source import Source
from filewright.edit.locate.whole_lines import Region, find_lines
from filewright.edit.patch.filelines import FileLines
from filewright.edit.patch.headings import Headings
from filewright.edit.patch.model import Hunk, Row
from filewright.edit.patch.places import Options, Placed, Unplaced

#: Comparisons of lines one file may cost before its hunks are called too alike to place.
_WORK = 30_000_000
#: In a file too large to be held: how many blocks are looked for as bytes, the least length of the
#: line looked for, and how many occurrences of such lines are looked at.
_FEW, _LONG_ROW, _LOOKS = 8, 8, 400


class Placing:
    """The hunks of one file and the file's lines, on the way to a place for each."""

    def __init__(self, hunks: Sequence[Hunk], lines: FileLines) -> None:
        self.hunks = hunks
        self.lines = lines
        self._codec = lines.snapshot.encoding.name
        self._olds = [self._encoded(hunk.old) for hunk in hunks]
        self._exact: dict[tuple[bytes, ...], list[int]] | None = None
        self._headings = Headings(hunks, lines)
        self._too_alike = False

    def run(self) -> list[Placed] | Unplaced:
        """A place for each hunk, in order and not overlapping; or the first that has none."""
        options: list[Options] = []
        floor = drift = 0
        for index, hunk in enumerate(self.hunks):
            if index % 256 == 0:
                self.lines.task.check()
            found = self._options(index, floor, drift)
            if isinstance(found, Unplaced):
                return found
            options.append(found)
            if len(found) == 1:
                place = found.place(found.starts[found.low])
                floor = place.end
                if hunk.start is not None:
                    drift = place.at - _stated(hunk)
                twice = self._is_there_already(index, place)
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
            at = self._first_applied(hunk, new, places.get(new, []), floor)
            if at is None:
                return None
            result.append(at + 1)
            floor = at + len(new)
        return result

    def _first_applied(self, hunk: Hunk, new: tuple[bytes, ...], places: list[int], floor: int) -> int | None:
        """The first place at or past `floor` where a hunk's result stands and says it was applied."""
        index = bisect_left(places, floor)
        if hunk.at_end:
            index = bisect_left(places, max(floor, self.lines.count - len(new)))
        if not _is_telling(hunk):
            index = bisect_left(places, max(floor, _stated(hunk)))
            if hunk.start is None or places[index : index + 1] != [_stated(hunk)]:
                return None
        if index == len(places) or (len(self.hunks) == 1 and hunk.start is None and len(places) > 1):
            return None
        return places[index]

    # One hunk

    def _encoded(self, rows: Sequence[str]) -> tuple[bytes, ...] | None:
        try:
            return tuple([row.encode(self._codec) for row in rows])
        except UnicodeEncodeError:
            return None

    def _options(self, index: int, floor: int, drift: int) -> Options | Unplaced:
        """The places a hunk may have at or past `floor`, by the strictest tier that has any."""
        hunk, old = self.hunks[index], self._olds[index]
        if old is not None and not old:
            return self._insertion(hunk)
        if self._exact is None and old is not None and hunk.start is not None:
            at = _stated(hunk) + drift
            here = at >= floor and self._stands(old, at) and self._is_allowed(hunk, at + len(old))
            if here and (not _ends_bare(hunk) or at + len(old) == self.lines.count):
                return Options([at], len(old))
        everywhere = fitting = self._everywhere(index)
        if hunk.at_end or hunk.cut:
            fitting = everywhere.ending(self.lines.count)
        if everywhere.starts and not fitting.starts:
            return Unplaced(hunk, "cut" if hunk.cut else "not_at_end", everywhere.numbers())
        if hunk.headings and fitting.starts:
            below = self._headings.below(hunk, fitting)
            if isinstance(below, Unplaced):
                return below
            fitting = below
        after = fitting.after(floor)
        if not len(after):
            if not fitting.starts:
                return Unplaced(hunk, "too_alike" if self._too_alike else "no_match")
            touching = fitting.place(fitting.starts[-1]).end > floor
            return Unplaced(hunk, "overlap" if touching else "order", (fitting.starts[-1] + 1,))
        if len(after) > 1 and hunk.start is not None:
            nearest = after.nearest(_stated(hunk) + drift)
            last = after.starts[-1]
            if _ends_bare(hunk) and nearest != last and after.place(last).end == self.lines.count:
                return after  # the number says one place, the missing context the end of the file
            if nearest is not None:
                return after.only([nearest])
        return after

    def _insertion(self, hunk: Hunk) -> Options | Unplaced:
        """The place of a hunk without old lines: only the end, where that is said, or an empty file."""
        count = self.lines.count
        if count == 0 or (hunk.at_end and hunk.old_ended and hunk.start is None and not hunk.headings):
            return Options([count], 0)
        return Unplaced(hunk, "no_context")

    def _stands(self, old: tuple[bytes, ...], at: int) -> bool:
        return at + len(old) <= self.lines.count and tuple(self.lines.bodies(at, len(old))) == old

    def _is_allowed(self, hunk: Hunk, end: int) -> bool:
        return end == self.lines.count or not (hunk.at_end or hunk.cut)

    def _everywhere(self, index: int) -> Options:
        """All places of a hunk by the strictest tier that has one."""
        if self._exact is None:
            self._exact = self._find([old for old in self._olds[index:] if old])
        old = self._olds[index]
        if old is not None:
            exact = self._exact.get(old, [])
            if exact:
                return Options(exact, len(old))
        hunk = self.hunks[index]
        found = [self._aligned(hunk, region) for region in find_lines(self.lines.snapshot, hunk.old)]
        order = list(Tier)
        places = [place for place in found if place is not None] or self._as_shown(hunk)
        best = min((order.index(place.tier) for place in places), default=0)
        others = {place.at: place for place in places if order.index(place.tier) == best}
        return Options(sorted(others), 0, others)

    def _aligned(self, hunk: Hunk, region: Region) -> Placed | None:
        """The place a region of lines is for a hunk: which row is which of the file's lines."""
        if not _is_sure_of_indents(region.indentation, hunk):
            return None
        first = self.lines.index_of(region.start)
        old = [row for row in hunk.rows if row.sign != "+"]
        solid = [index for index, row in enumerate(old) if not is_blank(row.text)]
        lines: list[int | None] = [first + index - solid[0] for index in range(len(old))]
        if region.tier is Tier.BLANK_LINES:
            lines = [None] * len(old)
            for index, place in zip(solid, region.solid, strict=True):
                lines[index] = first + place
        known = [line for line in lines if line is not None]
        plain = all(text.isascii() for text in region.texts)
        folds = plain and not all(row.text.isascii() for row in old)
        block, result = Block.of_lines(hunk.old), Block.of_lines(hunk.new)
        inside = (len(block.before), len(block.after)) == (len(result.before), len(result.after))
        if region.tier is Tier.BLANK_LINES and not inside:
            return None  # blank lines at the edge are changed, and these may be others
        apart = region if inside and hunk.old_ended == hunk.new_ended else None
        return Placed(known[0], known[-1] + 1, region.tier, tuple(lines), region.indentation, folds, apart)

    def _as_shown(self, hunk: Hunk) -> list[Placed]:
        """Places where kept rows hold U+FFFD for bytes that cannot be shown. Such lines only stay."""
        old = [row for row in hunk.rows if row.sign != "+"]
        if not any("\ufffd" in row.text for row in old if row.sign == " "):
            return []
        anchor = next((index for index, row in enumerate(old) if "\ufffd" not in row.text), 0)
        wanted = old[anchor].text
        result: list[Placed] = []
        for first, bodies in self.lines.windows():
            for index, body in enumerate(bodies):
                at = first + index - anchor
                if at < 0 or body.decode(self._codec, "replace") != wanted:
                    continue
                there = list(self.lines.bodies(at, len(old)))
                if len(there) == len(old) and all(map(self._reads, there, old)):
                    result.append(Placed(at, at + len(old), Tier.TYPOGRAPHY, range(at, at + len(old))))
        return result

    def _reads(self, body: bytes, row: Row) -> bool:
        """Whether a line is shown as the row has it, and if it is to be removed, is that text."""
        errors = "replace" if row.sign == " " else "surrogateescape"
        return body.decode(self._codec, errors) == row.text

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

    # All hunks

    def _settled(self, options: list[Options]) -> list[Placed] | Unplaced:
        """One place each, if the order of the hunks leaves only one way."""
        earliest: list[Placed] = []
        floor = 0
        for hunk, places in zip(self.hunks, options, strict=True):
            after = places.after(floor)
            if not len(after):
                return Unplaced(hunk, "order", (places.starts[-1] + 1,))
            earliest.append(places.place(after.starts[after.low]))
            floor = earliest[-1].end
        ceiling = self.lines.count
        for index in range(len(options) - 1, -1, -1):
            first, places = earliest[index].at, options[index]
            last = places.last_before(ceiling)
            if last is not None and last != first:
                open_places = places.only([at for at in places.starts if first <= at <= last])
                return Unplaced(self.hunks[index], "ambiguous_match", open_places.numbers())
            ceiling = first
        return earliest

    def _find(self, blocks: Sequence[tuple[bytes, ...]]) -> dict[tuple[bytes, ...], list[int]]:
        """The places of each block of lines, terminators aside, in two passes over the file at most."""
        sought = self._sought(set(blocks)) if self.lines.snapshot.held is None else None
        if sought is not None:
            return sought
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

    def _sought(self, blocks: set[tuple[bytes, ...]]) -> dict[tuple[bytes, ...], list[int]] | None:
        """The same for a few blocks in a large file, by looking for their longest lines as bytes.

        None where that is no help: many blocks, short lines, or lines that are everywhere.
        """
        if len(blocks) > _FEW:
            return None
        snapshot = self.lines.snapshot
        source = Source(snapshot)
        result: dict[tuple[bytes, ...], list[int]] = {}
        looks = _LOOKS
        for block in blocks:
            index = max(range(len(block)), key=lambda at: len(block[at]))
            row = block[index]
            if len(row) < _LONG_ROW:
                return None
            places = result.setdefault(block, [])
            for offset in source.occurrences(row):
                self.lines.task.check()
                looks -= 1
                if looks < 0:
                    return None
                end = snapshot.read(offset + len(row), 1)
                starts = offset == snapshot.start or snapshot.read(offset - 1, 1) in (b"\n", b"\r")
                if not starts or end not in (b"", b"\n", b"\r"):
                    continue
                at = self.lines.index_of(offset) - index
                if at >= 0 and self._stands(block, at):
                    places.append(at)
        return result


def _stated(hunk: Hunk) -> int:
    """The line (from 0) its header says it begins at."""
    return max(0, (hunk.start or 1) - 1)


def _ends_bare(hunk: Hunk) -> bool:
    """Whether it has context before but none behind: diffs are like that at the end of a file."""
    rows = hunk.rows
    return rows[-1].sign != " " and all(row.sign == " " for row in rows[: min(3, len(rows) - 1)])


def _is_telling(hunk: Hunk) -> bool:
    """Whether finding its new lines means that it was applied: there is context, on both sides of a removal."""
    solid = [(index, row.sign) for index, row in enumerate(hunk.rows) if row.text.strip()]
    kept = [index for index, sign in solid if sign == " "]
    if any(sign == "+" for _, sign in solid):
        return bool(kept)
    gone = [index for index, row in enumerate(hunk.rows) if row.sign == "-"]
    return bool(kept and gone) and kept[0] < gone[0] and kept[-1] > gone[-1]


def _is_sure_of_indents(indentation: Indentation, hunk: Hunk) -> bool:
    """Whether every added line's indentation follows from those of the old lines.

    A unit and a shift that change together can be read in several ways; they must not differ.
    """
    first = indentation.rules[0]
    if not first.unit or not first.steps:
        return True
    added = {indent_of(row.text) for row in hunk.rows if row.sign == "+" and not is_blank(row.text)}
    return all(
        len({rule.apply(indent) for rule in indentation.rules}) == 1
        for indent in added - set(indentation.known)
    )
