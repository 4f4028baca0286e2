"""The difference of the tree from the disk, and what only all steps together refuse."""

from __future__ import annotations

import os
from typing import Any

from tests.changes.steps import EDIT, refused

from filewright.edit.changeset import (
    Create,
    Delete,
    SetMode,
)
from filewright.errors import Code
from filewright.text.splice import Splice


def test_refuses_and_counts_hard_links(bench: Any) -> None:
    os.link(bench.root / "a.txt", bench.root / "other.txt")
    for step in (bench.modify("a.txt", EDIT), SetMode(bench.at("a.txt"), "600")):
        error = refused(bench, step)
        assert error.code is Code.HARD_LINKED
        assert error.details["hard_links"] == 2
    record = bench.commit(bench.modify("a.txt", EDIT), break_hard_links=True)
    assert record.hard_links == {"a.txt": 2}
    assert (bench.root / "other.txt").read_bytes() == b"one\ntwo\nthree\n"


def test_refuses_unwritable_folder(bench: Any) -> None:
    step = bench.modify("f/x.txt", Splice(0, 1, b"E"))
    (bench.root / "f").chmod(0o555)
    try:
        for unwritable_step in (
            step,
            Delete(bench.at("f/x.txt")),
            Create(bench.at("f/new.txt"), b""),
        ):
            assert refused(bench, unwritable_step).code is Code.PERMISSION_DENIED
    finally:
        (bench.root / "f").chmod(0o755)
