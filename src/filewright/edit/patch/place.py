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
from itertools import groupby, takewhile

from filewright.edit.filetext import FileText
from filewright.edit.find import (
    ByteRange,
    Located,
    Region,
    Rows,
    TooAlikeError,
    WholeLines,
    find_blocks,
    find_lines,
    stands,
)
from filewright.edit.linediff import align
from filewright.edit.locate.request import Edit, RequestLines, Tier, indent_of
from filewright.edit.patch.reader import Hunk, Row
from filewright.text import Line

#: How many lines a stated line number may be off and still choose among equal places.
REACH = 200
#: Places looked at one by one for the heading they are under.
_MOST = 2_000
#: Lines looked at between headings and places, in all, and at most between two of them.
_HEADING_WORK, _FAR = 2_000_000, 20_000
#: Headings of how many different lengths may mean the beginning of a line.
_LENGTHS = 50
#: Hunks without a place that are told of.
_REFUSED = 12


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a hunk belongs: `at` is the first of the file's lines it covers (from 0), `end` the line past its last.

    `region` is what a looser tier found.
    """

    at: int
    end: int
    tier: Tier = Tier.EXACT
    region: Region | None = None


@dataclass(frozen=True, slots=True)
class Unplaced:
    """Why a hunk has no place: `why` is one of ``no_match``, ``ambiguous_match``, ``overlap``,
    ``order``, ``no_context``, ``already_applied``, ``heading``, ``cut``, ``not_at_end``,
    ``too_alike``; `lines` are the 1-based lines that say so.
    """

    why: str
    lines: tuple[int, ...] = ()
    heading: str = ""


def located(lines: FileText, hunk: Hunk, place: Placed, *, spelled: bool) -> Located:
    """A placed hunk as a located edit. `spelled`: the patch writes carriage returns out."""
    edit = Edit("".join(f"{row}\n" for row in hunk.old), "".join(f"{row}\n" for row in hunk.new))
    region, at, count = place.region, place.at, place.end - place.at
    if region is not None and place.tier is Tier.BLANK_LINES:
        part = WholeLines(region, RequestLines.of_lines(hunk.old), RequestLines.of_lines(hunk.new))
        return Located(edit, place.tier, (part,))
    old, new, kept, terminators = hunk.old, hunk.new, _kept(hunk), None
    if not count and at:
        # An insertion behind the last line: that line may have to be ended first.
        at, count = at - 1, 1
        last = lines.bodies(at, 1)[0].decode(lines.snapshot.encoding.name, "surrogateescape")
        old, new, kept = (last,), (last, *new), [(0, 0)]
    rows = lines.rows_at(at, count)
    if spelled and _is_literal(hunk, rows):
        terminators = tuple(row.terminator.encode() for row in hunk.rows if row.sign != "-")
        kept = _kept(hunk, spelled=True)
    # Whether the last line has a terminator afterwards is said by the hunk, unless neither side has one.
    before, after = hunk.ended("+"), hunk.ended("-")
    unended = not before and bool(rows) and not rows[-1].terminator
    part_rows = Rows(
        rows,
        ByteRange(lines.offset(at), lines.offset(at + count)),
        old,
        new,
        tuple(range(len(old))),
        tuple(kept),
        region.indentation if region is not None else None,
        after if unended or before != after or not lines.count else None,
        terminators,
    )
    return Located(edit, place.tier, (part_rows,))


def _kept(hunk: Hunk, *, spelled: bool = False) -> list[tuple[int, int]]:
    """Which old row is which new one: those that are kept, and those removed and added again."""
    pairs: list[tuple[int, int]] = []
    old = new = 0
    for _, run in groupby(hunk.rows, key=lambda row: row.sign == " "):
        rows = list(run)
        gone, come = (
            [(row.text, row.terminator if spelled else "") for row in rows if row.sign != sign]
            for sign in "+-"
        )
        if not set(gone).isdisjoint(come):
            for match in align(gone, come):
                pairs += [(old + match.left + at, new + match.right + at) for at in range(match.length)]
        old, new = old + len(gone), new + len(come)
    return pairs


def _is_literal(hunk: Hunk, rows: Sequence[Line]) -> bool:
    """Whether the file's terminators are exactly those the hunk's old rows have; its last line may have none."""
    old = [row.terminator.encode() for row in hunk.rows if row.sign != "+"]
    there = [row.terminator for row in rows]
    return old == there or (len(old) == len(there) and old[:-1] == there[:-1] and not there[-1])


class Placing:
    """The hunks of one file and the file's lines, on the way to a place for each."""

    def __init__(self, hunks: Sequence[Hunk], lines: FileText) -> None:
        self.hunks = hunks
        self.lines = lines
        self._codec = lines.snapshot.encoding.name
        self._olds = [self._encoded(hunk.old) for hunk in hunks]
        self._exact: dict[tuple[bytes, ...], list[int]] | None = None
        self._loose: dict[tuple[int, int], Placed] = {}  # by the number of a hunk and its first line
        self._headings: dict[str, list[int]] | None = None
        self._work = _HEADING_WORK
        self._too_alike = False

    def run(self, *, every: bool = False) -> list[Placed | Unplaced]:
        """What becomes of each hunk, in order, up to the first that has no place; with `every`, to the twelfth."""
        found: list[tuple[list[int], int] | Unplaced] = []
        floor = drift = refused = 0
        for index, hunk in enumerate(self.hunks):
            if index % 256 == 0:
                self.lines.task.check()
            one = self._choices(index, floor, drift)
            if not isinstance(one, Unplaced) and one[1] == len(one[0]) - 1:
                place = self._place(index, one[0][-1])
                there = self._is_there_already(index, place)
                if there is not None:
                    one = Unplaced("already_applied", (there + 1,))
                else:
                    floor = place.end
                    drift = place.at - _stated(hunk) if hunk.start is not None else drift
            found.append(one)
            refused += isinstance(one, Unplaced)
            if refused > (_REFUSED if every else 0):
                break
        return self._settled(found, every=every)

    def already_applied(self) -> list[int | None]:
        """The line (from 1) where each hunk's result is, in order; None for one whose result is not there."""
        news = [self._encoded(hunk.new) for hunk in self.hunks]
        places = self._find([new for new in news if new])
        result: list[int | None] = []
        floor = 0
        for hunk, new in zip(self.hunks, news, strict=True):
            starts = places.get(new, []) if new else []
            # Where nothing tells that the hunk was applied, only its line does.
            stated = None if _is_telling(hunk) else _stated(hunk)
            least = self.lines.count - len(new or ()) if hunk.at_end and stated is None else stated or 0
            index = bisect_left(starts, max(floor, least))
            there = starts[index : index + 1]
            if stated is not None and (hunk.start is None or there != [stated]):
                there = []
            if len(self.hunks) == 1 and hunk.start is None and len(starts) > 1:
                there = []
            result.append(there[0] + 1 if there else None)
            floor = there[0] + len(new or ()) if there else floor
        return result

    # One hunk

    def _encoded(self, rows: Sequence[str]) -> tuple[bytes, ...] | None:
        try:
            return tuple([row.encode(self._codec) for row in rows])
        except UnicodeEncodeError:
            return None

    def _place(self, index: int, start: int) -> Placed:
        """The place of a hunk that begins at line `start`."""
        return self._loose.get((index, start)) or Placed(start, start + len(self._olds[index] or ()))

    def _choices(self, index: int, floor: int, drift: int) -> tuple[list[int], int] | Unplaced:
        """Where a hunk may begin, by the strictest tier that has any place, and the first of these past `floor`.

        Lists of exact places are shared between hunks with the same lines, and never copied.
        """
        hunk, old, end = self.hunks[index], self._olds[index], self.lines.count
        if old is not None and not old:
            # Without old lines there is only the end, where that is said, or an empty file.
            said = hunk.at_end and hunk.ended("+") and hunk.start is None and not hunk.headings
            return ([end], 0) if said or not end else Unplaced("no_context")
        stated = _stated(hunk) + drift
        if self._exact is None and old is not None and hunk.start is not None:
            ends = stated + len(old) == end or not (hunk.at_end or hunk.cut or _ends_bare(hunk))
            if ends and stated >= floor and stands(self.lines, old, stated):
                return [stated], 0
        starts = self._everywhere(index)
        if starts and (hunk.at_end or hunk.cut):
            if self._place(index, starts[-1]).end != end:
                return Unplaced("cut" if hunk.cut else "not_at_end", _numbers(starts))
            starts = starts[-1:]
        if starts and hunk.headings:
            below = self._below(hunk, starts)
            if isinstance(below, Unplaced):
                return below
            starts = below
        low = bisect_left(starts, floor)
        if not starts:
            return Unplaced("too_alike" if self._too_alike else "no_match")
        if low == len(starts):
            touches = self._place(index, starts[-1]).end > floor
            return Unplaced("overlap" if touches else "order", (starts[-1] + 1,))
        if low < len(starts) - 1 and hunk.start is not None:
            near = _nearest(starts, low, stated)
            if _ends_bare(hunk) and near != starts[-1] and self._place(index, starts[-1]).end == end:
                return starts, low  # the number says one place, the missing context the end of the file
            if near is not None:
                return [near], 0
        return starts, low

    def _everywhere(self, index: int) -> list[int]:
        """All places of a hunk by the strictest tier that has one."""
        if self._exact is None:
            self._exact = self._find([old for old in self._olds[index:] if old])
        hunk, old = self.hunks[index], self._olds[index]
        if old is not None and (exact := self._exact.get(old)):
            return exact
        found = [self._aligned(hunk, region) for region in find_lines(self.lines, hunk.old)]
        places = [place for place in found if place is not None] or self._as_shown(hunk)
        best = min((place.tier.rank for place in places), default=0)
        strictest = {(index, place.at): place for place in places if place.tier.rank == best}
        self._loose |= strictest
        return sorted(at for _, at in strictest)

    def _aligned(self, hunk: Hunk, region: Region) -> Placed | None:
        """The place a region of lines is for a hunk: which row is which of the file's lines."""
        first = self.lines.index_of(region.start)
        block, result = RequestLines.of_lines(hunk.old), RequestLines.of_lines(hunk.new)
        if region.tier is Tier.BLANK_LINES:
            inside = (len(block.before), len(block.after)) == (len(result.before), len(result.after))
            if not inside or hunk.ended("+") != hunk.ended("-"):
                return None  # blank lines at the edge are changed, and these may be others
            return Placed(first, self.lines.index_of(region.end - 1) + 1, region.tier, region)
        at = first - len(block.before)
        end = at + len(hunk.old)
        if region.tier is not Tier.INDENT or not self._is_unsigned(hunk, at):
            return Placed(at, end, region.tier, region)
        # New lines that may have lost a space like their context are not indented by whole steps of the file.
        unit = len(self.lines.indent_unit.expandtabs())
        new = [row.text for row in hunk.rows if row.sign == "+" and row.text.strip()]
        odd = unit < 2 or any(len(indent_of(text).expandtabs()) % unit for text in new)
        return None if odd else Placed(at, end, region.tier)

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
        marked = ["\ufffd" in row.text for row in old]
        if not any(mark and row.sign == " " for mark, row in zip(marked, old, strict=True)):
            return []
        # Looked for by a line that has none; without one, only where the header says.
        anchor = marked.index(False) if False in marked else 0
        sought = None if marked[anchor] else self._encoded((old[anchor].text,))
        lines = self._find([sought]).get(sought, []) if sought else [_stated(hunk)]
        found = [at - anchor for at in lines if at >= anchor and self._reads(at - anchor, old)]
        return [Placed(at, at + len(old), Tier.TYPOGRAPHY) for at in found]

    def _reads(self, at: int, rows: Sequence[Row]) -> bool:
        """Whether the lines from `at` on are shown as the rows have them, and those to be removed are that text."""
        there = self.lines.bodies(at, len(rows))
        return len(there) == len(rows) and all(
            body.decode(self._codec, "replace" if row.sign == " " else "surrogateescape") == row.text
            for body, row in zip(there, rows, strict=True)
        )

    def _is_there_already(self, index: int, place: Placed) -> int | None:
        """The line of an insertion at the hunk's edge, with no context past it, that is there already."""
        signs = [row.sign for row in self.hunks[index].rows]
        old, new = self._olds[index], self._encoded(self.hunks[index].new)
        if not old or not new or "-" in signs or not any(body.strip() for body in set(new) - set(old)):
            return None
        starts = [place.at] if signs[-1] == "+" else []
        starts += [place.at - (len(new) - len(old))] if signs[0] == "+" else []
        return next((at for at in starts if stands(self.lines, new, at)), None)

    # All hunks

    def _settled(
        self, found: Sequence[tuple[list[int], int] | Unplaced], *, every: bool
    ) -> list[Placed | Unplaced]:
        """One place each, where the order of the hunks leaves only one way."""
        result: list[Placed | Unplaced] = []
        floor = 0
        for index, choices in enumerate(found):
            if isinstance(choices, Unplaced):
                result.append(choices)
                continue
            starts = choices[0]
            low = bisect_left(starts, floor)
            if low == len(starts):
                result.append(Unplaced("order", (starts[-1] + 1,)))
            else:
                first = self._place(index, starts[low])
                result.append(first)
                floor = first.end
        if not every and any(isinstance(place, Unplaced) for place in result):
            return result  # which may settle what is open
        ceiling = self.lines.count
        for index in range(len(found) - 1, -1, -1):
            place, choices = result[index], found[index]
            if isinstance(place, Unplaced) or isinstance(choices, Unplaced):
                continue
            starts = choices[0]
            past = bisect_right(starts, ceiling, key=lambda start: self._place(index, start).end)
            low = bisect_left(starts, place.at)
            if past > low + 1:
                result[index] = Unplaced("ambiguous_match", _numbers(starts[low : min(past, low + 20)]))
                if not every:
                    break
            ceiling = place.at
        return result

    def _find(self, blocks: Sequence[tuple[bytes, ...]]) -> dict[tuple[bytes, ...], list[int]]:
        """The places of each block of lines, terminators aside."""
        try:
            return find_blocks(self.lines, blocks)
        except TooAlikeError:
            self._too_alike = True
            return {}

    # Headings

    def _below(self, hunk: Hunk, starts: list[int]) -> list[int] | Unplaced:
        """Those of the places that are below the hunk's headings, one inside the other.

        A single place needs the headings somewhere above it. Of several, one counts only where no
        line between the innermost heading and it ends what the heading begins.
        """
        if self._work < 0:
            return Unplaced("too_alike")
        above: list[int] = []
        for heading in hunk.headings:
            lines = self._lines_named(heading.strip())
            inner = [at for at in lines[:_MOST] if self._is_inside(above, at)] if above else lines
            above = inner or lines[bisect_right(lines, above[0]) if above else 0 :]
            if not above:
                return Unplaced("heading", (), heading)
        if len(starts) == 1:
            if starts[0] < above[0]:
                return Unplaced("heading", _numbers(above), hunk.headings[-1])
            return starts
        fitting = [at for at in starts[:_MOST] if self._is_inside(above, at)]
        return fitting if fitting and len(starts) <= _MOST else Unplaced("ambiguous_match", _numbers(starts))

    def _lines_named(self, heading: str) -> list[int]:
        """The lines that a heading may name: those that are it, or else those that begin with it."""
        if self._headings is None:
            wanted = {heading.strip() for hunk in self.hunks for heading in hunk.headings}
            whole: dict[str, list[int]] = {heading: [] for heading in wanted}
            begun: dict[str, list[int]] = {heading: [] for heading in wanted}
            lengths = sorted({len(heading) for heading in wanted})[:_LENGTHS]
            for first, bodies in self.lines.windows():
                for at, body in enumerate(bodies, first):
                    text = body.decode(self._codec, "replace").strip()
                    if text in wanted:
                        whole[text].append(at)
                        continue
                    for length in takewhile(len(text).__gt__, lengths):
                        if text[:length] in wanted and not _is_word(text[length]):
                            begun[text[:length]].append(at)
            self._headings = {heading: whole[heading] or begun[heading] for heading in wanted}
        return self._headings[heading]

    def _is_inside(self, headings: list[int], at: int) -> bool:
        """Whether the nearest heading at or above line `at` holds it, by indentation."""
        index = bisect_right(headings, at) - 1
        if index < 0 or headings[index] == at:
            return index >= 0
        heading = headings[index]
        self._work -= at - heading
        if self._work < 0 or at - heading > _FAR:
            return False
        first, *texts = [
            body.decode(self._codec, "replace") for body in self.lines.bodies(heading, at - heading)
        ]
        depth = len(indent_of(first).expandtabs())
        return not any(
            text.strip() and len(indent_of(text).expandtabs()) <= depth and _is_word(text.strip()[0])
            for text in texts
        )


def _numbers(starts: Sequence[int]) -> tuple[int, ...]:
    """Lines as people count them, the first twenty."""
    return tuple(start + 1 for start in starts[:20])


def _nearest(starts: list[int], low: int, stated: int) -> int | None:
    """The start nearest to line `stated`, if within reach and no other is nearly as near."""
    index = max(low, bisect_left(starts, stated))
    ranked = sorted(starts[max(low, index - 2) : index + 2], key=lambda start: abs(start - stated))
    first, second = (abs(start - stated) for start in ranked[:2])
    return ranked[0] if first <= REACH and 2 * first <= second and first != second else None


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


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
