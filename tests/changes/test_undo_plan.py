"""The steps of an undo on a tree, and the conflicts that it reports."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from filewright.changes.change_tree import ChangeTree, DeferredChangeSet
from filewright.changes.diffs import DiffBuilder
from filewright.changes.model import ChangeRecord, RecordedPath
from filewright.changes.undo_plan import UndoOptions, UndoPlanner
from filewright.changes.undo_report import ReportBuilder, UndoReport
from filewright.edit.changeset import (
    Create,
    Delete,
    MakeFolder,
    MakeLink,
    Modify,
    Move,
    SetMode,
    Step,
)
from filewright.progress import Task
from filewright.text.splice import Splice


class _Plan:
    """An undo of a change, planned on the tree of a preview."""

    def __init__(
        self, bench: Any, record: ChangeRecord, *, force: bool = False
    ):
        self.report = UndoReport()
        self.steps: Sequence[Step] = ()
        self.changes_names = False
        # As history has it, with where its contents are stored.
        self._record = bench.changes.record(record.id)
        locations = [
            self._locate(bench, path) for path in record.recorded_paths
        ]
        self._options = UndoOptions(
            bench.settings,
            Task(),
            lambda path: self._locate(bench, path),
            force,
            {},
        )
        change_set = DeferredChangeSet(
            "revert_edit",
            "undo",
            (),
            reverts=(record.id,),
            build_steps=self._build_steps,
            list_locations=lambda: iter(locations),
        )
        diffs = DiffBuilder(bench.boundary, bench.settings)
        self.diff = diffs.diff_change_set(
            change_set, max_lines=100, task=Task()
        )

    @staticmethod
    def _locate(bench: Any, path: RecordedPath) -> Any:
        return path.locate(bench.boundary.roots)

    def _build_steps(self, tree: ChangeTree) -> Sequence[Step]:
        builder = ReportBuilder()
        planner = UndoPlanner(
            tree,
            self._record.file_changes,
            self._options,
            builder,
        )
        self.steps = planner.plan()
        self.changes_names = planner.changes_names
        self.report = builder.build()
        return self.steps


_STEPS: dict[str, tuple[Callable[[Any], list[Step]], list[type], bool]] = {
    "edited": (
        lambda b: [b.modify("a.txt", Splice(0, 3, b"ONE"))],
        [Modify],
        False,
    ),
    "mode changed": (
        lambda b: [SetMode(b.at("a.txt"), "600")],
        [SetMode],
        False,
    ),
    "edited and mode changed": (
        lambda b: [
            b.modify("a.txt", Splice(0, 3, b"ONE")),
            SetMode(b.at("a.txt"), "600"),
        ],
        [Modify, SetMode],
        False,
    ),
    "created": (lambda b: [Create(b.at("n"), b"n")], [], True),
    "deleted": (lambda b: [Delete(b.at("a.txt"))], [], True),
    "moved": (lambda b: [Move(b.at("a.txt"), b.at("m"))], [], True),
    "moved and edited": (
        lambda b: [
            b.modify("a.txt", Splice(0, 3, b"ONE")),
            Move(b.at("a.txt"), b.at("m")),
        ],
        [Modify],
        True,
    ),
    "folder moved": (lambda b: [Move(b.at("f"), b.at("h"))], [], True),
    "folder made": (lambda b: [MakeFolder(b.at("new/er"))], [], True),
    "link made": (lambda b: [MakeLink(b.at("l"), b"a.txt")], [], True),
}


@pytest.mark.parametrize("case", _STEPS)
def test_plans_steps(bench: Any, case: str) -> None:
    make_steps, kinds, changes_names = _STEPS[case]
    if os.name == "nt" and "mode" in case:
        pytest.skip("Windows has no such modes")
    plan = _Plan(bench, bench.commit(*make_steps(bench)))
    assert [type(step) for step in plan.steps] == kinds
    assert plan.changes_names is changes_names
    assert plan.report == UndoReport()


def test_steps_are_at_former_path(bench: Any) -> None:
    """Names are given back first, and the other steps follow there."""
    record = bench.commit(
        bench.modify("a.txt", Splice(0, 3, b"ONE")),
        Move(bench.at("a.txt"), bench.at("m")),
    )
    (step,) = _Plan(bench, record).steps
    assert isinstance(step, Modify)
    assert step.location.display_path == "a.txt"


def test_restores_rights_of_deleted_folder(bench: Any) -> None:
    """After its entries are back: it may have been closed to writing."""
    record = bench.commit(Delete(bench.at("f"), recursive=True))
    kinds = [type(step).__name__ for step in _Plan(bench, record).steps]
    assert kinds == ["SetOwner", "SetMode"] * 2


def _write(name: str, content: bytes = b"theirs\n") -> Callable[[Path], object]:
    return lambda root: (root / name).write_bytes(content)


_CONFLICTS: dict[
    str, tuple[Callable[[Any], Step], Callable[[Path], object], str]
] = {
    "something new at a deleted path": (
        lambda b: Delete(b.at("a.txt")),
        _write("a.txt"),
        "a.txt",
    ),
    "a created file edited": (
        lambda b: Create(b.at("n"), b"n"),
        _write("n"),
        "n",
    ),
    "a moved file deleted": (
        lambda b: Move(b.at("a.txt"), b.at("m")),
        lambda root: (root / "m").unlink(),
        "m",
    ),
    "a folder at the path of a created file": (
        lambda b: Create(b.at("n"), b"n"),
        lambda root: ((root / "n").unlink(), (root / "n").mkdir()),
        "n",
    ),
    "the same line edited": (
        lambda b: b.modify("a.txt", Splice(0, 3, b"ONE")),
        _write("a.txt", b"other\ntwo\nthree\n"),
        "a.txt",
    ),
}


@pytest.mark.parametrize("case", _CONFLICTS)
def test_reports_conflict(bench: Any, case: str) -> None:
    make_step, spoil, path = _CONFLICTS[case]
    record = bench.commit(make_step(bench))
    spoil(bench.root)
    (conflict,) = _Plan(bench, record).report.conflicts
    assert conflict.path == path


def test_reports_every_conflict_and_goes_on(bench: Any) -> None:
    record = bench.commit(
        Delete(bench.at("a.txt")),
        Delete(bench.at("b.txt")),
        bench.modify("f/x.txt", Splice(0, 2, b"EX")),
    )
    for name in ("a.txt", "b.txt"):
        (bench.root / name).write_bytes(b"theirs\n")
    plan = _Plan(bench, record)
    paths = {conflict.path for conflict in plan.report.conflicts}
    assert paths == {"a.txt", "b.txt"}
    assert [type(step) for step in plan.steps] == [Modify]


@pytest.mark.parametrize(
    "case", ["something new at a deleted path", "a created file edited"]
)
def test_force_leaves_no_conflict(bench: Any, case: str) -> None:
    make_step, spoil, _ = _CONFLICTS[case]
    record = bench.commit(make_step(bench))
    spoil(bench.root)
    plan = _Plan(bench, record, force=True)
    assert plan.report.conflicts == ()
    assert plan.changes_names


def test_notes_what_is_gone_already(bench: Any) -> None:
    record = bench.commit(Create(bench.at("n"), b"n"))
    (bench.root / "n").unlink()
    plan = _Plan(bench, record)
    assert plan.report.notes == ("n does not exist any more",)
    assert not plan.steps
    assert not plan.changes_names


def test_keeps_folder_that_others_filled(bench: Any) -> None:
    record = bench.commit(Create(bench.at("new/n"), b"n"))
    (bench.root / "new/theirs").write_bytes(b"theirs\n")
    plan = _Plan(bench, record)
    assert plan.report.notes == ("new/ stays: it has files of others",)
    deleted = [
        file.old_name for file in plan.diff.files if file.new_name is None
    ]
    assert deleted == ["new/n"]


def test_plan_changes_nothing_on_disk(bench: Any, scene: Any) -> None:
    record = bench.commit(
        Move(bench.at("f"), bench.at("h")), Delete(bench.at("a.txt"))
    )
    before = scene.tree(bench.root)
    _Plan(bench, record)
    assert scene.tree(bench.root) == before
