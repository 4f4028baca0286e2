"""What a log says of itself: from when to when, and how loud."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Final

from filewright.structure.sample import Sample, SampledLine

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
class Stamp:
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

    first: Stamp | None
    last: Stamp | None
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
        level = _level(line.text)
        if level is None:
            continue
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


def _stamp(line: SampledLine) -> Stamp | None:
    found = _STAMPS.search(line.text)
    return Stamp(found.group(), line.offset) if found else None


def _level(text: str) -> str | None:
    found = _LEVELS.search(text[:_LEVEL_CHARS])
    if found is None:
        return None
    return next(group for group in found.groups() if group).upper()
