"""A damaged log: the damage is named, and is in the way of only its own changes."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.changes.damage import run_sql
from tests.changes.steps import EDIT

from filewright import Workspace
from filewright.changes.selection import Scope
from filewright.edit.changeset import ChangeSet, Create, Move
from filewright.errors import Code, FilewrightError
from filewright.progress import Caller, Task


def _database(bench: Any) -> Path:
    path: Path = bench.state / "state.db"
    return path


def _flipped(bench: Any, table: str, column: str, where: str) -> None:
    """Flip a bit in the last byte of a column of one row."""
    with closing(sqlite3.connect(_database(bench))) as database, database:
        (value,) = database.execute(
            f"SELECT {column} FROM {table} WHERE {where}"
        ).fetchone()
        data = value.encode() if isinstance(value, str) else value
        damaged = data[:-1] + bytes([data[-1] ^ 4])
        new = damaged.decode() if isinstance(value, str) else damaged
        database.execute(
            f"UPDATE {table} SET {column} = ? WHERE {where}", (new,)
        )


DAMAGE = {
    "a name": ("file_changes", "path", "path = CAST('a.txt' AS BLOB)"),
    "a former name": ("file_changes", "former_path", "former_path IS NOT NULL"),
    "a root": ("roots", "path", "true"),
    "the state before": (
        "file_changes",
        "before",
        "path = CAST('a.txt' AS BLOB)",
    ),
    "the state after": (
        "file_changes",
        "after",
        "path = CAST('a.txt' AS BLOB)",
    ),
    "the session": ("operations", "session", "tool = 'edit'"),
    "the summary": ("operations", "summary", "tool = 'edit'"),
    "the tool": ("operations", "tool", "tool = 'edit'"),
    "the checksum": ("operations", "checksum", "tool = 'edit'"),
    "the checksum of the files": (
        "operations",
        "file_changes_checksum",
        "tool = 'edit'",
    ),
    "the notes": ("operations", "notes", "tool = 'edit'"),
}


def _by(bench: Any, tool: str, *steps: Any) -> Any:
    return bench.changes.commit(
        ChangeSet(tool, "a change", tuple(steps)),
        task=Task(caller=Caller("session", "client")),
    )


@pytest.mark.parametrize("how", DAMAGE)
def test_refuses_damaged_record(
    bench: Any, scene: Any, area: Path, how: str
) -> None:
    first = _by(bench, "write", Create(bench.at("first"), b"1"))
    record = _by(
        bench,
        "edit",
        bench.modify("a.txt", EDIT),
        Move(bench.at("b.txt"), bench.at("c.txt")),
    )
    _by(bench, "write", Create(bench.at("last"), b"3"))
    bench.changes.close()
    _flipped(bench, *DAMAGE[how])
    before = scene.tree(bench.root)
    with scene.Bench(area) as fresh:
        assert len(fresh.changes.history()) == 3
        for scope in (
            record.id,
            Scope(session="session"),
            Scope(since=first.id),
        ):
            for force in (False, True):
                with pytest.raises(FilewrightError) as caught:
                    fresh.changes.undo(scope, force=force)
                assert caught.value.code is Code.IO_ERROR
                assert "is damaged" in caught.value.message
        assert scene.tree(fresh.root) == before
        assert any(
            record.id in line for line in fresh.changes.find_damage(Task())
        )
        # What is sound goes on.
        if how != "a root":
            fresh.changes.undo(fresh.changes.history()[0].id)
        fresh.commit(Create(fresh.at("more"), b""))


ROWS = {
    "an entry": "DELETE FROM file_changes WHERE path = CAST('a.txt' AS BLOB)",
    "a record": "DELETE FROM operations WHERE tool = 'edit'",
    "the state of a record": "INSERT OR REPLACE INTO unfinished SELECT number, 'dnne', NULL FROM operations WHERE tool = 'edit'",
}


@pytest.mark.parametrize("how", ROWS)
def test_names_record_with_lost_row(tmp_path: Path, how: str) -> None:
    with Workspace(
        _folder(tmp_path), state_dir=tmp_path / "state"
    ) as workspace:
        workspace.write("first", "1")
        workspace.write("a.txt", "1")
        workspace.write("last", "3")
        changes = [record.id for record in workspace.history()]
    statement = ROWS[how].replace(
        "'edit'",
        "'write_content' AND number = (SELECT operation FROM file_changes WHERE path = CAST('a.txt' AS BLOB))",
    )
    run_sql(next(tmp_path.glob("state/*/state.db")), statement)
    with Workspace(
        tmp_path / "work", state_dir=tmp_path / "state"
    ) as workspace:
        assert any(
            changes[1] in line for line in workspace.log_damage(seconds=10)
        )
        workspace.write("more", "4")


def _folder(base: Path) -> Path:
    (base / "work").mkdir()
    return base / "work"


USAGE = {
    "no row": "DELETE FROM usage",
    "huge": "UPDATE usage SET bytes = 1 << 62",
    "negative": "UPDATE usage SET bytes = -(1 << 62)",
    "text": "UPDATE usage SET bytes = 'many'",
    "bytes": "UPDATE usage SET bytes = x'ff'",
    "two rows": "INSERT INTO usage VALUES (1 << 61)",
}


@pytest.fixture(scope="module")
def long_history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with more changes than are kept whatever they take."""
    base = tmp_path_factory.mktemp("long")
    with Workspace(_folder(base), state_dir=base / "state") as workspace:
        for number in range(60):
            workspace.write(f"f{number}", "1")
    return base


@pytest.mark.parametrize("how", USAGE)
def test_wrong_usage_drops_nothing(
    long_history: Path, tmp_path: Path, scene: Any, how: str
) -> None:
    scene.copied(long_history, tmp_path)
    run_sql(next(tmp_path.glob("state/*/state.db")), USAGE[how])
    with Workspace(
        tmp_path / "work", state_dir=tmp_path / "state"
    ) as workspace:
        for number in range(3):
            answer = workspace.call(
                "write_content",
                {"items": [{"path": f"g{number}", "content": "2"}]},
            )
            assert not answer.is_error, answer.text
        assert len(workspace.history(limit=100)) == 63
        assert workspace.log_damage(seconds=10) == []


@pytest.mark.parametrize(
    "value",
    ["1", "7", "x'ff'", "'../../x'"],
    ids=["digit", "another digit", "bytes", "path"],
)
def test_opens_with_wrong_content_name(tmp_path: Path, value: str) -> None:
    with Workspace(
        _folder(tmp_path), state_dir=tmp_path / "state"
    ) as workspace:
        workspace.write("f", "x" * 300)
        workspace.delete("f")
    path = next(tmp_path.glob("state/*/state.db"))
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("PRAGMA writable_schema = 1")
        database.execute(
            f"INSERT INTO contents SELECT {value}, operation, 1, 0, NULL FROM contents LIMIT 1"
        )
    with Workspace(
        tmp_path / "work", state_dir=tmp_path / "state"
    ) as workspace:
        answer = workspace.call(
            "write_content", {"items": [{"path": "g", "content": "2"}]}
        )
        assert not answer.is_error, answer.text
