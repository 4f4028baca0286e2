"""The outcome of an undo in words."""

from __future__ import annotations

from typing import Any

import pytest

from filewright.edit.diff import Diff, PlannedFile
from filewright.page.outcome import describe_outcome
from filewright.page.requests import UndoRequest

DIFF = Diff(
    planned=(
        PlannedFile("a", "modified"),
        PlannedFile("d/", "deleted"),
        PlannedFile("d/b", "deleted"),
        PlannedFile("c", "created"),
    ),
    unlisted=2,
)


def test_counts_by_action() -> None:
    outcome = describe_outcome(DIFF)
    assert outcome.sentence == (
        "1 file deleted, 1 file brought back, 1 file edited, "
        "2 files changed as well"
    )
    assert outcome.count == 5
    assert outcome.groups[0].heading == "Deleted (1)"


def test_counts_folders_without_files() -> None:
    planned = (PlannedFile("d/", "deleted"), PlannedFile("e/", "deleted"))
    assert describe_outcome(Diff(planned=planned)).sentence == (
        "2 folders deleted"
    )


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        pytest.param({}, "Undo 5 files", id="all"),
        pytest.param({"path": "a", "hunk": 2}, "Undo 1 hunk", id="hunk"),
        pytest.param({"kind": "since"}, "Go back: 5 files", id="since"),
        pytest.param(
            {"kind": "since", "path": "a", "force": True},
            "Set it to this version",
            id="version",
        ),
    ],
)
def test_button(fields: dict[str, Any], text: str) -> None:
    request = UndoRequest(**{"kind": "change", "name": "x", **fields})
    assert describe_outcome(DIFF).button(request) == text
