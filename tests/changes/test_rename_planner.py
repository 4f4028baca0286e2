"""The order of renames."""

from __future__ import annotations

from typing import Any

from filewright.edit.changeset import (
    Move,
)


def test_exchanges_names(bench: Any) -> None:
    at = bench.at
    record = bench.commit(
        Move(at("a.txt"), at("spare")),
        Move(at("b.txt"), at("a.txt")),
        Move(at("spare"), at("b.txt")),
    )
    assert (bench.root / "a.txt").read_bytes() == b"bee\n"
    assert (bench.root / "b.txt").read_bytes() == b"one\ntwo\nthree\n"
    assert {entry.action for entry in record.file_changes} == {"moved"}
    bench.undo(record.id)
    assert (bench.root / "b.txt").read_bytes() == b"bee\n"
