"""The columns of the rows that a search finds."""

from __future__ import annotations

from filewright.languages import Language
from filewright.progress import Task
from filewright.rows.fields import MAX_ENTRY_BYTES
from filewright.rows.table import Table
from filewright.structure.outlines import language_of_snapshot
from filewright.text.snapshot import Snapshot
from filewright.tools.search_excerpt import ExcerptLine, LineRole

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
