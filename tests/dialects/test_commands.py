"""Steps of tools whose first argument is a command."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from filewright import Workspace
from filewright.dialects.call import Call
from filewright.dialects.commands import (
    check_view_range,
    insert_after_line,
    list_two_levels,
    next_line,
    read_range,
    undo_newest_edit,
)
from filewright.errors import Code, FilewrightError


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    for folder in ("a/b/c", "node_modules", ".hidden"):
        (root / folder).mkdir(parents=True)
    (root / "lines.txt").write_text("one\ntwo\nthree\n")
    (root / "long.txt").write_text("some text\n" * 100)
    return root


@pytest.fixture
def call(root: Path, tmp_path: Path) -> Iterator[Call]:
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        yield Call(workspace.context)


@pytest.mark.parametrize("view_range", [[1, 1], [2, 9], [3, -1]])
def test_valid_range(view_range: list[int]) -> None:
    assert check_view_range(view_range) == view_range


@pytest.mark.parametrize("view_range", [[0, 1], [2, 1], [1, -2]])
def test_invalid_range(view_range: list[int]) -> None:
    with pytest.raises(ValueError, match="first <= last"):
        check_view_range(view_range)


@pytest.mark.parametrize(
    ("view_range", "rows"),
    [(None, ["one", "two", "three"]), ([2, 2], ["two"]), ([3, -1], ["three"])],
)
def test_read_range(
    call: Call, view_range: list[int] | None, rows: list[str]
) -> None:
    file = read_range(call, "lines.txt", view_range)
    assert file.rows == rows
    assert next_line(file, view_range) is None


def test_next_line_of_a_full_answer(call: Call) -> None:
    file = read_range(call.with_page(300), "long.txt", None)
    assert next_line(file, None) == file.end_line + 1


def test_range_behind_the_end(call: Call) -> None:
    with pytest.raises(FilewrightError, match="the file has 3 lines"):
        read_range(call, "lines.txt", [9, 10])


def test_lists_two_levels(call: Call) -> None:
    paths = [entry.path for entry in list_two_levels(call, ".")]
    assert paths == ["a/", "a/b/", "lines.txt", "long.txt"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [(0, "new\none\ntwo\nthree\n"), (2, "one\ntwo\nnew\nthree\n")],
)
def test_insert_after_line(
    call: Call, root: Path, line: int, expected: str
) -> None:
    insert_after_line(call, "lines.txt", line, "new\n")
    assert (root / "lines.txt").read_text() == expected


def test_second_undo_goes_further_back(call: Call, root: Path) -> None:
    for word in ("first", "second"):
        call.overwrite("lines.txt", f"{word}\n")
    undo_newest_edit(call, "lines.txt")
    assert (root / "lines.txt").read_text() == "first\n"
    undo_newest_edit(call, "lines.txt")
    assert (root / "lines.txt").read_text() == "one\ntwo\nthree\n"
    with pytest.raises(FilewrightError) as caught:
        undo_newest_edit(call, "lines.txt")
    assert caught.value.code is Code.NOT_FOUND
