"""Power cuts: what was not flushed is gone, and recovery still finds all or nothing."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from filewright.changes import operations, rows, state


def _load(name: str) -> ModuleType:
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


scene, platter = _load("scene"), _load("platter")


class MixedError(AssertionError):
    """The tree after recovery is neither as before nor as after, or a committed change is gone."""


@pytest.fixture
def area() -> Iterator[Path]:
    with scene.quick_folder() as folder:
        yield folder


@pytest.fixture
def numbers(monkeypatch: pytest.MonkeyPatch) -> dict[int, int]:
    """Inode numbers in records, as they are in an image: there they cannot be chosen."""
    known: dict[int, int] = {}
    seal, folder, owner = rows.seal_of, rows.folder_of, state.Owner.of_line

    def seal_of(*row: Any) -> operations.Seal:
        made = seal(*row)
        return made if made.inode is None else replace(made, inode=known.get(made.inode, 0))

    def folder_of(*row: Any) -> operations.FolderRef:
        made = folder(*row)
        return made if made.inode is None else replace(made, inode=known.get(made.inode))

    def owner_of_line(line: bytes) -> state.Owner | None:
        made = owner(line)
        # Nor can it be chosen when the root's folder was made: the state is found by its path.
        return made and replace(made, inode=known.get(made.inode or 0), birth_ns=None)

    monkeypatch.setattr(state.Owner, "of_line", staticmethod(owner_of_line))
    monkeypatch.setattr(rows, "seal_of", seal_of)
    monkeypatch.setattr(rows, "folder_of", folder_of)
    return known


def _images(
    area: Path, numbers: dict[int, int], *, flush: bool, stride: int, seeds: range, first: bool = False
) -> int:
    """Cut the power after every `stride`th call of a commit, be it the `first` of its workspace; returns how
    many images were looked at."""
    run, recorded = area / "run", area / "recorded"
    scene.furnish(run / "work")
    with scene.Bench(run) as bench:
        if not first:
            bench.commit(bench.modify("edit0.txt", scene.Splice(0, 0, b"earlier\n")))
            bench.changes.recover()
    before = scene.tree(run / "work")
    disk = platter.Platter(run)
    with scene.Bench(run, flush=flush) as bench:
        change_set = scene.twelve(bench)
        with disk.recording():
            bench.changes.commit(change_set)
    after = scene.tree(run / "work")
    run.rename(recorded)
    looked = 0
    total = len(disk.events)
    for cut in [*range(0, total, stride), total]:
        seen: set[str] = set()
        for kind in ("journaling", "lazy"):
            for seed in (None, *seeds):
                shutil.rmtree(run, ignore_errors=True)
                numbers.clear()
                numbers.update(disk.image(cut, kind, run, seed))
                shown = repr(sorted(scene.tree(run).items()))
                if shown in seen:
                    continue
                seen.add(shown)
                looked += 1
                _look(run, before, after, int(not first), done=cut == total, at=(cut, total, kind, seed))
    return looked


def _look(run: Path, before: object, after: object, earlier: int, *, done: bool, at: object) -> None:
    with scene.Bench(run) as bench:
        found = bench.changes.recover()
        now = scene.tree(bench.root)
        if now != after and (done or now != before):
            raise MixedError(at, found)
        if found.conflicts or scene.temporaries(bench.root):
            raise MixedError(at, found)
        changes = bench.changes.history()
        if len(changes) != earlier + (now == after):
            raise MixedError(at, changes)
        for record in changes:
            assert isinstance(bench.changes.diff(record.id).text, str)


def test_a_power_cut_leaves_all_or_nothing(area: Path, numbers: dict[int, int]) -> None:
    assert _images(area, numbers, flush=True, stride=5, seeds=range(1)) >= 30


def test_a_power_cut_in_the_first_change_of_a_workspace_leaves_all_or_nothing(
    area: Path, numbers: dict[int, int]
) -> None:
    assert _images(area, numbers, flush=True, stride=5, seeds=range(1), first=True) >= 30


def test_without_flushes_the_same_check_fails(area: Path, numbers: dict[int, int]) -> None:
    with pytest.raises(MixedError):
        _images(area, numbers, flush=False, stride=5, seeds=range(1))


@pytest.mark.sweep
def test_power_cuts_after_every_call(area: Path, numbers: dict[int, int]) -> None:
    print(f"\npower cuts: {_images(area, numbers, flush=True, stride=1, seeds=range(8))} images")
