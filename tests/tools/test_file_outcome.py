"""Outcomes of many files in little memory: each comes back as it was added."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from filewright.boundary.boundary import Boundary
from filewright.edit.diff import FileDiff
from filewright.packed_sequence import MAX_PLAIN_VALUES
from filewright.settings import Settings
from filewright.tools.file_outcome import FileOutcome, PackedOutcomes


def test_returns_outcomes_as_they_were(tmp_path: Path) -> None:
    diff = FileDiff("a/b", "a/b", added=1)
    with closing(Boundary([tmp_path], Settings())) as boundary:
        location = boundary.locate("a/b")
        outcomes = [
            FileOutcome("one", location),
            FileOutcome("one", location.spelled("./a/b"), diff),
            FileOutcome("two", location, None, "careful", "0f", 2, "CRLF"),
            FileOutcome("two", location, diff, content=b"new", is_known=True),
            FileOutcome("one", location, diff, is_known=True),
        ]
        packed: PackedOutcomes[str] = PackedOutcomes()
        for outcome in [outcomes[0]] * MAX_PLAIN_VALUES + outcomes:
            packed.append(outcome)
        assert packed[MAX_PLAIN_VALUES:] == outcomes
        spelling = packed[MAX_PLAIN_VALUES + 1].location.requested_path
        assert spelling == "./a/b"
        assert packed[-2].diff is diff
