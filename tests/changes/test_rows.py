"""Rows of the log: what is written to one is read from it, equal; damage is named."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest
import xxhash

from filewright.changes.model import (
    ChangeRecord,
    FileChange,
    FileState,
    RecordedCommand,
    RecordedPath,
)
from filewright.changes.rows import (
    DAMAGED,
    FILE_CHANGE_COLUMNS,
    FILE_CHANGE_FIELDS,
    OPERATION_COLUMNS,
    OPERATION_FIELDS,
    TABLES,
    FileChangeRow,
    OperationRow,
    damaged_record_error,
    insert_file_change,
    insert_operation,
    to_file_change_row,
    to_operation_row,
)
from filewright.errors import Code

_RECORD = ChangeRecord(
    number=10**18,
    tool="edit_content",
    summary="a summary",
    file_changes=(),
    session="s1",
    client="agent 2.0",
    turn="turn 7",
    reverts=("0" * 13, "1" * 13),
    partial=True,
    undoable=False,
    hard_links={"a.txt": 3},
    notes=("a note", "another"),
    state="settled",
    commands=(
        RecordedCommand("c1", "make"),
        RecordedCommand("c2", "test", "s2", "client", "turn 1"),
    ),
)
_BARE_RECORD = ChangeRecord(1, "tool", "", (), state="settled")

_PATH = RecordedPath(b"/work", (b"f", b"a\xff.txt"))
_FORMER_PATH = RecordedPath(b"/other", (b"b\n",))
_FILE = FileState(
    "file",
    mode=0o640,
    uid=1,
    gid=2,
    size=3,
    mtime_ns=4,
    digest="d" * 32,
    blob="b" * 64,
    attributes={"user.a": b"\xff\x00"},
)
_LINK = FileState("link", link_target=b"to\xff")
_FOLDER = FileState("folder", mode=0o755)
_SPANS = bytes(range(24)) * 3

_FILE_CHANGES = [
    pytest.param(FileChange(_PATH, None, _FILE), id="created"),
    pytest.param(FileChange(_PATH, _FILE, None), id="deleted"),
    pytest.param(FileChange(_PATH, _FILE, _FILE, _FORMER_PATH), id="moved"),
    pytest.param(
        FileChange(
            _PATH,
            _FILE,
            replace(_FILE, digest="e" * 32),
            packed_spans=_SPANS,
            removed="r" * 64,
            inserted="i" * 64,
        ),
        id="modified",
    ),
    pytest.param(
        FileChange(_PATH, _FILE, replace(_FILE, mode=0o600)), id="attributes"
    ),
    pytest.param(FileChange(_PATH, _LINK, _FILE), id="link replaced"),
    pytest.param(FileChange(_PATH, None, _FOLDER), id="folder created"),
    pytest.param(
        FileChange(_PATH, FileState("other"), None), id="special deleted"
    ),
    pytest.param(
        FileChange(RecordedPath(b"/work", ()), _FOLDER, _FOLDER),
        id="root itself",
    ),
]


def _database() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.executescript(TABLES)
    return connection


def _row(record: ChangeRecord = _RECORD) -> OperationRow:
    return OperationRow.from_record(record, 2, "c" * 16)


@pytest.mark.parametrize(
    "record", [_RECORD, _BARE_RECORD], ids=["all fields", "bare"]
)
def test_reads_record_again(record: ChangeRecord) -> None:
    with closing(_database()) as connection:
        insert_operation(connection.execute, _row(record))
        (values,) = connection.execute(
            f"SELECT {OPERATION_COLUMNS} FROM operations"
        )
    row = to_operation_row(values)
    assert row == _row(record)
    assert row.to_record() == record


@pytest.mark.parametrize("change", _FILE_CHANGES)
def test_reads_file_change_again(change: FileChange) -> None:
    row = FileChangeRow.from_change(
        change, 1, 2 if change.renamed_from else None
    )
    with closing(_database()) as connection:
        insert_file_change(connection.execute, 7, 1, row)
        (values,) = connection.execute(
            f"SELECT {FILE_CHANGE_COLUMNS} FROM file_changes WHERE operation = 7"
        )
    stored = to_file_change_row(values)
    assert stored == row
    blobs: Any = None  # They are where contents are read, which no row does.
    again = stored.to_change(change.path, change.renamed_from, blobs)
    assert again == change
    assert again.action == change.action


def test_writes_paths_as_bytes() -> None:
    change = FileChange(_PATH, _FILE, _FILE, _FORMER_PATH)
    row = FileChangeRow.from_change(change, 1, 2)
    assert (row.path, row.former_path) == (b"f/a\xff.txt", b"b\n")
    assert (row.root, row.former_root, row.is_deleted) == (1, 2, 0)


@pytest.mark.parametrize(
    "field",
    [name for name in OPERATION_FIELDS if name not in ("number", "checksum")],
)
def test_names_damaged_record(field: str) -> None:
    row = _row()
    value = getattr(row, field)
    damaged_value = value + 1 if isinstance(value, int) else f"{value}x"
    damaged = replace(row, **{field: damaged_value}).to_record()
    assert damaged.state == DAMAGED
    assert damaged.id == _RECORD.id
    assert (
        damaged.summary == f"the record of the change {_RECORD.id} is damaged"
    )
    assert damaged.file_changes == ()


def test_number_is_not_in_checksum() -> None:
    """The time of a change that is done is set once more."""
    moved = replace(_row(), number=_RECORD.number + 1)
    assert moved.to_record() == replace(_RECORD, number=_RECORD.number + 1)


def test_damaged_record_error_names_doctor() -> None:
    error = damaged_record_error(_RECORD.id)
    assert error.code is Code.IO_ERROR
    assert _RECORD.id in error.message
    assert "filewright doctor" in (error.hint or "")


@pytest.mark.parametrize("field", FILE_CHANGE_FIELDS)
def test_checksum_covers_file_change(field: str) -> None:
    change = FileChange(
        _PATH, _FILE, _FILE, _FORMER_PATH, _SPANS, removed="r", inserted="i"
    )
    row = FileChangeRow.from_change(change, 1, 2)
    roots: tuple[bytes, bytes] = (b"/work", b"/other")
    if field == "root":
        changed, changed_roots = row, (b"/elsewhere", b"/other")
    elif field == "former_root":
        changed, changed_roots = row, (b"/work", b"/elsewhere")
    else:
        value = getattr(row, field)
        more = {int: 1, str: "x", bytes: b"x"}[type(value)]
        changed, changed_roots = replace(row, **{field: value + more}), roots
    assert _checksum(changed, changed_roots) != _checksum(row, roots)


def test_checksum_covers_no_root_number() -> None:
    row = FileChangeRow.from_change(FileChange(_PATH, None, _FILE), 1, None)
    roots = (b"/work", b"/other")
    assert _checksum(replace(row, root=9), roots) == _checksum(row, roots)


def _checksum(row: FileChangeRow, roots: tuple[bytes, bytes]) -> str:
    checksum = xxhash.xxh3_64()
    row.add_to_checksum(checksum, *roots)
    return checksum.hexdigest()


def test_replaces_lone_surrogates() -> None:
    record = replace(_BARE_RECORD, summary="no \ud800 text", session="s\udfff")
    again = _row(record).to_record()
    assert (again.summary, again.session) == ("no ? text", "s?")
