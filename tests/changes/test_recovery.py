"""What recovery meets: edits by others, late writers, forged and torn records, a full disk."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.changes.interrupted import stop_at
from tests.changes.steps import EDIT

from filewright.changes.plan_encoding import decode_plan
from filewright.changes.recovery import Recovery
from filewright.edit.changeset import Create, Delete, Move
from filewright.errors import Code, FilewrightError
from filewright.text.splice import Splice


def _plan(bench: Any) -> bytearray:
    ((plan,),) = bench.changes.logs[0].database.read(
        "SELECT plan FROM unfinished WHERE state = 'intent'"
    )
    return bytearray(plan)


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[min(1000, len(data) // 2)] ^= 1
    path.write_bytes(data)


def _cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


@pytest.mark.parametrize("stage", ["publish", "flush", "mark_done"])
def test_rolls_intent_back(
    bench: Any,
    scene: Any,
    monkeypatch: pytest.MonkeyPatch,
    restarted: Callable[[], Recovery],
    stage: str,
) -> None:
    before = scene.tree(bench.root)
    steps = (
        bench.modify("a.txt", EDIT),
        Create(bench.at("new/n.txt"), b"n"),
        Delete(bench.at("f"), recursive=True),
        Move(bench.at("b.txt"), bench.at("c.txt")),
    )
    stop_at(bench, monkeypatch, stage, *steps)
    found = restarted()
    assert len(found.rolled_back) == 1
    assert found.conflicts == []
    assert scene.tree(bench.root) == before
    assert bench.changes.history() == []


def test_cleans_up_committed_change(
    bench: Any,
    scene: Any,
    monkeypatch: pytest.MonkeyPatch,
    restarted: Callable[[], Recovery],
) -> None:
    steps = (bench.modify("a.txt", EDIT), Delete(bench.at("f"), recursive=True))
    stop_at(bench, monkeypatch, "clean", *steps)
    assert scene.temporaries(bench.root)
    found = restarted()
    assert len(found.finished) == 1
    assert scene.temporaries(bench.root) == []
    assert (bench.root / "a.txt").read_bytes() == b"ONE\ntwo\nthree\n"
    assert not (bench.root / "f").exists()
    bench.undo(bench.changes.history()[0].id)
    assert (bench.root / "f/g/y.txt").read_bytes() == b"why\n"


@pytest.mark.parametrize(
    "damage", ["cut", "flip", "no seal", "other key", "text"]
)
def test_sets_forged_intent_aside(
    bench: Any,
    scene: Any,
    monkeypatch: pytest.MonkeyPatch,
    restarted: Callable[[], Recovery],
    damage: str,
) -> None:
    bench.commit(Create(bench.at("n"), b"n"))
    stop_at(bench, monkeypatch, "publish", bench.modify("a.txt", EDIT))
    data = _plan(bench)
    with bench.changes.logs[0].database.transaction() as execute:
        if damage == "cut":
            data = data[:-40]
        elif damage == "flip":
            data[-20] ^= 1
        elif damage == "text":
            data = bytearray(b'{"delete": "/etc/passwd"}')
        elif damage == "no seal":
            data[:32] = b""
        else:
            (bench.state / "key").write_bytes(b"\0" * 32)
        execute(
            "UPDATE unfinished SET plan = ? WHERE state = 'intent'",
            (bytes(data),),
        )
    victim = scene.tree(bench.root)
    found = restarted()
    assert len(found.set_aside) >= 1
    assert {
        k: v for k, v in scene.tree(bench.root).items() if ".fw~" not in k
    } == {k: v for k, v in victim.items() if ".fw~" not in k}
    assert any(
        found.set_aside[0] in kept for kept in bench.changes.kept_versions
    )


def test_keeps_plan_that_names_paths_outside(
    bench: Any, scene: Any, area: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_at(bench, monkeypatch, "publish", bench.modify("a.txt", EDIT))
    (area / "outside").mkdir()

    def elsewhere(data: bytes) -> Any:
        plan = decode_plan(data)
        outside = os.fsencode(area / "outside")
        return plan.with_moved_roots(
            {
                folder.root: outside
                for folder in plan.folders
                if folder.root is not None
            }
        )

    monkeypatch.setattr(
        "filewright.changes.plan_encoding.decode_plan", elsewhere
    )
    for _ in range(2):
        with scene.Bench(area) as fresh:
            assert str(area / "outside") in fresh.changes.recover().unsettled[0]
    assert os.listdir(area / "outside") == []


def test_ignores_journal_inside_workspace(bench: Any, scene: Any) -> None:
    record = bench.commit(Create(bench.at("n"), b"n"))
    shutil.copytree(bench.state, bench.root / ".filewright")
    assert bench.changes.recover().clean or bench.changes.recover().clean
    assert bench.changes.record(record.id).id == record.id


@pytest.mark.parametrize("damage", [_flip, _cut, Path.unlink])
@pytest.mark.parametrize(
    ("size", "identity"),
    [
        (3_000, 64 << 20),
        (400_000, 64 << 20),
        (6 << 20, 64 << 20),
        (6 << 20, 1 << 20),
    ],
)
def test_names_damaged_undo_data(
    scene: Any, size: int, identity: int, damage: Callable[[Path], None]
) -> None:
    """In the database, beside it, as the displaced file under a second name, and as one too large to be hashed."""
    with (
        scene.disk_folder() as area,
        scene.Bench(area, identity_bytes=identity) as bench,
    ):
        (bench.root / "big").write_bytes(os.urandom(size))
        record = bench.commit(Delete(bench.at("big")))
        if kept := list((bench.state / "contents").iterdir()):
            damage(kept[0])
        else:
            log = bench.changes.logs[0]
            ((data,),) = log.database.read("SELECT data FROM contents")
            (area / "content").write_bytes(data)
            damage(area / "content")
            with log.database.transaction() as execute:
                if damage is Path.unlink:
                    execute("DELETE FROM contents")
                else:
                    execute(
                        "UPDATE contents SET data = ?",
                        ((area / "content").read_bytes(),),
                    )
        with pytest.raises(FilewrightError) as caught:
            bench.undo(record.id)
        assert caught.value.code is Code.IO_ERROR
        assert record.id in caught.value.message
        assert not os.listdir(bench.root)


@pytest.mark.skipif(
    sys.platform == "win32", reason="it refuses the calls of Unix"
)
@pytest.mark.needs("exclusive_rename")
def test_needs_no_space(
    bench: Any,
    scene: Any,
    monkeypatch: pytest.MonkeyPatch,
    restarted: Callable[[], Recovery],
) -> None:
    before = scene.tree(bench.root)
    steps = (
        bench.modify("a.txt", EDIT),
        Create(bench.at("n"), b"n"),
        Delete(bench.at("f"), recursive=True),
    )
    stop_at(bench, monkeypatch, "mark_done", *steps)
    full: list[str] = []

    def no_space(name: str) -> Callable[..., Any]:
        def call(*_: Any, **__: Any) -> Any:
            full.append(name)
            raise OSError(errno.ENOSPC, "no space")

        return call

    real = os.open

    def opened(path: Any, flags: int, *rest: Any, **more: Any) -> int:
        if flags & os.O_CREAT:
            raise OSError(errno.ENOSPC, "no space")
        return real(path, flags, *rest, **more)

    with monkeypatch.context() as patch:
        for name in ("write", "pwrite", "mkdir", "link", "symlink"):
            patch.setattr(os, name, no_space(name))
        patch.setattr(os, "open", opened)
        found = restarted()
    assert len(found.rolled_back) == 1
    assert full == []
    assert scene.tree(bench.root) == before


def test_continues_failed_rollback(
    bench: Any,
    scene: Any,
    monkeypatch: pytest.MonkeyPatch,
    restarted: Callable[[], Recovery],
) -> None:
    before = scene.tree(bench.root)
    calls: list[int] = []

    def failing(mode: str, *_: bytes) -> None:
        calls.append(mode == "exchange")
        if sum(calls) >= 2:
            raise OSError(errno.EIO, "broken")

    with monkeypatch.context() as patch:
        scene.before_renames(patch, failing)
        with pytest.raises(FilewrightError) as caught:
            bench.commit(
                bench.modify("a.txt", EDIT),
                bench.modify("b.txt", Splice(0, 1, b"B")),
            )
    assert caught.value.code is Code.IO_ERROR
    assert "doctor" in (caught.value.hint or "")
    restarted()
    assert scene.tree(bench.root) == before


def test_cleans_up_after_reused_number(
    bench: Any, scene: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, back: bool = False, **__: Any) -> None:
        if not back:
            raise OSError(errno.EIO, "no")

    bench.commit(Delete(bench.at("b.txt")))
    monkeypatch.setattr(time, "time_ns", lambda: 1)
    with monkeypatch.context() as patch:
        patch.setattr(
            "filewright.changes.slots.PlanSlots.flush_folders", refuse
        )
        with pytest.raises(FilewrightError):
            bench.commit(bench.modify("a.txt", EDIT))
    stop_at(
        bench, monkeypatch, "clean", bench.modify("a.txt", Splice(0, 1, b"S"))
    )
    assert bench.changes.recover().finished
    assert scene.temporaries(bench.root) == []


def test_settles_large_change_at_once(scene: Any, bench: Any) -> None:
    """To read its plan again, with those of others, held a later call up."""
    (log,) = bench.changes.logs
    (bench.root / "many").mkdir()
    for number in range(1100):
        (bench.root / f"many/{number}").touch()
    bench.commit(Delete(bench.at("many"), recursive=True))
    assert log.list_unfinished("done") == []
    small = bench.commit(bench.modify("a.txt", EDIT))
    assert log.list_unfinished("done") == [(small.number, "done")]
    assert scene.temporaries(bench.root) == []
    bench.undo(bench.changes.history()[-1].id)
    assert len(os.listdir(bench.root / "many")) == 1100


@pytest.mark.skipif(sys.platform == "win32", reason="it forks")
def test_lost_intent_leaves_no_second_name(
    scene: Any,
) -> None:
    from filewright.changes import database

    with scene.disk_folder() as area:
        with scene.Bench(area) as bench:
            bench.commit(Create(bench.at("first"), b""))
            (bench.root / "big").write_bytes(os.urandom(6 << 20))
            (bench.root / "small").write_bytes(os.urandom(100_000))

            def begun() -> None:
                database.end = lambda _: os._exit(0)
                bench.commit(Delete(bench.at("big")), Delete(bench.at("small")))

            scene.forked(begun)
            assert (bench.root / "big").stat().st_nlink == 2
        with scene.Bench(area) as bench:
            assert bench.changes.recover().conflicts == []
            assert (bench.root / "big").stat().st_nlink == 1
            bench.commit(Create(bench.at("big"), b"new", replace=True))
