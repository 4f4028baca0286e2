"""What a commit keeps, refuses and leaves alone."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest
from tests.changes.steps import EDIT, refused

from filewright.changes.log import Log
from filewright.edit.changeset import (
    ChangeSet,
    Create,
    Delete,
    Move,
)
from filewright.errors import Code, FilewrightError
from filewright.progress import Task


def test_cancelled_request_changes_nothing(bench: Any) -> None:
    task = Task()
    task.cancel()
    with pytest.raises(FilewrightError) as caught:
        bench.changes.commit(
            ChangeSet("test", "", (Create(bench.at("n"), b""),)), task=task
        )
    assert caught.value.code is Code.CANCELLED
    assert not (bench.root / "n").exists()


def test_copies_where_rename_is_refused(
    bench: Any, scene: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def layered(_: str, name: bytes, target: bytes) -> None:
        if name == b"f" and target == b"h":
            raise OSError(errno.EXDEV, "layers")

    scene.before_renames(monkeypatch, layered)
    os.utime(bench.root / "f/x.txt", ns=(10**18, 10**18))
    record = bench.commit(
        Move(bench.at("f"), bench.at("h")), Create(bench.at("n"), b"")
    )
    assert (bench.root / "h/g/y.txt").read_bytes() == b"why\n"
    assert (bench.root / "h/x.txt").stat().st_mtime_ns == 10**18
    assert not (bench.root / "f").exists()
    bench.undo(record.id)
    assert (bench.root / "f/g/y.txt").read_bytes() == b"why\n"
    assert not (bench.root / "h").exists()


def test_leaves_other_files_untouched(bench: Any) -> None:
    before = {
        p: (p.stat().st_ino, p.stat().st_mtime_ns)
        for p in bench.root.rglob("*")
        if p.is_file()
    }
    bench.commit(
        bench.modify("a.txt", EDIT), Move(bench.at("b.txt"), bench.at("c.txt"))
    )
    for path, seen in before.items():
        if path.name not in ("a.txt", "b.txt"):
            assert (path.stat().st_ino, path.stat().st_mtime_ns) == seen
    assert (bench.root / "c.txt").stat().st_ino == before[bench.root / "b.txt"][
        0
    ]


def test_flushes_four_times_for_an_edit(bench: Any) -> None:
    def flushes(*steps: Any) -> int:
        before = bench.changes.flush_count
        bench.commit(*steps)
        return int(bench.changes.flush_count - before)

    bench.commit(Create(bench.at("first"), b""))
    assert flushes(bench.modify("a.txt", EDIT)) == 4
    assert flushes(Create(bench.at("new.txt"), b"new\n")) == 5
    assert flushes(Delete(bench.at("new.txt"))) == 3


def test_interrupted_flush_leaves_change_made(
    bench: Any, scene: Any, area: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from filewright.changes import database

    record = bench.commit(Create(bench.at("first"), b""))
    end = database.end

    def interrupted(connection: Any) -> None:
        end(connection)
        if (
            (bench.root / "a.txt").read_bytes() != b"one\ntwo\nthree\n"
            and bench.changes.newest() != record.id
        ):
            raise KeyboardInterrupt

    monkeypatch.setattr(database, "end", interrupted)
    with pytest.raises(KeyboardInterrupt):
        bench.commit(bench.modify("a.txt", EDIT))
    monkeypatch.undo()
    with scene.Bench(area) as later:
        later.changes.recover()
        newest = later.changes.history(limit=1)[0]
        assert newest.id != record.id
        assert (later.root / "a.txt").read_bytes() != b"one\ntwo\nthree\n"
        later.undo(newest.id)
        assert (later.root / "a.txt").read_bytes() == b"one\ntwo\nthree\n"
        assert scene.temporaries(later.root) == []


@pytest.mark.parametrize("later", ["same process", "next process"])
@pytest.mark.parametrize("is_done", [True, False], ids=["done", "not done"])
def test_unreadable_log_leaves_decision_to_recovery(
    bench: Any,
    scene: Any,
    area: Path,
    monkeypatch: pytest.MonkeyPatch,
    is_done: bool,
    later: str,
) -> None:
    path, before = bench.root / "a.txt", (bench.root / "a.txt").read_bytes()
    mark_done = Log.mark_done

    def refuse(*_: Any, **__: Any) -> Any:
        raise FilewrightError(Code.IO_ERROR, "disk I/O error")

    def end_and_lose_log(log: Log, number: int) -> None:
        if is_done:
            mark_done(log, number)
        monkeypatch.setattr(Log, "read_record", refuse)
        refuse()

    monkeypatch.setattr(Log, "mark_done", end_and_lose_log)
    with pytest.raises(FilewrightError) as caught:
        bench.commit(bench.modify("a.txt", EDIT))
    monkeypatch.undo()
    assert caught.value.code is Code.IO_ERROR
    assert "filewright doctor" in (caught.value.hint or "")
    after = path.read_bytes()
    assert after != before
    if later == "same process":
        bench.commit(bench.modify("b.txt", EDIT))
    with scene.Bench(area) as restarted:
        restarted.changes.recover()
        changes = restarted.changes.history(location=restarted.at("a.txt"))
        assert len(changes) == is_done
        assert path.read_bytes() == (after if is_done else before)
        if is_done:
            restarted.undo(changes[0].id)
        assert path.read_bytes() == before
        assert scene.temporaries(restarted.root) == []


def test_unreadable_log_before_last_step(
    bench: Any, scene: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (bench.root / "a.txt").read_bytes()

    def refuse(*_: Any, **__: Any) -> Any:
        raise FilewrightError(Code.IO_ERROR, "disk I/O error")

    monkeypatch.setattr("filewright.changes.commit.publish", refuse)
    monkeypatch.setattr(Log, "read_record", refuse)
    refused(bench, bench.modify("a.txt", EDIT))
    assert (bench.root / "a.txt").read_bytes() == before
    assert scene.temporaries(bench.root) == []
