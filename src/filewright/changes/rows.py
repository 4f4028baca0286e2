"""The tables of a log, and their rows: a dataclass a table, a field a column.

A file state is stored as JSON, by field names. Every row of a change is covered by a
checksum, so that a damaged disk, and an edit of the file by another program, is
noticed.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import xxhash

from filewright.changes.blobs import BlobSource
from filewright.changes.database import Execute
from filewright.changes.model import (
    ChangeRecord,
    FileChange,
    FileState,
    RecordedCommand,
    RecordedPath,
    format_change_id,
)
from filewright.errors import Code, FilewrightError

TABLES = """
CREATE TABLE roots (number INTEGER PRIMARY KEY, path BLOB NOT NULL);
CREATE TABLE operations (
    number INTEGER PRIMARY KEY,
    tool TEXT NOT NULL,
    summary TEXT NOT NULL,
    session TEXT,
    client TEXT,
    turn TEXT,
    reverts TEXT NOT NULL,
    is_partial INTEGER NOT NULL,
    is_undoable INTEGER NOT NULL,
    hard_links TEXT NOT NULL,
    notes TEXT NOT NULL,
    command TEXT NOT NULL,
    commands TEXT NOT NULL,
    file_change_count INTEGER NOT NULL,
    file_changes_checksum TEXT NOT NULL,
    checksum TEXT NOT NULL
);
CREATE INDEX operations_by_session ON operations (session, number);
CREATE INDEX operations_that_revert ON operations (number) WHERE reverts <> '[]';
CREATE INDEX operations_of_commands ON operations (number) WHERE commands <> '[]';
CREATE TABLE unfinished (number INTEGER PRIMARY KEY, state TEXT NOT NULL, plan BLOB);
CREATE TABLE plan_blocks (
    operation INTEGER NOT NULL,
    number INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (operation, number)
) WITHOUT ROWID;
CREATE VIEW made AS SELECT * FROM operations
    WHERE number NOT IN (SELECT number FROM unfinished WHERE state <> 'done');
CREATE TRIGGER finished AFTER DELETE ON operations
    BEGIN DELETE FROM unfinished WHERE number = old.number; END;
CREATE TRIGGER cleaned_up AFTER DELETE ON unfinished
    BEGIN DELETE FROM plan_blocks WHERE operation = old.number; END;
CREATE TABLE file_changes (
    operation INTEGER NOT NULL,
    number INTEGER NOT NULL,
    root INTEGER NOT NULL,
    path BLOB NOT NULL,
    former_root INTEGER,
    former_path BLOB,
    is_deleted INTEGER NOT NULL,
    before TEXT,
    after TEXT,
    removed TEXT,
    inserted TEXT,
    spans BLOB,
    PRIMARY KEY (operation, number)
) WITHOUT ROWID;
CREATE INDEX file_changes_by_path ON file_changes (root, path, operation);
CREATE INDEX file_changes_by_former_path
    ON file_changes (former_root, former_path, operation) WHERE former_path IS NOT NULL;
CREATE INDEX renames ON file_changes (root, path, operation)
    WHERE former_path IS NOT NULL;
CREATE INDEX departures ON file_changes (operation, former_path)
    WHERE former_path IS NOT NULL OR is_deleted;
CREATE VIEW touched AS SELECT operation, root, path FROM file_changes
    UNION ALL SELECT operation, former_root, former_path FROM file_changes
    WHERE former_path IS NOT NULL;
CREATE TABLE contents (
    name TEXT UNIQUE NOT NULL,
    operation INTEGER NOT NULL,
    size INTEGER NOT NULL,
    packed INTEGER NOT NULL,
    data BLOB
);
CREATE INDEX contents_by_operation ON contents (operation);
CREATE INDEX contents_in_files ON contents (name) WHERE data IS NULL;
CREATE TABLE usage (bytes INTEGER NOT NULL);
INSERT INTO usage VALUES (0);
CREATE TRIGGER used AFTER INSERT ON contents WHEN new.data IS NULL
    BEGIN UPDATE usage SET bytes = bytes + new.size; END;
CREATE TRIGGER freed AFTER DELETE ON contents WHEN old.data IS NULL
    BEGIN UPDATE usage SET bytes = bytes - old.size; END;
CREATE TABLE mailbox (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, at REAL NOT NULL, session TEXT NOT NULL, client TEXT NOT NULL,
    content TEXT NOT NULL, answer TEXT, resolved REAL
) WITHOUT ROWID
"""
"""The tables of a log:

- operations: a change each; `number` is its time in nanoseconds.
- unfinished: the operations that a recovery still has to look at. `plan` is the first
  block of the rename plan behind the seal of all of it; `state` is intent, done,
  unsettled (it could not be rolled back entirely), or aside (it waits for a person).
- plan_blocks: the other blocks of large plans.
- file_changes: what an operation did, a file each.
- contents: the stored contents by name. `operation` is the newest that needs the
  content; without `data` it is in a file of its own. `usage` is the size of all such
  files together.
- mailbox: calls that wait for the person, comments for agents, and marks on viewed
  files, see the package `mailbox`.
"""

DAMAGED = "damaged"
"""The state of a record that is not as it was written."""


def canonical_bytes(*values: object) -> bytes:
    """Return the bytes over which a checksum of some values is taken."""
    return repr(values).encode("utf-8", "surrogatepass")


def without_surrogates(text: str) -> str:
    """Return a text as SQLite takes it, with `?` for lone surrogates."""
    # Names of sessions and clients come from other programs, and may hold anything.
    return text.encode("utf-8", "replace").decode()


def damaged_record_error(change_id: str) -> FilewrightError:
    """Return the error of a change whose record is damaged."""
    return FilewrightError(
        Code.IO_ERROR,
        f"the record of the change {change_id} is damaged",
        "it cannot be undone; `filewright doctor` lists all damage",
        change_id=change_id,
    )


def damaged_change_record(number: int) -> ChangeRecord:
    """Return the record to show for a damaged one: its time, and that it is damaged."""
    message = damaged_record_error(format_change_id(number)).message
    return ChangeRecord(number, "unknown", message, (), state=DAMAGED)


def _to_json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationRow:
    """One row of the table `operations`."""

    number: int
    tool: str
    summary: str
    session: str | None
    client: str | None
    turn: str | None
    reverts: str
    is_partial: int
    is_undoable: int
    hard_links: str
    notes: str
    command: str
    commands: str
    file_change_count: int
    file_changes_checksum: str
    checksum: str = ""

    @classmethod
    def from_record(
        cls,
        record: ChangeRecord,
        file_change_count: int,
        file_changes_checksum: str,
    ) -> OperationRow:
        """Build the row of a record, whose file changes have rows of their own."""
        texts: dict[str, str | None] = {}
        for name in ("session", "client", "turn"):
            text = getattr(record, name)
            texts[name] = without_surrogates(text) if text is not None else None
        row = cls(
            number=record.number,
            tool=without_surrogates(record.tool),
            summary=without_surrogates(record.summary),
            session=texts["session"],
            client=texts["client"],
            turn=texts["turn"],
            reverts=_to_json(record.reverts),
            is_partial=int(record.partial),
            is_undoable=int(record.undoable),
            hard_links=_to_json(dict(record.hard_links)),
            notes=_to_json(record.notes),
            command=without_surrogates(record.command),
            commands=_to_json(
                [command._asdict() for command in record.commands]
            ),
            file_change_count=file_change_count,
            file_changes_checksum=file_changes_checksum,
        )
        return replace(row, checksum=row.compute_checksum())

    def compute_checksum(self) -> str:
        """Return the checksum of the row without its number and the checksum."""
        values = _values_by_column(self)
        del values["number"], values["checksum"]
        return xxhash.xxh3_64_hexdigest(canonical_bytes(*values.values()))

    def to_record(self) -> ChangeRecord:
        """Return the record without file changes, or that of a damaged one."""
        if self.checksum != self.compute_checksum():
            return damaged_change_record(self.number)
        commands = [
            RecordedCommand(**command) for command in json.loads(self.commands)
        ]
        return ChangeRecord(
            number=self.number,
            tool=self.tool,
            summary=self.summary,
            file_changes=(),
            session=self.session,
            client=self.client,
            turn=self.turn,
            reverts=tuple(json.loads(self.reverts)),
            partial=bool(self.is_partial),
            undoable=bool(self.is_undoable),
            hard_links=json.loads(self.hard_links),
            notes=tuple(json.loads(self.notes)),
            state="settled",
            command=self.command,
            commands=tuple(commands),
        )


OPERATION_FIELDS = tuple(column.name for column in fields(OperationRow))
OPERATION_COLUMNS = ", ".join(OPERATION_FIELDS)


def to_operation_row(values: Sequence[object]) -> OperationRow:
    """Build the row of values that were selected as `OPERATION_COLUMNS`."""
    return OperationRow(**dict(zip(OPERATION_FIELDS, values, strict=True)))  # type: ignore[arg-type]  # SQLite's


def insert_operation(execute: Execute, row: OperationRow) -> None:
    """Insert an operation, or replace the row with its number."""
    placeholders = ", ".join(f":{column}" for column in OPERATION_FIELDS)
    execute(
        f"INSERT OR REPLACE INTO operations ({OPERATION_COLUMNS}) VALUES ({placeholders})",
        _values_by_column(row),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChangeRow:
    """One row of the table `file_changes`, without the operation and its own number.

    `root` and `former_root` are numbers of the table `roots`.
    """

    root: int
    path: bytes
    former_root: int | None
    former_path: bytes | None
    is_deleted: int
    before: str | None
    after: str | None
    removed: str | None
    inserted: str | None
    spans: bytes | None

    @classmethod
    def from_change(
        cls, change: FileChange, root: int, former_root: int | None
    ) -> FileChangeRow:
        """Build the row of a file change."""
        former_path: bytes | None = None
        if change.renamed_from is not None:
            former_path = b"/".join(change.renamed_from.parts)
        before, after = change.before, change.after
        return cls(
            root=root,
            path=b"/".join(change.path.parts),
            former_root=former_root,
            former_path=former_path,
            is_deleted=int(after is None),
            before=_to_json(before.to_row()) if before is not None else None,
            after=_to_json(after.to_row()) if after is not None else None,
            removed=change.removed,
            inserted=change.inserted,
            spans=zlib.compress(change.packed_spans, 1)
            if change.packed_spans
            else None,
        )

    def to_change(
        self,
        path: RecordedPath,
        renamed_from: RecordedPath | None,
        blobs: BlobSource,
    ) -> FileChange:
        """Return the file change. Raise one of several errors if the row is damaged."""
        before, after = self.before, self.after
        return FileChange(
            path=path,
            before=FileState.from_row(json.loads(before)) if before else None,
            after=FileState.from_row(json.loads(after)) if after else None,
            renamed_from=renamed_from,
            packed_spans=zlib.decompress(self.spans)
            if self.spans is not None
            else b"",
            removed=self.removed,
            inserted=self.inserted,
            blobs=blobs,
        )

    def add_to_checksum(
        self,
        checksum: xxhash.xxh3_64,
        root_path: bytes,
        former_root_path: bytes | None,
    ) -> None:
        """Add the row to the checksum of an operation, with paths for root numbers."""
        values = _values_by_column(self)
        values["root"], values["former_root"] = root_path, former_root_path
        # Apart, since the spans of a large file take megabytes.
        spans = values.pop("spans")
        checksum.update(canonical_bytes(*values.values()))
        checksum.update(spans or b"")


FILE_CHANGE_FIELDS = tuple(column.name for column in fields(FileChangeRow))
FILE_CHANGE_COLUMNS = ", ".join(FILE_CHANGE_FIELDS)


def _values_by_column(row: OperationRow | FileChangeRow) -> dict[str, Any]:
    """Return the values of a row by their columns."""
    # `asdict` would copy every value: a twentieth of the time of a small edit.
    columns = FILE_CHANGE_FIELDS
    if isinstance(row, OperationRow):
        columns = OPERATION_FIELDS
    return {column: getattr(row, column) for column in columns}


def to_file_change_row(values: Sequence[object]) -> FileChangeRow:
    """Build the row of values that were selected as `FILE_CHANGE_COLUMNS`."""
    return FileChangeRow(**dict(zip(FILE_CHANGE_FIELDS, values, strict=True)))  # type: ignore[arg-type]  # SQLite's


def insert_file_change(
    execute: Execute, operation: int, number: int, row: FileChangeRow
) -> None:
    """Insert a file change of an operation, or replace the row with its number."""
    placeholders = ", ".join(f":{column}" for column in FILE_CHANGE_FIELDS)
    execute(
        "INSERT OR REPLACE INTO file_changes "
        f"(operation, number, {FILE_CHANGE_COLUMNS}) "
        f"VALUES (:operation, :number, {placeholders})",
        {"operation": operation, "number": number, **_values_by_column(row)},
    )
