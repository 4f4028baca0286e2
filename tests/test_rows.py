"""A table of cases in one test loses no case."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.rows import each_row


def test_every_row_is_tried_and_each_that_fails_is_named(
    tmp_path: Path,
) -> None:
    tried = []

    @each_row(
        "word, number",
        [("one", 1), ("none", 1), ("two", 2), ("none", 2), ("three", 3)],
    )
    @each_row("sign", [1, -1])
    def table(word: str, number: int, sign: int, tmp_path: Path) -> None:
        tried.append((word, number, sign))
        (tmp_path / "made").mkdir()
        with pytest.raises(ValueError):
            int(word if word != "none" or sign > 0 else "0")
        assert number < 3 or sign > 0

    with pytest.raises(BaseExceptionGroup) as failed:
        table(tmp_path=tmp_path)
    assert len(tried) == 10
    notes = [
        note for each in failed.value.exceptions for note in each.__notes__
    ]
    assert [note.partition(",")[0] for note in notes] == [
        "in row 1",
        "in row 3",
        "in row 4",
    ]
    assert "word, number = ('none', 1)" in notes[0]
