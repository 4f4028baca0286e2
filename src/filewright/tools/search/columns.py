"""The columns of the rows that a search finds: of tables and of JSON lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from filewright.languages import Language
from filewright.progress import Task
from filewright.rows.fields import MAX_ENTRY_BYTES, parse_entry, to_text
from filewright.rows.table import Table
from filewright.search.hits import Hit
from filewright.structure.outlines import language_of_snapshot
from filewright.text.snapshot import Snapshot
from filewright.tools.search.excerpt import ExcerptLine, LineRole
from filewright.tools.search.notes import matched_text

MAX_HEADER_CHARS = 200


def find_table(snapshot: Snapshot) -> Table | None:
    """Return the table in a file with a name such as `a.csv`, or None."""
    language = language_of_snapshot(snapshot)
    encoding = snapshot.encoding
    has_plain_bytes = encoding.contains_ascii and not encoding.is_multibyte
    if language not in (Language.CSV, Language.TSV) or not has_plain_bytes:
        return None
    return Table.find(snapshot, (), "\t" if language is Language.TSV else None)


def read_header(snapshot: Snapshot, task: Task) -> ExcerptLine | None:
    """Return the line with the names of a table's columns, or None without names."""
    table = find_table(snapshot)
    if table is None or not table.names:
        return None
    start = snapshot.lines.line_start(table.start - 1, task)
    line = snapshot.lines.read_line(start, MAX_ENTRY_BYTES, task=task)
    text = line.body.decode(snapshot.encoding.name, "replace")
    if len(text) > MAX_HEADER_CHARS:
        text = text[:MAX_HEADER_CHARS] + "…"
    number = snapshot.lines.line_at(start, task)
    return ExcerptLine(number, text, LineRole.HEADER)


def find_column(snapshot: Snapshot, hit: Hit, task: Task) -> str | None:
    """Return the name of the field that a match is in, or None if its line is no row.

    A field that is equal to the match comes before one that contains it.
    """
    line = snapshot.lines.read_line(hit.line_offset, MAX_ENTRY_BYTES, task=task)
    fields: dict[str, str] = {}
    if language_of_snapshot(snapshot) is Language.JSON_LINES:
        fields = dict(_iterate_fields(parse_entry(line.body) or {}))
    else:
        table = find_table(snapshot)
        if table is not None:
            cells = table.syntax.split(line.body)
            for name, cell in zip(table.names, cells, strict=False):
                fields[name] = table.syntax.read_text(cell, snapshot.encoding)
    text = matched_text(snapshot, hit).strip('"')
    containing = [name for name, value in fields.items() if text in value]
    for name in containing:
        if fields[name] == text:
            return name
    return containing[0] if containing else None


def _iterate_fields(
    entry: Mapping[str, Any], prefix: str = ""
) -> Iterator[tuple[str, str]]:
    """Yield the paths of the values in an object, and their texts."""
    for key, value in entry.items():
        if isinstance(value, dict):
            yield from _iterate_fields(value, f"{prefix}{key}.")
        else:
            yield prefix + key, to_text(value)
