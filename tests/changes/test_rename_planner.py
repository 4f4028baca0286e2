"""The order of renames."""

from __future__ import annotations

from typing import Any

import pytest

from filewright.changes.model import MAX_HELD_VALUES, FileState
from filewright.changes.rename_plan import OperationKind, Slot
from filewright.changes.rename_planner import (
    PackedOperations,
    PlannedOperation,
    RenameOrder,
)
from filewright.edit.changeset import (
    Move,
)


def test_exchanges_names(bench: Any) -> None:
    at = bench.at
    record = bench.commit(
        Move(at("a.txt"), at("spare")),
        Move(at("b.txt"), at("a.txt")),
        Move(at("spare"), at("b.txt")),
    )
    assert (bench.root / "a.txt").read_bytes() == b"bee\n"
    assert (bench.root / "b.txt").read_bytes() == b"one\ntwo\nthree\n"
    assert {entry.action for entry in record.file_changes} == {"moved"}
    bench.undo(record.id)
    assert (bench.root / "b.txt").read_bytes() == b"bee\n"


class _CountedStates(dict[Any, FileState]):
    lookups = 0

    def __getitem__(self, key: Any) -> FileState:
        self.lookups += 1
        return super().__getitem__(key)


@pytest.mark.parametrize("count", [MAX_HELD_VALUES, MAX_HELD_VALUES + 1])
def test_looks_up_each_state_once_for_a_pass_from_the_end(count: int) -> None:
    planned = PackedOperations()
    originals = _CountedStates()
    for number in range(count):
        slot, node = Slot(0, b"%d" % number), object()
        originals[node] = FileState("file", size=number)
        planned.append(
            PlannedOperation(OperationKind.DELETED, slot, slot, slot, node)  # type: ignore[arg-type]  the node is only a key
        )
    plan = RenameOrder((), (), planned).build_plan(originals, {})
    originals.lookups = 0
    sizes = [operation.after.size for operation in reversed(plan.operations)]
    assert sizes == list(range(count))[::-1]
    assert originals.lookups <= count
