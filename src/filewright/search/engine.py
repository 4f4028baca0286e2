"""The one engine: exact matches in one snapshot, in order, whatever its encoding or size.

The file goes by in windows of normalised text (`window`). A plain literal is found in them as bytes,
everything else by RE2. Of a large file `ahead` names the lines worth a window; what is a match, and
where, is always settled here.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from itertools import islice

from filewright.progress import Task
from filewright.search.ahead import ahead_of
from filewright.search.hit import Found, Hit, Match, Span
from filewright.search.pattern import Pattern, is_word
from filewright.search.window import Window, window
from filewright.text import Snapshot, finder

_Found = tuple[int, list[Span | None]]
_Search = Callable[[bytes, int], _Found | None]


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
    start: int | None = None,
    stop: int | None = None,
    once: bool = False,
    windows: Windows = WINDOWS,
    task: Task | None = None,
) -> Iterator[Match]:
    """The matches that begin in bytes [start, stop), leftmost first, not overlapping.

    `start` must be a character's beginning. Matches of nothing are yielded too, at most one per
    character. In a line longer than a window a regex match of up to the overlap is certain to be found.
    With `once` only the first match of each line is given: what is left of it is not looked at.
    Raises `cancelled`, `timeout`, `io_error`.
    """
    for view, spans in _places(snapshot, pattern, start, stop, windows, task or Task(), once=once):
        yield _match(view, spans)


def _places(
    snapshot: Snapshot,
    pattern: Pattern,
    start: int | None,
    stop: int | None,
    windows: Windows,
    task: Task,
    *,
    once: bool = False,
) -> Iterator[tuple[Window, list[Span | None]]]:
    """The matches as indices of their windows; with `once` only the first of each line."""
    position = snapshot.start if start is None else max(snapshot.start, start)
    stop = snapshot.size if stop is None else min(stop, snapshot.size)
    raw_needle = pattern.in_encoding(snapshot.encoding.name)
    if pattern.plain is not None and raw_needle is None:
        return  # it has a character that this encoding cannot write
    with closing(ahead_of(snapshot, pattern, position, task)) as ahead:
        while position < stop:
            task.check()
            task.report(position, stop, "searching")
            # Where to look next: never past a line that was begun.
            if ahead.running and (position == snapshot.start or snapshot.read(position - 1, 1) == b"\n"):
                position = ahead.next_line(position)
                if position >= stop:
                    return
            view = window(
                snapshot,
                position,
                stop,
                length=windows.multiline if pattern.multiline else windows.length,
                longest=windows.multiline if pattern.multiline else windows.longest,
                overlap=windows.span if pattern.multiline else windows.overlap,
                by_lines=not pattern.multiline,
            )
            following = view.raw_at(view.limit) if view.cut else view.stop
            last = None
            if raw_needle is None or view.may_hold(raw_needle):
                for spans in _in_window(view, pattern, task, once=once):
                    yield view, spans
                    last = spans[0]
            if last is not None:
                if once and view.text.find(b"\n", last[0]) < 0:
                    following = snapshot.lines.end(
                        view.stop, task
                    )  # the rest of a long line says nothing new
                else:
                    following = max(following, view.raw_at(last[1]))
            if following <= position:
                return
            position = following


def _in_window(view: Window, pattern: Pattern, task: Task, *, once: bool) -> Iterator[list[Span | None]]:
    search = _finder(pattern.plain.encode()) if pattern.plain is not None else _regex(pattern)
    steps = 0 if pattern.plain is not None else pattern.instructions
    if pattern.without is not None:
        search = _less(search, pattern.without)
        steps += pattern.without.instructions
    if len(view.text) * steps <= _STEPS:
        yield from _spans(view, pattern, search, once=once)
    else:
        # RE2 cannot be interrupted. Where it may take long it works in a thread of its own, which is
        # left to finish alone when the request is cancelled.
        aside = ThreadPoolExecutor(1, thread_name_prefix="regex")

        def watched(text: bytes, index: int) -> _Found | None:
            future = aside.submit(search, text, index)
            while True:
                task.check()
                try:
                    return future.result(_LOOK)
                except TimeoutError:
                    continue

        try:
            yield from _spans(view, pattern, watched, once=once)
        finally:
            aside.shutdown(wait=False, cancel_futures=True)


def _finder(needle: bytes) -> _Search:
    """Finds a literal."""
    find = finder(needle)

    def search(text: bytes, index: int) -> _Found | None:
        at = find(text, index)
        return None if at < 0 else (at, [(at, at + len(needle))])

    return search


def _regex(pattern: Pattern) -> _Search:
    regexp, group = pattern.regexp, pattern.group
    numbers = range(group, int(regexp.groups) + 1)

    def search(text: bytes, index: int) -> _Found | None:
        found = regexp.search(text, index)
        if found is None:
            return None
        spans = [found.span(number) for number in numbers]
        return found.start(), [span if span[0] >= 0 else None for span in spans]

    return search


def _less(search: _Search, without: Pattern) -> _Search:
    """Finds what `search` does, in lines that have no match of `without`."""
    excluded = without.regexp
    allowed = -1  # the end of the line that was found to have none

    def filtered(text: bytes, index: int) -> _Found | None:
        nonlocal allowed
        while (found := search(text, index)) is not None and found[0] > allowed:
            begin, end = text.rfind(b"\n", 0, found[0]) + 1, text.find(b"\n", found[0])
            end = len(text) if end < 0 else end
            if excluded.search(text[begin:end]) is None:
                allowed = end
                break
            index = end + 1
            if index > len(text):
                return None
        return found

    return filtered


def _spans(view: Window, pattern: Pattern, search: _Search, *, once: bool) -> Iterator[list[Span | None]]:
    text = view.text
    index = resume = view.begin
    matched = -1
    while index <= len(text):
        found = search(text, index)
        if found is None:
            return
        begin, spans = found
        assert spans[0] is not None
        low, high = spans[0]
        if low >= view.limit:
            return
        if pattern.whole_word and (low < resume or not _whole(text, low, high)):
            index = _after(text, max(begin, index))
            continue
        # Nothing, right after a match, is part of it; nothing past the last line's end is nowhere.
        if low < high or (low != matched and not (low == len(text) and text.endswith(b"\n"))):
            yield spans
            if once:
                index = resume = text.find(b"\n", low) + 1
                if not index:
                    return
                continue
        matched = high
        resume = high if high > low else _after(text, high)
        index = max(index, _before(text, high)) if pattern.whole_word else resume


def _match(view: Window, spans: list[Span | None]) -> Match:
    places = {index: view.raw_at(index) for index in sorted({i for span in spans if span for i in span})}
    found = [None if span is None else (places[span[0]], places[span[1]]) for span in spans]
    assert found[0] is not None
    return Match(found[0][0], found[0][1], tuple(found[1:]))


def _whole(text: bytes, low: int, high: int) -> bool:
    """Whether no word character is beside the match; bytes that are not UTF-8 are none."""
    before, after = text[max(0, low - 4) : low], text[high : high + 4]
    beside = before.decode("utf-8", "replace")[-1:] + after.decode("utf-8", "replace")[:1]
    return not any(map(is_word, beside))


def _after(text: bytes, index: int) -> int:
    index += 1
    while index < len(text) and text[index] & 0xC0 == 0x80:
        index += 1
    return index


def _before(text: bytes, index: int) -> int:
    index = max(0, index - 1)
    while index and text[index] & 0xC0 == 0x80:
        index -= 1
    return index


# From matches to hits


def search_snapshot(
    snapshot: Snapshot,
    pattern: Pattern,
    *,
    limit: int,
    start: int | None = None,
    invert: bool = False,
    windows: Windows = WINDOWS,
    task: Task | None = None,
) -> Found:
    """The first `limit` hits from byte `start` on (the `stopped_at` of an earlier search).

    A hit is a line that matches (in a long line: a part of it; multiline: a match); inverted, a line
    that does not. The text must be text: ask `snapshot.binary` first. Raises `cancelled`, `timeout`,
    `io_error`.
    """
    checked = task or Task()
    begin = snapshot.start if start is None else max(start, snapshot.start)
    once = invert and not pattern.multiline
    seen = matches(snapshot, pattern, start=begin, once=once, windows=windows, task=checked)
    if invert:
        hits = _other_lines(snapshot, seen, begin, checked)
    else:
        hits = _hits(snapshot, seen, checked, each=pattern.multiline)
    found = list(islice(hits, limit + 1))
    if len(found) <= limit:
        return Found(tuple(found), complete=True, count=len(found))
    return Found(
        tuple(found[:limit]),
        complete=False,
        stopped_at=found[limit].offset,
        count=limit,
        reason=f"stopped after {limit} hits",
    )


def count_hits(
    snapshot: Snapshot,
    pattern: Pattern,
    *,
    invert: bool = False,
    windows: Windows = WINDOWS,
    task: Task | None = None,
) -> int:
    """How many lines match (multiline: how many matches there are; inverted: how many lines do not)."""
    checked, once = task or Task(), not pattern.multiline
    if invert and pattern.multiline:
        seen = matches(snapshot, pattern, windows=windows, task=checked)
        return sum(1 for _ in _other_lines(snapshot, seen, snapshot.start, checked))
    found = sum(1 for _ in _places(snapshot, pattern, None, None, windows, checked, once=once))
    return snapshot.lines.counted(checked) - found if invert else found


def _hits(snapshot: Snapshot, found: Iterator[Match], task: Task, *, each: bool) -> Iterator[Hit]:
    """Matches of one line within reach of its first one are one hit; with `each`, every match is."""
    columns = Columns(snapshot, task)
    first: Match | None = None
    begin = end = 0
    spans: list[Span] = []
    for match in found:
        if first is not None:
            together = not each and match.offset < end and match.end - first.offset <= _REACH
            if together and len(spans) < _MOST_SUBMATCHES:
                spans.append((match.offset, match.end))
                continue
            yield hit_of(columns, begin, spans, task)
        if first is None or match.offset >= end:
            begin = snapshot.lines.begin(match.offset, task)
            end = snapshot.lines.end(match.offset, task)
            if end >= snapshot.size:
                end = snapshot.size + 1  # a match of nothing at the very end is in the last line
        first, spans = match, [(match.offset, match.end)]
    if first is not None:
        yield hit_of(columns, begin, spans, task)


def hit_of(columns: Columns, begin: int, spans: list[Span], task: Task, score: float = 1.0) -> Hit:
    """The hit of some matches that begin in the line at `begin`."""
    return Hit(
        offset=spans[0][0],
        end=spans[0][1],
        line=columns.snapshot.lines.line_at(begin, task),
        column=columns.column(begin, spans[0][0]),
        line_offset=begin,
        submatches=tuple(spans),
        score=score,
    )


def _other_lines(snapshot: Snapshot, found: Iterator[Match], start: int, task: Task) -> Iterator[Hit]:
    """The lines from `start` (a line's beginning) on that hold no part of a match."""
    first = snapshot.lines.line_at(start, task) if start < snapshot.size else 1
    ahead = next(found, None)
    for number, line in enumerate(snapshot.lines.since(start, limit=0, task=task), first):
        while ahead is not None and ahead.offset < line.offset and ahead.end <= line.offset:
            ahead = next(found, None)
        if ahead is None or ahead.offset > line.body_end:
            yield Hit(line.offset, line.body_end, number, 1, line.offset)


class Columns:
    """Counts characters in one snapshot, asked in rising order; keeps where it was."""

    def __init__(self, snapshot: Snapshot, task: Task) -> None:
        self.snapshot = snapshot
        self._task = task
        self._column = (snapshot.start, snapshot.start, 1)

    def column(self, begin: int, offset: int) -> int:
        """The 1-based character of `offset` in the line that begins at `begin`."""
        line, known, column = self._column
        if line != begin or offset < known:
            known, column = begin, 1
        decoder = codecs.getincrementaldecoder(self.snapshot.encoding.name)("replace")
        for position in range(known, offset, _STEP):
            self._task.check()
            length = min(_STEP, offset - position)
            column += len(
                decoder.decode(self.snapshot.read(position, length), final=position + length >= offset)
            )
        self._column = (begin, offset, column)
        return column
