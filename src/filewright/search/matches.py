"""matches."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from filewright.progress import Task
from filewright.search.pattern import Pattern, is_word_character
from filewright.search.prefilter import candidate_lines
from filewright.search.window import (
    NO_TIMEOUT,
    Window,
    next_character,
    previous_character,
)
from filewright.text.codec import try_encode
from filewright.text.lines import find_function
from filewright.text.snapshot import Snapshot

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Match:
    """One match: bytes [offset, end) of the file, and the pattern's own groups (None: took no part)."""

    offset: int
    end: int
    groups: tuple[Span | None, ...] = ()


_Spans = list[Span | None]
"""A match as ranges of its window's text, and those of the pattern's groups."""


@dataclass(frozen=True, slots=True)
class WindowSizes:
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


WINDOW_SIZES = WindowSizes()

_STEPS = 150_000_000
"""Bytes times instructions that RE2 may take without a look at the clock: half a second at worst."""

_LOOK = 0.05  # seconds between two looks at the clock


def find_matches(
    snapshot: Snapshot,
    pattern: Pattern,
    *,
    start: int = 0,
    once: bool = False,
    windows: WindowSizes = WINDOW_SIZES,
    task: Task | None = None,
) -> Iterator[Match]:
    """The matches that begin from byte `start` on, leftmost first, not overlapping.

    `start` must be a character's beginning. Matches of nothing are yielded too, at most one per
    character. In a line longer than a window a regex match of up to the overlap is certain to be found.
    With `once` only the first match of each line is given: what is left of it is not looked at.
    Raises `cancelled`, `timeout`, `io_error`.
    """
    for view, spans in _places(
        snapshot, pattern, start, windows, task or NO_TIMEOUT, once=once
    ):
        indices = sorted(
            {index for span in spans if span is not None for index in span}
        )
        places = {index: view.file_offset(index) for index in indices}
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
    windows: WindowSizes,
    task: Task,
    *,
    once: bool = False,
) -> Iterator[tuple[Window, _Spans]]:
    """The matches as indices of their windows; with `once` only the first of each line."""
    position = max(snapshot.start, start)
    stop = snapshot.size
    raw_needle = (
        b""
        if pattern.plain_text is None
        else try_encode(snapshot.encoding.name, pattern.plain_text)
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
    steps = pattern.instruction_count if pattern.plain_text is None else 0
    steps += (
        pattern.excluded.instruction_count
        if pattern.excluded is not None
        else 0
    )
    with candidate_lines(snapshot, pattern, position, task) as next_line:
        while (position := next_line(position)) < stop or at_the_end:
            at_the_end = False
            task.check()
            task.report(position, stop, "searching")
            view = Window(snapshot, position, stop, *lengths, by_lines=by_lines)
            following = view.file_offset(view.limit) if view.cut else view.stop
            last = None
            # The file's own bytes are asked for a literal before anything is decoded.
            if snapshot.encoding.is_utf8 or raw_needle in view.raw:
                whole = view.first and view.last
                here = (
                    pattern
                    if whole
                    else pattern.for_window(first=view.first, last=view.last)
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
                    following = max(following, view.file_offset(last[1]))
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
    text, without = view.text, pattern.excluded
    regexp: Any = None
    if pattern.plain_text is not None:
        needle = pattern.plain_text.encode()
        find = find_function(needle)
    else:
        regexp = pattern.regexp
        numbers = range(int(pattern.whole_word), int(regexp.groups) + 1)
    excluded = (
        without.for_window(first=view.first, last=view.last).regexp.search
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
            index = next_character(text, max(begin, index))
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
        resume = high if high > low else next_character(text, high)
        index = (
            max(index, previous_character(text, high))
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
    character = text[max(0, begin) : next_character(text, max(0, begin))]
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
    return not any(map(is_word_character, beside))
