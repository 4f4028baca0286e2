"""The log of a root: a change is the same again, found without a scan, and small."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest
from tests.changes.plans import make_plan, move_folder
from tests.changes.steps import EDIT

from filewright.edit.changeset import ChangeSet
from filewright.text.splice import Splice


def test_sound_log_has_no_problems(bench: Any) -> None:
    bench.commit(bench.modify("a.txt", EDIT))
    assert bench.changes.problems() == []


def test_record_is_the_same_again(bench: Any) -> None:
    made = bench.changes.commit(
        ChangeSet(
            "a tool",
            "words \ud800 that are no text",
            (bench.modify("a.txt", EDIT),),
            undoable=False,
        )
    )
    again = bench.changes.record(made.id)
    assert (again.undoable, again.summary) == (
        False,
        "words ? that are no text",
    )
    assert again.file_changes == made.file_changes
    assert again.number <= time.time_ns()


def test_small_edit_takes_little_space(bench: Any) -> None:
    log = bench.changes.logs[0]

    def overhead() -> int:
        ((taken, content),) = log.database.read(
            "SELECT (SELECT sum(pgsize) FROM dbstat), (SELECT sum(size) FROM contents)"
        )
        return int(taken - content)

    bench.commit(bench.modify("a.txt", Splice(0, 3, b"new")))
    empty_tables = overhead()
    for number in range(100):
        bench.commit(bench.modify("a.txt", Splice(0, 3, b"%03d" % number)))
    bench.changes.recover()
    assert (overhead() - empty_tables) / 100 <= 1000


def test_stores_large_plan_in_blocks(bench: Any) -> None:
    log = bench.changes.logs[0]
    record = bench.commit(bench.modify("a.txt", EDIT))
    moves = [move_folder(bench, random.randbytes(100)) for _ in range(2_000)]
    for count in (2_000, 1_500, 3):
        plan = make_plan(bench, *moves[:count])
        log.write(record, plan)
        assert log.read_plan(record.number) == plan
        ((blocks,),) = log.database.read("SELECT count(*) FROM plan_blocks")
        assert (blocks > 1) == (count > 3)
    log.write(record, make_plan(bench, *moves))
    log.mark_done(record.number)
    log.mark_cleaned_up([record.number])
    assert log.database.read("SELECT count(*) FROM plan_blocks") == [(0,)]


def test_no_query_scans_whole_history(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        bench.commit(bench.modify("a.txt", Splice(0, 3, b"%03d" % number)))
    database = bench.changes.logs[0].database
    queries: set[tuple[str, int, tuple[str, ...]]] = set()
    read = database.read

    def reading(sql: str, *values: object, **named: Any) -> Any:
        queries.add((sql, len(values), tuple(named)))
        return read(sql, *values, **named)

    monkeypatch.setattr(database, "read", reading)
    record = bench.commit(bench.modify("a.txt", EDIT))
    bench.changes.recover_if_needed()
    bench.changes.history(location=bench.at("a.txt"))
    bench.undo(record.id)
    monkeypatch.undo()
    assert len(queries) > 10
    for sql, count, names in queries:
        explained = read(
            f"EXPLAIN QUERY PLAN {sql}", *[None] * count, **dict.fromkeys(names)
        )
        plan = [row[3] for row in explained]
        through = [
            step
            for step in plan
            if step.startswith(
                ("SCAN operations", "SCAN file_changes", "SCAN contents")
            )
        ]
        assert not through or "LIMIT" in sql, (sql, plan)
