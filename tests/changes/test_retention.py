"""The limits of a history: what is too old or too much goes, in pieces."""

from __future__ import annotations

import itertools
import os
import time
from pathlib import Path
from typing import Any

import pytest
from tests.changes.steps import EDIT

from filewright import Settings
from filewright.changes.retention import prune
from filewright.changes.rows import OPERATION_COLUMNS, OPERATION_FIELDS
from filewright.edit.changeset import Create, Delete
from filewright.errors import Code, FilewrightError
from filewright.text.splice import Splice


def test_drops_large_change_in_pieces(
    bench: Any, scene: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An operation is not seen any more once dropping it has begun."""
    bench.commit(*(Create(bench.at(f"many/{n}"), b"") for n in range(2500)))
    small = bench.commit(Create(bench.at("n"), b""))
    log = bench.changes.logs[0]
    bench.changes.recover()
    monkeypatch.setattr(log, "settings", Settings(history_bytes=1000))
    left = [2501]
    while len(left) < 6 and left[-1] > 1:
        prune(log, seconds=1e-9)
        assert [record.id for record in bench.changes.history()] == [small.id]
        left += log.database.read("SELECT count(*) FROM file_changes")[0]
    assert left[-1] == 1
    assert (
        max(before - after for before, after in itertools.pairwise(left))
        <= 2000
    )


def test_prunes_long_history_in_pieces(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = bench.commit(bench.modify("a.txt", EDIT))
    bench.changes.recover()
    log = bench.changes.logs[0]
    with log.database.transaction() as execute:
        for number in range(1, 2500):
            execute(
                f"INSERT INTO operations ({OPERATION_COLUMNS}) "
                f"SELECT number - ?, {', '.join(OPERATION_FIELDS[1:])} "
                "FROM operations WHERE number = ?",
                (number, record.number),
            )
    monkeypatch.setattr(log, "settings", Settings(history_bytes=1000))
    counts: list[int] = []
    read = log.database.read

    def reading(*given: Any, **more: Any) -> Any:
        rows = read(*given, **more)
        counts.append(len(rows))
        return rows

    monkeypatch.setattr(log.database, "read", reading)
    prune(log, seconds=0.001)
    assert log.database.read("SELECT count(*) FROM operations")[0][0] < 2500
    assert sum(counts) < 1100


_DAY = 86_400 * 10**9


def _days_later(monkeypatch: pytest.MonkeyPatch, days: int) -> None:
    real = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: real() + days * _DAY)


def _fifty(bench: Any) -> list[str]:
    made = [
        bench.commit(Create(bench.at(f"later{n}"), b"")).id for n in range(50)
    ]
    bench.changes.recover()
    return made


def test_drops_old_changes_but_newest_fifty(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = [bench.commit(Create(bench.at(f"n{n}"), b"")).id for n in range(3)]
    _days_later(monkeypatch, 31)
    later = _fifty(bench)
    assert [record.id for record in bench.changes.history(limit=100)] == later[
        ::-1
    ]
    with pytest.raises(FilewrightError) as caught:
        bench.changes.record(first[2])
    assert caught.value.code is Code.NOT_FOUND


@pytest.mark.parametrize("made_before", [5, 60])
def test_clock_jump_expires_nothing(
    bench: Any, monkeypatch: pytest.MonkeyPatch, made_before: int
) -> None:
    made = [
        bench.commit(Create(bench.at(f"n{n}"), b"")).id
        for n in range(made_before)
    ]
    with monkeypatch.context() as jump:
        _days_later(jump, 31)
        made.append(bench.commit(Create(bench.at("jumped"), b"")).id)
        bench.changes.recover()
    made.append(bench.commit(Create(bench.at("after"), b"")).id)
    bench.changes.recover()
    assert [record.id for record in bench.changes.history(limit=100)] == made[
        ::-1
    ]
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
        bench.commit(bench.modify("a.txt", Splice(0, 0, b"x"))).id
        for _ in range(3)
    ]
    bench.changes.recover()
    assert "-x" in bench.changes.undo(made[2], preview=True)[1].diff.text
    _days_later(monkeypatch, 31)
    later = _fifty(bench)
    assert [record.id for record in bench.changes.history(limit=100)] == later[
        ::-1
    ]


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
