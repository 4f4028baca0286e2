"""The diff of a change reads each file once."""

from __future__ import annotations

from typing import Any

import pytest

from filewright.text.splice import Splice


def test_diff_reads_large_file_once(
    scene: Any, area: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scene.Bench(area, whole_undo_bytes=1000, hold_bytes=1000) as bench:
        (bench.root / "log").write_bytes(b"an entry of it\n" * 5000)
        splices = [Splice(15 * n + 3, 5, b"EVENT!") for n in range(5000)]
        record = bench.commit(bench.modify("log", *splices))
        opened = []
        real = bench.boundary.open_file
        monkeypatch.setattr(
            bench.boundary,
            "open_file",
            lambda where: opened.append(where) or real(where),
        )
        diff = bench.changes.diff(record.id).text
        assert len(opened) == 1
        assert "-an entry of it\n+an EVENT! of it\n" in diff.replace(
            "-an entry of it\n-", "-"
        )
        assert "more changes" in diff
        bench.changes.undo(record.id)
        assert (bench.root / "log").read_bytes() == b"an entry of it\n" * 5000


def test_diff_of_stored_file_too_large_to_hold(scene: Any, area: Any) -> None:
    lines = [b"line %d\n" % number for number in range(40_000)]
    with scene.Bench(area, hold_bytes=1000) as bench:
        (bench.root / "log").write_bytes(b"".join(lines))
        splices = []
        # One is in two blocks of the stored content.
        for number in (20, 30_000):
            offset = sum(map(len, lines[:number]))
            splices.append(Splice(offset, len(lines[number]), b"other\n"))
        splices.insert(1, Splice((1 << 16) - 3, 6, b""))
        record = bench.commit(bench.modify("log", *splices))
        diff = bench.changes.diff(record.id).text
        assert "-line 20\n+other\n line 21\n" in diff
        assert "-line 30000\n+other\n line 30001\n" in diff
        assert diff.count("\n@@") == 3


def test_diff_of_more_than_may_be_held_says_so(scene: Any, area: Any) -> None:
    with scene.Bench(area, hold_bytes=1000) as bench:
        (bench.root / "log").write_bytes(b"line\n" * 1000)
        record = bench.commit(bench.modify("log", Splice(0, 5000, b"new\n")))
        diff = bench.changes.diff(record.id).text
        assert "(content of 5,000 bytes not shown)" in diff
