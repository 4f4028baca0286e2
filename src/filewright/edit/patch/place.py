"""Where each hunk of one file belongs: every line of its context is looked at, none is dropped.

A hunk is an edit: its old lines are the search text, its new ones the replacement. It is placed where
its header says if it is there exactly. All others are looked for in the whole file, terminators
aside first, then by the whole-line tiers that edits use. Places that come before an earlier hunk's end
don't count; of several equal places the header's number chooses the nearest, if one is clearly nearest
and within reach; what is still open is settled where the order of the hunks leaves one way only.
Anything else is refused.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from filewright.edit.diff3 import align
from filewright.edit.filetext import FileText
from filewright.edit.find import ByteRange, Region, TooAlikeError, find_blocks, find_lines, stands
from filewright.edit.locate.fold import indent_of
from filewright.edit.locate.located import Located, Rows, WholeLines
from filewright.edit.locate.request import Edit, RequestLines, Tier
from filewright.edit.patch.model import Hunk, Row
from filewright.text import Line

#: How many lines a stated line number may be off and still choose among equal places.
REACH = 200
#: Places looked at one by one for the heading they stand under.
_MOST = 2_000
#: WholeLines looked at between headings and places, in all, and at most between two of them.
_HEADING_WORK, _FAR = 2_000_000, 20_000
#: Headings of how many different lengths may mean the beginning of a line.
_LENGTHS = 50


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a hunk belongs.

    `at` is the first of the file's lines it covers (from 0), `end` the line past its last;
    `found[i]` the file's line for the hunk's i-th old row. `region` is what a looser tier found.
    """

    at: int
    end: int
    tier: Tier
    found: Sequence[int | None]
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


def located(lines: FileText, hunk: Hunk, place: Placed, *, spelled: bool) -> Located:
    """A placed hunk as a located edit. `spelled`: the patch writes carriage returns out."""
    edit = Edit("".join(f"{row}\n" for row in hunk.old), "".join(f"{row}\n" for row in hunk.new))
    if place.region is not None and place.tier is Tier.BLANK_LINES:
        part = WholeLines(place.region, RequestLines.of_lines(hunk.old), RequestLines.of_lines(hunk.new))
        return Located(edit, place.tier, (part,))
    at, count = place.at, place.end - place.at
    old, new, kept = hunk.old, hunk.new, _kept(hunk)
    if not count and at:
        # An insertion behind the last line: that line may have to be ended first.
        at, count = at - 1, 1
        last = lines.bodies(at, 1)[0].decode(lines.snapshot.encoding.name, "surrogateescape")
        old, new, kept = (last,), (last, *new), [(0, 0)]
    rows = lines.rows_at(at, count)
    terminators = None
    if spelled and _is_literal(hunk, rows):
        terminators = tuple(row.terminator.encode() for row in hunk.rows if row.sign != "-")
        kept = _kept(hunk, spelled=True)
    part_rows = Rows(
        rows,
        ByteRange(lines.offset(at), lines.offset(at + count)),
        old,
        new,
        tuple(None if line is None else line - place.at for line in place.found) or (0,) * len(old),
        tuple(kept),
        place.region.indentation if place.region is not None else None,
        _ended(hunk, lines, rows),
        terminators,
    )
    return Located(edit, place.tier, (part_rows,))


def _ended(hunk: Hunk, lines: FileText, rows: Sequence[Line]) -> bool | None:
    """Whether the last line has a terminator afterwards, where the hunk decides it: both sides may have none."""
    before, after = hunk.ended("+"), hunk.ended("-")
    unended = not before and bool(rows) and not rows[-1].terminator
    return after if unended or before != after or not lines.count else None


def _kept(hunk: Hunk, *, spelled: bool = False) -> list[tuple[int, int]]:
    """Which old row is which new one: those that are kept, and those removed and added again."""
    pairs: list[tuple[int, int]] = []
    old = new = 0
    for same, run in groupby(hunk.rows, key=lambda row: row.sign == " "):
        rows = list(run)
        gone, come = (
            [(row.text, row.terminator if spelled else "") for row in rows if row.sign != sign]
            for sign in "+-"
        )
        if same:
            pairs += zip(range(old, old + len(rows)), range(new, new + len(rows)), strict=True)
        elif not set(gone).isdisjoint(come):
            for match in align(gone, come):
                pairs += [(old + match.left + at, new + match.right + at) for at in range(match.length)]
        old, new = old + len(gone), new + len(come)
    return pairs


def _is_literal(hunk: Hunk, rows: Sequence[Line]) -> bool:
    """Whether the file's terminators are exactly those the hunk's old rows have."""
    old = [row for row in hunk.rows if row.sign != "+"]
    if len(old) != len(rows):
        return False
    pairs = list(zip(old, rows, strict=True))
    if pairs and not rows[-1].terminator:
        pairs.pop()  # the end of the file
    return all(row.terminator.encode() == line.terminator for row, line in pairs)


class Placing:
    """The hunks of one file and the file's lines, on the way to a place for each."""

    def __init__(self, hunks: Sequence[Hunk], lines: FileText) -> None:
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
        """The lines (from 1) where each hunk's result is, if all of them are in order."""
        news = [self._encoded(hunk.new) for hunk in self.hunks]
        places = self._find([new for new in news if new])
        result: list[int] = []
        floor = 0
        for hunk, new in zip(self.hunks, news, strict=True):
            if not new:
                return None
            starts = places.get(new, [])
            # Where nothing tells that the hunk was applied, only its line does.
            stated = None if _is_telling(hunk) else _stated(hunk)
            least = self.lines.count - len(new) if hunk.at_end and stated is None else stated or 0
            index = bisect_left(starts, max(floor, least))
            if stated is not None and (hunk.start is None or starts[index : index + 1] != [stated]):
                return None
            if index == len(starts) or (len(self.hunks) == 1 and hunk.start is None and len(starts) > 1):
                return None
            result.append(starts[index] + 1)
            floor = starts[index] + len(new)
        return result

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
            # Without old lines there is only the end, where that is said, or an empty file.
            end = self.lines.count
            if end == 0 or (hunk.at_end and hunk.ended("+") and hunk.start is None and not hunk.headings):
                return Options([end], 0)
            return Unplaced(hunk, "no_context")
        if self._exact is None and old is not None and hunk.start is not None:
            at = _stated(hunk) + drift
            ends = at + len(old) == self.lines.count or not (hunk.at_end or hunk.cut or _ends_bare(hunk))
            if ends and at >= floor and stands(self.lines, old, at):
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
        found = [self._aligned(hunk, region) for region in find_lines(self.lines, hunk.old)]
        places = [place for place in found if place is not None] or self._as_shown(hunk)
        best = min((place.tier.rank for place in places), default=0)
        others = {place.at: place for place in places if place.tier.rank == best}
        return Options(sorted(others), 0, others)

    def _aligned(self, hunk: Hunk, region: Region) -> Placed | None:
        """The place a region of lines is for a hunk: which row is which of the file's lines."""
        first = self.lines.index_of(region.start)
        old = hunk.old
        block, result = RequestLines.of_lines(old), RequestLines.of_lines(hunk.new)
        if region.tier is Tier.BLANK_LINES:
            inside = (len(block.before), len(block.after)) == (len(result.before), len(result.after))
            if not inside or hunk.ended("+") != hunk.ended("-"):
                return None  # blank lines at the edge are changed, and these may be others
            return Placed(first, self.lines.index_of(region.end - 1) + 1, region.tier, (), region)
        at = first - len(block.before)
        end = at + len(old)
        if region.tier is not Tier.INDENT or not self._is_unsigned(hunk, at):
            return Placed(at, end, region.tier, range(at, end), region)
        # New lines that may have lost a space like their context are not indented by whole steps of the file.
        unit = len(self.lines.indent_unit.expandtabs())
        new = [row.text for row in hunk.rows if row.sign == "+" and row.text.strip()]
        odd = unit < 2 or any(len(indent_of(text).expandtabs()) % unit for text in new)
        return None if odd else Placed(at, end, region.tier, range(at, end))

    def _is_unsigned(self, hunk: Hunk, at: int) -> bool:
        """Whether the file's lines are the hunk's with their signs: the space before its context was left out."""
        old = [row for row in hunk.rows if row.sign != "+"]
        there = [body.decode(self._codec, "surrogateescape") for body in self.lines.bodies(at, len(old))]
        return all(
            line in ((f" {row.text}", "") if row.sign == " " else (row.text,))
            for row, line in zip(old, there, strict=True)
        )

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
        """Whether an insertion at the hunk's edge, with no context past it, is there already."""
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
            if at >= 0 and stands(self.lines, new, at):
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
        """The places of each block of lines, terminators aside."""
        try:
            return find_blocks(self.lines, blocks)
        except TooAlikeError:
            self._too_alike = True
            return {}


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


class Headings:
    """Where the headings of a file's hunks stand; looked up once, when first needed."""

    def __init__(self, hunks: Sequence[Hunk], lines: FileText) -> None:
        self._hunks = hunks
        self._lines = lines
        self._codec = lines.snapshot.encoding.name
        self._known: dict[str, list[int]] | None = None
        self._work = _HEADING_WORK

    def below(self, hunk: Hunk, places: Options) -> Options | Unplaced:
        """Those of the places that stand below the hunk's headings, one inside the other.

        A single place needs the headings somewhere above it. Of several, one counts only where no
        line between the innermost heading and it ends what the heading begins.
        """
        if self._work < 0:
            return Unplaced(hunk, "too_alike")
        known = self._lines_named()
        above: list[int] = []
        for heading in hunk.headings:
            lines = known.get(heading.strip(), [])
            if above:
                inner = [at for at in lines[:_MOST] if self._is_inside(above, at)]
                above = inner or lines[bisect_right(lines, above[0]) :]
            else:
                above = lines
            if not above:
                return Unplaced(hunk, "heading", (), heading)
        if len(places) == 1:
            fitting = [at for at in places.starts if above[0] <= at]
            if not fitting:
                return Unplaced(hunk, "heading", tuple(at + 1 for at in above[:20]), hunk.headings[-1])
        else:
            fitting = [at for at in places.starts[:_MOST] if self._is_inside(above, at)]
            if not fitting or len(places) > _MOST:
                return Unplaced(hunk, "ambiguous_match", places.numbers())
        return places.only(fitting)

    def _lines_named(self) -> dict[str, list[int]]:
        """The lines that each heading of any hunk may name."""
        if self._known is None:
            wanted = {heading.strip() for hunk in self._hunks for heading in hunk.headings}
            whole: dict[str, list[int]] = {heading: [] for heading in wanted}
            begun: dict[str, list[int]] = {heading: [] for heading in wanted}
            lengths = sorted({len(heading) for heading in wanted})[:_LENGTHS]
            for first, bodies in self._lines.windows():
                for index, body in enumerate(bodies):
                    text = body.decode(self._codec, "replace").strip()
                    if text in wanted:
                        whole[text].append(first + index)
                        continue
                    for length in lengths:
                        if length >= len(text):
                            break
                        if text[:length] in wanted and not _is_word(text[length]):
                            begun[text[:length]].append(first + index)
            self._known = {heading: whole[heading] or begun[heading] for heading in wanted}
        return self._known

    def _is_inside(self, headings: list[int], at: int) -> bool:
        """Whether the nearest heading at or above line `at` holds it, by indentation."""
        index = bisect_left(headings, at + 1) - 1
        if index < 0:
            return False
        heading = headings[index]
        if heading == at:
            return True
        self._work -= at - heading
        if self._work < 0 or at - heading > _FAR:
            return False
        texts = [body.decode(self._codec, "replace") for body in self._lines.bodies(heading, at - heading)]
        depth = len(indent_of(texts[0]).expandtabs())
        return not any(
            text.strip() and len(indent_of(text).expandtabs()) <= depth and _is_word(text.strip()[0])
            for text in texts[1:]
        )


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
