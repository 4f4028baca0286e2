"""Search hints: patterns that fit a file's language, or the facts of logs and data.

A sample of the lines is read, so the time does not depend on the size of the file.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from filewright.languages import Language
from filewright.text.snapshot import Snapshot

_END_BYTES: Final = 64 << 10
_MIDDLE_BYTES: Final = 32 << 10
_MIDDLE_COUNT: Final = 6
_MAX_LINE_CHARACTERS: Final = 2_000


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
        begin, end, limit=4 * _MAX_LINE_CHARACTERS, reach=_END_BYTES
    ):
        if line.end <= end and not line.is_unfinished:
            text = line.body.decode(codec, "replace")[:_MAX_LINE_CHARACTERS]
            sampled_lines.append(SampledLine(line.offset, text))
    return sampled_lines


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


_JSON_TYPES: Final = {
    type(None): "null",
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
}
"""The names of JSON's types; every other value is an object."""

_DELIMITERS: Final = (",", "\t", ";", "|")
_MAX_CSV_ROWS: Final = 100
_MAX_KEYS: Final = 100
_MAX_NAMES: Final = 100
_MAX_NAME_CHARACTERS: Final = 200
_MAX_SUGGESTED_KEYS: Final = 5


@dataclass(frozen=True, slots=True)
class CsvFacts:
    """The delimiter of a table, and its columns.

    `names` has at most 100 names of columns, None if the first row is no header.
    """

    delimiter: str
    columns: int
    names: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class JsonLinesFacts:
    """The keys of the sampled objects, the most frequent first, at most 100.

    Those of an inner object are `err.code`. Of each key its name, the types of its
    values, and the share of lines that have it. `invalid` counts the sampled lines that
    are not JSON.
    """

    keys: tuple[tuple[str, str, float], ...]
    sampled_lines: int
    invalid: int


@dataclass(frozen=True, slots=True)
class Hints:
    """Regular expressions that are worth a search, or the facts of data.

    NAME in a pattern stands for the name to find. At most one of `log`, `csv` and
    `json_lines` is set, except for a log in JSON lines.
    """

    patterns: tuple[str, ...] = ()
    log: LogFacts | None = None
    csv: CsvFacts | None = None
    json_lines: JsonLinesFacts | None = None


def build_hints(snapshot: Snapshot, language: Language | None) -> Hints:
    """Return the search hints for a file."""
    if language is Language.CSV:
        return Hints(csv=summarize_csv(read_sample(snapshot)))
    if language is Language.TSV:
        return Hints(csv=summarize_csv(read_sample(snapshot), "\t"))
    if language is Language.JSON_LINES:
        return _hints_for_json_lines(read_sample(snapshot))
    if language not in (None, Language.LOG, Language.TEXT):
        return Hints(language.traits.suggested_searches)
    sample = read_sample(snapshot)
    if language is not Language.LOG and not looks_like_log(sample):
        return Hints()
    log = summarize_log(sample)
    return Hints(_log_patterns(log), log)


def _hints_for_json_lines(sample: Sample) -> Hints:
    json_lines = summarize_json_lines(sample)
    log = summarize_log(sample)
    # The value of an array or object may be on other lines than its key.
    scalar_keys = [
        key
        for key, types, _ in json_lines.keys
        if types not in ("object", "array", "array|object")
    ]
    patterns = []
    for key in scalar_keys[:_MAX_SUGGESTED_KEYS]:
        # The name of an inner field is in no line.
        if not any(f'"{key}"' in line.text for line in sample.lines):
            continue
        patterns.append(rf'"{re.escape(key)}"\s*:\s*"?VALUE')
    return Hints(
        tuple(patterns), log if log.first else None, json_lines=json_lines
    )


def _log_patterns(facts: LogFacts) -> tuple[str, ...]:
    """Return patterns for the problems in a log, and for its last hour or day."""
    patterns = []
    for level in PROBLEM_LEVELS:
        if level in facts.levels:
            patterns.append(rf"\b{level}\b")
    if facts.first is not None and facts.last is not None:
        first_day = _day_of(facts.first)
        last_day = _day_of(facts.last)
        hour = ""
        if first_day == last_day:
            hour = facts.last.text[len(last_day) : len(last_day) + 3]
        patterns.append(f"^.{{0,20}}{last_day}{hour}")
    patterns.append(r"(?i)exception|traceback|time(d )?out|refused|denied")
    return tuple(patterns)


def _day_of(timestamp: Timestamp) -> str:
    """Return the part of a timestamp that is its day: `2026-01-31` or `Jan 31`."""
    begins_with_year = timestamp.text[:4].isdigit()
    return timestamp.text[: 10 if begins_with_year else 6]


def summarize_csv(
    sample: Sample, delimiter: str | None = None
) -> CsvFacts | None:
    """Return the facts of the first rows of a table.

    None if no delimiter divides them into columns.
    """
    lines = [line.text for line in sample.head[:_MAX_CSV_ROWS]]
    delimiters = (delimiter,) if delimiter else _DELIMITERS
    best_share, best = 0.0, None
    for candidate in delimiters:
        try:
            rows = [
                row for row in csv.reader(lines, delimiter=candidate) if row
            ]
        except csv.Error:
            continue
        if not rows:
            continue
        columns, count = Counter(map(len, rows)).most_common(1)[0]
        share = count / len(rows)
        if columns < 2:
            continue
        # The delimiter that gives most rows the same number of columns.
        if best is None or (share, columns) > (best_share, best.columns):
            best_share = share
            best = CsvFacts(candidate, columns, _read_header(rows))
    return best


def _read_header(rows: list[list[str]]) -> tuple[str, ...] | None:
    """Return the names of the columns, None if the first row is no header."""
    cells = [cell.strip() for cell in rows[0]]
    is_distinct = len(set(cells)) == len(cells)
    if not is_distinct or not all(cells) or any(map(_is_number, cells)):
        return None
    return tuple(cell[:_MAX_NAME_CHARACTERS] for cell in cells[:_MAX_NAMES])


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _iterate_fields(value: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the fields of an object, those of an inner one as ``err.code``."""
    for key, item in value.items():
        if isinstance(item, dict) and item:
            for inner_key, inner_item in item.items():
                yield f"{key}.{inner_key}", inner_item
        else:
            yield key, item


def summarize_json_lines(sample: Sample) -> JsonLinesFacts:
    """Return the facts of the sampled objects, one a line."""
    counts: Counter[str] = Counter()
    types: dict[str, set[str]] = {}
    valid_count = invalid_count = 0
    # All sampled lines count: every tenth line, say, might be of one kind.
    for line in sample.lines:
        is_cut = len(line.text) >= _MAX_LINE_CHARACTERS
        # The sample cuts long lines, and a cut object is no evidence of invalid JSON.
        if is_cut or not line.text.strip():
            continue
        try:
            value = json.loads(line.text)
        except ValueError:
            invalid_count += 1
            continue
        # The line may well be JSON, which is only nested too deeply for this parser.
        except RecursionError:
            continue
        valid_count += 1
        if not isinstance(value, dict):
            continue
        for key, item in _iterate_fields(value):
            counts[key] += 1
            item_type = _JSON_TYPES.get(type(item), "object")
            types.setdefault(key, set()).add(item_type)
    keys = []
    for key, count in counts.most_common(_MAX_KEYS):
        name = key[:_MAX_NAME_CHARACTERS]
        keys.append((name, "|".join(sorted(types[key])), count / valid_count))
    return JsonLinesFacts(
        tuple(keys), valid_count + invalid_count, invalid_count
    )
