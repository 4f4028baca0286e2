"""The history: what it says, and in which order."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.changes.steps import RENAMES

from filewright import Workspace
from filewright.edit.changeset import ChangeSet, Create, Delete, Move
from filewright.errors import Code, FilewrightError
from filewright.progress import Caller, Task
from filewright.text.splice import Splice


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
    actions = {
        entry.path.display_path: entry.action for entry in record.file_changes
    }
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
    ids = [
        record.id
        for record in bench.changes.history(location=bench.at("z.txt"))
    ]
    assert ids == [third.id, second.id, first.id]
    below = bench.commit(bench.modify("f/x.txt", Splice(0, 1, b"E")))
    assert [r.id for r in bench.changes.history(location=bench.at("f"))] == [
        below.id
    ]


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
    assert [record.id for record in bench.changes.history(limit=1000)] == made[
        ::-1
    ]
    bench.undo(made[0])
    assert not (bench.root / "n0").exists()


def test_history_is_empty_at_first(scene: Any, area: Path) -> None:
    with scene.Bench(area) as bench:
        assert bench.changes.history() == []
        assert not (area / "state").exists()
        with pytest.raises(FilewrightError) as caught:
            bench.changes.record("0" * 13)
        assert caught.value.code is Code.NOT_FOUND


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
    assert (named.session, named.client, named.turn) == (
        "s1",
        "agent 2.0",
        "turn 7",
    )
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


@pytest.mark.parametrize("renamed", RENAMES)
def test_follows_later_renames(bench: Any, renamed: str) -> None:
    moves, now = RENAMES[renamed]
    made = [bench.commit(bench.modify("f/x.txt", Splice(0, 2, b"EX"))).id]
    made += [
        bench.commit(Move(bench.at(source), bench.at(to))).id
        for source, to in moves
    ]
    bench.commit(Create(bench.at("other"), b""))
    assert [
        record.id for record in bench.changes.history(location=bench.at(now))
    ] == made[::-1]
