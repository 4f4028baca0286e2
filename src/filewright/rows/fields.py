"""Fields of an entry: parsed from JSON or from pairs, found by a path, and shown.

An entry is the JSON object of a line, or the pairs such as `ms=5` in its text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

MISSING = object()
"""The value of a field that an entry does not have; null is a value."""

_PAIR_TEXT = re.compile(
    r"""(?<![\w.=-])([A-Za-z_][\w.-]*)=(?:"([^"]*)"|([^\s"]+))"""
)
_MAX_PAIRS_CHARS = 16 << 10
_MAX_VALUE_CHARS = 200
MAX_ENTRY_BYTES = 2 << 20
"""Lines of this length or more are not parsed: an object may take 30 times the memory."""

_MAX_CACHED_LINE_BYTES = 64 << 10


def parse_entry(line: bytes) -> Mapping[str, Any] | None:
    """Return the JSON object in a line, or None if there is none."""
    if len(line) >= MAX_ENTRY_BYTES:
        return None
    if len(line) > _MAX_CACHED_LINE_BYTES:
        return _parse_object(line)
    return _parse_cached(line)


@lru_cache(maxsize=2)
def _parse_cached(line: bytes) -> Mapping[str, Any] | None:
    """Return the object in a line; a condition and a count ask for the same one."""
    return _parse_object(line)


def _parse_object(line: bytes) -> Mapping[str, Any] | None:
    try:
        try:
            value = json.loads(line)
        except UnicodeDecodeError:
            # A byte of another encoding spoils its own field alone.
            value = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def parse_pairs(line: str) -> Mapping[str, str] | None:
    """Return the pairs such as ``rt=0.5 user="A B"`` in a line of text; None without any.

    The first of several values of a name counts.
    """
    pairs: dict[str, str] = {}
    for match in _PAIR_TEXT.finditer(line[:_MAX_PAIRS_CHARS]):
        name, value, bare_value = match.groups()
        if value is None:
            value = bare_value.rstrip(",;")
        pairs.setdefault(name, value)
    return pairs or None


def find_value(container: Any, path: str) -> Any:
    """Return the value at a path such as ``err.code`` in an entry, or `MISSING`.

    A number is the index in an array. Where a key itself holds a dot, the longest key counts.
    """
    if isinstance(container, dict):
        if path in container:
            return container[path]
        outer_key, separator, inner_path = path.rpartition(".")
        while separator:
            if outer_key in container:
                inner_value = find_value(container[outer_key], inner_path)
                if inner_value is not MISSING:
                    return inner_value
            outer_key, separator, last_part = outer_key.rpartition(".")
            inner_path = f"{last_part}.{inner_path}"
        return MISSING
    index, separator, inner_path = path.partition(".")
    if not isinstance(container, list) or not index.isdecimal():
        return MISSING
    if int(index) >= len(container):
        return MISSING
    item = container[int(index)]
    return find_value(item, inner_path) if separator else item


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
