"""Blame: the change, or the commit, that made each line."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from filewright import FilewrightError, Settings, Workspace
from filewright.changes.blame import LineOrigin


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    return root


@pytest.fixture
def workspace(folder: Path, tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(folder, state_dir=tmp_path / "state") as opened:
        yield opened


def edit(workspace: Workspace, search: str, replace: str) -> str:
    """Edit a.txt, and return the id of the change."""
    edits = [{"search": search, "replace": replace}]
    return str(workspace.edit("a.txt", edits).change_id)


def shell(workspace: Workspace, path: Path, content: bytes) -> str:
    identifier = workspace.begin_command(command=f"edit {path}")
    path.write_bytes(content)
    (record,) = workspace.end_command(identifier, "edit")
    return record.id


def label(origin: LineOrigin) -> str:
    if origin.version is not None:
        return origin.version.id
    if origin.commit is not None:
        return origin.commit.title
    return str(origin.unknown)


def blame(workspace: Workspace, path: str = "a.txt") -> list[str]:
    """Return the change, the title of the commit, or the reason, of each line."""
    labels = []
    for group in workspace.blame(path).groups:
        labels += [label(group.origin)] * group.count
    return labels


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


# Git


def git(folder: Path, *words: str, date: str = "2020-01-01T00:00:00Z") -> None:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "GIT_AUTHOR_DATE": date,
        "GIT_COMMITTER_DATE": date,
    }
    names = ("-c", "user.name=Ann", "-c", "user.email=ann@example.com")
    subprocess.run(
        ["git", *names, *words],
        cwd=folder,
        env=environment,
        check=True,
        capture_output=True,
    )


def commit(folder: Path, path: str, content: str, title: str) -> None:
    (folder / path).write_text(content)
    git(folder, "add", "-A")
    git(folder, "commit", "-m", title)


@pytest.fixture
def repository(folder: Path) -> Path:
    git(folder, "init", "-b", "main")
    commit(folder, "old.txt", "one\ntwo\nthree\nfour\nfive\n", "First")
    git(folder, "mv", "old.txt", "a.txt")
    git(folder, "commit", "-m", "Rename")
    commit(folder, "a.txt", "one\n2\nthree\nfour\nfive\n", "Second")
    return folder


def test_older_lines_are_of_commits(
    workspace: Workspace, repository: Path
) -> None:
    change = edit(workspace, "five\n", "5\n")
    assert blame(workspace) == ["First", "Second", "First", "First", change]
    # Committed by the person, and still made by the agent.
    git(repository, "commit", "-am", "Third", date="2036-01-01T00:00:00Z")
    assert blame(workspace)[-1] == change


def test_a_merge(workspace: Workspace, repository: Path) -> None:
    git(repository, "checkout", "-b", "side", "HEAD~1")
    commit(repository, "a.txt", "one\ntwo\nthree\nfour\nsix\n", "Side")
    git(repository, "checkout", "main")
    git(repository, "merge", "side", "-m", "Merge")
    assert blame(workspace) == ["First", "Second", "First", "First", "Side"]


def test_lines_that_were_never_committed(
    workspace: Workspace, repository: Path
) -> None:
    (repository / "a.txt").write_text("zero\none\n2\nthree\nfour\nfive\n")
    change = edit(workspace, "2\n", "zwei\n")
    lines = blame(workspace)
    assert lines == ["before", "First", change, "First", "First", "First"]


def test_line_ends_that_git_unifies(
    workspace: Workspace, repository: Path
) -> None:
    content = (repository / "a.txt").read_bytes().replace(b"\n", b"\r\n")
    (repository / "a.txt").write_bytes(content)
    assert blame(workspace) == ["First", "Second", "First", "First", "First"]


@pytest.mark.parametrize("name", ["*.txt", ":(top)a", "-p", "a b\tc"])
def test_a_name_that_git_could_misread(
    workspace: Workspace, repository: Path, name: str
) -> None:
    commit(repository, f"./{name}", "special\n", "Special")
    assert blame(workspace, f"./{name}") == ["Special"]


def test_nothing_that_a_repository_configures_is_run(
    workspace: Workspace, repository: Path, tmp_path: Path
) -> None:
    mark = tmp_path / "ran"
    command = f"touch {mark}; cat"
    (repository / ".gitattributes").write_text("*.txt diff=x filter=x\n")
    for key in (
        "diff.x.textconv",
        "diff.x.command",
        "diff.external",
        "filter.x.clean",
        "filter.x.smudge",
        "core.fsmonitor",
        "core.pager",
        "core.alternateRefsCommand",
        "gpg.program",
    ):
        git(repository, "config", key, command)
    git(repository, "config", "log.showSignature", "true")
    assert blame(workspace)[0] == "First"
    assert not mark.exists()
