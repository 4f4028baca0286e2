"""Searches of JSON lines that are worth making, with the fields that they have."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from filewright.logs.identifiers import is_trace_name
from filewright.structure.data_facts import iterate_fields
from filewright.structure.log_facts import PROBLEM_LEVELS
from filewright.structure.sample import Sample

_LEVEL_NAMES: Final = ("level", "severity", "severitytext", "lvl", "levelname")
_GROUP_NAMES: Final = (
    "route",
    "endpoint",
    "path",
    "operation",
    "event",
    "service",
    "component",
    "module",
    "logger",
    "code",
    "status",
    "type",
    "host",
)
_MEASURE_NAMES: Final = (
    "duration",
    "latency",
    "elapsed",
    "total",
    "took",
    "ms",
    "time",
    "seconds",
    "bytes",
    "size",
)
"""Parts of the names of fields, the most useful first."""

_WORD: Final = re.compile("[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_MAX_GROUPS: Final = 50
_MIN_TIMESTAMP: Final = 1_000_000_000
_MAX_NAME_CHARACTERS: Final = 60


@dataclass(frozen=True, slots=True)
class RowSearches:
    """Arguments of searches that fit the fields of JSON lines; None for those that do not.

    `where` is a condition, `group` a field to count by, `measure` one with numbers, and
    `trace` one that names the request of a line.
    """

    where: Mapping[str, str] | None = None
    group: str | None = None
    measure: str | None = None
    trace: str | None = None


@dataclass(frozen=True, slots=True)
class _Field:
    """A field of sampled lines: its texts with their counts, and its numbers."""

    name: str
    texts: Counter[str]
    numbers: list[float]

    @property
    def last_name(self) -> str:
        """Return the inner name in lower case."""
        return self.name.rpartition(".")[2].lower()


def propose_searches(sample: Sample) -> RowSearches:
    """Return searches of sampled JSON lines."""
    fields = _read_fields(sample)
    groups = [
        field
        for field in fields
        if 2 <= len(field.texts) <= _MAX_GROUPS and not field.numbers
    ]
    groups.sort(key=lambda field: _rank(field, _GROUP_NAMES))
    measures = [
        field
        for field in fields
        if field.numbers and max(field.numbers) < _MIN_TIMESTAMP
    ]
    measures = [
        field
        for field in measures
        if _rank(field, _MEASURE_NAMES) < len(_MEASURE_NAMES)
    ]
    measures.sort(key=lambda field: _rank(field, _MEASURE_NAMES))
    group = next(
        (field for field in groups if field.last_name not in _LEVEL_NAMES), None
    )
    trace = next((field for field in fields if is_trace_name(field.name)), None)
    return RowSearches(
        where=_choose_condition(fields, groups),
        group=None if group is None else group.name,
        measure=measures[0].name if measures else None,
        trace=None if trace is None else trace.name,
    )


def _read_fields(sample: Sample) -> Sequence[_Field]:
    """Return the fields of the sampled objects, in the order in which they come."""
    fields: dict[str, _Field] = {}
    for line in sample.lines:
        try:
            entry: Any = json.loads(line.text)
        except (ValueError, RecursionError):
            continue
        if not isinstance(entry, dict):
            continue
        for name, value in iterate_fields(entry):
            # A longer name would take the place of the other proposals.
            if len(name) > _MAX_NAME_CHARACTERS:
                continue
            field = fields.setdefault(name, _Field(name, Counter(), []))
            if isinstance(value, str) and len(field.texts) <= _MAX_GROUPS:
                field.texts[value] += 1
            elif isinstance(value, int | float) and value is not True:
                field.numbers.append(value)
    return list(fields.values())


def _rank(field: _Field, names: Sequence[str]) -> int:
    """Return the place of a field's name in a list; the length of it for another."""
    words = {word.lower() for word in _WORD.findall(field.name)}
    for rank, name in enumerate(names):
        if name in words:
            return rank
    return len(names)


def _choose_condition(
    fields: Sequence[_Field], groups: Sequence[_Field]
) -> Mapping[str, str] | None:
    """Return a condition on the worst level there is, or else on a value of a field."""
    for field in fields:
        if field.last_name in _LEVEL_NAMES:
            values = {text.upper(): text for text in field.texts}
            for level in PROBLEM_LEVELS:
                if level in values:
                    return {field.name: values[level].lower()}
    for field in groups:
        value, _ = field.texts.most_common(1)[0]
        if len(value) <= _MAX_NAME_CHARACTERS:
            return {field.name: value}
    return None
