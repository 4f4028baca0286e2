"""The search in added and removed lines of the history."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

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


def find(workspace: Workspace, text: str) -> list[str]:
    """Return path, sign and text of all lines, newest first."""
    lines = []
    for hit in workspace.search_history(text).hits:
        lines += [f"{hit.path} {row.sign}{row.text}" for row in hit.rows]
    return lines


def test_added_and_removed_lines(workspace: Workspace) -> None:
    workspace.write("a.txt", "The total is 307\nother\n")
    workspace.edit("a.txt", [{"search": "307", "replace": "308"}])
    workspace.edit("a.txt", [{"search": "other", "replace": "another"}])
    assert find(workspace, "307") == [
        "a.txt -The total is 307",
        "a.txt +The total is 307",
    ]
    # Only a part of the line was replaced.
    assert find(workspace, "total is 308") == ["a.txt +The total is 308"]
    assert find(workspace, "THE TOTAL") == []
    assert len(find(workspace, "the total")) == 3


@pytest.mark.parametrize(
    "encoding", ["utf-8", "latin-1", "utf-16", "utf-16-be"]
)
def test_every_encoding(
    workspace: Workspace, folder: Path, encoding: str
) -> None:
    content = "Grüße für alle, für immer\r\n".encode(encoding)
    if encoding == "utf-16-be":
        content = b"\xfe\xff" + content
    identifier = workspace.begin_command()
    (folder / "a.txt").write_bytes(content)
    workspace.end_command(identifier, "printf")
    for text in ("grüße", "alle", "GRÜSSE"[:3]):
        expected = [] if text.isupper() else ["+Grüße für alle, für immer"]
        assert [line[6:] for line in find(workspace, text)] == expected


def test_says_how_far_it_looked(workspace: Workspace) -> None:
    ids = [
        workspace.write(f"{number}.txt", "needle\n").change_id
        for number in range(6)
    ]
    first = workspace.search_history("needle", limit=4)
    assert (len(first.hits), first.searched, first.cursor) == (4, 4, ids[2])
    rest = workspace.search_history("needle", before=first.cursor)
    assert [hit.record.id for hit in rest.hits] == [ids[1], ids[0]]
    assert (rest.searched, rest.cursor) == (2, None)
    # Without any time, one change is searched, so that it goes on.
    slow = workspace.search_history("needle", seconds=0)
    assert (slow.searched, slow.cursor) == (1, ids[5])


def test_a_large_file(folder: Path, tmp_path: Path) -> None:
    text = "".join(f"line {number}\n" for number in range(150_000))
    (folder / "a.txt").write_text(text)
    settings = Settings(whole_undo_bytes=100)
    with Workspace(
        folder, state_dir=tmp_path / "state", settings=settings
    ) as workspace:
        workspace.edit("a.txt", [{"search": "line 100\n", "replace": "a\n"}])
        assert find(workspace, "line 100") == ["a.txt -line 100"]
        assert find(workspace, "line 101") == []


def test_long_lines_and_many(workspace: Workspace) -> None:
    workspace.write("a.txt", "x" * 50_000 + "needle\n" + "needle\n" * 10)
    (hit,) = workspace.search_history("needle").hits
    assert (len(hit.rows), hit.row_count) == (3, 11)


def test_no_text(workspace: Workspace) -> None:
    with pytest.raises(FilewrightError, match="no text"):
        workspace.search_history("  ")
    assert workspace.search_history("x").oldest is None


def test_only_some_changes(workspace: Workspace, folder: Path) -> None:
    first = workspace.write("a.txt", "needle\n").change_id
    workspace.write("d/b.txt", "needle\n")
    workspace.move("d", "e")

    def paths(**only: str | None) -> list[str]:
        hits = workspace.search_history("needle", **only).hits  # type: ignore[arg-type]
        return [hit.path for hit in hits]

    assert paths(path="a.txt") == ["a.txt"]
    assert paths(path="d") == ["d/b.txt"]
    assert paths(since=first) == ["d/b.txt"]
    assert paths(session="last") == ["d/b.txt", "a.txt"]
    assert paths(client="someone") == []
