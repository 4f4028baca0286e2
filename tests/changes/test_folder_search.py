"""The search for folders that other processes have moved."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.changes.interrupted import stop_at

from filewright.changes.folder_search import (
    FolderLocations,
    FolderSearch,
    map_folders,
)
from filewright.edit.changeset import Delete


def test_finds_moved_folder(bench: Any) -> None:
    inode = (bench.root / "f/g").stat().st_ino
    (bench.root / "f/g").rename(bench.root / "h")
    search = FolderSearch(bench.boundary)
    assert not search.is_complete
    assert search.find(None) is None
    assert search.find(inode) == bench.at("h")
    assert search.find(inode + 10_000_000) is None
    assert search.is_complete


def test_maps_no_files(bench: Any) -> None:
    locations = map_folders(bench.boundary).locations.values()
    assert {location.path for location in locations} == {b"f", b"f/g"}


def test_searches_deleted_folders_once(
    scene: Any, bench: Any, area: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each committed change whose folder was gone walked all the roots, at every opening."""
    for number in range(5):
        folder = bench.root / f"gone{number}"
        folder.mkdir()
        (folder / "a.txt").write_bytes(b"one\n")
        stop_at(
            bench, monkeypatch, "clean", Delete(bench.at(f"gone{number}/a.txt"))
        )
        shutil.rmtree(folder)
    walks = 0

    def counted(boundary: Any) -> FolderLocations:
        nonlocal walks
        walks += 1
        return map_folders(boundary)

    monkeypatch.setattr("filewright.changes.folder_search.map_folders", counted)
    with scene.Bench(area) as fresh:
        fresh.changes.recover()
        assert walks == 1
        assert fresh.changes.recover().clean
    assert walks == 1
