"""The pairs of things that a comparison of two scans finds."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from filewright.boundary.boundary import Boundary
from filewright.progress import Task
from filewright.recording.baseline import Baseline, Budget
from filewright.recording.compare import Comparison
from filewright.recording.model import ObservedFile, RootState
from filewright.recording.scan import Scanner

Pairs = set[tuple[str | None, str | None]]


CASES: dict[str, tuple[str, Pairs]] = {
    "nothing": ("true", set()),
    "a file is made": ("echo 1 > n", {(None, "n")}),
    "a file is changed": ("echo 1 >> a", {("a", "a")}),
    "a file is replaced": ("echo 1 > n; mv n a", {("a", "a")}),
    "a mode is changed": ("chmod 700 a", {("a", "a")}),
    "a file is deleted": ("rm a", {("a", None)}),
    "a file is renamed": ("mv a c", {("a", "c")}),
    "a file is renamed and changed": (
        "mv a c; echo 1 >> c",
        {("a", None), (None, "c")},
    ),
    "files are swapped": ("mv a c; mv b a; mv c b", {("a", "a"), ("b", "b")}),
    "a folder is made": ("mkdir n; echo 1 > n/f", {(None, "n"), (None, "n/f")}),
    "a folder is renamed": (
        "mv d e",
        {("d", "e"), ("d/f", "e/f"), ("d/h", "e/h"), ("d/h/x", "e/h/x")},
    ),
    "a folder is deleted": ("rm -r d/h", {("d/h", None), ("d/h/x", None)}),
    "a file becomes a folder": ("rm a; mkdir a", {("a", None), (None, "a")}),
    "a file becomes a link": ("rm a; ln -s b a", {("a", None), (None, "a")}),
    "a file gets another name": ("ln a c", {(None, "c")}),
    "a rule hides a file": ("echo a > .gitignore", {(None, ".gitignore")}),
    "a rule hides a file that is deleted": (
        "echo a > .gitignore; rm a",
        {(None, ".gitignore"), ("a", None)},
    ),
    "a rule shows a file": ("rm .ignore", {(".ignore", None)}),
    "a rule shows a new file": (
        "rm .ignore; echo 1 > hidden2",
        {(".ignore", None), (None, "hidden2")},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_pairs_differing_files(
    root: Path, boundary: Boundary, baseline: Baseline, case: str
) -> None:
    command, expected = CASES[case]
    if "shows" in case:
        (root / ".ignore").write_text("hidden*\n")
        (root / "hidden").write_text("was there\n")
    scanner = Scanner(boundary, (), Task())
    scan = scanner.scan(None)
    stored, _ = baseline.store_scan(scan, Budget())
    (root.parent / "observed").touch()
    observed_ns = (root.parent / "observed").stat().st_mtime_ns
    subprocess.run(command, shell=True, cwd=root, check=True)
    comparison = Comparison(boundary, (), baseline, Task(), is_same_clock=True)
    comparison.compare(
        RootState(0, scanner.rules, None, stored, observed_ns),
        scanner.scan(stored),
        (),
    )
    pairs: Pairs = set()
    for old, now in comparison.pairs:
        if (
            old is None
            or now is None
            or old.path != now.path
            or not _is_same(comparison, old, now)
        ):
            pairs.add((_name(old), _name(now)))
    assert pairs == expected


def _is_same(
    comparison: Comparison, old: ObservedFile, now: ObservedFile
) -> bool:
    return (
        comparison.is_content_unchanged(old, now)
        and old.state.mode_and_owner == now.state.mode_and_owner
    )


def _name(thing: ObservedFile | None) -> str | None:
    return None if thing is None else os.fsdecode(thing.path)
