"""What a file of any size says of itself by a sample of its lines; a log: from when to when, and how loud."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
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


_STAMPS: Final = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z| ?[+-]\d\d:?\d\d)?"
    r"|\d{4}/\d\d/\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d+)?"
    r"|\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d(?: [+-]\d{4})?"
    r"|\b[A-Z][a-z]{2} (?: \d|\d\d) \d\d:\d\d:\d\d(?: \d{4})?"
    r"|\b\d{8}[T-]\d{6}(?:\.\d+)?Z?"
    r"|(?<![\d.])1\d{9}(?:\.\d+|\d{3})?(?![\d.])"
    r"|\b\d\d:\d\d:\d\d(?:[.,]\d+)?"
)
_LEVELS: Final = re.compile(
    r"\b(TRACE|DEBUG|VERBOSE|INFO|NOTICE|WARN(?:ING)?|ERROR|ERR|SEVERE|CRIT(?:ICAL)?|FATAL|PANIC|ALERT|EMERG)\b"
    r"|\b(?:level|lvl|severity|levelname)[\"']?\s*[=:]\s*[\"']?([A-Za-z]+)"
    r"|[\[<(](trace|debug|info|notice|warn(?:ing)?|error|crit(?:ical)?|fatal|alert|emerg)[\])>:]",
)
LOUD: Final = (
    *("EMERG", "PANIC", "FATAL", "CRITICAL", "CRIT", "SEVERE", "ALERT", "ERROR", "ERR", "WARNING", "WARN"),
)
"""Levels that tell of something wrong, the worst first."""

_LEVEL_CHARS: Final = 300
_NUMBER: Final = re.compile(r"\d+")
_KINDS, _KIND_CHARS = 4, 70


@dataclass(frozen=True, slots=True)
class Timestamp:
    """A timestamp as it is written, and the byte offset of its line."""

    text: str
    offset: int


@dataclass(frozen=True, slots=True)
class LogFacts:
    """First and last timestamp (None without any), and how many sampled lines are of each level.

    `levels` counts the sample of `sampled_lines` lines, which is the whole file if `complete`, by their
    names as they are written, in capitals. `often` are the most frequent of its lines that tell of something
    wrong, with their counts: what to leave out of a search for what is rare. Lines that differ in numbers
    are one.
    """

    first: Timestamp | None
    last: Timestamp | None
    levels: dict[str, int]
    often: dict[str, int]
    sampled_lines: int
    complete: bool


def log_facts(sample: Sample) -> LogFacts:
    """What the sampled lines of a log tell."""
    lines = sample.lines
    ends = (sample.head, lines if sample.complete else sample.tail)
    first = next(filter(None, map(_stamp, ends[0])), None)
    last = next(filter(None, map(_stamp, reversed(ends[1]))), None)
    levels: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    examples: dict[str, str] = {}
    for line in lines:
        found = _LEVELS.search(line.text[:_LEVEL_CHARS])
        if found is None:
            continue
        level = next(group for group in found.groups() if group).upper()
        levels[level] += 1
        if level in LOUD:
            said = _STAMPS.sub("", line.text[:_LEVEL_CHARS], count=1).strip()[:_KIND_CHARS]
            kind = _NUMBER.sub("0", said)
            kinds[kind] += 1
            examples.setdefault(kind, said)
    often = {examples[kind]: count for kind, count in kinds.most_common(_KINDS) if count > 1}
    return LogFacts(first, last, dict(levels.most_common()), often, len(lines), sample.complete)


def looks_like_log(sample: Sample) -> bool:
    """Whether most of the first lines begin with a timestamp."""
    lines = [line for line in sample.head[:200] if line.text.strip()]
    stamped = sum(1 for line in lines if has_stamp(line.text))
    return len(lines) >= 3 and stamped * 2 > len(lines)


def has_stamp(text: str) -> bool:
    """Whether a line begins a record: there is a timestamp among its first characters."""
    found = _STAMPS.search(text[:80])
    return found is not None and found.start() < 40


def _stamp(line: SampledLine) -> Timestamp | None:
    found = _STAMPS.search(line.text)
    return Timestamp(found.group(), line.offset) if found else None
