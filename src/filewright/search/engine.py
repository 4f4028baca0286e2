"""The one engine: exact matches in one snapshot, in order, whatever its encoding or size.

The file goes by in windows of normalised text (`window`). A plain literal is found in them as bytes,
everything else by RE2. Of a large file `ahead` names the lines worth a window; what is a match, and
where, is always settled here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass

from filewright.progress import Task
from filewright.search.ahead import Ahead, ahead_of
from filewright.search.hit import Match, Span
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

_LOOK = 0.05  # seconds between two looks at the clock


def matches(
    snapshot: Snapshot,
    pattern: Pattern,
    *,
    start: int | None = None,
    stop: int | None = None,
    windows: Windows = WINDOWS,
    task: Task | None = None,
) -> Iterator[Match]:
    """The matches that begin in bytes [start, stop), leftmost first, not overlapping.

    `start` must be a character's beginning. Matches of nothing are yielded too, at most one per
    character. In a line longer than a window a regex match of up to the overlap is certain to be found.
    Raises `cancelled`, `timeout`, `io_error`.
    """
    for view, spans in _places(snapshot, pattern, start, stop, windows, task or Task()):
        yield _match(view, spans)


def matching_lines(
    snapshot: Snapshot,
    pattern: Pattern,
    *,
    start: int | None = None,
    windows: Windows = WINDOWS,
    task: Task | None = None,
) -> Iterator[Match]:
    """The first match of each line that has one: what is left of the line is not looked at."""
    for view, spans in _places(snapshot, pattern, start, None, windows, task or Task(), once=True):
        yield _match(view, spans)


def count(
    snapshot: Snapshot, pattern: Pattern, *, windows: Windows = WINDOWS, task: Task | None = None
) -> int:
    """How many lines match (multiline: how many matches there are)."""
    once = not pattern.multiline
    return sum(1 for _ in _places(snapshot, pattern, None, None, windows, task or Task(), once=once))


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
            position = _skipped(snapshot, ahead, position)
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


def _skipped(snapshot: Snapshot, ahead: Ahead, position: int) -> int:
    """Where to look next: never past a line that was begun."""
    if ahead.running and (position == snapshot.start or snapshot.read(position - 1, 1) == b"\n"):
        return ahead.next_line(position)
    return position


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
    return not (_last_is_word(text[max(0, low - 4) : low]) or _first_is_word(text[high : high + 4]))


def _last_is_word(before: bytes) -> bool:
    if not before:
        return False
    if before[-1] < 0x80:
        return is_word(chr(before[-1]))
    for back in range(2, min(4, len(before)) + 1):
        if before[-back] & 0xC0 == 0xC0:
            return _valid_word(before[-back:])
        if before[-back] < 0x80:
            break
    return False  # not UTF-8: no word character


def _first_is_word(after: bytes) -> bool:
    if not after:
        return False
    lead = after[0]
    if lead < 0x80:
        return is_word(chr(lead))
    return _valid_word(after[: 4 if lead >= 0xF0 else 3 if lead >= 0xE0 else 2])


def _valid_word(character: bytes) -> bool:
    text = character.decode("utf-8", "replace")
    return len(text) == 1 and is_word(text)


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
