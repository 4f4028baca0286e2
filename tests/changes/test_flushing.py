"""Flushes of many files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from filewright import Workspace
from filewright.changes.database import Flusher
from filewright.system import capabilities


@pytest.mark.skipif(
    not capabilities.flush_file_system,
    reason="each folder is flushed by itself",
)
def test_flushes_both_file_systems(
    scene: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the file system of the first folder was flushed before the change was called done."""
    flushed: list[int] = []
    flush = Flusher.file_system

    def noted(flusher: Flusher, handle: Any) -> None:
        flushed.append(handle.status().device)
        flush(flusher, handle)

    monkeypatch.setattr(Flusher, "file_system", noted)
    with scene.disk_folder() as disk, scene.quick_folder() as memory:
        roots = disk / "one", memory / "two"
        for root in roots:
            for number in range(140):
                (root / f"d{number}").mkdir(parents=True)
                (root / f"d{number}/f").write_text("old\n")
        if len({root.stat().st_dev for root in roots}) < 2:
            pytest.skip("both folders are on one file system")
        with Workspace(*roots, state_dir=tmp_path / "state") as workspace:
            where = [
                f"{root}/d{number}/f" for root in roots for number in range(140)
            ]
            items = [
                {"path": path, "content": "new\n", "mode": "overwrite"}
                for path in where
            ]
            made = workspace.call("write_content", {"items": items})
            assert not made.is_error, made.text
        # Once what was staged, once the names.
        assert all(flushed.count(root.stat().st_dev) >= 2 for root in roots)
