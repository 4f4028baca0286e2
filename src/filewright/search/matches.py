"""The matches of a pattern in one snapshot, in order, whatever its encoding or size.

The file is read in windows (`window`). A case-sensitive literal is found in them as bytes,
every other pattern by RE2. In a large file `prefilter` names the lines that are worth a
window; only this module decides what matches, and where.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import NamedTuple

from filewright.languages import Language, language_of
from filewright.progress import Task
from filewright.search.code_pattern import CodePattern
from filewright.search.pattern import Pattern, is_word_character
from filewright.search.prefilter import candidate_lines
from filewright.search.window import (
    NO_TIMEOUT,
    WINDOW_SIZES,
    Window,
    WindowSizes,
    next_character,
    previous_character,
)
from filewright.text.codec import try_encode
from filewright.text.lines import find_function
from filewright.text.snapshot import Snapshot

Span = tuple[int, int]
"""The start and the end of a range."""

_MAX_UNINTERRUPTED_STEPS = 150_000_000
"""Bytes times instructions that RE2 takes in half a second at worst."""

_CANCEL_CHECK_SECONDS = 0.05
"""Time between looks at the task while RE2 runs."""

_BATCH_SECONDS = 0.005
"""Time after which the thread hands over what it has found: a change of threads takes long."""

END_OF_TEXT = 1 << 62
"""An offset behind the end of every text."""


@dataclass(frozen=True, slots=True)
class Match:
    """One match: bytes [offset, end) of the file, and the pattern's own groups.

    A group that took no part is None.
    """

    offset: int
    end: int
    groups: tuple[Span | None, ...] = ()


class _Candidate(NamedTuple):
    """A match in a window's text, before it is checked.

    `start` is where the expression began to match: before the match if it looks for a
    word. A named tuple, since a search may make millions of them.
    """

    start: int
    span: Span
    groups: tuple[Span | None, ...] = ()


_Finder = Callable[[int], _Candidate | None]
"""Returns the first candidate from an index on."""


def find_matches(
    snapshot: Snapshot,
    pattern: Pattern,
    *,
    start: int = 0,
    stop: int | None = None,
    once: bool = False,
    windows: WindowSizes = WINDOW_SIZES,
    task: Task | None = None,
) -> Iterator[Match]:
    """Return the matches from byte `start` on, leftmost first, not overlapping.

    A character must start at `start`, and `stop` be the end of a line. Empty matches are
    yielded too, at most one for each character. In a line longer than a window, a match
    of a regular expression is certain to be found if it is not longer than the overlap of
    the windows. With `once`, only the first match of each line is yielded, and the rest
    of the line is not searched, unless the pattern has a selector.

    Raises `cancelled`, `timeout`, `io_error`.
    """
    task = task or NO_TIMEOUT
    if pattern.selector is None:
        return _iterate_matches(
            snapshot,
            pattern,
            start,
            stop,
            once=once,
            windows=windows,
            task=task,
        )
    # The first match of a line may be one that does not count.
    matches = _iterate_matches(
        snapshot, pattern, start, stop, once=False, windows=windows, task=task
    )
    return pattern.selector.select(snapshot, matches, task)


def _iterate_matches(
    snapshot: Snapshot,
    pattern: Pattern,
    start: int,
    stop: int | None,
    *,
    once: bool,
    windows: WindowSizes,
    task: Task,
) -> Iterator[Match]:
    """Yield the matches whether or not they count, as `find_matches` does."""
    for window, candidate in iterate_windows(
        snapshot,
        pattern,
        start,
        stop,
        windows=windows,
        task=task,
        once=once,
    ):
        if not candidate.groups:
            low, high = candidate.span
            yield Match(window.file_offset(low), window.file_offset(high))
            continue
        spans = (candidate.span, *candidate.groups)
        indices: set[int] = set()
        for span in spans:
            if span is not None:
                indices.update(span)
        # A window converts rising indices of one line fastest.
        offsets = {
            index: window.file_offset(index) for index in sorted(indices)
        }
        groups: list[Span | None] = []
        for span in candidate.groups:
            if span is None:
                groups.append(None)
            else:
                groups.append((offsets[span[0]], offsets[span[1]]))
        low, high = candidate.span
        yield Match(offsets[low], offsets[high], tuple(groups))


def iterate_windows(
    snapshot: Snapshot,
    pattern: Pattern,
    start: int,
    stop: int | None = None,
    *,
    windows: WindowSizes,
    task: Task,
    once: bool = False,
) -> Iterator[tuple[Window, _Candidate]]:
    """Yield the matches as ranges of their windows; with `once` the first of each line."""
    literal = _encode_literal(snapshot, pattern)
    if literal is None:
        return
    position = max(snapshot.start, start)
    stop = END_OF_TEXT if stop is None else stop
    limits = windows.limits(
        is_multiline=pattern.multiline,
        # Each unit of a compressed text that is read stays in memory.
        is_scarce=bool(snapshot.compression) and snapshot.content is None,
    )
    # An empty match may be at the end of a last line without a terminator. A search may
    # resume there.
    is_at_open_end = (
        position > snapshot.start
        and not snapshot.has_byte(position)
        and not snapshot.lines.ends_in_terminator()
    )
    with candidate_lines(snapshot, pattern, position, task) as next_line:
        while True:
            position = next_line(position)
            is_in_range = position < stop and snapshot.has_byte(position)
            if not is_in_range and not is_at_open_end:
                return
            is_at_open_end = False
            task.check()
            task.report(position, snapshot.known_size, "searching")
            window = Window(snapshot, position, stop, limits)
            last_candidate = None
            # For a literal, the raw bytes are searched before anything is decoded.
            if snapshot.encoding.is_utf8 or literal in window.raw:
                candidates = _search_window(
                    snapshot, window, pattern, task, once=once
                )
                for candidate in candidates:
                    yield window, candidate
                    last_candidate = candidate
            following = window.stop
            if window.is_cut:
                following = window.file_offset(window.limit)
            if last_candidate is not None:
                low, high = last_candidate.span
                if once and window.text.find(b"\n", low) < 0:
                    # The line goes on behind the window, and is done.
                    following = snapshot.lines.line_end(window.stop, task)
                else:
                    following = max(following, window.file_offset(high))
            # A window that leads no further would be searched for ever.
            if following <= position:
                return
            position = following


def _encode_literal(snapshot: Snapshot, pattern: Pattern) -> bytes | None:
    """Return the bytes of a literal in the snapshot's encoding.

    Empty if the pattern is no literal, None if the encoding cannot write it.
    """
    if pattern.plain_text is None:
        return b""
    return try_encode(snapshot.encoding.name, pattern.plain_text)


def _search_window(
    snapshot: Snapshot,
    window: Window,
    pattern: Pattern,
    task: Task,
    *,
    once: bool,
) -> Iterator[_Candidate]:
    """Return the matches in a window.

    A search that may take long runs in a thread, so that the task can be cancelled.
    """
    if pattern.code is not None:
        language = None
        if snapshot.location is not None:
            language = language_of(snapshot.location.name)
        return _find_code(window, pattern.code, language, task)
    window_pattern = pattern
    if not (window.is_first and window.is_last):
        window_pattern = pattern.for_window(
            is_first=window.is_first, is_last=window.is_last
        )
    candidates = _find_in_window(window, window_pattern, once=once)
    # Instructions that RE2 may execute for each byte.
    steps = 0
    if pattern.plain_text is None:
        steps += pattern.instruction_count
    for excluded in pattern.excluded:
        steps += excluded.instruction_count
    if len(window.text) * steps > _MAX_UNINTERRUPTED_STEPS:
        return _iterate_in_thread(candidates, task)
    return candidates


def _find_code(
    window: Window, code: CodePattern, language: Language | None, task: Task
) -> Iterator[_Candidate]:
    """Yield the matches of a pattern of code that begin in a window."""
    for match in code.find(window.text, language, task):
        if match.span[0] >= window.limit:
            return
        if match.span[0] >= window.begin:
            yield _Candidate(match.span[0], match.span, match.holes)


def _iterate_in_thread(
    candidates: Iterator[_Candidate], task: Task
) -> Iterator[_Candidate]:
    """Yield the candidates, found in a thread that is left to finish when cancelled.

    RE2 cannot be interrupted, and a large pattern may take seconds for one window.
    """
    executor = ThreadPoolExecutor(1, thread_name_prefix="regex")
    try:
        while True:
            future = executor.submit(_take_batch, candidates)
            while not wait([future], _CANCEL_CHECK_SECONDS).done:
                task.check()
            batch = future.result()
            if not batch:
                return
            yield from batch
    finally:
        executor.shutdown(wait=False, cancel_futures=True)


def _take_batch(candidates: Iterator[_Candidate]) -> list[_Candidate]:
    """Return the candidates that are found in a short time; none if there are no more."""
    batch: list[_Candidate] = []
    end = time.monotonic() + _BATCH_SECONDS
    for candidate in candidates:
        batch.append(candidate)
        if time.monotonic() > end:
            break
    return batch


def _find_in_window(
    window: Window, pattern: Pattern, *, once: bool
) -> Iterator[_Candidate]:
    """Yield the matches in a window, except those left to the next window."""
    text = window.text
    find = _build_finder(text, pattern)
    excluded_lines = _ExcludedLines(window, pattern.excluded)
    # A pattern that looks for a whole word begins with the character before the word. So
    # the engine goes on at `index`, one character before `resume`, where the next match may
    # begin at the earliest.
    index, resume = 0, window.begin
    last_end = -1
    while index <= len(text):
        candidate = find(index)
        if candidate is None or candidate.span[0] >= window.limit:
            return
        low, high = candidate.span
        line_end = excluded_lines.line_end(low)
        if line_end is not None:
            index = resume = line_end + 1
            continue
        if low == high and _splits_character(text, low):
            # RE2 finds empty matches between any two bytes.
            index = max(index, low) + 1
            continue
        if low < resume or (
            pattern.whole_word
            and not _is_whole_word(text, low, high, pattern.word_signs)
        ):
            # A match that begins inside the rejected one may be right.
            index = next_character(text, max(candidate.start, index))
            continue
        if low < high or not _is_phantom(text, low, last_end):
            yield candidate
            if once:
                index = resume = text.find(b"\n", low) + 1
                if not index:
                    return
                continue
        last_end = high
        resume = high if high > low else next_character(text, high)
        index = resume
        if pattern.whole_word:
            index = max(index, previous_character(text, high))


def _build_finder(text: bytes, pattern: Pattern) -> _Finder:
    """Return the function that finds the next candidate of a pattern in `text`."""
    if pattern.plain_text is not None:
        literal = pattern.plain_text.encode()
        find = find_function(literal)

        def find_literal(index: int) -> _Candidate | None:
            low = find(text, index)
            if low < 0:
                return None
            return _Candidate(low, (low, low + len(literal)))

        return find_literal

    regexp = pattern.regexp
    match_group = int(pattern.whole_word)
    own_groups = range(match_group + 1, int(regexp.groups) + 1)

    def find_regex(index: int) -> _Candidate | None:
        match = regexp.search(text, index)
        if match is None:
            return None
        groups: list[Span | None] = []
        for number in own_groups:
            span = match.span(number)
            groups.append(span if span[0] >= 0 else None)
        return _Candidate(match.start(), match.span(match_group), tuple(groups))

    return find_regex


class _ExcludedLines:
    """The lines of a window that hold a match of an excluded pattern.

    `line_end` is asked for rising indices, many of one line.
    """

    def __init__(self, window: Window, excluded: Sequence[Pattern]) -> None:
        self._text = window.text
        self._searches = []
        for pattern in excluded:
            window_pattern = pattern.for_window(
                is_first=window.is_first, is_last=window.is_last
            )
            self._searches.append(window_pattern.regexp.search)
        # The end of the last line that was searched and holds no excluded match.
        self._permitted_end = -1

    def line_end(self, index: int) -> int | None:
        """Return the end of the line at `index` if it is excluded, else None."""
        if not self._searches or index <= self._permitted_end:
            return None
        text = self._text
        start = text.rfind(b"\n", 0, index) + 1
        end = text.find(b"\n", index)
        if end < 0:
            end = len(text)
        for search in self._searches:
            if search(text, start, end) is not None:
                return end
        self._permitted_end = end
        return None


def _is_phantom(text: bytes, index: int, last_end: int) -> bool:
    """Return True for an empty match at `index` that is part of another or of no line."""
    # Right behind another match it is a part of that one.
    if index == last_end:
        return True
    # Behind the terminator of the last line there is no further line.
    return index == len(text) and text.endswith(b"\n")


def _splits_character(text: bytes, index: int) -> bool:
    """Return True if `index` is inside a character of valid UTF-8."""
    if index >= len(text) or text[index] & 0xC0 != 0x80:
        return False
    start = index - 1
    while start > max(0, index - 3) and text[start] & 0xC0 == 0x80:
        start -= 1
    character = text[max(0, start) : next_character(text, max(0, start))]
    try:
        is_character = len(character.decode("utf-8", "surrogatepass")) == 1
    except UnicodeDecodeError:
        return False
    return is_character and start + len(character) > index


def _is_whole_word(text: bytes, low: int, high: int, signs: str) -> bool:
    """Return True if no word character and none of the `signs` touches the match.

    Bytes that are not UTF-8 are no word characters.
    """
    # A character has four bytes at most.
    before = text[max(0, low - 4) : low].decode("utf-8", "replace")
    after = text[high : high + 4].decode("utf-8", "replace")
    return not any(
        character in signs or is_word_character(character)
        for character in before[-1:] + after[:1]
    )
