"""What to search for in a file: patterns that fit its language, or the facts of its data, whatever its size.

A sample of its lines says what they are; of a log, from when to when it is, and how loud.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import Final, NamedTuple

from filewright.languages import Language
from filewright.text.snapshot import Snapshot

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
    complete: bool

    @property
    def lines(self) -> list[SampledLine]:
        """All of them in file order."""
        return self.head + self.middle + self.tail


def read_sample(snapshot: Snapshot) -> Sample:
    """At most 320 KB of `snapshot`: its first and last 64 KB and six windows between."""
    size, start = snapshot.size, snapshot.start
    if size <= 2 * _END_BYTES + _MIDDLES * _MIDDLE_BYTES:
        return Sample(_window(snapshot, start, size), [], [], complete=True)
    head = _window(snapshot, start, _END_BYTES)
    tail = _window(snapshot, size - _END_BYTES, size)
    middle: list[SampledLine] = []
    gap = (size - 2 * _END_BYTES) // (_MIDDLES + 1)
    for number in range(1, _MIDDLES + 1):
        begin = _END_BYTES + number * gap
        middle.extend(
            _window(
                snapshot, begin, min(begin + _MIDDLE_BYTES, size - _END_BYTES)
            )
        )
    return Sample(head, middle, tail, complete=False)


def _window(snapshot: Snapshot, begin: int, end: int) -> list[SampledLine]:
    """The whole lines of [begin, end), and the last one if the file ends there."""
    codec, lines = snapshot.encoding.name, snapshot.lines
    if begin > snapshot.start:
        begin = lines.line_end(begin)
    return [
        SampledLine(
            line.offset, line.body.decode(codec, "replace")[:_LINE_CHARS]
        )
        for line in lines.read_lines(
            begin, end, limit=4 * _LINE_CHARS, reach=_END_BYTES
        )
        if line.end <= end and not line.is_unfinished
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
PROBLEM_LEVELS: Final = (
    *(
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
    ),
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


def summarize_log(sample: Sample) -> LogFacts:
    """What the sampled lines of a log tell."""
    lines = sample.lines
    tail = lines if sample.complete else sample.tail
    first = next(filter(None, map(_stamp, sample.head)), None)
    last = next(filter(None, map(_stamp, reversed(tail))), None)
    levels: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    examples: dict[str, str] = {}
    for line in lines:
        found = _LEVELS.search(line.text[:_LEVEL_CHARS])
        if found is None:
            continue
        level = next(group for group in found.groups() if group).upper()
        levels[level] += 1
        if level in PROBLEM_LEVELS:
            said = _STAMPS.sub("", line.text[:_LEVEL_CHARS], count=1).strip()[
                :_KIND_CHARS
            ]
            kind = _NUMBER.sub("0", said)
            kinds[kind] += 1
            examples.setdefault(kind, said)
    often = {
        examples[kind]: count
        for kind, count in kinds.most_common(_KINDS)
        if count > 1
    }
    return LogFacts(
        first,
        last,
        dict(levels.most_common()),
        often,
        len(lines),
        sample.complete,
    )


def looks_like_log(sample: Sample) -> bool:
    """Whether most of the first lines begin with a timestamp."""
    lines = [line for line in sample.head[:200] if line.text.strip()]
    stamped = sum(1 for line in lines if has_timestamp(line.text))
    return len(lines) >= 3 and stamped * 2 > len(lines)


def has_timestamp(text: str) -> bool:
    """Whether a line begins a record: there is a timestamp among its first characters."""
    found = _STAMPS.search(text[:80])
    return found is not None and found.start() < 40


def _stamp(line: SampledLine) -> Timestamp | None:
    found = _STAMPS.search(line.text)
    return Timestamp(found.group(), line.offset) if found else None


_TYPES: Final = {
    type(None): "null", bool: "boolean", int: "number", float: "number", str: "string", list: "array",
}  # fmt: skip
"""What JSON calls the values that are no objects."""

_DELIMITERS: Final = (",", "\t", ";", "|")
_ROWS: Final = 100
_KEYS: Final = 100
_NAMED: Final = 100
_CHARS: Final = 200


@dataclass(frozen=True, slots=True)
class CsvFacts:
    """The delimiter, the number of columns, and their names if the first row looks like a header.

    `names` holds at most 100.
    """

    delimiter: str
    columns: int
    names: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class JsonLinesFacts:
    """The keys of the sampled objects, most frequent first (at most 100), each with the types seen.

    `present` is the share of sampled lines that have the key; `invalid` the number of sampled lines
    that are not JSON.
    """

    keys: tuple[tuple[str, str, float], ...]
    sampled_lines: int
    invalid: int


@dataclass(frozen=True, slots=True)
class Hints:
    """`patterns` are regular expressions worth a search (NAME is what is looked for); one of
    `log`, `csv`, `json_lines` holds the facts of data."""

    patterns: tuple[str, ...] = ()
    log: LogFacts | None = None
    csv: CsvFacts | None = None
    json_lines: JsonLinesFacts | None = None


def build_hints(snapshot: Snapshot, language: Language | None) -> Hints:
    """Search hints for `snapshot`, in a time that does not depend on its size."""
    if language is Language.CSV or language is Language.TSV:
        facts = summarize_csv(
            read_sample(snapshot), "\t" if language is Language.TSV else None
        )
        return Hints(csv=facts)
    if language is Language.JSON_LINES:
        sample = read_sample(snapshot)
        found = summarize_json_lines(sample)
        log = summarize_log(sample)
        # A value of several parts is not beside its key.
        scalars = [
            key
            for key, types, _ in found.keys
            if types not in ("object", "array", "array|object")
        ]
        patterns = tuple(
            rf'"{re.escape(key)}"\s*:\s*"?VALUE' for key in scalars[:5]
        )
        return Hints(patterns, log if log.first else None, json_lines=found)
    if language in (None, Language.LOG, Language.TEXT):
        sample = read_sample(snapshot)
        if language is Language.LOG or looks_like_log(sample):
            log = summarize_log(sample)
            return Hints(_log_patterns(log), log)
        return Hints()
    return Hints(language.traits.suggested_searches)


def _log_patterns(facts: LogFacts) -> tuple[str, ...]:
    patterns = [
        rf"\b{level}\b" for level in PROBLEM_LEVELS if level in facts.levels
    ]
    if facts.first is not None and facts.last is not None:
        days = [
            stamp.text[: 10 if stamp.text[:4].isdigit() else 6]
            for stamp in (facts.first, facts.last)
        ]
        hour = (
            ""
            if days[0] != days[1]
            else facts.last.text[len(days[1]) : len(days[1]) + 3]
        )
        patterns.append(f"^.{{0,20}}{days[1]}{hour}")
    patterns.append(r"(?i)exception|traceback|time(d )?out|refused|denied")
    return tuple(patterns)


def summarize_csv(
    sample: Sample, delimiter: str | None = None
) -> CsvFacts | None:
    """What the first rows tell; None if no delimiter makes columns of them."""
    text = [line.text for line in sample.head[:_ROWS]]
    best: tuple[float, int, str, list[list[str]]] | None = None
    for each in (delimiter,) if delimiter else _DELIMITERS:
        try:
            rows = [row for row in csv.reader(text, delimiter=each) if row]
        except csv.Error:
            continue
        if not rows:
            continue
        columns, times = Counter(map(len, rows)).most_common(1)[0]
        rank = (times / len(rows), columns, each, rows)
        if columns > 1 and (best is None or rank[:2] > best[:2]):
            best = rank
    if best is None:
        return None
    _, columns, found, rows = best
    return CsvFacts(found, columns, _header(rows))


def _header(rows: list[list[str]]) -> tuple[str, ...] | None:
    first = [cell.strip() for cell in rows[0]]
    if (
        any(_is_number(cell) for cell in first)
        or len(set(first)) < len(first)
        or not all(first)
    ):
        return None
    return tuple(cell[:_CHARS] for cell in first[:_NAMED])


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def summarize_json_lines(sample: Sample) -> JsonLinesFacts:
    """What the sampled lines tell; lines cut by the sample's limit are left out."""
    present: Counter[str] = Counter()
    types: dict[str, set[str]] = {}
    objects = invalid = 0
    whole = [line.text for line in sample.lines if len(line.text) < 2_000]
    for line in whole:  # A stride could share its period with the lines, and see one kind of them only.
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except ValueError:
            invalid += 1
            continue
        except RecursionError:
            continue
        objects += 1
        for key, item in value.items() if isinstance(value, dict) else ():
            present[key] += 1
            types.setdefault(key, set()).add(_TYPES.get(type(item), "object"))
    keys = tuple(
        (key[:_CHARS], "|".join(sorted(types[key])), count / objects)
        for key, count in present.most_common(_KEYS)
    )
    return JsonLinesFacts(keys, objects + invalid, invalid)
