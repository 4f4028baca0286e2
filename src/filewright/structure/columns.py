"""The shape of tabular data: columns of a CSV, keys of JSON lines."""

from __future__ import annotations

import csv
import json
from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

from filewright.structure.sample import Sample

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


def csv_facts(sample: Sample, delimiter: str | None = None) -> CsvFacts | None:
    """What the first rows tell; None if no delimiter makes columns of them."""
    text = [line.text for line in sample.head[:_ROWS]]
    best: tuple[float, int, str, list[list[str]]] | None = None
    for each in (delimiter,) if delimiter else _DELIMITERS:
        rows = _rows(text, each)
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


def _rows(text: list[str], delimiter: str) -> list[list[str]]:
    try:
        return [row for row in csv.reader(text, delimiter=delimiter) if row]
    except csv.Error:
        return []


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
    for line in _spread(sample):
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


def _spread(sample: Sample) -> list[str]:
    """Some lines from everywhere, whole ones only."""
    whole = [line.text for line in sample.lines if len(line.text) < 2_000]
    step = max(1, len(whole) // _ROWS)
    return whole[::step]


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
