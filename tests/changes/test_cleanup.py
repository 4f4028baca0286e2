"""Displaced files, and programs that still write to them."""

from __future__ import annotations

from typing import Any

import pytest

from filewright import Workspace
from filewright.changes import backup
from filewright.edit.changeset import Create, Move


@pytest.mark.needs("lease")
def test_cleans_up_inner_root_before_move(
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


def test_records_notes_of_late_saves(bench: Any) -> None:
    record = bench.commit(Create(bench.at("n"), b""))
    (store,) = bench.changes.logs
    store.add_notes(record.number, ["a.txt was saved late"])
    store.add_notes(record.number, ["b.txt was saved late"])
    assert bench.changes.record(record.id).notes == (
        "a.txt was saved late",
        "b.txt was saved late",
    )
