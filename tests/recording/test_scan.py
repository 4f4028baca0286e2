"""Scans of the file states below a root."""

from __future__ import annotations

from pathlib import Path

import pytest

from filewright.boundary.boundary import Boundary
from filewright.progress import Task
from filewright.recording.model import Scan, ScannedFolder
from filewright.recording.scan import Scanner, find_changed_folders


@pytest.fixture
def scanner(boundary: Boundary) -> Scanner:
    return Scanner(boundary, (), Task())


def names(scan: Scan) -> dict[bytes, list[bytes]]:
    return {path: folder.visible_names() for path, folder in scan.items()}


def test_scans_by_rules(root: Path, scanner: Scanner) -> None:
    (root / ".gitignore").write_text("h/\n")
    assert names(scanner.scan(None)) == {
        b"": [b".gitignore", b"a", b"b", b"d"],
        b"d/": [b"f"],
    }


def test_leaves_out_inner_roots(root: Path, boundary: Boundary) -> None:
    scanner = Scanner(boundary, (b"d/h/",), Task())
    assert b"d/h/" not in scanner.scan(None)
    assert scanner.rules != Scanner(boundary, (), Task()).rules


def test_unchanged_scan_is_the_same(scanner: Scanner) -> None:
    scan = scanner.scan(None)
    assert scanner.scan(scan) is scan


def test_finds_changed_folders(root: Path, scanner: Scanner) -> None:
    scan = scanner.scan(None)
    (root / "a").write_text("changed")
    (root / "d" / "h" / "new").touch()
    changed = find_changed_folders(
        scanner.root.folder, scan, cross_devices=False, check=lambda: None
    )
    folder = changed[b""]
    assert isinstance(folder, ScannedFolder)
    state = folder.state_of(b"a")
    assert state is not None
    assert state.size == len("changed")
    assert changed[b"d/h/"] == 1


def test_rules_apply_to_all_below(root: Path, scanner: Scanner) -> None:
    scan = scanner.scan(None)
    (root / "d" / ".gitignore").touch()
    changed = find_changed_folders(
        scanner.root.folder, scan, cross_devices=False, check=lambda: None
    )
    assert changed[b"d/"] == 0


def test_rule_hides_what_was_scanned(root: Path, scanner: Scanner) -> None:
    scan = scanner.scan(None)
    (root / "d" / ".gitignore").write_text("h/\nf\n")
    again = names(scanner.scan(scan))
    assert again[b"d/"] == [b".gitignore"]
    assert b"d/h/" not in again


def test_new_folder_is_walked(root: Path, scanner: Scanner) -> None:
    scan = scanner.scan(None)
    (root / "d" / "new" / "deep").mkdir(parents=True)
    (root / "d" / "new" / "deep" / "x").touch()
    (root / "d" / "h" / "x").unlink()
    (root / "d" / "h").rmdir()
    again = names(scanner.scan(scan))
    assert again[b"d/new/deep/"] == [b"x"]
    assert b"d/h/" not in again
