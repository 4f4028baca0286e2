"""Paths in the tree of a change."""

from __future__ import annotations

import os
from typing import Any

from filewright.edit.changeset import (
    ExpectedState,
    Modify,
)
from filewright.text.splice import Splice


def test_follows_links_on_the_way(bench: Any) -> None:
    os.symlink("f", bench.root / "way")
    first = bench.modify("way/x.txt", Splice(0, 2, b"EX"))
    second = Modify(
        bench.at("f/x.txt"), ExpectedState(3, None, None), (Splice(3, 0, b"more\n"),)
    )
    record = bench.commit(first, second)
    assert (bench.root / "f/x.txt").read_bytes() == b"EX\nmore\n"
    assert record.display_paths == ["f/x.txt"]
