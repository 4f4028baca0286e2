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
