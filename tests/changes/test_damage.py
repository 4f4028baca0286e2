"""Damage of the log: it is named, has no silent effect, and is in the way of nothing but its own changes."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from filewright import Workspace
from filewright.changes.publish import publish
from filewright.changes.selection import Scope
from filewright.edit.changeset import ChangeSet, Create, Delete, Move
from filewright.errors import Code, FilewrightError
from filewright.progress import Caller, Task
from filewright.text.splice import Splice

ONE = Splice(0, 3, b"ONE")


def _database(bench: Any) -> Path:
    path: Path = bench.state / "state.db"
    return path


def _damage(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        for statement in statements:
            database.execute(statement)


def _flipped(bench: Any, table: str, column: str, where: str) -> None:
    """Flip a bit in the last byte of a column of one row."""
    with closing(sqlite3.connect(_database(bench))) as database, database:
        (value,) = database.execute(
            f"SELECT {column} FROM {table} WHERE {where}"
        ).fetchone()
        data = value.encode() if isinstance(value, str) else value
        damaged = data[:-1] + bytes([data[-1] ^ 4])
        new = damaged.decode() if isinstance(value, str) else damaged
        database.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (new,))


DAMAGE = {
    "a name": ("file_changes", "path", "path = CAST('a.txt' AS BLOB)"),
    "a former name": ("file_changes", "former_path", "former_path IS NOT NULL"),
    "a root": ("roots", "path", "true"),
    "the state before": ("file_changes", "before", "path = CAST('a.txt' AS BLOB)"),
    "the state after": ("file_changes", "after", "path = CAST('a.txt' AS BLOB)"),
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
def test_refuses_damaged_record(bench: Any, scene: Any, area: Path, how: str) -> None:
    first = _by(bench, "write", Create(bench.at("first"), b"1"))
    record = _by(
        bench,
        "edit",
        bench.modify("a.txt", ONE),
        Move(bench.at("b.txt"), bench.at("c.txt")),
    )
    _by(bench, "write", Create(bench.at("last"), b"3"))
    bench.changes.close()
    _flipped(bench, *DAMAGE[how])
    before = scene.tree(bench.root)
    with scene.Bench(area) as fresh:
        assert len(fresh.changes.history()) == 3
        for scope in (record.id, Scope(session="session"), Scope(since=first.id)):
            for force in (False, True):
                with pytest.raises(FilewrightError) as caught:
                    fresh.changes.undo(scope, force=force)
                assert caught.value.code is Code.IO_ERROR
                assert "is damaged" in caught.value.message
        assert scene.tree(fresh.root) == before
        assert any(record.id in line for line in fresh.changes.find_damage(Task()))
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
    with Workspace(_folder(tmp_path), state_dir=tmp_path / "state") as workspace:
        workspace.write("first", "1")
        workspace.write("a.txt", "1")
        workspace.write("last", "3")
        changes = [record.id for record in workspace.history()]
    statement = ROWS[how].replace(
        "'edit'",
        "'write_content' AND number = (SELECT operation FROM file_changes WHERE path = CAST('a.txt' AS BLOB))",
    )
    _damage(next(tmp_path.glob("state/*/state.db")), statement)
    with Workspace(tmp_path / "work", state_dir=tmp_path / "state") as workspace:
        assert any(changes[1] in line for line in workspace.log_damage(seconds=10))
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


@pytest.mark.parametrize("how", USAGE)
def test_wrong_usage_drops_nothing(tmp_path: Path, how: str) -> None:
    with Workspace(_folder(tmp_path), state_dir=tmp_path / "state") as workspace:
        for number in range(60):
            workspace.write(f"f{number}", "1")
    _damage(next(tmp_path.glob("state/*/state.db")), USAGE[how])
    with Workspace(tmp_path / "work", state_dir=tmp_path / "state") as workspace:
        for number in range(3):
            answer = workspace.call(
                "write_content", {"items": [{"path": f"g{number}", "content": "2"}]}
            )
            assert not answer.is_error, answer.text
        assert len(workspace.history(limit=100)) == 63
        assert workspace.log_damage(seconds=10) == []


PLANS: dict[str, Callable[[Path], None]] = {
    "the key is gone": lambda state: (state / "key").unlink(),
    "the key is another": lambda state: (state / "key").write_bytes(bytes(32)),
    "a plan is damaged": lambda state: _damage(
        state / "state.db", "UPDATE unfinished SET plan = CAST(plan || x'00' AS BLOB)"
    ),
    "a plan is gone": lambda state: _damage(
        state / "state.db", "UPDATE unfinished SET plan = x''"
    ),
}


@pytest.mark.parametrize("how", PLANS)
def test_keeps_made_change_without_plan(
    bench: Any, scene: Any, area: Path, how: str
) -> None:
    made = [
        bench.commit(bench.modify("a.txt", Splice(0, 3, b"%03d" % number)))
        for number in range(5)
    ]
    bench.changes.close()
    PLANS[how](bench.state)
    with scene.Bench(area) as fresh:
        record = fresh.commit(Create(fresh.at("new"), b"n"))
        assert any("its plan in the log is damaged" in note for note in record.notes)
        assert [each.id for each in fresh.changes.history()[1:]] == [
            each.id for each in reversed(made)
        ]
        for each in reversed(made):
            fresh.undo(each.id)
        assert (fresh.root / "a.txt").read_bytes() == b"one\ntwo\nthree\n"


def test_reports_unfinished_change_without_plan(
    bench: Any, scene: Any, area: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _interrupted(bench, monkeypatch, bench.modify("a.txt", ONE))
    bench.changes.close()
    (bench.state / "key").unlink()
    with scene.Bench(area) as fresh:
        record = fresh.commit(Create(fresh.at("new"), b"n"))
        assert any("cannot be verified" in note for note in record.notes)
        assert fresh.changes.find_leftovers(Task())


class _EndError(BaseException):
    pass


def _interrupted(bench: Any, monkeypatch: pytest.MonkeyPatch, *steps: Any) -> None:
    """Publish everything, and end before it can be called done."""

    def end(*_: Any) -> Any:
        raise _EndError

    with monkeypatch.context() as patch:
        patch.setattr("filewright.changes.log.Log.mark_done", end)
        patch.setattr("filewright.changes.commit.roll_back", end)
        with pytest.raises(_EndError):
            bench.commit(*steps)


# Undo data


CONTENTS: dict[str, tuple[int, Callable[[Path], None]]] = {
    "a file is cut": (200_000, lambda state: _file_of(state).write_bytes(b"x" * 1000)),
    "a file is gone": (200_000, lambda state: _file_of(state).unlink()),
    "a file is empty": (200_000, lambda state: _file_of(state).write_bytes(b"")),
    "a row is damaged": (
        2_000,
        lambda state: _damage(
            state / "state.db",
            "UPDATE contents SET data = substr(data, 1, length(data) - 9) || zeroblob(9) WHERE length(data) > 900",
        ),
    ),
    "a row is gone": (
        2_000,
        lambda state: _damage(
            state / "state.db", "DELETE FROM contents WHERE length(data) > 900"
        ),
    ),
    "a row is said to be packed otherwise": (
        2_000,
        lambda state: _damage(
            state / "state.db",
            "UPDATE contents SET packed = 1 - packed WHERE length(data) > 900",
        ),
    ),
}


def _file_of(state: Path) -> Path:
    return next((state / "contents").iterdir())


@pytest.mark.parametrize("how", CONTENTS)
def test_stores_damaged_content_again(
    bench: Any, scene: Any, area: Path, how: str
) -> None:
    size, damage = CONTENTS[how]
    path = bench.root / "big"
    content = random.Random(1).randbytes(size).hex().encode()
    path.write_bytes(content)
    first = bench.commit(Create(bench.at("big"), b"two\n", replace=True))
    bench.changes.close()
    damage(bench.state)
    with scene.Bench(area) as fresh:
        with pytest.raises(FilewrightError) as caught:
            fresh.changes.undo(first.id)
        assert caught.value.code is Code.IO_ERROR
        assert any(first.id in line for line in fresh.changes.find_damage(Task()))
        # Somebody gives the file what it held.
        path.write_bytes(content)
        later = fresh.commit(Create(fresh.at("big"), b"three\n", replace=True))
        fresh.undo(later.id)
        assert path.read_bytes() == content
        assert fresh.changes.find_damage(Task()) == []


@pytest.mark.parametrize(
    "value",
    ["1", "7", "x'ff'", "'../../x'"],
    ids=["digit", "another digit", "bytes", "path"],
)
def test_opens_with_wrong_content_name(tmp_path: Path, value: str) -> None:
    with Workspace(_folder(tmp_path), state_dir=tmp_path / "state") as workspace:
        workspace.write("f", "x" * 300)
        workspace.delete("f")
    path = next(tmp_path.glob("state/*/state.db"))
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("PRAGMA writable_schema = 1")
        database.execute(
            f"INSERT INTO contents SELECT {value}, operation, 1, 0, NULL FROM contents LIMIT 1"
        )
    with Workspace(tmp_path / "work", state_dir=tmp_path / "state") as workspace:
        answer = workspace.call(
            "write_content", {"items": [{"path": "g", "content": "2"}]}
        )
        assert not answer.is_error, answer.text


# What cannot be settled has a way out


def _without_spare(bench: Any, monkeypatch: pytest.MonkeyPatch, *steps: Any) -> None:
    _interrupted(bench, monkeypatch, *steps)
    for path in bench.root.glob(".fw~*"):
        path.unlink()


@pytest.mark.parametrize("how", ["edit", "delete", "overwrite"])
def test_leaves_change_whose_original_is_gone(
    bench: Any, scene: Any, area: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    step = {
        "edit": bench.modify("a.txt", ONE),
        "delete": Delete(bench.at("a.txt")),
        "overwrite": Create(bench.at("a.txt"), b"new\n", replace=True),
    }[how]
    _without_spare(bench, monkeypatch, step)
    with scene.Bench(area) as fresh:
        (told,) = fresh.changes.recover().unsettled
        identifier = told.split()[1].rstrip(":")
        assert f"filewright doctor --leave {identifier}" in told
        assert "somebody" not in told
        left = scene.tree(fresh.root)
        fresh.changes.leave_unsettled(identifier)
        assert scene.tree(fresh.root) == left
        assert fresh.changes.recover().unsettled == []
        fresh.commit(Create(fresh.at("more"), b""))
        fresh.undo(identifier)
        assert (fresh.root / "a.txt").read_bytes() == b"one\ntwo\nthree\n"
        with pytest.raises(FilewrightError, match="waits to be settled"):
            fresh.changes.leave_unsettled(identifier)


def test_reports_what_it_rolled_back(
    bench: Any, scene: Any, area: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = (
        Create(bench.at("n/new"), b"n"),
        Create(bench.at("plain"), b"n"),
        Move(bench.at("b.txt"), bench.at("c.txt")),
        bench.modify("a.txt", ONE),
    )
    _interrupted(bench, monkeypatch, *steps)
    with scene.Bench(area) as fresh:
        record = fresh.commit(Create(fresh.at("more"), b""))
        (note,) = record.notes
        assert note.startswith("the unfinished change ")
        for what in (
            "n removed",
            "plain removed",
            "c.txt moved back",
            "a.txt as before",
        ):
            assert what in note
        (told,) = fresh.changes.recover().taken_back
        assert told == note


def test_settles_state_restored_from_copy(
    bench: Any, scene: Any, area: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def publish_and_copy(*arguments: Any, **options: Any) -> None:
        publish(*arguments, **options)
        shutil.copytree(area / "state", area / "copy")

    with monkeypatch.context() as patch:
        patch.setattr("filewright.changes.commit.publish", publish_and_copy)
        bench.commit(bench.modify("a.txt", ONE))
    bench.changes.close()
    shutil.rmtree(area / "state")
    shutil.copytree(area / "copy", area / "state")
    with scene.Bench(area) as fresh:
        (told,) = fresh.changes.recover().unsettled
        assert "somebody" not in told
        fresh.changes.leave_unsettled(told.split()[1].rstrip(":"))
        fresh.commit(fresh.modify("a.txt", Splice(0, 3, b"two")))
