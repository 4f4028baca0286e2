"""The slots of a plan, and the system calls on them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from tests.changes.plans import FOLDER, ROOT, file_state, make_plan, move_folder

from filewright.boundary.names import temporary_name
from filewright.changes.database import Flusher
from filewright.changes.file_match import FileMatch
from filewright.changes.model import FileState
from filewright.changes.open_folders import OpenFolders
from filewright.changes.rename_plan import Slot
from filewright.changes.slots import PlanSlots

A, B, F = (Slot(ROOT, name) for name in (b"a.txt", b"b.txt", b"f"))
NEW = Slot(ROOT, b"new")
TEMPORARY = Slot(ROOT, temporary_name())
X = Slot(FOLDER, b"x.txt")


@pytest.fixture
def slots(bench: Any) -> Iterator[PlanSlots]:
    plan = make_plan(bench, move_folder(bench, b"m"))
    with OpenFolders(bench.boundary) as open_folders:
        yield PlanSlots(open_folders, plan)


def test_paths(bench: Any, slots: PlanSlots) -> None:
    (bench.root / "f").rename(bench.root / "m")
    assert slots.location(X) == bench.at("m/x.txt")
    assert slots.display_path(X) == "f/x.txt"
    assert slots.recorded_path(X).parts == (b"f", b"x.txt")


def test_matches_file(bench: Any, slots: PlanSlots) -> None:
    state = file_state(bench, "f/x.txt")
    status = slots.status(X)
    assert status is not None
    assert status.kind == "file"
    assert slots.match(X, state) is FileMatch.SAME
    assert slots.status(NEW) is None
    assert slots.match(NEW, state) is FileMatch.MISSING
    moved = file_state(bench, "f")
    slots.rename(F, Slot(ROOT, b"m"))
    assert slots.is_known_inode_anywhere(moved)


def test_renames(bench: Any, slots: PlanSlots) -> None:
    slots.rename(X, NEW)
    with pytest.raises(FileExistsError):
        slots.rename(A, B)
    slots.rename(A, B, "replace")
    assert (bench.root / "new").read_bytes() == b"ex\n"
    assert (bench.root / "b.txt").read_bytes() == b"one\ntwo\nthree\n"
    slots.unlink(B)
    assert slots.status(B) is None


def test_exchanges(bench: Any, slots: PlanSlots) -> None:
    displaced = slots.exchange(A, B, TEMPORARY)
    assert (bench.root / "b.txt").read_bytes() == b"one\ntwo\nthree\n"
    name = os.fsdecode(displaced.name)
    assert (bench.root / name).read_bytes() == b"bee\n"


def test_interrupted_rename(bench: Any, slots: PlanSlots) -> None:
    os.link(bench.root / "a.txt", bench.root / "new")
    assert slots.is_half_renamed(A, NEW)
    assert not slots.is_half_renamed(A, B)
    assert not slots.is_half_renamed(A, TEMPORARY)


def folder_state(bench: Any) -> FileState:
    """Return the state of the folder `f` with all that is in it."""
    paths = ("x.txt", "g", "g/y.txt")
    return replace(
        file_state(bench, "f"),
        descendants={
            path.encode(): file_state(bench, f"f/{path}") for path in paths
        },
    )


def test_matches_tree(bench: Any, slots: PlanSlots) -> None:
    state = folder_state(bench)
    assert slots.matches_tree(F, state)
    (bench.root / "f/g/late").write_bytes(b"")
    assert not slots.matches_tree(F, state)
    (bench.root / "f/g/late").unlink()
    (bench.root / "f/x.txt").unlink()
    assert not slots.matches_tree(F, state)


def test_removes_tree(bench: Any, slots: PlanSlots) -> None:
    (bench.root / "f/g").chmod(0o500)
    assert slots.remove_tree(F)
    assert not (bench.root / "f").exists()


@pytest.mark.parametrize("is_late", [False, True])
def test_removes_known_files(
    bench: Any, slots: PlanSlots, is_late: bool
) -> None:
    state = folder_state(bench)
    if is_late:
        (bench.root / "f/g/late").write_bytes(b"")
    removed = []

    def remove(folder: Any, name: bytes, _: FileState) -> bool:
        removed.append(name)
        folder.remove(name)
        return True

    assert slots.remove_tree(F, state, remove) is not is_late
    assert sorted(removed) == [b"x.txt", b"y.txt"]
    assert (bench.root / "f/g/late").exists() is is_late


def test_discards_only_temporaries(bench: Any, slots: PlanSlots) -> None:
    temporary = bench.root / os.fsdecode(TEMPORARY.name)
    temporary.mkdir()
    (temporary / "a").write_bytes(b"")
    for slot in (TEMPORARY, A, NEW):
        slots.discard_temporary(slot)
    assert not temporary.exists()
    assert (bench.root / "a.txt").exists()


def test_flushes_folders_of_operations(slots: PlanSlots) -> None:
    flusher = Flusher(enabled=True)
    slots.flush_folders(flusher)
    assert flusher.count > 0
