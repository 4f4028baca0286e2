"""The one engine: exact matches in one snapshot, in order, whatever its encoding or size.

The file goes by in windows of normalised text (`window`). A plain literal is found in them as bytes,
everything else by RE2. Of a large file `lines_ahead` names the lines worth a window; what is a match, and
where, is always settled here.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from filewright.languages import name_matcher
from filewright.progress import Task
from filewright.search.pattern import Pattern, is_word
from filewright.search.window import (
    UNENDING,
    Window,
    character_after,
    character_at,
    character_before,
    lines_ahead,
)
from filewright.text.codec import decode, try_encode
from filewright.text.lines import find_function
from filewright.text.snapshot import Snapshot

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
class Found:
    """What a search of one file came to.

    `hits` in order of offset (fuzzy: similarity, then offset). `reason` says why not the whole file was
    searched, and `stopped_at` is then the byte offset to go on from (None: fuzzy). `count` is the
    number of hits seen, also where none were kept. Fuzzy: `runner_up` is the best similarity among
    what is not in `hits`, and `tied` how many are as good as the best.
    """

    hits: tuple[Hit, ...]
    stopped_at: int | None = None
    count: int = 0
    reason: str = ""
    runner_up: float | None = None
    tied: int = 0

    @property
    def complete(self) -> bool:
        """Whether the whole file was searched."""
        return not self.reason


@dataclass(frozen=True, slots=True)
class TreeOptions:
    """Which files, and what is wanted of them.

    `glob` and `exclude` as the walk takes them; `kind` a language or extension (`python`, `rs`); `limit` is in hits
    for `matches`, else in files; `invert` finds lines without a match. Notebooks are searched by their
    cells.
    """

    limit: int
    output: Literal["matches", "files", "counts"] = "matches"
    glob: str | None = None
    exclude: Sequence[str] = ()
    kind: str | None = None
    invert: bool = False
    include_hidden: bool = True
    include_ignored: bool = False

    @property
    def takes(self) -> Callable[[bytes], bool]:
        """Whether a file of a name is of the kind that is wanted. Raises `invalid_input` for what is none."""
        return name_matcher(self.kind) if self.kind is not None else bool


_Spans = list[Span | None]
"""A match as ranges of its window's text, and those of the pattern's groups."""


@dataclass(frozen=True, slots=True)
class Windows:
    """How much of a file is looked at at once, in bytes.

    A window of `length` goes on to the end of its last line, up to `longest`; of a longer line the
    last `overlap` bytes are looked at again with what follows. A multiline search looks at `multiline`
    bytes, of which the last `span` are looked at again.
    """

    length: int = 512 << 10
    longest: int = 1 << 20
    overlap: int = 64 << 10
    multiline: int = 8 << 20
    span: int = 1 << 20


WINDOWS = Windows()

_STEPS = 150_000_000
"""Bytes times instructions that RE2 may take without a look at the clock: half a second at worst."""

_REACH = 400
"""Bytes of a line, from the first match on, whose further matches belong to the same hit."""

_MOST_SUBMATCHES = 1000
_STEP = 64 << 10

_LOOK = 0.05  # seconds between two looks at the clock


def matches(
    snapshot: Snapshot,
    pattern: Pattern,
    *,
    start: int = 0,
    once: bool = False,
    windows: Windows = WINDOWS,
    task: Task | None = None,
) -> Iterator[Match]:
    """The matches that begin from byte `start` on, leftmost first, not overlapping.

    `start` must be a character's beginning. Matches of nothing are yielded too, at most one per
    character. In a line longer than a window a regex match of up to the overlap is certain to be found.
    With `once` only the first match of each line is given: what is left of it is not looked at.
    Raises `cancelled`, `timeout`, `io_error`.
    """
    for view, spans in _places(
        snapshot, pattern, start, windows, task or UNENDING, once=once
    ):
        indices = sorted(
            {index for span in spans if span is not None for index in span}
        )
        places = {index: view.raw_at(index) for index in indices}
        match, *groups = [
            None if span is None else (places[span[0]], places[span[1]])
            for span in spans
        ]
        assert match is not None
        yield Match(*match, tuple(groups))


def _places(
    snapshot: Snapshot,
    pattern: Pattern,
    start: int,
    windows: Windows,
    task: Task,
    *,
    once: bool = False,
) -> Iterator[tuple[Window, _Spans]]:
    """The matches as indices of their windows; with `once` only the first of each line."""
    position = max(snapshot.start, start)
    stop = snapshot.size
    raw_needle = (
        b""
        if pattern.plain is None
        else try_encode(snapshot.encoding.name, pattern.plain)
    )
    if raw_needle is None:
        return  # it has a character that this encoding cannot write
    by_lines = not pattern.multiline
    lengths = windows.length, windows.longest, windows.overlap
    if not by_lines:
        lengths = windows.multiline, windows.multiline, windows.span
    # A match of nothing may be at the end of a last line without an end: a search may go on from there.
    at_the_end = (
        position == stop > snapshot.start
        and not snapshot.lines.ends_in_terminator()
    )
    # Steps that RE2 may take for a byte.
    steps = pattern.instructions if pattern.plain is None else 0
    steps += pattern.without.instructions if pattern.without is not None else 0
    with lines_ahead(snapshot, pattern, position, task) as next_line:
        while (position := next_line(position)) < stop or at_the_end:
            at_the_end = False
            task.check()
            task.report(position, stop, "searching")
            view = Window(snapshot, position, stop, *lengths, by_lines=by_lines)
            following = view.raw_at(view.limit) if view.cut else view.stop
            last = None
            # The file's own bytes are asked for a literal before anything is decoded.
            if snapshot.encoding.is_utf8 or raw_needle in view.raw:
                whole = view.first and view.last
                here = (
                    pattern
                    if whole
                    else pattern.inside(first=view.first, last=view.last)
                )
                found = _spans(view, here, once=once)
                if len(view.text) * steps > _STEPS:
                    found = _aside(found, task)
                for spans in found:
                    yield view, spans
                    last = spans[0]
            if last is not None:
                if once and view.text.find(b"\n", last[0]) < 0:
                    # The rest of a long line says nothing new.
                    following = snapshot.lines.line_end(view.stop, task)
                else:
                    following = max(following, view.raw_at(last[1]))
            if following <= position:
                return
            position = following


def _aside(found: Iterator[_Spans], task: Task) -> Iterator[_Spans]:
    """The same, found in a thread of its own, which is left to finish alone when the request is cancelled.

    RE2 cannot be interrupted, and here it may take long.
    """
    aside = ThreadPoolExecutor(1, thread_name_prefix="regex")
    try:
        while True:
            following = aside.submit(next, found, None)
            while not wait([following], _LOOK).done:
                task.check()
            spans = following.result()
            if spans is None:
                return
            yield spans
    finally:
        aside.shutdown(wait=False, cancel_futures=True)


def _spans(view: Window, pattern: Pattern, *, once: bool) -> Iterator[_Spans]:
    text, without = view.text, pattern.without
    regexp: Any = None
    if pattern.plain is not None:
        needle = pattern.plain.encode()
        find = find_function(needle)
    else:
        regexp = pattern.regexp
        numbers = range(int(pattern.whole_word), int(regexp.groups) + 1)
    excluded = (
        without.inside(first=view.first, last=view.last).regexp.search
        if without is not None
        else None
    )
    index, resume = (
        0,
        view.begin,
    )  # what looks for a word begins with the character before it
    matched = (
        allowed
    ) = (
        -1
    )  # where the last match ended, and the last line without what is left out
    while index <= len(text):
        spans: _Spans = []
        if regexp is None:
            begin = low = find(text, index)
            high = low + len(needle)
            spans.append((low, high))
        else:
            found = regexp.search(text, index)
            if found is None:
                return
            for number in numbers:
                span = found.span(number)
                spans.append(span if span[0] >= 0 else None)
            assert spans[0] is not None
            begin, (low, high) = found.start(), spans[0]
        if not 0 <= low < view.limit:
            return
        if excluded is not None and low > allowed:
            end = text.find(b"\n", low)
            end = len(text) if end < 0 else end
            if excluded(text, text.rfind(b"\n", 0, low) + 1, end) is not None:
                index = resume = end + 1
                continue
            allowed = end
        if low == high and _splits_character(text, low):
            # RE2 goes by bytes where a match has no width.
            index = max(index, low) + 1
            continue
        if low < resume or (pattern.whole_word and not _whole(text, low, high)):
            index = character_after(text, max(begin, index))
            continue
        # Nothing, right after a match, is part of it; nothing past the last line's end is nowhere.
        if low < high or (
            low != matched and not (low == len(text) and text.endswith(b"\n"))
        ):
            yield spans
            if once:
                index = resume = text.find(b"\n", low) + 1
                if not index:
                    return
                continue
        matched = high
        resume = high if high > low else character_after(text, high)
        index = (
            max(index, character_before(text, high))
            if pattern.whole_word
            else resume
        )


def _splits_character(text: bytes, index: int) -> bool:
    """Return whether `index` is inside a character of UTF-8; beside bytes that are none it is not."""
    if index >= len(text) or text[index] & 0xC0 != 0x80:
        return False
    begin = index - 1
    while begin > max(0, index - 3) and text[begin] & 0xC0 == 0x80:
        begin -= 1
    character = text[max(0, begin) : character_after(text, max(0, begin))]
    try:
        return (
            len(character.decode("utf-8", "surrogatepass")) == 1
            and begin + len(character) > index
        )
    except UnicodeDecodeError:
        return False


def _whole(text: bytes, low: int, high: int) -> bool:
    """Whether no word character is beside the match; bytes that are not UTF-8 are none."""
    before, after = text[max(0, low - 4) : low], text[high : high + 4]
    beside = (
        before.decode("utf-8", "replace")[-1:]
        + after.decode("utf-8", "replace")[:1]
    )
    return not any(map(is_word, beside))


# From matches to hits


def search_snapshot(
    snapshot: Snapshot,
    pattern: Pattern,
    *,
    limit: int,
    start: int | None = None,
    invert: bool = False,
    windows: Windows = WINDOWS,
    task: Task = UNENDING,
) -> Found:
    """The first `limit` hits from byte `start` on (the `stopped_at` of an earlier search).

    A hit is a line that matches (in a long line: a part of it; multiline: a match); inverted, a line
    that does not. The text must be text: ask `snapshot.binary` first. Raises `cancelled`, `timeout`,
    `io_error`.
    """
    begin = max(snapshot.start, start or 0)
    once = invert and not pattern.multiline
    seen = matches(
        snapshot, pattern, start=begin, once=once, windows=windows, task=task
    )
    if invert:
        hits = _other_lines(snapshot, seen, begin, task)
    else:
        hits = _hits(snapshot, seen, task, each=pattern.multiline)
    found = list(islice(hits, limit + 1))
    if len(found) <= limit:
        return Found(tuple(found), count=len(found))
    stopped = found.pop().offset
    return Found(tuple(found), stopped, limit, f"stopped after {limit} hits")


def count_hits(
    snapshot: Snapshot,
    pattern: Pattern,
    *,
    invert: bool = False,
    windows: Windows = WINDOWS,
    task: Task = UNENDING,
) -> int:
    """How many lines match (multiline: how many matches there are; inverted: how many lines do not)."""
    once = not pattern.multiline
    if invert and pattern.multiline:
        seen = matches(snapshot, pattern, windows=windows, task=task)
        return sum(
            1 for _ in _other_lines(snapshot, seen, snapshot.start, task)
        )
    found = sum(
        1 for _ in _places(snapshot, pattern, 0, windows, task, once=once)
    )
    return snapshot.lines.count_lines(task) - found if invert else found


def _hits(
    snapshot: Snapshot, found: Iterator[Match], task: Task, *, each: bool
) -> Iterator[Hit]:
    """Matches of one line within reach of its first one are one hit; with `each`, every match is."""
    hits = Hits(snapshot, task)
    begin = end = 0
    spans: list[Span] = []
    for match in found:
        if spans:
            together = (
                not each
                and match.offset < end
                and match.end - spans[0][0] <= _REACH
            )
            if together and len(spans) < _MOST_SUBMATCHES:
                spans.append((match.offset, match.end))
                continue
            yield hits.at(begin, spans)
        if match.offset >= end:
            begin = snapshot.lines.line_start(match.offset, task)
            end = snapshot.lines.line_end(match.offset, task)
            if end >= snapshot.size:
                end = (
                    snapshot.size + 1
                )  # a match of nothing at the very end is in the last line
        spans = [(match.offset, match.end)]
    if spans:
        yield hits.at(begin, spans)


def _other_lines(
    snapshot: Snapshot, found: Iterator[Match], start: int, task: Task
) -> Iterator[Hit]:
    """The lines from `start` (a line's beginning) on that hold no part of a match."""
    first = snapshot.lines.line_at(start, task) if start < snapshot.size else 1
    match = next(found, None)
    for number, line in enumerate(
        snapshot.lines.read_lines(start, limit=0, task=task), first
    ):
        while (
            match is not None
            and match.offset < line.offset
            and match.end <= line.offset
        ):
            match = next(found, None)
        if match is None or match.offset > line.body_end:
            yield Hit(line.offset, line.body_end, number, 1, line.offset)


@dataclass
class Hits:
    """Makes hits of places in one snapshot, in rising order: characters are counted on from the last one.

    `last` is a line, a place in it, and its column.
    """

    snapshot: Snapshot
    task: Task
    last: tuple[int, int, int] = (-1, 0, 1)

    def at(self, begin: int, spans: list[Span], score: float = 1.0) -> Hit:
        """The hit of some matches that begin in the line at `begin`."""
        snapshot, task = self.snapshot, self.task
        offset, end = spans[0]
        line, known, column = self.last
        if line != begin or offset < known:
            known, column = begin, 1
        decoder = codecs.getincrementaldecoder(snapshot.encoding.name)(
            "replace"
        )
        for position in range(known, offset, _STEP):
            task.check()
            length = min(_STEP, offset - position)
            column += len(
                decoder.decode(
                    snapshot.read(position, length),
                    final=position + length >= offset,
                )
            )
        self.last = (begin, offset, column)
        return Hit(
            offset,
            end,
            snapshot.lines.line_at(begin, task),
            column,
            begin,
            tuple(spans),
            score,
        )


# What is shown of a hit


@dataclass(frozen=True, slots=True)
class ShownLine:
    """The piece of a line around a hit, as shown: decoded, without terminator.

    `column` is the 1-based character where `text` begins in its line; `cut_before` and `cut_after`
    say whether the line goes on; `ranges` are the submatches as character ranges of `text`. `match_end`
    is the end of a match of which `text` holds only the beginning; `goes_on` says whether the line has more behind it.
    """

    text: str
    column: int
    cut_before: bool
    cut_after: bool
    ranges: tuple[Span, ...]
    match_end: str = ""
    goes_on: bool = False

    @property
    def row(self) -> str:
        """The piece with an ellipsis for each part of the line that is left out."""
        begin = f"{'…' * self.cut_before}{self.text}{'…' * self.cut_after}"
        return f"{begin}{self.match_end}{'…' * self.goes_on}"


@dataclass(frozen=True, slots=True)
class ContextLine:
    """A line beside a hit: its number, its beginning as shown, and whether more of it follows."""

    line: int
    text: str
    cut: bool


_Lines = tuple[ContextLine, ...]


def excerpt(snapshot: Snapshot, hit: Hit, chars: int) -> ShownLine:
    """The piece of the hit's (first) line that shows its submatches, at most `chars` characters.

    A line that fits is shown whole. Of a match longer than `chars` the beginning and the end are shown.
    """

    def shown(start: int, stop: int) -> str:
        return snapshot.read(start, stop - start).decode(
            snapshot.encoding.name, "replace"
        )

    room = chars * 4
    low = hit.line_offset
    if hit.offset - low > room:
        low = character_at(snapshot, hit.offset - room, hit.line_offset)
    before, match_end = shown(low, hit.offset), ""
    rest = snapshot.lines.read_line(hit.offset, room, reach=room + 2)
    after = rest.body.decode(
        snapshot.encoding.name, "replace" if rest.is_whole else "ignore"
    )
    spans = [span for span in hit.submatches if span[0] >= hit.offset]
    if (
        low == hit.line_offset
        and rest.is_whole
        and len(before) + len(after) <= chars
    ):
        left, right = len(before), len(after)
    else:
        match_end = _end_of_long_match(snapshot, hit, chars)
        chars -= len(match_end)
        last = spans[-1][1] if spans else hit.end
        spare = chars - min(
            chars, len(shown(hit.offset, min(hit.offset + room, last)))
        )
        right = min(len(after), chars - min(len(before), spare // 2))
        left = min(len(before), chars - right)
    text = before[len(before) - left :] + after[:right]
    ranges = []
    for start, stop in spans or (
        [(hit.offset, hit.end)] if hit.submatches else []
    ):
        begin = left + len(shown(hit.offset, start))
        end = begin + len(shown(start, min(stop, start + room)))
        if begin < len(text) or (begin == end == len(text)):
            ranges.append((begin, min(end, len(text))))
    return ShownLine(
        text=text,
        column=hit.column - left,
        cut_before=low != hit.line_offset or left < len(before),
        cut_after=not rest.is_whole or right < len(after),
        ranges=tuple(ranges),
        match_end=match_end,
        goes_on=bool(match_end)
        and bool(snapshot.lines.read_line(hit.end, 8, reach=16).body),
    )


def match_chars(snapshot: Snapshot, hit: Hit, most: int) -> int:
    """Return the number of characters of the first match in its first line, at most `most`."""
    text = snapshot.read(hit.offset, min(hit.end - hit.offset, most * 4))
    line = decode(text, snapshot.encoding).partition("\n")[0]
    return min(len(line), most)


def _end_of_long_match(snapshot: Snapshot, hit: Hit, chars: int) -> str:
    """Return the end of a match within one line that is longer than `chars`, a third of so many; else an empty text."""
    if hit.end - hit.offset <= chars:
        return ""
    low = character_at(
        snapshot, max(hit.offset, hit.end - chars * 4), hit.line_offset
    )
    text = snapshot.read(low, hit.end - low).decode(
        snapshot.encoding.name, "replace"
    )
    is_long = low > hit.offset or len(text) > chars
    if (
        not is_long
        or snapshot.lines.line_start(hit.end - snapshot.encoding.unit_bytes)
        != hit.line_offset
    ):
        return ""
    return text[-(chars // 3) :]


def context(
    snapshot: Snapshot,
    hit: Hit,
    before: int,
    after: int,
    chars: int,
    *,
    most: int = 0,
    task: Task = UNENDING,
) -> tuple[_Lines, _Lines, _Lines, int]:
    """The lines beside a hit, cut to `chars` characters: up to `before` above its first, and `after` below its last.

    Between those two, of the lines after its first that the match reaches into, at most `most`; and how many there are.
    """
    above: list[ContextLine] = []
    position = hit.line_offset
    while len(above) < before and position > snapshot.start:
        position = snapshot.lines.line_start(
            position - snapshot.encoding.unit_bytes, task
        )
        above.insert(
            0,
            _context_line(snapshot, position, hit.line - len(above) - 1, chars),
        )
    last, further = hit.line_offset, 0
    if hit.end > hit.offset:
        last = snapshot.lines.line_start(
            hit.end - snapshot.encoding.unit_bytes, task
        )
        further = (
            0
            if last == hit.line_offset
            else snapshot.lines.line_at(last, task) - hit.line
        )
    inside = _following(
        snapshot, hit.line_offset, hit.line, min(most, further), chars, task
    )
    below = _following(snapshot, last, hit.line + further, after, chars, task)
    return tuple(above), inside, below, further


def _following(
    snapshot: Snapshot,
    position: int,
    number: int,
    most: int,
    chars: int,
    task: Task,
) -> _Lines:
    """At most `most` lines after the one at `position`, whose number is given."""
    found: list[ContextLine] = []
    while (
        len(found) < most
        and (position := snapshot.lines.line_end(position, task))
        < snapshot.size
    ):
        found.append(
            _context_line(snapshot, position, number + len(found) + 1, chars)
        )
    return tuple(found)


def _context_line(
    snapshot: Snapshot, begin: int, number: int, chars: int
) -> ContextLine:
    line = snapshot.lines.read_line(begin, chars * 4, reach=chars * 4 + 2)
    text = line.body.decode(
        snapshot.encoding.name, "replace" if line.is_whole else "ignore"
    )
    return ContextLine(
        number, text[:chars], len(text) > chars or not line.is_whole
    )


MOST_KINDS = 10_000
_BEFORE, _AFTER = 120, 160
"""Bytes of a line, before and after the place that matched, by which it is compared."""
_NUMBER = re.compile(
    r"\b(?=[0-9a-fA-F-]*[0-9])[0-9a-fA-F]{4}[0-9a-fA-F-]*\b|[0-9]+"
)


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
            self.add_line(snapshot, offset)

    def add_line(self, snapshot: Snapshot, offset: int) -> LineKind | None:
        """Count the line that holds the byte at an offset; return its kind if it is the first of it."""
        text = _around(snapshot, offset)
        key = _NUMBER.sub("0", text)
        kind = self._kinds.get(key)
        if kind is not None:
            kind.count += 1
            return None
        if len(self._kinds) == MOST_KINDS:
            self.others += 1
            return None
        line = snapshot.lines.line_at(snapshot.lines.line_start(offset))
        self._kinds[key] = LineKind(snapshot.requested_path, line, text, 1)
        return self._kinds[key]

    def ranked(self, *, rarest_first: bool) -> list[LineKind]:
        """The kinds by how many lines they have; equal ones in the order in which they were met."""
        return sorted(
            self._kinds.values(),
            key=lambda kind: kind.count,
            reverse=not rarest_first,
        )


def _around(snapshot: Snapshot, offset: int) -> str:
    """The line at `offset`, of a long one what is near it. A single read: there may be a million lines."""
    low = max(snapshot.start, offset - _BEFORE)
    at = offset - low
    near = snapshot.read(low, at + _AFTER)
    before, after = (
        decode(near[:at], snapshot.encoding),
        decode(near[at:], snapshot.encoding),
    )
    # Lines that begin with tabs are of another kind: whoever replaces their beginnings must know.
    return (before.rpartition("\n")[2] + after.partition("\n")[0]).strip(" \r")
