"""History: what it says, how it is ordered, how it is kept within limits."""

from __future__ import annotations

import os
import stat
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from filewright import Workspace
from filewright.changes.model import format_change_id, parse_change_id
from filewright.edit.changeset import ChangeSet, Create, Delete, Move
from filewright.errors import Code, FilewrightError
from filewright.progress import Caller, Task
from filewright.text.splice import Splice

_DAY = 86_400 * 10**9


def test_ids_are_unique_within_microsecond(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    moment = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: moment)
    made = [bench.commit(Create(bench.at(f"n{n}"), b"")).id for n in range(5)]
    assert len(set(made)) == 5
    assert made == sorted(made)
    assert [record.id for record in bench.changes.history()] == made[::-1]


def test_ids_stay_in_order_if_clock_goes_back(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = bench.commit(Create(bench.at("n1"), b"")).id
    monkeypatch.setattr(time, "time_ns", lambda: 1)
    assert bench.commit(Create(bench.at("n2"), b"")).id > first


def test_roots_stay_in_order_if_clock_goes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outer, inner, beside = (
        tmp_path / "outer",
        tmp_path / "outer/inner",
        tmp_path / "beside",
    )
    for root in (outer, inner, beside):
        root.mkdir()
    made = []
    for now, roots, name in (
        (3, [outer, beside], outer / "n1"),
        (2, [inner], inner / "n2"),
        (1, [outer, beside], beside / "n3"),
    ):
        monkeypatch.setattr(time, "time_ns", lambda now=now: now * 10**18)
        with Workspace(*roots, state_dir=tmp_path / "state") as workspace:
            workspace.write(str(name), "")
            made.append(name)
    with Workspace(outer, beside, state_dir=tmp_path / "state") as workspace:
        for name in reversed(made):
            assert name.exists()
            workspace.undo()
            assert not name.exists()


def test_ids_sort_as_numbers() -> None:
    numbers = [0, 1, 31, 32, 10**18, 10**18 + 1, 2**63]
    assert [parse_change_id(format_change_id(number)) for number in numbers] == numbers
    assert sorted(map(format_change_id, numbers)) == [
        format_change_id(number) for number in numbers
    ]
    assert parse_change_id("../etc/passwd") is None
    assert parse_change_id("i" * 13) is None


@pytest.mark.parametrize(
    "change_id", ["0" * 13, "7" + "z" * 12, "8" + "0" * 12, "z" * 13]
)
def test_unknown_id_is_not_found(bench: Any, change_id: str) -> None:
    bench.commit(bench.modify("a.txt", Splice(0, 3, b"ONE")))
    with pytest.raises(
        FilewrightError, match=f"there is no change {change_id}"
    ) as refused:
        bench.changes.record(bench.changes.resolve_change_id(change_id))
    assert refused.value.code is Code.NOT_FOUND


def test_record_has_tool_time_and_actions(bench: Any) -> None:
    before = time.time_ns()
    record = bench.changes.commit(
        ChangeSet(
            "edit_content",
            "shout",
            (
                bench.modify("a.txt", Splice(0, 3, b"ONE")),
                Create(bench.at("new/n.txt"), b"n"),
                Move(bench.at("b.txt"), bench.at("c.txt")),
                Delete(bench.at("f"), recursive=True),
            ),
        )
    )
    assert bench.changes.record(record.id) == replace(record, state="done")
    assert (record.tool, record.summary, record.undoable) == (
        "edit_content",
        "shout",
        True,
    )
    assert before <= record.number <= time.time_ns()
    actions = {entry.path.display_path: entry.action for entry in record.file_changes}
    assert actions == {
        "a.txt": "modified",
        "new": "created",
        "new/n.txt": "created",
        "c.txt": "moved",
        "f": "deleted",
        "f/g": "deleted",
        "f/g/y.txt": "deleted",
        "f/x.txt": "deleted",
    }
    assert record.display_paths == [
        "a.txt",
        "new",
        "new/n.txt",
        "b.txt",
        "c.txt",
        "f",
        "f/g",
        "f/g/y.txt",
        "f/x.txt",
    ]


def test_follows_file_through_moves(bench: Any) -> None:
    first = bench.commit(bench.modify("a.txt", Splice(0, 3, b"ONE")))
    bench.commit(bench.modify("b.txt", Splice(0, 3, b"BEE")))
    second = bench.commit(Move(bench.at("a.txt"), bench.at("z.txt")))
    third = bench.commit(bench.modify("z.txt", Splice(0, 3, b"two")))
    ids = [record.id for record in bench.changes.history(location=bench.at("z.txt"))]
    assert ids == [third.id, second.id, first.id]
    below = bench.commit(bench.modify("f/x.txt", Splice(0, 1, b"E")))
    assert [r.id for r in bench.changes.history(location=bench.at("f"))] == [below.id]


def test_pages_join_without_gap(bench: Any) -> None:
    made = [bench.commit(Create(bench.at(f"n{n}"), b"")).id for n in range(7)]
    found: list[str] = []
    before = None
    while page := bench.changes.history(limit=3, before=before):
        found += [record.id for record in page]
        before = found[-1]
    assert found == made[::-1]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such name")
def test_keeps_names_that_are_no_text(bench: Any) -> None:
    name = b"bad\xff\nname"
    path = os.path.join(os.fsencode(bench.root), name)
    where = bench.at('"bad\\377\\nname"')
    record = bench.commit(Create(where, b"x"))
    assert bench.changes.record(record.id).file_changes[0].path.parts == (name,)
    bench.undo(record.id)
    assert not os.path.exists(path)


def test_settles_and_lists_many_changes(bench: Any) -> None:
    made = [bench.commit(Create(bench.at(f"n{n}"), b"")).id for n in range(120)]
    log = bench.changes.logs[0]
    assert len(log.list_unfinished("done")) < 100
    assert log.database.read("SELECT count(*) FROM unfinished")[0][0] < 100
    assert [record.id for record in bench.changes.history(limit=1000)] == made[::-1]
    bench.undo(made[0])
    assert not (bench.root / "n0").exists()


def test_history_is_empty_at_first(scene: Any, area: Path) -> None:
    with scene.Bench(area) as bench:
        assert bench.changes.history() == []
        assert not (area / "state").exists()
        with pytest.raises(FilewrightError) as caught:
            bench.changes.record("0" * 13)
        assert caught.value.code is Code.NOT_FOUND


@pytest.mark.skipif(
    sys.platform == "win32",
    reason="on Windows it has the rights of the user's own folder",
)
def test_state_is_private(bench: Any) -> None:
    bench.commit(bench.modify("a.txt", Splice(0, 3, b"ONE")))
    for path in [bench.state, *bench.state.rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (
            0o700 if path.is_dir() else 0o600
        ), path


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no owners by number")
def test_refuses_state_folder_of_another_user(
    scene: Any, area: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scene.Bench(area) as bench:
        bench.commit(Create(bench.at("n"), b""))
    monkeypatch.setattr(os, "geteuid", lambda: 4242)
    with scene.Bench(area) as bench:
        with pytest.raises(FilewrightError) as caught:
            bench.commit(Create(bench.at("m"), b""))
        assert caught.value.code is Code.PERMISSION_DENIED
        assert "state" in (caught.value.hint or "")


def test_unwritable_state_folder_refuses_changes(scene: Any, area: Path) -> None:
    (area / "state").write_bytes(b"in the way")
    with scene.Bench(area) as bench:
        with pytest.raises(FilewrightError) as caught:
            bench.commit(Create(bench.at("m"), b""))
        assert caught.value.code is Code.PERMISSION_DENIED
        assert "--state-dir" in (caught.value.hint or "")
        assert bench.changes.history() == []


# Limits


def _days_later(monkeypatch: pytest.MonkeyPatch, days: int) -> None:
    real = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: real() + days * _DAY)


def _fifty(bench: Any) -> list[str]:
    made = [bench.commit(Create(bench.at(f"later{n}"), b"")).id for n in range(50)]
    bench.changes.recover()
    return made


def test_drops_old_changes_but_newest_fifty(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = [bench.commit(Create(bench.at(f"n{n}"), b"")).id for n in range(3)]
    _days_later(monkeypatch, 31)
    later = _fifty(bench)
    assert [record.id for record in bench.changes.history(limit=100)] == later[::-1]
    with pytest.raises(FilewrightError) as caught:
        bench.changes.record(first[2])
    assert caught.value.code is Code.NOT_FOUND


@pytest.mark.parametrize("made_before", [5, 60])
def test_clock_jump_expires_nothing(
    bench: Any, monkeypatch: pytest.MonkeyPatch, made_before: int
) -> None:
    made = [bench.commit(Create(bench.at(f"n{n}"), b"")).id for n in range(made_before)]
    with monkeypatch.context() as jump:
        _days_later(jump, 31)
        made.append(bench.commit(Create(bench.at("jumped"), b"")).id)
        bench.changes.recover()
    made.append(bench.commit(Create(bench.at("after"), b"")).id)
    bench.changes.recover()
    assert [record.id for record in bench.changes.history(limit=100)] == made[::-1]
    bench.undo(made[0])
    assert not (bench.root / "n0").exists()


def test_keeps_change_that_is_being_undone(scene: Any, area: Path) -> None:
    with scene.Bench(area, history_days=0) as bench:
        (bench.root / "a.txt").write_bytes(b"one")
        record = bench.commit(Delete(bench.at("a.txt")))
        bench.changes.undo(record.id)
        assert (bench.root / "a.txt").read_bytes() == b"one"


def test_undo_preview_delays_no_expiry(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [
        bench.commit(bench.modify("a.txt", Splice(0, 0, b"x"))).id for _ in range(3)
    ]
    bench.changes.recover()
    assert "-x" in bench.changes.undo(made[2], preview=True)[1].diff.text
    _days_later(monkeypatch, 31)
    later = _fifty(bench)
    assert [record.id for record in bench.changes.history(limit=100)] == later[::-1]


def test_drops_contents_with_last_change(
    scene: Any, area: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scene.Bench(area, history_days=30) as bench:
        large = os.urandom(400_000)
        for name in ("one", "two"):
            (bench.root / name).write_bytes(large)
        bench.commit(Delete(bench.at("one")))
        bench.commit(Delete(bench.at("two")))
        kept = list((bench.state / "contents").iterdir())
        assert len(kept) == 1, "each content once"
        bench.commit(Create(bench.at("n"), b""))
        bench.changes.recover()
        assert list((bench.state / "contents").iterdir()) == kept
        _days_later(monkeypatch, 31)
        _fifty(bench)
        assert list((bench.state / "contents").iterdir()) == []


def test_drops_oldest_beyond_history_bytes(scene: Any, area: Path) -> None:
    with scene.Bench(area, history_bytes=1_000_000) as bench:
        made = []
        for number in range(4):
            (bench.root / "big").write_bytes(os.urandom(400_000))
            made.append(bench.commit(Delete(bench.at("big"))).id)
            assert number is not None
        bench.changes.recover()
        assert [record.id for record in bench.changes.history()] == made[:1:-1]
        bench.undo(made[3])
        assert (bench.root / "big").stat().st_size == 400_000


def test_records_caller(bench: Any, scene: Any, area: Path) -> None:
    (bench.root / "a.txt").write_bytes(b"one\n")
    changes = bench.changes
    change_set = ChangeSet(
        "test", "a change", (bench.modify("a.txt", Splice(0, 3, b"two")),)
    )
    named = changes.commit(
        change_set, task=Task(caller=Caller("s1", "agent 2.0", "turn 7"))
    )
    unnamed = bench.commit(bench.modify("a.txt", Splice(0, 3, b"six")))
    assert (named.session, named.client, named.turn) == ("s1", "agent 2.0", "turn 7")
    # Who says nothing of itself is told by the workspace it was asked of.
    assert unnamed.session == changes.caller.session != "s1"
    with scene.Bench(area) as later:
        assert later.changes.caller.session != unnamed.session
        newest, first = later.changes.history(limit=2)
        assert (first.session, first.client, first.turn) == (
            "s1",
            "agent 2.0",
            "turn 7",
        )
        assert (newest.session, newest.client, newest.turn) == (
            unnamed.session,
            None,
            None,
        )
