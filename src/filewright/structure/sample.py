"""A sample of the lines of a file: its beginning, parts between, and its end.

Facts about logs and data are those of a sample, so the time to find them does not depend
on the size of the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from filewright.text.snapshot import Snapshot

_END_BYTES: Final = 64 << 10
_MIDDLE_BYTES: Final = 32 << 10
_MIDDLE_COUNT: Final = 6
MAX_LINE_CHARACTERS: Final = 2_000


@dataclass(frozen=True, slots=True)
class SampledLine:
    """A line of a sample: its byte offset and its text, cut after 2,000 characters."""

    offset: int
    text: str


@dataclass(frozen=True, slots=True)
class Sample:
    """Whole lines of a file: its beginning, parts between, and its end.

    With `complete`, `head` is the whole file.
    """

    head: list[SampledLine]
    middle: list[SampledLine]
    tail: list[SampledLine]
    complete: bool

    @property
    def lines(self) -> list[SampledLine]:
        """All lines in the order of the file."""
        return self.head + self.middle + self.tail


def read_sample(snapshot: Snapshot) -> Sample:
    """Return at most 320 KB: the first and the last 64 KB, and six parts between."""
    size, start = snapshot.size, snapshot.start
    if size <= 2 * _END_BYTES + _MIDDLE_COUNT * _MIDDLE_BYTES:
        return Sample(_read_lines(snapshot, start, size), [], [], complete=True)
    head = _read_lines(snapshot, start, _END_BYTES)
    tail = _read_lines(snapshot, size - _END_BYTES, size)
    middle: list[SampledLine] = []
    gap = (size - 2 * _END_BYTES) // (_MIDDLE_COUNT + 1)
    for number in range(1, _MIDDLE_COUNT + 1):
        begin = _END_BYTES + number * gap
        end = min(begin + _MIDDLE_BYTES, size - _END_BYTES)
        middle += _read_lines(snapshot, begin, end)
    return Sample(head, middle, tail, complete=False)


def _read_lines(snapshot: Snapshot, begin: int, end: int) -> list[SampledLine]:
    """Return the whole lines in [begin, end)."""
    codec = snapshot.encoding.name
    # A part of the sample begins in the middle of a line, which is left out.
    if begin > snapshot.start:
        begin = snapshot.lines.line_end(begin)
    sampled_lines = []
    for line in snapshot.lines.read_lines(
        begin, end, limit=4 * MAX_LINE_CHARACTERS, reach=_END_BYTES
    ):
        if line.end <= end and not line.is_unfinished:
            text = line.body.decode(codec, "replace")[:MAX_LINE_CHARACTERS]
            sampled_lines.append(SampledLine(line.offset, text))
    return sampled_lines
