"""What to search for in a file: patterns that fit its language, or the facts of its data."""

from __future__ import annotations

import csv
import json
from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

from filewright.languages import Language
from filewright.structure.log import LOUD, LogFacts, Sample, log_facts, looks_like_log, sampled
from filewright.text import Snapshot

_DELIMITERS: Final = (",", "\t", ";", "|")
_ROWS: Final = 100
_KEYS: Final = 100
_NAMED: Final = 100
_CHARS: Final = 200


@dataclass(frozen=True, slots=True)
class CsvFacts:
    """The delimiter, the number of columns, and their names if the first row looks like a header.

    `names` holds at most 100. `uneven` says that sampled rows have other numbers of columns.
    """

    delimiter: str
    columns: int
    names: tuple[str, ...] | None
    uneven: bool


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


def hints(snapshot: Snapshot, language: Language | None) -> Hints:
    """Search hints for `snapshot`, in a time that does not depend on its size."""
    if language is Language.CSV or language is Language.TSV:
        facts = csv_facts(sampled(snapshot), "\t" if language is Language.TSV else None)
        return Hints(csv=facts)
    if language is Language.JSON_LINES:
        sample = sampled(snapshot)
        found = json_lines_facts(sample)
        log = log_facts(sample)
        patterns = tuple(f'"{key}"\\s*:\\s*"?VALUE' for key, _, _ in found.keys[:5])
        return Hints(patterns, log if log.first else None, json_lines=found)
    if language in (None, Language.LOG, Language.TEXT):
        sample = sampled(snapshot)
        if language is Language.LOG or looks_like_log(sample):
            log = log_facts(sample)
            return Hints(_log_patterns(log), log)
        return Hints()
    return Hints(language.traits.searches)


def _log_patterns(facts: LogFacts) -> tuple[str, ...]:
    patterns = [rf"\b{level}\b" for level in LOUD if level in facts.levels]
    if facts.first is not None and facts.last is not None:
        days = [stamp.text[: 10 if stamp.text[:4].isdigit() else 6] for stamp in (facts.first, facts.last)]
        hour = "" if days[0] != days[1] else facts.last.text[len(days[1]) : len(days[1]) + 3]
        patterns.append(f"^.{{0,20}}{days[1]}{hour}")
    patterns.append(r"(?i)exception|traceback|time(d )?out|refused|denied")
    return tuple(patterns)


def csv_facts(sample: Sample, delimiter: str | None = None) -> CsvFacts | None:
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
    share, columns, found, rows = best
    return CsvFacts(found, columns, _header(rows), share < 1)


def _header(rows: list[list[str]]) -> tuple[str, ...] | None:
    first = [cell.strip() for cell in rows[0]]
    if any(_is_number(cell) for cell in first) or len(set(first)) < len(first) or not all(first):
        return None
    return tuple(cell[:_CHARS] for cell in first[:_NAMED])


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def json_lines_facts(sample: Sample) -> JsonLinesFacts:
    """What the sampled lines tell; lines cut by the sample's limit are left out."""
    present: Counter[str] = Counter()
    types: dict[str, set[str]] = {}
    objects = invalid = 0
    whole = [line.text for line in sample.lines if len(line.text) < 2_000]
    for line in whole[:: max(1, len(whole) // _ROWS)]:  # some from everywhere
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
            types.setdefault(key, set()).add(_type(item))
    keys = tuple(
        (key[:_CHARS], "|".join(sorted(types[key])), count / objects)
        for key, count in present.most_common(_KEYS)
    )
    return JsonLinesFacts(keys, objects + invalid, invalid)


def _type(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"
