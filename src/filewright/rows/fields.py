"""Fields of JSON objects and of pairs in text: parsed, found by their paths, and shown."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

MISSING = object()
"""The value of a field that an entry does not have."""

_PAIR = re.compile(
    r"""(?<![\w.=-])([A-Za-z_][\w.-]*)=(?:"([^"]*)"|([^\s"]+))"""
)
_MAX_PAIRS_CHARS = 16 << 10
_MAX_VALUE_CHARS = 200
MAX_ENTRY_BYTES = 2 << 20
"""Longer lines are taken for no JSON: their objects may take 30 times the memory."""

_MAX_CACHED_LINE_BYTES = 64 << 10


def parse_entry(line: bytes) -> Mapping[str, Any] | None:
    """Return the object in a line, or None if it is no JSON object."""
    if len(line) >= MAX_ENTRY_BYTES:
        return None
    if len(line) > _MAX_CACHED_LINE_BYTES:
        return _parse(line)
    return _parse_again(line)


@lru_cache(maxsize=2)
def _parse_again(line: bytes) -> Mapping[str, Any] | None:
    """Return the object in a line that a condition and a count parse, one after the other."""
    return _parse(line)


def _parse(line: bytes) -> Mapping[str, Any] | None:
    try:
        try:
            value = json.loads(line)
        except UnicodeDecodeError:
            # A byte of another encoding in one field hides no other field.
            value = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def parse_pairs(line: str) -> Mapping[str, str] | None:
    """Return the pairs such as ``rt=0.5 user="A B"`` in a line of text, or None.

    The first of several values of a name counts.
    """
    pairs: dict[str, str] = {}
    for match in _PAIR.finditer(line[:_MAX_PAIRS_CHARS]):
        name, quoted, bare = match.groups()
        if quoted is None:
            quoted = bare.rstrip(",;")
        pairs.setdefault(name, quoted)
    return pairs or None


def find_value(value: Any, path: str) -> Any:
    """Return the value at a path such as ``err.code`` in an entry, or `MISSING`.

    A key that holds a dot itself comes first; a number is an index of an array.
    """
    if isinstance(value, dict):
        if path in value:
            return value[path]
        key, dot, rest = path.rpartition(".")
        while dot:
            if key in value:
                inner_value = find_value(value[key], rest)
                if inner_value is not MISSING:
                    return inner_value
            key, dot, last_part = key.rpartition(".")
            rest = f"{last_part}.{rest}"
        return MISSING
    index, dot, rest = path.partition(".")
    if not isinstance(value, list) or not index.isdecimal():
        return MISSING
    if int(index) >= len(value):
        return MISSING
    item = value[int(index)]
    return find_value(item, rest) if dot else item


def show_value(value: Any) -> str:
    """Return a value as a column of a result; a long one ends in an ellipsis."""
    text = to_text(value)
    if len(text) > _MAX_VALUE_CHARS:
        return f"{text[: _MAX_VALUE_CHARS - 1]}…"
    return text


def to_text(value: Any) -> str:
    """Return a value as text: a string as it is, everything else as JSON."""
    if value is MISSING:
        return "-"
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def show_fields(entry: Mapping[str, Any], fields: Sequence[str]) -> str:
    """Return the fields of an entry as columns, with tabs between them."""
    return "\t".join(show_value(find_value(entry, path)) for path in fields)
