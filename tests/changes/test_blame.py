"""Blame: the change, or the commit, that made each line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.changes.blame_labels import blame, edit

from filewright import FilewrightError, Settings, Workspace


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    return root


@pytest.fixture
def workspace(folder: Path, tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(folder, state_dir=tmp_path / "state") as opened:
        yield opened


def shell(workspace: Workspace, path: Path, content: bytes) -> str:
    identifier = workspace.begin_command(command=f"edit {path}")
    path.write_bytes(content)
    (record,) = workspace.end_command(identifier, "edit")
    return record.id


def test_lines_of_several_changes(workspace: Workspace, folder: Path) -> None:
    (folder / "a.txt").write_text("one\ntwo\nthree\n")
    second = edit(workspace, "two", "zwei")
    first = edit(workspace, "one", "null\neins")
    result = workspace.blame("a.txt")
    assert result.read_lines() == ["null", "eins", "zwei", "three"]
    assert blame(workspace) == [first, first, second, "before"]
    assert result.notes == ()


def test_a_created_file(workspace: Workspace) -> None:
    created = workspace.write("a.txt", "one\ntwo").change_id
    edited = edit(workspace, "two", "zwei")
    assert blame(workspace) == [created, edited]


def test_an_undone_line_has_its_first_author(workspace: Workspace) -> None:
    created = workspace.write("a.txt", "one\ntwo\n").change_id
    edited = edit(workspace, "two", "zwei")
    workspace.undo(edited)
    assert blame(workspace) == [created, created]
    workspace.redo()
    assert blame(workspace) == [created, edited]


def test_an_undo_around_later_changes(workspace: Workspace) -> None:
    text = "".join(f"{number}\n" for number in range(20))
    created = workspace.write("a.txt", text).change_id
    undone = edit(workspace, "3\n4\n", "three\n")
    later = edit(workspace, "17\n", "seventeen\n")
    workspace.undo(undone)
    lines = blame(workspace)
    assert lines.count(created) == 19
    assert lines[17] == later


def test_a_deleted_file_that_came_back(workspace: Workspace) -> None:
    created = workspace.write("a.txt", "one\n").change_id
    edited = edit(workspace, "one\n", "one\ntwo\n")
    workspace.delete("a.txt")
    workspace.undo()
    assert blame(workspace) == [created, edited]


def test_a_content_that_a_shell_brought_back(
    workspace: Workspace, folder: Path
) -> None:
    created = workspace.write("a.txt", "one\ntwo\n").change_id
    edit(workspace, "two", "zwei")
    shell(workspace, folder / "a.txt", b"one\ntwo\n")
    assert blame(workspace) == [created, created]


def test_shell_changes(workspace: Workspace, folder: Path) -> None:
    (folder / "a.txt").write_text("one\ntwo\n")
    change = shell(workspace, folder / "a.txt", b"one\nzwei\n")
    assert blame(workspace) == ["before", change]


def test_renames_of_file_and_folder(workspace: Workspace) -> None:
    created = workspace.write("d/a.txt", "one\ntwo\n").change_id
    workspace.move("d/a.txt", "d/b.txt")
    workspace.move("d", "e")
    edited = workspace.edit(
        "e/b.txt", [{"search": "two", "replace": "zwei"}]
    ).change_id
    workspace.write("d/a.txt", "another file\n")
    assert blame(workspace, "e/b.txt") == [created, edited]


def test_another_file_at_the_path(workspace: Workspace) -> None:
    workspace.write("a.txt", "one\n")
    workspace.move("a.txt", "b.txt")
    second = workspace.write("a.txt", "one\n").change_id
    first = workspace.history("b.txt")[-1].id
    assert blame(workspace, "b.txt") == [first]
    # The same content was there before: the line is the same one again.
    assert blame(workspace) in ([second], [first])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            "für ä\nb\n".encode("latin-1"), "für ä\nc\n".encode("latin-1")
        ),
        pytest.param("ä\nb\n".encode("utf-16"), "ä\nc\n".encode("utf-16")),
        pytest.param(b"a\nb", b"a\nc"),
        pytest.param(b"a\r\nb\r\n", b"a\nc\n"),
        pytest.param(b"a\rb\r", b"a\rc\r"),
    ],
    ids=["latin-1", "utf-16", "no end", "other ends", "cr"],
)
def test_bytes_of_every_kind(
    workspace: Workspace, folder: Path, before: bytes, after: bytes
) -> None:
    (folder / "a.txt").write_bytes(before)
    change = shell(workspace, folder / "a.txt", after)
    result = workspace.blame("a.txt")
    assert result.read_lines()[0][-1] in "äa"
    assert blame(workspace) == ["before", change]


def test_lines_that_no_record_has(workspace: Workspace, folder: Path) -> None:
    created = workspace.write("a.txt", "one\ntwo\n").change_id
    with (folder / "a.txt").open("a") as file:
        file.write("three\n")
    assert blame(workspace) == [created, created, "unrecorded"]
    edited = edit(workspace, "two", "zwei")
    assert blame(workspace) == [created, edited, "unrecorded"]


def test_a_file_that_is_not_stored_whole(folder: Path, tmp_path: Path) -> None:
    text = "".join(f"line {number}\n" for number in range(2000))
    (folder / "a.txt").write_text(text)
    settings = Settings(whole_undo_bytes=100)
    with Workspace(
        folder, state_dir=tmp_path / "state", settings=settings
    ) as workspace:
        first = edit(workspace, "line 100\n", "hundred\n")
        second = edit(workspace, "line 1500\n", "fifteen hundred\n")
        lines = blame(workspace)
    assert (lines[100], lines[1500]) == (first, second)
    assert lines.count("before") == 1998


def test_what_has_no_lines(workspace: Workspace, folder: Path) -> None:
    (folder / "a.bin").write_bytes(b"\0\1\2" * 100)
    (folder / "big.txt").write_bytes(b"x\n" * 5_000_000)
    with pytest.raises(FilewrightError, match="binary"):
        workspace.blame("a.bin")
    with pytest.raises(FilewrightError, match=r"9\.5 MB"):
        workspace.blame("big.txt")
    (folder / "empty.txt").write_bytes(b"")
    assert workspace.blame("empty.txt").groups == []
