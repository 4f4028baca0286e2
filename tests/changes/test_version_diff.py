"""The comparison of two versions of a file."""

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


def changed(workspace: Workspace, path: str, first: str, last: str) -> str:
    """Return the changed lines between two versions."""
    diff = workspace.compare_versions(path, first, last, max_lines=100)
    rows = [row for hunk in diff.hunks for row in hunk.rows]
    return " ".join(f"{row.sign}{row.text}" for row in rows if row.sign != " ")


def test_two_versions(workspace: Workspace, folder: Path) -> None:
    first = str(workspace.write("a.txt", "one\ntwo\n").change_id)
    second = str(
        workspace.edit("a.txt", [{"search": "one", "replace": "1"}]).change_id
    )
    workspace.edit("a.txt", [{"search": "two", "replace": "2"}])
    (folder / "a.txt").write_text("1\n2\n3\n")
    assert changed(workspace, "a.txt", first, second) == "-one +1"
    assert changed(workspace, "a.txt", second, first) == "-1 +one"
    assert changed(workspace, "a.txt", first, "now") == "-one -two +1 +2 +3"
    assert changed(workspace, "a.txt", f"{first}^", first) == "+one +two"
    assert changed(workspace, "a.txt", f"{second}^", second) == "-one +1"
    workspace.delete("a.txt")
    assert changed(workspace, "a.txt", second, "now") == "-1 -two"
    for moment in ("0000000000000", f"{first}^^", "../x"):
        with pytest.raises(FilewrightError, match="has no version"):
            changed(workspace, "a.txt", moment, second)


def test_versions_that_are_not_stored_whole(
    folder: Path, tmp_path: Path
) -> None:
    text = "".join(f"line {number}\n" for number in range(150_000))
    (folder / "a.txt").write_text(text)
    settings = Settings(whole_undo_bytes=100)
    with Workspace(
        folder, state_dir=tmp_path / "state", settings=settings
    ) as workspace:
        first = str(
            workspace.edit(
                "a.txt", [{"search": "line 100\n", "replace": "a\n"}]
            ).change_id
        )
        second = str(
            workspace.edit(
                "a.txt", [{"search": "line 9000\n", "replace": "b\n"}]
            ).change_id
        )
        both = changed(workspace, "a.txt", f"{first}^", second)
        assert both == "-line 100 +a -line 9000 +b"
        assert changed(workspace, "a.txt", first, second) == "-line 9000 +b"
        with pytest.raises(FilewrightError, match="not stored"):
            changed(workspace, "a.txt", first, "now")
