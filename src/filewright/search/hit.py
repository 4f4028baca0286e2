"""What a search of a tree is asked (`TreeOptions`), what a search finds, and what is shown of it.

Shown of a hit are the piece of its line around it, its other lines, and the lines beside it (`excerpt`,
`context`); of very many, the kinds of their lines (`LineKinds`): lines that are alike but for
numbers are one, so that what is rare is seen among what is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from filewright.progress import Task
from filewright.search.window import UNENDING, character_at
from filewright.text import Snapshot, decoded

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Match:
    """One match: bytes [offset, end) of the file, and the pattern's own groups (None: took no part)."""

    offset: int
    end: int
    groups: tuple[Span | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Hit:
    """What one line of a result is.

    Bytes [offset, end) of the file are the first match (inverted: the line; fuzzy: the region);
    `line` is 1-based, `column` the 1-based character of `offset` in it, `line_offset` the byte where
    that line begins. `submatches` are the byte ranges of every match on the line that an excerpt
    can show together, the first one included; further ones in a long line are hits of their own.
    `score` is the similarity, 1.0 unless fuzzy.
    """

    offset: int
    end: int
    line: int
    column: int
    line_offset: int
    submatches: tuple[Span, ...] = ()
    score: float = 1.0


@dataclass(frozen=True, slots=True)
class ShownLine:
    """The piece of a line around a hit, as shown: decoded, without terminator.

    `column` is the 1-based character where `text` begins in its line; `cut_before` and `cut_after`
    say whether the line goes on; `ranges` are the submatches as character ranges of `text`.
    """

    text: str
    column: int
    cut_before: bool
    cut_after: bool
    ranges: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """What a search of one file came to.

    `hits` in order of offset (fuzzy: similarity, then offset). `complete` says whether the whole
    file was searched; if not, `stopped_at` is the byte offset to go on from (None: fuzzy) and
    `reason` why. `count` is the number of hits seen, also where none were kept. Fuzzy: `runner_up`
    is the best similarity among what is not in `hits`, and `tied` how many are as good as the best.
    """

    hits: tuple[Hit, ...]
    complete: bool
    stopped_at: int | None = None
    count: int = 0
    reason: str = ""
    runner_up: float | None = None
    tied: int = 0


@dataclass(frozen=True, slots=True)
class TreeOptions:
    """Which files, and what is wanted of them.

    `glob` as the walk takes it; `kind` a language or extension (`python`, `rs`); `limit` is in hits
    for `matches`, else in files; `invert` finds lines without a match. Notebooks are searched by their
    cells.
    """

    limit: int
    output: Literal["matches", "files", "counts"] = "matches"
    glob: str | Sequence[str] | None = None
    kind: str | None = None
    invert: bool = False
    include_hidden: bool = True
    include_ignored: bool = False


@dataclass(frozen=True, slots=True)
class ContextLine:
    """A line beside a hit: its number, its beginning as shown, and whether more of it follows."""

    line: int
    text: str
    cut: bool


_Lines = tuple[ContextLine, ...]


def excerpt(snapshot: Snapshot, hit: Hit, chars: int) -> ShownLine:
    """The piece of the hit's (first) line that shows its submatches, at most `chars` characters.

    A line that fits is shown whole. A match longer than `chars` is cut; its beginning is always shown.
    """

    def shown(start: int, stop: int) -> str:
        return snapshot.read(start, stop - start).decode(snapshot.encoding.name, "replace")

    room = chars * 4
    low = hit.line_offset
    if hit.offset - low > room:
        low = character_at(snapshot, hit.offset - room, hit.line_offset)
    before = shown(low, hit.offset)
    rest = snapshot.lines.starting(hit.offset, room, reach=room + 2)
    after = rest.body.decode(snapshot.encoding.name, "replace" if rest.whole else "ignore")
    spans = [span for span in hit.submatches if span[0] >= hit.offset]
    if low == hit.line_offset and rest.whole and len(before) + len(after) <= chars:
        left, right = len(before), len(after)
    else:
        last = spans[-1][1] if spans else hit.end
        spare = chars - min(chars, len(shown(hit.offset, min(hit.offset + room, last))))
        right = min(len(after), chars - min(len(before), spare // 2))
        left = min(len(before), chars - right)
    text = before[len(before) - left :] + after[:right]
    ranges = []
    for start, stop in spans or ([(hit.offset, hit.end)] if hit.submatches else []):
        begin = left + len(shown(hit.offset, start))
        end = begin + len(shown(start, min(stop, start + room)))
        if begin < len(text) or (begin == end == len(text)):
            ranges.append((begin, min(end, len(text))))
    return ShownLine(
        text=text,
        column=hit.column - left,
        cut_before=low != hit.line_offset or left < len(before),
        cut_after=not rest.whole or right < len(after),
        ranges=tuple(ranges),
    )


def context(
    snapshot: Snapshot, hit: Hit, before: int, after: int, chars: int, *, most: int = 0, task: Task = UNENDING
) -> tuple[_Lines, _Lines, _Lines, int]:
    """The lines beside a hit, cut to `chars` characters: up to `before` above its first, and `after` below its last.

    Between those two, of the lines after its first that the match reaches into, at most `most`; and how many there are.
    """
    above: list[ContextLine] = []
    position = hit.line_offset
    while len(above) < before and position > snapshot.start:
        position = snapshot.lines.begin(position - snapshot.encoding.width, task)
        above.insert(0, _context_line(snapshot, position, hit.line - len(above) - 1, chars))
    last, further = hit.line_offset, 0
    if hit.end > hit.offset:
        last = snapshot.lines.begin(hit.end - snapshot.encoding.width, task)
        further = 0 if last == hit.line_offset else snapshot.lines.line_at(last, task) - hit.line
    inside = _following(snapshot, hit.line_offset, hit.line, min(most, further), chars, task)
    below = _following(snapshot, last, hit.line + further, after, chars, task)
    return tuple(above), inside, below, further


def _following(snapshot: Snapshot, position: int, number: int, most: int, chars: int, task: Task) -> _Lines:
    """At most `most` lines after the one at `position`, whose number is given."""
    found: list[ContextLine] = []
    while len(found) < most and (position := snapshot.lines.end(position, task)) < snapshot.size:
        found.append(_context_line(snapshot, position, number + len(found) + 1, chars))
    return tuple(found)


def _context_line(snapshot: Snapshot, begin: int, number: int, chars: int) -> ContextLine:
    line = snapshot.lines.starting(begin, chars * 4, reach=chars * 4 + 2)
    text = line.body.decode(snapshot.encoding.name, "replace" if line.whole else "ignore")
    return ContextLine(number, text[:chars], len(text) > chars or not line.whole)


MOST_KINDS = 10_000
_BEFORE, _AFTER = 120, 160
"""Bytes of a line, before and after the place that matched, by which it is compared."""
_NUMBER = re.compile(r"\b(?=[0-9a-fA-F-]*[0-9])[0-9a-fA-F]{4}[0-9a-fA-F-]*\b|[0-9]+")


@dataclass(slots=True)
class LineKind:
    """`count` lines like the first of them, whose number (from 1) and `text` are given."""

    path: str
    line: int
    text: str
    count: int = 0


class LineKinds:
    """The kinds of the lines it was given. Of more than `MOST_KINDS` the later ones are only counted, in `others`."""

    def __init__(self) -> None:
        self._kinds: dict[str, LineKind] = {}
        self.others = 0

    @property
    def lines(self) -> int:
        """How many lines there are of all kinds."""
        return self.others + sum(kind.count for kind in self._kinds.values())

    def __len__(self) -> int:
        return len(self._kinds)

    def add(self, snapshot: Snapshot, offsets: Iterable[int]) -> None:
        """Count the lines that hold the bytes at these offsets, each one."""
        for offset in offsets:
            text = _around(snapshot, offset)
            key = _NUMBER.sub("0", text)
            if key not in self._kinds and len(self._kinds) == MOST_KINDS:
                self.others += 1
                continue
            if key not in self._kinds:
                line = snapshot.lines.line_at(snapshot.lines.begin(offset))
                self._kinds[key] = LineKind(snapshot.asked, line, text)
            self._kinds[key].count += 1

    def ranked(self, *, rarest_first: bool) -> list[LineKind]:
        """The kinds by how many lines they have; equal ones in the order in which they were met."""
        return sorted(self._kinds.values(), key=lambda kind: kind.count, reverse=not rarest_first)


def _around(snapshot: Snapshot, offset: int) -> str:
    """The line at `offset`, of a long one what is near it. A single read: there may be a million lines."""
    low = max(snapshot.start, offset - _BEFORE)
    near = snapshot.read(low, offset - low + _AFTER)
    before, after = (
        decoded(near[: offset - low], snapshot.encoding),
        decoded(near[offset - low :], snapshot.encoding),
    )
    return (before.rpartition("\n")[2] + after.partition("\n")[0]).strip()
