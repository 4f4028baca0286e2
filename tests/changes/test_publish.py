"""The renames that readers see."""

from __future__ import annotations

import errno
import os
from typing import Any

import pytest
from tests.changes.steps import EDIT

from filewright.edit.changeset import (
    Create,
    Delete,
    Move,
)


@pytest.mark.needs("exchange")
def test_renames_without_exchange(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lacking(*_: Any) -> None:
        raise OSError(errno.EINVAL, "no such flag")

    monkeypatch.setattr("filewright.system.linux.renameat2", lacking)
    record = bench.commit(
        bench.modify("a.txt", EDIT),
        Create(bench.at("new/n.txt"), b"n"),
        Delete(bench.at("f"), recursive=True),
        Move(bench.at("b.txt"), bench.at("c.txt")),
    )
    assert (bench.root / "a.txt").read_bytes() == b"ONE\ntwo\nthree\n"
    assert sorted(os.listdir(bench.root)) == ["a.txt", "c.txt", "new"]
    bench.undo(record.id)
    assert (bench.root / "f/g/y.txt").read_bytes() == b"why\n"
    assert sorted(os.listdir(bench.root)) == ["a.txt", "b.txt", "f"]
