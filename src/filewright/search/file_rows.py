"""The rows of a file: of a table, of JSON lines, or of a JSON document."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from filewright.errors import Code, path_error
from filewright.languages import Language, language_of
from filewright.logs.selection import EntrySelection
from filewright.progress import Task
from filewright.rows.conditions import Condition
from filewright.rows.fields import MAX_ENTRY_BYTES, parse_entry
from filewright.rows.json_document import JsonDocument, unreadable_json
from filewright.rows.json_members import JsonSyntaxError, MemberReader
from filewright.rows.row import (
    LeftOutRows,
    Row,
    RowReader,
    UncertainValues,
)
from filewright.rows.table import Table
from filewright.search.selected_lines import (
    SelectedLines,
    iterate_selected_lines,
)
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice
from filewright.text.utf8_view import Utf8View

_NEAR_BYTES = 4096


@dataclass
class JsonLines:
    """The rows of JSON lines in a snapshot.

    `broken` counts lines that are no objects, and `uncertain` those of which it is
    uncertain whether they fit.
    """

    snapshot: Snapshot
    broken: LeftOutRows = field(
        default_factory=lambda: LeftOutRows("line", "not JSON")
    )
    uncertain: UncertainValues = field(
        default_factory=lambda: UncertainValues("line")
    )

    @property
    def left_out(self) -> Sequence[LeftOutRows]:
        """The lines that are no rows, and the uncertain ones."""
        return (self.broken, *self.uncertain.counts)

    def iterate_rows(
        self,
        conditions: Sequence[Condition],
        paths: Sequence[str],
        task: Task,
    ) -> Iterator[Row]:
        """Yield the objects that fulfil all conditions, with the fields at `paths`.

        Raise `unsupported` for a key that is needed and is there twice.
        """
        _require_plain_encoding(self.snapshot)
        selection = EntrySelection(
            conditions=tuple(conditions), has_pattern=False
        )
        selected = SelectedLines.of(self.snapshot, selection, task)
        selected.broken = self.broken
        selected.uncertain = self.uncertain
        wanted = [condition.path for condition in conditions]
        for line in iterate_selected_lines(
            self.snapshot, selected, self.snapshot.start, task
        ):
            if not line.body.strip():
                continue
            if not conditions and parse_entry(line.body) is None:
                self.broken.add(line.offset)
                continue
            reader = MemberReader(
                line.body, self.snapshot.encoding.name, line.offset
            )
            try:
                members = reader.find_members(
                    reader.skip_space(0), [*wanted, *paths]
                )
            except JsonSyntaxError as error:
                raise unreadable_json(self.snapshot, error) from error
            fields = reader.read_fields(members, paths)
            yield Row(line.offset, line.body_end, line.offset, fields)


def open_rows(snapshot: Snapshot, paths: Collection[str]) -> RowReader | None:
    """Return the rows of a file with the fields at `paths`, or None if it has no rows.

    Raise `unsupported` if its encoding is one that rows are not read in.
    """
    language = language_of(snapshot.text_name)
    delimiter = "\t" if language is Language.TSV else None
    if language in (Language.CSV, Language.TSV):
        _require_plain_encoding(snapshot)
        return Table.of(snapshot, paths, delimiter)
    if language is Language.JSON and not _has_json_lines(snapshot):
        _require_plain_encoding(snapshot)
        return JsonDocument(snapshot)
    has_entry = _read_first_entry(snapshot) is not None
    if language in (Language.JSON, Language.JSON_LINES) or has_entry:
        return JsonLines(snapshot)
    if language in (None, Language.TEXT):
        return _open_unnamed_table(snapshot, paths)
    return None


def _open_unnamed_table(
    snapshot: Snapshot, paths: Iterable[str]
) -> Table | None:
    """Return the table in a file of another name if its header has all names."""
    table = Table.find(snapshot, paths)
    if table is None:
        return None
    names = [path for path in paths if not path.isdecimal()]
    if not names or not set(names) <= set(table.names):
        return None
    _require_plain_encoding(snapshot)
    return table


def _require_plain_encoding(snapshot: Snapshot) -> None:
    """Raise `unsupported` unless quotes and brackets are single bytes in the text."""
    encoding = snapshot.encoding
    if encoding.contains_ascii and not encoding.is_multibyte:
        return
    path = snapshot.requested_path
    raise path_error(
        Code.UNSUPPORTED,
        path,
        f"the rows of {path} are not read in {encoding.name}",
        "convert it to UTF-8 first, or replace text by a pattern",
        encoding=encoding.name,
    )


def _read_first_entry(snapshot: Snapshot) -> object:
    """Return the object in the first line, or None."""
    line = snapshot.lines.read_line(
        snapshot.start, MAX_ENTRY_BYTES, reach=MAX_ENTRY_BYTES
    )
    return parse_entry(line.body)


def _has_json_lines(snapshot: Snapshot) -> bool:
    """Return True for a document that is several objects, one a line."""
    line = snapshot.lines.read_line(
        snapshot.start, MAX_ENTRY_BYTES, reach=MAX_ENTRY_BYTES
    )
    if parse_entry(line.body) is None:
        return False
    return snapshot.read(line.end, _NEAR_BYTES).lstrip().startswith(b"{")


def select_lines(
    snapshot: Snapshot, selection: EntrySelection, task: Task
) -> SelectedLines:
    """Return the lines of a file that a selection takes: of a table, those of its rows.

    Raises as `find_time_range` and `open_rows`, and `invalid_input` for an unknown column.
    """
    selected = SelectedLines.of(snapshot, selection, task)
    add_rows(snapshot, selected, task)
    return selected


def add_rows(snapshot: Snapshot, selected: SelectedLines, task: Task) -> None:
    """Give a selection the rows of a file, if it is a table or a document."""
    selection = selected.selection
    if not selection.paths:
        return
    view = None
    if snapshot.encoding.unit_bytes > 1 and snapshot.content is not None:
        view = Utf8View(snapshot)
    reader = open_rows(
        snapshot if view is None else view.snapshot, selection.paths
    )
    if reader is None or isinstance(reader, JsonLines):
        # Lines are compared as they are read, which is faster.
        return
    if not selection.conditions and not isinstance(reader, Table):
        return
    selected.reader = reader
    rows = reader.iterate_rows(selection.conditions, selection.fields, task)
    selected.rows = rows if view is None else _to_file_rows(view, rows)


def _to_file_rows(view: Utf8View, rows: Iterable[Row]) -> Iterator[Row]:
    """Yield rows of a view with their bytes in the file."""
    pending: deque[Row] = deque()

    def spans() -> Iterator[Splice]:
        for row in rows:
            pending.append(row)
            yield Splice(row.offset, row.end - row.offset, b"")

    for span in view.to_file_splices(spans()):
        yield replace(
            pending.popleft(),
            offset=span.offset,
            end=span.end,
            shown_offset=span.offset,
        )
