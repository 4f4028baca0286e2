"""Searching one snapshot in this process: exact matches, in order, whatever the encoding or size.

A plain literal is found as bytes, block by block; everything else by RE2 in windows of normalised
text. Both yield the same `Match`es. `hits` groups them by line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from filewright.progress import Task
from filewright.search.hit import Match, Span
from filewright.search.pattern import Pattern, is_word
from filewright.search.window import Window, window
from filewright.text import Snapshot
from filewright.text.codec import is_boundary

BLOCK = 1 << 20
"""Bytes searched between two looks at the cancel token; some ten milliseconds at worst."""

LINES = 512 << 10
"""Bytes of a window of lines."""

LONGEST = 1 << 20
"""A window is extended to the end of its last line up to this length, then cut inside the line."""

OVERLAP = 64 << 10
"""How far a match may reach over the cut of such a line."""

MULTILINE_WHOLE = 64 << 20
"""Files up to this size are searched for matches over several lines as one window."""

MULTILINE_WINDOW = 8 << 20
MULTILINE_SPAN = 1 << 20
"""In larger ones a match over several lines is found if it is no longer than this."""

_SHORT_NEEDLE = 256
_LOOK = 0.05  # seconds between two looks at the cancel token


def matches(
    snapshot: Snapshot,
    pattern: Pattern,
    *,
    start: int | None = None,
    stop: int | None = None,
    task: Task | None = None,
) -> Iterator[Match]:
    """The matches that begin in bytes [start, stop), leftmost first, not overlapping.

    `start` must be a character's beginning. Matches of nothing are yielded too, at most one per
    character. In a line of more than 1 MB a regex match of up to 64 KB is certain to be found.
    Raises `cancelled`, `timeout`, `io_error`.
    """
    begin = snapshot.start if start is None else max(snapshot.start, start)
    end = snapshot.size if stop is None else min(stop, snapshot.size)
    checked = task or Task()
    if pattern.plain is not None:
        needle = pattern.in_encoding(snapshot.encoding.name)
        return _literals(snapshot, needle, pattern, begin, end, checked) if needle else iter(())
    return _by_windows(snapshot, pattern, begin, end, checked)


def finder(needle: bytes) -> Callable[[bytes, int], int]:
    """The fastest safe way to find `needle` in a block from an index on: its index or -1.

    `stringzilla` is near memory speed but compares byte by byte where it suspects a match; a long
    needle of few different bytes goes to `bytes.find`, which never degrades.
    """
    if len(needle) > _SHORT_NEEDLE:
        return lambda block, index: block.find(needle, index)

    from stringzilla import find

    return lambda block, index: int(find(block, needle, index))


def _literals(
    snapshot: Snapshot, needle: bytes, pattern: Pattern, start: int, stop: int, task: Task
) -> Iterator[Match]:
    find = finder(needle)
    encoding = snapshot.encoding
    overlap = len(needle) - 1
    resume = start
    for offset in range(start, stop, BLOCK):
        task.check()
        task.report(offset, stop, "searching")
        block = snapshot.read(offset, min(BLOCK + overlap, stop - offset))
        index = find(block, max(0, resume - offset))
        while 0 <= index < BLOCK:
            at = offset + index
            aligned = encoding.width == 1 or (at - snapshot.start) % 2 == 0
            whole = (
                aligned
                and (not encoding.multibyte or _on_character(snapshot, at))
                and (not pattern.whole_word or _stands_alone(snapshot, at, at + len(needle)))
            )
            if whole:
                resume = at + len(needle)
                yield Match(at, resume)
                index = find(block, resume - offset)
            else:
                index = find(block, index + 1)


def _on_character(snapshot: Snapshot, offset: int) -> bool:
    """Whether a character begins at `offset` in a multi-byte encoding: decoded from its line's start."""
    length = 256
    while True:
        low = max(snapshot.start, offset - length)
        before = snapshot.read(low, offset - low)
        line = max(before.rfind(b"\n"), before.rfind(b"\r")) + 1
        if line or low == snapshot.start or length >= BLOCK:
            return is_boundary(before[line:], snapshot.encoding)
        length *= 8


def _stands_alone(snapshot: Snapshot, start: int, end: int) -> bool:
    """Whether the characters on both sides are no word characters (or there are none)."""
    encoding = snapshot.encoding
    low = max(snapshot.start, start - 4)
    before = snapshot.read(low, start - low)
    after = snapshot.read(end, 4)
    if encoding.is_utf8:
        return not (_last_is_word(before) or _first_is_word(after))
    left = before.decode(encoding.name, "replace")[-1:]
    right = after.decode(encoding.name, "replace")[:1]
    return not ((left and is_word(left)) or (right and is_word(right)))


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


def _by_windows(snapshot: Snapshot, pattern: Pattern, start: int, stop: int, task: Task) -> Iterator[Match]:
    position = start
    whole = pattern.multiline and stop - start <= MULTILINE_WHOLE
    while position < stop:
        task.check()
        task.report(position, stop, "searching")
        if pattern.multiline:
            length = stop - position if whole else MULTILINE_WINDOW
            view = window(
                snapshot,
                position,
                stop,
                length=length,
                longest=length,
                overlap=MULTILINE_SPAN,
                by_lines=False,
            )
        else:
            view = window(snapshot, position, stop, length=LINES, longest=LONGEST, overlap=OVERLAP)
        resume = view.stop if view.limit > len(view.text) else view.raw_at(view.limit)
        for match in _in_window(view, pattern, task):
            yield match
            resume = max(resume, match.end)
        if resume <= position:
            return
        position = resume


def _in_window(view: Window, pattern: Pattern, task: Task) -> Iterator[Match]:
    if len(view.text) <= 2 * LONGEST:
        yield from _found(view, pattern, pattern.regexp.search, task)
        return
    # RE2 cannot be interrupted. In a window this large it works in a thread of its own, which is left
    # to finish alone when the request is cancelled.
    aside = ThreadPoolExecutor(1, thread_name_prefix="regex")

    def search(text: bytes, index: int) -> Any:
        future = aside.submit(pattern.regexp.search, text, index)
        while True:
            try:
                return future.result(_LOOK)
            except TimeoutError:
                task.check()

    try:
        yield from _found(view, pattern, search, task)
    finally:
        aside.shutdown(wait=False, cancel_futures=True)


def _found(
    view: Window, pattern: Pattern, search: Callable[[bytes, int], Any], task: Task
) -> Iterator[Match]:
    text, regexp, group = view.text, pattern.regexp, pattern.group
    resume = view.begin
    # To see that a word stands alone the search begins one character before it.
    index = 0 if pattern.whole_word else resume
    matched = -1
    rounds = 0
    while index <= len(text):
        match = search(text, index)
        if match is None:
            return
        rounds += 1
        if rounds % 256 == 0:
            task.check()
        low, high = match.span(group)
        if low >= view.limit:
            return
        if pattern.whole_word and (low < resume or not _whole(text, low, high)):
            index = _after(text, max(match.start(), index))
            continue
        # Nothing, right after a match, is part of it; nothing past the last line's end is nowhere.
        if low < high or (low != matched and not (low == len(text) and text.endswith(b"\n"))):
            yield _match(view, [match.span(n) for n in range(group, int(regexp.groups) + 1)])
        matched = high
        resume = high if high > low else _after(text, high)
        index = max(index, _before(text, high)) if pattern.whole_word else resume


def _match(view: Window, found: list[Span]) -> Match:
    places = {index: view.raw_at(index) for index in sorted({i for span in found for i in span if i >= 0})}
    low, high = found[0]
    groups = tuple(None if a < 0 else (places[a], places[b]) for a, b in found[1:])
    return Match(places[low], places[high], groups)


def _whole(text: bytes, low: int, high: int) -> bool:
    return not (_last_is_word(text[max(0, low - 4) : low]) or _first_is_word(text[high : high + 4]))


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
