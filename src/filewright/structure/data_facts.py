"""Facts of data: the keys of JSON lines."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from filewright.structure.sample import MAX_LINE_CHARACTERS, Sample

_JSON_TYPES: Final = {
    type(None): "null",
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
}
"""The names of JSON's types; every other value is an object."""

_MAX_KEYS: Final = 100
_MIN_PROBED_LINES: Final = 3
_MAX_PROBED_LINES: Final = 10
_MAX_NAME_CHARACTERS: Final = 200


class JsonKey(NamedTuple):
    """A key of sampled objects, `err.code` for one of an inner object.

    `types` are those of its values, as in "null|number", and `share` is the part of the
    valid lines that have it. A named tuple, so that programs get it as a list.
    """

    name: str
    types: str
    share: float


@dataclass(frozen=True, slots=True)
class JsonLinesFacts:
    """The keys of the sampled objects, the most frequent first, at most 100.

    `invalid` counts the sampled lines that are not JSON.
    """

    keys: tuple[JsonKey, ...]
    sampled_lines: int
    invalid: int


def iterate_fields(value: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the fields of an object, those of an inner one as ``err.code``."""
    for key, item in value.items():
        if isinstance(item, dict) and item:
            for inner_key, inner_item in item.items():
                yield f"{key}.{inner_key}", inner_item
        else:
            yield key, item


def has_json_lines(sample: Sample) -> bool:
    """Return True if the first lines are objects, whatever the file is called."""
    lines = [line.text for line in sample.head if line.text.strip()]
    lines = lines[:_MAX_PROBED_LINES]
    object_count = 0
    for line in lines:
        try:
            object_count += isinstance(json.loads(line), dict)
        except (ValueError, RecursionError):
            continue
    return len(lines) >= _MIN_PROBED_LINES and object_count > len(lines) // 2


def summarize_json_lines(sample: Sample) -> JsonLinesFacts:
    """Return the facts of the sampled objects, one a line."""
    counts: Counter[str] = Counter()
    types: dict[str, set[str]] = {}
    valid_count = invalid_count = 0
    # All sampled lines count: the kinds of lines may take turns, such as every tenth.
    for line in sample.lines:
        is_cut = len(line.text) >= MAX_LINE_CHARACTERS
        # The sample cuts long lines, and a cut object is no evidence of invalid JSON.
        if is_cut or not line.text.strip():
            continue
        try:
            value = json.loads(line.text)
        except ValueError:
            invalid_count += 1
            continue
        except RecursionError:
            # The line may be valid, and only nested too deeply for this parser.
            continue
        valid_count += 1
        if not isinstance(value, dict):
            continue
        for name, item in iterate_fields(value):
            counts[name] += 1
            item_type = _JSON_TYPES.get(type(item), "object")
            types.setdefault(name, set()).add(item_type)
    keys = []
    for name, count in counts.most_common(_MAX_KEYS):
        key = JsonKey(
            name[:_MAX_NAME_CHARACTERS],
            types="|".join(sorted(types[name])),
            share=count / valid_count,
        )
        keys.append(key)
    return JsonLinesFacts(
        tuple(keys), valid_count + invalid_count, invalid_count
    )
