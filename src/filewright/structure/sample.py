"""A few windows of a file of any size: what can be said of it without reading it."""

from __future__ import annotations

from typing import Final, NamedTuple

from filewright.text import Snapshot

_END_BYTES: Final = 64 << 10
_MIDDLE_BYTES: Final = 32 << 10
_MIDDLES: Final = 6
_LINE_CHARS: Final = 2_000


class SampledLine(NamedTuple):
    """A line of a sample: its byte offset and its text, cut after 2,000 characters."""

    offset: int
    text: str


class Sample(NamedTuple):
    """Whole lines from the head, the tail and between; `complete` if that is the whole file."""

    head: list[SampledLine]
    middle: list[SampledLine]
    tail: list[SampledLine]
    nbytes: int
    complete: bool

    @property
    def lines(self) -> list[SampledLine]:
        """All of them in file order."""
        return self.head + self.middle + self.tail


def sampled(snapshot: Snapshot) -> Sample:
    """At most 320 KB of `snapshot`: its first and last 64 KB and six windows between."""
    size, start = snapshot.size, snapshot.start
    if size <= 2 * _END_BYTES + _MIDDLES * _MIDDLE_BYTES:
        return Sample(_window(snapshot, start, size), [], [], size, complete=True)
    head = _window(snapshot, start, _END_BYTES)
    tail = _window(snapshot, size - _END_BYTES, size)
    middle: list[SampledLine] = []
    gap = (size - 2 * _END_BYTES) // (_MIDDLES + 1)
    for number in range(1, _MIDDLES + 1):
        begin = _END_BYTES + number * gap
        middle.extend(_window(snapshot, begin, min(begin + _MIDDLE_BYTES, size - _END_BYTES)))
    nbytes = 2 * _END_BYTES + _MIDDLES * _MIDDLE_BYTES
    return Sample(head, middle, tail, nbytes, complete=False)


def _window(snapshot: Snapshot, begin: int, end: int) -> list[SampledLine]:
    """The whole lines of [begin, end), and the last one if the file ends there."""
    codec, lines = snapshot.encoding.name, snapshot.lines
    if begin > snapshot.start:
        begin = lines.end(begin)
    return [
        SampledLine(line.offset, line.body.decode(codec, "replace")[:_LINE_CHARS])
        for line in lines.since(begin, end, limit=4 * _LINE_CHARS, reach=_END_BYTES)
        if line.end <= end and not line.goes_on
    ]
