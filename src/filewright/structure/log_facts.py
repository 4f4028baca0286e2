"""Facts of a log: its period, and the levels and frequent problems of sampled lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from filewright.structure.sample import Sample, SampledLine

_TIMESTAMP: Final = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z| ?[+-]\d\d:?\d\d)?"
    r"|\d{4}/\d\d/\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d+)?"
    r"|\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d(?: [+-]\d{4})?"
    r"|\b[A-Z][a-z]{2} (?: \d|\d\d) \d\d:\d\d:\d\d(?: \d{4})?"
    r"|\b\d{8}[T-]\d{6}(?:\.\d+)?Z?"
    r"|(?<![\d.])1\d{9}(?:\.\d+|\d{3})?(?![\d.])"
    r"|\b\d\d:\d\d:\d\d(?:[.,]\d+)?"
)
_LEVEL: Final = re.compile(
    r"\b(TRACE|DEBUG|VERBOSE|INFO|NOTICE|WARN(?:ING)?|ERROR|ERR|SEVERE|CRIT(?:ICAL)?|FATAL|PANIC|ALERT|EMERG)\b"
    r"|\b(?:level|lvl|severity|levelname)[\"']?\s*[=:]\s*[\"']?([A-Za-z]+)"
    r"|[\[<(](trace|debug|info|notice|warn(?:ing)?|error|crit(?:ical)?|fatal|alert|emerg)[\])>:]",
)
PROBLEM_LEVELS: Final = (
    "EMERG",
    "PANIC",
    "FATAL",
    "CRITICAL",
    "CRIT",
    "SEVERE",
    "ALERT",
    "ERROR",
    "ERR",
    "WARNING",
    "WARN",
)
"""Levels that report a problem, the worst first."""

_MAX_LEVEL_CHARACTERS: Final = 300
_NUMBER: Final = re.compile(r"\d+")
_MAX_FREQUENT_LINES: Final = 4
_MAX_FREQUENT_CHARACTERS: Final = 70


@dataclass(frozen=True, slots=True)
class Timestamp:
    """A timestamp as it is written, and the byte offset of its line."""

    text: str
    offset: int


@dataclass(frozen=True, slots=True)
class LogFacts:
    """The period of a log, and the levels of its sampled lines.

    `first` and `last` are None without timestamps. `levels` counts the `sampled_lines`
    of each level, by its name in capitals; the sample is the whole file if `complete`.
    `often` are the most frequent lines that report a problem, with their counts: what
    to leave out of a search for rare ones. Lines that differ only in numbers count as
    one.
    """

    first: Timestamp | None
    last: Timestamp | None
    levels: dict[str, int]
    often: dict[str, int]
    sampled_lines: int
    complete: bool


class _ProblemLines:
    """Counts of the lines that report a problem, by their text without numbers."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._examples: dict[str, str] = {}

    def add(self, text: str) -> None:
        """Count a line."""
        without_time = _TIMESTAMP.sub("", text, count=1).strip()
        example = without_time[:_MAX_FREQUENT_CHARACTERS]
        key = _NUMBER.sub("0", example)
        self._counts[key] += 1
        self._examples.setdefault(key, example)

    def most_frequent(self) -> dict[str, int]:
        """Return the first example of each frequent line, with its count."""
        frequent = {}
        for key, count in self._counts.most_common(_MAX_FREQUENT_LINES):
            if count > 1:
                frequent[self._examples[key]] = count
        return frequent


def summarize_log(sample: Sample) -> LogFacts:
    """Return the facts of the sampled lines of a log."""
    levels: Counter[str] = Counter()
    problems = _ProblemLines()
    for line in sample.lines:
        text = line.text[:_MAX_LEVEL_CHARACTERS]
        match = _LEVEL.search(text)
        if match is None:
            continue
        level = next(filter(None, match.groups())).upper()
        levels[level] += 1
        if level in PROBLEM_LEVELS:
            problems.add(text)
    tail = sample.head if sample.complete else sample.tail
    return LogFacts(
        first=_first_timestamp(sample.head),
        last=_first_timestamp(reversed(tail)),
        levels=dict(levels.most_common()),
        often=problems.most_frequent(),
        sampled_lines=len(sample.lines),
        complete=sample.complete,
    )


def looks_like_log(sample: Sample) -> bool:
    """Return True if most of the first lines begin with a timestamp."""
    lines = [line for line in sample.head[:200] if line.text.strip()]
    stamped_count = sum(1 for line in lines if has_timestamp(line.text))
    return len(lines) >= 3 and stamped_count * 2 > len(lines)


def has_timestamp(text: str) -> bool:
    """Return True if a line begins a record: a timestamp is among its first characters."""
    match = _TIMESTAMP.search(text[:80])
    return match is not None and match.start() < 40


def _first_timestamp(lines: Iterable[SampledLine]) -> Timestamp | None:
    """Return the timestamp of the first line that has one."""
    for line in lines:
        match = _TIMESTAMP.search(line.text)
        if match is not None:
            return Timestamp(match.group(), line.offset)
    return None
