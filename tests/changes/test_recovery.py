"""What recovery meets: edits by others, late writers, forged and torn records, a full disk."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from filewright import Workspace
from filewright.changes import backup
from filewright.changes.database import Database
from filewright.changes.log import unpacked_plan
from filewright.changes.open_folders import FolderSearch
from filewright.changes.recovery import Recovery
from filewright.edit.changeset import Create, Delete, Move
from filewright.errors import Code, FilewrightError
from filewright.text.splice import Splice

EDIT = Splice(0, 3, b"ONE")


class Stopped(BaseException):
    """The end of a process, without the process."""


def _stopped_at(
    bench: Any, monkeypatch: pytest.MonkeyPatch, name: str, *steps: Any
) -> None:
    """Begin a change and stop before the named call, taking nothing back."""

    def stop(*_: Any, **__: Any) -> Any:
        raise Stopped

    with monkeypatch.context() as patch:
        module, attribute = {
            "publish": ("filewright.changes.commit", "publish"),
            "flush": ("filewright.changes.slots.PlanSlots", "flush_folders"),
            "mark_done": ("filewright.changes.log.Log", "mark_done"),
            "clean": ("filewright.changes.commit", "clean_up"),
        }[name]
        patch.setattr(f"{module}.{attribute}", stop)
        patch.setattr("filewright.changes.commit.roll_back", stop)
        with pytest.raises(Stopped):
            bench.commit(*steps)


@pytest.fixture
def restarted(scene: Any, bench: Any, area: Path) -> Callable[[], Recovery]:
    def recover() -> Recovery:
        with scene.Bench(area) as fresh:
            found = fresh.changes.recover()
            assert fresh.changes.recover().clean
            return found

    return recover


def _kept(bench: Any) -> list[bytes]:
    return [path.read_bytes() for path in (bench.state / "kept").iterdir()]


@pytest.mark.parametrize("stage", ["publish", "flush", "mark_done"])
def test_an_intent_goes_back(
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
    _stopped_at(bench, monkeypatch, stage, *steps)
    found = restarted()
    assert len(found.rolled_back) == 1
    assert found.conflicts == []
    assert scene.tree(bench.root) == before
    assert bench.changes.history() == []


def test_a_committed_change_goes_forward(
    bench: Any,
    scene: Any,
    monkeypatch: pytest.MonkeyPatch,
    restarted: Callable[[], Recovery],
) -> None:
    steps = (bench.modify("a.txt", EDIT), Delete(bench.at("f"), recursive=True))
    _stopped_at(bench, monkeypatch, "clean", *steps)
    assert scene.temporaries(bench.root)
    found = restarted()
    assert len(found.finished) == 1
    assert scene.temporaries(bench.root) == []
    assert (bench.root / "a.txt").read_bytes() == b"ONE\ntwo\nthree\n"
    assert not (bench.root / "f").exists()
    bench.undo(bench.changes.history()[0].id)
    assert (bench.root / "f/g/y.txt").read_bytes() == b"why\n"


def test_the_next_change_recovers_first(
    bench: Any, scene: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    _stopped_at(bench, monkeypatch, "mark_done", bench.modify("a.txt", EDIT))
    step = bench.modify("b.txt", Splice(0, 3, b"BEE"))
    bench.commit(step)
    assert (bench.root / "a.txt").read_bytes() == b"one\ntwo\nthree\n"
    assert (bench.root / "b.txt").read_bytes() == b"BEE\n"
    assert len(bench.changes.recover().rolled_back) == 1


def test_the_next_change_is_not_told_what_is_denied(
    bench: Any, scene: Any, area: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (bench.root / "dark").mkdir()
    _stopped_at(bench, monkeypatch, "mark_done", Create(bench.at("dark/new.txt"), b"n"))
    (bench.root / ".agentsignore").write_text("/dark/\n")
    with scene.Bench(area) as fresh:
        made = fresh.commit(Create(fresh.at("open.txt"), b"n"))
        assert made.notes
        assert not any("dark" in note for note in made.notes)
        assert any("dark/new.txt" in why for why in fresh.changes.recover().unsettled)


# When


def test_opening_a_workspace_recovers(
    bench: Any, scene: Any, area: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = scene.tree(bench.root)
    _stopped_at(
        bench,
        monkeypatch,
        "mark_done",
        bench.modify("a.txt", EDIT),
        Delete(bench.at("b.txt")),
    )
    with Workspace(bench.root, state_dir=area / "state"):
        assert scene.tree(bench.root) == before


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read_content", {"path": "a.txt"}),
        ("list_files", {"path": "."}),
        ("search_content", {"pattern": "one"}),
        ("stat_items", {"paths": ["a.txt"]}),
        ("get_history", {}),
    ],
)
def test_any_read_after_the_end_of_another_process_recovers_first(
    bench: Any,
    scene: Any,
    area: Path,
    monkeypatch: pytest.MonkeyPatch,
    tool: str,
    arguments: dict[str, Any],
) -> None:
    before = scene.tree(bench.root)
    with Workspace(bench.root, state_dir=area / "state") as workspace:
        _stopped_at(
            bench,
            monkeypatch,
            "mark_done",
            bench.modify("a.txt", EDIT),
            Delete(bench.at("b.txt")),
        )
        assert not workspace.call(tool, arguments).is_error
        assert scene.tree(bench.root) == before


def test_what_cannot_be_recovered_read_only_is_not_read_and_everything_else_is(
    bench: Any, scene: Any, area: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _stopped_at(
        bench,
        monkeypatch,
        "mark_done",
        bench.modify("a.txt", EDIT),
        Delete(bench.at("f"), recursive=True),
    )
    torn = scene.tree(bench.root)
    with Workspace(bench.root, state_dir=area / "state", read_only=True) as workspace:
        refused = workspace.call("read_content", {"path": "a.txt"})
        assert refused.code == Code.IN_USE
        assert bench.root.as_posix() in refused.text
        assert workspace.call("read_content", {"path": "b.txt"}).text.endswith("bee")
        assert (
            "one"
            not in workspace.call(
                "search_content", {"pattern": "ONE", "mode": "literal"}
            ).text
        )
        assert scene.tree(bench.root) == torn
        bench.changes.recover()
        assert "one" in workspace.read("a.txt").text


def test_nothing_is_changed_where_nobody_can_tell_what_is_in_its_way(
    bench: Any, scene: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, read = scene.tree(bench.root), Database.read

    def unreadable(database: Database, sql: str, *values: object) -> Any:
        if "FROM unfinished" in sql:
            raise FilewrightError(Code.IO_ERROR, "the state database cannot be read")
        return read(database, sql, *values)

    monkeypatch.setattr(Database, "read", unreadable)
    with pytest.raises(FilewrightError, match="cannot be read"):
        bench.commit(bench.modify("a.txt", EDIT))
    assert scene.tree(bench.root) == before


def test_a_change_that_is_being_made_holds_no_reader_up(bench: Any, area: Path) -> None:
    with (
        bench.changes.writing(),
        Workspace(bench.root, state_dir=area / "state") as workspace,
    ):
        assert "one" in workspace.read("a.txt").text


# Others


def test_a_foreign_edit_between_crash_and_recovery_is_kept_and_reported(
    bench: Any,
    scene: Any,
    monkeypatch: pytest.MonkeyPatch,
    restarted: Callable[[], Recovery],
) -> None:
    _stopped_at(bench, monkeypatch, "mark_done", bench.modify("a.txt", EDIT))
    (bench.root / "a.txt").write_bytes(b"theirs\n")
    found = restarted()
    assert any("a.txt" in conflict for conflict in found.conflicts)
    assert (bench.root / "a.txt").read_bytes() == b"theirs\n"
    assert _kept(bench) == [b"one\ntwo\nthree\n"]
    assert scene.temporaries(bench.root) == []


def test_a_new_file_in_the_place_of_a_deleted_one_is_kept(
    bench: Any,
    scene: Any,
    monkeypatch: pytest.MonkeyPatch,
    restarted: Callable[[], Recovery],
) -> None:
    _stopped_at(
        bench,
        monkeypatch,
        "mark_done",
        Delete(bench.at("a.txt")),
        Move(bench.at("b.txt"), bench.at("c")),
    )
    (bench.root / "a.txt").write_bytes(b"theirs\n")
    (bench.root / "b.txt").write_bytes(b"theirs too\n")
    found = restarted()
    # The third names the operation, whose random name may end in a c.
    assert len([c for c in found.conflicts if c.startswith(("a.txt ", "c "))]) == 2
    assert (bench.root / "a.txt").read_bytes() == b"theirs\n"
    assert (bench.root / "b.txt").read_bytes() == b"theirs too\n"
    assert (bench.root / "c").read_bytes() == b"bee\n"
    assert b"one\ntwo\nthree\n" in _kept(bench)


def test_a_file_that_somebody_made_just_like_ours_is_not_taken_for_ours(
    bench: Any,
    scene: Any,
    monkeypatch: pytest.MonkeyPatch,
    restarted: Callable[[], Recovery],
) -> None:
    _stopped_at(
        bench,
        monkeypatch,
        "publish",
        Create(bench.at("n"), b"n"),
        Create(bench.at("new/m"), b"m"),
    )
    (bench.root / "n").write_bytes(b"n")
    (bench.root / "new").mkdir()
    (bench.root / "new/m").write_bytes(b"m")
    assert restarted().conflicts == []
    assert (bench.root / "n").read_bytes() == b"n"
    assert (bench.root / "new/m").read_bytes() == b"m"
    assert scene.temporaries(bench.root) == []


def test_a_new_file_that_somebody_edited_stays(
    bench: Any, monkeypatch: pytest.MonkeyPatch, restarted: Callable[[], Recovery]
) -> None:
    _stopped_at(bench, monkeypatch, "mark_done", Create(bench.at("n"), b"n"))
    with (bench.root / "n").open("ab") as file:
        file.write(b"more")
    assert any("n was new" in conflict for conflict in restarted().conflicts)
    assert (bench.root / "n").read_bytes() == b"nmore"


def test_taking_back_leaves_a_folder_that_others_have_filled(
    bench: Any,
    scene: Any,
    monkeypatch: pytest.MonkeyPatch,
    restarted: Callable[[], Recovery],
) -> None:
    _stopped_at(bench, monkeypatch, "mark_done", Create(bench.at("new/n.txt"), b"n"))
    (bench.root / "new/theirs.txt").write_bytes(b"theirs\n")
    found = restarted()
    assert any("new" in conflict for conflict in found.conflicts)
    assert os.listdir(bench.root / "new") == ["theirs.txt"]


@pytest.mark.skipif(
    sys.platform == "win32",
    reason="Windows replaces no file that is open elsewhere without sharing its deletion",
)
def test_a_late_in_place_writer_loses_nothing(
    bench: Any, scene: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It opens the file just after the check, and writes into what is by then the displaced file."""
    from filewright.changes.log import Log

    real = Log.mark_done
    late = (bench.root / "a.txt").open("r+b")

    def writing(log: Any, number: int) -> None:
        late.write(b"LATE")
        late.close()
        real(log, number)

    monkeypatch.setattr(Log, "mark_done", writing)
    monkeypatch.setattr(backup, "require_no_writers", lambda *_: None)
    record = bench.commit(bench.modify("a.txt", EDIT))
    assert (bench.root / "a.txt").read_bytes() == b"ONE\ntwo\nthree\n"
    assert _kept(bench) == [b"LATEtwo\nthree\n"]
    assert any("kept as" in note for note in record.notes)
    assert bench.changes.record(record.id).notes == record.notes
    assert scene.temporaries(bench.root) == []


@pytest.mark.skipif(
    sys.platform == "win32",
    reason="Windows replaces no file that is open elsewhere without sharing its deletion",
)
@pytest.mark.needs("lease")
def test_a_displaced_file_that_is_still_written_to_waits(
    bench: Any,
    scene: Any,
    monkeypatch: pytest.MonkeyPatch,
    restarted: Callable[[], Recovery],
) -> None:
    monkeypatch.setattr(backup, "require_no_writers", lambda *_: None)
    with (bench.root / "a.txt").open("ab") as late:
        bench.commit(bench.modify("a.txt", EDIT))
        assert len(scene.temporaries(bench.root)) == 1
        late.write(b"four\n")
    found = restarted()
    assert any("a.txt" in conflict for conflict in found.conflicts)
    assert _kept(bench) == [b"one\ntwo\nthree\nfour\n"]
    assert scene.temporaries(bench.root) == []


@pytest.mark.needs("lease")
def test_what_a_root_within_this_one_has_displaced_is_removed_before_its_folder_is_moved_out_of_it(
    bench: Any, scene: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = bench.root / "n/f/a.txt"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"one\n")
    with (
        monkeypatch.context() as patch,
        Workspace(bench.root / "n", settings=bench.settings) as inner,
    ):
        patch.setattr(backup, "require_no_writers", lambda *_: None)
        with path.open("ab"):
            inner.edit("f/a.txt", [{"search": "one", "replace": "two"}])
    assert len(scene.temporaries(bench.root)) == 1
    bench.commit(Move(bench.at("n/f"), bench.at("m")))
    assert scene.temporaries(bench.root) == []


def test_what_is_put_into_a_folder_while_it_is_deleted_is_kept(
    bench: Any, scene: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def racing(_: str, name: bytes, __: bytes) -> None:
        if name == b"f":
            (bench.root / "f/late.txt").write_bytes(b"late\n")

    with monkeypatch.context() as patch:
        scene.before_renames(patch, racing)
        with pytest.raises(FilewrightError) as caught:
            bench.commit(Delete(bench.at("f"), recursive=True))
    assert caught.value.code is Code.STALE_VERSION
    assert (bench.root / "f/late.txt").read_bytes() == b"late\n"
    assert (bench.root / "f/x.txt").read_bytes() == b"ex\n"


_LONG = b"".join(b"line %d\n" % number for number in range(1, 4000))


def _without_blocks(content: bytes) -> bytes:
    return content[:4096] + bytes(4096) + content[8192:-4000]


@pytest.mark.parametrize("undoable", [True, False])
@pytest.mark.parametrize(
    "lost", [lambda _: b"", lambda made: made[:5000], _without_blocks]
)
@pytest.mark.parametrize("how", ["edited", "written anew"])
def test_a_part_of_what_was_being_written_is_nobodys_save(
    bench: Any,
    scene: Any,
    monkeypatch: pytest.MonkeyPatch,
    restarted: Callable[[], Recovery],
    how: str,
    lost: Callable[[bytes], bytes],
    undoable: bool,
) -> None:
    (bench.root / "long.txt").write_bytes(_LONG)
    before = scene.tree(bench.root)
    step = bench.modify("long.txt", Splice(0, 4, b"LINE"))
    if how == "written anew":
        step = Create(bench.at("long.txt"), _LONG.upper(), replace=True)

    def stop(*_: Any) -> None:
        raise Stopped

    def without_flush(*_: Any) -> None:
        (temporary,) = scene.temporaries(bench.root)
        path = bench.root / temporary
        path.write_bytes(lost(path.read_bytes()))
        raise Stopped

    with monkeypatch.context() as patch:
        patch.setattr("filewright.changes.flushing.FlushQueue.flush", without_flush)
        patch.setattr("filewright.changes.commit.roll_back", stop)
        with pytest.raises(Stopped):
            bench.commit(step, undoable=undoable)
    found = restarted()
    assert (found.conflicts, _kept(bench)) == ([], [])
    assert scene.tree(bench.root) == before


def test_an_error_in_the_middle_of_writing_keeps_no_part(
    bench: Any, scene: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (bench.root / "long.txt").write_bytes(_LONG)
    before = scene.tree(bench.root)

    def written(file: Any, data: Any, offset: int) -> None:
        real(file, bytes(data)[:5000], offset)
        raise OSError(errno.ENOSPC, "no space")

    step = Create(bench.at("long.txt"), _LONG.upper(), replace=True)
    real = scene.FILE.write
    with monkeypatch.context() as patch:
        patch.setattr(scene.FILE, "write", written)
        with pytest.raises(FilewrightError) as caught:
            bench.commit(step)
    assert caught.value.code is Code.NO_SPACE
    assert "conflicts" not in caught.value.details
    assert _kept(bench) == []
    assert scene.tree(bench.root) == before


def test_a_save_into_what_was_published_and_went_back_is_kept(
    bench: Any,
    scene: Any,
    monkeypatch: pytest.MonkeyPatch,
    restarted: Callable[[], Recovery],
) -> None:
    (bench.root / "long.txt").write_bytes(_LONG)
    _stopped_at(
        bench, monkeypatch, "publish", bench.modify("long.txt", Splice(0, 4, b"LINE"))
    )
    (temporary,) = scene.temporaries(bench.root)
    saved = (bench.root / temporary).read_bytes()[:-2] + b"X\n"
    (bench.root / temporary).write_bytes(saved)
    assert len(restarted().conflicts) == 2
    assert _kept(bench) == [saved]
    assert (bench.root / "long.txt").read_bytes() == _LONG


@pytest.mark.parametrize("same_device", [True, False])
def test_what_is_put_into_a_displaced_folder_is_kept_on_any_device(
    bench: Any, scene: Any, monkeypatch: pytest.MonkeyPatch, same_device: bool
) -> None:
    from filewright.changes.log import Log

    real_done = Log.mark_done

    def adding(log: Any, number: int) -> None:
        (folder,) = (
            path for path in bench.root.iterdir() if path.name.startswith(".fw~")
        )
        (folder / "g" / "late.txt").write_bytes(b"late\n")
        (folder / "g" / "late.txt").chmod(0o755)
        os.symlink("late.txt", folder / "g" / "link")
        if hasattr(os, "mkfifo"):
            os.mkfifo(folder / "g" / "pipe", 0o640)
        real_done(log, number)

    def devices(_: str, __: bytes, kept_as: bytes) -> None:
        if kept_as.endswith(b"-f") and not same_device:
            raise OSError(errno.EXDEV, "another device")

    monkeypatch.setattr(Log, "mark_done", adding)
    scene.before_renames(monkeypatch, devices)
    record = bench.commit(Delete(bench.at("f"), recursive=True))
    assert not (bench.root / "f").exists()
    assert scene.temporaries(bench.root) == []
    (kept,) = (bench.state / "kept").iterdir()
    assert (kept / "g/late.txt").read_bytes() == b"late\n"
    assert os.readlink(kept / "g/link") == "late.txt"
    if hasattr(os, "mkfifo"):
        assert stat.S_IMODE((kept / "g/late.txt").stat().st_mode) == 0o755
        assert (kept / "g/pipe").is_fifo()
        assert stat.S_IMODE((kept / "g/pipe").stat().st_mode) == 0o640
    assert any("kept as" in note for note in record.notes)


# Records that are not ours


def _plan(bench: Any) -> bytearray:
    ((plan,),) = bench.changes.logs[0].database.read(
        "SELECT plan FROM unfinished WHERE state = 'intent'"
    )
    return bytearray(plan)


@pytest.mark.parametrize("damage", ["cut", "flip", "no seal", "other key", "text"])
def test_a_torn_or_forged_intent_is_set_aside(
    bench: Any,
    scene: Any,
    monkeypatch: pytest.MonkeyPatch,
    restarted: Callable[[], Recovery],
    damage: str,
) -> None:
    bench.commit(Create(bench.at("n"), b"n"))
    _stopped_at(bench, monkeypatch, "publish", bench.modify("a.txt", EDIT))
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
        execute("UPDATE unfinished SET plan = ? WHERE state = 'intent'", (bytes(data),))
    victim = scene.tree(bench.root)
    found = restarted()
    assert len(found.set_aside) >= 1
    assert {k: v for k, v in scene.tree(bench.root).items() if ".fw~" not in k} == {
        k: v for k, v in victim.items() if ".fw~" not in k
    }
    assert any(found.set_aside[0] in kept for kept in bench.changes.kept_versions)


def test_a_sealed_plan_that_names_places_outside_is_kept_and_named_and_nothing_is_written_there(
    bench: Any, scene: Any, area: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _stopped_at(bench, monkeypatch, "publish", bench.modify("a.txt", EDIT))
    (area / "outside").mkdir()

    def elsewhere(data: bytes) -> Any:
        plan = unpacked_plan(data)
        outside = os.fsencode(area / "outside")
        return plan.with_moved_roots(
            {folder.root: outside for folder in plan.folders if folder.root is not None}
        )

    monkeypatch.setattr("filewright.changes.log.unpacked_plan", elsewhere)
    for _ in range(2):
        with scene.Bench(area) as fresh:
            assert str(area / "outside") in fresh.changes.recover().unsettled[0]
    assert os.listdir(area / "outside") == []


def test_a_journal_inside_the_workspace_is_not_looked_at(
    bench: Any, scene: Any
) -> None:
    record = bench.commit(Create(bench.at("n"), b"n"))
    shutil.copytree(bench.state, bench.root / ".filewright")
    assert bench.changes.recover().clean or bench.changes.recover().clean
    assert bench.changes.record(record.id).id == record.id


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[min(1000, len(data) // 2)] ^= 1
    path.write_bytes(data)


def _cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


@pytest.mark.parametrize("damage", [_flip, _cut, Path.unlink])
@pytest.mark.parametrize(
    ("size", "identity"),
    [(3_000, 64 << 20), (400_000, 64 << 20), (6 << 20, 64 << 20), (6 << 20, 1 << 20)],
)
def test_damaged_undo_data_is_named_and_changes_nothing_wherever_it_is_kept(
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


# No space


@pytest.mark.skipif(sys.platform == "win32", reason="it refuses the calls of Unix")
@pytest.mark.needs("exclusive_rename")
def test_recovery_needs_no_space(
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
    _stopped_at(bench, monkeypatch, "mark_done", *steps)
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


def test_an_error_while_taking_back_leaves_the_rest_to_recovery(
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
                bench.modify("a.txt", EDIT), bench.modify("b.txt", Splice(0, 1, b"B"))
            )
    assert caught.value.code is Code.IO_ERROR
    assert "doctor" in (caught.value.hint or "")
    restarted()
    assert scene.tree(bench.root) == before


def test_a_change_that_has_the_number_of_one_that_was_rolled_back_is_cleaned_up_after(
    bench: Any, scene: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, back: bool = False, **__: Any) -> None:
        if not back:
            raise OSError(errno.EIO, "no")

    bench.commit(Delete(bench.at("b.txt")))
    monkeypatch.setattr(time, "time_ns", lambda: 1)
    with monkeypatch.context() as patch:
        patch.setattr("filewright.changes.slots.PlanSlots.flush_folders", refuse)
        with pytest.raises(FilewrightError):
            bench.commit(bench.modify("a.txt", EDIT))
    _stopped_at(bench, monkeypatch, "clean", bench.modify("a.txt", Splice(0, 1, b"S")))
    assert bench.changes.recover().finished
    assert scene.temporaries(bench.root) == []


def test_folders_deleted_after_a_crash_are_looked_for_once_and_then_never_again(
    scene: Any, bench: Any, area: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each committed change whose folder was gone walked all the roots, at every opening."""
    for number in range(5):
        folder = bench.root / f"gone{number}"
        folder.mkdir()
        (folder / "a.txt").write_bytes(b"one\n")
        _stopped_at(
            bench, monkeypatch, "clean", Delete(bench.at(f"gone{number}/a.txt"))
        )
        shutil.rmtree(folder)
    walks = 0
    walk = FolderSearch._walk

    def counted(search: FolderSearch) -> Any:
        nonlocal walks
        walks += 1
        return walk(search)

    monkeypatch.setattr(FolderSearch, "_walk", counted)
    with scene.Bench(area) as fresh:
        fresh.changes.recover()
        assert walks == 1
        assert fresh.changes.recover().clean
    assert walks == 1


def test_a_large_change_is_settled_at_once_and_small_ones_together(
    scene: Any, bench: Any
) -> None:
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


def test_a_second_change_in_one_hold_of_the_lock_meets_what_could_not_be_taken_back(
    bench: Any, scene: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The intent of a change that failed, and could not be rolled back at once, is not written over."""
    before = scene.tree(bench.root)
    with bench.changes.writing():
        _stopped_at(bench, monkeypatch, "flush", bench.modify("a.txt", EDIT))
        assert scene.tree(bench.root) != before
        bench.commit(Create(bench.at("second.txt"), b"2"))
    (bench.root / "second.txt").unlink()
    assert scene.tree(bench.root) == before


# Interrupts and power cuts at odd moments


def test_an_interrupt_during_the_last_flush_finds_the_change_made(
    bench: Any, scene: Any, area: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from filewright.changes import database

    record = bench.commit(Create(bench.at("first"), b""))
    end = database.end

    def interrupted(connection: Any) -> None:
        end(connection)
        if (
            bench.root / "a.txt"
        ).read_bytes() != b"one\ntwo\nthree\n" and bench.changes.newest() != record.id:
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


@pytest.mark.skipif(sys.platform == "win32", reason="it forks")
def test_an_intent_whose_end_never_reached_the_disk_leaves_no_second_name(
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


# Notes


def test_every_note_of_a_late_save_is_in_the_history(bench: Any) -> None:
    record = bench.commit(Create(bench.at("n"), b""))
    (store,) = bench.changes.logs
    store.add_notes(record.number, ["a.txt was saved late"])
    store.add_notes(record.number, ["b.txt was saved late"])
    assert bench.changes.record(record.id).notes == (
        "a.txt was saved late",
        "b.txt was saved late",
    )
