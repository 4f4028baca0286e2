"""The change of mode, owner and group of one file."""

from __future__ import annotations

import stat
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from tests.changes.plans import ROOT, file_state, make_plan

from filewright.changes.database import Flusher
from filewright.changes.open_folders import OpenFolders
from filewright.changes.rename_plan import OperationKind, RenameOperation, Slot
from filewright.changes.rights import change_rights, restore_rights
from filewright.changes.slots import PlanSlots

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows has no such modes"
)
FLUSHER = Flusher(enabled=False)


@pytest.fixture
def slots(bench: Any) -> Iterator[PlanSlots]:
    with OpenFolders(bench.boundary) as open_folders:
        yield PlanSlots(open_folders, make_plan(bench))


def set_mode(bench: Any, name: str, mode: int) -> RenameOperation:
    before = file_state(bench, name)
    slot = Slot(ROOT, name.encode())
    return RenameOperation(
        OperationKind.RIGHTS,
        source=slot,
        target=slot,
        backup=slot,
        after=replace(before, mode=mode),
        before=before,
    )


@pytest.mark.parametrize("name", ["a.txt", "f"])
def test_changes_and_restores(bench: Any, slots: PlanSlots, name: str) -> None:
    path = bench.root / name
    mode = path.stat().st_mode
    operation = set_mode(bench, name, 0o700)
    # Twice: after a crash it may be done already.
    for _ in range(2):
        assert change_rights(slots, FLUSHER, operation)
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
    for _ in range(2):
        assert restore_rights(slots, FLUSHER, operation)
        assert path.stat().st_mode == mode


@pytest.mark.parametrize("case", ["missing", "another file", "another mode"])
def test_leaves_other_file(bench: Any, slots: PlanSlots, case: str) -> None:
    path = bench.root / "a.txt"
    path.chmod(0o644)
    operation = set_mode(bench, "a.txt", 0o700)
    if case == "another mode":
        path.chmod(0o640)
    else:
        path.rename(bench.root / "c")
    if case == "another file":
        path.write_bytes(b"theirs")
        path.chmod(0o644)
    for act in (change_rights, restore_rights):
        assert not act(slots, FLUSHER, operation)
    if case != "missing":
        assert stat.S_IMODE(path.stat().st_mode) in (0o640, 0o644)
