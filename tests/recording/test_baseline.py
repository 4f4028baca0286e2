"""Stored contents: what a file held before a command, checked when it is read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from filewright.boundary.boundary import Boundary
from filewright.progress import Task
from filewright.recording.baseline import Baseline, Budget
from filewright.recording.model import LARGE_BYTES, Scan, ScannedState
from filewright.recording.scan import Scanner


def _rows(boundary: Boundary) -> Scan:
    return Scanner(boundary, (), Task()).scan(None)


def _stamp(scan: Scan, name: bytes) -> ScannedState:
    return dict(scan[b""].named_states())[name]


def test_reads_stored_content(
    root: Path, boundary: Boundary, baseline: Baseline
) -> None:
    scan = _rows(boundary)
    stored, _ = baseline.store_scan(scan, Budget())
    (root / "a").write_text("changed\n")
    assert baseline.read_stored(b"a", _stamp(scan, b"a")) == b"this is a\n"
    assert baseline.read_stored(b"a", _stamp(_rows(boundary), b"a")) is None
    assert all(row.stored_in for row in stored.values())


@pytest.mark.parametrize("how", ["content", "file"])
def test_discards_damaged_cache(
    tmp_path: Path, boundary: Boundary, baseline: Baseline, how: str
) -> None:
    scan = _rows(boundary)
    baseline.store_scan(scan, Budget())
    if how == "content":
        with baseline._database.transaction() as execute:
            execute("UPDATE kept SET content = content || x'00'")
    else:
        baseline._database.close()
        (tmp_path / "shell" / "kept.db").write_bytes(b"no database" * 1000)
    assert baseline.read_stored(b"a", _stamp(scan, b"a")) is None
    baseline.store_scan(_rows(boundary), Budget())
    assert baseline.read_stored(b"a", _stamp(scan, b"a")) == b"this is a\n"


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("rm b", b"b"),
        ("rm *.log", b"x.log"),
        ("sed -i s/x/y/ ./a", b"a"),
        ("mv 'some name' c", b"name"),
    ],
)
def test_stores_named_files_first(
    root: Path,
    boundary: Boundary,
    baseline: Baseline,
    line: str,
    name: bytes,
) -> None:
    for each in ("x.log", "name"):
        (root / each).write_text("old\n")
        os.utime(root / each, (1, 1))
    scan = _rows(boundary)
    baseline.store_scan(
        scan, Budget(seconds=0, named_seconds=0, min_files=1), line=line
    )
    read_content = {
        each
        for each, state in scan[b""].named_states()
        if state.kind == "file" and baseline.read_stored(each, state)
    }
    assert read_content == {name}


def test_reports_too_large_files(
    root: Path, boundary: Boundary, baseline: Baseline
) -> None:
    (root / "large").write_bytes(b"x" * (LARGE_BYTES + 1))
    scan = _rows(boundary)
    _, late = baseline.store_scan(scan, Budget(), line="rm large")
    assert set(late) == {b"large"}
    assert baseline.read_stored(b"large", _stamp(scan, b"large")) is None


def test_reads_current_content(
    root: Path, boundary: Boundary, baseline: Baseline
) -> None:
    state = _stamp(_rows(boundary), b"a")
    with (root / "a").open("a") as file:
        file.write("more\n")
    assert baseline.read_current(b"a", state) == b"this is a\nmore\n"
    (root / "a").write_bytes(b"x" * (LARGE_BYTES + 1))
    assert baseline.read_current(b"a", state) is None
    (root / "a").unlink()
    assert baseline.read_current(b"a", state) is None
