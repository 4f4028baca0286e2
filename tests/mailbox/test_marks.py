"""Marks of the person on the review page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from filewright import Workspace
from filewright.mailbox.marks import ACCEPTED, Mark, ReviewMarks


@pytest.fixture
def marks(tmp_path: Path) -> Iterator[ReviewMarks]:
    (tmp_path / "root").mkdir()
    with Workspace(tmp_path / "root", state_dir=tmp_path / "state") as opened:
        yield ReviewMarks(opened)


def test_decides_and_reopens(marks: ReviewMarks) -> None:
    marks.decide({"k": "a.txt", "l": "b.txt"}, ACCEPTED)
    marks.decide({"l": "b.txt"}, "undo1")
    assert marks.marks() == {
        "k": Mark(ACCEPTED, "a.txt"),
        "l": Mark("undo1", "b.txt"),
    }
    assert marks.marks()["l"].undo_id == "undo1"
    marks.reopen(["k"])
    assert [*marks.marks()] == ["l"]


def test_positions(marks: ReviewMarks) -> None:
    assert marks.decided_until() is None
    marks.set_decided_until("1")
    marks.set_viewed_until("2")
    assert (marks.decided_until(), marks.viewed_until()) == ("1", "2")
